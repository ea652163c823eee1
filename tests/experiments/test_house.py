from __future__ import annotations

from pathlib import Path

import pytest

from experiments import house
from experiments.house import beside, lines_of_code, measure_rooms, modules_of_a_run


def test_lines_of_code_are_neither_blank_nor_comments_nor_descriptions() -> None:
    source = (
        '"""A module,\n\nat length."""\n\nx = (\n    1\n)  # one\n# a comment\n"""What x is."""\n'
    )
    assert lines_of_code(source) == 3
    assert lines_of_code('text = """\na\n"""\n') == 3


def test_all_is_the_sum_of_the_rooms_and_stands_beside_what_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(house, "ROOT", tmp_path)
    for name, source in {"a.py": "x = 1\n", "risk/b.py": "y = 2\nz = 3\n", "risk/c.py": ""}.items():
        (tmp_path / "anonymizer" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "anonymizer" / name).write_text(source)
    now = measure_rooms()
    assert now.to_numpy().tolist() == [["risk", 2, 2], ["top level", 1, 1], ["all", 3, 3]]
    then = now[now["room"] != "risk"]
    assert beside(then, now, "room").set_index("room").loc["risk"].tolist() == [0, 0, 2, 2]


def test_the_modules_of_a_run_are_those_that_do_its_work() -> None:
    names = {Path(name).stem for name in modules_of_a_run()}
    assert {"csv", "hierarchy", "microdata", "driver", "suppression", "release"} <= names
    assert not names & {"cox", "downcoding", "nrf"}
