"""The engine behind the page: the table read once, and the optimum of whatever policy comes next."""

from __future__ import annotations

import threading
import time
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from anonymizer.attacks.result import Attacks
from anonymizer.data.coded import LoadedTable, load
from anonymizer.data.table import Table
from anonymizer.errors import (
    AnonymizerError,
    AnonymizerWarning,
    DataError,
    HierarchyError,
    InfeasibleError,
    show_values,
)
from anonymizer.explanation.explanation import Explanation, explain_scheme
from anonymizer.frontiers.frontier import Frontier, frontier
from anonymizer.kernels.compilation import while_compiling
from anonymizer.policy import Policy
from anonymizer.problem import Problem
from anonymizer.risk import RiskModel
from anonymizer.search import Progress, SearchResult, Status, StopReason
from anonymizer.search.backends import use_backend
from anonymizer.solution.solution import Solution, anonymize, make_solution
from anonymizer.studio.attackers import Sight, attack
from anonymizer.studio.events import Events
from anonymizer.studio.explore import describe_problem, frontier_values, why_no_frontier
from anonymizer.studio.figures import (
    describe_evidence,
    describe_explanation,
    describe_frontier,
    describe_layers,
    describe_solution,
)
from anonymizer.studio.folder import Folder
from anonymizer.studio.outcomes import (
    OnStep,
    compare_thresholds,
    describe_attacks,
    try_attacks,
)
from anonymizer.studio.release import write
from anonymizer.studio.worker import Cancelled, Job, Worker

KEPT = 16
"""So many solutions are kept, so that undo and redo show at once what was there."""
NOTING = threading.Lock()
MANY_TUPLES = 100_000
"""With so many distinct tuples, a search is shared among all cores; with fewer, one alone is faster."""
QUIET = 0.1
"""Seconds between two reports of progress."""


class StudioEngine:
    """Solves policies for one table, the newest first, and tells what it finds."""

    def __init__(self, events: Events) -> None:
        self.events, self.worker = events, Worker()
        self.beside = Worker()
        """For questions about a solution that is there; the search never waits for them."""
        self.trials = Worker()
        """For what takes long, so that looking elsewhere meanwhile does not end it."""
        self.attacks: Attacks | None = None
        """What attackers found in the release of the policy as it is, once that was tried."""
        self.sight: Sight | None = None
        self.lock = threading.Lock()
        """Held while a policy is replaced, or something found for it is taken: never for an older one."""
        self.table: LoadedTable | None = None
        self.problem: Problem | None = None
        """The newest problem that was read; others are made from it where only thresholds differ."""
        self.solution: Solution | None = None
        """That of the policy as it is, once it is found."""
        self.frontier: Frontier | None = None
        self.explanation: Explanation | None = None
        self.notes: list[str] = []
        self.solved: OrderedDict[str, Solution] = OrderedDict()
        self.told: dict[str, dict[str, Any]] = {}
        """Results for the present policy, for pages that are opened later."""

    def open(self, table: Table) -> None:
        """Take a table, whose columns are read when they are first asked for."""
        self.table = load(table, table.columns)
        self.problem = self.solution = self.frontier = self.explanation = None
        self.solved.clear()

    def ask(self, policy: Policy, text: str, revision: int, sequence: int | None = None) -> Job:
        """Find the optimum of a policy in place of what was asked for before.

        While a slider moves, nothing but the optimum is asked for; its events have a `sequence`.
        """

        def run(job: Job) -> None:
            if sequence is None:
                self.work_out(job, policy, text, revision)
            else:
                found = self.solve(job, policy, text, revision)
                self.events.tell("tried", sequence=sequence, solution=describe_solution(found))

        with self.lock:
            if sequence is None:
                self.solution = self.frontier = self.explanation = self.attacks = None
                self.told = {}
                self.trials.drop()
            return self.worker.submit(self.guarded(run, revision))

    @contextmanager
    def taking(self, job: Job) -> Iterator[None]:
        """Let something be taken that was found for the policy as it is; end a job for an older one."""
        with self.lock:
            if job.dropped.is_set():
                raise Cancelled
            yield

    def tell(self, kind: str, revision: int, **content: Any) -> None:
        """Send a result for the present policy to all pages, those opened later too."""
        self.told[kind] = {"revision": revision, **content}
        self.events.tell(kind, **self.told[kind])

    def guarded(self, run: Callable[[Job], None], revision: int) -> Callable[[Job], None]:
        """Return a job that tells of its failure."""

        def guard(job: Job) -> None:
            try:
                with show_values(), while_compiling(lambda: self.say("compiling", revision)):
                    run(job)
            except Cancelled:
                self.events.tell("cancelled", revision=revision)
            except (AnonymizerError, OSError) as error:
                self.fail(job, revision, str(error), panel_of(error))
            except Exception as error:  # a page that waits for ever helps nobody
                said = f"this should not have happened ({type(error).__name__}: {error})."
                self.fail(job, revision, said)
            finally:
                self.events.tell("idle", revision=revision)

        return guard

    def fail(self, job: Job, revision: int, message: str, panel: str | None = None) -> None:
        """Tell what went wrong, and where it is mended, unless nobody waits for it any more."""
        if not job.dropped.is_set():
            self.tell("failure", revision, message=message, panel=panel)

    def say(self, what: str, revision: int, **more: Any) -> None:
        """Tell what is going on."""
        self.events.tell("working", what=what, revision=revision, **more)

    def work_out(self, job: Job, policy: Policy, text: str, revision: int) -> None:
        """Find the optimum, then what explains it and what lies beside it."""
        found = self.solve(job, policy, text, revision)
        with self.taking(job):
            self.solution = found
            notes = [*self.notes, *why_no_frontier(found.problem)]
            self.tell("solution", revision, solution=describe_solution(found), notes=notes)
            self.tell("problem", revision, **describe_problem(found.problem))
        job.check()
        self.say("explaining", revision)
        if found.layers:  # they have no scheme with others around it
            explained_layers = describe_layers(found)
            with self.taking(job):
                self.tell("explanation", revision, explanation=explained_layers)
            return
        explained = explain_scheme(found, self.watch(job, "explaining", revision))
        with self.taking(job):
            self.explanation = explained
            self.tell("explanation", revision, explanation=describe_explanation(explained))
        self.sweep(job, found, revision)

    def release(self, folder: Folder, revision: int) -> None:
        """Write the release of the solution, and verify it."""
        found = self.solution
        assert found is not None

        def run(job: Job) -> None:
            job.check()
            with noting([]):
                tried = None if self.attacks is None else self.attacks.describe()
                made = write(found, folder, tried, lambda what: self.say(what, revision))
            self.tell("released", revision, **made)

        self.worker.submit(self.guarded(run, revision))

    def attack(self, model: RiskModel, revision: int, asked: Any) -> None:
        """Look at the solution as an attacker does, in place of what was asked for beside before."""
        found = self.solution
        assert found is not None

        def look(job: Job) -> dict[str, Any]:
            microdata = found.problem.microdata
            if self.sight is None or self.sight.original is not microdata:
                self.sight = Sight(microdata)
            with noting([]):
                self.sight.prepare(model, job.check)
            return attack(found, model, self.sight)

        self.look_beside("attacked", revision, asked, "attacking", look)

    def analyse(self, revision: int) -> None:
        """Make the analyses that the policy states, on the table and on the release."""
        found = self.solution
        assert found is not None

        def look(job: Job) -> dict[str, Any]:
            return describe_evidence(found, self.steps(job, "analysing", revision))

        self.look_beside("evidence", revision, None, "analysing", look)

    def try_attacks(self, revision: int) -> None:
        """Try every attack on the release."""
        found, table = self.solution, self.table
        assert found is not None
        assert table is not None

        def look(job: Job) -> dict[str, Any]:
            with noting([]):
                tried = try_attacks(found, table, self.steps(job, "trying", revision))
            with self.taking(job):
                self.attacks = tried
            return describe_attacks(tried)

        self.look_beside("attacks", revision, None, "trying", look, self.trials)

    def compare_thresholds(self, revision: int) -> None:
        """Make the policy's analyses on the release at each threshold of the frontier."""
        swept = self.frontier
        assert swept is not None

        def look(job: Job) -> dict[str, Any]:
            with noting([]):
                return compare_thresholds(swept, self.steps(job, "comparing", revision))

        self.look_beside("outcomes", revision, None, "comparing", look, self.trials)

    def steps(self, job: Job, what: str, revision: int) -> OnStep:
        """Return what is told before each step of something long; it ends what nobody waits for."""

        def on_step(step: str, share: float) -> None:
            job.check()
            self.say(what, revision, step=step, share=share)

        return on_step

    def look_beside(
        self,
        kind: str,
        revision: int,
        asked: Any,
        what: str,
        look: Callable[[Job], dict[str, Any]],
        worker: Worker | None = None,
    ) -> None:
        """Have something found of a solution that is there; the answer may be what went wrong.

        What `trials` find is told to pages that are opened later, too.
        """

        def run(job: Job) -> None:
            told: dict[str, Any] = {}
            try:
                self.say(what, revision)
                with show_values():
                    told = look(job)
            except Cancelled:
                told = {"error": "cancelled."}
            except (AnonymizerError, OSError) as error:
                told = {"error": str(error)}
            except Exception as error:  # as above
                told = {
                    "error": f"this should not have happened ({type(error).__name__}: {error})."
                }
            finally:
                if not job.dropped.is_set():
                    if worker is not None:
                        self.tell(kind, revision, **told)
                    else:
                        self.events.tell(kind, revision=revision, asked=asked, **told)
                self.events.tell("idle", revision=revision)

        (worker or self.beside).submit(run)

    @property
    def workers(self) -> tuple[Worker, ...]:
        """All that may be at work."""
        return self.worker, self.beside, self.trials

    def stop(self) -> bool:
        """Let what is in work end with what it has; return whether there is anything."""
        stopped = [each.stop() for each in self.workers]
        return any(stopped)

    def sweep(self, job: Job, found: Solution, revision: int) -> None:
        """Find the optima at other thresholds of the policy's first model, if it declares any."""
        values = frontier_values(found.problem)
        if not values:
            return
        watched = self.watch(job, "frontier", revision)
        self.say("frontier", revision)
        swept = frontier(found.problem, None, values, on_stage=lambda stage: watched(stage.search))
        with self.taking(job):
            self.frontier = swept
            self.tell("frontier", revision, frontier=describe_frontier(swept))

    def solve(self, job: Job, policy: Policy, text: str, revision: int) -> Solution:
        """Return the optimum of a policy; stopped by the user, the best so far."""
        if (known := self.solved.get(text)) is not None:
            self.solved.move_to_end(text)
            self.problem = known.problem
            return known
        with noting(self.notes):
            problem = self.problem_for(policy, revision)
            job.check()
            found = self.search(job, problem, revision)
        if found.stopped is not StopReason.INTERRUPTED:
            self.solved[text] = found
            while len(self.solved) > KEPT:
                self.solved.popitem(last=False)
        return found

    def search(self, job: Job, problem: Problem, revision: int) -> Solution:
        """Search; if the user stops it, return the best so far with what is proven until then."""
        latest: list[Progress] = []
        watched = self.watch(job, "searching", revision)

        def on_progress(progress: Progress) -> None:
            latest[:] = [progress]
            watched(progress)

        many = problem.evaluator.microdata.distinct >= MANY_TUPLES
        try:
            with use_backend("threading" if many else None):
                return anonymize(problem, on_progress=on_progress)
        except Cancelled:
            best = latest[0].best if latest else None
            if job.dropped.is_set() or best is None or problem.policy.release.in_layers:
                raise
            job.stopped.clear()  # what explains it may still be looked for
            stopped = SearchResult(Status.FEASIBLE, StopReason.INTERRUPTED, best, latest[0].proof)
            return make_solution(problem, problem.outcome(best.scheme), stopped, {})

    def watch(self, job: Job, what: str, revision: int) -> Callable[[Progress], None]:
        """Return what is called on every step of a search: it reports, and ends a job not wanted."""
        last = time.monotonic()

        def on_progress(progress: Progress) -> None:
            nonlocal last
            job.check()
            if time.monotonic() - last >= QUIET:
                last = time.monotonic()
                done = progress.proof.schemes - progress.proof.open
                self.say(
                    what, revision, gap=progress.gap, evaluated=progress.proof.evaluated,
                    share=done / progress.proof.schemes,
                )  # fmt: skip

        return on_progress

    def problem_for(self, policy: Policy, revision: int) -> Problem:
        """Put a policy to the table; where roles and hierarchies are the same, nothing is read."""
        assert self.table is not None
        named = policy.with_columns(self.table.columns)
        known = self.problem
        if known is not None and named.table_keys() == known.policy.table_keys():
            self.problem = known.with_policy(named)
        else:
            self.say("reading", revision)
            self.notes.clear()
            self.problem = Problem.read(self.table, named)
        return self.problem

    def close(self) -> None:
        """End the threads."""
        for each in self.workers:
            each.close()


def panel_of(error: Exception) -> str | None:
    """Say on which panel of the page an error is mended; None where none is known."""
    panels = {HierarchyError: "hierarchies", DataError: "start", InfeasibleError: "explore"}
    return next((panel for kind, panel in panels.items() if isinstance(error, kind)), None)


@contextmanager
def noting(notes: list[str]) -> Iterator[None]:
    """Keep our own warnings as notes for the page, each once.

    Python has one list of filters for all threads, so that only one may change it at a time.
    """
    with NOTING, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", AnonymizerWarning)
        try:
            yield
        finally:
            said = [
                str(each.message) for each in caught if issubclass(each.category, AnonymizerWarning)
            ]
            notes[:] = list(dict.fromkeys([*notes, *said]))
