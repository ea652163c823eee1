"""Small tables as key sets, and the slow and obvious ways to count in them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from anonymizer.assessment.keys import KeyPeople, KeySet, close_top, flat_hierarchy
from anonymizer.attackers.external import External
from anonymizer.attackers.linked_table import LinkedTable
from anonymizer.data.pandas import FrameTable
from anonymizer.data.table import read_columns
from anonymizer.hierarchy import Hierarchy
from anonymizer.table.microdata import encode

Row = tuple[str, ...]


def key_set(
    rows: Sequence[Row],
    persons: Sequence[int] | None = None,
    hierarchies: Sequence[Hierarchy] = (),
    external: Sequence[Row] | None = None,
) -> KeySet:
    """Make a key set of rows; keys are called a, b, c, ..."""
    frame = frame_of(rows)
    other = None if external is None else frame_of(external)
    values = frame if other is None else pd.concat([frame, other])
    trees = hierarchies or [flat_hierarchy(key, list(values[key]), missing=False) for key in values]
    microdata = encode(FrameTable(frame), [close_top(tree) for tree in trees])
    linked = None
    if other is not None:
        coded = read_columns(FrameTable(other), list(other.columns))
        linked = LinkedTable.of(microdata, External("other.csv", coded, None))
    people = (
        KeyPeople.of_rows(microdata)
        if persons is None
        else KeyPeople.by_number(microdata, np.unique(persons, return_inverse=True)[1])
    )
    return KeySet(microdata, people, (0,) * len(trees), linked)


def frame_of(rows: Sequence[Row]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=list("abcdefgh")[: len(rows[0])], dtype=str)


@st.composite
def tables(draw: st.DrawFn, keys: int = 3, most: int = 20) -> tuple[list[Row], list[int]]:
    """Draw rows of a few values, and whose each row is."""
    width = draw(st.integers(1, keys))
    row = st.tuples(*[st.sampled_from("xyz")] * width)
    rows = draw(st.lists(row, min_size=1, max_size=most))
    persons = draw(st.lists(st.integers(0, 5), min_size=len(rows), max_size=len(rows)))
    return rows, persons


def smallest_cells(
    rows: Sequence[Row], persons: Sequence[int], used: Sequence[int]
) -> dict[int, int]:
    """For each person the size, in people, of the smallest cell they are in: the obvious way."""
    projected = [tuple(row[key] for key in used) for row in rows]
    smallest: dict[int, int] = {}
    for cell in projected:
        members = {who for other, who in zip(projected, persons, strict=True) if other == cell}
        for who in members:
            smallest[who] = min(smallest.get(who, len(rows)), len(members))
    return smallest
