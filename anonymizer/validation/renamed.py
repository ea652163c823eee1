"""Old keys: what earlier versions called the keys of policies, and where each is now.

An old key is read as the new one, with one sentence that says so. Where both are given, the old one is
left where it is: it is then an unknown key, and its fault says what it is called now.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from anonymizer.errors import AnonymizerWarning

GONE = ""
"""Where a key is that nothing looks at any longer."""
MACHINE = "machine"
"""What describes the machine: an option of a command, and no part of a policy."""


@dataclass(frozen=True, slots=True)
class Renamed:
    """Where an old key is now."""

    old: str
    """What it was called, with the table that it was in."""
    new: str
    """Its name in the same table; in another one, with that table before it; or gone."""
    words: str = ""
    """What to do, where that is not to write the new key."""
    value: Callable[[Any], Any] = lambda value: value
    """What its value is now."""

    @property
    def sentence(self) -> str:
        """Say where it is now, and what to do."""
        return self.words or f"this key is now `{self.new}`; write that"

    def warn(self) -> None:
        """Say so once."""
        warnings.warn(f"{self.old}: {self.sentence}.", AnonymizerWarning, stacklevel=2)


def kibibytes(gibibytes: Any) -> Any:
    """Write a number of GiB as an amount of memory."""
    number = isinstance(gibibytes, int | float) and not isinstance(gibibytes, bool)
    return f"{max(1, round(gibibytes * 2**20))}KiB" if number else gibibytes


def as_layers(recoding: Any) -> Any:
    """Say whether a recoding was one in layers."""
    known = {"full-domain": False, "layers": True}
    return known.get(recoding, recoding) if isinstance(recoding, str) else recoding


def nested(levels: Any) -> Any:
    """Write what each level merges as groups of groups; None where that cannot be read.

    >>> nested([{"North": ["NO", "SE"], "South": ["IT"]}, {"Europe": ["North", "South"]}])
    {'Europe': {'North': ['NO', 'SE'], 'South': ['IT']}}
    """
    if not isinstance(levels, list | tuple) or not levels:
        return None
    found: Any = levels[0]
    for level in levels[1:]:
        if not isinstance(level, Mapping) or not isinstance(found, Mapping):
            return None
        members = [member for group in level.values() for member in group]
        if sorted(map(str, members)) != sorted(map(str, found)):
            return None
        found = {name: {each: found[each] for each in group} for name, group in level.items()}
    return found


def option(old: str, new: str, words: str, value: Callable[[Any], Any] | None = None) -> Renamed:
    """Describe a key that is an option of commands now, and an argument in Python."""
    return Renamed(old, f"{MACHINE}.{new}", words, value or (lambda each: each))


def dropped(old: str, why: str) -> Renamed:
    """Describe a key that is no longer looked at."""
    return Renamed(old, GONE, f"this key is no longer looked at: {why}; remove it")


WORKERS = "the number of workers is an option now; give --workers, or workers= in Python"
MEMORY = "memory is an option now; give --memory, or memory= in Python"
EVALUATIONS = (
    "the most evaluations are an option now; give --evaluations, or evaluations= in Python"
)
RENAMED: dict[tuple[str, str], Renamed] = {
    ("Data", "memory"): option("data.memory", "memory", MEMORY),
    ("Search", "memory_limit"): option("search.memory_limit", "memory", MEMORY, kibibytes),
    ("Search", "evaluation_limit"): option("search.evaluation_limit", "evaluations", EVALUATIONS),
    ("Search", "workers"): option("search.workers", "workers", WORKERS),
    ("Search", "suppression_limit"): Renamed(
        "search.suppression_limit", "release.suppression_limit"
    ),
    ("Release", "max_layers"): Renamed("release.max_layers", "layers"),
    ("Release", "recoding"): Renamed("release.recoding", "layers", value=as_layers),
    ("Attribute", "delimiter"): dropped("attributes.delimiter", "it is found in each hierarchy"),
    ("Dates", "levels"): Renamed("builder 'dates': levels", "periods"),
    ("Explicit", "levels"): Renamed("builder 'mapping': levels", "groups", value=nested),
    ("Ordered", "groups"): Renamed("builder 'ordered': groups", "sizes"),
    ("Overall", "columns"): Renamed("risk model 'overall': columns", "names"),
    ("Scenario", "groups"): Renamed("scenario: groups", "learned"),
    ("ExternalSource", "table"): Renamed("statement: source: table", "path"),
    ("ExternalSource", "columns"): Renamed("statement: source: columns", "names"),
    ("ShareByValue", "values"): Renamed("statement: source: p or q: values", "probabilities"),
    ("SourcesFile", "sources"): Renamed("sources: sources", "source"),
    ("ExternalTable", "table"): Renamed("sources: external: table", "path"),
    ("ExternalTable", "columns"): Renamed("sources: external: columns", "names"),
    ("Prediction", "held_out"): dropped("analysis.held_out", "3 of 10 people are held out"),
    ("Prediction", "seed"): dropped("analysis.seed", "draws are the same in every run"),
    ("Queries", "seed"): dropped("analysis.seed", "draws are the same in every run"),
    ("Queries", "columns_per_query"): dropped(
        "analysis.columns_per_query", "each query looks at 2 columns"
    ),
}
"""Old keys, by the class that had them and the name that they had there."""


def renewed(kind: str, table: Any, say: bool = True) -> Any:
    """Return the table of a class with its old keys replaced; those of other tables stay.

    >>> renewed("Release", {"recoding": "layers", "max_layers": 3}, say=False)
    {'layers': 3}
    """
    if not isinstance(table, Mapping):
        return table
    found, stated = dict(table), set(table)
    for old, key in keys_of(kind):
        if old not in table or "." in key.new or key.new in stated:
            continue
        value = key.value(table[old])
        if value is None and table[old] is not None:
            continue  # what it says now is for its own fault
        if say:
            key.warn()
        del found[old]
        if key.new != GONE and value is not None:
            found.setdefault(key.new, value)
    return found


def keys_of(kind: str) -> Iterator[tuple[str, Renamed]]:
    """List the old keys of a class."""
    return ((old, key) for (owner, old), key in RENAMED.items() if owner == kind)


def moved(keys: Mapping[str, Any], owners: Mapping[str, str], say: bool = True) -> dict[str, Any]:
    """Return the tables of a policy with keys of one that are in another now; `owners` are their classes.

    >>> moved({"search": {"workers": 2}}, {"search": "Search"}, say=False)
    {'search': {}, 'machine': {'workers': 2}}
    """
    found = dict(keys)
    for name, kind in owners.items():
        table = found.get(name)
        if not isinstance(table, Mapping):
            continue
        for old, key in keys_of(kind):
            place, dot, new = key.new.partition(".")
            if not dot or old not in table:
                continue
            there = found.get(place, {})
            target = dict(there)
            if isinstance(there, Mapping) and new in there and place != MACHINE:
                continue
            if say:
                key.warn()
            table = {each: value for each, value in table.items() if each != old}
            value = key.value(keys[name][old])
            if value is not None and not (isinstance(there, Mapping) and new in there):
                target[new] = value
            found |= {name: table, place: target}
    return found


def sentence_of(kind: object, key: str) -> str | None:
    """Say what an old key of a class is called now; None where it is none."""
    old = RENAMED.get((getattr(kind, "__name__", ""), key))
    if old is None:
        return None
    return old.sentence if old.words else f"{old.sentence} alone"
