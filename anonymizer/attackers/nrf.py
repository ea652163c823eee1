"""The naive re-identification framework: the risk that somebody in a table is found through what people
disclose elsewhere.

For each subset C of the attributes let u_C be the share of records that are unique on C (D-uniqueness),
z_C the probability that just C is disclosed, and q_C the probability that a record unique on C is unique
on C in the external source as well (E-uniqueness; 1 unless it is known, so that the risk is an upper
bound). Then, for a random person and for a table of n people,

    r = 1 - prod_C (1 - u_C z_C q_C)        r* = 1 - (1 - r)^n.

Both are computed from ln(1 - r) = sum_C log1p(-u_C z_C q_C), so that no small risk is lost beside 1.

That product is the paper's (equation 3). It treats the subsets as independent, but just one of them is
disclosed. Under the paper's own assumptions the risk is therefore exactly sum_C u_C z_C q_C. The two
agree where risks are small; the sum is never below the product, and is given beside it. It is the overall
risk of Xia et al. 2021, too, where each attribute is a group.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anonymizer.attackers.disclosure import (
    Source,
    disclosure_likelihood,
    subset_likelihood,
)
from anonymizer.attackers.owned import OwnedTuples
from anonymizer.attackers.statement import THRESHOLDS
from anonymizer.attackers.statistics import SLACK
from anonymizer.attackers.unique_subsets import Uniqueness
from anonymizer.errors import PolicyError

Floats = NDArray[np.float64]

QUICK = 1 << 28
"""Steps of the walk over subsets, person by person, that take a second or two."""
MOST_COMBINED = 6
"""With more sources than this not every combination is looked at, only those that grow one by one."""


@dataclass(frozen=True, slots=True)
class Combination:
    """A subset of the attributes and what makes it dangerous."""

    attributes: tuple[str, ...]
    unique_records: int
    d_uniqueness: float
    disclosure_likelihood: float
    e_uniqueness: float
    probability: float
    """That a random person is re-identified by just these attributes."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Some of the attributes, and the risk if only they are released."""

    released: tuple[str, ...]
    left_out: tuple[str, ...]
    individual: float
    """That a random person is re-identified."""
    data_set: float
    """That at least one person is."""
    highest: float | None = None
    """The risk of the person who is most at risk; None where it was not computed."""


@dataclass(frozen=True, slots=True)
class SourcesRisk:
    """What a combination of sources makes of the risk."""

    sources: tuple[str, ...]
    individual: float
    data_set: float


@dataclass(frozen=True, eq=False)
class Reidentification:
    """The risk of re-identification through some sources.

    `e_uniqueness` is one number for all subsets, or one for each; None takes what the counts know of
    an external table, or else 1.
    """

    uniqueness: Uniqueness
    sources: tuple[Source, ...]
    e_uniqueness: float | Floats | None = None
    threshold: float | None = None
    """The highest risk of a person that is accepted; None where no verdict is asked for."""
    people: OwnedTuples | None = None
    """Whose the tuples are; None where the risk of each person would take too long."""

    def __post_init__(self) -> None:
        if not self.sources:
            raise PolicyError(
                "no source is given, so that there is no risk to compute; add a source."
            )
        given = check_e_uniqueness(self.e_uniqueness)
        if given.shape not in ((), self.uniqueness.unique.shape):
            raise PolicyError(
                f"e_uniqueness: {given.size} numbers for {self.uniqueness.unique.size} subsets; "
                "give one number for each subset, or one for all."
            )

    @cached_property
    def disclosed(self) -> dict[str, float]:
        """The probability that each attribute is disclosed in at least one source."""
        names = self.uniqueness.attributes
        return dict(zip(names, disclosure_likelihood(self.sources, names).tolist(), strict=True))

    @cached_property
    def likelihood(self) -> Floats:
        """The probability that just the attributes of each subset are disclosed."""
        return subset_likelihood(np.array(list(self.disclosed.values())))

    @cached_property
    def unique_outside(self) -> Floats:
        """The E-uniqueness of each subset."""
        given = self.e_uniqueness
        if given is None:
            given = self.uniqueness.e_uniqueness
        shape = self.uniqueness.unique.shape
        return np.broadcast_to(np.asarray(1.0 if given is None else given, float), shape)

    @cached_property
    def probability(self) -> Floats:
        """The probability that a random person is re-identified by just each subset."""
        return self.uniqueness.d_uniqueness * self.likelihood * self.unique_outside

    @cached_property
    def log_safe(self) -> float:
        """The logarithm of the probability that a random person is not re-identified."""
        if self.probability.max() >= 1:
            return -math.inf
        return math.fsum(np.log1p(-self.probability).tolist())

    @property
    def individual(self) -> float:
        """The risk of a random person."""
        return 0.0 - math.expm1(self.log_safe)

    @property
    def data_set(self) -> float:
        """The risk that at least one person of the table is re-identified."""
        return float(self.over_records(self.uniqueness.records))

    @property
    def individual_exact(self) -> float:
        """The risk of a random person when just one subset is what is disclosed: the sum over subsets."""
        return min(math.fsum(self.probability.tolist()), 1.0)

    @property
    def data_set_exact(self) -> float:
        """The risk of the table that follows from `individual_exact`."""
        if self.individual_exact >= 1:
            return 1.0
        return 0.0 - math.expm1(self.uniqueness.records * math.log1p(-self.individual_exact))

    @cached_property
    def person_risks(self) -> Floats | None:
        """The risk of each person, in the order in which they come; None where it was not computed."""
        if self.people is None:
            return None
        return self.people.risks(self.likelihood, self.unique_outside)

    @property
    def highest(self) -> float | None:
        """The risk of the person who is most at risk."""
        return None if self.person_risks is None else float(self.person_risks.max())

    def above(self, threshold: float) -> int | None:
        """Return how many people have a higher risk than that."""
        if self.person_risks is None:
            return None
        return int((self.person_risks > threshold + SLACK).sum())

    @property
    def passes(self) -> bool | None:
        """Whether nobody is above the threshold; None where none is stated."""
        if self.threshold is None:
            return None
        return self.above(self.threshold) == 0

    def row_risks(self) -> Floats | None:
        """Return the risk of the person of each row."""
        if self.people is None or self.person_risks is None:
            return None
        return self.person_risks[self.people.person_of_row]

    def over_choices(self) -> Floats:
        """Return the risk of a random person for every subset of attributes that may be released."""
        found = self.uniqueness.d_uniqueness * self.unique_outside
        return risk_of_choices(found, np.array(list(self.disclosed.values())))

    def choice(self, subset: int, individual: float, with_people: bool = False) -> Choice:
        """Describe what is left of the risk if only some attributes are released."""
        names, released = self.uniqueness.attributes, self.uniqueness.names(subset)
        records = self.uniqueness.records
        data_set = 1.0 if individual >= 1 else 0.0 - math.expm1(records * math.log1p(-individual))
        left_out = tuple(name for name in names if name not in released)
        highest = self.highest_if(released) if with_people else None
        return Choice(released, left_out, individual, data_set, highest)

    def highest_if(self, released: Sequence[str]) -> float | None:
        """Return the highest risk of a person if only some attributes are released."""
        if self.people is None:
            return None
        known = [
            chance if name in released else 0.0 for name, chance in self.disclosed.items()
        ]  # what is not released is as good as never disclosed
        likelihood = subset_likelihood(np.array(known))
        return float(self.people.risks(likelihood, self.unique_outside).max())

    def best_choices(self) -> list[Choice]:
        """Return for each number of columns left out the choice with the least risk, from none on."""
        risks, sizes = self.over_choices(), subset_sizes(len(self.uniqueness.attributes))
        best = []
        for size in range(len(self.uniqueness.attributes), -1, -1):
            subsets = np.flatnonzero(sizes == size)
            subset = int(subsets[np.argmin(risks[subsets])])
            best.append(self.choice(subset, float(risks[subset]), with_people=self.is_quick))
        return best

    @property
    def is_quick(self) -> bool:
        """Whether it takes no time to look at each person once for each number of columns."""
        return self.people is not None and self.people.steps < QUICK

    def over_records(self, records: ArrayLike) -> Floats:
        """Return the risk that at least one of n people is re-identified, for each n."""
        n = np.asarray(records, float)
        exponent = np.multiply(n, self.log_safe, out=np.zeros(n.shape), where=n > 0)
        risk: Floats = 0.0 - np.expm1(exponent)
        return risk

    def records_until(self, risk: float) -> int | None:
        """Return how many people make the risk reach a level below 1; None if no number does."""
        if risk <= 0:
            return 0
        if self.log_safe == 0:
            return None
        return max(math.ceil(math.log1p(-risk) / self.log_safe), 1)  # nobody is no risk

    def most_dangerous(self, most: int = 20) -> list[Combination]:
        """Return the subsets by which people are most likely re-identified, the worst first."""
        order = np.argsort(-self.probability, kind="stable")[:most]
        return [self.combination(int(s)) for s in order if self.probability[s] > 0]

    def combination(self, subset: int) -> Combination:
        """Describe one subset."""
        return Combination(
            self.uniqueness.names(subset),
            int(self.uniqueness.unique[subset]),
            float(self.uniqueness.d_uniqueness[subset]),
            float(self.likelihood[subset]),
            float(self.unique_outside[subset]),
            float(self.probability[subset]),
        )

    def with_sources(self, sources: Sequence[Source]) -> Reidentification:
        """Return the risk through other sources."""
        return replace(self, sources=tuple(sources))

    def over_sources(self) -> list[SourcesRisk]:
        """Return the risk through each source alone and through combinations, by growing number."""
        return [
            SourcesRisk(tuple(source.name for source in those), risk.individual, risk.data_set)
            for those in combine(self.sources)
            for risk in [self.with_sources(those)]
        ]

    @property
    def levels(self) -> list[float]:
        """The levels of risk for which people are counted: the usual thresholds, and the stated one."""
        return sorted({*THRESHOLDS.values(), *([] if self.threshold is None else [self.threshold])})

    def describe(self, most: int = 20) -> dict[str, Any]:
        """Return the risk and the most dangerous combinations as JSON; no raw values."""
        return {
            "records": self.uniqueness.records,
            "distinct": self.uniqueness.distinct,
            "subsets": self.likelihood.size,
            "subsets_with_uniques": int(np.count_nonzero(self.uniqueness.unique)),
            "disclosure_likelihood": self.disclosed,
            "individual_risk": self.individual,
            "individual_risk_exact": self.individual_exact,
            "data_set_risk": self.data_set,
            "data_set_risk_exact": self.data_set_exact,
            "log_safe": self.log_safe if math.isfinite(self.log_safe) else None,
            "records_until": {str(at): self.records_until(at) for at in (0.05, 0.5, 0.95)},
            "threshold": self.threshold,
            "passes": self.passes,
            "highest_risk": self.highest,
            "people_above": {str(at): self.above(at) for at in self.levels},
            "best_choices": [asdict(each) for each in self.best_choices()],
            "most_dangerous": [asdict(each) for each in self.most_dangerous(most)],
            "by_sources": [asdict(each) for each in self.over_sources()],
        }


def check_e_uniqueness(given: float | Floats | None) -> Floats:
    """Raise a PolicyError unless E-uniqueness is given as probabilities, or not at all."""
    numbers = np.asarray(1.0 if given is None else given, float)
    if not ((numbers >= 0) & (numbers <= 1)).all():
        raise PolicyError("e_uniqueness: it is a probability; use numbers from 0 to 1.")
    return numbers


def subset_sizes(attributes: int) -> NDArray[np.int64]:
    """Return the size of each subset, by its number.

    >>> subset_sizes(3).tolist()
    [0, 1, 1, 2, 1, 2, 2, 3]
    """
    sizes = np.zeros(1, np.int64)
    for _ in range(attributes):
        sizes = np.concatenate([sizes, sizes + 1])
    return sizes


def combine(sources: Sequence[Source]) -> list[tuple[Source, ...]]:
    """List the combinations of sources: all of them, or where there are many the growing ones.

    >>> few = [Source(name, 0.5, {"age": 0.5}) for name in "abc"]
    >>> ["".join(source.name for source in those) for those in combine(few)]
    ['a', 'b', 'c', 'ab', 'ac', 'bc', 'abc']
    """
    if len(sources) <= MOST_COMBINED:
        sizes = range(1, len(sources) + 1)
        return [those for size in sizes for those in combinations(sources, size)]
    growing = [tuple(sources[:size]) for size in range(2, len(sources) + 1)]
    return [*((source,) for source in sources), *growing]


def risk_of_choices(found: Floats, disclosed: Floats) -> Floats:
    """Return the risk of a random person for every subset of attributes that may be released.

    Whoever learns the attributes S of a person can use those that are released, S and A. So the risk of
    releasing A is the sum over C in A of u_C q_C prod_{x in C} z_x prod_{x in A, not in C} (1 - z_x).
    `found` is u_C q_C for each subset C, `disclosed` the probability z of each attribute; bit i of a
    subset's number stands for attribute i.

    >>> risk_of_choices(np.array([0.0, 0.5, 0.2, 1.0]), np.array([0.5, 0.5])).tolist()
    [0.0, 0.25, 0.1, 0.425]
    """
    risk = found.copy()
    for attribute, chance in enumerate(disclosed):
        pairs = risk.reshape(-1, 2, 1 << attribute)  # without and with the attribute
        pairs[:, 1] = (1 - chance) * pairs[:, 0] + chance * pairs[:, 1]
    return np.clip(risk, 0.0, 1.0)
