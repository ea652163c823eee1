"""Sampling weights: no class of fewer than k people passes with more than the significance."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.estimators.survey import (
    LOOKED_AT,
    SIGNIFICANCES,
    chance,
    large_enough,
    largest_fractions,
    rarities,
    wrong_at_most,
)

LEVELS = st.sampled_from([*SIGNIFICANCES, 0.3])


def enough(fractions: list[float], k: int, significance: float) -> bool:
    """Whether a class of these records is large enough."""
    rarity = rarities(np.array(fractions), k, significance)
    ones = np.ones(len(fractions), np.int64)
    return bool(large_enough(np.zeros(len(fractions), np.int64), rarity, ones, 1, k)[0])


def passing(fractions: list[float], k: int, significance: float) -> float:
    """How likely a class passes, given that any of its people are drawn: over all who may be."""
    passed = drawn = 0.0
    for marks in itertools.product((False, True), repeat=len(fractions)):
        likely = math.prod(p if m else 1 - p for p, m in zip(fractions, marks, strict=True))
        sample = [p for p, mark in zip(fractions, marks, strict=True) if mark]
        drawn += likely if sample else 0.0
        passed += likely if sample and enough(sample, k, significance) else 0.0
    return passed / drawn


@given(
    st.integers(2, 6).flatmap(
        lambda k: st.tuples(st.just(k), st.lists(st.floats(0.001, 1.0), min_size=1, max_size=k - 1))
    ),
    LEVELS,
)
def test_a_class_of_fewer_than_k_people_seldom_passes_whatever_its_fractions(
    drawn: tuple[int, list[float]], significance: float
) -> None:
    k, fractions = drawn
    assert passing(fractions, k, significance) <= significance + 1e-9


@given(st.integers(3, 6), st.sampled_from(SIGNIFICANCES))
def test_it_passes_just_so_often_where_all_fractions_are_the_largest_for_some_number(
    k: int, significance: float
) -> None:
    for fraction in largest_fractions(k, significance)[:-1]:
        assert passing([fraction] * (k - 1), k, significance) == pytest.approx(significance)


@given(
    st.lists(st.floats(0.001, 1.0), min_size=1, max_size=8),
    st.lists(st.floats(0.001, 1.0), min_size=1, max_size=8),
    st.integers(1, 9),
    LEVELS,
)
def test_merging_classes_never_lowers_it(
    one: list[float], other: list[float], k: int, significance: float
) -> None:
    if enough(one, k, significance):
        assert enough([*one, *other], k, significance)
    if len(one) >= k:
        assert enough(one, k, significance)


@given(st.integers(2, 40), LEVELS)
def test_fewer_records_are_enough_the_more_rarely_they_are_drawn(
    k: int, significance: float
) -> None:
    fractions = largest_fractions(k, significance)
    assert list(fractions) == sorted(fractions)
    assert fractions[-1] == 1.0
    looked_at = [each for each in SIGNIFICANCES if k <= LOOKED_AT and each <= significance]
    share = max([*looked_at, significance / max(1, k - 2)])
    for t, fraction in enumerate(fractions[:-1], 2):
        assert chance(t, k - 1, fraction) == pytest.approx(share, rel=1e-6)


def test_above_the_cases_looked_at_the_significance_is_shared() -> None:
    assert largest_fractions(LOOKED_AT + 1, 0.1)[0] < largest_fractions(LOOKED_AT, 0.1)[0] / 5


@pytest.mark.parametrize(("classes", "significance"), [(1, 0.3), (50, 0.05), (400, 0.1)])
def test_how_many_pass_wrongly_at_most_is_a_quantile(classes: int, significance: float) -> None:
    random = np.random.default_rng(4)
    drawn = random.binomial(classes, significance, 20_000)
    most = wrong_at_most(classes, significance)
    assert (drawn <= most).mean() >= 0.97
    assert most == 0 or (drawn <= most - 1).mean() < 0.98


@pytest.mark.parametrize(("k", "significance"), [(0, 0.1), (5, 0.0), (5, 1.0)])
def test_what_is_no_k_or_no_significance_is_refused(k: int, significance: float) -> None:
    with pytest.raises(ValueError, match="must"):
        largest_fractions(k, significance)
