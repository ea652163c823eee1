"""Messages: what they say, and that they show no cell of a table about people unless asked to."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer import AnonymizerError, anonymize, assess, show_values, verify, write_release
from anonymizer.errors import list_cells, percent, values_shown
from tests.wards import MODELS, POLICY, SCENARIO, patients, policy_with, write_files, write_more

MARK = "Zyx"
"""In no message unless from a cell."""
STATEMENT = """
[[source]]
name = "voters"
keys = ["age", "sex"]
path = "voters.csv"
"""


def break_value(folder: Path, column: str = "sex", value: str = MARK) -> None:
    frame = patients().astype(str)
    frame.loc[7, column] = value
    frame.to_csv(folder / "patients.csv", sep=";", index=False)


def no_leaf(folder: Path) -> None:
    break_value(folder)


def trapped(folder: Path) -> None:
    (folder / "sex.csv").write_text(f"F;*\nM;*\n{MARK};*\n")
    break_value(folder, value=f" {MARK}")


def ragged(folder: Path) -> None:
    with (folder / "patients.csv").open("a") as file:
        file.write(f"{MARK} 121;33;F\n")


def not_utf8(folder: Path) -> None:
    with (folder / "patients.csv").open("ab") as file:
        file.write(f"{MARK} 121;33;F;101;asthm".encode() + b"\xe4;3\n")


def stray_quote(folder: Path) -> None:
    with (folder / "patients.csv").open("a") as file:
        file.write(f'"{MARK};33;F;101;flu;3\n')


def no_header(folder: Path) -> None:
    rows = (folder / "patients.csv").read_text().split("\n", 1)[1]
    (folder / "patients.csv").write_text(f"{MARK};33;F;101;{MARK};3\n{rows}")


def odd_header(folder: Path) -> None:
    (folder / "patients.csv").write_text(f'"name;age\n{MARK};33\n";sex\n')


def wrong_delimiter(folder: Path) -> None:
    (folder / "patients.csv").write_text(f"{MARK},33,F,101,flu,3\n")


def population(folder: Path) -> None:
    (folder / "policy.toml").write_text(policy_with(MODELS["k-map with a table"]))
    write_more(folder)
    people = patients(rows=3000, seed=8).assign(sex=MARK)
    people.to_csv(folder / "people.csv", sep=";", index=False)


FAULTS: list[Callable[[Path], None]] = [
    no_leaf,
    trapped,
    ragged,
    not_utf8,
    stray_quote,
    no_header,
    odd_header,
    wrong_delimiter,
    population,
]


@pytest.mark.parametrize("command", ["run", "frontier", "assess", "apply", "hierarchy check"])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_no_command_shows_a_cell(tmp_path: Path, run, fault, command: str) -> None:
    policy, out = write_files(tmp_path), tmp_path / "out"
    if command == "apply":
        run("run", policy, "--out", out)
    fault(tmp_path)
    arguments = {
        "apply": ("apply", policy, out / "manifest.json", "--out", tmp_path / "new"),
        "hierarchy check": (
            *("hierarchy", "check", tmp_path / "sex.csv"),
            *("--data", tmp_path / "patients.csv", "--data-delimiter", ";"),
        ),
    }
    status, output, errors = run(*arguments.get(command, (command, policy, "--out", out)))
    if (fault, command) not in [(population, "assess"), (population, "hierarchy check")]:
        assert status in (1, 2)
    assert MARK not in output + errors
    assert "Traceback" not in errors


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_no_exception_has_a_cell_in_its_traceback(tmp_path: Path, fault) -> None:
    policy = write_files(tmp_path)
    fault(tmp_path)
    with pytest.raises(AnonymizerError) as caught:
        anonymize(None, policy)
    assert MARK not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("fault", [no_leaf, trapped, no_header, population])
def test_on_request_the_cell_is_there_and_only_then(tmp_path: Path, run, fault) -> None:
    policy = write_files(tmp_path)
    fault(tmp_path)
    with show_values(), pytest.raises(AnonymizerError, match=MARK):
        anonymize(None, policy)
    command = ("run", policy, "--out", tmp_path / "out")
    assert MARK in run(*command, "--show-values")[2]
    assert MARK not in run(*command)[2]


def test_the_row_stays(tmp_path: Path, run) -> None:
    policy = write_files(tmp_path)
    break_value(tmp_path)
    _, _, errors = run("run", policy, "--out", tmp_path / "out")
    assert "column 'sex': 1 value has no row" in errors
    assert "First at row 8." in errors


def test_verification_shows_no_cell_of_a_release(tmp_path: Path, run) -> None:
    policy, out = write_files(tmp_path), tmp_path / "out"
    write_release(anonymize(None, policy), out)
    released = pd.read_csv(out / "release.csv", sep=";", dtype=str)
    released.loc[3, "age"] = MARK
    released.to_csv(out / "release.csv", sep=";", index=False)
    for options in ([], ["--json"], ["--against", tmp_path / "patients.csv"]):
        status, output, errors = run("verify", out / "release.csv", policy, *options)
        assert status == 1
        assert "first at row 4" in " ".join(output.replace("│", " ").split())
        assert MARK not in output + errors
    assert MARK in str(shown(lambda: verify(out / "release.csv", policy)).checks)


@pytest.mark.parametrize(
    ("voters", "says"),
    [
        (patients().assign(sex=MARK), "has values that no single level of its hierarchy knows"),
        (
            patients().drop(columns=["age", "sex"]).rename(columns={"zip": MARK}),
            "no column in common",
        ),
    ],
)
def test_an_assessment_shows_no_cell_of_an_external_table(
    tmp_path: Path, run, voters: pd.DataFrame, says: str
) -> None:
    policy = write_files(tmp_path)
    (tmp_path / "statement.toml").write_text(STATEMENT)
    voters.to_csv(tmp_path / "voters.csv", index=False)
    status, output, errors = run(
        *("assess", policy, "--statement", tmp_path / "statement.toml", "--out", tmp_path / "out")
    )
    assert status == 2
    assert says in errors
    assert MARK not in output + errors


def test_a_warning_of_an_assessment_shows_no_cell(tmp_path: Path) -> None:
    policy = write_files(tmp_path)
    (tmp_path / "sex.csv").write_text(f"F;*\nM;*\n{MARK};*\n")
    break_value(tmp_path)
    by_sex = 'attributes = ["age"]\nby = "sex"\nprobabilities = { F = 0.6, M = 0.5 }\ndefault = 0.0'
    text = SCENARIO.replace('attributes = ["age", "sex"]\nprobability = 0.6', by_sex)
    (tmp_path / "scenario.toml").write_text(text)
    with pytest.warns(UserWarning, match="1 records count as not found there") as caught:
        assess(None, policy, tmp_path / "scenario.toml")
    assert not any(MARK in str(warning.message) for warning in caught)


def shown(call: Callable[[], object]) -> object:
    with show_values():
        return call()


def test_what_is_shown_ends_with_its_block_and_is_not_shown_in_other_threads() -> None:
    seen: list[bool] = []
    with show_values():
        thread = threading.Thread(target=lambda: seen.append(values_shown()))
        thread.start()
        thread.join()
        with show_values(False):
            assert list_cells(["34"]) == " (hidden without --show-values)"
        assert list_cells(["34"]) == ": '34'"
    assert not values_shown()
    assert seen == [False]


def test_policies_and_hierarchies_are_shown_as_ever(tmp_path: Path, run) -> None:
    policy = write_files(tmp_path, policy=POLICY.replace("k = 3", f'k = "{MARK}"'))
    assert MARK in run("run", policy, "--out", tmp_path / "out")[2]
    (tmp_path / "sex.csv").write_text(f"{MARK};*\n{MARK};*\n")
    assert MARK in run("hierarchy", "check", tmp_path / "sex.csv")[1]


@given(st.floats(-1, 1), st.integers(0, 3))
def test_0_and_100_percent_are_exact_and_all_else_is_near(share: float, digits: int) -> None:
    text = percent(share, digits)
    number = float(text.removesuffix(" %").removeprefix("-").removeprefix("over "))
    assert (share in (-1, 0, 1)) == (number in (0, 100))
    assert text.startswith("-") == (share < 0)
    assert number == pytest.approx(abs(100 * share), abs=0.501 * 10.0**-digits, rel=0.06)


def test_a_message_holds_nothing_that_a_terminal_obeys_and_no_endless_word() -> None:
    said = str(AnonymizerError(f"no column '\x1b[31m{'a' * 70_000}', nor '\u202eb'; rename it."))
    assert "\x1b" not in said
    assert "\u202e" not in said
    assert len(said) < 1100
    assert said.endswith("; rename it.")
    assert str(AnonymizerError("one line,\n  - and another.")) == "one line,\n  - and another."
