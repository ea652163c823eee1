"""Regressions against closed forms, and fits that fail."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t

from anonymizer import evidence
from anonymizer.analyses.regression import (
    FitError,
    RegressionKind,
    check_rank,
    estimate,
    find_separating,
)
from tests.analyses.people import HAZARD, ILL, STAY, people, release


def least_squares(y: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """The textbook's formulas: coefficients, standard errors, and the quantile of their intervals."""
    inverse = np.linalg.inv(x.T @ x)
    values = inverse @ x.T @ y
    freedom = len(y) - x.shape[1]
    variance = ((y - x @ values) ** 2).sum() / freedom
    return values, np.sqrt(variance * np.diag(inverse)), t(freedom).ppf(0.975)


def columns_of(frame: pd.DataFrame, age: pd.Series) -> np.ndarray:
    base = frame["sex"].mode()[0]
    other = (frame["sex"] != base).astype(float)
    return np.column_stack([np.ones(len(frame)), age, other])


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 1000), level=st.integers(0, 2))
def test_a_linear_regression_is_least_squares_on_values_and_on_midpoints(
    seed: int, level: int
) -> None:
    frame = people(80, seed)
    rows = evidence(release(frame, [STAY], (level, 0, 0)))["stay"].rows
    tens, thirties = frame["age"] // 10 * 10 + 4.5, (frame["age"] - 20) // 30 * 30 + 34.5
    middles = {0: frame["age"], 1: tens, 2: thirties}
    for side, age in (("before", frame["age"]), ("after", middles[level])):
        values, errors, quantile = least_squares(frame["stay"].to_numpy(), columns_of(frame, age))
        for row, value, error in zip(rows, values, errors, strict=True):
            assert getattr(row, side) == pytest.approx(value)
            assert getattr(row, f"{side}_error") == pytest.approx(error)
            assert getattr(row, f"{side}_low") == pytest.approx(value - quantile * error)
            assert getattr(row, f"{side}_high") == pytest.approx(value + quantile * error)


def test_a_logistic_regression_on_one_category_is_the_logarithm_of_the_odds_ratio() -> None:
    frame = people()
    stated = {**ILL, "formula": "ill ~ sex"}
    _, row = evidence(release(frame, [stated]))["ill"].rows
    table = pd.crosstab(frame["sex"], frame["ill"])
    base = frame["sex"].mode()[0]
    other = "F" if base == "M" else "M"
    odds = {sex: table.loc[sex, "yes"] / table.loc[sex, "no"] for sex in (base, other)}
    assert row.before == pytest.approx(math.log(odds[other] / odds[base]))
    assert row.before_error == pytest.approx(math.sqrt((1 / table.to_numpy()).sum()))  # Woolf 1955


def test_a_cox_regression_solves_the_score_equation_of_cox() -> None:
    frame = people().drop_duplicates("stay", ignore_index=True)  # Efron's ties are another formula
    rows = evidence(release(frame, [{**HAZARD, "formula": "stay ~ age"}]))["hazard"].rows
    (row,) = rows  # there is no intercept

    def score(beta: float) -> float:
        weights = np.exp(beta * frame["age"])
        total = 0.0
        for at in frame.index[frame["ill"] == "yes"]:
            risk = frame["stay"] >= frame["stay"][at]
            total += frame["age"][at] - (weights * frame["age"])[risk].sum() / weights[risk].sum()
        return total

    assert score(row.before) == pytest.approx(0, abs=1e-3)
    assert abs(score(0.0)) > 1


def test_categories_are_compared_at_the_level_of_the_release() -> None:
    stated = {**STAY, "formula": "stay ~ age + town", "generalized": "category"}
    rows = evidence(release(people(), [stated], (1, 0, 1)))["stay"].rows
    ages = [row.term for row in rows if row.term.startswith("age: ")]
    towns = [row.term for row in rows if row.term.startswith("town: ")]
    assert len(ages) == 5
    assert len(towns) == 1
    assert all(row.overlap == pytest.approx(1) for row in rows)  # nothing was suppressed


def test_interactions_multiply_columns() -> None:
    frame = people()
    stated = {**STAY, "formula": "stay ~ age + sex + age:sex"}
    rows = evidence(release(frame, [stated]))["stay"].rows
    columns = columns_of(frame, frame["age"])
    matrix = np.column_stack([columns, columns[:, 1] * columns[:, 2]])
    values, _, _ = least_squares(frame["stay"].to_numpy(), matrix)
    assert [row.before for row in rows] == pytest.approx(values)


def test_a_column_that_is_generalized_to_one_value_is_lost_and_counts_as_no_overlap() -> None:
    found = evidence(release(people(), [STAY], (0, 1, 0)))["stay"]
    age, sex = found.rows[1:]
    assert (sex.change, sex.after, sex.overlap) == ("lost", None, 0)
    assert found.value == pytest.approx((age.overlap + 0) / 2)
    assert "nothing to estimate these from: sex" in found.findings[0]


def test_a_response_that_is_separated_is_a_sentence_and_never_full_overlap() -> None:
    frame = people(200)
    frame["ill"] = np.where(frame["age"] < 50, "no", "yes")
    frame.loc[frame.index[frame["age"] < 30][0], "ill"] = "yes"  # one is enough
    frame.loc[frame.index[frame["age"] > 70][0], "ill"] = "no"
    stated = {**ILL, "formula": "ill ~ C(age)"}
    found = evidence(release(frame, [stated], (2, 0, 0)))["ill"]
    assert found.value is not None
    exact = frame.assign(ill=np.where(frame["age"] < 50, "no", "yes"))
    failed = evidence(release(exact, [stated], (2, 0, 0)))["ill"]
    assert failed.value is None
    assert not failed.rows
    assert "cannot be fitted to the original" in failed.findings[0]


def test_what_the_release_alone_separates_is_not_full_overlap() -> None:
    frame = people(300, 5)
    frame["ill"] = np.where(frame["sex"] == "M", "yes", "no")
    lone = frame.index[frame["sex"] == "M"][0]
    frame.loc[lone, ["age", "ill"]] = [79, "no"]
    frame.loc[frame.index[frame["sex"] == "F"][:30], "ill"] = "yes"
    frame = frame[~((frame["age"] == 79) & (frame.index != lone))]  # alone at that age: suppressed
    found = evidence(release(frame, [{**ILL, "formula": "ill ~ sex"}], (0, 0, 2), k=2))["ill"]
    assert found.value is None or found.value == 0
    assert "same response in the release, so their coefficients are lost: sex" in found.findings[-1]
    assert all(row.overlap == 0 and row.change == "lost" for row in found.rows)


def test_a_category_that_separates_is_left_out_with_its_records_and_changes_no_other() -> None:
    frame = people(400)
    frame["ward"] = ["x", "y", "z", "z"] * 100
    frame.loc[frame["ward"] == "y", "ill"] = "no"  # nobody of this ward
    stated = {**ILL, "formula": "ill ~ age + ward"}
    found = evidence(release(frame, [stated]))["ill"]
    without = evidence(release(frame[frame["ward"] != "y"], [stated]))["ill"]
    assert found.value == 1
    assert [row.term for row in found.rows] == [row.term for row in without.rows]
    assert [row.before for row in found.rows] == pytest.approx([row.before for row in without.rows])
    assert "same response in the original, so they are left out: ward: y" in found.findings[0]


def test_columns_that_follow_from_others_are_named() -> None:
    frame = people()
    frame["twice"] = 2 * frame["age"]
    accepted = {"twice": {"role": "insensitive", "reveals": ["age"]}}
    stated = [{**STAY, "formula": "stay ~ age + twice"}]
    found = evidence(release(frame, stated, attributes=accepted))["stay"]
    assert found.value is None
    assert "twice follows from the columns before it" in found.findings[0]


def test_missing_cells_are_dropped_or_a_category_as_stated() -> None:
    frame = people()
    frame["ward"] = ["x", "y", None, "x"] * 100
    dropped = {**STAY, "formula": "stay ~ ward"}
    kept = {**dropped, "missing": "category"}
    terms = [row.term for row in evidence(release(frame, [dropped]))["stay"].rows]
    assert terms == ["intercept", "ward: y"]
    terms = [row.term for row in evidence(release(frame, [kept]))["stay"].rows]
    assert terms == ["intercept", "ward: y", "ward: (missing)"]
    assert "300 records of the original" in evidence(release(frame, [dropped]))["stay"].method


@pytest.mark.parametrize(
    ("columns", "responses", "sentence"),
    [
        ([[1.0], [2.0]], [[1.0], [2.0]], "too few"),
        ([[1.0], [2.0], [3.0], [4.0]], [[1.0]] * 4, "one value"),
        ([[1.0], [1.0], [1.0], [1.0]], [[1.0], [2.0], [3.0], [4.0]], "age has one value"),
    ],
)
def test_what_cannot_be_fitted_is_found_before(
    columns: list[list[float]], responses: list[list[float]], sentence: str
) -> None:
    with pytest.raises(FitError, match=sentence):
        check_rank(np.array(responses), np.array(columns), ["age"])


def test_a_group_without_events_has_no_finite_hazard_but_one_with_only_events_has() -> None:
    column = np.array([[1.0], [1.0], [0.0], [0.0]])
    events = np.array([[1.0, 1.0], [2.0, 1.0], [3.0, 0.0], [4.0, 1.0]])
    assert find_separating(events, column) is None
    assert find_separating(events * [1, 0], column) == 0
    assert find_separating(events[:, 1:], column) == 0  # everybody has the response


def test_a_fit_that_raises_or_warns_is_a_failed_fit() -> None:
    def broken(_y: np.ndarray, _x: np.ndarray) -> None:
        raise np.linalg.LinAlgError("Singular matrix")

    x = np.arange(10.0)[:, None]
    with pytest.raises(FitError, match="no single solution"):
        estimate(RegressionKind(broken, intercept=True, separable=False), x, x, ["age"])
