from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.attackers.attack import AttackedTable
from anonymizer.attackers.disclosed import assess_disclosure
from anonymizer.attackers.disclosure import Source
from anonymizer.attackers.nrf import Reidentification, combine
from anonymizer.attackers.placed import Subjects
from anonymizer.attackers.scenario import AttributeGroup, Scenario
from anonymizer.attackers.unique_subsets import Uniqueness
from anonymizer.data.pandas import FrameTable
from anonymizer.errors import AnonymizerWarning, DataError, PolicyError
from anonymizer.hierarchy import MISSING, Hierarchy
from experiments.nrf.reconstruction import (
    figure_2,
    figure_3,
    last_digits,
    read_reconstruction,
    table_7,
    table_8,
)
from tests.attackers.tables import overall_risk
from tests.attackers.test_unique_subsets import by_hand, frames

pytestmark = pytest.mark.xdist_group("nrf")

TOY = pd.DataFrame({"X": ["xa", "xb"], "Y": ["ya", "yb"]})


def test_the_toy_example_has_risk_three_quarters() -> None:
    risk = assess_disclosure(TOY, [Source("forum", 1.0, {"X": 0.5, "Y": 0.0})])
    assert risk.individual == 0.5
    assert risk.data_set == 0.75


def test_who_looks_alike_is_not_found_and_who_discloses_all_is() -> None:
    forum = [Source("forum", 1.0, {"X": 1.0, "Y": 1.0})]
    assert assess_disclosure(TOY.assign(X="x", Y="y"), forum).data_set == 0.0
    assert assess_disclosure(TOY, forum).data_set == 1.0
    assert assess_disclosure(TOY, forum).over_records([0, 1]).tolist() == [0.0, 1.0]


def test_what_happens_for_certain_is_certain_in_the_exact_risk_though_not_in_equation_3() -> None:
    risk = assess_disclosure(TOY, [Source("forum", 1.0, {"X": 1.0, "Y": 0.5})])
    assert risk.individual == 0.75  # X alone or X and Y: the one or the other, each surely unique
    assert risk.individual_exact == risk.data_set_exact == 1.0
    described = risk.describe()
    assert described["individual_risk_exact"] == 1.0
    assert described["data_set_risk_exact"] == 1.0


def brute_force(frame: pd.DataFrame, sources: list[Source], e_uniqueness: float) -> float:
    """Equations 2 to 5 as they are printed."""
    names = list(frame)
    disclosed = {
        x: 1 - math.prod(1 - s.usage * s.disclosure.get(x, 0) for s in sources) for x in names
    }
    safe = 1.0
    for subset in range(1 << len(names)):
        chosen = [x for i, x in enumerate(names) if subset >> i & 1]
        unique = by_hand(frame, None, chosen)[0] if chosen else int(len(frame) == 1)
        z = math.prod(disclosed[x] if x in chosen else 1 - disclosed[x] for x in names)
        safe *= 1 - unique / len(frame) * z * e_uniqueness
    return 1 - safe ** len(frame)


RATES = st.floats(0, 1, allow_subnormal=False)


@settings(max_examples=40)
@given(frames(), st.data())
def test_the_risk_is_that_of_brute_force(frame: pd.DataFrame, data) -> None:
    rates = st.fixed_dictionaries(dict.fromkeys(frame, RATES))
    pairs = data.draw(st.lists(st.tuples(RATES, rates), min_size=1, max_size=3))
    sources = [Source(f"s{i}", usage, each) for i, (usage, each) in enumerate(pairs)]
    e_uniqueness = data.draw(RATES)
    risk = assess_disclosure(frame, sources, e_uniqueness=e_uniqueness)
    assert risk.data_set == pytest.approx(brute_force(frame, sources, e_uniqueness), abs=1e-9)
    assert 0 <= risk.individual <= risk.individual_exact * (1 + 1e-12) + 1e-15
    assert risk.data_set <= risk.data_set_exact * (1 + 1e-9) + 1e-15
    by_sums = overall_risk(attack_on_cells(frame, risk), "mean")
    assert risk.individual_exact == pytest.approx(by_sums, abs=1e-12)


def attack_on_cells(frame: pd.DataFrame, risk: Reidentification) -> AttackedTable:
    """The same attacker as a scenario, against the same cells, each a leaf of a flat hierarchy."""
    cells = frame.fillna(MISSING)
    hierarchies = [
        Hierarchy.from_rows(name, [(text,) for text in cells[name].unique()]) for name in cells
    ]
    (outside,) = np.unique(risk.unique_outside)
    groups = tuple(AttributeGroup((name,), chance) for name, chance in risk.disclosed.items())
    scenario = Scenario(groups, len(frame), p_m=1.0, p_fm=float(outside), p_c=0.0, p_cu=0.0)
    return AttackedTable.of(Subjects.read(FrameTable(frame), hierarchies), scenario)


def make(unique: list[int], records: int, rates: dict[str, float]) -> Reidentification:
    counts = Uniqueness(tuple(rates), records, records, np.array(unique))
    return Reidentification(counts, (Source("all", 1.0, rates),))


def test_a_risk_too_small_to_be_told_from_one_is_kept() -> None:
    risk = make([0, 1], 10**9, {"x": 1e-12})  # 1 - 1e-21 is 1
    assert risk.individual == pytest.approx(1e-21, rel=1e-9)
    assert risk.data_set == pytest.approx(1e-12, rel=1e-9)
    assert risk.individual_exact == pytest.approx(1e-21, rel=1e-9)
    assert risk.data_set_exact == pytest.approx(1e-12, rel=1e-9)
    assert risk.records_until(0.5) == pytest.approx(math.log(2) * 1e21)


def test_the_most_dangerous_combinations_come_in_order_and_without_zeros() -> None:
    risk = make([0, 5, 2, 9], 10, {"x": 0.5, "y": 0.2})
    found = risk.most_dangerous()
    assert [each.attributes for each in found] == [("x",), ("x", "y"), ("y",)]
    assert [each.probability for each in found] == pytest.approx([0.2, 0.09, 0.02])
    assert [each.attributes for each in risk.most_dangerous(1)] == [("x",)]
    assert make([0, 0, 2, 2], 10, {"x": 0.5, "y": 0.0}).most_dangerous() == []


def test_every_added_source_raises_the_disclosure_and_all_combinations_are_looked_at() -> None:
    sources = [Source(name, 0.3, {"X": 0.1}) for name in "abcde"]
    rows = assess_disclosure(TOY, sources).over_sources()
    assert len(rows) == 31
    by_number = [
        {round(r.individual, 12) for r in rows if len(r.sources) == k} for k in range(1, 6)
    ]
    assert all(len(values) == 1 for values in by_number)
    assert sorted(by_number, key=min) == by_number


def test_many_sources_are_combined_one_by_one() -> None:
    sources = [Source(str(i), 0.5, {"x": 0.5}) for i in range(8)]
    assert [len(those) for those in combine(sources)] == [1] * 8 + [2, 3, 4, 5, 6, 7, 8]


def test_e_uniqueness_is_counted_in_an_external_table() -> None:
    external = pd.DataFrame({"X": ["xa", "xb", "xb"], "Y": ["ya", "y", "y"]})
    forum = [Source("forum", 1.0, {"X": 1.0, "Y": 0.0})]
    risk = assess_disclosure(TOY, forum, external)
    assert risk.unique_outside.tolist() == [1.0, 0.5, 1.0, 1.0]
    assert risk.individual == 0.5
    with pytest.raises(DataError, match="leave the number out"):
        assess_disclosure(TOY, forum, external, e_uniqueness=0.5)


def test_unknown_e_uniqueness_does_not_look_safe() -> None:
    external = pd.DataFrame({"X": ["other"], "Y": ["other"]})
    forum = [Source("forum", 1.0, {"X": 1.0, "Y": 0.0})]
    with pytest.warns(AnonymizerWarning, match="no value of '.' occurs in both tables"):
        assert assess_disclosure(TOY, forum, external).data_set == 1.0


@pytest.mark.parametrize("wrong", [-0.1, 1.1, math.nan])
def test_an_e_uniqueness_that_is_no_probability_is_refused(wrong: float) -> None:
    with pytest.raises(PolicyError, match="it is a probability"):
        assess_disclosure(TOY, [Source("forum", 1.0, {"X": 0.5})], e_uniqueness=wrong)


def test_e_uniqueness_of_another_number_of_subsets_is_refused() -> None:
    risk = make([0, 1], 10, {"x": 0.5})
    with pytest.raises(PolicyError, match="3 numbers for 2 subsets"):
        Reidentification(risk.uniqueness, risk.sources, np.ones(3))


def test_without_sources_there_is_no_risk_to_tell() -> None:
    with pytest.raises(PolicyError, match="no source is given"):
        Reidentification(make([0, 1], 10, {"x": 0.5}).uniqueness, ())


@pytest.mark.usefixtures("values_shown")
def test_an_attribute_that_is_no_column_is_named() -> None:
    with pytest.raises(PolicyError, match="no column 'Z'; use one of 'X', 'Y'"):
        assess_disclosure(TOY, [Source("forum", 1.0, {"Z": 0.5})])


def test_what_is_described_is_json_and_holds_no_value_of_the_table() -> None:
    risk = assess_disclosure(TOY, [Source("forum", 1.0, {"X": 1.0, "Y": 0.0})])
    described = json.dumps(risk.describe(), allow_nan=False)
    assert not any(f'"{value}"' in described for value in ("xa", "xb", "ya", "yb"))


# --- which columns are released ---


@settings(max_examples=40)
@given(frames(5), st.data())
def test_each_choice_has_the_risk_of_a_table_without_the_other_columns(
    frame: pd.DataFrame, data
) -> None:
    names = list(frame)
    rates = {name: data.draw(st.floats(0, 1, allow_subnormal=False)) for name in names}
    e_uniqueness = data.draw(st.floats(0, 1, allow_subnormal=False))
    risk = assess_disclosure(frame, [Source("all", 1.0, rates)], e_uniqueness=e_uniqueness)
    risks = risk.over_choices()
    for subset in range(1, 1 << len(names)):
        kept = [name for at, name in enumerate(names) if subset >> at & 1]
        source = Source("all", 1.0, {name: rates[name] for name in kept})
        alone = assess_disclosure(frame[kept], [source], e_uniqueness=e_uniqueness)
        assert risks[subset] == pytest.approx(alone.individual_exact, abs=1e-9)
        choice = risk.choice(subset, float(risks[subset]), with_people=True)
        assert choice.released == tuple(kept)
        assert choice.highest == pytest.approx(alone.highest, abs=1e-9)
        n = len(frame)
        assert choice.data_set == pytest.approx(1 - (1 - min(risks[subset], 1)) ** n, abs=1e-9)


def test_for_each_number_of_columns_the_best_to_leave_out_is_named() -> None:
    frame = pd.DataFrame({"zip": ["1", "2", "3", "4"], "sex": ["f", "m", "f", "m"], "race": "x"})
    risk = assess_disclosure(frame, [Source("all", 1.0, {"zip": 0.5, "sex": 0.9, "race": 0.9})])
    best = risk.best_choices()
    assert [len(choice.left_out) for choice in best] == [0, 1, 2, 3]
    assert best[0].individual == pytest.approx(risk.individual_exact) == pytest.approx(0.5)
    assert best[1].left_out == ("zip",)
    assert best[1].individual == 0
    assert best[1].highest == 0
    assert math.isclose(best[0].highest or 0, 0.5)
    assert risk.describe()["best_choices"][1]["left_out"] == ("zip",)


# --- the paper ---


@pytest.fixture(scope="module")
def paper():
    return read_reconstruction()


def test_table_7_is_equation_4_to_all_six_digits(paper) -> None:
    rows = table_7(paper)
    assert len(rows) == 16
    assert {row["units of the last digit off"] for row in rows} == {0}
    assert {row["attribute"]: row["equation 5"] for row in rows}["gender"] == "7.25314e-01"


def test_table_8_is_found_again_to_one_unit_of_the_sixth_digit(paper) -> None:
    off = [row["units of the last digit off"] for row in table_8(paper)]
    assert len(off) == 20
    assert off.count(0) == 18
    assert max(map(abs, off)) == 1


def test_the_risk_by_sources_lies_within_the_known_bounds(paper) -> None:
    rows = [row for row in figure_2(paper) if row["facts, at least"] is not None]
    assert len(rows) == len(paper.facts["rD_bounds"])
    for row in rows:
        assert row["individual, at least"] == pytest.approx(row["facts, at least"], rel=1e-8)
        assert row["individual, at most"] == pytest.approx(row["facts, at most"], rel=1e-5)


def test_twitter_at_four_million_contradicts_the_text(paper) -> None:
    low, _ = paper.bounds(paper.chosen("t"))
    assert float(low.over_records(4_000_000)) == pytest.approx(0.387, abs=5e-4)


def test_the_mean_likelihood_by_size_is_that_of_the_facts(paper) -> None:
    for row in figure_3(paper):
        assert row["disclosure likelihood"] == pytest.approx(row["facts"], rel=1e-8)


def test_the_last_digit_is_the_sixth() -> None:
    assert last_digits(0.0183503, "0.0183503") == 0
    assert last_digits(0.0183505, "0.0183503") == 2


def test_one_person_is_enough_where_the_risk_is_certain() -> None:
    """Nobody is no risk, however certain the risk of a person is."""
    certain = Uniqueness(("x",), 2, 2, np.array([0, 2]))
    risk = Reidentification(certain, (Source("all", 1.0, {"x": 1.0}),))
    assert risk.individual == 1
    assert risk.records_until(0.5) == 1
    assert risk.over_records([0, 1]).tolist() == [0, 1]
