"""Whole numbers that are codes: ZIP codes whose leading zeros were lost, numbers given in blocks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from anonymizer.data.column import MISSING
from anonymizer.proposal.names import words, words_of
from anonymizer.validation import write_comment, write_value

NAMED = words(
    """
    zip zipcode zip5 zcta postcode postal plz postleitzahl cap cep codigopostal fips geoid tract
    icd icd9 ndc sic naics isco isic soc nace code codes kommune ags
    """
)
"""Words of a name by which whole numbers are codes."""
POSTAL = words("zip zipcode zip5 zcta")
POSTAL_WIDTH = 5
FEW_VALUES = 12
"""So many different values or fewer are categories."""
SHORTEST, LONGEST = 3, 9
"""The digits of a code."""
BLOCK_WIDTH = 4
"""The digits, all of one width, from which numbers without a telling name may be codes."""
IN_RUNS, IN_RANGE = 0.5, 0.2
"""Codes that were given in blocks: at least this share have a next one, and at most this share of all
numbers between the least and the greatest is used."""
YEARS = range(1800, 2101)

_WHOLE = re.compile(r"\s*(\d+)(?:\.0*)?\s*")


def looks_like_codes(name: str, texts: Sequence[str]) -> bool:
    """Whether whole numbers are codes, by the column's name or because they were given in blocks.

    Codes that still have their leading zeros are texts already.

    >>> looks_like_codes("zip", [str(number) for number in range(501, 99999, 777)])
    True
    >>> in_blocks({school * 100 + pupil for school in range(10, 30, 3) for pupil in range(15)})
    True
    >>> looks_like_codes("income", [str(number) for number in range(1000, 9999, 7)])
    False
    """
    numbers = whole_numbers(texts)
    if len(numbers) <= FEW_VALUES or all(number in YEARS for number in numbers):
        return False
    widths = {len(str(number)) for number in numbers}
    if not SHORTEST <= max(widths) <= LONGEST:
        return False
    if not NAMED.isdisjoint(words_of(name)):
        return True
    return len(widths) == 1 and max(widths) >= BLOCK_WIDTH and in_blocks(numbers)


def in_blocks(numbers: set[int]) -> bool:
    """Whether numbers follow one another in runs with wide gaps between them."""
    runs = sum(number + 1 in numbers for number in numbers) / len(numbers)
    return runs >= IN_RUNS and len(numbers) / (max(numbers) - min(numbers) + 1) <= IN_RANGE


def whole_numbers(texts: Sequence[str]) -> set[int]:
    """Return the whole numbers of a column; none where a cell is not one, or has a leading zero."""
    numbers = set()
    for text in texts:
        if text == MISSING:
            continue
        found = _WHOLE.fullmatch(text)
        if found is None or (found[1].startswith("0") and len(found[1]) > 1):
            return set()
        numbers.add(int(found[1]))
    return numbers


def width_of(name: str, numbers: set[int]) -> int:
    """Return the digits of the codes; those of a ZIP code are five, whatever zeros were lost."""
    most = len(str(max(numbers)))
    return max(most, POSTAL_WIDTH) if not POSTAL.isdisjoint(words_of(name)) else most


def spec_of_codes(name: str, texts: Sequence[str]) -> str:
    """Write a spec that groups codes by their first digits, lost zeros included.

    >>> print(spec_of_codes("zip", ["501", "544", "94110"]))
    # Column 'zip': whole numbers that look like codes of 5 digits, whose leading zeros may be lost.
    # Each level hides one digit more from the right. Read as texts, it covers new codes too.
    builder = "mapping"
    <BLANKLINE>
    [groups."0****"."00***"."005**"]
    "0050*" = ["501"]
    "0054*" = ["544"]
    <BLANKLINE>
    [groups."9****"."94***"."941**"]
    "9411*" = ["94110"]
    <BLANKLINE>
    """
    numbers = whole_numbers(texts)
    width = width_of(name, numbers)
    groups: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for number in sorted(numbers):
        code = f"{number:0{width}}"
        *above, last = (code[:shown].ljust(width, "*") for shown in range(1, width))
        groups.setdefault(tuple(above), {}).setdefault(last, []).append(str(number))
    lines = [
        f"# Column '{write_comment(name)}': whole numbers that look like codes of {width} digits, "
        "whose leading zeros may be lost.",
        "# Each level hides one digit more from the right. Read as texts, it covers new codes too.",
        'builder = "mapping"',
    ]
    for labels, members in groups.items():
        lines += ["", f"[groups.{'.'.join(map(write_value, labels))}]"]
        lines += [f"{write_value(last)} = {write_value(codes)}" for last, codes in members.items()]
    return "\n".join([*lines, ""])
