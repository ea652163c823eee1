"""Validation: what users write becomes frozen values, and what is wrong with it becomes sentences.

Policies, statements, scenarios, sources and hierarchy specs are pydantic models on the base `Part`, or
pydantic dataclasses under `plain_errors`. Either way all faults are found together, and each is one
sentence that begins with its key.
"""

from anonymizer.validation.fields import (
    FROM_NUMPY,
    NOT_EMPTY,
    ONLY_LISTS,
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
    check_as_whole,
    check_unrepeated,
    expecting,
    explain_dots,
    one_of,
    parse_delimiter,
    parse_path,
    raise_faults,
    validate_also,
    validate_each,
)
from anonymizer.validation.files import read_described, read_toml
from anonymizer.validation.parts import CHECKED, Part, parse, plain_errors
from anonymizer.validation.schema import plain_schema
from anonymizer.validation.sentences import Place, plain_type, show

__all__ = [
    "CHECKED",
    "FROM_NUMPY",
    "NOT_EMPTY",
    "ONLY_LISTS",
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
    "check_as_whole",
    "check_unrepeated",
    "expecting",
    "explain_dots",
    "one_of",
    "parse",
    "parse_delimiter",
    "parse_path",
    "plain_errors",
    "plain_schema",
    "plain_type",
    "raise_faults",
    "read_described",
    "read_toml",
    "show",
    "validate_also",
    "validate_each",
]
