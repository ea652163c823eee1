"""The patients of Xia et al. 2021, Table 2, simulated from public figures: the real ones cannot be had.

Marks as in the reference: [F] found, [D] computed from found facts, [A] assumed. See `ASSUMPTIONS`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from experiments.datasets import figures_of

RECORDS = 1_583_020
TENNESSEE = 0.80  # [A] fitted to Table 3 of the paper by the reference's calibration
# [A] where the patients of a hospital in Nashville come from, if not from Tennessee
ELSEWHERE = {
    "KY": 0.40,
    "AL": 0.17,
    "GA": 0.10,
    "MS": 0.08,
    "VA": 0.04,
    "NC": 0.04,
    "AR": 0.04,
    "MO": 0.03,
}

ATTRIBUTES = (
    "race",
    "state",
    "ethnicity",
    "sex",
    "year_of_birth",
    "education",
    "marital_status",
    "work_class",
    "income",
    "country_of_birth",
    "homeowner",
    "sexual_orientation",
)

ASSUMPTIONS = (
    (
        "state of residence",
        "[A] fitted: 80 % of the patients live in Tennessee, the rest mostly in neighbouring states. The "
        "share is that of the reference's calibration, chosen with the paper's Table 3 in view: "
        "agreement with that table shows that it can be explained so, not that it is right. Also run "
        "with US shares [F], for comparison.",
    ),
    (
        "race, sex and age within a state",
        "[F] ACS 2018; the hospital's own distribution is not known. Years within an age group count "
        "alike, ages from 85 on fall by 15 % a year [A]; Pacific Islanders by the state's share where "
        "ACS has no count [D]; two or more races split as in the US [F].",
    ),
    ("ethnicity", "[F] share of Hispanics by race, Tennessee and US (ACS 2018)."),
    (
        "education, marital status, work class, income",
        "[D] shares by age group in UCI Adult, of people as old in 1994 as the patient was [A]; the "
        "value Prof-school, which Table 2 does not list, is left out [A].",
    ),
    (
        "country of birth, home, sexual orientation",
        "[F] ACS 2018 by age, households taken for persons [A]; Gallup 2017 by cohort.",
    ),
    (
        "voter lists and Twitter",
        "see the comments in `anonymizer/attackers/scenarios/`; that Tennessee's list shows sex and race "
        "is [A], and the probabilities for Twitter are [A], set with Table 3 in view.",
    ),
)

RACES = {
    "white": "White",
    "black": "Black",
    "aian": "American Indian",
    "asian": "Asian",
    "nhpi": "Pacific Islander",
    "other": "Other",
    "two_or_more": "two_or_more",
}
SHORT = {
    "White": "White",
    "Black or African American": "Black",
    "American Indian and Alaska Native": "American Indian",
    "Asian": "Asian",
    "Native Hawaiian and Other Pacific Islander": "Pacific Islander",
    "Some other race": "Other",
}
AGES_2018 = {  # [D] of people born before 1978; 41 to 44 are the last four of ten years
    "35-44": (41, 44, 0.4),
    "45-54": (45, 54, 1.0),
    "55-64": (55, 64, 1.0),
    "65-74": (65, 74, 1.0),
    "75-84": (75, 84, 1.0),
    "85+": (85, 104, 1.0),
}
ADULT_AGES = (25, 35, 45, 55, 65, 75)
ADULT_GROUPS = ("17-24", "25-34", "35-44", "45-54", "55-64", "65-74", "75+")

Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """The public figures that patients are drawn from."""

    states: pd.DataFrame
    cells: pd.DataFrame
    """People by state, race, sex and age group."""
    marginals: Mapping[str, Any]
    adult: Mapping[str, Any]

    @staticmethod
    def read() -> Facts:
        """Read the figures."""

        def load(name: str) -> Any:
            return json.loads(figures_of("xia2021", name).read_text(encoding="utf-8"))

        states = pd.read_csv(figures_of("xia2021", "states.csv"), keep_default_na=False)
        cells = read_cells(figures_of("xia2021", "people.csv"))
        abbreviation = dict(zip(states["state"], states["abbr"], strict=True))
        cells["state"] = cells["state"].map(abbreviation)
        return Facts(states, complete(cells, states), load("marginals.json"), load("adult.json"))


def read_cells(path: Path) -> pd.DataFrame:
    """Read people by state, race, sex and age group from a table with a column for each sex and age."""
    keys = ["state", "race_group"]
    long = pd.read_csv(path).melt(keys, var_name="both", value_name="count", ignore_index=False)
    long = long.sort_index(kind="stable", ignore_index=True)  # the draws depend on the order
    long[["sex", "age_group"]] = long.pop("both").str.split(" ", expand=True)
    return long


def complete(cells: pd.DataFrame, states: pd.DataFrame) -> pd.DataFrame:
    """Fill in the counts of Pacific Islanders that ACS leaves out, by their share in the state."""
    share = states.set_index("abbr")["pct_nhpi"].astype(float) / 100
    keys = ["state", "sex", "age_group"]
    others = cells[cells["race_group"] != "nhpi"].groupby(keys)["count"].sum()
    index = pd.MultiIndex.from_frame(cells[keys])
    in_state = cells["state"].map(share).to_numpy(float)
    filled = others.reindex(index).to_numpy(float) * in_state / (1 - in_state)
    return cells.assign(count=cells["count"].fillna(pd.Series(filled)))


def simulate(
    facts: Facts, records: int = RECORDS, seed: int = 2021, tennessee: float | None = TENNESSEE
) -> pd.DataFrame:
    """Draw patients born before 1978; without a share of Tennessee, states by their US shares."""
    generator = np.random.default_rng(seed)
    state, race, sex, age = draw_people(facts, records, generator, tennessee)
    year = 2018 - age
    frame = {
        "race": race,
        "state": state,
        "ethnicity": draw_ethnicity(facts, state, race, generator),
        "sex": np.where(sex == "female", "Female", "Male"),
        "year_of_birth": year.astype(str),
        **draw_adult(facts, year, generator),
        **draw_household(facts, year, age, generator),
    }
    frame["race"] = split_races(facts, race, generator)
    return pd.DataFrame({name: pd.Categorical(frame[name]) for name in ATTRIBUTES})


def state_shares(facts: Facts, tennessee: float | None) -> dict[str, float]:
    """Return the share of each state."""
    shares = facts.states.set_index("abbr")["share_of_us_born_before_1978"].astype(float)
    shares = shares / shares.sum()
    if tennessee is None:
        return {str(state): float(share) for state, share in shares.items()}
    far = shares.drop(["TN", *ELSEWHERE])
    rest = (1 - sum(ELSEWHERE.values())) * far / far.sum()
    near = pd.concat([pd.Series(ELSEWHERE), rest]) * (1 - tennessee)
    return {"TN": tennessee, **{str(state): float(share) for state, share in near.items()}}


def draw_people(
    facts: Facts, records: int, generator: np.random.Generator, tennessee: float | None
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], Codes]:
    """Draw state, race, sex and age from the cells of ACS."""
    cells = facts.cells
    part = cells["age_group"].map({group: part for group, (_, _, part) in AGES_2018.items()})
    weight = cells["count"] * part
    weight = weight / weight.groupby(cells["state"]).transform("sum")
    weight = weight * cells["state"].map(state_shares(facts, tennessee))
    drawn = pick(weight.to_numpy(float), records, generator)
    group = cells["age_group"].to_numpy()[drawn]
    age = np.zeros(records, np.int64)
    for name, (low, high, _) in AGES_2018.items():
        here = np.flatnonzero(group == name)
        years = np.arange(low, high + 1)
        fall = 0.85 ** np.arange(years.size) if name == "85+" else np.ones(years.size)
        age[here] = years[pick(fall, here.size, generator)]
    columns = (cells[name].to_numpy()[drawn] for name in ("state", "race_group", "sex"))
    state, race, sex = columns
    return state, race, sex, age


def pick(weights: NDArray[np.float64], size: int, generator: np.random.Generator) -> Codes:
    """Draw places by weight."""
    steps = np.cumsum(weights / weights.sum())
    drawn: Codes = np.searchsorted(steps, generator.random(size), side="right")
    return np.minimum(drawn, weights.size - 1)


def choose(shares: Mapping[str, float], size: int, generator: np.random.Generator) -> NDArray[Any]:
    """Draw names by their shares."""
    weights = np.array(list(shares.values()), float)
    return np.array(list(shares), object)[pick(weights, size, generator)]


def draw_ethnicity(
    facts: Facts, state: NDArray[Any], race: NDArray[Any], generator: np.random.Generator
) -> NDArray[Any]:
    """Draw who is Hispanic, by race, in Tennessee and elsewhere."""
    chance = np.zeros(race.size)
    for table, where in (("TN", state == "TN"), ("US", state != "TN")):
        by_race = facts.marginals[f"hispanic_given_race_{table}"]
        for name in RACES:
            chance[where & (race == name)] = by_race[name]
    return np.where(generator.random(race.size) < chance, "Hispanic", "Not Hispanic")


def split_races(facts: Facts, race: NDArray[Any], generator: np.random.Generator) -> NDArray[Any]:
    """Name the races, and draw which ones those of two or more have."""
    named = np.array([RACES[name] for name in RACES], object)[
        pd.Index(list(RACES)).get_indexer(race)
    ]
    detailed = facts.marginals["race_detailed_US_count_and_share"]
    shares = {
        " + ".join(SHORT[part.strip()] for part in name.split(";")): share
        for name, (_, share) in detailed.items()
        if ";" in name
    }
    several = np.flatnonzero(named == "two_or_more")
    named[several] = choose(shares, several.size, generator)
    return named


def draw_adult(
    facts: Facts, year: Codes, generator: np.random.Generator
) -> dict[str, NDArray[Any]]:
    """Draw what Adult tells of people as old in 1994."""
    group = np.searchsorted(ADULT_AGES, 1994 - year, side="right")
    tables = {
        "education": "education",
        "marital_status": "marital3",
        "work_class": "workclass",
        "income": "salary-class",
    }
    found = {}
    for attribute, table in tables.items():
        values = np.empty(year.size, object)
        for number, name in enumerate(ADULT_GROUPS):
            here = np.flatnonzero(group == number)
            shares = {v: s for v, s in facts.adult[table][name].items() if v != "Prof-school"}
            values[here] = choose(shares, here.size, generator)
        found[attribute] = values
    marital = {"never married": "Never married", "married": "Married", "divorced": "Divorced"}
    found["marital_status"] = np.array([marital[v] for v in found["marital_status"]], object)
    return found


def draw_household(
    facts: Facts, year: Codes, age: Codes, generator: np.random.Generator
) -> dict[str, NDArray[Any]]:
    """Draw country of birth and home by age, and sexual orientation by cohort."""
    abroad = facts.marginals["born_outside_US_incl_native_born_abroad_by_age_US"]
    owns = facts.marginals["owner_share_by_householder_age_US"]
    gallup = facts.marginals["lgbt_self_id_pct_gallup_2017"]
    cohorts = ("born_before_1946", "born_1946_1964", "born_1965_1979")
    other = np.array([gallup[name] for name in cohorts]) / 100
    draws = generator.random((3, year.size))
    return {
        "country_of_birth": np.where(draws[0] < by_age(abroad, age), "Elsewhere", "United States"),
        "homeowner": np.where(draws[1] < by_age(owns, age), "Own", "Rent"),
        "sexual_orientation": np.where(
            draws[2] < other[np.searchsorted((1946, 1965), year, side="right")],
            "Other",
            "Straight",
        ),
    }


def by_age(table: Mapping[str, float], age: Codes) -> NDArray[np.float64]:
    """Look up a share by age in a table of age groups such as "35-44" or "75+"."""
    starts = [int(name.rstrip("+").split("-")[0]) for name in table]
    return np.array(list(table.values()))[np.searchsorted(starts, age, side="right") - 1]
