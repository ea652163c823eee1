from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.attackers.statistics import passes, quantile_of, records_above, statistic_of
from tests.attackers import overall_oracle as oracle

STATISTICS = ("mean", "maximum", "p95", "p50", "p33.3")


@pytest.mark.parametrize("wrong", ["median", "p0", "p101", "95", 0, 1.5, True, float("nan"), None])
def test_unknown_statistics_are_refused(wrong: Any) -> None:
    with pytest.raises(
        ValueError, match="is unknown; use 'mean', 'maximum', 'data-set' or a percentile"
    ):
        quantile_of(wrong)


def test_a_percentile_counts_records_exactly() -> None:
    risks = np.arange(100) / 100
    counts = np.ones(100, np.int64)
    # 0.07 * 100 is 7.000000000000001 in binary numbers
    assert statistic_of(risks, counts, 0.07) == statistic_of(risks, counts, "p7") == risks[6]
    assert statistic_of(risks, counts, "p7.1") == risks[7]
    assert statistic_of(risks, counts, "maximum") == statistic_of(risks, counts, 1.0) == risks[99]


@pytest.mark.parametrize("statistic", STATISTICS)
@given(records=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 4)), max_size=8))
def test_it_is_the_statistic_of_every_record_in_turn(
    statistic: str, records: list[tuple[float, int]]
) -> None:
    risks, counts = (np.array([pair[at] for pair in records]) for at in (0, 1))
    each = [risk for risk, count in records for _ in range(count)]
    found = statistic_of(risks, counts.astype(np.int64), statistic)
    assert found == pytest.approx(oracle.statistic(each, statistic), abs=1e-12)
    quantile = quantile_of(statistic)
    if quantile is not None and each:
        allowed = int(records_above(quantile, np.array([len(each)]))[0])
        for threshold in each:  # passes exactly if no more than the allowed records are above
            assert (found <= threshold) == (sum(risk > threshold for risk in each) <= allowed)


def test_rounding_alone_is_not_above() -> None:
    assert passes(0.1 + 0.2, 0.3)
    assert not passes(0.3 + 1e-9, 0.3)
