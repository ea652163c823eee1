"""The writer of proof files: one plain pass over the lattice, given the solution.

A box is closed if a reason for it is found, and else cut: first by the plain bound, then by a witness
that is known already, then by its own highest scheme, which tells most of all. Nothing depends on how the
solution was found. If the writer is wrong, the checker refuses what it wrote.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer import __version__
from anonymizer.hierarchy import Hierarchy
from anonymizer.lattice import Lattice, with_level
from anonymizer.policy import Policy, digest_of_hierarchy
from anonymizer.problem import Problem
from anonymizer.problem.study import StudyProblem
from anonymizer.proof.case import case_of, case_of_study
from anonymizer.proof.checker import TIE, Case, OutOfTime, Target
from anonymizer.proof.format import (
    Claim,
    Closed,
    Cut,
    Node,
    Proof,
    ProofError,
    Scheme,
    digest_of_policy,
)
from anonymizer.proof.losses import Measure
from anonymizer.proof.table import Gone, Table
from anonymizer.study.evaluator import StudyEvaluator
from anonymizer.table.classes import match_tuples
from anonymizer.table.microdata import Microdata

Clock = Callable[[], float]
Floats = NDArray[np.float64]
ROUNDING = 1e-13
"""What a total of terms must exceed a limit by, so that the checker, which adds exactly, agrees."""


@dataclass(frozen=True, eq=False)
class FastTable(Table):
    """A table that is partitioned by the search's kernel, which takes less time."""

    microdata: Microdata | None = field(default=None, repr=False)

    @staticmethod
    def of(table: Table, microdata: Microdata) -> FastTable:
        """Return the table with its microdata."""
        parts = (table.attributes, table.codes, table.counts, table.owners)
        return FastTable(*parts, table.population, table.values, microdata)

    def partition(self, scheme: Scheme) -> NDArray[np.int64]:
        """Number the tuples by their class."""
        assert self.microdata is not None
        labels = match_tuples(self.microdata, self.microdata.domain.paths.mask(scheme))[0]
        return labels.astype(np.int64)


@dataclass(frozen=True, eq=False)
class FastMeasure(Measure):
    """A measure whose sums over what is gone are made by the search's kernel, which takes less time."""

    microdata: Microdata | None = field(default=None, repr=False)

    def losses(self, table: Table, gone: Gone) -> list[list[float]]:
        """Return the loss of each attribute at every level with some records gone, at least."""
        if self.name != "loss" or gone.partly.any():
            return super().losses(table, gone)
        assert self.microdata is not None
        tuples = np.flatnonzero(gone.tuples).astype(np.int32)
        lost = self.microdata.sum_covered(tuples, self.microdata.lattice)[0].tolist()
        totals = self.microdata.total_covered.tolist()
        records, of_gone = table.records, int(table.counts[tuples].sum())
        return [
            [
                self.share_lost(
                    records, total[level], less[level], of_gone, attribute.extent, attribute.least
                )
                for level in range(len(attribute.groups))
            ]
            for attribute, total, less in zip(table.attributes, totals, lost, strict=True)
        ]


def fast(case: Case, microdata: Microdata) -> Case:
    """Return the same case on a table and with a measure that take less time."""
    measure = case.measure
    known = (measure.name, measure.aggregate, measure.weights, measure.factor)
    table = FastTable.of(case.table, microdata)
    return replace(case, table=table, measure=FastMeasure(*known, microdata))


def prove(
    problem: Problem,
    scheme: Scheme,
    bound: float | None,
    described_input: Mapping[str, Any],
    seconds: float | None = None,
) -> Proof | None:
    """Prove that a scheme is the best for a problem, or, with a bound, that none loses less than that.

    The proof bears the digests of what it is of. Returns None where it would take more than the seconds
    there are; Unsupported says what there is no rule for.
    """
    started = time.process_time()
    case = fast(case_of(problem), problem.microdata)
    left = None if seconds is None else seconds - (time.process_time() - started)
    proof = write_proof(case, scheme, bound, left)
    named = {hierarchy.name: hierarchy for hierarchy in problem.hierarchies}
    return proof and with_origin(proof, problem.policy, named, described_input)


def prove_study(
    problem: StudyProblem,
    scheme: Scheme,
    bound: float | None,
    described_input: Mapping[str, Any],
    seconds: float | None = None,
) -> Proof | None:
    """Prove the same of linked tables, as `prove` does of one."""
    started = time.process_time()
    case = by_engine(case_of_study(problem.evaluator, problem.lattice), problem.evaluator)
    left = None if seconds is None else seconds - (time.process_time() - started)
    proof = write_proof(case, scheme, bound, left)
    return proof and with_origin(proof, problem.policy, problem.hierarchies, described_input)


def with_origin(
    proof: Proof, policy: Policy, hierarchies: Mapping[str, Hierarchy], described: Mapping[str, Any]
) -> Proof:
    """Let a proof bear the digests of what it is of."""
    digests = {name: digest_of_hierarchy(h) for name, h in hierarchies.items()}
    origin = {"input": dict(described), "policy": digest_of_policy(policy.describe())}
    return replace(proof, origin={**origin, "hierarchies": digests})


def check_agreement(proof: Proof, loss: float, suppressed: int) -> None:
    """Raise a ProofError where what is proven is not what the search found."""
    claim = proof.claim
    if claim.suppressed != suppressed or abs(claim.loss - loss) > TIE:
        raise ProofError(
            f"the checker finds a loss of {claim.loss!r} and {claim.suppressed:,} suppressed records, "
            f"and the search {loss!r} and {suppressed:,}: one of the two is at fault; please report it."
        )


@dataclass(frozen=True, eq=False)
class EngineCase(Case):
    """A study of which the search's engine says who must go, which takes less time."""

    evaluator: StudyEvaluator = field(kw_only=True)

    def suppressed(self, scheme: Scheme) -> NDArray[np.bool_]:
        """Return who is suppressed at a scheme."""
        people, *_ = self.evaluator.kept(scheme)
        return ~people

    def must_go(self, scheme: Scheme) -> Gone:
        """Return who is suppressed there and at every finer scheme: the same."""
        return Gone.of(self.suppressed(scheme))


def by_engine(case: Case, evaluator: StudyEvaluator) -> EngineCase:
    """Return the same case with who must go found faster."""
    parts = (case.table, case.low, case.high, case.limit, case.measure, case.models)
    return EngineCase(*parts, evaluator=evaluator)


def write_proof(
    case: Case,
    scheme: Scheme,
    bound: float | None = None,
    seconds: float | None = None,
    clock: Clock = time.process_time,
) -> Proof | None:
    """Prove that a scheme is optimal, or, with a bound, that no scheme loses less than that.

    Returns None where the lattice is too large for the seconds there are. A scheme that a tie was left
    open for is proven without ties. A ProofError says if a scheme beats it.
    """
    gone = case.suppressed(scheme)
    suppressed, loss = case.count(gone), case.loss(scheme, gone)
    optimal = bound is None
    claim = Claim(scheme, loss, suppressed, loss if bound is None else bound, optimal, optimal)
    ends = None if seconds is None else clock() + seconds
    while True:
        target = Target(case, scheme, suppressed, claim.bound, claim.ties)
        pass_ = Pass(case, target, ends, clock)
        try:
            tree = pass_.close(Lattice(case.low, case.high))
        except OutOfTime:
            return None
        except LostTie:
            claim = replace(claim, ties=False)
            continue
        names = tuple(attribute.name for attribute in case.table.attributes)
        witnesses, tree = pass_.with_few_witnesses(tree)
        return Proof(claim, names, case.low, case.high, witnesses, tree, anonymizer=__version__)


class LostTie(Exception):  # noqa: N818 - not an error
    """A scheme ties with the solution and wins the tie."""


class Pass:
    """One pass over the lattice, and the witnesses found on the way."""

    def __init__(self, case: Case, target: Target, ends: float | None, clock: Clock) -> None:
        self.case, self.target, self.ends, self.clock = case, target, ends, clock
        self.places = np.arange(len(case.low))
        heights = max(len(attribute.groups) for attribute in case.table.attributes)
        self.schemes = np.empty((64, len(case.low)), np.int64)
        self.terms = np.empty((64, len(case.low), heights))
        """What each witness tells: the terms that attributes add to the loss at every level."""
        self.losses: list[list[list[float]]] = []
        self.records = np.empty(64, np.int64)
        self.short: list[str | None] = []
        """Of each witness: a group of which too many must go."""
        self.known: dict[Scheme, int] = {}
        nobody = np.zeros(case.table.counts.size, np.bool_)
        self.plain = case.measure.losses(case.table, Gone.of(nobody))
        beyond = target.loss + (TIE if target.ties else -TIE)
        self.cutoff = to_total(case.measure, beyond) + ROUNDING

    def witness(self, scheme: Scheme) -> int:
        """Return the number of a witness; find out what must go there if it is new."""
        if scheme in self.known:
            return self.known[scheme]
        if self.ends is not None and self.clock() > self.ends:
            raise OutOfTime
        number = len(self.known)
        if number == len(self.schemes):
            self.schemes, self.terms, self.records = (
                np.concatenate([each, np.empty_like(each)])
                for each in (self.schemes, self.terms, self.records)
            )
        gone = self.case.must_go(scheme)
        self.losses.append(self.case.measure.losses(self.case.table, gone))
        self.schemes[number] = scheme
        self.terms[number] = terms_of(self.case.measure, self.losses[-1], self.terms.shape[2])
        self.records[number] = gone.records(self.case.table)
        short = (each.name for each in self.case.groups if each.most_kept(gone) < each.least)
        self.short.append(next(short, None))
        self.known[scheme] = number
        return number

    def close(self, box: Lattice) -> Node:
        """Close a box, or cut it."""
        low, high = box.low, box.high
        if self.is_plain(low):
            return Closed("plain")
        number = len(self.known)
        known = np.flatnonzero((self.schemes[:number] >= high).all(axis=1))
        found = self.by_known(box, known)
        if found is None and low == high:
            found = self.evaluate(low)
        if found is None and high not in self.known:
            found = self.by_known(box, np.array([self.witness(high)]))
        return self.split(box, *self.choose(box)) if found is None else found

    def by_known(self, box: Lattice, numbers: NDArray[np.int64]) -> Node | None:
        """Close a box, or a slab of it, by one of some witnesses."""
        if not numbers.size:
            return None
        over = np.flatnonzero(self.records[numbers] > self.case.limit)
        if over.size:
            return Closed("infeasible", (int(numbers[over[0]]),))
        for number in numbers.tolist():
            if (group := self.short[number]) is not None:
                return Closed("infeasible", (number,), group)
        low, terms = box.low, self.terms[numbers]
        own = terms[:, self.places, low]
        best = int(numbers[np.argmax(total(self.case.measure, own))])
        loss = self.case.measure.at(self.losses[best], low)
        if self.target.is_beyond(loss):
            return Closed("bound", (best,))
        if self.target.wins_tie(loss, int(self.records[best]), low):
            return Closed("tie", (best,))
        return self.cut_off(box, numbers, terms, own)

    def cut_off(
        self, box: Lattice, numbers: NDArray[np.int64], terms: Floats, own: Floats
    ) -> Node | None:
        """Cut off a slab of higher levels that one of some witnesses closes; None where none does."""
        levels, low = np.arange(terms.shape[2]), np.array(box.low)[:, np.newaxis]
        inside = (levels > low) & (levels <= np.array(box.high)[:, np.newaxis])
        raised = join(self.case.measure, others(self.case.measure, own)[..., np.newaxis], terms)
        closed = inside & (raised > self.cutoff).any(axis=0)
        if not closed.any():
            return None
        at, level = map(int, np.unravel_index(np.argmax(closed), closed.shape))
        by = int(numbers[np.argmax(raised[:, at, level])])
        below = Lattice(box.low, with_level(box.high, at, level - 1))
        return Cut(at, (level - 1,), (self.close(below), Closed("bound", (by,))))

    def choose(self, box: Lattice) -> tuple[int, int]:
        """Choose where to split a box: above the lowest level of the attribute whose next costs most."""
        terms = self.terms[self.known[box.high]]
        low, wide = np.array(box.low), np.array(box.high) > np.array(box.low)
        step = terms[self.places, np.where(wide, low + 1, low)] - terms[self.places, low]
        at = int(np.argmax(np.where(wide, step, -np.inf)))
        return at, box.low[at]

    def split(self, box: Lattice, at: int, level: int) -> Node:
        """Split a box at a level of an attribute, and close both parts."""
        below, above = box.split(at, level)
        upper = self.close(above)
        return Cut(at, (level,), (self.close(below), upper))

    def evaluate(self, scheme: Scheme) -> Closed:
        """Close a box of one scheme."""
        if self.ends is not None and self.clock() > self.ends:
            raise OutOfTime
        case, target = self.case, self.target
        gone = case.suppressed(scheme)
        suppressed = case.count(gone)
        if case.is_feasible(gone):
            loss = case.loss(scheme, gone)
            if not target.is_beyond(loss) and not target.wins_tie(loss, suppressed, scheme):
                if target.ties and loss >= target.loss - TIE:
                    raise LostTie
                raise ProofError(
                    f"the scheme {list(scheme)} loses {loss!r}, and none should lose less than "
                    f"{target.loss!r}: the search is at fault; please report it."
                )
        return Closed("evaluated")

    def with_few_witnesses(self, tree: Node) -> tuple[tuple[Scheme, ...], Node]:
        """Let few witnesses close many boxes: greedily, those first that close most of what is left."""
        bound = [
            (low, high) for low, high, leaf in leaves(self.case, tree) if leaf.reason == "bound"
        ]
        instead = {box: Closed("plain") for box in bound if self.is_plain(box[0])}
        boxes = [box for box in bound if box not in instead]
        able = np.array([self.able(*box) for box in boxes], np.bool_)
        able = able.reshape(len(boxes), len(self.known))
        while able.any():  # a bound so near that only exact sums tell keeps its own witness
            best = int(np.argmax(able.sum(axis=0)))
            closes = able[:, best].copy()
            instead.update((boxes[at], Closed("bound", (best,))) for at in np.flatnonzero(closes))
            able[closes] = False
        used: dict[int, int] = {}
        renumbered = renumber(tree, (self.case.low, self.case.high), instead, used)
        schemes = list(self.known)
        return tuple(schemes[number] for number in used), renumbered

    def is_plain(self, low: Scheme) -> bool:
        """Whether a scheme loses too much with nothing suppressed."""
        return self.target.is_beyond(self.case.measure.at(self.plain, low))

    def able(self, low: Scheme, high: Scheme) -> NDArray[np.bool_]:
        """Mark the witnesses that close a box by their bound."""
        number = len(self.known)
        above = (self.schemes[:number] >= high).all(axis=1)
        own = self.terms[:number][:, self.places, low]
        return above & (total(self.case.measure, own) > self.cutoff)


def leaves(case: Case, tree: Node) -> Iterator[tuple[Scheme, Scheme, Closed]]:
    """Yield the closed boxes of a tree."""
    names = tuple(attribute.name for attribute in case.table.attributes)
    claim = Claim(case.low, 0.0, 0, 0.0, False)
    return Proof(claim, names, case.low, case.high, (), tree).boxes()


def renumber(
    node: Node,
    box: tuple[Scheme, Scheme],
    instead: Mapping[tuple[Scheme, Scheme], Closed],
    used: dict[int, int],
) -> Node:
    """Close boxes as chosen for them, with witnesses numbered in the order in which they are met."""
    if isinstance(node, Closed):
        leaf = instead.get(box, node)
        return replace(leaf, witnesses=tuple(used.setdefault(n, len(used)) for n in leaf.witnesses))
    low, high = box
    (level,), (below, above) = node.levels, node.parts
    parts = (
        renumber(below, (low, with_level(high, node.attribute, level)), instead, used),
        renumber(above, (with_level(low, node.attribute, level + 1), high), instead, used),
    )
    return replace(node, parts=parts)


def terms_of(measure: Measure, losses: Sequence[Sequence[float]], levels: int) -> Floats:
    """Return what the losses of attributes add to the loss, level by level."""
    largest = max(measure.weights, default=0.0) or 1.0
    found = np.full((len(losses), levels), np.inf)
    for at, row in enumerate(losses):
        found[at, : len(row)] = [measure.weights[at] / largest * loss for loss in row]
    return np.log1p(found) if measure.aggregate == "geometric" else found


def total(measure: Measure, terms: Floats) -> Floats:
    """Put rows of terms together."""
    if measure.aggregate == "maximum":
        return np.asarray(terms.max(axis=1, initial=0.0))
    return np.asarray(terms.sum(axis=1))


def others(measure: Measure, terms: Floats) -> Floats:
    """Put rows of terms together, each time without one of them."""
    if measure.aggregate == "maximum":
        left = [total(measure, np.delete(terms, at, axis=1)) for at in range(terms.shape[1])]
        return np.stack(left, axis=1)
    return np.asarray(terms.sum(axis=1, keepdims=True) - terms)


def join(measure: Measure, left: Floats, right: Floats) -> Floats:
    """Put totals together."""
    return np.maximum(left, right) if measure.aggregate == "maximum" else left + right


def to_total(measure: Measure, loss: float) -> float:
    """Return the total of terms that has a loss."""
    weights = [weight / (max(measure.weights) or 1.0) for weight in measure.weights]
    if measure.aggregate == "geometric":
        return len(weights) * math.log1p(max(loss, -0.5))
    if measure.aggregate == "maximum":
        return loss
    return loss * ((sum(weights) or 1.0) if measure.aggregate == "sum" else len(weights))
