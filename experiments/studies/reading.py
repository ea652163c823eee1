"""The studies of the reference: study.json, the tables, and a hierarchy for each quasi-identifier."""

from __future__ import annotations

import json
from pathlib import Path

from anonymizer.data.opening import open_table
from anonymizer.errors import DataError
from anonymizer.hierarchy import read_arx
from anonymizer.risk.study import StudyAnonymity
from anonymizer.study.encoding import KeyedTable, encode_study
from anonymizer.study.evaluator import StudyEvaluator
from anonymizer.study.study import Study
from anonymizer.utility import Aggregate, Loss
from experiments.datasets import find_file, folders_named


def read_study(name: str) -> Study:
    """Read a study of the reference."""
    folder = find_file("studies", name)
    if folder is None:
        raise DataError(
            f"there is no studies/{name} in {folders_named()}; give its folder with --data."
        )
    described = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    people = described["people"]
    names = [people, *(table for table in described["tables"] if table != people)]
    return encode_study([
        KeyedTable(
            table,
            open_table(folder / f"{table}.csv"),
            [read_arx(hierarchy_of(folder, each), each) for each in described["tables"][table]],
            described["id"],
        )
        for table in names
    ])  # fmt: skip


def hierarchy_of(folder: Path, column: str) -> Path:
    """Return the hierarchy of a column."""
    return folder / "hierarchies" / f"{column}.csv"


def evaluator_of(study: Study, model: StudyAnonymity) -> StudyEvaluator:
    """Evaluate by the geometric mean with equal weights, with no limit on who is dropped."""
    measure = Loss(Aggregate.GEOMETRIC, (1.0,) * len(study.attributes))
    return StudyEvaluator(study, model, measure, study.people)
