"""A folder in which everything is right: tables of all kinds, hierarchies, policies, what they name."""

from __future__ import annotations

import random
import zipfile
from collections.abc import Mapping
from pathlib import Path

import duckdb
import pandas as pd
import pyreadstat

from experiments.soak.policies import POLICIES

ROWS = 120
ZIPS = ("10115", "10117", "10243", "20095", "20097")
DIAGNOSES = ("F32", "J10", "K35", "M54")
HIERARCHIES = {
    "age.toml": 'builder = "intervals"\ndomain = [0, 119]\nwidths = [5, 10, 40]\n',
    "sex.csv": "F;*\nM;*\n",
    "zip.toml": f'builder = "redaction"\nvalues = {list(ZIPS)}\nredact = [2, 4]\n',
    "day.toml": (
        'builder = "dates"\nfrom = 2024-01-01\nto = 2024-12-31\nperiods = ["day", "month", "quarter"]\n'
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

[[learned]]
attributes = ["age", "sex"]
source = "a profile"
cause = "account"
probability = 0.8

[[learned]]
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
q = { by = "sex", probabilities = { F = 0.2 }, default = 0.1 }
threshold = "sensitive"
"""
MEMBERS = """
[[source]]
name = "members"
keys = ["age", "sex"]
path = "members.csv"
names = { age = "years" }
id = "member"
"""
DISCLOSURE = """
disclosure = { age = 0.2, sex = 0.75 }

[[source]]
name = "a microblog"
usage = 0.2

[[source]]
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

PROJECT = {
    "metadata.xml": "<metadata><version>3.9.1</version><vocabulary>2.0</vocabulary></metadata>",
    "project.xml": "<project><name>p</name><separator>;</separator></project>",
    "input/config.xml": (
        "<config><relativeMaxOutliers>0.25</relativeMaxOutliers><metric>Loss (0.5/1.0/1.0)</metric>"
        "<attributeWeights><attributeWeight><attribute>age</attribute><weight>0.5</weight>"
        "</attributeWeight></attributeWeights><criteria><criterion>2-anonymity</criterion>"
        "<criterion>distinct-2-diversity for attribute 'diagnosis'</criterion></criteria></config>"
    ),
    "input/definition.xml": (
        "<definition>"
        "<assigment><name>age</name><type>QUASI_IDENTIFYING_ATTRIBUTE</type><datatype>String</datatype>"
        "<ref>hierarchies/age.csv</ref><min>All</min><max>1</max></assigment>"
        "<assigment><name>sex</name><type>QUASI_IDENTIFYING_ATTRIBUTE</type><datatype>String</datatype>"
        "</assigment>"
        "<assigment><name>diagnosis</name><type>SENSITIVE_ATTRIBUTE</type></assigment></definition>"
    ),
    "input/hierarchies/age.csv": "".join(f"{n};{n // 10 * 10};*\n" for n in range(20, 60)),
    "data/input.csv": "age;sex;diagnosis\n"
    + "".join(f"{20 + n * 7 % 40};{'FM'[n % 2]};{DIAGNOSES[n % 4]}\n" for n in range(60)),
}
"""The parts of an ARX project."""


def write_workspace(folder: Path, seed: int) -> None:
    """Write all files of a folder that every command can work in."""
    table = draw_patients(random.Random(f"{seed} workspace"))
    write_tables(folder, table)
    write_project(folder / "project.deid", PROJECT)
    texts = {
        **HIERARCHIES,
        "scenario.toml": SCENARIO,
        "statement.toml": STATEMENT + MEMBERS,
        "unlinked.toml": STATEMENT.replace("voter list", "register"),
        "disclosure.toml": DISCLOSURE,
        "characteristics.csv": CHARACTERISTICS,
        "context.toml": CONTEXT,
        "attacks.json": ATTACKS,
        **{f"policy-{name}.toml": sketch.text() for name, sketch in POLICIES.items()},
    }
    for name, text in texts.items():
        (folder / name).write_text(text.lstrip(), encoding="utf-8")


def write_tables(folder: Path, table: pd.DataFrame) -> None:
    """Write a table as every kind of file, and those that are named beside it."""
    table.to_csv(folder / "table.csv", index=False)
    table.to_csv(folder / "table.csv.gz", index=False)
    typed = table.astype({"age": int, "stay": int}).assign(day=pd.to_datetime(table["day"]).dt.date)
    typed.to_parquet(folder / "table.parquet", index=False)
    typed.to_excel(folder / "table.xlsx", index=False)
    typed.to_feather(folder / "table.feather")
    typed.assign(day=pd.to_datetime(table["day"])).to_stata(
        folder / "table.dta", write_index=False, convert_dates={"day": "td"}
    )
    pyreadstat.write_sav(typed, str(folder / "table.sav"))
    (folder / "parts").mkdir()
    for part in range(3):
        typed[part::3].to_parquet(folder / "parts" / f"{part}.parquet", index=False)
    with duckdb.connect(str(folder / "base.duckdb")) as base:
        base.register("given", typed)
        base.execute("CREATE TABLE patients AS SELECT * FROM given")
    visits = table.assign(patient=[f"P{row // 2}" for row in range(ROWS)])
    visits.to_csv(folder / "visits.csv", index=False)
    pd.concat([table] * 3)[["age", "sex", "zip", "day"]].to_csv(folder / "people.csv", index=False)
    table.assign(member=[row % 2 for row in range(ROWS)])[
        ["age", "sex", "zip", "day", "member"]
    ].to_csv(folder / "targets.csv", index=False)
    members = pd.DataFrame(
        {"member": range(60), "years": table["age"][:60], "sex": table["sex"][:60]}
    )
    members.to_csv(folder / "members.csv", index=False)


def write_project(path: Path, parts: Mapping[str, str | bytes]) -> None:
    """Pack the parts of an ARX project."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, part in parts.items():
            file.writestr(name, part)


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
            "stay": f"{random.randint(1, 14)}",
            "ward": random.choice(("A", "B, north", 'the "old" wing')),
        }
        for row in range(ROWS)
    ]
    return pd.DataFrame(rows)
