from __future__ import annotations

import operator

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from anonymizer.evaluation.evaluate import Evaluation, Evaluator
from anonymizer.lattice import Lattice, Scheme
from anonymizer.search import evaluated as module
from anonymizer.search.box import Box
from anonymizer.search.evaluated import Evaluated
from anonymizer.search.params import SearchParams
from anonymizer.search.result import TIE, choose
from anonymizer.utility import Aggregate, Loss
from tests.oracle import Problem
from tests.search.test_result import evaluation
from tests.strategies import evaluator_of, lattice_of, problems


@st.composite
def evaluated_schemes(draw: st.DrawFn) -> tuple[Evaluated, Evaluator, Lattice]:
    """Draw a problem, and evaluate the coarsest scheme and some others."""
    problem: Problem = draw(problems(max_attributes=3, max_rows=12))
    evaluator, lattice = evaluator_of(problem), lattice_of(problem)
    some = draw(st.lists(st.sampled_from(list(lattice)), max_size=12))
    evaluated = Evaluated(evaluator.measure, SearchParams())
    for scheme in dict.fromkeys([lattice.high, *some]):
        evaluated.add(evaluator.evaluate(scheme))
    return evaluated, evaluator, lattice


def boxes(lattice: Lattice) -> st.SearchStrategy[Lattice]:
    pairs = st.tuples(
        *(
            st.tuples(st.integers(low, high), st.integers(low, high)).map(sorted)
            for low, high in zip(lattice.low, lattice.high, strict=True)
        )
    )
    return pairs.map(lambda p: Lattice(tuple(a for a, _ in p), tuple(b for _, b in p)))


def bounding(evaluated: Evaluated, box: Lattice) -> st.SearchStrategy[Evaluation | None]:
    """Draw one of the evaluated schemes that are coarser than a box, or none."""
    coarser = [e for e in evaluated.recent if all(map(operator.ge, e.scheme, box.high))]
    return st.sampled_from([None, *coarser])


def could_win(found: Evaluation, evaluated: Evaluated) -> bool:
    return found.feasible and found.loss <= evaluated.best_loss + TIE / 2


@settings(max_examples=300)
@given(evaluated_schemes(), st.data())
def test_tightening_drops_no_scheme_that_could_still_win(
    known: tuple[Evaluated, Evaluator, Lattice], data: st.DataObject
) -> None:
    evaluated, evaluator, lattice = known
    box = data.draw(boxes(lattice))
    found = evaluated.tighten(Box(box, 0.0, data.draw(bounding(evaluated, box))))
    kept, bound = found.schemes, found.bound
    assert kept.low == box.low
    assert kept.high in box
    out = bound > evaluated.cutoff
    assert found.bounding is not None
    for scheme in box:
        found = evaluator.evaluate(scheme)
        if could_win(found, evaluated):
            assert not out
            assert scheme in kept
        if scheme in kept and not out and found.feasible:
            assert evaluator.measure.aggregate.of_terms(bound) <= found.loss + 1e-14


@settings(max_examples=300)
@given(evaluated_schemes(), st.data())
def test_a_box_that_loses_the_tie_holds_no_scheme_that_would_be_chosen(
    known: tuple[Evaluated, Evaluator, Lattice], data: st.DataObject
) -> None:
    evaluated, evaluator, lattice = known
    assume(evaluated.best is not None)
    box = evaluated.tighten(Box(data.draw(boxes(lattice)), 0.0, None))
    assume(box.bound <= evaluated.cutoff)
    if evaluated.loses_tie(box):
        rivals = [evaluator.evaluate(scheme) for scheme in box.schemes]
        chosen = choose([*rivals, evaluated.best])
        assert chosen is not None
        assert chosen.scheme == evaluated.best.scheme


@given(evaluated_schemes(), st.data())
def test_a_box_knows_which_of_its_schemes_are_evaluated(
    known: tuple[Evaluated, Evaluator, Lattice], data: st.DataObject
) -> None:
    evaluated, _, lattice = known
    schemes = data.draw(boxes(lattice))
    whole = Box(lattice, 0.0, None, tuple(evaluated.known)).part(schemes)
    tightened = evaluated.tighten(whole)
    for box in (whole, tightened, *whole.without_low()):
        assert set(box.evaluated) == {scheme for scheme in box.schemes if scheme in evaluated}
        assert box.unevaluated == sum(scheme not in evaluated for scheme in box.schemes)


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
    evaluated = Evaluated(Loss(Aggregate.GEOMETRIC, (1.0, 1.0)), SearchParams())
    evaluations = [evaluation(*case) for case in cases]
    for each in evaluations:
        evaluated.add(each)
    assert evaluated.best is choose(evaluations)


def test_it_remembers_more_schemes_than_it_first_has_room_for() -> None:
    evaluated = Evaluated(Loss(Aggregate.ARITHMETIC, (1.0, 1.0, 1.0)), SearchParams())
    schemes = list(Lattice((0, 0, 0), (8, 8, 8)))
    for number, scheme in enumerate(schemes):
        evaluated.add(evaluation(number, number, scheme))
    assert len(evaluated) == len(schemes) == 729
    assert all(scheme in evaluated for scheme in schemes)
    assert [tuple(row) for row in evaluated.schemes[:729].tolist()] == schemes


@pytest.mark.parametrize(("most", "most_bytes"), [(2, 1 << 20), (4096, 2 * 9 * 8)])
def test_the_oldest_evaluations_give_way_but_bound_the_boxes_that_hold_them(
    monkeypatch: pytest.MonkeyPatch, most: int, most_bytes: int
) -> None:
    monkeypatch.setattr(module, "RECENT_BYTES", most_bytes)
    params = SearchParams(recent_evaluations=most)
    evaluated = Evaluated(Loss(Aggregate.ARITHMETIC, (1.0,)), params)
    oldest = evaluation(0.9, 0, (8,))
    oldest.terms[:] = 0.5
    for each in (oldest, evaluation(0.8, 0, (7,)), evaluation(0.7, 0, (6,))):
        evaluated.add(each)
    assert [e.scheme for e in evaluated.recent] == [(6,), (7,)]
    assert (8,) in evaluated
    box = Lattice((0,), (8,))
    assert evaluated.tighten(Box(box, 0.0, None)).bounding is None
    held = evaluated.tighten(Box(box, 0.0, oldest))
    assert (held.bounding, held.bound) == (oldest, 0.5)
