"""Reading a published table from a CSV file, with its cells as they are printed.

The header names the arms, with their sizes as in `Placebo (N = 105)` unless these are given. Each row is
a name and a count for each arm: `27`, `27 (11.8)` with its percentage, `65/145` or `65/145 (44.8)` where
not everybody in the arm was measured.

A row of medians, quartiles or means is a summary; `summary_cells` says which rows are. A row that repeats
the header, at the top of a page, is passed over.

A row with a name and empty cells is a heading. The rows under it are categories of one characteristic if
they add up to everybody measured in each arm, or to the people that the heading states, as in
`Devices (n = 299)`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from pathlib import Path

from anonymizer.data.files import check_readable
from anonymizer.data.text import CANDIDATES
from anonymizer.errors import DataError, percent, quote
from anonymizer.published.summaries import Summary
from anonymizer.published.summary_cells import is_summary, read_summary
from anonymizer.published.table import (
    Arms,
    Characteristic,
    category_faults,
    count_faults,
)

STATED = re.compile(r"\(\s*[Nn]\s*=\s*([\d,]+)\s*\)")
NUMBER = r"\d{1,3}(?:,\d{3})+|\d+"
CELL = re.compile(
    rf"(?P<count>{NUMBER})(?:\s*/\s*(?P<total>{NUMBER}))?"
    r"(?:\s*\(\s*(?P<sign>[<>]?)\s*(?P<percent>\d+(?:\.\d+)?)\s*%?\s*\))?"
)
ROUNDING = 1e-9  # a percentage halfway between two printed ones may be rounded either way

Line = tuple[int, list[str]]
"""The number of a row, from 1 after the header, and its cells."""
Fault = tuple[int, str]
"""The number of a row, and what is wrong with it."""
Row = Characteristic | Summary
"""What is printed in a row: counts of people, or figures of their values."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A count as it is printed."""

    count: int
    total: int | None = None
    percent: str = ""
    sign: str = ""
    """`<` or `>` before the percentage."""

    @classmethod
    def parse(cls, text: str) -> Cell | None:
        """Read a cell; None if it is not a count.

        >>> Cell.parse("1,204 (55.3)")
        Cell(count=1204, total=None, percent='55.3', sign='')
        >>> Cell.parse("65/145 (44.8%)")
        Cell(count=65, total=145, percent='44.8', sign='')
        """
        match = CELL.fullmatch(text.strip())
        if match is None:
            return None
        total = match["total"]
        return cls(
            whole_number(match["count"]),
            None if total is None else whole_number(total),
            match["percent"] or "",
            match["sign"] or "",
        )

    def agrees(self, people: int) -> bool:
        """Check that the percentage is that of the count, to its digits."""
        if not self.percent or not people:
            return True
        exact, printed = 100 * self.count / people, float(self.percent)
        if self.sign:
            return exact <= printed if self.sign == "<" else exact >= printed
        digits = len(self.percent.partition(".")[2])
        return abs(exact - printed) <= 0.5 * 0.1**digits + ROUNDING


def read_published(
    path: str | Path, sizes: Sequence[int] | None = None, delimiter: str = ","
) -> tuple[list[Row], Arms]:
    """Read the rows and the arms; all faults are shown together, by row.

    `sizes` are the people in each arm; by default they stand in the header.
    """
    path = Path(path)
    lines = read_lines(path, delimiter)
    if not lines:
        raise DataError(f"{path}: the file is empty. It needs a header and rows.")
    arms = read_arms(path, check_header(path, lines[0][1], delimiter), sizes)
    header = lines[0][1]
    body = [(number, line) for number, line in lines[1:] if any(line) and line != header]
    rows, faults = read_rows(body, arms)
    if faults:
        raise DataError.defective(str(path), faults)
    if not rows:
        raise DataError(f"{path}: the table has no rows, so there is nothing to attack.")
    check_sum_column(path, [row for row in rows if isinstance(row, Characteristic)], arms)
    return rows, arms


def read_lines(path: Path, delimiter: str) -> list[Line]:
    """Read the cells of a file; one that runs over several lines is put on one."""
    check_readable(path)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = list(csv.reader(file, delimiter=delimiter))
            return [
                (at, [" ".join(cell.split()) for cell in line]) for at, line in enumerate(lines)
            ]
    except UnicodeDecodeError:
        raise DataError(
            f"{path}: the file is not UTF-8. Convert it, for example with iconv."
        ) from None
    except csv.Error as error:
        raise DataError(f"{path}: cannot be read as CSV ({error}).") from None


# --- the header ---


def check_header(path: Path, header: list[str], delimiter: str) -> list[str]:
    """Raise a DataError unless the header names a characteristic and at least two arms."""
    if len(header) < 3:
        hint = next((other for other in CANDIDATES if header and header[0].count(other) >= 2), None)
        why = f" Is the delimiter {hint!r} rather than {delimiter!r}?" if hint else ""
        raise DataError(
            f"{path}: the header needs at least three cells, and has {len(header)}: the "
            f"characteristic, then one for each arm.{why}"
        )
    return header


def read_arms(path: Path, header: Sequence[str], sizes: Sequence[int] | None) -> Arms:
    """Name the arms by the header, with the sizes that are given or stand there."""
    names = tuple(STATED.sub("", cell).strip() for cell in header[1:])
    found = stated_sizes(path, header) if sizes is None else tuple(sizes)
    if len(found) != len(names):
        raise DataError(
            f"{path}: the header has {len(names)} arms, and {len(found)} sizes are given; write the "
            "sizes into the header, as in `Placebo (N = 105)`."
        )
    names = tuple(name or f"arm {number}" for number, name in enumerate(names, 1))
    try:
        return Arms(names, found)
    except DataError as error:
        raise DataError(f"{path}: {error}") from None


def stated_sizes(path: Path, header: Sequence[str]) -> tuple[int, ...]:
    """Find the sizes of the arms in the header."""
    sizes = tuple(stated_number(cell) for cell in header[1:])
    found = tuple(size for size in sizes if size is not None)
    if len(found) < len(sizes):
        without = header[1 + sizes.index(None)].strip()
        raise DataError(
            f"{path}: the size of the arm {quote(without)} is not known; give the sizes with --arms, or "
            "write each into the header, as in `Placebo (N = 105)`."
        )
    return found


def stated_number(text: str) -> int | None:
    """Find the number of people that a header or a heading states.

    >>> stated_number("Convalescent (N = 2,280)"), stated_number("Age")
    (2280, None)
    """
    match = STATED.search(text)
    return whole_number(match[1]) if match else None


def whole_number(text: str) -> int:
    """Read a number with or without commas between its thousands."""
    return int(text.replace(",", ""))


def check_sum_column(path: Path, rows: Sequence[Characteristic], arms: Arms) -> None:
    """Raise a DataError if a column holds the sum of the others: it is not an arm."""
    lines = [arms.sizes, *(row.counts for row in rows if row.total)]
    if len(arms.sizes) < 3 or len(lines) < 3:  # of one row it may be so by chance
        return
    for index, name in enumerate(arms.names):
        if all(2 * counts[index] == sum(counts) for counts in lines):
            raise DataError(
                f"{path}: the column {quote(name)} is the sum of the others, not an arm; leave it out."
            )


# --- the rows ---


def read_rows(lines: Sequence[Line], arms: Arms) -> tuple[list[Row], list[str]]:
    """Read the rows; return them and what is wrong with the others, with the number of the row."""
    rows: list[Row] = []
    faults: list[Fault] = []
    numbers: dict[str, int] = {}
    for heading, section in sections_of(lines, len(arms.names) + 1):
        found, wrong = read_section(heading, section, arms)
        for number, row in found:
            if (earlier := numbers.setdefault(row.label, number)) != number:
                wrong.append(
                    (number, f"'{row.label}' is row {earlier} already; give each its own name.")
                )
        rows += [row for _, row in found]
        faults += wrong
    return rows, [f"row {number}: {fault}" for number, fault in sorted(faults)]


def sections_of(lines: Sequence[Line], width: int) -> Iterator[tuple[Line | None, list[Line]]]:
    """Divide the rows at the headings: rows whose cells are empty but for the name."""
    heading: Line | None = None
    section: list[Line] = []
    for number, line in lines:
        if len(line) == width and line[0].strip() and not any(cell.strip() for cell in line[1:]):
            yield heading, section
            heading, section = (number, line), []
        else:
            section.append((number, line))
    yield heading, section


def read_section(
    heading: Line | None, lines: Sequence[Line], arms: Arms
) -> tuple[list[tuple[int, Row]], list[Fault]]:
    """Read the rows under a heading, each with its number, and what is wrong with the others."""
    counts: list[tuple[int, Characteristic]] = []
    figures: list[tuple[int, Summary]] = []
    faults: list[Fault] = []
    above = heading[1][0] if heading else ""
    for number, line in lines:
        if has_figures(line, above, arms):
            summary, wrong = read_summary(line[0].strip(), above, line[1:], arms)
            figures.append((number, summary))
        else:
            cells, wrong = read_cells(line, arms)
            if not wrong:
                counts.append((number, to_characteristic(line[0].strip(), cells, arms)))
                wrong = [*count_faults(counts[-1][1], arms), *percent_faults(line, cells, arms)]
        faults += [(number, fault) for fault in wrong]
    if heading is None:
        return sorted([*counts, *figures], key=itemgetter(0)), faults
    if not lines:
        what = f"'{above.strip()}' has no counts, and no rows under it; write its counts."
        faults.append((heading[0], what))
    named = under_heading(above, [row for _, row in counts], arms)
    found: list[tuple[int, Row]] = [
        (number, row) for (number, _), row in zip(counts, named, strict=True)
    ]
    name = STATED.sub("", above).strip()
    found += [(number, replace(row, heading=name)) for number, row in figures]
    return sorted(found, key=itemgetter(0)), faults


def has_figures(line: Sequence[str], heading: str, arms: Arms) -> bool:
    """Say whether a row has figures of values, not counts of people."""
    if len(line) != len(arms.names) + 1 or not line[0].strip():
        return False
    cells = [Cell.parse(text) for text in line[1:]]
    people = [(cell and cell.total) or size for cell, size in zip(cells, arms.sizes, strict=True)]
    counts = all(
        cell and cell.percent and cell.agrees(of) for cell, of in zip(cells, people, strict=True)
    )
    return is_summary(line[0], heading, line[1:], counts)


def read_cells(line: Sequence[str], arms: Arms) -> tuple[list[Cell], list[str]]:
    """Read the counts of a row; return what is wrong with them."""
    width = len(arms.names) + 1
    if len(line) != width:
        return [], [
            f"it has {len(line)} cells where the header has {width}; write one for each arm, and "
            "quote cells with the delimiter."
        ]
    faults = [] if line[0].strip() else ["the characteristic has no name; write one."]
    cells = [Cell.parse(text) for text in line[1:]]
    for arm, text, cell in zip(arms.names, line[1:], cells, strict=True):
        if cell is None:
            faults.append(
                f"{text.strip()!r} is not a count for the {arm} arm; write a whole number, as in `65` "
                "or `65/145`; of a mean or a median say so in the row's name."
            )
    return [cell for cell in cells if cell is not None], faults


def to_characteristic(name: str, cells: Sequence[Cell], arms: Arms) -> Characteristic:
    """Make a row of its cells; totals are its own where a cell has one."""
    counts = tuple(cell.count for cell in cells)
    if all(cell.total is None for cell in cells):
        return Characteristic(name, counts)
    return Characteristic(name, counts, people_of(cells, arms))


def people_of(cells: Sequence[Cell], arms: Arms) -> tuple[int, ...]:
    """Return how many people each count is of: its own total, or the arm."""
    return tuple(
        size if cell.total is None else cell.total
        for cell, size in zip(cells, arms.sizes, strict=True)
    )


def percent_faults(line: Sequence[str], cells: Sequence[Cell], arms: Arms) -> Iterator[str]:
    """Check that each percentage is that of its count."""
    for arm, cell, people in zip(arms.names, cells, people_of(cells, arms), strict=True):
        if not cell.agrees(people):
            yield (
                f"'{line[0].strip()}' has {cell.count} of {people} people in the {arm} arm, which is "
                f"{percent(cell.count / people)}, not {cell.sign}{cell.percent} %; fix the count "
                "or the percentage, or write the total it is of, as in `65/145 (44.8)`."
            )


def under_heading(
    heading: str, rows: Sequence[Characteristic], arms: Arms
) -> Iterator[Characteristic]:
    """Give rows their heading; those that follow its categories are not under it."""
    name = STATED.sub("", heading).strip()
    categories = count_categories(rows, stated_number(heading), arms)
    for index, row in enumerate(rows):
        if index < categories:
            yield replace(row, heading=name, category=True)
        else:
            yield row if categories else replace(row, heading=name)


def count_categories(rows: Sequence[Characteristic], stated: int | None, arms: Arms) -> int:
    """Count the first rows that together are everybody, and what follows them that nobody has."""
    for end in range(2, len(rows) + 1):
        if is_everybody(rows[:end], stated, arms):
            while end < len(rows) and is_everybody(rows[: end + 1], stated, arms):
                end += 1
            return end
    return 0


def is_everybody(rows: Sequence[Characteristic], stated: int | None, arms: Arms) -> bool:
    """Check whether rows exclude each other and add up to all people measured, or to those stated."""
    if any(category_faults(rows, arms)) or any(any(count_faults(row, arms)) for row in rows):
        return False
    sums = tuple(map(sum, zip(*(row.counts for row in rows), strict=True)))
    return sums == rows[0].measured(arms) or sum(sums) == stated
