"""Validation: what users write becomes frozen values, and what is wrong with it becomes sentences.

Policies, statements, scenarios, sources and hierarchy specs are pydantic models on the base `Part`, or
pydantic dataclasses under `plainly`. Either way all faults are found together, and each is one sentence
that begins with its key.
"""

from anonymizer.validation.fields import (
    LISTED,
    PLAIN_INT,
    SOME,
    ByName,
    ByValue,
    CellText,
    Count,
    Delimiter,
    FilePath,
    Flag,
    Level,
    Name,
    Names,
    Number,
    Probability,
    Share,
    Text,
    Whole,
    also,
    by_name,
    check_unrepeated,
    one_of,
    parse_delimiter,
    refuse,
    says,
    validate_also,
    validate_each,
)
from anonymizer.validation.files import read_described, read_toml
from anonymizer.validation.parts import CHECKED, Part, parse, plainly
from anonymizer.validation.schema import plain_schema
from anonymizer.validation.sentences import Place, plain_type, show

__all__ = [
    "CHECKED",
    "LISTED",
    "PLAIN_INT",
    "SOME",
    "ByName",
    "ByValue",
    "CellText",
    "Count",
    "Delimiter",
    "FilePath",
    "Flag",
    "Level",
    "Name",
    "Names",
    "Number",
    "Part",
    "Place",
    "Probability",
    "Share",
    "Text",
    "Whole",
    "also",
    "by_name",
    "check_unrepeated",
    "one_of",
    "parse",
    "parse_delimiter",
    "plain_schema",
    "plain_type",
    "plainly",
    "read_described",
    "read_toml",
    "refuse",
    "says",
    "show",
    "validate_also",
    "validate_each",
]
