from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from anonymizer.demo import QUASI_IDENTIFIERS, population
from anonymizer.estimators.derived_k import DERIVATIONS, derived_k
from anonymizer.estimators.uniques import ESTIMATORS
from experiments.estimators.__main__ import QUICK, main, run
from experiments.estimators.measure import ALPHA, KS, SETS, Truth, measure
from experiments.estimators.page import figure, percent, write_page
from experiments.writing import listed

pytestmark = pytest.mark.slow

COARSE, THREE, SEVEN = SETS[0], SETS[1], SETS[-1]


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    return population(QUICK.people)


@pytest.fixture(scope="module")
def measured() -> tuple[list[Truth], pd.DataFrame, pd.DataFrame]:
    return run(QUICK)


def count_classes(people: pd.DataFrame) -> dict[str, pd.Series]:
    """Count people by hand: no hierarchy, no codes."""
    coarse = [people["age"] // 10, people["sex"], people["zip"].str[:3]]
    return {
        COARSE.name: people.groupby(coarse).size(),
        SEVEN.name: people.groupby(list(QUASI_IDENTIFIERS)).size(),
    }


def test_every_set_fraction_and_estimator_has_one_row(measured):
    _, uniques, _ = measured
    assert set(uniques["estimator"]) == {*ESTIMATORS, "pitman exact"}
    keys = uniques[["set", "fraction", "estimator"]]
    assert len(uniques) == len(keys.drop_duplicates()) == 2 * len(QUICK.fractions) * 5
    assert set(uniques["set"]) == {each.name for each in QUICK.sets}
    assert set(uniques["fraction"]) == set(QUICK.fractions)
    assert (uniques["records"] == (uniques["fraction"] * QUICK.people).round()).all()


def test_every_set_fraction_k_and_derivation_has_one_row(measured):
    _, _, k_map = measured
    keys = k_map[["set", "fraction", "k", "derivation"]].drop_duplicates()
    rows = 2 * len(QUICK.fractions) * len(KS) * len(DERIVATIONS)
    assert len(k_map) == len(keys) == rows
    for _, row in k_map.iterrows():
        expected = derived_k(row["k"], ALPHA, row["records"], QUICK.people, row["derivation"])
        assert row["derived_k"] == expected


def test_the_truth_is_what_a_groupby_of_the_population_counts(people, measured):
    _, uniques, k_map = measured
    for name, sizes in count_classes(people).items():
        assert set(uniques[uniques["set"] == name]["true_uniques"]) == {(sizes == 1).sum()}
        rows = k_map[k_map["set"] == name]
        assert set(rows["true_classes"]) == {len(sizes)}
        for k in KS:
            small = rows[rows["k"] == k]["true_small_classes"]
            assert set(small) == {(sizes < k).sum()}


def test_samples_without_an_estimate_are_counted_and_left_out_of_the_means(measured):
    _, uniques, _ = measured
    rows = uniques.set_index(["set", "fraction", "estimator"])
    assert uniques["no_estimate"].between(0, QUICK.repeats).all()
    assert (uniques["mean"].isna() == (uniques["no_estimate"] == QUICK.repeats)).all()
    # the 50 records of the smallest sample are all unique, so Pitman's model cannot be fitted
    assert rows.loc[(SEVEN.name, 0.001, "pitman"), "no_estimate"] == QUICK.repeats
    assert rows.loc[(SEVEN.name, 0.001, "pitman exact"), "no_estimate"] == QUICK.repeats
    assert rows.loc[(SEVEN.name, 0.001, "zayatz"), "no_estimate"] == 0


def test_bias_and_error_are_told_in_people_and_as_shares(measured):
    uniques = measured[1].dropna(subset="mean")
    truth, error = uniques["true_uniques"], uniques["rmse"]
    np.testing.assert_allclose(uniques["bias"], uniques["mean"] - truth)
    np.testing.assert_allclose(uniques["relative_bias"], uniques["bias"] / truth)
    np.testing.assert_allclose(uniques["relative_rmse"], error / truth)
    np.testing.assert_allclose(uniques["rmse_of_population"], error / QUICK.people)
    assert (error >= uniques["bias"].abs() * (1 - 1e-12)).all()


def test_zayatz_is_exact_where_the_sample_is_the_population(people):
    truths = [Truth.of(people, each) for each in QUICK.sets]
    uniques, k_map = measure(truths, 1.0, [np.arange(len(people))])
    zayatz = uniques[uniques["estimator"] == "zayatz"]
    np.testing.assert_allclose(zayatz["mean"], zayatz["true_uniques"])
    # nothing can pass that is too small once k' is k
    whole = k_map[k_map["derived_k"] == k_map["k"]]
    assert len(whole) > 0
    assert (whole["wrong_of_passing_classes"] == 0).all()


def test_the_error_of_k_map_is_what_a_groupby_of_one_sample_counts(people):
    sample = np.random.default_rng(1).choice(len(people), 10_000, replace=False)
    _, k_map = measure([Truth.of(people, THREE)], 0.2, [sample])
    columns = ["age", "sex", "zip"]
    truth = people.groupby(columns).size().rename("truth")
    classes = people.iloc[sample].groupby(columns).size().rename("found").to_frame().join(truth)
    for _, row in k_map.iterrows():
        passing = classes[classes["found"] >= row["derived_k"]]
        wrong = passing[passing["truth"] < row["k"]]
        small = classes[classes["truth"] < row["k"]]
        assert row["passing_classes"] == len(passing)
        assert row["wrong_of_passing_classes"] == pytest.approx(len(wrong) / len(passing))
        by_records = wrong["found"].sum() / passing["found"].sum()
        assert row["wrong_of_passing_records"] == pytest.approx(by_records)
        assert (len(wrong) > 0) == (row["derived_k"] < row["k"])
        assert row["passing_of_small_classes"] == pytest.approx(len(wrong) / len(small))


def test_the_same_plan_gives_the_same_figures(measured):
    _, uniques, k_map = run(QUICK)
    pd.testing.assert_frame_equal(uniques, measured[1])
    pd.testing.assert_frame_equal(k_map, measured[2])


def test_a_quick_run_writes_only_where_it_is_told_to(measured, tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr("experiments.estimators.__main__.run", lambda _: measured)
    monkeypatch.setattr("experiments.estimators.__main__.RESULTS", tmp_path / "results")
    main(["--quick"])
    assert capsys.readouterr().out.startswith("# How far")
    assert not list(tmp_path.iterdir())
    main(["--quick", "--out", str(tmp_path / "out")])
    names = {"README.md", "uniques.csv", "k_map.csv", "uniques.png", "uniques.svg"}
    assert {path.name for path in (tmp_path / "out").iterdir()} == names
    assert len(pd.read_csv(tmp_path / "out" / "uniques.csv")) == len(measured[1])


def test_the_page_names_an_estimator_reliable_only_if_all_its_cells_are(measured):
    truths, uniques, k_map = measured
    poor = write_page(truths, uniques.assign(within_factor_2=0.0), k_map)
    assert poor.count("do not rely on any") == len(QUICK.fractions)
    good = uniques.assign(within_factor_2=(uniques["estimator"] == "snb").astype(float))
    page = write_page(truths, good, k_map)
    assert page.count("snb is within a factor of 2") == len(QUICK.fractions)
    one_bad = good.copy()
    one_bad.loc[one_bad[one_bad["estimator"] == "snb"].index[0], "within_factor_2"] = 0.9
    page = write_page(truths, one_bad, k_map)
    assert page.count("snb is within a factor of 2") == len(QUICK.fractions) - 1


def test_figures_are_written_as_people_read_them():
    assert [figure(0.98765), figure(12345.6), figure(float("nan"))] == ["0.988", "12,346", "none"]
    assert [percent(0.3), percent(0.12345), percent(0.0)] == ["30 %", "12.3 %", "0 %"]
    assert percent(0.000001) == "< 0.01 %"
    assert listed(["pitman", "snb", "dankar"]) == "pitman, snb and dankar"
    assert listed(["snb"]) == "snb"
