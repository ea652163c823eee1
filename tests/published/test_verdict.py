from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.errors import DataError
from anonymizer.published import (
    Arms,
    Breach,
    Characteristic,
    Published,
    PublishedLimits,
    assess_published,
)
from tests.published.tables import TRIAL, arms_of, limits_of, rows_of

COPD = Characteristic("COPD", (23, 2))
STRICTEST = PublishedLimits(pdp=2, pfdoc=2, pfdptc=1, advantage=0)


def test_a_row_breaks_a_limit_on_the_side_that_is_dangerous() -> None:
    table = assess_published([COPD], TRIAL, PublishedLimits(pdp=1.4, pfdoc=1.2, pfdptc=1.1))
    assert table.broken == {
        "COPD": (Breach("pdp", "has it", "l"), Breach("pfdptc", "placebo", "l"))
    }
    assert assess_published([COPD], TRIAL).broken == {}


def test_who_does_not_have_it_counts_as_well() -> None:
    rows = [Characteristic("Glucocorticoids", (209, 101))]
    table = assess_published(rows, TRIAL, PublishedLimits(pdp=1.7, advantage=0.1))
    assert table.broken == {
        "Glucocorticoids": (
            Breach("pdp", "does not have it", "l"),
            Breach("pdp", "does not have it", "advantage"),
        )
    }
    assert table.paper.pdp > 1.8 > 1.7 > table.kept.pdp


def test_who_was_not_measured_counts_as_well() -> None:
    rows = [Characteristic("titre", (65, 34), (145, 105))]  # all 83 without it are in one arm
    table = assess_published(rows, TRIAL, PublishedLimits(pdp=1.1))
    assert table.broken == {"titre": (Breach("pdp", "not measured", "l"),)}


def test_who_knows_that_somebody_was_measured_counts_as_well() -> None:
    rows = [
        Characteristic("titre", (114, 52), (114, 52))
    ]  # half are measured, and all of them have it
    table = assess_published(rows, TRIAL, PublishedLimits(pfdoc=1.5))
    assert table.broken == {"titre, of those measured": (Breach("pfdoc", "", "l"),)}


def test_categories_together_may_break_what_none_of_them_breaks() -> None:
    arms = Arms(("a", "b"), (100, 100))
    rows = [
        Characteristic(name, counts, None, "Titre", category=True)
        for name, counts in {"1": (25, 100), "2": (25, 0), "3": (25, 0), "4": (25, 0)}.items()
    ]
    kept = assess_published(rows, arms).kept.pfdptc
    single = [assess_published([row], arms).kept.pfdptc for row in rows]
    assert kept is not None
    assert kept > max(each for each in single if each is not None)


@given(st.integers(1, 200), st.integers(1, 200), limits_of())
def test_what_nobody_has_never_counts(
    treatment: int, placebo: int, limits: PublishedLimits
) -> None:
    arms = Arms(("treatment", "placebo"), (treatment, placebo))
    for totals in (None, (0, 0), arms.sizes):
        rows = [Characteristic("it", (0, 0), totals)]
        assert assess_published(rows, arms, limits).broken == {}
        assert assess_published(rows, arms, STRICTEST).broken == {}
        assert assess_published(rows, arms).kept.pdp is None


def test_what_everybody_has_is_given_away() -> None:
    table = assess_published([Characteristic("it", (228, 105))], TRIAL, PublishedLimits(pfdoc=1.1))
    assert table.broken == {"it": (Breach("pfdoc", "", "l"),)}


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 5), st.data())
def test_what_has_the_shares_of_the_allocation_never_counts_under_pdp(
    treatment: int, placebo: int, scale: int, data: st.DataObject
) -> None:
    arms = Arms(("treatment", "placebo"), (treatment * scale, placebo * scale))
    part = data.draw(st.integers(0, scale))
    rows = [Characteristic("it", (treatment * part, placebo * part))]
    broken = assess_published(rows, arms, PublishedLimits(pdp=2, pfdptc=1, advantage=0)).broken
    assert broken == {}


@given(st.data())
def test_what_the_table_keeps_it_does_not_break_and_anything_stricter_it_does(
    data: st.DataObject,
) -> None:
    arms = data.draw(arms_of(9))
    rows = data.draw(rows_of(arms))
    kept = assess_published(rows, arms).kept
    assert assess_published(rows, arms, kept).broken == {}
    stricter = {
        "pdp": None if kept.pdp is None else kept.pdp + 1e-6,
        "pfdoc": None if kept.pfdoc is None else kept.pfdoc + 1e-6,
        "pfdptc": kept.pfdptc - 1e-6,
        "advantage": kept.advantage - 1e-6,
    }
    ranges = {"pdp": (1, len(arms.names)), "pfdoc": (1, 2), "pfdptc": (1, 9), "advantage": (0, 1)}
    for name, value in stricter.items():
        least, most = ranges[name]  # others are refused
        if value is not None and least <= value <= most:
            assert assess_published(rows, arms, PublishedLimits(**{name: value})).broken


@pytest.mark.parametrize(
    "limits", [{"pdp": 0.9}, {"pfdoc": 2.1}, {"pfdptc": math.nan}, {"pdp": math.inf}]
)
def test_an_l_that_two_answers_cannot_have_is_refused(limits) -> None:
    with pytest.raises(DataError, match=r"with 2 possible .* from 1 .* to 2"):
        assess_published([COPD], TRIAL, PublishedLimits(**limits))


def test_l_under_pdp_goes_up_to_the_number_of_arms() -> None:
    arms = Arms(("a", "b", "c"), (10, 10, 10))
    rows = [Characteristic("it", (5, 5, 4))]
    assert list(assess_published(rows, arms, PublishedLimits(pdp=2.999)).broken) == ["it"]
    with pytest.raises(DataError, match=r"l for PDP is 3\.1; with 3 possible arms"):
        assess_published(rows, arms, PublishedLimits(pdp=3.1))


@pytest.mark.parametrize("advantage", [-0.1, 1.1, math.nan])
def test_an_advantage_is_from_0_to_1(advantage: float) -> None:
    with pytest.raises(DataError, match="from 0 to 1"):
        PublishedLimits(advantage=advantage)


def test_counts_larger_than_their_arm_are_refused_with_their_row() -> None:
    rows = [Characteristic("fine", (1, 1)), Characteristic("too many", (229, 106))]
    with pytest.raises(DataError) as refused:
        assess_published(rows, TRIAL)
    assert "'too many' has 229 people in the treatment arm of 228" in str(refused.value)
    assert "'too many' has 106 people in the placebo arm of 105" in str(refused.value)


def test_categories_that_are_too_many_are_refused() -> None:
    rows = [Characteristic(name, (200, 60), None, "Age", category=True) for name in "ab"]
    with pytest.raises(DataError, match="'Age' add up to 400 people in the treatment arm"):
        assess_published(rows, TRIAL)


def test_nothing_cannot_be_attacked_and_no_row_hides_another() -> None:
    with pytest.raises(DataError, match="no rows"):
        assess_published([], TRIAL)
    with pytest.raises(DataError, match="two rows 'COPD'"):
        assess_published([COPD, COPD], TRIAL)


def test_the_description_is_json_and_has_each_group_beside_its_baseline() -> None:
    rows = [COPD, Characteristic("titre", (65, 34), (145, 70)), Characteristic("none", (0, 0))]
    table: Published = assess_published(rows, TRIAL, PublishedLimits(pdp=1.4))
    described = json.loads(json.dumps(table.describe(), allow_nan=False))
    assert described["arms"] == {"treatment": 228, "placebo": 105}
    assert described["allocation"]["guess"] == "treatment"
    assert described["allocation"]["l"] == pytest.approx(1.865, abs=0.001)
    assert described["broken"] == {"COPD": [{"attack": "pdp", "of": "has it", "limit": "l"}]}
    copd, titre, measured, none = described["rows"]
    assert copd["groups"][0]["guess"] == {
        "answer": "treatment",
        "probability": 23 / 25,
        "baseline": 228 / 333,
        "advantage": pytest.approx(23 / 25 - 228 / 333),
    }
    assert [group["answer"] for group in titre["groups"]][2] == "not measured"
    assert measured["people"] == {"treatment": 145, "placebo": 70}
    assert none["nobody_has_it"]
    assert none["groups"][0]["guess"] is None
