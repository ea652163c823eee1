"""What is kept in one table of a study tells no id, and nothing that another table generalizes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from anonymizer import PolicyError
from anonymizer.problem.study import StudyProblem
from tests.clinic import POLICY, Frames, frames, write_clinic


def with_column(table: str, role: str = "insensitive", more: str = "") -> str:
    """The policy with one more column that is kept."""
    line = f'extra = {{ role = "{role}"{more} }}\n'
    start = "[attributes]\n" if table == "patient" else f"[tables.{table}.attributes]\n"
    return POLICY.replace(start, start + line, 1)


def refused(folder: Path, table: str, extra: Any, policy: str) -> str:
    """What is said of a study with one more column; nothing where it is taken."""
    given = frames(people=200)
    given[table] = given[table].assign(extra=extra(given))
    try:
        StudyProblem.read(given, write_clinic(folder, policy))
    except PolicyError as error:
        (fault,) = error.faults
        return fault
    return ""


def of_person(given: Frames, whose: Any, column: str) -> pd.Series[Any]:
    return whose.map(given["patient"].set_index("pid")[column])


def whose_visit(given: Frames) -> Any:
    return given["diagnosis"]["visit"].map(given["visit"].set_index("visit_id")["patient"])


def only_drug(given: Frames) -> Any:
    """Let everybody have one drug, however often; return it."""
    first = given["drug"].drop_duplicates("who").set_index("who")["name"]
    given["drug"] = given["drug"].assign(name=given["drug"]["who"].map(first))
    return given["patient"]["pid"].map(first)


TOLD: dict[str, tuple[str, Callable[[Frames], Any], str]] = {
    "the id beside the key": ("diagnosis", whose_visit, "holds the ids of table 'patient'"),
    "the key once more": ("visit", lambda f: f["visit"]["visit_id"], "the ids of table 'visit'"),
    "the key of the parent": (
        "diagnosis",
        lambda f: f["diagnosis"]["visit"],
        "ids of table 'visit'",
    ),
    "the id once more": ("patient", lambda f: " " + f["patient"]["pid"], "ids of table 'patient'"),
    "the id of somebody else": (
        "patient",
        lambda f: [*f["patient"]["pid"][1:], None],
        "holds the ids of table 'patient'",
    ),
    "what a person is": (
        "drug",
        lambda f: of_person(f, f["drug"]["who"], "born"),
        r"whoever reads 'extra' knows 'born'.* reveals = \[\"born\"\]",
    ),
    "what a person is, by another column": (
        "diagnosis",
        lambda f: 2026 - of_person(f, whose_visit(f), "born"),
        "whoever reads 'extra' knows 'born'",
    ),
    "what a visit is": (
        "diagnosis",
        lambda f: f["diagnosis"]["visit"].map(f["visit"].set_index("visit_id")["kind"]),
        r"knows 'visit.kind', which is generalized.* reveals = \[\"visit.kind\"\]",
    ),
    "what an event is, beside the person": (
        "patient",
        only_drug,
        "knows 'drug.name', which is generalized; remove it.$",
    ),
}


@pytest.mark.parametrize("name", TOLD)
def test_a_kept_column_that_tells_another_table_is_refused(tmp_path: Path, name: str) -> None:
    table, extra, sentence = TOLD[name]
    assert re.search(sentence, refused(tmp_path, table, extra, with_column(table)))
    if name != "what an event is, beside the person":
        assert refused(tmp_path, table, extra, with_column(table, "identifying")) == ""


def test_what_is_accepted_is_kept(tmp_path: Path) -> None:
    for name, told in (("what a person is", "born"), ("what a visit is", "visit.kind")):
        table, extra, _ = TOLD[name]
        accepted = with_column(table, more=f', reveals = ["{told}"]')
        assert refused(tmp_path, table, extra, accepted) == ""
    strange = write_clinic(tmp_path, with_column("drug", more=', reveals = ["visit.knd"]'))
    with pytest.raises(PolicyError, match=r"extra reveals 'visit.knd'.* did you mean 'visit.kind'"):
        StudyProblem.read(frames(), strange)


def test_small_numbers_are_no_ids_because_some_id_is_equal(tmp_path: Path) -> None:
    given = frames()
    number = {pid: str(at) for at, pid in enumerate(given["patient"]["pid"])}
    given["patient"]["pid"] = given["patient"]["pid"].map(number)
    given["visit"]["patient"] = given["visit"]["patient"].map(number)
    given["drug"]["who"] = given["drug"]["who"].map(number)
    policy = write_clinic(tmp_path, with_column("drug"))
    given["drug"]["extra"] = [str(1 + at % 9) for at in range(len(given["drug"]))]
    StudyProblem.read(given, policy)
    given["drug"]["extra"] = given["drug"]["who"]
    with pytest.raises(PolicyError, match="holds the ids of table 'patient'"):
        StudyProblem.read(given, policy)
