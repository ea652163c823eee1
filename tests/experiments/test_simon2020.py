from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from experiments.simon2020 import paper
from experiments.simon2020.__main__ import QUICK, main
from experiments.simon2020.measure import LEFT_OUT, assess_visits, compare_counts
from experiments.simon2020.visits import KEYS, draw_people, draw_several, draw_visits

pytestmark = pytest.mark.slow


def test_the_synthetic_counts_are_those_of_a_group_by():
    counts = compare_counts(assess_visits(5_000, 1, lambda _: None))
    rng = np.random.default_rng(1)
    visits = draw_visits(draw_people(5_000, rng), rng).astype(str)
    for _, row in counts.iterrows():
        outcome = "death90" if row["source"] == paper.DEATH else "event90"
        keys = [key for key in (*KEYS, outcome) if key not in LEFT_OUT.get(row["keys"], ())]
        sizes = visits.groupby(keys)["depression"].transform("size")
        assert row["synthetic"] == (sizes < row["k"]).sum()


def test_the_printed_percentages_follow_from_the_printed_counts():
    for count in paper.COUNTS:
        for number, percent in zip(count.violations, count.percent, strict=True):
            assert f"{100 * number / paper.RECORDS:.3f}" == percent


def test_people_have_several_visits():
    visits = draw_several(200, 6.7, np.random.default_rng(3))
    by_person = visits.groupby("patient")
    assert by_person.ngroups == 200
    assert 6 < len(visits) / 200 < 7.5
    assert (by_person["race"].nunique() == 1).all()
    assert by_person["visit_year"].nunique().max() > 1


def test_the_quick_plan_writes_everything_and_twice_the_same(tmp_path: Path):
    pytest.importorskip("matplotlib")
    for folder in ("one", "two"):
        main(["--quick", "--out", str(tmp_path / folder)])
    one, two = (
        {path.name: path.read_bytes() for path in (tmp_path / folder).iterdir()}
        for folder in ("one", "two")
    )
    assert one == two
    assert {
        "README.md",
        "counts.csv",
        "people.csv",
        "plans.csv",
        "kept.csv",
        "told.csv",
        "assessment.html",
        "assessment.json",
    } <= one.keys()
    page = one["README.md"].decode()
    assert f"{QUICK.records:,} synthetic visits" in page
    assert "| records that fit a person in a cell of 3, p = 0.12 | 24 | 25 |" in page
    assert "leave out site and visit_year" in page
    assert "| 90% of the deaths |" in page
    assert "| none | coarsen" in page
    assert "One plan for all sources together" in page
