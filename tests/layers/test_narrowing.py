"""What a release in layers gives away: never the true value, and no less than can be seen in it."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations_with_replacement, product

from hypothesis import given

from anonymizer.lattice import Lattice
from anonymizer.layers.layering import Layering
from anonymizer.layers.narrowing import Narrowed, count_narrowed
from anonymizer.layers.optimize import LayersTask, apply_layers, find_layers
from anonymizer.risk import KAnonymity, Overall, RiskModel
from anonymizer.utility import Aggregate, Loss
from tests.oracle import Problem, Row, Tree
from tests.own import OwnL
from tests.risk.test_contract import SCENARIO
from tests.strategies import evaluator_of, lattice_of, microdata_of, problems

Values = tuple[frozenset[str], ...]
"""What each released value of a class covers."""

SIZES: Tree = {"s": ("s", "sm", "*"), "m": ("m", "sm", "*"), "l": ("l", "l", "*")}
COLOURS: Tree = {"red": ("red", "*"), "blue": ("blue", "*")}


def task_of(problem: Problem, models: tuple[RiskModel, ...] | None = None) -> LayersTask:
    evaluator = evaluator_of(problem)
    measure = evaluator.measure
    assert isinstance(measure, Loss)
    return LayersTask(
        evaluator.microdata, models or evaluator.models, measure, lattice_of(problem), len(problem.rows)
    )  # fmt: skip


def classes_of(layering: Layering) -> dict[Values, Counter[Row]]:
    """Return the records of each released class, before generalization; nothing of suppressed ones."""
    microdata = layering.microdata
    found: dict[Values, Counter[Row]] = defaultdict(Counter)
    for at, layer in enumerate(layering.layer_of_tuple.tolist()):
        if layer < 0:
            continue
        values, row = [], []
        for a, column in enumerate(microdata.columns):
            leaf = int(column.leaves[microdata.codes[a][at]])
            level = column.hierarchy.codes[layering.schemes[layer][a]]
            values.append(
                frozenset(
                    text
                    for text, group in zip(column.hierarchy.leaves, level, strict=True)
                    if group == level[leaf]
                )
            )
            row.append(column.hierarchy.leaves[leaf])
        found[tuple(values)][tuple(row)] += int(microdata.counts[at])
    return found


def excluded(values: Values, open_classes: set[Values], attribute: int) -> set[str]:
    """Return the leaves that an open class, finer in this attribute alone, rules out."""
    ruled_out: set[str] = set()
    for other in open_classes:
        same = all(
            mine == theirs
            for a, (mine, theirs) in enumerate(zip(values, other, strict=True))
            if a != attribute
        )
        if same and other[attribute] < values[attribute]:
            ruled_out |= other[attribute]
    return ruled_out


def narrowed_by_hand(classes: dict[Values, Counter[Row]], names: tuple[str, ...]) -> Narrowed:
    cells, records = dict.fromkeys(names, 0), 0
    for values, rows in classes.items():
        here = [name for a, name in enumerate(names) if excluded(values, {*classes}, a)]
        for name in here:
            cells[name] += rows.total()
        records += rows.total() if here else 0
    return Narrowed(cells, records)


def count(layering: Layering, models: tuple[RiskModel, ...]) -> Narrowed | None:
    return count_narrowed(layering, *layering.classes(), models)


@given(problems(max_attributes=3))
def test_every_narrowed_cell_is_counted(problem: Problem) -> None:
    task = task_of(problem)
    layering = find_layers(task, lambda _: None).layering
    names = task.microdata.attributes
    assert count(layering, tuple(task.models)) == narrowed_by_hand(classes_of(layering), names)


@given(problems(max_attributes=3))
def test_no_record_is_a_tuple_of_an_open_class_inside_its_own(problem: Problem) -> None:
    for models in ((KAnonymity(problem.k),), (OwnL(2), KAnonymity(problem.k))):
        task = task_of(problem, models)
        given_again = apply_layers(task, list(task.lattice)[::-1])
        for found in (find_layers(task, lambda _: None), given_again):
            classes = classes_of(found.layering)
            for values, rows in classes.items():
                for other in classes:
                    if other != values and all(map(frozenset.issubset, other, values)):
                        assert not any(is_inside(row, other) for row in rows)


def is_inside(row: Row, values: Values) -> bool:
    return all(leaf in value for leaf, value in zip(row, values, strict=True))


def test_no_table_that_could_have_been_released_so_has_an_excluded_value() -> None:
    """Make the release of every table of five records, and look at all that make the same one."""
    rows = list(product(SIZES, COLOURS))
    possible: dict[frozenset[tuple[Values, int]], dict[Values, set[Row]]] = {}
    for table in combinations_with_replacement(rows, 5):
        microdata = microdata_of(table, (SIZES, COLOURS))
        task = LayersTask(
            microdata,
            (KAnonymity(2),),
            Loss(Aggregate.ARITHMETIC, (1.0, 1.0)),
            Lattice((0, 0), (2, 1)),
            5,
        )
        classes = classes_of(find_layers(task, lambda _: None).layering)
        release = frozenset((values, found.total()) for values, found in classes.items())
        seen = possible.setdefault(release, {})
        for values, found in classes.items():
            seen.setdefault(values, set()).update(found)
    ruled_out = 0
    for release, seen in possible.items():
        open_classes = {values for values, _ in release}
        for values, originals in seen.items():
            for a in range(2):
                outside = excluded(values, open_classes, a)
                ruled_out += len(outside)
                assert not outside & {row[a] for row in originals}
    assert ruled_out > 0


def test_one_layer_gives_nothing_away() -> None:
    rows = [*[("s", "red")] * 3, ("m", "red"), ("l", "blue")]
    task = task_of(Problem(tuple(rows), (SIZES, COLOURS), k=2))
    assert count(apply_layers(task, [(2, 1)]).layering, tuple(task.models)) == Narrowed(
        {"a0": 0, "a1": 0}, 0
    )


def test_a_record_coarser_than_its_neighbours_is_narrowed() -> None:
    """Five people: three small and red; the others, of another size, are known to be of another."""
    rows = [*[("s", "red")] * 3, ("m", "red"), ("l", "red")]
    task = task_of(Problem(tuple(rows), (SIZES, COLOURS), k=2))
    layering = find_layers(task, lambda _: None).layering
    assert {values[0] for values in classes_of(layering)} == {
        frozenset({"s"}),
        frozenset({"s", "m", "l"}),
    }
    assert count(layering, tuple(task.models)) == Narrowed({"a0": 2, "a1": 0}, 2)


def test_nothing_is_counted_where_a_model_may_take_part_of_a_class() -> None:
    rows = (("s", "red"), ("s", "red"), ("m", "blue"))
    task = task_of(Problem(rows, (SIZES, COLOURS), k=2))
    layering = apply_layers(task, [(0, 0), (2, 1)]).layering
    assert count(layering, (KAnonymity(2), Overall(0.1, SCENARIO, "maximum"))) is None
