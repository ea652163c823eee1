"""A synthetic population: people whose traits go together as those of real people do."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from anonymizer.demo import tables
from anonymizer.demo.draws import Codes, band, labels, pick, tilt, uniforms

Weights = NDArray[np.float64]

SCHOOL_LEAVING_AGE = 18


def population(size: int = 1_000_000, seed: int = 2024) -> pd.DataFrame:
    """Make up `size` people of a fictional region; the same size and seed give the same people.

    Columns: `person_id` (integer, 0 .. size - 1) and the quasi-identifiers `age` (integer, years,
    0 .. 105), `sex`, `zip`, `marital_status`, `race`, `education`, `occupation` (strings, with the
    values of `SEX`, `ZIP`, `MARITAL_STATUS`, `RACE`, `EDUCATION`, `OCCUPATION`). People are drawn
    one by one: fewer people with the same seed are the first ones of more people.

    >>> population(3).columns.tolist()[:4]
    ['person_id', 'age', 'sex', 'zip']
    """
    if size < 1:
        raise ValueError(f"a population has at least 1 person, got {size}")
    zips = draw_zip(size, seed)
    areas = np.array(tables.AREA_OF_ZIP)[zips]
    ages = draw_age(areas, seed)
    sexes = draw_sex(ages, seed)
    educations = draw_education(ages, sexes, zips, seed)
    return pd.DataFrame(
        {
            "person_id": np.arange(size),
            "age": ages.astype(np.int64),
            "sex": labels(tables.SEX, sexes),
            "zip": labels(tables.ZIP, zips),
            "marital_status": labels(tables.MARITAL_STATUS, draw_marital_status(ages, sexes, seed)),
            "race": labels(tables.RACE, draw_race(ages, areas, seed)),
            "education": labels(tables.EDUCATION, educations),
            "occupation": labels(
                tables.OCCUPATION, draw_occupation(ages, sexes, areas, educations, seed)
            ),
        }
    )


def draw_zip(size: int, seed: int) -> Codes:
    """Draw where each person lives, as codes of `ZIP`."""
    everywhere = np.zeros(size, dtype=np.intp)
    return pick([tables.zip_weights()], everywhere, uniforms(seed, "zip", size))


def draw_age(areas: NDArray[np.integer], seed: int) -> Codes:
    """Draw the age of each person, in years."""
    years = np.arange(tables.OLDEST_AGE + 1)
    weights = [
        np.interp(years, tables.AGE_KNOTS, tables.AGE_PROFILES[area.ages]) for area in tables.AREAS
    ]
    return pick(weights, areas, uniforms(seed, "age", len(areas)))


def draw_sex(ages: Codes, seed: int) -> Codes:
    """Draw the sex of each person, as codes of `SEX`."""
    years = np.arange(tables.OLDEST_AGE + 1)
    women = np.interp(years, tables.WOMEN_KNOTS, tables.WOMEN)
    return pick(np.column_stack([women, 100 - women]), ages, uniforms(seed, "sex", len(ages)))


def draw_race(ages: Codes, areas: NDArray[np.integer], seed: int) -> Codes:
    """Draw the race of each person, as codes of `RACE`."""
    by_area = np.array([area.races for area in tables.AREAS])
    weights = by_area[:, None] * np.array(tables.RACE_BY_AGE)
    rows = areas * len(tables.RACE_AGES) + band(ages, tables.RACE_AGES)
    return pick(flatten(weights), rows, uniforms(seed, "race", len(ages)))


def draw_education(ages: Codes, sexes: Codes, zips: Codes, seed: int) -> Codes:
    """Draw the education of each person, as codes of `EDUCATION`."""
    rows = band(ages, tables.EDUCATION_AGES)
    affluence = tables.EDUCATION_AFFLUENCE ** np.array(tables.zip_affluence())
    odds = np.where(ages >= SCHOOL_LEAVING_AGE, affluence[zips], 1.0)
    odds *= np.where(sexes == tables.SEX.index("Female"), np.array(tables.EDUCATION_WOMEN)[rows], 1)
    chance = tilt(uniforms(seed, "education", len(ages)), odds)
    return pick(tables.EDUCATION_BY_AGE, rows, chance)


def draw_marital_status(ages: Codes, sexes: Codes, seed: int) -> Codes:
    """Draw the marital status of each person, as codes of `MARITAL_STATUS`."""
    weights = np.array([tables.MARITAL_WOMEN, tables.MARITAL_MEN])
    rows = sexes * len(tables.MARITAL_AGES) + band(ages, tables.MARITAL_AGES)
    return pick(flatten(weights), rows, uniforms(seed, "marital_status", len(ages)))


def draw_occupation(
    ages: Codes, sexes: Codes, areas: NDArray[np.integer], educations: Codes, seed: int
) -> Codes:
    """Draw the occupation of each person, as codes of `OCCUPATION`."""
    status = draw_status(ages, sexes, educations, seed)
    work = len(tables.NOT_WORKING) + draw_work(ages, sexes, areas, educations, seed)
    return np.where(status < len(tables.NOT_WORKING), status, work)


def draw_status(ages: Codes, sexes: Codes, educations: Codes, seed: int) -> Codes:
    """Draw who is at work and why others are not, as codes of `NOT_WORKING` and one more."""
    by_age = np.array([tables.STATUS_WOMEN, tables.STATUS_MEN])
    weights = by_age[:, :, None] * np.array(tables.STATUS_BY_EDUCATION)
    rows = sexes * len(tables.STATUS_AGES) + band(ages, tables.STATUS_AGES)
    rows = rows * len(tables.EDUCATION) + educations
    return pick(flatten(weights), rows, uniforms(seed, "status", len(ages)))


def draw_work(
    ages: Codes, sexes: Codes, areas: NDArray[np.integer], educations: Codes, seed: int
) -> Codes:
    """Draw the work each person would do if at work, as codes of `WORKING`."""
    by_sex = np.array([tables.WORK_OF_WOMEN, np.ones(len(tables.WORKING))])
    by_place = np.array([np.ones(len(tables.WORKING)), tables.WORK_IN_THE_COUNTRY])
    by_age = np.array(tables.WORK_BY_AGE)[:, None] * np.array(tables.WORK_BY_EDUCATION)
    weights = by_sex[:, None, None, None] * by_place[:, None, None] * by_age
    rural = np.array([area.rural for area in tables.AREAS])[areas]
    rows = (sexes * 2 + rural) * len(tables.WORK_AGES) + band(ages, tables.WORK_AGES)
    rows = rows * len(tables.EDUCATION) + educations
    return pick(flatten(weights), rows, uniforms(seed, "work", len(ages)))


def flatten(weights: Weights) -> Weights:
    """Turn weights by several conditions into one row for each combination of them."""
    return weights.reshape(-1, weights.shape[-1])
