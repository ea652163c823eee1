from __future__ import annotations

import csv
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.estimators.derived_k import DERIVATIONS, derived_k
from tests.shared import ABSENT, REFERENCE

VECTORS = REFERENCE / "facts" / "kmap_test_vectors.csv"


@pytest.mark.skipif(not VECTORS.exists(), reason=ABSENT)
def test_every_reference_value_is_met() -> None:
    with VECTORS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 285
    for row in rows:
        fraction = Fraction(row["sampling_fraction"])
        sample = fraction.numerator, fraction.denominator
        test = int(row["k"]), float(row["alpha"]), *sample
        assert derived_k(*test) == int(row["kprime_zt_theory=min(k,c+1)"])
        assert derived_k(*test, "poisson") == int(row["kprime_poisson_theory=min(k,c+1)"])


@given(st.integers(1, 40), st.floats(0.001, 0.999), st.integers(1, 10**6), st.integers(0, 10**8))
def test_the_least_size_is_found_at_which_the_test_rejects(
    k: int, significance: float, records: int, unseen: int
) -> None:
    mean = k * records / (records + unseen)
    chances = [math.exp(-mean) * mean**size / math.factorial(size) for size in range(k + 120)]
    for estimator, chances_seen in zip(DERIVATIONS, (chances[1:], chances), strict=True):
        first = len(chances) - len(chances_seen)
        found = derived_k(k, significance, records, records + unseen, estimator)
        tails = [
            math.fsum(chances_seen[size - first :]) / math.fsum(chances_seen)
            for size in range(first + 1, k)
        ]
        # of the sizes below k, those from k' on are rejected and the others are not
        for size, tail in enumerate(tails, first + 1):
            assert tail <= significance + 1e-9 if size >= found else tail >= significance - 1e-9
        assert found >= min(k, first + 1)


def test_a_whole_population_needs_no_smaller_k_than_asked_for() -> None:
    assert derived_k(3, 0.05, 1000, 1000) == 3


def test_a_large_k_does_not_underflow() -> None:
    assert derived_k(10_000, 0.05, 100, 1000) == pytest.approx(1000 + 1.645 * 1000**0.5, abs=2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 0.05, 10, 100), "k must be at least 1, got 0"),
        ((5, 0.0, 10, 100), "significance must lie between 0 and 1, got 0.0"),
        ((5, 1.0, 10, 100), "significance must lie between 0 and 1, got 1.0"),
        ((5, math.nan, 10, 100), "significance must lie between 0 and 1, got nan"),
        ((5, 0.05, 0, 100), "the sample must have at least 1 record, got 0"),
        ((5, 0.05, 101, 100), "at least as large as the sample: 100 < 101"),
        (
            (5, 0.05, 10, 100, "normal"),
            "no estimator 'normal'; use one of 'zero-truncated-poisson'",
        ),
    ],
)
def test_bad_arguments_are_refused(arguments: tuple[int, float, int, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        derived_k(*arguments)
