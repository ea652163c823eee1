"""What the committed measurements must show. Speed is measured in the benchmark, never in a test."""

from __future__ import annotations

import pandas as pd
import pytest

from experiments.datasets import RESULTS

pytestmark = pytest.mark.slow

FOLDER = RESULTS / "benchmark"
MOST_GROUP_BYS = {
    "k-anonymity": 5,
    "strict-average": 10,
    "k-map": 10,
    "average": 10,
    "sample-uniqueness": 10,
    "p-uniqueness": 50,
    "overall": 25,
}


@pytest.fixture(scope="module")
def searches() -> pd.DataFrame:
    return pd.read_csv(FOLDER / "searches.csv")


def test_every_search_is_proven_within_its_group_bys(searches: pd.DataFrame) -> None:
    assert set(searches["model"]) == set(MOST_GROUP_BYS)
    for model, taken in searches.groupby("model")["search / group-by"]:
        assert taken.max() <= MOST_GROUP_BYS[model], model


def test_k_anonymity_takes_at_most_four_group_bys_on_all_five_tables(
    searches: pd.DataFrame,
) -> None:
    own = searches[searches["model"] == "k-anonymity"]
    assert set(own["data"]) == {"adult", "cup", "fars", "atus", "ihis"}
    assert own["search / group-by"].max() <= 4


def test_wide_tables_are_never_behind_arx_and_the_gap_only_falls() -> None:
    wide = pd.read_csv(FOLDER / "wide.csv")
    beside = wide.dropna(subset=["ARX's best"])
    assert set(beside["data"]) == {"mach2019", "creditcard"}
    assert (beside["loss"] <= beside["ARX's best"]).all()
    for _, mine in wide.groupby(["data", "attributes", "k", "aggregate"]):
        assert mine["gap"].is_monotonic_decreasing
    last = wide[(wide["seconds"] == 60) & (wide["data"] == "creditcard")]
    assert (last["gap"] < 0.1).all()
