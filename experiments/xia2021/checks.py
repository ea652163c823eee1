"""The paper's qualitative results, as checks that can fail."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import pandas as pd

from experiments.xia2021 import published
from experiments.xia2021.measure import Agreement

CLOSE = 5.0  # percentage points
PRINTS_AS_100 = 99.5


class Check(NamedTuple):
    """Something the paper finds, and whether we find it too."""

    claim: str
    holds: bool
    detail: str
    expected: bool = True
    """Whether it should hold; False for what the page says, with its reason, is not reproduced."""


def check_table_3(table: pd.DataFrame) -> list[Check]:
    """Check the reductions of the three risks against what the paper says of them."""
    marketer = table[table["measure"] == "marketer"]
    return [
        *(check_q1(table, measure) for measure in ("journalist", "prosecutor")),
        *(check_growth(marketer, scenario) for scenario in published.TABLE_3),
        check_order(marketer),
        *(check_medians(marketer, scenario) for scenario in published.TABLE_3),
    ]


def check_q1(table: pd.DataFrame, measure: str) -> Check:
    """Three quarters of the subjects lose all of this risk, at every sample size."""
    lowest = float(table[table["measure"] == measure]["q1"].min())
    claim = f"the first quartile of the reduction in {measure} risk is 100 % at every sample size"
    return Check(claim, lowest >= PRINTS_AS_100, f"lowest: {lowest:.2f} %")


def check_growth(marketer: pd.DataFrame, scenario: str) -> Check:
    """The reduction in marketer risk grows with the sample."""
    mine = marketer[marketer["scenario"] == scenario].sort_values("size")
    medians = mine["median"].to_numpy()
    grows = all((mine[name].diff().dropna() > 0).all() for name in published.QUARTILES)
    shown = ", ".join(f"{median:.2f}" for median in medians)
    claim = f"{scenario}: the quartiles of the reduction in marketer risk grow with the sample"
    return Check(claim, bool(grows), f"medians: {shown} %")


def check_order(marketer: pd.DataFrame) -> Check:
    """Twitter is less of a danger than voter lists."""
    names = list(published.QUARTILES)
    by_size = {
        scenario: marketer[marketer["scenario"] == scenario].set_index("size")[names]
        for scenario in published.TABLE_3
    }
    apart = by_size["Twitter"] - by_size["Voter registration"]
    least = float(apart.to_numpy().min())
    claim = "Twitter reduces marketer risk by more than voter lists, in every quartile and size"
    return Check(claim, least > 0, f"at least {least:.2f} points apart")


def check_medians(marketer: pd.DataFrame, scenario: str) -> Check:
    """The medians are close to those printed."""
    mine = marketer[marketer["scenario"] == scenario].set_index("size")["median"]
    apart = {size: abs(mine[size] - published.TABLE_3[scenario][size][1]) for size in mine.index}
    farthest = max(apart, key=apart.__getitem__)
    detail = f"at most {apart[farthest]:.2f} points off, at {farthest:,} subjects"
    claim = f"{scenario}: medians of the reduction in marketer risk within {CLOSE:g} points"
    return Check(claim, apart[farthest] <= CLOSE, detail)


def check_table_4(table: pd.DataFrame) -> list[Check]:
    """Check the reductions of the overall risk over the settings of the network."""
    by_scenario = table.groupby("scenario")["median"]
    apart = [
        abs(row["median"] - published.TABLE_4[key][row["scenario"]][1])
        for row in table.to_dict("records")
        if (key := (row["p_m"], row["p_c"], row["p_fm"], row["p_cu"])) in published.TABLE_4
    ]
    twitter, voter = by_scenario.mean()[["Twitter", "Voter registration"]]
    spread = by_scenario.std()
    return [
        Check(
            f"overall risk: medians of the five settings printed within {CLOSE:g} points",
            max(apart) <= CLOSE,
            f"at most {max(apart):.2f} points off",
        ),
        Check(
            "overall risk: Twitter reduces it by more than voter lists, at every setting",
            bool(by_scenario.min()["Twitter"] > by_scenario.max()["Voter registration"]),
            f"average medians {twitter:.2f} % and {voter:.2f} %",
        ),
        Check(
            "overall risk: voter lists vary more with the setting than Twitter",
            bool(spread["Voter registration"] > spread["Twitter"]),
            f"standard deviations of the medians {spread['Voter registration']:.2f} and "
            f"{spread['Twitter']:.2f} points",
        ),
    ]


def check_not_reproduced(table_4: pd.DataFrame, journalist: Sequence[float]) -> list[Check]:
    """Three printed figures that do not come out, and are not expected to: the page says why."""
    voter = table_4[table_4["scenario"] == "Voter registration"]
    apart = [
        abs(row["q1"] - published.TABLE_4[key]["Voter registration"][0])
        for row in voter.to_dict("records")
        if (key := (row["p_m"], row["p_c"], row["p_fm"], row["p_cu"])) in published.TABLE_4
    ]
    highest = highest_risk(published.WORST_CASE_PARAMETER)
    mean = sum(journalist) / len(journalist)
    return [
        Check(
            f"worst case: the journalist risk of over 90 % of the subjects is {published.JOURNALIST:g}",
            abs(mean - published.JOURNALIST) <= 0.05,
            f"{mean:.2f}, from {min(journalist):.2f} to {max(journalist):.2f} over the samples",
            expected=False,
        ),
        Check(
            f"overall risk: first quartiles of the voter scenario within {CLOSE:g} points",
            max(apart) <= CLOSE,
            f"{min(apart):.0f} to {max(apart):.0f} points off at the settings printed",
            expected=False,
        ),
        Check(
            f"worst case: a median overall risk of {published.WORST_CASE_MEDIAN:g}",
            highest >= published.WORST_CASE_MEDIAN,
            f"the network as printed gives at most {highest:.4f}, at parameters of "
            f"{published.WORST_CASE_PARAMETER:g}",
            expected=False,
        ),
    ]


def highest_risk(parameter: float) -> float:
    """Return the overall risk of somebody unique in sample and population, all parameters alike.

    >>> round(highest_risk(0.8), 4)
    0.9856
    """
    return 1 - (1 - parameter**2) * (1 - parameter) * (1 - parameter)


def check_agreement(found: Iterable[Agreement]) -> list[Check]:
    """The risk that is exact given u_S and the simulated one agree."""
    return [
        Check(
            f"{one.scenario}: mean overall risk, exact given u_S and simulated, within three "
            "standard errors",
            one.errors <= 3,
            f"{one.exact:.6f} exact given u_S, {one.simulated:.6f} simulated, "
            f"{one.errors:.1f} standard errors",
        )
        for one in found
    ]


def check_releases(table: pd.DataFrame) -> list[Check]:
    """An attacker with limits never needs a coarser release than one without."""
    by = table.pivot_table(index=["data", "threshold"], columns="scenario", values="quality")
    (worst,) = [name for name in by.columns if name.startswith("worst case")]
    others = [name for name in by.columns if name != worst]
    least = min(float((by[name] - by[worst]).min()) for name in others)
    return [
        Check(
            "no scenario needs a release of less quality than k-anonymity does",
            least >= -1e-9,
            f"least gain {least:.4f}",
        )
    ]
