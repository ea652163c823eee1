"""Expected uniques: counted by hand, of the table before anything is suppressed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.attackers.uniqueness import estimator_of
from anonymizer.estimators.uniques import ESTIMATORS
from anonymizer.evaluation.suppression import suppress
from anonymizer.risk import (
    AttributeGroup,
    ExpectedUniques,
    KAnonymity,
    Overall,
    PUniqueness,
    Remaining,
    RiskModel,
    Scenario,
)
from anonymizer.risk.model import Estimates
from anonymizer.search import search
from anonymizer.table.classes import partition
from tests.exhaustive import search_exhaustively
from tests.oracle import Problem, generalize
from tests.search.test_boxes import essence, medium
from tests.strategies import evaluator_of, lattice_of, problems

MODELS = st.builds(
    ExpectedUniques,
    people=st.sampled_from([0, 0.01, 0.1, 0.5, 1, 2]),
    population=st.integers(2, 6).map(lambda digits: 10**digits),
    estimator=st.sampled_from(list(ESTIMATORS)),
)
LINKED = Overall(
    0.4, Scenario((AttributeGroup(("a0",), 0.7),), population=100, p_m=0, p_fm=0, p_c=1, p_cu=0), 1
)


def expected_by_hand(
    problem: Problem, scheme: tuple[int, ...], gone: set[int], model: ExpectedUniques
) -> float:
    """Count those who are released alone, and how likely each is unique, from all the rows."""
    rows = [generalize(row, problem.trees, scheme) for row in problem.rows]
    sizes = np.array([rows.count(value) for value in set(rows)])
    kept = [value for at, value in enumerate(rows) if at not in gone]
    alone = sum(kept.count(value) == 1 for value in kept)
    if not alone:
        return 0.0
    unique = estimator_of(model.estimator)(sizes, max(model.population, len(rows)))
    return alone * (1.0 if unique is None or np.isnan(unique) else min(unique, 1.0))


@settings(max_examples=150)
@given(problems(max_attributes=3, ranges=False), MODELS, st.sampled_from([(), (2,), (9,)]))
def test_a_search_finds_what_exhaustive_search_finds_and_what_is_counted_by_hand(
    problem: Problem, model: ExpectedUniques, other: tuple[int, ...]
) -> None:
    beside: list[RiskModel] = [LINKED if k == 9 else KAnonymity(k) for k in other]
    evaluator, lattice = (
        replace(evaluator_of(problem), models=[model, *beside]),
        lattice_of(problem),
    )
    found, expected = search(evaluator, lattice), search_exhaustively(evaluator, lattice)
    assert essence(found.best) == essence(expected.best)
    assert found.status is expected.status
    if found.best is None:
        return
    scheme = found.best.scheme
    outcome = evaluator.outcome(scheme)
    suppressed = outcome.suppressed[outcome.classes.label_of_tuple]
    gone = set(np.flatnonzero(suppressed[evaluator.microdata.tuple_of_row]).tolist())
    by_hand = expected_by_hand(problem, scheme, gone, model)
    assert by_hand <= model.people
    left = Remaining(evaluator.microdata, outcome.classes, outcome.suppressed)
    assert model.expected(left) == pytest.approx(by_hand)
    people = len(problem.rows) - len(gone)
    assert model.risk(left) == pytest.approx(by_hand / people if people else 0.0)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_of_a_table_that_is_released_whole_the_share_is_that_of_the_population(
    estimator: str,
) -> None:
    microdata = evaluator_of(medium()).microdata
    classes = partition(microdata, (1, 1, 0, 1, 0))
    whole = Remaining(microdata, classes, np.zeros(classes.sizes.size, np.bool_))
    share = ExpectedUniques(1, 10**6, estimator).risk(whole)
    assert share > 0
    # Hoshino's form differs from the exact expectation that u comes from
    tolerance = 0.35 if estimator in ("pitman", "dankar") else 1e-9
    assert share == pytest.approx(PUniqueness(1.0, 10**6, estimator).risk(whole), rel=tolerance)


def test_what_is_suppressed_does_not_make_the_others_look_common() -> None:
    microdata = evaluator_of(medium()).microdata
    classes = partition(microdata, (1, 1, 0, 1, 0))
    model, share = ExpectedUniques(0.5, 10**4), PUniqueness(1.0, 10**4)
    nothing = Remaining(microdata, classes, np.zeros(classes.sizes.size, np.bool_))
    cut = nothing.histogram.unique_classes - 1
    assert model.expected(nothing, cut) == pytest.approx(
        model.expected(nothing) / (cut + 1), rel=1e-9
    )
    assert share.risk(nothing, cut) < share.risk(nothing) / (cut + 1)


def test_parts_of_classes_know_how_large_the_classes_are() -> None:
    microdata = evaluator_of(medium()).microdata
    classes = partition(microdata, (1, 1, 0, 1, 0))
    found = suppress(microdata, classes, [LINKED, ExpectedUniques(1, 10**4)])
    assert found.classes.whole_sizes.tolist() == classes.sizes.tolist()
    again = found.classes.split(microdata, np.arange(microdata.distinct) % 2, 2)
    assert again.whole_sizes.tolist() == classes.sizes.tolist()


def test_a_release_alone_knows_the_ends_of_what_is_estimated() -> None:
    microdata = evaluator_of(medium()).microdata
    classes = partition(microdata, (1, 1, 0, 1, 0))
    whole = Remaining(microdata, classes, np.zeros(classes.sizes.size, np.bool_))
    model = ExpectedUniques(0.5, 10**4)
    least, most = (model.with_estimates(at) for at in (Estimates.LEAST, Estimates.MOST))
    assert least.risk(whole) == 0
    assert most.risk(whole) == whole.histogram.uniques / whole.histogram.people
    assert least.risk_interval(whole) is most.risk_interval(whole) is None


@pytest.mark.parametrize("people", [-1, float("inf"), float("nan"), True, "1"])
def test_a_limit_that_is_no_number_of_people_is_refused(people: object) -> None:
    with pytest.raises(ValueError, match="people must be a number of at least 0"):
        ExpectedUniques(people, 100)  # type: ignore[arg-type]


def test_an_estimator_that_is_unknown_is_refused() -> None:
    with pytest.raises(ValueError, match="estimator 'pitmann' is unknown"):
        ExpectedUniques(1, 100, "pitmann")
