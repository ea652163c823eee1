"""Twelve further traits of the people of a population, each drawn by those before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from anonymizer.demo import tables
from anonymizer.demo.diagnoses import DIAGNOSES
from anonymizer.demo.draws import Codes, Uniforms, band, pick, stream, tilt, uniforms
from anonymizer.demo.population import SCHOOL_LEAVING_AGE, flatten
from experiments.benchmark import wide_tables as wide

Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]
Reals = NDArray[np.float64]

WOMAN = tables.SEX.index("Female")
BACHELOR = tables.EDUCATION.index("Bachelor")
STUDENT = tables.OCCUPATION.index("Student")
SOLDIER = tables.OCCUPATION.index("Armed forces")
AMERICAN_INDIAN = tables.RACE.index("American Indian")
PARTNER = 1  # of `UNION`


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """A population as numbers: ages, and codes of the vocabularies in `tables`."""

    seed: int
    ages: Numbers
    sexes: Numbers
    zips: Numbers
    unions: Numbers  # as in `UNION`
    races: Numbers
    educations: Numbers
    occupations: Numbers

    @staticmethod
    def of(people: pd.DataFrame, seed: int) -> People:
        """Number the traits of a `population`."""
        marital = codes_of(people["marital_status"], tables.MARITAL_STATUS)
        return People(
            seed,
            people["age"].to_numpy(np.int64),
            codes_of(people["sex"], tables.SEX),
            codes_of(people["zip"], tables.ZIP),
            np.array(wide.UNION)[marital],
            codes_of(people["race"], tables.RACE),
            codes_of(people["education"], tables.EDUCATION),
            codes_of(people["occupation"], tables.OCCUPATION),
        )

    def chance(self, trait: str) -> Uniforms:
        """Draw one number in [0, 1) for each person, for one trait."""
        return uniforms(self.seed, f"wide/{trait}", self.ages.size)

    def normal(self, trait: str) -> Reals:
        """Draw one standard normal number for each person, for one trait."""
        return stream(self.seed, f"wide/{trait}").standard_normal(self.ages.size)

    @property
    def women(self) -> Mask:
        """Who is a woman or a girl."""
        return np.equal(self.sexes, WOMAN)

    @property
    def adults(self) -> Mask:
        """Who is of age."""
        return self.ages >= SCHOOL_LEAVING_AGE

    @property
    def at_work(self) -> Mask:
        """Who is at work."""
        return self.occupations >= len(tables.NOT_WORKING)

    @property
    def graduates(self) -> Mask:
        """Who has a university degree."""
        return self.educations >= BACHELOR

    @property
    def rural(self) -> Mask:
        """Who lives in the country."""
        rural_zips = np.array([area.rural for area in tables.AREAS])[list(tables.AREA_OF_ZIP)]
        return np.asarray(rural_zips[self.zips])

    @property
    def affluence(self) -> Reals:
        """How affluent the ZIP code of each person is, about -1 to 1."""
        return np.array(tables.zip_affluence())[self.zips]


def codes_of(column: pd.Series[str], values: Sequence[str]) -> Numbers:
    """Return the place of each cell among the values.

    >>> codes_of(pd.Series(["Male", "Female"]), tables.SEX).tolist()
    [1, 0]
    """
    return pd.Index(values).get_indexer(pd.Index(column)).astype(np.int64)


def odds(percent: ArrayLike) -> Reals:
    """Turn percentages into odds.

    >>> odds([50, 75]).tolist()
    [1.0, 3.0]
    """
    share = np.asarray(percent, dtype=np.float64) / 100
    return share / (1 - share)


def happens(chance: Uniforms, at_odds: Reals) -> Mask:
    """Tell for whom an event of these odds happens.

    >>> happens(np.array([0.7, 0.8]), odds([75])).tolist()
    [True, False]
    """
    return chance * (1 + at_odds) < at_odds


# -- Where people come from -------------------------------------------------------------------


def draw_country(people: People) -> Numbers:
    """Draw the country of birth by race, age and place, as codes of `COUNTRY_OF_BIRTH`."""
    by_age = np.array(wide.BORN_ABROAD_BY_AGE)[band(people.ages, wide.BORN_ABROAD_AGES)]
    by_place = np.where(people.rural, wide.BORN_ABROAD_RURAL, 1.0)
    abroad = happens(
        people.chance("abroad"), odds(wide.BORN_ABROAD)[people.races] * by_age * by_place
    )
    births = np.array([weights for _, _, weights in wide.ORIGINS.values()]).T
    origin = pick(births, people.races, people.chance("country_of_birth"))
    return np.where(abroad, 1 + origin.astype(np.int64), 0)


def draw_language(people: People, countries: Numbers) -> Numbers:
    """Draw the language at home by country of birth, race and schooling, as codes of `LANGUAGE`."""
    heritage = pick(wide.HERITAGE, people.races, people.chance("heritage"))
    tongue = np.where(countries > 0, np.array(wide.MOTHER_TONGUE)[countries], heritage)
    kept = np.where(
        countries > 0, wide.KEPT_BY_IMMIGRANTS, np.array(wide.KEPT_BY_NATIVES)[people.races]
    )
    by_schooling = np.where(people.graduates, wide.KEPT_BY_GRADUATES, 1.0)
    return np.where(happens(people.chance("language"), odds(kept) * by_schooling), tongue, 0)


def draw_religion(people: People, countries: Numbers) -> Codes:
    """Draw the religion by race, region of birth and age, as codes of `RELIGION`."""
    by_age = np.ones((len(wide.RELIGION_AGES), len(wide.RELIGION)))
    by_age[:, 0] = wide.UNAFFILIATED_BY_AGE
    by_region = np.array(wide.RELIGION_BY_REGION)[:, None] * by_age
    weights = np.array(wide.RELIGION_BY_RACE)[:, None, None] * by_region
    regions = np.array(wide.REGION_OF_COUNTRY)[countries]
    rows = (people.races * len(wide.REGIONS) + regions) * len(wide.RELIGION_AGES)
    rows += band(people.ages, wide.RELIGION_AGES)
    return pick(flatten(weights), rows, people.chance("religion"))


# -- Body -------------------------------------------------------------------------------------


def draw_height(people: People) -> Numbers:
    """Draw the height by age, sex and race, in whole centimetres."""
    women = np.interp(people.ages, wide.HEIGHT_AGES, wide.HEIGHT_WOMEN)
    men = np.interp(people.ages, wide.HEIGHT_AGES, wide.HEIGHT_MEN)
    means = np.where(people.women, women, men)
    means += np.array(wide.HEIGHT_BY_RACE)[people.races] * np.minimum(people.ages / 18, 1)
    heights = means * (1 + wide.HEIGHT_SPREAD * people.normal("height"))
    return np.clip(np.rint(heights), *wide.HEIGHT).astype(np.int64)


# -- Family and home --------------------------------------------------------------------------


def draw_children(people: People) -> Numbers:
    """Draw the number of children by marital status, age, race and schooling."""
    rows = people.unions * len(wide.CHILDREN_AGES) + band(people.ages, wide.CHILDREN_AGES)
    more = np.array(wide.CHILDREN_BY_RACE)[people.races]
    more *= np.where(people.graduates, wide.CHILDREN_OF_GRADUATES, 1.0)
    chance = tilt(people.chance("children"), more)
    return pick(flatten(np.array(wide.CHILDREN_BY_UNION)), rows, chance).astype(np.int64)


def draw_housing(people: People) -> Codes:
    """Draw the kind of home by age, marital status, work and affluence, as codes of `HOUSING`."""
    by_work = np.array(
        [
            np.ones(len(wide.HOUSING)),
            wide.HOUSING_OF_STUDENTS,
            wide.HOUSING_OF_SOLDIERS,
            wide.HOUSING_OF_WORKERS,
        ]
    )
    by_union = np.array([np.ones(len(wide.HOUSING)), wide.HOUSING_ALONE])
    weights = by_work[:, None, None] * by_union[:, None] * np.array(wide.HOUSING_BY_AGE)
    kinds = [people.occupations == STUDENT, people.occupations == SOLDIER, people.at_work]
    alone = people.adults & (people.unions != PARTNER)
    rows = np.select(kinds, [1, 2, 3], 0) * 2 + alone
    rows = rows * len(wide.HOUSING_AGES) + band(people.ages, wide.HOUSING_AGES)
    chance = tilt(people.chance("housing"), wide.HOUSING_AFFLUENCE**people.affluence)
    return pick(flatten(weights), rows, chance)


def draw_household(people: People, children: Numbers, housing: Codes) -> Numbers:
    """Draw the number of people in the household by marital status, age, race and children."""
    rows = people.unions * len(wide.HOUSEHOLD_AGES) + band(people.ages, wide.HOUSEHOLD_AGES)
    more = np.array(wide.HOUSEHOLD_BY_RACE)[people.races]
    chance = tilt(people.chance("household_size"), more)
    others = 1 + pick(flatten(np.array(wide.HOUSEHOLD_BY_UNION)), rows, chance)
    together = np.minimum(others + at_home(people, children), wide.MOST_IN_HOUSEHOLD)
    collective = np.isin(housing, [wide.HOUSING.index(kind) for kind in wide.COLLECTIVE])
    return np.where(collective & people.adults, 1, together).astype(np.int64)


def at_home(people: People, children: Numbers) -> Numbers:
    """Draw how many of their children live with people, by age and, without a partner, by sex."""
    share = np.interp(people.ages, wide.AT_HOME_AGES, wide.AT_HOME)
    father_alone = ~people.women & (people.unions != PARTNER)
    share *= np.where(father_alone, wide.AT_HOME_WITH_FATHER_ALONE, 1.0)
    return np.floor(children * share + people.chance("at_home")).astype(np.int64)


def draw_moved_in(people: People, housing: Codes) -> Numbers:
    """Draw the year of the last move by kind of home and age."""
    means = np.array(wide.YEARS_THERE)[housing]
    years = np.floor(-np.log1p(-people.chance("moved_in")) * means)
    moved_in: Numbers = wide.THIS_YEAR - np.minimum(years, people.ages).astype(np.int64)
    return moved_in


# -- Work and means ---------------------------------------------------------------------------


def draw_hours(people: People) -> Numbers:
    """Draw the hours of work a week by occupation, sex and age; 0 for those not at work."""
    occupations = np.where(people.at_work, people.occupations - len(tables.NOT_WORKING), 0)
    fields = np.array(wide.FIELD_OF_WORK)[occupations]
    rows = (fields * 2 + people.women) * len(wide.HOURS_AGES) + band(people.ages, wide.HOURS_AGES)
    hours = 1 + pick(hour_weights(), rows, people.chance("weekly_hours"))
    return np.where(people.at_work, hours, 0).astype(np.int64)


def hour_weights() -> Reals:
    """Return how the working spread over 1 to 80 hours: by field, sex (women last) and age."""
    hours = np.arange(1, wide.MOST_HOURS + 1)
    told = np.where(hours % 10 == 0, wide.TENS, np.where(hours % 5 == 0, wide.FIVES, 1))
    spans = band(hours, wide.HOURS_FROM)
    within_span = told / np.bincount(spans, told)[spans]
    by_sex = np.array([np.ones(len(wide.HOURS_FROM)), wide.HOURS_OF_WOMEN])
    by_age = by_sex[:, None] * np.array(wide.HOURS_BY_AGE)
    weights = np.array(wide.FIELDS)[:, None, None] * by_age
    return flatten(weights)[:, spans] * within_span


def draw_income(people: People, hours: Numbers) -> Reals:
    """Draw the household income by schooling, work, marital status and affluence, in dollars."""
    by_work = np.append(wide.INCOME_WITHOUT_WORK, 1.0)
    work = by_work[np.minimum(people.occupations, len(tables.NOT_WORKING))]
    full_time = np.where(hours > 0, np.sqrt(hours / 40), 1.0)  # others in the household earn too
    medians = wide.MEDIAN_INCOME * np.array(wide.INCOME_BY_EDUCATION)[people.educations]
    medians *= work * full_time * wide.INCOME_AFFLUENCE**people.affluence
    medians *= np.where(people.unions == PARTNER, wide.INCOME_OF_COUPLES, 1.0)
    incomes: Reals = medians * np.exp(wide.INCOME_SPREAD * people.normal("income"))
    return incomes


def draw_insurance(people: People, countries: Numbers, incomes: Reals) -> Codes:
    """Draw the health insurance by age, income, work and origin, as codes of `INSURANCE`."""
    groups = np.array(
        [
            np.ones(len(wide.INSURANCE)),
            wide.INSURANCE_OF_SOLDIERS,
            wide.INSURANCE_OF_AMERICAN_INDIANS,
            wide.INSURANCE_OF_IMMIGRANTS,
        ]
    )
    by_income = np.array(wide.INSURANCE_BY_INCOME)[:, None] * np.array(wide.INSURANCE_BY_AGE)
    weights = groups[:, None, None] * by_income
    kinds = [people.occupations == SOLDIER, people.races == AMERICAN_INDIAN, countries > 0]
    rows = np.select(kinds, [1, 2, 3], 0) * len(wide.INSURANCE_INCOMES)
    rows += np.searchsorted(wide.INSURANCE_INCOMES, incomes, side="right") - 1
    rows = rows * len(wide.INSURANCE_AGES) + band(people.ages, wide.INSURANCE_AGES)
    return pick(flatten(weights), rows, people.chance("insurance"))


# -- The way into hospital --------------------------------------------------------------------


def draw_route(people: People, diagnoses: Codes, housing: Codes) -> Numbers:
    """Draw how patients came in by diagnosis, age and place, as codes of `ADMISSION_ROUTE`."""
    by_need = np.array([*wide.ROUTE_UNPLANNED, wide.ROUTE_PLANNED, wide.ROUTE_OF_NEWBORNS])
    by_place = np.array([np.ones(len(wide.ADMISSION_ROUTE)), wide.ROUTE_RURAL])
    planned = np.array([each.planned for each in DIAGNOSES])[diagnoses]
    newborn = np.array([each.name[0] == wide.NEWBORN_CHAPTER for each in DIAGNOSES])[diagnoses]
    ages = len(wide.ROUTE_AGES)
    needs = np.select([newborn, planned], [ages + 1, ages], band(people.ages, wide.ROUTE_AGES))
    rows = people.rural * len(by_need) + needs
    routes = pick(flatten(by_place[:, None] * by_need), rows, people.chance("admission_route"))
    from_care = (housing == wide.HOUSING.index("Care home")) & ~planned
    from_care &= happens(people.chance("care_home"), odds(np.full(1, wide.ROUTE_FROM_CARE_HOME)))
    return np.where(from_care, wide.ADMISSION_ROUTE.index("Care home"), routes)
