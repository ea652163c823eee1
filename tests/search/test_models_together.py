"""Two and three models at once, with populations and scenarios of their own: against the definitions.

Nothing of the engine decides here: each model is judged from the rows, every scheme is tried.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.attackers import overall
from anonymizer.data.pandas import FrameTable
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.problem.problem import describe_risk
from anonymizer.risk import (
    AttributeGroup,
    Average,
    DistinctL,
    KAnonymity,
    KMap,
    Overall,
    RiskModel,
    SampleUniqueness,
    Scenario,
    Sources,
    StrictAverage,
)
from anonymizer.search import SearchParams, search
from anonymizer.table.classes import partition
from anonymizer.table.microdata import encode
from anonymizer.utility import Aggregate, Loss
from tests import oracle
from tests.oracle import Levels, Problem
from tests.risk import test_overall, test_sensitive, test_sources
from tests.risk.test_sensitive import VALUES, Values
from tests.strategies import (
    frame_of,
    hierarchies_of,
    lattice_of,
    microdata_of,
    names_of,
    problems,
)

Rows = frozenset[int]


@pytest.fixture(autouse=True, scope="module")
def stub() -> Iterator[None]:
    """Estimate unique people as the oracle of scenarios does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(overall, "by_pitman", test_overall.estimate)
        yield


@dataclass(frozen=True)
class Case:
    """A table with people, a sensitive column and a population, and the models that are asked for."""

    problem: Problem
    values: Sequence[str]
    population: Sequence[oracle.Row]
    models: Sequence[RiskModel]

    def evaluator(self) -> Evaluator:
        """Put the case to the engine."""
        problem = self.problem
        frame = frame_of(problem.rows, problem.trees)
        frame["s"] = [value or None for value in self.values]
        frame["id"] = [str(person) for person in problem.persons]
        microdata = encode(
            FrameTable(frame),
            hierarchies_of(problem.trees),
            FrameTable(frame_of(self.population, problem.trees)),
            person="id" if len(set(problem.persons)) < len(problem.rows) else None,
            sensitive=["s"],
        )
        measure = Loss(Aggregate(problem.aggregate), problem.weights)
        return Evaluator(microdata, self.models, measure, problem.suppression_limit)

    def classes(self, kept: Rows, levels: Levels) -> dict[oracle.Row, list[int]]:
        """The rows that are kept, by what they look like."""
        found: dict[oracle.Row, list[int]] = {}
        for row in sorted(kept):
            label = oracle.generalize(self.problem.rows[row], self.problem.trees, levels)
            found.setdefault(label, []).append(row)
        return found

    def people(self, rows: Sequence[int]) -> int:
        """How many people have some rows."""
        return len({self.problem.persons[row] for row in rows})


def least_people(model: KMap, people: int) -> int:
    """Return the k' of an estimated k-map: the zero-truncated Poisson test of design."""
    assert model.population is not None
    rate, k, significance = model.k * people / model.population, model.k, model.significance
    term = total = 0.0
    for count in range(k):
        term = math.exp(-rate) if count == 0 else term * rate / count
        total += term if count else 0.0
        if count and total / (1 - math.exp(-rate)) >= 1 - significance:
            return min(k, 1 + count)
    return k


def breaks(case: Case, model: RiskModel, kept: Rows, levels: Levels) -> Rows:
    """The rows that break a model of single people or of classes, where some are kept."""
    problem = case.problem
    if isinstance(model, Sources):
        names = names_of(problem.trees)
        seen = [oracle.generalize(row, problem.trees, levels) for row in problem.rows]
        given = (kept, seen, problem.rows, problem.persons, names)
        return frozenset(
            row
            for row in kept
            for number, source in enumerate(model.statement.source)
            if test_sources.probability(model.statement, number, row, *given)
            > model.statement.threshold_of(source) + 1e-12
        )
    if isinstance(model, Overall):
        own = ["0"] * len(problem.rows)
        persons = list(problem.persons)
        told = test_overall.Case(case.evaluator(), model.scenario, persons, own, None)
        risks = told.risks(levels, sorted(kept))
        return frozenset(row for row, risk in risks.items() if risk > model.threshold + 1e-9)
    judged = case.classes(kept, levels)
    bad = (rows for label, rows in judged.items() if not holds(case, model, label, rows, levels))
    return frozenset(chain.from_iterable(bad))


def holds(
    case: Case, model: RiskModel, label: oracle.Row, rows: Sequence[int], levels: Levels
) -> bool:
    """Whether a class passes a model by itself."""
    if isinstance(model, StrictAverage):
        return case.people(rows) >= model.k
    if isinstance(model, Average | SampleUniqueness):
        return True
    if isinstance(model, KMap):
        everybody = range(len(case.problem.rows))
        if model.population is not None:
            return case.people(rows) >= least_people(model, case.people(everybody))
        trees = case.problem.trees
        return model.k <= sum(
            oracle.generalize(person, trees, levels) == label for person in case.population
        )
    persons = case.problem.persons
    here = Values.of(rows, case.values, persons)
    overall = Values.of(range(len(case.problem.rows)), case.values, persons)
    return test_sensitive.passes(model, here, overall)


PEOPLE = (KAnonymity, KMap, StrictAverage, Sources, Overall, DistinctL)
"""Models of single people, whose risk never falls when others are dropped."""


def settle(case: Case, kept: Rows, levels: Levels) -> Rows:
    """Drop who breaks a model of single people until nobody does, then classes that break another."""
    of_people = [model for model in case.models if isinstance(model, PEOPLE)]
    while True:
        for models in (of_people, case.models):
            gone = frozenset(chain(*(breaks(case, model, kept, levels) for model in models)))
            if gone:
                break
        if not gone:
            return kept
        kept -= gone


def within(case: Case, classes: Sequence[Sequence[int]]) -> bool:
    """Whether classes pass the models of the whole table."""
    people = [{case.problem.persons[row] for row in rows} for rows in classes]
    if not people:
        return True
    return all(
        float(oracle.RISKS["average" if isinstance(model, StrictAverage) else model.name](people))
        <= model.threshold
        for model in case.models
        if isinstance(model, Average | StrictAverage | SampleUniqueness)
    )


def kept_rows(case: Case, levels: Levels) -> Rows:
    """What all models together leave of a scheme."""
    kept = settle(case, frozenset(range(len(case.problem.rows))), levels)
    while True:
        members = case.classes(kept, levels)
        order = oracle.in_order_of_suppression(case.problem, levels, members)
        cut = next(
            cut
            for cut in range(len(order) + 1)
            if within(case, [members[label] for label in order[cut:]])
        )
        if not cut:
            return kept
        left = frozenset(chain.from_iterable(members[label] for label in order[cut:]))
        kept = settle(case, left, levels)


def best(case: Case) -> tuple[float, tuple[Any, ...]] | None:
    """Try every scheme: the least loss, and what decides ties."""
    problem, found = case.problem, []
    for levels in problem.schemes():
        gone = frozenset(range(len(problem.rows))) - kept_rows(case, levels)
        if len(gone) <= problem.suppression_limit:
            key = (len(gone), sum(levels), levels)
            found.append((oracle.loss(problem, levels, gone), key))
    if not found:
        return None
    least = min(loss for loss, _ in found)
    return least, min(key for loss, key in found if loss <= least + oracle.TIE)


LIMITS = st.sampled_from([0.1, 0.2, 0.35, 0.5])


@st.composite
def scenarios(draw: st.DrawFn, names: list[str]) -> Scenario:
    groups = tuple(
        AttributeGroup(
            tuple(draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True))),
            probability=draw(st.sampled_from([0.3, 0.7, 1.0])),
        )
        for _ in range(draw(st.integers(1, 2)))
    )
    chances = [draw(st.sampled_from([0.0, 0.4, 1.0])) for _ in range(4)]
    return Scenario(groups, draw(st.sampled_from([50, 10**6])), *chances)


def models_of(names: list[str]) -> st.SearchStrategy[RiskModel]:
    """Draw a model of any kind; populations and scenarios are its own."""
    return st.one_of(
        st.builds(KAnonymity, st.integers(2, 4)),
        st.builds(KMap, st.integers(2, 5), population=st.sampled_from([30, 60, 500])),
        st.builds(KMap, st.integers(2, 6), population_table=st.just("people.csv")),
        st.builds(Average, LIMITS),
        st.builds(StrictAverage, k=st.integers(2, 3), threshold=LIMITS),
        st.builds(SampleUniqueness, LIMITS),
        st.builds(Sources, test_sources.statements(tuple(names))),
        st.builds(Overall, LIMITS, scenarios(names), st.just("maximum")),
        test_sensitive.models_of("s"),
    )


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw a table, perhaps with people of several rows, and two or three models."""
    drawn = draw(problems(max_attributes=2, max_rows=12))
    rows = len(drawn.rows)
    persons = tuple(range(rows))
    if draw(st.booleans()):
        persons = tuple(draw(st.lists(st.integers(0, 5), min_size=rows, max_size=rows)))
    problem = Problem(**{**vars(drawn), "k": 1, "limits": (), "persons": persons})
    more = draw(st.lists(st.sampled_from(problem.rows), max_size=8))
    values = [draw(st.sampled_from(VALUES)) for _ in range(rows)]
    models = draw(st.lists(models_of(names_of(problem.trees)), min_size=2, max_size=3))
    return Case(problem, values, (*problem.rows, *more), models)


@settings(max_examples=300, deadline=None)
@given(case=cases())
def test_what_is_left_is_what_the_definitions_leave(case: Case) -> None:
    evaluator = case.evaluator()
    for levels in case.problem.schemes():
        outcome = evaluator.outcome(levels)
        microdata = evaluator.microdata
        gone = outcome.suppressed[outcome.classes.label_of_tuple][microdata.tuple_of_row]
        assert frozenset(np.flatnonzero(~gone).tolist()) == kept_rows(case, levels)


@settings(max_examples=300, deadline=None)
@given(case=cases(), params=st.sampled_from([SearchParams(), SearchParams(boxes_work=0)]))
def test_the_search_finds_what_trying_every_scheme_finds(case: Case, params: SearchParams) -> None:
    found, expected = (
        search(case.evaluator(), lattice_of(case.problem), params=params).best,
        best(case),
    )
    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        assert found.loss == pytest.approx(expected[0], abs=1e-9)
        assert (found.suppressed_records, sum(found.scheme), found.scheme) == expected[1]


def test_of_several_populations_the_profile_is_that_of_the_smallest() -> None:
    tree = {value: (value, "*") for value in "abc"}
    classes = partition(microdata_of([("a",), ("b",), ("b",), ("c",)], [tree]), (0,))
    kept = np.ones(classes.sizes.size, np.bool_)
    models = [KMap(2, population=500), KMap(2, population=60)]
    one, other, smallest = (
        describe_risk(classes.microdata, some, classes, kept)
        for some in (models, models[::-1], models[1:])
    )
    assert one == other == smallest
