"""The page on what came out; every figure on it is computed."""

from __future__ import annotations

import pandas as pd

from anonymizer.assessment.findings import ProcedureFindings, SourceFindings
from anonymizer.assessment.mitigation import Mitigation, Option
from anonymizer.attackers.overlap import AttackKind, Overlap
from anonymizer.report.procedure import describe_plan, describe_verdict
from experiments.simon2020 import paper
from experiments.simon2020.measure import KNOWN, LEFT_OUT
from experiments.writing import bullets


def write_page(
    findings: ProcedureFindings,
    counts: pd.DataFrame,
    people: pd.DataFrame,
    reference: pd.DataFrame | None,
    plans: pd.DataFrame,
    kept: pd.DataFrame,
    told: pd.DataFrame,
) -> str:
    """Write README.md."""
    sections = [
        introduce(findings),
        "## Records that violate k-anonymity\n\n" + describe_counts(counts),
        "## Probabilities and sentences\n\n" + describe_formulae(),
        "## What small cells give away\n\n" + describe_homogeneity(findings),
        "## Thresholds and what could be done\n\n" + describe_options(findings),
        "## One plan for all sources\n\n" + describe_joint_plan(findings, plans),
        "## Deaths and events that must stay\n\n" + describe_kept(kept),
        "## Nothing given away\n\n" + describe_told(told),
        "## Several visits for each person\n\n" + describe_people(people),
        "## sdcMicro on ADULT\n\n" + describe_reference(reference),
        "## What the paper prints and what follows from it\n\n" + describe_misprints(counts),
    ]
    return "\n\n".join(sections) + "\n"


def introduce(findings: ProcedureFindings) -> str:
    return (
        "# The steward's procedure: the worked example of Simon et al. 2020\n\n"
        "The paper's data, visits to seven health systems, are closed. "
        f"`python -m experiments.simon2020` draws {findings.people:,} synthetic visits of the shape that "
        "the paper describes (`experiments/simon2020/visits.py` says what is taken from the paper and "
        "what is assumed; nothing was fitted to the paper's counts), follows the procedure, and writes "
        "this page, `counts.csv`, `people.csv`, `plans.csv`, `kept.csv`, `told.csv`, `sdcmicro.csv`, "
        "and the report that a committee would get: `assessment.html` with `assessment.json`. The "
        "formulae and sentences are computed on the paper's own numbers."
    )


def describe_counts(counts: pd.DataFrame) -> str:
    rows = []
    for (source, keys), group in counts.groupby(["source", "keys"], sort=False):
        row: dict[str, object] = {"source": source, "keys": keys}
        for _, line in group.iterrows():
            row[f"k = {line['k']}, paper"] = f"{line['paper']:,} ({line['paper_percent']} %)"
            row[f"k = {line['k']}, synthetic"] = (
                f"{line['synthetic']:,} ({line['synthetic_percent']} %)"
            )
        rows.append(row)
    return (
        markdown(pd.DataFrame(rows))
        + "\n\nThe synthetic counts have the paper's order of magnitude "
        "where the assumed shares happen to be like the real ones, and no more than that is claimed: how "
        "many records are rare hangs on how rare the rarest groups are, and those shares are assumed. "
        "What carries over is the pattern: state and year each remove most of the small cells, and both "
        "together nearly all."
    )


def describe_formulae() -> str:
    overlap = Overlap(p=paper.P)
    rows = [
        ("probability in a cell of 1, p = 0.12", "0.12", f"{overlap.probability(1):g}"),
        ("probability in a cell of 2, p = 0.12", "0.06", f"{overlap.probability(2):g}"),
        ("probability in a cell of 1, p = 1", "1.0", f"{Overlap().probability(1):.1f}"),
        ("records that fit a person in a cell of 3, p = 0.12", "24", f"{overlap.matches(3):g}"),
    ]
    lines = [
        f"- {attack.value}, {name}: “{overlap.sentence(3, attack)}”"
        for attack in AttackKind
        for name, overlap in (
            ("complete overlap", Overlap()),
            ("subset, p = 0.12", Overlap(p=0.12)),
            ("superset, q = 1/3", Overlap(q=1 / 3)),
            ("partial, p = 1/4, q = 1/3", Overlap(p=1 / 4, q=1 / 3)),
        )
    ]
    return (
        markdown(pd.DataFrame(rows, columns=["figure", "paper", "computed"]))
        + "\n\nThe sentences of section 3.7 for a person in a cell of 3:\n\n"
        + "\n".join(lines)
    )


def describe_homogeneity(findings: ProcedureFindings) -> str:
    source = findings.sources[0]
    rows = [
        {
            "diagnosis": found.attribute,
            "prevalence": percent(found.prevalence),
            "cells of 3 to 5": f"{found.cells:,}",
            "everyone has it": f"{found.homogeneous:,}",
            "share": percent(found.share),
            "paper": percent(paper.HOMOGENEOUS[found.attribute]),
            "cells of 1 to 5": f"{found.small_cells:,}",
            "everyone has it there": f"{found.telling:,}",
        }
        for found in source.homogeneity
    ]
    chance = expected_share(source)
    return (
        f"Keys of “{source.name}”.\n\n{markdown(pd.DataFrame(rows))}\n\nWith a prevalence of "
        f"{percent(source.homogeneity[0].prevalence)} and independent members, {chance} of such cells "
        "would be homogeneous in depression by chance, more where a death or an event followed (there "
        "75 % are assumed): a share like the paper's is what such a prevalence brings about by itself."
    )


def expected_share(source: SourceFindings) -> str:
    """Say between which shares chance would leave cells of 5 and of 3 homogeneous."""
    prevalence = source.homogeneity[0].prevalence
    return f"{percent(prevalence**5)} (cells of 5) to {percent(prevalence**3)} (cells of 3)"


def describe_options(findings: ProcedureFindings) -> str:
    lines, rows = [], []
    for source in findings.sources:
        lines.append(f"- {source.name}: {describe_verdict(source, 'records')}")
        rows += [
            {
                "source": source.name,
                "way": option.kind.value,
                "change": option.what,
                "still above": f"{option.above:,}",
                "then dropped": f"{option.dropped:,}",
                "loss": f"{option.loss:.4f}",
            }
            for option in (*source.options[:3], *paper_options(source))
        ]
    return (
        "The threshold is that for sensitive information, 0.05.\n\n"
        + "\n".join(lines)
        + "\n\nThe three cheapest ways for each source, by the loss over its keys; then those that the "
        "paper weighs in section 4.2, to leave out state, year, or both:\n\n"
        + markdown(pd.DataFrame(rows))
        + f"\n\nWhoever is {KNOWN} is not protected by p: "
        "the paper, too, would share such data only under an agreement, or without the few rare records."
    )


def paper_options(source: SourceFindings) -> list[Option]:
    """Return the ways that the paper weighs, as far as they are not among the cheapest."""
    left_out = [set(keys) for keys in LEFT_OUT.values()]
    return [
        option
        for option in source.options[3:]
        if option.kind is Mitigation.LEAVE_OUT and set(option.levels) in left_out
    ]


def describe_joint_plan(findings: ProcedureFindings, plans: pd.DataFrame) -> str:
    plan = findings.plan
    if plan is None:
        return "Nobody is above a threshold: there is nothing to plan."
    rows = [
        {
            "source": source.name,
            "highest before": f"{source.probabilities.highest:.3g}",
            "highest after": f"{plan.highest[source.name]:.3g}",
            "accepted": f"{source.probabilities.threshold:g}",
            "given away before": f"{source.given_away:,}",
            "given away after": f"{plan.given_away[source.name]:,}",
        }
        for source in findings.sources
    ]
    return (
        "One plan for all sources together, the optimum of the risk model `sources`: "
        f"{describe_plan(plan)}. The loss is over all keys of all sources.\n\n"
        + markdown(pd.DataFrame(rows))
        + "\n\nThe loss counts every record alike, and the rare records are those of deaths and events: "
        "these are what keeping all keys drops. Leaving out state and year first, as the paper does, "
        "loses more by that measure and drops fewer. It is for the steward to choose (`min_level` in a "
        "policy leaves a key out first):\n\n"
        + markdown(shown_plans(plans))
        + "\n\n“Given away” are the records in cells of 1 to 5 in which everyone has depression, or an "
        "alcohol use disorder, where the probability of linking somebody to the cell is above the "
        "accepted one. The plan limits re-identification; what small cells give away it only counts. A "
        "data set with more than half of its records depressed will have such cells: as the paper says, "
        "that is presumed of people who died by suicide."
    )


def describe_kept(kept: pd.DataFrame) -> str:
    text = (
        "The same plan, with outcomes always released (`max_level = 0`), where `[[keep]]` states which "
        "share of the records with an outcome must stay. Each is proven the best that keeps so many, "
        "whichever records are dropped; the proof file of each was checked in so many boxes."
    )
    gone = [column for column in kept.columns if column.endswith("_gone_anyway")]
    shown = shown_plans(kept.drop(columns=gone))
    if not gone:
        return text + "\n\n" + markdown(shown)
    anyway = kept[gone].max()
    said = ", ".join(
        f"{int(number):,} records with {name.removesuffix('_gone_anyway')}"
        for name, number in anyway.items()
    )
    last = f"At the coarsest scheme, and so at every one, {said} must go."
    return text + "\n\n" + markdown(shown) + "\n\n" + last


def describe_told(told: pd.DataFrame) -> str:
    shown = shown_plans(told).rename(columns={"given_away": "given away", "told": "people told of"})
    return (
        "The plan above only counts of whom small cells tell a sensitive value. With `given_away = "
        '"none"` in the statement it is a limit of the search: nobody kept is in a cell of 1 to 5 in '
        "which everyone has such a value and to which the source leads with more than the threshold. "
        "That is a limit on single people, so that the optimum is proven over all subsets of the "
        "records.\n\n" + markdown(shown)
    )


def shown_plans(plans: pd.DataFrame) -> pd.DataFrame:
    """Write the figures of the plans as they are read."""
    counts = [column for column in plans.columns if column.endswith("dropped")]
    shown = plans.assign(loss=plans["loss"].map("{:.4f}".format))
    shown[counts] = shown[counts].map("{:,}".format)
    shown["proven"] = shown["proven"].map({True: "yes", False: "no"})
    return shown.rename(columns=lambda name: name.replace("_dropped", " dropped"))


def describe_people(people: pd.DataFrame) -> str:
    rows = people.rename(columns={f"violating_{k}": f"violate {k}-anonymity" for k in (2, 3, 5)})
    counts = rows.columns.drop("counted")
    rows[counts] = rows[counts].map(lambda number: f"{number:,}")
    return (
        markdown(rows)
        + "\n\nVisits hide how few people are behind them: rows of one person look like a "
        "crowd. Counted by the id, a cell has as many members as there are people in it, and a person is "
        "as rare as in the smallest cell that one of their visits is in."
    )


def describe_reference(reference: pd.DataFrame | None) -> str:
    if reference is None:
        return "The data or sdcMicro's figures were not at hand, so this was not compared."
    shown = reference.assign(
        sdcmicro=reference["sdcmicro"].map("{:.12g}".format),
        ours=reference["ours"].map("{:.12g}".format),
        relative_difference=reference["relative_difference"].map(write_difference),
    )
    return (
        "The calls are in the reference file (sdcMicro 5.8); sums and maxima are over the records, and "
        "the tests compare quantiles and single records too. DIS scores for nine keys differ in the "
        "eighth digit because sdcMicro keeps the exponent, 0.95, in single precision: with that exponent "
        "they are the same.\n\n" + markdown(shown)
    )


def write_difference(difference: float) -> str:
    """Write a relative difference; what is below rounding is none."""
    return f"{difference:.0e}" if difference > 1e-12 else "none"


def describe_misprints(counts: pd.DataFrame) -> str:
    wrong = counts[counts["paper_percent"] != counts["recomputed_percent"]]
    lines = [
        "3/0.12 is printed as 24, twice (section 3.7); it is 25.",
        f"Of the {len(counts)} printed percentages of {paper.RECORDS:,} records, {len(wrong)} differ "
        "from the recomputed ones in a printed digit.",
    ]
    for source, printed in paper.SMALL_RECORDS.items():
        two, three, _ = next(
            c.violations for c in paper.COUNTS if (c.source, c.keys) == (source, paper.NEITHER)
        )
        lines.append(
            f"“{source}” without state and year: the text speaks of {printed} records that violate 2- or "
            f"3-anonymity, which is {two} + {three}; but those who violate 2-anonymity violate "
            f"3-anonymity too, as section 3.4 itself reads such counts, so they are {three}. They are "
            f"printed as fewer than 0.001 % of all records; {printed} are "
            f"{100 * printed / paper.RECORDS:.5f} %, and {three} are {100 * three / paper.RECORDS:.5f} %."
        )
    lines.append(
        "For partial overlap the sentences say that a person appears in the source with probability q "
        "and, if so, fits n/(q·p) records. Together that is q·q·p/n, not the q·p/n of section 3.6: q is "
        "counted twice. The sentences here say n/p, which agrees with it."
    )
    return bullets(lines)


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def markdown(table: pd.DataFrame) -> str:
    """Write a table as Markdown."""
    lines = ["| " + " | ".join(map(str, table.columns)) + " |", "|" + "---|" * len(table.columns)]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in table.itertuples(index=False)]
    return "\n".join(lines)
