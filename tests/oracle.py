"""The slow and obvious way to find the best scheme; nothing here comes from the engine.

A row is a tuple of strings. A tree maps each value of an attribute to its labels, one for each level.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

Row = tuple[str, ...]
Tree = Mapping[str, tuple[str, ...]]
Levels = tuple[int, ...]

TIE = 1e-12


@dataclass(frozen=True)
class Problem:
    """A table, its trees, and what is asked of the release."""

    rows: tuple[Row, ...]
    trees: tuple[Tree, ...]
    k: int
    weights: tuple[float, ...] = ()
    aggregate: str = "geometric"
    suppression_limit: int = 10**9
    low: Levels = ()
    high: Levels = ()
    limits: tuple[tuple[str, float], ...] = ()
    """Risks of the whole table and their thresholds: RISKS names them."""
    persons: tuple[int, ...] = ()
    """Whose each row is; without it each row is a person."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "persons", self.persons or tuple(range(len(self.rows))))
        tops = tuple(height(tree) - 1 for tree in self.trees)
        object.__setattr__(self, "weights", self.weights or (1.0,) * len(self.trees))
        object.__setattr__(self, "low", self.low or (0,) * len(self.trees))
        object.__setattr__(self, "high", self.high or tops)

    @property
    def relative_weights(self) -> tuple[float, ...]:
        """The weights divided by the largest of them."""
        largest = max(self.weights) or 1.0
        return tuple(weight / largest for weight in self.weights)

    def schemes(self) -> Iterator[Levels]:
        """Every level vector that is allowed."""
        return itertools.product(
            *(range(low, high + 1) for low, high in zip(self.low, self.high, strict=True))
        )


@dataclass(frozen=True)
class Outcome:
    """What a scheme makes of the table."""

    levels: Levels
    suppressed: frozenset[int] = field(repr=False)
    """The numbers of the suppressed rows."""
    loss: float
    feasible: bool


def height(tree: Tree) -> int:
    """The number of levels."""
    return len(next(iter(tree.values())))


def generalize(row: Row, trees: Sequence[Tree], levels: Levels) -> Row:
    """Replace each value by its label.

    >>> generalize(("34", "F"), [{"34": ("34", "30s")}, {"F": ("F", "*")}], (1, 0))
    ('30s', 'F')
    """
    return tuple(tree[value][level] for value, tree, level in zip(row, trees, levels, strict=True))


def classes(rows: Sequence[Row], trees: Sequence[Tree], levels: Levels) -> dict[Row, list[int]]:
    """List the numbers of the rows that look the same."""
    members: dict[Row, list[int]] = {}
    for number, row in enumerate(rows):
        members.setdefault(generalize(row, trees, levels), []).append(number)
    return members


def rows_in_small_classes(
    rows: Sequence[Row], trees: Sequence[Tree], levels: Levels, k: int
) -> frozenset[int]:
    """List the rows that fewer than k rows look like."""
    members = classes(rows, trees, levels).values()
    return frozenset(itertools.chain.from_iterable(m for m in members if len(m) < k))


def attribute_loss(
    values: Sequence[str], tree: Tree, level: int, suppressed: frozenset[int]
) -> Fraction:
    """Say how much of one attribute is lost: 0 is untouched, 1 is nothing left.

    >>> sizes = {"S": ("S", "small"), "M": ("M", "large"), "L": ("L", "large")}
    >>> attribute_loss(["S", "M"], sizes, 1, frozenset())  # shares 1/3 and 2/3
    Fraction(1, 4)
    """
    n, d = len(values), len(tree)
    if d == 1:
        return Fraction(0)
    leaves_under = Counter(labels[level] for labels in tree.values())
    covered = sum(
        d if number in suppressed else leaves_under[tree[value][level]]
        for number, value in enumerate(values)
    )
    total = Fraction(covered, d)  # the sum of the shares
    untouched = Fraction(n, d)
    return max(Fraction(0), (total - untouched) / (n - untouched))


def attribute_losses(
    problem: Problem, levels: Levels, suppressed: frozenset[int]
) -> list[Fraction]:
    """Say for each attribute how much is lost."""
    columns = zip(*problem.rows, strict=True)
    return [
        attribute_loss(values, tree, level, suppressed)
        for values, tree, level in zip(columns, problem.trees, levels, strict=True)
    ]


def loss(problem: Problem, levels: Levels, suppressed: frozenset[int]) -> float:
    """Iyengar's loss of the whole table with some rows suppressed."""
    losses = attribute_losses(problem, levels, suppressed)
    weights = problem.relative_weights
    weighted = [w * float(lost) for w, lost in zip(weights, losses, strict=True)]
    if problem.aggregate == "arithmetic":
        return sum(weighted) / len(weighted)
    return math.prod(1 + lost for lost in weighted) ** (1 / len(weighted)) - 1


People = set[int]


def average(classes: Sequence[People]) -> Fraction:
    """Return the mean over the people of their highest one over the size of a class they are in.

    >>> average([{1, 2}, {2}]), average([{1, 2}, {3}])
    (Fraction(3, 4), Fraction(2, 3))
    """
    everybody = set().union(*classes)
    highest = [max(Fraction(1, len(c)) for c in classes if person in c) for person in everybody]
    return sum(highest, Fraction(0)) / len(everybody)


def sample_uniqueness(classes: Sequence[People]) -> Fraction:
    """Return the share of the people who are alone in a class."""
    alone = set().union(*[people for people in classes if len(people) == 1])
    return Fraction(len(alone), len(set().union(*classes)))


RISKS = {"average": average, "sample-uniqueness": sample_uniqueness}
"""What the risk of a table is, by the people in each of its classes."""


def information(row: Row, trees: Sequence[Tree], levels: Levels) -> float:
    """Return the information content of a generalized record: the mean of 1 - share."""
    shares = []
    for label, tree, level in zip(row, trees, levels, strict=True):
        leaves = [labels for labels in tree.values() if labels[level] == label]
        shares.append(len(leaves) / len(tree))
    return round(1 - sum(shares) / len(shares), 12)


def in_order_of_suppression(
    problem: Problem, levels: Levels, members: Mapping[Row, list[int]]
) -> list[Row]:
    """Order classes: the smallest first, then the least informative, then by the first tuple."""
    rank = [{leaf: number for number, leaf in enumerate(tree)} for tree in problem.trees]

    def first_tuple(label: Row) -> list[int]:
        return min(
            [ranks[value] for ranks, value in zip(rank, problem.rows[number], strict=True)]
            for number in members[label]
        )

    return sorted(
        members,
        key=lambda label: (
            len(people_of(problem, members[label])),
            information(label, problem.trees, levels),
            first_tuple(label),
        ),
    )


def people_of(problem: Problem, rows: Sequence[int]) -> People:
    """Say whose some rows are."""
    return {problem.persons[row] for row in rows}


def passes(problem: Problem, people: list[People]) -> bool:
    """Whether a table with these people in its classes is within every limit; an empty one always is."""
    return not people or all(
        float(RISKS[name](people)) <= threshold for name, threshold in problem.limits
    )


def suppressed_rows(problem: Problem, levels: Levels) -> frozenset[int]:
    """Drop small classes, then one class after the other until every limit is kept."""
    members = {
        label: rows
        for label, rows in classes(problem.rows, problem.trees, levels).items()
        if len(people_of(problem, rows)) >= problem.k
    }
    left = in_order_of_suppression(problem, levels, members)
    while not passes(problem, [people_of(problem, members[label]) for label in left]):
        left.pop(0)
    kept = itertools.chain.from_iterable(members[label] for label in left)
    return frozenset(range(len(problem.rows))) - frozenset(kept)


def evaluate(problem: Problem, levels: Levels) -> Outcome:
    """Generalize, suppress, measure."""
    suppressed = suppressed_rows(problem, levels)
    return Outcome(
        levels,
        suppressed,
        loss(problem, levels, suppressed),
        len(suppressed) <= problem.suppression_limit,
    )


def best(problem: Problem) -> Outcome | None:
    """Try every scheme; ties go to fewer suppressed rows, then to lower levels."""
    feasible = [o for levels in problem.schemes() if (o := evaluate(problem, levels)).feasible]
    if not feasible:
        return None
    least = min(outcome.loss for outcome in feasible)
    tied = [outcome for outcome in feasible if outcome.loss <= least + TIE]
    return min(tied, key=lambda o: (len(o.suppressed), sum(o.levels), o.levels))
