from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.data import csv
from anonymizer.data.csv import CsvTable
from anonymizer.data.delimiters import CANDIDATES, find_delimiter
from anonymizer.data.table import open_table
from tests.data.reading import message_of, rows_in, write

FOUND = {
    "one": ("a;b\n1;2\n", ";"),
    "a tab": ("a\tb\n1\t2\n", "\t"),
    "quoted names": ('"size, cm";"a|b"\n1;2\n', ";"),
    "a name of two lines": ('"a,\n;x"|b\n1|2\n', "|"),
    "one column": ("age\n1,5\n", ","),
    "nothing": ("", ","),
    "only one fits the rows": ("name;size, cm\nAnn;170\nBob;171\n", ";"),
    "only one fits the quoted rows": ('a,b;c\n"1;2",3\n4,5\n', ","),
}


@pytest.mark.parametrize("name", FOUND)
def test_a_delimiter_is_found_in_the_header_or_else_in_the_rows(name: str) -> None:
    text, delimiter = FOUND[name]
    assert find_delimiter(iter(text.splitlines(keepends=True))) == delimiter


@pytest.mark.parametrize("text", ["a,b;c\n", "a,b;c\n1,2;3\n", 'a,b;c\n1,"2\n'])
def test_a_header_that_may_be_cut_in_two_ways_is_not_guessed(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, text)
    assert message_of(open_table(path), "a") == (
        "the header may be cut at more than one character; say which, with delimiter in [data] or "
        "--delimiter."
    )
    assert open_table(path, ";").columns == ("a,b", "c")


def test_a_stated_delimiter_wins(tmp_path: Path) -> None:
    path = write(tmp_path, "a;b\n1;2\n")
    assert open_table(path, ",").columns == ("a;b",)
    assert rows_in(open_table(path), "b") == [("2",)]


@given(
    st.sampled_from(CANDIDATES + ":"),
    st.lists(st.text(st.sampled_from('ab;,|\t"\n:'), min_size=1), min_size=2, unique=True),
)
def test_the_delimiter_of_what_we_write_is_found_whatever_the_names(
    tmp_path_factory: pytest.TempPathFactory, delimiter: str, names: list[str]
) -> None:
    path = tmp_path_factory.mktemp("csv") / "people.csv"
    csv.write_csv(pa.table([pa.array(["x"])] * len(names), names=names), path, delimiter)
    if delimiter in CANDIDATES:
        with CsvTable(path).text() as lines:
            assert find_delimiter(lines) == delimiter
