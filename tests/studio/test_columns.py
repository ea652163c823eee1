"""Figures of columns: they count the people whom the policy names, or rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from anonymizer.errors import percent
from anonymizer.proposal.policy_file import NEEDED_WEIGHT
from anonymizer.studio.folder import Folder
from anonymizer.studio.session import Session
from tests.studio.conftest import POLICY, Asking, patients


def households() -> pd.DataFrame:
    """Two rows of each patient; a patient has a card, and some patients share a household."""
    people = patients(rows=120)
    people["card"] = people["patient_id"].str.lower()
    people["household"] = [f"H{number // 3}" for number in range(len(people))]
    later = people.assign(age=people["age"] + 1)
    return pd.concat([people, later], ignore_index=True)


@pytest.fixture
def visits(tmp_path: Path) -> Iterator[Asking]:
    """A studio of a table in which people have several rows, and the policy does not say so yet."""
    households().to_csv(tmp_path / "patients.csv", index=False)
    card = 'card = { role = "insensitive", reveals = ["age", "sex", "zip"] }'
    kept = f'{card}\nhousehold = {{ role = "identifying" }}\n\n[[risk]]'
    policy = tmp_path / "policy.toml"
    policy.write_text(POLICY.replace("\n[[risk]]", kept), encoding="utf-8")
    session = Session(Folder(tmp_path))
    session.open(policy)
    asking = Asking(session)
    asking.settle()
    yield asking
    session.close()


def unique_people(column: str, person: str | None) -> float:
    """Look at every person: has one of their cells a value that nobody else has?"""
    frame = households().astype(str)
    whose = frame.index if person is None else frame[person]
    holders = [set(whose[frame[column] == value]) for value in frame[column].unique()]
    alone = set().union(*(people for people in holders if len(people) == 1))
    return len(alone) / len(set(whose))


@pytest.mark.parametrize("person", ["patient_id", "household", None])
def test_what_is_unique_by_a_column_is_counted_in_people_of_the_policy(visits, person):
    visits.ask(
        "person", revision=visits.revision, column="household"
    )  # whatever was counted before
    visits.ask("columns")
    visits.ask("person", revision=visits.revision, column=person)
    for each in visits.ask("columns")["columns"]:
        assert each["unique"] == pytest.approx(unique_people(each["name"], person)), each["name"]
    visits.settle()
    [table] = visits.ask("risk")["kept"][0]["figures"]
    kept = {row[0]["text"]: row[-1]["text"] for row in table["rows"]}
    assert kept.keys() == {"diagnosis", "card"}
    assert kept["card"] == percent(unique_people("card", person))


def test_an_id_is_what_tells_that_a_column_identifies_people(visits):
    def card() -> float:
        return next(e["unique"] for e in visits.ask("columns")["columns"] if e["name"] == "card")

    assert card() == 0  # each row is a person, and each card is in two rows
    visits.ask("person", revision=visits.revision, column="patient_id")
    assert card() == 1
    visits.settle()
    said = visits.ask("risk")["kept"][0]["sentences"]
    assert any("'card' is kept as it is" in each["text"] for each in said)


def test_a_policy_that_an_editor_broke_still_has_its_columns_counted_in_rows(visits):
    text = visits.session.opened.text
    for data in ("data = 3", "[data]\nid = 3", '[data]\nid = "nobody"'):
        broken = text.replace('[data]\npath = "patients.csv"\nrows_are_people = true', data)
        visits.session.folder.policy.write_text(broken, encoding="utf-8")
        visits.post("undo", revision=visits.revision)  # it is read again before anything is changed
        assert visits.session.opened.text == broken
        found = {each["name"]: each["unique"] for each in visits.ask("columns")["columns"]}
        assert found["card"] == unique_people("card", None)


def test_roles_are_proposed_for_who_receives_it_and_what_the_analysis_needs(studio):
    asked = {"recipient": "enclave", "need": ["age"]}
    answer = studio.ask("propose", revision=studio.revision, **asked)
    attributes = answer["document"]["attributes"]
    assert attributes["age"]["role"] == "quasi"
    assert attributes["age"]["weight"] == NEEDED_WEIGHT
    assert "weight" not in attributes["zip"]
    assert attributes["age"]["hierarchy"]["builder"] == "intervals"  # the one that it had
    assert answer["label"] == "proposed for: enclave"
