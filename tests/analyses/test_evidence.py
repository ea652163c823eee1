"""Evidence: what holds for every kind of analysis, and what a release must be to be measured."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anonymizer import (
    AnonymizerError,
    DataError,
    PolicyError,
    ReleaseError,
    anonymize,
    evidence,
    make_manifest,
    write_release,
)
from anonymizer.analyses.evidence import RUNS
from anonymizer.analyses.pair import Pair
from anonymizer.policy import ANALYSES, Release
from tests.analyses.people import EVERY, STAY, people, release


def test_every_kind_that_a_policy_may_state_can_be_run() -> None:
    assert RUNS.keys() == ANALYSES.keys() == {each["kind"] for each in EVERY}


def test_a_release_that_is_the_original_is_worth_as_much_in_every_analysis() -> None:
    found = evidence(release(people(), EVERY))
    for name in ("stay", "ill", "hazard"):
        assert found[name].value == 1
        assert all(row.overlap == 1 and row.change == "" for row in found[name].rows)
    for name in ("curves", "marginals", "tables", "queries", "subgroups"):
        assert found[name].value == pytest.approx(0, abs=1e-12)
    assert all(row.after == row.before for row in found["predicted"].rows)
    assert found["predicted"].value == found["predicted"].original


def test_a_coarser_release_is_worth_no_more_and_its_figures_are_json() -> None:
    fine, coarse = (evidence(release(people(), EVERY, (level, 0, level), k=3)) for level in (1, 2))
    for result in fine.results:
        value = coarse[result.analysis.name].value
        if result.analysis.kind in ("marginals", "two-way", "queries"):
            assert value is not None
            assert result.value is not None
            assert value > result.value
    for each in (fine, coarse):
        text = json.dumps(each.describe(), allow_nan=False)
        assert json.loads(text)["analyses"][0]["name"] == "stay"


def test_the_order_of_rows_changes_no_figure_that_is_not_drawn() -> None:
    frame = people()
    stated = [each for each in EVERY if each["kind"] not in ("prediction", "queries")]
    one = evidence(release(frame, stated, (1, 0, 1), k=3))
    other = evidence(release(frame.sample(frac=1, random_state=3), stated, (1, 0, 1), k=3))
    for mine, theirs in zip(one.results, other.results, strict=True):
        assert mine.value == pytest.approx(theirs.value)


def test_a_file_and_its_original_give_what_the_solution_gives(tmp_path: Path) -> None:
    frame, stated = people(), [STAY, {"name": "m", "kind": "marginals"}]
    solution = release(frame, stated, (1, 0, 1), k=3)
    files = write_release(solution, tmp_path)
    found = evidence(files["release"], frame, solution.problem.policy)
    assert found.describe() == evidence(solution).describe()
    assert found.to_frame()["name"].tolist() == ["stay", "m"]


def test_suppressed_records_that_are_redacted_are_missing_too() -> None:
    stated = [STAY]
    dropped = release(people(60), stated, (0, 0, 1), k=2)
    redacted = release(people(60), stated, (0, 0, 1), k=2, release={"suppressed": "redact"})
    assert dropped.suppressed > 0
    assert evidence(dropped).describe() == evidence(redacted).describe()


def test_a_release_in_layers_can_be_measured_and_its_midpoints_are_of_each_record(
    tmp_path: Path,
) -> None:
    frame = people()
    policy = release(frame, EVERY, k=6).problem.policy
    layers = policy.model_copy(update={"release": Release(layers=True, shuffle=False)})
    solution = anonymize(frame, layers)
    assert len(solution.layers) > 1
    found = evidence(solution)
    assert all(result.value is not None for result in found.results)
    ages = Pair(solution).numbers("age")
    assert ages is not None
    cells = solution.to_frame()["age"].astype(str)
    wide = cells.str.contains("-")
    ends = cells[wide].str.split("-", expand=True).astype(float).mean(axis=1)
    released = ages.after[~np.isnan(ages.after)]
    assert released[wide.to_numpy()].tolist() == ends.tolist()
    files = write_release(solution, tmp_path)
    assert evidence(files["release"], frame, layers).describe() == found.describe()


def test_a_release_that_is_not_of_this_original_is_refused() -> None:
    frame = people()
    solution = release(frame, [STAY], (1, 0, 1))
    released = solution.to_frame()
    manifest = make_manifest(solution, released)
    released.loc[0, "stay"] = 99.0
    with pytest.raises(ReleaseError, match="not what its scheme makes of the original"):
        evidence(released, frame, solution.problem.policy, manifest)
    with pytest.raises(ReleaseError, match="not what its scheme makes"):
        evidence(released.drop(columns="stay"), frame, solution.problem.policy, manifest)


def test_what_is_needed_is_asked_for_in_one_sentence() -> None:
    frame = people()
    solution = release(frame, [STAY])
    with pytest.raises(PolicyError, match="needs the policy"):
        evidence(frame, frame)
    with pytest.raises(AnonymizerError, match="needs the manifest"):
        evidence(frame, frame, solution.problem.policy)
    with pytest.raises(PolicyError, match="no analysis is stated; add"):
        evidence(release(frame, []))
    with pytest.raises(PolicyError, match=r"there is no analysis 'stya'; did you mean 'stay'\?"):
        evidence(solution)["stya"]


def test_no_analysis_holds_a_row() -> None:
    frame = people()
    frame["note"] = [f"secret {number}" for number in range(len(frame))]
    stated = [each for each in EVERY if each["kind"] != "prediction"]
    assert "secret" not in json.dumps(evidence(release(frame, stated, (1, 0, 1), k=3)).describe())


@pytest.mark.parametrize(
    ("stated", "sentence"),
    [
        ({"formula": "ill ~ age"}, "column 'ill' holds texts, and a number is needed"),
        ({"formula": "one ~ age"}, "'one' has one value in the original"),
        ({"formula": "stay ~ many"}, "column 'many' has 133 categories in the release, more than"),
        ({"kind": "logistic", "formula": "ill ~ age", "positive": "maybe"}, "no record has the"),
        ({"kind": "prediction", "response": "one", "predictors": ["age"]}, "nothing to predict"),
        ({"kind": "two-way", "columns": ["age"]}, "a table needs two columns"),
    ],
)  # fmt: skip
def test_what_no_table_allows_is_one_sentence(stated: dict[str, object], sentence: str) -> None:
    frame = people()
    frame["one"] = 1
    frame["many"] = [f"p{number % 133}" for number in range(len(frame))]
    frame = pd.concat([frame] * 2, ignore_index=True)  # five or more of each
    with pytest.raises(DataError, match=sentence):
        evidence(release(frame, [{"name": "a", "kind": "linear", **stated}]))


def test_a_table_with_no_row_released_allows_nothing_and_says_so() -> None:
    stated = [each for each in EVERY if each["kind"] not in ("queries", "subgroups")]
    found = evidence(release(people(30), stated, k=30))
    assert found.released == 0
    for name in ("curves", "predicted"):
        assert found[name].value is None
        assert found[name].findings
    for name in ("stay", "ill", "hazard"):
        assert found[name].value == 0  # every coefficient is lost
        assert all(row.change == "lost" for row in found[name].rows)
    assert pd.notna(found["marginals"].value)
