from __future__ import annotations

import itertools

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from anonymizer.evaluate import Evaluation, Evaluator
from anonymizer.lattice import Lattice, Scheme
from anonymizer.search.memory import Memory
from anonymizer.search.result import TIE, choose
from anonymizer.utility import Aggregate, Loss
from tests.oracle import Problem
from tests.search.test_result import evaluation
from tests.strategies import evaluator_of, lattice_of, problems


@st.composite
def memories(draw: st.DrawFn) -> tuple[Memory, Evaluator, Lattice]:
    """Draw a problem, and evaluate the coarsest scheme and some others."""
    problem: Problem = draw(problems(max_attributes=3, max_rows=12))
    evaluator, lattice = evaluator_of(problem), lattice_of(problem)
    some = draw(st.lists(st.sampled_from(list(lattice)), max_size=12))
    memory = Memory(evaluator.measure)
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


def could_win(found: Evaluation, memory: Memory) -> bool:
    return found.feasible and found.loss <= memory.best_loss + TIE / 2


@settings(max_examples=300)
@given(memories(), st.data())
def test_tightening_drops_no_scheme_that_could_still_win(
    known: tuple[Memory, Evaluator, Lattice], data: st.DataObject
) -> None:
    memory, evaluator, lattice = known
    box = data.draw(boxes(lattice))
    kept, by, bound = memory.tighten(box)
    assert kept.low == box.low
    assert kept.high in box
    out = bound > memory.limit
    assert 0 <= by < len(memory)
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
    known: tuple[Memory, Evaluator, Lattice], data: st.DataObject
) -> None:
    memory, evaluator, lattice = known
    assume(memory.best is not None)
    box, by, bound = memory.tighten(data.draw(boxes(lattice)))
    assume(bound <= memory.limit)
    if memory.loses_tie(box, by, bound):
        rivals = [evaluator.evaluate(scheme) for scheme in box]
        chosen = choose([*rivals, memory.best])
        assert chosen is not None
        assert chosen.scheme == memory.best.scheme


@given(memories(), st.data())
def test_branching_parts_a_box_in_two(
    known: tuple[Memory, Evaluator, Lattice], data: st.DataObject
) -> None:
    memory, _, lattice = known
    assume(memory.best is not None)
    box = data.draw(boxes(lattice))
    assume(box.size > 1)
    _, by, bound = memory.tighten(box)
    assume(bound <= memory.limit)
    below, above = memory.branch(box, by)
    assert sorted([*below, *above]) == list(box)
    assert above.high == box.high
    assert below.low == box.low


@given(memories(), st.data())
def test_it_counts_the_evaluated_schemes_in_a_box(
    known: tuple[Memory, Evaluator, Lattice], data: st.DataObject
) -> None:
    memory, _, lattice = known
    box = data.draw(boxes(lattice))
    assert memory.count(box) == sum(scheme in memory for scheme in box)
    assert memory.count(lattice) == len(memory)


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
    memory = Memory(Loss(Aggregate.GEOMETRIC, (1.0, 1.0)))
    evaluations = [evaluation(*case) for case in cases]
    for each in evaluations:
        memory.add(each)
    assert memory.best is choose(evaluations)


def test_it_remembers_more_schemes_than_it_first_has_room_for() -> None:
    memory = Memory(Loss(Aggregate.ARITHMETIC, (1.0, 1.0, 1.0)))
    box = Lattice((0, 0, 0), (8, 8, 8))
    schemes = list(box)
    for number, scheme in enumerate(schemes):
        memory.add(evaluation(number, number, scheme))
    assert len(memory) == len(schemes) == 729
    assert memory.count(box) == 729
    assert all(scheme in memory for scheme in schemes)
    corners = itertools.product((0, 8), repeat=3)
    assert all(memory.schemes[memory.index[corner]].tolist() == [*corner] for corner in corners)
