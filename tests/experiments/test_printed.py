"""Tables of printed numbers are what the measured tables beside them say."""

from __future__ import annotations

import pandas as pd

from experiments.datasets import RESULTS
from experiments.nrf import printed as nrf
from experiments.xia2021 import printed as xia


def test_every_printed_number_of_nrf_has_a_verdict() -> None:
    folder = RESULTS / "nrf"
    read = (
        pd.read_csv(folder / f"{name}.csv", dtype={"printed": str})
        for name in ("table_7", "table_8", "figure_2")
    )
    found = nrf.printed_table(*read)
    kept = pd.read_csv(folder / "printed.csv", dtype=str, keep_default_na=False)
    pd.testing.assert_frame_equal(found.astype(str), kept)
    verdicts = found["verdict"].value_counts().to_dict()
    assert verdicts == {"reproduced": 25, "not to be had": 13, "contradicted": 2}


def test_every_printed_number_of_xia_has_a_verdict() -> None:
    folder = RESULTS / "xia2021"
    found = xia.printed_table(
        *(pd.read_csv(folder / f"{name}.csv") for name in ("table_3", "table_4"))
    )
    kept = pd.read_csv(folder / "printed.csv")
    pd.testing.assert_frame_equal(found, kept, rtol=1e-5, check_dtype=False)
    assert len(found) == 30 + 20 + 30 + 6
    assert set(found["verdict"]) == {"reproduced", "not to be had"}
