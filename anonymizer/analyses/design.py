"""Design: the terms of a formula as columns of numbers, of the original and of its release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from anonymizer.analyses.pair import ABSENT, Categories, Floats, Numbers, Pair
from anonymizer.comparison.binning import FEWEST_PEOPLE, OTHER
from anonymizer.data.aggregate import count_people
from anonymizer.errors import DataError
from anonymizer.policy.analysis import Fitted
from anonymizer.policy.formula import Factor, Formula

MOST_CATEGORIES = 100
"""A column of more categories is not one that a regression can be read of."""


@dataclass(frozen=True, slots=True, eq=False)
class Regressor:
    """One coefficient's column; NaN where the record has no value."""

    term: str
    before: Floats
    after: Floats
    lost: bool = False
    """Whether the release has nothing that the coefficient could be estimated from."""


def build(formula: Formula, pair: Pair, analysis: Fitted) -> list[Regressor]:
    """Return the column of every coefficient but the intercept."""
    return [
        interact(parts)
        for term in formula.terms
        for parts in product(*(list(expand(factor, pair, analysis)) for factor in term))
    ]


def interact(parts: Sequence[Regressor]) -> Regressor:
    """Multiply the columns of an interaction."""
    before, after = np.ones_like(parts[0].before), np.ones_like(parts[0].after)
    for part in parts:
        before, after = before * part.before, after * part.after
    name = ":".join(part.term for part in parts)
    lost = any(part.lost for part in parts) or is_constant(after)
    return Regressor(name, before, after, lost)


def is_constant(column: Floats) -> bool:
    """Whether a column says nothing: one value, or none, in all records that have it."""
    known = column[np.isfinite(column)]
    return known.size == 0 or bool((known == known[0]).all())


def expand(factor: Factor, pair: Pair, analysis: Fitted) -> Iterator[Regressor]:
    """Return a column of numbers, or one for each category but the most frequent."""
    found = variable(factor.name, pair, analysis, factor.category)
    if isinstance(found, Numbers):
        lost = is_constant(found.after)
        yield Regressor(factor.name, found.before, found.after, lost)
        return
    if len(found.labels) > MOST_CATEGORIES:
        raise DataError(
            f"analysis '{analysis.name}': column '{factor.name}' has {len(found.labels):,} categories in "
            f"the release, more than {MOST_CATEGORIES}; leave it out, or use one with fewer."
        )
    yield from indicators(factor.name, found)


def variable(
    name: str, pair: Pair, analysis: Fitted, category: bool = False
) -> Numbers | Categories:
    """Return a column as the analysis states that it enters."""
    as_category = category or (
        analysis.generalized == "category" and pair.is_quasi(name) and pair.coarsest(name) > 0
    )
    numbers = None if as_category else pair.numbers(name)
    if numbers is not None:
        return numbers
    return merge_rare(pair.categories(name, analysis.missing == "category"), pair.person_of_row)


def merge_rare(found: Categories, person: NDArray[np.int64]) -> Categories:
    """Put the categories of few people into one; if that has few too, its records have none.

    A coefficient of one person would give their response away.
    """
    there = found.before != ABSENT
    people = count_people(found.before[there], person[there], len(found.labels))
    rare = people < FEWEST_PEOPLE
    if not rare.any():
        return found
    few = there & np.append(rare, False)[found.before]  # ABSENT is the last entry
    enough = np.unique(person[few]).size >= FEWEST_PEOPLE
    labels = [label for label, is_rare in zip(found.labels, rare, strict=True) if not is_rare]
    new = np.where(rare, len(labels) if enough else ABSENT, np.cumsum(~rare) - 1)
    new = np.append(new, ABSENT)
    return Categories(
        (*labels, OTHER) if enough else tuple(labels),
        new[found.before],
        new[found.after],
        found.lost,
    )


def indicators(name: str, found: Categories) -> Iterator[Regressor]:
    """Return a column of 0 and 1 for each category but the one that the others are compared with.

    Where each category has too few people, none is left.
    """
    if not found.labels:
        return
    base = reference(found)
    for code, label in enumerate(found.labels):
        if code == base:
            continue
        after = indicator(found.after, code)
        yield Regressor(
            f"{name}: {label}",
            indicator(found.before, code),
            after,
            found.lost or is_constant(after),
        )


def reference(found: Categories) -> int:
    """Return the most frequent category of the original, of those that are released if any is."""
    counts = count(found.before, len(found.labels))
    released = count(found.after, len(found.labels)) > 0
    return int(np.argmax(np.where(released, counts, 0) if released.any() else counts))


def count(codes: NDArray[np.int64], number: int) -> NDArray[np.int64]:
    """Count each category."""
    return np.bincount(codes[codes != ABSENT], minlength=number)


def indicator(codes: NDArray[np.int64], code: int) -> Floats:
    """Return 1 for a category, 0 for another one, NaN for a missing cell."""
    return np.where(codes == ABSENT, np.nan, (codes == code).astype(np.float64))


def yes_or_no(name: str, positive: str, pair: Pair, analysis: Fitted) -> Numbers:
    """Return 1 for the stated value of a column, 0 for another."""
    found = pair.categories(name, missing=False)
    if positive not in found.labels:
        where = "at the level of the release" if pair.is_quasi(name) else "in the original"
        raise DataError(
            f"analysis '{analysis.name}': no record has the stated value of '{name}' {where}; set "
            "`positive` to one that occurs."
        )
    code = found.labels.index(positive)
    return Numbers(indicator(found.before, code), indicator(found.after, code))


def number(name: str, pair: Pair, analysis: Fitted) -> Numbers:
    """Return a column that must be one of numbers."""
    found = pair.numbers(name)
    if found is None:
        raise DataError(
            f"analysis '{analysis.name}': column '{name}' holds texts, and a number is needed; name "
            'another column, or use kind = "logistic".'
        )
    return found


def check_varies(name: str, column: Floats, analysis: Fitted) -> None:
    """Raise a DataError for a response with one value in the original."""
    if is_constant(column):
        raise DataError(
            f"analysis '{analysis.name}': '{name}' has one value in the original, so there is nothing "
            "to explain; name another column."
        )
