"""The best scheme of a study: who is kept, what is lost, what is proven, and the released tables."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.dates import Days, draw_shifts
from anonymizer.data.secret import describe_input
from anonymizer.data.table import Recoding, ReleasePlan
from anonymizer.display import Displayed, shown
from anonymizer.errors import InfeasibleError, PolicyError, percent
from anonymizer.kernels.compilation import timed
from anonymizer.lattice import Scheme
from anonymizer.layers.layering import one_layer
from anonymizer.policy import PolicyLike
from anonymizer.problem.seen import find_seen
from anonymizer.problem.study import StudyProblem, TablesLike
from anonymizer.proof.format import Proof as ProofFile
from anonymizer.proof.writer import check_agreement, prove_study
from anonymizer.risk import RiskProfile
from anonymizer.search import Proof, SearchResult, Status, StopReason, search
from anonymizer.search.state import OnProgress
from anonymizer.solution.date_shift import by_row, describe_shift, moved_recodings
from anonymizer.solution.dropped_events import DroppedEvents
from anonymizer.solution.release import Release
from anonymizer.study.left_out import LeftOut, count_left_out
from anonymizer.study.study import PEOPLE, Mask, Rows

LETTERS = "bcdfghjklmnpqrst"
"""What keys are written in: letters, so that nobody reads them as numbers, and no vowels, so no words."""
KEY_BYTES = 8
KEY_LETTERS = 2 * KEY_BYTES


@dataclass(frozen=True, eq=False, repr=False)
class StudySolution(Displayed):
    """A scheme of linked tables that meets the model, what it costs, and what is proven about it."""

    status: Status
    stopped: StopReason
    scheme: dict[str, int]
    """The level of each quasi-identifier; those of child tables are called `table.column`."""
    loss: float
    attribute_loss: dict[str, float]
    rows_kept: Rows
    """Which rows of each table are released, those of the people first."""
    proof: Proof
    seconds: dict[str, float]
    problem: StudyProblem
    order: int = field(default_factory=lambda: secrets.randbits(128))
    """What shuffles rows and makes keys unless a seed is given; whoever knows it can undo both."""

    @property
    def quality(self) -> float:
        """One minus the loss."""
        return 1 - self.loss

    @property
    def kept(self) -> Mask:
        """Who is released, in the order of the people table."""
        return self.rows_kept[PEOPLE]

    @property
    def records(self) -> int:
        """How many people there are."""
        return self.kept.size

    @property
    def suppressed(self) -> int:
        """How many people are dropped, with all their rows."""
        return int(np.count_nonzero(~self.kept))

    @property
    def bound(self) -> float:
        """The proven lower bound on the loss of any scheme."""
        return self.proof.bound

    @property
    def gap(self) -> float:
        """How much lower than this loss the optimum could still be."""
        return max(0.0, self.loss - self.proof.bound)

    @property
    def levels(self) -> Scheme:
        """The scheme as a tuple, in the order of the quasi-identifiers."""
        return tuple(self.scheme[name] for name in self.problem.study.attributes)

    @cached_property
    def after(self) -> RiskProfile:
        """The risks of who is released from whoever knows the people table's rows alone."""
        return self.problem.profile(self.levels, self.kept)

    @cached_property
    def left_out(self) -> LeftOut:
        """Who is alone by what the promise does not cover."""
        problem = self.problem
        seen = find_seen(problem, self.levels)
        return count_left_out(
            problem.study, self.levels, self.rows_kept, problem.kept_columns, seen
        )

    @property
    def above_cap(self) -> int | None:
        """How many people are dropped for the number of their events; None where there is no cap."""
        if self.problem.model.most_events is None:
            return None
        return int(np.count_nonzero(~self.problem.evaluator.supports.within_cap))

    @cached_property
    def dropped_events(self) -> DroppedEvents | None:
        """Which single events are dropped; None where whole people are."""
        if self.problem.model.suppress == "people":
            return None
        names = [part.name for part in self.problem.parts]
        return DroppedEvents.of(self.problem.study, self.levels, self.rows_kept, names)

    @property
    def tables(self) -> dict[str, dict[str, int]]:
        """How many rows each table has, before and after."""
        pairs = zip(self.problem.parts, self.rows_kept, strict=True)
        return {
            part.name: {"rows": rows.size, "released": int(np.count_nonzero(rows))}
            for part, rows in pairs
        }

    def describe(self) -> dict[str, Any]:
        """Return all figures as JSON."""
        proof = self.proof
        return {
            "status": self.status.value,
            "stopped": self.stopped.value,
            "quality": self.quality,
            "loss": self.loss,
            "bound": self.bound,
            "gap": self.gap,
            "scheme": self.scheme,
            "attribute_loss": self.attribute_loss,
            "records": self.records,
            "people": self.records,
            "suppressed": self.suppressed,
            "tables": self.tables,
            "left_out": self.left_out.describe(),
            **({} if self.above_cap is None else {"above_cap": self.above_cap}),
            **describe_shift(self.problem.said_of_dates),
            **({} if self.dropped_events is None else self.dropped_events.describe()),
            "schemes": proof.schemes,
            "evaluated": proof.evaluated,
            "partitions": proof.partitions,
            "pruned": {reason.value: number for reason, number in proof.pruned.items()},
            "risk": {"before": asdict(self.problem.profile_before), "after": asdict(self.after)},
        }

    @property
    def described_input(self) -> dict[str, dict[str, str | None]]:
        """The original tables by their names and keyed digests, as manifest and proof file have them."""
        return {part.name: describe_input(part.table) for part in self.problem.parts}

    def proof_file(self, seconds: float | None = None) -> ProofFile | None:
        """Prove what is claimed by one plain pass over the lattice, as `Solution.proof_file` does."""
        bound = None if self.status is Status.OPTIMAL else min(self.bound, self.loss)
        with timed(self.seconds, "prove"):
            proof = prove_study(self.problem, self.levels, bound, self.described_input, seconds)
        if proof is not None:
            check_agreement(proof, self.loss, self.suppressed)
        return proof

    def keys(self, seed: int | None = None) -> dict[str, list[str]]:
        """Return the new key of every row of each table that others refer to; no two are equal."""
        named = {table for part in self.problem.parts for table in part.keys.values()}
        secret = self.order if seed is None else seed
        return {
            table: random_keys(secret, table, figures["rows"])
            for table, figures in self.tables.items()
            if table in named
        }

    def plans(self, seed: int | None = None) -> dict[str, ReleasePlan]:
        """Return what each table must know to make its release, its rows shuffled."""
        keys, secret = self.keys(seed), self.order if seed is None else seed
        most = self.problem.policy.release.date_shift or 0
        shifts = draw_shifts(f"{secret}".encode(), self.records, most)
        return {
            part.name: self.plan(place, keys, np.random.default_rng([secret, place]), shifts)
            for place, part in enumerate(self.problem.parts)
        }

    def plan(
        self,
        place: int,
        keys: dict[str, list[str]],
        random: np.random.Generator,
        shifts: Days,
    ) -> ReleasePlan:
        """Return what one table must know: every row is a tuple of its own, since its keys are."""
        problem, part = self.problem, self.problem.parts[place]
        microdata, everyone = problem.microdata(place), np.arange(self.rows_kept[place].size)
        scheme = problem.study.split(self.levels)[place]
        none = np.zeros(microdata.distinct, np.bool_)
        alone = Release(part.table, part.policy, one_layer(microdata, scheme, none))
        recodings = {
            name: by_row(alone.recoding(name), microdata.tuple_of_row)
            for name in microdata.attributes
        }
        moved = shifts[problem.study.person_of_row[place]]
        recodings |= moved_recodings(part.table, part.policy, moved)
        rows_above = self.rows_above(place)
        for column, table in part.keys.items():
            recodings[column] = as_recoding(
                keys[table], everyone if table == part.name else rows_above
            )
        rows = np.flatnonzero(self.rows_kept[place])
        random.shuffle(rows)
        escaped = problem.policy.release.escape_formulas
        return ReleasePlan(part.columns, recodings, everyone.astype(np.int32), rows, escaped)

    def rows_above(self, place: int) -> NDArray[np.integer]:
        """Return the row of the table above that each row of a table belongs to."""
        rows = self.problem.study.tables[place].parent_row
        return np.empty(0, np.int64) if rows is None else rows

    def to_frames(self, seed: int | None = None) -> dict[str, Any]:
        """Make the released dataframes by name, each of the kind that was given.

        Rows are shuffled and keys drawn by the system's randomness unless seeded; called again, they are
        the same.
        """
        plans = self.plans(seed)
        return {part.name: part.table.release(plans[part.name]) for part in self.problem.parts}


def as_recoding(keys: list[str], rows: NDArray[np.integer]) -> Recoding:
    """Return what a column of keys becomes; its values are sorted, not in the order of the original."""
    order = sorted(range(len(keys)), key=keys.__getitem__)
    place = np.empty(len(keys), np.int64)
    place[order] = np.arange(len(keys))
    return Recoding(tuple(keys[number] for number in order), place[rows], original=False)


def random_keys(secret: int, table: str, rows: int) -> list[str]:
    """Return a key for each row of a table: different, equally long, and without any order.

    Whoever does not know the secret cannot tell them from letters drawn by chance, nor from one key the
    others, nor how the rows were shuffled.

    >>> random_keys(7, "dm", 2) == random_keys(7, "dm", 3)[:2]
    True
    """
    names: dict[str, None] = {}
    number, into = 0, str.maketrans("0123456789abcdef", LETTERS)
    while len(names) < rows:
        stream = hashlib.shake_256(f"{secret}\0{table}\0{number}".encode())
        drawn = stream.hexdigest(KEY_BYTES * rows).translate(into)
        names |= {drawn[at : at + KEY_LETTERS]: None for at in range(0, len(drawn), KEY_LETTERS)}
        number += 1
    return list(names)[:rows]


def anonymize_study(
    data: TablesLike | StudyProblem,
    policy: PolicyLike | None = None,
    on_progress: OnProgress | None = None,
    resume: object = None,
) -> StudySolution:
    """Find the best scheme of linked tables that the policy allows, and who is kept at it."""
    if resume is not None:
        raise PolicyError(
            "a search over linked tables cannot be resumed; leave out the checkpoint."
        )
    seconds: dict[str, float] = {}
    with timed(seconds, "read"):
        if not isinstance(data, StudyProblem):
            if policy is None:
                raise PolicyError("no policy is given; pass one beside the tables.")
            data = StudyProblem.read(data, policy)
    with timed(seconds, "search"), shown(on_progress) as told:
        workers = data.policy.machine.workers
        found = search(data.evaluator, data.lattice, data.limits, workers, told)
        if found.best is None:
            raise why_infeasible(data, found)
        rows = data.evaluator.kept(found.best.scheme)
    return make_study_solution(data, found, rows, seconds)


def make_study_solution(
    problem: StudyProblem, found: SearchResult, rows: Rows, seconds: dict[str, float]
) -> StudySolution:
    """Describe the best scheme that was found."""
    assert found.best is not None
    scheme = found.best.scheme
    losses = problem.evaluator.attribute_losses(scheme, rows)
    return StudySolution(
        status=found.status,
        stopped=found.stopped,
        scheme=problem.named(scheme),
        loss=found.best.loss,
        attribute_loss=dict(zip(problem.study.attributes, losses, strict=True)),
        rows_kept=rows,
        proof=found.proof,
        seconds=seconds,
        problem=problem,
    )


def why_infeasible(problem: StudyProblem, found: SearchResult) -> InfeasibleError:
    """Say why there is no solution, and what would help."""
    if found.status is Status.UNKNOWN:
        return InfeasibleError(
            "no scheme that meets the policy was found before the search stopped "
            f"({found.stopped.value}); there may be one: raise the limit"
            + (" or event_limit." if problem.model.event_limit < 1 else ".")
        )
    coarsest = problem.evaluator.evaluate(problem.lattice.high)
    if coarsest.suppressed_records <= problem.evaluator.suppression_limit:
        return InfeasibleError(
            f"{problem.model} cannot be met: even the coarsest scheme the policy allows would drop more "
            f"than {percent(problem.model.event_limit)} of the rows of a table; raise event_limit or "
            "max_level, or lower k or power."
        )
    people, gone = problem.study.people, coarsest.suppressed_records
    return InfeasibleError(
        f"{problem.model} cannot be met: the coarsest scheme the policy allows would drop {gone:,} of "
        f"{people:,} people ({percent(gone / people)}), above the suppression limit of "
        f"{percent(problem.policy.release.suppression_limit)}; raise suppression_limit or max_level, or "
        "lower k or power."
    )
