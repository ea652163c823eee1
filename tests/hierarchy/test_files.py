"""Hierarchy files beside a table: what fits, what does not, and what could not be compared."""

from __future__ import annotations

from pathlib import Path

from anonymizer.hierarchy.files import check_files, write_suggestions


def test_a_file_without_a_column_of_its_name_is_named(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("sex,place\nF,a\n")
    files = [tmp_path / "sex.csv", tmp_path / "location.csv"]
    files[0].write_text("F;*\nM;*\n")
    files[1].write_text("a;*\nb;*\n")
    found = check_files(files, tmp_path / "people.csv", ";", ",")
    assert [(file.name, defect.severity) for file, defect in found] == [("location.csv", "warning")]
    assert "no column 'location'; name the file after its column" in found[0][1].message
    assert check_files(files, None, ";", ",") == []


def test_columns_whose_names_clash_as_files_get_files_of_their_own(tmp_path: Path) -> None:
    paths = write_suggestions({"a/b": "x = 1\n", "a_b": "x = 2\n"}, tmp_path)
    assert [path.name for path in paths] == ["a_b.toml", "a_b_2.toml"]
    assert [path.read_text() for path in paths] == ["x = 1\n", "x = 2\n"]
