"""Evidence in sentences, tables and pictures: for the terminal, as a page and as files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, fields
from typing import Any

from rich.console import Group

from anonymizer.analyses.evidence import Evidence
from anonymizer.analyses.overlap import Coefficient
from anonymizer.analyses.regression import INTERCEPT
from anonymizer.analyses.result import Result
from anonymizer.data.staging import Staging
from anonymizer.errors import AnonymizerError
from anonymizer.report.chart import standing_alone
from anonymizer.report.evidence_pictures import pictures_of
from anonymizer.report.page import share, whole, write_page
from anonymizer.report.provenance import Provenance
from anonymizer.report.sections import FigureTable, Picture, Section, quiet, show_sections

HEADING = "What this release is worth"
TITLE = "What the release is worth"
SHOWN = 12
"""A table of more rows is folded on the page."""
SHOWN_PICTURES = 4
SUMMARY_HEADER = "analysis", "figure", "original", "release", "best"
COEFFICIENT_HEADER = "term", "original (95 %)", "release (95 %)", "overlap", "change"


def render_text(evidence: Evidence) -> Group:
    """Show the figure of every analysis on the terminal, and what failed."""
    return show_sections([summary_section(evidence), *findings_sections(evidence)])


def findings_sections(evidence: Evidence) -> Iterator[Section]:
    """Say of each analysis what failed, and what would be concluded otherwise."""
    for result in evidence.results:
        if said := (*conclusions(result), *result.findings):
            yield Section(title_of(result), said)


def evidence_sections(evidence: Evidence) -> tuple[Section, ...]:
    """Answer what the release is worth, then analysis by analysis."""
    return (summary_section(evidence), *map(result_section, evidence.results))


def not_measured(error: AnonymizerError) -> Section:
    """Say why the analyses were not made."""
    return Section(TITLE, (f"Not measured: {error}",))


def summary_section(evidence: Evidence) -> Section:
    """Put the figures of all analyses side by side."""
    rows = tuple(map(summary_row, evidence.results))
    lead = (
        f"{whole(evidence.released)} of {whole(evidence.records)} records are released. Each analysis "
        "that the policy states was made on the original and on the release."
    )
    return Section(TITLE, (lead,), (FigureTable(SUMMARY_HEADER, rows),))


def summary_row(result: Result) -> tuple[str, ...]:
    """Write one analysis as a row."""
    best = "1, the same" if result.higher_is_better else "0, the same"
    if result.original is not None:
        best = "as the original"
    return (
        result.analysis.name,
        result.figure,
        "" if result.original is None else write(result.original),
        "not possible" if result.value is None else write(result.value),
        best,
    )


def title_of(result: Result) -> str:
    """Name an analysis with its kind."""
    return f"{result.analysis.name} ({result.analysis.kind})"


def verdict(result: Result) -> Iterator[str]:
    """Say what came of an analysis in a sentence."""
    if result.value is None:
        yield "The release does not allow this analysis."
        return
    beside = "" if result.original is None else f"; from the original {write(result.original)}"
    yield f"{result.figure[0].upper()}{result.figure[1:]}: {write(result.value)}{beside}."


def conclusions(result: Result) -> Iterator[str]:
    """Say about which coefficients the release would let one conclude otherwise."""
    if result.value is None or not result.rows or not isinstance(result.rows[0], Coefficient):
        return
    changed = [f"{row.term} ({row.change})" for row in result.rows if row.change]
    terms = [each for each in changed if not each.startswith(f"{INTERCEPT} (")]
    if terms:
        more = f" and {len(terms) - 5} more" if len(terms) > 5 else ""
        yield f"The release would let one conclude otherwise about {', '.join(terms[:5])}{more}."


def result_section(result: Result) -> Section:
    """Show one analysis with all its figures and pictures."""
    drawn = [Picture(svg, caption) for svg, caption in pictures_of(result)]
    figures = () if not result.rows else (figures_of(result),)
    return Section(
        title_of(result),
        (*verdict(result), *conclusions(result), *result.findings, result.method),
        figures,
        tuple(drawn[:SHOWN_PICTURES]),
        tuple(drawn[SHOWN_PICTURES:]),
    )


def figures_of(result: Result) -> FigureTable:
    """Write the rows of a result as a table; an estimate with its interval in one cell."""
    if isinstance(result.rows[0], Coefficient):
        return FigureTable(COEFFICIENT_HEADER, tuple(map(coefficient_row, result.rows)))
    header = tuple(field.name.replace("_", " ") for field in fields(result.rows[0]))
    rows = tuple(tuple(write(value) for value in asdict(row).values()) for row in result.rows)
    folded = f"All {whole(len(rows))} rows in figures" if len(rows) > SHOWN else ""
    return FigureTable(header, rows, folded=folded)


def coefficient_row(row: Coefficient) -> tuple[str, ...]:
    """Write a coefficient on both tables."""
    before = estimate(row.before, row.before_low, row.before_high)
    after = estimate(row.after, row.after_low, row.after_high)
    return row.term, before, after, f"{row.overlap:.2f}", row.change


def estimate(value: float | None, low: float | None, high: float | None) -> str:
    """Write an estimate with its 95 % interval.

    >>> estimate(0.51234, 0.4, 0.6), estimate(None, None, None)
    ('0.5123 (0.4 to 0.6)', '-')
    """
    if value is None or low is None or high is None:
        return "-"
    return f"{value:.4g} ({low:.4g} to {high:.4g})"


def write(value: Any) -> str:
    """Write a figure with four digits, a count with commas, and a dash where there is none.

    >>> write(0.123456), write(12345), write(None), write("age")
    ('0.1235', '12,345', '-', 'age')
    """
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    return whole(value) if isinstance(value, int) else f"{value:.4g}"


def render_page(evidence: Evidence, provenance: Provenance | None = None) -> str:
    """Write evidence as a page for the steward: it has statistics of the original."""
    lead = (
        "For the steward, not for publication: it has statistics of the original beside those of the "
        "release, though no row of either. Suppressed records "
        f"({share(1 - evidence.released / evidence.records)}) are missing from the release's analyses."
    )
    return write_page(HEADING, [quiet(lead)], evidence_sections(evidence), provenance)


def stage_evidence(
    evidence: Evidence, staging: Staging, provenance: Provenance | None = None
) -> dict[str, str]:
    """Write JSON, a page, the figure of each analysis as CSV, and the pictures as SVG."""
    text = json.dumps(evidence.describe(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    staging.path("evidence.json").write_text(text, encoding="utf-8")
    page = render_page(evidence, provenance)
    staging.path("evidence.html").write_text(page, encoding="utf-8")
    evidence.to_frame().to_csv(staging.path("evidence.csv"), index=False)
    names = ["evidence.json", "evidence.html", "evidence.csv"]
    for result in evidence.results:
        names += stage_pictures(result, staging)
    return {name.removeprefix("evidence."): str(staging.folder / name) for name in names}


def stage_pictures(result: Result, staging: Staging) -> list[str]:
    """Write the pictures of an analysis; return what the files are called."""
    stem, names = f"evidence-{result.analysis.name.replace(' ', '_')}", []
    for number, (svg, _) in enumerate(pictures_of(result), 1):
        names.append(f"{stem}-{number}.svg")
        staging.path(names[-1]).write_text(standing_alone(svg), encoding="utf-8")
    return names
