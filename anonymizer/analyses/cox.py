"""Cox's regression of hazards by partial likelihood, ties by Efron."""

from __future__ import annotations

import numpy as np

from anonymizer.analyses.design import build, check_varies, number, yes_or_no
from anonymizer.analyses.extra import need
from anonymizer.analyses.pair import Pair
from anonymizer.analyses.regression import RegressionKind, compare_fits
from anonymizer.analyses.result import Result
from anonymizer.policy.analysis import Cox
from anonymizer.policy.formula import Formula


def run(analysis: Cox, pair: Pair) -> Result:
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
