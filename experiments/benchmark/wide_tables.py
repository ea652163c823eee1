"""What else a register tells of people: twelve traits, and what each depends on.

As in `tables`, every table holds weights, not probabilities, and the figures are invented with the
United States of the 2020s in mind.
"""

from __future__ import annotations

# -- Where people come from -------------------------------------------------------------------

NATIVE = "United States"

# Who was born abroad, in percent: by race in the order of RACE, and the odds of it by age.
BORN_ABROAD = (5, 11, 33, 60, 10, 2, 18, 35)
BORN_ABROAD_AGES = (0, 6, 18, 30, 65)
BORN_ABROAD_BY_AGE = (0.05, 0.2, 0.7, 1.4, 1.0)
BORN_ABROAD_RURAL = 0.5  # odds in the country

# Each country: region, language, and weights of births abroad by race in the order of RACE.
# fmt: off
ORIGINS = {
    #                       region              language          W   B   H   A   2+  AI  PI  O
    "Mexico":             ("Latin America",  "Spanish",         (4,  0, 55,  0, 12, 40,  0, 10)),
    "Guatemala":          ("Latin America",  "Spanish",         (0,  0,  7,  0,  1, 20,  0,  3)),
    "El Salvador":        ("Latin America",  "Spanish",         (0,  0,  8,  0,  1,  5,  0,  3)),
    "Honduras":           ("Latin America",  "Spanish",         (0, .5,  5,  0,  1,  5,  0,  2)),
    "Cuba":               ("Latin America",  "Spanish",         (2,  1,  6,  0,  2,  0,  0,  1)),
    "Dominican Republic": ("Latin America",  "Spanish",         (0,  5,  7,  0,  4,  0,  0,  3)),
    "Haiti":              ("Latin America",  "Haitian Creole",  (0, 17,  0,  0,  2,  0,  0,  0)),
    "Jamaica":            ("Latin America",  "English",         (0, 18,  0, .2,  4,  0,  0,  0)),
    "Colombia":           ("Latin America",  "Spanish",         (2, .5,  5,  0,  2,  2,  0,  1)),
    "Venezuela":          ("Latin America",  "Spanish",         (2, .2,  4,  0,  2,  1,  0,  1)),
    "Brazil":             ("Latin America",  "Portuguese",      (5,  1,  2, .2,  7,  2,  0,  8)),
    "Canada":             ("Western world",  "English",         (12, 1, .1,  1,  8, 20,  1,  4)),
    "United Kingdom":     ("Western world",  "English",         (9,  3, .1,  1,  6,  0,  1,  3)),
    "Germany":            ("Western world",  "German",          (8,  1, .1, .1,  6,  0,  0,  2)),
    "Italy":              ("Western world",  "Italian",         (5, .2, .1,  0,  2,  0,  0,  1)),
    "Australia":          ("Western world",  "English",         (2, .1,  0, .2,  2,  0,  6,  1)),
    "Poland":             ("Eastern Europe", "Polish",          (8,  0,  0,  0,  1,  0,  0,  1)),
    "Ukraine":            ("Eastern Europe", "Ukrainian",       (8,  0,  0,  0,  1,  0,  0,  1)),
    "Russia":             ("Eastern Europe", "Russian",         (9,  0,  0, .2,  1,  0,  0,  1)),
    "Iran":               ("Middle East",    "Persian",         (7,  0,  0,  1,  3,  0,  0, 12)),
    "Iraq":               ("Middle East",    "Arabic",          (5,  0,  0,  0,  2,  0,  0, 14)),
    "Egypt":              ("Middle East",    "Arabic",          (4,  1,  0,  0,  2,  0,  0,  9)),
    "India":              ("South Asia",     "Hindi",           (.5, .2, 0, 26,  4,  0,  0, 12)),
    "Philippines":        ("East Asia",      "Tagalog",         (.5,  0, .3, 17, 8,  0, 12,  3)),
    "China":              ("East Asia",      "Chinese",         (.3,  0,  0, 26, 4,  0,  1,  1)),
    "Vietnam":            ("East Asia",      "Vietnamese",      (.1,  0,  0, 13, 2,  0,  0,  1)),
    "South Korea":        ("East Asia",      "Korean",          (.2,  0,  0,  9, 4,  0,  0,  1)),
    "Japan":              ("East Asia",      "Japanese",        (.2,  0,  0,  4, 4,  0,  1,  1)),
    "Nigeria":            ("Africa",         "Yoruba",          (0, 17,  0,  0,  2,  0,  0,  0)),
    "Ethiopia":           ("Africa",         "Amharic",         (0, 12,  0,  0,  1,  0,  0,  1)),
    "Somalia":            ("Africa",         "Somali",          (0,  8,  0,  0,  1,  0,  0,  1)),
    "Samoa":              ("Pacific",        "Samoan",          (0,  0,  0,  0,  1,  0, 55,  1)),
}

COUNTRY_OF_BIRTH = (NATIVE, *ORIGINS)
REGIONS = (NATIVE, *dict.fromkeys(region for region, _, _ in ORIGINS.values()))
REGION_OF_COUNTRY = (0, *(REGIONS.index(region) for region, _, _ in ORIGINS.values()))

LANGUAGE = (
    "English", "Spanish", "Portuguese", "Haitian Creole", "German", "Italian", "Polish",
    "Ukrainian", "Russian", "Persian", "Arabic", "Hindi", "Tagalog", "Chinese", "Vietnamese",
    "Korean", "Japanese", "Yoruba", "Amharic", "Somali", "Samoan", "Navajo",
)
MOTHER_TONGUE = (0, *(LANGUAGE.index(language) for _, language, _ in ORIGINS.values()))

# The tongue of the forebears of the native-born, by race; and in percent, who speaks it at home.
HERITAGE = (
    # En  Es  Pt  Ht  De  It  Pl  Uk  Ru  Fa  Ar  Hi  Tl  Zh  Vi  Ko  Ja  Yo  Am  So  Sm  Nv
    (50,  8,  2,  0, 20,  9,  4,  1,  3,  1,  2,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0),
    (85,  5, .5,  4,  0,  0,  0,  0,  0,  0, .5,  0,  0,  0,  0,  0,  0,  2,  2,  1,  0,  0),
    ( 3, 96,  1,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0),
    ( 5,  0,  0,  0,  0,  0,  0,  0,  0,  1,  0, 24, 20, 25, 13,  8,  4,  0,  0,  0,  0,  0),
    (65, 15,  1,  1,  3,  2,  1,  0,  0,  1,  1,  1,  3,  2,  1,  1,  2, .2, .2,  0,  1, .5),
    (60,  8,  0,  0,  1,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0, 31),
    (45,  2,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  6,  1,  0,  0,  2,  0,  0,  0, 44,  0),
    (50,  8,  6,  0,  0,  0,  0,  0,  0, 12, 18,  5,  0,  0,  0,  0,  0,  0,  0,  0,  0,  1),
)
# fmt: on
KEPT_BY_NATIVES = (3, 15, 55, 42, 12, 35, 35, 30)
KEPT_BY_IMMIGRANTS = 78
KEPT_BY_GRADUATES = 0.6  # odds

RELIGION = (
    "Unaffiliated", "Evangelical Protestant", "Mainline Protestant", "Black Protestant", "Catholic",
    "Orthodox", "Mormon", "Jewish", "Muslim", "Hindu", "Buddhist", "Other faith",
)  # fmt: skip
RELIGION_BY_RACE = (
    (28, 28, 19, 0.1, 19, 0.7, 2.2, 2.6, 0.3, 0.02, 0.3, 1.5),
    (20, 15, 4, 52, 5, 0.3, 0.4, 0.3, 2.5, 0.02, 0.2, 1.2),
    (22, 19, 5, 0.5, 49, 0.1, 1.2, 0.4, 0.2, 0.02, 0.3, 1.0),
    (32, 11, 5, 0.1, 17, 0.3, 1.0, 0.3, 6, 15, 8, 4.0),
    (33, 24, 11, 6, 17, 0.3, 2.0, 1.0, 1.5, 0.5, 1.5, 3.0),
    (30, 22, 8, 1, 19, 1.5, 1.8, 0.1, 0.1, 0.02, 0.2, 16),
    (14, 25, 10, 0.5, 18, 0.1, 26, 0.1, 0.3, 0.3, 1.0, 3.0),
    (27, 12, 7, 1, 14, 4, 1.0, 3.0, 22, 2, 2.0, 5.0),
)  # fmt: skip
# How birth in a region multiplies them, in the order of REGIONS.
RELIGION_BY_REGION = (
    (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
    (0.6, 0.9, 0.5, 0.2, 2.0, 0.1, 0.6, 0.5, 0.2, 0.3, 0.1, 1),
    (1.3, 0.4, 1.3, 0.1, 1.2, 0.8, 0.4, 1.2, 1.5, 0.5, 0.6, 1),
    (0.7, 0.2, 0.1, 0, 1.6, 40, 0.1, 5, 1.0, 0.1, 0.2, 0.5),
    (0.6, 0.2, 0.1, 0, 0.4, 12, 0.1, 1.5, 60, 0.1, 0.1, 2),
    (0.2, 0.1, 0.1, 0, 0.2, 0.2, 0.1, 0.1, 2.0, 6.0, 0.5, 2),
    (1.2, 1.0, 0.7, 0, 1.5, 0.1, 0.6, 0.1, 0.1, 0.02, 2.0, 0.6),
    (0.2, 1.6, 1.5, 0.5, 3.0, 30, 0.2, 0.2, 12, 0.1, 0.1, 1),
    (0.3, 1.1, 1.3, 0.1, 1.0, 0.1, 1.5, 0, 0.1, 0.1, 0.1, 1),
)  # fmt: skip
RELIGION_AGES = (0, 30, 50, 65)
UNAFFILIATED_BY_AGE = (1.5, 1.3, 0.8, 0.5)


# -- Body -------------------------------------------------------------------------------------

HEIGHT = (40, 219)  # centimetres
HEIGHT_AGES = (0, 1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 45, 65, 85, 105)
HEIGHT_WOMEN = (60, 75, 86, 101, 115, 127, 138, 151, 160, 162, 163, 163, 161, 156, 153)
HEIGHT_MEN = (61, 76, 87, 102, 116, 128, 138, 149, 164, 173, 177, 177, 175, 170, 167)
HEIGHT_BY_RACE = (0.4, 0.2, -4.5, -4.5, -1, -1.5, 0, -2)  # centimetres, grown up
HEIGHT_SPREAD = 0.041  # standard deviation, of the mean


# -- Family -----------------------------------------------------------------------------------

# Who is with a partner, in the order of MARITAL_STATUS: never, at present, formerly.
UNION = (0, 1, 1, 2, 2, 2, 2)
UNIONS = 3

# Children ever had, 0 to 9, by union and age.
CHILDREN_AGES = (0, 18, 23, 28, 35, 45, 65)
CHILDREN_BY_UNION = (
    (
        (1, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        (94, 5, 1, 0, 0, 0, 0, 0, 0, 0),
        (84, 11, 4, 1, 0, 0, 0, 0, 0, 0),
        (72, 15, 8, 3, 1.5, 0.4, 0.1, 0, 0, 0),
        (66, 16, 10, 5, 2, 0.7, 0.2, 0.1, 0, 0),
        (65, 16, 10, 5, 2.5, 1, 0.3, 0.1, 0.05, 0.05),
        (74, 10, 8, 4, 2, 1, 0.5, 0.3, 0.1, 0.1),
    ),
    (
        (1, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        (66, 26, 7, 1, 0, 0, 0, 0, 0, 0),
        (52, 29, 14, 4, 1, 0, 0, 0, 0, 0),
        (34, 28, 25, 9, 3, 0.8, 0.2, 0, 0, 0),
        (16, 21, 37, 17, 6, 2, 0.7, 0.2, 0.1, 0),
        (12, 16, 38, 20, 9, 3.5, 1.0, 0.3, 0.1, 0.1),
        (10, 10, 34, 23, 12, 6, 2.8, 1.2, 0.6, 0.4),
    ),
    (
        (1, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        (50, 35, 13, 2, 0, 0, 0, 0, 0, 0),
        (38, 36, 19, 6, 1, 0, 0, 0, 0, 0),
        (30, 31, 25, 10, 3, 0.8, 0.2, 0, 0, 0),
        (20, 26, 32, 14, 6, 1.6, 0.3, 0.1, 0, 0),
        (16, 20, 35, 18, 7, 2.6, 1.0, 0.3, 0.1, 0),
        (12, 12, 30, 22, 12, 6.5, 3.2, 1.3, 0.6, 0.4),
    ),
)
CHILDREN_BY_RACE = (1, 1.3, 1.8, 0.8, 1.1, 1.6, 1.8, 1.1)  # odds of more
CHILDREN_OF_GRADUATES = 0.6  # odds of more

# The share of their children who live with them, by age of the parent; less with a father alone.
AT_HOME_AGES = (18, 38, 48, 58, 68)
AT_HOME = (1.0, 1.0, 0.7, 0.2, 0.04)
AT_HOME_WITH_FATHER_ALONE = 0.35

# People in the household but one's children, 1 to 9, by union and age.
MOST_IN_HOUSEHOLD = 12
HOUSEHOLD_AGES = (0, 18, 25, 35, 75)
_CHILD_AT_HOME = (0, 8, 21, 34, 21, 9, 4, 2, 1)
HOUSEHOLD_BY_UNION = (
    (
        _CHILD_AT_HOME,
        (9, 16, 27, 26, 13, 5, 2, 1, 1),
        (33, 28, 18, 12, 5, 2, 1, 0.5, 0.5),
        (55, 24, 12, 5, 2, 1, 0.5, 0.3, 0.2),
        (72, 18, 5, 3, 1, 0.5, 0.3, 0.1, 0.1),
    ),
    (
        _CHILD_AT_HOME,
        (0, 74, 9, 9, 5, 2, 0.6, 0.3, 0.1),
        (0, 87, 5, 4, 2, 1, 0.5, 0.3, 0.2),
        (0, 92, 4, 2, 1, 0.5, 0.3, 0.1, 0.1),
        (0, 91, 4, 3, 1, 0.5, 0.3, 0.1, 0.1),
    ),
    (
        _CHILD_AT_HOME,
        (25, 25, 22, 16, 7, 3, 1, 0.5, 0.5),
        (48, 24, 13, 8, 4, 2, 0.5, 0.3, 0.2),
        (66, 19, 8, 4, 2, 0.6, 0.2, 0.1, 0.1),
        (71, 17, 6, 4, 1, 0.5, 0.3, 0.1, 0.1),
    ),
)
HOUSEHOLD_BY_RACE = (1, 1.25, 2.1, 1.6, 1.2, 1.7, 2.6, 1.4)  # odds of more


# -- Home -------------------------------------------------------------------------------------

HOUSING = (
    "Public housing",
    "Rented from a private owner",
    "Rent-free",
    "Student residence",
    "Military quarters",
    "Care home",
    "Owned with a mortgage",
    "Owned outright",
)
COLLECTIVE = ("Student residence", "Military quarters", "Care home")  # a household of one
HOUSING_AGES = (0, 18, 25, 35, 50, 65, 75, 85)
HOUSING_BY_AGE = (
    (7, 30, 2, 0, 0.5, 0, 50, 11),
    (6, 46, 6, 1.0, 1, 0, 31, 9),
    (6, 50, 4, 0.1, 1, 0, 34, 5),
    (5, 30, 2, 0, 0.4, 0.1, 54, 9),
    (5, 21, 2, 0, 0.1, 0.3, 47, 25),
    (5, 16, 2, 0, 0, 1.0, 27, 49),
    (5, 14, 2, 0, 0, 4.5, 15, 60),
    (4, 12, 3, 0, 0, 21, 8, 52),
)
HOUSING_ALONE = (1.5, 1.6, 1.5, 2.0, 1.5, 1.5, 0.5, 0.7)  # times this for adults without a partner
HOUSING_OF_WORKERS = (0.7, 1, 0.7, 0.3, 1, 0, 1, 1)
HOUSING_OF_STUDENTS = (1, 1.5, 1, 40, 0, 0, 1, 1)
HOUSING_OF_SOLDIERS = (0, 1, 0.5, 0, 40, 0, 1, 0.5)
HOUSING_AFFLUENCE = 3.2  # the odds of owning, for each unit of affluence

# Mean years at the same address, in the order of HOUSING; nobody for longer than since birth.
YEARS_THERE = (7, 3.2, 8, 1.0, 1.5, 2.5, 9, 21)
THIS_YEAR = 2024


# -- Work and means ---------------------------------------------------------------------------

# Hours of work a week: how the working spread over these spans, by field of work.
MOST_HOURS = 80
HOURS_FROM = (1, 20, 35, 40, 41, 50, 61)
FIELDS = (
    (2, 6, 9, 42, 17, 20, 4),  # management, business, engineering
    (4, 14, 20, 42, 10, 8, 2),  # health, teaching, law
    (10, 24, 17, 41, 5, 2.6, 0.4),  # office, sales, care, service
    (3, 8, 10, 52, 14, 11, 2),  # protection, crafts, production, transport
    (4, 7, 4, 18, 12, 30, 25),  # farming, armed forces
)
FIELD_OF_WORK = (0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2, 3, 4, 4, 3, 3, 3, 3)  # in the order of WORKING
HOURS_OF_WOMEN = (2.2, 2.2, 1.5, 1, 0.6, 0.45, 0.3)
HOURS_AGES = (0, 18, 25, 62)
HOURS_BY_AGE = (
    (20, 8, 0.5, 0.2, 0.05, 0.01, 0),
    (3, 2.5, 1, 0.8, 0.5, 0.3, 0.2),
    (1, 1, 1, 1, 1, 1, 1),
    (4, 2.5, 1, 0.7, 0.6, 0.5, 0.4),
)
TENS, FIVES = 25, 10  # hours are told in round numbers: weights of those, where others have 1

# Household income, dollars a year: the median of a worker's household with a high school diploma
# and one earner, and what multiplies it.
INCOME_FROM = (
    0, 10_000, 15_000, 20_000, 25_000, 30_000, 35_000, 40_000, 45_000, 50_000, 60_000, 75_000,
    100_000, 125_000, 150_000, 200_000,
)  # fmt: skip
INCOME = (
    "under 10k", "10k-15k", "15k-20k", "20k-25k", "25k-30k", "30k-35k", "35k-40k", "40k-45k",
    "45k-50k", "50k-60k", "60k-75k", "75k-100k", "100k-125k", "125k-150k", "150k-200k",
    "200k and more",
)  # fmt: skip
MEDIAN_INCOME = 48_000
INCOME_BY_EDUCATION = (1.3, 0.6, 0.9, 1.1, 0.8, 1.0, 1.1, 1.2, 1.2, 1.6, 1.9, 2.6, 2.4)
INCOME_WITHOUT_WORK = (1.0, 0.9, 0.9, 0.45, 0.4, 0.7)  # in the order of NOT_WORKING
INCOME_OF_COUPLES = 1.55
INCOME_AFFLUENCE = 1.5  # for each unit of affluence
INCOME_SPREAD = 0.55  # standard deviation of its logarithm

INSURANCE = (
    "Uninsured",
    "Medicaid",
    "Indian Health Service",
    "Military or veterans",
    "Medicare",
    "Medicare and private",
    "Bought directly",
    "Through an employer",
)
INSURANCE_AGES = (0, 19, 26, 65)
INSURANCE_BY_AGE = (
    (5, 36, 0.05, 1.5, 0, 0, 5, 52),
    (15, 17, 0.05, 2.0, 0.2, 0, 10, 56),
    (11, 14, 0.05, 1.8, 3.0, 0.5, 10, 60),
    (0.8, 6, 0.05, 2.5, 45, 40, 1, 5),
)
INSURANCE_INCOMES = (0, 30_000, 75_000)
INSURANCE_BY_INCOME = (
    (1.6, 3.0, 1.5, 0.8, 1.3, 0.4, 0.7, 0.3),
    (1.3, 1.0, 1.0, 1.1, 1.0, 1.0, 1.1, 0.9),
    (0.4, 0.15, 0.5, 1.0, 0.7, 1.3, 1.1, 1.4),
)
INSURANCE_OF_SOLDIERS = (0, 0, 0.1, 500, 0, 0, 0.1, 0.1)
INSURANCE_OF_AMERICAN_INDIANS = (1.3, 1.2, 500, 1, 1, 0.7, 0.7, 0.7)
INSURANCE_OF_IMMIGRANTS = (2.6, 0.9, 0, 0.3, 0.8, 0.6, 1.1, 0.9)


# -- The way into hospital --------------------------------------------------------------------

ADMISSION_ROUTE = (
    "Walk-in",
    "Ambulance",
    "Helicopter",
    "Police",
    "Family doctor",
    "Specialist",
    "Waiting list",
    "Other hospital",
    "Care home",
    "Born here",
)
ROUTE_AGES = (0, 18, 65, 80)
ROUTE_UNPLANNED = (
    (58, 12, 0.3, 0.05, 16, 8, 0, 6, 0, 0),
    (47, 25, 0.4, 0.9, 12, 9, 0, 6, 0, 0),
    (31, 41, 0.4, 0.2, 13, 7, 0, 7, 0, 0),
    (20, 55, 0.2, 0.1, 12, 5, 0, 8, 0, 0),
)
ROUTE_PLANNED = (0.5, 0.3, 0.02, 0, 16, 38, 41, 4, 0, 0)
ROUTE_OF_NEWBORNS = (2, 1, 0.3, 0, 1, 1, 0, 9, 0, 86)
ROUTE_RURAL = (0.7, 1.1, 9, 0.8, 1.3, 0.8, 1, 1.8, 1, 1)
ROUTE_FROM_CARE_HOME = 70  # percent of them
NEWBORN_CHAPTER = "P"  # of the ICD-10
