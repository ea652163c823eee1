"""Models that compare with the released table, against the slow and obvious on small tables."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.lattice import Lattice
from anonymizer.risk import (
    BetaLikeness,
    DeltaDisclosure,
    KAnonymity,
    Remaining,
    RiskModel,
    TCloseness,
)
from anonymizer.risk.reference import INPUT, RELEASE
from anonymizer.risk.sensitive import ComparingModel
from anonymizer.search import Status, search
from tests.oracle import TIE, classes, loss
from tests.risk.test_sensitive import Case, Values, cases, distance, passes


@st.composite
def comparing_cases(draw: st.DrawFn) -> Case:
    """Draw a table and models of which at least one compares with the released table."""
    case = draw(cases())
    names = st.sampled_from(["s", "other"])
    models = [
        draw(
            st.builds(
                TCloseness, names, st.sampled_from([0.15, 0.3, 0.5]), reference=st.just(RELEASE)
            )
        )
        if draw(st.booleans())
        else draw(
            st.sampled_from(
                [
                    BetaLikeness("s", 0.5, reference=RELEASE),
                    BetaLikeness("s", 1.5, enhanced=True, reference=RELEASE),
                    DeltaDisclosure("s", 1.5, reference=RELEASE),
                    DeltaDisclosure("other", 1.0, "skip", reference=RELEASE),
                    TCloseness("s", 0.3, "ordered", ("a", "", "c", "b"), reference=RELEASE),
                ]
            )
        ),
        *case.models,
    ]
    return replace(case, models=models)


def meets(case: Case, model: RiskModel, rows: Sequence[int], kept: Collection[int]) -> bool:
    """Whether a class meets a model, by its definition, in a release of some rows."""
    values = case.columns[next(iter(model.inputs.sensitive), "s")]
    by_release = isinstance(model, ComparingModel) and model.reference == RELEASE
    whole = sorted(kept) if by_release else range(len(case.problem.rows))
    here, overall = (Values.of(each, values, case.person) for each in (rows, whole))
    return passes(model, here, overall)


def kept_at(case: Case, levels: tuple[int, ...]) -> set[int]:
    """Drop the classes that break a model, and again from what is left, until none does."""
    left = list(classes(case.problem.rows, case.problem.trees, levels).values())
    while True:
        kept = {row for rows in left for row in rows}
        good = [r for r in left if all(meets(case, model, r, kept) for model in case.models)]
        if len(good) == len(left):
            return kept
        left = good


@settings(max_examples=200, deadline=None)
@given(case=comparing_cases(), data=st.data())
def test_what_is_released_meets_the_models_by_itself(case: Case, data: st.DataObject) -> None:
    levels = tuple(data.draw(st.integers(0, top)) for top in case.problem.high)
    evaluator = case.evaluator()
    outcome, microdata = evaluator.outcome(levels), evaluator.microdata
    gone = outcome.suppressed[outcome.classes.label_of_tuple][microdata.tuple_of_row]
    kept = set(np.flatnonzero(~gone).tolist())
    for rows in classes(case.problem.rows, case.problem.trees, levels).values():
        if kept & set(rows):
            assert kept >= set(rows)
            assert all(meets(case, model, rows, kept) for model in case.models)
    assert kept == kept_at(case, levels)
    remaining = Remaining(microdata, outcome.classes, outcome.suppressed)
    assert all(model.passes(remaining) for model in case.models)


@settings(max_examples=200, deadline=None)
@given(case=comparing_cases())
def test_the_best_scheme_is_found_and_never_called_optimal(case: Case) -> None:
    found = search(case.evaluator(), Lattice(case.problem.low, case.problem.high))
    assert found.status is not Status.OPTIMAL
    everyone = set(range(len(case.problem.rows)))
    expected = [
        loss(case.problem, levels, frozenset(gone))
        for levels in case.problem.schemes()
        if len(gone := everyone - kept_at(case, levels)) <= case.problem.suppression_limit
    ]
    assert (found.best is None) == (not expected)
    if found.best is not None:
        assert found.best.loss == pytest.approx(min(expected), abs=TIE + 1e-9)


@settings(max_examples=100, deadline=None)
@given(case=cases(), data=st.data(), t=st.sampled_from([0.1, 0.3, 0.6]))
def test_both_distances_are_those_of_the_definition(
    case: Case, data: st.DataObject, t: float
) -> None:
    model = TCloseness("s", t)
    case = replace(case, models=[KAnonymity(2), model])
    levels = tuple(data.draw(st.integers(0, top)) for top in case.problem.high)
    evaluator = case.evaluator()
    outcome, microdata = evaluator.outcome(levels), evaluator.microdata
    remaining = Remaining(microdata, outcome.classes, outcome.suppressed)
    found = model.reference_distances(remaining)
    gone = outcome.suppressed[outcome.classes.label_of_tuple][microdata.tuple_of_row]
    kept = np.flatnonzero(~gone).tolist()
    far = {INPUT: 0.0, RELEASE: 0.0}
    for rows in classes(case.problem.rows, case.problem.trees, levels).values():
        for where, whole in ((INPUT, range(len(gone))), (RELEASE, kept)):
            if set(rows) <= set(kept):
                both = (Values.of(each, case.columns["s"], case.person) for each in (rows, whole))
                far[where] = max(far[where], distance(model, *both))
    assert found.from_input == pytest.approx(far[INPUT], abs=1e-9)
    assert found.from_release == pytest.approx(far[RELEASE], abs=1e-9)
    assert found.met_by_input
    if not math.isclose(far[RELEASE], t, abs_tol=1e-9):
        assert found.met_by_release == (far[RELEASE] < t)
        assert (found.warning is None) == found.met_by_release


def test_a_reference_that_is_neither_is_refused() -> None:
    with pytest.raises(ValueError, match='reference must be "input" or "release"'):
        TCloseness("s", 0.2, reference="output")
