from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.assessment.homogeneity import (
    Tolerance,
    column_of_cells,
    measure_homogeneity,
)
from anonymizer.data.pandas import FrameTable
from anonymizer.hierarchy import Hierarchy
from anonymizer.risk import DistinctL
from anonymizer.risk.sensitive_profile import describe_sensitive
from anonymizer.table.classes import partition
from anonymizer.table.microdata import encode
from tests.assessment.tables import key_set, tables
from tests.assessment.test_keys import adult, check_series, needs_reference


def holders_of(sizes, cell, value, whose):
    """Count who in each cell has which value."""
    cells, all_of_them = np.arange(sizes.size, dtype=np.int32), np.ones(sizes.size, np.bool_)
    return column_of_cells(cell, value, whose).histograms(cells, sizes, all_of_them)


@needs_reference
@pytest.mark.parametrize("name", ["keys8_without_salary", "keys3"])
def test_l_diversity_is_that_of_sdcmicro(name):
    keys, frame, reference = adult(name)
    label = keys.classes().label_of_tuple[keys.microdata.tuple_of_row].astype(np.int64)
    values = np.unique(frame["salary_class"], return_inverse=True)[1]
    holders = holders_of(keys.cells().sizes, label, values, None)
    for measure, diversity in {
        "distinct": holders.distinct,
        "entropy": np.exp(holders.entropies),
    }.items():
        expected = reference["ldiversity"][f"salary_class_{measure.capitalize()}_Ldiversity"]
        check_series(diversity[label], expected)
        assert int((diversity[label] == 1).sum()) == expected["n_eq_1"]


def measure(cells: list[int], has: list[bool], persons: list[int] | None = None):
    """Measure cells in which some rows have the marked value, 1."""
    keys = key_set([(str(cell),) for cell in cells], persons)
    label = keys.classes().label_of_tuple[keys.microdata.tuple_of_row].astype(np.int64)
    whose = None if persons is None else np.unique(persons, return_inverse=True)[1]
    return measure_homogeneity(
        "hiv", keys.cells().sizes, label, np.array(has, np.int64), [1], whose
    )


def test_only_cells_in_which_everyone_has_the_value_are_homogeneous():
    cells = [1] * 3 + [2] * 3 + [3] * 4
    has = [True] * 3 + [False] * 3 + [True, True, True, False]
    found = measure(cells, has)
    assert (found.cells, found.homogeneous, found.people) == (
        3,
        1,
        3,
    )  # that nobody has it is no harm
    assert found.one_value == 2
    assert found.share == pytest.approx(1 / 3)
    assert found.prevalence == 0.6
    assert (found.least_distinct, found.least_entropy) == (1, 1.0)


def test_only_cells_of_three_to_five_are_looked_at():
    found = measure([1] * 2 + [2] * 6 + [3] * 5, [True] * 13)
    assert (found.cells, found.homogeneous) == (1, 1)


def test_a_person_has_what_one_of_their_rows_shows():
    # three people in one cell; each has it once, and person 1 has a row without it
    found = measure([1] * 4, [True, False, True, True], persons=[1, 1, 2, 3])
    assert (found.cells, found.homogeneous) == (1, 1)
    assert found.prevalence == 1.0


def test_without_cells_that_large_there_is_nothing_to_find():
    found = measure([1, 2], [True, True])
    assert (found.cells, found.share, found.least_distinct) == (0, 0.0, 0)


@given(tables(keys=2))
def test_holders_are_those_that_counting_by_hand_finds(table):
    rows, persons = table
    cell = np.array([ord(row[0]) - ord("x") for row in rows])
    cell = np.unique(cell, return_inverse=True)[1]
    value = np.array([ord(row[-1]) - ord("x") for row in rows])
    for whose in (None, np.unique(persons, return_inverse=True)[1]):
        holders = holders_of(np.bincount(cell), cell, value, whose)
        who = range(len(rows)) if whose is None else whose.tolist()
        triples = {*zip(cell.tolist(), value.tolist(), who, strict=True)}
        expected: dict[tuple[int, int], int] = {}
        for c, v, _ in triples:
            expected[c, v] = expected.get((c, v), 0) + 1
        cells = np.repeat(np.arange(holders.sizes.size), holders.distinct)
        parts = cells, holders.values, holders.counts  # noqa: PD011
        found = zip(*(part.tolist() for part in parts), strict=True)
        assert {(c, v): n for c, v, n in found} == expected


@given(tables(keys=1), st.sampled_from([0.6, 0.75, 1.0]), st.sampled_from([0.0, 0.3, 0.7]))
def test_what_small_cells_give_away_is_what_counting_by_hand_finds(table, most, threshold):
    rows, persons = table
    has = [row[-1] == "x" or who % 2 == 0 for row, who in zip(rows, persons, strict=True)]
    keys = key_set([(row[0],) for row in rows], persons)
    label = keys.classes().label_of_tuple[keys.microdata.tuple_of_row].astype(np.int64)
    sizes = keys.cells().sizes
    certainty = np.linspace(0.2, 1.0, sizes.size)
    found = measure_homogeneity(
        "hiv",
        sizes,
        label,
        np.array(has, np.int64),
        [1],
        np.unique(persons, return_inverse=True)[1],
        Tolerance(most, certainty, threshold),
    )
    told, given_away, small = 0, set(), 0
    for cell in range(sizes.size):
        there = {who for who, at in zip(persons, label, strict=True) if at == cell}
        sick = {w for w, at, h in zip(persons, label, has, strict=True) if at == cell and h}
        small += len(there) <= 5
        if len(there) <= 5 and sick and len(sick) / len(there) >= most - 1e-12:
            told += 1
            if certainty[cell] * len(sick) / len(there) > threshold + 1e-12:
                given_away |= there
    assert (found.small_cells, found.telling, found.given_away) == (small, told, len(given_away))


def test_cells_of_one_and_two_count():
    found = measure([1, 2, 2, 3, 3, 3, 3, 3, 3], [True] * 9)
    assert (found.small_cells, found.telling, found.given_away) == (2, 2, 3)


def test_a_release_and_a_source_count_the_same_groups():
    illness = ["hiv", "hiv", "flu"] + ["hiv"] * 4 + ["flu"] * 3 + ["hiv", "flu", "cold", "hiv"]
    cells = [1] * 3 + [2] * 4 + [3] * 3 + [4] * 4
    persons = [1, 2, 2, 4, 5, 6, 7, 8, 9, 10, 11, 11, 12, 13]
    frame = pd.DataFrame({"q": list(map(str, cells)), "s": illness, "who": list(map(str, persons))})
    groups = Hierarchy.from_rows("q", [(str(cell), "*") for cell in range(1, 5)])
    for person in (None, "who"):
        microdata = encode(FrameTable(frame), [groups], person=person, sensitive=["s"])
        classes = partition(microdata, (0,))
        kept = (classes.sizes >= 3) & (classes.sizes <= 5)
        (profile,) = describe_sensitive(
            [DistinctL("s", 2, values=("hiv",))], classes, kept
        ).values()
        whose = None if person is None else persons
        found = measure(cells, [text == "hiv" for text in illness], whose)
        assert (found.cells, found.homogeneous) == (kept.sum(), profile.all_marked)
        assert found.homogeneous > 0
