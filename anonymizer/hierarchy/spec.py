"""TOML specs: a builder and its parameters in a few lines, in a file or in a policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from anonymizer.errors import HierarchyError, quote, quote_some, shorten, suggest_name
from anonymizer.hierarchy.arx import read_arx, read_rows
from anonymizer.hierarchy.builders import Builder
from anonymizer.hierarchy.codes import Coded
from anonymizer.hierarchy.dates import Dates
from anonymizer.hierarchy.elapsed import Elapsed
from anonymizer.hierarchy.groups import Explicit, Ordered
from anonymizer.hierarchy.hierarchy import REDACTED, Hierarchy
from anonymizer.hierarchy.intervals import Intervals
from anonymizer.hierarchy.lint import Defect, check_rows
from anonymizer.hierarchy.priority import Priority
from anonymizer.hierarchy.redaction import Redaction
from anonymizer.validation import parse, read_toml, renewed, show

BUILDERS: dict[str, type[Builder]] = {
    builder.kind: builder
    for builder in (
        Intervals,
        Redaction,
        Coded,
        Dates,
        Elapsed,
        Explicit,
        Ordered,
        Priority,
    )
}
"""What a spec's key `builder` may name."""


def load_hierarchy(
    path: str | Path, name: str | None = None, delimiter: str | None = None
) -> Hierarchy:
    """Read a hierarchy from a .csv file (as ARX has it) or a .toml file (a spec).

    The name is the file's unless another is given; the delimiter of a .csv file is found, unless stated.
    """
    path = Path(path)
    if path.suffix.lower() == ".toml":
        return read_spec(path).build(name or path.stem, str(path), path.parent)
    if path.suffix.lower() == ".csv":
        return read_arx(path, name, delimiter)
    refuse_ahs(path)
    raise HierarchyError(
        f"{shorten(str(path), 1000)}: a hierarchy is a .csv file (as ARX has it) or a .toml file (a "
        "spec); name it accordingly."
    )


def refuse_ahs(path: Path) -> None:
    """Raise a HierarchyError for the files in which ARX keeps the rule of a hierarchy."""
    if path.suffix.lower() == ".ahs":
        raise HierarchyError(
            f"{path}: a .ahs file holds Java objects that only ARX can read; export the hierarchy from "
            "ARX as a .csv file, or write its rule as a .toml file."
        )


def check_file(
    path: str | Path, name: str | None = None, delimiter: str | None = None
) -> list[Defect]:
    """Find all defects of a hierarchy file; a file that cannot be read raises."""
    path = Path(path)
    name = name or path.stem
    if path.suffix.lower() == ".csv":
        return check_rows(read_rows(path, delimiter), name)
    try:
        hierarchy = load_hierarchy(path, name)
        found = check_rows(hierarchy.rows(), name, hierarchy.continuous)
        # examples of a form were not written by anybody
        return [] if hierarchy.has_examples else found
    except HierarchyError as error:
        if not error.faults:
            raise
        return [Defect("error", name, None, None, fault) for fault in error.faults]


def read_spec(path: str | Path) -> Builder:
    """Read the builder of a spec file, or say everything that is wrong with the file."""
    return parse_spec(read_toml(path, "hierarchy", HierarchyError), str(path))


def parse_spec(table: Mapping[str, Any], where: str = "spec") -> Builder:
    """Make the builder that a table describes.

    >>> parse_spec({"builder": "intervals", "domain": [0, 9], "widths": [5]}).widths
    (5,)
    """
    keys = dict(table)
    kind = keys.pop("builder", None)
    if not isinstance(kind, str) or kind not in BUILDERS:
        raise HierarchyError.defective(where, [unknown_builder(kind)])
    return parse(BUILDERS[kind], keys, where, HierarchyError)


def renewed_spec(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the table of a spec with the keys of this version; of an unknown builder as it is.

    >>> renewed_spec({"builder": "ordered", "values": ["S", "M"], "groups": [2]})
    {'builder': 'ordered', 'values': ['S', 'M'], 'sizes': [2]}
    """
    kind = BUILDERS.get(str(table.get("builder")))
    return dict(table) if kind is None else dict(renewed(kind.__name__, table, say=False))


def unknown_builder(kind: object) -> str:
    """Say which builders there are."""
    if kind is None:
        known = quote_some(BUILDERS, most=len(BUILDERS))
        return f"builder: this key is missing; use one of {known}."
    return f"builder: {show(kind)} is unknown; {suggest_name(kind, BUILDERS)}"


NAME = "inline"
"""What a hierarchy is called until it has its attribute's name."""


def make_inline(value: Mapping[Any, Any] | Sequence[Any]) -> Hierarchy | Builder:
    """Make a hierarchy of a spec, of a table from value to group or groups, or of a list of cut points.

    >>> make_inline({"NO": "Europe", "SE": "Europe", "JP": "Asia"}).labels[1]
    ('Europe', 'Asia')
    >>> make_inline({"NO": ["North", "Europe"], "IT": ["South", "Europe"]}).height
    4
    >>> make_inline({"builder": "intervals", "domain": [0, 9], "widths": [5]}).widths
    (5,)
    """
    if not value:
        raise HierarchyError("this is empty; give groups or cut points.")
    if not isinstance(value, Mapping):
        return parse_spec(cut(value), NAME)
    if "builder" in value:
        return parse_spec(value, NAME)
    return Hierarchy.from_rows(NAME, [grouped_row(leaf, groups) for leaf, groups in value.items()])


def grouped_row(leaf: object, groups: object) -> tuple[str, ...]:
    """Write a value with its group or groups, up to the top."""
    above = groups if isinstance(groups, list | tuple) else [groups]
    if not all(isinstance(group, str | int | float) for group in above):
        raise HierarchyError(
            f"the groups of {quote(leaf)} are not names; write them as 'group' or ['group', 'larger']."
        )
    return (str(leaf), *map(str, above), REDACTED)


def cut(points: Sequence[Any]) -> dict[str, Any]:
    """Write cut points as intervals with open ends: a list for each level, or one for the only level.

    The domain, by which open ends count, reaches as far beyond the points as the widest interval.

    >>> cut([18, 65])
    {'builder': 'intervals', 'domain': [-29, 111], 'bounds': [[18, 65]], 'open': 'both'}
    """
    levels = [list(level) if isinstance(level, list | tuple) else level for level in points]
    if not isinstance(levels[0], list):
        levels = [levels]
    finest = levels[0]
    numbers = [point for point in finest if isinstance(point, int | float)]
    if not finest or len(numbers) < len(finest) or finest != sorted(finest):
        raise HierarchyError("cut points are rising numbers, such as [18, 40, 65]; write them so.")
    widest = max((after - before for before, after in pairwise(finest)), default=1)
    low, high = finest[0] - widest, finest[-1] + widest
    if all(isinstance(point, int) for point in finest):
        domain = [low, high - 1]
    else:
        domain = [float(low), float(high)]  # a decimal point makes the domain continuous
    return {"builder": "intervals", "domain": domain, "bounds": levels, "open": "both"}
