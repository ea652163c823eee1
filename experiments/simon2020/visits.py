"""Synthetic visits of the shape that Simon et al. 2020 describe; the data themselves are closed.

From the paper: seven health systems, the years 2009 to 2015, age in five groups, sex, race in six
groups, Hispanic ethnicity, whether a suicide death or a self-harm event followed within 90 days, a
diagnosis of depression (above 50 %) and of alcohol use disorder (below 10 %), 2,960,786 records, and
among people of 13 to 17 years 16 deaths and 1,275 events. All other shares, and the names of the groups,
are assumed; none was fitted to the paper's counts.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from anonymizer.hierarchy import Hierarchy
from anonymizer.policy import Policy

Integers = NDArray[np.int64]

SITES = {
    f"site {letter}": share
    for letter, share in zip("ABCDEFG", (32, 24, 14, 10, 8, 7, 5), strict=True)
}
AGES = {"13-17": 9, "18-29": 17, "30-44": 24, "45-64": 34, "65+": 16}
SEXES = {"F": 62, "M": 38}
RACES = {
    "White": 68,
    "Black": 9,
    "Asian": 6,
    "Native American": 1,
    "Pacific Islander": 1,
    "Other": 15,
}
HISPANIC = {"White": 0.2, "Black": 0.04, "Asian": 0.03, "Native American": 0.2, "Pacific Islander": 0.1,
            "Other": 0.45}  # fmt: skip
YEARS = {str(year): 1 for year in range(2009, 2016)}
DEATHS = {"13-17": 6e-5, "18-29": 3e-4, "30-44": 4e-4, "45-64": 5e-4, "65+": 4e-4}
"""By age; 13-17 is the paper's 16 deaths over its assumed share of the records."""
EVENTS = {"13-17": 4.8e-3, "18-29": 1.2e-2, "30-44": 8e-3, "45-64": 6e-3, "65+": 3e-3}
MALE_DEATHS = 2.5
"""How many times as likely a death is for men."""
DEPRESSION, ALCOHOL = 0.55, 0.06
RACE_SPREAD = 40.0
"""How alike the sites are in race: the parameter of a Dirichlet distribution around the shares."""

KEYS = ("site", "age_group", "sex", "race", "hispanic", "visit_year")


def draw_people(people: int, rng: np.random.Generator) -> pd.DataFrame:
    """Draw people with what does not change from visit to visit."""
    site = choose(SITES, people, rng)
    race = np.empty(people, np.int64)
    for number in range(len(SITES)):
        there = site == number
        shares = rng.dirichlet(RACE_SPREAD * np.array([*RACES.values()]) / sum(RACES.values()))
        race[there] = rng.choice(len(RACES), int(there.sum()), p=shares)
    return pd.DataFrame(
        {
            "site": label(site, SITES),
            "age_group": label(choose(AGES, people, rng), AGES),
            "sex": label(choose(SEXES, people, rng), SEXES),
            "race": label(race, RACES),
            "hispanic": flag(np.array([*HISPANIC.values()])[race], rng),
        }
    )


def draw_visits(people: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Draw one visit for each row of people: the year, what followed, and the diagnoses."""
    age = people["age_group"].cat.codes.to_numpy()
    male = (people["sex"] == "M").to_numpy()
    deaths = np.array([*DEATHS.values()])[age] * np.where(male, MALE_DEATHS, 1.0)
    visits = people.assign(visit_year=label(choose(YEARS, len(people), rng), YEARS))
    visits["death90"] = flag(deaths, rng)
    visits["event90"] = flag(np.array([*EVENTS.values()])[age], rng)
    harmed = ((visits["death90"] == "yes") | (visits["event90"] == "yes")).to_numpy()
    visits["depression"] = flag(np.where(harmed, 0.75, DEPRESSION), rng)
    visits["alcohol"] = flag(np.where(harmed, 0.15, ALCOHOL), rng)
    return visits


def draw_several(people: int, mean: float, rng: np.random.Generator) -> pd.DataFrame:
    """Draw several visits for each person, at least one, with an id."""
    persons = draw_people(people, rng)
    number = 1 + rng.poisson(mean - 1, people)
    rows = np.repeat(np.arange(people), number)
    visits = draw_visits(persons.iloc[rows].reset_index(drop=True), rng)
    return visits.assign(patient=rows.astype(str))


def choose(shares: dict[str, int], size: int, rng: np.random.Generator) -> Integers:
    weights = np.array([*shares.values()], float)
    return rng.choice(len(shares), size, p=weights / weights.sum())


def label(codes: Integers, names: dict[str, int]) -> pd.Categorical:
    return pd.Categorical.from_codes(codes, categories=list(names))


def flag(probability: NDArray[np.float64], rng: np.random.Generator) -> pd.Categorical:
    drawn = rng.random(probability.size) < probability
    return pd.Categorical.from_codes(drawn.astype(int), categories=["no", "yes"])


def policy(columns: list[str]) -> Policy:
    """Say what the columns are; keys may be coarsened by small hierarchies."""
    trees = {
        "age_group": [("13-17", "13-29"), ("18-29", "13-29"), ("30-44", "30-64"), ("45-64", "30-64"),
                      ("65+", "65+")],
        "race": [(race, "White" if race == "White" else "all other") for race in RACES],
        "visit_year": [(year, "2009-2011" if year < "2012" else "2012-2015") for year in YEARS],
        "site": [(site,) for site in SITES],
        "sex": [(sex,) for sex in SEXES],
    }  # fmt: skip
    attributes: dict[str, dict[str, object]] = {}
    for column in columns:
        if column in trees:
            tree = Hierarchy.from_rows(column, [(*row, "*") for row in trees[column]])
            attributes[column] = {"role": "quasi", "hierarchy": tree}
        else:
            attributes[column] = {"role": "insensitive"}
    return Policy(attributes=attributes, risk=[{"model": "k-anonymity", "k": 5}])
