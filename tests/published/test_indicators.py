from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.published import (
    AnswerGroup,
    Arms,
    Characteristic,
    Indicators,
    assess_published,
    entropy,
    measure,
)
from anonymizer.published.partition import Answer, partitions_of
from tests.published import oracle
from tests.published.tables import TRIAL, arms_of, rows_of

CLOSE = 1e-12


def measure_row(counts: tuple[int, ...], arms: Arms) -> Indicators:
    return assess_published([Characteristic("it", counts)], arms).rows[0]


@given(st.lists(st.integers(0, 300), min_size=1, max_size=5))
def test_entropy_is_that_of_the_shares_in_any_order(counts: list[int]) -> None:
    whole = sum(counts) or 1
    expected = -sum(c / whole * math.log2(c / whole) for c in counts if c)
    assert entropy(counts) == pytest.approx(expected, abs=CLOSE)
    assert entropy(counts) == entropy(counts[::-1])
    assert 0 <= entropy(counts) <= math.log2(len(counts)) + CLOSE


@given(st.integers(1, 200), st.integers(1, 200), st.data())
def test_indicators_of_two_arms_follow_the_papers_formulae(
    treatment: int, placebo: int, data: st.DataObject
) -> None:
    a, b = data.draw(st.integers(0, treatment)), data.draw(st.integers(0, placebo))
    row = measure_row((a, b), Arms(("treatment", "placebo"), (treatment, placebo)))

    def h(part: int, whole: int) -> float:
        p = part / whole if whole else 0.0
        return -p * math.log2(p) - (1 - p) * math.log2(1 - p) if 0 < p < 1 else 0.0

    overall = h(a + b, treatment + placebo)
    assert row.pdp[0].bits == pytest.approx(h(a, a + b), abs=CLOSE)
    assert row.pdp[1].bits == pytest.approx(
        h(treatment - a, treatment + placebo - a - b), abs=CLOSE
    )
    assert row.pfdoc.bits == pytest.approx(overall, abs=CLOSE)
    assert row.pfdptc[0].bits == pytest.approx(abs(h(a, treatment) - overall), abs=CLOSE)
    assert row.pfdptc[1].bits == pytest.approx(abs(h(b, placebo) - overall), abs=CLOSE)
    assert (row.pdp[0].bits == 0) == (a == 0 or b == 0)


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_indicators_and_guesses_follow_from_counting_all_assignments(data: st.DataObject) -> None:
    arms = data.draw(arms_of())
    rows = data.draw(rows_of(arms))
    for partition in partitions_of(rows, arms):
        cells = oracle.cells_of(partition.rows, arms, partition.measured_only)
        assert sorted(cells) == sorted(
            (group.name, arm)
            for group in partition.groups
            for arm, count in zip(arms.names, group.counts, strict=True)
            for _ in range(count)
        )
        agrees_with_enumeration(measure(partition, arms.names), arms, cells)


def agrees_with_enumeration(found: Indicators, arms: Arms, cells: list[oracle.Cell]) -> None:
    answers = tuple(group.name for group in found.partition.groups)
    published = oracle.as_published(cells)
    allocated = oracle.as_allocated(tuple(arm for _, arm in cells), answers)
    everybody = oracle.chances(published, oracle.answer_of)
    assert found.pfdoc.bits == pytest.approx(oracle.entropy(everybody), abs=CLOSE)
    equal = oracle.chances(allocated, oracle.answer_of)
    assert found.pfdoc.advantage == pytest.approx(
        float(oracle.largest_rise(everybody, equal)), abs=CLOSE
    )
    by_size = oracle.chances(allocated, oracle.arm_of)
    for group, attack in zip(found.partition.groups, found.pdp, strict=True):
        own = oracle.chances(
            published, oracle.arm_of, lambda cell, name=group.name: cell[0] == name
        )
        compare(attack, oracle.entropy(own), own, by_size)
    before = {answer: everybody.get(answer, 0) for answer in answers}
    for arm, attack in zip(arms.names, found.pfdptc, strict=True):
        own = oracle.chances(published, oracle.answer_of, lambda cell, name=arm: cell[1] == name)
        bits = abs(oracle.entropy(own) - oracle.entropy(everybody)) if own else 0.0
        compare(attack, bits, own, before)


def compare(attack, bits: float, own: oracle.Shares, baseline: oracle.Shares) -> None:
    assert attack.bits == pytest.approx(bits, abs=CLOSE)
    assert (attack.guess is None) == (not own)
    if attack.guess is not None:
        rise = oracle.largest_rise(own, baseline)
        assert attack.advantage == pytest.approx(float(rise), abs=CLOSE)
        guess = attack.guess
        assert guess.probability == pytest.approx(float(own.get(guess.answer, 0)), abs=CLOSE)
        assert guess.baseline == pytest.approx(float(baseline.get(guess.answer, 0)), abs=CLOSE)


@given(st.data())
def test_the_order_of_the_arms_changes_nothing(data: st.DataObject) -> None:
    arms = data.draw(arms_of(9))
    counts = tuple(data.draw(st.integers(0, size)) for size in arms.sizes)
    row = measure_row(counts, arms)
    other = measure_row(counts[::-1], Arms(arms.names[::-1], arms.sizes[::-1]))
    assert [a.bits for a in row.pdp] == [a.bits for a in other.pdp]
    assert [a.bits for a in row.pfdptc] == [a.bits for a in other.pfdptc[::-1]]


@given(st.integers(0, 228), st.integers(0, 105))
def test_having_and_not_having_it_are_the_same_to_the_family(a: int, b: int) -> None:
    row, other = measure_row((a, b), TRIAL), measure_row((228 - a, 105 - b), TRIAL)
    assert row.pfdoc.bits == pytest.approx(other.pfdoc.bits, abs=CLOSE)
    assert [x.bits for x in row.pfdptc] == pytest.approx([x.bits for x in other.pfdptc], abs=CLOSE)
    assert row.pdp[1].bits == other.pdp[0].bits


def test_a_third_arm_that_nobody_is_guessed_into_leaves_the_entropy_of_two() -> None:
    arms = Arms(("low", "high", "placebo"), (100, 100, 100))
    assert measure_row((5, 5, 0), arms).pdp[0].bits == 1.0
    assert measure_row((5, 5, 5), arms).pdp[0].bits == pytest.approx(math.log2(3))


def test_the_best_value_of_the_papers_indicator_may_hide_an_advantage() -> None:
    tobacco = measure_row((6, 6), TRIAL).pdp[0]
    assert tobacco.bits == 1.0
    assert tobacco.guess is not None
    assert tobacco.guess.answer == "placebo"
    assert tobacco.advantage == pytest.approx(0.5 - 105 / 333)


def test_a_group_like_the_allocation_gives_no_advantage() -> None:
    assert measure_row((76, 35), TRIAL).pdp[0].advantage == pytest.approx(0, abs=CLOSE)


def test_attackers_are_the_groups_with_somebody_in_them() -> None:
    row = measure_row((0, 0), TRIAL)
    assert [group for group, _ in row.attackers] == [
        AnswerGroup("does not have it", Answer.LACKS, (228, 105))
    ]
    assert row.pdp_of(Answer.HAS).bits == 0.0  # as the paper has it
    assert row.pdp_of(Answer.MISSING) is None
