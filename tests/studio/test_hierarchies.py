from __future__ import annotations

import pytest

from anonymizer import Intervals, Policy
from anonymizer.studio.hierarchies import cut_points
from tests.studio.conftest import patients


@pytest.mark.parametrize(
    "spec",
    [
        {"domain": [0, 99], "widths": [5, 10, 20]},
        {"domain": [3, 17], "widths": [4], "origin": 1},
        {"domain": [15, 94], "widths": [5, 10, 20], "open": "both"},
        {"domain": [0.0, 10.0], "widths": [2.5, 5]},
        {"domain": [0, 9], "bounds": [[2, 5], [5]]},
    ],
)
def test_cut_points_say_the_same_as_widths(spec):
    points = cut_points({"builder": "intervals", **spec})
    same = {key: value for key, value in spec.items() if key not in ("widths", "origin")}
    cut, wide = Intervals(**{**same, "bounds": points}).build("n"), Intervals(**spec).build("n")
    assert cut.codes.tolist() == wide.codes.tolist()


def test_every_level_counts_the_cells_of_its_labels(studio):
    found, ages = studio.ask("hierarchy", column="age"), patients()["age"]
    tens = {f"{low}-{low + 9}": int(ages.between(low, low + 9).sum()) for low in range(0, 100, 10)}
    assert {bar["label"]: bar["count"] for bar in found["levels"][2]["bars"]} == {
        label: count for label, count in tens.items() if count
    }
    assert sum(found["histogram"]["counts"]) == len(ages)
    assert found["defects"] == []


def test_another_hierarchy_is_in_the_policy_and_one_with_faults_is_refused(studio):
    spec = {"builder": "intervals", "domain": [0, 99], "bounds": [[40, 65]]}
    studio.ask("set-hierarchy", revision=studio.revision, column="age", spec=spec)
    policy = Policy.read(studio.session.folder.policy)
    assert policy.hierarchy("age").labels[1] == ("0-39", "40-64", "65-99")
    before = studio.session.opened.text
    for wrong in ({**spec, "domain": [0, 30]}, {**spec, "bounds": [[200]]}, {"builder": "x"}, 5):
        found = studio.post("set-hierarchy", revision=studio.revision, column="age", spec=wrong)
        assert found.status_code == 422
    assert studio.session.opened.text == before


def test_a_column_that_is_not_generalized_has_none(studio):
    assert studio.post("hierarchy", column="diagnosis").status_code == 422
    assert studio.post("hierarchy", column="nobody").status_code == 422


def test_a_hierarchy_goes_to_arx_and_comes_back(studio):
    folder = studio.session.folder.path
    rows = list(Policy.read(folder / "policy.toml").hierarchy("sex").rows())
    path = studio.ask("export-hierarchy", column="sex")["path"]
    text = (folder / "arx" / "sex.csv").read_text(encoding="utf-8")
    assert path == str(folder / "arx" / "sex.csv")
    for number in (1, 2):
        studio.ask("import-hierarchy", revision=studio.revision, column="sex", text=text)
        policy = Policy.read(folder / "policy.toml")
        assert list(policy.hierarchy("sex").rows()) == rows
        assert len(list((folder / "hierarchies").iterdir())) == number
    for wrong in ("", "male;*\n", "a;b\nc\n"):
        found = studio.post("import-hierarchy", revision=studio.revision, column="sex", text=wrong)
        assert found.status_code == 422
    assert len(list((folder / "hierarchies").iterdir())) == 2


def test_how_cells_are_read_is_shown_before_it_is_written(studio):
    found = studio.ask("preview-reading", column="age", type="number", format=None)
    assert found["unread"] == 0
    assert all(each["value"] == each["text"] for each in found["examples"])
    wrong = studio.post("preview-reading", column="age", type="date", format="no format")
    assert wrong.status_code == 422
    dates = studio.post("preview-reading", column="age", type="date", format="%d.%m.%Y")
    assert dates.status_code == 422  # its hierarchy is of numbers
    studio.change("attributes", "age", "type", value="number")
    assert studio.ask("hierarchy", column="age")["reading"]["type"] == "number"
