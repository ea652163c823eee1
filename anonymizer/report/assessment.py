"""What an assessment says: one page for people, one JSON beside it, and what is longer as tables."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pandas as pd
from rich.console import Group

from anonymizer.assessment.assessment import Assessment
from anonymizer.assessment.scenario_risk import THRESHOLDS, ScenarioRisk
from anonymizer.data.staging import Staging
from anonymizer.report.nrf import disclosure_section, nrf_tables
from anonymizer.report.page import share, whole, write_page
from anonymizer.report.procedure import describe_findings, options_section, sources_section
from anonymizer.report.provenance import Provenance
from anonymizer.report.scenarios import one_in, scenario_tables, scenarios_section, units
from anonymizer.report.sections import Section, Toned, quiet, show_sections

PAGE, FIGURES = "assessment.html", "assessment.json"


OF_SINGLE_PEOPLE = "records"
"""The table that has the risk of every record, and is for its owner alone."""


def sections(assessment: Assessment) -> Iterator[Section]:
    """Show the risks, the people at risk, the reasons, and the remedies."""
    if assessment.findings is not None:
        yield sources_section(assessment.findings)
    if assessment.scenarios:
        yield scenarios_section(assessment.scenarios)
    if assessment.disclosure is not None:
        yield disclosure_section(assessment.disclosure)
    if assessment.findings is not None:
        yield from options_section(assessment.findings)
    caveats = tuple(quiet(caveat) for caveat in caveats_of(assessment))
    yield Section("What to keep in mind", caveats, anchor="caveats")


def caveats_of(assessment: Assessment) -> Iterator[str]:
    """Say what the figures rest on, and what they are not."""
    findings, scenarios = assessment.findings, assessment.scenarios
    if findings is not None:
        yield (
            "The keys, p and q of each source are the steward's statement; a source that is not stated "
            "is not assessed."
        )
    if scenarios:
        yield from scenario_caveats(scenarios)
    if assessment.disclosure is not None:
        yield (
            "What people disclose is taken as independent between places and attributes, and as true and "
            "exactly as this table has it."
        )
    told = findings is not None and any(source.homogeneity for source in findings.sources)
    but = ", but for what small cells give away" if told else ""
    yield f"The risk is that of being found, not of what is then learned about the person{but}."


def scenario_caveats(scenarios: tuple[ScenarioRisk, ...]) -> Iterator[str]:
    """Say what the figures of scenarios rest on."""
    yield (
        "The figures are as good as the scenario: its probabilities are in the TOML file, with the "
        "source of each. Change them and run again."
    )
    yield (
        "A scenario speaks of one person at a time: finding one person may make the next easier to find."
    )
    populations = dict.fromkeys(
        whole(risk.scenario.population)
        if isinstance(risk.scenario.population, int)
        else str(risk.scenario.population)
        for risk in scenarios
    )
    yield (
        "Whether somebody unique in the table is unique in the population of "
        f"{' or '.join(populations)} is estimated from the table by Pitman's model; where that cannot be "
        "done, it is taken as certain."
    )
    if coarse := scenarios[0].subjects.coarse_records:
        yield (
            f"{whole(coarse)} records have cells that are suppressed or coarser than others of the same "
            "column. Of these people the attacker is taken to know what the table tells; if more is "
            "known, their own risk is higher than shown. To everybody else they are further records that "
            "match."
        )


def make_tables(assessment: Assessment) -> dict[str, pd.DataFrame]:
    """Return what is longer than the JSON has it, by the name of the file."""
    tables: dict[str, pd.DataFrame] = {}
    if assessment.scenarios:
        tables |= scenario_tables(assessment.scenarios)
    if assessment.disclosure is not None:
        tables |= nrf_tables(assessment.disclosure)
    return tables


def make_page(assessment: Assessment, provenance: Provenance | None = None) -> str:
    """Write the page."""
    lead = [Toned(each, "lead") for each in answers(assessment)]
    lead.append(
        quiet(
            f"The table has {whole(assessment.records)} records. No values of single records are on this "
            "page."
        )
    )
    heading = f"What could an attacker do with {assessment.table}?"
    return write_page(heading, lead, tuple(sections(assessment)), provenance)


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
    assessment: Assessment, staging: Staging, provenance: Provenance | None = None
) -> dict[str, str]:
    """Write the page and the JSON beside it; return their names, by kind."""
    staging.path(PAGE).write_text(make_page(assessment, provenance), encoding="utf-8")
    text = json.dumps(assessment.describe(), indent=1)
    staging.path(FIGURES).write_text(text + "\n", encoding="utf-8")
    return {"page": PAGE, "figures": FIGURES}


def write_assessment(
    assessment: Assessment, staging: Staging, provenance: Provenance | None = None
) -> dict[str, str]:
    """Write page, JSON and tables; return where they will be, by kind."""
    written = stage_page(assessment, staging, provenance)
    for name, table in make_tables(assessment).items():
        place = staging.private if name == OF_SINGLE_PEOPLE else staging.path
        table.to_csv(place(f"{name}.csv"), index=False, float_format="%.9g")
        written[f"{name} table"] = f"{name}.csv"
    return {kind: str(staging.folder / name) for kind, name in written.items()}


def summarize(assessment: Assessment) -> Group:
    """Show on the terminal what was found."""
    first = Section("", tuple(answers(assessment)))
    return show_sections((first, *(each for each in sections(assessment) if each.has_answer)))
