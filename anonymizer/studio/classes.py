"""Classes of the output: who looks alike, their sensitive values, and which rule dropped whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.coded import LoadedTable
from anonymizer.errors import DataError
from anonymizer.hierarchy import MISSING
from anonymizer.policy import Role
from anonymizer.risk import RiskModel
from anonymizer.solution.release import Release
from anonymizer.solution.solution import Solution
from anonymizer.studio.columns import rows_asked

SHOWN_VALUES = 5
"""So many sensitive values of a class are named, the most frequent first."""
IN_LAYERS = "no layer has a class for these records that the policy allows"

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ShownClasses:
    """Groups of tuples that look alike, and why each is dropped; nothing where it is released."""

    label_of_tuple: NDArray[np.integer]
    first_tuple: NDArray[np.integer]
    """A tuple of each class."""
    people: Integers
    records: Integers
    dropped: NDArray[np.bool_]
    reasons: list[str]

    @staticmethod
    def of(solution: Solution) -> ShownClasses:
        """Return the classes of a solution; those of layers are equal released values."""
        return of_layers(solution.release) if solution.layers else of_scheme(solution)


def of_scheme(solution: Solution) -> ShownClasses:
    """Return the classes of one scheme, and for each that is dropped the models that ask for it."""
    classes, dropped = solution.outcome.classes, solution.outcome.suppressed
    models = solution.problem.models
    alone = [model for model in models if model.violators is None]
    marked = {str(model): model.violating(classes) & dropped for model in alone}
    together = [str(model) for model in models if not judges_alone(model)] or [*map(str, models)]
    reasons = []
    for at in range(dropped.size):
        by_itself = [said for said, marks in marked.items() if marks[at]]
        left = [f"together with others, for {said}" for said in together]
        reasons.append(" and ".join(by_itself or left) if dropped[at] else "")
    return ShownClasses(
        classes.label_of_tuple,
        classes.first_tuple,
        classes.sizes,
        classes.records,
        dropped,
        reasons,
    )


def judges_alone(model: RiskModel) -> bool:
    """Whether a model drops classes by themselves alone, whatever else is kept."""
    return model.violators is None and model.kind.value == "classes"


def of_layers(release: Release) -> ShownClasses:
    """Return the classes of equal released values; what is dropped has the values that it had."""
    microdata, gone = release.microdata, release.suppressed
    label = np.zeros(microdata.distinct, np.int64)
    for at in range(len(microdata.attributes)):
        numbers = np.asarray(release.values(at)[0], np.int64)
        label = np.unique(label * (int(numbers.max(initial=0)) + 1) + numbers, return_inverse=True)[
            1
        ]
    label, first = label_tuples(label * 2 + gone)
    records = np.bincount(label, microdata.counts).astype(np.int64)
    people = microdata.count_people(label.astype(np.int32), records)
    dropped = gone[first]
    return ShownClasses(
        label, first, people, records, dropped, [IN_LAYERS if out else "" for out in dropped]
    )


def label_tuples(keys: Integers) -> tuple[Integers, Integers]:
    """Number the different keys, and return a place of each."""
    _, first, label = np.unique(keys, return_index=True, return_inverse=True)
    return label, first


def describe_classes(
    table: LoadedTable, solution: Solution, dropped: Any, largest: Any, start: Any, count: Any
) -> dict[str, Any]:
    """Return some released or dropped classes, by size, and how many each rule dropped."""
    if not isinstance(dropped, bool) or not isinstance(largest, bool):
        raise DataError("which classes are asked for is not said by yes or no; reload the page.")
    classes = ShownClasses.of(solution)
    chosen = np.flatnonzero(classes.dropped == dropped)
    sizes = classes.people[chosen]
    chosen = chosen[np.argsort(-sizes if largest else sizes, kind="stable")]
    view = rows_asked(chosen.size, start, count)
    shown = chosen[view.start : view.stop]
    sensitive = list(solution.problem.policy.with_columns(table.columns).with_role(Role.SENSITIVE))
    said = [values_of(table, solution, classes, shown, name) for name in sensitive]
    return {
        "start": view.start,
        "total": int(chosen.size),
        "columns": list(solution.problem.microdata.attributes),
        "sensitive": sensitive,
        "rows": [
            {
                "values": list(released_values(solution, int(classes.first_tuple[each]))),
                "people": int(classes.people[each]),
                "records": int(classes.records[each]),
                "sensitive": [column[at] for column in said],
                "reason": classes.reasons[each],
            }
            for at, each in enumerate(shown.tolist())
        ],
        "rules": list(count_reasons(classes)),
    }


def released_values(solution: Solution, of_tuple: int) -> Iterator[str]:
    """Yield what a tuple is generalized to, or would be if it were released."""
    release = solution.release
    for at in range(len(release.microdata.attributes)):
        numbers, values = release.values(at)
        said = str(values[int(numbers[of_tuple])])
        yield "(missing)" if said == MISSING else said


def values_of(
    table: LoadedTable,
    solution: Solution,
    classes: ShownClasses,
    shown: NDArray[np.integer],
    name: str,
) -> list[str]:
    """Count the values of a sensitive column in some classes, and write them down."""
    column = table.coded[name]
    place = np.full(classes.people.size, -1)
    place[shown] = np.arange(shown.size)
    at = place[classes.label_of_tuple[solution.release.microdata.tuple_of_row]]
    inside = at >= 0
    width = len(column.texts)
    counts = np.bincount(at[inside] * width + column.codes[inside], minlength=shown.size * width)
    return [write_counts(column.texts, row) for row in counts.reshape(shown.size, width)]


def write_counts(texts: Any, counts: Integers) -> str:
    """Write the most frequent values with their records.

    >>> write_counts(("asthma", "stroke", ""), np.array([1, 3, 0]))
    'stroke 3, asthma 1'
    """
    order = [at for at in np.argsort(-counts, kind="stable").tolist() if counts[at]]
    named = [f"{texts[at] or '(missing)'} {int(counts[at]):,}" for at in order[:SHOWN_VALUES]]
    more = [f"{len(order) - SHOWN_VALUES:,} more"] if len(order) > SHOWN_VALUES else []
    return ", ".join([*named, *more])


def count_reasons(classes: ShownClasses) -> Iterator[dict[str, Any]]:
    """Count what each rule dropped, most records first."""
    found: dict[str, list[int]] = {}
    for at in np.flatnonzero(classes.dropped).tolist():
        counted = found.setdefault(classes.reasons[at], [0, 0])
        counted[0] += 1
        counted[1] += int(classes.records[at])
    for reason, (number, records) in sorted(found.items(), key=lambda pair: -pair[1][1]):
        yield {"reason": reason, "classes": number, "records": records}
