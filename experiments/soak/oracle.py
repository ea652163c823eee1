"""The best release of a small table, found by trying everything; not a line of it is the package's.

Written from the formulae alone: every scheme is applied to every row, classes are judged, records are
suppressed in the stated order, and Iyengar's loss is taken as a fraction until the last step.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Row = tuple[str, ...]
Levels = tuple[int, ...]
Tree = Mapping[str, tuple[str, ...]]
"""The labels of each leaf, one for each level; the first is the leaf."""
Classes = dict[Row, list[int]]
"""The numbers of the rows that look alike, by how they look."""

TIE = 1e-12


@dataclass(frozen=True)
class Question:
    """A table and what is asked of its release."""

    rows: tuple[Row, ...]
    trees: tuple[Tree, ...]
    people: tuple[str, ...]
    """Whose each row is."""
    sensitive: tuple[str, ...]
    """The sensitive value of each row."""
    models: tuple[dict[str, Any], ...]
    """As a policy has them."""
    weights: tuple[float, ...]
    aggregate: str
    most_suppressed: int
    low: Levels
    high: Levels


@dataclass(frozen=True)
class Answer:
    """A scheme, the rows it suppresses, and its loss."""

    levels: Levels
    suppressed: frozenset[int]
    loss: float


def generalize(question: Question, row: int, levels: Levels) -> Row:
    """Return what a row looks like under a scheme."""
    cells = zip(question.trees, question.rows[row], levels, strict=True)
    return tuple(tree[value][level] for tree, value, level in cells)


def group(looks: Mapping[int, Row]) -> Classes:
    """Put rows that look alike together."""
    found: Classes = {}
    for row, look in looks.items():
        found.setdefault(look, []).append(row)
    return found


def people_of(question: Question, rows: Collection[int]) -> set[str]:
    """Return whose some rows are."""
    return {question.people[row] for row in rows}


# --- risk ---


def holds_alone(question: Question, model: Mapping[str, Any], rows: Sequence[int]) -> bool:
    """Whether a class meets what a model asks of every class."""
    if model["model"] in ("k-anonymity", "strict-average"):
        return len(people_of(question, rows)) >= model["k"]
    if model["model"] == "distinct-l":
        return len({question.sensitive[row] for row in rows}) >= model["l"]
    return True


def average(question: Question, classes: Classes) -> Fraction:
    """The mean over the people of one over the smallest class that each is in."""
    owners = [people_of(question, rows) for rows in classes.values()]
    everyone = set().union(*owners)
    highest = [max(Fraction(1, len(each)) for each in owners if one in each) for one in everyone]
    return sum(highest, Fraction(0)) / len(everyone)


def sample_uniqueness(question: Question, classes: Classes) -> Fraction:
    """The share of people who are alone in a class."""
    everyone = people_of(question, [row for rows in classes.values() for row in rows])
    owners = [people_of(question, rows) for rows in classes.values()]
    alone = set().union(*(people for people in owners if len(people) == 1))
    return Fraction(len(alone), len(everyone))


WHOLE: dict[str, Callable[[Question, Classes], Fraction]] = {
    "average": average,
    "strict-average": average,
    "sample-uniqueness": sample_uniqueness,
}
"""The risks of a whole table."""


def holds_together(question: Question, classes: Classes) -> bool:
    """Whether the risk of the whole table is within every threshold; an empty one has none."""
    limited = [model for model in question.models if model["model"] in WHOLE]
    return not classes or all(
        float(WHOLE[model["model"]](question, classes)) <= model["threshold"] for model in limited
    )


def is_safe(question: Question, classes: Classes) -> bool:
    """Whether a release with these classes meets every model."""
    alone = all(
        holds_alone(question, model, rows) for model in question.models for rows in classes.values()
    )
    return alone and holds_together(question, classes)


# --- suppression ---


def suppress(question: Question, levels: Levels) -> Classes:
    """Drop the classes that break a model, then one after the other until the whole table passes."""
    looks = {row: generalize(question, row, levels) for row in range(len(question.rows))}
    left = {
        look: rows
        for look, rows in group(looks).items()
        if all(holds_alone(question, model, rows) for model in question.models)
    }
    for look in sorted(left, key=lambda look: place(question, levels, look, left[look])):
        if holds_together(question, left):
            break
        del left[look]
    return left


def place(question: Question, levels: Levels, look: Row, rows: Sequence[int]) -> tuple[Any, ...]:
    """Rank a class: the fewest people first, then the least information, then the first tuple."""
    shares = [
        Fraction(sum(labels[level] == label for labels in tree.values()), len(tree))
        for tree, label, level in zip(question.trees, look, levels, strict=True)
    ]
    information = 1 - sum(shares, Fraction(0)) / len(shares)
    order = [list(tree) for tree in question.trees]
    first = min(
        [leaves.index(value) for leaves, value in zip(order, question.rows[row], strict=True)]
        for row in rows
    )
    return len(people_of(question, rows)), information, first


# --- loss ---


def loss_of(question: Question, levels: Levels, suppressed: Collection[int]) -> float:
    """Return Iyengar's loss of the whole table."""
    largest = max(question.weights) or 1.0
    losses = [
        weight / largest * float(attribute_loss(question, at, levels[at], suppressed))
        for at, weight in enumerate(question.weights)
    ]
    if question.aggregate == "arithmetic":
        return sum(losses) / len(losses)
    return math.prod(1 + loss for loss in losses) ** (1 / len(losses)) - 1


def attribute_loss(
    question: Question, at: int, level: int, suppressed: Collection[int]
) -> Fraction:
    """Return the loss of one attribute; a suppressed record counts as generalized to the whole domain."""
    tree, records = question.trees[at], len(question.rows)
    leaves = len(tree)
    if leaves == 1:
        return Fraction(0)
    under = {labels[level]: 0 for labels in tree.values()}
    for labels in tree.values():
        under[labels[level]] += 1
    total = sum(
        (
            Fraction(1) if row in suppressed else Fraction(under[tree[cells[at]][level]], leaves)
            for row, cells in enumerate(question.rows)
        ),
        Fraction(0),
    )
    untouched = Fraction(records, leaves)
    return max(Fraction(0), (total - untouched) / (records - untouched))


# --- the optimum ---


def schemes(question: Question) -> Iterator[Levels]:
    """List every scheme that is allowed."""
    ranges = zip(question.low, question.high, strict=True)
    return itertools.product(*(range(low, high + 1) for low, high in ranges))


def answer(question: Question, levels: Levels) -> Answer:
    """Apply one scheme."""
    kept = {row for rows in suppress(question, levels).values() for row in rows}
    suppressed = frozenset(range(len(question.rows))) - kept
    return Answer(levels, suppressed, loss_of(question, levels, suppressed))


def best(question: Question) -> Answer | None:
    """Try every scheme; ties go to fewer suppressed records, lower levels, the first of equal ones."""
    answers = [answer(question, levels) for levels in schemes(question)]
    allowed = [each for each in answers if len(each.suppressed) <= question.most_suppressed]
    if not allowed:
        return None
    least = min(each.loss for each in allowed)
    tied = [each for each in allowed if each.loss <= least + TIE]
    return min(tied, key=lambda each: (len(each.suppressed), sum(each.levels), each.levels))


# --- a release ---


def faults_of_release(
    question: Question, levels: Levels, suppressed: int, released: Mapping[int, Row], redacted: bool
) -> Iterator[str]:
    """Say what is wrong with released rows, by the number of the original row of each."""
    star = ("*",) * len(question.trees)
    hidden = {
        row
        for row, look in released.items()
        if redacted and look == star and look != generalize(question, row, levels)
    }
    kept = {row: look for row, look in released.items() if row not in hidden}
    for row, look in kept.items():
        if look != generalize(question, row, levels):
            yield f"row {row} is released as {look}, which is not its generalization"
    if redacted and len(released) != len(question.rows):
        yield f"{len(released)} of {len(question.rows)} rows are there, though none was dropped"
    if len(question.rows) - len(kept) != suppressed and not redacted:
        yield f"{len(kept)} of {len(question.rows)} rows are kept, but {suppressed} are suppressed"
    if not is_safe(question, group(kept)) and (not redacted or star not in kept.values()):
        yield "the released rows do not meet the models"
