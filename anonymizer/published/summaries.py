"""Medians, quartiles and means in a printed table, and whose values they give away.

Of three people, the median is somebody's value; of two, a mean tells each of them the other's. The people
of a cell are put in order of their values. Then a median, a quartile, the least and the largest value
are each one person's value, or lie between two neighbours', and a mean is the sum of all: equations, with
the order as inequalities. A value is given away if it is the same in all solutions.

    outsider      knows that somebody is in the arm. Guesses the value that most people have for certain.
    participant   knows their own value too, and guesses that of another.

Nothing is known of the values without the table, so the baseline of both is 0. Programs compute
quartiles in different ways; the one that gives most away counts. A standard deviation is used where it
leaves two people, or all have one value; that is not all that it may say.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from anonymizer.published.indicators import Guess

Weights = dict[int, Fraction]
"""The ranks, from 0, that make a statistic, each with its part."""
RANGE = "least", "q1", "median", "q3", "most"
"""The statistics that lie in this order."""
SURE = 1e-7


@dataclass(frozen=True, slots=True)
class Statistic:
    """A figure as it is printed."""

    value: Fraction
    unit: Fraction = Fraction(0)
    """That of its last digit: it was rounded to that."""


@dataclass(frozen=True, slots=True)
class SummaryCell:
    """What is printed of the values in one arm."""

    text: str
    people: int
    statistics: Mapping[str, Statistic]
    """By name: mean, sd, and those of RANGE."""


@dataclass(frozen=True, slots=True)
class Summary:
    """A row of the table that summarizes values in each arm; None where an arm has no figure."""

    name: str
    cells: tuple[SummaryCell | None, ...]
    heading: str = ""
    unread: tuple[str, ...] = ()
    """A note on each cell that cannot be read."""

    @property
    def label(self) -> str:
        """The name that identifies the row in the table."""
        return f"{self.heading}: {self.name}" if self.heading else self.name


@dataclass(frozen=True, slots=True)
class ValueAttack:
    """What the figures of one arm say about the values of single people."""

    arm: str
    cell: SummaryCell
    outsider: Guess | None = None
    participant: Guess | None = None
    fits: bool = True
    """Whether so many people can have such figures at all."""

    @property
    def advantage(self) -> float:
        """The probability of the better guess; nothing is known without the table."""
        return max(
            (each.advantage for each in (self.outsider, self.participant) if each), default=0
        )


@dataclass(frozen=True, slots=True)
class AttackedSummary:
    """A row of figures with the attack on each arm."""

    row: Summary
    attacks: tuple[ValueAttack, ...]

    @property
    def advantage(self) -> float:
        """The largest advantage of all arms."""
        return max((attack.advantage for attack in self.attacks), default=0.0)


def attack_summary(row: Summary, arms: Sequence[str]) -> AttackedSummary:
    """Attack the figures of each arm that has some."""
    pairs = zip(arms, row.cells, strict=True)
    return AttackedSummary(row, tuple(attack_values(arm, cell) for arm, cell in pairs if cell))


def attack_values(arm: str, cell: SummaryCell) -> ValueAttack:
    """Attack the figures of one arm, with the way to compute quartiles that gives most away.

    >>> three = {"median": Statistic(Fraction(54))}
    >>> attack_values("placebo", SummaryCell("54", 3, three)).outsider
    Guess(answer='54', probability=0.3333333333333333, baseline=0.0)
    """
    ways = {tuple(sorted(map(repr, each.items()))): each for each in ways_to_compute(cell)}
    found = [attacked for ranks in ways.values() if (attacked := attack_ranks(arm, cell, ranks))]
    return max(found, key=lambda each: each.advantage, default=ValueAttack(arm, cell, fits=False))


def attack_ranks(arm: str, cell: SummaryCell, ranks: dict[str, Weights]) -> ValueAttack | None:
    """Attack with quartiles at given ranks; None if nobody can have such figures."""
    solved = solve(cell, ranks)
    if solved is None:
        return None
    return ValueAttack(arm, cell, guess_outside(solved, cell), guess_inside(solved))


# --- at which ranks the statistics are ---


def between(place: Fraction, people: int) -> Weights:
    """Divide a place between two ranks."""
    place = min(max(place, Fraction(0)), Fraction(people - 1))
    low = math.floor(place)
    part = place - low
    return {low: 1 - part, low + 1: part} if part else {low: Fraction(1)}


def averaged(share: Fraction, people: int) -> Weights:
    """Take the mean of two neighbours where a share of the people is a whole number."""
    count = share * people
    if count.denominator > 1:
        return {math.floor(count): Fraction(1)}
    return {int(count) - 1: Fraction(1, 2), int(count): Fraction(1, 2)}


QUARTILES: dict[str, Callable[[Fraction, int], Weights]] = {
    "as R and pandas do": lambda share, people: between((people - 1) * share, people),
    "as SPSS does": lambda share, people: between((people + 1) * share - 1, people),
    "as SAS and Stata do": averaged,
}
"""The usual ways to compute quartiles: types 7, 6 and 2 of Hyndman and Fan 1996."""


def ways_to_compute(cell: SummaryCell) -> Iterator[dict[str, Weights]]:
    """Say at which ranks the figures of a cell are, for each way to compute quartiles."""
    people = cell.people
    for way in QUARTILES.values():
        places = {
            "least": {0: Fraction(1)},
            "q1": way(Fraction(1, 4), people),
            "median": between(Fraction(people - 1, 2), people),
            "q3": way(Fraction(3, 4), people),
            "most": {people - 1: Fraction(1)},
        }
        yield {name: ranks for name, ranks in places.items() if name in cell.statistics}


# --- what follows from them ---


@dataclass(frozen=True, slots=True)
class KnownValues:
    """What the figures say of the values, in order; ranks that no figure names are in blocks."""

    sizes: tuple[int, ...]
    """How many people each block is."""
    equations: np.ndarray
    """One for each row: parts of the blocks' means."""
    known: tuple[bool, ...]
    """Whether all people of a block have one value, which is known."""
    values: tuple[float, ...]
    spread: bool
    """Whether mean and standard deviation are known."""

    @property
    def people(self) -> int:
        """The people of the arm."""
        return sum(self.sizes)

    def counted(self) -> Counter[float]:
        """Count who certainly has each value."""
        found: Counter[float] = Counter()
        for size, known, value in zip(self.sizes, self.known, self.values, strict=True):
            if known:
                found[digits(value)] += size
        return found


def solve(cell: SummaryCell, ranks: dict[str, Weights]) -> KnownValues | None:
    """Find whose values are the same in all solutions; None if there is no solution."""
    sizes, block_of = blocks(cell.people, ranks)
    rows, given = equations(cell, ranks, sizes, block_of)
    found = (order(rows, given, slack, len(sizes)) for slack in slacks(cell, ranks))
    fitting = next((each for each in found if each is not None), None)
    if fitting is None:
        return None
    values, tied = fitting
    deviation = cell.statistics.get("sd")
    if deviation and deviation.value == 0:
        values, tied = np.full(len(sizes), (*given, 0.0)[0]), np.ones(len(sizes) - 1, bool)
    rows = np.vstack([rows, np.diff(np.eye(len(sizes)), axis=0)[tied]])
    joined = np.append(False, tied) | np.append(tied, False)
    known = in_span(rows) & (joined | (np.array(sizes) == 1))
    spread = deviation is not None and "mean" in cell.statistics
    if spread and np.array(sizes)[~known].sum() == 2:
        values, known = solve_pair(cell, sizes, values, known), np.ones(len(sizes), bool)
    return KnownValues(sizes, rows, tuple(known.tolist()), tuple(values.tolist()), spread)


def blocks(people: int, ranks: dict[str, Weights]) -> tuple[tuple[int, ...], dict[int, int]]:
    """Divide the ranks at those that a statistic names; return sizes, and the block of these."""
    named = sorted({rank for weights in ranks.values() for rank in weights})
    sizes: list[int] = []
    block_of: dict[int, int] = {}
    at = 0
    for rank in named:
        if rank > at:
            sizes.append(rank - at)
        block_of[rank] = len(sizes)
        sizes.append(1)
        at = rank + 1
    if at < people:
        sizes.append(people - at)
    return tuple(sizes), block_of


def equations(
    cell: SummaryCell, ranks: dict[str, Weights], sizes: Sequence[int], block_of: dict[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Write each statistic as a sum over blocks, with its value."""
    rows, given = [], []
    for name, weights in ranks.items():
        row = np.zeros(len(sizes))
        for rank, weight in weights.items():
            row[block_of[rank]] = float(weight)
        rows.append(row)
        given.append(float(cell.statistics[name].value))
    if mean := cell.statistics.get("mean"):
        rows.append(np.array(sizes) / cell.people)
        given.append(float(mean.value))
    return np.array(rows).reshape(len(rows), len(sizes)), np.array(given)


def slacks(cell: SummaryCell, ranks: dict[str, Weights]) -> Iterator[np.ndarray]:
    """Say by how much the figures may be off: not at all, the mean by its rounding, or all by theirs."""
    names = [*ranks, *(["mean"] if "mean" in cell.statistics else [])]
    halves = np.array([float(cell.statistics[name].unit) / 2 for name in names])
    yield np.zeros(len(names))
    yield halves * np.array([name == "mean" for name in names])
    yield halves


def order(
    rows: np.ndarray, given: np.ndarray, slack: np.ndarray, blocks: int
) -> tuple[np.ndarray, np.ndarray] | None:
    """Find values in ascending order that fit, and which neighbours are equal in all that do.

    One linear program: the solution is scaled by a factor of at least 1, until all gaps that can be
    open are open by 1.
    """
    from scipy.optimize import linprog

    scale = max(1e-300, float(np.max(np.abs(given), initial=0.0)))
    low, high = (given - slack) / scale, (given + slack) / scale
    gaps = blocks - 1
    wide = np.zeros((len(given), gaps))
    above = np.hstack([rows, -high[:, None], wide])
    below = np.hstack([-rows, low[:, None], wide])
    ascending = np.hstack([-np.diff(np.eye(blocks), axis=0), np.zeros((gaps, 1)), np.eye(gaps)])
    limits = np.vstack([above, below, ascending])
    bounds = [(None, None)] * blocks + [(1, 1e6)] + [(0, 1)] * gaps
    goal = np.append(np.zeros(blocks + 1), -np.ones(gaps))
    found = linprog(goal, limits, np.zeros(len(limits)), bounds=bounds, method="highs")
    if not found.success:
        return None
    return found.x[:blocks] / found.x[blocks] * scale, found.x[blocks + 1 :] < 0.5


def in_span(rows: np.ndarray) -> np.ndarray:
    """Say for each unknown whether it follows from the equations, whatever their right sides are."""
    return np.diag(np.linalg.pinv(rows) @ rows) > 1 - SURE


def solve_pair(
    cell: SummaryCell, sizes: Sequence[int], values: np.ndarray, known: np.ndarray
) -> np.ndarray:
    """Find the last two values by mean and standard deviation."""
    people, mean = cell.people, float(cell.statistics["mean"].value)
    squares = float(cell.statistics["sd"].value) ** 2 * (people - 1) + people * mean**2
    parts = np.array(sizes)[known]
    total = people * mean - parts @ values[known]
    squares -= parts @ values[known] ** 2
    apart = math.sqrt(max(0.0, squares / 2 - total**2 / 4))
    found = values.copy()
    pair = np.flatnonzero(~known)
    found[pair] = (total / 2 - apart, total / 2 + apart)[: len(pair)]
    return found


def digits(value: float) -> float:
    """Round a value to what a linear program is sure of."""
    return float(f"{value:.6g}") + 0.0


# --- what attackers guess ---


def guess_outside(solved: KnownValues, cell: SummaryCell) -> Guess | None:
    """Guess the value that most people certainly have; of several, one that is printed."""
    counted = solved.counted()
    if not counted:
        return None
    printed = {digits(float(each.value)) for each in cell.statistics.values()}
    value, people = max(counted.items(), key=lambda each: (each[1], each[0] in printed, -each[0]))
    return Guess(f"{value:g}", people / solved.people, 0.0)


def guess_inside(solved: KnownValues) -> Guess | None:
    """Guess the value of another, knowing one's own, for the participant who learns most."""
    if solved.people < 2:
        return None
    most = max(others_known(solved, block) for block in range(len(solved.sizes)))
    return Guess("another's value", most / (solved.people - 1), 0.0) if most else None


def others_known(solved: KnownValues, block: int) -> int:
    """Count the others of whom somebody in a block knows that they have one value, and which."""
    counted = solved.counted()
    if solved.known[block]:
        counted[digits(solved.values[block])] -= 1
        return max(counted.values())
    learned = newly_known(solved, block)
    return max([*counted.values(), int(learned > 0)])


def newly_known(solved: KnownValues, block: int) -> int:
    """Count the others whose values follow once somebody of a block knows their own."""
    sizes, rows = list(solved.sizes), solved.equations
    own = np.zeros(len(sizes) + 1)
    own[-1] = 1.0
    part = 1 / sizes[block]
    rows = np.hstack([rows, rows[:, [block]] * part])
    rows[:, block] *= 1 - part  # the block without its member
    sizes[block] -= 1
    follows = in_span(np.vstack([rows, own]))[:-1] & (np.array(sizes) == 1)
    unknown = np.array(sizes) * ~np.array(solved.known)
    left = int(unknown.sum() - unknown[follows].sum())
    return int(unknown.sum()) if solved.spread and left <= 2 else int(unknown[follows].sum())


# --- as JSON ---


def describe_summary(found: AttackedSummary) -> dict[str, Any]:
    """Describe the attacks on a row of figures."""
    return {
        "name": found.row.label,
        "not_read": list(found.row.unread),
        "arms": {
            attack.arm: {
                "printed": attack.cell.text,
                "people": attack.cell.people,
                "read_as": {
                    name: float(each.value) for name, each in attack.cell.statistics.items()
                },
                "fits": attack.fits,
                "outsider": describe(attack.outsider),
                "participant": describe(attack.participant),
            }
            for attack in found.attacks
        },
    }


def describe(guess: Guess | None) -> dict[str, Any] | None:
    """Describe a guess; None where nothing is given away."""
    return None if guess is None else {"answer": guess.answer, "probability": guess.probability}
