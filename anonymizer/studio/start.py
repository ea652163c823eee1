"""Start: three questions before any figure, each with what the table says about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from anonymizer.data.coded import LoadedTable
from anonymizer.errors import AnonymizerError, quote_some
from anonymizer.policy import Role
from anonymizer.proposal.criteria import Recipient, stays
from anonymizer.proposal.decision import ColumnFacts, Decision
from anonymizer.proposal.names import meaning_of
from anonymizer.proposal.person import find_whose
from anonymizer.proposal.policy_file import NEEDED_WEIGHT
from anonymizer.studio.context import write_context
from anonymizer.studio.folder import Folder

MOST_NAMED = 5


def describe_start(
    table: LoadedTable,
    decisions: Mapping[str, Decision],
    document: Mapping[str, Any],
    folder: Folder,
) -> dict[str, Any]:
    """Return what was found for each question, and what is answered already."""
    return {
        "person": found_of_people(table),
        "recipients": {each.value: found_for(each, decisions) for each in Recipient},
        "recipient": stated_recipient(folder),
        "needed": list(needed_columns(document)),
    }


def found_of_people(table: LoadedTable) -> str:
    """Say which columns may tell whose each row is."""
    whose = find_whose(table.coded, table.coded.keys())
    if whose.found is not None:
        return f"Each row seems to be of the person that {whose.found} names."
    if whose.person is not None:
        values = len(table.coded[whose.person].texts)
        return f"'{whose.person}' numbers people: {values:,} values in {table.rows:,} rows."
    if whose.candidates:
        named = "; ".join(map(str, whose.candidates[:MOST_NAMED]))
        return f"These may tell whose each row is: {named}."
    return "No column repeats as a number of people would: each row looks like a person of its own."


def found_for(recipient: Recipient, decisions: Mapping[str, Decision]) -> str:
    """Say which columns stay as they are for a recipient, since nobody outside can know them."""
    facts = [
        ColumnFacts(name, meaning_of(name), each.content, each.figures)
        for name, each in decisions.items()
        if each.role is not Role.IDENTIFYING
    ]
    kept = [each.name for each in facts if stays(each, recipient)]
    if kept:
        return f"May stay as in the table, since nobody outside knows it: {quote_some(kept, MOST_NAMED)}."
    return "Whatever singles people out is generalized or removed."


def stated_recipient(folder: Folder) -> str | None:
    """Return who receives the release, as the context has it; None where nobody said so."""
    try:
        model = folder.stated().release_model
    except AnonymizerError:
        return None
    return None if model is None else model.value


def state_recipient(folder: Folder, recipient: str) -> None:
    """Have the context say who receives the release, unless something is wrong with it."""
    try:
        folder.stated()
    except AnonymizerError:
        return
    write_context(folder, {"release_model": recipient})


def needed_columns(document: Mapping[str, Any]) -> Iterator[str]:
    """List the quasi-identifiers that weigh as those do which an analysis needs."""
    attributes = document.get("attributes")
    for name, keys in attributes.items() if isinstance(attributes, Mapping) else ():
        if isinstance(keys, Mapping) and keys.get("weight") == NEEDED_WEIGHT:
            yield name
