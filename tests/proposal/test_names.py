"""What the names of columns say."""

from __future__ import annotations

import pytest

from anonymizer.proposal.names import Meaning, meaning_of


@pytest.mark.parametrize(
    ("meaning", "names"),
    {
        Meaning.PERSON: "id patient_id PatientID subjectNr MRN Versicherten-Nr user-id participant",
        Meaning.IDENTIFIER: "name surname Vorname nachname prénom NOM apellidos e-mail EMail Telefon "
        "Straße address ssn iban Codice.Fiscale first_name PatientName latitude BSN",
        Meaning.NAME: "hospital_name nom.hopital",
        Meaning.SENSITIVE: "diagnosis Diagnose ICD-10 income Einkommen religion hiv.status salary",
        Meaning.KNOWN: "age Alter sex Geschlecht zip PLZ code_postal city date.of.birth race Größe "
        "admission_date marital-status occupation città",
    }.items(),
)
def test_names_are_known_in_several_languages_and_spellings(meaning: Meaning, names: str) -> None:
    assert {name: meaning_of(name) for name in names.split()} == dict.fromkeys(
        names.split(), meaning
    )


@pytest.mark.parametrize(
    "name", ["", "x1", "ward_id", "Wr.Hnd", "q17", "creatinine", "namespace", "§§"]
)
def test_a_name_that_tells_nothing_has_no_meaning(name: str) -> None:
    assert meaning_of(name) is None
