"""Pages: figures written with a stated precision."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.report.page import share


@given(st.floats(0, 1))
def test_0_and_100_percent_are_exact_and_all_else_is_near(value):
    text = share(value)
    if text in ("0 %", "100 %"):
        assert 100 * value in (0, 100)
    elif text == "over 99.9 %":
        assert 0.999 < value < 1
    else:
        number = float(text.removesuffix(" %"))
        assert number == pytest.approx(100 * value, abs=0.0501, rel=0.06)
        assert 0 < number < 100
