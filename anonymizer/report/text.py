"""What the terminal shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Group

from anonymizer.errors import percent, quote_some
from anonymizer.frontiers.points import MAX_LAYERS, Point, Stage
from anonymizer.layers.narrowing import Narrowed
from anonymizer.report.sections import FigureTable, Section, Toned, bad, good, quiet, show_sections
from anonymizer.risk import ModelKind, RiskModel, RiskProfile
from anonymizer.risk.sensitive_profile import SensitiveProfile
from anonymizer.search import Progress, Status, StopReason
from anonymizer.solution.solution import Solution
from anonymizer.verification.claims import Verification

if TYPE_CHECKING:
    from anonymizer.frontiers.frontier import Frontier

COMPILING = "compiling, once; the time limit waits"
"""What progress says while kernels are compiled; later runs read them from disk."""
VERDICTS = {True: good("holds"), False: bad("FAILS"), None: Toned("not checked", "open")}
PROVEN = {
    ModelKind.PEOPLE: "no other has a lower loss, whichever records are suppressed",
    ModelKind.CLASSES: "no other has a lower loss, whichever whole classes are suppressed",
    ModelKind.TABLE: "no other has a lower loss under the order of suppression",
}
"""What is known of all other schemes."""


def summarize(solution: Solution) -> Group:
    """Show a solution: the quality with its proof, the scheme, and the risk before and after."""
    references = Section("", tuple(map(str, solution.references)))
    return show_sections((*solution_sections(solution), references))


def solution_sections(solution: Solution) -> tuple[Section, ...]:
    """Show what was found, what each attribute lost, and the risk before and after."""
    header, rows = scheme_rows(solution)
    said = (*headline(solution), *map(quiet, solution.defaults))
    risks = FigureTable(PROFILE_HEADER, profile_rows(solution.before, solution.after))
    return Section("Scheme", said, (FigureTable(header, rows),)), Section("Risk", (), (risks,))


def scheme_rows(solution: Solution) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Write what became of each attribute as a row, with a header; losses where the measure has them.

    Where the leaves of a hierarchy are all codes of a form, the loss is also that over the codes that
    the table has.
    """
    losses, over = solution.attribute_loss, solution.loss_over_existing
    header = ["attribute", "level", "of", *(["loss"] if losses else [])]
    header += ["loss over\ncodes that occur"] if over else []
    rows = []
    for column in solution.release.microdata.columns:
        name = column.hierarchy.name
        figures = [f"{losses[name]:.4f}"] if losses else []
        figures += [f"{over[name]:.4f}" if name in over else ""] if over else []
        top, left = str(column.hierarchy.height - 1), percent(solution.retained[name])
        rows.append((name, levels_of(solution, name), top, *figures, left))
    return (*header, "information left"), tuple(rows)


def levels_of(solution: Solution, attribute: str) -> str:
    """Say at which level an attribute is released, or from which to which in layers."""
    levels = {scheme[attribute] for scheme in solution.schemes}
    if len(levels) > 1:
        return f"{min(levels)} to {max(levels)}"
    center = solution.problem.policy.attributes[attribute].microaggregation
    return f"{max(levels)}" if center is None else f"{max(levels)}, {center}"


def headline(solution: Solution) -> Iterator[str]:
    """Say what was found, how good it is and what is proven."""
    share = solution.suppressed / solution.records
    yield (
        f"Quality {solution.quality:.4f}, {solution.suppressed:,} of {solution.records:,} records "
        f"suppressed ({percent(share)})."
    )
    yield describe_proof(solution)
    if solution.layers:
        yield say_narrowed(solution.narrowed, solution.records - solution.suppressed)


def describe_proof(solution: Solution) -> str:
    """Say in one sentence what is known about better schemes."""
    proof = solution.proof
    if proof is None:
        given = "layers were" if solution.layers else "scheme was"
        return f"The {given} applied as given; the risks were checked on this table."
    if solution.layers:
        return describe_layers(solution)
    work = f"{proof.evaluated:,} of {proof.schemes:,} schemes evaluated"
    if proof.partitions:
        work += f", {proof.partitions:,} partitions made to bound the others"
    order = describe_order(solution.problem.models)
    if solution.status is Status.OPTIMAL:
        scope = PROVEN[ModelKind.of(solution.release.policy.risk)]
        return f"Proven optimal: {work}, {scope}.{order}"
    if solution.stopped is StopReason.COMPLETE:
        names = quote_some(model.name for model in solution.problem.models if not model.exact)
        return (
            f"Best found: {work}. It is not proven optimal, as fewer classes suppressed for {names} may "
            f"do.{order}"
        )
    return (
        f"Best so far (stopped: {solution.stopped.value}): {work}; the optimum's quality is at most "
        f"{1 - proof.bound:.4f}, a gap of {solution.gap:.4f}.{order}"
    )


def describe_layers(solution: Solution) -> str:
    """Say in one or two sentences how far better layers could be."""
    assert solution.proof is not None
    made = f"{len(solution.layers):,} layers, chosen among {solution.proof.evaluated:,} schemes"
    if solution.status is Status.OPTIMAL:
        return f"Proven optimal: {made}; no release in layers has a lower loss."
    if solution.stopped is not StopReason.COMPLETE:
        made = f"Best so far (stopped: {solution.stopped.value}): {made}"
    return (
        f"{made}. No release in layers has a quality above {1 - solution.proof.bound:.4f}, a gap of "
        f"{solution.gap:.4f}."
    )


def say_narrowed(narrowed: Narrowed | None, kept: int) -> str:
    """Say how many cells of the records kept can be narrowed down."""
    if narrowed is None:
        return (
            "How many cells can be narrowed down by whoever knows how layers are made was not counted: a "
            "model of the policy may release part of a class."
        )
    if narrowed.cells == 0:
        return "No cell can be narrowed down by comparing a class with a finer one inside it."
    return (
        f"Whoever knows how layers are made can narrow down at least {narrowed.cells:,} cells of "
        f"{narrowed.records:,} records ({percent(narrowed.records / kept)}); with few layers "
        "(max_layers) it may be less, with one layer it is none."
    )


def describe_order(models: Sequence[RiskModel]) -> str:
    """Say in which order classes are suppressed, where the risk of a whole table is limited."""
    if all(model.kind is not ModelKind.TABLE for model in models):
        return ""
    by_risk = next((model.name for model in models if model.order is not None), None)
    first = "the smallest" if by_risk is None else f"that with the highest {by_risk} risk"
    return f" Classes were suppressed in a fixed order, {first} first, until the risk was met."


PROFILE_HEADER = "risk", "before", "after"


def profile_rows(before: RiskProfile, after: RiskProfile) -> tuple[tuple[str, str, str], ...]:
    """Write two risk profiles side by side."""
    rows = [("records", f"{before.records:,}", f"{after.records:,}")]
    if before.people != before.records:
        rows.append(("people", f"{before.people:,}", f"{after.people:,}"))
    rows += [
        ("classes", f"{before.classes:,}", f"{after.classes:,}"),
        ("sample uniques", f"{before.sample_uniques:,}", f"{after.sample_uniques:,}"),
        ("smallest class", f"{before.smallest_class:,}", f"{after.smallest_class:,}"),
    ]
    for name, mine, theirs in (
        ("prosecutor", before.prosecutor, after.prosecutor),
        ("journalist", before.journalist, after.journalist),
    ):
        if mine is not None and theirs is not None:
            rows += [
                (f"{name}, highest", f"{mine.highest:.4f}", f"{theirs.highest:.4f}"),
                (f"{name}, average", f"{mine.average:.4f}", f"{theirs.average:.4f}"),
            ]
    if before.population_uniques_interval is not None:
        rows.append(("population uniques", estimate_cell(before), estimate_cell(after)))
    for name in before.sensitive:
        rows += sensitive_rows(name, before.sensitive[name], after.sensitive[name])
    return tuple(rows)


def sensitive_rows(
    name: str, before: SensitiveProfile, after: SensitiveProfile
) -> list[tuple[str, str, str]]:
    """Write what the classes of input and release give away about a sensitive attribute."""
    return [
        (
            f"{name}, fewest values of a class",
            f"{before.least_distinct:,}",
            f"{after.least_distinct:,}",
        ),
        (
            f"{name}, farthest class from the input (0 to 1)",
            f"{before.greatest_distance:.4f}",
            f"{after.greatest_distance:.4f}",
        ),
        (
            f"{name}, farthest class from the release (0 to 1)",
            "-",
            f"{after.released_distance:.4f}",
        ),
        (f"{name}, classes of one value", f"{before.one_value:,}", f"{after.one_value:,}"),
    ]


def estimate_cell(profile: RiskProfile) -> str:
    """Show the population uniques with their interval."""
    uniques, interval = profile.population_uniques, profile.population_uniques_interval
    value = "not known" if uniques is None else f"{uniques:,.0f}"
    return value if interval is None else f"{value} ({interval.low:,.0f} to {interval.high:,.0f})"


def frontier_sections(frontier: Frontier) -> tuple[Section, ...]:
    """Show the best release at each threshold, and with fewer layers where there are some."""
    thresholds = Section(
        "The best release at each threshold",
        (f"{frontier.evaluated:,} of {frontier.schemes:,} schemes evaluated.",),
        (points_figures(frontier),),
    )
    if not frontier.by_layers:
        return (thresholds,)
    value = frontier.by_layers[0].value
    title = f"{frontier.parameter.name} = {value:g} with fewer layers, which are easier to analyse"
    return thresholds, Section(title, (), (numbers_figures(frontier),))


def points_figures(frontier: Frontier) -> FigureTable:
    """List the points; then the thresholds that were not met, and those that are not known."""
    layered = bool(frontier.by_layers)
    rows = []
    for point in frontier.points:
        changes = "".join(f" ({name} {value:,})" for name, value in point.changes.items())
        rows.append((f"{point.value:g}{changes}", *point_cells(point, layered)))
    blank = [""] * ((3 if layered else 2) + len(frontier.figures))
    for value, _ in frontier.infeasible:
        rows.append((f"{value:g}", "not met", *blank, "no layers" if layered else "no scheme"))
    for value, _ in frontier.unknown:
        why = "none found" if layered else "stopped before"
        rows.append((f"{value:g}", "not known", *blank, why))
    return FigureTable(points_header(frontier, frontier.parameter.name), tuple(rows))


def numbers_figures(frontier: Frontier) -> FigureTable:
    """List the releases at the policy's threshold for some numbers of layers."""
    rows = tuple(
        (f"{point.changes[MAX_LAYERS]:,}", *point_cells(point, layered=True))
        for point in frontier.by_layers
    )
    return FigureTable(points_header(frontier, MAX_LAYERS), rows)


def points_header(frontier: Frontier, first: str) -> tuple[str, ...]:
    """Name the columns of a table of points."""
    layers = ["layers"] if frontier.by_layers else []
    return first, "quality", *frontier.figures, "risk", "suppressed", *layers, "proof"


def point_cells(point: Point, layered: bool) -> tuple[str, ...]:
    """Write the figures of a point."""
    return (
        f"{point.quality:.4f}" + (" dominated" if point.dominated else ""),
        *("-" if value is None else f"{value:.4f}" for value in point.figures.values()),
        f"{point.risk:.4g}",
        f"{point.evaluation.suppressed_records:,}",
        *([f"{point.number_of_layers:,}"] if layered else []),
        point.verdict,
    )


def describe_progress(progress: Progress) -> str:
    """Say in one line how far a search is: the best so far, what is proven, and how fast it goes."""
    proof = progress.proof
    pruned = sum(proof.pruned.values())
    line = f"{proof.evaluated:,} evaluated, {pruned:,} pruned of {proof.schemes:,}"
    if proof.partitions:
        line += f", {proof.partitions:,} partitions"
    if progress.seconds > 0:
        line += f" ({progress.rate:,.0f}/s)"
    if progress.best is None:
        return line
    best, bound = progress.best.quality, 1 - proof.bound
    reached = f"quality {best:.4f}, at most {bound:.4f}, gap {progress.gap:.4f}"
    return f"{line}, {reached}" if proof.evaluated else reached  # layers are not counted in schemes


def describe_stage(stage: Stage) -> str:
    """Say in one line which threshold of a frontier is in work, and how far its search is."""
    where = f"threshold {stage.value:g} ({stage.place + 1} of {stage.of}): "
    return where + describe_progress(stage.search)


def verdict(verification: Verification) -> str:
    """Say in one line what came of a verification."""
    unchecked = sum(check.passed is None for check in verification.checks)
    rest = f", {unchecked} could not be checked" if unchecked else ""
    if verification.passed:
        return f"verified: every claim that was checked holds{rest}"
    return f"NOT verified: {len(verification.failures)} claims fail{rest}"


def verification_sections(verification: Verification) -> tuple[Section, ...]:
    """Show each claim with its verdict, those that fail first."""
    checks = sorted(verification.checks, key=lambda check: check.passed is not False)
    rows = tuple((check.claim, VERDICTS[check.passed], check.detail) for check in checks)
    return (Section("", (), (FigureTable(("claim", "verdict", "detail"), rows),)),)
