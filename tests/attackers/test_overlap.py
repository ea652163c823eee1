"""The formulae and sentences of Simon et al. 2020, sections 3.5 to 3.7, on the paper's own examples."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.attackers.overlap import (
    AttackKind,
    Overlap,
    Pattern,
    PeopleShare,
    Proportion,
)
from anonymizer.errors import PolicyError
from anonymizer.validation import parse

RECORDS = "identified or identifiable records available to a potential adversary."
PAPER = {
    Pattern.COMPLETE: Overlap(1, 1),
    Pattern.SUBSET: Overlap(1 / 4, 1),
    Pattern.SUPERSET: Overlap(1, 1 / 3),
    Pattern.PARTIAL: Overlap(1 / 4, 1 / 3),
}
"""The hospital example of section 3.5: system X serves a fourth of each of three states."""


@pytest.mark.parametrize("pattern", Pattern)
def test_the_four_cases_of_the_hospital_example_are_the_four_patterns(pattern):
    assert PAPER[pattern].pattern is pattern


def test_the_probabilities_of_the_suicide_data_are_the_printed_ones():
    vital_statistics = Overlap(p=0.12)
    assert vital_statistics.probability(1) == 0.12
    assert vital_statistics.probability(2) == 0.06
    assert Overlap().probability(1) == 1.0


def test_a_person_in_a_cell_of_three_fits_25_records_where_the_paper_prints_24():
    assert Overlap(p=0.12).matches(3) == pytest.approx(25)


PERSON = "This person in the protected dataset"
APPEARS = "has a 0.5 probability of appearing in the external data resource and, if they do appear,"
HAPPENED = "has a 0.5 probability of having experienced an event known to a potential adversary."
KNOWN = "events that might be known to a potential adversary."
SENTENCES = {
    (Overlap(), AttackKind.SYSTEMATIC): f"could be linked to 3 {RECORDS}",
    (Overlap(p=0.12), AttackKind.SYSTEMATIC): f"could be linked to an estimated 25 {RECORDS}",
    (Overlap(q=0.5), AttackKind.SYSTEMATIC): f"{APPEARS} could be linked to 3 {RECORDS}",
    (
        Overlap(0.12, 0.5),
        AttackKind.SYSTEMATIC,
    ): f"{APPEARS} could be linked to an estimated 25 {RECORDS}",
    (Overlap(), AttackKind.IDIOSYNCRATIC): f"could be linked to 3 {KNOWN}",
    (Overlap(p=0.12), AttackKind.IDIOSYNCRATIC): f"could be linked to an estimated 25 {KNOWN}",
    (Overlap(q=0.5), AttackKind.IDIOSYNCRATIC): (
        f"{HAPPENED} If so, this person could be linked to 3 such events."
    ),
    (Overlap(0.12, 0.5), AttackKind.IDIOSYNCRATIC): (
        f"{HAPPENED} If so, this person could be linked to an estimated 25 such events."
    ),
}
"""For a cell of 3, as in the paper's example."""


@pytest.mark.parametrize(("overlap", "attack"), SENTENCES)
def test_the_sentence_of_each_pattern_is_that_of_section_3_7(overlap, attack):
    assert overlap.sentence(3, attack) == f"{PERSON} {SENTENCES[overlap, attack]}"


def test_one_match_is_one_record():
    assert (
        Overlap()
        .sentence(1)
        .startswith(
            "This person in the protected dataset could be linked to 1 identified or identifiable record "
        )
    )
    assert " 1 event that" in Overlap().sentence(1, AttackKind.IDIOSYNCRATIC)


@given(st.floats(0.001, 1), st.floats(0.001, 1), st.integers(1, 100))
def test_the_probability_falls_with_the_cell_and_rises_with_the_overlap(p, q, k):
    overlap = Overlap(p, q)
    assert overlap.probability(k) == pytest.approx(p * q / k)
    assert overlap.probability(k + 1) < overlap.probability(k) <= Overlap().probability(k)


@pytest.mark.parametrize("value", [-0.1, 1.5, "half", True, float("nan")])
def test_p_and_q_are_shares_from_0_to_1(value):
    wrong = "is not a share of people; use a number from 0 to 1"
    with pytest.raises(PolicyError, match=f"overlap: p: .* {wrong}"):
        Overlap(p=value)
    with pytest.raises(PolicyError, match=f"p: .* {wrong}"):
        parse(PeopleShare, value, "p")
    with pytest.raises(PolicyError, match=f"p: probabilities.Ohio: .* {wrong}"):
        parse(PeopleShare, {"by": "state", "probabilities": {"Ohio": value}, "default": 0.5}, "p")


def test_a_proportion_by_value_is_read_and_written():
    table = {"by": "state", "probabilities": {"Ohio": 0.3}, "default": 0.1}
    share = parse(PeopleShare, table, "p")
    assert share.of(["Ohio", "Utah"]).tolist() == [0.3, 0.1]
    assert share.describe() == table
    assert parse(PeopleShare, 0.5, "p").describe() == 0.5
    assert parse(PeopleShare, Proportion(0.5), "p") == Proportion(0.5)


def test_what_a_proportion_lacks_is_said():
    with pytest.raises(PolicyError) as refused:
        parse(PeopleShare, {"probabilities": {}, "extra": 1}, "p")
    assert refused.value.faults == (
        "by: this key is missing; add it.",
        "default: this key is missing; add it.",
        "extra: this key is unknown; use one of 'default', 'by', 'probabilities'.",
    )
    with pytest.raises(PolicyError, match="probabilities: 3 is not a table"):
        parse(PeopleShare, {"by": "state", "probabilities": 3, "default": 1}, "p")


def test_without_overlap_nobody_is_found():
    for nobody in (Overlap(p=0.0), Overlap(q=0.0)):
        assert nobody.probability(1) == 0
        assert nobody.sentence(1) == (
            "No person of the protected dataset is in the external data resource."
        )


@given(st.floats(0.001, 1), st.floats(0.001, 1), st.integers(1, 100))
def test_the_sentence_says_the_probability(p, q, k):
    overlap = Overlap(p, q)
    assert overlap.probability(k) == pytest.approx(q / overlap.matches(k))
