from __future__ import annotations

import io
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.data import text as text_module
from anonymizer.data.csv import CsvTable
from anonymizer.data.opening import open_table
from anonymizer.data.release import write_csv
from anonymizer.data.text import (
    CANDIDATES,
    COMPRESSIONS,
    Recoded,
    as_text,
    decompress,
    find_delimiter,
    find_encoding,
    open_to_write,
)
from tests.data.reading import message_of, rows_in, write

ENCODINGS = ["utf-16", "utf-16-le", "utf-32", "cp1252", "latin-1", "shift_jis", "utf-8"]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("block", [1, 2, 3, 7, 1 << 20])
def test_text_is_recoded_alike_in_whatever_pieces(
    encoding: str, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_module, "BLOCK", block)
    text = 'a;"b"\r\n' * 50
    recoded = Recoded(io.BytesIO(text.encode(encoding)), encoding)
    pieces = list(iter(lambda: recoded.read(5), b""))
    assert b"".join(pieces) == text.encode()
    assert max(map(len, pieces)) <= 5


def test_what_is_not_of_the_encoding_is_an_error_to_the_last_byte() -> None:
    recoded = Recoded(io.BytesIO("ab".encode("utf-16") + b"x"), "utf-16")
    assert recoded.read(100) == b"ab"
    with pytest.raises(UnicodeDecodeError):
        recoded.read(100)


@given(st.text(st.characters(max_codepoint=0x24F, exclude_characters="\0"), min_size=4))
def test_utf_8_without_a_mark_is_never_taken_for_anything_else(text: str) -> None:
    assert find_encoding(text.encode()) == "utf-8"


@pytest.mark.parametrize("suffix", ["", *COMPRESSIONS])
def test_what_is_written_is_read_again(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.csv{suffix}"
    content = "größe\n".encode() * 10_000
    with open_to_write(path) as file:
        file.write(content)
    with path.open("rb") as file:
        assert as_text(decompress(file, path)).read() == content.decode()


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
    write_csv(pa.table([pa.array(["x"])] * len(names), names=names), path, delimiter)
    if delimiter in CANDIDATES:
        with CsvTable(path).text() as lines:
            assert find_delimiter(lines) == delimiter
