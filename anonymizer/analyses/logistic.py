"""Logistic regression by maximum likelihood."""

from __future__ import annotations

from anonymizer.analyses.design import build, check_varies, yes_or_no
from anonymizer.analyses.extra import need
from anonymizer.analyses.pair import Pair
from anonymizer.analyses.regression import RegressionKind, compare_fits
from anonymizer.analyses.result import Result
from anonymizer.policy.analysis import Logistic
from anonymizer.policy.formula import Formula

ITERATIONS = 100


def run(analysis: Logistic, pair: Pair) -> Result:
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
