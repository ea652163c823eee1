"""Regressions, linear, logistic and Cox's: fitted to original and release, coefficient by coefficient."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.analyses.design import Regressor, build, check_varies, number, yes_or_no
from anonymizer.analyses.overlap import (
    CoefficientEstimate,
    compare_estimates,
    mean_overlap,
)
from anonymizer.analyses.pair import Floats, Pair
from anonymizer.analyses.result import Result, need
from anonymizer.policy.analysis import Cox, Fitted, Linear, Logistic
from anonymizer.policy.formula import Formula

FIGURE = "mean overlap of the 95 % intervals"
METHOD = (
    "Overlap is that of Karr et al. (2006): the length of what both intervals cover, divided by that "
    "of each, averaged; 0 where they are apart or the coefficient is lost. The mean is over all but the "
    "intercept."
)
LARGEST_ERROR = 100.0
"""The standard error of a coefficient of a standardized column; only separation makes it as large."""
INTERCEPT = "intercept"
SHOWN = 5
"""So many lost coefficients are named."""

Solve = Callable[[Floats, Floats], Any]
"""Fits a model to responses (one row for each record) and regressors; returns statsmodels' results."""


@dataclass(frozen=True, slots=True)
class RegressionKind:
    """A kind of regression: how it is fitted, and what of it can fail."""

    solve: Solve
    intercept: bool
    separable: bool
    """Whether a column can separate the responses, so that a coefficient would be infinite."""


class FitError(Exception):
    """A fit that failed; its text says why."""


def compare_fits(
    analysis: Fitted,
    model: RegressionKind,
    response: tuple[Floats, Floats],
    regressors: Sequence[Regressor],
) -> Result:
    """Fit a model to both tables; what cannot be estimated on the release is lost, not left out."""
    original = fit(model, response[0], [(each.term, each.before) for each in regressors])
    kept = [each for each in regressors if each.term not in original.separating]
    apart = [each for each in regressors if each.term in original.separating]
    there = in_none([each.after for each in apart], response[1])
    known = [(each.term, each.after) for each in kept if not each.lost]
    released = fit(model, response[1][there], [(term, after[there]) for term, after in known])
    coefficients = tuple(
        compare_estimates(term, each, released.estimates.get(term))
        for term, each in original.estimates.items()
    )
    of_terms = tuple(each for each in coefficients if each.term != INTERCEPT)
    possible = not original.failed and (not released.failed or not known)
    return Result(
        analysis,
        FIGURE,
        mean_overlap(of_terms) if possible else None,
        higher_is_better=True,
        rows=coefficients,
        method=f"Fitted to {original.records:,} records of the original and {released.records:,} of the "
        f"release. {METHOD}",
        findings=tuple(findings(original, released, kept)),
    )


def findings(
    original: FittedModel, released: FittedModel, regressors: Sequence[Regressor]
) -> Iterator[str]:
    """Say what failed, and what cannot be estimated."""
    if original.failed:
        yield f"It cannot be fitted to the original at the levels of the release: {original.failed}."
    elif released.failed:
        yield f"It cannot be fitted to the release: {released.failed}."
    if original.separating:
        yield (
            f"All records with one of these have the same response in the original, so they are left "
            f"out: {some(original.separating)}."
        )
    if released.separating:
        yield (
            "All records with one of these have the same response in the release, so their coefficients "
            f"are lost: {some(released.separating)}."
        )
    if lost := [each.term for each in regressors if each.lost]:
        yield f"The release has nothing to estimate these from: {some(lost)}."


def some(names: Sequence[str]) -> str:
    """List the first few names."""
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    return f"{', '.join(names[:SHOWN])}{more}"


def in_none(columns: Sequence[Floats], response: Floats) -> NDArray[np.bool_]:
    """Say which records have none of some categories."""
    found = np.ones(response.shape[0], np.bool_)
    for column in columns:
        found &= column != 1
    return found


@dataclass(frozen=True, slots=True)
class FittedModel:
    """What came of fitting a model to one table."""

    records: int
    estimates: dict[str, CoefficientEstimate]
    separating: tuple[str, ...]
    """The categories whose coefficients would be infinite; their records are left out.

    That is exact: in the limit they say nothing about the other coefficients.
    """
    failed: str | None = None


def fit(
    model: RegressionKind, response: Floats, columns: Sequence[tuple[str, Floats]]
) -> FittedModel:
    """Fit a model to the complete records of a table, without categories that separate the responses."""
    names = [name for name, _ in columns]
    responses, matrix = complete(response, [column for _, column in columns])
    separating: list[str] = []
    while model.separable and (at := find_separating(responses, matrix)) is not None:
        others = matrix[:, at] == 0
        responses, matrix = responses[others], np.delete(matrix[others], at, axis=1)
        separating.append(names.pop(at))
    try:
        estimates = estimate(model, responses, matrix, names)
    except FitError as error:
        return FittedModel(len(responses), {}, tuple(separating), str(error))
    return FittedModel(len(responses), estimates, tuple(separating))


def find_separating(responses: Floats, columns: Floats) -> int | None:
    """Return a category in which nobody, or everybody, has the response.

    Of hazards, only that nobody has the event makes a coefficient infinite.
    """
    ends = (0.0, 1.0) if responses.shape[1] == 1 else (0.0,)
    for at, column in enumerate(columns.T):
        inside = column == 1
        is_category = inside.any() and bool(np.isin(column, (0.0, 1.0)).all())
        if is_category and responses[inside, -1].mean() in ends:
            return at
    return None


def complete(response: Floats, columns: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Return responses and regressors of the records in which nothing is missing."""
    responses = response.reshape(response.shape[0], -1)
    matrix = np.column_stack([responses, *columns])
    matrix = matrix[np.isfinite(matrix).all(axis=1)]
    return matrix[:, : responses.shape[1]], matrix[:, responses.shape[1] :]


def estimate(
    model: RegressionKind, responses: Floats, columns: Floats, names: Sequence[str]
) -> dict[str, CoefficientEstimate]:
    """Fit a model and return its coefficients; a FitError says why it cannot be fitted.

    Columns are standardized for the fit: large numbers, such as days since 1970, cost no precision.
    """
    check_rank(responses, columns, names)
    means = columns.mean(axis=0) if model.intercept else np.zeros(columns.shape[1])
    scales = columns.std(axis=0)
    scaled = (columns - means) / scales
    matrix = np.column_stack([np.ones(len(scaled)), scaled]) if model.intercept else scaled
    labels = [INTERCEPT, *names] if model.intercept else [*names]
    values, covariance, quantile = solve(model.solve, responses, matrix)
    if model.separable:
        check_separation(np.sqrt(np.diag(covariance)), labels)
    back = unscale(means, scales, model.intercept)
    values, errors = back @ values, np.sqrt(np.diag(back @ covariance @ back.T))
    return {
        label: CoefficientEstimate(value, error, value - quantile * error, value + quantile * error)
        for label, value, error in zip(labels, values.tolist(), errors.tolist(), strict=True)
    }


def unscale(means: Floats, scales: Floats, intercept: bool) -> Floats:
    """Return what turns coefficients of standardized columns into those of the columns themselves."""
    if not intercept:
        return np.diag(1 / scales)
    back = np.diag(np.append(1.0, 1 / scales))
    back[0, 1:] = -means / scales
    return back


def solve(fitted: Solve, responses: Floats, matrix: Floats) -> tuple[Floats, Floats, float]:
    """Return coefficients, their covariance and the quantile of their 95 % intervals."""
    from scipy.stats import norm, t

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            found = fitted(responses, matrix)
            values, covariance = np.asarray(found.params), np.asarray(found.cov_params())
        except (ArithmeticError, ValueError, RuntimeError, Warning) as error:
            raise FitError(describe(error)) from None
    if not (np.isfinite(values).all() and np.isfinite(covariance).all()):
        raise FitError("its estimates are not finite")
    freedom = len(matrix) - matrix.shape[1]
    return values, covariance, float((t(freedom) if found.use_t else norm()).ppf(0.975))


def describe(error: BaseException) -> str:
    """Say in our words why statsmodels could not fit."""
    if "eparation" in f"{type(error).__name__} {error}":
        return "a column separates the responses, so that a coefficient would be infinite"
    if "onverge" in f"{type(error).__name__} {error}":
        return "the maximum of the likelihood was not found"
    return "the equations have no single solution"


def check_rank(responses: Floats, columns: Floats, names: Sequence[str]) -> None:
    """Raise a FitError where there are too few records, or columns follow from others."""
    if not columns.shape[1]:
        raise FitError("no column is left")
    if len(columns) <= columns.shape[1] + 1:
        raise FitError(
            f"{len(columns):,} records are too few for {columns.shape[1] + 1} coefficients"
        )
    if (responses[:, -1] == responses[0, -1]).all() and responses.shape[1] == 1:
        raise FitError("the response has one value")
    centred = columns - columns.mean(axis=0)
    lengths = np.sqrt((centred**2).sum(axis=0))
    if (lengths == 0).any():
        raise FitError(f"{names[int(np.argmin(lengths))]} has one value")
    factor = np.abs(np.diag(np.linalg.qr(centred / lengths, mode="r")))
    if factor.size and factor.min() < 1e-9:
        raise FitError(f"{names[int(np.argmin(factor))]} follows from the columns before it")


def check_separation(errors: Floats, names: Sequence[str]) -> None:
    """Raise a FitError where an estimate is so uncertain that it can only be infinite."""
    worst = int(np.argmax(errors))
    if errors[worst] > LARGEST_ERROR:
        raise FitError(f"{names[worst]} separates the responses, so that it would be infinite")


def run_linear(analysis: Linear, pair: Pair) -> Result:
    """Explain a number; a response that is generalized enters as its midpoint."""
    module = need("statsmodels.regression.linear_model", "a linear regression")
    formula = Formula.parse(analysis.formula)
    response = number(formula.response, pair, analysis)
    check_varies(formula.response, response.before, analysis)
    model = RegressionKind(
        lambda y, x: module.OLS(y[:, 0], x).fit(), intercept=True, separable=False
    )
    return compare_fits(
        analysis, model, (response.before, response.after), build(formula, pair, analysis)
    )


ITERATIONS = 100


def run_logistic(analysis: Logistic, pair: Pair) -> Result:
    """Explain the logarithm of the odds that the response has the stated value."""
    module = need("statsmodels.discrete.discrete_model", "a logistic regression")
    formula = Formula.parse(analysis.formula)
    response = yes_or_no(formula.response, analysis.positive, pair, analysis)
    check_varies(formula.response, response.before, analysis)
    model = RegressionKind(
        lambda y, x: module.Logit(y[:, 0], x).fit(disp=False, maxiter=ITERATIONS),
        intercept=True,
        separable=True,
    )
    return compare_fits(
        analysis, model, (response.before, response.after), build(formula, pair, analysis)
    )


def run_cox(analysis: Cox, pair: Pair) -> Result:
    """Explain the logarithm of the hazard; there is no intercept."""
    module = need("statsmodels.duration.hazard_regression", "a Cox regression")
    formula = Formula.parse(analysis.formula)
    time = number(formula.response, pair, analysis)
    check_varies(formula.response, time.before, analysis)
    event = yes_or_no(analysis.event, analysis.positive, pair, analysis)
    model = RegressionKind(
        lambda y, x: module.PHReg(y[:, 0], x, status=y[:, 1], ties="efron").fit(disp=False),
        intercept=False,
        separable=True,
    )
    before, after = (
        np.column_stack(side) for side in ((time.before, event.before), (time.after, event.after))
    )
    return compare_fits(analysis, model, (before, after), build(formula, pair, analysis))
