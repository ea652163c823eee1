"""KL-divergence: how far the distribution that a release shows is from that of the table.

Machanavajjhala et al., l-Diversity: Privacy beyond k-anonymity, TKDD 2007.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from anonymizer.risk.remaining import Binding
from anonymizer.table.classes import EquivalenceClasses
from anonymizer.table.domain import QuasiIdentifier
from anonymizer.table.microdata import Microdata
from anonymizer.utility.measure import Appraisal, Measure

ROUNDING = 1e-14
"""Bits for each record by which sums of logarithms may be wrong."""
EVEN_SPREAD = 1e-9
"""A table that is so few bits for each record from an even one has nothing to lose."""


@dataclass(frozen=True, slots=True)
class KLDivergence(Measure):
    """The Kullback-Leibler divergence of the release from the table, over that with nothing left.

    A class of n of N records spreads them evenly over the share A of all combinations of leaves that it
    could have; S suppressed records are spread over all of them. Let E(R) = sum of n log2(n / (N A)) over
    the classes in R, with T all classes at level 0, K the kept ones:

        loss = (E(T) - E(K) - S log2(S / N)) / E(T)         at most 1

    ARX weighs each record by the frequency of its combination once more; the paper does not. A table that
    fills all combinations evenly has nothing to lose.

    The bound: by the log-sum inequality E falls as classes are merged, and E(R) >= S log2(S / N) for the
    suppressed classes, so that a scheme u bounds the coarser ones with nothing suppressed. What is
    binding at v, b records in B, is suppressed with r others, at most N - b: that adds at least
    E(B) + (N - b) log2((N - b) / N). Where records are exempt, the first part alone is the bound.

    A single value of a continuous attribute counts as the narrowest interval, divided by the number of
    its values. Not computable from a release.
    """

    name: ClassVar[str] = "kl-divergence"
    floors: ClassVar[bool] = True

    def appraise(
        self,
        microdata: Microdata,
        classes: EquivalenceClasses,
        suppressed: NDArray[np.bool_],
        binding: Binding,
    ) -> Appraisal:
        """Compare what the kept and the suppressed classes show with the table, and bound the rest."""
        attributes, levels = len(classes.scheme), max(microdata.lattice.high) + 1
        records, everything = microdata.records, bits_of_table(microdata)
        if everything <= EVEN_SPREAD * records:
            return Appraisal(0.0, np.zeros((attributes, levels)))
        bits = bits_of(classes.records, log_shares(microdata, classes.scheme, classes.first_tuple))
        gone = int(classes.records[suppressed].sum())
        shown = float(bits[~suppressed].sum()) + spread(gone, records)
        least = max(0.0, everything - float(bits.sum()) - ROUNDING * records)
        forfeit = 0.0
        if not binding.exempt:
            must_go = int(classes.records[binding.classes].sum())
            forfeit = float(bits[binding.classes].sum()) + spread(records - must_go, records)
        # so that the sum with the floor of a finer scheme, which is no higher, is never above 1
        forfeit = min(max(0.0, forfeit - ROUNDING * records), everything - least)
        return Appraisal(
            min(1.0, max(0.0, (everything - shown) / everything)),
            np.full((attributes, levels), forfeit / everything / attributes),
            least / everything,
        )


def bits_of_table(microdata: Microdata) -> float:
    """Return what the table itself shows, in bits summed over its records."""
    lowest, every = (0,) * len(microdata.columns), np.arange(microdata.distinct)
    return float(
        bits_of(microdata.counts.astype(np.int64), log_shares(microdata, lowest, every)).sum()
    )


def bits_of(records: NDArray[np.int64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each class how many bits its records show over an even spread, summed over them."""
    total = int(records.sum())
    bits: NDArray[np.float64] = records * (np.log2(np.maximum(records, 1) / total) - shares)
    return bits


def spread(records: int, total: int) -> float:
    """Return the bits of some of all records that are spread over all combinations: 0 or less."""
    return records * float(np.log2(records / total)) if records else 0.0


def log_shares(
    microdata: Microdata, scheme: tuple[int, ...], tuples: NDArray[np.integer]
) -> NDArray[np.float64]:
    """Return the logarithm of the share of all combinations that tuples could have at a scheme."""
    shares = np.zeros(tuples.size)
    for a, (column, level) in enumerate(zip(microdata.columns, scheme, strict=True)):
        shares += np.log2(shares_of_codes(column, level))[microdata.codes[a, tuples]]
    return shares


def shares_of_codes(column: QuasiIdentifier, level: int) -> NDArray[np.float64]:
    """Return the share of its domain that each code of a column could have at a level.

    A value covers no less than those that it is made of, of which a table can have more than its
    hierarchy has leaves: those beyond an open end.
    """
    narrowest = column.covered[column.covered > 0].min(initial=column.hierarchy.extent)
    areas = np.zeros(column.leaves.size)
    parts, share = np.arange(column.leaves.size), areas
    for at, groups in enumerate(column.groups):
        own, within = np.zeros((2, column.group_counts[at]))
        own[groups] = column.covered[at]
        own[own == 0] = narrowest / column.leaves.size
        group_of_part = np.zeros(areas.size, np.int64)
        group_of_part[parts] = groups
        np.add.at(within, group_of_part, areas)
        areas, parts = np.maximum(own, within), groups
        if at == level:
            share = areas[groups]
    whole: float = max(float(column.hierarchy.extent), float(areas.sum()))
    return share / whole
