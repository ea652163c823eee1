"""A solution: what was found, how far that is proven, the scheme, and the risk before and after."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group

from anonymizer.errors import percent, quote_some
from anonymizer.layers.narrowing import Narrowed
from anonymizer.report.chart import AFTER, BARS, BEFORE, BarRow, Drawing, draw_bars, stacked
from anonymizer.report.groups import groups_section
from anonymizer.report.sections import FigureTable, Picture, Section, quiet, show_sections
from anonymizer.risk import ModelKind, RiskModel, RiskProfile
from anonymizer.risk.sensitive_profile import SensitiveProfile
from anonymizer.search import Status, StopReason
from anonymizer.solution.solution import Solution

PROVEN = {
    ModelKind.PEOPLE: "no other has a lower loss, whichever records are suppressed",
    ModelKind.CLASSES: "no other has a lower loss, whichever whole classes are suppressed",
    ModelKind.TABLE: "no other has a lower loss under the order of suppression",
}
"""What is known of all other schemes."""
WIDE = 2 * BARS
SIZES = "How many records are in classes of each size, before (grey) and after (blue)"
PROFILE_HEADER = "risk", "before", "after"


def summarize(solution: Solution) -> Group:
    """Show a solution: the quality with its proof, the scheme, and the risk before and after."""
    references = Section("", tuple(map(str, solution.references)))
    return show_sections((*sections(solution), references))


def sections(solution: Solution) -> tuple[Section, ...]:
    """Show what was found, what each attribute lost, and the risk before and after."""
    header, rows = scheme_rows(solution)
    said = (*headline(solution), *map(quiet, solution.defaults))
    risks = FigureTable(PROFILE_HEADER, profile_rows(solution.before, solution.after))
    said_of_dates = tuple(solution.problem.said_of_dates)
    return (
        Section("Scheme", said, (FigureTable(header, rows),), (Picture(draw_losses(solution)),)),
        Section("Risk", said_of_dates, (risks,), (Picture(draw_sizes(solution)),)),
        *groups_section(solution.groups),
    )


def scheme_rows(solution: Solution) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Write what became of each attribute as a row, with a header; losses where the measure has them.

    If a hierarchy has all codes of a form as leaves, the loss over the table's own codes is added.
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
    """State the level at which an attribute is released, or the range of levels in layers."""
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
    if solution.over_time is not None:
        yield from solution.over_time.sentences()
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
    if solution.stopped is StopReason.COMPLETE and solution.problem.earlier is not None:
        return (
            f"Best found: {work}; the optimum's quality is at most {1 - proof.bound:.6f}, a gap of "
            f"{solution.gap:.2g}, as several groups of people hide who left."
        )
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
        "(`layers = 3`, say) it may be less, with one layer it is none."
    )


def describe_order(models: Sequence[RiskModel]) -> str:
    """Say in which order classes are suppressed, where the risk of a whole table is limited."""
    if all(model.kind is not ModelKind.TABLE for model in models):
        return ""
    by_risk = next((model.name for model in models if model.order is not None), None)
    first = "the smallest" if by_risk is None else f"that with the highest {by_risk} risk"
    return f" Classes were suppressed in a fixed order, {first} first, until the risk was met."


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


# --- pictures


def draw_solution(solution: Solution) -> Drawing:
    """Draw where the records stand before and after, and what each attribute lost."""
    return stacked("What was found", [draw_sizes(solution), draw_losses(solution)])


def draw_sizes(solution: Solution) -> Drawing:
    """Draw how many records share their class with how many others."""
    before, after = solution.before, solution.after
    rows = [
        BarRow(
            f"class of {name}",
            (float(number), float(after.class_sizes[name])),
            f"{number:,} → {after.class_sizes[name]:,}",
            (BEFORE, AFTER),
        )
        for name, number in before.class_sizes.items()
        if number or after.class_sizes[name]
    ]
    return draw_bars(rows, SIZES, width=WIDE)


def draw_losses(solution: Solution) -> Drawing:
    """Draw the loss of each attribute with the level it was generalized to."""
    meaning, losses = losses_of(solution)
    heights = {c.hierarchy.name: c.hierarchy.height for c in solution.release.microdata.columns}
    rows = [
        BarRow(name, (loss,), f"level {levels_of(solution, name)} of {heights[name] - 1}")
        for name, loss in losses.items()
    ]
    return draw_bars(rows, f"What each attribute lost: {meaning}", most=1.0, width=WIDE)


def losses_of(solution: Solution) -> tuple[str, dict[str, float]]:
    """Return the loss of each attribute and what it means; levels where the measure has no losses."""
    if solution.attribute_loss:
        return "loss (0 = untouched, 1 = nothing left)", dict(solution.attribute_loss)
    heights = {c.hierarchy.name: c.hierarchy.height for c in solution.release.microdata.columns}
    levels = {name: level / max(1, heights[name] - 1) for name, level in solution.scheme.items()}
    return "level (0 = untouched, 1 = the highest)", levels
