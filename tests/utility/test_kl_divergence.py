from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from anonymizer.risk import Binding
from anonymizer.table.classes import partition
from anonymizer.utility import KLDivergence
from anonymizer.utility.kl_divergence import log_shares
from tests.oracle import Problem
from tests.strategies import microdata_of, problems
from tests.table.test_leaves import ROWS, columns_of, encoded

COIN = {"heads": ("heads", "*"), "tails": ("tails", "*")}


def loss_of(rows: list[tuple[str, ...]], level: int, gone: set[int]) -> float:
    microdata = microdata_of(tuple(rows), (COIN,))
    classes = partition(microdata, (level,))
    suppressed = np.isin(classes.records, list(gone))
    return KLDivergence().appraise(microdata, classes, suppressed, Binding(suppressed)).loss


def test_figures_by_hand() -> None:
    coins = [("heads",)] * 3 + [("tails",)]
    assert loss_of(coins, 0, set()) == 0
    assert loss_of(coins, 1, set()) == pytest.approx(1)
    # of 3/4 log2(3/4 * 2) + 1/4 log2(1/4 * 2) bits, 1/4 log2(1/4 / (1/4 / 2)) are lost
    furthest = 0.75 * np.log2(1.5) + 0.25 * np.log2(0.5)
    assert loss_of(coins, 0, {1}) == pytest.approx(min(1, 0.25 / furthest))


def test_a_table_that_is_spread_evenly_has_nothing_to_lose() -> None:
    assert loss_of([("heads",), ("tails",)], 1, set()) == 0


@given(problems(ranges=False))
def test_classes_never_cover_more_than_all_combinations(problem: Problem) -> None:
    microdata = microdata_of(problem.rows, problem.trees)
    for scheme in (problem.low, problem.high):
        classes = partition(microdata, scheme)
        shares = log_shares(microdata, scheme, classes.first_tuple)
        assert np.exp2(shares).sum() <= 1 + 1e-12


@given(ROWS)
def test_nor_with_values_beyond_an_open_end_or_without_end(rows: list[Any]) -> None:
    microdata = encoded({name: [*map(str, values)] for name, values in columns_of(rows).items()})
    measure, lattice = KLDivergence(), microdata.lattice
    floors = {}
    for scheme in itertools.product(*(range(top + 1) for top in lattice.high)):
        classes = partition(microdata, scheme)
        shares = log_shares(microdata, scheme, classes.first_tuple)
        assert np.exp2(shares).sum() <= 1 + 1e-12
        small = classes.sizes < 2
        found = measure.appraise(microdata, classes, small, Binding(small))
        assert found.floor <= found.loss + 1e-12
        floors[scheme] = found.floor
    for (one, low), (other, high) in itertools.product(floors.items(), repeat=2):
        if all(a <= b for a, b in zip(one, other, strict=True)):
            assert low <= high + 1e-12
