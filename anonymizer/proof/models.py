"""The checker's own risk models of single people and of the whole table, from their definitions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonymizer.proof.table import Floats, Gone, Integers, Marks, Table, View

SLACK = 1e-12
"""A risk that exceeds its limit by rounding only does not exceed it."""


class Model:
    """A risk model: who breaks it, and what that says about every finer scheme."""

    scope: ClassVar[str] = "people"
    """What it limits: people, classes or the table."""
    trusted: ClassVar[tuple[str, ...]] = ()
    """What is not checked here."""
    local: ClassVar[bool] = True
    """Whether every class is judged by itself, so that nothing changes when others go."""

    def breaks(self, view: View) -> Marks:
        """Mark the tuples, among those kept, that must not be released as they are."""
        raise NotImplementedError

    def breaks_when_finer(self, view: View) -> Marks | None:
        """Mark those that break it at every finer scheme too; None where that is not known."""
        return self.breaks(view)

    def most_kept(self, view: View) -> Integers | None:  # noqa: ARG002
        """Return how many records of each class can be kept at finer schemes; None for all of them."""
        return None

    def least_class(self, table: Table) -> int:  # noqa: ARG002
        """Return how many people every class that is kept has, at least."""
        return 1


@dataclass(frozen=True)
class LeastClass(Model):
    """k-anonymity, and k-map where the people are estimated: a class has at least k people."""

    k: int

    def breaks(self, view: View) -> Marks:
        """Mark who breaks it."""
        return (view.sizes < self.k)[view.labels] & view.kept

    def least_class(self, table: Table) -> int:  # noqa: ARG002
        """Return k."""
        return self.k


def derived_k(k: int, significance: float, people: int, population: int, truncated: bool) -> int:
    """Return k' = min(k, 1 + min{c : P(X <= c) >= 1 - alpha}), X ~ Poisson(k n/N), perhaps X >= 1."""
    mean = k * people / population
    least = 1 if truncated else 0
    room = 1 - math.exp(-mean) if truncated else 1.0
    chances = [math.exp(-mean + c * math.log(mean) - math.lgamma(c + 1)) for c in range(k)]
    enough = (
        c for c in range(least, k) if sum(chances[least : c + 1]) >= (1 - significance) * room
    )
    return min(k, 1 + next(enough, k))


@dataclass(frozen=True)
class KMap(Model):
    """k-map with a population table: at least k people there match every class."""

    k: int

    def breaks(self, view: View) -> Marks:
        """Mark who breaks it."""
        assert view.table.population is not None
        places = view.table.population[2]
        matching, _ = view.table.matching({at: view.scheme[at] for at in places})
        return (matching < self.k) & view.kept


@dataclass(frozen=True, eq=False)
class Source:
    """An external source: its keys, and how certain it is of each tuple's people if they are alone."""

    levels: Mapping[int, int]
    """The finest level on which it knows each of its keys, by the key's place."""
    limit: float
    p: Floats
    q: Floats
    without: Mapping[int, tuple[Floats | None, Floats | None]]
    """p and q once a key is left out, by the key's place."""


@dataclass(frozen=True, eq=False)
class Sources(Model):
    """Nobody is found through a source with more than its limit: p q / k, k people sharing the keys."""

    local: ClassVar[bool] = False
    sources: tuple[Source, ...]

    def breaks(self, view: View) -> Marks:
        """Mark who breaks it."""
        return self.above(view, self.certainty)

    def breaks_when_finer(self, view: View) -> Marks:
        """Mark who breaks it at every finer scheme too."""
        return self.above(view, self.least_certainty)

    def above(self, view: View, certainty: Callable[[View, Source], Floats]) -> Marks:
        """Mark who is above a limit."""
        found = np.zeros(view.kept.size, np.bool_)
        for source in self.sources:
            levels = {at: max(level, view.scheme[at]) for at, level in source.levels.items()}
            labels = view.table.cells(levels)
            alike = view.table.count(labels, view.kept)[labels]
            found |= certainty(view, source) / np.maximum(alike, 1) > source.limit + SLACK
        return found & view.kept

    @staticmethod
    def certainty(view: View, source: Source) -> Floats:
        """Return p q of each tuple; the largest that is stated for the keys that are left out."""
        out = [at for at in source.without if left_out(view, at, source.levels[at])]
        stated = [source.without[at] for at in out]
        p = [own for own, _ in stated if own is not None] or [source.p]
        q = [own for _, own in stated if own is not None] or [source.q]
        certainty: Floats = np.maximum.reduce(p) * np.maximum.reduce(q)
        return certainty

    @staticmethod
    def least_certainty(view: View, source: Source) -> Floats:  # noqa: ARG004
        """Return the least p q of each tuple, whichever keys are left out."""
        p = [source.p, *(own for own, _ in source.without.values() if own is not None)]
        q = [source.q, *(own for _, own in source.without.values() if own is not None)]
        least: Floats = np.minimum.reduce(p) * np.minimum.reduce(q)
        return least


@dataclass(frozen=True, eq=False)
class NothingTold(Sources):
    """No small cell of a source gives a sensitive value away: everyone in it has one that is harmful."""

    small: int
    """Cells of more people give nothing away."""
    told: tuple[tuple[tuple[str, frozenset[str]], ...], ...]
    """For each source, the columns that are new to it, each with its harmful values."""

    def above(self, view: View, certainty: Callable[[View, Source], Floats]) -> Marks:
        """Mark who is in such a cell, where the source leads there with more than its limit."""
        found = np.zeros(view.kept.size, np.bool_)
        for source, columns in zip(self.sources, self.told, strict=True):
            levels = {at: max(level, view.scheme[at]) for at, level in source.levels.items()}
            labels = view.table.cells(levels)
            people = view.table.count(labels, view.kept)
            sure = np.where(view.kept, certainty(view, source), 0.0) > source.limit + SLACK
            led_to = np.bincount(labels, sure, people.size) > 0
            for name, harmful in columns:
                values = view.table.values[name]
                safe = np.array([text not in harmful for text in values.texts], np.bool_)
                pairs = safe[values.value_of_pair] & view.kept[values.tuple_of_pair]
                without = np.bincount(labels[values.tuple_of_pair[pairs]], minlength=people.size)
                found |= ((people <= self.small) & led_to & (without == 0))[labels]
        return found & view.kept


def left_out(view: View, at: int, level: int) -> bool:
    """Whether a key has one value only: at its top."""
    groups, level = view.table.attributes[at].groups, max(level, view.scheme[at])
    return level == len(groups) - 1 and not groups[-1].any()


@dataclass(frozen=True, eq=False)
class Scenario:
    """What an attacker may learn of people, each of a kind of whom everything is equally likely."""

    groups: tuple[Mapping[int, int], ...]
    """The attributes of each group, with the finest level on which its source knows them."""
    cause: tuple[int | None, ...]
    """What must be found before each group is learned."""
    learned: Floats
    """learned[kind, group], once the cause is found."""
    found: Floats
    """found[kind, cause]."""
    parameters: Floats
    """p_m, p_fm, p_c and p_cu of each kind."""
    kind: Integers
    """The kind of each tuple."""
    unique: Callable[[Integers], float] | None
    """Estimates u_S from class sizes; None where it plays no part."""
    limit: float

    def known_sets(self) -> Iterator[tuple[frozenset[int], Floats]]:
        """Yield every set of groups that may be known, and how likely just that is for each kind."""
        causes = range(self.found.shape[1])
        for known in subsets(range(len(self.groups))):
            weight = np.zeros(len(self.learned))
            for there in subsets(causes):
                if any(self.cause[g] not in (None, *there) for g in known):
                    continue
                chance = np.ones(len(self.learned))
                for c in causes:
                    chance = chance * (self.found[:, c] if c in there else 1 - self.found[:, c])
                for g, cause in enumerate(self.cause):
                    if cause is None or cause in there:
                        chance = chance * (
                            self.learned[:, g] if g in known else 1 - self.learned[:, g]
                        )
                weight += chance
            if weight.any():
                yield known, weight


def subsets(items: range) -> Iterator[frozenset[int]]:
    """Yield every subset."""
    for bits in range(1 << len(items)):
        yield frozenset(item for item in items if bits >> item & 1)


@dataclass(frozen=True, eq=False)
class Overall(Model):
    """Nobody's overall risk is above a limit: its mean over all that the attacker may know."""

    local: ClassVar[bool] = False
    scenario: Scenario

    @property
    def trusted(self) -> tuple[str, ...]:  # type: ignore[override]
        """The estimate of who is unique in the population, where it plays a part."""
        if self.scenario.unique is None:
            return ()
        return ("overall: the estimates of who is unique in the population",)

    def breaks(self, view: View) -> Marks:
        """Mark who breaks it."""
        return self.above(view, self.scenario.unique)

    def breaks_when_finer(self, view: View) -> Marks:
        """Take u_S = 0: an estimate may fall at a finer scheme, the rest of the risk cannot."""
        return self.above(view, None)

    def above(self, view: View, unique: Callable[[Integers], float] | None) -> Marks:
        """Mark who is above a limit."""
        scenario, table = self.scenario, view.table
        everybody = np.ones(view.kept.size, np.bool_)
        risks = np.zeros(view.kept.size)
        p_m, p_fm, p_c, p_cu = scenario.parameters[scenario.kind].T
        for known, weight in scenario.known_sets():
            levels: dict[int, int] = {}
            for group in known:
                for at, level in scenario.groups[group].items():
                    finest = max(level, view.scheme[at])
                    levels[at] = min(levels.get(at, finest), finest)
            labels = table.cells(levels)
            alike = np.maximum(table.count(labels, view.kept)[labels], 1)
            alone = alike == 1
            u = 0.0
            if unique is not None and (alone & view.kept).any():
                u = unique(table.count(labels, everybody))
            found = 1 - (1 - p_m * p_fm * alone) * (1 - p_cu * u * alone) * (1 - p_c / alike)
            risks += weight[scenario.kind] * found
        return (risks > scenario.limit + SLACK) & view.kept


class TableModel(Model):
    """A risk of the whole table: classes go in a stated order until it passes."""

    scope: ClassVar[str] = "table"
    threshold: float

    def breaks(self, view: View) -> Marks:
        """Mark who breaks it."""
        return np.zeros(view.kept.size, np.bool_)

    def breaks_when_finer(self, view: View) -> Marks | None:  # noqa: ARG002
        """Mark who breaks it at every finer scheme too."""
        return None

    def risks(self, sizes: Integers) -> Floats:
        """Return the risk of classes of these sizes, without the first, the first two, ...; at last 0."""
        raise NotImplementedError

    def must_go(self, view: View) -> Gone:
        """Return what goes at every finer scheme."""
        raise NotImplementedError


@dataclass(frozen=True)
class Average(TableModel):
    """Classes / people is at most the threshold; strict-average asks for k people beside."""

    trusted: ClassVar[tuple[str, ...]] = (
        "average: classes are suppressed in the stated order, and none keeps more under it",
    )
    threshold: float

    def risks(self, sizes: Integers) -> Floats:
        """Return the risk of classes of these sizes without the first, the first two, ..."""
        people = np.append(np.cumsum(sizes[::-1])[::-1], 1)
        return np.asarray(np.arange(sizes.size, -1, -1) / people)

    def must_go(self, view: View) -> Gone:
        """A finer scheme keeps people of no more classes; as many of the largest hold no fewer people.

        So they pass too, and the finer scheme keeps no more people than the largest classes that pass.
        """
        sizes = np.sort(view.sizes[view.there])
        cut = int(np.argmax(self.risks(sizes) <= self.threshold))
        return Gone(np.zeros(view.kept.size, np.bool_), view.kept, int(sizes[cut:].sum()))


@dataclass(frozen=True)
class SampleUniqueness(TableModel):
    """People who are alone in their class / people is at most the threshold."""

    trusted: ClassVar[tuple[str, ...]] = (
        "sample-uniqueness: classes are suppressed in the stated order, and none keeps more under it",
    )
    threshold: float

    def risks(self, sizes: Integers) -> Floats:
        """Return the risk of classes of these sizes without the first, the first two, ..."""
        alone = np.append(np.cumsum((sizes == 1)[::-1])[::-1], 0)
        return np.asarray(alone / np.append(np.cumsum(sizes[::-1])[::-1], 1))

    def must_go(self, view: View) -> Gone:
        """Whoever is alone stays alone; no more of them are kept than the share of all people."""
        alone = (view.sizes == 1)[view.labels] & view.kept
        most = math.floor(self.threshold * view.table.people + 1e-9) + 1
        while most / view.table.people > self.threshold:
            most -= 1
        return Gone(np.zeros(view.kept.size, np.bool_), alone, most)


@dataclass(frozen=True, eq=False)
class PUniqueness(TableModel):
    """No more people of the population than a limit are estimated to be unique in it."""

    trusted: ClassVar[tuple[str, ...]] = (
        "p-uniqueness: the estimate of how many people of the population are unique",
        "p-uniqueness: classes are suppressed in the stated order, and none keeps more under it",
        "p-uniqueness: with how many classes, or uniques, the estimate cannot be within the limit",
    )
    threshold: float
    """So many people."""
    estimate: Callable[[Integers, Integers], float]
    """Estimates the population uniques from sizes, the first of them 1, and how many classes have each;
    infinite where it cannot be had."""
    most_classes: int | None
    """With more classes, one of them of size 1, the estimate is above the limit; None: not known."""
    most_alone: int | None
    """With more classes of size 1 it is; None: not known."""

    def risks(self, sizes: Integers) -> Floats:
        """Return what is estimated without the first, the first two, ..., up to the first that passes."""
        found, alone = np.zeros(sizes.size + 1), int((sizes == 1).sum())
        different, classes = np.unique(sizes, return_counts=True)
        for cut in range(alone):
            classes[0] = alone - cut
            found[cut] = self.estimate(different, classes)
            if found[cut] <= self.threshold:
                break
        return found

    def must_go(self, view: View) -> Gone:
        """At a finer scheme there are no fewer classes, and whoever is alone stays alone.

        Too many of those alone, or of all classes, are left unless so many go; each takes a record. If
        all who are alone go, nothing more has to.
        """
        nobody, alone = np.zeros(view.kept.size, np.bool_), view.sizes == 1
        if self.most_alone is not None:
            return Gone(nobody, alone[view.labels], self.most_alone)
        if self.most_classes is None:
            return Gone.of(nobody)
        gone = max(0, min(int(alone.sum()), view.classes - self.most_classes))
        return Gone(nobody, ~nobody, view.table.records - gone) if gone else Gone.of(nobody)
