"""A study: what was found, how far that is proven, the scheme, the tables, and what is not promised."""

from __future__ import annotations

from rich.console import Group

from anonymizer.errors import percent
from anonymizer.report.sections import FigureTable, Section, show_sections
from anonymizer.report.solution import PROFILE_HEADER, profile_rows
from anonymizer.search import Status, StopReason
from anonymizer.solution.study import StudySolution


def summarize(solution: StudySolution) -> Group:
    """Show a solution in the terminal."""
    return show_sections(sections(solution))


def sections(solution: StudySolution) -> tuple[Section, ...]:
    """Show the scheme with its proof, rows by table, risks, and what the promise leaves out."""
    rows = profile_rows(solution.problem.profile_before, solution.after)
    said = "Of whoever knows a person's row of the people table alone:"
    return (
        Section("Scheme", headline(solution), (scheme_table(solution), row_table(solution))),
        Section("Risk", (said,), (FigureTable(PROFILE_HEADER, rows),)),
        *event_sections(solution),
        Section(
            "What the promise leaves out",
            (
                *solution.left_out.sentences(),
                *say_cap(solution.above_cap, solution.problem.model.most_events),
                *solution.problem.said_of_dates,
            ),
        ),
    )


def say_cap(people: int | None, most: int | None) -> tuple[str, ...]:
    """Say how many people have more events than the policy allows; nothing where it allows any."""
    if people is None:
        return ()
    return (f"{people:,} of those dropped had more than {most:,} events, which is the cap.",)


def headline(solution: StudySolution) -> tuple[str, ...]:
    """Say what was found, how good it is, what is promised, and what is proven."""
    share = percent(solution.suppressed / solution.records)
    return (
        f"Quality {solution.quality:.4f}, {solution.suppressed:,} of {solution.records:,} people dropped "
        f"with all their rows ({share}).",
        f"Promise: {solution.problem.model}.",
        describe_proof(solution),
    )


def describe_proof(solution: StudySolution) -> str:
    """Say in one sentence what is known about better schemes."""
    proof = solution.proof
    work = f"{proof.evaluated:,} of {proof.schemes:,} schemes evaluated"
    what = "people" if solution.dropped_events is None else "people and events"
    if solution.status is Status.OPTIMAL:
        return f"Proven optimal: {work}, no other has a lower loss, whichever {what} are dropped."
    if solution.stopped is StopReason.COMPLETE:
        return (
            f"The best found: {work}; whichever {what} are dropped, the optimum's quality is at most "
            f"{1 - proof.bound:.6f}, a gap of {solution.gap:.6f}."
        )
    return (
        f"Best so far (stopped: {solution.stopped.value}): {work}; the optimum's quality is at most "
        f"{1 - proof.bound:.4f}, a gap of {solution.gap:.4f}."
    )


def event_sections(solution: StudySolution) -> tuple[Section, ...]:
    """Show how many single events are dropped, and the values of which most are."""
    dropped = solution.dropped_events
    if dropped is None:
        return ()
    rows = tuple(
        (column, value, f"{gone:,}", f"{of:,}")
        for column, values in dropped.values.items()
        for value, (gone, of) in values.items()
    )
    table = FigureTable(("column", "value", "rows dropped", "of"), rows)
    return (Section("Events dropped", tuple(dropped.sentences()), (table,) if rows else ()),)


def scheme_table(solution: StudySolution) -> FigureTable:
    """Write the level and the loss of each quasi-identifier."""
    losses, hierarchies = solution.attribute_loss, solution.problem.hierarchies
    rows = tuple(
        (name, str(level), str(hierarchies[name].height - 1), f"{losses[name]:.4f}")
        for name, level in solution.scheme.items()
    )
    return FigureTable(("attribute", "level", "of", "loss"), rows)


def row_table(solution: StudySolution) -> FigureTable:
    """Write how many rows each table has, before and after."""
    rows = tuple(
        (name, f"{figures['rows']:,}", f"{figures['released']:,}")
        for name, figures in solution.tables.items()
    )
    return FigureTable(("table", "rows before", "rows after"), rows)
