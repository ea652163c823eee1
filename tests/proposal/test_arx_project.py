from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from anonymizer.errors import AnonymizerError
from anonymizer.proposal.arx_import import import_project
from anonymizer.proposal.arx_project import read_project
from tests.proposal.arx_projects import definition, parts, write_project

BOMB = b"0" * 2**24
ENTITIES = '<!DOCTYPE config [<!ENTITY a SYSTEM "file:///etc/passwd">]><config><metric>&a;</metric></config>'


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"data/input.csv": BOMB}, "has 'data/input.csv', which unpacks to 16,777,216 bytes"),
        ({"../evil.csv": "x"}, "has a part called '../evil.csv', which leads out of the project"),
        ({"/evil.csv": "x"}, "has a part called '/evil.csv', which leads out of the project"),
        ({"input/config.xml": ENTITIES}, "declares entities in input/config.xml"),
        ({"input/config.xml": "<config>\n<metric>"}, "has broken XML in input/config.xml, line 2"),
        ({"input/config.xml": ""}, "has broken XML in input/config.xml, line 1"),
        ({"project.xml": "<other/>"}, "has <other> where <project> should be, in project.xml"),
        ({"input/definition.xml": "<definition/>"}, "names no column, or one twice"),
        ({"input/definition.xml": None}, "lacks 'input/definition.xml'"),
        ({"input/config.xml": None}, "lacks 'input/config.xml'"),
        ({"input/hierarchies/age.csv": None}, "lacks 'input/hierarchies/age.csv'"),
        ({"input/hierarchies/age.csv": "20;*\n20;*\n"}, "'20' already has row 1"),
        ({"data/input.csv": None}, "column 'Größe/cm' has no hierarchy, and no values"),
        ({"input/definition.xml": definition().replace("SENSITIVE_A", "STRANGE_A")}, "is unknown"),
    ],
)
def test_a_project_that_cannot_be_used_is_refused_in_a_sentence_and_nothing_is_written(
    changed: dict[str, str | bytes | None], sentence: str, tmp_path: Path
) -> None:
    content = {name: part for name, part in (parts() | changed).items() if part is not None}
    path = write_project(tmp_path / "p.deid", content)
    with pytest.raises(AnonymizerError) as refused:
        import_project(path, tmp_path / "out")
    assert sentence in str(refused.value)
    assert ".anonymizer-" not in str(refused.value)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("content", [b"", b"PK", b"no zip file at all"])
def test_what_is_not_a_zip_file_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "p.deid"
    path.write_bytes(content)
    with pytest.raises(AnonymizerError, match="not a zip file, or it is damaged"):
        read_project(path)


def test_a_file_that_is_cut_short_or_changed_is_refused(tmp_path: Path) -> None:
    path = write_project(tmp_path / "p.deid", parts())
    whole = path.read_bytes()
    with zipfile.ZipFile(path) as file:
        at = file.getinfo("input/config.xml").header_offset + 60
    path.write_bytes(whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1 :])
    with pytest.raises(AnonymizerError):
        read_project(path)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(AnonymizerError, match="not a zip file"):
        read_project(path)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(AnonymizerError, match="there is no such file"):
        read_project(tmp_path / "p.deid")


def test_texts_of_old_versions_on_windows_are_read_and_said(tmp_path: Path) -> None:
    content = parts()
    content["input/definition.xml"] = definition().encode("cp1252")
    content["data/input.csv"] = str(content["data/input.csv"]).encode("cp1252")
    imported = import_project(write_project(tmp_path / "p.deid", content), tmp_path / "out")
    assert any("was read as Windows-1252" in note for note in imported.notes)
    assert "Größe/cm" in (tmp_path / "out" / "input.csv").read_text(encoding="utf-8")
