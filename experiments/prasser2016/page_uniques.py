"""The sections on expected uniques and on the order of suppression."""

from __future__ import annotations

import pandas as pd

from anonymizer.risk import ExpectedUniques, PUniqueness
from experiments.writing import markdown


def describe_expected(expected: pd.DataFrame) -> str:
    """Show what a limit on a number of people costs beside one on a share of the population."""
    rows = [
        [
            str(row["data"]).upper(),
            str(row["population"]),
            limit_of(row),
            f"{row['quality']:.1f}",
            f"{row['suppressed']:,}",
            f"{row['sample uniques']:,}",
            f"{row['expected']:.3g}",
            f"{row['low']:.3g} to {row['high']:.3g}",
        ]
        for _, row in expected.iterrows()
    ]
    header = [
        "data", "population", "limit", "quality", "suppressed", "released alone",
        "of them expected to be unique in the population", "interval",
    ]  # fmt: skip
    return (
        "p-uniqueness limits a share of the population. Of a simple random sample the expected share is "
        "the same, so 1 % of a large release are many people. `expected-uniques` limits their number: "
        "those who are released alone, times the probability that somebody alone in the table is unique "
        "in the population, estimated by Pitman's model from the table before anything is suppressed. "
        "The interval is that of this probability, at 95 % confidence.\n\n" + markdown(header, rows)
    )


def limit_of(row: pd.Series) -> str:
    """Name the limit of a row.

    >>> limit_of(pd.Series({"model": "expected-uniques", "limit": 10.0}))
    'at most 10 people'
    """
    if row["model"] == PUniqueness.name:
        return f"p-uniqueness, {row['limit']:.0%}"
    assert row["model"] == ExpectedUniques.name
    people = f"{row['limit']:g}"
    return f"at most {people} {'person' if people == '1' else 'people'}"


def describe_orders(orders: pd.DataFrame) -> str:
    """Say whether the order to the letter finds another optimum."""
    alone = orders[orders["k"] == 1]
    cut, same = int((alone["suppressed"] > 0).sum()), int(orders["same"].sum())
    differing = [
        f"{row['data'].upper()}, k' = {row['k']}, average {row['average']:.0%}"
        for _, row in orders[~orders["same"]].iterrows()
    ]
    return (
        "The paper suppresses the group with the least information content first: n times the mean of "
        "1 - share. Here the smallest class goes first, and information decides among classes of one "
        f"size. In {same} of {len(orders)} settings both orders have the same optimum, with the same "
        "records suppressed"
        + (f"; not for {'; '.join(differing)}" if differing else "")
        + f". In the {len(orders) - len(alone)} strict averages of Tables 2 and 3 the limit on single "
        f"classes is all that suppresses. Of the {len(alone)} averages alone, {cut} suppress by the "
        "order (`order.csv`)."
    )
