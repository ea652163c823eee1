"""Regressions: one model, fitted to the original and to its release, coefficient by coefficient."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anonymizer.analyses.design import Regressor
from anonymizer.analyses.overlap import (
    Estimate,
    compare_estimates,
    mean_overlap,
)
from anonymizer.analyses.pair import Floats
from anonymizer.analyses.result import Result
from anonymizer.policy.analysis import Fitted

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

Fit = Callable[[Floats, Floats], Any]
"""Fits a model to responses (one row for each record) and regressors; returns statsmodels' results."""


@dataclass(frozen=True, slots=True)
class Model:
    """A kind of regression: how it is fitted, and what of it can fail."""

    fit: Fit
    intercept: bool
    separable: bool
    """Whether a column can separate the responses, so that a coefficient would be infinite."""


class FitError(Exception):
    """A fit that failed; its text says why."""


def compare_fits(
    analysis: Fitted,
    model: Model,
    response: tuple[Floats, Floats],
    regressors: Sequence[Regressor],
) -> Result:
    """Fit a model to both tables; what cannot be estimated on the release is lost, not left out."""
    rows, columns = complete(response[0], [each.before for each in regressors])
    try:
        before = estimate(model, rows, columns, [each.term for each in regressors])
    except FitError as error:
        why = f"It cannot be fitted to the original at the levels of the release: {error}."
        return Result(
            analysis, FIGURE, None, higher_is_better=True, rows=(), method=METHOD, findings=(why,)
        )
    after, failed, released = fit_release(model, response[1], regressors)
    coefficients = tuple(
        compare_estimates(term, each, after.get(term)) for term, each in before.items()
    )
    of_terms = tuple(each for each in coefficients if each.term != INTERCEPT)
    counts = f"Fitted to {len(rows):,} records of the original and {released:,} of the release."
    return Result(
        analysis,
        FIGURE,
        None if failed else mean_overlap(of_terms),
        higher_is_better=True,
        rows=coefficients,
        method=f"{counts} {METHOD}",
        findings=(*failed, *name_lost(regressors)),
    )


def fit_release(
    model: Model, response: Floats, regressors: Sequence[Regressor]
) -> tuple[dict[str, Estimate], list[str], int]:
    """Return the coefficients on a release, why there are none if so, and the records it has."""
    known = [each for each in regressors if not each.lost]
    rows, columns = complete(response, [each.after for each in known])
    if not known:
        return {}, [], len(rows)
    try:
        return estimate(model, rows, columns, [each.term for each in known]), [], len(rows)
    except FitError as error:
        return {}, [f"It cannot be fitted to the release: {error}."], len(rows)


def name_lost(regressors: Sequence[Regressor]) -> list[str]:
    """Say which coefficients the release has nothing to estimate from."""
    lost = [each.term for each in regressors if each.lost]
    more = f" and {len(lost) - SHOWN:,} more" if len(lost) > SHOWN else ""
    names = f"{', '.join(lost[:SHOWN])}{more}"
    return [f"The release has nothing to estimate these from: {names}."] if lost else []


def complete(response: Floats, columns: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Return responses and regressors of the records in which nothing is missing."""
    responses = response.reshape(response.shape[0], -1)
    matrix = np.column_stack([responses, *columns])
    matrix = matrix[np.isfinite(matrix).all(axis=1)]
    return matrix[:, : responses.shape[1]], matrix[:, responses.shape[1] :]


def estimate(
    model: Model, responses: Floats, columns: Floats, names: Sequence[str]
) -> dict[str, Estimate]:
    """Fit a model and return its coefficients; a FitError says why it cannot be fitted.

    Columns are standardized for the fit, so that numbers as large as days since 1970 cost no precision.
    """
    check_rank(responses, columns, names)
    if model.separable:
        check_groups(responses, columns, names)
    means = columns.mean(axis=0) if model.intercept else np.zeros(columns.shape[1])
    scales = columns.std(axis=0)
    scaled = (columns - means) / scales
    matrix = np.column_stack([np.ones(len(scaled)), scaled]) if model.intercept else scaled
    labels = [INTERCEPT, *names] if model.intercept else [*names]
    values, covariance, quantile = solve(model.fit, responses, matrix)
    if model.separable:
        check_separation(np.sqrt(np.diag(covariance)), labels)
    back = unscale(means, scales, model.intercept)
    values, errors = back @ values, np.sqrt(np.diag(back @ covariance @ back.T))
    return {
        label: Estimate(value, error, value - quantile * error, value + quantile * error)
        for label, value, error in zip(labels, values.tolist(), errors.tolist(), strict=True)
    }


def unscale(means: Floats, scales: Floats, intercept: bool) -> Floats:
    """Return what turns coefficients of standardized columns into those of the columns themselves."""
    if not intercept:
        return np.diag(1 / scales)
    back = np.diag(np.append(1.0, 1 / scales))
    back[0, 1:] = -means / scales
    return back


def solve(fit: Fit, responses: Floats, matrix: Floats) -> tuple[Floats, Floats, float]:
    """Return coefficients, their covariance and the quantile of their 95 % intervals."""
    from scipy.stats import norm, t

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            found = fit(responses, matrix)
            values, covariance = np.asarray(found.params), np.asarray(found.cov_params())
        except (ArithmeticError, ValueError, Warning, np.linalg.LinAlgError) as error:
            raise FitError(describe(error)) from None
        except Exception as error:
            if type(error).__name__ != "PerfectSeparationError":  # it has no base class of its own
                raise
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


def check_groups(responses: Floats, columns: Floats, names: Sequence[str]) -> None:
    """Raise a FitError for a category in which nobody, or everybody, has the response.

    Of hazards, only that nobody has the event makes a coefficient infinite.
    """
    ends = (0.0, 1.0) if responses.shape[1] == 1 else (0.0,)
    for name, column in zip(names, columns.T, strict=True):
        is_category = bool(np.isin(column, (0.0, 1.0)).all())
        if is_category and responses[column == 1, -1].mean() in ends:
            raise FitError(f"{name} separates the responses, so that it would be infinite")


def check_separation(errors: Floats, names: Sequence[str]) -> None:
    """Raise a FitError where an estimate is so uncertain that it can only be infinite."""
    worst = int(np.argmax(errors))
    if errors[worst] > LARGEST_ERROR:
        raise FitError(f"{names[worst]} separates the responses, so that it would be infinite")
