"""nrf: the risk through what people disclose elsewhere, counted subset by subset."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer import Problem as Put
from anonymizer import anonymize, explain, frontier
from anonymizer.attackers.cuts import suppressed_for_data_set
from anonymizer.attackers.disclosure import Disclosing, Source, parse_disclosing
from anonymizer.attackers.nrf import Reidentification
from anonymizer.attackers.statistics import data_set_risk, mean_limit
from anonymizer.attackers.unique_subsets import count_unique
from anonymizer.data.pandas import FrameTable
from anonymizer.errors import AnonymizerError, PolicyError
from anonymizer.risk import NRF, KAnonymity, Remaining, RiskModel
from anonymizer.search import Status, search
from anonymizer.table.classes import partition
from tests.exhaustive import search_exhaustively
from tests.oracle import Problem, generalize
from tests.search.test_boxes import essence
from tests.strategies import evaluator_of, frame_of, lattice_of, problems
from tests.wards import SOURCES, patients, policy_with, write_files, write_more

RATES = st.sampled_from([0.0, 0.3, 0.7, 1.0])
STATISTICS = ["maximum", "mean", "data-set", "p80"]


@st.composite
def models(draw: st.DrawFn, problem: Problem) -> NRF:
    """Draw one or two sources that disclose some of the attributes."""
    names = [f"a{at}" for at in range(len(problem.trees))]
    rates = st.dictionaries(st.sampled_from(names), RATES, min_size=1)
    sources = tuple(
        Source(name, draw(RATES), draw(rates)) for name in draw(st.sampled_from(["x", "xy"]))
    )
    threshold = draw(st.sampled_from([0.0, 0.1, 0.3, 0.6]))
    causes = draw(st.booleans())
    return NRF(threshold, Disclosing(sources), draw(st.sampled_from(STATISTICS)), causes)


def likely_sets(model: NRF, names: list[str]) -> dict[frozenset[str], float]:
    """How likely just these attributes are disclosed: look at all that may happen in each source."""
    likely = {frozenset[str](): 1.0}
    for source in model.sources.sources:
        found: dict[frozenset[str], float] = {}
        for known in product((False, True), repeat=len(names)):
            told = frozenset(name for name, tells in zip(names, known, strict=True) if tells)
            rates = [source.disclosure.get(name, 0.0) for name in names]
            if model.common_causes:
                chance = source.usage * chance_of(known, rates) + (1 - source.usage) * (not told)
            else:
                chance = chance_of(known, [source.usage * rate for rate in rates])
            for others, so_far in likely.items():
                found[others | told] = found.get(others | told, 0.0) + so_far * chance
        likely = found
    return likely


def chance_of(known: tuple[bool, ...], rates: list[float]) -> float:
    return math.prod(rate if tells else 1 - rate for tells, rate in zip(known, rates, strict=True))


def risks_by_hand(rows: list[tuple[str, ...]], model: NRF) -> list[float]:
    """Who is alone on what they disclose."""
    names = [f"a{at}" for at in range(len(rows[0]))] if rows else []
    likely = likely_sets(model, names)
    risks = []
    for row in rows:
        risk = 0.0
        for told, chance in likely.items():
            places = [at for at, name in enumerate(names) if name in told]
            alike = sum(all(other[at] == row[at] for at in places) for other in rows)
            risk += chance * (alike == 1)
        risks.append(risk)
    return risks


def statistic_by_hand(risks: list[float], statistic: str | float) -> float:
    if not risks:
        return 0.0
    if statistic == "maximum":
        return max(risks)
    mean = sum(risks) / len(risks)
    if statistic == "p80":
        return sorted(risks)[math.ceil(0.8 * len(risks)) - 1]
    return mean if statistic == "mean" else 1 - (1 - mean) ** len(risks)


@settings(max_examples=100)
@given(problems(max_attributes=3, max_rows=7, ranges=False), st.data())
def test_a_search_finds_what_exhaustive_search_finds_and_the_risk_is_counted_by_hand(
    problem: Problem, data: st.DataObject
) -> None:
    model = data.draw(models(problem))
    also: list[RiskModel] = data.draw(st.sampled_from([[], [KAnonymity(2)]]))
    evaluator, lattice = replace(evaluator_of(problem), models=[model, *also]), lattice_of(problem)
    found, expected = search(evaluator, lattice), search_exhaustively(evaluator, lattice)
    assert essence(found.best) == essence(expected.best)
    assert found.status is expected.status
    if found.best is None:
        return
    outcome = evaluator.outcome(found.best.scheme)
    suppressed = outcome.suppressed[outcome.classes.label_of_tuple]
    gone = suppressed[evaluator.microdata.tuple_of_row]
    kept = [
        generalize(row, problem.trees, found.best.scheme)
        for row, out in zip(problem.rows, gone, strict=True)
        if not out
    ]
    by_hand = statistic_by_hand(risks_by_hand(kept, model), model.statistic)
    left = Remaining(evaluator.microdata, outcome.classes, outcome.suppressed)
    assert model.risk(left) == pytest.approx(by_hand, abs=1e-9)
    assert by_hand <= model.threshold + 1e-9


@settings(max_examples=60)
@given(problems(max_attributes=2, max_rows=6, ranges=False), st.data())
def test_no_set_of_records_of_a_scheme_that_meets_the_maximum_has_more(
    problem: Problem, data: st.DataObject
) -> None:
    model = replace(data.draw(models(problem)), statistic="maximum")
    scheme = tuple(data.draw(st.integers(0, top)) for top in problem.high)
    evaluator = replace(evaluator_of(problem), models=[model], suppression_limit=len(problem.rows))
    outcome = evaluator.outcome(scheme)
    suppressed = outcome.suppressed[outcome.classes.label_of_tuple]
    kept = int((~suppressed[evaluator.microdata.tuple_of_row]).sum())
    rows = [generalize(row, problem.trees, scheme) for row in problem.rows]
    for marks in product((False, True), repeat=len(rows)):
        some = [row for row, there in zip(rows, marks, strict=True) if there]
        if max(risks_by_hand(some, model), default=0.0) <= model.threshold:
            assert len(some) <= kept


@settings(max_examples=40)
@given(problems(max_attributes=3, ranges=False), st.data())
def test_the_mean_of_the_table_as_it_is_is_the_framework_s_exact_risk(
    problem: Problem, data: st.DataObject
) -> None:
    model = replace(data.draw(models(problem)), statistic="mean", common_causes=False)
    evaluator = evaluator_of(problem)
    classes = partition(evaluator.microdata, (0,) * len(problem.trees))
    whole = Remaining(evaluator.microdata, classes, np.zeros(classes.sizes.size, np.bool_))
    frame = FrameTable(frame_of(problem.rows, problem.trees))
    names = [f"a{at}" for at in range(len(problem.trees))]
    risk = Reidentification(count_unique(frame, names), model.sources.sources)
    assert model.risk(whole) == pytest.approx(risk.individual_exact, abs=1e-12)
    if len(problem.rows) > 1:
        data_set = replace(model, statistic="data-set").risk(whole)
        assert data_set == pytest.approx(risk.data_set_exact, abs=1e-12)


@given(
    st.lists(st.tuples(st.sampled_from([0.0, 0.1, 0.5, 1.0]), st.integers(1, 4)), max_size=5),
    st.sampled_from([0.0, 0.2, 0.7, 1.0]),
)
def test_the_fewest_who_must_go_for_a_data_set_are_those_of_a_scan(
    people: list[tuple[float, int]], threshold: float
) -> None:
    risks = sorted((risk for risk, number in people for _ in range(number)), reverse=True)
    expected = next(
        gone
        for gone in range(len(risks) + 1)
        if statistic_by_hand(risks[gone:], "data-set") <= threshold + 1e-12
    )
    ordered = sorted(people, reverse=True)
    values = np.array([risk for risk, _ in ordered], float)
    numbers = np.array([number for _, number in ordered], np.int64)
    assert suppressed_for_data_set(values, numbers, threshold + 1e-12) == expected


@given(st.floats(0, 0.999), st.integers(1, 10**7))
def test_the_limit_on_a_mean_is_that_on_the_data_set(threshold: float, people: int) -> None:
    limit = mean_limit("data-set", threshold, people)
    assert data_set_risk(float(limit), people) == pytest.approx(threshold, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_a_release_is_made_explained_and_drawn_as_a_frontier(
    tmp_path: Path, statistic: str
) -> None:
    write_more(tmp_path)
    risk = f'model = "nrf"\nthreshold = 0.1\nsources = "sources.toml"\nstatistic = "{statistic}"'
    put = Put.read(None, write_files(tmp_path, policy=policy_with(risk)))
    solution = anonymize(put)
    assert solution.status is Status.OPTIMAL
    assert explain(solution).now.meets
    points = frontier(put, values=[0.5, 0.1]).points
    assert points[-1].quality == solution.quality


def test_an_external_table_finds_only_whom_it_has_once(tmp_path: Path) -> None:
    write_more(tmp_path)
    people = patients(rows=200, seed=8)
    people.to_csv(tmp_path / "people.csv", sep=";", index=False)
    (tmp_path / "outside.toml").write_text('external = { path = "people.csv" }\n' + SOURCES)
    risk = 'model = "nrf"\nthreshold = 0.05\nsources = "{}"\nstatistic = "mean"'
    inside, outside = (
        Put.read(None, write_files(tmp_path, policy=policy_with(risk.format(name))))
        for name in ("sources.toml", "outside.toml")
    )
    scheme = outside.lattice.low
    risks = []
    for put in (inside, outside):
        classes = partition(put.microdata, scheme)
        whole = Remaining(put.microdata, classes, np.zeros(classes.sizes.size, np.bool_))
        risks.append(put.models[0].risk(whole))
    assert 0 < risks[1] < risks[0]
    rows, names = patients(), ["age", "sex", "zip"]
    likely = likely_sets(inside.models[0], names)  # type: ignore[arg-type]
    total = 0.0
    for told, chance in likely.items():
        if told:
            key = sorted(told)
            alone = rows.groupby(key)[key[0]].transform("size") == 1
            there = people.groupby(key).size()
            found = rows[alone][key].apply(tuple, axis=1) if alone.any() else []
            index = there.index if len(key) > 1 else [(value,) for value in there.index]
            counts = dict(zip(index, there, strict=True))
            total += chance * sum(counts.get(value, 0) <= 1 for value in found)
    assert risks[1] == pytest.approx(total / len(rows))


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        (
            'external = { path = "people.csv", names = { age = "years" } }\n' + SOURCES,
            "external.names is for `assess`",
        ),
        (SOURCES.replace("zip", "town"), "'town' is not a quasi-identifier"),
    ],
)
def test_what_does_not_fit_is_one_sentence(tmp_path: Path, sources: str, message: str) -> None:
    write_more(tmp_path)
    (tmp_path / "sources.toml").write_text(sources)
    risk = 'model = "nrf"\nthreshold = 0.1\nsources = "sources.toml"'
    with pytest.raises(AnonymizerError, match=message):
        anonymize(None, write_files(tmp_path, policy=policy_with(risk)))


def test_too_many_attributes_are_refused_in_a_sentence() -> None:
    rates = {f"a{at}": 0.5 for at in range(11)}
    many = Disclosing((Source("x", 0.5, rates), Source("y", 0.5, rates)))
    assert len(NRF(0.1, many).scenario.learned) == 11
    with pytest.raises(
        PolicyError, match="22 attributes that sources disclose are more than the 20"
    ):
        NRF(0.1, many, common_causes=True).check(1000, tuple(rates))


def test_every_probability_is_an_assumption_that_can_be_changed() -> None:
    model = NRF(
        0.1, parse_disclosing({"source": [{"name": "x", "usage": 0.4, "disclosure": {"a": 0.5}}]})
    )
    usage, rate = model.assumptions()
    assert (usage.name, usage.value) == ("that a person is in x", 0.4)
    assert usage.changed(0.8).sources.sources == (Source("x", 0.8, {"a": 0.5}),)
    assert rate.changed(0.1).sources.sources[0].disclosure == {"a": 0.1}


@pytest.mark.parametrize("given_", [{"statistic": "median"}, {"common_causes": 1}, {"sources": 3}])
def test_a_parameter_of_the_wrong_kind_is_refused(given_: dict[str, object]) -> None:
    keys = {"threshold": 0.1, "sources": "x.toml", **given_}
    with pytest.raises(ValueError, match=r"unknown|true or false|path of a file"):
        NRF(**keys)  # type: ignore[arg-type]
