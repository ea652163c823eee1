from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.lattice import Scheme
from anonymizer.table import bit_paths as paths
from anonymizer.table.classes import EquivalenceClasses, partition
from anonymizer.table.microdata import Microdata
from tests import oracle
from tests.oracle import Problem
from tests.strategies import microdata_of, problems

pytestmark = pytest.mark.quick


@contextmanager
def narrow_words(limit: int) -> Iterator[None]:
    """Let a word hold few bits, so that small tables need several words."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "WORD_BITS", limit)
        yield


def rows_by_class(found: EquivalenceClasses, data: Microdata) -> list[list[int]]:
    """List the rows of each class, as the oracle does."""
    members: list[list[int]] = [[] for _ in found.sizes]
    for row, label in enumerate(found.label_of_tuple[data.tuple_of_row].tolist()):
        members[label].append(row)
    return members


def assert_oracle_agrees(problem: Problem, data: Microdata, scheme: Scheme) -> None:
    found = partition(data, scheme)
    expected = oracle.classes(problem.rows, problem.trees, scheme).values()
    members = rows_by_class(found, data)
    assert sorted(members) == sorted(expected)
    assert found.sizes.tolist() == [len(rows) for rows in members]
    assert found.input_people == int(found.sizes.sum()) == len(problem.rows)
    assert found.scheme == scheme


@given(problems(max_attributes=3))
def test_classes_are_the_rows_that_look_the_same(problem: Problem) -> None:
    data = microdata_of(problem.rows, problem.trees)
    for scheme in problem.schemes():
        assert_oracle_agrees(problem, data, scheme)


@given(problems())
def test_classes_are_numbered_by_their_first_tuple(problem: Problem) -> None:
    data = microdata_of(problem.rows, problem.trees)
    labels = partition(data, problem.high).label_of_tuple.tolist()
    assert list(dict.fromkeys(labels)) == list(range(len(set(labels))))


@given(problems(max_attributes=3), st.integers(1, 6))
def test_the_width_of_a_word_never_matters(problem: Problem, limit: int) -> None:
    with narrow_words(limit):
        data = microdata_of(problem.rows, problem.trees)
        for scheme in problem.schemes():
            assert_oracle_agrees(problem, data, scheme)


@pytest.mark.parametrize("attributes", [15, 16, 17, 40])
def test_many_attributes_of_many_values_need_more_than_one_word(attributes: int) -> None:
    tree = {f"{leaf}": (f"{leaf}", f"pair {leaf // 2}", "*") for leaf in range(16)}
    rows = [(f"{leaf}",) * attributes for leaf in range(16)]  # every value occurs everywhere
    for position in range(attributes):  # and each has a twin that differs in one place only
        twin = list(rows[position % 16])
        twin[position] = str((position + 2) % 16)
        rows.append(tuple(twin))
    problem = Problem((*rows, *rows[::3]), (tree,) * attributes, k=1)
    data = microdata_of(problem.rows, problem.trees)
    random_ = random.Random(attributes)
    schemes = [tuple(random_.choices([0, 1, 2], [4, 3, 1], k=attributes)) for _ in range(50)]
    for scheme in [(0,) * attributes, (1,) * attributes, *schemes]:
        assert_oracle_agrees(problem, data, scheme)
