"""An explanation against the slow and obvious oracle, and on tables small enough to know the answer."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar

import pandas as pd
import pytest
from hypothesis import assume, given, settings

import anonymizer.explanation.explanation as explanation_module
from anonymizer import Policy, Solution, anonymize, apply
from anonymizer.evaluation.measurement import Measurement
from anonymizer.explanation import neighbourhood as neighbourhood_module
from anonymizer.explanation.explanation import Explanation, explain
from anonymizer.explanation.neighbourhood import Step
from anonymizer.explanation.next_threshold import Blocking
from anonymizer.hierarchy import Hierarchy
from anonymizer.risk import Histogram, KMap, TableModel
from tests import oracle
from tests.oracle import Levels, Problem
from tests.strategies import frame_of, hierarchies_of, models_of, names_of, problems
from tests.wards import MODELS, policy_with, write_files, write_more

CLOSE = 1e-12


def policy_of(problem: Problem) -> Policy:
    """Ask for the same in the words of a policy."""
    attributes = {
        hierarchy.name: {
            "role": "quasi",
            "hierarchy": hierarchy,
            "weight": weight,
            "min_level": low,
            "max_level": high,
        }
        for hierarchy, weight, low, high in zip(
            hierarchies_of(problem.trees),
            problem.weights,
            problem.low,
            problem.high,
            strict=True,
        )
    }
    return Policy(
        attributes=attributes,
        risk=models_of(problem),
        utility={"aggregate": problem.aggregate},
        release={"suppression_limit": min(1.0, problem.suppression_limit / len(problem.rows))},
    )


def solve(problem: Problem) -> Solution:
    """Apply the oracle's best scheme."""
    assume(problem.k <= len(problem.rows))
    best = oracle.best(problem)
    assume(best is not None)
    frame = frame_of(problem.rows, problem.trees)
    names = names_of(problem.trees)
    return apply(frame, policy_of(problem), dict(zip(names, best.levels, strict=True)))


def levels_of(problem: Problem, scheme: dict[str, int]) -> Levels:
    return tuple(scheme[name] for name in names_of(problem.trees))


def sizes_left(problem: Problem, levels: Levels, suppressed: frozenset[int]) -> list[int]:
    """The sizes of the classes none of whose rows is suppressed."""
    members = oracle.classes(problem.rows, problem.trees, levels).values()
    return [len(rows) for rows in members if not suppressed & set(rows)]


def apart(sizes: list[int]) -> list[set[int]]:
    """Classes of these sizes, each of different people."""
    ends = list(itertools.accumulate(sizes))
    return [set(range(end - size, end)) for size, end in zip(sizes, ends, strict=True)]


def risks_of(problem: Problem, sizes: list[int]) -> list[float]:
    """Each model's risk of classes of these sizes, in the order of the models."""
    risks = [
        float(oracle.RISKS[name](apart(sizes))) if sizes else 0.0 for name, _ in problem.limits
    ]
    if problem.k > 1 or not risks:
        small = sum(size for size in sizes if size < problem.k)
        risks.append(small / sum(sizes) if sizes else 0.0)
    return risks


def assert_measured(
    problem: Problem, measured: Measurement, suppressed: frozenset[int] | None = None
) -> None:
    """Every figure of a measurement is the oracle's."""
    levels = levels_of(problem, measured.scheme)
    demanded = oracle.suppressed_rows(problem, levels)
    suppressed = demanded if suppressed is None else suppressed
    left = sizes_left(problem, levels, suppressed)
    whole = sizes_left(problem, levels, frozenset())
    assert measured.suppressed == len(suppressed)
    assert 1 - measured.quality == pytest.approx(
        oracle.loss(problem, levels, suppressed), abs=CLOSE
    )
    assert measured.within_limit == (len(suppressed) <= problem.suppression_limit)
    assert measured.meets == (
        all(size >= problem.k for size in left) and oracle.passes(problem, apart(left))
    )
    assert measured.risks == pytest.approx(risks_of(problem, left), abs=CLOSE)
    assert measured.unsuppressed_risks == pytest.approx(risks_of(problem, whole), abs=CLOSE)
    assert measured.highest == (1 / min(left) if left else 0)
    assert measured.average == pytest.approx(len(left) / sum(left) if left else 0, abs=CLOSE)
    assert measured.unsuppressed_average == pytest.approx(len(whole) / sum(whole), abs=CLOSE)
    assert measured.smallest_class == min(left, default=0)


def tops(problem: Problem) -> Levels:
    return tuple(oracle.height(tree) - 1 for tree in problem.trees)


def allowed(problem: Problem, levels: Levels) -> bool:
    return levels in set(problem.schemes())


@settings(max_examples=100)
@given(problems(max_attributes=3, max_rows=20, limits=True))
def test_drivers_are_what_the_oracle_measures(problem: Problem) -> None:
    told = explain(solve(problem))
    now = levels_of(problem, told.now.scheme)
    assert_measured(problem, told.now)
    assert {driver.attribute for driver in told.drivers} == set(names_of(problem.trees))
    for driver in told.drivers:
        at = names_of(problem.trees).index(driver.attribute)
        top = tops(problem)[at]
        assert (driver.level, driver.top) == (now[at], top)
        wanted = {"coarser": now[at] + 1, "finer": now[at] - 1, "out": top}
        for kind, level in wanted.items():
            step = getattr(driver, kind)
            there = 0 <= level <= top and level != now[at]
            assert (step is not None) == there
            if step is not None:
                assert step.levels == {driver.attribute: level}
                scheme = (*now[:at], level, *now[at + 1 :])
                assert levels_of(problem, step.after.scheme) == scheme
                assert step.allowed == allowed(problem, scheme)
                assert_measured(problem, step.after)
                assert step.suppressed_change == step.after.suppressed - told.now.suppressed
                assert step.quality_change == step.after.quality - told.now.quality


def share_by_oracle(problem: Problem, now: Levels, at: int) -> float:
    """The mean over the models of the part of the risk, nothing suppressed, gone with an attribute."""
    without = (*now[:at], tops(problem)[at], *now[at + 1 :])
    before, after = (
        risks_of(problem, sizes_left(problem, levels, frozenset())) for levels in (now, without)
    )
    parts = [(old - new) / old if old else 0.0 for old, new in zip(before, after, strict=True)]
    return sum(parts) / len(parts)


@settings(max_examples=50)
@given(problems(max_attributes=4, max_rows=20, limits=True))
def test_what_drives_most_of_the_risk_comes_first(problem: Problem) -> None:
    told = explain(solve(problem))
    now, names = levels_of(problem, told.now.scheme), names_of(problem.trees)
    shares = [share_by_oracle(problem, now, names.index(d.attribute)) for d in told.drivers]
    assert [driver.share for driver in told.drivers] == pytest.approx(shares, abs=CLOSE)
    assert all(one >= other - CLOSE for one, other in itertools.pairwise(shares))


def coarsenings(problem: Problem, now: Levels) -> Iterator[Levels]:
    """Every scheme one or two single steps above, within the ranges."""
    for levels in problem.schemes():
        steps = [new - old for new, old in zip(levels, now, strict=True)]
        if min(steps) >= 0 and 1 <= sum(steps) <= 2:
            yield levels


@settings(max_examples=100)
@given(problems(max_attributes=3, max_rows=20, limits=True))
def test_no_coarsening_is_cheaper_than_the_cheapest(problem: Problem) -> None:
    told = explain(solve(problem))
    assert told.pairs_tried
    now = levels_of(problem, told.now.scheme)
    before = oracle.evaluate(problem, now)

    def gain(levels: Levels) -> tuple[float, float]:
        """Records freed and quality lost."""
        after = oracle.evaluate(problem, levels)
        return len(before.suppressed) - len(after.suppressed), after.loss - before.loss

    gains = {
        levels: gain(levels)
        for levels in coarsenings(problem, now)
        if oracle.evaluate(problem, levels).feasible
    }
    gains = {levels: gained for levels, gained in gains.items() if gained[0] > 0}
    found = [way for way in told.cheapest if way.figure == "suppressed records"]
    assert bool(found) == bool(gains)
    for way in told.cheapest:
        assert way.step.possible
        assert way.fall > 0
        assert_measured(problem, way.step.after)
    for way in found:
        levels = levels_of(problem, way.step.after.scheme)
        freed, cost = gains[levels]
        assert way.fall == freed
        assert way.cost == pytest.approx(cost, abs=CLOSE)
        for other_freed, other_cost in gains.values():
            # no other frees more for its cost: compared without dividing, as costs may be 0
            if cost > CLOSE:
                assert freed * other_cost >= other_freed * cost - 1e-9
            else:
                assert other_cost > CLOSE or freed >= other_freed


LADDER = [float(f"{digit}e{power}") for power in range(-4, 1) for digit in (1, 2, 5)]


def tightened(problem: Problem, blocking: Blocking, number: int) -> Problem:
    """The problem with one model tightened; the models are its limits, then k."""
    if blocking.parameter == "k":
        return replace(problem, k=int(blocking.tighter))
    limits = [*problem.limits]
    limits[number] = (limits[number][0], blocking.tighter)
    return replace(problem, limits=tuple(limits))


@settings(max_examples=100)
@given(problems(max_attributes=3, max_rows=20, limits=True))
def test_blocking_classes_are_what_a_tighter_model_suppresses(problem: Problem) -> None:
    told = explain(solve(problem))
    now = levels_of(problem, told.now.scheme)
    suppressed = oracle.suppressed_rows(problem, now)
    left = sizes_left(problem, now, suppressed)
    expected = []
    if left:
        risks = risks_of(problem, left)
        expected = [number for number, _ in enumerate(problem.limits) if risks[number] > 0]
        asks_for_k = problem.k > 1 or not problem.limits
        if asks_for_k and min(left) < len(problem.rows):
            expected.append(len(problem.limits))
    assert len(told.blocking) == len(expected)
    for blocking, number in zip(told.blocking, expected, strict=True):
        if blocking.parameter == "k":
            assert (blocking.reached, blocking.tighter) == (min(left), min(left) + 1)
        else:
            risk = risks_of(problem, left)[number]
            assert blocking.reached == pytest.approx(risk, abs=CLOSE)
            assert blocking.tighter == max(step for step in LADDER if step < risk - CLOSE)
        tighter = tightened(problem, blocking, number)
        rows = oracle.suppressed_rows(tighter, now) - suppressed
        members = oracle.classes(problem.rows, problem.trees, now)
        sizes = [len(numbers) for numbers in members.values() if rows & set(numbers)]
        assert (blocking.classes, blocking.records) == (len(sizes), len(rows))
        assert (blocking.smallest, blocking.largest) == (min(sizes), max(sizes))
        assert_shared_out(tighter, blocking, now, rows)
        assert_only_released_classes_are_shown(problem, blocking, now, rows)


def assert_shared_out(
    tighter: Problem, blocking: Blocking, now: Levels, rows: frozenset[int]
) -> None:
    """The records that an attribute frees are those the tighter model keeps without it."""
    names = names_of(tighter.trees)
    for share in blocking.attributes:
        at = names.index(share.attribute)
        without = (*now[:at], tops(tighter)[at], *now[at + 1 :])
        assert share.freed == len(rows - oracle.suppressed_rows(tighter, without))
    freed = [share.freed for share in blocking.attributes]
    assert freed == sorted(freed, reverse=True)


def assert_only_released_classes_are_shown(
    problem: Problem, blocking: Blocking, now: Levels, rows: frozenset[int]
) -> None:
    """Values are those of a blocking class, which is released, of at least k records."""
    members = oracle.classes(problem.rows, problem.trees, now)
    for example in blocking.examples:
        numbers = members[tuple(example.generalized.values())]
        assert example.records == len(numbers) >= problem.k > 1
        assert set(numbers) <= rows


@settings(max_examples=100)
@given(problems(max_attributes=3, max_rows=25, limits=True))
def test_points_follow_the_order_of_suppression(problem: Problem) -> None:
    with pytest.MonkeyPatch.context() as patch:  # one percent of so few records is none
        patch.setattr(explanation_module, "POINTS", (-0.3, 0.0, 0.1, 0.3, 1.0))
        told = explain(solve(problem))
    now = levels_of(problem, told.now.scheme)
    suppressed = oracle.suppressed_rows(problem, now)
    members = oracle.classes(problem.rows, problem.trees, now)
    order = oracle.in_order_of_suppression(problem, now, members)
    prefixes = [frozenset[int]()]
    for label in order:
        prefixes.append(prefixes[-1] | set(members[label]))
    assert suppressed in prefixes
    for point in told.points:
        most = len(suppressed) + point.asked * len(problem.rows) + 1e-9
        within = [prefix for prefix in prefixes if len(prefix) <= most]
        assert_measured(problem, point.after, within[-1] if within else frozenset())
    assert told.points[1].after == told.now
    assert told.points[-1].after.suppressed == len(problem.rows)


@pytest.mark.parametrize("limit", [0.0, 0.02, 0.05, 0.99, 1.0])
def test_a_raised_limit_is_what_a_search_with_it_finds(tmp_path: Path, limit: float) -> None:
    text = policy_with('model = "k-anonymity"\nk = 3')
    policy = write_files(tmp_path, policy=f"{text}\n[release]\nsuppression_limit = {limit}\n")
    solution = anonymize(None, policy)
    raised = explain(solution).raised
    if limit == 1:
        assert raised is None
        return
    more = Policy.read(policy).with_release(suppression_limit=limit + 0.01)
    best = anonymize(None, more)
    assert raised is not None
    assert raised.limit == limit + 0.01
    assert raised.tried
    assert raised.proven
    assert (raised.better is not None) == (best.quality > solution.quality)
    if raised.better is not None:
        assert raised.better.after.scheme == best.scheme
        assert raised.better.after.quality == best.quality
        assert raised.better.after.suppressed == best.suppressed
        assert raised.better.possible


def test_some_limit_is_worth_raising(tmp_path: Path) -> None:
    text = policy_with('model = "k-anonymity"\nk = 3')
    found = []
    for percent in range(8):
        policy = write_files(
            tmp_path, policy=f"{text}\n[release]\nsuppression_limit = {percent / 100}\n"
        )
        found.append(explain(anonymize(None, policy)).raised.better is not None)
    assert any(found)
    assert not all(found)


def test_a_large_table_is_not_searched_again_and_pairs_are_not_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = policy_with('model = "k-anonymity"\nk = 3')
    policy = write_files(tmp_path, policy=f"{text}\n[release]\nsuppression_limit = 0.05\n")
    solution = anonymize(None, policy)
    monkeypatch.setattr(explanation_module, "SEARCH_WORK", 100)
    monkeypatch.setattr(neighbourhood_module, "PAIR_WORK", 100)
    told = explain(solution)
    assert told.raised is not None
    assert (told.raised.tried, told.raised.proven, told.raised.better) == (False, False, None)
    assert not told.pairs_tried
    assert all(len(way.step.levels) == 1 for way in told.cheapest)


SEX = Hierarchy.from_rows("sex", [("F", "*"), ("M", "*")])
ZIP = Hierarchy.from_rows("zip", [("1", "*"), ("2", "*")])
PEOPLE = [("F", "1")] * 50 + [("F", "2")] + [("M", "1")] * 4 + [("M", "2")] * 45


def wards(
    rows: list[tuple[str, str]] = PEOPLE,
    risk: object = MappingProxyType({"model": "k-anonymity", "k": 3}),
    most_of_sex: int | None = None,
    **release: float,
) -> Explanation:
    """Explain people at the finest scheme; by default a hundred, in classes of 50, 1, 4 and 45."""
    policy = Policy(
        attributes={
            "sex": {"role": "quasi", "hierarchy": SEX, "max_level": most_of_sex},
            "zip": {"role": "quasi", "hierarchy": ZIP},
        },
        risk=[risk],
        release=release,
    )
    frame = pd.DataFrame(rows, columns=["sex", "zip"])
    return explain(apply(frame, policy, {"sex": 0, "zip": 0}))


def test_a_hundred_people_by_hand() -> None:
    told = wards()
    assert (told.now.suppressed, told.now.smallest_class, told.now.highest) == (1, 4, 1 / 4)
    assert told.now.average == 3 / 99
    assert told.now.unsuppressed_risks == (0.01,)  # the one person breaks k-anonymity
    assert told.now.risks == (0.0,)
    sex, zip_ = sorted(told.drivers, key=lambda driver: driver.attribute)
    assert sex.finer is None
    assert sex.coarser == sex.out  # there is one level above
    assert sex.out is not None
    assert (sex.share, sex.out.suppressed_change, sex.out.after.average) == (1.0, -1, 2 / 100)
    assert zip_.out is not None
    assert zip_.out.after.highest == 1 / 49
    # with sex gone, classes of 54 and 46; with zip gone, of 51 and 49: that lowers the highest most
    (highest,) = [way for way in told.cheapest if way.figure == "highest risk"]
    assert highest.step.levels == {"zip": 1}
    assert highest.fall == pytest.approx(1 / 4 - 1 / 49)
    (blocking,) = told.blocking
    assert (blocking.reached, blocking.tighter) == (4, 5)
    assert (blocking.classes, blocking.records) == (1, 4)
    assert {share.attribute: share.freed for share in blocking.attributes} == {"sex": 4, "zip": 4}
    (example,) = blocking.examples
    assert (example.generalized, example.records) == ({"sex": "M", "zip": "1"}, 4)
    less, now, more, _, most = (point.after for point in told.points)
    assert (less.suppressed, less.risks, less.highest, less.meets) == (0, (0.01,), 1.0, False)
    assert now == more == told.now  # the next class has four
    assert (most.suppressed, most.smallest_class, most.meets) == (5, 45, True)


def test_more_suppression_than_the_limit_is_marked() -> None:
    told = wards(suppression_limit=0.02)
    assert [point.after.within_limit for point in told.points] == [True, True, True, True, False]


def test_two_parameters_are_tightened_one_by_one() -> None:
    told = wards(risk={"model": "strict-average", "k": 3, "threshold": 0.5})
    by_k, by_threshold = told.blocking
    assert (by_k.parameter, by_k.reached, by_k.classes, by_k.records) == ("k", 4, 1, 4)
    assert (by_threshold.reached, by_threshold.tighter) == (pytest.approx(3 / 99), 0.02)
    # 2 classes of 95 are above 0.02; of 50 alone, 1 class is just 0.02
    assert (by_threshold.classes, by_threshold.records) == (2, 49)
    less = told.points[0].after  # with nothing suppressed the average is met, but not k
    assert (less.suppressed, less.risks, less.meets) == (0, (0.04,), False)


def test_everything_suppressed_is_no_low_risk_to_boast_of() -> None:
    policy = Policy(
        attributes={"sex": {"role": "quasi", "hierarchy": SEX}},
        risk=[{"model": "k-anonymity", "k": 4}],
    )
    told = explain(apply(pd.DataFrame({"sex": ["F", "M", "M", "F"]}), policy, {"sex": 0}))
    assert told.now.suppressed == 4
    assert told.blocking == ()
    assert told.drivers[0].share == 1.0
    (freed,) = [way for way in told.cheapest if way.figure == "suppressed records"]
    assert (freed.step.levels, freed.fall) == ({"sex": 1}, 4)


@pytest.mark.parametrize("model", MODELS)
def test_every_model_is_explained_as_json_by_figures_of_its_own(tmp_path: Path, model: str) -> None:
    write_more(tmp_path)
    solution = anonymize(None, write_files(tmp_path, policy=policy_with(MODELS[model])))
    told = explain(solution)
    described = json.loads(json.dumps(told.describe(), allow_nan=False))
    assert described["now"]["quality"] == solution.quality
    assert described["now"]["suppressed"] == solution.suppressed
    assert described["now"]["meets"]
    assert described["now"]["highest"] == solution.after.prosecutor.highest
    assert described["now"]["average"] == solution.after.prosecutor.average
    assert len(described["now"]["risks"]) == len(solution.release.policy.load_models())
    assert explain(solution) == told


def test_models_of_the_whole_table_show_no_values(tmp_path: Path) -> None:
    for model in ("average", "sample-uniqueness", "p-uniqueness"):
        policy = write_files(tmp_path, policy=policy_with(MODELS[model]))
        told = explain(anonymize(None, policy))
        assert all(not blocking.examples for blocking in told.blocking)


def test_a_step_the_policy_forbids_is_measured_but_not_proposed() -> None:
    told = wards(most_of_sex=0)
    sex: Step | None = next(driver.out for driver in told.drivers if driver.attribute == "sex")
    assert sex is not None
    assert (sex.allowed, sex.possible, sex.suppressed_change) == (False, False, -1)
    assert all(way.step.levels == {"zip": 1} for way in told.cheapest)


def test_two_steps_are_proposed_where_one_frees_nobody() -> None:
    told = wards([("F", "1"), ("M", "2")], {"model": "k-anonymity", "k": 2})
    assert told.now.suppressed == 2
    (way, *_) = told.cheapest
    assert way.step.levels == {"sex": 1, "zip": 1}
    assert (way.figure, way.fall) == ("suppressed records", 2)


@dataclass(frozen=True)
class LargestClass(TableModel):
    """A model that coarsening makes worse: the share of the largest class is at most the threshold."""

    name: ClassVar[str] = "largest-class"
    threshold: float

    def risk_of(self, histogram: Histogram) -> float:
        return int(histogram.sizes[-1]) / histogram.people


def test_a_coarsening_beyond_the_suppression_limit_is_not_proposed() -> None:
    quarters = [(sex, zip_) for sex in "FM" for zip_ in "12"] * 25
    told = wards(quarters, LargestClass(threshold=0.3), suppression_limit=0.5)
    assert told.now.suppressed == 0
    for driver in told.drivers:
        assert driver.out is not None
        assert (driver.out.allowed, driver.out.possible) == (True, False)
        assert driver.out.after.suppressed == 100
        assert driver.share == -1  # taking it out doubles the risk
    assert told.cheapest == ()


def test_a_class_that_matches_many_people_is_not_shown_for_its_one_record() -> None:
    people = pd.DataFrame(PEOPLE * 9, columns=["sex", "zip"])
    told = wards(risk=KMap(k=5, population_table=people))
    assert told.now.suppressed == 0
    (blocking,) = told.blocking
    assert (blocking.reached, blocking.classes, blocking.records) == (9, 1, 1)
    assert blocking.examples == ()


def test_an_example_has_the_records_of_its_class_where_people_have_several() -> None:
    frame = pd.DataFrame({"who": list("aabbccdd"), "sex": list("ffffmmmm")})
    policy = Policy(
        data={"id": "who"},
        attributes={
            "who": {"role": "identifying"},
            "sex": {"role": "quasi", "hierarchy": {"f": "*", "m": "*"}},
        },
        risk=[{"model": "k-anonymity", "k": 2}],
    )
    (blocking,) = explain(anonymize(frame, policy)).blocking
    assert (blocking.smallest, blocking.largest) == (4, 4)
    assert [example.records for example in blocking.examples] == [4, 4]
