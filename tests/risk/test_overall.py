"""overall: against the definition, all subsets of the records, and a scan in the order of risk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.engine.classes import partition, suppression_order
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.evaluation.suppression import suppress
from anonymizer.knowledge import cells, scenario_attack
from anonymizer.knowledge.cells import Partitions
from anonymizer.knowledge.statistics import passes, statistic_of
from anonymizer.knowledge.uniqueness import estimate_unique
from anonymizer.lattice import Scheme
from anonymizer.risk import (
    AttributeGroup,
    Average,
    KAnonymity,
    Monotone,
    Overall,
    PUniqueness,
    RiskModel,
    SampleUniqueness,
    Scenario,
    Scope,
)
from anonymizer.search import Status, search, search_exhaustively
from anonymizer.utility import Aggregate, Loss
from tests.knowledge.tables import probabilities
from tests.risk.test_people import rows_of, with_people
from tests.strategies import evaluator_of, lattice_of, microdata_of, problems

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
        patch.setattr(scenario_attack, "by_pitman", estimate)
        yield


@dataclass(frozen=True)
class Case:
    """A random table with a scenario, and the risk of its rows by the definition."""

    evaluator: Evaluator
    scenario: Scenario
    persons: list[int]

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

    def chance(self, row: int, group: AttributeGroup) -> float:
        if group.by is None:
            return group.probability  # type: ignore[return-value]
        return group.probabilities.get(self.leaf(row, group.by), group.default)  # type: ignore[return-value, arg-type]

    def keys(self, scheme: Scheme, known: Sequence[AttributeGroup]) -> list[tuple[int, ...]]:
        """What the attacker sees of each row."""
        names = self.evaluator.microdata.attributes
        parts = [
            [row[at] for row in rows_of(self.evaluator.microdata, levels)]
            for group in known
            for name in group.attributes
            for at in (names.index(name),)
            for levels in (
                [
                    max(level, group.levels.get(n, 0)) if n == name else level
                    for n, level in zip(names, scheme, strict=True)
                ],
            )
        ]
        return list(zip(*parts, strict=True)) if parts else [()] * self.records

    def unique(self, keys: Sequence[tuple[int, ...]]) -> float:
        members: dict[tuple[int, ...], set[int]] = {}
        for key, person in zip(keys, self.persons, strict=True):
            members.setdefault(key, set()).add(person)
        sizes = np.array([len(people) for people in members.values()])
        return estimate_unique(sizes, self.scenario.population, estimate)

    def risks(self, scheme: Scheme, subset: Sequence[int]) -> dict[int, float]:
        """The overall risk of each row of a subset, u_S from all rows."""
        scenario = self.scenario
        risks = dict.fromkeys(subset, 0.0)
        for marks in product((False, True), repeat=len(scenario.groups)):
            known = [g for g, mark in zip(scenario.groups, marks, strict=True) if mark]
            keys = self.keys(scheme, known)
            u = self.unique(keys)
            for row in subset:
                weight = 1.0
                for group, mark in zip(scenario.groups, marks, strict=True):
                    weight *= self.chance(row, group) if mark else 1 - self.chance(row, group)
                a = len({self.persons[other] for other in subset if keys[other] == keys[row]})
                safe = 1 - scenario.p_c / a
                if a == 1:
                    safe *= (1 - scenario.p_m * scenario.p_fm) * (1 - scenario.p_cu * u)
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
    """Draw a table, people and a scenario with probabilities by value and levels."""
    problem = draw(problems(max_attributes=3, max_rows=max_rows))
    evaluator = evaluator_of(problem)
    names = list(evaluator.microdata.attributes)
    records = evaluator.microdata.records
    persons = list(range(records))
    if draw(st.booleans()):
        persons = draw(st.lists(st.integers(0, 5), min_size=records, max_size=records))
        evaluator = with_people(evaluator, persons)
    group_of = [0, *(draw(st.integers(0, 2)) for _ in names[1:])]
    groups = []
    for number in sorted({0, *group_of} - {2}):
        members = [n for n, g in zip(names, group_of, strict=True) if g == number]
        keys: dict[str, Any] = {"probability": draw(probabilities)}
        if draw(st.booleans()):
            keys = {"by": draw(st.sampled_from(names)), "default": draw(probabilities)}
            keys["probabilities"] = {"v0": draw(probabilities)}
        tops = {n: evaluator.microdata.lattice.high[names.index(n)] for n in members}
        levels = {n: draw(st.integers(0, tops[n])) for n in members if draw(st.booleans())}
        groups.append(AttributeGroup(tuple(members), levels=levels, **keys))
    shares = [draw(st.sampled_from([0.0, 0.1, 0.3, 0.8])) for _ in range(3)]
    shares.append(draw(st.sampled_from([0.0, 0.5, 1.0])))
    scenario = Scenario(tuple(groups), draw(st.sampled_from([50, 10**6])), *shares)
    return problem, Case(evaluator, scenario, persons)


def kept_rows(case: Case, scheme: Scheme, models: Sequence[RiskModel]) -> set[int]:
    microdata = case.evaluator.microdata
    found = suppress(microdata, partition(microdata, scheme), models)
    return set(np.flatnonzero(~found.tuples[microdata.tuple_of_row]).tolist())


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
    lattice = lattice_of(problem)
    found, expected = search(evaluator, lattice), search_exhaustively(evaluator, lattice)
    assert (found.best is None) == (expected.best is None)
    if found.best is not None and expected.best is not None:
        assert found.status is Status.OPTIMAL
        assert found.best.scheme == expected.best.scheme
        assert found.best.loss == expected.best.loss


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
    cutoff = share * evaluator.measure.most
    whole, found = evaluator.evaluate(scheme), evaluator.evaluate(scheme, cutoff)
    assert found.loss <= whole.loss + 1e-12
    assert found.suppressed_records <= whole.suppressed_records
    assert found.binding_records == whole.binding_records
    assert found.finer_infeasible == whole.finer_infeasible
    levels = np.arange(whole.terms.shape[1]) <= np.array(scheme)[:, np.newaxis]
    np.testing.assert_allclose(found.terms[levels], whole.terms[levels], atol=1e-12)
    if (found.loss, found.suppressed_records) != (whole.loss, whole.suppressed_records):
        assert found.loss > evaluator.measure.of_terms(cutoff)


@settings(max_examples=60)
@given(drawn=cases(), threshold=thresholds, data=st.data())
def test_what_passes_at_worst_passes(drawn, threshold, data) -> None:
    problem, case = drawn
    microdata = case.evaluator.microdata
    model = Overall(threshold, case.scenario, data.draw(st.sampled_from(STATISTICS)))
    scheme = data.draw(st.sampled_from(list(lattice_of(problem))))
    found = suppress(microdata, partition(microdata, scheme), [model.at_worst()])
    kept = np.flatnonzero(~found.tuples[microdata.tuple_of_row]).tolist()
    assert passes(case.statistic(scheme, kept, model.statistic), threshold)


def test_whom_it_protects_follows_from_the_statistic() -> None:
    scenario = Scenario((AttributeGroup(("a0",), 0.5),), 100, 0.5, 0.5, 0.5, 0.5)
    for statistic in ("maximum", "p100", 1.0):
        model = Overall(0.1, scenario, statistic)
        assert (model.scope, model.local) == (Scope.PEOPLE, False)
        assert (model.monotone, model.order) == (Monotone.RECORD, None)
    for statistic in ("mean", "p95", 0.5):
        model = Overall(0.1, scenario, statistic)
        assert (model.scope, model.local) == (Scope.TABLE, True)
        assert model.monotone is Monotone.TABLE
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
    assert len(Partitions.of(evaluator.microdata).kept) <= levels + 1  # nothing, or a0 at a level


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
        assert len(Partitions.of(fresh.microdata).kept) <= 1
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
    assert evaluator.evaluate((0,), cutoff=measure.to_terms(0.3)).loss > 0.3
    with pytest.raises(AssertionError):
        evaluator.evaluate((0,), cutoff=measure.most)


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
            patch.setattr(scenario_attack, "by_pitman", lambda *_, u=unique: u)
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
    monkeypatch.setattr(scenario_attack, "by_pitman", lambda sizes, _: float(sizes.size == 2))
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
