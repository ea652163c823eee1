"""Four tables as their stewards describe them, and all that is said of each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from anonymizer import (
    anonymize,
    assess,
    attack,
    compare,
    evidence,
    explain,
    frontier,
    read_manifest,
    verify,
    write_release,
)
from anonymizer.decision.decision import decide
from anonymizer.published.reading import read_published
from anonymizer.published.verdict import PublishedLimits, assess_published
from tests.wards import POLICY, ROUTES, SCENARIO, patients, policy_with, write_files

ANALYSES = """
[[analysis]]
name = "stay"
kind = "linear"
formula = "days ~ age + sex"

[[analysis]]
name = "shares"
kind = "marginals"

[[analysis]]
name = "tables"
kind = "two-way"

[[analysis]]
name = "counts"
kind = "queries"
queries = 30

[[analysis]]
name = "groups"
kind = "subgroups"
"""

STATEMENT = """
threshold = "general"

[sensitive]
diagnosis = ["asthma"]

[[source]]
name = "voters"
keys = ["age", "sex"]
names = { sex = "gender" }
path = "voters.csv"
delimiter = ","
threshold = 0.05

[[source]]
name = "news"
keys = ["age", "zip"]
p = 0.3
q = 0.5
without = { zip = { p = 0.4 } }
"""

SOURCES = """
threshold = "general"
disclosure = { age = 0.4, sex = 0.75 }

[[source]]
name = "a microblog"
usage = 0.2

[[source]]
name = "a network"
usage = 0.6
disclosure = { zip = 0.1 }
"""

RANGES = f"""{ROUTES}
[[learned]]
attributes = ["age", "sex"]
probability = [0.3, 0.6]

[[learned]]
attributes = ["zip"]
probability = [0.1, 0.2]
"""

LAYERS = """
[release]
suppression_limit = 0.2
layers = true
suppressed = "redact"
"""

BETWEEN = (
    ('age       = { role = "quasi"', 'age       = { role = "quasi", min_level = 1, max_level = 3'),
    ('zip       = { role = "quasi"', 'zip       = { role = "quasi", max_level = 1, weight = 2.0'),
)
"""The ranges of levels that a release may have."""

TRIAL = """characteristic,treatment,placebo
Age <65 yr,126,54
Age >=65 yr,102,51
Diabetes,40,21
Hydroxychloroquine,1,0
"""


def with_id(folder: Path) -> Path:
    """Patients with one to four rows each, who count once."""
    random = np.random.default_rng(7)
    people = patients(rows=90, seed=3).assign(patient=[f"P{number}" for number in range(90)])
    rows = people.loc[np.repeat(people.index, random.integers(1, 5, len(people)))]
    rows = rows.assign(days=random.integers(1, 9, len(rows))).reset_index(drop=True)
    return write_files(
        folder,
        rows,
        POLICY.replace('delimiter = ";"', 'delimiter = ";"\nid = "patient"').replace(
            "name      =", 'patient   = { role = "identifying" }\nname      ='
        )
        + '\n[[risk]]\nmodel = "distinct-l"\nattribute = "diagnosis"\nl = 2\n'
        + ANALYSES,
    )


def in_layers(folder: Path) -> Path:
    """Patients released with several schemes, the rest redacted."""
    return write_files(folder, patients(rows=70, seed=4), POLICY + LAYERS + ANALYSES)


def with_linked_table(folder: Path) -> Path:
    """Patients who may be found in a list of voters, some of whose ages are missing."""
    voters = patients(rows=90, seed=5).rename(columns={"sex": "gender"})[["age", "gender"]]
    voters["age"] = voters["age"].astype(str).where(voters.index % 9 > 0, "")
    voters.to_csv(folder / "voters.csv", index=False)
    (folder / "statement.toml").write_text(STATEMENT)
    risk = 'model = "sources"\nstatement = "statement.toml"'
    return write_files(folder, patients(rows=80, seed=6), policy_with(risk) + ANALYSES)


def with_ranges(folder: Path) -> Path:
    """Patients whose release must lie between levels, with a risk on average."""
    policy = policy_with('model = "average"\nthreshold = 0.15') + ANALYSES
    for old, new in BETWEEN:
        policy = policy.replace(old, new)
    return write_files(folder, patients(rows=150, seed=8), policy)


TABLES: dict[str, Callable[[Path], Path]] = {
    "id": with_id,
    "layers": in_layers,
    "linked": with_linked_table,
    "ranges": with_ranges,
}
VALUES = {
    "id": [2, 3, 6],
    "layers": [2, 3, 6],
    "linked": [0.5, 0.2, 0.05],
    "ranges": [0.4, 0.2, 0.1],
}
"""The thresholds of each frontier; that of sources replaces the ones of the statement."""


def all_said(name: str, folder: Path) -> dict[str, Any]:
    """Release a table and return the release, its manifest and all that is said of them."""
    policy = TABLES[name](folder)
    original = folder / "patients.csv"
    asked = write_questions(name, folder)
    solution = anonymize(None, policy)
    files = write_release(solution, folder / "out", seed=1)
    release = files["release"]
    return {
        "release": Path(release).read_bytes().decode().split("\n"),
        "manifest": read_manifest(files["manifest"]),
        "solution": solution.describe(),
        "comparison": compare(solution).describe(),
        "explanation": explain(solution).describe(),
        "verified": verify(release, policy, against=original).passed,
        "assessment": assess(original, policy, **asked).describe(),
        "assessment of the release": assess(release, policy, asked["scenarios"]).describe(),
        "attacks": attack(release, policy, people=60, seed=1).describe(),
        "evidence": evidence(release, None, policy).describe(),
        "decision": decide(release, policy).describe(),
        "frontier": frontier(None, policy, VALUES[name]).describe(),
    }


def write_questions(name: str, folder: Path) -> dict[str, Any]:
    """Write what attackers may know: scenarios, a statement and sources."""
    texts = {"scenario": SCENARIO, "ranges": RANGES, "sources": SOURCES}
    texts["stated"] = STATEMENT if name == "linked" else without_table()
    paths = {stem: folder / f"{stem}.toml" for stem in texts}
    for stem, path in paths.items():
        path.write_text(texts[stem])
    scenarios = [paths["scenario"], paths["ranges"]]
    return {"scenarios": scenarios, "statement": paths["stated"], "sources": paths["sources"]}


def without_table() -> str:
    """Return the statement where nobody has a list of voters."""
    lines = STATEMENT.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(("path", "names", "delimiter")))


def published(folder: Path) -> dict[str, Any]:
    """Return what is said of a table that was published, with limits and without."""
    (folder / "trial.csv").write_text(TRIAL)
    rows, arms = read_published(folder / "trial.csv", (228, 105))
    asked = {"no limits": PublishedLimits(), "limits": PublishedLimits(1.5, 1.1, 1.2, 0.1)}
    return {name: assess_published(rows, arms, each).describe() for name, each in asked.items()}
