from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.lattice import Lattice, Scheme
from anonymizer.risk import (
    Average,
    KAnonymity,
    PUniqueness,
    RiskModel,
    SampleUniqueness,
    StrictAverage,
)
from anonymizer.risk.sizes import Sizes
from anonymizer.search import (
    SearchParams,
    subtree_bounds,
)
from anonymizer.search.subtree_bounds import (
    Covers,
    PartsLeft,
    SubtreeBounds,
    finest_uneven,
    limits_of,
    number_parts,
    pairs_of_levels,
    values_of,
)
from anonymizer.utility import MEASURES, Aggregate, make_measure
from tests.oracle import Problem
from tests.strategies import evaluator_of, lattice_of, microdata_of, problems, trees


def prepare(evaluator: Evaluator) -> SubtreeBounds | None:
    return SubtreeBounds.prepare([evaluator], SearchParams())


def sums_of(evaluator: Evaluator, lattice: Lattice) -> dict[Scheme, float]:
    """The sum of terms of every scheme; infinite where too much is suppressed."""
    found = {scheme: evaluator.evaluate(scheme) for scheme in lattice}
    return {
        scheme: evaluator.measure.aggregate.to_terms(e.loss) if e.feasible else np.inf
        for scheme, e in found.items()
    }


def check_left(found: PartsLeft, lattice: Lattice, sums: Mapping[Scheme, float]) -> list[Lattice]:
    """Every scheme is left once, in a box whose bound it reaches; return the boxes."""
    left = [
        Lattice(tuple(low), tuple(high))
        for low, high in zip(found.low.tolist(), found.high.tolist(), strict=True)
    ]
    assert Counter(itertools.chain.from_iterable(left)) == Counter(lattice)
    for box, bound in zip(left, found.bounds[:, 0].tolist(), strict=True):
        assert all(sums[scheme] >= bound - 1e-9 for scheme in box)
    return left


def check_samples(found: PartsLeft, evaluator: Evaluator) -> None:
    """What a partition is said to suppress, it suppresses."""
    for scheme, suppressed in zip(found.samples, found.sampled_suppressed, strict=True):
        assert suppressed == evaluator.evaluate(tuple(scheme.tolist())).binding_records


def wide(rows: int = 120, attributes: int = 5, seed: int = 7) -> Problem:
    """A problem with enough attributes for parts of parts."""
    random_ = random.Random(seed)
    tree = {
        str(leaf): (str(leaf), f"pair {leaf // 2}", f"half {leaf // 4}", "*") for leaf in range(8)
    }
    values = tuple(
        tuple(str(min(7, int(random_.expovariate(0.5)))) for _ in range(attributes))
        for _ in range(rows)
    )
    return Problem(values, (tree,) * attributes, k=3)


@pytest.mark.slow
@settings(max_examples=300)
@given(
    problems(),
    st.floats(0, 1),
    st.sampled_from([1, 2, 3, 5, 10, 10_000]),
    st.data(),
)
@example(wide(), 0.5, 40, None)
@example(wide(), 0.9, 10_000, None)
def test_what_is_left_is_the_box_with_true_bounds(
    problem: Problem, share: float, budget: int, data: st.DataObject | None
) -> None:
    evaluator, lattice = evaluator_of(problem), lattice_of(problem)
    prepared = prepare(evaluator)
    assert prepared is not None
    sums = sums_of(evaluator, lattice)
    target = share * max((s for s in sums.values() if s < np.inf), default=1.0)
    levels = int(prepared.task.heights.max())
    steps = -np.arange(levels) * (1.0 if data is None else data.draw(st.floats(0, 2)))
    forecast = np.tile(steps, (len(lattice.low), 1))
    found = prepared.bound(lattice, target, forecast, budget)

    left = check_left(found, lattice, sums)
    for box, bound, infeasible in zip(left, found.bounds[:, 0], found.infeasible, strict=True):
        assert bound <= target
        assert 0 <= infeasible <= sum(sums[scheme] == np.inf for scheme in box)
    if budget == 10_000 and min(sums.values()) > target + 1e-9:
        assert left == [lattice]
        assert found.bounds.tolist() == [[target]]
    if found.best_sum[0] < np.inf:
        assert found.best_sum[0] == pytest.approx(sums[tuple(found.best[0].tolist())], abs=1e-9)
    check_samples(found, evaluator)


@pytest.mark.parametrize(
    ("name", "value"), [("MAX_DEPTH", 3), ("MAX_BOXES", 12), ("CACHED_CELLS", 4)]
)
def test_short_of_memory_more_is_left_open_and_nothing_wrong(name: str, value: int) -> None:
    # compiled code keeps the constants it was compiled with, so Python runs it here
    from anonymizer.kernels import class_splitting, known_losses, least_lost, subtree_nodes
    from anonymizer.kernels import subtree_bounds as kernel

    def plain(module: ModuleType) -> dict[str, Any]:
        own = {key: getattr(each, "py_func", each) for key, each in vars(module).items()}
        return {**own, **({name: value} if name in own else {})}

    problem = wide(rows=60, attributes=3)
    evaluator, lattice = evaluator_of(problem), lattice_of(problem)
    sums = sums_of(evaluator, lattice)
    target = sorted(sums.values())[len(sums) // 3]
    prepared = prepare(evaluator)
    assert prepared is not None
    forecast = np.tile(-np.arange(4.0), (3, 1))
    with ExitStack() as stack:
        for module in (class_splitting, known_losses, least_lost, subtree_nodes, kernel):
            stack.enter_context(mock.patch.dict(vars(module), plain(module)))
        found = kernel.bound_subtree(
            prepared.task,
            prepared.workspace,
            forecast,
            np.array(lattice.low),
            np.array(lattice.high),
            0,
            0,
            np.array([target]),
            1000,
        )
    check_left(found, lattice, sums)


SNB = PUniqueness(0.05, population=10**4, estimator="snb")


@pytest.mark.parametrize("models", [[SNB], [PUniqueness(0.5, population=10**4)], []])
def test_models_that_do_not_limit_sizes_have_no_subtree_bounds(models: list[RiskModel]) -> None:
    assert prepare(replace(evaluator_of(wide()), models=models)) is None


@pytest.mark.parametrize(
    ("models", "exact"),
    [
        ([KAnonymity(2)], True),
        ([KAnonymity(2), KAnonymity(3)], True),
        ([KAnonymity(2), Average(0.3)], False),
        ([StrictAverage(k=2, threshold=0.3)], False),
        ([Average(0.3)], False),
        ([SampleUniqueness(0.1)], False),
    ],
)
def test_bounds_are_exact_where_models_ask_for_a_least_class_and_nothing_else(
    models: list[RiskModel], exact: bool
) -> None:
    prepared = prepare(replace(evaluator_of(wide()), models=models))
    assert prepared is not None
    assert prepared.exact == exact


LIMITING = [
    Average(0.3),
    Average(0.11),
    StrictAverage(k=2, threshold=0.26),
    SampleUniqueness(0.1),
    SampleUniqueness(0.0),
    PUniqueness(0.05, population=10**4),
    PUniqueness(1e-4, population=10**4),
    PUniqueness(0.01, population=10**4, estimator="zayatz"),
    PUniqueness(0.01, population=10**4, estimator="dankar"),
]


@settings(max_examples=300)
@given(
    problems(),
    st.sampled_from(LIMITING),
    st.booleans(),
    st.floats(0, 1),
    st.sampled_from([1, 1 << 20]),
)
@example(wide(), Average(0.11), False, 0.7, 1)
@example(wide(), PUniqueness(1e-4, population=10**4), False, 0.7, 1 << 20)
def test_what_sizes_say_about_finer_schemes_is_true(
    problem: Problem, model: RiskModel, beside: bool, share: float, cells: int
) -> None:
    models = [KAnonymity(max(2, problem.k)), model] if beside else [model]
    evaluator, lattice = replace(evaluator_of(problem), models=models), lattice_of(problem)
    prepared = SubtreeBounds.prepare([evaluator], SearchParams(max_subtree_cells=cells))
    if prepared is None:  # by Pitman, too few records say nothing
        assert limits_of(evaluator) == Sizes()
        return
    found = {scheme: evaluator.evaluate(scheme) for scheme in lattice}
    sums = sums_of(evaluator, lattice)
    target = share * max((s for s in sums.values() if s < np.inf), default=1.0)
    steps = np.tile(-np.arange(int(prepared.task.heights.max())), (len(lattice.low), 1)) * 0.8
    outcome = prepared.bound(lattice, target, steps, 1000)
    left = zip(
        outcome.low.tolist(), outcome.high.tolist(), outcome.bounds[:, 0].tolist(), strict=True
    )
    for low, high, bound in left:
        schemes = Lattice(tuple(low), tuple(high))
        assert all(sums[scheme] >= bound - 1e-9 for scheme in schemes)
    for highest, lost in zip(outcome.samples.tolist(), outcome.sampled_suppressed, strict=True):
        finer = (s for s in lattice if all(one <= top for one, top in zip(s, highest, strict=True)))
        assert all(found[scheme].suppressed_records >= lost for scheme in finer)


@settings(max_examples=100)
@given(problems(), st.floats(0, 1), st.integers(1, 50))
@example(wide(), 0.8, 1)
def test_a_hash_table_changes_nothing(problem: Problem, share: float, cells: int) -> None:
    evaluator, lattice = evaluator_of(problem), lattice_of(problem)
    sums = sums_of(evaluator, lattice)
    target = share * max((s for s in sums.values() if s < np.inf), default=1.0)
    prepared = SubtreeBounds.prepare([evaluator], SearchParams(max_subtree_cells=cells))
    assert prepared is not None
    steps = np.tile(-np.arange(int(prepared.task.heights.max())), (len(lattice.low), 1)) * 0.8
    found = prepared.bound(lattice, target, steps, 10_000)
    check_left(found, lattice, sums)
    check_samples(found, evaluator)


def test_a_table_is_prepared_once_for_all_searches_unless_it_takes_much_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    evaluator = evaluator_of(wide())
    other = replace(evaluator, models=[KAnonymity(4)])
    one, again = prepare(evaluator), prepare(other)
    assert one is not None
    assert again is not None
    assert one.task.parts is again.task.parts
    monkeypatch.setattr(subtree_bounds, "KEPT_BYTES", 0)
    apart = prepare(evaluator)
    assert apart is not None
    assert apart.task.parts is not one.task.parts
    assert (apart.task.parts == one.task.parts).all()


def test_of_the_measures_only_loss_has_subtree_bounds() -> None:
    evaluator = evaluator_of(wide())
    weights = (1.0,) * len(evaluator.microdata.attributes)
    given: dict[str, Any] = {"aggregate": Aggregate.ARITHMETIC, "weights": weights, "factor": 0.3}
    for name in MEASURES:  # with a factor, "loss" is a GeneralLoss
        assert prepare(replace(evaluator, measure=make_measure(name, **given))) is None


def test_a_table_that_would_take_too_much_memory_has_none() -> None:
    assert prepare(evaluator_of(wide())) is not None
    few = SearchParams(max_subtree_bytes=1)
    assert SubtreeBounds.prepare([evaluator_of(wide())], few) is None


@pytest.mark.parametrize(
    ("name", "value"), [("MAX_VALUES", 1), ("MAX_BOXES", 19), ("MAX_LEVEL_PAIRS", 1)]
)
def test_a_table_with_more_values_boxes_or_levels_than_the_kernel_takes_has_none(
    monkeypatch: pytest.MonkeyPatch, name: str, value: int
) -> None:
    monkeypatch.setattr(subtree_bounds, name, value)
    assert prepare(evaluator_of(wide())) is None


def test_a_limit_that_is_reached_ends_the_preparation() -> None:
    def stop() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        SubtreeBounds.prepare([evaluator_of(wide())], SearchParams(), stop)


@given(trees(), st.data())
def test_parts_are_numbered_within_their_group(
    tree: dict[str, tuple[str, ...]], data: st.DataObject
) -> None:
    rows = tuple((leaf,) for leaf in tree)
    (column,) = microdata_of(rows, (tree,)).columns
    above, level = data.draw(st.sampled_from(list(pairs_of_levels(column))))
    part_of_value, most = number_parts(column, above, level)
    values = column.groups[level]
    parts = part_of_value[values]
    groups = column.groups[above] if above < len(column.groups) else np.zeros_like(values)
    sizes = []
    for group in set(groups.tolist()):
        numbers = {(v, p) for v, p, g in zip(values, parts, groups, strict=True) if g == group}
        assert sorted(p for _, p in numbers) == list(range(len(numbers)))
        sizes.append(len(numbers))
    assert most == max(sizes)


@given(problems())
def test_what_a_tuple_covers_is_looked_up_by_its_value_at_every_level(problem: Problem) -> None:
    microdata = evaluator_of(problem).microdata
    covers = Covers.of(microdata.domain)
    values = values_of(microdata.columns, microdata.codes)
    for a, column in enumerate(microdata.columns):
        places = covers.offsets[a] + values[:, a]
        for level in range(len(column.groups)):
            expected = column.covered[level][microdata.codes[a]]
            assert covers.covered[level, places].tolist() == expected.tolist()


@given(problems())
def test_below_the_finest_uneven_level_all_values_cover_as_much(problem: Problem) -> None:
    for column in evaluator_of(problem).microdata.columns:
        finest = finest_uneven(column)
        for level in range(finest):
            assert np.unique(column.covered[level]).size == 1
        uneven = np.unique(column.covered[finest]).size > 1
        assert uneven or finest == len(column.groups) - 1
