"""What the checker accepts is true; what is spoiled it rejects."""

from __future__ import annotations

import ast
import math
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from anonymizer.errors import PolicyError
from anonymizer.proof import checker
from anonymizer.proof.case import case_of
from anonymizer.proof.checker import check
from anonymizer.proof.format import REASONS, Closed, Cut, Node, Proof, ProofError, parse_proof
from anonymizer.proof.writer import write_proof
from tests import oracle
from tests.oracle import Problem
from tests.proof.cases import MEASURES, MODELS, asked, people, proven, values
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


# --- spoiled proofs


TREES = (
    {str(v): (str(v), f"{v // 2}", f"{v // 6}x", "*") for v in range(12)},
    {str(v): (str(v), f"{v // 3}", "*") for v in range(9)},
    {str(v): (str(v), "*") for v in range(2)},
)
DRAW = np.random.default_rng(10)
ROWS = tuple(
    (str(min(int(DRAW.exponential(4)), 11)), str(DRAW.integers(9)), str(DRAW.integers(2)))
    for _ in range(80)
)
SMALL = Problem(ROWS, TREES, k=4, suppression_limit=14)
"""A table whose proof has boxes closed for every reason."""


@pytest.fixture(scope="module")
def base() -> tuple[checker.Case, Proof]:
    found = proven(asked(SMALL, K_AND_VALUES))
    assert found is not None
    return found


K_AND_VALUES = [
    {"model": "k-anonymity", "k": 4},
    {"model": "entropy-l", "attribute": "s", "l": 1.9},
]


def leaf(proof: Proof, reason: str, most: int = 10**9) -> tuple[Any, Any, Closed]:
    """Find a box that is closed for a reason, of at most so many schemes."""
    return next(
        box
        for box in proof.boxes()
        if box[2].reason == reason
        and math.prod(h - low + 1 for low, h in zip(box[0], box[1], strict=True)) <= most
    )


def swap(proof: Proof, old: Node, new: Node) -> Proof:
    """Put another node in the place of one."""

    def swapped(node: Node) -> Node:
        if node is old:
            return new
        return (
            replace(node, parts=tuple(map(swapped, node.parts))) if isinstance(node, Cut) else node
        )

    return replace(proof, tree=swapped(proof.tree))


def claiming(proof: Proof, **changes: Any) -> Proof:
    """Claim something else."""
    return replace(proof, claim=replace(proof.claim, **changes))


def reclosed(proof: Proof, reason: str, new: Closed) -> Proof:
    """Close the first box that is closed for a reason in another way."""
    return swap(proof, leaf(proof, reason)[2], new)


def first_cut(proof: Proof) -> Cut:
    assert isinstance(proof.tree, Cut)
    return proof.tree


def without_tree(proof: Proof, node: Node, witnesses: tuple[Any, ...] = ()) -> Proof:
    return replace(proof, tree=node, witnesses=witnesses)


def finer_witness(proof: Proof) -> Proof:
    _, high, closed = leaf(proof, "bound")
    at = next(a for a in range(3) if high[a] > proof.low[a])
    finer = (*high[:at], high[at] - 1, *high[at + 1 :])
    grown = replace(proof, witnesses=(*proof.witnesses, finer))
    return swap(grown, closed, Closed("bound", (len(proof.witnesses),)))


def several(proof: Proof) -> Proof:
    box = next(b for b in proof.boxes() if b[0] != b[1])
    return swap(proof, box[2], Closed("evaluated"))


def of_json(proven: Proof, **changes: Any) -> Proof:
    return parse_proof({**proven.describe(), **changes})


Spoil = Callable[[Proof], Proof]
OF_THE_FILE: dict[str, Spoil] = {
    "a lower loss": lambda p: claiming(p, loss=p.claim.loss - 1e-9, bound=p.claim.bound - 1e-9),
    "a higher loss": lambda p: claiming(p, loss=p.claim.loss + 1e-9),
    "a loss that is not a number": lambda p: claiming(p, loss=math.nan),
    "one suppressed record less": lambda p: claiming(p, suppressed=p.claim.suppressed - 1),
    "one suppressed record more": lambda p: claiming(p, suppressed=p.claim.suppressed + 1),
    "a scheme out of the lattice": lambda p: claiming(p, scheme=(9, 9, 9)),
    "a bound above the loss": lambda p: claiming(p, bound=p.claim.loss + 1e-6, optimal=False),
    "an optimum above its bound": lambda p: claiming(p, bound=p.claim.loss - 1e-6),
    "a part left out": lambda p: swap(
        p, first_cut(p), replace(first_cut(p), parts=first_cut(p).parts[:-1])
    ),
    "a part twice": lambda p: swap(
        p, first_cut(p), replace(first_cut(p), parts=(*first_cut(p).parts, first_cut(p).parts[0]))
    ),
    "parts swapped": lambda p: swap(
        p, first_cut(p), replace(first_cut(p), parts=first_cut(p).parts[::-1])
    ),
    "a cut above the box": lambda p: swap(p, first_cut(p), replace(first_cut(p), levels=(7,))),
    "a cut below the box": lambda p: swap(p, first_cut(p), replace(first_cut(p), levels=(-1,))),
    "a cut of an unknown attribute": lambda p: swap(
        p, first_cut(p), replace(first_cut(p), attribute=3)
    ),
    "a cut of the last attribute from behind": lambda p: swap(
        p, first_cut(p), replace(first_cut(p), attribute=-1)
    ),
    "a cut without parts": lambda p: swap(p, first_cut(p), Cut(0, (), ())),
    "a bound that is called plain": lambda p: reclosed(p, "bound", Closed("plain")),
    "a bound that is called infeasible": lambda p: reclosed(
        p, "bound", replace(leaf(p, "bound")[2], reason="infeasible")
    ),
    "an infeasible box that is called plain": lambda p: reclosed(p, "infeasible", Closed("plain")),
    "several schemes that are called evaluated": several,
    "the solution that is called beaten": lambda p: of_box(p, p.claim.scheme, Closed("plain")),
    "a finer witness": finer_witness,
    "everything plain": lambda p: without_tree(p, Closed("plain")),
    "everything infeasible by the top": lambda p: without_tree(
        p, Closed("infeasible", (0,)), (p.high,)
    ),
    "everything bound by the top": lambda p: without_tree(p, Closed("bound", (0,)), (p.high,)),
    "everything a tie": lambda p: without_tree(p, Closed("tie", (0,)), (p.high,)),
    "bounds by the top alone": lambda p: replace(p, witnesses=(p.high,) * len(p.witnesses)),
    "a witness that is not listed": lambda p: of_json(p, witnesses=[]),
    "a witness with a level too few": lambda p: of_json(
        p, witnesses=[list(w)[:-1] for w in p.witnesses]
    ),
    "a witness too low for the lattice": lambda p: replace(
        p, witnesses=tuple((-1, *w[1:]) for w in p.witnesses)
    ),
    "a bound without a witness": lambda p: of_json(p, tree=["bound"]),
    "an unknown reason": lambda p: of_json(p, tree=["obvious"]),
    "another version": lambda p: of_json(p, proof=2),
    "a smaller lattice": lambda p: replace(p, high=(2, 2, 1)),
    "a larger lattice": lambda p: replace(p, low=(-1, 0, 0)),
    "other attributes": lambda p: replace(p, attributes=("a1", "a0", "a2")),
}


def of_box(proof: Proof, scheme: Any, new: Closed) -> Proof:
    """Close the box that holds a scheme in another way."""
    for low, high, closed in proof.boxes():
        if all(a <= s <= b for a, s, b in zip(low, scheme, high, strict=True)):
            return swap(proof, closed, new)
    raise AssertionError(scheme)


def test_the_base_is_accepted_and_has_boxes_of_all_kinds(base) -> None:
    case, proof = base
    checked = check(proof, case)
    assert checked.schemes == 4 * 3 * 2
    assert {closed.reason for _, _, closed in proof.boxes()} == set(REASONS)
    assert isinstance(proof.tree, Cut)


@pytest.mark.parametrize("name", OF_THE_FILE)
def test_a_spoiled_proof_is_rejected(base, name: str) -> None:
    case, proof = base
    with pytest.raises(ProofError):
        check(OF_THE_FILE[name](proof), case)


def another(**changes: Any) -> checker.Case:
    """Return the case of the base with another problem."""
    return case_of(asked(replace(SMALL, **changes), K_AND_VALUES))


OTHERS: dict[str, Callable[[], checker.Case]] = {
    "a row changed": lambda: another(rows=(("11", "8", "1"), *ROWS[1:])),
    "a row less": lambda: another(rows=ROWS[1:]),
    "every row twice": lambda: another(rows=ROWS * 2),
    "another k": lambda: case_of(
        asked(SMALL, [{"model": "k-anonymity", "k": 12}, K_AND_VALUES[1]])
    ),
    "a model less": lambda: case_of(asked(SMALL, K_AND_VALUES[:1])),
    "a model more": lambda: case_of(
        asked(SMALL, [*K_AND_VALUES, {"model": "t-closeness", "attribute": "s", "t": 0.02}])
    ),
    "other weights": lambda: another(weights=(1.0, 0.2, 1.0)),
    "another aggregate": lambda: another(aggregate="arithmetic"),
    "a higher limit": lambda: another(suppression_limit=60),
    "other levels allowed": lambda: another(low=(1, 0, 0)),
    "another hierarchy": lambda: another(
        trees=(
            {v: (*t[:2], t[2] if t[1] != "2" else "1x", "*") for v, t in TREES[0].items()},
            *TREES[1:],
        )
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_the_proof_of_another_table_or_policy_is_rejected(base, name: str) -> None:
    with pytest.raises(ProofError):
        check(base[1], OTHERS[name]())


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


def test_of_very_many_witnesses_a_random_part_is_looked_at(base, monkeypatch) -> None:
    case, proof = base
    monkeypatch.setattr(checker, "MANY_WITNESSES", 2)
    monkeypatch.setattr(checker, "SPOT", 1)
    spot = check(proof, case)
    assert spot.is_spot_check
    assert "spot check" in str(spot)
    assert not check(proof, case, all_witnesses=True).is_spot_check
