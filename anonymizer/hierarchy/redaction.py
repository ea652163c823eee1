"""Redaction: codes that lose character after character."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, ValidationInfo, field_validator
from pydantic.dataclasses import dataclass

from anonymizer.hierarchy.builders import Builder, Columns, builder
from anonymizer.hierarchy.checks import RisingCounts, Values, check_size, expand
from anonymizer.validation import CHECKED, FROM_NUMPY, expecting


@builder
@dataclass(frozen=True, slots=True, config=CHECKED)
class Redaction(Builder):
    """Codes that lose character after character, by default from the right.

    The codes are all numbers of so many `digits`, or the `values`. `redact` says how many
    characters are gone at each level; by default one more each time, until one is left.

    >>> next(Redaction(digits=5).rows())
    ('00000', '0000*', '000**', '00***', '0****', '*')
    >>> next(Redaction(values=("DE-BY",), side="left", redact=(3,)).rows())
    ('DE-BY', '***BY', '*')
    """

    kind: ClassVar[str] = "redaction"
    digits: Annotated[int, Field(strict=True, ge=1, le=6), FROM_NUMPY] | None = None
    values: Values = ()
    side: Literal["left", "right"] = "right"
    redact: RisingCounts = ()
    mask: Annotated[
        str,
        Field(strict=True, min_length=1, max_length=1),
        expecting("is not one character; write one in quotes"),
    ] = "*"

    @field_validator("values")
    @classmethod
    def check_codes(cls, values: Any, info: ValidationInfo) -> Any:
        """Check that the codes are known."""
        if "digits" in info.data and (info.data["digits"] is None) == (not values):
            raise ValueError("give either this or `digits`, so that the codes are known")
        return values

    @field_validator("redact")
    @classmethod
    def check_redact(cls, redact: Any, info: ValidationInfo) -> Any:
        """Check that there are not too many levels for so many codes."""
        if info.data.get("digits") is not None:
            check_size(10 ** info.data["digits"], len(redact))
        elif "values" in info.data:
            check_size(len(expand(info.data["values"])), len(redact))
        return redact

    def columns(self) -> Columns:
        """List the codes, then what is left of them, level by level."""
        codes = self._codes()
        counts = self.redact or range(1, max(map(len, codes)))
        return [codes, *([self._redacted(code, count) for code in codes] for count in counts)]

    def _codes(self) -> list[str]:
        if self.digits is None:
            return expand(self.values)
        return [f"{number:0{self.digits}}" for number in range(10**self.digits)]

    def _redacted(self, code: str, count: int) -> str:
        kept = max(0, len(code) - count)
        hidden = self.mask * (len(code) - kept)
        return code[:kept] + hidden if self.side == "right" else hidden + code[len(code) - kept :]
