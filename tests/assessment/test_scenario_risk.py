"""What a scenario means for a table, on hand-sized tables and on the shipped scenarios."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer import Policy, assess
from anonymizer.assessment.scenario_risk import describe_values
from anonymizer.attackers.probability import Chance
from anonymizer.attackers.scenario import AttributeGroup, Scenario
from anonymizer.attackers.statistics import statistic_of
from anonymizer.attackers.uniqueness import estimate_unique, estimator_of
from anonymizer.errors import AnonymizerWarning, DataError
from anonymizer.hierarchy import Hierarchy
from tests.assessment import patients
from tests.assessment.test_assessment import AGE, SEX, policy_of

FRAME = pd.DataFrame(
    {"sex": ["F", "F", "F", "M"], "age": ["30", "30", "40", "40"], "told": ["0", "1", "0.5", ".25"]}
)


def risks(frame: pd.DataFrame, scenario: Scenario, measure: str = "overall") -> list[float]:
    """The risk of each row."""
    (risk,) = assess(frame, policy_of(SEX, AGE), [scenario]).scenarios
    found: list[float] = risk.exposure.measure(measure)[risk.subjects.tuple_of_row].tolist()
    return found


def test_people_who_look_alike_differ_by_what_a_column_says_of_them() -> None:
    group = AttributeGroup(("sex", "age"), column="told")
    scenario = Scenario((group,), 1000, 0, 0, 1, 0)
    alike, alone = [(1 - p) / 4 + p / 2 for p in (0, 1)], [(1 - p) / 4 + p for p in (0.5, 0.25)]
    assert risks(FRAME, scenario, "marketer") == pytest.approx(alike + alone)
    assert risks(FRAME, scenario) == pytest.approx(alike + alone)


def test_a_column_need_not_hold_numbers_to_decide_by_its_values() -> None:
    frame = FRAME.assign(ward=["a", "b", "a", "b"])
    chance = Chance(by=("ward", "sex"), probabilities={"a": {"F": 0.8}, "b": 0.1}, default=0)
    group = AttributeGroup(("age",), 1.0).with_chance(chance)
    learned = [0.8, 0.1, 0.8, 0.1]
    expected = [(1 - p) / 4 + p / 2 for p in learned]
    assert risks(frame, Scenario((group,), 1000, 0, 0, 1, 0)) == pytest.approx(expected)


def test_whether_somebody_is_known_to_be_there_may_depend_on_them() -> None:
    group = AttributeGroup(("sex", "age"), 1.0)
    scenario = Scenario((group,), 1000, Chance(column="told"), 0.5, 0, 0)
    assert risks(FRAME, scenario) == pytest.approx([0, 0, 0.25, 0.125])


def test_who_is_unique_is_counted_in_a_population_table(tmp_path: Path) -> None:
    people = [("F", "30"), ("F", "30"), ("F", "40"), ("M", "40"), ("M", "40"), ("M", "30")]
    pd.DataFrame(people, columns=["sex", "age"]).to_csv(tmp_path / "people.csv", index=False)
    group = AttributeGroup(("sex", "age"), 0.5)
    scenario = Scenario((group,), tmp_path / "people.csv", 0, 0, 0, 1)
    assert risks(FRAME, scenario) == pytest.approx([0, 0, 0.5, 0])
    released = FRAME.assign(age="*")  # generalized, so is the population: three women, three men
    assert risks(released, scenario) == pytest.approx([0, 0, 0, 0])
    one_man = replace(scenario, learned=(AttributeGroup(("sex",), 1.0),))
    fewer = tmp_path / "fewer.csv"
    pd.DataFrame(people[:4], columns=["sex", "age"]).to_csv(fewer, index=False)
    assert risks(released, replace(one_man, population=fewer)) == pytest.approx([0, 0, 0, 1])
    mixed = FRAME.assign(age=["*", "30", "40", "40"])
    assert risks(mixed, scenario) == pytest.approx([0, 0, 0, 0])  # she may be any of the women


def test_ranges_give_the_least_and_the_highest_risk() -> None:
    group = AttributeGroup(("sex", "age"), (0.2, 0.6))
    scenario = Scenario((group,), 1000, (0.1, 0.5), 1, 0, 0)
    (risk,) = assess(FRAME, policy_of(SEX, AGE), {"range": scenario}).scenarios
    assert risk.mean() == pytest.approx(0.6 * 0.5 / 2)
    assert risk.lowest_mean() == pytest.approx(0.2 * 0.1 / 2)
    described = risk.describe()
    assert described["lowest_risk"]["overall"]["mean"] == pytest.approx(0.01)
    assert described["scenario"]["p_m"] == [0.1, 0.5]
    (plain,) = assess(FRAME, policy_of(SEX, AGE), {"plain": replace(scenario, p_m=0.1)}).scenarios
    assert plain.lowest_mean() == pytest.approx(0.01)


def test_one_account_behind_all_attributes_makes_the_risk_higher() -> None:
    """Each attribute is as likely learned as without it; but they are learned together."""
    names = ["social-media", "social-media-account"]
    apart, together = assess(patients.draw(1000, seed=3), patients.policy(), names).scenarios
    for one, other in zip(apart.exposure.drivers, together.exposure.drivers, strict=True):
        assert other.probability == pytest.approx(one.probability, abs=1e-4)
    assert together.mean() > 1.5 * apart.mean()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"told": None}, "no column 'told'; the header reads 'sex', 'age'"),
        ({"told": ["0", "1", "maybe", "1"]}, "column 'told', row 3: 'maybe' is not a probability"),
        ({"told": ["0", "1", "1", "1.5"]}, "column 'told', row 4: '1.5' is not a probability"),
        ({"told": ["0", "", "1", "1"]}, "column 'told', row 2: '' is not a probability"),
    ],
)
def test_a_column_that_is_not_there_or_holds_no_probabilities_is_named(
    change: dict[str, Any], message: str
) -> None:
    frame = FRAME.drop(columns="told") if change["told"] is None else FRAME.assign(**change)
    scenario = Scenario((AttributeGroup(("age",), column="told"),), 1000, 0, 0, 1, 0)
    with pytest.raises(DataError, match=message):
        risks(frame, scenario)


def test_a_population_table_without_a_quasi_identifier_is_refused(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("sex\nF\n")
    scenario = Scenario((AttributeGroup(("age",), 0.5),), tmp_path / "people.csv", 0, 0, 1, 1)
    with pytest.raises(DataError, match=r"people\.csv: no column 'age'"):
        risks(FRAME, scenario)


def test_a_quasi_identifier_may_be_the_column_and_counts_with_the_highest_it_may_be() -> None:
    share = Hierarchy.from_rows("share", [("0.1", "low"), ("0.4", "low"), ("1", "high")])
    policy = Policy(
        attributes={h.name: {"role": "quasi", "hierarchy": h} for h in (SEX, share)},
        risk=[{"model": "k-anonymity", "k": 2}],
    )
    scenario = Scenario((AttributeGroup(("sex",), column="share"),), 1000, 0, 0, 1, 0)
    frame = pd.DataFrame({"sex": ["F", "F", "M"], "share": ["0.1", "low", "high"]})
    (risk,) = assess(frame, policy, [scenario]).scenarios
    expected = [(1 - p) / 3 + p / of for p, of in ((0.1, 2), (0.4, 2), (1, 1))]
    assert risk.exposure.overall[risk.subjects.tuple_of_row].tolist() == pytest.approx(expected)


@given(st.lists(st.integers(1, 6), min_size=1, max_size=30), st.integers(1, 50))
def test_every_estimator_gives_a_probability(sizes: list[int], times: int) -> None:
    counts = np.array(sizes)
    people = times * int(counts.sum())
    for name in ("pitman", "zayatz", "snb", "dankar"):
        assert 0 <= estimate_unique(counts, people, estimator_of(name)) <= 1
    if not (counts == 1).any():
        return
    # Zayatz: a class is of each size as likely in the population as in the sample
    drawn = int(counts.sum())
    seen_once = [size * math.comb(people - size, drawn - 1) for size in sizes]
    expected = sizes.count(1) * math.comb(people - 1, drawn - 1) / sum(seen_once)
    zayatz = estimate_unique(counts, people, estimator_of("zayatz"))
    assert zayatz == pytest.approx(expected, rel=1e-9)


def policy_by_person() -> Policy:
    """The policy of the frame with a column that says whose each row is."""
    policy = policy_of(SEX, AGE)
    attributes = {**policy.attributes, "who": {"role": "identifying"}}
    return Policy(**{**dict(policy), "attributes": attributes, "data": {"id": "who"}})


@given(
    st.lists(
        st.tuples(st.sampled_from("FM"), st.sampled_from(["30", "40"]), st.integers(0, 4)),
        min_size=1,
        max_size=9,
    )
)
def test_where_people_have_several_rows_people_match_and_count(
    rows: list[tuple[str, str, int]],
) -> None:
    frame = pd.DataFrame(rows, columns=["sex", "age", "who"])
    groups = (AttributeGroup(("sex",), 0.5), AttributeGroup(("age",), 0.3))
    scenario = Scenario(groups, 1000, 0.4, 1, 0.5, 0)

    def risk_of(row: tuple[str, str, int]) -> float:
        risk = 0.0
        for sex, age in [(False, False), (True, False), (False, True), (True, True)]:
            same = {
                other[2]
                for other in rows
                if (not sex or other[0] == row[0]) and (not age or other[1] == row[1])
            }
            likely = 0.5 * (0.3 if age else 0.7)
            risk += likely * (1 - (1 - 0.4 * (len(same) == 1)) * (1 - 0.5 / len(same)))
        return risk

    expected = [risk_of(row) for row in rows]
    (risk,) = assess(frame, policy_by_person(), {"some": scenario}).scenarios
    assert risk.exposure.overall[risk.subjects.tuple_of_row] == pytest.approx(expected)
    people = {
        row[2]: max(r for r, o in zip(expected, rows, strict=True) if o[2] == row[2])
        for row in rows
    }
    described = risk.describe()
    assert (described["records"], described["people"]) == (len(rows), len(people))
    assert risk.mean() == pytest.approx(sum(people.values()) / len(people))
    assert sorted(risk.risks()) == pytest.approx(sorted(people.values()))
    assert risk.above(0.3) == sum(r > 0.3 + 1e-12 for r in people.values())
    assert risk.worst_mean("prosecutor") <= 1


def test_one_person_with_several_rows_hides_nobody() -> None:
    """Five rows of one woman are no crowd: she is as exposed as with one."""
    frame = pd.DataFrame({"sex": ["F"] * 5 + ["M"], "age": "30", "who": ["a"] * 5 + ["b"]})
    scenario = Scenario((AttributeGroup(("sex",), 1.0),), 1000, 0, 0, 1, 0)
    (risk,) = assess(frame, policy_by_person(), {"sex": scenario}).scenarios
    assert risk.risks().tolist() == [1.0, 1.0]
    assert risk.above(0.2) == 2


def test_where_levels_are_mixed_nobody_counts_twice() -> None:
    frame = pd.DataFrame(
        {"sex": ["F", "F", "F", "M"], "age": ["30", "*", "40", "40"], "who": ["a", "a", "a", "b"]}
    )
    scenario = Scenario((AttributeGroup(("sex", "age"), 1.0),), 1000, 0, 0, 1, 0)
    (risk,) = assess(frame, policy_by_person(), {"both": scenario}).scenarios
    assert risk.exposure.overall[risk.subjects.tuple_of_row].tolist() == [1.0, 1.0, 1.0, 1.0]


def test_a_table_without_the_column_of_people_is_assessed_by_rows_with_a_warning() -> None:
    scenario = Scenario((AttributeGroup(("sex",), 1.0),), 1000, 0, 0, 1, 0)
    with pytest.warns(AnonymizerWarning, match="no column 'who' tells whose a row is"):
        assess(FRAME, policy_by_person(), {"sex": scenario})


def test_a_row_that_is_nobodys_is_named() -> None:
    scenario = Scenario((AttributeGroup(("sex",), 1.0),), 1000, 0, 0, 1, 0)
    with pytest.raises(DataError, match="row 3 has no 'who', so it is not known whose it is"):
        assess(FRAME.assign(who=["a", "b", "", "d"]), policy_by_person(), {"sex": scenario})


def test_an_interval_holds_the_mean_also_where_parameters_depend_on_the_person() -> None:
    """Of the women the age is known, which few share; of the men a ward, on which few are alone."""
    ages, wards = [str(n) for n in range(60)], [str(n) for n in range(10)]
    trees = [Hierarchy.from_rows(name, [(v, "*") for v in values])
             for name, values in {"age": ages, "ward": wards}.items()]  # fmt: skip
    frame = pd.DataFrame(
        {
            "age": [ages[min(n, 57)] for n in range(60)],
            "ward": [wards[9 if n == 59 else n % 8] for n in range(60)],
            "sex": ["F"] * 30 + ["M"] * 30,
        }
    )
    of_women = AttributeGroup(("age",), by="sex", probabilities={"F": 1.0}, default=0.0)
    of_men = AttributeGroup(("ward",), by="sex", probabilities={"M": 1.0}, default=0.0)
    p_cu = Chance(by="sex", probabilities={"M": 1.0}, default=0.0)
    scenario = Scenario((of_women, of_men), 70, 0, 0, 0, p_cu)
    (risk,) = assess(frame, policy_of(*trees), {"by sex": scenario}).scenarios
    assert risk.mean() > 0
    assert risk.interval().low <= risk.mean() <= risk.interval().high


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_the_95th_percentile_is_that_of_the_risk_model(values: list[float]) -> None:
    found = describe_values(np.array(values))["p95"]
    assert found == statistic_of(np.array(values), np.ones(len(values), np.int64), "p95")
    assert sum(value <= found for value in values) >= 0.95 * len(values)
