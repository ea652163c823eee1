"""results/xia2021/README.md: ours beside the paper's, and why they differ where they do."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from experiments.writing import markdown
from experiments.xia2021 import published
from experiments.xia2021.checks import Check
from experiments.xia2021.patients import ASSUMPTIONS, RECORDS

INTRODUCTION = f"""\
# Attackers with imperfect knowledge

Xia et al. 2021, "Enabling realistic health data re-identification risk assessment through
adversarial modeling": how likely somebody is re-identified by an attacker who knows what voter
lists or Twitter tell, against one who knows everything. Written by `python -m experiments.xia2021`;
do not edit.

The paper's {RECORDS:,} patients and its appendices (what each state's voter list shows, how likely
an attribute is inferred from Twitter) cannot be had. The patients here are simulated from public
figures, and the scenarios are those shipped in `anonymizer/attackers/scenarios/`, with the source of
every number. Marks: [F] found, [D] computed from found facts, [A] assumed. All risks are exact given u_S:
summed over every set of attributes that may be known, where the paper simulates. u_S, that somebody
unique in the sample is unique in the population, is an estimate.
"""

JOURNALIST = """\
**Not reproduced: a worst-case journalist risk of 0.66 for over 90 % of the subjects.** Here it is
{journalist:.2f} on average over {runs} samples of 1,000, from {low:.2f} to {high:.2f}: with 1,000
records of which nearly all are unique, Pitman's model with a population of 100,000,000 hardly
determines the probability that a sample unique is a population unique. 0.66 needs alpha near 0.96
[D].
"""

FIRST_QUARTILE = """\
**Not reproduced: the first quartiles of the voter scenario in Table 4.** They are at odds with the
paper's own Table 3 [D]. There the first quartile of 1,000 subjects is that of somebody who shares
the voter list's attributes with one other record: 1 - 0.643/2 = 67.9 %, where 67.47 % is printed.
For such a subject, unique in the worst case, the overall risk with all parameters 0.2 falls by
{pair_low:.1f} % (if nobody unique in the sample were so in the population) to {pair_high:.1f} % (if
everybody were), not by 42.42 %. That is close to what somebody alone on the voter list would have,
1 - 0.643 = 35.7 %; but Table 3 says that three quarters of the subjects are not alone. The printed
worst-case overall risk (quartiles 0.448, 0.987, 1) cannot come from the network as printed either:
with all parameters at 0.8, the highest value is 0.9856. The Twitter medians of exactly 100 % are
what a simulation with few trials gives for risks of some tenths of a percent.
"""

RELEASES = """\
## What realism buys

What the paper leaves open: the best release for each attacker. A release passes when nobody's
overall risk (all four parameters 0.5) is above the threshold. Against an attacker who knows
everything that is k-anonymity with k = 0.5 / threshold; the other columns protect as well against
an attacker with a voter list, or with Twitter. Quality is 1 - loss (Iyengar, geometric mean), in
parentheses the share of records suppressed; the releases are proven optimal unless a gap is given.
"""


RELEASES_NOTE = """\
For ADULT, which has no state, everybody counts as living in Tennessee, whose list shows year of
birth, sex and race [A]; ages stand for years of birth. Suppressed is just who is above the threshold
(the greatest set of records in which nobody is stays), so no suppression of any records is better. In
the picture a bar above a point is its gap: what a better release could still reach.
"""

TABLE_3_NOTE = """\
Subjects without any risk in the worst case are left out. The last column shows how much hangs on
where the patients live, which is not published: with US shares people are spread over all states,
and the state alone tells much.
"""

FIGURE_2 = """\
## Figure 2: risk against the worst case, 1,000 subjects

![Heatmaps](figure_2.png)

As in the paper nearly all subjects are on the lower edge under Twitter, and prosecutor risk is 0 or
1 in the worst case; under voter lists the marketer risk varies by subject.
"""


def figures(values: Sequence[float], digits: int = 2) -> str:
    """Write three quartiles."""
    return " / ".join(f"{value:.{digits}f}" for value in values)


def quartiles(row: pd.Series) -> list[float]:  # type: ignore[type-arg]
    """Return the three quartiles of a row."""
    return [float(row[name]) for name in published.QUARTILES]


def checks_part(checks: Sequence[Check]) -> str:
    """List what holds and what does not."""
    rows = [(check.claim, "yes" if check.holds else "**no**", check.detail) for check in checks]
    table = markdown(("finding", "holds", "here"), rows)
    return f"## What the paper finds, and whether it holds here\n\n{table}\n"


def table_3_part(table: pd.DataFrame, by_us_shares: pd.DataFrame) -> str:
    """Set the reductions beside the paper's."""
    rows = []
    for scenario, sizes in published.TABLE_3.items():
        for size in sizes:
            mine = table[(table["scenario"] == scenario) & (table["size"] == size)]
            if mine.empty:
                continue
            by_measure = mine.set_index("measure")
            other = by_us_shares[
                (by_us_shares["scenario"] == scenario)
                & (by_us_shares["size"] == size)
                & (by_us_shares["measure"] == "marketer")
            ]
            rows.append(
                (
                    scenario,
                    f"{size:,}",
                    f"{by_measure.loc['journalist', 'q1']:.2f} (100)",
                    f"{by_measure.loc['prosecutor', 'q1']:.2f} (100)",
                    figures(quartiles(by_measure.loc["marketer"])),
                    figures(sizes[size]),
                    "-" if other.empty else figures(quartiles(other.iloc[0])),
                )
            )
    header = (
        "scenario",
        "subjects",
        "journalist Q1 (paper)",
        "prosecutor Q1 (paper)",
        "marketer Q1 / median / Q3",
        "paper",
        "if patients lived as all US residents do",
    )
    runs = dict(zip(table["size"], table["runs"], strict=True))
    samples = ", ".join(f"{count} of {size:,}" for size, count in runs.items())
    return (
        "## Table 3: reduction in risk against the worst case, in percent\n\n"
        + markdown(header, rows)
        + f"\n\nMeans over samples: {samples}. {TABLE_3_NOTE}"
    )


def table_4_part(table: pd.DataFrame, runs: int) -> str:
    """Set the reductions in overall risk beside the paper's."""
    rows = []
    for setting, printed in published.TABLE_4.items():
        cells = [" ".join(f"{value:g}" for value in setting)]
        for scenario, theirs in printed.items():
            mine = find(table, scenario, setting)
            spread = figures([float(mine[f"{name}_sd"]) for name in published.QUARTILES])
            cells += [f"{figures(quartiles(mine))} ({spread})", figures(theirs)]
        rows.append(tuple(cells))
    averages = table.groupby("scenario")[list(published.QUARTILES)].mean()
    cells = ["average of 81"]
    for scenario, theirs in published.TABLE_4_AVERAGE.items():
        cells += [figures(averages.loc[scenario].tolist()), figures(theirs)]
    rows.append(tuple(cells))
    header = ("p_m p_c p_fm p_cu", "Twitter (sd)", "paper", "voter (sd)", "paper")
    return (
        "## Table 4: reduction in overall risk, Q1 / median / Q3 in percent\n\n"
        + markdown(header, rows)
        + f"\n\nMeans (and standard deviations) over {runs} samples of 1,000; all 81 settings are in "
        "`table_4.csv`.\n"
    )


def find(table: pd.DataFrame, scenario: str, setting: tuple[float, ...]) -> pd.Series:  # type: ignore[type-arg]
    """Return the row of one scenario and setting."""
    here = table["scenario"] == scenario
    for name, value in zip(("p_m", "p_c", "p_fm", "p_cu"), setting, strict=True):
        here &= table[name] == value
    return table[here].iloc[0]


def pair_reduction(unique: float, registered: float = 0.643, others: int = 1000) -> float:
    """Return the reduction for somebody with one other on the voter list, all parameters 0.2, percent."""
    member, p = 0.2 * 0.2, 0.2
    worst = 1 - (1 - member) * (1 - p * unique) * (1 - p)
    return 100 * (1 - (registered * p / 2 + (1 - registered) * p / others) / worst)


def releases_part(table: pd.DataFrame) -> str:
    """Show the best release for each threshold and attacker."""
    parts = [RELEASES]
    for data in dict.fromkeys(table["data"]):
        mine = table[table["data"] == data]
        names = list(dict.fromkeys(mine["scenario"]))
        rows = []
        for threshold in dict.fromkeys(mine["threshold"]):
            at = mine[mine["threshold"] == threshold].set_index("scenario")
            cells = [f"{threshold:g}", str(at.iloc[0]["k"])]
            rows.append((*cells, *(release_cell(at.loc[name]) for name in names)))
        parts.append(f"### {data}, {int(mine['records'].iloc[0]):,} records\n")
        parts.append(markdown(("risk at most", "k", *names), rows) + "\n")
    parts.append("![Quality against the accepted risk](frontier.png)\n")
    parts.append(RELEASES_NOTE)
    return "\n".join(parts)


def release_cell(row: pd.Series) -> str:  # type: ignore[type-arg]
    """Write the quality of a release, with what was suppressed and what is not proven."""
    gap = f", gap {row['gap']:.3f}" if row["gap"] > 1e-9 else ""
    return f"{row['quality']:.3f} ({100 * row['suppressed_share']:.1f} %{gap})"


def write_page(
    checks: Sequence[Check],
    first: pd.DataFrame,
    by_us_shares: pd.DataFrame,
    second: pd.DataFrame,
    runs: int,
    journalist: Sequence[float],
    releases: pd.DataFrame,
    timing: Sequence[str],
) -> str:
    """Write the whole page."""
    assumptions = "".join(f"- {what}: {how}\n" for what, how in ASSUMPTIONS)
    differences = JOURNALIST.format(
        journalist=sum(journalist) / len(journalist),
        runs=len(journalist),
        low=min(journalist),
        high=max(journalist),
    )
    quartile = FIRST_QUARTILE.format(pair_low=pair_reduction(0.0), pair_high=pair_reduction(1.0))
    return "\n".join(
        [
            INTRODUCTION,
            checks_part(checks),
            table_3_part(first, by_us_shares),
            table_4_part(second, runs),
            FIGURE_2,
            "## Where it differs, and why\n",
            differences,
            quartile,
            "## What is assumed\n\n" + assumptions,
            releases_part(releases),
            "## Run time\n\n" + "".join(f"- {line}\n" for line in timing),
        ]
    )
