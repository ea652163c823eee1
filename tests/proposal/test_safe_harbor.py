"""Safe Harbor: what the rule names goes, nothing else does, and the policy works at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from anonymizer import Policy, anonymize
from anonymizer.errors import PolicyError
from anonymizer.proposal.safe_harbor import IDENTIFIERS, SMALL_AREAS, small_areas

Run = Callable[..., tuple[int, str, str]]
TABLE = pd.DataFrame(
    {
        "patient_id": range(1, 9),
        "age": [34, 89, 90, 101, 5, 47, 62, 34],
        "zip": ["03601", "91326", "91327", "10001", "10002", "05901", "02139", "02138"],
        "admitted": [f"2024-0{month}-17" for month in range(1, 9)],
        "city": ["A", "B", "C", "D", "A", "B", "C", "D"],
        "sex": ["F", "M"] * 4,
        "diagnosis": ["flu", "flu", "gout", "flu", "gout", "flu", "gout", "flu"],
    }
)


def test_the_release_is_what_the_rule_asks_for(tmp_path: Path, run: Run) -> None:
    TABLE.to_csv(tmp_path / "t.csv", index=False)
    status, output, errors = run(
        "init", tmp_path / "t.csv", "--template", "safe-harbor", "--out", tmp_path / "p"
    )
    assert (status, errors) == (0, "")
    assert "zip: quasi, the first 3 digits stay, 000 where fewer than 20,000 people live" in output
    policy = Policy.read(tmp_path / "p" / "policy.toml")
    released = anonymize(None, policy).to_frame()
    assert list(released.columns) == ["age", "zip", "admitted", "sex", "diagnosis"]
    assert len(released) == len(TABLE)
    assert sorted(released["age"].astype(str)) == sorted(
        ["34", "89", "90 or older", "90 or older", "5", "47", "62", "34"]
    )
    assert sorted(released["zip"].astype(str)) == sorted(
        ["000**", "913**", "913**", "100**", "100**", "000**", "021**", "021**"]
    )
    assert set(released["admitted"].astype(str)) == {"2024"}
    text = (tmp_path / "p" / "policy.toml").read_text()
    assert all(f"{number:2}. {what}" in text for number, what in enumerate(IDENTIFIERS, 1))
    assert len(IDENTIFIERS) == 18


def test_small_areas_are_counted_where_populations_are_given(tmp_path: Path, run: Run) -> None:
    (tmp_path / "people.csv").write_text(
        "zip,people\n91326,15000\n91327,5001\n10001,19999\n03601,30000\n"
    )
    assert small_areas(tmp_path / "people.csv") == ("100",)
    TABLE.to_csv(tmp_path / "t.csv", index=False)
    given = (
        "--template",
        "safe-harbor",
        "--populations",
        tmp_path / "people.csv",
        "--out",
        tmp_path / "p",
    )
    assert run("init", tmp_path / "t.csv", *given)[0] == 0
    rows = (tmp_path / "p" / "hierarchies" / "zip.csv").read_text()
    assert "10001;000**;*" in rows
    assert "03601;036**;*" in rows


def test_there_are_seventeen_small_areas_in_2000() -> None:
    assert len(SMALL_AREAS) == len(set(SMALL_AREAS)) == 17


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--template", "gdpr"), "'gdpr' is unknown"),
        (("--template", "safe-harbor", "--quasi", "age"), "the rule says roles itself"),
        (("--populations", "x.csv"), "--populations is for a template"),
    ],
)
def test_what_does_not_go_together_is_one_sentence(
    tmp_path: Path, run: Run, options: tuple[str, ...], message: str
) -> None:
    TABLE.to_csv(tmp_path / "t.csv", index=False)
    status, _, errors = run("init", tmp_path / "t.csv", *options, "--out", tmp_path / "p")
    assert status == 2
    assert message in errors
    assert not (tmp_path / "p").exists()


def test_a_table_without_what_the_rule_changes_is_refused(tmp_path: Path, run: Run) -> None:
    TABLE[["sex", "diagnosis"]].to_csv(tmp_path / "t.csv", index=False)
    status, _, errors = run(
        "init", tmp_path / "t.csv", "--template", "safe-harbor", "--out", tmp_path / "p"
    )
    assert status == 2
    assert "no column is an age, a ZIP code or a date" in errors
    (tmp_path / "people.csv").write_text("zip,people\n91326,many\n")
    with pytest.raises(PolicyError, match="'many' is not a number of people"):
        small_areas(tmp_path / "people.csv")
