"""The slow and obvious way to each measure, from rows, levels and the numbers of suppressed rows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

from tests import oracle
from tests.oracle import Levels, Problem

Suppressed = frozenset[int]


def entropy(problem: Problem, levels: Levels, suppressed: Suppressed, aggregate: str = "") -> float:
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
    return aggregated(problem, losses, aggregate or problem.aggregate)


def precision(
    problem: Problem, levels: Levels, suppressed: Suppressed, aggregate: str = ""
) -> float:
    """Add up, record by record, how far each value is up its tree."""
    losses = []
    for tree, level in zip(problem.trees, levels, strict=True):
        top = oracle.height(tree) - 1
        of_kept = Fraction(level, top) if top else Fraction(0)
        lost = sum(1 if number in suppressed else of_kept for number in range(len(problem.rows)))
        losses.append(float(lost / Fraction(len(problem.rows))))
    return aggregated(problem, losses, aggregate or problem.aggregate)


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


def kl_divergence(problem: Problem, levels: Levels, suppressed: Suppressed) -> float:
    """Compare, combination by combination, what the table has and what the release shows."""
    n, everything = len(problem.rows), math.prod(len(tree) for tree in problem.trees)
    shown = [oracle.generalize(row, problem.trees, levels) for row in problem.rows]
    alike, divergence, furthest = Counter(shown), 0.0, 0.0
    for row, count in Counter(problem.rows).items():
        number = problem.rows.index(row)
        cells = math.prod(
            sum(labels[level] == tree[value][level] for labels in tree.values())
            for value, tree, level in zip(row, problem.trees, levels, strict=True)
        )
        released = Fraction(alike[shown[number]], n * cells)
        if number in suppressed:
            released = Fraction(len(suppressed), n * everything)
        share = Fraction(count, n)
        divergence += float(share) * math.log2(share / released)
        furthest += float(share) * math.log2(share * everything)
    return min(1.0, max(0.0, divergence / furthest)) if furthest > 1e-9 else 0.0


def general_loss(
    problem: Problem,
    levels: Levels,
    suppressed: Suppressed,
    aggregate: str = "",
    factor: float = 0.5,
) -> float:
    """Add up, cell by cell, what ARX counts with a generalization/suppression factor."""
    of_kept, of_rest = min(1, 2 - 2 * Fraction(factor)), min(1, 2 * Fraction(factor))
    n, losses = len(problem.rows), []
    for a, (tree, level) in enumerate(zip(problem.trees, levels, strict=True)):
        total, untouched = Fraction(0), of_kept * Fraction(n, len(tree))
        for number, row in enumerate(problem.rows):
            alike = sum(labels[level] == tree[row[a]][level] for labels in tree.values())
            share = Fraction(alike, len(tree))
            gone = number in suppressed
            total += share + of_rest * (1 - share) if gone else of_kept * share
        losses.append(float((total - untouched) / (n - untouched)) if len(tree) > 1 else 0.0)
    return aggregated(problem, losses, aggregate or problem.aggregate)


def aggregated(problem: Problem, losses: list[float], aggregate: str) -> float:
    """Make one of the attributes' losses."""
    weights = problem.relative_weights
    weighted = [weight * loss for weight, loss in zip(weights, losses, strict=True)]
    if aggregate == "maximum":
        return max(weighted)
    if aggregate == "sum":
        return sum(weighted) / (sum(weights) or 1)
    if aggregate == "arithmetic":
        return sum(weighted) / len(weighted)
    return math.prod(1 + loss for loss in weighted) ** (1 / len(weighted)) - 1


VARIANTS: dict[str, dict[str, Any]] = {
    "loss, maximum": {"aggregate": "maximum"},
    "loss, sum": {"aggregate": "sum"},
    "loss, factor 0": {"factor": 0.0},
    "loss, factor 0.2": {"factor": 0.2},
    "loss, factor 0.8": {"factor": 0.8},
    "loss, factor 1": {"factor": 1.0},
    "loss, maximum, factor 0.3": {"aggregate": "maximum", "factor": 0.3},
    "loss, sum, factor 0.9": {"aggregate": "sum", "factor": 0.9},
    "entropy, maximum": {"aggregate": "maximum"},
    "entropy, sum": {"aggregate": "sum"},
    "precision, maximum": {"aggregate": "maximum"},
    "precision, sum": {"aggregate": "sum"},
}
"""Measures with other parameters than a mean and the factor 0.5."""
VARIED = {"loss": general_loss, "entropy": entropy, "precision": precision}

ORACLES: dict[str, Callable[[Problem, Levels, Suppressed], float]] = {
    "loss": oracle.loss,
    "entropy": entropy,
    "discernibility": discernibility,
    "class-size": class_size,
    "precision": precision,
    "height": height,
    "ambiguity": ambiguity,
    "kl-divergence": kl_divergence,
    **{name: partial(VARIED[name.split(",")[0]], **given) for name, given in VARIANTS.items()},
}
