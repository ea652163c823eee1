"""People whose values are of any level of three hierarchies."""

from __future__ import annotations

import pandas as pd
from hypothesis import strategies as st

from anonymizer.data.frame import FrameTable
from anonymizer.hierarchy import Hierarchy
from anonymizer.knowledge.scenario import AttributeGroup, Scenario
from anonymizer.knowledge.values import Subjects

AGE = Hierarchy.from_rows(
    "age", [("21", "20s", "-39", "*"), ("25", "20s", "-39", "*"), ("33", "30s", "-39", "*"),
            ("47", "40s", "40-", "*"), ("90", "90", "40-", "*")]
)  # fmt: skip
SEX = Hierarchy.from_rows("sex", [("F",), ("M",)])  # no top of its own
ZIP = Hierarchy.from_rows("zip", [("11", "1*", "*"), ("12", "1*", "*"), ("21", "2*", "*")])
HIERARCHIES = {h.name: h for h in (AGE, SEX, ZIP)}
CELLS = {h.name: sorted({"*", *(t for row in h.rows() for t in row)}) for h in (AGE, SEX, ZIP)}

chances = st.sampled_from([0.0, 1.0, 0.5, 0.3, 0.07])


def read(people: list[dict[str, str]]) -> Subjects:
    return Subjects.read(FrameTable(pd.DataFrame(people)), list(HIERARCHIES.values()))


def scenario_of(*groups: AttributeGroup, population: int = 1000) -> Scenario:
    return Scenario(groups, population, 0.5, 0.4, 0.3, 0.2)


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    names = draw(st.permutations(list(HIERARCHIES)))
    cut = draw(st.integers(1, 2))
    return scenario_of(*(draw(groups_of(part)) for part in (names[:cut], names[cut:])))


@st.composite
def groups_of(draw: st.DrawFn, attributes: list[str]) -> AttributeGroup:
    levels = {
        name: draw(st.integers(0, HIERARCHIES[name].height - 1))
        for name in attributes
        if draw(st.booleans())
    }
    if not draw(st.booleans()):
        return AttributeGroup(tuple(attributes), draw(chances), levels=levels)
    by = draw(st.sampled_from(list(HIERARCHIES)))
    leaf = draw(st.sampled_from(HIERARCHIES[by].leaves))
    return AttributeGroup(
        tuple(attributes),
        by=by,
        probabilities={leaf: draw(chances)},
        default=draw(chances),
        levels=levels,
    )


tables = st.lists(
    st.fixed_dictionaries({name: st.sampled_from(cells) for name, cells in CELLS.items()}),
    min_size=1,
    max_size=9,
)
