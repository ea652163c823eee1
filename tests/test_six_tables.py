"""From a raw table to a verified release, for tables of six shapes, on the command line and in Python.

No cell is changed on the way, and no label of a release gives away a number or a date that only one
person has.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from anonymizer import (
    AnonymizerWarning,
    Proposal,
    Solution,
    anonymize,
    apply,
    frontier,
    make_manifest,
    propose,
    verify,
)
from anonymizer.policy import Role
from tests.snippets import Run
from tests.tables import TABLES, draw, parts_of, write

NUMBERS = re.compile(r"\d+(?:[.\-/:]\d+)*")
"""Numbers and dates, as they stand in a label."""


WIDE = "60 columns"
NAMES = [name for name in TABLES if name != WIDE]


@pytest.fixture(autouse=True)
def warnings_allowed() -> Iterator[None]:
    """What is kept or missing is warned of; other tests look at that."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AnonymizerWarning)
        yield


def bounds_of_one(original: pd.DataFrame, released: pd.DataFrame, proposal: Proposal) -> set[str]:
    """Numbers in generalized labels that are the cell of just one person."""
    whose = original.index if proposal.id is None else original[proposal.id]
    found = set()
    for column in proposal.with_role(Role.QUASI):
        people = pd.Series(whose, index=original.index).groupby(original[column]).nunique()
        alone = set(people.index[people == 1]) - {""}
        labels = set(released[column].dropna().astype(str)) - set(original[column])
        found |= {
            f"{column}: {n}" for label in labels for n in NUMBERS.findall(label) if n in alone
        }
    return found


@pytest.mark.parametrize("name", TABLES)
def test_in_python(name: str) -> None:
    now, later = parts_of(draw(name))
    before = now.copy()
    proposal = propose(now)
    solution = anonymize(now, proposal.policy)
    released = solution.to_frame()
    check_release(now, released, proposal, solution)
    manifest = make_manifest(solution, released)
    assert verify(released, proposal.policy, manifest, against=now).passed
    next_month = apply(later, proposal.policy, solution.scheme)
    manifest = make_manifest(next_month, next_month.to_frame(seed=1))
    assert verify(next_month.to_frame(seed=1), proposal.policy, manifest, against=later).passed
    assert now.equals(before)
    if name != WIDE:  # eight attributes in layers take seconds; the soak makes their frontier
        curve = frontier(now, proposal.policy, [2, 5, 10])
        assert [point.value for point in curve.points] == [2, 5, 10]
        assert now.equals(before)


def check_release(
    original: pd.DataFrame, released: pd.DataFrame, proposal: Proposal, solution: Solution
) -> None:
    """Check that a release is k-anonymous, useful, and gives no bound of a single person."""
    quasi = list(proposal.with_role(Role.QUASI))
    assert released.groupby(quasi, dropna=False, observed=True).size().min() >= 5
    assert not set(proposal.with_role(Role.IDENTIFYING)) & set(released.columns)
    assert solution.quality > 0.3
    assert len(released) > len(original) / 2
    assert not bounds_of_one(original, released, proposal)


@pytest.mark.parametrize("name", [*NAMES, pytest.param(WIDE, marks=pytest.mark.soak)])
def test_on_the_command_line(
    name: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    now, later = parts_of(draw(name))
    delimiter = TABLES[name][1]
    write(now, Path("now.csv"), delimiter)
    write(later, Path("later.csv"), delimiter)
    before = Path("now.csv").read_bytes()
    for command in (
        "init now.csv --out init",
        "run init/policy.toml --out release",
        "verify release/release.csv init/policy.toml --against now.csv",
        "apply init/policy.toml release/manifest.json --data later.csv --out later",
        "verify later/release.csv init/policy.toml --against later.csv",
        "frontier init/policy.toml --at 2..6 --out frontier",
    ):
        status, out, errors = run(*command.split(), "--json")
        assert status == 0, f"{command}\n{errors}"
        assert json.loads(out)
        if command.startswith("init"):  # a later table of 200 records may need more
            policy = Path("init/policy.toml")
            policy.write_text(policy.read_text().replace("limit = 0.05", "limit = 0.2"))
    assert Path("now.csv").read_bytes() == before


def test_codes_that_come_next_month_are_covered(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    now, later = parts_of(draw("several rows for each person"))
    later.loc[::2, "ward"] = "X9Z7"
    write(now, Path("now.csv"), ",")
    write(later, Path("later.csv"), ",")
    for command in (
        "init now.csv --out init",
        "run init/policy.toml --out release",
        "apply init/policy.toml release/manifest.json --data later.csv --out later",
        "verify later/release.csv init/policy.toml --against later.csv",
    ):
        status, _, errors = run(*command.split(), "--json")
        assert status == 0, f"{command}\n{errors}"
    spec = Path("init/hierarchies/ward.toml").read_text()
    assert "unlisted = true" in spec
    assert set(now["ward"]) <= set(re.findall(r"\w+", spec))
