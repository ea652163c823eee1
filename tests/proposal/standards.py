"""Small folders with the tables and the names of the standards, which tests write."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd


def sdtm(people: int = 60) -> dict[str, pd.DataFrame]:
    """Return tables of a trial with SDTM's names, a domain that it has not, and free text."""
    random = np.random.default_rng(1)
    ids = [f"01-{700 + n}" for n in range(people)]
    start = pd.Timestamp("2014-01-01") + pd.to_timedelta(random.integers(0, 300, people), "D")
    terms = {"PRURITUS": "SKIN", "ERYTHEMA": "SKIN", "NAUSEA": "GUT", "DIARRHOEA": "GUT"}
    dm = pd.DataFrame(
        {
            "STUDYID": "S1", "DOMAIN": "DM", "USUBJID": ids, "SUBJID": range(people),
            "RFSTDTC": start.strftime("%Y-%m-%d"), "SITEID": random.integers(700, 703, people),
            "AGE": random.integers(50, 60, people), "AGEU": "YEARS",
            "SEX": random.choice(["F", "M"], people), "ARM": random.choice(["A", "B"], people),
            "INVESTIGATORS": "somebody",
        }
    )  # fmt: skip
    who = random.integers(0, people, 6 * people)
    begin = start[who] + pd.to_timedelta(random.integers(-20, 200, who.size), "D")
    coded = random.choice(list(terms), who.size)
    ae = pd.DataFrame(
        {
            "STUDYID": "S1", "DOMAIN": "AE", "USUBJID": np.array(ids)[who],
            "AESEQ": range(who.size), "AETERM": [f"said to be {term.lower()}" for term in coded],
            "AEDECOD": coded, "AEBODSYS": [terms[term] for term in coded],
            "AESEV": random.choice(["MILD", "SEVERE"], who.size),
            "AESTDTC": begin.strftime("%Y-%m-%d"), "AESTDY": random.integers(0, 200, who.size),
        }
    )  # fmt: skip
    vs = pd.DataFrame(
        {
            "STUDYID": "S1", "DOMAIN": "VS", "USUBJID": np.repeat(ids, 2),
            "VSTESTCD": ["PULSE", "TEMP"] * people, "VSSTRESN": random.integers(60, 90, 2 * people),
            "VSDTC": np.repeat(start.strftime("%Y-%m-%d"), 2),
        }
    )  # fmt: skip
    ta = pd.DataFrame({"STUDYID": ["S1"], "ARMCD": ["A"]})
    return {"DM": dm, "AE": ae, "VS": vs, "TRIALARMS": ta}


def omop(people: int = 80) -> dict[str, pd.DataFrame]:
    """Return tables of a registry with OMOP's names: visits, their conditions, and concepts."""
    random = np.random.default_rng(2)
    person = pd.DataFrame(
        {
            "person_id": range(1, people + 1), "gender_concept_id": random.choice([8507, 8532], people),
            "year_of_birth": random.integers(1950, 1970, people), "race_concept_id": 8527,
            "person_source_value": [f"source {n}" for n in range(people)],
        }
    )  # fmt: skip
    visits = np.repeat(np.arange(1, people + 1), 3)
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(random.integers(0, 500, visits.size), "D")
    visit = pd.DataFrame(
        {
            "visit_occurrence_id": range(1000, 1000 + visits.size), "person_id": visits,
            "visit_concept_id": random.choice([9201, 9202], visits.size),
            "visit_start_date": days.strftime("%Y-%m-%d"),
        }
    )  # fmt: skip
    at = random.integers(0, visits.size, 2 * visits.size)
    condition = pd.DataFrame(
        {
            "condition_occurrence_id": range(5000, 5000 + at.size), "person_id": visits[at],
            "visit_occurrence_id": 1000 + at,
            "condition_concept_id": random.choice([4112343, 40481087, 4329847, 198809], at.size),
            "condition_start_date": days[at].strftime("%Y-%m-%d"),
            "condition_source_value": "as it was said",
        }
    )  # fmt: skip
    concept = pd.DataFrame(
        {
            "concept_id": [4112343, 40481087, 4329847, 198809],
            "concept_class_id": ["Disorder", "Disorder", "Disorder", "Finding"],
            "domain_id": ["Condition", "Condition", "Condition", "Observation"],
        }
    )  # fmt: skip
    return {
        "person": person, "visit_occurrence": visit, "condition_occurrence": condition,
        "concept": concept, "note": pd.DataFrame({"person_id": [1, 2], "text": ["x", "y"]}),
    }  # fmt: skip


def write(tables: Mapping[str, pd.DataFrame], folder: Path, kind: str = "csv") -> Path:
    """Write the tables to a folder, as files of a kind."""
    folder.mkdir(exist_ok=True)
    for name, table in tables.items():
        path = folder / f"{name}.{kind}"
        if kind == "parquet":
            table.to_parquet(path)
        elif kind == "xpt":
            import pyreadstat

            pyreadstat.write_xport(table, str(path), file_format_version=8)
        else:
            table.to_csv(path, index=False)
    return folder
