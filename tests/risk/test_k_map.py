"""k-map with a population table that lacks quasi-identifiers: matched on the columns it has."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer import DataError, anonymize, frontier, make_manifest, verify
from anonymizer.data.pandas import FrameTable
from anonymizer.risk import KMap
from anonymizer.table.classes import partition
from anonymizer.table.microdata import encode
from tests.oracle import generalize
from tests.risk.people import AGE, SEX, people, policy
from tests.strategies import frame_of, hierarchies_of, problems, tables


@settings(max_examples=100)
@given(problem=problems(ranges=False), data=st.data())
def test_people_match_a_class_by_the_attributes_that_the_population_table_has(problem, data):
    forest = problem.trees
    places = data.draw(
        st.lists(st.sampled_from(range(len(forest))), min_size=1, unique=True).map(sorted)
    )
    population = data.draw(tables(forest))
    there = frame_of(population, forest).iloc[:, places]
    hierarchies = hierarchies_of(forest)
    microdata = encode(FrameTable(frame_of(problem.rows, forest)), hierarchies, FrameTable(there))
    scheme = data.draw(st.tuples(*(st.integers(0, top) for top in problem.high)))
    classes = partition(microdata, scheme)

    def shown(row):
        whole = generalize(row, forest, scheme)
        return [whole[place] for place in places]

    assert classes.population_sizes is not None
    for row, label in zip(
        problem.rows, classes.label_of_tuple[microdata.tuple_of_row].tolist(), strict=True
    ):
        expected = sum(shown(person) == shown(row) for person in population)
        assert classes.population_sizes[label] == expected


def test_a_population_without_a_quasi_identifier_drives_run_frontier_and_verification() -> None:
    frame, population = people(160, 1), people(200, 2)[["age"]]
    asked = policy(KMap(k=7, population_table=population))
    solution = anonymize(frame, asked)
    assert solution.scheme["sex"] == 0  # nobody can be told by it
    released = solution.to_frame()
    manifest = make_manifest(solution, released)
    assert verify(released, asked, manifest, against=frame).passed
    level = solution.scheme["age"]
    shown = population["age"].map({row[0]: row[level] for row in AGE.rows()}).value_counts()
    assert shown[released["age"].unique()].min() >= 7
    assert not verify(released, policy(KMap(k=40, population_table=population)), manifest).passed
    (point,) = frontier(frame, asked, values=[7]).points
    assert point.evaluation.loss == solution.loss


def test_a_population_with_no_quasi_identifier_is_one_sentence() -> None:
    strangers = people(200, 2).rename(columns={"age": "Age", "sex": "Sex"})
    with pytest.raises(
        DataError, match=r"has none of the quasi-identifiers 'age', 'sex'; its header"
    ):
        anonymize(people(160, 1), policy(KMap(k=7, population_table=strangers)))


def test_a_class_that_k_people_match_is_kept() -> None:
    there = pd.DataFrame({"sex": list("FFFMM")})
    microdata = encode(FrameTable(pd.DataFrame({"sex": ["F", "M"]})), [SEX], FrameTable(there))
    classes = partition(microdata, (0,))
    for k, expected in ((2, [False, False]), (3, [False, True]), (4, [True, True])):
        model = KMap(k, population_table="people.csv")
        assert model.violating(classes).tolist() == expected
