"""Linear regression by least squares."""

from __future__ import annotations

from anonymizer.analyses.design import build, check_varies, number
from anonymizer.analyses.extra import need
from anonymizer.analyses.pair import Pair
from anonymizer.analyses.regression import RegressionKind, compare_fits
from anonymizer.analyses.result import Result
from anonymizer.policy.analysis import Linear
from anonymizer.policy.formula import Formula


def run(analysis: Linear, pair: Pair) -> Result:
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
