from __future__ import annotations

from pathlib import Path

import pandas as pd

from experiments.house import lines_of_code, main, modules_of_a_run


def test_lines_of_code_are_neither_blank_nor_comments_nor_descriptions() -> None:
    source = (
        '"""A module,\n\nat length."""\n\nx = (\n    1\n)  # one\n# a comment\n"""What x is."""\n'
    )
    assert lines_of_code(source) == 3
    assert lines_of_code('text = """\na\n"""\n') == 3


def test_all_is_the_sum_of_the_rooms(tmp_path: Path) -> None:
    main(["--out", str(tmp_path / "house"), "--since", "HEAD"])
    rooms = pd.read_csv(tmp_path / "house" / "rooms.csv").set_index("room")
    assert (rooms.drop("all").sum() == rooms.loc["all"]).all()
    assert rooms.loc["risk", "modules"] > 1


def test_the_modules_of_a_run_are_those_that_do_its_work() -> None:
    names = {Path(name).stem for name in modules_of_a_run()}
    assert {"csv", "hierarchy", "microdata", "driver", "suppression", "release"} <= names
    assert not names & {"cox", "downcoding", "nrf"}
