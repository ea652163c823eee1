"""What the steward's procedure found: its part of the page, tables, and a summary for the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import pandas as pd
from rich.console import Group
from rich.table import Table as Grid
from rich.text import Text

from anonymizer.assessment.procedure.findings import Findings, SourceFindings
from anonymizer.assessment.procedure.keys import WhatIf
from anonymizer.assessment.procedure.mitigation import Kind, Option, join
from anonymizer.assessment.procedure.plan import Plan
from anonymizer.report.page import picture, share
from anonymizer.report.phrases import everybody_marked
from anonymizer.report.plot import BAD, GOOD, QUIET, import_matplotlib

SHOWN_OPTIONS = 10


def procedure_context(findings: Findings) -> dict[str, Any]:
    """Return what the page says of the sources, and how it says it."""
    return {
        "findings": findings,
        "people": "people" if findings.by_id else "records",
        "pictures": {source.name: draw_source(source) for source in findings.sources},
        "costs": {s.name: draw_options(s) for s in findings.sources if s.options},
        "verdict": describe_verdict,
        "probability": write_probability,
        "variant": describe_variant,
        "rate": write_rate,
        "describe_share": describe_share,
        "best_variants": best_variants,
        "shown_options": shown_options,
        "describe_plan": describe_plan,
        "everybody_marked": everybody_marked,
    }


# --- tables ---


def source_row(source: SourceFindings) -> dict[str, Any]:
    """Return the figures of one source as a row."""
    found, linkage = source.probabilities, source.linkage
    return {
        "source": source.name,
        "attack": source.attack,
        "keys": ", ".join(source.keys),
        "cells": source.rarity.cells,
        "smallest_cell": source.rarity.smallest_cell,
        **{f"violating_{k}_anonymity": n for k, n in source.rarity.violations.items()},
        "pattern": found.pattern,
        "matched": None if linkage is None else linkage.people - linkage.unmatched,
        "highest_probability": found.highest,
        "average_probability": found.average,
        "threshold": found.threshold,
        "above": found.above,
        "given_away": source.given_away,
        "passes": source.passes,
    }


def what_if_rows(source: SourceFindings) -> Iterator[dict[str, Any]]:
    """Yield a row for the keys as they are, and for each change to them."""
    counts = {"all keys": source.rarity.violations}
    counts |= {describe_variant(v): v.violations for v in source.rarity.what_if}
    for change, violations in counts.items():
        shares = {f"violating_{k}_anonymity": n for k, n in violations.items()}
        yield {"source": source.name, "change": change, **shares}


def option_rows(source: SourceFindings) -> Iterator[dict[str, Any]]:
    """Yield a row for each way to make a source harmless, the cheapest first."""
    for option in source.options:
        yield {
            "source": source.name,
            "way": option.kind.value,
            "change": option.what,
            "above": option.above,
            "highest_probability": option.highest,
            "dropped": option.dropped,
            "loss": option.loss,
        }


def homogeneity_rows(source: SourceFindings) -> Iterator[dict[str, Any]]:
    """Yield a row for each sensitive attribute."""
    for found in source.homogeneity:
        yield {"source": source.name, **asdict(found), "share": found.share}


def plan_rows(findings: Findings) -> Iterator[dict[str, Any]]:
    """Yield a row for what the plan for all sources leaves of each."""
    if findings.plan is None or findings.plan.reason is not None:
        return
    plan = findings.plan
    for source in findings.sources:
        yield {
            "source": source.name,
            "change": plan.what,
            "dropped": plan.dropped,
            "loss": plan.loss,
            "optimal": plan.optimal,
            "highest_probability": plan.highest[source.name],
            "threshold": source.probabilities.threshold,
        }


def procedure_tables(findings: Findings) -> dict[str, pd.DataFrame]:
    """Return all tables by the name of their file; one that would have no row is left out."""
    rows = {
        "sources": [source_row(source) for source in findings.sources],
        "what_if": [row for source in findings.sources for row in what_if_rows(source)],
        "homogeneity": [row for source in findings.sources for row in homogeneity_rows(source)],
        "options": [row for source in findings.sources for row in option_rows(source)],
        "plan": list(plan_rows(findings)),
    }
    return {name: pd.DataFrame(found) for name, found in rows.items() if found}


# --- words ---


def summarize_findings(findings: Findings) -> Group:
    """Show the sources with their verdicts, and the cheapest way out for those that fail."""
    grid = Grid("source", "alone", "fewer than 5", "highest", "threshold", "above", "verdict")
    for source in findings.sources:
        verdict = Text("acceptable", "green") if source.passes else Text("NOT acceptable", "red")
        grid.add_row(
            Text(source.name),
            f"{source.rarity.violations[2]:,}",
            f"{source.rarity.violations[5]:,}",
            write_probability(source.probabilities.highest),
            f"{source.probabilities.threshold:g}",
            f"{source.probabilities.above:,}",
            verdict,
        )
    lines = [describe_findings(findings)]
    lines += [
        f"{source.name}: {describe_option(source.options[0])}"
        for source in findings.sources
        if source.options
    ]
    if findings.plan is not None:
        lines.append(f"All sources together: {describe_plan(findings.plan)}")
    return Group(grid, Text("\n".join(lines)))


def describe_findings(findings: Findings) -> str:
    """Say in a sentence what came of it."""
    who = "people" if findings.by_id else "records"
    failing = [source for source in findings.sources if not source.passes]
    count = f"{findings.people:,} {who}"
    if not failing:
        return (
            f"No source re-identifies any of the {count} with more than the accepted probability."
        )
    worst = max(failing, key=lambda source: (source.probabilities.above, source.given_away))
    above, given_away = worst.probabilities.above, worst.given_away
    told = above or given_away
    return (
        f"{len(failing)} of {len(findings.sources)} sources put some of the {count} above the accepted "
        f"probability{'' if above else ' of telling a sensitive value'}: with “{worst.name}”, {told:,} "
        f"({share(told / findings.people)})."
    )


def describe_plan(plan: Plan) -> str:
    """Say what a plan does, and what it costs."""
    if plan.reason is not None:
        return f"no plan; {plan.reason}"
    records = "record" if plan.dropped == 1 else "records"
    drop = f"drop {plan.dropped:,} {records}" if plan.dropped else "drop nobody"
    people = ""
    if plan.people_dropped != plan.dropped:
        people = f" ({plan.people_dropped:,} {'person' if plan.people_dropped == 1 else 'people'})"
    proven = "proven to be the least" if plan.optimal else "the least found"
    costs = [
        f"; of {cost.records:,} records with {cost.attribute} {' or '.join(cost.values)}, "
        f"{cost.dropped:,} are dropped"
        for cost in plan.outcomes
    ]
    told = max(plan.given_away.values(), default=0)
    left = f"; small cells still tell a sensitive value of {told:,} people" if told else ""
    return f"{plan.what}, then {drop}{people}; loss {plan.loss:.4f}, {proven}{''.join(costs)}{left}"


def describe_verdict(source: SourceFindings, people: str) -> str:
    """Say whether a source is acceptable, and why."""
    found = source.probabilities
    highest, accepted = write_probability(found.highest), f"{found.threshold:g}"
    if source.passes:
        return f"Acceptable: the highest probability is {highest}, and {accepted} is accepted."
    reasons = []
    if found.above:
        reasons.append(
            f"{found.above:,} {people} are re-identified with a probability above {accepted}, the worst "
            f"with {highest}"
        )
    if source.given_away:
        reasons.append(
            f"small cells give away a sensitive value of {source.given_away:,} {people} with a "
            f"probability above {accepted}"
        )
    return f"Not acceptable: {'; '.join(reasons)}."


def write_probability(value: float) -> str:
    """Write a probability with the digits that tell something, and as one in so many.

    >>> write_probability(0.12), write_probability(0.0004), write_probability(1.0)
    ('0.12', '0.0004', '1')
    """
    return f"{value:.3g}"


def describe_share(stated: Any) -> str:
    """Write p or q as it was stated: a number, or what it depends on.

    >>> describe_share(0.12), describe_share({"by": "state", "values": {"Ohio": 0.3}, "default": 0.1})
    ('0.12', '0.1 to 0.3 by state')
    """
    if not isinstance(stated, dict):
        return f"{stated:.3g}"
    numbers = [stated["default"], *stated["values"].values()]
    return f"{min(numbers):.3g} to {max(numbers):.3g} by {stated['by']}"


def write_rate(number: int, total: int) -> str:
    """Write a count with its share, which is not given to more digits than anyone reads.

    >>> write_rate(583, 2960786), write_rate(2, 2960786), write_rate(0, 9)
    ('583 (0.02 %)', '2 (below 0.001 %)', '0 (0 %)')
    """
    small = 0 < number / total < 1e-5
    return f"{number:,} ({'below 0.001 %' if small else share(number / total)})"


def describe_variant(variant: WhatIf) -> str:
    """Say what a what-if does."""
    if variant.left_out:
        return f"without {join(list(variant.left_out))}"
    return ", ".join(f"{key} at level {level}" for key, level in variant.coarsened.items())


def best_variants(source: SourceFindings, most: int = 12) -> list[WhatIf]:
    """Return each key left out, and of the other changes those that leave the fewest rare people."""
    single = [variant for variant in source.rarity.what_if if len(variant.left_out) == 1]
    rest = [variant for variant in source.rarity.what_if if len(variant.left_out) != 1]
    rest.sort(key=lambda variant: (variant.violations[5], describe_variant(variant)))
    return single + rest[: max(0, most - len(single))]


def shown_options(source: SourceFindings) -> list[Option]:
    """Return the cheapest options, and what it would take to drop records alone."""
    cheapest = list(source.options[:SHOWN_OPTIONS])
    return cheapest + [
        option for option in source.options[SHOWN_OPTIONS:] if option.kind is Kind.DROP
    ]


def describe_option(option: Option) -> str:
    """Say what an option does, drops and costs."""
    drop = f"drop {option.dropped:,}" if option.dropped else "drop nobody"
    parts = [option.what, drop] if option.levels else [drop]
    return f"{', then '.join(parts)}; loss {option.loss:.4f}"


# --- pictures ---


def draw_source(source: SourceFindings) -> str:
    """Draw how many people share their cell with how many, and what leaving out a key does."""
    figure = import_matplotlib().Figure(figsize=(10, 4.2), layout="constrained")
    sizes, variants = figure.subplots(1, 2)
    draw_cell_sizes(sizes, source.rarity.people_by_cell_size)
    draw_variants(variants, source)
    return picture(figure)


def draw_cell_sizes(axes: Any, counts: dict[str, int]) -> None:
    """Draw the people by the size of the smallest cell they are in."""
    colors = [BAD if name in ("1", "2", "3-4") else GOOD for name in counts]
    wide = max(counts.values()) > 1000  # a few among millions would not be seen
    bars = axes.bar(list(counts), list(counts.values()), color=colors, log=wide)
    axes.bar_label(bars, [abbreviate(n) if n else "" for n in counts.values()], size=8, padding=2)
    axes.margins(y=0.1)
    axes.tick_params(axis="x", rotation=45)
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlabel("people in the same cell")
    axes.set_ylabel("people (logarithmic)" if wide else "people")
    axes.set_title("How many look alike (red: fewer than 5)", size=11)


def abbreviate(number: int) -> str:
    """Write a count in few characters.

    >>> abbreviate(4321), abbreviate(54321), abbreviate(7654321)
    ('4,321', '54k', '7.7M')
    """
    if number < 10_000:
        return f"{number:,}"
    return f"{number / 1000:.0f}k" if number < 1_000_000 else f"{number / 1_000_000:.1f}M"


def draw_variants(axes: Any, source: SourceFindings) -> None:
    """Draw the people in cells of fewer than five: with all keys, and with each left out."""
    single = [variant for variant in source.rarity.what_if if len(variant.left_out) == 1]
    names = ["all keys", *(describe_variant(variant) for variant in single)][::-1]
    values = [source.rarity.violations[5], *(variant.violations[5] for variant in single)][::-1]
    bars = axes.barh(names, values, color=[*[QUIET] * len(single), BAD])
    axes.bar_label(bars, [f"{n:,}" for n in values], size=8, padding=3)
    axes.margins(x=0.18)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.locator_params(axis="x", nbins=5)
    axes.set_xlabel("people in cells of fewer than 5")
    axes.set_title("What each key contributes", size=11)


def draw_options(source: SourceFindings) -> str:
    """Draw what the cheapest ways cost."""
    options = shown_options(source)[::-1]
    height = 1.2 + 0.36 * len(options)
    figure = import_matplotlib().Figure(figsize=(10, height), layout="constrained")
    axes = figure.subplots()
    names = [shorten(name_option(option)) for option in options]
    bars = axes.barh(range(len(options)), [option.loss for option in options], color=GOOD)
    axes.set_yticks(range(len(options)), names, size=9)
    axes.bar_label(bars, [f"{option.loss:.3g}" for option in options], size=8, padding=3)
    axes.margins(x=0.1)
    axes.set_xlabel("loss over the keys (0 = untouched, 1 = nothing left)")
    return picture(figure)


def name_option(option: Option) -> str:
    """Name an option in a picture; a mix of many changes is spelled out in the table."""
    if len(option.levels) > 2:
        return f"{option.kind.value}, then drop {option.dropped:,}"
    return describe_option(option).split("; loss")[0]


def shorten(text: str, most: int = 70) -> str:
    """Cut a long text.

    >>> shorten("abcdef", 4)
    'abc…'
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"
