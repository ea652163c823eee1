"""anonymizer published as a user meets it: real files, exit statuses, one-sentence errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

CHARACTERISTICS = "characteristic,treatment,placebo\nDiabetes,40,21\nHydroxychloroquine,1,0\n"


def test_published_writes_the_coloured_table(tmp_path: Path, run) -> None:
    table = tmp_path / "table.csv"
    table.write_text(CHARACTERISTICS)
    arguments = (table, "--arms", 228, 105, "--out", tmp_path / "out")
    status, output, errors = run("published", *arguments)
    assert (status, errors) == (0, "")
    assert "l = 1.000 under PDP" in output
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "published.html",
        "published.json",
    }
    page = (tmp_path / "out" / "published.html").read_text()
    assert "Somebody who has it is certainly in the treatment arm: 1 of 1." in page
    assert "Rows that break" not in page


def test_published_fails_where_a_row_breaks_the_chosen_l(tmp_path: Path, run) -> None:
    table = tmp_path / "table.csv"
    table.write_text(CHARACTERISTICS)
    status, output, _ = run("published", table, "--arms", 228, 105, "--pdp", 1.2, "--json")
    assert status == 1
    assert json.loads(output)["broken"] == {
        "Hydroxychloroquine": [{"attack": "pdp", "of": "has it", "limit": "l"}]
    }
    status, output, _ = run("published", table, "--arms", 228, 105, "--pdp", 1.2)
    assert status == 1
    assert "1 of 2 rows break a chosen limit." in output
    assert run("published", table, "--arms", 228, 105, "--pfdptc", 1.2)[0] == 0


def test_published_fails_where_not_having_it_gives_an_advantage(tmp_path: Path, run) -> None:
    table = tmp_path / "table.csv"
    table.write_text("x,low (N = 20),high (N = 20),none (N = 20)\nit,20,20,19\n")
    status, output, _ = run("published", table, "--advantage", 0.5, "--json")
    assert status == 1
    broken = [{"attack": "pdp", "of": "does not have it", "limit": "advantage"}]
    assert json.loads(output)["broken"] == {"it": broken}
    assert run("published", table, "--advantage", 0.7)[0] == 0


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (CHARACTERISTICS, (), "give the sizes with --arms"),
        (
            CHARACTERISTICS,
            ("--arms", 30, 105),
            "row 1: 'Diabetes' has 40 people in the treatment arm",
        ),
        (CHARACTERISTICS, ("--arms", 228, 105, "--pdp", 3), "l for PDP is 3"),
        (CHARACTERISTICS + "bad,x,1\n", ("--arms", 228, 105), "row 3: 'x' is not a count"),
        (CHARACTERISTICS, ("--arms", 228, 105, "--advantage", 2), "the advantage is 2"),
        (
            CHARACTERISTICS + "bad,40 (99),1\n",
            ("--arms", 228, 105),
            " %, not 99 %; fix the count",
        ),
        (
            CHARACTERISTICS + "bad,7/5,1\n",
            ("--arms", 228, 105),
            "row 3: 'bad' has 7 of 5 people",
        ),
        (CHARACTERISTICS + "bad,1,2,3\n", ("--arms", 228, 105), "row 3: it has 4 cells"),
        ("x,a,b,c\ny,1,2,3\n", ("--arms", 4, 5), "the header has 3 arms, and 2 sizes"),
    ],
)
def test_published_says_what_is_wrong_and_leaves_nothing(
    tmp_path: Path, run, text: str, options, message: str
) -> None:
    table = tmp_path / "table.csv"
    table.write_text(text)
    status, output, errors = run("published", table, *options, "--out", tmp_path / "out")
    assert (status, output) == (2, "")
    assert message in errors
    assert not (tmp_path / "out").exists()


def test_help_shows_an_example(run) -> None:
    status, output, _ = run("published", "--help")
    assert status == 0
    assert "Example: anonymizer published" in " ".join(output.split())
