"""What cannot be read is one sentence, whatever the kind of file; what is written reads back equal."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer import Policy, Statement
from anonymizer.assessment import read_sources
from anonymizer.errors import AnonymizerError, HierarchyError, PolicyError
from anonymizer.hierarchy import read_spec
from anonymizer.risk import Scenario
from anonymizer.validation import (
    read_toml,
    write_document,
    write_keys,
    write_texts,
)
from tests.studio.test_toml_text import DOCUMENTS

READERS: dict[str, Callable[[Path], object]] = {
    "policy": Policy.read,
    "scenario": Scenario.read,
    "statement": Statement.read,
    "sources": read_sources,
    "hierarchy": read_spec,
}


@pytest.mark.parametrize("kind", READERS)
def test_every_kind_of_file_fails_with_the_same_sentences(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "file.toml"
    for content, message in (
        (None, f"there is no such {kind} file; check the path."),
        (b"caf\xe9 = 1", f"the {kind} is not UTF-8 text; save it as UTF-8."),
        (b"a = = 1", "not valid TOML (Invalid value (at line 1, column 5)); fix that place."),
        (
            b"a = " + b"[" * 100_000,
            f"the {kind} is nested too deeply; write it with fewer brackets.",
        ),
        (b"a = " + b"9" * 10_000, f"the {kind} cannot be read (Exceeds the limit"),
    ):
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(AnonymizerError) as refused:
            READERS[kind](path)
        assert str(refused.value).startswith(f"{path}: {message}")
    with pytest.raises(AnonymizerError, match=f"this is a folder; name the {kind} file in it"):
        READERS[kind](tmp_path)
    with pytest.raises(AnonymizerError, match=f"there is no such {kind} file"):
        READERS[kind](path / "below a file.toml")


@pytest.mark.parametrize("kind", READERS)
def test_a_nul_in_a_path_is_one_sentence(kind: str) -> None:
    with pytest.raises(AnonymizerError, match=f"the {kind} cannot be read") as refused:
        READERS[kind](Path("a\0b.toml"))
    assert "\0" not in str(refused.value)


def test_what_cannot_be_read_is_an_error_of_the_kind_asked_for(tmp_path: Path) -> None:
    with pytest.raises(PolicyError):
        read_toml(tmp_path / "absent.toml", "policy")
    with pytest.raises(HierarchyError):
        read_toml(tmp_path / "absent.toml", "hierarchy", HierarchyError)


def test_a_byte_order_mark_is_not_part_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "file.toml"
    path.write_bytes("\ufeffa = 1".encode())
    assert read_toml(path, "policy") == {"a": 1}


@given(DOCUMENTS)
def test_what_is_written_reads_back_equal(document):
    assert tomllib.loads(write_document(document)) == document


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), max_size=20))
def test_texts_of_any_length_read_back_equal(texts: list[str]) -> None:
    assert tomllib.loads(f"values = {write_texts(texts)}") == {"values": texts}


def test_keys_read_back_as_they_were_written() -> None:
    keys = {"a": 'quo"te\\ü\n', "b": 0.25, "c": 3, "d": True, "e": "\x7f"}
    assert tomllib.loads("\n".join(write_keys({**keys, "none": None}))) == keys
