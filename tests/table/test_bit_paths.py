from __future__ import annotations

import pytest
from hypothesis import given

from anonymizer.table.bit_paths import Paths
from tests.oracle import Problem
from tests.strategies import microdata_of, problems

pytestmark = pytest.mark.quick


@given(problems(max_attributes=3, ranges=False))
def test_masked_paths_agree_exactly_where_generalized_values_do(problem: Problem) -> None:
    data = microdata_of(problem.rows, problem.trees)
    paths: Paths = data.domain.paths
    for scheme in problem.schemes():
        mask = paths.mask(scheme)
        masked = {tuple((column & mask).tolist()) for column in data.words.T}
        values = {
            tuple(
                column.groups[level][code]
                for column, level, code in zip(data.columns, scheme, codes, strict=True)
            )
            for codes in data.codes.T
        }
        assert len(masked) == len(values)


def test_a_path_takes_few_bits() -> None:
    tree = {f"{n}": (f"{n}", f"{n // 10}x", "*") for n in range(100)}
    problem = Problem((("0",), ("99",)), (tree,), k=1)
    data = microdata_of([(f"{n}",) for n in range(100)], problem.trees)
    assert [digit.width for digit in data.domain.paths.digits] == [4, 4]
    assert data.domain.paths.words == 1


def test_a_scheme_that_keeps_nothing_has_an_empty_mask() -> None:
    tree = {"a": ("a", "*"), "b": ("b", "*")}
    data = microdata_of([("a", "b"), ("b", "b")], (tree, tree))
    assert data.domain.paths.mask((1, 1)).tolist() == [0]
