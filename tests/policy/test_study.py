"""Linked tables in a policy: what is written reads back, and every fault is a sentence."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Callable
from typing import Any

import pytest

from anonymizer.errors import PolicyError
from anonymizer.policy import Policy, policy_schema
from tests.clinic import POLICY

Keys = dict[str, Any]


def keys(change: Callable[[Keys], object] = lambda _: None) -> Keys:
    """The keys of the policy, changed."""
    found = copy.deepcopy(tomllib.loads(POLICY))
    change(found)
    return found


def test_a_table_alone_has_its_own_columns_and_files() -> None:
    policy = Policy.of(keys())
    alone = policy.of_table("diagnosis")
    assert alone.quasi_identifiers == ("code",)
    assert [path.name for path in alone.files] == ["diagnosis.csv", "code.csv"]
    assert {path.name for path in policy.files} >= {"patient.csv", "visit.csv", "code.csv"}
    assert policy.describe()["tables"]["diagnosis"]["parent"] == "visit"


def test_a_flat_policy_says_nothing_of_tables() -> None:
    flat = keys(lambda found: found.pop("tables"))
    flat["risk"] = [{"model": "k-anonymity", "k": 3}]
    assert "tables" not in Policy.of(flat).describe()


def test_the_schema_knows_tables() -> None:
    assert "tables" in policy_schema()["properties"]


FAULTS: dict[str, tuple[Callable[[Keys], object], str]] = {
    "unknown parent": (
        lambda found: found["tables"]["diagnosis"].update(parent="vist"),
        "diagnosis.parent is 'vist', which is no table of .*; did you mean 'visit'",
    ),
    "circle": (
        lambda found: found["tables"]["visit"].update(parent="visit"),
        "visit.parent leads back to 'visit'; name one that leads to the people table",
    ),
    "no key": (
        lambda found: found["tables"]["visit"].pop("key"),
        "visit.key is missing, and other tables belong to it",
    ),
    "idle key": (
        lambda found: found["tables"]["drug"].update(key="who"),
        "drug.key is stated, and no table names 'drug' as its parent; leave it out",
    ),
    "twice": (
        lambda found: found["tables"].update(DRUG=found["tables"]["drug"]),
        "'drug', 'DRUG': files of these names would be the same; rename one",
    ),
    "name": (
        lambda found: found["tables"].update({"a b": found["tables"]["drug"]}),
        "'a b': a name has letters, digits, _ and - alone",
    ),
    "released id": (
        lambda found: found["tables"]["drug"]["attributes"]["who"].update(role="insensitive"),
        "tables.drug.attributes: id names 'who', which is insensitive.* give it the role 'identifying'",
    ),
    "no such id": (
        lambda found: found["tables"]["drug"].update(id="whom"),
        "id names 'whom', which is not a column; did you mean 'who'",
    ),
    "no id of people": (
        lambda found: found["data"].pop("id"),
        "data.id is missing; name the column",
    ),
    "sample": (
        lambda found: found["data"].update(sample=0.5),
        "data.sample draws rows of one table",
    ),
    "another model": (
        lambda found: found["risk"].append({"model": "k-anonymity", "k": 3}),
        "the risk model 'k-anonymity' looks at one table; use one .* with model = 'study'",
    ),
    "two of it": (
        lambda found: found["risk"].append({"model": "study", "k": 3, "power": 1}),
        "the model 'study' is stated twice",
    ),
    "power of no table": (
        lambda found: found["risk"][0].update(powers={"vist": 1}),
        "has a power for 'vist', which is no table of events; did you mean 'visit'",
    ),
    "power": (
        lambda found: found["risk"][0].update(power=-1),
        "risk.0: power must be at least 0, got -1",
    ),
    "layers": (
        lambda found: found.update(release={"recoding": "layers"}),
        "linked tables have one scheme for all",
    ),
    "redaction": (
        lambda found: found.update(release={"suppressed": "redact"}),
        "people are dropped with all their rows",
    ),
    "order": (
        lambda found: found.update(release={"shuffle": False}),
        "the rows of linked tables are always shuffled",
    ),
    "strict": (lambda found: found.update(release={"strict": True}), "release.strict looks at one"),
    "database": (
        lambda found: found.update(release={"table": "t"}),
        "linked tables are released as files",
    ),
    "microaggregation": (
        lambda found: found["attributes"]["born"].update(microaggregation="mean"),
        "attributes.born has microaggregation, which linked tables do not have",
    ),
    "microaggregation of events": (
        lambda found: found["tables"]["visit"]["attributes"]["kind"].update(
            microaggregation="mean"
        ),
        "kind has microaggregation, which linked tables do not have",
    ),
    "what is revealed": (
        lambda found: found["tables"]["drug"]["attributes"]["dose"].update(reveals=["nam"]),
        "dose reveals 'nam', which is not a quasi-identifier",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_every_fault_is_one_sentence(name: str) -> None:
    change, sentence = FAULTS[name]
    with pytest.raises(PolicyError, match=sentence) as found:
        Policy.of(keys(change))
    assert len(found.value.faults) == 1


def test_all_faults_are_shown_together() -> None:
    def spoil(found: Keys) -> None:
        for name in ("unknown parent", "no id of people", "power", "layers"):
            FAULTS[name][0](found)

    with pytest.raises(PolicyError) as error:
        Policy.of(keys(spoil))
    assert len(error.value.faults) == 4
