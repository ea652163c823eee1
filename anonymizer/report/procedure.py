"""What the steward's procedure found: its sections, for the terminal and the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from markupsafe import Markup

from anonymizer.assessment.findings import ProcedureFindings, SourceFindings
from anonymizer.assessment.keys import WhatIf
from anonymizer.assessment.mitigation import Mitigation, Option, join
from anonymizer.assessment.plan import MitigationPlan
from anonymizer.report.chart import BAD, GOOD, QUIET, BarRow, draw_bars
from anonymizer.report.page import share, whole
from anonymizer.report.sections import FigureTable, Picture, Section, bad, good, quiet
from anonymizer.report.words import everybody_marked

SHOWN_OPTIONS, SHOWN_VARIANTS = 10, 12
SMALL = "1", "2", "3-4"
"""The sizes of small cells, as they are named."""
RARE = "values of fewer than 5, together"
HEADER = (
    *("external source", "alone", "in cells of\nfewer than 5"),
    *("highest", "accepted", "above", "verdict"),
)
LINKED = {
    "one here, one there": ("1", "one_to_one"),
    "one here, m there": ("1/m", "one_to_many"),
    "k here, one there": ("1/k", "many_to_one"),
    "k here, m there": ("1/(k·m)", "many_to_many"),
    "no match": ("0", "unmatched"),
}
"""How people may match those of a source: the probability, and the field that counts them."""
HOMOGENEITY_HEADER = (
    *("attribute", "have a\nsensitive value", "cells of\n1 to 5", "that\ntell it", "given\naway"),
    *("cells of\n3 to 5", "everyone\nhas it", "share", "least\ndistinct l", "least\nentropy l"),
)


# --- the sources


def sources_section(findings: ProcedureFindings) -> Section:
    """Show the sources with their verdicts, and all about each in parts."""
    who = people(findings)
    counted = "; a person counts once, where the risk is highest" if findings.by_id else ""
    rows = f"{whole(findings.rows)} rows" + (
        f" of {whole(findings.people)} people" if findings.by_id else ""
    )
    method = quiet(
        "After the procedure of Simon et al. 2020: which external sources could tell who somebody is, by "
        "which keys, how many share the same key values, and with what probability a person is "
        f"re-identified. {rows}{counted}. Values that fewer than five {who} have are put together."
    )
    return Section(
        "External sources, one by one",
        (method,),
        (FigureTable(HEADER, tuple(map(source_row, findings.sources))),),
        parts=tuple(
            source_section(source, number, findings)
            for number, source in enumerate(findings.sources, 1)
        ),
        anchor="sources",
    )


def source_row(source: SourceFindings) -> tuple[str, ...]:
    """Write a source as a row."""
    found, violations = source.probabilities, source.rarity.violations
    return (
        source.name,
        whole(violations[2]),
        whole(violations[5]),
        write_probability(found.highest),
        f"{found.threshold:g}",
        whole(found.above),
        good("acceptable") if source.passes else bad("NOT acceptable"),
    )


def source_section(source: SourceFindings, number: int, findings: ProcedureFindings) -> Section:
    """Say whether a source is acceptable, and how that was found."""
    verdict = describe_verdict(source, people(findings))
    parts = [keys_part(source), *linkage_part(source, findings), *rarity_parts(source, findings)]
    parts += [probability_part(source, findings), *homogeneity_part(source, findings)]
    return Section(
        f"{number}. {source.name}",
        (good(verdict) if source.passes else bad(verdict),),
        parts=tuple(parts),
        details="How that was found",
    )


def keys_part(source: SourceFindings) -> Section:
    """Say what the source is and by which keys it is linked."""
    kind = (
        "A file of identified people"
        if source.attack == "systematic"
        else "What somebody may know about one person"
    )
    sentences = [f"{kind} ({source.attack} attack), linked by {', '.join(source.keys)}."]
    if source.levels:
        levels = ", ".join(f"{key} on level {level}" for key, level in source.levels.items())
        sentences.append(f"Compared on coarser levels of the hierarchies: {levels}.")
    return Section("The source and its keys", tuple(sentences))


def linkage_part(source: SourceFindings, findings: ProcedureFindings) -> Iterator[Section]:
    """Say how many match a source that is at hand."""
    found = source.linkage
    if found is None:
        return
    said = (
        f"The source is at hand and was linked: {whole(found.external_people)} people, of whom "
        f"{whole(found.external_matched)} match at least one person of the table. A missing or redacted "
        "cell matches every value."
    )
    rows = tuple(
        (name, chance, whole(count), share(count / findings.people))
        for name, (chance, field) in LINKED.items()
        for count in [getattr(found, field)]
    )
    header = "match", "probability", people(findings), "share"
    yield Section("Direct linkage", (said, *map(bad, found.warnings)), (FigureTable(header, rows),))


def rarity_parts(source: SourceFindings, findings: ProcedureFindings) -> Iterator[Section]:
    """Say how many people are rare by the keys, by which values, and how many are unique by few keys."""
    rarity, who = source.rarity, people(findings)
    one = "person" if findings.by_id else "record"
    said = (
        f"The keys make {whole(rarity.cells)} cells; the smallest has {whole(rarity.smallest_cell)} "
        f"{one if rarity.smallest_cell == 1 else who}."
    )
    pictures = (
        Picture(draw_cell_sizes(source), "How many look alike (red: fewer than 5)"),
        Picture(
            draw_variants(source), "Who is in cells of fewer than 5, with all keys and without each"
        ),
    )
    yield Section("Who is rare", (said,), (violations_of(source, findings),), pictures)
    inside = [found for found in rarity.key_values if found.inside]
    if inside and rarity.violations[5]:
        header = "key", "value", who, "in cells of fewer than 5", "share"
        rows = tuple(
            (
                found.key,
                quiet(RARE) if found.value is None else found.value,
                *(whole(found.people), whole(found.inside), share(found.share)),
            )
            for found in inside
        )
        yield Section("Which values make the small cells", (), (FigureTable(header, rows),))
    yield from special_part(source, who)


def violations_of(source: SourceFindings, findings: ProcedureFindings) -> FigureTable:
    """Count who violates k-anonymity: by all keys, by all rows of a person, and with other keys."""
    rarity = source.rarity
    counted = {"all keys": rarity.violations}
    if rarity.by_history:
        counted["all rows of a person known"] = rarity.by_history
    counted |= {describe_variant(each): each.violations for each in best_variants(source)}
    rows = tuple(
        (name, *(write_rate(number, findings.people) for number in violations.values()))
        for name, violations in counted.items()
    )
    return FigureTable(("violating", *(f"{k}-anonymity" for k in rarity.violations)), rows)


def special_part(source: SourceFindings, who: str) -> Iterator[Section]:
    """Say how few keys single people out."""
    found = source.special
    if found.reason:
        yield Section("Special uniques", (quiet(found.reason[0].upper() + found.reason[1:]),))
    elif found.people:
        causes = ", ".join(f"{key} {share(value)}" for key, value in found.contributions)
        said = (
            f"{whole(found.people)} {who} are alone in a cell. The fewer keys it takes to single "
            "somebody out, the likelier the person is unique outside the table too (SUDA2). Share of all "
            f"scores due to sets with a key: {causes}."
        )
        counts = found.by_smallest_set
        header = "keys it takes", *(str(size) for size in range(1, len(counts) + 1))
        row = "unique cells", *map(whole, counts)
        yield Section("Special uniques", (said,), (FigureTable(header, (row,)),))


def probability_part(source: SourceFindings, findings: ProcedureFindings) -> Section:
    """Say with what probability people are re-identified, where p and q say how far tables overlap."""
    found, who = source.probabilities, people(findings)
    average = f"On average over all {who} the probability is {write_probability(found.average)}."
    if not found.pattern:
        return Section("Probability", (average,))
    varies = any(isinstance(stated, dict) for stated in (found.p, found.q))
    sentences = [
        f"{found.pattern.capitalize()}: of the source's people, a share of p = "
        f"{describe_share(found.p)} is in the table; of the table's, q = {describe_share(found.q)} is in "
        f"the source. In a cell of k the probability is p·q/k"
        f"{'; the table shows the largest' if varies else ''}.",
        *(
            f"Once {key} is left out, p = {describe_share(left['p'])} and "
            f"q = {describe_share(left['q'])}."
            for key, left in found.without.items()
        ),
        average,
    ]
    if found.pattern in ("protected data is subset", "partial overlap"):
        sentences.append(
            "A small p protects only as long as nobody says who took part: for a person known to be in "
            "the table, p is 1."
        )
    rows = tuple(
        (str(each.size), whole(each.people), write_probability(each.probability), each.sentence)
        for each in found.readings
    )
    header = "k", who, "probability", "in plain language"
    return Section("Overlap and probability", tuple(sentences), (FigureTable(header, rows),))


def homogeneity_part(source: SourceFindings, findings: ProcedureFindings) -> Iterator[Section]:
    """Say which sensitive values small cells give away."""
    if not source.homogeneity:
        return
    telling = "everyone" if findings.most == 1 else f"at least {share(findings.most)}"
    sentences = [
        f"New to whoever uses it: {join(list(source.new))}.",
        "If everyone in a cell has a sensitive value, whoever links a person to the cell learns it for "
        "certain, whichever of its members the person is. A cell of 1 to 5 tells it here if "
        f"{telling} in it has such a value; it is given away where the probability of linking to the "
        "cell, times the share of its members who have it, is above the accepted one.",
        *(
            f"{everybody_marked(each.homogeneous, each.cells, each.attribute, 'groups of 3 to 5')}."
            for each in source.homogeneity
        ),
    ]
    rows = tuple(
        (
            each.attribute,
            share(each.prevalence),
            *map(whole, (each.small_cells, each.telling)),
            bad(whole(each.given_away)) if each.given_away else "0",
            *map(whole, (each.cells, each.homogeneous)),
            share(each.share),
            str(each.least_distinct or "-"),
            f"{each.least_entropy:.2f}" if each.least_distinct else "-",
        )
        for each in source.homogeneity
    )
    figures = FigureTable(HOMOGENEITY_HEADER, rows)
    yield Section("What small cells give away", tuple(sentences), (figures,))


# --- what could be done


def options_section(findings: ProcedureFindings) -> Iterator[Section]:
    """Say what could be done: against all sources together, then against each."""
    failing = [source for source in findings.sources if source.options]
    if not failing:
        return
    sentences = [f"{source.name}: {describe_option(source.options[0])}." for source in failing]
    figures: tuple[FigureTable, ...] = ()
    if (plan := findings.plan) is not None:
        sentences.append(f"All sources together: {describe_plan(plan)}.")
        if plan.reason is None:
            figures = (plan_figures(plan, findings),)
            sentences.append(
                quiet(
                    "The loss is that of the policy's measure over its quasi-identifiers and the keys. "
                    "The plan limits the probability of re-identification; what small cells give away is "
                    "only counted. `anonymizer assess` carries it out with --apply."
                )
            )
    parts = tuple(source_options(source, findings) for source in failing)
    title = "What could be done"
    yield Section(title, tuple(sentences), figures, parts=parts, anchor="options")


def plan_figures(plan: MitigationPlan, findings: ProcedureFindings) -> FigureTable:
    """Say what the plan for all sources leaves of each."""
    rows = tuple(
        (
            source.name,
            good(write_probability(plan.highest[source.name])),
            write_probability(source.probabilities.threshold),
            bad(whole(told)) if (told := plan.given_away[source.name]) else "0",
        )
        for source in findings.sources
    )
    header = "with the plan", "highest left", "accepted", "given away by\nsmall cells"
    return FigureTable(header, rows)


def source_options(source: SourceFindings, findings: ProcedureFindings) -> Section:
    """List the ways to make one source harmless, the cheapest first."""
    found, who = source.probabilities, people(findings)
    sentences = [
        "Each change to the keys, with everyone dropped who is still above the threshold, costs a loss "
        "over the keys: 0 is untouched, 1 is nothing left."
    ]
    if found.needed_size:
        sentences.append(f"A cell is acceptable with at least {found.needed_size} {who}.")
    if found.key_values:
        most = ", ".join(
            f"{each.key} {each.value} ({whole(each.inside)} of {whole(each.people)})"
            for each in found.key_values
        )
        sentences.append(f"Dropping all who are above the threshold would take most from: {most}.")
    ways = tuple(
        (each.kind.value, each.what, whole(each.above), whole(each.dropped), f"{each.loss:.4f}")
        for each in shown_options(source)
    )
    access = tuple(
        (
            each.mechanism,
            write_probability(each.threshold),
            good("yes") if each.passes else bad("no"),
        )
        for each in source.access
    )
    ways_of = Section(
        "",
        tuple(sentences),
        (FigureTable(("way", "change", "still above", "dropped", "loss"), ways),),
        (Picture(draw_options(source), "What the ways cost, as the loss over the keys"),),
    )
    restrict = Section(
        "Or restrict access, and change nothing",
        (),
        (FigureTable(("way to share", "accepted", "enough?"), access),),
    )
    return Section("", (), parts=(ways_of, restrict), details=f"Against {source.name}")


# --- words


def people(findings: ProcedureFindings) -> str:
    """Say what is counted."""
    return "people" if findings.by_id else "records"


def describe_findings(findings: ProcedureFindings) -> str:
    """Say in a sentence what came of it."""
    failing = [source for source in findings.sources if not source.passes]
    count = f"{findings.people:,} {people(findings)}"
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


def describe_plan(plan: MitigationPlan) -> str:
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


def describe_verdict(source: SourceFindings, who: str) -> str:
    """Say whether a source is acceptable, and why."""
    found = source.probabilities
    highest, accepted = write_probability(found.highest), f"{found.threshold:g}"
    if source.passes:
        return f"Acceptable: the highest probability is {highest}, and {accepted} is accepted."
    reasons = []
    if found.above:
        reasons.append(
            f"{found.above:,} {who} are re-identified with a probability above {accepted}, the worst "
            f"with {highest}"
        )
    if source.given_away:
        reasons.append(
            f"small cells give away a sensitive value of {source.given_away:,} {who} with a "
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

    >>> describe_share({"by": "state", "probabilities": {"Ohio": 0.3}, "default": 0.1})
    '0.1 to 0.3 by state'
    """
    if not isinstance(stated, dict):
        return f"{stated:.3g}"
    numbers = [stated["default"], *stated["probabilities"].values()]
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


def best_variants(source: SourceFindings) -> list[WhatIf]:
    """Return each key left out, and of the other changes those that leave the fewest rare people."""
    single = [variant for variant in source.rarity.what_if if len(variant.left_out) == 1]
    rest = [variant for variant in source.rarity.what_if if len(variant.left_out) != 1]
    rest.sort(key=lambda variant: (variant.violations[5], describe_variant(variant)))
    return single + rest[: max(0, SHOWN_VARIANTS - len(single))]


def shown_options(source: SourceFindings) -> list[Option]:
    """Return the cheapest options, and what it would take to drop records alone."""
    cheapest = list(source.options[:SHOWN_OPTIONS])
    return cheapest + [
        option for option in source.options[SHOWN_OPTIONS:] if option.kind is Mitigation.DROP
    ]


def describe_option(option: Option) -> str:
    """Say what an option does, drops and costs."""
    drop = f"drop {option.dropped:,}" if option.dropped else "drop nobody"
    parts = [option.what, drop] if option.levels else [drop]
    return f"{', then '.join(parts)}; loss {option.loss:.4f}"


# --- pictures


def draw_cell_sizes(source: SourceFindings) -> Markup:
    """Draw the people by the size of the smallest cell they are in."""
    rows = [
        BarRow(f"cells of {name}", (float(n),), whole(n), (BAD if name in SMALL else GOOD,))
        for name, n in source.rarity.people_by_cell_size.items()
    ]
    return draw_bars(rows, "How many look alike (red: fewer than 5)")


def draw_variants(source: SourceFindings) -> Markup:
    """Draw the people in cells of fewer than five: with all keys, and with each left out."""
    single = [each for each in source.rarity.what_if if len(each.left_out) == 1]
    counts = [("all keys", source.rarity.violations[5], BAD)]
    counts += [(describe_variant(each), each.violations[5], QUIET) for each in single]
    rows = [BarRow(name, (float(n),), whole(n), (colour,)) for name, n, colour in counts]
    return draw_bars(rows, "People in cells of fewer than 5: what each key contributes")


def draw_options(source: SourceFindings) -> Markup:
    """Draw what the cheapest ways cost."""
    rows = [
        BarRow(name_option(option), (option.loss,), f"{option.loss:.3g}", (GOOD,))
        for option in shown_options(source)
    ]
    title = "Loss over the keys (0 = untouched, 1 = nothing left)"
    return draw_bars(rows, title, names=40, width=260)


def name_option(option: Option) -> str:
    """Name an option in a picture; a mix of many changes is spelled out in the table."""
    if len(option.levels) > 2:
        return f"{option.kind.value}, then drop {option.dropped:,}"
    return describe_option(option).split("; loss")[0]
