"""Searches with sources, and with a population table, against all schemes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from anonymizer.attackers.statement import Statement
from anonymizer.data.pandas import FrameTable
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.risk import KAnonymity, KMap, RiskModel, Sources
from anonymizer.table.microdata import encode
from tests.oracle import Problem, Row
from tests.search.test_models import assert_equals_exhaustive_search
from tests.search.test_subtree_bounds import wide
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
            source["p"] = {
                "by": keys[0],
                "probabilities": {"v0": draw(SHARES)},
                "default": draw(SHARES),
            }
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


def by_population() -> tuple[Problem, Evaluator]:
    """The same with a population that lacks an attribute."""
    problem, people = wide(), wide(rows=300, seed=8).rows
    return problem, with_population(
        problem, people, [0, 1, 3, 4], [KMap(4, population_table="people.csv")]
    )


@settings(max_examples=250)
@given(limited())
@example(by_hand())
@example(by_hand(40))
@example(by_population())
def test_the_search_finds_what_exhaustive_search_finds(case: tuple[Problem, Evaluator]) -> None:
    problem, evaluator = case
    assert_equals_exhaustive_search(evaluator, lattice_of(problem))
