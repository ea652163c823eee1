from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.estimators.intervals import Interval
from anonymizer.estimators.pitman import fit_pitman
from anonymizer.estimators.uniques import histogram, pitman
from anonymizer.risk import Histogram, PopulationModel, PUniqueness, profile
from anonymizer.risk.profile import THRESHOLDS, expected_risk

SIZES = st.lists(st.integers(1, 50), min_size=1, max_size=30)


@given(SIZES)
def test_the_profile_is_what_record_by_record_counting_gives(sizes: list[int]) -> None:
    found = profile(np.array(sizes, np.int64))
    risks = [1 / size for size in sizes for _ in range(size)]  # one for each record
    assert found.records == len(risks)
    assert found.classes == len(sizes)
    assert found.prosecutor.highest == max(risks)
    assert found.prosecutor.average == pytest.approx(statistics.fmean(risks))
    for threshold in THRESHOLDS:
        above = sum(risk > threshold + 1e-9 for risk in risks) / len(risks)
        assert found.prosecutor.above[f"{threshold:g}"] == pytest.approx(above)
    assert found.marketer == found.prosecutor.average
    assert found.journalist is found.population_uniques is found.population_uniques_interval is None
    assert found.sample_uniques == risks.count(1.0)
    assert found.smallest_class == min(sizes)
    assert found.median_class == statistics.median(sizes)
    assert found.largest_class == max(sizes)
    assert sum(found.class_sizes.values()) == len(risks)
    assert found.class_sizes["3-4"] == sum(size for size in sizes if size in (3, 4))


@given(SIZES, st.randoms(use_true_random=False))
def test_the_order_of_classes_changes_nothing(sizes: list[int], random_: object) -> None:
    mixed = list(sizes)
    random_.shuffle(mixed)  # type: ignore[attr-defined]
    found, again = profile(np.array(sizes)), profile(np.array(mixed))
    assert again.prosecutor.average == pytest.approx(found.prosecutor.average)
    assert again.class_sizes == found.class_sizes


@given(SIZES)
def test_merging_two_classes_never_raises_a_risk(sizes: list[int]) -> None:
    if len(sizes) < 2:
        return
    before = profile(np.array(sizes))
    after = profile(np.array([sizes[0] + sizes[1], *sizes[2:]]))
    assert after.prosecutor.highest <= before.prosecutor.highest
    assert after.prosecutor.average <= before.prosecutor.average
    assert after.sample_uniques <= before.sample_uniques


def test_a_table_with_every_record_suppressed_has_risk_0() -> None:
    empty = profile(np.array([], np.int64), PopulationModel(1000, 10))
    assert empty.records == empty.classes == empty.sample_uniques == empty.smallest_class == 0
    assert empty.prosecutor.highest == empty.prosecutor.average == empty.marketer == 0
    assert empty.journalist is not None
    assert empty.journalist.highest == 0
    assert empty.population_uniques == 0
    assert empty.population_uniques_interval == Interval(0, 0)


@given(SIZES, st.floats(1, 1e6))
def test_population_uniques_are_the_expectation_within_their_interval(sizes, ratio) -> None:
    people = int(sum(sizes) * ratio)
    found = profile(np.array(sizes), PopulationModel(people, sum(sizes)))
    interval = found.population_uniques_interval
    assert interval is not None
    assert 0 <= interval.low <= interval.high <= people
    model = fit_pitman(*histogram(np.array(sizes)))
    if 1 not in sizes:
        assert found.population_uniques == 0
    elif people == sum(sizes):
        assert found.population_uniques == interval.low == interval.high == sizes.count(1)
    elif model is None:
        assert found.population_uniques is None
        assert interval.low == 0
    else:
        expected = model.population_uniques(people, exact=True)
        assert found.population_uniques == pytest.approx(expected, rel=1e-9)
        assert interval.low <= found.population_uniques <= interval.high


def test_no_more_people_are_unique_than_there_are() -> None:
    sizes = np.array([1] * 950 + [2] * 25)
    found = profile(sizes, PopulationModel(1500, 1000))
    assert pitman(*histogram(sizes), 1500) == 1500  # Hoshino's form gives 19,316
    assert found.population_uniques is not None
    assert found.population_uniques < 1500
    model = PUniqueness(threshold=1.0, population=1500)
    assert model.risk_of(Histogram.of(sizes)) == 1


def test_people_in_more_classes_than_the_population_has_people_can_be_described() -> None:
    found = profile(np.array([1] * 8 + [2]), PopulationModel(6, 5))
    assert found.population_uniques is not None
    assert found.population_uniques <= 6
    assert found.population_uniques_interval is not None
    assert found.population_uniques_interval.high <= 6


def test_the_journalist_counts_who_matches_in_the_population_table() -> None:
    found = profile(np.array([1, 3]), PopulationModel(class_sizes=np.array([4, 10])))
    assert found.journalist is not None
    assert found.journalist.highest == 0.25
    assert found.journalist.average == pytest.approx((1 / 4 + 3 / 10) / 4)
    assert found.marketer == found.journalist.average


def test_the_expected_risk_is_the_mean_over_the_negative_binomial() -> None:
    for fraction in (0.001, 0.1, 0.5, 0.999):
        sizes = np.array([1, 2, 5, 40])
        for size, risk in zip(sizes.tolist(), expected_risk(sizes, fraction).tolist(), strict=True):
            # unseen people: failures before the size-th success
            probability, total, unseen = fraction**size, 0.0, 0
            while probability > 1e-18 or unseen < size / fraction:
                total += probability / (size + unseen)
                unseen += 1
                probability *= (size + unseen - 1) / unseen * (1 - fraction)
            assert risk == pytest.approx(total, rel=1e-9)


@pytest.mark.parametrize("fraction", [1e-7, 0.001, 0.0137, 0.3, 0.5])
def test_the_expected_risk_is_known_for_classes_of_any_size(fraction: float) -> None:
    sizes = np.arange(1, 3000)
    risks = expected_risk(sizes, fraction)
    assert np.isfinite(risks).all()
    assert risks[0] == pytest.approx(-fraction * math.log(fraction) / (1 - fraction))
    # integrate p u^(f-1) / (p + q u) from 0 to 1 by parts: q I(f+1) + p I(f) = p / f
    assert (1 - fraction) * risks[1:] + fraction * risks[:-1] == pytest.approx(
        fraction / sizes[:-1], rel=1e-9
    )


def test_a_large_class_leaves_the_other_risks_known() -> None:
    found = profile(np.array([1, 100, 5000]), PopulationModel(2_200_000, 30_162))
    assert found.journalist is not None
    assert found.journalist.highest == pytest.approx(
        0.0596, abs=1e-4
    )  # of the record that is alone
    assert 0 < found.marketer < 1e-3


def test_the_whole_population_leaves_the_journalist_no_doubt() -> None:
    found = profile(np.array([1, 2]), PopulationModel(3, 3))
    assert found.journalist is not None
    assert found.journalist.average == pytest.approx(found.prosecutor.average)


def test_what_is_said_of_sensitive_columns_is_passed_on() -> None:
    said = {"illness": {"values": 2}}
    assert profile(np.array([1, 2]), sensitive=said).sensitive == said  # type: ignore[arg-type]
    assert profile(np.array([1, 2])).sensitive == {}
