"""What counting people costs: the table that is measured, and the figures that are committed."""

from __future__ import annotations

import numpy as np
import pandas as pd

from experiments.benchmark.people import CHANGED, draw_visits
from experiments.datasets import RESULTS


def test_each_person_has_three_rows_that_differ_a_little():
    columns = ["age", "sex", *CHANGED]
    drawn = np.random.default_rng(1).integers(20, 40, (200, len(columns))).astype(str)
    visits = draw_visits(pd.DataFrame(drawn, columns=columns), np.random.default_rng(2))
    assert (visits.groupby("person").size() == 3).all()
    assert visits.groupby("person")["sex"].nunique().max() == 1
    ages = visits.assign(age=visits["age"].astype(int)).groupby("person")["age"]
    assert 1 <= (ages.max() - ages.min()).max() <= 2


def test_an_evaluation_with_an_id_takes_at_most_three_times_one_without():
    measured = pd.read_csv(RESULTS / "benchmark" / "people.csv")
    assert set(measured["model"]) == {"k-anonymity", "average", "sources"}
    assert (measured["rows"] == 3 * measured["people"]).all()
    assert (measured["ratio"] <= 3).all()
