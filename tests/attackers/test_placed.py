from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.attackers.placed import Subjects, Values
from anonymizer.data.pandas import FrameTable
from anonymizer.errors import HierarchyError
from anonymizer.hierarchy import parse_spec
from anonymizer.table.microdata import encode
from tests.attackers.people import AGE, CELLS, HIERARCHIES, read


@pytest.mark.usefixtures("values_shown")
def test_a_value_that_no_level_has_is_named() -> None:
    with pytest.raises(HierarchyError, match=r"column 'zip': 1 values are unknown.*'99'"):
        read([{"age": "25", "sex": "F", "zip": "99"}])


def test_a_value_covers_the_leaves_below_it() -> None:
    values = Values.of(AGE, ["20s", "90", "*", "33"])
    assert values.texts == ("33", "90", "20s", "*")
    assert [values.leaves_of(at) for at in range(4)] == [
        ["33"],
        ["90"],
        ["21", "25"],
        list(AGE.leaves),
    ]


def test_a_redacted_cell_is_no_value_where_a_rule_covers_any_text() -> None:
    spec = {"builder": "mapping", "values": ["F", "M"], "unlisted": True, "top": "any"}
    values = Values.of(parse_spec(spec).build("sex"), ["F", "*", "X"])
    assert dict(zip(values.texts, values.levels.tolist(), strict=True)) == {"F": 0, "X": 0, "*": 2}
    assert "*" not in values.hierarchy.leaves


@given(
    st.sets(st.sampled_from(CELLS["age"]), min_size=1),
    st.lists(st.floats(0, 1), min_size=AGE.size, max_size=AGE.size),
)
def test_the_highest_number_of_a_value_is_that_of_a_leaf_below_it(
    texts: set[str], numbers: list[float]
) -> None:
    values, of_leaf = Values.of(AGE, sorted(texts)), dict(zip(AGE.leaves, numbers, strict=True))
    for value, highest in enumerate(values.highest(np.array(numbers))):
        assert highest == max(of_leaf[leaf] for leaf in values.leaves_of(value))


@given(st.sets(st.sampled_from(CELLS["age"]), min_size=1), st.integers(0, 3))
def test_values_have_one_label_exactly_if_they_are_one_at_one_level(
    texts: set[str], least: int
) -> None:
    values = Values.of(AGE, sorted(texts))
    levels = values.levels_from(least)
    labels = values.label(levels).of_row
    for one in range(labels.size):
        for other in range(labels.size):
            ancestors = [values.ancestors[levels[at], at] for at in (one, other)]
            same = levels[one] == levels[other] and ancestors[0] == ancestors[1]
            assert (labels[one] == labels[other]) == same


def test_a_scheme_generalizes_what_is_seen_and_keeps_what_it_was() -> None:
    frame = pd.DataFrame({"age": ["25", "33", "21"], "sex": "F", "zip": ["11", "21", "12"]})
    microdata = encode(FrameTable(frame), list(HIERARCHIES.values()))
    subjects = Subjects.of(microdata, (1, 0, 2))
    age = subjects.attributes["age"]
    assert age.texts == ("21", "25", "33")
    assert age.label(age.levels).of_row.tolist() == [0, 0, 1]
    assert [age.leaves_of(at) for at in range(3)] == [["21"], ["25"], ["33"]]
    assert subjects.counts.tolist() == [1, 1, 1]
    rows = [
        [
            subjects.attributes[name].texts[code]
            for code in subjects.codes[name][subjects.tuple_of_row]
        ]
        for name in HIERARCHIES
    ]
    assert rows == [frame[name].tolist() for name in HIERARCHIES]
