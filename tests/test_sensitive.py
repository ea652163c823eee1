"""Models of a sensitive attribute the whole way: run, verify, frontier, explain, layers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from anonymizer import (
    AnonymizerWarning,
    Policy,
    PolicyError,
    anonymize,
    explain,
    frontier,
    verify,
    write_release,
)
from anonymizer.hierarchy import Hierarchy
from anonymizer.report.explanation import render_page
from anonymizer.report.solution import profile_rows

ILLNESSES = ("cold", "flu", "gout", "hiv")
TREE = Hierarchy.from_rows(
    "illness",
    [("cold", "mild", "*"), ("flu", "mild", "*"), ("gout", "long", "*"), ("hiv", "long", "*")],
)
MODELS: dict[str, dict[str, Any]] = {
    "distinct": {"model": "distinct-l", "l": 3},
    "marked": {"model": "distinct-l", "l": 2, "values": ["hiv"]},
    "entropy": {"model": "entropy-l", "l": 2.2},
    "recursive": {"model": "recursive-cl", "c": 3, "l": 2},
    "equal": {"model": "t-closeness", "t": 0.25},
    "ordered": {"model": "t-closeness", "t": 0.2, "distance": "ordered", "ranking": [*ILLNESSES]},
    "hierarchical": {"model": "t-closeness", "t": 0.2, "distance": "hierarchical"},
    "beta": {"model": "beta-likeness", "beta": 1.5},
    "delta": {"model": "delta-disclosure", "delta": 1.5},
}


FEW = 3
"""Records that may be suppressed of 600 without leaving a claim open."""


def patients(rows: int = 600) -> pd.DataFrame:
    """Draw people whose illness depends on their age."""
    draw = np.random.default_rng(7)
    age = draw.integers(20, 60, rows)
    shares = [(0.5, 0.3, 0.15, 0.05), (0.3, 0.3, 0.3, 0.1)]
    illness = [draw.choice(ILLNESSES, p=shares[int(a > 40)]) for a in age]
    return pd.DataFrame(
        {
            "age": age.astype(str),
            "zip": draw.integers(0, 9, rows).astype(str),
            "illness": illness,
            "days": draw.integers(1, 5, rows).astype(str),
        },
        dtype=object,
    )


def policy_of(*risk: dict[str, Any], **parts: Any) -> Policy:
    """Protect the illness of people by some models, each record being one of two at least."""
    ages = [(str(a), f"5 from {a // 5 * 5}", f"{a // 20}0s", "*") for a in range(20, 60)]
    zips = [(str(z), f"area {z // 3}", "*") for z in range(9)]
    asked = [{"attribute": "illness", **each} for each in risk]
    return Policy(
        attributes={
            "age": {"role": "quasi", "hierarchy": Hierarchy.from_rows("age", ages)},
            "zip": {"role": "quasi", "hierarchy": Hierarchy.from_rows("zip", zips)},
            "illness": {"role": "sensitive", "hierarchy": TREE},
            "days": {"role": "sensitive"},
        },
        risk=[{"model": "k-anonymity", "k": 2}, *asked],
        **parts,
    )


@pytest.mark.filterwarnings("ignore:.* was promised of the input")
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("layers", [False, True])
def test_what_is_released_verifies_with_and_without_the_original(
    name: str, layers: bool, tmp_path: Path
) -> None:
    table, policy = patients(), policy_of(MODELS[name], release={"layers": layers})
    files = write_release(anonymize(table, policy), tmp_path)
    alone = verify(files["release"], policy)
    assert not [check for check in alone.checks if check.passed is False]
    (claim,) = [check for check in alone.checks if MODELS[name]["model"] in check.claim]
    assert claim.passed or "rounded" in claim.detail
    if json.loads(Path(files["manifest"]).read_text())["suppressed"] < FEW:
        assert claim.passed  # the release leaves little of the input's distribution open
    assert verify(files["release"], policy, against=table).passed


def release_of(tmp_path: Path, *risk: dict[str, Any]) -> tuple[Path, Policy, dict[str, Any]]:
    policy = policy_of(*risk)
    files = write_release(anonymize(patients(), policy), tmp_path)
    return Path(files["release"]), policy, json.loads(Path(files["manifest"]).read_text())


def test_a_release_whose_classes_give_a_value_away_fails(tmp_path: Path) -> None:
    path, policy, manifest = release_of(tmp_path, MODELS["equal"])
    released = pd.read_csv(path, dtype=str)
    released.loc[released["age"] == released["age"][0], "illness"] = "hiv"
    found = verify(released, policy, manifest)
    (claim,) = [check for check in found.checks if "t-closeness" in check.claim]
    assert claim.passed is False


def test_the_manifest_has_the_overall_shares_rounded_to_ten_people(tmp_path: Path) -> None:
    _, _, manifest = release_of(tmp_path, MODELS["equal"])
    overall = manifest["overall"]["illness"]
    assert overall["step"] == 0.02
    exact = patients()["illness"].value_counts(normalize=True)
    for value, share in overall["shares"].items():
        assert abs(share - exact[value]) <= 0.01 + 1e-9
        assert share / 0.02 == pytest.approx(round(share / 0.02))
    assert "days" not in manifest["overall"]  # no model looks at it


def test_a_model_that_needs_shares_is_left_open_where_the_manifest_lacks_them(
    tmp_path: Path,
) -> None:
    path, policy, manifest = release_of(tmp_path, MODELS["equal"])
    del manifest["overall"]
    found = verify(path, policy, manifest)
    (claim,) = [check for check in found.checks if "t-closeness" in check.claim]
    assert claim.passed is None
    assert "--against" in claim.detail


def test_every_profile_says_what_the_classes_give_away() -> None:
    solution = anonymize(patients(), policy_of(MODELS["marked"]))
    before, after = solution.before.sensitive, solution.after.sensitive
    assert list(before) == list(after) == ["illness", "days"]
    table = patients().groupby(["age", "zip"])["illness"]
    assert before["illness"].least_distinct == table.nunique().min()
    assert before["illness"].one_value == sum(len(set(group)) == 1 for _, group in table)
    only_marked = sum(set(group) == {"hiv"} for _, group in table)
    assert before["illness"].all_marked == only_marked > 0
    assert after["illness"].all_marked == 0
    assert before["days"].all_marked is None
    overall = patients()["illness"].value_counts(normalize=True)
    farthest = max(
        (group.value_counts(normalize=True).reindex(overall.index).fillna(0) - overall).abs().sum()
        for _, group in table
    )
    assert before["illness"].greatest_distance == pytest.approx(farthest / 2)
    rows = profile_rows(solution.before, solution.after)
    assert "illness, fewest values of a class" in [name for name, *_ in rows]


@pytest.mark.parametrize("name", [name for name in MODELS if name != "marked"])
def test_a_frontier_varies_the_model_and_an_explanation_says_what_blocks_it(name: str) -> None:
    policy = policy_of(MODELS[name])
    alone = policy.model_copy(update={"risk": policy.risk[1:]})
    found = frontier(patients(), alone)
    qualities = [point.quality for point in found.points]
    assert qualities == sorted(qualities, reverse=True)
    assert len(qualities) > 2
    explanation = explain(anonymize(patients(), alone))
    assert explanation.blocking  # type: ignore[union-attr]
    assert "<html" in render_page(explanation)


def test_the_steward_reads_in_how_many_groups_everybody_has_a_marked_value() -> None:
    solution = anonymize(patients(), policy_of({**MODELS["marked"], "l": 1}))
    marked = solution.after.sensitive["illness"].all_marked
    page = render_page(explain(solution))
    classes = solution.after.classes
    assert f"In {marked} of {classes} groups everybody has a value of illness that you" in page


NEAR = {"model": "t-closeness", "t": 0.12}
"""What 60 of the 600 records are suppressed for."""


def distance_in(released: pd.DataFrame) -> float:
    """Return how far a class is from the released table at most, as one finds it who has nothing else."""
    overall = released["illness"].value_counts(normalize=True)
    shares = (
        group.value_counts(normalize=True).reindex(overall.index).fillna(0)
        for _, group in released.groupby(["age", "zip"])["illness"]
    )
    return max((each - overall).abs().sum() / 2 for each in shares)


def test_a_release_that_looks_farther_than_promised_says_so(tmp_path: Path) -> None:
    policy = policy_of(NEAR)
    with pytest.warns(AnonymizerWarning, match=r"whoever has the release alone finds 0\."):
        solution = anonymize(patients(), policy)
    files = write_release(solution, tmp_path)
    released = pd.read_csv(files["release"], dtype=str)
    (found,) = json.loads(Path(files["manifest"]).read_text())["references"]
    assert (found["promised"], found["limit"]) == ("input", 0.12)
    assert found["from_input"] <= 0.12 < found["from_release"]
    assert found["from_release"] == pytest.approx(distance_in(released), abs=1e-9)
    assert (found["met_by_input"], found["met_by_release"]) == (True, False)
    after = solution.after.sensitive["illness"]
    assert after.greatest_distance == pytest.approx(found["from_input"])
    assert after.released_distance == pytest.approx(found["from_release"])
    assert "from the released table; promised of the input." in str(solution.references[0])
    assert "whoever has the release alone" in render_page(explain(solution))
    (check,) = [
        c for c in verify(released, policy, files["manifest"]).checks if "how far" in c.claim
    ]
    assert check.passed
    assert "whoever has the release alone" in check.detail


@pytest.mark.parametrize("name", ["equal", "ordered", "hierarchical", "beta", "delta"])
def test_what_is_promised_of_the_released_table_is_checked_with_the_file_alone(
    name: str, tmp_path: Path
) -> None:
    model = NEAR if name == "equal" else MODELS[name]
    policy = policy_of({**model, "reference": "release"})
    solution = anonymize(patients(), policy)  # no warning
    assert solution.status == "feasible"
    files = write_release(solution, tmp_path)
    released = pd.read_csv(files["release"], dtype=str)
    if name == "equal":
        assert distance_in(released) <= 0.12 + 1e-9
    alone = verify(files["release"], policy)
    (claim,) = [check for check in alone.checks if MODELS[name]["model"] in check.claim]
    assert claim.passed
    assert alone.passed
    with_original = verify(files["release"], policy, against=patients())
    assert not with_original.failures
    manifest = json.loads(Path(files["manifest"]).read_text())
    first = (released[["age", "zip"]] == released[["age", "zip"]].iloc[0]).all(axis=1)
    released.loc[first, "illness"] = "hiv"
    (claim,) = [
        check
        for check in verify(released, policy, manifest).checks
        if MODELS[name]["model"] in check.claim
    ]
    assert claim.passed is False


def test_layers_promise_nothing_of_the_released_table() -> None:
    policy = policy_of({**NEAR, "reference": "release"}, release={"layers": True})
    with pytest.raises(PolicyError, match="'t-closeness' limits a risk of the whole table"):
        anonymize(patients(), policy)


def test_the_studio_says_how_far_classes_are_from_input_and_release() -> None:
    from anonymizer.studio.checklist import solution_checks

    said = solution_checks(anonymize(patients(), policy_of(MODELS["equal"])))
    detail = next(each.detail for each in said if each.said.startswith("Readers of the release"))
    assert "from the input and" in detail
    assert "from the released table; promised of the input" in detail
