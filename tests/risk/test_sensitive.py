"""Models of a sensitive attribute against the slow and obvious, over all schemes of small tables."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from anonymizer.data.pandas import FrameTable
from anonymizer.errors import PolicyError
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.hierarchy import Hierarchy
from anonymizer.lattice import Lattice
from anonymizer.policy import Policy
from anonymizer.problem import Problem as Asked
from anonymizer.risk import (
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    DistinctL,
    EntropyL,
    KAnonymity,
    RecursiveCL,
    RiskModel,
    TCloseness,
)
from anonymizer.search import search
from anonymizer.search.params import SearchParams
from anonymizer.table.classes import partition
from anonymizer.table.microdata import encode
from anonymizer.utility import Aggregate, Loss
from tests.oracle import TIE, Problem, classes, generalize, loss
from tests.strategies import frame_of, hierarchies_of, problems

VALUES = ("", "a", "b", "c")
TREE = Hierarchy.from_rows("s", [("", "", "*"), ("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*")])
Histogram = Mapping[str, int]


@dataclass(frozen=True)
class Values:
    """Who has which value: for some rows, how many people, and how many of them have each value."""

    people: int
    counts: Histogram

    @staticmethod
    def of(rows: Sequence[int], values: Sequence[str], person: Sequence[int]) -> Values:
        """Count everybody once for each value."""
        holders = {(person[row], values[row]) for row in rows}
        return Values(len({person[row] for row in rows}), Counter(v for _, v in holders))

    def shares(self) -> dict[str, float]:
        total = sum(self.counts.values())
        return {value: count / total for value, count in self.counts.items()}


def tree_distance(p: Mapping[str, float], q: Mapping[str, float], tree: Hierarchy) -> float:
    """Move mass within the groups of each level first, as Li et al. do."""
    rows = [row for row in tree.rows() if row[0] in q]
    extra = {row[0]: q[row[0]] - p.get(row[0], 0.0) for row in rows}
    cost, height = 0.0, tree.height - 1
    for level in range(1, tree.height):
        above: dict[str, list[float]] = {}
        for low, high in {(row[level - 1], row[level]) for row in rows}:
            above.setdefault(high, []).append(extra[low])
        for parts in above.values():
            gain = sum(part for part in parts if part > 0)
            cost += level / height * min(gain, gain - sum(parts))
        extra = {high: sum(parts) for high, parts in above.items()}
    return cost


def distance(model: TCloseness, here: Values, overall: Values) -> float:
    p, q = here.shares(), overall.shares()
    if model.distance == "equal":
        return sum(abs(p.get(s, 0.0) - q[s]) for s in q) / 2
    if model.distance == "hierarchical":
        return tree_distance(p, q, TREE)
    assert model.ranking is not None
    order = [value for value in model.ranking if value in q]
    gaps = itertools.accumulate(p.get(s, 0.0) - q[s] for s in order)
    return sum(map(abs, gaps)) / max(1, len(order) - 1)


def passes(model: RiskModel, here: Values, overall: Values) -> bool:
    """Whether a class passes, as the definitions have it."""
    counts = here.counts
    if isinstance(model, KAnonymity):
        return here.people >= model.k
    values = model.values  # type: ignore[attr-defined]  # noqa: PD011
    judged = values is None or any(value in counts for value in values)
    chosen = set(overall.counts) if values is None else set(values)
    shares = {s: (n / here.people, overall.counts[s] / overall.people) for s, n in counts.items()}
    if isinstance(model, DistinctL):
        return not judged or len(counts) >= model.l
    if isinstance(model, EntropyL):
        total = sum(counts.values())
        weighted = sum(n * math.log(n) for _, n in sorted(counts.items()))
        enough = len(counts) >= model.l and weighted <= total * (
            math.log(total) - math.log(model.l)
        )
        return not judged or enough
    if isinstance(model, RecursiveCL):
        ordered = sorted(counts.values(), reverse=True)
        return not judged or ordered[0] < model.c * sum(ordered[model.l - 1 :]) - 1e-9
    if isinstance(model, TCloseness):
        return not judged or distance(model, here, overall) <= model.t + 1e-9
    if isinstance(model, BetaLikeness):
        return all(
            (p - q) / q <= (min(model.beta, -math.log(q)) if model.enhanced else model.beta) + 1e-9
            for s, (p, q) in shares.items()
            if s in chosen
        )
    assert isinstance(model, DeltaDisclosure)
    if model.absent == "fail" and chosen & set(overall.counts) - set(counts):
        return False
    return all(
        abs(math.log2(p / q)) < model.delta - 1e-9 for s, (p, q) in shares.items() if s in chosen
    )


def models_of(attribute: str) -> st.SearchStrategy[RiskModel]:
    """Draw a model of one attribute; some values do no harm."""
    harmful = st.sampled_from([None, None, ("a",), ("b", "c")])
    limits = st.sampled_from([0.05, 0.15, 0.25, 0.4, 0.5, 1.0])
    gains = st.sampled_from([0.2, 0.5, 1.0, 1.5, 3.0])
    name = st.just(attribute)
    return st.one_of(
        st.builds(DistinctL, name, st.integers(1, 4), values=harmful),
        st.builds(EntropyL, name, st.sampled_from([1, 1.3, 1.8, 2.0, 2.5]), values=harmful),
        st.builds(RecursiveCL, name, gains, st.integers(1, 3), values=harmful),
        st.builds(TCloseness, name, limits, values=harmful),
        st.builds(TCloseness, name, limits, st.just("ordered"), st.permutations(VALUES)),
        st.builds(TCloseness, name, limits, st.just("hierarchical"), hierarchy=st.just(TREE)),
        st.builds(BetaLikeness, name, gains, st.booleans(), values=harmful),
        st.builds(DeltaDisclosure, name, gains, st.sampled_from(["fail", "skip"]), values=harmful),
    )


@dataclass(frozen=True)
class Case:
    """A problem with sensitive columns, and whose its rows are."""

    problem: Problem
    columns: Mapping[str, Sequence[str]]
    person: Sequence[int]
    several: bool
    models: Sequence[RiskModel]

    def suppressed(self, levels: tuple[int, ...]) -> frozenset[int]:
        """Suppress every class that does not pass all models."""
        everyone = range(len(self.problem.rows))
        gone: set[int] = set()
        for rows in classes(self.problem.rows, self.problem.trees, levels).values():
            for model in self.models:
                name = next(iter(model.inputs.sensitive), "s")
                values = self.columns[name]
                here = Values.of(rows, values, self.person)
                if not passes(model, here, Values.of(everyone, values, self.person)):
                    gone.update(rows)
        return frozenset(gone)

    def best(self) -> tuple[float, int, int, tuple[int, ...]] | None:
        """Try every scheme: the least loss, then the fewest records, then the lowest levels."""
        found = []
        for levels in self.problem.schemes():
            gone = self.suppressed(levels)
            if len(gone) <= self.problem.suppression_limit:
                found.append((loss(self.problem, levels, gone), len(gone), sum(levels), levels))
        if not found:
            return None
        least = min(each[0] for each in found)
        return min((each for each in found if each[0] <= least + TIE), key=lambda e: e[1:])

    def evaluator(self) -> Evaluator:
        """Put the case to the engine."""
        frame = frame_of(self.problem.rows, self.problem.trees)
        for name, values in self.columns.items():
            frame[name] = [value or None for value in values]
        frame["id"] = [str(number) for number in self.person]
        microdata = encode(
            FrameTable(frame),
            hierarchies_of(self.problem.trees),
            person="id" if self.several else None,
            sensitive=list(self.columns),
        )
        measure = Loss(Aggregate(self.problem.aggregate), self.problem.weights)
        return Evaluator(microdata, self.models, measure, self.problem.suppression_limit)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw a table with two sensitive columns, with or without ids, and one to three models."""
    problem = draw(problems(max_attributes=3, max_rows=14))
    rows = len(problem.rows)
    columns = {
        name: [draw(st.sampled_from(VALUES)) for _ in range(rows)] for name in ("s", "other")
    }
    several = draw(st.booleans())
    person = [draw(st.integers(0, 5)) if several else row for row in range(rows)]
    names = st.sampled_from(list(columns))
    models = draw(st.lists(names.flatmap(models_of), min_size=1, max_size=2))
    if problem.k > 1:
        models.append(KAnonymity(problem.k))
    return Case(problem, columns, person, several, models)


SCREENED = SearchParams(least_decided=1e9, screened_cells=300, unscreened_work=0)


@settings(max_examples=600, deadline=None)
@given(case=cases(), params=st.sampled_from([SearchParams(), SCREENED]))
def test_the_search_finds_what_trying_every_scheme_finds(case: Case, params: SearchParams) -> None:
    lattice = Lattice(case.problem.low, case.problem.high)
    found = search(case.evaluator(), lattice, params=params).best
    best = case.best()
    if best is None or found is None:
        assert best is None
        assert found is None
        return
    assert found.loss == pytest.approx(best[0], abs=1e-9)
    assert (found.suppressed_records, sum(found.scheme), found.scheme) == best[1:]


@settings(max_examples=200, deadline=None)
@given(case=cases(), data=st.data())
def test_the_classes_that_violate_a_model_are_those_of_its_definition(
    case: Case, data: st.DataObject
) -> None:
    levels = tuple(data.draw(st.integers(0, top)) for top in case.problem.high)
    evaluator = case.evaluator()
    outcome = evaluator.outcome(levels)
    microdata = evaluator.microdata
    gone = outcome.suppressed[outcome.classes.label_of_tuple][microdata.tuple_of_row]
    assert set(np.flatnonzero(gone).tolist()) == case.suppressed(levels)


@st.composite
def distributions(draw: st.DrawFn, size: int) -> list[float]:
    """Draw the numbers of people who have each value."""
    counts = draw(st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(any))
    return [float(count) for count in counts]


def moved(p: np.ndarray, q: np.ndarray, ground: np.ndarray) -> float:
    """Return the earth mover's distance by a linear programme."""
    size = p.size
    rows = [np.repeat(np.eye(size), size, axis=1), np.tile(np.eye(size), size)]
    result = linprog(ground.ravel(), A_eq=np.vstack(rows), b_eq=np.concatenate([p, q]))
    assert result.success
    return float(result.fun)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), size=st.integers(2, 6))
def test_distances_are_those_of_a_linear_programme(data: st.DataObject, size: int) -> None:
    here = np.array(data.draw(distributions(size)))
    overall = here + np.array(data.draw(distributions(size))) + 1
    texts = [str(number) for number in range(size)]
    tree = draw_tree(data, texts)
    model_of = {
        "equal": (TCloseness("s", 0.5), 1 - np.eye(size)),
        "ordered": (
            TCloseness("s", 0.5, "ordered"),
            np.abs(np.subtract.outer(np.arange(size), np.arange(size))) / (size - 1),
        ),
        "hierarchical": (
            TCloseness("s", 0.5, "hierarchical", hierarchy=tree),
            tree_ground(tree, texts),
        ),
    }
    values = [t for t, count in zip(texts, here, strict=True) for _ in range(int(count))]
    rest = [t for t, count in zip(texts, overall - here, strict=True) for _ in range(int(count))]
    frame = pd.DataFrame(
        {"q": ["x"] * len(values) + ["y"] * len(rest), "s": [*values, *rest]}, dtype=object
    )
    hierarchy = Hierarchy.from_rows("q", [("x", "*"), ("y", "*")])
    microdata = encode(FrameTable(frame), [hierarchy], sensitive=["s"])
    split = partition(microdata, (0,))
    for model, ground in model_of.values():
        found = model.exposures(split)[0]
        expected = moved(here / here.sum(), overall / overall.sum(), ground)
        assert found == pytest.approx(expected, abs=1e-9)


def draw_tree(data: st.DataObject, texts: Sequence[str]) -> Hierarchy:
    """Draw a tree of one to three levels above the leaves, with a root."""
    rows = [[text] for text in texts]
    for level in range(data.draw(st.integers(0, 2))):
        names = {row[-1]: f"{level}{data.draw(st.integers(0, 2))}" for row in rows}
        rows = [[*row, names[row[-1]]] for row in rows]
    return Hierarchy.from_rows("s", [(*row, "*") for row in rows])


def tree_ground(tree: Hierarchy, texts: Sequence[str]) -> np.ndarray:
    """Two values are as far as the level that joins them is high."""
    rows = {row[0]: row for row in tree.rows()}
    height = tree.height - 1
    joined = [
        [
            next(level for level in range(tree.height) if rows[a][level] == rows[b][level])
            for b in texts
        ]
        for a in texts
    ]
    return np.array(joined) / height


def test_the_distance_over_a_hierarchy_does_not_overflow_with_many_records() -> None:
    frame = pd.DataFrame(
        {"q": ["x"] * 60_000 + ["y"] * 40_000, "s": ["a"] * 60_000 + ["b"] * 40_000}, dtype=object
    )
    tree = Hierarchy.from_rows("s", [("a", "*"), ("b", "*")])
    hierarchy = Hierarchy.from_rows("q", [("x", "*"), ("y", "*")])
    microdata = encode(FrameTable(frame), [hierarchy], sensitive=["s"])
    model = TCloseness("s", 0.2, "hierarchical", hierarchy=tree)
    assert model.exposures(partition(microdata, (0,))) == pytest.approx([0.4, 0.6])
    assert model.violating(partition(microdata, (0,))).all()


ILL_WITH_FLU = {"subset": "illness", "member": "flu"}


def ask(model: RiskModel | dict[str, object], **attributes: dict[str, object]) -> Asked:
    """Put a model to a small table."""
    frame = pd.DataFrame(
        {
            "age": ["1", "2", "1", "2", "1", "2"],
            "illness": ["flu", "flu", "cold", "cold", "gout", "gout"],
            "days": ["3", "10", "9", "", "4", "5"],
        },
        dtype=object,
    )
    age = Hierarchy.from_rows("age", [("1", "*"), ("2", "*")])
    roles: dict[str, dict[str, object]] = {
        "age": {"role": "quasi", "hierarchy": age},
        "illness": {"role": "sensitive"},
        "days": {"role": "sensitive"},
        **attributes,
    }
    return Asked.read(frame, {"attributes": roles, "risk": [model]})


SMALL = Hierarchy.from_rows("illness", [("flu", "*")])
T_CLOSENESS = {"model": "t-closeness", "attribute": "illness", "t": 0.2}
DISTINCT = {"model": "distinct-l", "attribute": "illness", "l": 2}


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (DistinctL("ilness", 2), "'ilness', which a risk model looks at, is not a column; "),
        (DistinctL("age", 2), "distinct-l: 'age' is a quasi-identifier"),
        (DistinctL("illness", 4), "l = 4 is larger than the number of values"),
        (EntropyL("illness", 3.5), "'illness'; the largest possible is 3."),
        (TCloseness("illness", 0.2, "hierarchical"), "needs a hierarchy of 'illness'; add the key"),
        (TCloseness("illness", 0.2, "ordered"), "of 'illness' is neither a number nor a date"),
        (TCloseness("days", 0.2, "ordered"), "'days' has missing values, which"),
        (TCloseness("illness", 0.2, "ordered", ("flu", "cold")), "ranking lacks 'gout' of 'illness'"),
        (TCloseness("illness", 0.2, "hierarchical", hierarchy=SMALL), "is not in its hierarchy"),
        (DistinctL("illness", 2, values=("fluu",)), "'illness' does not have the value 'fluu'; "),
    ],
)  # fmt: skip
def test_a_model_that_does_not_fit_the_table_is_refused_in_a_sentence(
    model: RiskModel, sentence: str
) -> None:
    with pytest.raises(PolicyError, match=r"[.?]$") as raised:
        ask(model)
    assert sentence in str(raised.value)


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ({**T_CLOSENESS, "t": 1.2}, "t must be a number from 0 to 1, got 1.2"),
        ({**T_CLOSENESS, "distance": "far"}, "distance 'far' is unknown; use one of 'equal'"),
        ({**T_CLOSENESS, "ranking": ["a"]}, "only the ordered distance has a ranking"),
        ({**DISTINCT, "l": 0}, "l must be at least 1, got 0"),
        ({**DISTINCT, "values": []}, "values is an empty list"),
        ({**DISTINCT, "values": "flu"}, "values must be a list of strings, got 'flu'"),
        ({**DISTINCT, "attribute": ""}, "attribute must be the name of a column"),
        ({**DISTINCT, "model": "entropy-l", "l": 0.5}, "l must be a number of at least 1, got 0.5"),
        ({**DISTINCT, "model": "recursive-cl", "c": 0}, "c must be a number above 0, got 0"),
        (
            {"model": "delta-disclosure", "attribute": "illness", "delta": 1, "absent": "pass"},
            'absent must be "fail" or "skip"',
        ),
        (
            {"model": "beta-likeness", "attribute": "illness", "beta": -1},
            "beta must be a number above 0, got -1",
        ),
        ({"model": "delta-presence", "maximum": 0.5}, "delta-presence needs either population_table"),
        (
            {"model": "delta-presence", "maximum": 0.5, "population_table": "p.csv", "subset": "s"},
            "delta-presence needs either population_table",
        ),
        (
            {"model": "delta-presence", "maximum": 0.5, "subset": "illness"},
            "delta-presence needs subset, a column, and member",
        ),
        (
            {"model": "delta-presence", "maximum": 0.5, "subset": "illness", "member": 1},
            "member must be a string, got 1",
        ),
        (
            {"model": "delta-presence", "maximum": 0.5, "subset": "nowhere", "member": "a"},
            "policy: 'nowhere', which a risk model looks at, is not a column",
        ),
        (
            {"model": "delta-presence", "maximum": 0.2, "minimum": 0.5, **ILL_WITH_FLU},
            "minimum 0.5 is above maximum 0.2; swap the two",
        ),
    ],
)  # fmt: skip
def test_a_parameter_that_makes_no_sense_is_refused_in_a_sentence(
    table: dict[str, object], sentence: str
) -> None:
    with pytest.raises(PolicyError) as raised:
        ask(table)
    assert sentence in str(raised.value)


def test_the_attributes_own_hierarchy_is_used_for_the_distance() -> None:
    tree = Hierarchy.from_rows(
        "illness", [("flu", "a", "*"), ("cold", "a", "*"), ("gout", "b", "*")]
    )
    problem = ask(
        {"model": "t-closeness", "attribute": "illness", "t": 0.2, "distance": "hierarchical"},
        illness={"role": "sensitive", "hierarchy": tree},
    )
    (model,) = problem.models
    assert isinstance(model, TCloseness)
    assert model.hierarchy.labels == tree.labels
    assert (
        problem.with_models(TCloseness("illness", 0.1, "hierarchical")).models[0].hierarchy == tree
    )  # type: ignore[attr-defined]


def test_nobody_is_protected_from_being_known_to_have_a_harmless_value() -> None:
    frame = pd.DataFrame(
        {"q": ["x", "x", "y", "y", "z", "z"], "s": ["well", "well", "ill", "ill", "ill", "well"]},
        dtype=object,
    )
    rows = [(name, "*") for name in "xyz"]
    microdata = encode(FrameTable(frame), [Hierarchy.from_rows("q", rows)], sensitive=["s"])
    split = partition(microdata, (0,))
    assert DistinctL("s", 2).violating(split).tolist() == [True, True, False]
    assert DistinctL("s", 2, values=("ill",)).violating(split).tolist() == [False, True, False]
    assert BetaLikeness("s", 0.5).violating(split).tolist() == [True, True, False]
    assert BetaLikeness("s", 0.5, values=("ill",)).violating(split).tolist() == [False, True, False]


def test_a_class_without_a_value_fails_delta_disclosure_unless_that_is_skipped() -> None:
    frame = pd.DataFrame({"q": ["x"] * 3 + ["y"] * 3, "s": list("aaaaab")}, dtype=object)
    microdata = encode(
        FrameTable(frame), [Hierarchy.from_rows("q", [("x", "*"), ("y", "*")])], sensitive=["s"]
    )
    split = partition(microdata, (0,))
    assert DeltaDisclosure("s", 1.1).violating(split).tolist() == [True, False]
    assert DeltaDisclosure("s", 1.1, "skip").violating(split).tolist() == [False, False]


@settings(max_examples=100, deadline=None)
@given(problem=problems(max_attributes=2, max_rows=12, ranges=False), data=st.data())
def test_delta_presence_is_that_of_its_definition(problem: Problem, data: st.DataObject) -> None:
    inside = [row for row in problem.rows if data.draw(st.booleans())]
    if not inside:
        return
    least, most = sorted(data.draw(st.tuples(*[st.sampled_from([0.0, 0.3, 0.5, 1.0])] * 2)))
    subset = Problem(tuple(inside), problem.trees, 1, suppression_limit=len(inside))
    microdata = encode(
        FrameTable(frame_of(inside, problem.trees)),
        hierarchies_of(problem.trees),
        FrameTable(frame_of(problem.rows, problem.trees)),
    )
    model = DeltaPresence(most, least, population_table="all")
    expected = []
    for levels in subset.schemes():
        everybody = classes(problem.rows, problem.trees, levels)
        here = classes(inside, problem.trees, levels)
        absent = least > 0 and everybody.keys() - here.keys()
        gone = [
            row
            for label, rows in here.items()
            for row in rows
            if absent or not least - 1e-9 <= len(rows) / len(everybody[label]) <= most + 1e-9
        ]
        found = partition(microdata, levels)
        kept = {generalize(row, problem.trees, levels) for row in inside} - {
            generalize(inside[row], problem.trees, levels) for row in gone
        }
        assert int((~model.violating(found)).sum()) == len(kept)
        lost = loss(subset, levels, frozenset(gone))
        expected.append((round(lost, 9), len(gone), sum(levels), levels))
    measure = Loss(Aggregate(subset.aggregate), subset.weights)
    best = search(
        Evaluator(microdata, [model], measure, len(inside)), Lattice(subset.low, subset.high)
    ).best
    assert best is not None
    assert best.loss == pytest.approx(min(expected)[0], abs=1e-8)
    marked = frame_of(problem.rows, problem.trees).assign(inside="no")
    left = Counter(inside)
    for at, row in enumerate(problem.rows):
        if left[row] > 0:
            left[row] -= 1
            marked.loc[at, "inside"] = "yes"
    policy = Policy(
        attributes={
            **{h.name: {"role": "quasi", "hierarchy": h} for h in hierarchies_of(problem.trees)},
            "inside": {"role": "insensitive"},
        },
        risk=[DeltaPresence(most, least, subset="inside", member="yes")],
    )
    asked = Asked.read(marked, policy)
    assert asked.microdata.records == len(inside)
    beside = Evaluator(microdata, [model], asked.measure, len(inside))
    for levels in subset.schemes():
        own, theirs = asked.evaluate(levels), beside.evaluate(levels)
        assert own.loss == theirs.loss
        assert own.suppressed_records == theirs.suppressed_records


def test_only_what_is_compared_with_the_release_leaves_open_which_classes_are_dropped() -> None:
    for model in (TCloseness("s", 0.2), BetaLikeness("s", 1.0), DeltaDisclosure("s", 1.0)):
        assert model.exact is True
        assert replace(model, reference="release").exact is False
