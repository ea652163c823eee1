from __future__ import annotations

import pytest

from experiments.benchmark.engines import drawn_apart, measure_engines
from tests.shared import ABSENT, DATA

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(not (DATA / "make_standins.py").exists(), reason=ABSENT),
]


def test_a_folder_is_measured_to_a_verified_release() -> None:
    (row,) = measure_engines(rows=20_000)
    assert row["verified"]
    assert row["rows"] == 20_000
    assert min(row["GROUP BY s"], row["COPY s"], row["peak MiB"]) >= 0


def test_nineteen_of_twenty_rows_are_distinct() -> None:
    (table,) = drawn_apart(2000)
    assert table.group_by(table.column_names).aggregate([]).num_rows == 1900
