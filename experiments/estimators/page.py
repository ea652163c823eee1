"""The page on what the figures mean; every figure and every verdict on it follows from the tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from experiments.estimators.measure import ALPHA, FACTOR, KS, Truth
from experiments.writing import bullets, listed, markdown

RELIABLE = 0.95
"""An estimator is reliable in a cell if at least so many of its samples gave a close estimate."""
CAUTIOUS = 0.9
"""An estimator did not err on the unsafe side if its mean was never below so much of the truth."""


def write_page(truths: Sequence[Truth], uniques: pd.DataFrame, k_map: pd.DataFrame) -> str:
    """Write README.md from the two tables."""
    sections = [
        introduce(truths, uniques),
        "## In short\n\n" + bullets([*advise(uniques), *advise_k_map(k_map)]),
        describe_uniques(uniques),
        describe_k_map(k_map),
        limits(),
    ]
    return "\n\n".join(sections) + "\n"


def introduce(truths: Sequence[Truth], uniques: pd.DataFrame) -> str:
    people = truths[0].population
    repeats = int(uniques["repeats"].max())
    rows = [
        {
            "set": truth.quasi_identifiers.name,
            "quasi-identifiers": truth.quasi_identifiers.description,
            "classes": f"{truth.sizes.size:,}",
            "uniques": f"{truth.uniques:,}",
            "of the population": percent(truth.uniques / people),
        }
        for truth in truths
    ]
    return (
        "# How far are estimates of population risk from the truth?\n\n"
        f"The built-in population has {people:,} made-up people, so it is known how many of them "
        f"are unique. From it {repeats} simple random samples of each size were drawn, and every "
        "estimator was asked about every sample. Written by `python -m "
        "experiments.estimators`, which also writes `uniques.csv`, `k_map.csv` and the picture; "
        "all figures and verdicts on this page are computed from those tables.\n\n"
        + tabled(pd.DataFrame(rows))
    )


# --- population uniques ---


def advise(uniques: pd.DataFrame) -> Iterable[str]:
    """Say which estimator to trust when."""
    known = with_uniques(uniques)
    if known.empty:
        return
    for fraction, cells in known.groupby("fraction"):
        yield f"**Sample of {percent(fraction)}:** " + advise_fraction(cells)
    yield count_reliable(known)
    yield from advise_direction(known)
    yield compare_pitmans(known)
    yield advise_gaps(uniques)
    yield from advise_nothing(uniques)


def advise_fraction(cells: pd.DataFrame) -> str:
    """Name the reliable estimators for one size of sample, or where those that come nearest fail."""
    lowest = cells.groupby("estimator", sort=False)["within_factor_2"].min()
    everywhere = list(lowest.index[lowest >= RELIABLE])
    if everywhere:
        verdict = (
            f"{listed(everywhere)} {'is' if len(everywhere) == 1 else 'are'} within a factor of "
            f"{FACTOR} of the truth in at least {percent(RELIABLE)} of the samples, in every set "
            "with uniques."
        )
    else:
        where = cells[is_reliable(cells)].groupby("set", sort=False)["estimator"].agg(list)
        partly = "; ".join(f"for {name}: {listed(those)}" for name, those in where.items())
        verdict = (
            f"do not rely on any. None is within a factor of {FACTOR} of the truth in "
            f"{percent(RELIABLE)} of the samples in every set; {partly or 'nor in any one set'}."
        )
    return f"{verdict} {name_least_error(cells)}"


def name_least_error(cells: pd.DataFrame) -> str:
    """Name the estimator whose error is least in the set where it is largest."""
    largest = cells.groupby("estimator", sort=False)["rmse_of_population"].agg(
        lambda errors: errors.max(skipna=False)  # not one that has no estimate in some set
    )
    name = largest.idxmin()
    ratios = cells[cells["estimator"] == name]["relative_bias"] + 1
    return (
        f"The least root mean square error in its worst set has {name}: {percent(largest[name])} "
        f"of the population, with means {figure(ratios.min())} to {figure(ratios.max())} times "
        "the truth."
    )


def count_reliable(known: pd.DataFrame) -> str:
    """Count the cells in which each estimator is reliable."""
    counts = is_reliable(known).groupby(known["estimator"], sort=False).sum()
    cells = len(known) // len(counts)
    each = ", ".join(f"{name} {count}" for name, count in counts.items())
    return f"**Reliable cells** (bold below), of {cells} with uniques: {each}."


def is_reliable(cells: pd.DataFrame) -> pd.Series:
    return cells["within_factor_2"] >= RELIABLE


def advise_direction(known: pd.DataFrame) -> Iterable[str]:
    """Say which estimators are too low somewhere, which is the unsafe side."""
    ratios = known.assign(ratio=known["relative_bias"] + 1).dropna(subset="ratio")
    lowest = ratios.loc[ratios.groupby("estimator", sort=False)["ratio"].idxmin()]
    low = lowest[lowest["ratio"] < CAUTIOUS]
    if len(low):
        means = ", ".join(
            f"{row['estimator']} {figure(row['ratio'])} ({row['set']}, {percent(row['fraction'])})"
            for _, row in low.iterrows()
        )
        yield f"**Too low**, the unsafe side; lowest mean over truth: {means}."
    safe = lowest[lowest["ratio"] >= CAUTIOUS]["estimator"]
    if len(safe):
        highest = ratios.groupby("estimator")["ratio"].max()
        means = ", ".join(f"{name} {figure(highest[name])}" for name in safe)
        yield (
            f"**On the safe side**, mean never below {CAUTIOUS} of the truth: "
            f"{listed(list(safe))}. But too high; highest mean over truth: {means}."
        )


def compare_pitmans(known: pd.DataFrame) -> str:
    """Say how much the two forms of Pitman's estimate differ, and which is nearer to the truth."""
    forms = known[known["estimator"].str.startswith("pitman")]
    means = forms.pivot_table(index=["set", "fraction"], columns="estimator", values="mean")
    errors = forms.pivot_table(index=["set", "fraction"], columns="estimator", values="rmse")
    difference = means["pitman"] / means["pitman exact"] - 1
    nearer = int((errors["pitman exact"] < errors["pitman"]).sum())
    name, fraction = difference.idxmax()
    return (
        f"**Pitman's two forms**: the asymptotic one is {percent(difference.min())} to "
        f"{percent(difference.max())} above the exact one (most for {name}, sample of "
        f"{percent(fraction)}). The exact one has the lesser root mean square error in {nearer} of "
        f"{len(errors)} cells."
    )


def advise_gaps(uniques: pd.DataFrame) -> str:
    """Say where estimators had no estimate."""
    gaps = uniques[uniques["no_estimate"] > 0]
    if gaps.empty:
        return "**No estimate**: never."
    each = "; ".join(
        f"{name} in "
        + ", ".join(
            f"{row['no_estimate']} of {row['repeats']} ({row['set']}, {percent(row['fraction'])})"
            for _, row in rows.iterrows()
        )
        for name, rows in gaps.groupby("estimator", sort=False)
    )
    return f"**No estimate**, although there were sample uniques: {each}."


def advise_nothing(uniques: pd.DataFrame) -> Iterable[str]:
    """Say what is estimated where nobody is unique."""
    empty = uniques[uniques["true_uniques"] == 0]
    if len(empty):
        row = empty.loc[empty["mean"].idxmax()]
        yield (
            f"**Where nobody is unique** the largest mean estimate is {figure(row['mean'])} people, "
            f"{percent(row['mean'] / row['population'])} of the population ({row['estimator']}, "
            f"sample of {percent(row['fraction'])})."
        )


def describe_uniques(uniques: pd.DataFrame) -> str:
    """Show the mean estimates over the truth, and the share of samples that came close."""
    cells = uniques.assign(cell=[cell(row) for _, row in uniques.iterrows()])
    return (
        "## Population uniques\n\n![estimate over truth](uniques.png)\n\n"
        "Mean estimate over the truth and, in brackets, the root mean square error as a share of "
        "the population. Where the truth is 0: the mean estimate in people.\n\n"
        f"Bold: at least {percent(RELIABLE)} of the samples gave an estimate within a factor of "
        f"{FACTOR} of the truth (a sample without an estimate is one that did not). Means are over "
        f"the samples with an estimate.\n\n{pivot(cells, 'cell')}"
    )


def cell(row: pd.Series) -> str:
    if row["true_uniques"]:
        text = f"{figure(row['relative_bias'] + 1)} ({percent(row['rmse_of_population'])})"
        return f"**{text}**" if row["within_factor_2"] >= RELIABLE else text
    return f"{figure(row['mean'])} people"


def pivot(cells: pd.DataFrame, values: str) -> str:
    """Write a Markdown table: sets and fractions down, estimators across."""
    cells = cells.assign(sample=[percent(fraction) for fraction in cells["fraction"]])
    names = list(cells["estimator"].unique())
    rows = [
        {"set": name, "sample": sample, **dict(zip(part["estimator"], part[values], strict=True))}
        for name, of_set in cells.groupby("set", sort=False)
        for sample, part in of_set.groupby("sample", sort=False)
    ]
    return tabled(pd.DataFrame(rows)[["set", "sample", *names]])


def with_uniques(uniques: pd.DataFrame) -> pd.DataFrame:
    return uniques[uniques["true_uniques"] > 0]


# --- estimated k-map ---


def advise_k_map(k_map: pd.DataFrame) -> Iterable[str]:
    """Say how often classes pass that should not."""
    for derivation, rows in k_map.groupby("derivation", sort=False):
        above = rows[rows["wrong_of_passing_records"] > ALPHA]
        worst = rows.loc[rows["wrong_of_passing_records"].idxmax()]
        counted = f"in {len(above)} of {len(rows)} cells" if len(above) else "in no cell"
        text = (
            f"**Estimated k-map, {derivation}**: more than {percent(ALPHA)} of the records that "
            f"pass are in a population class smaller than k {counted}; at worst "
            f"{percent(worst['wrong_of_passing_records'])} ({worst['set']}, sample of "
            f"{percent(worst['fraction'])}, k = {worst['k']}, k' = {worst['derived_k']})."
        )
        if len(above):
            text += f" The largest sample with such a cell is {percent(above['fraction'].max())}."
        idle = rows[rows["derived_k"] == 1]
        if len(idle):
            text += (
                f" In {len(idle)} cells k' is 1: every class passes and nothing is tested "
                f"(samples up to {percent(idle['fraction'].max())})."
            )
        yield text


def describe_k_map(k_map: pd.DataFrame) -> str:
    """Show the error rates of both derivations, for the set in which they are highest."""
    rows = [
        {"sample": percent(fraction), "k": k, **describe_derivations(part)}
        for (fraction, k), part in k_map.groupby(["fraction", "k"])
    ]
    bounds = k_map.groupby("derivation", sort=False)["passing_of_small_classes"].max()
    return (
        f"## Estimated k-map at alpha = {ALPHA}, k = {', '.join(map(str, KS))}\n\n"
        "Of what passes (sample class size at least k'), the share that should not have: its "
        "population class is smaller than k. By classes / by records, in the set where the share "
        "is highest; the samples are pooled. Where k' is k nothing can be wrong.\n\n"
        f"{tabled(pd.DataFrame(rows))}\n\n"
        "alpha is no bound on these shares. It is meant to bound another: of the classes that are "
        f"too small, how many pass. Of those in the sample that was at most {level(bounds)}; the "
        "poisson test also counts too small classes that the sample missed. Where most classes "
        "are small, the few that pass may still be wrong more often than alpha: `passing_classes` "
        "and `passing_records` in `k_map.csv` say how many pass."
    )


def describe_derivations(part: pd.DataFrame) -> dict[str, str]:
    cells = {}
    for derivation, rows in part.groupby("derivation", sort=False):
        classes, records = rows["wrong_of_passing_classes"], rows["wrong_of_passing_records"]
        cells[f"{derivation}: k'"] = str(rows["derived_k"].iloc[0])
        cells[f"{derivation}: wrong"] = f"{percent(classes.max())} / {percent(records.max())}"
    return cells


def level(bounds: pd.Series) -> str:
    return " and ".join(f"{percent(share)} ({name})" for name, share in bounds.items())


def limits() -> str:
    return (
        "## What this does not show\n\n"
        "One synthetic population and simple random samples of it, with the size of the population "
        "known. Registers are not simple random samples, and estimates from them can be further "
        "off. Cells with few passing classes rest on few of them."
    )


# --- words and tables ---


def tabled(table: pd.DataFrame) -> str:
    """Write a table in Markdown."""
    return markdown(list(table), table.astype(str).to_numpy().tolist())


def figure(value: float) -> str:
    """Write a number with three significant digits.

    >>> figure(0.98765), figure(12345.6), figure(float("nan"))
    ('0.988', '12,346', 'none')
    """
    if pd.isna(value):
        return "none"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def percent(share: float) -> str:
    """Write a share in percent, exactly 0 only if it is.

    >>> percent(0.30), percent(0.12345), percent(0.0), percent(0.000001), percent(float("nan"))
    ('30 %', '12.3 %', '0 %', '< 0.01 %', 'none')
    """
    if pd.isna(share):
        return "none"
    if 0 < share < 0.0001:
        return "< 0.01 %"
    return f"{100 * share:.3g} %"
