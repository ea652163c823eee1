"""An explanation in plain sentences and tables, for the terminal and as a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group

from anonymizer.comparison.comparison import Comparison
from anonymizer.evaluation.measurement import Measurement
from anonymizer.explanation.explanation import Explanation
from anonymizer.explanation.layered import LayeredExplanation
from anonymizer.explanation.neighbourhood import CheapestChange, Driver, Step
from anonymizer.explanation.next_threshold import Blocking
from anonymizer.report.chart import Drawing, draw_shares
from anonymizer.report.comparison import comparison_sections, rows_section
from anonymizer.report.groups import groups_section
from anonymizer.report.layered import layered_sections
from anonymizer.report.page import share, whole, write_page
from anonymizer.report.provenance import Provenance
from anonymizer.report.sections import FigureTable, Picture, Section, quiet, show_sections
from anonymizer.report.suppression import suppression_section
from anonymizer.report.words import (
    capital,
    estimated,
    given_away,
    join,
    points,
    risk,
    risk_effects,
    risk_names,
    said_of_references,
    sentence,
    standing,
)

HEADING = "What drives the risk of this release, and what can be done about it"
MEASURED = (
    "Every figure is measured by evaluating another scheme, threshold or cut on the same table."
)
LAYERED_HEADING = "What the layers of this release do, who lost most, and what they give away"
TELLS_WHY = "tells how many records were suppressed and why, though no value of any."
TELLS_ROWS = (
    "shows some rows before and after, at the end, and tells how many records were suppressed and "
    "why."
)
MODEL_RISK = (
    "The risk of a model is what its threshold is compared with; for a model that judges each class by "
    "itself, such as k-anonymity, it is the share of the records whose class violates it."
)


def render_text(
    explanation: Explanation | LayeredExplanation, comparison: Comparison | None = None
) -> Group:
    """Show an explanation on the terminal, with the comparison of both tables if there is one."""
    compared = () if comparison is None else comparison_sections(comparison)
    return show_sections((*sections(explanation), *compared))


def render_page(
    explanation: Explanation | LayeredExplanation,
    comparison: Comparison | None = None,
    provenance: Provenance | None = None,
    worth: Sequence[Section] = (),
) -> str:
    """Write an explanation as a page for the steward; a comparison shows some rows of single people.

    `worth` is what analyses of the release gave.
    """
    heading, lead = heading_of(explanation)
    compared: tuple[Section, ...] = (*worth,)
    if comparison is not None:
        compared = (*comparison_sections(comparison), *worth, rows_section(comparison))
    tells = TELLS_WHY if comparison is None else TELLS_ROWS
    said = quiet(f"{lead} For the steward, not for publication: it {tells}")
    return write_page(heading, [said], (*sections(explanation), *compared), provenance)


def heading_of(explanation: Explanation | LayeredExplanation) -> tuple[str, str]:
    """Return what a page is about, and where its figures come from."""
    if isinstance(explanation, LayeredExplanation):
        return LAYERED_HEADING, "Every figure is counted on the records of the release."
    return HEADING, MEASURED


def sections(explanation: Explanation | LayeredExplanation) -> tuple[Section, ...]:
    """Answer a steward's questions, one after the other."""
    if isinstance(explanation, LayeredExplanation):
        return layered_sections(explanation)
    return (
        Section(
            "Where the release stands",
            (
                standing_of(explanation),
                *given_away(explanation.sensitive, explanation.classes),
                *said_of_references(explanation.references),
                MODEL_RISK,
            ),
        ),
        *groups_section(explanation.groups),
        drivers_section(explanation),
        cheapest_section(explanation),
        blocking_section(explanation),
        suppression_section(explanation),
    )


def standing_of(explanation: Explanation) -> str:
    """Say what the release costs and what risk is left."""
    now = explanation.now
    stands = standing(now.quality, now.suppressed, explanation.records, now.highest, now.average)
    return stands + estimated(explanation)


def drivers_section(explanation: Explanation) -> Section:
    """Say which attributes drive the risk."""
    header = (
        "attribute",
        "level",
        "risk it\ndrives",
        "one level\ncoarser",
        "one level\nfiner",
        "taken out",
    )
    rows = tuple(driver_row(driver) for driver in explanation.drivers)
    legend = (
        "Each step says how many records fewer or more are suppressed, as the policy demands, and how "
        "many points of quality are won or lost; one that is not allowed is outside the policy's levels "
        "or suppression limit. The risk an attribute drives is the part that would be gone without it, "
        "with nothing suppressed."
    )
    return Section(
        "What drives the risk",
        (drive(explanation.drivers[0], explanation), legend),
        (
            FigureTable(header, rows),
            FigureTable(
                step_header(explanation), tuple(step_rows(explanation)), "Every step in figures"
            ),
        ),
        (Picture(draw_drivers(explanation)),),
    )


def draw_drivers(explanation: Explanation) -> Drawing:
    """Draw the part of the models' risk that would be gone without each attribute."""
    bars = [(driver.attribute, max(0.0, driver.share)) for driver in explanation.drivers]
    title = "The part of the risk that would be gone without each attribute, nothing suppressed"
    return draw_shares(bars, title)


def driver_row(driver: Driver) -> tuple[str, ...]:
    """Write one attribute as a row."""
    part = f"{'-' if driver.share < 0 else ''}{share(abs(driver.share))}"
    steps = (change(step) for step in (driver.coarser, driver.finer, driver.out))
    return driver.attribute, f"{driver.level} of {driver.top}", part, *steps


def drive(driver: Driver, explanation: Explanation) -> str:
    """Say what would be without the attribute that drives most."""
    if driver.out is None or not lowers(driver.out):
        return "No attribute drives the risk: taking one out would not lower it."
    before, after = driver.out.before, driver.out.after
    effects = risk_effects(
        ("average", *explanation.names),
        (before.unsuppressed_average, *before.unsuppressed_risks),
        (after.unsuppressed_average, *after.unsuppressed_risks),
    )
    return (
        f"{driver.attribute} drives most of the risk: with nothing suppressed, taking it out would "
        f"{join(effects)}. With suppression, {sentence(driver.out, capitalize=False)}"
    )


def lowers(step: Step) -> bool:
    """Whether a step lowers the average risk, or a model's, with nothing suppressed."""
    before, after = step.before, step.after
    pairs = zip(after.unsuppressed_risks, before.unsuppressed_risks, strict=True)
    fewer_classes = after.unsuppressed_average < before.unsuppressed_average
    return fewer_classes or any(new < old for new, old in pairs)


def change(step: Step | None) -> str:
    """Say in a cell how suppressed records and quality change."""
    if step is None:
        return "-"
    records, quality = step.suppressed_change, points(abs(step.quality_change))
    said = [f"{whole(abs(records))} {'fewer' if records < 0 else 'more'}"] if records else []
    if quality != "0.00":
        said.append(f"{quality} points {'won' if step.quality_change > 0 else 'lost'}")
    return ", ".join(said or ["no change"]) + ("" if step.possible else "; not allowed")


def step_header(explanation: Explanation) -> tuple[str, ...]:
    """Name the columns of the table of all steps."""
    first = "attribute", "level", "suppressed", "quality", "highest risk", "average risk"
    return *first, *risk_names(explanation), "with nothing suppressed", "allowed"


def step_rows(explanation: Explanation) -> Iterator[tuple[str, ...]]:
    """Write out every step of every driver, the present level first."""
    for driver in explanation.drivers:
        yield step_row(driver.attribute, f"{driver.level}", explanation.now, "as it is")
        steps = {"coarser": driver.coarser, "finer": driver.finer, "out": driver.out}
        if driver.out == driver.coarser:  # the next level is the top
            del steps["coarser"]
        for name, step in steps.items():
            if step is not None:
                level = f"{step.levels[driver.attribute]} ({name})"
                allowed = "yes" if step.possible else "no"
                yield step_row(driver.attribute, level, step.after, allowed)


def step_row(attribute: str, level: str, measured: Measurement, allowed: str) -> tuple[str, ...]:
    """Write one scheme as a row."""
    figures = whole(measured.suppressed), points(measured.quality)
    risks = map(risk, measured.risks)
    before = ", ".join(map(risk, measured.unsuppressed_risks))
    attacker = share(measured.highest), share(measured.average)
    return attribute, level, *figures, *attacker, *risks, before, allowed


def cheapest_section(explanation: Explanation) -> Section:
    """Say which coarsening to try next."""
    sentences = [
        f"The cheapest way to {join(aims)}: {sentence(step, capitalize=False)}"
        for aims, step in aims_by_step(explanation.cheapest)
    ]
    if not sentences:
        sentences = ["No coarsening that the policy allows lowers the risk or frees a record."]
    if not explanation.pairs_tried:
        sentences.append(
            "Single steps only were tried: with a table of this size, pairs take long."
        )
    return Section("The cheapest next coarsening", tuple(sentences))


def aims_by_step(ways: Sequence[CheapestChange]) -> list[tuple[list[str], Step]]:
    """Put together what one step is the cheapest way to."""
    found: list[tuple[list[str], Step]] = []
    for way in ways:
        aim = f"{'fewer' if way.figure == 'suppressed records' else 'a lower'} {way.figure}"
        for aims, step in found:
            if step.levels == way.step.levels:
                aims.append(aim)
                break
        else:
            found.append(([aim], way.step))
    return found


def blocking_section(explanation: Explanation) -> Section:
    """Say what stands in the way of tighter thresholds."""
    found = explanation.blocking
    sentences = [sentence for blocking in found for sentence in block_sentences(blocking)]
    if not sentences:
        sentences = ["No class stands in the way: the models' risks cannot be any lower."]
    figures = tuple(examples(blocking) for blocking in found if blocking.examples)
    return Section("What stands in the way of a tighter threshold", tuple(sentences), figures)


def examples(blocking: Blocking) -> FigureTable:
    """Show some blocking classes by the values the release has."""
    header = *blocking.examples[0].generalized, "records"
    rows = tuple(
        (*(value or "(missing)" for value in example.generalized.values()), whole(example.records))
        for example in blocking.examples
    )
    return FigureTable(header, rows, f"Some of the classes in the way of {next_value(blocking)}")


def next_value(blocking: Blocking) -> str:
    """Name the next tighter value."""
    if blocking.limits_risk:
        return f"a threshold of {risk(blocking.tighter)}"
    return f"{blocking.parameter} = {blocking.tighter:g}"


def reached_value(blocking: Blocking) -> str:
    """Name the tightest value that the release already meets, or its risk."""
    if blocking.limits_risk:
        return f"a risk of {risk(blocking.reached)}"
    return f"{blocking.parameter} = {blocking.reached:g}"


def block_sentences(blocking: Blocking) -> Iterator[str]:
    """Say which classes block one parameter, and what makes them small."""
    yield (
        f"{capital(blocking.model)}: the release reaches {reached_value(blocking)}. For "
        f"{next_value(blocking)} at the same levels, {whole(blocking.classes)} "
        f"{'class' if blocking.classes == 1 else 'classes'} of {sizes(blocking)} would have to go, "
        f"{whole(blocking.records)} records in all."
    )
    freeing = [f"{one.attribute} {whole(one.freed)}" for one in blocking.attributes if one.freed]
    if freeing:
        yield (
            "So many of these records would no longer be in the way if an attribute were taken out: "
            f"{', '.join(freeing)}."
        )
    else:
        yield "No attribute alone makes them small: with any one of them taken out, they still block."


def sizes(blocking: Blocking) -> str:
    """Say how large the blocking classes are."""
    if blocking.smallest == blocking.largest:
        return f"{whole(blocking.smallest)} {'record' if blocking.smallest == 1 else 'records'}"
    return f"{whole(blocking.smallest)} to {whole(blocking.largest)} records"
