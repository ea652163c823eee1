from __future__ import annotations

import operator

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from anonymizer.evaluation.evaluate import Evaluation, Evaluator
from anonymizer.lattice import Lattice, Scheme
from anonymizer.search.box import Box
from anonymizer.search.evaluated import Evaluated
from anonymizer.search.result import TIE, choose
from anonymizer.utility import Aggregate, Loss
from tests.oracle import Problem
from tests.search.test_result import evaluation
from tests.strategies import evaluator_of, lattice_of, problems


@st.composite
def memories(draw: st.DrawFn) -> tuple[Evaluated, Evaluator, Lattice]:
    """Draw a problem, and evaluate the coarsest scheme and some others."""
    problem: Problem = draw(problems(max_attributes=3, max_rows=12))
    evaluator, lattice = evaluator_of(problem), lattice_of(problem)
    some = draw(st.lists(st.sampled_from(list(lattice)), max_size=12))
    memory = Evaluated(evaluator.measure)
    for scheme in dict.fromkeys([lattice.high, *some]):
        memory.add(evaluator.evaluate(scheme))
    return memory, evaluator, lattice


def boxes(lattice: Lattice) -> st.SearchStrategy[Lattice]:
    pairs = st.tuples(
        *(
            st.tuples(st.integers(low, high), st.integers(low, high)).map(sorted)
            for low, high in zip(lattice.low, lattice.high, strict=True)
        )
    )
    return pairs.map(lambda p: Lattice(tuple(a for a, _ in p), tuple(b for _, b in p)))


def bounding(memory: Evaluated, box: Lattice) -> st.SearchStrategy[Evaluation | None]:
    """Draw one of the evaluated schemes that are coarser than a box, or none."""
    coarser = [e for e in memory.recent if all(map(operator.ge, e.scheme, box.high))]
    return st.sampled_from([None, *coarser])


def could_win(found: Evaluation, memory: Evaluated) -> bool:
    return found.feasible and found.loss <= memory.best_loss + TIE / 2


@settings(max_examples=300)
@given(memories(), st.data())
def test_tightening_drops_no_scheme_that_could_still_win(
    known: tuple[Evaluated, Evaluator, Lattice], data: st.DataObject
) -> None:
    memory, evaluator, lattice = known
    box = data.draw(boxes(lattice))
    found = memory.tighten(Box(box, 0.0, data.draw(bounding(memory, box))))
    kept, bound = found.schemes, found.bound
    assert kept.low == box.low
    assert kept.high in box
    out = bound > memory.limit
    assert found.by is not None
    for scheme in box:
        found = evaluator.evaluate(scheme)
        if could_win(found, memory):
            assert not out
            assert scheme in kept
        if scheme in kept and not out and found.feasible:
            assert evaluator.measure.of_terms(bound) <= found.loss + 1e-14


@settings(max_examples=300)
@given(memories(), st.data())
def test_a_box_that_loses_the_tie_holds_no_scheme_that_would_be_chosen(
    known: tuple[Evaluated, Evaluator, Lattice], data: st.DataObject
) -> None:
    memory, evaluator, lattice = known
    assume(memory.best is not None)
    box = memory.tighten(Box(data.draw(boxes(lattice)), 0.0, None))
    assume(box.bound <= memory.limit)
    if memory.loses_tie(box):
        rivals = [evaluator.evaluate(scheme) for scheme in box.schemes]
        chosen = choose([*rivals, memory.best])
        assert chosen is not None
        assert chosen.scheme == memory.best.scheme


@given(memories(), st.data())
def test_a_box_knows_which_of_its_schemes_are_evaluated(
    known: tuple[Evaluated, Evaluator, Lattice], data: st.DataObject
) -> None:
    memory, _, lattice = known
    schemes = data.draw(boxes(lattice))
    whole = Box(lattice, 0.0, None, tuple(memory.known)).part(schemes)
    tightened = memory.tighten(whole)
    for box in (whole, tightened, *whole.without_low()):
        assert set(box.evaluated) == {scheme for scheme in box.schemes if scheme in memory}
        assert box.unevaluated == sum(scheme not in memory for scheme in box.schemes)


@given(
    st.lists(
        st.tuples(
            st.integers(0, 30).map(lambda n: 0.5 + n * 1.3e-13),
            st.integers(0, 2),
            st.tuples(st.integers(0, 3), st.integers(0, 3)),
            st.booleans(),
        ),
        unique_by=lambda case: case[2],
    )
)
def test_the_best_is_the_one_chosen_from_all_whatever_their_order(
    cases: list[tuple[float, int, Scheme, bool]],
) -> None:
    memory = Evaluated(Loss(Aggregate.GEOMETRIC, (1.0, 1.0)))
    evaluations = [evaluation(*case) for case in cases]
    for each in evaluations:
        memory.add(each)
    assert memory.best is choose(evaluations)


def test_it_remembers_more_schemes_than_it_first_has_room_for() -> None:
    memory = Evaluated(Loss(Aggregate.ARITHMETIC, (1.0, 1.0, 1.0)))
    schemes = list(Lattice((0, 0, 0), (8, 8, 8)))
    for number, scheme in enumerate(schemes):
        memory.add(evaluation(number, number, scheme))
    assert len(memory) == len(schemes) == 729
    assert all(scheme in memory for scheme in schemes)
    assert [tuple(row) for row in memory.schemes[:729].tolist()] == schemes


def test_the_oldest_evaluations_give_way_but_bound_the_boxes_that_hold_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("anonymizer.search.evaluated.RECENT", 2)
    memory = Evaluated(Loss(Aggregate.ARITHMETIC, (1.0,)))
    oldest = evaluation(0.9, 0, (8,))
    oldest.terms[:] = 0.5
    for each in (oldest, evaluation(0.8, 0, (7,)), evaluation(0.7, 0, (6,))):
        memory.add(each)
    assert [e.scheme for e in memory.recent] == [(6,), (7,)]
    assert (8,) in memory
    box = Lattice((0,), (8,))
    assert memory.tighten(Box(box, 0.0, None)).by is None
    held = memory.tighten(Box(box, 0.0, oldest))
    assert (held.by, held.bound) == (oldest, 0.5)
