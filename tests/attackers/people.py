"""People whose values are of any level of three hierarchies."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
from hypothesis import strategies as st

from anonymizer.attackers.placed import Subjects
from anonymizer.attackers.scenario import AttributeGroup, Scenario
from anonymizer.data.pandas import FrameTable
from anonymizer.hierarchy import Hierarchy
from tests.attackers.tables import groups_and_causes

AGE = Hierarchy.from_rows(
    "age", [("21", "20s", "-39", "*"), ("25", "20s", "-39", "*"), ("33", "30s", "-39", "*"),
            ("47", "40s", "40-", "*"), ("90", "90", "40-", "*")]
)  # fmt: skip
SEX = Hierarchy.from_rows("sex", [("F",), ("M",)])  # no top of its own
ZIP = Hierarchy.from_rows("zip", [("11", "1*", "*"), ("12", "1*", "*"), ("21", "2*", "*")])
HIERARCHIES = {h.name: h for h in (AGE, SEX, ZIP)}
CELLS = {h.name: sorted({"*", *(t for row in h.rows() for t in row)}) for h in (AGE, SEX, ZIP)}


OWN = "own"
"""A column beside them that has everybody's own probability."""


def read(people: list[dict[str, str]]) -> Subjects:
    beside = [name for name in people[0] if name not in HIERARCHIES]
    return Subjects.read(FrameTable(pd.DataFrame(people)), list(HIERARCHIES.values()), beside)


def scenario_of(*groups: AttributeGroup, population: int = 1000) -> Scenario:
    return Scenario(groups, population, 0.5, 0.4, 0.3, 0.2)


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    leaves = [leaf for hierarchy in HIERARCHIES.values() for leaf in hierarchy.leaves]
    groups, causes = draw(groups_and_causes(list(HIERARCHIES), OWN, leaves))
    at_levels = tuple(replace(group, levels=draw(levels_of(group.attributes))) for group in groups)
    return replace(scenario_of(*groups_without_cause(at_levels)), learned=at_levels, causes=causes)


def groups_without_cause(groups: tuple[AttributeGroup, ...]) -> list[AttributeGroup]:
    return [replace(group, cause=None) for group in groups]


@st.composite
def levels_of(draw: st.DrawFn, attributes: tuple[str, ...]) -> dict[str, int]:
    return {
        name: draw(st.integers(0, HIERARCHIES[name].height - 1))
        for name in attributes
        if draw(st.booleans())
    }


tables = st.lists(
    st.fixed_dictionaries(
        {name: st.sampled_from(cells) for name, cells in CELLS.items()}
        | {OWN: st.sampled_from(["0", "0.25", "1"])}
    ),
    min_size=1,
    max_size=9,
)
