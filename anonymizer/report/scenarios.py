"""What scenarios mean for a table: tables for machines, pictures, and what the page says of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from rich.table import Column
from rich.table import Table as Grid

from anonymizer.assessment.procedure.keys import SMALL
from anonymizer.assessment.scenarios.scenario_risk import THRESHOLDS, ScenarioRisk, describe_values
from anonymizer.errors import percent
from anonymizer.knowledge.exposure import MEASURES, Method
from anonymizer.knowledge.scenario import PARAMETERS, describe_likelihood
from anonymizer.report.page import picture, share
from anonymizer.report.plot import GOOD, draw_network, import_matplotlib, write_likelihood

ATTACKERS = {
    "prosecutor": "knows that the person is in the table and finds the only record that fits",
    "journalist": "does not know who is in the table, but finds a person who is the only one of a kind "
    "in the whole population",
    "marketer": "picks one of the records that fit at random",
}
PANELS = ("journalist", "prosecutor", "marketer", "overall")
BINS = 25
NETWORK_GROUPS = 5  # more do not fit a picture
RARE = f"values of fewer than {SMALL}, together"


# --- tables


def scenario_rows(risk: ScenarioRisk) -> Iterator[dict[str, Any]]:
    """Yield a row for each measure: its distribution, the worst case, and the reduction."""
    for measure in MEASURES:
        parts, interval = risk.distributions(measure), risk.interval(measure)
        yield {
            "scenario": risk.name,
            "method": risk.exposure.method.value,
            "measure": measure,
            "records": risk.records,
            "people": risk.number_of_people,
            **{f"{part}_{key}": value for part, row in parts.items() for key, value in row.items()},
            "reduction_records": risk.reductions(measure).size,
            "risk_mean_low": interval.low,
            "risk_mean_high": interval.high,
        }


def driver_rows(risk: ScenarioRisk) -> Iterator[dict[str, Any]]:
    """Yield a row for each group: the mean overall risk of the records with it and without it."""
    mean = risk.mean_of_records()
    for driver in risk.exposure.drivers:
        group, without = risk.scenario.groups[driver.group], driver.overall
        yield {
            "scenario": risk.name,
            "attributes": ", ".join(group.attributes),
            "source": group.source or "",
            "cause": group.cause or "",
            "probability": driver.probability,
            "overall": mean,
            "overall_without": without,
            "share_of_risk": (mean - without) / mean if mean > 0 else 0.0,
        }


def known_set_rows(risk: ScenarioRisk) -> Iterator[dict[str, Any]]:
    """Yield a row for each of the sets of attributes whose knowledge adds most to the risk."""
    mean = risk.mean_of_records()
    for known in risk.exposure.known_sets:
        names = dict.fromkeys(
            name for group in known.groups for name in risk.scenario.groups[group].attributes
        )
        yield {
            "scenario": risk.name,
            "known": ", ".join(names) or "nothing",
            "probability": known.probability,
            "overall": known.overall,
            "share_of_risk": known.overall / mean if mean > 0 else 0.0,
            "unique_in_population": known.unique.value,
            "unique_in_population_low": known.unique.low,
            "unique_in_population_high": known.unique.high,
        }


def value_rows(risk: ScenarioRisk) -> Iterator[dict[str, Any]]:
    """Yield a row for each value of each attribute: the risk of the people who have it.

    Values that fewer than five records have are put together, so that nobody is named by one.
    """
    overall = risk.exposure.overall
    for name, values in risk.subjects.attributes.items():
        codes = risk.subjects.codes[name]
        records = np.bincount(codes, risk.counts, len(values.texts))
        rare = records < SMALL
        texts = [*(text for text, few in zip(values.texts, rare, strict=True) if not few), None]
        place = np.where(rare, len(texts) - 1, np.cumsum(~rare) - 1)[codes]
        of_text = np.bincount(place, risk.counts, len(texts))
        sums = np.bincount(place, risk.counts * overall, len(texts))
        highest = np.zeros(len(texts))
        np.maximum.at(highest, place, overall)
        for at in np.flatnonzero(of_text):
            yield {
                "scenario": risk.name,
                "attribute": name,
                "value": RARE if texts[at] is None else texts[at] or "missing",
                "pooled": texts[at] is None,
                "records": int(of_text[at]),
                "overall_mean": sums[at] / of_text[at],
                "overall_highest": highest[at],
            }


def record_table(risks: Sequence[ScenarioRisk]) -> pd.DataFrame:
    """List the risks of every record, in the order of the table's rows, from 1."""
    columns: dict[str, Any] = {"row": np.arange(1, risks[0].records + 1)}
    for risk in risks:
        place = risk.subjects.tuple_of_row
        for measure in MEASURES:
            columns[f"{risk.name} {measure}"] = risk.exposure.measure(measure)[place]
        columns[f"{risk.name} worst case overall"] = risk.worst.overall[place]
    return pd.DataFrame(columns)


def scenario_tables(risks: Sequence[ScenarioRisk]) -> dict[str, pd.DataFrame]:
    """Return all tables by the name of their file."""
    return {
        "scenarios": pd.DataFrame([row for risk in risks for row in scenario_rows(risk)]),
        "drivers": pd.DataFrame([row for risk in risks for row in driver_rows(risk)]),
        "known_sets": pd.DataFrame([row for risk in risks for row in known_set_rows(risk)]),
        "values": pd.DataFrame([row for risk in risks for row in value_rows(risk)]),
        "records": record_table(risks),
    }


# --- pictures


def draw_heatmaps(risks: Sequence[ScenarioRisk]) -> Any:
    """Draw the risk of the people against their worst case, a row for each scenario (Figure 2)."""
    from matplotlib.colors import LogNorm

    height = 0.8 + 2.6 * len(risks)
    figure = import_matplotlib().Figure(figsize=(11, height), layout="constrained")
    grid = figure.subplots(len(risks), len(PANELS), squeeze=False)
    edges = np.linspace(0, 1, BINS + 1)
    for row, risk in zip(grid, risks, strict=True):
        for axes, measure in zip(row, PANELS, strict=True):
            worst = risk.worst_risks(measure)
            share, _, _ = np.histogram2d(worst, risk.risks(measure), [edges, edges])
            share = 100 * share / max(1, risk.number_of_people)
            mesh = axes.pcolormesh(
                edges,
                edges,
                np.ma.masked_equal(share.T, 0),
                norm=LogNorm(0.01, 100),
                cmap="YlOrRd",
                rasterized=True,
            )
            axes.plot([0, 1], [0, 1], "--", color="#888888", linewidth=1)
            axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
            axes.set_title(measure)
            axes.set_xlabel("risk in the worst case")
        row[0].set_ylabel(f"risk,\n{risk.name}")
    figure.colorbar(mesh, ax=grid, label=f"{units(risks[0])[0]} (%)", format="%g")
    return figure


def draw_distribution(risks: Sequence[ScenarioRisk]) -> Any:
    """Draw how many people have at least which overall risk, and the same in the worst case."""
    figure = import_matplotlib().Figure(figsize=(8, 4.2), layout="constrained")
    axes = figure.subplots()
    grid = np.concatenate([[0], np.geomspace(1e-5, 1, 400)])
    for number, risk in enumerate(risks):
        colour = f"C{number}"
        curves = [(risk.risks(), "-", risk.name)]
        if risk.mean() < risk.worst_mean() - 1e-12:  # the worst case itself is drawn once
            worst = risk.worst_risks()
            curves.append((worst, ":", f"{risk.name}, worst case"))
        for values, style, label in curves:
            at_least = values.size - np.searchsorted(np.sort(values), grid - 1e-12)
            share = 100 * at_least / max(1, values.size)
            axes.step(grid, share, style, where="pre", color=colour, label=label)
    for threshold in THRESHOLDS:
        axes.axvline(threshold, color="#888888", linewidth=0.8)
        axes.text(threshold, 101, f"{threshold:g}", ha="center", va="bottom", color="#555555")
    axes.set_xscale("symlog", linthresh=1e-4)
    axes.set(xlim=(0, 1), ylim=(0, 100))
    axes.set_xlabel("overall risk of re-identification")
    axes.set_ylabel(f"{units(risks[0])[0]} with at least this risk (%)")
    axes.legend(fontsize=9)
    return figure


def draw_drivers(risk: ScenarioRisk) -> Any:
    """Draw what the mean overall risk would be without each group of attributes."""
    rows = sorted(driver_rows(risk), key=lambda row: row["share_of_risk"])
    figure = import_matplotlib().Figure(figsize=(8, 1.3 + 0.42 * len(rows)), layout="constrained")
    axes = figure.subplots()
    names = [row["attributes"] for row in rows]
    places = np.arange(len(rows))
    axes.barh(places, [100 * row["share_of_risk"] for row in rows], color=GOOD)
    axes.set_yticks(places, names)
    axes.set_xlim(0, 100)
    axes.set_xlabel("risk that would be gone if the attacker never learned it (%)")
    return figure


# --- the page


def one_in(risk: float) -> str:
    """Say a risk as people do.

    >>> one_in(0.25), one_in(0.0), one_in(0.9), one_in(0.96), one_in(0.00012)
    ('1 in 4', 'none', '9 in 10', 'more than 9 in 10', '1 in 8,333')
    """
    if risk <= 0:
        return "none"
    if 0.95 <= risk < 1:
        return "more than 9 in 10"
    return f"{round(10 * risk)} in 10" if risk > 0.3 else f"1 in {1 / risk:,.0f}"


def describe_scenario(risk: ScenarioRisk) -> dict[str, Any]:
    """Return what the page says of one scenario."""
    mean, worst = risk.mean(), risk.worst_mean()
    values = [row for row in value_rows(risk) if not row["pooled"]]
    values.sort(key=lambda row: -row["overall_mean"])
    drivers = sorted(driver_rows(risk), key=lambda row: -row["share_of_risk"])
    return {
        "name": risk.name,
        "scenario": risk.scenario,
        "parameters": {key: write_parameter(risk, key) for key in PARAMETERS},
        "mean": mean,
        "lowest": risk.lowest_mean(),
        "interval": risk.interval(),
        "worst": worst,
        "one_in": one_in(mean),
        "worst_one_in": one_in(worst),
        "people": risk.number_of_people,
        "units": units(risk),
        "expected": mean * risk.number_of_people,
        "worst_expected": worst * risk.number_of_people,
        "reduction": 1 - mean / worst if worst > 0 else 0.0,
        "reductions": describe_values(risk.reductions()),
        "highest": float(risk.exposure.overall.max(initial=0)),
        "above": [(threshold, risk.above(threshold)) for threshold in THRESHOLDS],
        "attackers": [describe_attacker(risk, name, does) for name, does in ATTACKERS.items()],
        "drivers": [row for row in drivers if row["probability"] > 0][:10],
        "known_sets": list(known_set_rows(risk))[:5],
        "values": values[:8],
        "exact": risk.exposure.method is Method.EXACT,
        "subsets": risk.exposure.subsets,
        "standard_error": risk.exposure.standard_error,
        "driver_picture": picture(draw_drivers(risk)) if len(drivers) > 1 else None,
        "network": picture(draw_network(risk.scenario)) if len(drivers) <= NETWORK_GROUPS else None,
    }


def describe_attacker(risk: ScenarioRisk, name: str, does: str) -> dict[str, Any]:
    """Return what the page says of one of the attackers."""
    return {
        "name": name,
        "does": does,
        "mean": risk.mean(name),
        "interval": risk.interval(name),
        "highest": float(risk.exposure.measure(name).max(initial=0)),
        "worst": risk.worst_mean(name),
    }


def write_parameter(risk: ScenarioRisk, key: str) -> str:
    """Write one of the four probabilities as the page has it."""
    value = describe_likelihood(getattr(risk.scenario, key))
    return share(value) if isinstance(value, float) else write_likelihood(value)


def scenario_figures(risks: Sequence[ScenarioRisk]) -> dict[str, Any]:
    """Draw the pictures that all scenarios share, by name."""
    return {"heatmaps": draw_heatmaps(risks), "distribution": draw_distribution(risks)}


def scenario_context(risks: Sequence[ScenarioRisk], figures: dict[str, Any]) -> dict[str, Any]:
    """Return what the page says of all scenarios."""
    return {
        "scenarios": [describe_scenario(risk) for risk in risks],
        "worst_drivers": worst_drivers(risks[0]),
        "worst_marketer": risks[0].worst_marketer_of_records(),
        "heatmaps": picture(figures["heatmaps"]),
        "distribution": picture(figures["distribution"]),
        "coarse": risks[0].subjects.coarse_records,
    }


def worst_drivers(risk: ScenarioRisk) -> list[dict[str, Any]]:
    """Say for each attribute what the worst case would be without it, the most telling first."""
    rows = [
        {"attribute": name, "without": driver.marketer}
        for name, driver in zip(risk.subjects.attributes, risk.worst.drivers, strict=True)
    ]
    return sorted(rows, key=lambda row: row["without"])


def units(risk: ScenarioRisk) -> tuple[str, str]:
    """Say what the risks are of, in the plural and in the singular."""
    return ("records", "record") if risk.people is None else ("people", "person")


def count_people(risk: ScenarioRisk) -> str:
    """Say how many people, or records, where each is a person, the risks are of."""
    if risk.people is None:
        return f"{risk.records:,} records"
    return f"{risk.number_of_people:,} people with {risk.records:,} records"


# --- the terminal


def scenario_grid(risks: Sequence[ScenarioRisk]) -> Grid:
    """Show the risks of each scenario."""
    grid = Grid(
        Column("scenario", no_wrap=True),
        "mean risk",
        "named",
        "worst case",
        *(f"above {percent(threshold, 0)}" for threshold in THRESHOLDS),
        "computed",
        title=f"Re-identification risk of {count_people(risks[0])}; named: how many to expect",
        title_justify="left",
    )
    for risk in risks:
        grid.add_row(
            risk.name,
            mean_cell(risk),
            f"{risk.mean() * risk.number_of_people:,.0f}",
            f"{risk.worst_mean():.4f}",
            *(f"{risk.above(threshold):,}" for threshold in THRESHOLDS),
            risk.exposure.method.value,
        )
    return grid


def mean_cell(risk: ScenarioRisk) -> str:
    """Show the mean risk, from the least of ranges on, with its interval where it is an estimate."""
    interval, lowest = risk.interval(), risk.lowest_mean()
    mean, low, high = (f"{each:.4f}" for each in (risk.mean(), interval.low, interval.high))
    if lowest is not None:
        mean = f"{lowest:.4f} to {mean}"
    return mean if low == high else f"{mean}\n({low} to {high})"
