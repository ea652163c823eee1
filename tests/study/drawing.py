"""Random small studies, and what the engine makes of them."""

from __future__ import annotations

from typing import Any

import pandas as pd
from hypothesis import strategies as st

from anonymizer.data.pandas import FrameTable
from anonymizer.hierarchy import Hierarchy
from anonymizer.risk.study import StudyAnonymity
from anonymizer.study.encoding import KeyedTable, encode_study
from anonymizer.study.evaluator import StudyEvaluator
from anonymizer.study.study import Study
from anonymizer.utility import Aggregate, Loss
from tests.strategies import WEIGHTS, trees
from tests.study.oracle import Case, Child

MOST_PEOPLE = 6
FEW_TREES = st.lists(trees(max_leaves=3, max_height=3), max_size=1).map(tuple)


@st.composite
def children(draw: st.DrawFn, name: str, parent: int | None, above: int, most: int) -> Child:
    """Draw a child table of at least one row, some of which are alike."""
    forest = draw(FEW_TREES)
    values = st.tuples(*(st.sampled_from(sorted(tree)) for tree in forest))
    row = st.tuples(st.integers(0, above - 1), values)
    return Child(name, parent, tuple(draw(st.lists(row, min_size=1, max_size=most))), forest)


@st.composite
def cases(draw: st.DrawFn, nested: bool = True, power: Any = None) -> Case:
    """Draw a study of a few people, and what is known of it."""
    number = draw(st.integers(1, MOST_PEOPLE))
    forest = draw(FEW_TREES)
    row = st.tuples(*(st.sampled_from(sorted(tree)) for tree in forest))
    people = tuple(draw(st.lists(row, min_size=number, max_size=number)))
    tables = [draw(children("visit", None, number, 8))]
    if nested and draw(st.booleans()):
        tables.append(draw(children("diagnosis", 0, len(tables[0].rows), 8)))
    elif draw(st.booleans()):
        tables.append(draw(children("drug", None, number, 6)))
    power = draw(st.sampled_from([0, 1, 2, 3, "profile"])) if power is None else power
    names = [table.name for table in tables]
    powers = st.dictionaries(st.sampled_from(names), st.integers(0, 2), max_size=2)
    if power == "profile":
        powers = st.dictionaries(st.sampled_from(names), st.just(0), max_size=1)
    attributes = len(forest) + sum(len(table.trees) for table in tables)
    return Case(
        people,
        forest,
        tuple(tables),
        k=draw(st.integers(1, 3)),
        power=power,
        powers=draw(st.one_of(st.just({}), powers)),
        share=0.0 if power == "profile" else draw(st.sampled_from([0.0, 0.0, 0.3, 0.5])),
        most_events=draw(st.sampled_from([None, None, 2, 4])),
        counts=draw(st.sampled_from(["unknown", "unknown", "known"])),
        weights=tuple(draw(WEIGHTS) for _ in range(attributes)),
        aggregate=draw(st.sampled_from(["geometric", "arithmetic"])),
    )


@st.composite
def event_cases(draw: st.DrawFn, power: int | None = None) -> Case:
    """Draw a study of so few events that all releases can be looked at, single events dropped."""
    number = draw(st.integers(2, 4))
    forest = draw(FEW_TREES)
    row = st.tuples(*(st.sampled_from(sorted(tree)) for tree in forest))
    people = tuple(draw(st.lists(row, min_size=number, max_size=number)))
    tables = [draw(children("visit", None, number, 6))]
    if draw(st.booleans()):
        tables.append(draw(children("drug", None, number, 3)))
    names = [table.name for table in tables]
    powers = st.dictionaries(st.sampled_from(names), st.integers(0, 2), max_size=1)
    attributes = len(forest) + sum(len(table.trees) for table in tables)
    return Case(
        people,
        forest,
        tuple(tables),
        k=draw(st.integers(1, 3)),
        power=draw(st.integers(0, 3)) if power is None else power,
        powers=draw(powers) if power is None else {},
        share=draw(st.sampled_from([0.0, 0.0, 0.5])) if power is None else 0.0,
        most_events=draw(st.sampled_from([None, None, 3])),
        weights=tuple(draw(WEIGHTS) for _ in range(attributes)),
        aggregate=draw(st.sampled_from(["geometric", "arithmetic"])),
        suppress="events",
        event_limit=draw(st.sampled_from([1.0, 1.0, 0.3, 0.6])),
    )


def with_attributes(case: Case) -> bool:
    """Whether there is anything to generalize."""
    return bool(case.all_trees)


def frame(keys: dict[str, list[Any]], rows: list[tuple[str, ...]], columns: int) -> FrameTable:
    """Make a table of some key columns and of texts."""
    values = {f"a{n}": [row[n] for row in rows] for n in range(columns)}
    return FrameTable(pd.DataFrame({**keys, **values}, dtype=object))


def study_of(case: Case) -> Study:
    """Encode a case; keys are numbered backwards, so that no row is its own parent by chance."""
    hierarchies = [hierarchies_of(case.trees), *(hierarchies_of(c.trees) for c in case.children)]
    ids = [f"p{number}" for number in reversed(range(len(case.people)))]
    people = frame({"id": ids}, list(case.people), len(case.trees))
    tables = [KeyedTable("people", people, hierarchies[0], "id")]
    keys = [[f"{c.name}{n}" for n in reversed(range(len(c.rows)))] for c in case.children]
    for place, child in enumerate(case.children):
        above = ids if child.parent is None else keys[child.parent]
        key = {"of": [above[row] for row, _ in child.rows], "key": keys[place]}
        table = frame(key, [row for _, row in child.rows], len(child.trees))
        parent = None if child.parent is None else case.children[child.parent].name
        tables.append(KeyedTable(child.name, table, hierarchies[place + 1], "of", parent, "key"))
    return encode_study(tables)


def hierarchies_of(forest: tuple[dict[str, tuple[str, ...]], ...]) -> list[Hierarchy]:
    """Build the trees as the engine has them."""
    return [Hierarchy.from_rows(f"a{n}", tree.values()) for n, tree in enumerate(forest)]


def model_of(case: Case) -> StudyAnonymity:
    """Make the model that a case asks for."""
    return StudyAnonymity(
        case.k, case.power, case.powers, case.share, case.most_events, case.counts,  # type: ignore[arg-type]
        case.suppress, case.event_limit,  # type: ignore[arg-type]
    )  # fmt: skip


def evaluator_of(case: Case, limit: int | None = None) -> StudyEvaluator:
    """Make what evaluates the schemes of a case."""
    measure = Loss(Aggregate(case.aggregate), case.weights)
    most = len(case.people) if limit is None else limit
    return StudyEvaluator(study_of(case), model_of(case), measure, most)
