"""The slow and obvious way to each measure, from rows, levels and the numbers of suppressed rows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

from tests import oracle
from tests.oracle import Levels, Problem

Suppressed = frozenset[int]


def weighted_mean(problem: Problem, losses: list[float]) -> float:
    """The mean over the attributes, each with its weight."""
    weighted = [w * float(loss) for w, loss in zip(problem.relative_weights, losses, strict=True)]
    return sum(weighted) / len(weighted)


def entropy(problem: Problem, levels: Levels, suppressed: Suppressed) -> float:
    """The formula of the design, word by word."""
    losses, n = [], len(problem.rows)
    for a, (tree, level) in enumerate(zip(problem.trees, levels, strict=True)):
        c = Counter(row[a] for row in problem.rows)
        c_l = Counter(tree[row[a]][level] for row in problem.rows)
        s = Counter(tree[problem.rows[number][a]][level] for number in suppressed)
        generalized = sum(c[v] * math.log2(c_l[tree[v][level]] / c[v]) for v in c)
        gone = sum(s[g] * math.log2(len(suppressed) / s[g]) for g in s)
        everything = sum(c[v] * math.log2(n / c[v]) for v in c)
        losses.append((generalized + gone) / everything if everything else 0.0)
    return weighted_mean(problem, losses)


def precision(problem: Problem, levels: Levels, suppressed: Suppressed) -> float:
    """Add up, record by record, how far each value is up its tree."""
    losses = []
    for tree, level in zip(problem.trees, levels, strict=True):
        top = oracle.height(tree) - 1
        of_kept = Fraction(level, top) if top else Fraction(0)
        lost = sum(1 if number in suppressed else of_kept for number in range(len(problem.rows)))
        losses.append(float(lost / Fraction(len(problem.rows))))
    return weighted_mean(problem, losses)


def discernibility(problem: Problem, levels: Levels, suppressed: Suppressed) -> float:
    """Try all pairs of different records: is one suppressed, or do they look the same?"""
    shown = [oracle.generalize(row, problem.trees, levels) for row in problem.rows]
    numbers = range(len(shown))
    pairs = [(one, other) for one in numbers for other in numbers if one != other]
    alike = [one in suppressed or shown[one] == shown[other] for one, other in pairs]
    return sum(alike) / len(pairs) if pairs else 0.0


def class_size(problem: Problem, levels: Levels, suppressed: Suppressed) -> float:
    """Count what can still be told apart; all suppressed records look the same."""
    n = len(problem.rows)
    looks = {
        "suppressed" if number in suppressed else oracle.generalize(row, problem.trees, levels)
        for number, row in enumerate(problem.rows)
    }
    average = Fraction(n, len(looks))
    # 0 where the average is 1, 1 where it is n, and linear in its reciprocal
    return float((1 - 1 / average) / (1 - Fraction(1, n))) if n > 1 else 0.0


def height(problem: Problem, levels: Levels, suppressed: Suppressed) -> float:
    """Add up, record by record, the levels of its values; a suppressed one is at the top."""
    tops = [max(1, oracle.height(tree) - 1) for tree in problem.trees]
    lost = [sum(tops) if n in suppressed else sum(levels) for n in range(len(problem.rows))]
    return sum(lost) / (len(lost) * sum(tops))


def ambiguity(problem: Problem, levels: Levels, suppressed: Suppressed) -> float:
    """Count, record by record, the combinations of leaves that it could stand for."""
    everything = math.prod(len(tree) for tree in problem.trees)
    counts = []
    for number, row in enumerate(problem.rows):
        values = zip(row, problem.trees, levels, strict=True)
        leaves = [
            sum(labels[level] == tree[value][level] for labels in tree.values())
            for value, tree, level in values
        ]
        counts.append(everything if number in suppressed else math.prod(leaves))
    return (sum(counts) / len(counts) - 1) / (everything - 1) if everything > 1 else 0.0


ORACLES: dict[str, Callable[[Problem, Levels, Suppressed], float]] = {
    "loss": oracle.loss,
    "entropy": entropy,
    "discernibility": discernibility,
    "class-size": class_size,
    "precision": precision,
    "height": height,
    "ambiguity": ambiguity,
}
