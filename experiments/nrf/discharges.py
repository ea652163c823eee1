"""Synthetic hospital discharges of the shape of the HCUP NIS 2008: four demographic attributes and twelve
conditions.

Found (in the National Hospital Discharge Survey 2010): ages by year up to 89, the share
of women, race not stated for 15 %, prevalence of the conditions by sex and age group. Assumed: from 90 on
the people of each year of age are two thirds of those of the year before; sex does not depend on age; the
42 most populous states by their population; race by state as the American Community Survey 2018 has it,
with Hispanic as a group of its own; conditions are independent given sex and age group.
"""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from anonymizer.data.release import write_csv
from experiments.datasets import figures_of

STATES = 42
LAST_AGE, FALL = 119, 2 / 3
AGE_GROUPS = (1, 18, 45, 65, 85)
MISSING_AGE = 1 - 8_148_298 / 8_158_381  # records of the NIS 2008 without an age
MISSING_RACE = 0.15055
WOMEN = 0.58301
AREAS = 700  # of each state, so that there are about as many as ZIP codes
SEED = 2008

Codes = NDArray[np.uint8 | np.uint16]


@dataclass(frozen=True, eq=False)
class Discharges:
    """Columns as codes and their values."""

    cells: dict[str, tuple[Codes, list[str | None]]]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.cells)

    def write(self, path: Path) -> None:
        """Write a CSV file."""
        arrays = [
            pa.DictionaryArray.from_arrays(codes.astype(np.int32), values)
            for codes, values in self.cells.values()
        ]
        write_csv(pa.table(arrays, names=list(self.columns)), path, ",")


def draw_discharges(records: int) -> Discharges:
    """Draw discharges; the same number gives the same records."""
    random = np.random.default_rng(SEED)
    age = draw_ages(records, random)
    sex = (random.random(records) < WOMEN).astype(np.uint8)
    location, race, states = draw_places(records, random)
    conditions = draw_conditions(age, sex, random)
    missing = random.random(records) < MISSING_AGE
    age = np.where(missing, np.uint8(LAST_AGE + 1), age)
    return Discharges(
        {
            "age": (age, [*map(str, range(LAST_AGE + 1)), None]),
            "gender": (sex, ["male", "female"]),
            "location": (location, states),
            "race": (race, [*RACES, None]),
            **{name: (codes, ["no", "yes"]) for name, codes in conditions.items()},
        }
    )


def with_areas(discharges: Discharges) -> Discharges:
    """Replace each state by one of its areas at random: a harder table, nearly all tuples distinct."""
    states, names = discharges.cells["location"]
    areas = np.random.default_rng(SEED).integers(0, AREAS, states.size)
    codes = (states.astype(np.int64) * AREAS + areas).astype(np.uint16)
    values: list[str | None] = [f"{name}{area:03}" for name in names for area in range(AREAS)]
    return Discharges({**discharges.cells, "location": (codes, values)})


def draw_ages(records: int, random: np.random.Generator) -> Codes:
    """Draw ages in years; what the survey has as 90 and over is spread out."""
    facts = json.loads(figures_of("nrf", "nhds2010.json").read_text(encoding="utf-8"))
    shares = np.array(list(facts["age_single_year"].values()))
    tail = FALL ** np.arange(LAST_AGE + 1 - 90)
    shares = np.concatenate([shares[:90], shares[90] * tail / tail.sum()])
    return random.choice(shares.size, records, p=shares / shares.sum()).astype(np.uint8)


RACES = {
    "white": ("pct_white",),
    "black": ("pct_black",),
    "asian or pacific islander": ("pct_asian", "pct_nhpi"),
    "native american": ("pct_aian",),
    "other": ("pct_other", "pct_two_or_more"),
    "hispanic": (),
}


def draw_places(records: int, random: np.random.Generator) -> tuple[Codes, Codes, list[str | None]]:
    """Draw states by population, and races by state."""
    with figures_of("xia2021", "states.csv").open(newline="", encoding="utf-8") as file:
        rows = sorted(csv.DictReader(file), key=lambda row: -int(row["population_2018"]))[:STATES]
    people = np.array([float(row["population_2018"]) for row in rows])
    location = random.choice(STATES, records, p=people / people.sum()).astype(np.uint8)
    race = np.empty(records, np.uint8)
    for state, row in enumerate(rows):
        here = np.flatnonzero(location == state)
        race[here] = random.choice(len(RACES) + 1, here.size, p=race_shares(row))
    return location, race, [row["abbr"] for row in rows]


def race_shares(row: dict[str, str]) -> NDArray[np.float64]:
    """Return the shares of the races in a state, not stated last."""
    hispanic = float(row["pct_hispanic"]) / 100
    shares = np.array([sum(float(row[part]) for part in parts) for parts in RACES.values()])
    shares *= (1 - hispanic) / shares.sum()
    shares[list(RACES).index("hispanic")] = hispanic
    return np.append(shares / shares.sum() * (1 - MISSING_RACE), MISSING_RACE)


def draw_conditions(age: Codes, sex: Codes, random: np.random.Generator) -> dict[str, Codes]:
    """Draw twelve conditions by sex and age group."""
    groups = np.digitize(np.arange(LAST_AGE + 1), AGE_GROUPS)
    with figures_of("nrf", "nhds2010_conditions.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    drawn = {}
    for row in rows:
        name = "ache" if row["condition"] == "aches" else row["condition"]
        rates = [float(rate) for key, rate in row.items() if key.startswith("w_")]
        table = np.array(rates, np.float32).reshape(2, -1)[:, groups]  # men first
        drawn[name] = (random.random(age.size, np.float32) < table[sex, age]).astype(np.uint8)
    return drawn
