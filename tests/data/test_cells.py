from __future__ import annotations

from datetime import date, datetime

import numpy as np
import pandas as pd
import pytest

from anonymizer.data.cells import text_of


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("34", "34"),
        (34, "34"),
        (np.int64(34), "34"),
        (34.0, "34.0"),
        (True, "True"),
        (np.bool_(False), "False"),
        (date(2024, 3, 1), "2024-03-01"),
        (datetime(2024, 3, 1), "2024-03-01"),
        (pd.Timestamp("2024-03-01"), "2024-03-01"),
        (datetime(2024, 3, 1, 8, 30), "2024-03-01T08:30:00"),
        (b"34", "34"),
    ],
)
def test_a_value_is_known_by_its_text(value: object, text: str) -> None:
    assert text_of(value) == text
