"""A release in layers, from the policy to the file and back."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings

from anonymizer import (
    Policy,
    PolicyError,
    Statement,
    anonymize,
    apply,
    make_manifest,
    verify,
    write_release,
)
from anonymizer.data.files import digest_of_file
from anonymizer.errors import HierarchyError
from anonymizer.hierarchy import Hierarchy, load_hierarchy
from anonymizer.solution.layered import ambiguous_labels
from tests.oracle import Problem, Tree
from tests.strategies import frame_of, hierarchies_of, problems
from tests.wards import MODELS, POLICY, patients, policy_with, rows_of, write_files, write_more

HIERARCHIES = Path(__file__).resolve().parents[2] / "hierarchies"
LAYERS = "\n[release]\nlayers = true\n"
SOURCES = 'model = "sources"\nstatement = "statement.toml"'
STATEMENT = """
[[source]]
name = "register"
keys = ["age", "sex"]
threshold = 0.34

[[source]]
name = "neighbours"
keys = ["zip"]
threshold = 0.2
"""
OF_PEOPLE = {
    "k-anonymity": 'model = "k-anonymity"\nk = 3',
    "k-map with a table": MODELS["k-map with a table"],
    "k-map estimated": MODELS["k-map estimated"],
    "overall, the maximum": MODELS["overall"] + '\nstatistic = "maximum"',
    "sources": SOURCES,
    "two": 'model = "k-anonymity"\nk = 2\n[[risk]]\n' + SOURCES,
}


def write_all(folder: Path, text: str, frame: pd.DataFrame | None = None) -> Policy:
    """Write the table, the policy and all files that a model may name."""
    policy = write_files(folder, frame, text)
    write_more(folder)
    (folder / "statement.toml").write_text(STATEMENT)
    return Policy.read(policy)


@pytest.mark.parametrize("suppressed", ["drop", "redact"])
@pytest.mark.parametrize("model", OF_PEOPLE)
def test_a_release_in_layers_verifies_and_loses_no_more_than_one_scheme(
    model: str, suppressed: str, tmp_path: Path
) -> None:
    text = policy_with(OF_PEOPLE[model]) + LAYERS + f'suppressed = "{suppressed}"\n'
    policy = write_all(tmp_path, text)
    solution = anonymize(None, policy)
    one = anonymize(None, policy_of_one_scheme(policy))
    assert solution.loss <= one.loss + 1e-12
    assert sum(layer.records for layer in solution.layers) == solution.records - solution.suppressed
    assert solution.bound is not None
    assert solution.bound <= solution.loss
    release = Path(write_release(solution, tmp_path / "out")["release"])
    assert verify(release, policy).passed
    against = verify(release, policy, against=tmp_path / "patients.csv")
    assert against.passed, [check for check in against.checks if not check.passed]


def policy_of_one_scheme(policy: Policy) -> Policy:
    release = policy.release.model_copy(update={"layers": False})
    return policy.model_copy(update={"release": release})


def test_people_are_counted_in_layers_too(tmp_path: Path) -> None:
    frame = patients(60)
    twice = pd.concat([frame, frame.head(30)], ignore_index=True)
    text = POLICY.replace('delimiter = ";"', 'delimiter = ";"\nid = "name"') + LAYERS
    policy = write_all(tmp_path, text, twice)
    solution = anonymize(None, policy)
    layering = solution.release.layering
    microdata = layering.microdata
    classes, suppressed = layering.classes()
    of_row = classes.label_of_tuple[microdata.tuple_of_row]
    people = twice["name"].groupby(of_row).nunique()
    assert all(people[label] >= 3 for label in people.index if not suppressed[label])
    release = Path(write_release(solution, tmp_path / "out")["release"])
    assert verify(release, policy, against=tmp_path / "patients.csv").passed


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_layers_are_applied_to_other_records(kind: str, tmp_path: Path) -> None:
    policy = write_all(tmp_path, POLICY + LAYERS)
    solution = anonymize(tmp_path / f"patients.{kind}", policy)
    again = apply(tmp_path / f"patients.{kind}", policy, solution.schemes)
    assert rows_of(again.to_frame(seed=1)) == rows_of(solution.to_frame(seed=2))
    others = apply(patients(200, seed=5), policy, solution.schemes)
    assert others.after.smallest_class >= 3
    assert {*map(str, others.schemes)} <= {*map(str, solution.schemes)}


def test_a_few_layers_are_no_more_than_that(tmp_path: Path) -> None:
    policy = write_all(tmp_path, POLICY + LAYERS.replace("true", "2"))
    solution = anonymize(None, policy)
    assert len(solution.layers) <= 2
    one = anonymize(None, policy_of_one_scheme(policy))
    assert solution.loss <= one.loss
    manifest = make_manifest(solution, solution.to_frame())
    manifest["layers"] *= 2
    checks = verify(solution.to_frame(), policy, manifest).failures
    assert "4 layers, and the policy allows 2" in " ".join(check.detail for check in checks)


@pytest.mark.parametrize(
    ("tamper", "reason"),
    [
        (lambda frame: frame.assign(age=[*frame["age"][:-1], "33 to 34"]), "fit no layer"),
        (lambda frame: frame.iloc[:-1], "another number of rows"),
    ],
)
def test_rows_that_no_layer_makes_are_found(tamper, reason: str, tmp_path: Path) -> None:
    policy = write_all(tmp_path, POLICY + LAYERS)
    release = Path(write_release(anonymize(None, policy), tmp_path / "out")["release"])
    tamper(pd.read_csv(release, sep=";", dtype=str)).to_csv(release, sep=";", index=False)
    path = tmp_path / "out" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["output"]["sha256"] = digest_of_file(release)
    path.write_text(json.dumps(manifest))
    found = verify(release, policy)
    assert not found.passed
    assert any(reason in check.detail for check in found.failures)


def test_a_class_made_smaller_is_found(tmp_path: Path) -> None:
    policy = write_all(tmp_path, POLICY + LAYERS)
    solution = anonymize(None, policy)
    frame = solution.to_frame(seed=1)
    columns = ["age", "sex", "zip"]
    # turn one record into a value that another layer releases, with nobody beside it
    sizes = frame.groupby(columns, observed=True)["days"].transform("size")
    frame.loc[sizes.idxmin(), "sex"] = {"F": "M", "M": "F", "*": "F"}[
        frame.loc[sizes.idxmin(), "sex"]
    ]
    found = verify(frame, policy, make_manifest(solution, frame))
    assert not found.passed


@pytest.mark.parametrize("model", ["average", "strict-average", "sample-uniqueness", "overall"])
def test_a_model_of_the_whole_table_is_refused_in_one_sentence(model: str, tmp_path: Path) -> None:
    policy = write_all(tmp_path, policy_with(MODELS[model]) + LAYERS)
    with pytest.raises(PolicyError, match="limits a risk of the whole table") as caught:
        anonymize(None, policy)
    assert str(caught.value).count(".") <= 4
    assert "\n" not in str(caught.value)


def test_another_measure_is_refused(tmp_path: Path) -> None:
    policy = write_all(tmp_path, POLICY + LAYERS + '\n[utility]\nmeasure = "entropy"\n')
    with pytest.raises(PolicyError, match="layers are weighed by the measure 'loss'"):
        anonymize(None, policy)


@pytest.mark.parametrize("key", ['aggregate = "maximum"', 'aggregate = "sum"', "factor = 0.4"])
def test_so_is_another_aggregate_than_a_mean_or_another_factor(key: str, tmp_path: Path) -> None:
    policy = write_all(tmp_path, POLICY + LAYERS + f"\n[utility]\n{key}\n")
    with pytest.raises(PolicyError, match="layers are weighed by a mean"):
        anonymize(None, policy)


def sex() -> Hierarchy:
    return Hierarchy.from_rows("sex", [("F", "*"), ("M", "*")])


@pytest.mark.parametrize("folder", ["adult", "atus", "cup", "demo", "demo_wide", "fars", "ihis"])
def test_every_shipped_hierarchy_can_be_used_in_layers(folder: str) -> None:
    scenarios = {"scenario", "sources", "statement", "voter"}
    specs = [path for path in (HIERARCHIES / folder).glob("*.toml") if path.stem not in scenarios]
    assert specs
    assert [path.stem for path in specs if ambiguous_labels(load_hierarchy(path))] == []


def test_a_label_that_covers_other_values_at_another_level_is_refused() -> None:
    ages = Hierarchy.from_rows("age", [("10", "10", "*"), ("11", "10", "*")])
    assert ambiguous_labels(ages) == ["10"]
    policy = {
        "attributes": {"age": {"role": "quasi", "hierarchy": ages}},
        "risk": [{"model": "k-anonymity", "k": 2}],
        "release": {"layers": True},
    }
    with pytest.raises(HierarchyError, match="'10' covers different values at different levels"):
        anonymize(pd.DataFrame({"age": ["10", "11", "10"]}), policy)


def test_a_label_that_stays_the_same_is_one_class_whatever_its_layer() -> None:
    rows = [
        ("a", "a", "x", "*"),
        ("b", "b.", "x", "*"),
        ("c", "b.", "x", "*"),
        ("d", "y", "y", "*"),
    ]
    place = Hierarchy.from_rows("place", rows)
    assert ambiguous_labels(place) == []
    policy = {
        "attributes": {
            "place": {"role": "quasi", "hierarchy": place},
            "sex": {"role": "quasi", "hierarchy": sex()},
        },
        "risk": [{"model": "k-anonymity", "k": 2}],
        "release": {"layers": True},
    }
    frame = pd.DataFrame({"place": list("aabcbcddd"), "sex": list("FMFFMMFFM")})
    solution = anonymize(frame, policy)
    released = solution.to_frame(seed=1)
    assert released.groupby(["place", "sex"], observed=True).size().min() >= 2
    manifest = make_manifest(solution, released)
    assert verify(released, policy, manifest, against=frame).passed


def same_labels(tree: Tree) -> Tree:
    """Call a group that is one group of the level below by its name."""
    renamed = {leaf: list(labels) for leaf, labels in tree.items()}
    for level in range(1, len(next(iter(tree.values())))):
        for leaf, labels in tree.items():
            above = {other for other in tree if tree[other][level] == labels[level]}
            below = {other for other in tree if tree[other][level - 1] == labels[level - 1]}
            if above == below:
                renamed[leaf][level] = renamed[leaf][level - 1]
    return {leaf: tuple(labels) for leaf, labels in renamed.items()}


@pytest.mark.parametrize("by_source", [False, True])
@settings(max_examples=60)
@given(problem=problems(max_attributes=3, ranges=False))
def test_layers_that_release_a_record_alike_are_told_apart_by_nobody(
    problem: Problem, by_source: bool
) -> None:
    trees = [same_labels(tree) for tree in problem.trees]
    frame = frame_of(problem.rows, trees)
    names = list(frame.columns)
    source = {"name": "register", "keys": names[:2], "threshold": 1 / problem.k}
    risk: dict[str, object] = {"model": "k-anonymity", "k": min(problem.k, len(frame))}
    if by_source:
        risk = {"model": "sources", "statement": Statement(source=[source])}
    hierarchies = hierarchies_of(trees)
    quasi = {
        name: {"role": "quasi", "hierarchy": h} for name, h in zip(names, hierarchies, strict=True)
    }
    policy = Policy(attributes=quasi, risk=[risk], release={"layers": True})
    solution = anonymize(frame, policy)
    assert all(layer.records > 0 for layer in solution.layers)
    released = solution.to_frame(seed=1)
    found = verify(released, policy, make_manifest(solution, released), against=frame)
    assert found.passed, [check for check in found.checks if check.passed is False]
