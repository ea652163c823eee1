from __future__ import annotations

import math
from decimal import Decimal, localcontext

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anonymizer.kernels.gamma import digamma_tail, harmonic_sums, log_gamma_ratio, phi

EULER = 0.57721566490153286061


def powers(low: float, high: float) -> st.SearchStrategy[float]:
    """Draw numbers of every order of magnitude."""
    return st.floats(low, high).map(lambda exponent: 10.0**exponent)


@given(powers(-18, 12))
@example(0.5)
def test_phi_loses_no_digit(y: float) -> None:
    with localcontext(prec=80):
        exact = Decimal(y) - (1 + Decimal(y)).ln()
    assert phi(y) == pytest.approx(float(exact), rel=1e-15)


def test_digamma_is_that_of_the_harmonic_numbers() -> None:
    for number in range(13, 200):
        harmonic = math.fsum(1 / i for i in range(1, number))
        w = number - 0.5
        tail, slope = digamma_tail(w)
        assert math.log(w) + tail == pytest.approx(harmonic - EULER, rel=1e-15)
        squares = math.fsum(1 / i**2 for i in range(1, number))
        assert 1 / w + slope == pytest.approx(math.pi**2 / 6 - squares, rel=1e-13)


@given(powers(-8, 16), st.integers(0, 2000))
@example(1e16, 1)
@example(12.4, 2000)
@example(1e-8, 1)
def test_harmonic_sums_are_the_sums_term_by_term(z: float, terms: int) -> None:
    direct = [
        math.fsum(i**power / (z + (i - 1)) ** degree for i in range(1, terms + 1))
        for degree, power in ((1, 0), (1, 1), (2, 0), (2, 1))
    ]
    assert harmonic_sums(z, float(terms)) == pytest.approx(direct, rel=1e-14)


@given(powers(-3, 15), st.floats(0, 1), st.floats(0, 1))
def test_log_gamma_ratios_add_up(z: float, first: float, second: float) -> None:
    parts = log_gamma_ratio(z, first) + log_gamma_ratio(z + first, second)
    assert log_gamma_ratio(z, first + second) == pytest.approx(parts, rel=1e-13, abs=2e-14)
    assert log_gamma_ratio(z, 1.0) == pytest.approx(math.log(z), rel=1e-14, abs=1e-14)
    assert log_gamma_ratio(z, 0.0) == pytest.approx(0, abs=1e-15)


@given(powers(-3, 2), st.floats(0, 1))
def test_log_gamma_ratios_are_those_of_the_library_where_they_do_not_cancel(
    z: float, delta: float
) -> None:
    expected = math.lgamma(z + delta) - math.lgamma(z)
    assert log_gamma_ratio(z, delta) == pytest.approx(expected, rel=1e-12, abs=1e-12)
