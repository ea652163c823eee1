"""What an assessment says: one page for people, one JSON beside it, tables and pictures."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pandas as pd
from rich.console import Group

from anonymizer.assessment.assessment import Assessment
from anonymizer.assessment.scenarios.scenario_risk import THRESHOLDS, ScenarioRisk
from anonymizer.data.staging import Staging
from anonymizer.report.nrf import nrf_context, nrf_figures, nrf_tables, summarize_disclosure
from anonymizer.report.page import render, share
from anonymizer.report.plot import stage_figures
from anonymizer.report.procedure import (
    describe_findings,
    procedure_context,
    procedure_tables,
    summarize_findings,
)
from anonymizer.report.provenance import Provenance
from anonymizer.report.scenarios import (
    one_in,
    scenario_context,
    scenario_figures,
    scenario_grid,
    scenario_tables,
    units,
)

PAGE, FIGURES = "assessment.html", "assessment.json"


OF_SINGLE_PEOPLE = "records"
"""The table that has the risk of every record, and is for its owner alone."""


def make_tables(assessment: Assessment) -> dict[str, pd.DataFrame]:
    """Return all tables by the name of their file."""
    tables: dict[str, pd.DataFrame] = {}
    if assessment.findings is not None:
        tables |= procedure_tables(assessment.findings)
    if assessment.scenarios:
        tables |= scenario_tables(assessment.scenarios)
    if assessment.disclosure is not None:
        tables |= nrf_tables(assessment.disclosure)
    return tables


def make_figures(assessment: Assessment) -> dict[str, Any]:
    """Draw the pictures that are files of their own, by name."""
    figures: dict[str, Any] = {}
    if assessment.scenarios:
        figures |= scenario_figures(assessment.scenarios)
    if assessment.disclosure is not None:
        figures |= nrf_figures(assessment.disclosure)
    return figures


def make_page(
    assessment: Assessment,
    figures: dict[str, Any] | None = None,
    provenance: Provenance | None = None,
) -> str:
    """Write the page: what an attacker could do, for whom, why, and what could be done about it."""
    figures = make_figures(assessment) if figures is None else figures
    context: dict[str, Any] = {"findings": None, "scenarios": [], "disclosure": None}
    if assessment.findings is not None:
        context |= procedure_context(assessment.findings)
    if assessment.scenarios:
        context |= scenario_context(assessment.scenarios, figures)
    if assessment.disclosure is not None:
        context |= nrf_context(assessment.disclosure, figures)
    return render(
        "assessment.html",
        table_name=assessment.table,
        assessment=assessment,
        answers=list(answers(assessment)),
        provenance=provenance or Provenance(),
        **context,
    )


def answers(assessment: Assessment) -> Iterator[str]:
    """Say in a sentence each what came of the questions that were asked."""
    if assessment.findings is not None:
        yield describe_findings(assessment.findings)
    yield from map(answer_scenario, assessment.scenarios)
    if (risk := assessment.disclosure) is not None:
        yield (
            "Through what people disclose elsewhere, a person is re-identified with a probability of "
            f"{share(risk.individual_exact)} ({one_in(risk.individual_exact)}), and at least one of "
            f"{risk.uniqueness.records:,} with {share(risk.data_set_exact)}."
        )


def answer_scenario(risk: ScenarioRisk) -> str:
    """Say what a scenario means for a person, and for how many it is above the usual threshold."""
    mean, interval, threshold = risk.mean(), risk.interval(), max(THRESHOLDS)
    ends = (
        f", {share(interval.low)} to {share(interval.high)}" if interval.low < interval.high else ""
    )
    return (
        f"Under the scenario “{risk.name}” a person is re-identified with a probability of "
        f"{share(mean)} on average ({one_in(mean)}{ends}); {risk.above(threshold):,} of "
        f"{risk.number_of_people:,} {units(risk)[0]} are above "
        f"{share(threshold)}."
    )


def stage_page(
    assessment: Assessment,
    figures: dict[str, Any],
    staging: Staging,
    provenance: Provenance | None = None,
) -> dict[str, str]:
    """Write the page and the JSON beside it; return their names, by kind."""
    page = make_page(assessment, figures, provenance)
    staging.path(PAGE).write_text(page, encoding="utf-8")
    text = json.dumps(assessment.describe(), indent=1)
    staging.path(FIGURES).write_text(text + "\n", encoding="utf-8")
    return {"page": PAGE, "figures": FIGURES}


def write_assessment(
    assessment: Assessment, staging: Staging, provenance: Provenance | None = None
) -> dict[str, str]:
    """Write page, JSON, tables and pictures; return where they will be, by kind."""
    figures = make_figures(assessment)
    written = stage_page(assessment, figures, staging, provenance)
    for name, table in make_tables(assessment).items():
        place = staging.private if name == OF_SINGLE_PEOPLE else staging.path
        table.to_csv(place(f"{name}.csv"), index=False, float_format="%.9g")
        written[f"{name} table"] = f"{name}.csv"
    for name, file in stage_figures(figures, staging).items():
        written[f"{name} picture"] = file
    return {kind: str(staging.folder / name) for kind, name in written.items()}


def summarize(assessment: Assessment) -> Group:
    """Show on the terminal what was found."""
    parts: list[Any] = []
    if assessment.findings is not None:
        parts.append(summarize_findings(assessment.findings))
    if assessment.scenarios:
        parts.append(scenario_grid(assessment.scenarios))
    if assessment.disclosure is not None:
        parts.append(summarize_disclosure(assessment.disclosure))
    return Group(*parts)
