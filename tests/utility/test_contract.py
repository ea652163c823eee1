"""What the search assumes of every measure, with every risk model; a new measure needs an oracle."""

from __future__ import annotations

import dataclasses
import itertools
import pickle
from collections import ChainMap

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anonymizer.evaluation.evaluate import Evaluation, Evaluator
from anonymizer.evaluation.suppression import Suppression
from anonymizer.lattice import Scheme
from anonymizer.risk import Binding, RiskModel
from anonymizer.table.classes import partition
from anonymizer.table.microdata import Microdata
from anonymizer.utility import (
    EVEN,
    MEASURES,
    Aggregate,
    Measure,
    Released,
    make_measure,
    parameters_of,
)
from anonymizer.utility.aggregate import POWER
from anonymizer.utility.loss import appraise_steps
from tests.oracle import Problem, suppressed_rows
from tests.risk.test_contract import ALL, table_of
from tests.strategies import microdata_of, models_of, problems
from tests.utility.oracle import ORACLES, VARIANTS

ONE_LEAF = {"x": ("x", "x")}
SIZES = {"S": ("S", "small", "*"), "M": ("M", "large", "*"), "L": ("L", "large", "*")}
NO_ROOM = 1e-12
"""The search takes losses that differ by less for equal."""


EVERY = ChainMap[str, object](MEASURES, VARIANTS)  # type: ignore[arg-type]
"""All measures, also those that are registered later, and what parameters make of them."""
NOT_IN_A_RELEASE = ("entropy", "ambiguity", "kl-divergence")
"""What cannot be computed from a release alone."""


def made(name: str, aggregate: str, weights: tuple[float, ...]) -> Measure:
    given = {"aggregate": aggregate, "factor": 0.5, **VARIANTS.get(name, {})}
    given["aggregate"] = Aggregate(given["aggregate"])
    return make_measure(name.split(",")[0], weights=weights, **given)


def measure_of(name: str, problem: Problem) -> Measure:
    return made(name, problem.aggregate, problem.weights)


def factor_of(name: str) -> float:
    return float(VARIANTS.get(name, {}).get("factor", 0.5))


def is_loose(name: str) -> bool:
    """Whether the bound of a measure is lower than the loss even at the scheme itself."""
    return "maximum" in name


def evaluator_for(name: str, problem: Problem, models: list[RiskModel]) -> Evaluator:
    measure = measure_of(name, problem)
    return Evaluator(table_of(problem), models, measure, problem.suppression_limit)


def bound_of(evaluator: Evaluator, coarser: Evaluation, scheme: Scheme, floor: float) -> float:
    """The bound on the loss of a scheme, as the search adds it up."""
    total = 0.0
    for attribute, level in enumerate(scheme):
        total += float(coarser.terms[attribute, level])
    return evaluator.measure.aggregate.of_terms(total + floor)


def below(scheme: Scheme) -> list[Scheme]:
    return list(itertools.product(*(range(level + 1) for level in scheme)))


@pytest.mark.parametrize("name", EVERY)
def test_every_measure_has_an_oracle_and_is_called_by_its_name(name: str) -> None:
    assert name in ORACLES
    assert made(name, "geometric", (1.0,)).name == name.split(",")[0]


@pytest.mark.parametrize("name", EVERY)
def test_it_is_a_frozen_value_that_can_be_saved(name: str) -> None:
    measure = made(name, "arithmetic", (1.0, 0.5))
    assert pickle.loads(pickle.dumps(measure)) == measure
    assert hash(dataclasses.replace(measure)) == hash(measure)  # type: ignore[type-var]
    assert not hasattr(measure, "__dict__")
    if "weights" in parameters_of(name.split(",")[0]):
        with pytest.raises(ValueError, match="weights must be finite"):
            made(name, "arithmetic", (-1.0,))


@pytest.mark.parametrize("name", EVERY)
@settings(max_examples=35)
@given(problem=problems(max_attributes=3, max_rows=15, limits=True))
@example(Problem((("x",),), (ONE_LEAF,), k=2))
@example(Problem((("S", "x"), ("M", "x")), (SIZES, ONE_LEAF), k=2))
def test_every_scheme_is_evaluated_as_the_oracle_does(name: str, problem: Problem) -> None:
    microdata, models = microdata_of(problem.rows, problem.trees), models_of(problem)
    evaluator = Evaluator(microdata, models, measure_of(name, problem), problem.suppression_limit)
    for scheme in problem.schemes():
        expected = ORACLES[name](problem, scheme, suppressed_rows(problem, scheme))
        found = evaluator.evaluate(scheme)
        assert found.loss == pytest.approx(
            expected, abs=NO_ROOM if name == "kl-divergence" else 1e-13
        )
        assert found.quality == 1 - found.loss


@pytest.mark.soak
@pytest.mark.parametrize("model", ALL, ids=str)
@pytest.mark.parametrize("name", EVERY)
@settings(max_examples=4)
@given(problem=problems(max_attributes=2, max_rows=15, ranges=False))
def test_no_bound_exceeds_a_loss_or_falls_with_the_level(
    name: str, model: RiskModel, problem: Problem
) -> None:
    assert_bounds_hold(evaluator_for(name, problem, [model]), problem)


@pytest.mark.parametrize("model", ALL, ids=str)
@settings(max_examples=4)
@given(
    problem=problems(max_attributes=2, max_rows=15, ranges=False), name=st.sampled_from([*EVERY])
)
def test_no_bound_of_some_measure_exceeds_a_loss_with_any_model(
    model: RiskModel, problem: Problem, name: str
) -> None:
    assert_bounds_hold(evaluator_for(name, problem, [model]), problem)


@pytest.mark.parametrize("name", EVERY)
@settings(max_examples=40)
@given(
    problem=problems(max_attributes=2, max_rows=25, ranges=False),
    models=st.lists(st.sampled_from(ALL), min_size=1, max_size=3),
)
def test_nor_with_several_models(name: str, problem: Problem, models: list[RiskModel]) -> None:
    assert_bounds_hold(evaluator_for(name, problem, models), problem)


def assert_bounds_hold(evaluator: Evaluator, problem: Problem) -> None:
    """Check every scheme between two others."""
    evaluations = {scheme: evaluator.evaluate(scheme) for scheme in problem.schemes()}
    for coarse, coarser in evaluations.items():
        for attribute, top in enumerate(coarse):
            terms = coarser.terms[attribute, : top + 1]
            assert (np.diff(terms) >= -NO_ROOM).all()
        for scheme in below(coarse):
            loss = evaluations[scheme].loss
            floors = [evaluations[finer].floor for finer in below(scheme)]
            assert max(floors) == pytest.approx(evaluations[scheme].floor, abs=NO_ROOM)
            assert bound_of(evaluator, coarser, scheme, max(floors)) <= loss + NO_ROOM


@st.composite
def bindings(draw: st.DrawFn) -> tuple[Problem, Microdata, Scheme, Scheme, Suppression]:
    """Draw a scheme with what must go at it, all but some records, and a finer one that obeys."""
    problem = draw(problems(max_attributes=3, max_rows=15, ranges=False))
    microdata = microdata_of(problem.rows, problem.trees)
    coarse = tuple(draw(st.integers(0, top)) for top in problem.high)
    fine = tuple(draw(st.integers(0, level)) for level in coarse)
    upper, lower = partition(microdata, coarse), partition(microdata, fine)
    marked = np.array([draw(st.booleans()) for _ in upper.sizes])
    must_go = marked[upper.label_of_tuple[lower.first_tuple]]
    suppressed = must_go | np.array([draw(st.booleans()) for _ in lower.sizes])
    spared_classes = must_go & np.array([draw(st.booleans()) for _ in lower.sizes])
    suppressed &= ~spared_classes
    more = draw(st.integers(0, 3))
    binding = Binding(marked, int(lower.sizes[spared_classes].sum()) + more)
    return problem, microdata, coarse, fine, Suppression(lower, suppressed, binding)


@pytest.mark.parametrize("name", EVERY)
@settings(max_examples=80)
@given(drawn=bindings())
def test_whatever_is_binding_and_whoever_is_spared_the_bound_holds(
    name: str, drawn: tuple[Problem, Microdata, Scheme, Scheme, Suppression]
) -> None:
    problem, microdata, coarse, fine, suppression = drawn
    measure = measure_of(name, problem)
    upper, lower = partition(microdata, coarse), partition(microdata, fine)
    nothing = np.zeros(upper.sizes.size, np.bool_)
    above = measure.appraise(microdata, upper, nothing, suppression.binding)
    suppressed = suppression.suppressed
    found = measure.appraise(microdata, lower, suppressed, Binding(suppressed))
    total = sum(float(above.terms[a, level]) for a, level in enumerate(fine)) + found.floor
    assert measure.aggregate.of_terms(total) <= found.loss + NO_ROOM
    for attribute, top in enumerate(coarse):
        assert (np.diff(above.terms[attribute, : top + 1]) >= -NO_ROOM).all()


@settings(max_examples=100)
@given(
    problem=problems(max_attributes=3, ranges=False), least=st.sets(st.integers(1, 6), min_size=1)
)
def test_steps_are_appraised_together_as_one_by_one(problem: Problem, least: set[int]) -> None:
    microdata = microdata_of(problem.rows, problem.trees)
    measure = measure_of("loss", problem).cover
    assert measure is not None
    for scheme in (problem.low, problem.high):
        classes = partition(microdata, scheme)
        step_of_class = np.searchsorted(sorted(least), classes.sizes, side="right")
        together = appraise_steps(measure, microdata, classes, step_of_class, len(least))
        for size, found in zip(sorted(least), together, strict=True):
            small = classes.sizes < size
            alone = measure.appraise(microdata, classes, small, Binding(small))
            assert (found.loss, found.floor) == (alone.loss, alone.floor)
            for attribute, top in enumerate(scheme):
                terms = found.terms[attribute, : top + 1]
                assert terms.tolist() == alone.terms[attribute, : top + 1].tolist()


@pytest.mark.parametrize("name", EVERY)
@settings(max_examples=35)
@given(problem=problems(max_attributes=3, max_rows=15, ranges=False))
def test_a_bound_is_tight_where_everything_suppressed_is_binding(
    name: str, problem: Problem
) -> None:
    microdata, measure = microdata_of(problem.rows, problem.trees), measure_of(name, problem)
    for scheme in (problem.low, problem.high):
        classes = partition(microdata, scheme)
        small = classes.sizes < problem.k
        found = measure.appraise(microdata, classes, small, Binding(small))
        total = sum(float(found.terms[a, level]) for a, level in enumerate(scheme))
        bound = measure.aggregate.of_terms(total + found.floor)
        if name == "kl-divergence":
            assert bound <= found.loss + NO_ROOM
        elif is_loose(name):
            assert bound >= found.loss * len(scheme) ** (-1 / POWER) - NO_ROOM
        else:
            assert bound == pytest.approx(found.loss, abs=1e-13)


@pytest.mark.parametrize("name", EVERY)
@settings(max_examples=35)
@given(problem=problems(ranges=False))
def test_the_loss_is_0_to_1_and_all_of_it_when_everything_is_suppressed(
    name: str, problem: Problem
) -> None:
    problem = dataclasses.replace(problem, weights=(1.0,) * len(problem.trees))
    microdata, measure = microdata_of(problem.rows, problem.trees), measure_of(name, problem)
    for scheme in (problem.low, problem.high):
        classes = partition(microdata, scheme)
        some = classes.sizes < problem.k
        everything = np.ones(classes.sizes.size, np.bool_)
        partly, wholly = (
            measure.appraise(microdata, classes, gone, Binding(gone)).loss
            for gone in (some, everything)
        )
        assert 0 <= partly <= wholly + NO_ROOM <= 1 + 2 * NO_ROOM
        everywhere = all(len(set(column)) > 1 for column in zip(*problem.rows, strict=True))
        if name == "kl-divergence":
            assert wholly in (0, pytest.approx(1, abs=NO_ROOM))  # 0 where all is spread evenly
        elif everywhere and factor_of(name) >= EVEN:
            assert wholly == pytest.approx(1, abs=NO_ROOM)


@pytest.mark.parametrize("name", EVERY)
@given(loss=st.floats(0, 10))
def test_terms_and_loss_are_inverse(name: str, loss: float) -> None:
    for aggregate in Aggregate:
        measure = made(name, aggregate, (1.0,))
        assert measure.aggregate.of_terms(measure.aggregate.to_terms(loss)) == pytest.approx(
            loss, abs=1e-12
        )
        assert measure.aggregate.of_terms(measure.aggregate.most) == pytest.approx(1)


@pytest.mark.parametrize("name", EVERY)
@settings(max_examples=35)
@given(problem=problems(ranges=False))
def test_a_release_tells_the_loss_or_the_measure_says_that_it_does_not(
    name: str, problem: Problem
) -> None:
    microdata, measure = microdata_of(problem.rows, problem.trees), measure_of(name, problem)
    classes = partition(microdata, problem.high)
    small = classes.sizes < problem.k
    kept = np.flatnonzero(~small[classes.label_of_tuple]).astype(np.int32)
    levels = np.array(problem.high)
    sums, _ = microdata.sum_covered(kept, microdata.lattice)
    covered = sums[range(levels.size), problem.high]
    released = Released(
        microdata.records,
        classes.sizes[~small],
        levels,
        np.array([column.hierarchy.height for column in microdata.columns]),
        microdata.domain.sizes,
        covered,
        microdata.domain.least,
    )
    found = measure.of_release(released)
    if name.split(",")[0] in NOT_IN_A_RELEASE or (factor_of(name) < EVEN and small.any()):
        assert found is None
        return
    assert found is not None
    expected = measure.appraise(microdata, classes, small, Binding(small)).loss
    assert found[0] == pytest.approx(expected, abs=1e-14)
    assert found[1] == pytest.approx(measure.attribute_losses(microdata, classes, small), abs=1e-14)
