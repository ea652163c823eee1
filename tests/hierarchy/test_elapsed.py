"""Elapsed time: spans that hold whole shorter ones, day 0 at the start of one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.errors import HierarchyError
from anonymizer.hierarchy import Elapsed


@given(day=st.integers(-336, 1679), level=st.integers(1, 4))
def test_a_span_holds_the_days_that_start_at_a_multiple_of_its_width(day: int, level: int) -> None:
    width = (7, 28, 84, 336)[level - 1]
    row = next(row for row in Elapsed(open=None).rows() if row[0] == str(day))
    start = day // width * width
    low, high = max(start, -336), min(start + width - 1, 1679)
    assert row[level] == (f"{low}-{high}" if low >= 0 else f"{-low}-{-high} before")


def test_days_beyond_the_domain_are_in_the_first_or_the_last_span() -> None:
    hierarchy = Elapsed().build("start").with_values(["-9999", "9999"])
    rows = {row[0]: row for row in hierarchy.rows()}
    assert rows["-9999"][1:] == rows["-336"][1:]
    assert rows["9999"][1:] == rows["1679"][1:]
    assert rows["9999"][4] == "1344+"


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        (
            {"periods": ("week", "month")},
            'periods: \'month\' is not a span; write "day", "week", "quarter", "year", or a number of '
            'them such as "4 weeks".',
        ),
        (
            {"periods": ("4 weeks", "quarter")},
            "periods: 'quarter' (91 days) does not hold whole spans of '4 weeks' (28 days); choose ones "
            'that do, such as "week", "quarter", "year".',
        ),
        ({"domain": (5, 1)}, "domain: 5 is above 1; write it as [lowest, highest]."),
    ],
)
def test_what_does_not_nest_is_a_sentence(keys: dict[str, Any], sentence: str) -> None:
    with pytest.raises(HierarchyError) as error:
        Elapsed(**keys)
    assert sentence in str(error.value)
