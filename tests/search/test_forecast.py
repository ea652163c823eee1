from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.lattice import Lattice
from anonymizer.search import forecast as module
from anonymizer.search.forecast import Forecast, split_levels

LATTICE = Lattice((0, 0), (3, 2))


def share_of(scheme: tuple[int, ...]) -> float:
    """A world in which the forecast is right: each level takes its own step of the logit."""
    steps = ((0.0, -0.5, -1.5, -2.5), (0.0, -1.0, -3.0))
    return 1 / (1 + np.exp(-(2 + sum(of[level] for of, level in zip(steps, scheme, strict=True)))))


def test_it_learns_what_each_level_does() -> None:
    forecast = Forecast(LATTICE, 10_000_000)
    for _ in range(20):
        for scheme in LATTICE:
            forecast.learn([scheme], [round(10_000_000 * share_of(scheme))])
    assert forecast.change((0, 0), (3, 2)) == pytest.approx(-5.5, abs=0.1)
    assert forecast.change((2, 1), (1, 1)) == pytest.approx(1.0, abs=0.1)


@given(st.lists(st.tuples(st.sampled_from(list(LATTICE)), st.integers(0, 50))))
def test_it_never_expects_more_suppression_from_a_coarser_scheme(
    seen: list[tuple[tuple[int, ...], int]],
) -> None:
    forecast = Forecast(LATTICE, 50)
    for scheme, suppressed in seen:
        forecast.learn([scheme], [suppressed])
    assert np.isfinite(forecast.steps).all()
    for scheme in LATTICE:
        for coarser in LATTICE.coarser(scheme):
            assert forecast.change(scheme, coarser) < 0


def test_none_and_all_have_finite_logits() -> None:
    forecast = Forecast(LATTICE, 50)
    assert forecast.logit(0) == pytest.approx(-forecast.logit(50))
    assert -10 < forecast.logit(0) < forecast.logit(25) == 0


def test_with_many_levels_neighbouring_ones_share_an_effect(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MAX_STEPS", 20)
    lattice = Lattice((0, 0), (4000, 2))
    forecast = Forecast(lattice, 10_000)
    for level in (0, 1000, 2000, 4000):
        forecast.learn([(level, 2)] * 20, [round(10_000 * share_of_level(level))] * 20)
    assert len(forecast.targets) <= 1 + 20
    steps = forecast.steps[0]
    assert (np.diff(steps) < 0).all()
    assert steps[4000] - steps[2000] == pytest.approx(-4, abs=0.5)
    assert np.isfinite(steps).all()


def share_of_level(level: int) -> float:
    return 1 / (1 + np.exp(level / 500 - 4))


def test_with_more_attributes_than_effects_it_keeps_to_what_it_assumed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MAX_STEPS", 20)
    lattice = Lattice((0,) * 30, (2,) * 30)
    forecast = Forecast(lattice, 100)
    forecast.learn([lattice.high], [7])
    assert forecast.steps[:, 2] == pytest.approx(np.full(30, module.USUAL_STEP))


@given(st.lists(st.integers(0, 90), min_size=1, max_size=8), st.integers(1, 200))
def test_runs_of_levels_cover_each_level_once_and_are_not_too_many(
    tops: list[int], most: int
) -> None:
    edges = split_levels(tops, most)
    for top, each in zip(tops, edges, strict=True):
        assert (each[0], each[-1]) == (0, top)
        assert each == sorted(set(each))
    runs = sum(len(each) - 1 for each in edges)
    assert runs <= max(most, sum(top > 0 for top in tops))
    if sum(tops) <= most:
        assert runs == sum(tops)
