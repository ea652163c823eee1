"""A published table held against limits: which rows break which limit, and what all rows keep.

A row keeps l-diversity if PDP and PFDOC are at least log2(l), and PFDPTC at most log2(l). Only an
advantage counts against a row: PDP breaks a limit only where the shares of the arms in the group differ
from the allocation, and PFDOC only where somebody has the characteristic. So a row that nobody has breaks
nothing. Figures of values, such as medians, break the advantage where a guess of somebody's value is
right more often than that.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from anonymizer.errors import DataError, quote
from anonymizer.published.indicators import (
    Guess,
    Indicator,
    Indicators,
    entropy,
    measure,
)
from anonymizer.published.partition import Answer, partitions_of
from anonymizer.published.sentences import say_attacks
from anonymizer.published.summaries import (
    AttackedSummary,
    Summary,
    attack_summary,
    describe_summary,
)
from anonymizer.published.table import (
    Arms,
    Characteristic,
    blocks_of,
    category_faults,
    count_faults,
)

SLACK = 1e-12  # a value that differs from a limit by rounding only does not break it


@dataclass(frozen=True, slots=True)
class PublishedLimits:
    """The l that each row must keep under each attack, and the largest advantage; None: no limit."""

    pdp: float | None = None
    pfdoc: float | None = None
    pfdptc: float | None = None
    advantage: float | None = None
    """The most by which PDP, PFDPTC or a guess of a value may raise a probability above its baseline."""

    def __post_init__(self) -> None:
        if self.advantage is not None and not 0 <= self.advantage <= 1:
            raise DataError(f"the advantage is {self.advantage:g}; it lies from 0 to 1.")

    def check_range(self, arms: int, answers: int) -> None:
        """Raise a DataError for an l that a table with so many arms and answers cannot have."""
        ranges = {
            "pdp": (arms, "arms"),
            "pfdoc": (answers, "answers"),
            "pfdptc": (answers, "answers"),
        }
        for name, (most, what) in ranges.items():
            asked = asdict(self)[name]
            if asked is not None and not 1 - SLACK <= asked <= most + SLACK:
                raise DataError(
                    f"l for {name.upper()} is {asked:g}; with {most} possible {what} it lies from 1 "
                    f"(no protection asked for) to {most}."
                )


@dataclass(frozen=True, slots=True)
class Breach:
    """A limit that a row breaks."""

    attack: str
    """pdp, pfdoc, pfdptc or value."""
    of: str
    """PDP: the group that attacks; PFDPTC and value: the arm that is known; PFDOC: nothing."""
    limit: str
    """l or advantage."""

    def __str__(self) -> str:
        of = f" ({self.of})" if self.of else ""
        return f"{self.attack.upper()}{of}" + (" by advantage" if self.limit == "advantage" else "")


@dataclass(frozen=True, slots=True)
class Published:
    """A published table with its indicators, and the limits it is held against."""

    arms: Arms
    rows: tuple[Indicators, ...]
    limits: PublishedLimits = PublishedLimits()
    summaries: tuple[AttackedSummary, ...] = ()
    """The rows of medians, quartiles and means."""

    @property
    def printed(self) -> tuple[Indicators, ...]:
        """The rows as they are printed: not categories together, nor those measured alone."""
        return tuple(row for row in self.rows if row.partition.printed)

    @property
    def allocation_entropy(self) -> float:
        """PDP of everybody in the trial, in bits: what the sizes of the arms leave open."""
        return entropy(self.arms.sizes)

    @property
    def allocation_guess(self) -> Guess:
        """What somebody who knows only the sizes of the arms guesses: the largest."""
        share, arm = max(
            zip(self.arms.sizes, self.arms.names, strict=True), key=lambda pair: pair[0]
        )
        return Guess(arm, share / self.arms.total, share / self.arms.total)

    @property
    def paper(self) -> PublishedLimits:
        """The l that the printed rows keep as the paper counts: who has it, rows of nobody included."""
        rows = self.printed
        if not rows:
            return PublishedLimits()
        return PublishedLimits(
            2 ** min(pdp.bits for row in rows if (pdp := row.pdp_of(Answer.HAS))),
            2 ** min(row.pfdoc.bits for row in rows),
            2 ** max(attack.bits for row in rows for attack in row.pfdptc),
        )

    @property
    def kept(self) -> PublishedLimits:
        """The strictest limits that nothing breaks; None where no limit could be broken."""
        attacks = [attack for row in self.rows for _, attack in row.attackers]
        changes = [attack for row in self.rows for attack in row.pfdptc]
        raised = [attack.advantage for attack in attacks + changes]
        pdp = [attack.bits for attack in attacks if attack.advantage > SLACK]
        pfdoc = [row.pfdoc.bits for row in self.rows if not row.partition.nobody]
        return PublishedLimits(
            2 ** min(pdp) if pdp else None,
            2 ** min(pfdoc) if pfdoc else None,
            2 ** max(attack.bits for attack in changes) if changes else None,
            max([0.0, *raised, *(each.advantage for each in self.summaries)]),
        )

    def breaches(self, row: Indicators) -> tuple[Breach, ...]:
        """List the limits that a row breaks."""
        return (*self.broken_l(row), *self.broken_advantage(row))

    def broken_l(self, row: Indicators) -> Iterator[Breach]:
        """Find the attacks under which a row does not keep the l that is asked for."""
        limits = self.limits
        for group, attack in row.attackers:
            if attack.advantage > SLACK and is_below(attack, limits.pdp):
                yield Breach("pdp", group.name, "l")
        if not row.partition.nobody and is_below(row.pfdoc, limits.pfdoc):
            yield Breach("pfdoc", "", "l")
        for arm, attack in zip(self.arms.names, row.pfdptc, strict=True):
            if limits.pfdptc is not None and attack.bits > math.log2(limits.pfdptc) + SLACK:
                yield Breach("pfdptc", arm, "l")

    def broken_advantage(self, row: Indicators) -> Iterator[Breach]:
        """Find the attacks that raise a probability by more than the advantage that is allowed."""
        if self.limits.advantage is None:
            return
        most = self.limits.advantage + SLACK
        for group, attack in row.attackers:
            if attack.advantage > most:
                yield Breach("pdp", group.name, "advantage")
        for arm, attack in zip(self.arms.names, row.pfdptc, strict=True):
            if attack.advantage > most:
                yield Breach("pfdptc", arm, "advantage")

    def broken_by_values(self, summary: AttackedSummary) -> tuple[Breach, ...]:
        """Find the arms whose figures tell a value more often than the advantage that is allowed."""
        if self.limits.advantage is None:
            return ()
        most = self.limits.advantage + SLACK
        return tuple(
            Breach("value", attack.arm, "advantage")
            for attack in summary.attacks
            if attack.advantage > most
        )

    @property
    def broken(self) -> dict[str, tuple[Breach, ...]]:
        """The rows that break a limit, with what they break."""
        found = {row.partition.label: self.breaches(row) for row in self.rows}
        found |= {each.row.label: self.broken_by_values(each) for each in self.summaries}
        return {label: breaches for label, breaches in found.items() if breaches}

    def describe(self) -> dict[str, Any]:
        """Return everything as JSON."""
        return {
            "arms": by_arm(self.arms, self.arms.sizes),
            "allocation": {
                "guess": self.allocation_guess.answer,
                "probability": self.allocation_guess.probability,
                "bits": self.allocation_entropy,
                "l": 2**self.allocation_entropy,
            },
            "asked": asdict(self.limits),
            "kept": asdict(self.kept),
            "l_of_the_paper": without_advantage(self.paper),
            "broken": {
                label: [asdict(breach) for breach in breaches]
                for label, breaches in self.broken.items()
            },
            "rows": [describe_row(row, self.arms) for row in self.rows],
            "summaries": [describe_summary(each) for each in self.summaries],
        }


def is_below(attack: Indicator, asked: float | None) -> bool:
    """Check whether an indicator is below the l that is asked for."""
    return asked is not None and attack.bits < math.log2(asked) - SLACK


def assess_published(
    rows: Sequence[Characteristic | Summary], arms: Arms, limits: PublishedLimits | None = None
) -> Published:
    """Compute the indicators of a published table; a count above its arm is an error.

    >>> arms = Arms(("treatment", "placebo"), (228, 105))
    >>> table = assess_published([Characteristic("Hydroxychloroquine", (1, 0))], arms)
    >>> table.kept.pdp
    1.0
    """
    if not rows:
        raise DataError("the table has no rows, so there is nothing to attack.")
    counts = [row for row in rows if isinstance(row, Characteristic)]
    summaries = [row for row in rows if isinstance(row, Summary)]
    if faults := [fault for row in counts for fault in count_faults(row, arms)]:
        raise DataError.defective("the table", faults)
    blocks = [block for block in blocks_of(counts) if len(block) > 1]
    if faults := [fault for block in blocks for fault in category_faults(block, arms)]:
        raise DataError.defective("the table", faults)
    partitions = list(partitions_of(counts, arms))
    check_labels([*(each.label for each in partitions), *(row.label for row in summaries)])
    limits = limits or PublishedLimits()
    limits.check_range(len(arms.names), max((len(each.groups) for each in partitions), default=2))
    measured = tuple(measure(each, arms.names) for each in partitions)
    attacked = tuple(attack_summary(row, arms.names) for row in summaries)
    return Published(arms, measured, limits, attacked)


def check_labels(labels: Sequence[str]) -> None:
    """Raise a DataError if two rows have one name: a breach of the one would hide the other's."""
    for label in labels:
        if labels.count(label) > 1:
            raise DataError(f"the table has two rows {quote(label)}; give each its own name.")


# --- as JSON ---


def by_arm(arms: Arms, values: Sequence[Any]) -> dict[str, Any]:
    """Name values by their arm."""
    return dict(zip(arms.names, values, strict=True))


def without_advantage(limits: PublishedLimits) -> dict[str, float | None]:
    """Return the three l."""
    return {name: value for name, value in asdict(limits).items() if name != "advantage"}


def describe_row(row: Indicators, arms: Arms) -> dict[str, Any]:
    """Describe one row as JSON."""
    part = row.partition
    pdp = row.pdp_of(Answer.HAS)
    return {
        "name": part.label,
        "printed": part.printed,
        "nobody_has_it": part.nobody,
        "people": by_arm(arms, part.sizes),
        "pdp": None if pdp is None else pdp.bits,
        "pfdoc": row.pfdoc.bits,
        "pfdptc": by_arm(arms, [attack.bits for attack in row.pfdptc]),
        "groups": [
            {
                "answer": group.name,
                "counts": by_arm(arms, group.counts),
                "pdp": attack.bits,
                "guess": describe_guess(attack),
            }
            for group, attack in zip(part.groups, row.pdp, strict=True)
        ],
        "pfdoc_guess": describe_guess(row.pfdoc),
        "pfdptc_guess": by_arm(arms, [describe_guess(attack) for attack in row.pfdptc]),
        "attacks": say_attacks(row, arms),
    }


def describe_guess(attack: Indicator) -> dict[str, Any] | None:
    """Describe a guess as JSON; None where there is nobody to attack."""
    guess = attack.guess
    return None if guess is None else {**asdict(guess), "advantage": guess.advantage}
