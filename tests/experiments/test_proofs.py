"""Proofs of the reference optima: those committed are accepted, and one is made again."""

from __future__ import annotations

import pandas as pd
import pytest

from experiments.datasets import RESULTS, path_of
from experiments.proofs.__main__ import measure, problems

pytestmark = pytest.mark.slow


def test_every_committed_proof_is_accepted() -> None:
    table = pd.read_csv(RESULTS / "proofs" / "proofs.csv")
    assert (table["accepted"] == "yes").all()
    assert table["closed boxes"].notna().all()


@pytest.mark.skipif(path_of("adult") is None, reason="the benchmark data is not at hand")
def test_the_optimum_of_adult_has_few_witnesses() -> None:
    name, problem = next(iter(problems(["adult"])))
    assert (name["model"], name["parameters"]) == ("k-anonymity", "k=5")
    found = measure(problem())
    assert found["accepted"] == "yes"
    assert found["witnesses"] < 300
