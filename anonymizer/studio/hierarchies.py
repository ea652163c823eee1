"""Hierarchies: cut points and groups that can be moved, and what every level makes of real values."""

from __future__ import annotations

import itertools
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from anonymizer.data.coded import LoadedTable
from anonymizer.data.column import MISSING, Column
from anonymizer.data.staging import replace_file
from anonymizer.errors import DataError, HierarchyError
from anonymizer.hierarchy import Hierarchy, check_values, load_hierarchy, write_arx
from anonymizer.hierarchy.dates import PERIODS
from anonymizer.hierarchy.lint import check_rows
from anonymizer.hierarchy.numbers import middle_of_period
from anonymizer.hierarchy.spec import parse_spec
from anonymizer.hierarchy.values import parse_number
from anonymizer.policy import Policy
from anonymizer.proposal.policy_file import file_names
from anonymizer.studio.columns import column_of
from anonymizer.studio.folder import Folder
from anonymizer.studio.toml_text import plain

PREVIEWED = 12
"""So many values show what every level makes of them, and so many labels stand for a level."""
MOST_GROUPED = 400
"""Categories of more values are not drawn as groups."""
EXAMPLES = 5
"""So many cells show how they are read."""
MOST_DAYS = 120
"""With more cut points in a span of time, periods are chosen by their names only."""
UNITS = ("day", "month", "quarter", "year", "decade")
"""The periods of dates unless a spec names others."""
BARS = 60
"""Bars of the histogram that cut points are moved on."""


def describe_hierarchy(
    table: LoadedTable, policy: Policy, document: Mapping[str, Any], name: Any
) -> dict[str, Any]:
    """Return the hierarchy of a column: its spec, each level on real values, and its defects."""
    column = column_of(table, name)
    if name not in policy.quasi_identifiers:
        raise DataError(f"'{name}' is not generalized; give it the role 'quasi' first.")
    spec = spec_of(policy, document, name)
    attribute = policy.attributes[name]
    return {
        "column": name,
        "spec": spec,
        "reading": describe_reading(policy, column, name, attribute.type, attribute.format),
        **describe_built(policy.hierarchy(name), column, spec),
    }


def describe_reading(
    policy: Policy, column: Column, name: str, kind: Any, form: Any
) -> dict[str, Any]:
    """Show how cells are read, as a stated type and format, on some of them; null is what cannot be."""
    changed = policy.with_attributes({name: {"type": kind, "format": form or None}})
    reading = changed.hierarchy(name).reading
    texts = [text for text in column.texts if text != MISSING]
    some = texts[:: max(1, len(texts) // EXAMPLES)][:EXAMPLES]
    unread = sum(reading.read(text) is None for text in texts)
    return {
        "type": kind,
        "format": form,
        "examples": [{"text": text, "value": reading.read(text)} for text in some],
        "unread": unread,
    }


def spec_of(policy: Policy, document: Mapping[str, Any], name: str) -> dict[str, Any] | None:
    """Return the keys of a builder, from the policy or its file; None where rows or files are listed."""
    given = document["attributes"][name].get("hierarchy")
    if isinstance(given, str) and Path(given).suffix.lower() == ".toml":
        text = (policy.folder / given).read_text(encoding="utf-8")
        given = tomllib.loads(text)
    keys = plain(given) if isinstance(given, dict) and "builder" in given else None
    # the files of a spec are relative to it, so its keys cannot move to the policy
    return None if keys is None or parse_spec(keys, name).files else keys


def describe_built(
    hierarchy: Hierarchy, column: Column, spec: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return what a hierarchy makes of a column."""
    counts = np.bincount(column.codes, minlength=len(column.texts)).tolist()
    cells = dict(zip(column.texts, counts, strict=True))
    defects = [*check_rows(listed_rows(hierarchy)), *check_values(hierarchy, column.texts)]
    rows = covered_rows(hierarchy, cells)
    return {
        "kind": hierarchy.reading.kind,
        "height": hierarchy.height,
        "levels": preview_levels(rows, cells, hierarchy.height),
        "values": preview_values(rows, cells, hierarchy.ordered),
        "histogram": histogram(cells, hierarchy, spec),
        "cuts": None if spec is None else cut_points(spec),
        "groups": groups_of(hierarchy, {**listed(hierarchy), **rows}, cells, spec),
        "missing": cells.get(MISSING, 0),
        "defects": [asdict(defect) for defect in defects],
    }


def listed_rows(hierarchy: Hierarchy) -> list[tuple[str, ...]]:
    """Return the rows that somebody wrote; examples of a form were not written by anybody."""
    return [] if hierarchy.has_examples else list(hierarchy.rows())


def covered_rows(hierarchy: Hierarchy, cells: Mapping[str, int]) -> dict[str, tuple[str, ...]]:
    """Return what each text of a column becomes, level by level; what is not covered is left out."""
    listed = {row[0]: row for row in hierarchy.rows()}
    found = {}
    for text in cells:
        value = hierarchy.reading.read(text)
        row = None if value is None else listed.get(value)
        if row is None and value is not None and hierarchy.growth is not None:
            row = hierarchy.growth.row_of(value)
        if row is not None and text != MISSING:
            found[text] = row
    return found


def preview_levels(
    rows: Mapping[str, Sequence[str]], cells: Mapping[str, int], height: int
) -> list[dict[str, Any]]:
    """Count the cells of each label of each level, the most frequent first."""
    levels = []
    for level in range(height):
        counted: Counter[str] = Counter()
        for text, row in rows.items():
            counted[row[level]] += cells[text]
        bars = [{"label": label, "count": count} for label, count in counted.most_common(PREVIEWED)]
        levels.append({"level": level, "labels": len(counted), "bars": bars})
    return levels


def preview_values(
    rows: Mapping[str, Sequence[str]], cells: Mapping[str, int], ordered: bool
) -> list[dict[str, Any]]:
    """Show values on their way up: the most frequent, or some over the whole range of an order."""
    first = sorted(rows, key=lambda text: -cells[text])[:PREVIEWED]
    if ordered:
        in_order = sorted(rows, key=place_of)
        first = in_order[:: max(1, -(-len(in_order) // PREVIEWED))]
    return [{"value": text, "count": cells[text], "row": list(rows[text])} for text in first]


def place_of(text: str) -> tuple[float, str]:
    """Return what numbers are sorted by, and dates as ISO writes them."""
    number = parse_number(text)
    return (0.0 if number is None else float(number)), text


def histogram(
    cells: Mapping[str, int], hierarchy: Hierarchy, spec: Mapping[str, Any] | None
) -> dict[str, Any] | None:
    """Count numbers, or days since 1970, in many narrow intervals; None where there are no cut points."""
    if spec is None or cut_points(spec) is None:
        return None
    dated = spec["builder"] == "dates"
    low, high = map(day_number, (spec["from"], spec["to"])) if dated else map(float, spec["domain"])
    whole = dated or all(isinstance(end, int) for end in spec["domain"])
    pairs = [(read_place(text, hierarchy, dated), count) for text, count in cells.items()]
    values = [number for number, _ in pairs if number is not None]
    weights = [count for number, count in pairs if number is not None]
    end = high + 1 if whole else high
    bins = int(min(BARS, end - low)) if whole else BARS
    counted, edges = np.histogram(
        np.clip(values, low, np.nextafter(end, low)), bins=bins, range=(low, end), weights=weights
    )
    return {
        "low": low,
        "high": end,
        "whole": whole,
        "unit": spec.get("levels", ["day"])[0] if dated else None,
        "counts": [int(count) for count in counted.tolist()],
        "edges": edges.tolist(),
    }


def read_place(text: str, hierarchy: Hierarchy, dated: bool) -> float | None:
    """Read a cell as a number, or a date as days since 1970; None where it is neither."""
    if not dated:
        number = parse_number(text)
        return None if number is None else float(number)
    value = hierarchy.reading.read(text)
    return None if value is None else middle_of_period(value)


def day_number(day: Any) -> float:
    """Return the number of a day that a spec names, from 1970 on."""
    return float(np.datetime64(str(day), "D").astype(np.int64))


def cut_points(spec: Mapping[str, Any]) -> list[list[float]] | None:
    """Return where a new interval or period starts, level by level, however the spec says it.

    Of dates, in days since 1970; None where there are none, or more than anybody could move.
    """
    if spec.get("builder") == "dates":
        found = cut_days(spec)
        return found if len(found[0]) <= MOST_DAYS else None
    if spec.get("builder") != "intervals":
        return None
    if spec.get("bounds"):
        return [list(level) for level in spec["bounds"]]
    low, high = spec["domain"]
    end = high + 1 if isinstance(low, int) and isinstance(high, int) else high
    origin, found = spec.get("origin", 0), []
    for width in spec.get("widths", ()):
        first = low - (low - origin) % width + width
        count = max(0, int(np.ceil((end - first) / width)))
        found.append([first + width * number for number in range(count)])
    return found


def cut_days(spec: Mapping[str, Any]) -> list[list[float]]:
    """Return the days at which periods start, level by level above the first."""
    if spec.get("bounds"):
        return [[day_number(day) for day in level] for level in spec["bounds"]]
    days = np.arange(day_number(spec["from"]), day_number(spec["to"]) + 1)
    times = days.astype("datetime64[D]")
    levels = [PERIODS[unit].number_of(times) for unit in spec.get("levels", UNITS)[1:]]
    return [days[1:][np.diff(numbers) > 0].tolist() for numbers in levels] or [[]]


def listed(hierarchy: Hierarchy) -> dict[str, tuple[str, ...]]:
    """Return the rows of the values that are listed, missing cells aside."""
    return {row[0]: row for row in listed_rows(hierarchy) if row[0] != MISSING}


def groups_of(
    hierarchy: Hierarchy,
    rows: Mapping[str, Sequence[str]],
    cells: Mapping[str, int],
    spec: Mapping[str, Any] | None,
) -> dict[str, Any] | None:
    """Return categories with the group of each at each level; those without cells are there as well."""
    if spec is None or spec.get("builder") != "mapping" or len(rows) > MOST_GROUPED:
        return None
    return {
        "rows": [
            {"value": text, "count": cells.get(text, 0), "groups": list(row[1:-1])}
            for text, row in rows.items()
        ],
        "levels": hierarchy.height - 2,
        "numbers": hierarchy.reading.kind == "number",
    }


def changes_for(table: LoadedTable, policy: Policy, name: Any, spec: Any) -> list[dict[str, Any]]:
    """Return the changes that give a column another hierarchy; one with faults is refused in words."""
    column, built = column_of(table, name), build(name, spec, policy.folder)
    errors = [each for each in check_values(built, column.texts) if each.severity == "error"]
    if errors:
        raise HierarchyError.defective(f"hierarchy of '{name}'", [each.message for each in errors])
    return [{"path": ["attributes", name, "hierarchy"], "value": spec}]


def build(name: Any, spec: Any, folder: Path) -> Hierarchy:
    """Build a hierarchy from its keys; files are relative to the folder."""
    if not isinstance(spec, dict):
        raise HierarchyError("the hierarchy is not a table of keys; reload the page.")
    return parse_spec(spec, f"hierarchy of '{name}'").build(str(name), folder=folder)


def export_arx(folder: Folder, policy: Policy, name: Any) -> str:
    """Write a hierarchy as ARX has it, below the folder; return the path."""
    if name not in policy.quasi_identifiers:
        raise DataError(f"{name!r} has no hierarchy; give it the role 'quasi' first.")
    place = folder.path / "arx" / file_names([name])[name].replace(".toml", ".csv")
    place.parent.mkdir(parents=True, exist_ok=True)
    write_arx(policy.hierarchy(name), place)
    return str(place)


def import_arx(folder: Folder, table: LoadedTable, name: Any, text: Any) -> list[dict[str, Any]]:
    """Keep rows as ARX has them beside the policy; return the changes that make them the hierarchy."""
    column = column_of(table, name)
    if not isinstance(text, str) or not text.strip():
        raise HierarchyError("the file is empty; export the hierarchy from ARX as CSV.")
    place = new_place(folder.path / "hierarchies", str(name))
    place.parent.mkdir(parents=True, exist_ok=True)
    replace_file(place, text.encode())
    try:
        found = check_values(load_hierarchy(place, name), column.texts)
        errors = [each.message for each in found if each.severity == "error"]
        if errors:
            raise HierarchyError.defective(f"hierarchy of '{name}'", errors)
    except HierarchyError:
        place.unlink()
        raise
    path = place.relative_to(folder.path).as_posix()
    return [{"path": ["attributes", name, "hierarchy"], "value": path}]


def new_place(folder: Path, name: str) -> Path:
    """Return where a file goes that overwrites no other: undo must find what was there before."""
    stem = Path(file_names([name])[name]).stem
    tried = (folder / f"{stem}{'' if n == 1 else f'_{n}'}.csv" for n in itertools.count(1))
    return next(place for place in tried if not place.exists())
