from __future__ import annotations

import numpy as np
from hypothesis import given

from anonymizer.search.covers import Covers, finest_uneven, values_of
from tests.oracle import Problem
from tests.strategies import evaluator_of, problems


@given(problems())
def test_what_a_tuple_covers_is_looked_up_by_its_value_at_every_level(problem: Problem) -> None:
    microdata = evaluator_of(problem).microdata
    covers = Covers.of(microdata.domain)
    values = values_of(microdata.columns, microdata.codes)
    for a, column in enumerate(microdata.columns):
        places = covers.offsets[a] + values[:, a]
        for level in range(len(column.groups)):
            expected = column.covered[level][microdata.codes[a]]
            assert covers.covered[level, places].tolist() == expected.tolist()


@given(problems())
def test_below_the_finest_uneven_level_all_values_cover_as_much(problem: Problem) -> None:
    for column in evaluator_of(problem).microdata.columns:
        finest = finest_uneven(column)
        for level in range(finest):
            assert np.unique(column.covered[level]).size == 1
        uneven = np.unique(column.covered[finest]).size > 1
        assert uneven or finest == len(column.groups) - 1
