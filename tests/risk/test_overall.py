"""overall: against the definition, all subsets of the records, and a scan in the order of risk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer import Policy, anonymize, verify, write_release
from anonymizer.attackers import cells, overall
from anonymizer.attackers.catalogue import load_scenario
from anonymizer.attackers.cells import Partitions
from anonymizer.attackers.overall import ScenarioAttack
from anonymizer.attackers.probability import Chance
from anonymizer.attackers.statistics import passes, statistic_of
from anonymizer.attackers.uniqueness import estimate_unique, estimator_of
from anonymizer.data.pandas import FrameTable
from anonymizer.errors import DataError, PolicyError
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.evaluation.suppression import suppress
from anonymizer.hierarchy import Hierarchy
from anonymizer.lattice import Scheme
from anonymizer.problem import Problem
from anonymizer.risk import (
    AttributeGroup,
    Average,
    Estimates,
    KAnonymity,
    ModelKind,
    Overall,
    PUniqueness,
    RiskModel,
    SampleUniqueness,
    Scenario,
)
from anonymizer.risk.parsing import parse_model
from anonymizer.search import Status, search
from anonymizer.table.classes import partition, suppression_order
from anonymizer.table.microdata import encode
from anonymizer.utility import Aggregate, Loss
from tests.attackers.overall_oracle import all_known, number
from tests.attackers.tables import chances, groups_and_causes, with_ranges
from tests.exhaustive import search_exhaustively
from tests.risk.test_people import with_people
from tests.strategies import (
    assert_best,
    evaluator_of,
    frame_of,
    hierarchies_of,
    lattice_of,
    microdata_of,
    problems,
)
from tests.wards import ROUTES, patients, policy_with, write_files

STATISTICS = ["maximum", "mean", "p80", "p50"]
OF_TABLE = STATISTICS[1:]
thresholds = st.sampled_from([0.02, 0.05, 0.1, 0.2, 0.35, 0.6])


def estimate(sizes: Any, population: int) -> float | None:
    """Some number that depends on all sizes but not their order; it rises and falls as they merge."""
    return (0.0, 1.0, None, 0.0, 0.4)[sum(int(size) ** 2 for size in sizes) % 5]


@pytest.fixture(autouse=True, scope="module")
def stub() -> Iterator[None]:
    """Estimate u_S in a way that depends on all sizes and jumps as they merge."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(overall, "by_pitman", estimate)
        yield


@dataclass(frozen=True)
class Case:
    """A random table with a scenario, and the risk of its rows by the definition."""

    evaluator: Evaluator
    scenario: Scenario
    persons: list[int]
    own: list[str]
    """The column beside the quasi-identifiers."""
    population: tuple[tuple[str, ...], ...] | None
    """The leaves of a population table's people, if there is one."""

    @property
    def records(self) -> int:
        return self.evaluator.microdata.records

    def leaf(self, row: int, name: str) -> str:
        microdata = self.evaluator.microdata
        at = microdata.attributes.index(name)
        column = microdata.columns[at]
        return column.hierarchy.leaves[
            column.leaves[microdata.codes[at][microdata.tuple_of_row[row]]]
        ]

    def chance(self, row: int, chance: Chance) -> float:
        names = self.evaluator.microdata.attributes
        person = {name: self.leaf(row, name) for name in names} | {"own": self.own[row]}
        return number(chance, person)

    def known_levels(self, scheme: Scheme, marks: Sequence[bool]) -> dict[str, int]:
        """At which level the attacker knows what: an attribute of several groups at the finest."""
        levels = dict(zip(self.evaluator.microdata.attributes, scheme, strict=True))
        found: dict[str, int] = {}
        for group, mark in zip(self.scenario.learned, marks, strict=True):
            for name in group.attributes if mark else ():
                level = max(levels[name], group.levels.get(name, 0))
                found[name] = min(level, found.get(name, level))
        return found

    def generalize(self, name: str, leaf: str, level: int) -> str:
        at = self.evaluator.microdata.attributes.index(name)
        hierarchy = self.evaluator.microdata.columns[at].hierarchy
        (row,) = [row for row in hierarchy.rows() if row[0] == leaf]
        return row[level]

    def keys(self, levels: dict[str, int]) -> list[tuple[str, ...]]:
        """What the attacker sees of each row."""
        return [
            tuple(self.generalize(name, self.leaf(row, name), levels[name]) for name in levels)
            for row in range(self.records)
        ]

    def people_like(self, levels: dict[str, int], key: tuple[str, ...]) -> int:
        """How many of the population match."""
        assert self.population is not None
        names = self.evaluator.microdata.attributes
        return sum(
            key
            == tuple(
                self.generalize(name, leaves[names.index(name)], levels[name]) for name in levels
            )
            for leaves in self.population
        )

    def unique(self, keys: Sequence[tuple[str, ...]]) -> float:
        members: dict[tuple[str, ...], set[int]] = {}
        for key, person in zip(keys, self.persons, strict=True):
            members.setdefault(key, set()).add(person)
        sizes = np.array([len(people) for people in members.values()])
        return estimate_unique(sizes, self.scenario.population, estimate)

    def risks(self, scheme: Scheme, subset: Sequence[int]) -> dict[int, float]:
        """The overall risk of each row of a subset, u_S from all rows."""
        likely = {row: list(all_known(self.scenario, partial(self.chance, row))) for row in subset}
        risks = dict.fromkeys(subset, 0.0)
        for marks in product((False, True), repeat=len(self.scenario.learned)):
            levels = self.known_levels(scheme, marks)
            keys = self.keys(levels)
            estimated = self.unique(keys) if self.population is None else 0.0
            for row in subset:
                weight = sum(share for share, known in likely[row] if known == marks)
                p_m, p_fm, p_c, p_cu = (self.chance(row, c) for c in self.scenario.parameters)
                a = len({self.persons[other] for other in subset if keys[other] == keys[row]})
                safe = 1 - p_c / a
                if a == 1:
                    u = estimated
                    if self.population is not None:
                        u = float(self.people_like(levels, keys[row]) <= 1)
                    safe *= (1 - p_m * p_fm) * (1 - p_cu * u)
                risks[row] += weight * (1 - safe)
        return risks

    def statistic(self, scheme: Scheme, subset: Sequence[int], name: str) -> float:
        """The statistic of the people's highest risks."""
        highest: dict[int, float] = {}
        for row, risk in self.risks(scheme, subset).items():
            highest[self.persons[row]] = max(risk, highest.get(self.persons[row], 0.0))
        values = np.array(list(highest.values()))
        return statistic_of(values, np.ones(values.size, np.int64), name)

    def subsets(self) -> Iterator[tuple[int, ...]]:
        for size in range(self.records + 1):
            yield from combinations(range(self.records), size)


@st.composite
def cases(draw: st.DrawFn, max_rows: int = 12) -> tuple[Any, Case]:
    """Draw a table, people and a scenario with probabilities by value and column, causes and levels."""
    problem = draw(problems(max_attributes=3, max_rows=max_rows))
    records = len(problem.rows)
    own = draw(st.lists(st.sampled_from(["0", "0.3", "1"]), min_size=records, max_size=records))
    population = None
    if draw(st.booleans()):
        more = draw(st.lists(st.sampled_from(problem.rows), max_size=3))
        population = (*problem.rows, *more)
    trees = hierarchies_of(problem.trees)
    microdata = encode(
        FrameTable(frame_of(problem.rows, problem.trees).assign(own=own)),
        trees,
        None if population is None else FrameTable(frame_of(population, problem.trees)),
        beside=["own"],
    )
    evaluator = replace(evaluator_of(problem), microdata=microdata)
    names, tops = list(microdata.attributes), microdata.lattice.high
    persons = list(range(records))
    if draw(st.booleans()):
        persons = draw(st.lists(st.integers(0, 5), min_size=records, max_size=records))
        evaluator = with_people(evaluator, persons)
    drawn, causes = draw(groups_and_causes(names, "own", ("v0", "v1")))
    groups = tuple(
        replace(group, levels={n: draw(st.integers(0, tops[names.index(n)]))})
        for group in drawn
        for n in group.attributes[:1]
    )
    shares: list[Any] = [draw(chances(names, "own", ("v0", "v1"), plain=True)) for _ in range(3)]
    shares.append(draw(st.sampled_from([0.0, 0.5, 1.0])))
    among: Any = draw(st.sampled_from([50, 10**6])) if population is None else "people.csv"
    scenario = Scenario(groups, among, *shares, causes=causes)
    return problem, Case(evaluator, scenario, persons, own, population)


def kept_rows(case: Case, scheme: Scheme, models: Sequence[RiskModel]) -> set[int]:
    microdata = case.evaluator.microdata
    found = suppress(microdata, partition(microdata, scheme), models)
    return set(np.flatnonzero(~found.tuples[microdata.tuple_of_row]).tolist())


@settings(max_examples=200)
@given(drawn=cases(max_rows=10), data=st.data())
def test_risks_are_those_of_the_definition(drawn, data) -> None:
    problem, case = drawn
    scheme = data.draw(st.sampled_from(list(lattice_of(problem))))
    tuples, kept = draw_kept(case, data)
    subset = np.flatnonzero(kept).tolist()
    attack = ScenarioAttack.of(case.scenario, case.evaluator.microdata)
    mine = attack.risks(scheme, attack.tuples, tuples)[case.evaluator.microdata.tuple_of_row]
    theirs = case.risks(scheme, subset)
    np.testing.assert_allclose(mine[subset], [theirs[row] for row in subset], atol=1e-12)
    assert not mine[~kept].any()


@settings(max_examples=150)
@given(drawn=cases(max_rows=8), data=st.data())
def test_within_ranges_no_risk_is_above_that_at_their_upper_ends(drawn, data) -> None:
    problem, case = drawn
    ranged, within = data.draw(with_ranges(case.scenario))
    scheme = data.draw(st.sampled_from(list(lattice_of(problem))))
    tuples, kept = draw_kept(case, data)
    subset = np.flatnonzero(kept).tolist()
    attack = ScenarioAttack.of(ranged, case.evaluator.microdata)
    highest = attack.risks(scheme, attack.tuples, tuples)[case.evaluator.microdata.tuple_of_row]
    some = replace(case, scenario=within).risks(scheme, subset)
    assert all(some[row] <= highest[row] + 1e-12 for row in subset)


def test_an_estimate_that_falls_as_more_is_known_hides_nothing_within_a_range(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Alone by a0, and certain to be unique; with a1 too the estimate says the opposite."""
    monkeypatch.setattr(overall, "by_pitman", lambda sizes, _: float(sizes.size == 2))
    tree = {"v0": ("v0", "*"), "v1": ("v1", "*")}
    microdata = microdata_of((("v0", "v0"), ("v1", "v0"), ("v1", "v1")), [tree, tree])

    def risk(a1: Any) -> float:
        groups = AttributeGroup(("a0",), 1.0), AttributeGroup(("a1",), a1)
        attack = ScenarioAttack.of(Scenario(groups, 100, 0.0, 0.0, 0.0, 1.0), microdata)
        risks = attack.risks((0, 0), attack.tuples, np.ones(3, np.bool_))
        return float(risks[microdata.tuple_of_row[0]])

    assert (risk(0.0), risk(1.0)) == (1.0, 0.0)
    assert risk((0.0, 1.0)) == 1.0


@pytest.mark.parametrize("name", ["zayatz", "snb", "dankar"])
def test_another_estimator_may_be_asked_for(name: str) -> None:
    tree = {f"v{leaf}": (f"v{leaf}", "*") for leaf in range(9)}
    microdata = microdata_of(
        [(f"v{leaf}",) for leaf in (0, 1, 2, 3, 4, 5, 5, 6, 6, 7, 7, 7)], [tree]
    )
    group = AttributeGroup(("a0",), 1.0)
    attack = ScenarioAttack.of(Scenario((group,), 40, 0, 0, 0, 1, estimator=name), microdata)
    risks = attack.risks((0,), attack.tuples, np.ones(microdata.distinct, np.bool_))
    sizes = np.array([1, 1, 1, 1, 1, 2, 2, 3])
    expected = estimate_unique(sizes, 40, estimator_of(name))
    assert sorted(set(risks.tolist())) == pytest.approx([0, expected])
    assert 0 < expected < 1


def draw_kept(case: Case, data: st.DataObject) -> tuple[Any, Any]:
    """Which tuples are kept, and which rows."""
    size = case.evaluator.microdata.distinct
    tuples = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)), np.bool_)
    return tuples, tuples[case.evaluator.microdata.tuple_of_row]


@settings(max_examples=60)
@given(drawn=cases(max_rows=7), threshold=thresholds, data=st.data())
def test_the_maximum_keeps_the_largest_of_all_subsets_that_meet_it(drawn, threshold, data) -> None:
    problem, case = drawn
    scheme = data.draw(st.sampled_from(list(lattice_of(problem))))
    kept = kept_rows(case, scheme, [Overall(threshold, case.scenario, "maximum")])
    assert passes(case.statistic(scheme, sorted(kept), "maximum"), threshold)
    for subset in case.subsets():
        if passes(case.statistic(scheme, subset, "maximum"), threshold):
            assert set(subset) <= kept


@settings(max_examples=150)
@given(drawn=cases(max_rows=6), threshold=thresholds, data=st.data())
def test_no_subset_of_a_finer_scheme_breaks_what_binds_it(drawn, threshold, data) -> None:
    problem, case = drawn
    microdata, schemes = case.evaluator.microdata, list(lattice_of(problem))
    statistic = data.draw(st.sampled_from(STATISTICS))
    coarse = data.draw(st.sampled_from(schemes))
    finer = [s for s in schemes if all(a <= b for a, b in zip(s, coarse, strict=True))]
    fine = data.draw(st.sampled_from(finer))
    model = Overall(threshold, case.scenario, statistic)
    found = suppress(microdata, partition(microdata, coarse), [model])
    bound = found.binding.classes[found.classes.label_of_tuple][microdata.tuple_of_row]
    for subset in case.subsets():
        if passes(case.statistic(fine, subset, statistic), threshold):
            gone = np.ones(case.records, np.bool_)
            gone[list(subset)] = False
            assert int((bound & ~gone).sum()) <= found.binding.exempt


@settings(max_examples=60)
@given(drawn=cases(), threshold=thresholds, data=st.data())
def test_the_cut_is_that_of_a_scan_in_the_order_of_risk(drawn, threshold, data) -> None:
    problem, case = drawn
    statistic = data.draw(st.sampled_from(OF_TABLE))
    scheme = data.draw(st.sampled_from(list(lattice_of(problem))))
    also = data.draw(st.sampled_from([[], [Average(0.5)], [SampleUniqueness(0.1)]]))
    if case.evaluator.microdata.people is not None:
        also = []
    microdata = case.evaluator.microdata
    classes = partition(microdata, scheme)
    class_of_row = classes.label_of_tuple[microdata.tuple_of_row]
    risks = case.risks(scheme, range(case.records))
    highest = [
        round(max(risks[row] for row in np.flatnonzero(class_of_row == label)), 12)
        for label in range(classes.sizes.size)
    ]
    order = sorted(suppression_order(microdata, classes).tolist(), key=lambda at: -highest[at])
    for cut in range(len(order) + 1):
        left = np.flatnonzero(~np.isin(class_of_row, order[:cut])).tolist()
        sizes = classes.sizes[order[cut:]]
        others = not sizes.size or all(
            (sizes.size if isinstance(model, Average) else (sizes == 1).sum()) / sizes.sum()
            <= model.threshold
            for model in also
        )
        if others and passes(case.statistic(scheme, left, statistic), threshold):
            break
    model = Overall(threshold, case.scenario, statistic)
    assert kept_rows(case, scheme, data.draw(st.permutations([model, *also]))) == set(left)


@settings(max_examples=80)
@given(drawn=cases(max_rows=25), threshold=thresholds, data=st.data())
def test_branch_and_bound_is_exhaustive_search(drawn, threshold, data) -> None:
    problem, case = drawn
    model = Overall(threshold, case.scenario, data.draw(st.sampled_from(STATISTICS)))
    also = data.draw(st.sampled_from([[], [], [KAnonymity(2)], [Average(0.5)]]))
    evaluator = replace(case.evaluator, models=(model, *also))
    found = search(evaluator, lattice_of(problem))
    assert_best(found, evaluator, lattice_of(problem))
    assert found.best is None or found.status is Status.OPTIMAL


@settings(max_examples=120)
@given(drawn=cases(), threshold=thresholds, share=st.floats(0, 1), data=st.data())
def test_an_evaluation_is_given_up_only_where_it_costs_more_than_the_cutoff(
    drawn, threshold, share, data
) -> None:
    problem, case = drawn
    model = Overall(threshold, case.scenario, data.draw(st.sampled_from(STATISTICS)))
    also = data.draw(st.sampled_from([[], [], [KAnonymity(2)], [Average(0.5)]]))
    evaluator = replace(case.evaluator, models=(model, *also))
    scheme = data.draw(st.sampled_from(list(lattice_of(problem))))
    cutoff = share * evaluator.measure.aggregate.most
    whole, found = evaluator.evaluate(scheme), evaluator.evaluate(scheme, cutoff)
    assert found.loss <= whole.loss + 1e-12
    assert found.suppressed_records <= whole.suppressed_records
    assert found.binding_records == whole.binding_records
    assert found.finer_infeasible == whole.finer_infeasible
    levels = np.arange(whole.terms.shape[1]) <= np.array(scheme)[:, np.newaxis]
    np.testing.assert_allclose(found.terms[levels], whole.terms[levels], atol=1e-12)
    if (found.loss, found.suppressed_records) != (whole.loss, whole.suppressed_records):
        assert found.loss > evaluator.measure.aggregate.of_terms(cutoff)


@settings(max_examples=60)
@given(drawn=cases(), threshold=thresholds, data=st.data())
def test_what_passes_at_worst_passes(drawn, threshold, data) -> None:
    problem, case = drawn
    microdata = case.evaluator.microdata
    model = Overall(threshold, case.scenario, data.draw(st.sampled_from(STATISTICS)))
    scheme = data.draw(st.sampled_from(list(lattice_of(problem))))
    found = suppress(
        microdata, partition(microdata, scheme), [model.with_estimates(Estimates.MOST)]
    )
    kept = np.flatnonzero(~found.tuples[microdata.tuple_of_row]).tolist()
    assert passes(case.statistic(scheme, kept, model.statistic), threshold)


@settings(max_examples=60)
@given(drawn=cases(max_rows=8), threshold=thresholds, data=st.data())
def test_what_passes_with_ranges_passes_with_whatever_is_within_them(
    drawn, threshold, data
) -> None:
    problem, case = drawn
    ranged, within = data.draw(with_ranges(case.scenario))
    scheme = data.draw(st.sampled_from(list(lattice_of(problem))))
    statistic = data.draw(st.sampled_from(STATISTICS))
    kept = kept_rows(case, scheme, [Overall(threshold, ranged, statistic)])
    some = replace(case, scenario=within)
    assert passes(some.statistic(scheme, sorted(kept), statistic), threshold)


def test_whom_it_protects_follows_from_the_statistic() -> None:
    scenario = Scenario((AttributeGroup(("a0",), 0.5),), 100, 0.5, 0.5, 0.5, 0.5)
    for statistic in ("maximum", "p100", 1.0):
        model = Overall(0.1, scenario, statistic)
        assert (model.kind, model.order) == (ModelKind.PEOPLE, None)
        assert model.violators is not None
    for statistic in ("mean", "p95", 0.5):
        model = Overall(0.1, scenario, statistic)
        assert (model.kind, model.violators) == (ModelKind.TABLE, None)
        assert model.order is not None
        assert model.exact


@settings(max_examples=30)
@given(problem=problems(max_attributes=3, ranges=False))
def test_cells_are_made_once_for_all_schemes_that_agree_on_what_is_known(problem) -> None:
    evaluator = evaluator_of(problem)
    scenario = Scenario((AttributeGroup(("a0",), 0.5),), 10**6, 0.5, 0.5, 0.5, 0.5)
    search_exhaustively(
        replace(evaluator, models=(Overall(0.1, scenario, "maximum"),)), lattice_of(problem)
    )
    levels = problem.high[0] + 1
    assert (
        len(Partitions.of(evaluator.microdata).kept.kept) <= levels + 1
    )  # nothing, or a0 at a level


@settings(max_examples=30)
@given(drawn=cases(), threshold=thresholds)
def test_with_no_room_for_cells_the_result_is_the_same(drawn, threshold) -> None:
    problem, case = drawn
    evaluator = replace(case.evaluator, models=(Overall(threshold, case.scenario, "maximum"),))
    expected = search_exhaustively(evaluator, lattice_of(problem)).best
    fresh = replace(evaluator, microdata=replace(evaluator.microdata))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cells, "KEPT_LABELS", 0)
        found = search_exhaustively(fresh, lattice_of(problem)).best
        assert len(Partitions.of(fresh.microdata).kept.kept) <= 1
    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        assert (found.scheme, found.loss) == (expected.scheme, expected.loss)


@given(problem=problems(max_attributes=2, max_rows=10))
def test_a_cut_that_may_be_missed_is_not_called_optimal(problem) -> None:
    evaluator = replace(evaluator_of(problem), models=(PUniqueness(0.5, 1000),))
    lattice = lattice_of(problem)
    for found in (search(evaluator, lattice), search_exhaustively(evaluator, lattice)):
        assert found.status in (Status.FEASIBLE, Status.INFEASIBLE)


@pytest.mark.parametrize("statistic", OF_TABLE)
def test_no_cut_is_looked_for_where_what_binds_costs_too_much(
    statistic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> int:
        raise AssertionError("a cut was looked for")

    tree = {f"v{i}": (f"v{i}", "x") for i in range(4)}
    microdata = microdata_of((("v0",), ("v1",), ("v2",), ("v3",)), [tree])
    scenario = Scenario((AttributeGroup(("a0",), 1.0),), 100, 0.0, 0.0, 0.5, 0.5)
    measure = Loss(Aggregate.GEOMETRIC, (1.0,))
    evaluator = Evaluator(microdata, (Overall(0.1, scenario, statistic),), measure, 4)
    assert evaluator.evaluate((0,)).loss == 1
    monkeypatch.setattr(Overall, "first_cut", refuse)
    assert evaluator.evaluate((0,), cutoff=measure.aggregate.to_terms(0.3)).loss > 0.3
    with pytest.raises(AssertionError):
        evaluator.evaluate((0,), cutoff=measure.aggregate.most)


@pytest.mark.parametrize("statistic", STATISTICS)
@settings(max_examples=100)
@given(drawn=cases(), threshold=thresholds, data=st.data())
def test_what_binds_finer_schemes_is_the_same_whatever_u_is(
    statistic, drawn, threshold, data
) -> None:
    problem, case = drawn
    scheme = data.draw(st.sampled_from(list(lattice_of(problem))))
    microdata, model = case.evaluator.microdata, Overall(threshold, case.scenario, statistic)
    found = []
    for unique in (0.0, 0.5, 1.0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(overall, "by_pitman", lambda *_, u=unique: u)
            model.attack(microdata).estimates.clear()
            found.append(suppress(microdata, partition(microdata, scheme), [model]))
    model.attack(microdata).estimates.clear()
    bound = [each.binding.classes[each.classes.label_of_tuple].tolist() for each in found]
    assert bound[0] == bound[1] == bound[2]
    assert len({each.binding.exempt for each in found}) == 1
    records = [int(each.classes.records[each.suppressed].sum()) for each in found]
    if statistic == "maximum":
        assert records == sorted(records)  # what is suppressed does depend on it


@pytest.mark.parametrize("statistic", STATISTICS)
def test_an_estimate_that_rises_as_classes_merge_binds_no_finer_scheme(
    statistic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overall, "by_pitman", lambda sizes, _: float(sizes.size == 2))
    tree = {"v0": ("v0", "x"), "v1": ("v1", "x"), "v2": ("v2", "y"), "v3": ("v3", "y")}
    microdata = microdata_of((("v0",), ("v2",), ("v2",), ("v3",)), [tree])
    scenario = Scenario((AttributeGroup(("a0",), 1.0),), 100, 0.0, 0.0, 0.1, 1.0)
    model = Overall(0.05 if statistic == "p50" else 0.15, scenario, statistic)
    fine, coarse = (suppress(microdata, partition(microdata, (at,)), [model]) for at in (0, 1))
    if statistic != "p50":
        assert coarse.suppressed.any()
        assert not fine.suppressed.any()
    kept = coarse.classes.records[coarse.binding.classes].sum() - coarse.binding.exempt
    assert kept <= fine.classes.records[fine.suppressed].sum()


# --- in a policy, and with columns beside the quasi-identifiers


QUASI: dict[str, Any] = {
    "age": {
        "role": "quasi",
        "hierarchy": Hierarchy.from_rows("age", [("30", "*"), ("40", "*")]),
    }
}


def wards_policy(risk: str) -> str:
    return policy_with(risk).replace("name      =", 'told = { role = "identifying" }\nname      =')


def with_told(rows: int = 120) -> pd.DataFrame:
    frame = patients(rows)
    return frame.assign(told=np.random.default_rng(3).choice(["0", "0.5", "1"], rows))


TOLD = f"""{ROUTES}
[[learned]]
attributes = ["age", "sex", "zip"]
column = "told"
"""


@pytest.mark.parametrize("statistic", ["maximum", "mean"])
def test_a_column_that_is_not_released_drives_the_search(tmp_path: Path, statistic: str) -> None:
    risk = f'model = "overall"\nthreshold = 0.1\nscenario = "told.toml"\nstatistic = "{statistic}"'
    policy = write_files(tmp_path, with_told(), wards_policy(risk))
    (tmp_path / "told.toml").write_text(TOLD)
    solution = anonymize(None, policy)
    released = write_release(solution, tmp_path / "release")["release"]
    assert "told" not in pd.read_csv(released, sep=";").columns
    assert not verify(released, policy).passed  # whom it is told of is not in it
    assert verify(released, policy, against=tmp_path / "patients.csv").passed


def test_a_shipped_scenario_is_fitted_as_assess_does() -> None:
    fitting = {
        "names": {"year_of_birth": "age"},
        "constants": {"state": "TN", "race": "any"},
        "population": 5000,
    }
    stated = {"model": "overall", "threshold": 0.1, "scenario": "social-media-account", **fitting}
    policy = Policy(attributes=QUASI, risk=[stated | {"p_m": [0.2, 0.8]}])
    (model,) = policy.load_models()
    assert isinstance(model, Overall)
    assert model.scenario == load_scenario(
        "social-media-account", *fitting.values(), {"p_m": (0.2, 0.8)}
    )
    assert parse_model(policy.describe()["risk"][0]) == policy.risk[0]
    in_code = Overall(0.1, load_scenario("social-media-account"), p_m=0.2, **fitting)
    assert in_code.scenario.attributes == ("sex", "age")
    assert in_code.scenario.p_m == 0.2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scenario": "social-medai"}, "neither a file nor a shipped scenario; did you mean"),
        ({"names": ["age"]}, "names must be a table of texts"),
        ({"constants": {"state": 3}}, "constants must be a table of texts"),
        ({"constants": {"zip": "1"}}, "it has no attribute 'zip'; it speaks of"),
        ({"population": 0}, "population must be at least 1"),
        ({"p_m": [0.8, 0.2]}, r"p_m: \[0.8, 0.2\] is upside down"),
        ({"p_m": 2}, "p_m: 2 is not a probability"),
    ],
)
def test_what_does_not_fit_a_scenario_is_one_sentence(change: Any, message: str) -> None:
    stated = {"model": "overall", "threshold": 0.1, "scenario": "social-media", **change}
    with pytest.raises((PolicyError, ValueError), match=message):
        Policy(attributes=QUASI, risk=[stated]).load_models()


@pytest.mark.parametrize(
    ("cell", "column", "message"),
    [
        ("maybe", "told", "column 'told', row 5: 'maybe' is not a probability"),
        ("1", "tld", "'tld', which a risk model looks at, is not a column; did you mean 'told'"),
    ],
)
def test_a_column_that_does_not_fit_is_one_sentence(
    tmp_path: Path, cell: str, column: str, message: str
) -> None:
    frame = with_told()
    frame.loc[4, "told"] = cell
    risk = 'model = "overall"\nthreshold = 0.1\nscenario = "told.toml"'
    policy = write_files(tmp_path, frame, wards_policy(risk))
    (tmp_path / "told.toml").write_text(TOLD.replace("told", column))
    with pytest.raises((PolicyError, DataError), match=message):
        anonymize(None, policy)


def test_a_problem_reads_again_for_a_model_that_looks_at_more_columns(tmp_path: Path) -> None:
    average = wards_policy('model = "average"\nthreshold = 0.1')
    problem = Problem.read(None, write_files(tmp_path, with_told(), average), warn=False)
    assert not problem.microdata.beside
    (tmp_path / "told.toml").write_text(TOLD)
    more = problem.with_models(Overall(0.1, "told.toml"))
    assert list(more.microdata.beside) == ["told"]
    assert more.microdata.records == problem.microdata.records
    again = more.with_models(Overall(0.2, "told.toml"))
    assert again.microdata is more.microdata


def test_the_original_is_needed_as_soon_as_one_group_is_learned_by_level() -> None:
    exact = AttributeGroup(("a",), probability=0.5)
    coarse = AttributeGroup(("b",), probability=0.5, levels={"b": 1})
    for groups, needed in (((exact,), False), ((exact, coarse), True), ((coarse,), True)):
        scenario = Scenario(groups, 50, 1.0, 1.0, 0.0, 0.0)
        assert Overall(0.1, scenario, "mean").inputs.original_values is needed
