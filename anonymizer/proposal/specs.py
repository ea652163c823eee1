"""Hierarchies for the quasi-identifiers, as `suggest` proposes them, each tried on its own column."""

from __future__ import annotations

import re
import tomllib
import warnings
from collections.abc import Iterator, Mapping

import numpy as np

from anonymizer.data.coded import CodedTable
from anonymizer.data.column import Column
from anonymizer.errors import AnonymizerWarning, HierarchyError
from anonymizer.hierarchy import parse_spec
from anonymizer.hierarchy.suggest import suggest_for
from anonymizer.hierarchy.values import parse_number
from anonymizer.proposal.codes import looks_like_codes, spec_of_codes
from anonymizer.table.microdata import encode

MOST_TRIED = 200
"""So many values of a column are tried before the table is."""
CLASSIFIED = re.compile(r'^builder = "codes"', re.MULTILINE)
"""A spec that knows more of codes than their digits."""
OPEN = re.compile(r"^open = .*\n?", re.MULTILINE)


def propose_specs(columns: Mapping[str, Column]) -> dict[str, str]:
    """Propose a spec for each column; one HierarchyError names all for which there is none."""
    specs, faults = {}, []
    for name, column in columns.items():
        try:
            specs[name] = propose_spec(name, column)
        except HierarchyError as error:
            faults.append(str(error))
    if faults:
        raise HierarchyError("\n".join(faults))
    return specs


def propose_spec(name: str, column: Column) -> str:
    """Propose a spec that the column's own cells can be read with; raise a HierarchyError if none can."""
    first: HierarchyError | None = None
    for spec in candidates(name, column):
        try:
            try_spec(name, spec, column)
        except HierarchyError as error:
            first = first or error
        else:
            return spec
    assert first is not None  # there is always a candidate
    raise first


def candidates(name: str, column: Column) -> Iterator[str]:
    """Yield specs, the best first; the others mend what is wrong with it."""
    spec = suggest_for(name, column)
    if looks_like_codes(name, column.texts) and not CLASSIFIED.search(spec):
        yield spec_of_codes(name, column.texts)
    yield spec
    if OPEN.search(spec):  # values may lie beyond either end
        yield OPEN.sub('open = "both"\n', spec)


def try_spec(name: str, spec: str, column: Column) -> None:
    """Raise a HierarchyError unless the values of a column have a place in its hierarchy.

    Of many, the least and the greatest are looked at and some between: beyond those lie no others. All
    are where the whole proposal is tried.
    """
    hierarchy = parse_spec(tomllib.loads(spec), name).build(name)
    texts = extremes_of(column.texts)
    values = CodedTable({name: Column(np.arange(len(texts)), texts)})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AnonymizerWarning)  # `run` speaks of missing cells
        encode(values, (hierarchy,))


def extremes_of(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the least and the greatest of many values, as numbers if they are, and some others.

    >>> extremes_of(tuple(map(str, range(-5, 9_000))))[0]
    '-5'
    """
    if len(texts) <= MOST_TRIED:
        return texts
    ordered = sorted(texts, key=lambda text: (parse_number(text) or 0, text))
    end, step = MOST_TRIED // 4, len(texts) // (MOST_TRIED // 2)
    return tuple(dict.fromkeys([*ordered[:end], *ordered[end:-end:step], *ordered[-end:]]))
