"""The widest register: patients of the demo population with 20 quasi-identifiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from anonymizer.data.files import specs_folder
from anonymizer.demo import tables
from anonymizer.demo.diagnoses import DIAGNOSIS
from anonymizer.demo.draws import Codes, labels
from anonymizer.demo.population import population
from anonymizer.demo.register import ADMISSION_DATE, draw_day, draw_diagnosis
from anonymizer.errors import quote_some
from anonymizer.policy import Policy, Role
from experiments.benchmark import wide_tables, wide_traits

REGISTER_QUASI_IDENTIFIERS = (*tables.QUASI_IDENTIFIERS, "admission_date")
FURTHER_QUASI_IDENTIFIERS = (
    "country_of_birth",
    "language",
    "religion",
    "height",
    "children",
    "household_size",
    "housing",
    "moved_in",
    "weekly_hours",
    "income",
    "insurance",
    "admission_route",
)
WIDE_QUASI_IDENTIFIERS = REGISTER_QUASI_IDENTIFIERS + FURTHER_QUASI_IDENTIFIERS
"""All 20; the first n of them are the quasi-identifiers of a narrower register."""

SENSITIVE = "diagnosis"


def wide_register(rows: int = 100_000, seed: int = 2024) -> pd.DataFrame:
    """Make up patients, each another person of the demo population, with 20 quasi-identifiers.

    Columns: `WIDE_QUASI_IDENTIFIERS` and the sensitive `diagnosis`. Whole numbers are `age` (years),
    `height` (centimetres), `children`, `household_size`, `moved_in` (the year of the last move) and
    `weekly_hours` (0: not at work); all others are strings. The same rows and seed give the same
    patients, and fewer rows with the same seed are the first ones of more. Where all rows at once
    are too many for memory, put chunks of different seeds one after another.

    >>> wide_register(3).shape
    (3, 21)
    """
    people = population(rows, seed)
    diagnoses = draw_diagnosis(people, seed)
    columns = {
        **{name: people[name] for name in tables.QUASI_IDENTIFIERS},
        "admission_date": labels(ADMISSION_DATE, draw_day(diagnoses, seed)),
        **draw_further(wide_traits.People.of(people, seed), diagnoses),
        SENSITIVE: labels(DIAGNOSIS, diagnoses),
    }
    return pd.DataFrame({name: columns[name] for name in (*WIDE_QUASI_IDENTIFIERS, SENSITIVE)})


def draw_further(people: wide_traits.People, diagnoses: Codes) -> dict[str, Any]:
    """Draw the further quasi-identifiers, each by those it depends on."""
    countries = wide_traits.draw_country(people)
    children = wide_traits.draw_children(people)
    housing = wide_traits.draw_housing(people)
    hours = wide_traits.draw_hours(people)
    incomes = wide_traits.draw_income(people, hours)
    insurance = wide_traits.draw_insurance(people, countries, incomes)
    routes = wide_traits.draw_route(people, diagnoses, housing)
    return {
        "country_of_birth": labels(wide_tables.COUNTRY_OF_BIRTH, countries),
        "language": labels(wide_tables.LANGUAGE, wide_traits.draw_language(people, countries)),
        "religion": labels(wide_tables.RELIGION, wide_traits.draw_religion(people, countries)),
        "height": wide_traits.draw_height(people),
        "children": children,
        "household_size": wide_traits.draw_household(people, children, housing),
        "housing": labels(wide_tables.HOUSING, housing),
        "moved_in": wide_traits.draw_moved_in(people, housing),
        "weekly_hours": hours,
        "income": labels(wide_tables.INCOME, bracket(incomes)),
        "insurance": labels(wide_tables.INSURANCE, insurance),
        "admission_route": labels(wide_tables.ADMISSION_ROUTE, routes),
    }


def bracket(incomes: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the bracket of each income, as codes of `INCOME`."""
    return np.searchsorted(wide_tables.INCOME_FROM, incomes, side="right") - 1


def wide_spec(attribute: str) -> Path:
    """Return the shipped hierarchy of one of `WIDE_QUASI_IDENTIFIERS`."""
    folder = "demo_wide" if attribute in FURTHER_QUASI_IDENTIFIERS else "demo"
    return specs_folder() / folder / f"{attribute}.toml"


def wide_policy(
    quasi_identifiers: Sequence[str] = WIDE_QUASI_IDENTIFIERS,
    risk: Sequence[Mapping[str, Any]] = ({"model": "k-anonymity", "k": 5},),
    suppression_limit: float = 1.0,
) -> Policy:
    """Describe a run on the wide register.

    What is left out of the quasi-identifiers is not released: others know it too.

    >>> policy = wide_policy(WIDE_QUASI_IDENTIFIERS[:4], suppression_limit=0.1)
    >>> policy.quasi_identifiers
    ('age', 'sex', 'zip', 'marital_status')
    """
    if unknown := [name for name in quasi_identifiers if name not in WIDE_QUASI_IDENTIFIERS]:
        raise ValueError(f"the wide register has no quasi-identifier {quote_some(unknown)}")
    attributes: dict[str, Any] = {
        name: {"role": Role.QUASI, "hierarchy": wide_spec(name)}
        if name in quasi_identifiers
        else {"role": Role.IDENTIFYING}
        for name in WIDE_QUASI_IDENTIFIERS
    }
    attributes[SENSITIVE] = {"role": Role.SENSITIVE}
    data = {"rows_are_people": True}  # what is left out repeats, and tells nobody apart
    release = {"suppression_limit": suppression_limit}
    return Policy(data=data, attributes=attributes, risk=list(risk), release=release)
