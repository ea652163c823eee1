"""Findings: what a release does not show by its quality and its risk models, one line each.

A proven optimum answers the question as it was posed. These say where the question may be a bad one.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anonymizer.data.aggregate import code_labels, count_people_alone, label_together
from anonymizer.errors import (
    AnonymizerError,
    AnonymizerWarning,
    InfeasibleError,
    percent,
    quote_some,
)
from anonymizer.evaluation.evaluate import Evaluation, Outcome
from anonymizer.hierarchy import Hierarchy
from anonymizer.layers.optimize import Layers
from anonymizer.layers.retained import COLLAPSED
from anonymizer.policy import Role
from anonymizer.problem import Problem
from anonymizer.proposal.content import content_of
from anonymizer.risk import RiskProfile
from anonymizer.solution.layered import search_layers, sketch_layers
from anonymizer.solution.release import Release

MOST_ROWS = 2_000_000
"""Of a larger table, people who are alone are counted only where the policy is strict."""
MANY_SUPPRESSED = 0.05
"""From this share of suppressed records on, it is tried what layers would keep."""
LEAST_GAIN = 0.01
"""Layers that gain less quality are not worth a line."""
LONGEST_TRY = 1.0
"""Seconds for layers, or as long as the search took."""


@dataclass(frozen=True, slots=True)
class Shared:
    """Classes in which everybody has the same value of a sensitive attribute."""

    classes: int
    people: int


@dataclass(frozen=True, slots=True)
class LayersTried:
    """What a short search for layers found."""

    quality: float
    suppressed: int


@dataclass(frozen=True, slots=True)
class Findings:
    """What is to be said of a release beside its figures."""

    alone: int | None
    """The people whom a row of theirs tells from everybody else by all released columns together; None
    where they were not counted."""
    people: int
    """The people in the release."""
    classes: int
    shared: dict[str, Shared]
    """By sensitive attribute; those that no class shares are left out."""
    collapsed: tuple[str, ...]
    layers: LayersTried | None
    """None where layers were not tried, or gain nothing."""
    quality: float
    records: int
    suppressed: int

    def sentences(self) -> Iterator[str]:
        """Say each finding with what to do about it; nothing where there is nothing to say."""
        if self.alone:
            yield (
                f"{self.alone:,} of {self.people:,} people ({percent(self.alone / self.people)}) are "
                "alone by all released columns together; make a kept column a quasi-identifier, or "
                "remove it."
            )
        for name, found in self.shared.items():
            yield (
                f"In {found.classes:,} of {self.classes:,} classes ({found.people:,} people) everybody "
                f"has the same '{name}'; ask for l-diversity or t-closeness beside the policy's models."
            )
        if self.collapsed:
            yield (
                f"Little is left of {quote_some(self.collapsed, len(self.collapsed))}: one value has "
                f"more than {percent(COLLAPSED, 0)} of the rows; use layers, another hierarchy or a "
                "higher weight, or leave another column out."
            )
        if self.layers is not None:
            yield (
                f"Layers would keep a quality of {self.layers.quality:.4f} or more instead of "
                f"{self.quality:.4f}, and suppress {percent(self.layers.suppressed / self.records)} of "
                f"the records instead of {percent(self.suppressed / self.records)}; write "
                "layers = true in [release], or false if you want one scheme."
            )

    def describe(self) -> dict[str, Any]:
        """Return it as JSON."""
        layers = self.layers
        return {
            "alone": self.alone,
            "people": self.people,
            "shared": {
                name: {"classes": found.classes, "people": found.people}
                for name, found in self.shared.items()
            },
            "layers": None
            if layers is None
            else {"quality": layers.quality, "suppressed": layers.suppressed},
        }


@dataclass(frozen=True, slots=True, eq=False)
class Looked:
    """What is looked at: a release, and what it was made of."""

    problem: Problem
    release: Release
    outcome: Outcome
    after: RiskProfile
    collapsed: tuple[str, ...]
    searched: float | None
    """The seconds that the search took; None where the scheme was given."""


def find(looked: Looked) -> Findings:
    """Look at a release for what should be said of it."""
    evaluation = looked.outcome.evaluation
    return Findings(
        alone=count_alone(looked.release, always=looked.problem.policy.release.strict),
        people=looked.after.people,
        classes=looked.after.classes,
        shared=find_shared(looked),
        collapsed=looked.collapsed,
        layers=try_layers(looked),
        quality=evaluation.quality,
        records=looked.problem.microdata.records,
        suppressed=evaluation.suppressed_records,
    )


def check_strict(found: Findings) -> None:
    """Raise an InfeasibleError with all that is to be said of a release that must be strict."""
    if sentences := list(found.sentences()):
        raise InfeasibleError.defective("the release, which must be strict,", sentences)


def count_alone(release: Release, always: bool = False) -> int | None:
    """Count the people of whom a row is like no row of another, by all columns of a release.

    None where an engine holds the rows, or where they are many and it need not be known.
    """
    if not always and (release.microdata.grouped or release.microdata.records > MOST_ROWS):
        return None
    release = release.by_rows()
    microdata = release.microdata
    columns = release.read_kept()
    kept = ~release.suppressed[microdata.tuple_of_row]
    person = None if microdata.id is None else columns[microdata.id].codes[kept].astype(np.int64)
    codes = [
        *(release.values(at)[0][microdata.tuple_of_row] for at in range(len(microdata.attributes))),
        *(column.codes for name, column in columns.items() if name in release.columns),
    ]
    parts = (code_labels(each[kept]) for each in codes)
    labels = label_together(parts, int(kept.sum())).of_row
    if person is None:
        return int(np.count_nonzero(np.bincount(labels) == 1))
    return count_people_alone(labels, person)


def find_shared(looked: Looked) -> dict[str, Shared]:
    """Count the classes that share one value of a sensitive attribute, and the people in them.

    A value that the whole table shares tells nothing of a class.
    """
    classes, kept = looked.outcome.classes, ~looked.outcome.suppressed
    found = {}
    for name in looked.problem.policy.with_role(Role.SENSITIVE):
        column = classes.microdata.sensitive.get(name)
        if column is None or len(column.texts) < 2 or not kept.any():
            continue
        alike = classes.histograms(name, kept).of_one_value & kept
        if alike.any():
            found[name] = Shared(int(alike.sum()), int(classes.sizes[alike].sum()))
    return found


def try_layers(looked: Looked) -> LayersTried | None:
    """Look for better layers, where one scheme costs much and nobody asked for layers.

    A few schemes that follow one another mostly show it; else layers are searched for, for a short time.
    """
    problem, policy = looked.problem, looked.problem.policy
    one = looked.outcome.evaluation
    costly = one.suppressed_records > MANY_SUPPRESSED * problem.microdata.records
    stated = "layers" in policy.release.model_fields_set
    if stated or policy.keep or looked.searched is None or not (costly or looked.collapsed):
        return None
    longest = max(LONGEST_TRY, looked.searched)
    try:
        layered = policy.with_release(layers=True).with_search(time_limit=longest)
        problem = problem.with_resolved(layered, problem.models)
        tried = better_layers(sketch_layers(problem), one)
        return tried or better_layers(search_layers(problem), one)
    except AnonymizerError:  # layers have no meaning under this policy
        return None


def better_layers(found: Layers, one: Evaluation) -> LayersTried | None:
    """Return what layers keep, where it is clearly more than one scheme does."""
    better = 1 - found.loss >= one.quality + LEAST_GAIN
    return (
        LayersTried(1 - found.loss, found.layering.suppressed_records)
        if better and found.feasible
        else None
    )


FEW_VALUES = 20
"""So many values or fewer need no step in between."""


def warn_of_flat(problem: Problem) -> None:
    """Warn where dates or numbers have no step between the value and the top.

    Nearly all of them are then different, so that most records are suppressed or the column is lost.
    """
    for sentence in find_flat(problem.hierarchies):
        warnings.warn(f"{problem.table.name}: {sentence}", AnonymizerWarning, stacklevel=4)


def find_flat(hierarchies: Sequence[Hierarchy]) -> Iterator[str]:
    """Say which hierarchies should have steps in between."""
    for hierarchy in hierarchies:
        if hierarchy.height > 2 or hierarchy.size <= FEW_VALUES:
            continue
        content = content_of(hierarchy.leaves)
        if content.in_order:
            yield (
                f"'{hierarchy.name}' holds {content.value}, {hierarchy.size:,} different ones, but its "
                "hierarchy has no step between the value and the top, so that records are suppressed or "
                "the column is lost. Let `anonymizer hierarchy suggest` propose another."
            )
