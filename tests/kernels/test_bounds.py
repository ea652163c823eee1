from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.kernels.bounds import best_split, cut_high, strongest, tighten

HEIGHT = 4


@dataclass
class Case:
    """Evaluated schemes with their terms, and a box."""

    schemes: np.ndarray
    terms: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def box(self) -> list[tuple[int, ...]]:
        ranges = zip(self.low.tolist(), self.high.tolist(), strict=True)
        return list(itertools.product(*(range(low, high + 1) for low, high in ranges)))

    def bound(self, evaluated: int, scheme: tuple[int, ...]) -> float:
        """What one evaluated scheme says of another: nothing unless that is finer."""
        if any(a < b for a, b in zip(self.schemes[evaluated], scheme, strict=True)):
            return -np.inf
        return float(sum(self.terms[evaluated, a, level] for a, level in enumerate(scheme)))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw terms that rise with the level, as those of a scheme do; whole numbers keep sums exact."""
    attributes = draw(st.integers(1, 3))
    levels = st.integers(0, HEIGHT - 1)
    schemes = draw(st.lists(st.lists(levels, min_size=attributes, max_size=attributes), max_size=5))
    rises = st.lists(st.integers(0, 5), min_size=HEIGHT, max_size=HEIGHT)
    terms = [[np.cumsum(draw(rises)) for _ in range(attributes)] for _ in schemes]
    pairs = [sorted([draw(levels), draw(levels)]) for _ in range(attributes)]
    return Case(
        np.array(schemes, np.int64).reshape(-1, attributes),
        np.array(terms, float).reshape(-1, attributes, HEIGHT),
        np.array([low for low, _ in pairs]),
        np.array([high for _, high in pairs]),
    )


@given(cases())
def test_the_strongest_bound_on_a_box_is_the_best_of_those_that_cover_it(case: Case) -> None:
    covering = [e for e in range(len(case.schemes)) if (case.schemes[e] >= case.high).all()]
    by, bound = strongest(case.schemes, case.terms, len(case.schemes), case.low, case.high, np.inf)
    assert bound == max((case.bound(e, tuple(case.low)) for e in covering), default=-np.inf)
    assert by in covering or (by == -1 and not covering)


@given(cases(), st.integers(0, 30))
def test_a_bound_above_the_limit_may_end_the_search_for_a_stronger_one(
    case: Case, limit: int
) -> None:
    full = strongest(case.schemes, case.terms, len(case.schemes), case.low, case.high, np.inf)[1]
    by, bound = strongest(case.schemes, case.terms, len(case.schemes), case.low, case.high, limit)
    assert bound == full or limit < bound <= full
    if by >= 0:
        assert bound == case.bound(by, tuple(case.low))


@given(cases(), st.data())
def test_tightening_keeps_every_scheme_whose_bounds_are_all_within_the_limit(
    case: Case, data: st.DataObject
) -> None:
    before = case.box()
    bounds = {case.bound(e, scheme) for e in range(len(case.schemes)) for scheme in before}
    limit = data.draw(st.sampled_from(sorted(bounds - {-np.inf}) or [0.0]))  # a tie must stay in
    by, bound = tighten(case.schemes, case.terms, len(case.schemes), case.low, case.high, limit)
    after = set(case.box()) if bound <= limit else set()
    for scheme in before:
        possible = all(case.bound(e, scheme) <= limit for e in range(len(case.schemes)))
        if possible:
            assert scheme in after
    if by >= 0 and bound <= limit:
        # nothing more can be cut from above by the bound that is reported
        for a in range(case.low.size):
            corner = case.low.copy()
            corner[a] = case.high[a]
            assert case.bound(by, tuple(corner)) <= limit


@given(cases(), st.integers(0, 30))
def test_cutting_says_whether_it_moved(case: Case, limit: int) -> None:
    for e in range(len(case.schemes)):
        high = case.high.copy()
        bound = float(sum(case.terms[e, a, level] for a, level in enumerate(case.low)))
        moved = cut_high(case.terms[e], bound, case.low, high, float(limit))
        assert moved == (high != case.high).any()
        assert (high >= case.low).all()


def test_an_infinite_bound_puts_the_whole_box_out() -> None:
    schemes, terms = np.array([[2, 2]]), np.full((1, 2, 3), np.inf)
    _, bound = tighten(schemes, terms, 1, np.array([0, 0]), np.array([2, 1]), 1e300)
    assert bound == np.inf


@given(
    cases(), st.floats(0.01, 0.99), st.floats(-8, 8), st.floats(0.5, 40), st.sampled_from([0.7, 1])
)
def test_the_best_split_has_the_largest_product_of_rises_that_count(
    case: Case, share: float, logit: float, gap: float, stress: float
) -> None:
    steps = -np.cumsum(np.linspace(0.1, 1, case.low.size * HEIGHT)).reshape(-1, HEIGHT)
    room = 20.0
    for terms in case.terms:
        scores = {}
        for a in range(case.low.size):
            for level in range(case.low[a], case.high[a]):
                lower = logit + steps[a, level] - steps[a, case.high[a]]
                suppressed = np.exp(lower) / (1 + np.exp(lower))
                below = min(gap, room * (suppressed - share) / (1 - share))
                above = min(gap, terms[a, level + 1] - terms[a, case.low[a]])
                scores[a, level] = max(below, 1e-9) ** stress * max(above, 1e-9)
        found = best_split(terms, case.low, case.high, gap, room, share, logit, steps, stress)
        if scores:
            assert scores[found] == pytest.approx(max(scores.values()))
        else:
            assert found == (-1, -1)


@pytest.mark.parametrize("known", [0, 1])
def test_rows_beyond_the_known_schemes_are_not_looked_at(known: int) -> None:
    schemes, terms = np.array([[1], [1]]), np.array([[[0.0, 1.0]], [[9.0, 9.0]]])
    by, bound = strongest(schemes, terms, known, np.array([0]), np.array([1]), np.inf)
    assert (by, bound) == ((-1, -np.inf) if known == 0 else (0, 0.0))
