"""What each type of field takes and refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest

from anonymizer.errors import PolicyError
from anonymizer.validation import (
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
    explain_dots,
    parse,
)


def fault_of(kind: Any, value: object) -> str:
    with pytest.raises(PolicyError) as refused:
        parse(kind, value, "here")
    (fault,) = refused.value.faults
    return fault


@pytest.mark.parametrize(
    ("kind", "value", "taken"),
    [
        (Text, "", ""),
        (CellText, 1999, "1999"),
        (CellText, np.int64(1999), "1999"),
        (Names, ["a", ""], ("a", "")),
        (Flag, False, False),
        (Whole, np.int64(-3), -3),
        (Level, 0, 0),
        (Count, 1, 1),
        (Number, 2, 2.0),
        (Probability, 0, 0.0),
        (Probability, np.float64(1), 1.0),
        (Share, 1, 1.0),
        (FilePath, "a/b", Path("a/b")),
        (FilePath, Path("a"), Path("a")),
        (Delimiter, "\t", "\t"),
        (ByName[Level], {"a": 1}, {"a": 1}),
        (ByValue[Probability], {1999: 0.5}, {"1999": 0.5}),
    ],
)
def test_what_fits_is_taken(kind: Any, value: object, taken: object) -> None:
    found = parse(kind, value, "here")
    assert found == taken
    assert type(found) is type(taken) or isinstance(taken, Path)


@pytest.mark.parametrize(
    ("kind", "value", "fault"),
    [
        (Text, b"a", "b'a' is not a string; put it in quotes."),
        (Name, "", "the string is empty; write a name."),
        (Text, "\ud800", "the string is not valid Unicode; write it anew."),
        (CellText, "\ud800", "the string is not valid Unicode; write it anew."),
        (Names, [], "this is empty; name at least one."),
        (Names, "age", "'age' is not a list; write it as [ ... ]."),
        (Names, {"age"}, "{'age'} is not a list; write it as [ ... ]."),
        (Names, ["a", "a"], "listed more than once: 'a'; keep one of each."),
        (Flag, "no", "'no' is neither true nor false; write one of them, without quotes."),
        (Flag, 1, "1 is neither true nor false; write one of them, without quotes."),
        (Whole, True, "True is not a whole number; write one without quotes or a decimal point."),
        (Whole, 1.0, "1.0 is not a whole number; write one without quotes or a decimal point."),
        (Whole, "1", "'1' is not a whole number; write one without quotes or a decimal point."),
        (Level, -1, "-1 is too small; use 0 or more."),
        (Count, 0, "0 is too small; use 1 or more."),
        (Number, "2", "'2' is not a number; write one without quotes."),
        (Number, float("inf"), "inf is not a finite number; write one."),
        (Probability, True, "True is not a probability; use a number from 0 to 1."),
        (Probability, 1.01, "1.01 is not a probability; use a number from 0 to 1."),
        (Share, -1, "-1 is not a share of people; use a number from 0 to 1."),
        (FilePath, "a\0b", "'a\\x00b' cannot be the path of a file; correct it."),
        (FilePath, "", "'' cannot be the path of a file; correct it."),
        (FilePath, 3, "3 is not a path; write it in quotes."),
        (ByName[Level], [1], "[1] is not a table; write it as name = value."),
        (ByName[Level], {3: 1}, "3: the name 3 is not a string; put it in quotes."),
        (
            ByName[Level],
            {"Wr": {"Hnd": 1}},
            'Wr: a name with a dot in it needs quotes; quote the name: "Wr.Hnd".',
        ),
    ],
)
def test_what_does_not_fit_is_refused(kind: Any, value: object, fault: str) -> None:
    assert fault_of(kind, value) == fault


@pytest.mark.parametrize("delimiter", ["", ";;", "§", '"', "\n", "\r", "\0", 3, None, b";", [";"]])
def test_a_delimiter_is_one_ascii_character(delimiter: object) -> None:
    fault = fault_of(Delimiter, delimiter)
    assert fault.endswith(" is not a delimiter; use one ASCII character, such as ';'.")


TABLES = Annotated[dict[str, dict[str, int]], explain_dots(["role"])]


def test_names_with_dots_are_explained_beside_other_faults() -> None:
    keys = {"Wr": {"Hnd": {"role": 1}, "Arm": {"x": {"role": 1}}}, "age": {"role": "x"}}
    with pytest.raises(PolicyError) as refused:
        parse(TABLES, keys, "here")
    assert refused.value.faults == (
        "age.role: 'x' is not a whole number; write one without quotes or a decimal point.",
        'Wr: a name with a dot in it needs quotes; quote the name: "Wr.Hnd", "Wr.Arm.x".',
    )


def test_a_misspelt_key_is_not_taken_for_a_name_with_a_dot() -> None:
    assert parse(TABLES, {"Wr": {"rloe": 1}}, "here") == {"Wr": {"rloe": 1}}
    assert parse(TABLES, {}, "here") == {}


def test_a_list_is_checked_as_a_whole_even_where_an_item_is_not_sound() -> None:
    def check(value: Any) -> list[str]:
        return ["too long"] if len(value) > 1 else []

    kind = Annotated[tuple[Count, ...], ONLY_LISTS, check_as_whole(check)]
    assert parse(kind, [1], "here") == (1,)
    assert fault_of(kind, [1, 2]) == "too long."
    with pytest.raises(PolicyError) as refused:
        parse(kind, [1, 0], "here")
    assert refused.value.faults == ("1: 0 is too small; use 1 or more.", "too long.")
