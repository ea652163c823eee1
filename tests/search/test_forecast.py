from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.lattice import Lattice
from anonymizer.search.forecast import Forecast

LATTICE = Lattice((0, 0), (3, 2))


def share_of(scheme: tuple[int, ...]) -> float:
    """A world in which the forecast is right: each level takes its own step of the logit."""
    steps = ((0.0, -0.5, -1.5, -2.5), (0.0, -1.0, -3.0))
    return 1 / (1 + np.exp(-(2 + sum(of[level] for of, level in zip(steps, scheme, strict=True)))))


def test_it_learns_what_each_level_does() -> None:
    forecast = Forecast(LATTICE, 10_000_000)
    for _ in range(20):
        for scheme in LATTICE:
            forecast.learn(scheme, round(10_000_000 * share_of(scheme)))
    assert forecast.change((0, 0), (3, 2)) == pytest.approx(-5.5, abs=0.1)
    assert forecast.change((2, 1), (1, 1)) == pytest.approx(1.0, abs=0.1)


@given(st.lists(st.tuples(st.sampled_from(list(LATTICE)), st.integers(0, 50))))
def test_it_never_expects_more_suppression_from_a_coarser_scheme(
    seen: list[tuple[tuple[int, ...], int]],
) -> None:
    forecast = Forecast(LATTICE, 50)
    for scheme, suppressed in seen:
        forecast.learn(scheme, suppressed)
    assert np.isfinite(forecast.steps).all()
    for scheme in LATTICE:
        for coarser in LATTICE.coarser(scheme):
            assert forecast.change(scheme, coarser) < 0


def test_none_and_all_have_finite_logits() -> None:
    forecast = Forecast(LATTICE, 50)
    assert forecast.logit(0) == pytest.approx(-forecast.logit(50))
    assert -10 < forecast.logit(0) < forecast.logit(25) == 0
