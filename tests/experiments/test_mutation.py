"""Mutants: small mistakes that compile, and a small run that says which are noticed."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from experiments.mutation.__main__ import (
    Tried,
    everything,
    interval,
    page,
    reasons,
    write_list,
)
from experiments.mutation.mutants import ROOMS, ROOT, get, mutants_by_hand, mutants_of, sites

SOURCE = '''
LIMIT = 3

def count(values: list[int], least: int = 2) -> int:
    """Count those that are large enough."""
    found = 0
    for value in values:
        if value < least or not value:
            continue
        found += min(value, 1)
    if found > 5:
        raise ValueError(f"{found + 1} is too many")
    values.clear()
    return found * 2
'''


def test_mistakes_are_made_in_functions_and_not_in_messages() -> None:
    found = [
        (kind, ast.unparse(get(place)).split("\n")[0], ast.unparse(new).split("\n")[0])
        for _, place, new, kind in sites(ast.parse(SOURCE))
    ]
    assert ("comparison", "value < least", "value <= least") in found
    assert ("comparison", "value < least", "value >= least") in found
    assert ("and/or", "value < least or not value", "value < least and (not value)") in found
    assert ("not", "not value", "value") in found
    assert ("statement", "continue", "pass") in found
    assert ("statement", "found += min(value, 1)", "pass") in found
    assert ("min/max", "min", "max") in found
    assert ("constant", "1", "2") in found
    assert ("statement", "values.clear()", "pass") in found
    assert ("arithmetic", "found * 2", "found / 2") in found
    assert ("return", "return found * 2", "return None") in found
    assert not any("LIMIT" in before or before == "found + 1" for _, before, _ in found)


def test_a_mutant_compiles_and_is_another_program() -> None:
    path = ROOT / "anonymizer" / "evaluation" / "suppression.py"
    source = ast.unparse(ast.parse(path.read_text()))
    mutants = list(mutants_of(path))
    assert len(mutants) > 50
    for mutant in mutants[::9]:
        tree = mutant.tree()
        compile(tree, str(path), "exec", dont_inherit=True)
        assert ast.unparse(tree) != source, mutant


def test_the_interval_is_that_of_the_binomial_distribution() -> None:
    assert interval(0, 20) == pytest.approx((0, 0.1684), abs=1e-4)
    assert interval(20, 20) == pytest.approx((0.8316, 1), abs=1e-4)


def test_the_page_says_how_many_were_killed_and_lists_the_others(tmp_path: Path) -> None:
    mutants = list(mutants_of(ROOT / "anonymizer" / "evaluation" / "suppression.py"))[:5]
    fates = ("killed", "timeout", "survived", "no test", "equivalent")
    found = [Tried("evaluation", *pair) for pair in zip(mutants, fates, strict=True)]
    found.append(Tried("evaluation", mutants_by_hand("evaluation")[0], "killed"))
    text = page(found, 4321, 7)
    assert "5 of 4,321 mutants, drawn room by room with seed 7." in text
    assert "| all | 5 | 1 | 2 | 50.0% | 6.8% to 93.2% |" in text
    assert "Made by hand: 1, killed: 1." in text
    assert text.count("\n- `anonymizer/evaluation/suppression.py:") == 3
    assert text.count("(no test calls it)") == 1
    write_list(found, tmp_path / "mutants.csv")
    assert pd.read_csv(tmp_path / "mutants.csv")["fate"].tolist() == [*fates, "killed"]


@pytest.mark.soak
def test_a_small_run_writes_what_became_of_each_mutant(tmp_path: Path) -> None:
    options = ["--size", "60", "--room", "evaluation", "--out", str(tmp_path / "mutation")]
    command = [sys.executable, "-m", "experiments.mutation", *options]
    subprocess.run(command, check=True, cwd=ROOT, capture_output=True)
    found = pd.read_csv(tmp_path / "mutation" / "mutants.csv")
    assert set(found["fate"]) <= {"killed", "survived", "timeout", "no test", "equivalent"}
    assert (found["fate"] == "killed").any()


@pytest.mark.parametrize("room", ROOMS)
def test_what_is_listed_is_in_the_code_as_it_is(room: str) -> None:
    assert all(reasons(everything(room)).values())
    for mutant in mutants_by_hand(room):
        source = ast.parse((ROOT / mutant.path).read_text(encoding="utf-8"))
        assert ast.unparse(mutant.tree()) != ast.unparse(source), mutant
