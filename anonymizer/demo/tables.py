"""The people of a fictional region: who lives where, and how traits go together.

Every table holds weights, not probabilities: a row need not sum to 1. The figures are invented,
with the United States of the 2020s in mind. Race and education are related only through where
people live.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

QUASI_IDENTIFIERS = ("age", "sex", "zip", "marital_status", "race", "education", "occupation")

OLDEST_AGE = 105

SEX = ("Female", "Male")

MARITAL_STATUS = (
    "Never married",
    "Married",
    "Domestic partnership",
    "Married, spouse absent",
    "Separated",
    "Divorced",
    "Widowed",
)

RACE = (
    "White",
    "Black",
    "Hispanic",
    "Asian",
    "Two or more races",
    "American Indian",
    "Pacific Islander",
    "Other",
)

EDUCATION = (
    "Below school age",
    "No schooling",
    "Primary school",
    "Middle school",
    "Some high school",
    "High school",
    "Some college",
    "Vocational associate degree",
    "Academic associate degree",
    "Bachelor",
    "Master",
    "Professional degree",
    "Doctorate",
)

NOT_WORKING = (
    "Child",
    "Student",
    "Homemaker",
    "Unemployed",
    "Unable to work",
    "Retired",
)

WORKING = (
    "Management",
    "Business and finance",
    "Engineering and computing",
    "Health professional",
    "Teaching",
    "Law, social work and culture",
    "Technical support",
    "Sales",
    "Clerical work",
    "Health and personal care",
    "Food service and cleaning",
    "Protective service",
    "Armed forces",
    "Farming and fishing",
    "Construction",
    "Repair and crafts",
    "Machine operation",
    "Transport and moving",
)

OCCUPATION = NOT_WORKING + WORKING


# -- Where people live ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Area:
    """A run of ZIP codes whose people have much in common."""

    name: str
    first_zip: int
    zips: int  # consecutive codes from `first_zip`
    residents: float  # share of the population, in percent
    skew: float  # 0: codes of equal size; 1: the n-th largest has 1/n of the largest
    affluence: float  # -1 .. 1, the mean of its codes
    contrast: float  # how far single codes lie from that mean
    ages: str  # key of AGE_PROFILES
    races: tuple[float, ...]  # weights in the order of RACE
    rural: bool
    nearness: float  # how readily its people go to this hospital: 1 for those next door


# No town has these codes: 001 to 004 are not assigned, and 09 is military mail. Codes with leading
# zeros are a trap worth having in a demo: read as numbers, they lose them.
# fmt: off
AREAS = (
    Area("Aldmere, centre", first_zip=101, zips=8, residents=4.5, skew=0.5,
         affluence=0.5, contrast=0.3, ages="young", rural=False, nearness=1,
         races=(50, 14, 13, 16, 5, 0.6, 0.3, 1.1)),
    Area("Aldmere, north side", first_zip=109, zips=18, residents=13, skew=0.3,
         affluence=0.1, contrast=0.5, ages="even", rural=False, nearness=1,
         races=(58, 14, 16, 6, 4, 0.7, 0.2, 1.1)),
    Area("Aldmere, south side", first_zip=127, zips=22, residents=15.5, skew=0.3,
         affluence=-0.6, contrast=0.3, ages="young", rural=False, nearness=0.9,
         races=(20, 43, 28, 3, 4, 0.8, 0.2, 1)),
    Area("Western suburbs", first_zip=201, zips=26, residents=14, skew=0.4,
         affluence=0.8, contrast=0.3, ages="family", rural=False, nearness=0.6,
         races=(72, 4, 7, 12, 4, 0.3, 0.1, 0.6)),
    Area("Eastern suburbs", first_zip=231, zips=30, residents=14.5, skew=0.4,
         affluence=-0.1, contrast=0.3, ages="family", rural=False, nearness=0.7,
         races=(62, 10, 19, 4, 4, 0.5, 0.1, 0.4)),
    Area("Port Elva", first_zip=301, zips=20, residents=12, skew=0.6,
         affluence=-0.4, contrast=0.5, ages="even", rural=False, nearness=0.3,
         races=(48, 18, 24, 4, 4, 0.8, 0.6, 0.6)),
    Area("Elva coast", first_zip=331, zips=24, residents=7.5, skew=0.8,
         affluence=0.3, contrast=0.5, ages="old", rural=False, nearness=0.25,
         races=(85, 3, 6, 2, 3, 0.5, 0.2, 0.3)),
    Area("Thornby, university town", first_zip=401, zips=5, residents=3.5, skew=0.4,
         affluence=0.3, contrast=0.3, ages="student", rural=False, nearness=0.3,
         races=(68, 6, 7, 13, 4, 0.4, 0.2, 1.4)),
    Area("Market towns", first_zip=411, zips=28, residents=8.5, skew=1,
         affluence=-0.2, contrast=0.3, ages="even", rural=False, nearness=0.2,
         races=(84, 4, 6, 1.5, 3, 1.1, 0.1, 0.3)),
    Area("Farmland", first_zip=441, zips=40, residents=5.5, skew=1,
         affluence=-0.3, contrast=0.3, ages="old", rural=True, nearness=0.15,
         races=(87, 1, 8, 0.5, 2, 1.2, 0.05, 0.25)),
    Area("The north", first_zip=9901, zips=24, residents=1.5, skew=1.2,
         affluence=-0.6, contrast=0.4, ages="old", rural=True, nearness=0.1,
         races=(71, 0.5, 2, 0.3, 4, 22, 0.05, 0.15)),
)
# fmt: on

ZIP = tuple(f"{area.first_zip + i:05d}" for area in AREAS for i in range(area.zips))
AREA_OF_ZIP = tuple(number for number, area in enumerate(AREAS) for _ in range(area.zips))


def zip_weights() -> list[float]:
    """Return the population share of each ZIP code, in percent."""
    weights = []
    for area in AREAS:
        # A stride coprime to every number of codes scatters the large codes over the area.
        ranks = [1 + (i * 19 + 3) % area.zips for i in range(area.zips)]
        sizes = [rank**-area.skew for rank in ranks]
        weights += [area.residents * size / sum(sizes) for size in sizes]
    return weights


def zip_affluence() -> list[float]:
    """Return the affluence of each ZIP code: neighbouring codes are alike, areas differ."""
    return [
        area.affluence + area.contrast * math.sin(0.8 * i)
        for area in AREAS
        for i in range(area.zips)
    ]


# -- Age and sex ------------------------------------------------------------------------------

# Residents by age, as straight lines between these ages.
AGE_KNOTS = (0, 5, 18, 20, 23, 27, 35, 45, 55, 65, 75, 85, 95, OLDEST_AGE)
AGE_PROFILES = {
    "even": (11, 12, 13, 13, 13, 14, 14, 13, 12.5, 11.5, 8.0, 3.2, 0.4, 0.005),
    "young": (12, 11, 11, 14, 19, 23, 19, 13, 10.0, 7.5, 4.5, 1.8, 0.2, 0.003),
    "family": (13, 15, 15, 10, 8, 9, 16, 17, 14.0, 10.0, 6.5, 2.6, 0.3, 0.004),
    "old": (8, 9, 10, 8, 8, 9, 11, 12, 15.0, 17.0, 13.0, 5.5, 0.6, 0.007),
    "student": (7, 7, 10, 60, 50, 22, 12, 9, 8.0, 7.5, 5.0, 2.0, 0.2, 0.003),
}

# Women among 100 people: fewer at birth, ever more in old age.
WOMEN_KNOTS = (0, 30, 50, 65, 75, 85, 95, OLDEST_AGE)
WOMEN = (48.8, 49.4, 50.4, 52.0, 55.0, 62.0, 74.0, 85.0)


# -- Race -------------------------------------------------------------------------------------

RACE_AGES = (0, 18, 40, 65)
RACE_BY_AGE = (
    (0.78, 1.15, 1.45, 1.05, 2.6, 1.1, 1.2, 1.0),
    (0.92, 1.10, 1.20, 1.20, 1.2, 1.0, 1.1, 1.1),
    (1.05, 0.95, 0.85, 1.00, 0.6, 1.0, 1.0, 1.0),
    (1.25, 0.80, 0.45, 0.65, 0.3, 0.8, 0.6, 0.8),
)  # fmt: skip


# -- Education --------------------------------------------------------------------------------

# Highest level reached or, for children, the school they attend; in the order of EDUCATION.
EDUCATION_AGES = (0, 6, 12, 15, 18, 20, 22, 25, 30, 45, 60, 75)
EDUCATION_BY_AGE = (
    (100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    (0, 0.6, 99.4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    (0, 0.4, 2.0, 97.6, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    (0, 0.3, 0.4, 6.0, 93.3, 0, 0, 0, 0, 0, 0, 0, 0),
    (0, 0.3, 0.4, 1.5, 21, 43, 33.8, 0, 0, 0, 0, 0, 0),
    (0, 0.3, 0.5, 1.5, 8, 32, 50, 3.5, 3.7, 0.5, 0, 0, 0),
    (0, 0.4, 0.6, 1.7, 6, 28, 31, 4.5, 5.3, 21, 1.5, 0, 0),
    (0, 0.5, 0.9, 1.8, 5, 26, 19, 4.5, 6.0, 26, 8.5, 1.3, 0.5),
    (0, 0.7, 1.5, 2.3, 5, 25, 16, 5.0, 6.0, 24, 11, 1.8, 1.7),
    (0, 0.8, 2.5, 2.9, 6, 28, 16, 5.5, 5.5, 20, 9.5, 1.6, 1.7),
    (0, 0.8, 2.6, 3.6, 7, 31, 18, 5.0, 4.0, 16, 9, 1.6, 1.4),
    (0, 1.3, 4.5, 7.7, 10, 34, 15, 3.5, 2.5, 12, 6.5, 1.8, 1.2),
)  # fmt: skip

# The odds of more education: multiplied by this for each unit of affluence, from school leavers on.
EDUCATION_AFFLUENCE = 2.8
# And for women, by age: ahead among the young, behind among those born before the 1950s.
EDUCATION_WOMEN = (1, 1, 1, 1, 1.2, 1.25, 1.3, 1.3, 1.2, 1.05, 0.9, 0.7)


# -- Marital status ---------------------------------------------------------------------------

# In the order of MARITAL_STATUS; men marry later, and leave more widows than women leave widowers.
MARITAL_AGES = (0, 18, 20, 23, 26, 30, 35, 45, 55, 65, 75, 85)
MARITAL_WOMEN = (
    (100, 0, 0, 0, 0, 0, 0),
    (95, 1.8, 2.7, 0.3, 0.1, 0.1, 0),
    (80, 8.5, 9.5, 0.8, 0.7, 0.5, 0.02),
    (64, 20, 12, 1.2, 1.3, 1.5, 0.05),
    (42, 40, 11, 1.6, 2.0, 3.3, 0.1),
    (26, 55, 8, 1.7, 2.8, 6.2, 0.3),
    (16, 61, 6, 1.7, 3.3, 11, 1.0),
    (12, 61, 4.5, 1.6, 3.2, 15.5, 2.2),
    (9, 60, 3.2, 1.5, 2.4, 18, 5.9),
    (6, 54, 2.2, 1.3, 1.5, 18, 17),
    (5, 38, 1.2, 1.8, 0.8, 12, 41),
    (5, 14, 0.5, 2.5, 0.3, 6, 72),
)  # fmt: skip
MARITAL_MEN = (
    (100, 0, 0, 0, 0, 0, 0),
    (97.5, 0.6, 1.6, 0.2, 0.1, 0, 0),
    (88, 4.2, 6.7, 0.6, 0.3, 0.2, 0.01),
    (75, 12, 10.5, 1.2, 0.6, 0.7, 0.02),
    (53, 30, 12, 1.7, 1.2, 2.0, 0.05),
    (34, 48, 9.5, 1.9, 2.0, 4.5, 0.1),
    (21, 59, 7, 2.0, 2.4, 8.3, 0.3),
    (15, 62, 5, 1.9, 2.5, 13, 0.6),
    (11, 64, 3.5, 1.6, 2.1, 16, 1.8),
    (6, 69, 2.5, 1.4, 1.4, 15, 4.7),
    (4, 68, 1.5, 1.9, 0.8, 9.8, 14),
    (4, 50, 0.8, 3.2, 0.5, 5.5, 36),
)  # fmt: skip


# -- Occupation -------------------------------------------------------------------------------

# First: at work, or why not; NOT_WORKING, then at work.
STATUS_AGES = (0, 6, 16, 18, 20, 23, 26, 35, 50, 55, 60, 62, 65, 70, 75)
STATUS_WOMEN = (
    (100, 0, 0, 0, 0, 0, 0),
    (0, 100, 0, 0, 0, 0, 0),
    (0, 84, 0.4, 1.6, 0.3, 0, 13.7),
    (0, 58, 2.0, 4.5, 0.7, 0, 34.8),
    (0, 38, 4.0, 5.0, 1.0, 0, 52),
    (0, 15, 8.0, 5.0, 1.5, 0, 70.5),
    (0, 4, 16, 4.0, 2.5, 0, 73.5),
    (0, 1.5, 17, 3.5, 4.5, 0.1, 73.4),
    (0, 0.4, 13, 3.0, 8.5, 2.0, 73.1),
    (0, 0.2, 12, 2.5, 11, 8.0, 66.3),
    (0, 0.1, 10, 2.0, 11, 20, 56.9),
    (0, 0.05, 8.0, 1.5, 9.0, 38, 43.4),
    (0, 0.02, 5.0, 0.8, 3.0, 66, 25.2),
    (0, 0.01, 3.5, 0.3, 1.5, 81, 13.7),
    (0, 0, 2.5, 0.1, 1.0, 92, 4.4),
)  # fmt: skip
STATUS_MEN = (
    (100, 0, 0, 0, 0, 0, 0),
    (0, 100, 0, 0, 0, 0, 0),
    (0, 83, 0, 2.0, 0.4, 0, 14.6),
    (0, 52, 0.2, 6.5, 0.9, 0, 40.4),
    (0, 32, 0.3, 7.0, 1.5, 0, 59.2),
    (0, 13, 0.5, 6.0, 2.0, 0, 78.5),
    (0, 3, 1.2, 4.5, 3.0, 0, 88.3),
    (0, 0.8, 1.6, 3.8, 4.5, 0.2, 89.1),
    (0, 0.2, 1.5, 3.5, 8.0, 2.8, 84),
    (0, 0.1, 1.4, 3.0, 11, 9.0, 75.5),
    (0, 0.05, 1.2, 2.5, 12, 18, 66.2),
    (0, 0.03, 1.0, 2.0, 10, 35, 52),
    (0, 0.01, 0.8, 1.0, 3.0, 62, 33.2),
    (0, 0, 0.6, 0.4, 1.5, 78, 19.5),
    (0, 0, 0.4, 0.2, 1.0, 91, 7.4),
)  # fmt: skip

# What schooling does to those odds, in the order of EDUCATION.
STATUS_BY_EDUCATION = (
    (1, 1, 1.0, 1.0, 1.0, 1.0, 1.0),
    (1, 1, 1.8, 1.6, 6.0, 1.0, 0.5),
    (1, 1, 1.7, 1.5, 3.0, 1.0, 0.7),
    (1, 1, 1.6, 1.7, 2.6, 1.0, 0.7),
    (1, 1, 1.5, 2.0, 2.3, 1.0, 0.8),
    (1, 0.5, 1.1, 1.3, 1.3, 1.0, 1.0),
    (1, 1.8, 0.9, 1.1, 1.0, 1.0, 1.0),
    (1, 0.7, 0.8, 0.8, 0.7, 1.0, 1.0),
    (1, 1.2, 0.8, 0.8, 0.7, 1.0, 1.0),
    (1, 1.0, 0.8, 0.7, 0.35, 0.95, 1.0),
    (1, 1.0, 0.6, 0.6, 0.25, 0.9, 1.1),
    (1, 0.3, 0.5, 0.4, 0.2, 0.7, 1.3),
    (1, 0.2, 0.4, 0.4, 0.2, 0.7, 1.3),
)  # fmt: skip

# Then: the work, in the order of WORKING, by schooling in the order of EDUCATION.
_LITTLE_SCHOOLING = (1.5, 0.3, 0.1, 0, 0, 0.1, 0.1, 6, 3, 7, 26, 1, 0, 7, 17, 6, 14, 14)
WORK_BY_EDUCATION = (
    _LITTLE_SCHOOLING,
    _LITTLE_SCHOOLING,
    _LITTLE_SCHOOLING,
    _LITTLE_SCHOOLING,
    (2.5, 0.5, 0.3, 0, 0.2, 0.2, 0.4, 13, 6, 9, 26, 1.5, 0.1, 2.5, 13, 6, 9, 14),
    (5.5, 1.8, 0.7, 0, 0.7, 0.6, 1.2, 12, 15, 8, 13, 3, 0.8, 1.3, 9, 8, 9, 12),
    (8, 3.5, 2, 0, 2.5, 1.6, 3.5, 15, 17, 9, 11, 4.5, 1.2, 0.8, 5, 6, 5, 7),
    (8, 3, 4, 14, 2, 1.5, 10, 9, 13, 9, 5, 4, 0.7, 0.7, 4.5, 9, 4.5, 3),
    (10, 5, 4.5, 12, 4, 3, 6, 12, 15, 7, 6, 4, 0.8, 0.6, 3, 4, 3, 3),
    (17, 13, 13, 8, 10, 7, 3, 13, 8, 2.5, 2.5, 3, 0.8, 0.5, 1.2, 1.2, 0.8, 1),
    (20, 14, 12, 9, 24, 9, 2, 5, 3, 1, 0.5, 1, 0.6, 0.2, 0.3, 0.3, 0.2, 0.3),
    (8, 5, 2, 48, 3, 30, 0.5, 1.5, 1, 0.3, 0.1, 0.3, 0.5, 0.1, 0.1, 0.1, 0.05, 0.05),
    (12, 5, 24, 14, 36, 7, 1, 0.6, 0.4, 0.1, 0.05, 0.1, 0.2, 0.1, 0.05, 0.05, 0.02, 0.02),
)  # fmt: skip
# How much likelier the same work is for a woman, in the country, and by age.
WORK_OF_WOMEN = (
    0.7, 1.1, 0.3, 3.0, 2.8, 1.4, 0.9, 1.0, 2.6, 5.5, 1.3, 0.3, 0.18, 0.3, 0.04, 0.06, 0.4, 0.22,
)  # fmt: skip
WORK_IN_THE_COUNTRY = (
    0.8, 0.5, 0.4, 0.8, 0.9, 0.5, 0.7, 0.8, 0.8, 1.0, 0.8, 0.8, 1.0, 14, 1.3, 1.2, 1.1, 1.2,
)  # fmt: skip
WORK_AGES = (0, 18, 23, 60)
WORK_BY_AGE = (
    (0, 0, 0.1, 0, 0, 0.2, 0.2, 2.0, 0.5, 0.8, 3.0, 0.2, 0, 1.5, 0.3, 0.3, 0.2, 0.7),
    (0.3, 0.6, 0.8, 0.7, 0.7, 0.7, 1.0, 1.5, 1.0, 1.2, 1.8, 0.8, 4.0, 1.0, 0.9, 0.8, 0.8, 1.0),
    (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
    (1.2, 1.1, 0.7, 1.0, 1.0, 1.2, 0.7, 1.1, 1.3, 0.9, 0.9, 0.5, 0, 1.8, 0.5, 0.8, 0.9, 1.1),
)  # fmt: skip
