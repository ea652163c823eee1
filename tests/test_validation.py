"""What cannot be read is one sentence, whatever the kind of file."""

from __future__ import annotations

from pathlib import Path

import pytest

from anonymizer import Policy, Statement
from anonymizer.assessment import read_sources
from anonymizer.errors import PolicyError
from anonymizer.risk import Scenario

READERS = {
    "policy": Policy.read,
    "scenario": Scenario.read,
    "statement": Statement.read,
    "sources": read_sources,
}


@pytest.mark.parametrize("kind", READERS)
def test_every_kind_of_file_fails_with_the_same_sentences(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "file.toml"
    for content, message in (
        (None, f"there is no such {kind} file."),
        (b"caf\xe9 = 1", f"the {kind} is not UTF-8 text; save it as UTF-8."),
        (b"a = = 1", "not valid TOML"),
    ):
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(PolicyError) as told:
            READERS[kind](path)
        assert str(told.value).startswith(f"{path}: {message}")
    with pytest.raises(PolicyError, match=f"there is no such {kind} file"):
        READERS[kind](tmp_path)
