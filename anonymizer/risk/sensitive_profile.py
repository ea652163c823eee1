"""What the classes of a table give away about a sensitive attribute, whichever model drove the search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonymizer.kernels.histograms import grouped_distances
from anonymizer.risk.model import RiskModel
from anonymizer.table.classes import EquivalenceClasses
from anonymizer.table.domain import read_only
from anonymizer.table.sensitive import SensitiveColumn


@dataclass(frozen=True, slots=True)
class SensitiveProfile:
    """What the classes of a table give away about one sensitive attribute; 0 without classes."""

    values: int
    """The different values in the classes, a missing one too."""
    least_distinct: int
    """Distinct l-diversity: the fewest values of a class."""
    least_entropy: float
    """Entropy l-diversity: exp of the least entropy of a class."""
    greatest_share: float
    """The largest share of a class's people who have the same value."""
    greatest_distance: float
    """t-closeness: the largest distance of a class from the distribution of the input, all values being
    equally far from one another."""
    released_distance: float
    """The same from the distribution of the classes themselves, which is all that readers of a release
    can compare with."""
    one_value: int
    """The classes in which everybody has the same value."""
    all_marked: int | None
    """The classes whose people all have values that a model marks as harmful; None if none does."""


def describe_sensitive(
    models: Sequence[RiskModel], classes: EquivalenceClasses, kept: NDArray[np.bool_]
) -> dict[str, SensitiveProfile]:
    """Describe every sensitive attribute of the classes that are kept."""
    return {
        name: describe_column(name, column, marked_values(models, name), classes, kept)
        for name, column in classes.microdata.sensitive.items()
    }


def marked_values(models: Sequence[RiskModel], name: str) -> frozenset[str]:
    """Return the values of an attribute that some model marks as harmful."""
    return frozenset(value for model in models for value in model.inputs.harmful.get(name, ()))


def describe_column(
    name: str,
    column: SensitiveColumn,
    marked: frozenset[str],
    classes: EquivalenceClasses,
    kept: NDArray[np.bool_],
) -> SensitiveProfile:
    """Describe one sensitive attribute."""
    all_marked = None
    if marked:
        chosen = column.choose(marked)
        everybody = column.all_have(classes.label_of_tuple, classes.sizes, chosen)
        all_marked = int(everybody[kept].sum())
    if not kept.any():
        return SensitiveProfile(0, 0, 0.0, 0.0, 0.0, 0.0, 0, all_marked)
    found = classes.histograms(name, kept)
    everything = np.ones(len(column.texts), np.bool_)
    shares = found.largest(everything)[kept] / classes.sizes[kept]
    there = kept[np.repeat(np.arange(kept.size), found.distinct)]
    return SensitiveProfile(
        values=int(np.unique(found.values[there]).size),
        least_distinct=int(found.distinct[kept].min()),
        least_entropy=float(np.exp(found.entropies[kept].min())),
        greatest_share=float(shares.max()),
        greatest_distance=greatest_distance(name, classes, kept),
        released_distance=greatest_distance(name, classes.with_values_of(name, kept), kept),
        one_value=int(found.of_one_value[kept].sum()),
        all_marked=all_marked,
    )


def greatest_distance(name: str, classes: EquivalenceClasses, kept: NDArray[np.bool_]) -> float:
    """Return how far the classes kept are from the table at most, all values equally far apart."""
    found, column = classes.histograms(name, kept), classes.microdata.sensitive[name]
    each_apart = read_only(np.arange(len(column.texts))[np.newaxis])
    distances = grouped_distances(
        found.starts, found.values, found.counts, each_apart, column.shares, np.inf
    )
    return min(1.0, float(distances[kept].max()))
