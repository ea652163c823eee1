"""What the name of a column says about it, in a few languages."""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum


class Meaning(StrEnum):
    """What the name of a column means."""

    PERSON = "the number of a person"
    IDENTIFIER = "a direct identifier"
    NAME = "a name, perhaps of a person"
    SENSITIVE = "something that people keep to themselves"
    KNOWN = "something that others may know of a person"


def words(text: str) -> frozenset[str]:
    """Split a list of words."""
    return frozenset(text.split())


PEOPLE = words(
    """
    person patient subject participant client member user customer employee student respondent
    individual proband pupil resident donor beneficiary insured subj pat patienten patientin
    versicherter versicherten mitglied kunde personne patiente adherent persona paciente cliente
    usuario participante paziente utente pessoa doente persoon deelnemer klant henkilo pacjent osoba
    """
)
NUMBERS = words(
    """
    id ids nr no num number nummer numero numer code key kennung ident identifier identifiant uid uuid
    guid pseudonym hash
    """
)
PERSON_NUMBERS = words(
    """
    pid patid patno patientid patientnr patientennummer subjectid subjid usubjid personid userid
    memberid participantid clientid customerid pseudonym mrn studentid employeeid respondentid
    """
)
CASES = words(
    """
    case episode encounter visit stay admission record sample specimen account order invoice chart
    fall aufenthalt aufnahme auftrag konto probe akte sejour dossier caso episodio ricovero cartella
    processo opname zaak
    """
)
"""What has a number of its own and belongs to one person."""
IDENTIFIERS = words(
    """
    surname forename firstname lastname fullname middlename givenname familyname maidenname nickname
    username login email mail phone telephone tel mobile cellphone fax address street ssn passport
    iban mrn nhs licence license plate url website homepage ip ipaddress twitter facebook instagram
    latitude longitude lat lon lng coordinates gps geolocation signature photo fingerprint vorname
    nachname familienname geburtsname strasse adresse anschrift hausnummer telefon handy
    versichertennummer krankenversichertennummer steuernummer ausweisnummer sozialversicherungsnummer
    prenom rue courriel portable nir apellido apellidos direccion calle correo telefono movil dni nif
    nie cedula cognome indirizzo cellulare codicefiscale sobrenome endereco telemovel cpf voornaam
    achternaam adres straat telefoon bsn fornavn efternavn etternavn fornamn efternamn gate gata cpr
    personnummer fodselsnummer imie nazwisko pesel ulica
    """
)
IDENTIFYING_PHRASES = (
    "first name", "last name", "full name", "middle name", "given name", "family name", "maiden name",
    "patient name", "person name", "client name", "member name", "customer name", "contact name",
    "e mail", "social security", "account number", "phone number", "codice fiscale", "street address",
    "ip address", "house number", "licence plate", "license plate",
)  # fmt: skip
NAMES = words(
    """
    name names nom noms nombre nome naam navn namn nimi imie
    """
)
SENSITIVE = words(
    """
    diagnosis diagnoses diagnose diag dx icd icd10 icd9 disease illness hiv aids cancer tumour tumor
    infection comorbidity disability depression suicide abortion pregnancy pregnant addiction drug
    drugs alcohol medication treatment therapy procedure genotype mutation income salary wage wages
    earnings pay debt credit wealth pension benefit benefits loan balance religion religious faith
    belief denomination political politics party vote orientation sexuality union conviction criminal
    arrest offence offense prison krankheit erkrankung einkommen gehalt lohn konfession partei
    gewerkschaft schulden maladie revenu salaire diagnostic religieux enfermedad ingreso ingresos
    salario diagnostico malattia reddito stipendio diagnosi religione doenca renda ziekte inkomen
    salaris sygdom indkomst inntekt inkomst choroba dochod
    """
)
KNOWN = words(
    """
    age birth birthday birthdate birthyear born dob yob sex gender zip zipcode postcode postal city
    town village municipality county state province region district country nation nationality
    citizenship race ethnicity ethnic marital married education degree school university occupation
    job profession employer industry household children siblings height weight bmi language
    mothertongue hair eye eyes hand handedness admission admitted discharge discharged death died
    visit date datum day month year time timestamp alter geburt geburtsdatum geburtsjahr geburtstag
    geschlecht plz postleitzahl stadt ort wohnort gemeinde bundesland kanton land staatsangehorigkeit
    herkunft familienstand zivilstand bildung beruf grosse gewicht sprache aufnahme aufnahmedatum
    entlassung entlassungsdatum ans naissance sexe genre ville commune departement pays nationalite
    metier etudes taille poids langue edad nacimiento sexo genero ciudad municipio provincia pais
    nacionalidad educacion ocupacion estatura peso fecha eta nascita sesso citta comune cap
    nazionalita professione altezza lingua idade nascimento cidade leeftijd geboorte geboortedatum
    geslacht woonplaats gemeente nationaliteit opleiding beroep lengte alder fodselsdato kjonn kon
    kommune wiek plec miasto wojewodztwo
    """
)
KNOWN_PHRASES = (
    "post code",
    "estado civil",
    "etat civil",
    "stato civile",
    "code postal",
    "cod postal",
)


def words_of(name: str) -> list[str]:
    """Split a name into words: without accents, in lower case, at blanks, marks and humps.

    >>> words_of("patientID"), words_of("Größe (cm)"), words_of("Wr.Hnd")
    (['patient', 'id'], ['grosse', 'cm'], ['wr', 'hnd'])
    """
    humps = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    plain = unicodedata.normalize("NFKD", humps.casefold().translate(SPELT))
    letters = "".join(char for char in plain if not unicodedata.combining(char))
    return re.findall(r"[^\W_]+", letters)


SPELT = str.maketrans({"ø": "o", "æ": "ae", "å": "a", "ł": "l"})


def meaning_of(name: str) -> Meaning | None:
    """Say what a column is about by its name; None where that tells nothing.

    >>> [meaning_of(name) for name in ("Fall-Nr", "patient_id", "ward_id")]
    [<Meaning.IDENTIFIER: 'a direct identifier'>, <Meaning.PERSON: 'the number of a person'>, None]
    """
    words = words_of(name)
    if is_person(words):
        return Meaning.PERSON
    if has(words, IDENTIFIERS, IDENTIFYING_PHRASES) or "".join(words) in IDENTIFIERS:
        return Meaning.IDENTIFIER
    if len(words) > 1 and words[-1] in NUMBERS and not CASES.isdisjoint(words[:-1]):
        return Meaning.IDENTIFIER
    if has(words, NAMES):
        return Meaning.IDENTIFIER if len(words) == 1 else Meaning.NAME
    if has(words, SENSITIVE):
        return Meaning.SENSITIVE
    return Meaning.KNOWN if has(words, KNOWN, KNOWN_PHRASES) else None


def is_person(words: list[str]) -> bool:
    """Whether a name is that of the column that tells whose a row is."""
    if not words:
        return False
    alone = words == ["id"] or (len(words) == 1 and words[0] in PEOPLE | PERSON_NUMBERS)
    numbered = words[-1] in NUMBERS and any(word in PEOPLE for word in words[:-1])
    return alone or numbered or words[-1] in PERSON_NUMBERS or "".join(words) in PERSON_NUMBERS


def has(words: list[str], known: frozenset[str], phrases: tuple[str, ...] = ()) -> bool:
    """Whether some of the words, or one of the phrases, is in a name."""
    text = f" {' '.join(words)} "
    return not known.isdisjoint(words) or any(f" {phrase} " in text for phrase in phrases)
