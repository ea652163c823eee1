"""Classes of the output, counted from the released rows."""

from __future__ import annotations

from collections import Counter

import pytest


def listed(studio, dropped, largest=True):
    asked = {"dropped": dropped, "largest": largest, "start": 0, "count": 200}
    return studio.ask("classes", **asked)


@pytest.fixture(params=[False, 2])
def solved(request, studio):
    if request.param:
        studio.change("release", "layers", value=request.param)
        studio.settle()
    return studio


def test_released_classes_are_the_equal_rows_of_the_release(solved):
    found = listed(solved, dropped=False)
    solution = solved.session.solution()
    frame = solution.release.table.release(solution.release.plan()).astype(str)
    rows = Counter(zip(*(frame[name] for name in found["columns"]), strict=True))
    assert Counter({tuple(e["values"]): e["records"] for e in found["rows"]}) == rows
    assert found["total"] == len(rows)
    sizes = [each["people"] for each in found["rows"]]
    assert sizes == sorted(sizes, reverse=True)
    for each in found["rows"][:3]:
        same = (frame[found["columns"]] == each["values"]).all(axis=1)
        counted = Counter(frame.loc[same, "diagnosis"])
        said = dict(part.rsplit(" ", 1) for part in each["sensitive"][0].split(", "))
        assert {name: int(number) for name, number in said.items()} == counted


def test_every_dropped_record_has_a_rule(solved):
    found, solution = listed(solved, dropped=True), solved.session.solution()
    assert sum(each["records"] for each in found["rules"]) == solution.suppressed
    assert sum(each["records"] for each in found["rows"]) == solution.suppressed
    assert all(each["reason"] for each in found["rows"])
    assert not any(each["reason"] for each in listed(solved, dropped=False)["rows"])


def test_each_model_that_asks_for_a_class_is_named(studio):
    studio.change("risk", 1, value={"model": "distinct-l", "attribute": "diagnosis", "l": 2})
    studio.change("release", "suppression_limit", value=0.5)
    studio.settle()
    for each in listed(studio, dropped=True)["rows"]:
        few, alike = each["people"] < 3, ", " not in each["sensitive"][0]
        assert ("k-anonymity" in each["reason"]) == few
        assert ("distinct-l" in each["reason"]) == alike


def test_a_class_that_goes_for_the_whole_table_says_for_which_model(studio):
    changes = [{"path": ["risk", 0], "value": {"model": "average", "threshold": 0.2}}]
    changes += [{"path": ["attributes", name, "max_level"], "value": 1} for name in ("age", "zip")]
    changes.append({"path": ["release", "suppression_limit"], "value": 1.0})
    studio.ask("change", revision=studio.revision, changes=changes, label="average")
    studio.settle()
    found = listed(studio, dropped=True)
    assert found["rows"]
    assert all("average" in each["reason"] for each in found["rows"])


@pytest.mark.parametrize(
    "wrong", [{"dropped": 1}, {"largest": None}, {"start": "0"}, {"count": 1.5}]
)
def test_a_wrong_question_about_classes_is_one_sentence(studio, wrong):
    asked = {"dropped": False, "largest": True, "start": 0, "count": 5, **wrong}
    found = studio.post("classes", **asked)
    assert found.status_code == 422
    assert found.json()["error"].endswith(".")
