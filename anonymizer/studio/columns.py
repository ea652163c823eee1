"""Data: the columns of a table, what they look like, what is proposed for them, and rows in view."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from anonymizer.data.coded import LoadedTable
from anonymizer.data.column import MISSING, Column
from anonymizer.errors import DataError, suggest_name
from anonymizer.hierarchy.fields import is_whole
from anonymizer.hierarchy.values import parse_number
from anonymizer.policy import Role
from anonymizer.proposal.choices import check_needed
from anonymizer.proposal.criteria import parse_recipient
from anonymizer.proposal.decision import Decision
from anonymizer.proposal.figures import count
from anonymizer.proposal.person import find_whose
from anonymizer.proposal.policy_file import NEEDED_WEIGHT
from anonymizer.proposal.proposal import MAY_TELL, decide_all
from anonymizer.proposal.specs import propose_specs
from anonymizer.solution.solution import Solution

BARS = 16
"""Bars of a histogram, and the most values that have a bar of their own."""
MOST_ROWS = 200
"""Rows that are sent at a time; no more fit on a screen."""


def column_of(table: LoadedTable, name: Any) -> Column:
    """Return a column; a DataError says if there is none."""
    if not isinstance(name, str) or name not in table.coded:
        raise DataError(f"there is no column {name!r}; {suggest_name(str(name), table.columns)}")
    return table.coded[name]


def decide(table: LoadedTable) -> dict[str, Decision]:
    """Say what is proposed for each column, whatever the policy says."""
    columns = table.coded
    whose = find_whose(columns, columns.keys())
    return decide_all(columns, {}, whose.person, whose.doubtful)


def count_people(
    table: LoadedTable, decisions: Mapping[str, Decision], person: str | None
) -> dict[str, Decision]:
    """Count the people that a column tells apart in the figures; without one, each row is a person."""
    proposed = next((name for name, each in decisions.items() if each.is_id), None)
    if person == proposed:
        return dict(decisions)
    whose = None if person is None else table.coded[person]
    return {
        name: replace(each, figures=count(table.coded[name], whose))
        for name, each in decisions.items()
    }


def describe_columns(table: LoadedTable, decisions: Mapping[str, Decision]) -> list[dict[str, Any]]:
    """Return for each column its type, figures and distribution, and what is proposed for it."""
    return [
        {
            "name": name,
            "content": decided.content.value,
            "missing": decided.figures.missing,
            "distinct": decided.figures.distinct,
            "unique": decided.figures.unique,
            "proposed": decided.role.value,
            "is_id": decided.is_id,
            "may_be_id": decided.is_id or decided.reason == MAY_TELL,
            "reason": decided.reason,
            "confidence": decided.confidence.value,
            "distribution": distribution(table.coded[name], decided.content.in_order),
        }
        for name, decided in decisions.items()
    ]


def distribution(column: Column, ordered: bool) -> dict[str, Any]:
    """Count the values of a column: in bins of a histogram for numbers, the most frequent first else."""
    counts = np.bincount(column.codes, minlength=len(column.texts)).tolist()
    there = {t: n for t, n in zip(column.texts, counts, strict=True) if t != MISSING and n}
    numbers = {text: parse_number(text) for text in there} if ordered else {}
    if numbers and all(number is not None for number in numbers.values()):
        values = [float(number) for number in numbers.values() if number is not None]
        return {"kind": "numbers", "bars": histogram(values, list(there.values()))}
    if ordered and len(there) > BARS:
        return {"kind": "ordered", "bars": in_order(there)}
    first = sorted(there.items(), key=lambda pair: (-pair[1], pair[0]))
    bars = [{"label": text, "count": count} for text, count in first[: BARS - 1]]
    if rest := first[BARS - 1 :]:
        others = {
            "label": f"{len(rest):,} others",
            "count": sum(n for _, n in rest),
            "others": True,
        }
        bars.append(others)
    return {"kind": "values", "bars": bars}


def histogram(values: Sequence[float], counts: Sequence[int]) -> list[dict[str, Any]]:
    """Count numbers in intervals of one width.

    >>> histogram([0, 1, 2, 3], [1, 1, 1, 5])[-1]["count"]
    5
    """
    whole = all(value == int(value) for value in values)
    found, edges = count_between(values, counts, (min(values), max(values)), whole, BARS)
    return [
        {"label": f"{a:.4g} to {b:.4g}", "low": a, "high": b, "count": n}
        for (a, b), n in zip(pairwise(edges), found, strict=True)
    ]


def count_between(
    values: Sequence[float],
    counts: Sequence[int],
    ends: tuple[float, float],
    whole: bool,
    most: int,
) -> tuple[list[int], list[float]]:
    """Count numbers in intervals of one width from one end to the other, and return their edges.

    Whole numbers have no more intervals than there are of them; what lies beyond is in the last ones.

    >>> count_between([0, 1, 9], [1, 1, 5], (0, 3), True, 10)
    ([1, 1, 0, 5], [0.0, 1.0, 2.0, 3.0, 4.0])
    """
    low, high = ends
    end = high + 1 if whole else high
    bins = int(min(most, end - low)) if whole else most
    inside = np.clip(values, low, np.nextafter(end, low))
    found, edges = np.histogram(inside, bins=bins, range=(low, end), weights=counts)
    return [int(count) for count in found.tolist()], edges.tolist()


def in_order(there: Mapping[str, int]) -> list[dict[str, Any]]:
    """Count ordered texts, such as ISO's dates, in runs with about equally many different ones."""
    texts = sorted(there)
    runs = [part.tolist() for part in np.array_split(np.array(texts, object), BARS)]
    return [
        {"label": f"{run[0]} to {run[-1]}", "count": sum(there[text] for text in run)}
        for run in runs
        if run
    ]


def describe_rows(table: LoadedTable, start: Any, count: Any) -> dict[str, Any]:
    """Return the rows in view, as texts; the empty text is a missing cell."""
    rows = rows_in_view(table, start, count)
    cells = [texts_of(table.coded[name], rows) for name in table.columns]
    return {
        "start": rows.start,
        "total": table.rows,
        "columns": list(table.columns),
        "rows": [list(row) for row in zip(*cells, strict=True)],
    }


def rows_in_view(table: LoadedTable, start: Any, count: Any) -> range:
    """Return the rows asked for that exist."""
    return rows_asked(table.rows or 0, start, count)


def rows_asked(total: int, start: Any, count: Any) -> range:
    """Return those of some rows that are asked for and exist."""
    if not is_whole(start) or not is_whole(count):
        raise DataError("the rows in view are two whole numbers; reload the page.")
    first = min(max(int(start), 0), total)
    return range(first, min(total, first + min(max(int(count), 0), MOST_ROWS)))


def texts_of(column: Column, rows: range) -> list[str]:
    """Return the texts of some rows."""
    return [column.texts[code] for code in column.codes[rows.start : rows.stop].tolist()]


def describe_output(
    table: LoadedTable, solution: Solution, start: Any, count: Any
) -> dict[str, Any]:
    """Return the rows in view beside what they become; a suppressed row is None."""
    rows = rows_in_view(table, start, count)
    release = solution.release
    tuples = release.microdata.tuple_of_row[rows.start : rows.stop]
    gone = release.suppressed[tuples].tolist()
    released: dict[str, list[str]] = {}
    for name in release.columns:
        if name in release.microdata.attributes:
            recoding = release.recoding(name)
            numbers = recoding.number_of_tuple[tuples].tolist()
            released[name] = [recoding.values[number] for number in numbers]
        else:
            released[name] = texts_of(table.coded[name], rows)
    after = [list(row) for row in zip(*released.values(), strict=True)]
    return {
        **describe_rows(table, start, count),
        "released": list(released),
        "after": [None if out else row for out, row in zip(gone, after, strict=True)],
    }


def role_changes(
    table: LoadedTable, documents: Sequence[Mapping[str, Any]], name: Any, role: Any
) -> list[dict[str, Any]]:
    """Return the changes of the policy that give a column a role; a quasi-identifier gets a hierarchy.

    It is the last one that it had in one of the documents (the newest is the last), or a proposed one.
    """
    column = column_of(table, name)
    if role not in [each.value for each in Role]:
        raise DataError(f"{role!r} is not a role; {suggest_name(str(role), [*Role])}")
    known = [document.get("attributes", {}).get(name, {}) for document in documents]
    if known and known[-1].get("role") == role:
        return []
    keys: dict[str, Any] = {"role": role}
    if role == Role.QUASI.value:
        had = [each["hierarchy"] for each in known if "hierarchy" in each]
        keys["hierarchy"] = had[-1] if had else tomllib.loads(propose_specs({name: column})[name])
    return [{"path": ["attributes", name], "value": keys}]


def proposal_changes(
    table: LoadedTable,
    documents: Sequence[Mapping[str, Any]],
    person: str | None,
    recipient: Any,
    need: Any,
) -> list[dict[str, Any]]:
    """Return the changes that give every column the role that a recipient and an analysis ask for."""
    if not isinstance(need, list) or not all(isinstance(name, str) for name in need):
        raise DataError("the columns that the analysis needs are not a list; reload the page.")
    columns = table.coded
    needed = check_needed(list(columns), need, {})
    doubtful = find_whose(columns, columns.keys()).doubtful if person is None else ()
    who = parse_recipient(str(recipient))
    decisions = decide_all(columns, {}, person, doubtful, who, needed)
    changes = []
    for name, each in decisions.items():
        changes += role_changes(table, documents, name, each.role.value)
        if each.role is Role.QUASI:
            weight = NEEDED_WEIGHT if name in needed else None
            changes.append({"path": ["attributes", name, "weight"], "value": weight})
    return changes


def person_changes(table: LoadedTable, name: Any) -> list[dict[str, Any]]:
    """Return the changes of the policy that say whose each row is; None: each row is a person."""
    if name is None:
        return [
            {"path": ["data", "id"], "value": None},
            {"path": ["data", "rows_are_people"], "value": True},
        ]
    column_of(table, name)
    return [
        {"path": ["data", "rows_are_people"], "value": None},
        {"path": ["data", "id"], "value": name},
        {"path": ["attributes", name], "value": {"role": Role.IDENTIFYING.value}},
    ]
