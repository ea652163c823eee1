"""The page that sets ours beside the paper's; every figure and verdict on it follows from the tables."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from experiments.prasser2016 import paper
from experiments.prasser2016.findings import Findings
from experiments.prasser2016.frontier import compare, irregular
from experiments.prasser2016.page_measures import (
    describe_measures,
    describe_safe_harbor,
    summarize_measures,
    summarize_safe_harbor,
)
from experiments.prasser2016.page_uniques import describe_expected, describe_orders
from experiments.prasser2016.printed import (
    describe_printed,
    explain_prosecutor,
    gains_over,
    printed_table,
    sentence,
    two_anonymity,
)
from experiments.prasser2016.tables import ATTACKERS, contradictions, grade, protection
from experiments.prasser2016.writing import power, share
from experiments.writing import bullets, listed, markdown


def write_page(findings: Findings) -> str:
    """Write README.md."""
    sections = [
        introduce(findings),
        "## In short\n\n" + bullets(summarize(findings)),
        "## Table 1: who is kept out\n\n" + describe_protection(findings.attackers),
        "## Tables 2 and 3: quality\n\n" + describe_quality(findings.quality),
        "## Tables 2 and 3 by entropy and KL-divergence\n\n" + describe_measures(findings.measures),
        "## Safe Harbor as a point\n\n" + describe_safe_harbor(findings.safe_harbor),
        "## Figure 6: p-uniqueness\n\n" + describe_curves(findings),
        "## Expected uniques: a number of people\n\n" + describe_expected(findings.expected),
        "## The order of suppression\n\n" + describe_orders(findings.orders),
        "## What the text of the paper says\n\n" + bullets(check_text(findings)),
        "## Every printed number\n\n" + describe_printed(printed_table(findings)),
    ]
    return "\n\n".join(sections) + "\n"


def introduce(findings: Findings) -> str:
    rows = [
        [name.upper(), f"{paper.RECORDS[name]:,}", f"{records:,}"]
        for name, records in findings.records.items()
    ]
    rows += [[name.upper(), f"{paper.RECORDS[name]:,}", "not run"] for name in findings.absent]
    missing = (
        f" {listed(name.upper() for name in findings.absent)} could not be run: the files are not at "
        "hand. With `--data DIR` they are read from DIR/NAME/data.csv; `python -m experiments.extracts "
        "--help` says how an extract of IPUMS becomes such a file."
        if findings.absent
        else ""
    )
    return (
        "# What risk models buy in quality\n\n"
        "The experiments of Prasser, Kohlmayer and Kuhn (Methods Inf Med 2016; 55: 347-355) again. "
        "Written by `python -m experiments.prasser2016`, together with `table_1.csv`, "
        "`tables_2_and_3.csv`, `tables_2_and_3_measures.csv`, `safe_harbor.csv`, `figure_6.csv` and the "
        "picture; every figure below is computed, every release under a risk model is proven to be the "
        f"best of its kind.{missing}\n\n"
        + markdown(["data", "records in the paper", "records here"], rows)
    )


# --- in short ---


def summarize(findings: Findings) -> Iterator[str]:
    yield summarize_quality(findings.quality)
    yield summarize_measures(findings.measures)
    yield summarize_safe_harbor(findings.safe_harbor)
    yield summarize_curves(findings)
    rises = irregular(findings.curves)
    yield (
        "No irregular point: nowhere does quality rise with a stricter threshold or a smaller "
        "population."
        if not rises
        else f"Irregular points: {'; '.join(rises)}."
    )
    for fault in findings.faults:
        yield f"**Not explained:** {fault}."


def summarize_quality(cells: pd.DataFrame) -> str:
    explained = sum(bool(others) for others in contradictions(cells).values())
    text = (
        f"Tables 2 and 3: {cells['agrees'].sum()} of {len(cells)} cells agree with the paper to the "
        "printed digit"
    )
    if not explained:
        return text + "."
    return f"{text}; in {explained} the paper contradicts itself (see below)."


def summarize_curves(findings: Findings) -> str:
    counts = compare(findings.curves).value_counts()
    known = len(findings.curves) - counts.get("", 0)
    text = (
        f"Figure 6: of {known} points known from ARX 3.9, {counts.get('the same', 0)} are the same and "
        f"{counts.get('above', 0)} are above"
    )
    if findings.behind.empty:
        return f"{text}; none is below."
    return (
        f"{text}; the {len(findings.behind)} below are those where ARX's release breaks the model "
        "(see below)."
    )


# --- Table 1 ---


def describe_protection(attackers: pd.DataFrame) -> str:
    grades = protection(attackers)
    rows = []
    for _, row in grades.iterrows():
        cells = [f"{row['model']}, {row['parameters']}"]
        for attacker in ATTACKERS:
            mine, printed = row[f"{attacker} protection"], row[f"{attacker} paper"]
            cells += [share(row[attacker]), mine, printed]
        rows.append(cells)
    header = ["model", *(h for a in ATTACKERS for h in (f"{a}: highest risk", "degree", "paper"))]
    header = [name.replace("marketer: highest", "marketer: average") for name in header]
    return (
        "The worst over all data sets and populations here. The prosecutor's risk is one over the "
        "smallest class. The journalist's is one over the people who, at a significance of "
        f"{paper.SIGNIFICANCE:g}, share the values of the smallest class (the largest k of k-map that it "
        "passes). The marketer's is the mean risk of the records when they are linked with the "
        f"population. Degree: high up to {paper.TARGET[2]:.0%}, low up to {paper.WEAK:.0%}.\n\n"
        + markdown(header, rows)
        + "\n\n"
        + bullets(explain_protection(grades, attackers))
        + "\n\n"
        + describe_releases(attackers)
    )


def explain_protection(grades: pd.DataFrame, attackers: pd.DataFrame) -> Iterator[str]:
    """Say why a degree is not the paper's."""
    for _, row in grades.iterrows():
        for attacker in ATTACKERS:
            mine, printed = row[f"{attacker} protection"], row[f"{attacker} paper"]
            if printed and mine != printed:
                reason = reason_of(str(row["model"]), str(row["parameters"]), attacker)
                yield (
                    f"{row['model']}, {row['parameters']}, {attacker}: {mine} here, {printed} in the "
                    f"paper. {reason}"
                )
    bare = grades[grades["model"] == "none"]["marketer"]
    if (bare.map(grade) == "high").all():
        yield (
            f"Against the marketer even the untouched data are within {paper.TARGET[2]:.0%} "
            f"({share(bare.max())}), because the populations are so much larger: that column does not "
            "tell the models apart."
        )
    loose = attackers[(attackers["model"] == "p-uniqueness") & (attackers["sample uniques"] > 0)]
    if not loose.empty:
        low, high = (share(f(loose["marketer in sample"])) for f in (min, max))
        yield (
            f"p-uniqueness keeps the marketer out only because he does not know who is in the table: "
            f"linked with a list of these very people, {low} to {high} of the records would be found."
        )


def reason_of(model: str, parameters: str, attacker: str) -> str:
    if model == "strict-average":
        return (
            "What the model itself demands is a class of two, which is weak; on these data the "
            "population behind such a class happens to be large enough."
        )
    if model == "p-uniqueness" and parameters == "0":
        held = "prosecutor" if attacker == "prosecutor" else "journalist"
        return (
            "Pitman's estimate is zero only where no record of the table is unique, so the release "
            f"is 2-anonymous, and that is what keeps the {held} out."
        )
    if model == "p-uniqueness":
        return "The paper's degree is for a threshold of zero, which is the next row."
    return ""


def describe_releases(attackers: pd.DataFrame) -> str:
    """Show the risks before and after by data set, against the smallest population."""
    smallest = min(paper.POPULATIONS.values())
    rows = [
        [
            str(row["data"]).upper(),
            f"{row['model']}, {row['parameters']}" if row["model"] != "none" else "before",
            f"{row['quality']:.1f}",
            share(row["prosecutor"]),
            share(row["journalist"]),
            share(row["journalist expected"]),
            share(row["marketer"]),
            share(row["marketer in sample"]),
            f"{row['sample uniques']:,}",
            share(row["population uniques"]),
        ]
        for _, row in attackers[attackers["population"] == smallest].iterrows()
    ]
    header = [
        "data", "release", "quality", "prosecutor, highest", "journalist, highest",
        "journalist, highest expected", "marketer", "marketer with a list of the sample",
        "sample uniques", "population uniques",
    ]  # fmt: skip
    return (
        "Before and after, against an attacker who knows the people of Houston (the other populations "
        "are in `table_1.csv`). Expected: the mean of one over the number of people who match, given the "
        "class (Benedetti and Franconi).\n\n" + markdown(header, rows)
    )


# --- Tables 2 and 3 ---


def describe_quality(cells: pd.DataFrame) -> str:
    tables = [
        f"Table {number}, a risk of {target:.0%}: quality in percent, and the highest prosecutor's risk "
        f"of the releases (the paper's is over five data sets).\n\n{quality_grid(cells, number)}"
        for number, target in paper.TARGET.items()
    ]
    differing = list(explain_cells(cells))
    if not differing:
        return "\n\n".join([*tables, "Every cell agrees to the printed digit."])
    return "\n\n".join([*tables, "Where they differ:\n\n" + bullets(differing)])


def quality_grid(cells: pd.DataFrame, number: int) -> str:
    names = list(cells["data"].unique())
    rows = []
    for printed in [row for row in paper.ROWS if row.table == number]:
        mine = cells[(cells["table"] == number) & (cells["model"] == printed.label)]
        risks = sorted({f"{100 * risk:.0f}%" for risk in mine["highest prosecutor risk"]})
        row = [printed.label, "-".join(dict.fromkeys((risks[0], risks[-1]))), printed.prosecutor]
        for _, cell in mine.iterrows():
            mark = "" if cell["agrees"] else "**"
            row += [f"{mark}{cell['quality']:.1f}{mark}", f"{mark}{cell['paper']:.1f}{mark}"]
        rows.append(row)
    header = ["model", "prosecutor", "paper"]
    return markdown([*header, *(h for name in names for h in (name.upper(), "paper"))], rows)


def explain_cells(cells: pd.DataFrame) -> Iterator[str]:
    for number, others in contradictions(cells).items():
        cell = cells.loc[number]
        place = f"Table {cell['table']}, {cell['model']}, {cell['data'].upper()}"
        figures = f"{cell['quality']:.1f} here, {cell['paper']:.1f} in the paper"
        if others:
            yield (
                f"{place}: {figures}. The paper contradicts itself: it prints {cell['quality']:.1f} for "
                f"the same release (the same scheme, the same {cell['suppressed']:,} records "
                f"suppressed) as {listed(others)}."
            )
        else:
            yield f"{place}: {figures}. No reason was found."


# --- Figure 6 ---


def describe_curves(findings: Findings) -> str:
    parts = [
        "![Quality against the share of the population that may be unique](figure_6.png)",
        "Quality in percent at each threshold on the estimated share of population uniques; ARX's in "
        "parentheses where the printed digit differs. Dotted lines in the picture: the highest "
        "threshold at which no unique is left (sought in steps of a tenth of a decade); dashed: "
        "2-anonymity.",
        curve_grid(findings.curves, findings.lines),
    ]
    behind = findings.behind
    if not behind.empty:
        parts.append(describe_behind(behind))
    parts.append(
        "The paper saw irregular points, at which quality rises with better background knowledge, where "
        "the equations of the model could not be solved. Here the likelihood is maximized within the "
        "parameter space, which has a solution unless every record is unique."
    )
    return "\n\n".join(parts)


def describe_behind(behind: pd.DataFrame) -> str:
    rows = [
        [
            point["data"].upper(),
            point["population"],
            power(point["threshold"]),
            f"{point['quality']:.2f}",
            f"{point['ARX quality']:.2f}",
            point["why"],
        ]
        for _, point in behind.iterrows()
    ]
    return (
        "The points below ARX's curve. ARX's iteration left the parameter space of Pitman's model there "
        "(alpha < 0); within it, the release that ARX accepted is above the threshold:\n\n"
        + markdown(["data", "population", "threshold", "quality", "ARX", "why"], rows)
    )


def curve_grid(curves: pd.DataFrame, lines: pd.DataFrame) -> str:
    rows = []
    zeros = lines.set_index(["data", "population"])["threshold"]
    for (data, city), points in curves.groupby(["data", "population"], sort=False):
        ordered = points.sort_values("threshold")
        cells = [curve_cell(point) for _, point in ordered.iterrows()]
        zero = zeros[data, city]
        rows.append(
            [
                str(data).upper(), str(city), *cells, f"{ordered['2-anonymity'].iloc[0]:.1f}",
                "none" if pd.isna(zero) else f"{zero:.1e}",
            ]
        )  # fmt: skip
    header = ["data", "population", *(power(threshold) for threshold in paper.THRESHOLDS)]
    return markdown([*header, "2-anonymity", "no unique is left at"], rows)


def curve_cell(point: pd.Series) -> str:
    mine, theirs = f"{point['quality']:.1f}", f"{point['ARX quality']:.1f}"
    return mine if theirs in (mine, "nan") else f"{mine} ({theirs})"


# --- the text ---


def check_text(findings: Findings) -> Iterator[str]:
    yield from check_gains(findings)
    quality = findings.quality.set_index(["table", "data", "model"])["quality"]
    if "adult" in findings.records:
        loose, strict = (
            quality[table, "adult", "k-map, USA"] - quality[table, "adult", label]
            for table, label in ((2, "k-anonymity, k = 5"), (3, "k-anonymity, k = 10"))
        )
        yield (
            f"k-map improves ADULT by 5.4 points at 20 % and by 10 at 10 %: here {loose:.1f} and "
            f"{strict:.1f}. The 5.4 is 83.3 - 77.9, from the cells in which the paper contradicts itself."
        )
    if "cup" in findings.records:
        yield check_cup(findings.curves)


def check_gains(findings: Findings) -> Iterator[str]:
    """Compare the gains of p-uniqueness at 1 % with the ranges that the text gives."""
    names = listed(name.upper() for name in findings.records)
    for name, (low, high) in paper.GAINS.items():
        points, relative = gains_over(findings, name)
        said = (
            f"At 1 % p-uniqueness is {low} to {high} points better than {name} (five data sets): here "
            f"{points.min():.1f} to {points.max():.1f} on {names}."
        )
        best = max(100 - quality for quality in two_anonymity().values())
        if name == "2-anonymity" and high > best:
            said += (
                f" No data set has {high} points to gain: by the paper's own tables at most {best:.1f} "
                f"are possible (ADULT). What reaches {high} % is ADULT's gain relative to 2-anonymity, "
                f"{relative.max():.1f} %; the other two ranges are points."
            )
        yield said
    cell = next(row for row in paper.ROWS if row.table == 3 and "Houston" in row.label)
    yield (
        f"k-map with k = 10 and Houston is said to leave a prosecutor {cell.prosecutor}: one over k' is "
        f"11 % on IHIS. {sentence(explain_prosecutor(10, paper.POPULATIONS['Houston']))} A population "
        "a little below the rounded figure explains it."
    )


def check_cup(curves: pd.DataFrame) -> str:
    at = (curves["data"] == "cup") & (curves["threshold"] == 1e-5) & (curves["population"] == "USA")
    (point,) = (row for _, row in curves[at].iterrows())
    mine, theirs = (point[name] - point["2-anonymity"] for name in ("quality", "ARX quality"))
    text = (
        f"CUP at a threshold of 10^-5 gains 4 points: here {mine:.1f} (USA), with ARX {theirs:.1f}."
    )
    if theirs > mine + 0.05:
        text += " ARX's is one of the points outside the model's parameter space listed above."
    return text
