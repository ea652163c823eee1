"""What the checker accepts is true; what is spoiled it rejects."""

from __future__ import annotations

import ast
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from anonymizer.errors import PolicyError
from anonymizer.proof import checker
from anonymizer.proof.checker import check
from anonymizer.proof.format import Closed, Cut, Node, Proof, ProofError
from anonymizer.proof.writer import write_proof
from tests import oracle
from tests.oracle import Problem
from tests.proof.cases import (
    K_AND_VALUES,
    MEASURES,
    MODELS,
    SMALL,
    asked,
    claiming,
    people,
    proven,
    swap,
    values,
)
from tests.strategies import problems

OF_PEOPLE = ["k-anonymity", "k-map, estimated", "sources", "overall", "distinct-l", "entropy-l"]


@settings(max_examples=150)
@given(problem=problems())
def test_the_claim_of_an_accepted_proof_is_what_the_oracle_finds(problem: Problem) -> None:
    assume(problem.k <= len(problem.rows))
    best = oracle.best(problem)
    found = proven(asked(problem, [{"model": "k-anonymity", "k": problem.k}]))
    assert (best is None) == (found is None)
    if best is None or found is None:
        return
    case, proof = found
    checked = check(proof, case)
    assert checked.schemes == len(list(problem.schemes()))
    assert proof.claim.scheme == best.levels
    assert proof.claim.suppressed == len(best.suppressed)
    assert abs(proof.claim.loss - best.loss) < 1e-12
    assert proof.claim.ties


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=25)
@given(problem=problems(max_attributes=3), drawn=values, utility=st.sampled_from(MEASURES))
def test_every_optimum_has_a_proof_that_is_accepted(
    name: str, problem: Problem, drawn: list[str], utility: dict[str, Any]
) -> None:
    found = attempt(problem, name, utility, drawn)
    if found is not None:
        check(found[1], found[0])


@pytest.mark.parametrize("name", OF_PEOPLE)
@settings(max_examples=25)
@given(problem=problems(max_attributes=3), drawn=values, person=people)
def test_people_with_several_rows_count_once(
    name: str, problem: Problem, drawn: list[str], person: list[int]
) -> None:
    found = attempt(problem, name, None, drawn, person)
    if found is not None:
        check(found[1], found[0])


def attempt(
    problem: Problem,
    name: str,
    utility: dict[str, Any] | None,
    drawn: list[str],
    person: list[int] | None = None,
) -> tuple[checker.Case, Proof] | None:
    """Prove an optimum; None where the table does not fit the model, or none is feasible."""
    rows = len(problem.rows)
    try:
        put = asked(problem, MODELS[name], utility, drawn[:rows], person and person[:rows])
    except PolicyError:
        return None
    return proven(put)


def test_a_scheme_that_loses_a_tie_has_no_proof() -> None:
    twice = Problem(
        (("a", "a"), ("b", "b"), ("c", "c"), ("d", "d")), ({v: (v, "*") for v in "abcd"},) * 2, k=4
    )
    found = proven(asked(twice, [{"model": "k-anonymity", "k": 4}], {"aggregate": "arithmetic"}))
    assert found is not None
    case, proof = found
    other = next(
        s for s in twice.schemes()
        if s != proof.claim.scheme and abs(case.loss(s, case.suppressed(s)) - proof.claim.loss) < 1e-12
    )  # fmt: skip
    suppressed = case.count(case.suppressed(other))
    with pytest.raises(ProofError):
        check(claiming(proof, scheme=other, suppressed=suppressed), case)
    open_ties = write_proof(case, other)
    assert open_ties is not None
    assert not open_ties.claim.ties
    check(open_ties, case)
    with pytest.raises(ProofError):
        check(claiming(open_ties, ties=True), case)


def nodes_of(node: Node) -> list[Node]:
    return (
        [node, *(n for part in node.parts for n in nodes_of(part))]
        if isinstance(node, Cut)
        else [node]
    )


@settings(max_examples=100)
@given(problem=problems(max_attributes=3), data=st.data())
def test_random_changes_of_the_tree_never_prove_what_is_false(problem: Problem, data) -> None:
    """A changed tree is rejected, or it covers the lattice and every box of it is truly closed."""
    assume(problem.k <= len(problem.rows))
    found = proven(asked(problem, [{"model": "k-anonymity", "k": problem.k}]))
    if found is None:
        return
    case, proof = found
    worse = data.draw(st.sampled_from(list(problem.schemes())), "the scheme claimed")
    outcome = oracle.evaluate(problem, worse)
    claimed = claiming(
        proof,
        scheme=worse,
        loss=outcome.loss,
        bound=outcome.loss,
        suppressed=len(outcome.suppressed),
    )
    old = data.draw(st.sampled_from(nodes_of(proof.tree)))
    reason = data.draw(st.sampled_from(["plain", "evaluated", "bound", "tie", "infeasible"]))
    needs = () if reason in ("plain", "evaluated") else (0,)
    witness = data.draw(st.sampled_from(list(problem.schemes())))
    grown = replace(claimed, witnesses=(witness, *proof.witnesses[1:]))
    changed = swap(grown, old, Closed(reason, needs))
    try:
        check(changed, case)
    except ProofError:
        return
    best = oracle.best(problem)
    assert best is not None
    assert outcome.feasible
    assert best.levels == worse


OWN = ("checker", "table", "losses", "models", "distributions", "format")


@pytest.mark.parametrize("name", OWN)
def test_the_checker_imports_nothing_of_what_it_checks(name: str) -> None:
    source = Path(checker.__file__).with_name(f"{name}.py").read_text(encoding="utf-8")
    nodes = list(ast.walk(ast.parse(source)))
    modules = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    modules |= {alias.name for n in nodes if isinstance(n, ast.Import) for alias in n.names}
    ours = {module for module in modules if module.startswith("anonymizer")}
    assert ours <= {"anonymizer.errors", *(f"anonymizer.proof.{own}" for own in OWN)}
    assert {module.split(".")[0] for module in modules - ours} <= sys.stdlib_module_names | {
        "numpy"
    }


def test_to_import_the_checker_loads_nothing_of_what_it_checks() -> None:
    """What its modules import in turn, too: another process tells."""
    lines = f"import sys; from anonymizer.proof import {', '.join(OWN)}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=True)
    loaded = {name for name in done.stdout.split() if name.startswith("anonymizer")}
    own = {f"anonymizer.proof.{name}" for name in OWN}
    assert loaded == {"anonymizer", "anonymizer.errors", "anonymizer.proof", *own}
    assert not {"numba", "scipy", "pandas"} & set(done.stdout.split())


def test_of_very_many_witnesses_a_random_part_is_looked_at(monkeypatch) -> None:
    found = proven(asked(SMALL, K_AND_VALUES))
    assert found is not None
    case, proof = found
    monkeypatch.setattr(checker, "MANY_WITNESSES", 2)
    monkeypatch.setattr(checker, "SPOT", 1)
    spot = check(proof, case)
    assert spot.is_spot_check
    assert "spot check" in str(spot)
    assert not check(proof, case, all_witnesses=True).is_spot_check
