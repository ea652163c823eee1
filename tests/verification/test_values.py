"""Releases with numbers, dates and missing cells, from raw cells to the verified file."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer import Policy, Problem, Solution, anonymize, apply, verify
from anonymizer.hierarchy import Dates, Intervals
from anonymizer.solution.coarsen import coarsen_to, released_levels
from anonymizer.solution.manifest import make_manifest, write_release
from tests.hierarchy.labels import bounds_of

pytestmark = pytest.mark.quick

LOW, HIGH = Fraction(20), Fraction(120)
ATTRIBUTES = {
    "weight": Intervals((20.0, 120.0), widths=(5, 10, 20, 40), open="both", missing="top"),
    "seen": Dates("2020-01-01", "2020-12-31", format="%d.%m.%Y %H:%M", open="high"),
    "age": Intervals((0, 99), widths=(5, 10, 20), open="high", missing="top"),
}


def policy_of(layers: bool = False, k: int = 3, **levels: dict[str, int]) -> Policy:
    quasi = {
        name: {"role": "quasi", "hierarchy": builder.build(name), **levels.get(name, {})}
        for name, builder in ATTRIBUTES.items()
    }
    return Policy(
        attributes={**quasi, "ward": {"role": "insensitive"}},
        risk=[{"model": "k-anonymity", "k": k}],
        release={"layers": layers},
    )


def table(rows: int, seed: int) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "weight": random.normal(70, 25, rows).round(2),
            "seen": pd.Timestamp(2020, 1, 1) + pd.to_timedelta(random.integers(0, 8000, rows), "h"),
            "age": random.integers(0, 110, rows).astype(float),
            "ward": random.choice(list("xyz"), rows),
        }
    )
    frame.loc[random.random(rows) < 0.1, "weight"] = np.nan
    frame.loc[random.random(rows) < 0.1, "age"] = np.nan
    return frame


def in_csv(frame: pd.DataFrame, path: Path) -> Path:
    frame.assign(seen=frame["seen"].dt.strftime("%d.%m.%Y %H:%M")).to_csv(path, index=False)
    return path


def in_parquet(frame: pd.DataFrame, path: Path) -> Path:
    frame.to_parquet(path)
    return path


KINDS: dict[str, Any] = {"csv": in_csv, "parquet": in_parquet}
LEVELS: list[dict[str, Any]] = [
    {},
    {"weight": {"max_level": 0}},
    {"age": {"max_level": 0}, "weight": {"min_level": 5}},
    {"seen": {"max_level": 0}, "weight": {"min_level": 5}, "age": {"min_level": 4}},
]


@pytest.mark.parametrize("layers", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("levels", LEVELS)
def test_a_release_verifies_with_and_without_the_original(
    tmp_path: Path, layers: bool, kind: str, levels: dict[str, Any]
) -> None:
    original = KINDS[kind](table(300, 1), tmp_path / f"in.{kind}")
    policy = policy_of(layers, 2, **levels)
    write_release(anonymize(original, policy), tmp_path / "out")
    found = verify(tmp_path / "out" / f"release.{kind}", policy, against=original)
    assert [check for check in found.checks if not check.passed] == []


def test_the_kind_of_table_changes_nothing(tmp_path: Path) -> None:
    frame = table(300, 2)
    solutions = [anonymize(frame, policy_of())]
    solutions += [
        anonymize(write(frame, tmp_path / f"in.{k}"), policy_of()) for k, write in KINDS.items()
    ]
    assert len({(s.loss, s.suppressed, *s.scheme.values()) for s in solutions}) == 1


def loss_of_labels(solution: Solution, name: str) -> float:
    """Recompute an attribute's loss of a continuous attribute from the released cells alone."""
    released, total = solution.to_frame(), Fraction(solution.suppressed)
    for cell in released[name]:
        if cell == "*":
            total += 1
        elif isinstance(cell, str):
            low, high = bounds_of(cell, LOW, HIGH)
            total += (high - low) / (HIGH - LOW)
    return float(total / solution.records)


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(1, 6), st.booleans())
def test_the_loss_is_the_share_that_released_labels_leave_open(
    seed: int, k: int, layers: bool
) -> None:
    solution = anonymize(table(40, seed), policy_of(layers, k))
    assert solution.attribute_loss["weight"] == pytest.approx(loss_of_labels(solution, "weight"))


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(1, 5))
def test_a_search_finds_what_all_schemes_together_have(seed: int, k: int) -> None:
    few = {"seen": {"max_level": 1}, "weight": {"min_level": 3}}
    frame, policy = table(40, seed), policy_of(k=k, **few)
    problem = Problem.read(frame, policy)
    losses = [
        apply(problem, None, dict(zip(ATTRIBUTES, scheme, strict=True))).loss
        for scheme in problem.lattice
    ]
    assert anonymize(problem).loss == pytest.approx(min(losses), abs=1e-12)


def test_a_scheme_covers_values_unseen_so_far(tmp_path: Path) -> None:
    policy = policy_of()
    first = anonymize(table(300, 3), policy)
    later = table(300, 4).assign(seen=lambda frame: frame["seen"] + pd.Timedelta(days=200))
    later.loc[:1, "weight"] = [18.26, 300.5]
    solution = apply(in_csv(later, tmp_path / "later.csv"), policy, first.scheme)
    write_release(solution, tmp_path / "out")
    found = verify(tmp_path / "out" / "release.csv", policy, against=tmp_path / "later.csv")
    assert [check for check in found.checks if check.passed is False] == []


def test_a_frame_saved_with_pandas_and_read_again_verifies(tmp_path: Path) -> None:
    policy = policy_of(k=2, age={"max_level": 0}, weight={"min_level": 5})
    solution = anonymize(table(300, 5), policy)
    frame = solution.to_frame()
    frame.to_csv(tmp_path / "saved.csv", index=False)
    again = pd.read_csv(tmp_path / "saved.csv")
    manifest = make_manifest(solution, frame)
    found = verify(again, policy, manifest)
    failed = [check.claim for check in found.checks if check.passed is False]
    assert failed in ([], ["the file is the one released"])


def test_a_value_that_is_written_in_two_ways_does_not_verify(tmp_path: Path) -> None:
    policy = policy_of(k=2, age={"max_level": 0}, weight={"min_level": 5}, seen={"min_level": 5})
    write_release(anonymize(in_csv(table(300, 6), tmp_path / "in.csv"), policy), tmp_path / "out")
    path = tmp_path / "out" / "release.csv"
    released = pd.read_csv(path, dtype=str)
    twice = released["age"].duplicated() & released["age"].notna()
    at = released.index[twice][0]
    released.loc[at, "age"] = f"{released.loc[at, 'age']}.0"
    released.to_csv(path, index=False)
    found = {check.claim: check for check in verify(path, policy).checks}
    assert found["every quasi-identifier is generalized as declared"].passed is False


def test_a_manifest_tells_no_value_of_a_continuous_attribute(tmp_path: Path) -> None:
    one, other = (anonymize(table(300, seed), policy_of()) for seed in (7, 8))
    for number, solution in enumerate((one, other)):
        write_release(solution, tmp_path / str(number))
    digests = [
        json.loads((tmp_path / str(number) / "manifest.json").read_text())["hierarchies"]
        for number in (0, 1)
    ]
    assert digests[0] == digests[1]


def test_released_levels_and_coarsening_know_values_that_are_not_listed() -> None:
    policy = policy_of(True, 2)
    released = anonymize(table(300, 9), policy).to_frame()
    levels = released_levels(released, policy)
    assert set(levels["weight"]) <= set(range(6))
    coarse = coarsen_to(released, policy, {"weight": 5})
    assert set(coarse["weight"]) == {"*"}
