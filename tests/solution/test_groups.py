"""Groups that must be kept, against every scheme with every subset of the records."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from anonymizer import InfeasibleError, anonymize, apply, frontier
from anonymizer.errors import PolicyError
from anonymizer.policy import Policy
from anonymizer.problem import Problem
from anonymizer.proof.checker import check
from anonymizer.proof.format import ProofError, parse_proof
from anonymizer.search import search
from tests import oracle
from tests.exhaustive import search_exhaustively
from tests.proof.cases import MODELS, SMALL, VALUES, asked, proven
from tests.strategies import frame_of, hierarchies_of, names_of, problems

SHARES = st.sampled_from([0.25, 0.5, 0.55, 0.75, 0.9, 1.0])


@st.composite
def kept(draw: st.DrawFn, max_rows: int = 7, max_attributes: int = 2) -> Any:
    """Draw a table, who died, whose the rows are, and what must be kept."""
    problem = draw(problems(max_attributes=max_attributes, max_rows=max_rows))
    problem = replace(problem, k=draw(st.integers(1, 3)))
    rows = len(problem.rows)
    died = draw(st.lists(st.sampled_from("01"), min_size=rows, max_size=rows))
    persons = draw(st.lists(st.integers(0, 4), min_size=rows, max_size=rows))
    shares = {"died = 1": draw(SHARES), "a0 != v0": draw(SHARES)}
    chosen = draw(st.sampled_from([["died = 1"], ["a0 != v0"], [*shares]]))
    groups = {where: shares[where] for where in chosen}
    assume(all(members(problem, died, where) for where in groups))
    assume(problem.k <= len(set(persons)))
    return problem, died, draw(st.one_of(st.none(), st.just(tuple(persons)))), groups


def put(problem: oracle.Problem, died: list[str], persons: Any, groups: Any) -> Problem:
    """Put a policy that keeps groups to a table."""
    frame = frame_of(problem.rows, problem.trees)
    frame["died"] = died
    attributes: dict[str, Any] = {
        name: {
            "role": "quasi", "hierarchy": tree, "weight": weight, "min_level": low, "max_level": high,
        }
        for name, tree, weight, low, high in zip(
            names_of(problem.trees), hierarchies_of(problem.trees), problem.weights, problem.low,
            problem.high, strict=True,
        )
    }  # fmt: skip
    attributes["died"] = {"role": "insensitive"}
    data = {"rows_are_people": True}
    if persons is not None:
        frame["id"] = [f"p{person}" for person in persons]
        attributes["id"], data = {"role": "identifying"}, {"id": "id"}
    policy = Policy(
        data=data,
        attributes=attributes,
        risk=[{"model": "k-anonymity", "k": problem.k}],
        utility={"aggregate": problem.aggregate},
        keep=[{"where": where, "at_least": share} for where, share in groups.items()],
    )
    read = Problem.read(frame, policy, warn=False)
    return read.with_suppression_limit(problem.suppression_limit)


def members(problem: oracle.Problem, died: list[str], where: str) -> list[int]:
    """List the rows of a group."""
    if where == "died = 1":
        return [row for row, cell in enumerate(died) if cell == "1"]
    return [row for row, cells in enumerate(problem.rows) if cells[0] != "v0"]


def every_release(
    problem: oracle.Problem, died: list[str], persons: Any, groups: Any
) -> Iterator[tuple[float, oracle.Levels]]:
    """Go through every scheme with every subset of the records that meets all that is asked."""
    whose = persons or range(len(problem.rows))
    for levels in problem.schemes():
        looks = [oracle.generalize(row, problem.trees, levels) for row in problem.rows]
        for keeps in itertools.product((True, False), repeat=len(looks)):
            left = [row for row, stays in enumerate(keeps) if stays]
            if len(looks) - len(left) > problem.suppression_limit:
                continue
            crowds = [
                {whose[r] for r in left if looks[r] == look} for look in {looks[r] for r in left}
            ]
            if any(len(crowd) < problem.k for crowd in crowds):
                continue
            counts = [
                (len({whose[r] for r in rows}), len({whose[r] for r in rows if keeps[r]}), share)
                for where, share in groups.items()
                for rows in [members(problem, died, where)]
            ]
            if all(stay >= Fraction(str(share)) * size for size, stay, share in counts):
                gone = frozenset(range(len(looks))) - frozenset(left)
                yield oracle.loss(problem, levels, gone), levels


@settings(max_examples=25)
@given(drawn=kept())
def test_the_optimum_is_that_of_all_schemes_and_all_subsets_of_records(drawn: Any) -> None:
    asked = put(*drawn)
    found = search(asked.evaluator, asked.lattice).best
    best = min((loss for loss, _ in every_release(*drawn)), default=None)
    assert (found is None) == (best is None)
    if found is not None and best is not None:
        assert math.isclose(found.loss, best, abs_tol=1e-12)


@settings(max_examples=20)
@given(drawn=kept(max_rows=20, max_attributes=3))
def test_what_is_said_of_groups_is_so_and_proven(drawn: Any) -> None:
    problem, died, persons, groups = drawn
    asked = put(*drawn)
    whose = persons or range(len(problem.rows))
    expected = search_exhaustively(asked.evaluator, asked.lattice).best
    if expected is None:
        with pytest.raises(InfeasibleError, match=r"keeps|suppression limit"):
            anonymize(asked)
        return
    solution = anonymize(asked)
    assert (expected.scheme, expected.loss) == (tuple(solution.scheme.values()), solution.loss)
    gone = solution.outcome.suppressed[solution.outcome.classes.label_of_tuple]
    stays = ~gone[asked.microdata.tuple_of_row]
    for found, (where, share) in zip(solution.groups, groups.items(), strict=True):
        rows = members(problem, died, where)
        size, left = ({whose[r] for r in part} for part in (rows, [r for r in rows if stays[r]]))
        assert (found.size, found.kept) == (len(size), len(left))
        assert found.kept >= Fraction(str(share)) * found.size
        kept_by_any = []
        for levels in problem.schemes():
            outcome = asked.outcome(levels)
            there = ~outcome.suppressed[outcome.classes.label_of_tuple][
                asked.microdata.tuple_of_row
            ]
            kept_by_any.append(len({whose[r] for r in rows if there[r]}))
        assert found.size - found.gone_anyway == max(kept_by_any)
    result = proven(asked)
    assert result is not None
    case, proof = result
    check(parse_proof(proof.describe()), case)


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=4)
@given(
    problem=problems(max_attributes=3),
    values=st.lists(st.sampled_from(VALUES), min_size=25, max_size=25),
    share=SHARES,
)
def test_every_model_finds_and_proves_the_best_that_keeps_a_group(
    name: str, problem: oracle.Problem, values: list[str], share: float
) -> None:
    rows = len(problem.rows)
    assume({"a", "b"} & {*values[:rows]})
    keep = [{"where": "s in (a, b)", "at_least": share}]
    try:
        given_problem = asked(problem, MODELS[name], None, values[:rows], keep=keep)
    except PolicyError:  # the table does not fit the model
        return
    evaluator, lattice = given_problem.evaluator, given_problem.lattice
    best = None
    free = replace(evaluator, groups=())
    for scheme in lattice:
        outcome = free.outcome(scheme)
        there = ~outcome.suppressed[outcome.classes.label_of_tuple]
        stays = there[given_problem.microdata.tuple_of_row]
        member = [value in ("a", "b") for value in values[:rows]]
        left = sum(a and b for a, b in zip(stays.tolist(), member, strict=True))
        enough = left >= Fraction(str(share)) * sum(member)
        if outcome.evaluation.feasible and enough and (best is None or outcome.rank < best[0]):
            best = outcome.rank, scheme
    found = search(evaluator, lattice).best
    assert (found is None) == (best is None)
    if found is None or best is None:
        return
    assert abs(found.loss - best[0][0]) <= 1e-12
    if all(model.exact for model in given_problem.models):
        result = proven(given_problem)
        assert result is not None
        check(result[1], result[0])


PEOPLE = pd.DataFrame(
    {
        "age": ["30", "30", "30", "31", "40", "40", "40", "50"],
        "died": ["0", "0", "0", "1", "0", "0", "0", "1"],
    }
)
AGES = {"30": ["30-39", "*"], "31": ["30-39", "*"], "40": ["40+", "*"], "50": ["40+", "*"]}


def keeping(at_least: float | None, **attribute: Any) -> dict[str, Any]:
    """Return a policy that keeps the dead."""
    age = {"role": "quasi", "hierarchy": "age.csv", **attribute}
    keep = [] if at_least is None else [{"where": "died = 1", "at_least": at_least}]
    return {
        "attributes": {"age": age, "died": {"role": "insensitive"}},
        "risk": [{"model": "k-anonymity", "k": 3}],
        "keep": keep,
    }


@pytest.fixture
def policy_of(tmp_path):
    """Write the hierarchy, and return what makes policies beside it."""
    rows = [";".join([age, *above]) for age, above in AGES.items()]
    (tmp_path / "age.csv").write_text("\n".join(rows) + "\n")
    return lambda *given, **more: Policy(**keeping(*given, **more), folder=tmp_path)


def test_a_limit_on_what_is_lost_of_a_group_costs_as_much_as_it_must(policy_of) -> None:
    free = anonymize(PEOPLE, policy_of(None))
    some, every = anonymize(PEOPLE, policy_of(0.5)), anonymize(PEOPLE, policy_of(1.0))
    assert free.groups == ()
    assert "keep" not in free.describe()
    assert (some.groups[0].kept, every.groups[0].kept) == (2, 2)
    assert free.loss < some.loss == every.loss
    assert every.describe()["keep"] == [
        {"where": "died = 1", "at_least": 1.0, "size": 2, "least": 2, "kept": 2, "gone_anyway": 0,
         "counted": "records"}
    ]  # fmt: skip


def test_where_no_scheme_keeps_enough_the_error_names_the_group_and_what_is_within_reach(
    policy_of,
) -> None:
    with pytest.raises(InfeasibleError) as raised:
        anonymize(PEOPLE, policy_of(0.5, max_level=0))
    assert str(raised.value) == (
        "k-anonymity with k = 3 cannot be met with the groups of [[keep]]: the coarsest scheme the "
        "policy allows keeps 0 of 2 records with died = 1 (0 %), below the 50.0 % of at_least, and no "
        "scheme keeps more than 0 %; lower at_least, raise max_level, or loosen the models."
    )
    with pytest.raises(InfeasibleError, match="this scheme keeps 0 of 2 records with died = 1"):
        apply(PEOPLE, policy_of(0.5), {"age": 0})
    with pytest.raises(InfeasibleError, match=r"with the groups of \[\[keep\]\] kept"):
        frontier(PEOPLE, policy_of(0.5, max_level=0), [3, 4])


def test_a_frontier_keeps_the_group_at_every_threshold(policy_of) -> None:
    curve = frontier(PEOPLE, policy_of(1.0), [2, 3, 4])
    for point in curve.points:
        solution = curve.solution_at(point)
        assert solution.groups[0].is_kept
        alone = anonymize(
            Problem.read(PEOPLE, policy_of(1.0)).with_models(*solution.problem.models)
        )
        assert (alone.scheme, alone.loss) == (solution.scheme, solution.loss)
    assert [point.value for point in curve.points] == [2, 3, 4]


def test_a_condition_that_nobody_meets_is_warned_of(policy_of) -> None:
    with_nobody = Policy(
        **{**dict(policy_of(None)), "keep": [{"where": "died = 7", "at_least": 0.9}]}
    )
    with pytest.warns(match="no record has died = 7"):
        anonymize(PEOPLE, with_nobody)


def test_a_proof_names_the_group_of_which_too_many_go() -> None:
    keep = [{"where": "s = c", "at_least": 0.95}]
    free = replace(SMALL, suppression_limit=len(SMALL.rows))
    result = proven(asked(free, [{"model": "k-anonymity", "k": 4}], None, CYCLE, keep=keep))
    assert result is not None
    case, proof = result
    named = [closed for *_, closed in proof.boxes() if closed.reason == "infeasible"]
    assert {closed.group for closed in named} == {"s = c"}
    check(proof, case)
    for wrong in (None, "s = a", 3):
        spoiled = proof.describe()
        spoil(spoiled["tree"], wrong)
        with pytest.raises(ProofError):
            check(parse_proof(spoiled), case)
    weaker = replace(case, groups=(replace(case.groups[0], share=Fraction(1, 100)),))
    with pytest.raises(ProofError):
        check(proof, weaker)
    without = proven(asked(free, [{"model": "k-anonymity", "k": 4}], None, CYCLE))
    assert without is not None
    with pytest.raises(ProofError, match="must be kept"):
        check(without[1], case)


CYCLE = [VALUES[at % 3] for at in range(len(SMALL.rows))]


def spoil(node: list[Any], group: Any) -> None:
    """Name another group in a tree."""
    if node[0] == "infeasible":
        node[2:] = [] if group is None else [group]
    for part in node[3] if node[0] == "cut" else ():
        spoil(part, group)
