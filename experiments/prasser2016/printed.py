"""Every number that the paper prints, ours beside it, and whether it is reproduced.

What was chosen for the experiments (thresholds, populations, the significance) is no result and not
listed; nor are the curves of Figure 6, which has no numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from anonymizer.estimators.derived_k import derived_k
from anonymizer.estimators.uniques import bisect
from experiments.prasser2016 import paper
from experiments.prasser2016.findings import Findings
from experiments.prasser2016.releases import columns_of
from experiments.prasser2016.tables import ATTACKERS, contradictions, protection
from experiments.writing import listed

REPRODUCED, CONTRADICTED, NOT_HAD = "reproduced", "contradicted", "not to be had"
NO_DATA = "the data set is not at hand"


@dataclass(frozen=True, slots=True)
class Printed:
    """One printed number."""

    where: str
    what: str
    printed: str
    here: str
    verdict: str
    note: str = ""


def printed_table(findings: Findings) -> pd.DataFrame:
    """Return a row for every printed number."""
    rows = [
        *records(findings),
        *degrees(findings),
        *qualities(findings),
        *prosecutors(),
        *gains(findings),
        *text(findings),
    ]
    return pd.DataFrame(rows)


def verdict(agrees: bool) -> str:
    return REPRODUCED if agrees else CONTRADICTED


def records(findings: Findings) -> Iterator[Printed]:
    """Compare the sizes of the data sets."""
    for name, size in paper.RECORDS.items():
        here = findings.records.get(name)
        said = NOT_HAD if here is None else verdict(here == size)
        found = "" if here is None else f"{here:,}"
        note = NO_DATA if here is None else ""
        yield Printed("5.1", f"records of {name.upper()}", f"{size:,}", found, said, note)
    counts = sorted({len(columns_of(name)) for name in paper.RECORDS})
    found = f"{counts[0]} to {counts[-1]}"
    yield Printed("5.1", "quasi-identifiers", "8 to 9", found, verdict(found == "8 to 9"))


def degrees(findings: Findings) -> Iterator[Printed]:
    """Compare the degrees of protection with the worst release; p-uniqueness with a threshold of 0."""
    grades = protection(findings.attackers)
    strict = grades[(grades["model"] != "p-uniqueness") | (grades["parameters"] == "0")]
    by_model = strict.set_index("model")
    for row in paper.TABLE_1:
        for attacker in ATTACKERS:
            mine, theirs = by_model.loc[row.model, f"{attacker} protection"], getattr(row, attacker)
            note = "" if mine == theirs else "at a threshold of 0 no record of the table is unique"
            what = f"{row.model}, {attacker}"
            yield Printed("Table 1", what, theirs, mine, verdict(mine == theirs), note)


def qualities(findings: Findings) -> Iterator[Printed]:
    """Compare the cells of Tables 2 and 3."""
    cells = findings.quality.set_index(["table", "model", "data"])
    others = contradictions(findings.quality)
    same = {
        tuple(findings.quality.loc[n, ["table", "model", "data"]]): o for n, o in others.items()
    }
    for row in paper.ROWS:
        for name, printed in row.printed.items():
            key, where = (row.table, row.label, name), f"Table {row.table}"
            what, theirs = f"quality, {row.label}, {name.upper()}", f"{printed:.1f}"
            if key not in cells.index:
                yield Printed(where, what, theirs, "", NOT_HAD, NO_DATA)
                continue
            mine = f"{cells.loc[key, 'quality']:.1f}"
            note = (
                f"the paper prints {mine} for the same release as {listed(same[key])}"
                if same.get(key)
                else ""
            )
            yield Printed(where, what, theirs, mine, verdict(mine == theirs), note)


def prosecutors() -> Iterator[Printed]:
    """Compare the prosecutor's risks of k-map with one over k', which follows from numbers of records."""
    for row in paper.ROWS:
        if row.risk["model"] != "k-map":
            continue
        k, population = row.risk["k"], row.risk["population"]
        found = [derived_k(k, paper.SIGNIFICANCE, n, population) for n in paper.RECORDS.values()]
        ends = dict.fromkeys(f"{100 / each:.0f}%" for each in (max(found), min(found)))
        here, note = f"({'-'.join(ends)})", ""
        if here != row.prosecutor:
            note = explain_prosecutor(k, population)
        what = f"prosecutor, {row.label}"
        agrees = verdict(here == row.prosecutor)
        yield Printed(f"Table {row.table}", what, row.prosecutor, here, agrees, note)


def explain_prosecutor(k: int, population: int) -> str:
    """Say how little the population must be smaller for k' to be k on the largest data set."""
    records = max(paper.RECORDS.values())
    found = derived_k(k, paper.SIGNIFICANCE, records, population)
    most = bisect(
        lambda less: derived_k(k, paper.SIGNIFICANCE, records, population - less) == k,
        0,
        population - records,
    )
    return (
        f"by zero-truncated Poisson k' is {found} for IHIS and {population:,} people, {k} "
        f"for {population - most:,} or fewer, which is {population / 1e6:.1f} million too; "
        f"the quality printed is that of {k}-anonymity"
    )


def gains(findings: Findings) -> Iterator[Printed]:
    """Compare the gains of p-uniqueness at 1 %, in points and relative."""
    two = max(100 - quality for quality in two_anonymity().values())
    for name, (low, high) in paper.GAINS.items():
        best = two if name == "2-anonymity" else 100.0
        points, relative = gains_over(findings, name)
        here = f"{points.min():.1f} to {points.max():.1f} points"
        note = f"relative to the baseline {relative.min():.1f} to {relative.max():.1f} %"
        if high > best:
            note = f"at most {best:.1f} points are possible on any of the five data sets; {note}"
        least = round(points.min()) == low
        missing = " or ".join(n.upper() for n in findings.absent)
        yield Printed(
            "5.2",
            f"gain of 1 % over {name}, least",
            f"{low}%",
            here,
            verdict(least) if least or not findings.absent else NOT_HAD,
            note if least or not findings.absent else f"it may be on {missing}",
        )
        agrees = verdict(round(points.max()) == high)
        yield Printed("5.2", f"gain of 1 % over {name}, largest", f"{high}%", here, agrees, note)


def two_anonymity() -> dict[str, float]:
    """Return what the paper prints for a strict average that is at least 2-anonymous."""
    return next(row.printed for row in paper.ROWS if row.risk == paper.strict_average(2, 0.2))


def gains_over(findings: Findings, baseline: str) -> tuple[pd.Series, pd.Series]:
    """Return by how many points, and by how many percent of the baseline, 1 % of uniques is better."""
    loosest = findings.curves[findings.curves["threshold"] == max(paper.THRESHOLDS)]
    before = loosest["2-anonymity"]
    if baseline != "2-anonymity":
        cells = findings.quality
        rows = cells[cells["model"] == f"k-anonymity, k = {baseline.split('-')[0]}"]
        before = loosest["data"].map(rows.set_index("data")["quality"])
    return loosest["quality"] - before, 100 * (loosest["quality"] / before - 1)


def text(findings: Findings) -> Iterator[Printed]:
    """Compare what else the text says."""
    if not {"adult", "cup"} <= findings.records.keys():
        return  # the other sentences are about these two
    quality = findings.quality.set_index(["table", "data", "model"])["quality"]
    for table, printed, k in ((2, "5.4%", 5), (3, "10%", 10)):
        gain = (
            quality[table, "adult", "k-map, USA"] - quality[table, "adult", f"k-anonymity, k = {k}"]
        )
        mine, digits = f"{gain:.1f} points", len(printed.partition(".")[2][:-1])
        same = f"{gain:.{digits}f}%" == printed
        note = "" if same else "83.3 - 77.9, from a cell in which the paper contradicts itself"
        yield Printed("5.2", f"k-map on ADULT, k = {k}", printed, mine, verdict(same), note)
    for printed, cells in (("5.2%", "92.3 - 87.1"), ("7.4%", "92.3 - 84.9")):
        note = f"{NO_DATA}; the cells printed agree: {cells}"
        yield Printed("5.2", "k-map on IHIS, largest gain", printed, "", NOT_HAD, note)
    weakest, _ = gains_over(findings, "10-anonymity")
    strongest = quality[3, "adult", "k-map, USA"] - quality[3, "adult", "k-anonymity, k = 10"]
    for what, printed, found in (
        ("largest gain, strong adversaries", "10%", strongest),
        ("largest gain, weaker adversaries", "24%", weakest.max()),
    ):
        same = f"{found:.0f}%" == printed
        yield Printed("abstract", what, printed, f"{found:.1f} points", verdict(same))
    curves = findings.curves
    at = (curves["data"] == "cup") & (curves["threshold"] == 1e-5) & (curves["population"] == "USA")
    if curves[at].empty:
        yield Printed("5.2", "gain on CUP at 10^-5", "4%", "", NOT_HAD, NO_DATA)
    for _, point in curves[at].iterrows():
        mine, arx = (point[name] - point["2-anonymity"] for name in ("quality", "ARX quality"))
        same = verdict(round(mine) == 4)
        yield Printed("5.2", "gain on CUP at 10^-5", "4%", f"{mine:.1f} points", same,
                      f"{arx:.1f} with ARX, whose release breaks the model there")  # fmt: skip
    likely = derived_k(5, 0.01, 30_000, paper.POPULATIONS["USA"]) <= 2
    yield Printed("4.1", "2-anonymity of 30,000 records is 5-map in the USA, probability", "99%",
                  "at least 99%" if likely else "less", verdict(likely))  # fmt: skip
    yield Printed("4.2", "quality of the example of Figure 4", "75%", "", NOT_HAD,
                  "the figure's table is not in the text at hand")  # fmt: skip


def describe_printed(printed: pd.DataFrame) -> str:
    """Count the verdicts, and list what was not reproduced."""
    counts = printed["verdict"].value_counts()
    said = listed(f"{counts.get(each, 0)} {each}" for each in (REPRODUCED, CONTRADICTED, NOT_HAD))
    lines = [
        f"- {row.where}, {row.what}: {row.printed} printed, {row.here} here. {sentence(row.note)}"
        for row in printed[printed["verdict"] == CONTRADICTED].itertuples()
    ]
    return (
        f"Of {len(printed)} numbers {said}; each has a row in `printed.csv`. What was chosen for the "
        "experiments is not listed. Contradicted:\n\n" + "\n".join(map(str.rstrip, lines))
    )


def sentence(note: object) -> str:
    """Write a note as a sentence; an empty one as nothing."""
    text = "" if pd.isna(note) else str(note)
    return f"{text[0].upper()}{text[1:]}." if text else ""
