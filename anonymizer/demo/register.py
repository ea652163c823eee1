"""A hospital's discharge register: a sample of the population with what brought them there."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from anonymizer.demo import tables
from anonymizer.demo.diagnoses import DIAGNOSES, DIAGNOSIS, RATE_AGES
from anonymizer.demo.draws import Codes, band, labels, pick, stream, uniforms

Weights = NDArray[np.float64]

DAYS = tuple(datetime.date(2024, 1, 1) + datetime.timedelta(days=day) for day in range(366))
ADMISSION_DATE = tuple(day.isoformat() for day in DAYS)

PATIENT_NUMBERS = 10_000_000
# Admissions by weekday, Monday first, for emergencies and for planned stays.
EMERGENCY_WEEK = (1.12, 1.06, 1.03, 1.01, 1.02, 0.89, 0.87)
PLANNED_WEEK = (1.55, 1.45, 1.35, 1.25, 1.00, 0.08, 0.32)
STAY_PER_YEAR = 0.012  # how much longer than at 50 a stay is for each further year of age


def register(
    people: pd.DataFrame,
    size: int = 30_000,
    seed: int = 2024,
    *,
    by_need: bool = False,
    keep_person_id: bool = False,
) -> pd.DataFrame:
    """Sample the discharge register of one hospital in 2024 from a `population`, a stay a person.

    By default the patients are a simple random sample without replacement, which is what
    estimators of population risk assume. With `by_need` the chance of being sampled grows with
    the rate of hospital stays at a person's age and sex, and falls with the distance from the
    hospital in Aldmere. Patients are then older and live nearer than the population, and those
    estimators are biased.

    Columns: `patient_id` (string, "P" and 7 digits), the quasi-identifiers as in `people`,
    `admission_date` (string, an ISO day), `diagnosis` (string) and `length_of_stay` (integer,
    days, at least 1). Rows are in order of admission. `keep_person_id` adds the column `person_id`
    of `people` at the end: the truth, which no hospital has.

    >>> from anonymizer.demo import population
    >>> register(population(100), size=3).columns.tolist()[:4]
    ['patient_id', 'age', 'sex', 'zip']
    """
    if not 1 <= size <= len(people):
        raise ValueError(f"a register has 1 to {len(people)} rows, one for a person; got {size}")
    chances = need(people) if by_need else np.ones(len(people))
    patients = people.iloc[sample(chances, size, seed)].reset_index(drop=True)
    diagnoses = draw_diagnosis(patients, seed)
    days = draw_day(diagnoses, seed)
    stays = pd.DataFrame(
        {
            "patient_id": draw_patient_id(size, seed),
            **{name: patients[name] for name in tables.QUASI_IDENTIFIERS},
            "admission_date": labels(ADMISSION_DATE, days),
            "diagnosis": labels(DIAGNOSIS, diagnoses),
            "length_of_stay": draw_stay(patients["age"].to_numpy(), diagnoses, seed),
            **({"person_id": patients["person_id"]} if keep_person_id else {}),
        }
    )
    return stays.iloc[np.argsort(days, kind="stable")].reset_index(drop=True)


def sample(chances: Weights, size: int, seed: int) -> NDArray[np.intp]:
    """Draw positions without replacement, each next one with a probability as its chance.

    The smallest arrival times of Efraimidis and Spirakis (2006); equal chances make it a simple
    random sample.
    """
    arrivals = -np.log1p(-uniforms(seed, "register/sample", len(chances))) / chances
    return np.argsort(arrivals, kind="stable")[:size]


def need(people: pd.DataFrame) -> Weights:
    """Return how likely each person is to be a patient of this hospital, relative to others."""
    stays_by_group: Weights = stay_rates().sum(axis=1)
    nearness = {
        code: tables.AREAS[area].nearness
        for code, area in zip(tables.ZIP, tables.AREA_OF_ZIP, strict=True)
    }
    return stays_by_group[group(people)] * people["zip"].map(nearness).to_numpy(np.float64)


def stay_rates() -> Weights:
    """Return stays a year among 10,000 people: groups as in `group` by diagnoses."""
    both = np.array([diagnosis.rates for diagnosis in DIAGNOSES], dtype=np.float64).T
    women = np.array([diagnosis.women for diagnosis in DIAGNOSES])
    return np.concatenate([both * 2 * women, both * 2 * (1 - women)])


def group(people: pd.DataFrame) -> NDArray[np.intp]:
    """Return each person's row of `stay_rates`: women by age, then men by age."""
    is_man = (people["sex"] == "Male").to_numpy(dtype=np.intp)
    return is_man * len(RATE_AGES) + band(people["age"].to_numpy(), RATE_AGES)


def draw_diagnosis(patients: pd.DataFrame, seed: int) -> Codes:
    """Draw the main diagnosis of each patient by age and sex, as codes of `DIAGNOSIS`."""
    chance = uniforms(seed, "register/diagnosis", len(patients))
    return pick(stay_rates(), group(patients), chance)


def draw_day(diagnoses: Codes, seed: int) -> Codes:
    """Draw the day of admission by diagnosis, as codes of `ADMISSION_DATE`."""
    chance = uniforms(seed, "register/admission_date", len(diagnoses))
    return pick(day_weights(), diagnoses, chance)


def day_weights() -> Weights:
    """Return the admissions of each diagnosis by day of the year: its week and its season."""
    weekdays = np.array([day.weekday() for day in DAYS])
    season = np.cos(2 * np.pi * (np.arange(len(DAYS)) - 20) / len(DAYS))  # coldest on 21 January
    weeks = np.array([PLANNED_WEEK if each.planned else EMERGENCY_WEEK for each in DIAGNOSES])
    winter: Weights = np.array([diagnosis.winter for diagnosis in DIAGNOSES])
    weights: Weights = weeks[:, weekdays] * (1 + winter[:, None] * season)
    return weights


def draw_stay(ages: NDArray[np.integer], diagnoses: Codes, seed: int) -> NDArray[np.int64]:
    """Draw the length of each stay in days: geometric, with a mean by diagnosis and age."""
    chance = uniforms(seed, "register/length_of_stay", len(ages))
    means = np.array([diagnosis.stay for diagnosis in DIAGNOSES])[diagnoses]
    means *= 1 + STAY_PER_YEAR * np.maximum(ages - 50, 0)
    days = np.ceil(np.log1p(-chance) / np.log1p(-1 / means))
    return np.maximum(days, 1).astype(np.int64)


def draw_patient_id(size: int, seed: int) -> list[str]:
    """Draw distinct patient numbers that say nothing about person, day or order."""
    numbers = stream(seed, "register/patient_id").choice(PATIENT_NUMBERS, size, replace=False)
    return [f"P{number:07d}" for number in numbers]
