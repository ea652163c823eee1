"""The parts of the page on other measures of quality and on Safe Harbor."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pandas as pd

from experiments.prasser2016 import paper
from experiments.prasser2016.measures import DIVERGENCE, LOSS, MEASURES
from experiments.prasser2016.safe_harbor import AS_UNIQUE, LITERAL, SHIPPED
from experiments.prasser2016.writing import share
from experiments.writing import bullets, listed, markdown


def summarize_measures(cells: pd.DataFrame) -> str:
    """Say whether improvements by other measures are comparable, as the paper has it."""
    points, shares = (
        listed(f"{extent(cells, measure, column)} by {measure}" for measure in measures_in(cells))
        for column in ("gain", "avoided")
    )
    return (
        "The paper calls improvements over k-anonymity by entropy and KL-divergence comparable, without "
        f"figures. In points of quality {judge(cells, 'gain')} ({points}). As a share of what "
        f"k-anonymity loses {judge(cells, 'avoided')} ({shares})."
    )


def judge(cells: pd.DataFrame, column: str) -> str:
    """Say how far gains by other measures are from those by loss; the paper prints no figures."""
    found = pd.concat([ratios(cells, measure, column) for measure in others_in(cells)])
    if found.empty:
        return "nothing can be said: nothing is gained by loss"
    factor = max(found.max(), 1 / found.min() if found.min() > 0 else math.inf)
    return f"they differ from those by loss by a factor of up to {factor:.1f}"


def measures_in(cells: pd.DataFrame) -> list[str]:
    return [measure for measure in MEASURES if (cells["measure"] == measure).any()]


def others_in(cells: pd.DataFrame) -> list[str]:
    return [measure for measure in measures_in(cells) if measure != LOSS]


def improved(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the cells that are not the baseline of their table."""
    return cells[~cells["model"].str.startswith("k-anonymity")]


def by_measure(cells: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return a column with one row for each cell of the paper's tables, a column for each measure."""
    by_cell = cells.set_index(["data", "table", "model"])
    return pd.DataFrame(
        {m: by_cell.loc[by_cell["measure"] == m, column] for m in measures_in(cells)}
    )


def extent(cells: pd.DataFrame, measure: str, column: str) -> str:
    """Write the least and the greatest gain by a measure, in points or in percent."""
    gains = improved(cells[cells["measure"] == measure])[column]
    if column == "gain":
        return f"{gains.min():.1f} to {gains.max():.1f}"
    return f"{100 * gains.min():.0f} % to {100 * gains.max():.0f} %"


def ratios(cells: pd.DataFrame, measure: str, column: str) -> pd.Series:
    """Return each gain by a measure over the gain by loss."""
    wide = by_measure(improved(cells), column)
    wide = wide[wide[LOSS] > 0]
    return (wide[measure] / wide[LOSS]).dropna()


# --- other measures ---


def describe_measures(cells: pd.DataFrame) -> str:
    tables = [
        f"Table {number}, a risk of {target:.0%}: quality in percent, and the points gained over the "
        f"first row.\n\n{measure_grid(cells, number)}"
        for number, target in paper.TARGET.items()
    ]
    return "\n\n".join([explain_measures(), *tables, bullets(compare_measures(cells))])


def explain_measures() -> str:
    return (
        "The paper says that non-uniform entropy and KL-divergence give comparable improvements, and "
        "prints no figures. Here is the best release for every row by each measure.\n\n"
        "- Entropy: the share of the bits that is lost, as the mean over the attributes. Searched and "
        "proven.\n"
        "- KL-divergence of the release from the table (Kifer and Gehrke 2006). In the release each "
        "class is spread evenly over the leaves that it covers, and suppressed records over the whole "
        "domain. "
        "Quality is 1 - KL / KL(all suppressed). All schemes were tried."
    )


def measure_grid(cells: pd.DataFrame, number: int) -> str:
    names, measures = list(cells["data"].unique()), measures_in(cells)
    found = cells.set_index(["table", "model", "data", "measure"])
    rows = []
    for printed in [row for row in paper.ROWS if row.table == number]:
        keys = [(number, printed.label, name, measure) for name in names for measure in measures]
        rows.append([printed.label, *(measure_cell(found, key) for key in keys)])
    header = [f"{name.upper()}, {measure}" for name in names for measure in measures]
    return markdown(["model", *header], rows)


def measure_cell(found: pd.DataFrame, key: tuple[int, str, str, str]) -> str:
    if key not in found.index:
        return "not tried"
    quality, gain = found.loc[key, "quality"], found.loc[key, "gain"]
    baseline = key[1].startswith("k-anonymity")
    return f"{quality:.1f}" if baseline else f"{quality:.1f} ({gain:+.1f})"


def compare_measures(cells: pd.DataFrame) -> Iterator[str]:
    for measure in others_in(cells):
        points, avoided = ratios(cells, measure, "gain"), ratios(cells, measure, "avoided")
        if avoided.empty:
            yield judge(cells, "avoided").capitalize() + "."
            return
        yield (
            f"By {measure} a row gains {points.min():.2f} to {points.max():.2f} times the points that it "
            f"gains by loss (median {points.median():.2f}). As a share of what k-anonymity loses, which "
            "does not depend on the scale of a measure, it gains "
            f"{avoided.min():.2f} to {avoided.max():.2f} times as much (median {avoided.median():.2f})."
        )
    yield describe_widest(cells)
    yield describe_order(cells)
    yield describe_schemes(cells)
    if untried := sorted(set(cells["data"]) - set(cells[cells["measure"] == DIVERGENCE]["data"])):
        yield (
            f"KL-divergence was not tried on {listed(name.upper() for name in untried)}: there are too "
            "many schemes and records."
        )


def describe_widest(cells: pd.DataFrame) -> str:
    """Show the row in which the share of the loss that is avoided differs most between measures."""
    wide = by_measure(improved(cells), "avoided")
    wide = wide[wide[LOSS] > 0]
    data, table, model = (wide.min(axis=1) / wide[LOSS]).idxmin()
    row = wide.loc[(data, table, model)]
    figures = [f"{share(row[measure])} by {measure}" for measure in measures_in(cells)]
    return (
        f"They differ most on {data.upper()}, Table {table}, {model}: of what k-anonymity loses, the row "
        f"avoids {listed(figures)}."
    )


def describe_order(cells: pd.DataFrame) -> str:
    """Say whether all measures put the rows in one order."""
    rounded = cells.assign(quality=cells["quality"].round(6))
    ranks = rounded.groupby(["data", "table", "measure"])["quality"].rank(method="dense")
    wide = by_measure(cells.assign(rank=ranks), "rank").dropna()
    differing = int((wide.min(axis=1) < wide.max(axis=1)).sum())
    if not differing:
        return "Every measure puts the rows of each table in the same order, on every data set."
    return (
        f"The order of the rows by another measure differs from that by loss in {differing} places."
    )


def describe_schemes(cells: pd.DataFrame) -> str:
    """Count how often the best release by another measure is the best by loss."""
    wide = by_measure(cells, "scheme")
    same = [
        f"{int((wide[measure] == wide[LOSS]).sum())} of {int(wide[measure].notna().sum())} by {measure}"
        for measure in others_in(cells)
    ]
    return f"Rows whose best scheme is also the best by loss: {listed(same)}."


# --- Safe Harbor ---


def summarize_safe_harbor(releases: pd.DataFrame) -> str:
    """Say what Safe Harbor leaves, data set by data set."""
    if releases.empty:
        return "Safe Harbor was not applied: no data set at hand has what it names."
    parts = []
    for data, rows in releases.groupby("data", sort=False):
        row = rows.set_index("release").loc[LITERAL]
        baseline = rows.set_index("release").loc["k-anonymity, k = 5"]
        parts.append(
            f"on {str(data).upper()} {row['sample uniques']:,} records stay unique at a quality of "
            f"{row['quality']:.2f} (5-anonymity: none at {baseline['quality']:.2f})"
        )
    return f"Safe Harbor bounds no risk: {listed(parts)}."


def describe_safe_harbor(releases: pd.DataFrame) -> str:
    if releases.empty:
        return summarize_safe_harbor(releases)
    rows = [
        [
            str(row["data"]).upper(),
            row["release"],
            f"{row['quality']:.2f}",
            share(row["highest prosecutor risk"]),
            share(row["average prosecutor risk"]),
            f"{row['sample uniques']:,}",
            share(row["share in classes below 5"]),
            f"{row['suppressed']:,}",
        ]
        for _, row in releases.iterrows()
    ]
    header = [
        "data", "release", "quality", "prosecutor, highest", "prosecutor, average", "sample uniques",
        "records in classes below 5", "suppressed",
    ]  # fmt: skip
    return "\n\n".join([explain_safe_harbor(releases), markdown(header, rows)])


def explain_safe_harbor(releases: pd.DataFrame) -> str:
    schemes = releases[releases["release"] == SHIPPED].set_index("data")["scheme"]
    return (
        "HIPAA's Safe Harbor (45 CFR 164.514(b)(2)) names what has to go, whatever the risk. Every other "
        "attribute stays as it is, and nothing is suppressed.\n\n"
        + bullets(what_was_taken(schemes))
        + f"\n\n*{AS_UNIQUE[0].upper()}{AS_UNIQUE[1:]}* is the point of the frontier of sample "
        "uniqueness beside Safe Harbor to the letter. Percentages are of the records that are released."
    )


def what_was_taken(schemes: pd.Series) -> Iterator[str]:
    yield (
        "Ages above 89 become one value. The shipped hierarchies have no level that does only this. "
        f"*{SHIPPED}* takes the least level at which the ages above 89 that occur share a value. "
        f"*{LITERAL}* takes a hierarchy made for the rule, with the other ages as they are."
    )
    for data, scheme in schemes.items():
        pairs = [pair.rsplit("=", 1) for pair in scheme.split()]
        levels = [f"{name} at level {level}" for name, level in pairs if level != "0"]
        taken = (
            listed(levels) if levels else "nothing has to change, as there is one such age at most"
        )
        yield f"{str(data).upper()}: {taken}.{REMARKS[str(data)]}"


REMARKS = {
    "adult": "",
    "cup": (
        " These are ages of 10 years and the first three digits of ZIP codes; states stay. The rule puts "
        "000 where fewer than 20,000 people live, which the shipped hierarchy cannot. To the letter, the "
        "17 areas of the census of 2000 are 000."
    ),
    "fars": (
        " These are ages of 10 years, and neither month nor day of death; states stay, and the data have "
        "no year to keep. The code 99 counts as an age above 89."
    ),
}
"""What the levels mean, and what the shipped hierarchies cannot express."""
