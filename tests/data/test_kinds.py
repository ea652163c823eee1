from __future__ import annotations

import zipfile
from pathlib import Path

import pandas as pd
import pytest

from anonymizer.data.kinds import UNREADABLE, check_kind
from anonymizer.data.table import FILES, open_table
from anonymizer.data.unpacking import COMPRESSIONS
from anonymizer.errors import DataError
from tests.data.reading import write

FRAME = pd.DataFrame({"a": ["x", "y"], "b": [1, 2]})


def refusal(path: Path) -> str:
    with pytest.raises(DataError) as caught:
        open_table(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message.removeprefix(f"{path}: ")


def make(kind: str, folder: Path) -> bytes:
    """Return the bytes of a file of each kind."""
    path = folder / "made"
    if kind == "spss":
        import pyreadstat

        pyreadstat.write_sav(FRAME, str(path))
    else:
        {
            "parquet": FRAME.to_parquet,
            "feather": FRAME.to_feather,
            "stata": lambda path: FRAME.to_stata(path, write_index=False, version=118),
            "excel": lambda path: FRAME.to_excel(path, index=False, engine="openpyxl"),
            "gzip": lambda path: FRAME.to_csv(path, compression="gzip"),
            "bzip2": lambda path: FRAME.to_csv(path, compression="bz2"),
            "xz": lambda path: FRAME.to_csv(path, compression="xz"),
        }[kind](path)
    return path.read_bytes()


KINDS = {
    "parquet": (".parquet", "this is a Parquet file; name it .parquet."),
    "feather": (".feather", "this is a Feather file; name it .feather."),
    "stata": (".dta", "this is a Stata file; name it .dta."),
    "spss": (".sav", "this is an SPSS file; name it .sav."),
    "excel": (
        ".xlsx",
        "this is an Excel workbook or a zip archive; name a workbook .xlsx, and unpack an archive.",
    ),
    "gzip": (".gz", "this is compressed; name it .csv.gz."),
    "bzip2": (".bz2", "this is compressed; name it .csv.bz2."),
    "xz": (".xz", "this is compressed; name it .csv.xz."),
}


@pytest.mark.parametrize("other", [".csv", ".txt", "", *FILES])
@pytest.mark.parametrize("kind", KINDS)
def test_a_file_with_the_name_of_another_kind_is_said_to_be_what_it_is(
    kind: str, other: str, tmp_path: Path
) -> None:
    suffix, message = KINDS[kind]
    content = make(kind, tmp_path)
    check_kind(write(tmp_path, content, f"people{suffix}"))
    if FILES.get(suffix) != FILES.get(other, None):
        assert refusal(write(tmp_path, content, f"people{other}")) == message


def test_an_old_workbook_or_one_with_a_password_is_said_to_be_so(tmp_path: Path) -> None:
    content = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600
    for name in ("people.xlsx", "people.xls", "people.csv"):
        assert refusal(write(tmp_path, content, name)) == (
            "this is an Excel workbook that is old (.xls) or has a password; save it as .xlsx without "
            "a password."
        )


@pytest.mark.parametrize("suffix", UNREADABLE)
def test_files_that_no_reader_is_for_are_refused_by_name(tmp_path: Path, suffix: str) -> None:
    assert refusal(write(tmp_path, "what it is", f"people{suffix}")) == (
        f"{suffix} files cannot be read; save it as .xlsx, .csv or .parquet."
    )


def test_a_zip_archive_is_not_a_workbook(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("people.csv", "a,b\n1,2\n")
    assert "unpack an archive" in refusal(path)


@pytest.mark.parametrize("suffix", COMPRESSIONS)
def test_of_compressed_files_only_csv_is_read(tmp_path: Path, suffix: str) -> None:
    for inner in (".parquet", ".xlsx"):
        assert refusal(write(tmp_path, "a", f"people{inner}{suffix}")) == (
            "of compressed files only CSV can be read; unpack it."
        )


def test_names_that_begin_as_other_files_do_are_no_trouble(tmp_path: Path) -> None:
    for header in ("PAR1,b", "BZh,b", "%PDF,b", "$FL,b", "ARROW1,b"):
        assert open_table(write(tmp_path, f"{header}\n1,2\n")).columns == tuple(header.split(","))
