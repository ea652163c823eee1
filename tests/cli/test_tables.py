"""Tables of every kind on the command line: released, verified and applied, or refused in a sentence."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pandas as pd
import pytest

from anonymizer.cli.terminal import make_console
from tests.data.formats import RELEASED, WRITERS, make
from tests.wards import POLICY, change, patients, write_files


def policy_for(folder: Path, name: str, **keys: str) -> Path:
    """Write a policy for a file, without a delimiter, with some more keys of [data]."""
    more = "".join(f'{key} = "{value}"\n' for key, value in keys.items())
    text = change(POLICY, path=f'path = "{name}"', delimiter=more)
    return write_files(folder, policy=text)


@pytest.mark.parametrize("kind", WRITERS)
def test_run_verify_and_apply_take_files_of_every_kind(kind: str, tmp_path: Path, run) -> None:
    original = make(kind, tmp_path, patients())
    policy, out = policy_for(tmp_path, original.name), tmp_path / "out"
    assert run("run", policy, "--out", out, "--seed", 1)[0] == 0
    file = RELEASED[kind][1]
    assert {path.name for path in out.iterdir()} == {file, "manifest.json", "proof.json"}
    assert run("verify", out / file, policy, "--against", original)[0] == 0
    (tmp_path / "next").mkdir()
    later = make(kind, tmp_path / "next", patients(seed=9))
    again = tmp_path / "again"
    arguments = (policy, out / "manifest.json", "--data", later, "--out", again)
    assert run("apply", *arguments)[0] == 0
    assert run("verify", again / file, policy, "--against", later)[0] == 0


def test_encodings_and_sheets_are_stated_in_the_policy(tmp_path: Path, run) -> None:
    frame = patients().assign(diagnosis=lambda each: each["diagnosis"] + " größer")
    frame.to_csv(tmp_path / "latin.csv", sep=";", index=False, encoding="latin-1")
    with pd.ExcelWriter(tmp_path / "book.xlsx") as book:
        frame.to_excel(book, sheet_name="notes", index=False)
        frame.to_excel(book, sheet_name="2024", index=False)
    for name, key, file in (
        ("latin.csv", {"encoding": "latin-1"}, "release.csv"),
        ("book.xlsx", {"sheet": "2024"}, "release.xlsx"),
    ):
        out = tmp_path / f"of {name}"
        status, _, errors = run("run", policy_for(tmp_path, name), "--out", out)
        assert status == 2
        assert next(iter(key)) in errors
        assert "größer" not in errors
        assert not out.exists()
        policy = policy_for(tmp_path, name, **key)
        assert run("run", policy, "--out", out)[0] == 0
        assert run("verify", out / file, policy, "--against", tmp_path / name)[0] == 0
    released = (tmp_path / "of latin.csv" / "release.csv").read_text(encoding="utf-8")
    assert "größer" in released
    assert released.splitlines()[0] == "age;sex;zip;diagnosis;days"
    sheet = openpyxl.load_workbook(tmp_path / "of book.xlsx" / "release.xlsx").active
    assert [cell.value for cell in sheet[1]] == ["age", "sex", "zip", "diagnosis", "days"]


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("encoding", "klingon", "'klingon' is not an encoding; use one such as 'utf-8', 'latin-1'"),
        ("encoding", "hex", "'hex' is not an encoding"),
    ],
)
def test_keys_that_mean_nothing_are_faults_of_the_policy(
    key: str, value: str, message: str, tmp_path: Path, run
) -> None:
    policy, out = policy_for(tmp_path, "patients.csv", **{key: value}), tmp_path / "out"
    status, _, errors = run("run", policy, "--out", out)
    assert status == 2
    assert f"data.{key}" in errors
    assert message in errors
    assert not out.exists()


def test_suggest_finds_delimiters_and_takes_encodings_and_sheets(tmp_path: Path, run) -> None:
    frame = pd.DataFrame({"größe": ["klein", "groß"] * 5, "b": range(10)})
    frame.to_csv(tmp_path / "a.csv", sep=";", index=False, encoding="cp1252")
    frame.to_excel(tmp_path / "a.xlsx", sheet_name="x", index=False)
    frame.to_csv(tmp_path / "b.csv", sep="\t", index=False)
    for name, *options in (
        ("a.csv", "--encoding", "cp1252"),
        ("a.xlsx", "--sheet", "x"),
        ("b.csv",),
    ):
        command = ("hierarchy", "suggest", tmp_path / name, "--column", "größe", *options)
        status, output, _ = run(*command)
        assert status == 0
        assert '"groß"' in output
    status, _, errors = run("hierarchy", "suggest", tmp_path / "a.csv", "--encoding", "klingon")
    assert status == 2
    assert "is not an encoding" in errors
    status, _, errors = run("hierarchy", "suggest", tmp_path / "a.csv")
    assert (status, errors.count("\n")) == (2, 1)
    assert "--encoding" in errors


@pytest.mark.filterwarnings("ignore::anonymizer.AnonymizerWarning")
def test_init_takes_files_of_every_kind_and_run_works_at_once(tmp_path: Path, run) -> None:
    frame = patients(rows=300)
    frame.to_csv(tmp_path / "a.csv", sep=";", index=False)
    frame.to_csv(tmp_path / "b.csv", sep="\t", index=False, encoding="cp1252")
    with pd.ExcelWriter(tmp_path / "c.xlsx") as book:
        frame.to_excel(book, sheet_name="x", index=False)
        frame.to_excel(book, sheet_name="y", index=False)
    for name, *options in (
        ("a.csv",),
        ("b.csv", "--encoding", "cp1252"),
        ("c.xlsx", "--sheet", "y"),
    ):
        folder, out = tmp_path / f"of {name}", tmp_path / f"out of {name}"
        assert run("init", tmp_path / name, "--out", folder, *options)[0] == 0
        assert run("run", folder / "policy.toml", "--out", out)[0] == 0
        (release,) = (path for path in out.iterdir() if path.stem == "release")
        verified = run("verify", release, folder / "policy.toml", "--against", tmp_path / name)
        assert verified[0] == 0


def test_no_name_of_a_column_tells_the_terminal_anything(capsys) -> None:
    make_console().print("a column \x1b[31mage\x07 and \x1b]0;title\nanother \u202e")
    said = capsys.readouterr().out
    assert said.replace("\n", "").isprintable()
    assert said.count("\n") == 2
    assert "a column  [31mage" in said
