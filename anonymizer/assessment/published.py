"""Attacks on a published table of patient characteristics, and how far each row resists them.

A trial with two arms is published as counts: A of Na people in the treatment arm and B of Nb in the
placebo arm have a characteristic. Three attacks (Kitamura et al.), each with an indicator in bits, where
H is the entropy of a yes or no:

    PDP      a patient knows that he has it, and guesses his arm:           H(A / (A + B))
    PFDOC    his family knows that he takes part, and guesses whether
             he has it:                                                     H((A + B) / (Na + Nb))
    PFDPTC   his family has found out his arm, and guesses better:          |H(A / Na) - PFDOC|,
                                                                            |H(B / Nb) - PFDOC|

A row keeps l-diversity if PDP and PFDOC are at least log2(l), and PFDPTC at most log2(l).
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from anonymizer.data.files import check_readable
from anonymizer.errors import DataError

ARM_SIZE = re.compile(r"\(\s*[Nn]\s*=\s*([\d,]+)\s*\)")
COUNT = re.compile(r"(\d{1,3}(?:,\d{3})+|\d+)(?:\s*\(\s*[<>]?\d+(?:\.\d+)?\s*%?\s*\))?")
SLACK = 1e-12  # an indicator that differs from the limit by rounding only does not break it


@dataclass(frozen=True, slots=True)
class Arms:
    """The two arms of a trial and how many people are in each."""

    treatment: int
    placebo: int

    def __post_init__(self) -> None:
        for name, size in asdict(self).items():
            if size < 1:
                raise DataError(f"the {name} arm has {size} people; it needs at least 1.")

    @property
    def total(self) -> int:
        """The people in both arms."""
        return self.treatment + self.placebo


@dataclass(frozen=True, slots=True)
class Characteristic:
    """A row of the table: how many people of each arm have it."""

    name: str
    treatment: int
    placebo: int

    @property
    def total(self) -> int:
        """The people of both arms who have it."""
        return self.treatment + self.placebo


@dataclass(frozen=True, slots=True)
class Indicators:
    """How far one row resists the three attacks, in bits."""

    characteristic: Characteristic
    pdp: float
    """0: whoever has it knows his arm; 1: he learns nothing about it."""
    pfdoc: float
    """0: everyone in the trial has it, or nobody."""
    pfdptc_treatment: float
    """How much knowing that somebody is in the treatment arm changes; 0: nothing."""
    pfdptc_placebo: float

    @property
    def pfdptc(self) -> float:
        """The larger of the two changes."""
        return max(self.pfdptc_treatment, self.pfdptc_placebo)


@dataclass(frozen=True, slots=True)
class Limits:
    """The l that each row must keep under each attack; None is no requirement."""

    pdp: float | None = None
    pfdoc: float | None = None
    pfdptc: float | None = None

    def __post_init__(self) -> None:
        for name, l_value in asdict(self).items():
            if l_value is not None and not 1 <= l_value <= 2:
                raise DataError(
                    f"l for {name.upper()} is {l_value:g}; with two possible answers it lies "
                    "from 1 (no protection asked for) to 2."
                )

    def broken_by(self, row: Indicators) -> tuple[str, ...]:
        """Name the attacks under which a row does not keep the l that is asked for."""
        broken = []
        if self.pdp is not None and row.pdp < math.log2(self.pdp) - SLACK:
            broken.append("pdp")
        if self.pfdoc is not None and row.pfdoc < math.log2(self.pfdoc) - SLACK:
            broken.append("pfdoc")
        if self.pfdptc is not None and row.pfdptc > math.log2(self.pfdptc) + SLACK:
            broken.append("pfdptc")
        return tuple(broken)


@dataclass(frozen=True, slots=True)
class Published:
    """A published table with its indicators, and the limits it is held against."""

    arms: Arms
    rows: tuple[Indicators, ...]
    limits: Limits = Limits()

    @property
    def kept(self) -> Limits:
        """The l that all rows keep: the largest for PDP and PFDOC, the smallest for PFDPTC."""
        return Limits(
            2 ** min(row.pdp for row in self.rows),
            2 ** min(row.pfdoc for row in self.rows),
            2 ** max(row.pfdptc for row in self.rows),
        )

    @property
    def broken(self) -> dict[str, tuple[str, ...]]:
        """The rows that break a limit, with the attacks."""
        found = {row.characteristic.name: self.limits.broken_by(row) for row in self.rows}
        return {name: attacks for name, attacks in found.items() if attacks}

    def describe(self) -> dict[str, Any]:
        """Return everything as JSON."""
        return {
            "arms": asdict(self.arms),
            "l_asked": asdict(self.limits),
            "l_kept": asdict(self.kept),
            "broken": {name: list(attacks) for name, attacks in self.broken.items()},
            "rows": [
                {
                    **asdict(row.characteristic),
                    "pdp": row.pdp,
                    "pfdoc": row.pfdoc,
                    "pfdptc_treatment": row.pfdptc_treatment,
                    "pfdptc_placebo": row.pfdptc_placebo,
                    "attacks": say_attacks(row.characteristic, self.arms),
                }
                for row in self.rows
            ],
        }


def entropy(part: int, whole: int) -> float:
    """Return the entropy in bits of a yes or no that is yes for a part of the whole; 0 of nothing.

    >>> entropy(1, 2), entropy(0, 7), entropy(0, 0), round(entropy(23, 25), 3)
    (1.0, 0.0, 0.0, 0.402)
    """
    shares = [count / whole for count in (part, whole - part) if count]
    return -math.fsum(share * math.log2(share) for share in shares) if len(shares) == 2 else 0.0


def measure(row: Characteristic, arms: Arms) -> Indicators:
    """Compute the indicators of a row."""
    overall = entropy(row.total, arms.total)
    return Indicators(
        row,
        entropy(row.treatment, row.total),
        overall,
        abs(entropy(row.treatment, arms.treatment) - overall),
        abs(entropy(row.placebo, arms.placebo) - overall),
    )


def assess_published(
    rows: Sequence[Characteristic], arms: Arms, limits: Limits | None = None
) -> Published:
    """Compute the indicators of a published table; a count above its arm is an error.

    >>> table = assess_published([Characteristic("Hydroxychloroquine", 1, 0)], Arms(228, 105))
    >>> table.kept.pdp
    1.0
    """
    if not rows:
        raise DataError("the table has no rows, so there is nothing to attack.")
    if faults := [fault for row in rows for fault in count_faults(row, arms)]:
        raise DataError.defective("the table", faults)
    return Published(arms, tuple(measure(row, arms) for row in rows), limits or Limits())


def count_faults(row: Characteristic, arms: Arms) -> Iterator[str]:
    """Check that no arm has more people with a characteristic than people, or fewer than none."""
    for arm, size in asdict(arms).items():
        count = getattr(row, arm)
        if not 0 <= count <= size:
            yield (
                f"'{row.name}' has {count} people in the {arm} arm of {size}; mend the count, or "
                "the size of the arm."
            )


def say_attacks(row: Characteristic, arms: Arms) -> dict[str, str]:
    """Say in plain language what each attack learns from a row."""
    return {
        "pdp": say_arm(row),
        "pfdoc": say_having("Somebody in the trial", row.total, arms.total),
        "pfdptc": say_shift(row, arms),
    }


def say_arm(row: Characteristic) -> str:
    """Say what somebody who has the characteristic learns about his arm."""
    if row.total == 0:
        return "Nobody has it."
    arm = "treatment" if row.treatment >= row.placebo else "placebo"
    most = max(row.treatment, row.placebo)
    certain = " for certain" if most == row.total else ""
    return f"Who has it is in the {arm} arm{certain}: {most} of {row.total}."


def say_having(who: str, count: int, people: int) -> str:
    """Say how sure it is that somebody has a characteristic, or that he does not."""
    has = count * 2 >= people
    most = count if has else people - count
    certain = " for certain" if most == people else ""
    return f"{who} {'has it' if has else 'does not have it'}{certain}: {most} of {people}."


def say_shift(row: Characteristic, arms: Arms) -> str:
    """Say how knowing the arm changes the odds of having a characteristic."""
    treatment, placebo = row.treatment / arms.treatment, row.placebo / arms.placebo
    return (
        f"It is had by {row.total / arms.total:.1%} of all, by {treatment:.1%} of the treatment arm "
        f"and by {placebo:.1%} of the placebo arm."
    )


# --- reading the table ---


def read_published(
    path: str | Path, arms: Arms | None = None, delimiter: str = ","
) -> tuple[list[Characteristic], Arms]:
    """Read a CSV of a name and two counts in each row; all faults are shown together, by row.

    The sizes of the arms are given, or stand in the header as in `Placebo (N = 105)`. A count may be
    followed by its percentage, as it is printed: `27 (11.8)`.
    """
    path = Path(path)
    check_readable(path)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = [
                (number, line) for number, line in enumerate(csv.reader(file, delimiter=delimiter))
            ]
    except UnicodeDecodeError:
        raise DataError(
            f"{path}: the file is not UTF-8. Convert it, for example with iconv."
        ) from None
    except csv.Error as error:
        raise DataError(f"{path}: cannot be read as CSV ({error}).") from None
    if not lines:
        raise DataError(f"{path}: the file is empty. It needs a header and rows.")
    header = check_header(path, lines[0][1], delimiter)
    arms = arms or read_arms(path, header)
    body = [(number, line) for number, line in lines[1:] if any(cell.strip() for cell in line)]
    rows, faults = read_rows(body, arms)
    if faults:
        raise DataError.defective(str(path), faults)
    if not rows:
        raise DataError(f"{path}: the table has no rows, so there is nothing to attack.")
    return rows, arms


def check_header(path: Path, header: list[str], delimiter: str) -> list[str]:
    """Raise a DataError unless the header names a characteristic and two arms."""
    if len(header) != 3:
        hint = next((other for other in ",;\t|" if header and header[0].count(other) >= 2), None)
        why = f" Is the delimiter {hint!r} rather than {delimiter!r}?" if hint else ""
        raise DataError(
            f"{path}: the header needs three cells, and has {len(header)}: the characteristic, the "
            f"count in the treatment arm, the count in the placebo arm.{why}"
        )
    return header


def read_arms(path: Path, header: Sequence[str]) -> Arms:
    """Find the sizes of the arms in the header."""
    sizes = [ARM_SIZE.search(cell) for cell in header[1:]]
    if not all(sizes):
        raise DataError(
            f"{path}: the sizes of the arms are not known; give them with --arms, or write them into "
            "the header as in `Placebo (N = 105)`."
        )
    treatment, placebo = (int(size[1].replace(",", "")) for size in sizes if size)
    return Arms(treatment, placebo)


def read_rows(
    lines: Sequence[tuple[int, list[str]]], arms: Arms
) -> tuple[list[Characteristic], list[str]]:
    """Read the rows; return them and what is wrong with the others, with the number of the row."""
    rows, faults = [], []
    names: dict[str, int] = {}
    for number, line in lines:
        wrong = list(row_faults(line))
        if not wrong:
            row = Characteristic(line[0].strip(), to_count(line[1]), to_count(line[2]))
            wrong = list(count_faults(row, arms))
            if (earlier := names.setdefault(row.name, number)) != number:
                wrong.append(f"'{row.name}' is row {earlier} already; give each its own name.")
            rows.append(row)
        faults += [f"row {number}: {fault}" for fault in wrong]
    return rows, faults


def row_faults(line: Sequence[str]) -> Iterator[str]:
    """Check the cells of a row."""
    if len(line) != 3:
        yield f"it has {len(line)} cells where the header has 3; quote cells with the delimiter."
        return
    if not line[0].strip():
        yield "the characteristic has no name; write one."
    for arm, cell in zip(("treatment", "placebo"), line[1:], strict=True):
        if not COUNT.fullmatch(cell.strip()):
            yield f"{cell.strip()!r} is no count for the {arm} arm; write a whole number."


def to_count(cell: str) -> int:
    """Read a count as it is printed.

    >>> to_count("1,204 (55.3)")
    1204
    """
    match = COUNT.fullmatch(cell.strip())
    assert match is not None
    return int(match[1].replace(",", ""))
