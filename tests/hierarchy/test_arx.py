from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from anonymizer.data.text import CANDIDATES
from anonymizer.errors import HierarchyError
from anonymizer.hierarchy import Hierarchy, Redaction, read_arx, read_rows, write_arx

from .trees import tree_rows

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
SEXES = Hierarchy.from_rows("sex", [("Male", "*"), ("Female", "*")])


@given(tree_rows(), st.sampled_from(";,\t| "))
def test_what_is_written_reads_back_equal(rows: list[tuple[str, ...]], delimiter: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.csv"
        written = Hierarchy.from_rows("a", rows)
        write_arx(written, path, delimiter)
        assert read_arx(path, delimiter=delimiter) == written


def test_files_of_arx_are_read_and_written_byte_for_byte(tmp_path: Path) -> None:
    originals = sorted(DATA.glob("*/hierarchies/*.csv"))
    if not originals:
        pytest.skip(f"no ARX files to compare with: {DATA}")
    for original in originals:
        write_arx(read_arx(original), tmp_path / "copy.csv")
        copy = (tmp_path / "copy.csv").read_bytes()  # which always ends its last line
        assert copy.removesuffix(b"\n") == original.read_bytes().removesuffix(b"\n"), original.name


def test_a_hundred_thousand_rows_are_read_and_written(tmp_path: Path) -> None:
    rows = list(Redaction(digits=5).rows())
    write_arx(Hierarchy.from_rows("zip", rows), tmp_path / "zip.csv")
    hierarchy = read_arx(tmp_path / "zip.csv")
    assert hierarchy.size == 100_000
    assert list(hierarchy.rows()) == rows


def test_the_name_is_the_files_unless_another_is_given(tmp_path: Path) -> None:
    write_arx(SEXES, tmp_path / "gender.csv")
    assert read_arx(tmp_path / "gender.csv").name == "gender"
    assert read_arx(tmp_path / "gender.csv", "sex").name == "sex"
    assert read_arx(tmp_path / "gender.csv").source == str(tmp_path / "gender.csv")


def test_windows_line_ends_a_byte_order_mark_and_empty_lines_are_no_part_of_a_value(
    tmp_path: Path,
) -> None:
    path = tmp_path / "sex.csv"
    path.write_bytes(b"\xef\xbb\xbfMale;*\r\n\r\nFemale;*\r\n\r\n")
    assert read_arx(path) == SEXES


def test_cells_are_quoted_only_where_they_must_be(tmp_path: Path) -> None:
    rows = [("a;b", 'say "x"', "*"), ("plain, text", "two words", "*")]
    write_arx(Hierarchy.from_rows("x", rows), tmp_path / "x.csv")
    text = (tmp_path / "x.csv").read_text(encoding="utf-8")
    assert text == '"a;b";"say ""x""";*\nplain, text;two words;*\n'


def test_an_empty_line_counts_when_rows_are_numbered(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a;*\n\na;*\n", encoding="utf-8")
    with pytest.raises(HierarchyError, match="row 3: 'a' already has row 1; keep one of them"):
        read_arx(tmp_path / "x.csv")


def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "sex.csv"
    path.write_text("old", encoding="utf-8")

    def interrupt(_: Path, __: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_arx(SEXES, path)
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_write_to_nowhere_says_so(tmp_path: Path) -> None:
    with pytest.raises(HierarchyError, match=r"cannot be written .*; check the folder"):
        write_arx(SEXES, tmp_path / "nowhere" / "sex.csv")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"caf\xe9;*\n", "byte 4 is not UTF-8; save the file as UTF-8."),
        (b'a;*\n"b;*\n', "row 2 cannot be read (unexpected end of data); check its quotes."),
        (
            b"",
            "the hierarchy has no rows; write one row for each value, "
            "from the value itself to the top.",
        ),
    ],
)
def test_an_unreadable_file_is_one_sentence(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    with pytest.raises(HierarchyError) as caught:
        read_arx(path)
    assert str(caught.value) == f"{path}: {message}"


def test_a_file_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(HierarchyError, match=r"x\.csv: there is no such file; check the path\.$"):
        read_rows(tmp_path / "x.csv")
    with pytest.raises(HierarchyError, match="cannot be read"):
        read_rows(tmp_path)


@pytest.mark.parametrize("delimiter", ["", ";;", '"', "\n"])
def test_a_delimiter_that_is_not_one_ascii_character_is_refused(
    tmp_path: Path, delimiter: str
) -> None:
    with pytest.raises(HierarchyError, match="is not a delimiter; use one ASCII character"):
        write_arx(SEXES, tmp_path / "x.csv", delimiter)
    with pytest.raises(HierarchyError, match="is not a delimiter; use one ASCII character"):
        read_rows(tmp_path / "x.csv", delimiter)


def deep(leaves: int, levels: int) -> str:
    """Write a file whose values merge one by one, level by level."""
    rows = (
        [str(leaf), *(str(max(leaf, level)) for level in range(1, levels))]
        for leaf in range(leaves)
    )
    return "\n".join(map(";".join, rows))


def test_thousands_of_levels_are_read_or_refused_in_one_sentence_before_they_fill_the_memory(
    tmp_path: Path,
) -> None:
    path = tmp_path / "age.csv"
    path.write_text(deep(40, 5_000))
    assert read_arx(path).height == 5_000
    path.write_text(f"{';'.join('x' * 5_000)}\n" * 2_000)
    started = time.process_time()
    with pytest.raises(HierarchyError) as caught:
        read_arx(path)
    assert time.process_time() - started < 1
    assert str(caught.value) == (
        f"{path}: 5,000 levels of 2,001 values are too many; use at most 2,498 levels."
    )


@pytest.mark.parametrize("other", [",", "\t", "|"])
def test_another_delimiter_than_arx_s_is_found(tmp_path: Path, other: str) -> None:
    path = tmp_path / "zip.csv"
    path.write_text(f"101{other}10*{other}*\n102{other}10*{other}*\n")
    assert read_arx(path) == read_arx(path, delimiter=other)
    assert read_arx(path).height == 3


@given(tree_rows(), st.sampled_from(CANDIDATES))
def test_the_delimiter_of_what_we_write_is_found(rows: list[tuple[str, ...]], other: str) -> None:
    written = Hierarchy.from_rows("x", rows)
    assume(len(rows) > 1 and len({row[-1] for row in rows}) == 1)
    assume(not set(CANDIDATES) & set("".join(map("".join, rows))))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.csv"
        write_arx(written, path, other)
        assert read_arx(path) == written


def test_one_level_of_values_with_commas_is_read(tmp_path: Path) -> None:
    path = tmp_path / "name.csv"
    path.write_text("Berlin, Mitte\nBonn, Süd\n")
    assert read_arx(path).leaves == ("Berlin, Mitte", "Bonn, Süd")


@given(
    rows=st.lists(
        st.lists(
            st.text(st.sampled_from('ab"\r\n; \ufeff\x00é'), max_size=3), min_size=1, max_size=3
        ),
        max_size=5,
    ),
    ends=st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_a_file_is_read_column_by_column_as_it_is_row_by_row(
    rows: list[list[str]], ends: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("levels") / "x.csv"
    path.write_bytes("".join(ends.join([*map(";".join, rows), ""])).encode())
    read = [outcome_of(lambda: read_arx(path))]
    read.append(outcome_of(lambda: Hierarchy.from_rows("x", read_rows(path), str(path))))
    assert read[0] == read[1]


def outcome_of(read: Callable[[], Hierarchy]) -> object:
    """What is read, or what is said to be wrong with it."""
    try:
        return read()
    except HierarchyError as error:
        return str(error)
