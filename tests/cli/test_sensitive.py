"""Models of a sensitive attribute from the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

AGE = (
    '{ role = "quasi", hierarchy = { builder = "intervals", domain = [0, 99], widths = [10, 50] } }'
)
ROLES = {
    "age": AGE,
    "ward": '{ role = "quasi", hierarchy = { builder = "mapping", groups = { a = ["1", "2"] } } }',
    "name": '{ role = "identifying" }',
    "illness": '{ role = "sensitive" }',
    "nothing": '{ role = "sensitive" }',
}
ROWS = 120
PEOPLE = pd.DataFrame(
    {
        "age": [str(20 + row % 37) for row in range(ROWS)],
        "ward": [str(1 + row % 2) for row in range(ROWS)],
        "name": [f"n{row}" for row in range(ROWS)],
        "illness": [("flu", "cold", "gout")[row * row % 7 % 3] for row in range(ROWS)],
        "nothing": "",
    }
)
Call = Callable[[str], tuple[int, str, str]]


def write_policy(folder: Path, risk: dict[str, Any], more: str = "", **roles: str) -> None:
    """Write the table and a policy with one model of 'illness', unless it names another attribute."""
    PEOPLE.to_csv(folder / "people.csv", index=False)
    attributes = "".join(f"{name} = {role}\n" for name, role in {**ROLES, **roles}.items())
    asked = risk if risk["model"] == "delta-presence" else {"attribute": "illness", **risk}
    model = "".join(f"{key} = {toml(value)}\n" for key, value in asked.items())
    text = f'[data]\npath = "people.csv"\n[attributes]\n{attributes}[[risk]]\n{model}{more}'
    (folder / "policy.toml").write_text(text)


def toml(value: object) -> str:
    """Write a value as TOML does."""
    return str(value).lower() if isinstance(value, bool) else repr(value).replace("'", '"')


@pytest.fixture
def call(tmp_path: Path, run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Call:
    """Run a command in the folder of the test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ANONYMIZER_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("COLUMNS", "500")
    return lambda line: run(*line.split())


VERIFY = "verify out/release.csv policy.toml"
DISTINCT = {"model": "distinct-l", "l": 2}
CLOSE = {"model": "t-closeness", "t": 0.2}
MEAN = AGE.replace("} }", '}, microaggregation = "mean" }')


@pytest.mark.parametrize(
    ("risk", "roles", "sentence"),
    [
        ({**DISTINCT, "attribute": "ilness"}, {}, "'ilness', which a risk model looks at"),
        ({**DISTINCT, "attribute": "ward"}, {}, "'ward' is a quasi-identifier"),
        ({**DISTINCT, "attribute": "name"}, {}, "'name', which a risk model protects, is identifying"),
        ({**DISTINCT, "l": 9}, {}, "the largest possible is 3"),
        ({**DISTINCT, "model": "entropy-l", "l": 3.5}, {}, "the largest possible is 3"),
        ({**DISTINCT, "attribute": "nothing", "l": 2}, {}, "the largest possible is 1"),
        ({**DISTINCT, "values": []}, {}, "values is an empty list"),
        ({**DISTINCT, "values": ["plague"]}, {}, "'plague'"),
        ({**DISTINCT, "model": "recursive-cl", "c": 0}, {}, "c must be a number above 0, got 0"),
        ({**DISTINCT, "model": "recursive-cl", "c": -1.5}, {}, "c must be a number above 0, got -1.5"),
        ({**CLOSE, "t": 1.5}, {}, "t must be a number from 0 to 1, got 1.5"),
        ({**CLOSE, "t": -0.1}, {}, "t must be a number from 0 to 1, got -0.1"),
        ({**CLOSE, "distance": "hierarchical"}, {}, "needs a hierarchy of 'illness'"),
        ({**CLOSE, "distance": "ordered"}, {}, "is neither a number nor a date"),
        ({"model": "delta-disclosure", "delta": 0}, {}, "delta must be a number above 0, got 0"),
        ({"model": "beta-likeness", "beta": -2}, {}, "beta must be a number above 0, got -2"),
        ({"model": "delta-presence", "maximum": 0.5}, {}, "needs either population_table"),
        (
            {"model": "delta-presence", "maximum": 0.5, "subset": "illness", "member": "plague"},
            {},
            "no row has 'plague' in column 'illness'",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_for_is_refused_in_a_sentence_and_nothing_is_written(
    tmp_path: Path, call: Call, risk: dict[str, Any], roles: dict[str, str], sentence: str
) -> None:
    write_policy(tmp_path, risk, **roles)
    before = sorted(path.name for path in tmp_path.iterdir())
    status, output, errors = call("run policy.toml --out out")
    assert (status, output) == (2, "")
    assert errors.startswith("error: ")
    assert sentence in errors
    assert len(errors.strip().splitlines()) == 1
    left = {path.name for path in tmp_path.iterdir()} - {"state"}
    assert sorted(left) == before


@pytest.mark.parametrize(
    ("risk", "more", "roles"),
    [
        ({**DISTINCT, "attribute": "nothing", "l": 1}, "", {}),
        (DISTINCT, "", {"age": MEAN}),
        ({**DISTINCT, "l": 3}, "[release]\nlayers = true\n", {}),
    ],
)
def test_what_can_be_asked_for_verifies_with_and_without_the_original(
    tmp_path: Path, call: Call, risk: dict[str, Any], more: str, roles: dict[str, str]
) -> None:
    write_policy(tmp_path, risk, more, **roles)
    for line in ("run policy.toml --out out", VERIFY, f"{VERIFY} --against people.csv"):
        status, output, errors = call(line)
        assert status == 0, output + errors


def test_a_subset_is_released_and_verified_against_the_table(tmp_path: Path, call: Call) -> None:
    limits = {"maximum": 0.5, "minimum": 0.1}
    subset = {"model": "delta-presence", **limits, "subset": "studied", "member": "yes"}
    write_policy(tmp_path, subset, studied='{ role = "identifying" }')
    marked = PEOPLE.assign(studied=["no", "yes", "no"] * (ROWS // 3))
    marked.to_csv(tmp_path / "people.csv", index=False)
    status, _, errors = call("run policy.toml --out out")
    assert (status, errors) == (0, "")
    assert len(pd.read_csv(tmp_path / "out" / "release.csv")) <= ROWS // 3
    status, output, _ = call(VERIFY)
    assert status == 1
    assert "0 claims fail" in output
    for line in (f"{VERIFY} --against people.csv", "frontier policy.toml --at 0.5 --at 0.9"):
        status, output, errors = call(line)
        assert status == 0, output + errors
