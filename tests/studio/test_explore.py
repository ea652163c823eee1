"""Values of a level and kept solutions, counted the obvious way."""

from __future__ import annotations

from collections import Counter

import pytest

from anonymizer import compare
from tests.studio.conftest import patients


def test_the_values_of_a_level_are_counted_in_records_and_in_released_ones(studio):
    solution = studio.session.solution()
    at = solution.problem.microdata.attributes.index("zip")
    hierarchy = solution.problem.hierarchies[at]
    becomes = dict(zip(hierarchy.labels[0], hierarchy.codes[2].tolist(), strict=True))
    expected = Counter(hierarchy.labels[2][becomes[text]] for text in patients()["zip"])
    found = studio.ask("level", column="zip", level=2)
    assert {each["label"]: each["records"] for each in found["values"]} == expected
    assert sum(each["released"] for each in found["values"]) == 400 - solution.suppressed
    assert found["there"] == len(expected)
    assert found["absent"] == len(hierarchy.labels[2]) - len(expected)


@pytest.mark.parametrize(
    "asked",
    [{"column": "nobody", "level": 0}, {"column": "zip", "level": 9}, {"column": "zip"}, {}],
)
def test_a_level_that_is_not_there_is_one_sentence(studio, asked):
    found = studio.post("level", **asked)
    assert found.status_code == 422
    assert found.json()["error"].endswith((".", "?"))


def test_a_kept_solution_has_what_is_left_and_who_is_dropped(studio):
    found, solution = studio.ask("keep"), studio.session.solution()
    assert found["retained"] == solution.retained
    subgroups = {f"{e.column}: {e.label}": e.share for e in compare(solution).subgroups()}
    for name in found["most_dropped"]:
        assert found["dropped"][name] == pytest.approx(subgroups[name])


def test_layers_are_explained(studio):
    studio.change("release", "layers", value=2)
    studio.settle()
    told = studio.session.engine.told["explanation"]["explanation"]
    assert "What the layers give away" in [each["title"] for each in told["next"]]
    assert studio.ask("level", column="zip", level=2)["there"] == 3
    assert studio.ask("keep")["layers"]
