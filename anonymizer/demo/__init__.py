"""Built-in data: a synthetic population and a hospital's discharge register drawn from it."""

from anonymizer.demo.diagnoses import DIAGNOSIS
from anonymizer.demo.population import population
from anonymizer.demo.register import ADMISSION_DATE, register
from anonymizer.demo.tables import (
    EDUCATION,
    MARITAL_STATUS,
    OCCUPATION,
    OLDEST_AGE,
    QUASI_IDENTIFIERS,
    RACE,
    SEX,
    ZIP,
)

__all__ = [
    "ADMISSION_DATE",
    "DIAGNOSIS",
    "EDUCATION",
    "MARITAL_STATUS",
    "OCCUPATION",
    "OLDEST_AGE",
    "QUASI_IDENTIFIERS",
    "RACE",
    "SEX",
    "ZIP",
    "population",
    "register",
]
