"""Redaction: codes that lose character after character."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass as plain_dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator, Field, ValidationInfo, field_validator
from pydantic.dataclasses import dataclass

from anonymizer.errors import suggest_name
from anonymizer.hierarchy.builders import Builder, Columns, builder
from anonymizer.hierarchy.fields import RisingCounts, Values, check_size, expand
from anonymizer.hierarchy.hierarchy import Growth
from anonymizer.validation import CHECKED, FROM_NUMPY, Flag, Text, expecting, show

DIGITS, LETTERS = "0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ALPHABETS = {"digits": DIGITS, "letters": LETTERS, "alphanumeric": DIGITS + LETTERS}
"""Alphabets that have a name; each name repeats a character, so it is never taken as an alphabet."""
KINDS = (DIGITS, LETTERS, LETTERS.lower())
"""Characters of one kind: a code that has one of them may as well have another."""
LONGEST_CODE = 100
MOST_UNITS = 10**9
"""The domain is counted in so many units at most, so that sums over all records are 64-bit integers."""


def parse_lengths(value: Any) -> Any:
    """Take one length as a list of one."""
    return value if isinstance(value, list | tuple) else [value]


@builder
@dataclass(frozen=True, slots=True, config=CHECKED)
class Redaction(Builder):
    """Codes that lose character after character, by default from the right.

    The codes are all numbers of so many `digits`, or the `values`, or all texts of a `length` (or of one
    of several) over an `alphabet`. `redact` says how many characters are gone at each level; by default
    one more each time, until one is left.

    With `length`, codes are not listed, so one that no table had so far is covered. All texts of that
    form are leaves, whether or not they are in use: D is the number of characters to the power of the
    length, summed over the lengths, and a value with n hidden characters covers (number of characters)^n
    of them. So a share does not depend on the table: `digits = 5` and `length = 5` have the same loss. Of
    more than 10^9 codes, a single one covers nothing, as a number of a continuous domain.

    Where only some codes exist, `values` counts those alone. With `unlisted`, a code that is not among
    them is covered too if it looks like them: of the same length, in the same kinds of characters. It
    does not count in D.

    >>> next(Redaction(digits=5).rows())
    ('00000', '0000*', '000**', '00***', '0****', '*')
    >>> next(Redaction(values=("DE-BY",), side="left", redact=(3,)).rows())
    ('DE-BY', '***BY', '*')
    >>> codes = Redaction(length=3, alphabet="alphanumeric").build("icd").with_values(["J45"])
    >>> codes.extent, list(codes.rows())[-1]
    (46656, ('J45', 'J4*', 'J**', '*'))
    >>> codes = Redaction(values=("J45", "J46"), unlisted=True).build("icd").with_values(["K01"])
    >>> codes.extent, list(codes.rows())[-1]
    (2, ('K01', 'K0*', 'K**', '*'))
    """

    kind: ClassVar[str] = "redaction"
    digits: Annotated[int, Field(strict=True, ge=1, le=6), FROM_NUMPY] | None = None
    values: Values = ()
    length: Annotated[RisingCounts, BeforeValidator(parse_lengths)] = ()
    alphabet: Text = "digits"
    """What codes of a `length` consist of."""
    side: Literal["left", "right"] = "right"
    redact: RisingCounts = ()
    mask: Annotated[
        str,
        Field(strict=True, min_length=1, max_length=1),
        expecting("is not one character; write one in quotes"),
    ] = "*"
    unlisted: Flag = False
    """Whether codes that look like the `values` are covered too; they do not count for the loss."""

    @field_validator("length")
    @classmethod
    def check_codes(cls, length: Any, info: ValidationInfo) -> Any:
        """Check that the codes are known in one way."""
        others = [bool(info.data[key]) for key in ("digits", "values") if key in info.data]
        given = [bool(length), *others]
        if len(given) == 3 and sum(given) != 1:
            raise ValueError("give exactly one of `digits`, `values` and `length`")
        if any(number > LONGEST_CODE for number in length):
            raise ValueError(f"{max(length)} is too long for a code; use at most {LONGEST_CODE}")
        return length

    @field_validator("alphabet")
    @classmethod
    def check_alphabet(cls, alphabet: Any) -> Any:
        """Check that the alphabet is known, or a list of characters."""
        if alphabet not in ALPHABETS and len(set(alphabet)) < max(2, len(alphabet)):
            raise ValueError(
                f"{show(alphabet)} is neither the name of an alphabet nor different characters; "
                f"{suggest_name(alphabet, ALPHABETS).removesuffix('.')}"
            )
        return alphabet

    @field_validator("redact")
    @classmethod
    def check_redact(cls, redact: Any, info: ValidationInfo) -> Any:
        """Check that there are not too many levels for so many codes."""
        if info.data.get("digits") is not None:
            check_size(10 ** info.data["digits"], len(redact))
        elif "values" in info.data:
            check_size(len(expand(info.data["values"])), len(redact))
        return redact

    @field_validator("mask")
    @classmethod
    def check_mask(cls, mask: Any, info: ValidationInfo) -> Any:
        """Check that a hidden character is not taken for one of a code that is not listed."""
        alphabet = info.data.get("alphabet", "")
        if info.data.get("length") and mask in ALPHABETS.get(alphabet, alphabet):
            raise ValueError(f"{show(mask)} is a character of the alphabet; choose another one")
        return mask

    @field_validator("unlisted")
    @classmethod
    def check_unlisted(cls, unlisted: bool, info: ValidationInfo) -> bool:
        """Check that there is a list, and that no code on it looks as if characters were hidden."""
        if not unlisted or not {"values", "mask"} <= info.data.keys():
            return unlisted
        if not info.data["values"]:
            raise ValueError("codes of a form are all covered; leave it out, or list `values`")
        if any(info.data["mask"] in code for code in expand(info.data["values"])):
            raise ValueError("a code has the character that stands for a hidden one; change `mask`")
        return unlisted

    def columns(self) -> Columns:
        """List the codes, then what is left of them, level by level; of a form, a few examples."""
        codes = self._codes()
        columns: Columns = [codes]
        hidden = 0
        for count in self._counts(codes):
            finer = (
                columns[-1] if count >= hidden else codes
            )  # to hide more of what is left is the same
            columns.append(self._hide(finer, count))
            hidden = count
        return columns

    def _hide(self, codes: Sequence[str], count: int) -> list[str]:
        """Hide so many characters of codes, of equal ones once."""
        distinct = list(dict.fromkeys(codes))
        if len({*map(len, distinct)}) == 1:  # nearly always, and then as many are hidden of each
            kept = max(0, len(distinct[0]) - count)
            hidden = self.mask * (len(distinct[0]) - kept)
            at = len(hidden)
            left = (
                [code[:kept] + hidden for code in distinct]
                if self.side == "right"
                else [hidden + code[at:] for code in distinct]
            )
        else:
            left = [self.redacted(code, count) for code in distinct]
        return [*map(dict(zip(distinct, left, strict=True)).__getitem__, codes)]

    def _counts(self, codes: Sequence[str]) -> Sequence[int]:
        return self.redact or range(1, max(map(len, codes)))

    def _codes(self) -> list[str]:
        if self.length:
            return [code for length in self.length for code in self._examples(length)]
        if self.digits is None:
            return expand(self.values)
        return [f"{number:0{self.digits}}" for number in range(10**self.digits)]

    def _examples(self, length: int) -> list[str]:
        """List codes of which each level merges two."""
        characters = ALPHABETS.get(self.alphabet, self.alphabet)
        first, second = characters[0], characters[1]
        places = range(length - 1, -1, -1)
        return [first * length] + [first * at + second + first * (length - 1 - at) for at in places]

    def redacted(self, code: str, count: int) -> str:
        """Hide so many characters of a code."""
        kept = max(0, len(code) - count)
        hidden = self.mask * (len(code) - kept)
        return code[:kept] + hidden if self.side == "right" else hidden + code[len(code) - kept :]

    def remedy(self) -> str | None:
        """Say how to cover values that are not listed."""
        if self.length:
            return "or state its length and its characters with `length` and `alphabet`"
        if self.unlisted:
            return "if it is of the same form; correct it in the table if it is a slip"
        return "or cover those of the same form with `unlisted = true`"

    def traits(self) -> dict[str, Any]:
        """Return what each value covers of all codes of the form, and what knows those not listed."""
        if not self.length:
            return {"universe": self.digits is not None, "growth": self._unlisted()}
        codes = self._codes()
        characters = ALPHABETS.get(self.alphabet, self.alphabet)
        growth = AllCodes(self, tuple(self._counts(codes)), self.length, characters)
        rows = [growth.row_of(code) or () for code in codes]
        own = 0 if growth.unit else 1
        covers = []
        for level, column in enumerate(self.all_columns()):
            cover = {row[level]: growth.cover_of(level, row[level]) for row in rows}
            for label in column[len(codes) :]:  # others, and missing cells
                cover[label] = cover.get(label, 0) + own
            covers.append(np.array([cover[label] for label in dict.fromkeys(column)], np.int64))
        whole = int(covers[-1].sum())
        return {
            "growth": growth,
            "covers": tuple(covers),
            "whole": whole,
            "continuous": not own,
            "universe": True,
        }

    def _unlisted(self) -> Codes | None:
        """Return what knows the codes that look like the listed ones."""
        if not self.unlisted:
            return None
        codes = self._codes()
        used = set("".join(codes))
        kinds = [set(kind) for kind in KINDS if used & set(kind)]
        characters = "".join(sorted(used.union(*kinds) - {self.mask}))
        lengths = tuple(sorted(set(map(len, codes))))
        return Codes(self, tuple(self._counts(codes)), lengths, characters)


@plain_dataclass(frozen=True)
class Codes(Growth):
    """Codes that are not listed, though they look like those that are."""

    builder: Redaction
    counts: tuple[int, ...]
    """How many characters are hidden at each level between the code and the top."""
    lengths: tuple[int, ...]
    characters: str
    """What a code may consist of."""

    def row_of(self, value: str) -> tuple[str, ...] | None:
        """Return what a code becomes; None where it is not of the form."""
        if len(value) not in self.lengths or not set(value) <= set(self.characters):
            return None
        return (value, *(self.builder.redacted(value, n) for n in self.counts), self.builder.top)

    def cover_of(self, level: int, label: str) -> int:  # noqa: ARG002 - no listed code becomes it
        """Return 1: a label without a listed code covers as much as a single one."""
        return 1

    def leaf_of(self, level: int, label: str) -> str | None:
        """Return the first code that becomes a label."""
        code = label.replace(self.builder.mask, self.characters[0])
        row = self.row_of(code)
        return code if row is not None and row[level] == label else None


@plain_dataclass(frozen=True)
class AllCodes(Codes):
    """All codes of a stated form, counted as leaves though they are not listed."""

    @cached_property
    def unit(self) -> int:
        """How many hidden characters make one unit of the domain; 0 where that is a single code."""
        base = len(self.characters)
        return next(
            unit
            for unit in range(LONGEST_CODE + 1)
            if sum(base ** max(0, length - unit) for length in self.lengths) <= MOST_UNITS
        )

    def cover_of(self, level: int, label: str) -> int:
        """Return how many codes become a label, in units."""
        lengths = self.lengths if level > len(self.counts) else (len(label),)
        counts = (min((0, *self.counts, LONGEST_CODE)[level], length) for length in lengths)
        base = len(self.characters)
        return sum(base ** (hidden - self.unit) for hidden in counts if hidden >= self.unit)
