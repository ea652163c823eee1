"""A folder in which everything is right: tables of three kinds, hierarchies, policies, what they name."""

from __future__ import annotations

import random
from pathlib import Path

import pandas as pd

ROWS = 120
ZIPS = ("10115", "10117", "10243", "20095", "20097")
DIAGNOSES = ("F32", "J10", "K35", "M54")
ATTRIBUTES = """
patient = { role = "identifying" }
age     = { role = "quasi", hierarchy = "age.toml", weight = 1.5, max_level = 3 }
sex     = { role = "quasi", hierarchy = "sex.csv" }
zip     = { role = "quasi", hierarchy = "zip.toml", type = "text" }
day     = { role = "quasi", hierarchy = "day.toml" }
diagnosis = { role = "sensitive", hierarchy = "diagnosis.toml" }
ward    = { role = "insensitive" }
"""
HIERARCHIES = {
    "age.toml": 'builder = "intervals"\ndomain = [0, 119]\nwidths = [5, 10, 40]\n',
    "sex.csv": "F;*\nM;*\n",
    "zip.toml": f'builder = "redaction"\nvalues = {list(ZIPS)}\nredact = [2, 4]\n',
    "day.toml": (
        'builder = "dates"\nfrom = 2024-01-01\nto = 2024-12-31\nlevels = ["day", "month", "quarter"]\n'
    ),
    "diagnosis.toml": (
        'builder = "mapping"\n[groups]\n"mind" = ["F32"]\n"body" = ["J10", "K35", "M54"]\n'
    ),
}
SCENARIO = """
population = 2000
estimator = "pitman"
p_m = 0.5
p_fm = [0.2, 0.8]
p_c = 0.5
p_cu = { by = "sex", probabilities = { F = 0.4 }, default = 0.5 }

[causes]
account = 0.4

[[groups]]
attributes = ["age", "sex"]
source = "a profile"
cause = "account"
probability = 0.8

[[groups]]
attributes = ["zip"]
source = "the voter list"
by = "zip"
default = 0.6
probabilities = { "10115" = 0.64 }
levels = { zip = 1 }
"""
STATEMENT = """
id = "patient"
threshold = "general"

[sensitive]
diagnosis = ["F32"]

[access]
"data use agreement" = 0.5

[[source]]
name = "voter list"
keys = ["age", "sex", "zip"]
p = 0.1
q = 0.6
without = { zip = { q = 0.14 } }
levels = { age = 1 }

[[source]]
name = "newspapers"
keys = ["age", "sex", "day"]
attack = "idiosyncratic"
q = { by = "sex", values = { F = 0.2 }, default = 0.1 }
threshold = "sensitive"

[[source]]
name = "members"
keys = ["age", "sex"]
table = "members.csv"
columns = { age = "years" }
id = "member"
"""
DISCLOSURE = """
disclosure = { age = 0.2, sex = 0.75 }

[[sources]]
name = "a microblog"
usage = 0.2

[[sources]]
name = "a social network"
usage = 0.6
disclosure = { zip = 0.05 }
"""
CHARACTERISTICS = (
    "Characteristic,Drug (N = 40),Placebo (N = 38)\nWomen,21 (52.5),19\nSmoker,3,5/37\n"
)

CONTEXT = """
organization = "County Hospital"
responsible = "A. Jones"
release_model = "agreement"
controls = ["no linkage"]
review = "2027-06-30"
"""
ATTACKS = """
{"attacks": [{"name": "singling out", "question": "q",
  "success": {"value": 0.1, "low": 0.05, "high": 0.2}, "baseline": null,
  "excess": {"value": 0.1, "low": 0.05, "high": 0.2}},
  {"name": "membership", "question": "q", "skipped": "no targets"}]}
"""

MODELS = {
    "k": '[[risk]]\nmodel = "k-anonymity"\nk = 3\n',
    "average": '[[risk]]\nmodel = "strict-average"\nk = 2\nthreshold = 0.3\n'
    '[[risk]]\nmodel = "sample-uniqueness"\nthreshold = 0.1\n',
    "population": '[[risk]]\nmodel = "k-map"\nk = 4\npopulation_table = "people.csv"\n',
    "estimated": '[[risk]]\nmodel = "k-map"\nk = 5\npopulation = 2000\nsignificance = 0.05\n'
    '[[risk]]\nmodel = "p-uniqueness"\nthreshold = 0.02\npopulation = 2000\nestimator = "pitman"\n',
    "overall": '[[risk]]\nmodel = "overall"\nthreshold = 0.3\nstatistic = "maximum"\n'
    'scenario = "scenario.toml"\n',
    "sources": '[[risk]]\nmodel = "sources"\nstatement = "statement.toml"\n',
    "sensitive": '[[risk]]\nmodel = "distinct-l"\nattribute = "diagnosis"\nl = 2\n'
    '[[risk]]\nmodel = "t-closeness"\nattribute = "diagnosis"\nt = 0.6\ndistance = "hierarchical"\n',
    "layers": '[[risk]]\nmodel = "k-anonymity"\nk = 3\n'
    '[release]\nrecoding = "layers"\nmax_layers = 3\nsuppressed = "drop"\n',
    "people": '[[risk]]\nmodel = "k-anonymity"\nk = 3\n',
}
"""The end of each policy."""
TABLES = {
    "k": 'path = "table.csv"\ndelimiter = ","',
    "average": 'path = "table.parquet"',
    "population": 'path = "table.csv"\nrows_are_people = false',
    "estimated": 'path = "table.xlsx"\nsheet = "Sheet1"',
    "overall": 'path = "table.parquet"',
    "sources": 'path = "table.csv"\nid = "patient"',
    "sensitive": 'path = "table.xlsx"',
    "layers": 'path = "table.csv"\nencoding = "utf-8"',
    "people": 'path = "visits.csv"\nid = "patient"',
}
"""The table of each policy."""
SEARCH = """
[utility]
measure = "loss"
aggregate = "geometric"

[search]
suppression_limit = 1.0
time_limit = 20.0
workers = 1
"""


def write_workspace(folder: Path, seed: int) -> None:
    """Write all files of a folder that every command can work in."""
    table = draw_patients(random.Random(f"{seed} workspace"))
    table.to_csv(folder / "table.csv", index=False)
    typed = table.astype({"age": int}).assign(day=pd.to_datetime(table["day"]).dt.date)
    typed.to_parquet(folder / "table.parquet", index=False)
    typed.to_excel(folder / "table.xlsx", index=False)
    visits = table.assign(patient=[f"P{row // 2}" for row in range(ROWS)])
    visits.to_csv(folder / "visits.csv", index=False)
    pd.concat([table] * 3)[["age", "sex", "zip", "day"]].to_csv(folder / "people.csv", index=False)
    members = pd.DataFrame(
        {"member": range(60), "years": table["age"][:60], "sex": table["sex"][:60]}
    )
    members.to_csv(folder / "members.csv", index=False)
    texts = {
        **HIERARCHIES,
        "scenario.toml": SCENARIO,
        "statement.toml": STATEMENT,
        "disclosure.toml": DISCLOSURE,
        "characteristics.csv": CHARACTERISTICS,
        "context.toml": CONTEXT,
        "attacks.json": ATTACKS,
        **{f"policy-{name}.toml": policy_text(name) for name in MODELS},
    }
    for name, text in texts.items():
        (folder / name).write_text(text.lstrip(), encoding="utf-8")
    stopped = policy_text("k").replace("time_limit = 20.0", "evaluation_limit = 2")
    (folder / "policy-stopped.toml").write_text(stopped, encoding="utf-8")


def policy_text(name: str) -> str:
    """Return a policy as TOML."""
    return f"[data]\n{TABLES[name]}\n\n[attributes]{ATTRIBUTES}\n{MODELS[name]}{SEARCH}"


def draw_patients(random: random.Random) -> pd.DataFrame:
    """Draw patients as texts."""
    rows = [
        {
            "patient": f"P{row}",
            "age": f"{random.randint(20, 70)}",
            "sex": random.choice("FM"),
            "zip": random.choice(ZIPS),
            "day": f"2024-{random.randint(1, 12):02}-{random.randint(1, 28):02}",
            "diagnosis": random.choice(DIAGNOSES),
            "ward": random.choice(("A", "B, north", 'the "old" wing')),
        }
        for row in range(ROWS)
    ]
    return pd.DataFrame(rows)
