"""assess: hand-sized tables computed on paper, and what it says of tables and scenarios."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from anonymizer import Policy, assess
from anonymizer.assessment import Source, Statement
from anonymizer.assessment.scenario_risk import describe_values
from anonymizer.attackers.attack import attack_on
from anonymizer.attackers.catalogue import load_scenario, shipped_scenarios
from anonymizer.attackers.exposure import MEASURES, Method, sum_exactly
from anonymizer.attackers.overall import ScenarioAttack
from anonymizer.attackers.scenario import AttributeGroup, Scenario
from anonymizer.attackers.statistics import statistic_of
from anonymizer.data.pandas import FrameTable
from anonymizer.errors import AnonymizerWarning, DataError, PolicyError
from anonymizer.hierarchy import Hierarchy
from anonymizer.table.microdata import encode
from experiments.xia2021.simulation import play
from tests.assessment import patients
from tests.attackers.tables import overall_risk

SEX = Hierarchy.from_rows("sex", [("F", "*"), ("M", "*")])
AGE = Hierarchy.from_rows("age", [("30", "*"), ("40", "*")])


SHIPPED = [
    name
    for name in shipped_scenarios()
    if set(load_scenario(name).attributes) <= {*patients.ATTRIBUTES, "*"}
]
"""Who learns what the patients' table has, of the attackers that are shipped."""


def policy_of(*hierarchies: Hierarchy) -> Policy:
    attributes = {h.name: {"role": "quasi", "hierarchy": h} for h in hierarchies}
    return Policy(attributes=attributes, risk=[{"model": "k-anonymity", "k": 2}])


def test_three_people_and_one_attribute_as_computed_on_paper() -> None:
    """Two women and a man; their sex is learned with probability 0.6.

    Not learned: everybody is one of 3. Learned: each woman is one of 2, the man is alone. Class sizes 2
    and 1 have Pitman's theta = sqrt 2 and alpha = 0, so u = (sqrt 2 + 2) / (sqrt 2 + N - 1).
    """
    scenario = Scenario((AttributeGroup(("sex",), 0.6),), 1_000_000, 0.5, 0.4, 0.3, 0.2)
    frame = pd.DataFrame({"sex": ["F", "M", "F"]})
    assessment = assess(frame, policy_of(SEX), [scenario])
    (risk,) = assessment.scenarios
    u = (math.sqrt(2) + 2) / (math.sqrt(2) + 999_999)
    woman = {"prosecutor": 0, "journalist": 0, "marketer": 0.4 / 3 + 0.6 / 2, "overall": 0.13}
    man = {
        "prosecutor": 0.6,
        "journalist": 0.6 * u,
        "marketer": 0.4 / 3 + 0.6,
        "overall": 0.4 * 0.3 / 3 + 0.6 * (1 - (1 - 0.2) * (1 - 0.2 * u) * (1 - 0.3)),
    }
    for measure, hers in woman.items():
        mine = risk.exposure.measure(measure)[risk.subjects.tuple_of_row]
        np.testing.assert_allclose(mine, [hers, man[measure], hers], rtol=1e-9)
    worst = risk.worst.overall[risk.subjects.tuple_of_row]
    np.testing.assert_allclose(worst, [0.15, 1 - 0.56 * (1 - 0.2 * u), 0.15], rtol=1e-9)
    his_reduction = 1 - man["overall"] / worst[1]
    reductions = [1 - 0.13 / 0.15, 1 - 0.13 / 0.15, his_reduction]
    np.testing.assert_allclose(sorted(risk.reductions()), sorted(reductions), rtol=1e-9)
    np.testing.assert_allclose(risk.reductions("prosecutor"), [0.4])  # only he has some to lose
    assert risk.exposure.method is Method.EXACT


def test_four_people_and_two_attributes_as_computed_on_paper() -> None:
    """Knowing nothing has probability 0.4, the age alone 0.4, the sex alone 0.1, both 0.1."""
    groups = AttributeGroup(("age",), 0.5), AttributeGroup(("sex",), 0.2)
    scenario = Scenario(groups, 1_000_000, 0.5, 0.4, 0.25, 0.0)
    frame = pd.DataFrame({"age": ["30", "30", "30", "40"], "sex": ["F", "F", "M", "M"]})
    assessment = assess(frame, policy_of(AGE, SEX), {"paper": scenario})
    (risk,) = assessment.scenarios
    rows = risk.subjects.tuple_of_row
    matching = [(4, 3, 2, 2), (4, 3, 2, 2), (4, 3, 2, 1), (4, 1, 2, 1)]
    marketer = [sum(p / a for p, a in zip((0.4, 0.4, 0.1, 0.1), m, strict=True)) for m in matching]
    np.testing.assert_allclose(risk.exposure.marketer[rows], marketer)
    np.testing.assert_allclose(risk.exposure.prosecutor[rows], [0, 0, 0.1, 0.5], atol=1e-15)
    by_age, by_sex = risk.exposure.drivers
    assert by_age.marketer == pytest.approx(0.8 / 4 + 0.2 / 2)  # without the age: two pairs
    assert by_age.prosecutor == 0
    assert by_sex.marketer == pytest.approx((3 * (0.5 / 4 + 0.5 / 3) + (0.5 / 4 + 0.5)) / 4)
    assert by_sex.prosecutor == pytest.approx(0.5 / 4)
    (first, *_) = risk.exposure.known_sets
    assert first.groups == (0,)  # the age alone: it is likely, and it gives the forty-year-old away
    assert risk.above(0.2) == 1


@pytest.mark.parametrize("name", SHIPPED)
def test_exact_and_simulated_agree_on_every_shipped_scenario(name: str) -> None:
    frame = patients.draw(400, seed=3)
    policy = patients.policy()
    (risk,) = assess(frame, policy, [name]).scenarios
    microdata = encode(FrameTable(frame), policy.load_hierarchies())
    attack = attack_on(microdata, (0,) * len(patients.ATTRIBUTES), load_scenario(name))
    played = play(attack, microdata.counts, np.random.default_rng(7), trials=400)
    assert risk.exposure.method is Method.EXACT
    assert abs(risk.mean() - played.mean) <= 3 * played.standard_error


COARSE = Scenario(
    (
        AttributeGroup(("year_of_birth", "sex"), 0.4, levels={"year_of_birth": 2}),
        AttributeGroup(("state", "race"), 0.7, levels={"state": 1}),
    ),
    10_000_000,
    0.5,
    0.4,
    0.3,
    0.2,
)


@pytest.mark.parametrize(
    "scenario",
    [*map(load_scenario, SHIPPED), COARSE],
    ids=[*SHIPPED, "coarse"],
)
def test_the_risk_model_that_drives_a_search_says_the_same(scenario: Scenario) -> None:
    """Of a raw table, and of one that a scheme generalizes: released values and level vector."""
    frame, policy = patients.draw(250, seed=8), patients.policy()
    hierarchies = policy.load_hierarchies()
    microdata = encode(FrameTable(frame), hierarchies)
    (risk,) = assess(frame, policy, [scenario]).scenarios
    model = sum_exactly(attack_on(microdata, (0,) * len(hierarchies), scenario))
    for measure in MEASURES:
        mean = statistic_of(model.measure(measure), microdata.counts.astype(np.int64), "mean")
        assert risk.mean(measure) == pytest.approx(mean, abs=1e-12)
    if any(group.by == "state" for group in scenario.learned):
        return  # who is on which list cannot be told from a generalized state
    scheme = {"year_of_birth": 1, "race": 1, "state": 2}
    released = frame.copy()
    for h in hierarchies:
        level = scheme.get(h.name, 0)
        released[h.name] = frame[h.name].map({row[0]: row[level] for row in h.rows()})
    (risk,) = assess(released, policy, [scenario]).scenarios
    levels = tuple(scheme.get(h.name, 0) for h in hierarchies)
    model = overall_risk(attack_on(microdata, levels, scenario), "mean")
    assert risk.mean() == pytest.approx(model, abs=1e-12)


@pytest.mark.parametrize("name", SHIPPED)
def test_no_scenario_is_worse_than_the_worst_case(name: str) -> None:
    (risk,) = assess(patients.draw(300, seed=4), patients.policy(), [name]).scenarios
    for measure in ("prosecutor", "marketer"):
        assert (risk.exposure.measure(measure) <= risk.worst.measure(measure) + 1e-12).all()


def test_the_shipped_worst_case_is_the_worst_case() -> None:
    (risk,) = assess(patients.draw(300, seed=5), patients.policy(), ["worst-case"]).scenarios
    np.testing.assert_allclose(risk.exposure.overall, risk.worst.overall)
    np.testing.assert_allclose(risk.reductions(), 0, atol=1e-12)


def test_a_release_is_assessed_as_it_is() -> None:
    """Redacted records match everybody, so that nobody is alone beside them."""
    frame = pd.DataFrame({"age": ["30", "40", "*"], "sex": ["F", "M", "*"]})
    assessment = assess(frame, policy_of(AGE, SEX), ["worst-case"])
    (risk,) = assessment.scenarios
    shares = risk.exposure.marketer[risk.subjects.tuple_of_row]
    np.testing.assert_allclose(shares, [1 / 2, 1 / 2, 1 / 3])
    assert risk.mean("prosecutor") == 0
    assert risk.subjects.coarse_records == 1
    whole = pd.DataFrame({"age": ["*", "*"], "sex": ["F", "M"]})
    (risk,) = assess(whole, policy_of(AGE, SEX), "worst-case").scenarios
    assert risk.subjects.coarse_records == 0  # as coarse as all others


def test_a_generalized_value_counts_as_the_likeliest_it_covers() -> None:
    by_age = AttributeGroup(("sex",), by="age", probabilities={"30": 0.9}, default=0.1)
    scenario = Scenario((by_age,), 1000, 0.5, 0.5, 0.5, 0.0)
    frame = pd.DataFrame({"age": ["30", "40", "*"], "sex": ["F", "M", "M"]})
    (risk,) = assess(frame, policy_of(AGE, SEX), [scenario]).scenarios
    shares = risk.exposure.marketer[risk.subjects.tuple_of_row]
    np.testing.assert_allclose(shares, [0.1 / 3 + 0.9, 0.9 / 3 + 0.1 / 2, 0.1 / 3 + 0.9 / 2])


def test_too_many_sets_are_simulated_and_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anonymizer.attackers.exposure.WORK_LIMIT", 100)
    monkeypatch.setattr("anonymizer.attackers.exposure.TRIALS", 50)
    groups = tuple(AttributeGroup((name,), 0.5) for name in patients.ATTRIBUTES)
    scenario = Scenario(groups, 10_000, 0.5, 0.5, 0.5, 0.5)
    told = []
    frame, policy = patients.draw(60, seed=6), patients.policy()
    assessment = assess(frame, policy, [scenario], on_progress=lambda *step: told.append(step))
    described = assessment.describe()["scenarios"][0]
    assert described["method"] == "simulated"
    assert described["standard_error"] > 0
    assert told[-1] == ("scenario 1", 50, 50)
    again = assess(frame, policy, [scenario])
    assert again.scenarios[0].mean() == assessment.scenarios[0].mean()  # seeded


@pytest.mark.usefixtures("values_shown")
def test_values_that_a_scenario_does_not_list_are_told() -> None:
    by_age = AttributeGroup(("sex",), by="age", probabilities={"30": 0.9}, default=0.0)
    scenario = Scenario((by_age,), 1000, 0.5, 0.5, 0.5, 0.5)
    frame = pd.DataFrame({"age": ["30", "40"], "sex": ["F", "M"]})
    with pytest.warns(AnonymizerWarning, match="1 records count as not found.*'age': '40'"):
        assess(frame, policy_of(AGE, SEX), {"voters": scenario})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assess(frame.iloc[:1], policy_of(AGE, SEX), {"voters": scenario})


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"population": 1}, PolicyError, "1 people are fewer than the table's 2;"),
        ({"learned": (AttributeGroup(("zip",), 0.5),)}, PolicyError, "'zip' is not a quasi"),
        (
            {"learned": (AttributeGroup(("sex",), 0.5, levels={"sex": 2}),)},
            PolicyError,
            r"levels\.sex: 2 is above the top",
        ),
    ],
)
def test_a_scenario_that_does_not_fit_the_table_is_refused(change, error, message) -> None:
    scenario = Scenario((AttributeGroup(("sex",), 0.5),), 1000, 0.5, 0.5, 0.5, 0.5)
    frame = pd.DataFrame({"sex": ["F", "M"]})
    with pytest.raises(error, match=message):
        assess(frame, policy_of(SEX), [replace(scenario, **change)])


def test_what_is_missing_is_named() -> None:
    scenario = Scenario((AttributeGroup(("sex",), 0.5),), 1000, 0.5, 0.5, 0.5, 0.5)
    with pytest.raises(DataError, match="no column 'sex'"):
        assess(pd.DataFrame({"gender": ["F"]}), policy_of(SEX), [scenario])
    with pytest.raises(DataError, match="the table has no rows"):
        assess(pd.DataFrame({"sex": []}, dtype=str), policy_of(SEX), [scenario])
    with pytest.raises(PolicyError, match="none is given"):
        assess(pd.DataFrame({"sex": ["F"]}), policy_of(SEX), [])
    with pytest.raises(PolicyError, match=r"data\.path is missing"):
        assess(None, policy_of(SEX), [scenario])
    with pytest.raises(PolicyError, match="two are called 'worst-case'"):
        assess(pd.DataFrame({"sex": ["F"]}), policy_of(SEX), ["worst-case", "worst-case"])


def test_without_values_nothing_is_described() -> None:
    assert set(describe_values(np.zeros(0)).values()) == {None}


SOURCE = {"name": "news", "keys": ["age", "sex"]}
FORUM = Source("a forum", 0.5, {"age": 0.4, "sex": 0.8})


def four_people() -> pd.DataFrame:
    return pd.DataFrame({"age": ["30", "30", "30", "40"], "sex": ["F", "F", "M", "M"]})


def test_each_question_is_answered_as_if_it_were_asked_alone() -> None:
    policy, statement = policy_of(AGE, SEX), Statement(source=[{**SOURCE, "p": 0.3}])
    together = assess(
        four_people(), policy, "worst-case", statement=statement, sources=[FORUM]
    ).describe()
    alone = [
        assess(four_people(), policy, "worst-case"),
        assess(four_people(), policy, statement=statement),
        assess(four_people(), policy, sources=[FORUM]),
    ]
    scenario, findings, disclosure = (each.describe() for each in alone)
    assert together["scenarios"] == scenario["scenarios"]
    assert together["findings"] == findings["findings"]
    assert together["disclosure"] == disclosure["disclosure"]
    assert findings["scenarios"] == disclosure["scenarios"] == []
    assert [each.records for each in alone] == [4, 4, 4]
    assert [each.passes for each in alone] == [None, False, None]


def test_where_nothing_is_asked_it_is_the_worst_case() -> None:
    (risk,) = assess(four_people(), policy_of(AGE, SEX)).scenarios
    assert risk.name == "worst-case"


def test_what_is_unique_outside_lowers_what_is_disclosed() -> None:
    frame, policy = four_people(), policy_of(AGE, SEX)
    whole = assess(frame, policy, sources=[FORUM]).disclosure
    half = assess(frame, policy, sources=[FORUM], e_uniqueness=0.5).disclosure
    assert whole is not None
    assert half is not None
    assert half.individual_exact == pytest.approx(whole.individual_exact / 2)
    doubled = assess(frame, policy, sources=[FORUM], external=pd.concat([frame, frame])).disclosure
    assert doubled is not None
    assert doubled.individual == 0  # whoever is found outside is found twice
    with pytest.raises(PolicyError, match="name the sources too"):
        assess(frame, policy, e_uniqueness=0.5)
    with pytest.raises(PolicyError, match="no source is given"):
        assess(frame, policy, sources=[])  # no answer, rather than no risk


def test_only_the_columns_that_are_asked_for_are_needed() -> None:
    frame = four_people()[["sex"]]
    statement = Statement(source=[{"name": "news", "keys": ["sex"]}])
    findings = assess(frame, policy_of(AGE, SEX), statement=statement).findings
    assert findings is not None
    assert findings.sources[0].probabilities.highest == 0.5
    with pytest.raises(DataError, match="no column 'age'"):
        assess(frame, policy_of(AGE, SEX), "worst-case")


def visits(seed: int = 5) -> tuple[pd.DataFrame, Policy]:
    """Rows of which several belong to one person, and a policy that says so."""
    frame = patients.draw(90, seed=seed)
    again = frame.iloc[: len(frame) // 2]
    frame = pd.concat([frame.assign(patient=range(90)), again.assign(patient=range(len(again)))])
    frame = pd.concat([frame, again.assign(race=frame["race"].iloc[0], patient=range(len(again)))])
    policy = patients.policy()
    attributes = {"patient": {"role": "identifying"}, **policy.attributes}
    keys = {**dict(policy), "attributes": attributes, "data": {"id": "patient"}}
    return frame.reset_index(drop=True), Policy(**keys)


def test_rows_of_one_person_do_not_hide_each_other() -> None:
    age = Hierarchy.from_rows("age", [("30", "*"), ("31", "*")])
    attributes = {
        "patient": {"role": "identifying"},
        "age": {"role": "quasi", "hierarchy": age},
    }
    policy = Policy(
        data={"id": "patient"}, attributes=attributes, risk=[{"model": "k-anonymity", "k": 2}]
    )
    frame = pd.DataFrame({"patient": [*"AAAAABCDEF"], "age": ["30"] * 5 + ["31"] * 5})
    (risk,) = assess(frame, policy, "worst-case").scenarios
    assert risk.exposure.prosecutor.tolist() == [1, 0]
    assert risk.exposure.marketer.tolist() == [1, 0.2]
    found = assess(frame, policy, sources=[Source("forum", 1.0, {"age": 1.0})]).disclosure
    assert found is not None
    assert found.highest == 1


@pytest.mark.parametrize("scenario", [load_scenario("worst-case"), COARSE])
def test_people_are_counted_as_by_the_risk_model(scenario: Scenario) -> None:
    frame, policy = visits()
    (risk,) = assess(frame, policy, [scenario]).scenarios
    microdata = encode(FrameTable(frame), policy.load_hierarchies(), person="patient")
    attack = ScenarioAttack.of(scenario, microdata)
    untouched = (0,) * len(microdata.attributes)
    everybody = np.ones(microdata.distinct, np.bool_)
    by_model = np.repeat(attack.risks(untouched, attack.tuples, everybody), microdata.counts)
    of_records = np.repeat(risk.exposure.overall, risk.subjects.counts)
    assert np.sort(of_records) == pytest.approx(np.sort(by_model), abs=1e-12)
    (by_row,) = assess(frame.drop(columns="patient"), patients.policy(), [scenario]).scenarios
    assert (risk.exposure.overall >= by_row.exposure.overall - 1e-12).all()
    assert risk.mean() > by_row.mean()


def test_where_a_table_mixes_levels_a_person_hides_no_more_than_by_equal_values() -> None:
    frame, policy = visits()
    frame.loc[frame.index[:7], "race"] = "*"
    (risk,) = assess(frame, policy, "worst-case").scenarios
    (by_row,) = assess(frame.drop(columns="patient"), patients.policy(), "worst-case").scenarios
    assert (risk.exposure.marketer >= by_row.exposure.marketer - 1e-12).all()


def test_a_row_that_is_nobodys_is_refused() -> None:
    frame, policy = visits()
    frame["patient"] = frame["patient"].astype(object)
    frame.loc[3, "patient"] = None
    with pytest.raises(DataError, match="row 4 has no 'patient', so it is not known whose it is"):
        assess(frame, policy, "worst-case")


@pytest.mark.parametrize("asked", ["scenario", "statement"])
def test_a_table_without_the_id_is_a_warning(asked: str) -> None:
    frame, policy = visits()
    statement = Statement(source=[{"name": "list", "keys": ["race"]}])
    keys = {"scenarios": "worst-case"} if asked == "scenario" else {"statement": statement}
    with pytest.warns(AnonymizerWarning, match="no column 'patient' tells whose a row is, so each"):
        assess(frame.drop(columns="patient"), policy, **keys)
