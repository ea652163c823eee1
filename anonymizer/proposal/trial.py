"""What a proposed policy comes to: short searches with one scheme, with layers, with other limits.

A proposal is handed over only after its table was encoded with it and a release was found.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from anonymizer.data.coded import CodedTable
from anonymizer.data.column import Column
from anonymizer.errors import AnonymizerError, AnonymizerWarning, percent, quote_some
from anonymizer.kernels.compilation import compiled_seconds
from anonymizer.lattice import Lattice, Scheme, with_level
from anonymizer.layers.layering import Layering, one_layer
from anonymizer.layers.optimize import Layers, LayersTask, Watch, find_layers
from anonymizer.layers.retained import COLLAPSED, ColumnLeft, columns_left
from anonymizer.policy import Policy, Role
from anonymizer.problem import Problem
from anonymizer.problem.checks import check_revealed
from anonymizer.search import Limits, SearchParams, search
from anonymizer.search.limits import Clock
from anonymizer.table.microdata import encode

PROPOSED_LIMIT = 0.05
"""The share of the records that a proposed policy may drop."""
OTHER_LIMITS = (0.01, 0.1, 1.0)
"""What is tried beside it."""
WORK = 4_000_000
"""How many different records each trial may look at, summed over schemes: some tenths of a second.

Trials end by counts, so that a table gives the same proposal on every machine.
"""
EVALUATIONS = (20, 400)
"""The least and the most schemes that are evaluated for each trial."""
CANDIDATES = (100, 2_000)
"""The least and the most schemes that layers are tried with."""
SECONDS = 60.0
"""The time of all trials together, which only a huge table needs: the proposal says so."""
PARAMS = SearchParams(max_subtree_bytes=1)
"""Compiling subtree bounds would take longer than all trials: a short search does without."""

Recoding = Literal["full-domain", "layers"]
IN_LAYERS = (
    "In layers, cells of one column are at several levels: `released_levels` tells them, and "
    "`coarsen_to` brings a column to one."
)
"""What layers mean for an analyst."""
WORDS: dict[Recoding, str] = {"full-domain": "one scheme", "layers": "layers"}


@dataclass(frozen=True, slots=True)
class Trial:
    """What a short search found for one way to release the table."""

    recoding: Recoding
    limit: float
    """The share of the records that may be dropped."""
    quality: float
    dropped: float
    """The share of the records that are."""
    left: Mapping[str, ColumnLeft]
    """What is left of each quasi-identifier."""

    @property
    def collapsed(self) -> tuple[str, ...]:
        """The quasi-identifiers that have one value in nearly all rows, though the table has more."""
        return tuple(name for name, left in self.left.items() if left.collapsed)

    @property
    def drops_many(self) -> bool:
        """Whether more records are dropped than a proposal may."""
        return self.dropped > PROPOSED_LIMIT

    def describe(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "recoding": self.recoding,
            "suppression_limit": self.limit,
            "quality": self.quality,
            "dropped": self.dropped,
            "collapsed": list(self.collapsed),
            "retained": {name: left.retained for name, left in self.left.items()},
        }


@dataclass(frozen=True, slots=True)
class Trials:
    """One scheme or layers: what each comes to, what other limits would give, and what costs most."""

    one: Trial | None
    """One scheme for all records; None where none is within the limit."""
    layers: Trial | None
    limits: tuple[Trial, ...] = ()
    """One scheme with other suppression limits, the lowest first, the proposed one among them."""
    costliest: str | None = None
    """The quasi-identifier without which most would be left of the others, where columns collapse."""
    without_it: float = 0.0
    """The quality of the others without it."""
    out_of_time: bool = False
    """Whether they were ended by time: another machine may come to something else."""

    @property
    def proposed(self) -> Trial:
        """Layers where one scheme collapses a column or drops too many, and layers do better."""
        if self.one is None or self.layers is None:
            return self.one or self.layers or self.limits[0]
        failing = bool(self.one.collapsed) or self.one.drops_many
        better = len(self.layers.collapsed) < len(self.one.collapsed) or (
            len(self.layers.collapsed) == len(self.one.collapsed)
            and self.layers.quality > self.one.quality
        )
        return self.layers if failing and better else self.one

    def sentences(self) -> Iterator[str]:
        """Say what each way comes to, and what the proposed one means."""
        for each in self.both:
            alike = f"; one value nearly everywhere in {quote_some(each.collapsed)}"
            yield (
                f"{WORDS[each.recoding]}: quality {each.quality:.3f}, {percent(each.dropped)} dropped"
                f"{alike if each.collapsed else ''}."
            )
        if self.proposed.recoding == "layers":
            yield IN_LAYERS

    def find_warnings(self) -> Iterator[str]:
        """Say which columns collapse even so, what costs most, and where more must be dropped."""
        if self.out_of_time:
            yield (
                f"the table is so large that its trials were ended after {SECONDS:.0f} seconds: another "
                "machine may propose something else. Look at `layers` and `suppression_limit` yourself."
            )
        found = self.proposed
        if found.limit > PROPOSED_LIMIT:
            yield (
                f"no release drops at most {percent(PROPOSED_LIMIT, 0)} of the records; "
                f"{percent(found.dropped)} are dropped, and the limit is {percent(found.limit, 0)}."
            )
        if found.collapsed:
            more = (
                ""
                if self.costliest is None
                else (
                    f" '{self.costliest}' costs most: without it, the quality of the others is "
                    f"{self.without_it:.3f}."
                )
            )
            yield (
                f"hardly anything is left of {quote_some(found.collapsed, len(found.collapsed))}: one "
                f"value in more than {percent(COLLAPSED, 0)} of the released rows.{more} "
                "Give what nobody needs the role 'removed', or lower k."
            )

    @property
    def both(self) -> list[Trial]:
        """The trials that are to be compared."""
        return [trial for trial in (self.one, self.layers) if trial is not None]

    def describe(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "proposed": self.proposed.recoding,
            "trials": [trial.describe() for trial in self.both],
            "limits": [trial.describe() for trial in self.limits],
            "costliest": self.costliest,
            "quality_without_it": None if self.costliest is None else self.without_it,
            "out_of_time": self.out_of_time,
        }

    def limits_sentence(self) -> str:
        """Say what each suppression limit gives with one scheme.

        >>> trial = Trial("full-domain", 0.05, 0.651, 0.04, {})
        >>> Trials(trial, None, (trial,)).limits_sentence()
        'With one scheme: limit 5 %: quality 0.651, 4.0 % dropped.'
        """
        found = [
            f"{limit_text(each.limit)}: quality {each.quality:.3f}, {percent(each.dropped)} dropped"
            for each in self.limits
        ]
        return f"With one scheme: {'; '.join(found)}."


def processor_seconds() -> float:
    """Return the processor's time, so that a busy machine proposes the same; not that of compiling."""
    return time.process_time() - compiled_seconds()


def limit_text(limit: float) -> str:
    """Write a suppression limit as a percentage."""
    return "no limit" if limit >= 1 else f"limit {percent(limit, 0)}"


@dataclass(frozen=True, slots=True)
class Deadline:
    """When trials end, though their counts are not used up."""

    clock: Clock
    ends: float

    @property
    def left(self) -> float:
        """The seconds until then."""
        return max(0.0, self.ends - self.clock())


def try_both(
    policy: Policy,
    columns: Mapping[str, Column],
    person: str | None,
    clock: Clock = processor_seconds,
) -> Trials:
    """Encode a table with the policy that is proposed for it, and try one scheme and layers.

    Raises a HierarchyError where a cell has no place in its hierarchy.
    """
    problem = encode_proposed(policy, columns, person)
    deadline = Deadline(clock, clock() + SECONDS)
    one, scheme = try_limit(problem, PROPOSED_LIMIT, deadline)
    others = [try_limit(problem, limit, deadline)[0] for limit in OTHER_LIMITS]
    limits = sorted(filter(None, [one, *others]), key=lambda each: each.limit)
    layers = try_layers(problem, PROPOSED_LIMIT, scheme, deadline)
    trials = Trials(one, layers, tuple(limits))
    if (trials.both or trials.limits) and trials.proposed.collapsed:
        name, quality = find_costliest(problem, deadline)
        trials = replace(trials, costliest=name, without_it=quality)
    return replace(trials, out_of_time=not deadline.left)


def encode_proposed(policy: Policy, columns: Mapping[str, Column], person: str | None) -> Problem:
    """Put a proposed policy to columns that were read already.

    Raises a PolicyError where columns that the user keeps give away what they want generalized.
    """
    kept = (*policy.with_role(Role.SENSITIVE), *policy.with_role(Role.INSENSITIVE))
    wanted = [*policy.quasi_identifiers, *kept, *([] if person is None else [person])]
    table = CodedTable({name: columns[name] for name in wanted})
    check_revealed(table, policy, policy.load_hierarchies())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AnonymizerWarning)  # missing cells are spoken of by `run`
        microdata = encode(table, policy.load_hierarchies(), person=person)
        return Problem.of(policy, table, microdata)


def at_limit(problem: Problem, limit: float) -> Problem:
    """Ask with another suppression limit."""
    return problem.with_suppression_limit(int(limit * problem.microdata.records + 1e-9))


def affordable(problem: Problem, least: int, most: int) -> int:
    """Return how many schemes a trial may look at, at least and at most so many."""
    return min(most, max(least, WORK // max(1, problem.microdata.distinct)))


def try_limit(
    problem: Problem, limit: float, deadline: Deadline
) -> tuple[Trial | None, Scheme | None]:
    """Try one scheme for all records; None where none is found within the limit."""
    limited = at_limit(problem, limit)
    scheme = find_scheme(limited, limited.lattice, deadline)
    if scheme is None:
        return None, None
    found = limited.outcome(scheme)
    suppressed = found.suppressed[found.classes.label_of_tuple]
    layering = one_layer(problem.microdata, scheme, suppressed)
    return trial_of("full-domain", limit, found.evaluation.quality, layering), scheme


def find_scheme(problem: Problem, lattice: Lattice, deadline: Deadline) -> Scheme | None:
    """Return the best scheme that a short search finds; the coarsest where it finds none."""
    limits = Limits(deadline.left, affordable(problem, *EVALUATIONS))
    found = search(problem.evaluator, lattice, limits, clock=deadline.clock, params=PARAMS)
    if found.best is not None:
        return found.best.scheme
    return lattice.high if problem.evaluate(lattice.high).feasible else None


def try_layers(
    problem: Problem, limit: float, scheme: Scheme | None, deadline: Deadline
) -> Trial | None:
    """Try layers beside the best scheme for all records.

    None where they have no meaning, or none are found within the limit.
    """
    limited, cover = at_limit(problem, limit), problem.measure.cover
    assert cover is not None  # what is proposed names no other
    task = LayersTask(
        limited.microdata,
        limited.models,
        cover,
        limited.lattice,
        limited.suppression_limit,
        most_candidates=affordable(problem, *CANDIDATES),
    )
    watch = Watch(2 * deadline.left, clock=deadline.clock)  # half of it is for the bound

    def no_bound(*_: object) -> None:
        watch.seconds = 0.0

    watch.on_bound = no_bound
    try:
        found: Layers = find_layers(task, lambda _: scheme, watch)
    except AnonymizerError:
        return None
    if not found.feasible:
        return None
    return trial_of("layers", limit, 1 - found.loss, found.layering)


def trial_of(recoding: Recoding, limit: float, quality: float, layering: Layering) -> Trial:
    """Describe what was found."""
    dropped = layering.suppressed_records / layering.microdata.records
    return Trial(recoding, limit, quality, dropped, columns_left(layering))


def find_costliest(problem: Problem, deadline: Deadline) -> tuple[str | None, float]:
    """Return the quasi-identifier without which most is left of the others, and how much that is.

    Left out, it is at its top, and its own loss does not count.
    """
    limited, names = at_limit(problem, PROPOSED_LIMIT), problem.microdata.attributes
    if len(names) < 2:
        return None, 0.0
    found = {name: quality_without(limited, at, deadline) for at, name in enumerate(names)}
    most = max(found, key=lambda name: found[name])
    return most, found[most]


def quality_without(problem: Problem, at: int, deadline: Deadline) -> float:
    """Return what is left of all other quasi-identifiers where one is left out."""
    lattice = problem.lattice
    top = Lattice(with_level(lattice.low, at, lattice.high[at]), lattice.high)
    scheme = find_scheme(problem, top, deadline)
    if scheme is None:
        return 0.0
    outcome = problem.outcome(scheme)
    losses = problem.evaluator.attribute_losses(outcome.classes, outcome.suppressed)
    others = [1 + loss for place, loss in enumerate(losses) if place != at]
    return 2 - float(np.prod(others) ** (1 / len(others)))
