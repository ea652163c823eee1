"""The page on the paper's figures and on the synthetic records; every figure on it is computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from anonymizer.attackers.nrf import Reidentification
from experiments.nrf.reconstruction import DEMOGRAPHIC, Reconstruction

Rows = list[dict[str, Any]]


def write_page(paper: Reconstruction, tables: dict[str, Rows], risk: Reidentification) -> str:
    """Write README.md."""
    sections = [
        "# The naive re-identification framework",
        "Which combinations of attributes, disclosed in social media, re-identify people of a hospital "
        "data set? Part one recomputes what the paper prints; part two counts every subset of a "
        "synthetic data set of the same shape. Written by `python -m experiments.nrf`.",
        "## The paper's tables again",
        describe_sources(paper),
        "### Table 7\n\n" + describe_table_7(tables["table_7"]),
        "### Table 8\n\n" + describe_table_8(tables["table_8"]),
        "### Figure 2\n\n" + describe_figure_2(paper),
        "### What the text says that its tables contradict\n\n"
        + "\n".join(f"- {each}" for each in contradictions(paper, tables)),
        "### What cannot be recomputed\n\n" + beyond(),
        describe_synthetic(tables, risk),
    ]
    return "\n\n".join(sections) + "\n"


def describe_sources(paper: Reconstruction) -> str:
    return (
        "Inputs: the usage of five media (Table 5) and the disclosure rates of "
        f"{', '.join(DEMOGRAPHIC)} (Table 6), as printed. The rates of {len(paper.conditions)} "
        f"conditions and the unique records of 20 subsets of {paper.records:,} records (the NIS 2008) "
        "are not printed: they were recovered from Tables 7 and 8. So the twelve rows of Table 7 on "
        "conditions agree by construction; the four on demographic attributes do not depend on their "
        "own printed value, and in Table 8 every one of the 20 figures has to be a whole number of "
        "records."
    )


def describe_table_7(rows: Rows) -> str:
    exact = sum(row["units of the last digit off"] == 0 for row in rows)
    return (
        f"Equation 4 for the attribute alone gives all six printed digits in {exact} of {len(rows)} "
        "rows (`table_7.csv`). Equation 5, which the text names, gives something else:\n\n"
        + grid(["attribute", "printed", "equation 4", "equation 5", "rate"], rows)
    )


def describe_table_8(rows: Rows) -> str:
    off = [row for row in rows if row["units of the last digit off"]]
    which = "; ".join(
        f"{row['combination']}: {row['recomputed']} for {row['printed']}" for row in off
    )
    rest = f" The others are off by one unit of the sixth digit ({which})." if off else ""
    reason = (
        " Equation 4 needs the rates of the conditions, which are known to the six digits of Table 7 "
        "only."
        if off
        else ""
    )
    return (
        f"Unique records / N, times equation 4, gives all six printed digits in {len(rows) - len(off)} "
        f"of {len(rows)} rows.{rest}{reason}\n\n"
        + grid(["combination", "unique records", "printed", "recomputed"], rows)
    )


def describe_figure_2(paper: Reconstruction) -> str:
    rows = []
    for label, initials in (
        ("Twitter", "t"),
        ("Instagram", "i"),
        ("Pinterest", "p"),
        ("LinkedIn", "l"),
        ("Facebook", "f"),
        ("the first four", "tipl"),
        ("all five", "tiplf"),
    ):
        low, high = paper.bounds(paper.chosen(initials))
        four = low.over_records(4_000_000), high.over_records(4_000_000)
        rows.append(
            {
                "sources": label,
                "random person": f"{low.individual:.3e} to {high.individual:.3e}",
                "4 million records": " to ".join(near_one(float(risk)) for risk in four),
                "one half from": f"{high.records_until(0.5):,} to {low.records_until(0.5):,} records",
            }
        )
    return (
        "The 20 printed subsets alone bound the risk from below. From above: a subset that is not "
        "among the 20 has a probability of at most the last one printed, and no more unique records "
        "than any listed superset. All combinations: `figure_2.csv`.\n\n"
        + grid(list(rows[0]), rows)
        + "\n\n![Risk over the number of records](figure_2.png)"
    )


def contradictions(paper: Reconstruction, tables: dict[str, Rows]) -> Iterator[str]:
    """Hold sentences of the paper against its tables; only what does not hold is listed."""
    yield from about_equation_5(tables["table_7"])
    yield from about_twitter(paper)
    yield from about_facebook(paper)
    yield from about_sizes(tables["table_8"])
    everything, _ = paper.bounds(paper.sources)
    more = everything.individual_exact / everything.individual - 1
    yield (
        "*Equation 3 multiplies over all subsets*, as if several could be disclosed at once. By equation "
        "4 just one is, so that the risk is the sum over subsets. It makes no difference here "
        f"({more:.0e} of the risk of a random person), but it does where disclosure is likely: with one "
        "attribute that is unique and surely disclosed, and another disclosed half the time, the product "
        "is 0.75 and the sum is 1."
    )
    yield (
        "Not said, but it follows: with all five media, 100,000 records already have a risk of at least "
        f"{float(everything.over_records(100_000)):.3f}. What holds: the order of the five media, and "
        f'Facebook\'s "almost maximal" risk at 4 million '
        f"({float(paper.bounds(paper.chosen('f'))[0].over_records(4_000_000)):.7f} or more)."
    )


def about_equation_5(table_7: Rows) -> Iterator[str]:
    """Hold Table 7 against the equation it is said to be computed by."""
    gender = next(row for row in table_7 if row["attribute"] == "gender")
    if gender["printed"] not in gender["equation 5"]:
        yield (
            '*Table 7 has disclosure probabilities of single attributes "computed using equation 5"*: it '
            f"has equation 4 for one attribute and nothing else. Gender is printed as "
            f"{float(gender['printed']):.4g}; equation 5 gives {float(gender['equation 5']):.4g}."
        )


def about_twitter(paper: Reconstruction) -> Iterator[str]:
    """Hold the risk with Twitter at 4 million records against Table 8."""
    low, _ = paper.bounds(paper.chosen("t"))
    at = float(low.over_records(4_000_000))
    if at > 0.355:
        yield (
            '*At 4 million records the risk with Twitter "is only 0.35"*: by Table 8 it is at least '
            f"{at:.3f}. It is {float(low.over_records(3_500_000)):.3f} or more at 3.5 million."
        )


def about_facebook(paper: Reconstruction) -> Iterator[str]:
    """Hold the four smaller media together against Facebook."""
    four, _ = paper.bounds(paper.chosen("tipl"))
    _, facebook = paper.bounds(paper.chosen("f"))
    if four.individual > facebook.individual:
        yield (
            '*The four smaller media combined come "fairly close to the risk of Facebook"*: they '
            f"exceed it, {four.individual:.2e} or more against {facebook.individual:.2e} or less for a "
            "random person. They look close only where both curves are near 1."
        )


def about_sizes(table_8: Rows) -> Iterator[str]:
    """Hold what is said of the size of combinations against Table 8."""
    sizes = [row["size"] for row in table_8]
    between = sum(size in (3, 4) for size in sizes)
    if between <= len(sizes) / 2:
        yield (
            f'*Of Table 8 "most combinations have cardinality in the range [3, 4]"*: {between} of '
            f"{len(sizes)} have; {sum(size > 4 for size in sizes)} have five attributes and "
            f"{sum(size < 3 for size in sizes)} have two."
        )


def beyond() -> str:
    return (
        "The uniqueness and re-identification curves of Figure 3 need the counts of all 65,536 subsets; "
        "the disclosure curve does not (`figure_3.csv`). The prevalences and sentence counts behind the "
        "conditions' rates are not printed. E-uniqueness is 1 throughout, so every risk is an upper "
        "bound; the rates of conditions come from Twitter and are applied to all media."
    )


def describe_synthetic(tables: dict[str, Rows], risk: Reidentification) -> str:
    timing, machine = tables["timing"], tables["machine"][0]
    first = timing[0]
    described = ", ".join(f"{key} {value}" for key, value in machine.items())
    counts = risk.uniqueness
    return (
        f"## {first['records']:,} synthetic discharges\n\n"
        "Drawn with the marginals of the National Hospital Discharge Survey 2010; what is found and what "
        "is assumed stands at the top of `experiments/nrf/discharges.py`. The risks are those of made-up "
        "people: they show the method at full size, not the NIS.\n\n"
        f"**What it takes.** {first['subsets']:,} subsets of {first['attributes']} attributes, from a "
        f"CSV file ({described}; other work ran on it):\n\n"
        + grid(
            [
                "table",
                "threads",
                "distinct tuples",
                "seconds to read and aggregate",
                "seconds for all subsets",
                "seconds",
                "tables of the walk at most, MiB",
                "peak of the process, MiB",
                "load of the machine before",
            ],
            timing,
        )
        + "\n\nBy small area: each state has 700 areas, so that nearly all tuples are distinct."
        f"\n\nBy state, {int((counts.unique > 0).sum()):,} of {counts.unique.size:,} subsets tell "
        "somebody apart.\n\n"
        f"**Risk** through the five media: {risk.individual:.3e} for a random person, "
        f"{risk.data_set:.6g} for the data set; one half is reached with "
        f"{risk.records_until(0.5):,} records.\n\n"
        "**The most dangerous combinations**, beside the unique records of the NIS where the paper's "
        "Table 8 has the same combination:\n\n"
        + grid(list(tables["synthetic_top20"][0]), tables["synthetic_top20"])
        + "\n\n![Risk over the number of records](risk_by_records.png)\n\n"
        "![Risk by sources](risk_by_sources.png)\n\n"
        "![Means by the size of the subset](risk_by_size.png)"
    )


def grid(columns: Sequence[str], rows: Rows) -> str:
    """Write a table in Markdown."""
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(cell(row[column]) for column in columns) + " |" for row in rows]
    return "\n".join(lines)


def near_one(risk: float) -> str:
    """Write a risk; one that rounds to 1 is not 1."""
    return f"{risk:.4f}" if risk < 0.9999 else f"1 - {1 - risk:.1e}" if risk < 1 else "1"


def cell(value: object) -> str:
    """Write a cell as people read it."""
    if value is None:
        return ""
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.3g}" if isinstance(value, float) else str(value)
