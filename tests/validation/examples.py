"""Sound keys of everything that users write, with every key there is; and values seldom right."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Iterator
from copy import deepcopy
from datetime import date, datetime, time
from pathlib import Path
from typing import Any, NamedTuple

from anonymizer import Policy, Statement
from anonymizer.attackers import disclosure, statement
from anonymizer.attackers.disclosure import Source, SourcesFile, parse_disclosing
from anonymizer.attackers.overlap import Overlap, Proportion
from anonymizer.attackers.scenario import AttributeGroup, Scenario
from anonymizer.decision.context import Context
from anonymizer.hierarchy import BUILDERS, parse_spec

POLICY = """
[data]
path = "discharges.csv"
delimiter = ";"
id = "patient_id"
rows_are_people = false
encoding = "utf-8"
sheet = "people"
default_role = "insensitive"
sample = 0.5

[attributes]
patient_id = { role = "identifying" }
diagnosis = { role = "sensitive", reveals = ["age"] }
ward = { role = "removed", reason = "nobody needs it" }

[attributes.age]
role = "quasi"
hierarchy = "age.csv"
type = "date"
format = "%d.%m.%Y"
microaggregation = "mean"
min_level = 1
max_level = 2
weight = 0.5

[[risk]]
model = "k-anonymity"
k = 5

[[risk]]
model = "overall"
threshold = 0.1
scenario = "scenario.toml"
statistic = "p95"

[utility]
measure = "loss"
aggregate = "arithmetic"
factor = 0.5

[search]
time_limit = 60.0

[release]
suppression_limit = 0.05
strict = true
suppressed = "redact"
shuffle = false
escape_formulas = true
layers = 3
file = "parquet"
"""

KEEP = """
[data]
path = "discharges.csv"

[attributes]
age = { role = "quasi", hierarchy = "age.csv" }
died = { role = "sensitive" }

[[risk]]
model = "k-anonymity"
k = 5

[[keep]]
where = "died = 1"
at_least = 0.95
"""

OVER_TIME = """
[data]
id = "patient_id"

[attributes]
patient_id = { role = "identifying" }
age = { role = "quasi", hierarchy = "age.csv" }

[[risk]]
model = "k-anonymity"
k = 5

[release]
register = "register"
accept_leavers = 3
"""

IN_A_DATABASE = """
[data]
url = "postgres://db.example.org/hospital"
table = "discharges"
weight = "days"

[attributes]
sex = { role = "quasi", hierarchy = "sex.csv" }
days = { role = "insensitive" }
died = { role = "insensitive" }

[[risk]]
model = "k-anonymity"
k = 5

[release]
table = "released"
url = "duckdb://released.duckdb"

[[analysis]]
name = "stay"
kind = "linear"
formula = "days ~ sex"
generalized = "category"
missing = "category"

[[analysis]]
name = "death"
kind = "logistic"
formula = "died ~ sex"
positive = "yes"

[[analysis]]
name = "hazard"
kind = "cox"
formula = "days ~ sex"
event = "died"
positive = "yes"

[[analysis]]
name = "curves"
kind = "survival"
time = "days"
event = "died"
positive = "yes"
group = "sex"

[[analysis]]
name = "predicted"
kind = "prediction"
response = "died"
predictors = ["sex"]

[[analysis]]
name = "shares"
kind = "marginals"
"""

STUDY = """
[data]
path = "dm.csv"
id = "usubjid"

[attributes]
usubjid = { role = "identifying" }
rfstdtc = { role = "removed" }
dthdtc = { role = "insensitive", shift = true }
age = { role = "quasi", hierarchy = [18, 65] }

[tables.visit]
path = "visit.csv"
delimiter = ";"
encoding = "utf-8"
sheet = "visits"
id = "usubjid"
key = "number"
default_role = "insensitive"

[tables.visit.attributes]
usubjid = { role = "identifying" }
number = { role = "identifying" }

[tables.ae]
url = "postgres://db.example.org/trial"
table = "ae"
id = "number"
parent = "visit"

[tables.ae.attributes]
number = { role = "identifying" }
start = { role = "quasi", since = "rfstdtc" }
noted = { role = "quasi", since = "first" }

[[risk]]
model = "study"
k = 5
power = 1

[release]
date_shift = 180
"""

CONTEXT = """
organization = "County Hospital"
responsible = "A. Jones, data steward"
prepared_by = "B. Chen, statistician"
purpose = "Research on readmissions"
recipients = "Anybody"
release_model = "public"
legal_basis = "HIPAA, 45 CFR 164.514(b)(1)"
controls = ["a contract"]
threshold_reason = "as EMA asks"
acceptable = 0.09
attempt = 1.0
acquaintance = 1.0
breach = 0.5
expert = "B. Chen"
incident = "The file is taken down"
reidentification = "None was tried"
earlier_releases = "None"
review = "2027-06-30"
"""

SCENARIO = """
population = 1000
estimator = "zayatz"
p_m = [0.2, 0.5]
p_fm = 0.5
p_c = 0.2
p_cu = { by = ["state", "sex"], probabilities = { TN = { F = 0.3 }, OH = [0.1, 0.2] }, default = 0.8 }

[causes]
account = { probability = 0.5 }
list = { column = "listed" }
club = { by = "state", probabilities = { TN = 0.4 }, default = 0.2 }

[[learned]]
attributes = ["age", "sex"]
probability = 0.5
cause = "account"
source = "voter lists"

[[learned]]
attributes = ["age"]
column = "told"
cause = "list"

[[learned]]
attributes = ["sex"]
probability = [0.1, 0.2]
cause = "club"

[[learned]]
attributes = ["zip"]
by = "state"
default = 0.1
probabilities = { TN = 0.6 }
levels = { zip = 2 }
"""

SPECS = {
    "intervals": (
        "domain = [0, 9]\nwidths = [2, 4]\norigin = 1\nothers = ['?']\ntop = 'any'\nmissing = 'top'",
        "domain = [0, 9]\nbounds = [[3, 5], [5]]\nopen = 'both'",
    ),
    "redaction": (
        "digits = 2\nside = 'left'\nredact = [1]\nmask = '#'\nothers = ['?']\ntop = 'any'\n"
        "missing = 'top'",
        "values = ['91326', 91327, [91328, 91330]]\nunlisted = true",
        "length = [3, 5]\nalphabet = 'alphanumeric'",
    ),
    "codes": (
        "system = 'postal'\nprefixes = [4, 2]\nvalues = ['SW1A 1AA', 'EH1 2NG']\nunlisted = true\n"
        "labels = { SW = 'South West' }\nothers = ['?']\ntop = 'any'\nmissing = 'top'",
        "system = 'icd-10'\nlabels = 'icd10.csv'",
    ),
    "dates": (
        "from = 2024-01-01\nto = '2024-12-31'\nperiods = ['day', 'month']\nothers = ['?']\ntop = '-'\n"
        "missing = 'top'\nformat = '%d.%m.%Y'\nopen = 'both'",
        "from = 2024-01-01\nto = 2024-12-31\nperiods = ['day']\nbounds = [['2024-03-01', 2024-06-15]]",
    ),
    "elapsed": (
        "periods = ['week', 'quarter', '2 years']\ndomain = [-364, 727]\nopen = 'high'\n"
        "others = ['?']\ntop = 'any'\nmissing = 'top'",
    ),
    "mapping": (
        "values = ['a', 'b']\nunlisted = true\nothers = ['?']\ntop = 'any'\nmissing = 'top'",
        "[groups.Europe]\nNorth = ['NO', 'SE']\nSouth = ['IT']",
        "path = 'ae.csv'\nvalue = 'AEDECOD'\nabove = ['AEHLT', 'AEBODSYS']",
    ),
    "ordered": (
        "values = ['S', 'M', 'L', [1, 3]]\nsizes = [2, [1, 2]]\nlabels = [['a', 'b', 'c']]\n"
        "others = ['?']\ntop = 'any'\nmissing = 'top'",
    ),
    "priority": (
        "values = ['a', 'b', 'c']\nkeep = [2, 1]\nother = 'rest'\nunlisted = true\nothers = ['?']\n"
        "top = 'any'\nmissing = 'top'",
    ),
}


STATEMENT = tomllib.loads(statement.EXAMPLE)
STATEMENT["source"][0]["without"]["state"]["p"] = 0.1


class Example(NamedTuple):
    """Sound keys, the model they are for, and what takes them."""

    name: str
    model: Any
    take: Callable[[Any], object]
    keys: dict[str, Any]


def spec_examples() -> Iterator[Example]:
    for kind, texts in SPECS.items():
        for text in texts:
            keys = tomllib.loads(f'builder = "{kind}"\n{text}')
            yield Example(kind, BUILDERS[kind], parse_spec, keys)


EXAMPLES = [
    Example("policy", Policy, Policy.of, tomllib.loads(POLICY)),
    Example("policy with groups", Policy, Policy.of, tomllib.loads(KEEP)),
    Example("policy with a register", Policy, Policy.of, tomllib.loads(OVER_TIME)),
    Example("policy in a database", Policy, Policy.of, tomllib.loads(IN_A_DATABASE)),
    Example("study", Policy, Policy.of, tomllib.loads(STUDY)),
    Example("statement", Statement, lambda keys: Statement(**keys), STATEMENT),
    Example("context", Context, lambda keys: Context(**keys), tomllib.loads(CONTEXT)),
    Example("scenario", Scenario, Scenario.parse, tomllib.loads(SCENARIO)),
    Example("sources", SourcesFile, parse_disclosing, tomllib.loads(disclosure.EXAMPLE)),
    Example(
        "group",
        AttributeGroup,
        lambda keys: AttributeGroup(**keys),
        tomllib.loads(SCENARIO)["learned"][3],
    ),
    Example(
        "source",
        Source,
        lambda keys: Source(**keys),
        {"name": "forum", "usage": 0.5, "disclosure": {"age": 0.5}},
    ),
    Example("overlap", Overlap, lambda keys: Overlap(**keys), {"p": 0.5, "q": 1}),
    Example(
        "proportion",
        Proportion,
        lambda keys: Proportion(**keys),
        {"by": "state", "probabilities": {"Ohio": 0.3}, "default": 0.1},
    ),
    *spec_examples(),
]


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def dotted(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {"end": 1}
    for _ in range(depth):
        value = {"a": value}
    return value


WRONG: dict[str, Any] = {
    "None": None,
    "bool": True,
    "zero": 0,
    "negative": -1,
    "int": 7,
    "float": 3.5,
    "nan": math.nan,
    "inf": math.inf,
    "huge int": 10**400,
    "endless int": 10**10_000,
    "empty text": "",
    "text": "qqq",
    "NUL": "a\0b",
    "surrogate": "\ud800",
    "lines": "one\ntwo",
    "long text": "x" * 100_000,
    "path": Path("somewhere"),
    "bytes": b"qqq",
    "empty list": [],
    "list": [3, "a", None],
    "list of lists": [[[1, 2]], []],
    "list of tables": [{}, {"a": 1}],
    "long list": list(range(2_000)),
    "deep list": nested(10_000),
    "empty table": {},
    "table": {"a": 1},
    "table in a table": {"a": {"b": {"c": 1}}},
    "deep table": dotted(10_000),
    "table without names": {3: 4},
    "day": date(2024, 12, 31),
    "moment": datetime(2024, 12, 31, 12),
    "time": time(12),
    "set": {1, 2},
    "object": object(),
}

Steps = tuple[str | int, ...]


def places(keys: Any, above: Steps = ()) -> Iterator[Steps]:
    """Every place in a nest of tables and lists, but the nest itself."""
    inner = keys.items() if isinstance(keys, dict) else enumerate(keys)
    for key, value in inner:
        yield (*above, key)
        if isinstance(value, dict | list):
            yield from places(value, (*above, key))


def at(keys: Any, place: Steps) -> Any:
    for key in place:
        keys = keys[key]
    return keys


def replaced(keys: dict[str, Any], place: Steps, value: object) -> dict[str, Any]:
    copy = deepcopy(keys)
    at(copy, place[:-1])[place[-1]] = value
    return copy


def without(keys: dict[str, Any], place: Steps) -> dict[str, Any]:
    copy = deepcopy(keys)
    del at(copy, place[:-1])[place[-1]]
    return copy
