"""The checker of proof files: small, plain, and independent of the search.

A proof file is a tree over the lattice (see `format`). That its boxes cover the lattice follows from the
cuts. Every closed box rests on one of five reasons, and each is recomputed here:

    evaluated    the box is one scheme; it does not beat the solution
    plain        the lowest scheme, with nothing suppressed, already loses too much
    bound        the witnesses are no finer than the box's highest scheme; with the records that must go
                 there counted as lost, the lowest scheme already loses too much
    infeasible   more records must go there than the suppression limit allows, or more of a group that
                 must be kept than its share allows
    tie          as `bound`: it can at most tie, and then loses the tie

Why that is enough. Generalizing further never lowers what a value covers, so no scheme of a box loses
less than its lowest one with the same records gone. And a record that must go at a scheme must go at
every finer one: of a model of single people, because a coarser class has no fewer people (what is kept at
the finer scheme would be kept at the coarser, whose greatest set is dropped from); of a model of
distributions, because classes that pass, joined, pass, so that no more of a class can be kept in parts
than the largest part of it that passes (`most_kept`).

What is shared with the rest of the package is reading, in `case`: the policy; the hierarchies, as groups
of codes and the leaves that each group covers; the table, as distinct tuples with counts, which a kernel
aggregates; who has which rows; the probabilities of sources and scenarios; the ranks of an ordered
attribute; the estimates of who is unique in a population. An error there misleads search and checker
alike. Nothing else of the search, the kernels, the evaluation or the risk models is used. Beside this
file the checker is `format` (the tree), `table` (classes and counts), `losses` (measures), `models` and
`distributions` (risk models), and `linked` (studies, where a record is a person with all their rows);
they import numpy and each other.

Sums are whole numbers over one denominator for each attribute. An attribute's loss is one quotient of
them; only the aggregate and the comparison of two losses are in floating point (`ERROR`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from anonymizer.proof.format import Closed, Proof, ProofError, Scheme, show_box
from anonymizer.proof.losses import Measure
from anonymizer.proof.models import Model, TableModel
from anonymizer.proof.table import Gone, Group, Integers, Marks, Table, View, whole_sums

TIE = 1e-12
"""Losses this close are equal; fewer suppressed records, then lower levels decide."""
ERROR = 1e-14
"""More than floating point adds to a loss, which lies between 0 and 1.

A quotient, weighted, is off by 2e-16 of itself, its logarithm by 4e-16, their mean, summed exactly, by no
more than the worst of them, and the loss by 1e-15. A measure of bits sums logarithms exactly as well.
"""
MANY_WITNESSES = 100_000
"""Above so many, a random part is checked unless all are asked for."""
SPOT = 10_000
"""So many witnesses make a spot check."""


@dataclass(frozen=True, eq=False)
class Case:
    """A table, the schemes that the policy allows, and what it asks of a release."""

    table: Table
    low: Scheme
    high: Scheme
    limit: int
    """The records that may be suppressed."""
    measure: Measure
    models: tuple[Model, ...]
    groups: tuple[Group, ...] = ()
    """Groups of which a share must be kept."""

    @property
    def scope(self) -> str:
        """What is proven: over which suppressions no scheme is better."""
        scopes = {model.scope for model in self.models}
        if "table" in scopes:
            return "no scheme is better under the stated order of suppression"
        if "classes" in scopes:
            return "no scheme with any suppression of whole classes is better"
        if "whole people" in scopes:
            return "no scheme with any suppression of whole people is better"
        return "no scheme with any suppression of records is better"

    @property
    def trusted(self) -> tuple[str, ...]:
        """What is not checked here."""
        return tuple(dict.fromkeys(line for model in self.models for line in model.trusted))

    @cached_property
    def local(self) -> bool:
        """Whether every class is judged by itself."""
        return all(model.local for model in self.models)

    def view(self, scheme: Scheme) -> View:
        """Return the classes of a scheme, with everybody kept."""
        everybody = np.ones(self.table.counts.size, np.bool_)
        return View(self.table, scheme, self.table.partition(scheme), everybody)

    def must_go(self, scheme: Scheme) -> Gone:
        """Return what is suppressed at a scheme and at every finer one, as far as the models tell."""
        view = self.view(scheme)
        certain = greatest_fixpoint(
            view, [model.breaks_when_finer for model in self.models], self.local
        )
        found = [Gone.of(certain)]
        limits = [most for model in self.models if (most := model.most_kept(view)) is not None]
        if limits:
            kept = np.minimum.reduce(limits)
            least = max(model.least_class(self.table) for model in self.models)
            kept = np.where(kept < least, 0, kept)  # of so few, no class can be kept
            lost = whole_sums(view.labels[certain], self.table.counts[certain], view.classes)
            kept = np.minimum(kept, view.records - lost)
            partly = kept < view.records
            found.append(Gone(certain, partly[view.labels], int(kept[partly].sum())))
        for model in self.models:
            if isinstance(model, TableModel):
                found.append(replace(model.must_go(view), tuples=certain))
        return max(found, key=lambda gone: gone.records(self.table))

    def suppressed(self, scheme: Scheme) -> Marks:
        """Return what is suppressed at a scheme: who breaks a model, then classes in the order."""
        view = self.view(scheme)
        gone = greatest_fixpoint(view, [model.breaks for model in self.models], self.local)
        of_table = [model for model in self.models if isinstance(model, TableModel)]
        if not of_table:
            return gone
        left = view.without(gone)
        order = self.order_of_suppression(left)
        passing = [m.risks(left.sizes[order]) <= m.threshold for m in of_table]
        cut = int(np.argmax(np.logical_and.reduce(passing)))
        first = np.zeros(view.classes, np.bool_)
        first[order[:cut]] = True
        return gone | first[view.labels]

    def order_of_suppression(self, view: View) -> Integers:
        """Order the classes that are left: the smallest, then the least informative, then the first."""
        first = np.full(view.classes, view.kept.size)
        np.minimum.at(first, view.labels, np.arange(view.kept.size))
        shares = np.zeros(view.classes)
        for at, attribute in enumerate(self.table.attributes):
            covered = attribute.covered[view.scheme[at]] / attribute.extent
            shares += covered[self.table.codes[at][first]]
        information = np.round(1 - shares / len(self.table.attributes), 12)
        order = np.lexsort((first, information, view.sizes))
        return order[view.there[order]]

    def count(self, gone: Marks) -> int:
        """Count the records of some tuples."""
        return int(self.table.counts[gone].sum())

    def short_group(self, gone: Marks) -> Group | None:
        """Return a group of which too few are kept."""
        return next((each for each in self.groups if each.count(~gone) < each.least), None)

    def is_feasible(self, gone: Marks) -> bool:
        """Whether no more records are gone than may be, and enough of every group is kept."""
        return self.count(gone) <= self.limit and self.short_group(gone) is None

    def loss(self, scheme: Scheme, gone: Marks) -> float:
        """Return what a scheme loses with some tuples suppressed."""
        return self.measure.at(self.measure.losses(self.table, Gone.of(gone)), scheme)


def greatest_fixpoint(
    view: View, rules: Sequence[Callable[[View], Marks | None]], local: bool
) -> Marks:
    """Drop who breaks a rule, look again at what is left, and so on; return what is gone.

    One look is enough where rules are local: whole classes go, and the others stay as they are.
    """
    gone = np.zeros(view.kept.size, np.bool_)
    while True:
        left = view.without(gone) if gone.any() else view
        marks = [found for rule in rules if (found := rule(left)) is not None]
        more = np.logical_or.reduce(marks) & ~gone if marks else gone & ~gone
        gone = gone | more
        if local or not more.any():
            return gone


@dataclass(frozen=True)
class Checked:
    """What a check of a proof file found to hold."""

    claim: str
    boxes: int
    """Closed boxes."""
    schemes: int
    witnesses: int
    looked_at: int
    """The witnesses that were recomputed; fewer than all of them in a spot check."""
    trusted: tuple[str, ...]

    @property
    def is_spot_check(self) -> bool:
        """Whether a random part of the witnesses was looked at."""
        return self.looked_at < self.witnesses

    def __str__(self) -> str:
        how = f"{self.boxes:,} boxes over {self.schemes:,} schemes, {self.witnesses:,} witnesses"
        if self.is_spot_check:
            how += f"; a spot check: {self.looked_at:,} of them, drawn at random, were looked at"
        return f"{self.claim} ({how})"


@dataclass(frozen=True, eq=False)
class Target:
    """What no scheme may beat: the solution and its tie key, or a bound."""

    case: Case
    scheme: Scheme
    suppressed: int
    loss: float
    """The solution's loss, or the bound of a search that was stopped."""
    ties: bool

    def is_beyond(self, loss: float) -> bool:
        """Whether a scheme with at least this loss loses too much to beat the solution, or to tie."""
        return loss >= self.loss + (TIE + ERROR if self.ties else -TIE)

    def wins_tie(self, loss: float, suppressed: int, scheme: Scheme) -> bool:
        """Whether schemes with at least this loss and no lower key can tie at most, and lose the tie."""
        key = (self.suppressed, sum(self.scheme), self.scheme)
        near = loss >= self.loss - TIE
        return self.ties and near and (suppressed, sum(scheme), scheme) >= key


def check(
    proof: Proof,
    case: Case,
    all_witnesses: bool = False,
    random: np.random.Generator | None = None,
    seconds: float | None = None,
) -> Checked:
    """Check a proof file against a table and a policy; a ProofError says what does not hold.

    Above 100,000 witnesses a random part of them is looked at unless all are asked for. Raises OutOfTime
    where it takes more than `seconds`.
    """
    in_time = deadline(seconds)
    check_lattice(proof, case)
    target = check_claim(proof, case)
    boxes = list(proof.boxes())
    chosen = choose_witnesses(len(proof.witnesses), all_witnesses, random)
    plain = case.measure.losses(case.table, Gone.of(np.zeros(case.table.counts.size, np.bool_)))
    schemes, resting = 0, dict[tuple[int, ...], list[tuple[Scheme, Scheme, Closed]]]()
    for low, high, closed in boxes:
        schemes += math.prod(top - bottom + 1 for bottom, top in zip(low, high, strict=True))
        if closed.reason == "plain":
            if not target.is_beyond(case.measure.at(plain, low)):
                raise refused(low, high, closed, "with nothing suppressed it does not lose enough")
        elif closed.reason == "evaluated":
            in_time()
            check_evaluated(low, high, closed, target)
        else:
            resting.setdefault(closed.witnesses, []).append((low, high, closed))
    for witnesses, rest in resting.items():
        if chosen.issuperset(witnesses):
            in_time()
            check_witnessed([proof.witnesses[at] for at in witnesses], rest, target)
    claim = proof.claim
    what = (
        f"{case.scope} than {claim.loss:.9f}"
        if claim.optimal
        else f"no scheme loses less than {claim.bound:.9f}"
    )
    return Checked(what, len(boxes), schemes, len(proof.witnesses), len(chosen), case.trusted)


class OutOfTime(Exception):  # noqa: N818 - not an error
    """There is more to look at than there is time for."""


def deadline(seconds: float | None) -> Callable[[], None]:
    """Return what raises OutOfTime when so many seconds have passed from now on."""
    ends = math.inf if seconds is None else time.monotonic() + seconds

    def in_time() -> None:
        if time.monotonic() > ends:
            raise OutOfTime

    return in_time


def check_lattice(proof: Proof, case: Case) -> None:
    """Check that the proof is of the schemes that the policy allows, and that generalizing only merges.

    Each level merges groups of the one below, and none covers less: all reasons but `evaluated` need it.
    """
    names = tuple(attribute.name for attribute in case.table.attributes)
    if (proof.attributes, proof.low, proof.high) != (names, case.low, case.high):
        raise ProofError("it is of other attributes or levels than those that the policy allows.")
    for witness in proof.witnesses:
        if not within(case, witness):
            raise ProofError(f"the policy does not allow the witness {list(witness)}.")
    for attribute in case.table.attributes:
        if not attribute.only_merges:
            raise ProofError(f"a level of '{attribute.name}' does not coarsen the one below it.")


def within(case: Case, scheme: Scheme) -> bool:
    """Whether the policy allows the levels of a scheme."""
    levels = zip(case.low, scheme, case.high, strict=True)
    return all(low <= level <= high for low, level, high in levels)


def check_claim(proof: Proof, case: Case) -> Target:
    """Check that the solution is feasible and loses what is claimed; return what none may beat."""
    claim = proof.claim
    if not within(case, claim.scheme):
        raise ProofError(f"the policy does not allow the scheme {list(claim.scheme)}.")
    gone = case.suppressed(claim.scheme)
    suppressed, loss = case.count(gone), case.loss(claim.scheme, gone)
    if suppressed != claim.suppressed or suppressed > case.limit:
        raise ProofError(
            f"the scheme {list(claim.scheme)} suppresses {suppressed:,} records, of which "
            f"{case.limit:,} are allowed, and {claim.suppressed:,} are claimed."
        )
    if (short := case.short_group(gone)) is not None:
        raise ProofError(
            f"the scheme {list(claim.scheme)} keeps {short.count(~gone):,} with {short.name}, and "
            f"{short.least:,} must be kept."
        )
    if not abs(loss - claim.loss) <= TIE:
        raise ProofError(
            f"the scheme {list(claim.scheme)} loses {loss!r}, and {claim.loss!r} is claimed."
        )
    if not claim.bound <= loss + TIE or (claim.optimal and claim.bound < loss - TIE):
        raise ProofError(f"the bound {claim.bound!r} is not one that a loss of {loss!r} allows.")
    target = loss if claim.optimal else claim.bound
    return Target(case, claim.scheme, suppressed, target, claim.optimal and claim.ties)


def check_evaluated(low: Scheme, high: Scheme, closed: Closed, target: Target) -> None:
    """Suppress at the one scheme of a box, and compare what it loses with the solution."""
    if low != high:
        raise refused(low, high, closed, "it is more than one scheme")
    case = target.case
    gone = case.suppressed(low)
    suppressed = case.count(gone)
    if not case.is_feasible(gone):
        return
    loss = case.loss(low, gone)
    if not target.is_beyond(loss) and not target.wins_tie(loss, suppressed, low):
        raise refused(low, high, closed, f"it loses {loss!r} and suppresses {suppressed:,} records")


def check_witnessed(
    witnesses: Sequence[Scheme], boxes: Sequence[tuple[Scheme, Scheme, Closed]], target: Target
) -> None:
    """Find what must go at the witnesses, and with it bound the boxes that rest on them."""
    case = target.case
    gone = union([case.must_go(witness) for witness in witnesses], case.table)
    records = gone.records(case.table)
    losses = case.measure.losses(case.table, gone)
    for low, high, closed in boxes:
        if any(w < h for witness in witnesses for w, h in zip(witness, high, strict=True)):
            raise refused(low, high, closed, "a witness is finer than the box's highest scheme")
        if closed.reason == "infeasible":
            if why := why_feasible(case, gone, closed.group):
                raise refused(low, high, closed, why)
            continue
        loss = case.measure.at(losses, low)
        holds = (
            target.is_beyond(loss)
            if closed.reason == "bound"
            else target.wins_tie(loss, records, low)
        )
        if not holds:
            raise refused(low, high, closed, f"its schemes may lose as little as {loss!r}")


def why_feasible(case: Case, gone: Gone, name: str | None) -> str | None:
    """Say why what is gone need not be too much, of a group if one is named; None where it is."""
    if name is None:
        records = gone.records(case.table)
        return f"only {records:,} records must go" if records <= case.limit else None
    group = next((each for each in case.groups if each.name == name), None)
    if group is None:
        return f"the policy keeps no group {name!r}"
    most = group.most_kept(gone)
    return f"{most:,} with {name} may be kept" if most >= group.least else None


def union(found: Sequence[Gone], table: Table) -> Gone:
    """Return what several witnesses tell together: all that is certain, and the best of what is not."""
    certain = np.logical_or.reduce([gone.tuples for gone in found])
    return max(
        (replace(gone, tuples=certain) for gone in found), key=lambda gone: gone.records(table)
    )


def choose_witnesses(
    number: int, all_witnesses: bool, random: np.random.Generator | None
) -> set[int]:
    """Return the places of the witnesses to look at: all, or a random part of very many."""
    if all_witnesses or number <= MANY_WITNESSES:
        return set(range(number))
    random = np.random.default_rng() if random is None else random
    return set(random.choice(number, SPOT, replace=False).tolist())


def refused(low: Scheme, high: Scheme, closed: Closed, why: str) -> ProofError:
    """Say which box is not closed for the reason that is given."""
    return ProofError(f"the box {show_box(low, high)} is not closed as '{closed.reason}': {why}.")
