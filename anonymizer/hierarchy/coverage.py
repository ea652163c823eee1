"""Coverage: the values of a column that a hierarchy has no leaf for, and which leaf was meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from anonymizer.errors import HierarchyError, counted, list_cells, quote, values_shown
from anonymizer.hierarchy.hierarchy import Hierarchy
from anonymizer.hierarchy.levels import MISSING
from anonymizer.hierarchy.lint import Defect, plain_number, without_decimals


def _any_case(value: str) -> str:
    return plain_number(value).casefold()


TRAPS: dict[str, Callable[[str], str]] = {
    "blanks around the value": str.strip,
    "a decimal point": without_decimals,
    "leading zeros": plain_number,
    "upper and lower case": _any_case,
}
"""What can keep a value from its leaf, each with a form in which both are equal; in this order."""


def check_values(hierarchy: Hierarchy, values: Iterable[str]) -> list[Defect]:
    """Find the values of a column that have no leaf, and say which leaf was likely meant.

    >>> from anonymizer import show_values
    >>> ages = Hierarchy.from_rows("age", [("34", "*"), ("35", "*")], "age.csv")
    >>> with show_values():
    ...     for defect in check_values(ages, ["34", "35.0", "99"]):
    ...         print(defect.message)
    column 'age': 1 value has no row: '35.0'; it differs from a leaf by a decimal point: write it as '35'.
    column 'age': 1 value has no row in its hierarchy: '99'. Add it to age.csv.
    """
    texts = list(dict.fromkeys(values))
    grown = hierarchy.with_values(texts)
    known, read = set(grown.leaves), dict(zip(texts, grown.read_texts(texts), strict=True))
    unknown = [text for text in texts if read[text] not in known]
    defects = []
    if any(read[text] == MISSING for text in unknown):
        unknown = [text for text in unknown if read[text] != MISSING]
        defects.append(_missing_leaf(hierarchy))
    for trap, normal in TRAPS.items() if unknown else ():
        meant = {normal(leaf): leaf for leaf in hierarchy.leaves}
        trapped = [value for value in unknown if normal(value) in meant]
        if trapped:
            leaf = meant[normal(trapped[0])]
            defects.append(_trapped(hierarchy, trap, trapped, leaf))
            unknown = [value for value in unknown if normal(value) not in meant]
    if strange := [text for text in unknown if hierarchy.reading.read(text) is None]:
        defects.append(_unreadable(hierarchy, strange))
        unknown = [text for text in unknown if text not in strange]
    if unknown and hierarchy.span is not None:
        defects.append(_outside(hierarchy, unknown))
    elif unknown:
        error = HierarchyError.uncovered(
            hierarchy.name, unknown, hierarchy.source, hierarchy.remedy
        )
        defects.append(_uncovered(hierarchy, unknown, str(error)))
    return defects


def _trapped(hierarchy: Hierarchy, trap: str, values: Sequence[str], leaf: str) -> Defect:
    if len(values) == 1:
        what, differs = "1 value has", "it differs from a leaf"
        meant = f"write it as {quote(leaf)}." if values_shown() else "write it as the leaf."
    else:
        what, differs = f"{len(values):,} values have", "they differ from its leaves"
        meant = "write them as the leaves."
        if values_shown():
            meant = f"write {quote(values[0])} as {quote(leaf)}, and so on."
    where = f"column '{hierarchy.name}'"
    message = f"{where}: {what} no row{list_cells(values)}; {differs} by {trap}: {meant}"
    return _uncovered(hierarchy, values, message)


def _unreadable(hierarchy: Hierarchy, values: Sequence[str]) -> Defect:
    many = counted(len(values), "value is", "values are")
    message = (
        f"column '{hierarchy.name}': {many} not {hierarchy.reading.noun}{list_cells(values)}; correct "
        f"the table, or list what it means under `others` in {hierarchy.source or 'the hierarchy'}."
    )
    return _uncovered(hierarchy, values, message)


def _outside(hierarchy: Hierarchy, values: Sequence[str]) -> Defect:
    many = counted(len(values), "value is", "values are")
    where = f" in {hierarchy.source}" if hierarchy.source else ""
    remedy = "widen that domain, or open its ends with `open`"
    if hierarchy.reading.kind == "number" and not hierarchy.continuous and "." in "".join(values):
        remedy = "write the domain with a decimal point where numbers have one"
    message = (
        f"column '{hierarchy.name}': {many} not among {hierarchy.span}{list_cells(values)}; "
        f"{remedy}{where}."
    )
    return _uncovered(hierarchy, values, message)


def _uncovered(hierarchy: Hierarchy, values: Sequence[str], message: str) -> Defect:
    """Make a defect of values of the table; the first goes with it only where it may be shown."""
    first = values[0] if values_shown() else None
    return Defect("error", hierarchy.name, None, first, message)


def _missing_leaf(hierarchy: Hierarchy) -> Defect:
    message = (
        f"column '{hierarchy.name}': missing cells have no row in its hierarchy; they get one of "
        f"their own below the top unless you add it to {hierarchy.source or 'the hierarchy'}."
    )
    return Defect("warning", hierarchy.name, None, MISSING, message)
