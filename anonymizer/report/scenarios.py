"""What scenarios mean for a table: sections, and tables for machines."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from anonymizer.assessment.keys import SMALL
from anonymizer.assessment.scenario_risk import THRESHOLDS, ScenarioRisk, describe_values
from anonymizer.attackers.exposure import MEASURES, Method
from anonymizer.attackers.network import to_network
from anonymizer.attackers.probability import names_of
from anonymizer.attackers.scenario import PARAMETERS, Scenario, describe_likelihood
from anonymizer.errors import percent
from anonymizer.estimators.intervals import Interval
from anonymizer.report.chart import (
    COLOURS,
    QUIET,
    Axis,
    draw_axes,
    draw_legend,
    draw_shares,
    draw_steps,
    drawing,
    element,
    rule,
    words,
)
from anonymizer.report.page import share, whole
from anonymizer.report.sections import FigureTable, Picture, Section, Toned, answer, quiet

ATTACKERS = {
    "prosecutor": "knows that the person is in the table and finds the only record that fits",
    "journalist": "does not know who is in the table, but finds a person who is the only one of a kind "
    "in the whole population",
    "marketer": "picks one of the records that fit at random",
}
LEAST = 1e-4
"""Risks below this are drawn as this."""
NETWORK_GROUPS = 5  # more do not fit a picture
RARE = f"values of fewer than {SMALL}, together"


# --- tables for machines


def driver_rows(risk: ScenarioRisk) -> Iterator[dict[str, Any]]:
    """Yield a row for each group: the mean overall risk of the people with it and without it."""
    mean = risk.mean()
    for driver in risk.exposure.drivers:
        group, without = risk.scenario.learned[driver.group], driver.overall
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
    mean = risk.mean()
    for known in risk.exposure.known_sets:
        names = dict.fromkeys(
            name for group in known.groups for name in risk.scenario.learned[group].attributes
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

    A person counts with the highest risk of their records with the value. Values that fewer than five
    people have are put together, so that nobody is named by one.
    """
    overall = risk.exposure.overall
    for name, values in risk.subjects.attributes.items():
        codes = risk.subjects.codes[name]
        having, _, number = risk.in_classes(overall, codes)
        rare = np.bincount(having, number, len(values.texts)) < SMALL
        texts = [*(text for text, few in zip(values.texts, rare, strict=True) if not few), None]
        place = np.where(rare, len(texts) - 1, np.cumsum(~rare) - 1)[codes]
        having, risks, number = risk.in_classes(overall, place)
        of_text = np.bincount(having, number, len(texts))
        sums = np.bincount(having, number * risks, len(texts))
        highest = np.zeros(len(texts))
        np.maximum.at(highest, place, overall)
        for at in np.flatnonzero(of_text):
            yield {
                "scenario": risk.name,
                "attribute": name,
                "value": RARE if texts[at] is None else texts[at] or "missing",
                "pooled": texts[at] is None,
                "people": int(of_text[at]),
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
        "known_sets": pd.DataFrame([row for risk in risks for row in known_set_rows(risk)]),
        "values": pd.DataFrame([row for risk in risks for row in value_rows(risk)]),
        "records": record_table(risks),
    }


# --- the sections


NOT_STATED = (
    "NOT STATED: of how many people the table is a sample. Whoever is alone in it counts as alone among "
    "all, the most that can be; --population says how many there are."
)


def scenarios_section(risks: Sequence[ScenarioRisk]) -> Section:
    """Set the attackers side by side, and say all about each in parts."""
    some = units(risks[0])[0]
    header = (
        *("attacker", "a person's risk,\non average", "expected to\nbe named"),
        "if everything\nwere known",
        *(f"{some}\nabove {percent(threshold, 0)}" for threshold in THRESHOLDS),
    )
    sentences: tuple[str, ...] = (
        quiet(
            "After Xia et al. 2021: for each way in which an attacker may come to know things about "
            "these people, how likely somebody is named, who is most exposed, and what the attacker has "
            "to learn for that."
        ),
        quiet(
            "“Named” means that the attacker says which record is a given person's, is right, and can be "
            "sure of it. 20 % is a threshold often used in general and 5 % one for sensitive data."
        ),
    )
    if not all(risk.scenario.is_stated for risk in risks):
        sentences = (Toned(NOT_STATED, "missing"), *sentences)
    caption = (
        f"How many {some} have at least which risk. Dashed: the same attacker, if every quasi-identifier "
        "of everybody were known. The further a line is to the left, the safer."
    )
    return Section(
        "Attackers who know some things and not others",
        sentences,
        (FigureTable(header, tuple(map(scenario_row, risks))),),
        (Picture(draw_distribution(risks), caption),),
        parts=(*map(scenario_section, risks), worst_section(risks[0])),
        anchor="scenarios",
    )


def scenario_row(risk: ScenarioRisk) -> tuple[str, ...]:
    """Write what a scenario means for people as a row."""
    people, above = risk.number_of_people, (risk.above(threshold) for threshold in THRESHOLDS)
    named = f"{whole(risk.mean() * people)} of {whole(people)}"
    return risk.name, mean_of(risk), named, share(risk.worst_mean()), *map(whole, above)


def mean_of(risk: ScenarioRisk) -> str:
    """Write the mean risk, from the least of ranges on, with its interval where it is an estimate."""
    lowest = risk.lowest_mean()
    least = "" if lowest is None else f"{share(lowest)} to "
    return f"{least}{share(risk.mean())}{ends_of(risk.interval())}"


def ends_of(interval: Interval) -> str:
    """Write the ends of an interval, if it has two."""
    if interval.low == interval.high:
        return ""
    return f", {share(interval.low)} to {share(interval.high)}"


def scenario_section(risk: ScenarioRisk) -> Section:
    """Say what one scenario means, for whom, and why."""
    drivers = sorted(driver_rows(risk), key=lambda row: -row["share_of_risk"])
    drivers = [row for row in drivers if row["probability"] > 0]
    known = list(known_set_rows(risk))[:5]
    exposed = [row for row in value_rows(risk) if not row["pooled"]]
    exposed.sort(key=lambda row: -row["overall_mean"])
    return Section(
        f"Scenario: {risk.name}",
        (
            answer("What the risk is.", *what_it_is(risk)),
            answer("For whom.", *for_whom(risk, exposed)),
            answer("Why.", *why(drivers, known)),
        ),
        parts=(
            attackers_part(risk),
            *drivers_part(drivers, known),
            exposed_part(risk, exposed[:8]),
        ),
        details="Attackers, what drives the risk, and who is exposed",
    )


def what_it_is(risk: ScenarioRisk) -> Iterator[str]:
    """Say how likely a person is re-identified, and how likely at worst."""
    mean, worst, people = risk.mean(), risk.worst_mean(), risk.number_of_people
    highest = float(risk.exposure.overall.max(initial=0))
    yield (
        f"A person in this table is re-identified with a probability of {share(mean)} on average "
        f"({one_in(mean)}{ends_of(risk.interval())}); at most it is {share(highest)}."
    )
    if (lowest := risk.lowest_mean()) is not None:
        yield (
            "The scenario gives ranges: these are the risks at their upper ends. At their lower ends the "
            f"average is {share(lowest)}."
        )
    less = (
        ""
        if mean >= worst
        else f": this attacker's limits take away {share(1 - mean / worst)} of it"
    )
    yield (
        f"Among {whole(people)} people that is about {whole(mean * people)} who would be named. If the "
        f"attacker knew every quasi-identifier of everybody, it would be {share(worst)}, or about "
        f"{whole(worst * people)} people{less}."
    )


def for_whom(risk: ScenarioRisk, exposed: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Say how many are above the usual thresholds, and whose risk is highest on average."""
    for threshold in THRESHOLDS:
        count = risk.above(threshold)
        one = count == 1
        yield (
            f"{whole(count)} {units(risk)[one]} ({share(count / max(1, risk.number_of_people))}) "
            f"{'is' if one else 'are'} above a risk of {share(threshold)}."
        )
    if exposed:
        most = (
            f"{v['attribute']} “{v['value']}” ({share(v['overall_mean'])})" for v in exposed[:3]
        )
        yield f"Most exposed on average are those with {', '.join(most)}."


def why(drivers: Sequence[Mapping[str, Any]], known: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Say what the attacker learns that makes the risk."""
    if not drivers:
        yield "What the attacker always learns cannot be told apart by simulation."
    else:
        first = drivers[0]
        source = f" from {first['source']}" if first["source"] else ""
        yield (
            f"The attacker learns {first['attributes']}{source} about {share(first['probability'])} of "
            f"the people. Without that the risk would be {share(first['overall_without'])}: it accounts "
            f"for {share(first['share_of_risk'])} of it."
        )
    if known:
        yield (
            f"The single case that adds most ({share(known[0]['share_of_risk'])} of the risk) is that "
            f"the attacker knows just {known[0]['known']}."
        )


def attackers_part(risk: ScenarioRisk) -> Section:
    """Set the three ways to succeed side by side, and draw how one thing leads to another."""
    rows = tuple(
        (
            name,
            does,
            share(risk.mean(name)) + ends_of(risk.interval(name)),
            share(float(risk.exposure.measure(name).max(initial=0))),
            share(risk.worst_mean(name)),
        )
        for name, does in ATTACKERS.items()
    )
    p_m, p_fm, p_c, p_cu = (write_parameter(risk, key) for key in PARAMETERS)
    said = (
        "How likely each succeeds with what may be known. Together they make the risk above, with what "
        f"they must also manage: that somebody's presence in the table is disclosed ({p_m}) and the "
        f"attacker hears of it ({p_fm}); that the attacker can confirm that a person is the only one of "
        f"a kind ({p_cu}); that the attacker can confirm that the record picked is the right one ({p_c})."
    )
    header = "attacker", "who", "mean", "highest", "mean if everything\nwere known"
    pictures: tuple[Picture, ...] = ()
    if len(risk.scenario.learned) <= NETWORK_GROUPS:
        caption = (
            "How one thing leads to another: what may be known (top), what it makes possible for "
            "prosecutor, journalist and marketer, and re-identification (bottom)."
        )
        pictures = (Picture(draw_network(risk.scenario), caption),)
    return Section("Three attackers", (quiet(said),), (FigureTable(header, rows),), pictures)


def drivers_part(
    drivers: Sequence[Mapping[str, Any]], known: Sequence[Mapping[str, Any]]
) -> Iterator[Section]:
    """Say what would be gone without each group of attributes, and which knowledge adds most."""
    if not drivers:
        return
    rows = tuple(
        (
            row["attributes"],
            (row["source"] or "-")
            + (f" (once the {row['cause']} is found)" if row["cause"] else ""),
            *map(share, (row["probability"], row["overall_without"], row["share_of_risk"])),
        )
        for row in drivers[:10]
    )
    sets = tuple(
        (
            row["known"],
            *map(share, (row["probability"], row["overall"], row["share_of_risk"])),
            unique_of(row),
        )
        for row in known
    )
    said = (
        "u_S is the probability that somebody who is unique in the table on what is known is unique in "
        "the population: an estimate by Pitman's model, with its interval at 95 % confidence."
    )
    header = "learned together", "from", "of how many", "risk without it", "part of the risk"
    tables = [FigureTable(header, rows)]
    if sets:
        first = "the attacker knows just", "how likely", "adds to the risk", "part of the risk"
        tables.append(FigureTable((*first, "u_S"), sets))
    bars = [(row["attributes"], row["share_of_risk"]) for row in drivers]
    caption = "The part of the risk that would be gone if the attacker never learned it"
    pictures = (Picture(draw_shares(bars, caption), caption),) if len(bars) > 1 else ()
    yield Section("What drives it", (quiet(said),) if sets else (), tuple(tables), pictures)


def unique_of(row: Mapping[str, Any]) -> str:
    """Write u_S with its interval; a set by which nobody is unique has none."""
    low, high = row["unique_in_population_low"], row["unique_in_population_high"]
    if high <= 0:
        return "-"
    return f"{share(row['unique_in_population'])} ({share(low)} to {share(high)})"


def exposed_part(risk: ScenarioRisk, exposed: Sequence[Mapping[str, Any]]) -> Section:
    """Show the values whose people are most at risk, and say how the risks were computed."""
    rows = tuple(
        (
            f"{row['attribute']} = {row['value']}",
            whole(row["people"]),
            *map(share, (row["overall_mean"], row["overall_highest"])),
        )
        for row in exposed
    )
    exposure, (some, one) = risk.exposure, units(risk)
    if exposure.method is Method.EXACT:
        how = (
            f"The risks are exact given u_S: summed over all {whole(exposure.subsets)} sets of "
            "attributes that matter."
        )
    else:
        how = (
            f"The risks are simulated with {whole(exposure.subsets)} draws of what is known, because "
            "there are too many sets of attributes to look at all; the standard error of the mean risk "
            f"is {share(exposure.standard_error or 0.0)}."
        )
    quartiles = describe_values(risk.reductions())
    q1, median, q3 = (share(quartiles[key] or 0.0) for key in ("q1", "median", "q3"))
    sentences = (
        f"Values that at least {SMALL} {some} have, the most exposed first. All are in values.csv; the "
        "risk of every record, in the order of the rows, is in records.csv: keep that with the original.",
        f"{how} Intervals of mean risks have every u_S at one end of its own; they say nothing about the "
        "scenario's probabilities.",
        f"Compared {one} by {one} with the worst case, the risk is lower by {q1}, {median} and {q3} "
        "(quartiles).",
    )
    header = "people with", some, "mean risk", "highest"
    return Section("Who is exposed", tuple(map(quiet, sentences)), (FigureTable(header, rows),))


def worst_section(risk: ScenarioRisk) -> Section:
    """Say for each attribute what the worst case would be without it, the most telling first."""
    drivers = zip(risk.subjects.attributes, risk.worst.drivers, strict=True)
    rows = sorted(((name, driver.marketer) for name, driver in drivers), key=lambda row: row[1])
    said = (
        f"An attacker who knows all of {', '.join(name for name, _ in rows)} picks the right record with "
        f"a probability of {share(risk.worst_mean('marketer'))} on average. "
        "Without one attribute it would be:"
    )
    figures = FigureTable(("without", "probability"), tuple((name, share(p)) for name, p in rows))
    part = Section("", (said,), (figures,))
    return Section("", (), parts=(part,), details="If everything were known")


# --- pictures


def draw_distribution(risks: Sequence[ScenarioRisk]) -> Markup:
    """Draw how many people have at least which overall risk, and the same in the worst case."""
    x, y = Axis(LEAST, 1.0, 60, 560, logarithmic=True), Axis(0.0, 1.0, 250, 10)
    some = units(risks[0])[0]
    marks = [rule(x.at(t), y.end, x.at(t), y.start, "currentColor") for t in THRESHOLDS]
    for colour, risk in zip(COLOURS * len(risks), risks, strict=False):
        marks.append(draw_steps(at_least(risk.risks()), x, y, colour, stroke_width=2))
        if risk.mean() < risk.worst_mean() - 1e-12:  # the worst case itself is drawn once
            worst = at_least(risk.worst_risks())
            marks.append(draw_steps(worst, x, y, colour, stroke_dasharray="3 3"))
    names = [risk.name for risk in risks]
    legend = draw_legend(list(zip(names, COLOURS * len(risks), strict=False)), 70, 300)
    across, upwards = (
        "overall risk of re-identification",
        f"share of {some} with at least this risk",
    )
    title = f"How many {some} have at least which risk"
    height = 304 + 18 * len(risks)
    return drawing(575, height, title, *draw_axes(x, y, across, upwards), *marks, *legend)


def at_least(risks: Any) -> list[tuple[float, float]]:
    """Return the share of people with at least each risk, at points that are even by their ratios."""
    at = np.geomspace(LEAST, 1, 241)
    below = np.searchsorted(np.sort(risks), at - 1e-12)
    return list(zip(at.tolist(), (1 - below / max(1, risks.size)).tolist(), strict=True))


def draw_network(scenario: Scenario) -> Markup:
    """Draw the Bayesian network of a scenario: what may be learned, what follows, re-identification."""
    graph = to_network(scenario)
    layers: dict[int, list[str]] = {}
    for name, node in graph.nodes.items():
        layers.setdefault(node["layer"], []).append(name)
    width = 150 * max(map(len, layers.values()))
    place = {
        name: (width * (2 * at + 1) / (2 * len(names)), 46 + 92 * row)
        for row, (_, names) in enumerate(sorted(layers.items()))
        for at, name in enumerate(names)
    }
    lines = [rule(*place[one], *place[other], stroke=QUIET) for one, other in graph.edges]
    boxes = [part for name, node in graph.nodes.items() for part in draw_node(*place[name], node)]
    among = scenario.population
    people = whole(among) if isinstance(among, int) else Path(among).name
    if not scenario.is_stated:
        people = "not stated"
    title = f"What the attacker may learn and do; population {people}"
    return drawing(width, 92 * len(layers), title, *lines, *boxes)


def draw_node(x: float, y: float, node: Mapping[str, Any]) -> Iterator[Markup]:
    """Draw a variable of the network as a box with what it says."""
    lines = describe_node(node).split("\n")
    top = y - 7 * len(lines) - 4
    box = {"width": 136, "height": 14 * len(lines) + 8, "rx": 5, "stroke": COLOURS[0]}
    yield element("rect", x=x - 68, y=top, fill="#eef4f7", **box)
    for number, line in enumerate(lines):
        yield words(x, top + 15 + 14 * number, line, anchor="middle")


# --- words


def describe_node(node: Mapping[str, Any]) -> str:
    """Name a variable of the network, with its probability where it has one of its own."""
    if "attributes" in node:
        known = "known then" if "cause" in node else "known"
        return "\n".join([*node["attributes"], f"{known}: {write_chance(node)}"])
    meaning = textwrap.fill(node["meaning"], 20)
    if "layer" in node and node["layer"] < 0:
        return f"{meaning}: {write_chance(node)}"
    table = node.get("table")
    return f"{meaning}\n{write_likelihood(table[()])}" if table and () in table else meaning


def write_chance(keys: Mapping[str, Any]) -> str:
    """Write what a probability is or depends on, in a few words."""
    if "column" in keys:
        return f"column {keys['column']}"
    if "by" in keys:
        return f"by {' and '.join(names_of(keys['by']))}"
    return write_likelihood(keys["probability"])


def write_likelihood(value: Any) -> str:
    """Write a probability, a range or what it depends on.

    >>> write_likelihood(0.5), write_likelihood([0.2, 0.8]), write_likelihood({"column": "told"})
    ('0.5', '0.2 to 0.8', 'column told')
    """
    if isinstance(value, Mapping):
        return write_chance(value)
    if isinstance(value, list | tuple):
        return " to ".join(f"{end:g}" for end in value)
    return f"{value:g}"


def write_parameter(risk: ScenarioRisk, key: str) -> str:
    """Write one of the four probabilities as the page has it."""
    value = describe_likelihood(getattr(risk.scenario, key))
    return share(value) if isinstance(value, float) else write_likelihood(value)


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


def units(risk: ScenarioRisk) -> tuple[str, str]:
    """Say what the risks are of, in the plural and in the singular."""
    return ("records", "record") if risk.people is None else ("people", "person")


def count_people(risk: ScenarioRisk) -> str:
    """Say how many people, or records, where each is a person, the risks are of."""
    if risk.people is None:
        return f"{risk.records:,} records"
    return f"{risk.number_of_people:,} people with {risk.records:,} records"
