"""The experiments of Xia et al. 2021, a small part of them: the paper's findings must come out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from anonymizer import KAnonymity, anonymize, apply
from anonymizer.risk import Overall
from experiments.xia2021 import published
from experiments.xia2021.checks import (
    check_agreement,
    check_growth,
    check_medians,
    check_order,
    check_q1,
    check_releases,
    check_table_3,
    check_table_4,
)
from experiments.xia2021.measure import (
    Agreement,
    compare_with_simulation,
    draw_samples,
    one_by_one,
    policy_of_patients,
    scenarios,
    settings,
    table_3,
    table_4,
    with_published,
)
from experiments.xia2021.page import pair_reduction, write_page
from experiments.xia2021.patients import ATTRIBUTES, Facts, simulate, state_shares
from experiments.xia2021.releases import compare, k_for, patients_case

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def patients() -> pd.DataFrame:
    return simulate(Facts.read(), 50_000, seed=1)


@pytest.fixture(scope="module")
def first(patients: pd.DataFrame) -> pd.DataFrame:
    return with_published(table_3(patients, {1000: 3, 4000: 2, 7000: 1}, seed=1))


@pytest.fixture(scope="module")
def second(patients: pd.DataFrame) -> pd.DataFrame:
    return table_4(patients, 1000, 3, seed=1)


@pytest.fixture(scope="module")
def releases(patients: pd.DataFrame) -> pd.DataFrame:
    return compare(patients_case(patients, 1000, seed=1), (0.25, 0.1), evaluations=150)


def test_patients_have_the_attributes_and_values_of_table_2(patients: pd.DataFrame) -> None:
    assert tuple(patients) == ATTRIBUTES
    policy = policy_of_patients()
    for hierarchy in policy.load_hierarchies():
        assert set(patients[hierarchy.name].astype(str)) <= set(hierarchy.leaves)
    assert patients["year_of_birth"].astype(int).max() == 1977
    assert (patients["state"] == "TN").mean() == pytest.approx(0.8, abs=0.01)


def test_patients_follow_the_figures(patients: pd.DataFrame) -> None:
    facts = Facts.read()
    assert sum(state_shares(facts, 0.8).values()) == pytest.approx(1)
    assert sum(state_shares(facts, None).values()) == pytest.approx(1)
    young = patients["year_of_birth"].astype(int).between(1965, 1977)
    other = (patients["sexual_orientation"] == "Other")[young].mean()
    assert other == pytest.approx(0.035, abs=0.005)
    born = 2018 - patients["year_of_birth"].astype(int)
    owners = (patients["homeowner"] == "Own")[born.between(65, 74)].mean()
    assert owners == pytest.approx(0.7956, abs=0.015)


def test_the_papers_findings_hold(first: pd.DataFrame, second: pd.DataFrame) -> None:
    checks = [*check_table_3(first), *check_table_4(second)]
    assert len(checks) == 10
    assert [check.claim for check in checks if not check.holds] == []


def test_the_checks_fail_where_the_findings_do_not_hold(first: pd.DataFrame) -> None:
    marketer = first[first["measure"] == "marketer"]
    shrinking = marketer.assign(size=marketer["size"].max() - marketer["size"])
    assert not check_growth(shrinking, "Twitter").holds
    swapped = {"Twitter": "Voter registration", "Voter registration": "Twitter"}
    assert not check_order(marketer.assign(scenario=marketer["scenario"].map(swapped))).holds
    assert not check_medians(marketer.assign(median=marketer["median"] - 9), "Twitter").holds
    assert not check_q1(first.assign(q1=90.0), "journalist").holds
    assert not check_agreement([Agreement("x", 0.5, 0.4, 0.01)])[0].holds


def test_exact_and_simulated_agree(patients: pd.DataFrame) -> None:
    (sample,) = draw_samples(patients, 500, 1, seed=2)
    checks = check_agreement(compare_with_simulation(sample, scenarios(), 200, seed=3))
    assert len(checks) == 2
    assert all(check.holds for check in checks)


def test_all_sets_of_twelve_attributes_are_looked_at(patients: pd.DataFrame) -> None:
    (risk,) = one_by_one(patients, 300, 1, workers=2).scenarios
    assert risk.exposure.subsets == 4096
    assert risk.exposure.method == "exact given u_S"


def test_all_81_settings_are_measured(second: pd.DataFrame) -> None:
    assert len(settings()) == 81
    assert set(published.TABLE_4) <= set(settings())
    assert len(second) == 2 * 81


def test_realism_never_costs_quality(releases: pd.DataFrame) -> None:
    assert check_releases(releases)[0].holds
    assert len(releases) == 6


def test_in_the_worst_case_the_threshold_is_k_anonymity(patients: pd.DataFrame) -> None:
    case = patients_case(patients, 300, seed=5)
    worst = case.scenarios["worst case"]
    assert [k_for(threshold, worst) for threshold in (0.25, 0.1, 0.05)] == [2, 5, 10]
    policy = case.policy(risk=[Overall(0.25, worst, "maximum")])
    ours = anonymize(case.frame, policy, evaluations=60)
    theirs = apply(case.frame, case.policy(risk=[KAnonymity(2)]), ours.scheme)
    assert ours.suppressed == theirs.suppressed
    assert ours.loss == pytest.approx(theirs.loss)


def test_the_page_shows_ours_beside_the_papers(first, second, releases) -> None:
    checks = [*check_table_3(first), *check_table_4(second)]
    page = write_page(checks, first, first, second, 3, [0.1, 0.2], releases, ["1 minute."])
    for words in ("67.47 / 86.78 / 93.86", "| average of 81 |", "[A] fitted", "cannot be had"):
        assert words in " ".join(page.split())
    assert "nan" not in page


def test_table_4_is_at_odds_with_table_3_as_the_page_says() -> None:
    """Somebody with one other on the voter list, alone in the worst case, all parameters 0.2."""
    worst = 1 - (1 - 0.2 * 0.2) * (1 - 0.2)
    risk = 0.643 * 0.2 / 2 + 0.357 * 0.2 / 1000
    assert pair_reduction(0.0) == pytest.approx(100 * (1 - risk / worst))
    assert pair_reduction(0.0) > 70 > published.TABLE_4[0.2, 0.2, 0.2, 0.2]["Voter registration"][0]
    assert np.isclose(100 * (1 - 0.643 / 2), 67.85)
