"""Subtree bounds by limits on cells, of sources and of a population table, against all schemes."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anonymizer.data.frame import FrameTable
from anonymizer.engine.microdata import encode
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.knowledge.statement import Statement
from anonymizer.lattice import Lattice
from anonymizer.risk import Average, KAnonymity, KMap, RiskModel, Sources
from anonymizer.search import SearchParams
from anonymizer.search import cell_limits as limits_module
from anonymizer.search.cell_limits import cell_limits_of
from anonymizer.search.subtree_bounds import Outcome, SubtreeBounds, limits_of
from tests.oracle import Problem, Row
from tests.search.test_models import assert_equals_exhaustive_search
from tests.search.test_subtree_bounds import sums_of, wide
from tests.strategies import evaluator_of, frame_of, hierarchies_of, lattice_of, problems, tables

SHARES = st.sampled_from([0.0, 0.1, 0.3, 0.5, 1.0])


@st.composite
def statements(draw: st.DrawFn, problem: Problem) -> Statement:
    """Several sources: p by value, keys known on some level only, another overlap without a key."""
    sources = []
    for number in range(draw(st.integers(1, 3))):
        places = draw(st.lists(st.sampled_from(range(len(problem.trees))), min_size=1, unique=True))
        keys = [f"a{at}" for at in places]
        source: dict[str, Any] = {"name": f"s{number}", "keys": keys, "p": draw(SHARES)}
        if draw(st.booleans()):
            source["p"] = {"by": keys[0], "values": {"v0": draw(SHARES)}, "default": draw(SHARES)}
        if draw(st.booleans()):
            height = len(problem.trees[places[0]]["v0"])
            source["levels"] = {keys[0]: draw(st.integers(0, height - 1))}
        if draw(st.integers(0, 3)) == 0:
            source["without"] = {keys[-1]: {"p": draw(SHARES)}}
        threshold = draw(st.sampled_from([0.05, 0.1, 0.2, 0.34, 0.5]))
        sources.append(source | {"q": draw(SHARES), "threshold": threshold})
    return Statement(source=sources)


def with_population(
    problem: Problem, people: tuple[Row, ...], places: list[int], models: list[RiskModel]
) -> Evaluator:
    """Put models to a table whose population table has some attributes."""
    there = frame_of(people, problem.trees).iloc[:, places]
    frame = FrameTable(frame_of(problem.rows, problem.trees))
    microdata = encode(frame, hierarchies_of(problem.trees), FrameTable(there))
    return replace(evaluator_of(problem), microdata=microdata, models=models)


@st.composite
def limited(draw: st.DrawFn) -> tuple[Problem, Evaluator]:
    """A table, and models that limit its cells: sources, k-map with a table, or both."""
    problem = draw(problems())
    several = len(problem.trees)
    places = draw(st.lists(st.sampled_from(range(several)), min_size=1, unique=True).map(sorted))
    people = draw(tables(problem.trees, max_rows=40))
    k = draw(st.integers(1, 6))
    kinds = draw(st.sampled_from(["sources", "k-map", "both"]))
    models: list[RiskModel] = []
    if kinds != "k-map":
        models.append(Sources(draw(statements(problem))))
    if kinds != "sources":
        models.append(KMap(k, population_table="people.csv"))
    if draw(st.booleans()):
        models.append(KAnonymity(max(2, problem.k)))
    return problem, with_population(problem, people, places, models)


def by_hand(rows: int = 120) -> tuple[Problem, Evaluator]:
    """A problem with enough attributes for parts of parts, and sources that overlap."""
    problem = wide(rows)
    sources = [
        {"name": "a", "keys": ["a0", "a1", "a2"], "threshold": 0.25},
        {"name": "b", "keys": ["a2", "a3"], "p": 0.6, "threshold": 0.1, "levels": {"a3": 1}},
        {"name": "c", "keys": ["a4", "a0"], "threshold": 0.2},
    ]
    models = [Sources(Statement(source=sources))]
    return problem, replace(evaluator_of(problem), models=models)


def by_value() -> tuple[Problem, Evaluator]:
    """Who needs more people is dropped after who needs fewer was seen to have enough, and they go too."""
    tree = {"v0": ("v0", "*"), "v1": ("v1", "*")}
    problem = Problem((("v0",),) * 2 + (("v1",),) * 2, (tree,), k=1)
    p = {"by": "a0", "values": {"v0": 0.3}, "default": 0.5}
    statement = Statement(source=[{"name": "s", "keys": ["a0"], "p": p, "threshold": 0.1}])
    return problem, replace(evaluator_of(problem), models=[Sources(statement)])


def by_population() -> tuple[Problem, Evaluator]:
    """The same with a population that lacks an attribute."""
    problem, people = wide(), wide(rows=300, seed=8).rows
    return problem, with_population(
        problem, people, [0, 1, 3, 4], [KMap(4, population_table="people.csv")]
    )


def bound(
    evaluator: Evaluator, lattice: Lattice, share: float, cells: int, budget: int
) -> Outcome | None:
    """Bound the whole lattice, up to a share of the highest sum of terms."""
    prepared = SubtreeBounds.prepare([evaluator], SearchParams(max_subtree_cells=cells))
    if prepared is None:
        return None
    sums = sums_of(evaluator, lattice)
    target = share * max((s for s in sums.values() if s < np.inf), default=1.0)
    steps = np.tile(-np.arange(int(prepared.task.heights.max())), (len(lattice.low), 1)) * 0.8
    return prepared.bound(lattice, target, steps, budget)


def boxes_of(found: Outcome) -> list[Lattice]:
    low_and_high = zip(found.low.tolist(), found.high.tolist(), strict=True)
    return [Lattice(tuple(low), tuple(high)) for low, high in low_and_high]


@settings(max_examples=400)
@given(
    limited(), st.floats(0, 1), st.sampled_from([1, 30, 1 << 20]), st.sampled_from([1, 3, 10_000])
)
@example(by_hand(), 0.9, 1 << 20, 10_000)
@example(by_hand(), 0.9, 1, 10_000)
@example(by_hand(40), 0.6, 1 << 20, 7)
@example(by_value(), 0.9, 1 << 20, 10_000)
@example(by_population(), 0.9, 1 << 20, 10_000)
@example(by_population(), 0.9, 1, 10_000)
def test_what_cells_say_about_finer_schemes_is_true(
    case: tuple[Problem, Evaluator], share: float, cells: int, budget: int
) -> None:
    """With and without a hash table; every scheme is bounded, none twice."""
    problem, evaluator = case
    lattice = lattice_of(problem)
    found = bound(evaluator, lattice, share, cells, budget)
    limits = cell_limits_of(evaluator, limits_of(evaluator))
    if found is None:  # nothing is asked, but that may depend on the keys left out
        assert not limits
        return
    sums = sums_of(evaluator, lattice)
    left = boxes_of(found)
    assert Counter(itertools.chain.from_iterable(left)) == Counter(lattice)
    for box, least, over in zip(left, found.bounds[:, 0], found.infeasible, strict=True):
        assert all(sums[scheme] >= least - 1e-9 for scheme in box)
        assert 0 <= over <= sum(sums[scheme] == np.inf for scheme in box)
    for scheme, lost in zip(found.samples.tolist(), found.sampled_suppressed, strict=True):
        if limits:
            assert lost == evaluator.evaluate(tuple(scheme)).binding_records


@settings(max_examples=250)
@given(limited())
@example(by_hand())
@example(by_hand(40))
@example(by_population())
def test_the_search_finds_what_exhaustive_search_finds(case: tuple[Problem, Evaluator]) -> None:
    problem, evaluator = case
    assert_equals_exhaustive_search(evaluator, lattice_of(problem))


@contextmanager
def in_python(name: str, value: int) -> Iterator[None]:
    """Run kernels with another constant: compiled code keeps those it was compiled with."""
    from anonymizer.kernels import (
        cell_limits,
        class_splitting,
        known_losses,
        subtree_bounds,
        subtree_nodes,
    )

    def plain(module: ModuleType) -> dict[str, Any]:
        own = {key: getattr(each, "py_func", each) for key, each in vars(module).items()}
        return {**own, **({name: value} if name in own else {})}

    with ExitStack() as stack:
        for module in (class_splitting, cell_limits, known_losses, subtree_nodes, subtree_bounds):
            stack.enter_context(mock.patch.dict(vars(module), plain(module)))
        yield


@pytest.mark.parametrize(
    ("name", "value"), [("MAX_DEPTH", 3), ("MAX_BOXES", 12), ("CACHED_CELLS", 4)]
)
def test_short_of_memory_more_is_left_open_and_nothing_wrong(name: str, value: int) -> None:
    from anonymizer.kernels import subtree_bounds

    problem = wide(rows=50, attributes=3)
    sources = [{"name": s, "keys": keys} for s, keys in (("a", ["a0", "a1"]), ("b", ["a1", "a2"]))]
    models = [Sources(Statement(source=sources))]
    evaluator = replace(evaluator_of(problem), models=models)
    lattice = lattice_of(problem)
    prepared = SubtreeBounds.prepare([evaluator], SearchParams())
    assert prepared is not None
    sums = sums_of(evaluator, lattice)
    target = np.array([sorted(sums.values())[len(sums) // 3]])
    ends, steps = (np.array(lattice.low), np.array(lattice.high)), np.tile(-np.arange(4.0), (3, 1))
    with in_python(name, value):
        found = subtree_bounds.bound_subtree(
            prepared.task, prepared.workspace, steps, *ends, 0, 0, target, 300
        )
    boxes = boxes_of(found)
    assert Counter(itertools.chain.from_iterable(boxes)) == Counter(lattice)
    for box, least in zip(boxes, found.bounds[:, 0].tolist(), strict=True):
        assert all(sums[scheme] >= least - 1e-9 for scheme in box)


WITHOUT = Statement(source=[{"name": "s", "keys": ["a0"], "without": {"a0": {"p": 0.3}}}])
PLAIN = Statement(source=[{"name": "s", "keys": ["a0", "a1"]}])


@pytest.mark.parametrize(
    ("models", "exact"),
    [
        ([Sources(PLAIN)], True),
        ([Sources(PLAIN), KAnonymity(2)], True),
        ([Sources(WITHOUT)], False),
    ],
)
def test_bounds_are_exact_where_limits_on_cells_are_all_that_is_asked(
    models: list[RiskModel], exact: bool
) -> None:
    prepared = SubtreeBounds.prepare([replace(evaluator_of(wide()), models=models)], SearchParams())
    assert prepared is not None
    assert prepared.exact == exact
    assert prepared.task.limits.least.shape[0] == len(models)


def test_beside_a_limit_on_the_average_the_sizes_of_classes_decide() -> None:
    evaluator = replace(evaluator_of(wide()), models=[Sources(PLAIN), Average(0.3)])
    prepared = SubtreeBounds.prepare([evaluator], SearchParams())
    assert prepared is not None
    assert prepared.task.limits.least.shape[0] == 0


def test_thresholds_of_sources_are_not_searched_together() -> None:
    evaluators = [replace(evaluator_of(wide()), models=[Sources(PLAIN, t)]) for t in (0.5, 0.2)]
    assert SubtreeBounds.prepare(evaluators, SearchParams()) is None


def test_with_too_many_people_to_count_there_are_no_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluator = by_population()[1]
    assert SubtreeBounds.prepare([evaluator], SearchParams()) is not None
    monkeypatch.setattr(limits_module, "MOST_PEOPLE", 300)
    assert SubtreeBounds.prepare([evaluator], SearchParams()) is None


@pytest.mark.parametrize("limit", ["max_subtree_bytes", "max_level_pairs"])
def test_a_table_that_would_take_too_much_memory_or_time_has_none(limit: str) -> None:
    assert SubtreeBounds.prepare([by_hand()[1]], SearchParams(**{limit: 1})) is None


def test_a_table_is_prepared_once_with_its_population_and_once_without() -> None:
    evaluator = by_population()[1]
    one, again = (SubtreeBounds.prepare([evaluator], SearchParams()) for _ in range(2))
    alone = SubtreeBounds.prepare([replace(evaluator, models=[KAnonymity(2)])], SearchParams())
    assert one is not None
    assert again is not None
    assert alone is not None
    assert one.task.parts is again.task.parts
    assert alone.task.counts.size == evaluator.microdata.distinct < one.task.counts.size
