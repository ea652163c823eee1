"""Every shipped spec yields the same tree as the ARX file it stands for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from anonymizer.hierarchy import Hierarchy, check_rows, load_hierarchy, read_arx

REPOSITORY = Path(__file__).resolve().parents[2]
BENCHMARKS = ("adult", "atus", "cup", "fars", "ihis")
SPECS = [
    spec
    for dataset in BENCHMARKS
    for spec in sorted((REPOSITORY / "hierarchies" / dataset).glob("*.toml"))
]
DATA = REPOSITORY.parent / "shared" / "data"


def spec_id(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def original_of(spec: Path) -> Hierarchy:
    path = DATA / spec.parent.name / "hierarchies" / f"{spec.stem}.csv"
    if not path.exists():
        pytest.skip(f"no ARX file to compare with: {path}")
    return read_arx(path)


def groups_by_leaf(hierarchy: Hierarchy, level: int) -> set[frozenset[str]]:
    """The leaves of each group, whatever the group is called."""
    leaves = np.array(hierarchy.leaves, dtype=object)
    order = np.argsort(hierarchy.codes[level], kind="stable")
    sizes = np.bincount(hierarchy.codes[level])
    return {frozenset(group) for group in np.split(leaves[order], np.cumsum(sizes)[:-1])}


@pytest.mark.parametrize("spec", SPECS, ids=spec_id)
def test_a_spec_has_the_leaves_and_groups_of_its_arx_file(spec: Path) -> None:
    original, ours = original_of(spec), load_hierarchy(spec)
    assert set(ours.leaves) == set(original.leaves)
    assert ours.height == original.height
    for level in range(ours.height):
        assert groups_by_leaf(ours, level) == groups_by_leaf(original, level), f"level {level}"


@pytest.mark.parametrize("spec", SPECS, ids=spec_id)
def test_a_spec_has_no_defects(spec: Path) -> None:
    assert check_rows(load_hierarchy(spec).rows()) == []


@pytest.mark.parametrize("spec", SPECS, ids=spec_id)
def test_a_spec_says_what_it_is_for(spec: Path) -> None:
    assert spec.read_text(encoding="utf-8").startswith("# ")


@pytest.mark.parametrize("dataset", BENCHMARKS)
def test_every_arx_file_has_a_spec(dataset: str) -> None:
    originals = list((DATA / dataset / "hierarchies").glob("*.csv"))
    if not originals:
        pytest.skip(f"no ARX files to compare with: {DATA / dataset}")
    shipped = {spec.stem for spec in SPECS if spec.parent.name == dataset}
    assert {path.stem for path in originals} <= shipped
