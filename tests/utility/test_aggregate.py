from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.utility.aggregate import POWER, Aggregate

UNIT = st.floats(0, 1)


@given(st.sampled_from(Aggregate), st.floats(0, 10))
def test_terms_and_loss_are_inverse(aggregate: Aggregate, loss: float) -> None:
    assert aggregate.of_terms(aggregate.to_terms(loss)) == pytest.approx(loss, abs=1e-12)


@given(st.lists(UNIT, min_size=1, max_size=20))
def test_the_bound_of_a_maximum_is_below_it_and_close(losses: list[float]) -> None:
    terms = Aggregate.MAXIMUM.terms((1.0,) * len(losses), np.array(losses))
    bound = Aggregate.MAXIMUM.of_terms(float(terms.sum()))
    assert max(losses) * len(losses) ** (-1 / POWER) - 1e-12 <= bound <= max(losses) + 1e-12


@given(st.lists(st.tuples(UNIT, st.floats(0.1, 1)), min_size=1, max_size=6))
def test_a_sum_is_a_share_of_the_largest_sum(drawn: list[tuple[float, float]]) -> None:
    losses, weights = zip(*drawn, strict=True)
    expected = sum(x * w for x, w in drawn) / sum(weights)
    assert Aggregate.SUM.terms(weights, np.array(losses)).sum() == pytest.approx(expected)


def test_a_sum_without_weights_is_0() -> None:
    assert Aggregate.SUM.terms((0.0, 0.0), np.ones(2)).tolist() == [0, 0]


def test_a_loss_below_0_has_no_terms() -> None:
    assert Aggregate.MAXIMUM.to_terms(-0.5) == 0
