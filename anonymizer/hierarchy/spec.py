"""TOML specs: a builder and its parameters in a few lines, and loading of any hierarchy file."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import MISSING as NO_DEFAULT
from dataclasses import Field, fields
from pathlib import Path
from typing import Any

from anonymizer.errors import HierarchyError, quote_some, suggest_name
from anonymizer.hierarchy.arx import read_arx, read_rows, read_text
from anonymizer.hierarchy.builders import Builder, Dates, Intervals, Redaction
from anonymizer.hierarchy.groups import Explicit, Ordered
from anonymizer.hierarchy.hierarchy import Hierarchy
from anonymizer.hierarchy.lint import Defect, check_rows

BUILDERS: dict[str, type[Builder]] = {
    builder.kind: builder for builder in (Intervals, Redaction, Dates, Explicit, Ordered)
}
"""What a spec's key `builder` may name."""


def load_hierarchy(path: str | Path, name: str | None = None, delimiter: str = ";") -> Hierarchy:
    """Read a hierarchy from a .csv file (as ARX has it) or a .toml file (a spec).

    The name is the file's unless another is given; the delimiter is for .csv files only.
    """
    path = Path(path)
    if path.suffix.lower() == ".toml":
        return read_spec(path).build(name or path.stem, str(path))
    if path.suffix.lower() == ".csv":
        return read_arx(path, name, delimiter)
    raise HierarchyError(
        f"{path}: a hierarchy is a .csv file (as ARX has it) or a .toml file (a spec); "
        "name it accordingly."
    )


def check_file(path: str | Path, name: str | None = None, delimiter: str = ";") -> list[Defect]:
    """Find all defects of a hierarchy file; a file that cannot be read raises."""
    path = Path(path)
    name = name or path.stem
    if path.suffix.lower() == ".csv":
        return check_rows(read_rows(path, delimiter), name)
    try:
        return check_rows(load_hierarchy(path, name).rows(), name)
    except HierarchyError as error:
        if not error.faults:
            raise
        return [Defect("error", name, None, None, fault) for fault in error.faults]


def read_spec(path: str | Path) -> Builder:
    """Read the builder of a spec file, or say everything that is wrong with the file."""
    try:
        table = tomllib.loads(read_text(Path(path)))
    except tomllib.TOMLDecodeError as error:
        raise HierarchyError(f"{path}: not valid TOML ({error}); mend that place.") from None
    return parse_spec(table, str(path))


def parse_spec(table: Mapping[str, Any], where: str = "spec") -> Builder:
    """Make the builder that a table describes.

    >>> parse_spec({"builder": "intervals", "domain": [0, 9], "widths": [5]}).widths
    (5,)
    """
    kind = table.get("builder")
    if not isinstance(kind, str) or kind not in BUILDERS:
        raise HierarchyError.defective(where, [_unknown_builder(kind)])
    keys = {_key(field): field for field in fields(BUILDERS[kind])}
    given = {key: value for key, value in table.items() if key in keys}
    missing = [key for key, field in keys.items() if key not in given and _required(field)]
    faults = [_unknown_key(key, keys) for key in table if key not in {*keys, "builder"}]
    faults += [f"{key}: this key is missing; builder '{kind}' needs it." for key in missing]
    try:
        # a missing key is no reason to keep silent about the others
        values: dict[str, Any] = dict.fromkeys(missing) | given
        builder = BUILDERS[kind](**{keys[key].name: value for key, value in values.items()})
    except HierarchyError as error:
        faults += [fault for fault in error.faults if fault.split(":")[0] not in missing]
    if faults:
        raise HierarchyError.defective(where, faults)
    return builder


def _key(field: Field[Any]) -> str:
    # `from` is a word of Python's own, so the field is called `from_`
    return field.name.rstrip("_")


def _required(field: Field[Any]) -> bool:
    return field.default is NO_DEFAULT and field.default_factory is NO_DEFAULT


def _unknown_builder(kind: object) -> str:
    known = quote_some(BUILDERS, most=len(BUILDERS))
    if kind is None:
        return f"builder: this key is missing; use one of {known}."
    return f"builder: {kind!r} is unknown; use one of {known}."


def _unknown_key(key: str, keys: Iterable[str]) -> str:
    return f"{key}: this key is unknown; {suggest_name(key, keys)}"
