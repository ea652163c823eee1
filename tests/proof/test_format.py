"""Proof files read back as they were written, and what is none is refused in a sentence."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from anonymizer.proof import format as file_format
from anonymizer.proof.format import Claim, Closed, Cut, Proof, ProofError, find_proof, read_proof

PROOF = Proof(
    Claim((0, 1), 0.25, 3, 0.25, optimal=True),
    ("age", "sex"),
    (0, 0),
    (2, 1),
    ((2, 1), (0, 1)),
    Cut(0, (0, 1), (Closed("bound", (1, 0)), Closed("evaluated"), Closed("plain"))),
    {"input": {"name": "a.csv"}, "policy": "ab", "hierarchies": {"age": "cd"}},
    "1.0",
)


@pytest.mark.parametrize("compressed_from", [0, 10**9])
def test_what_is_written_reads_back_equal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compressed_from: int
) -> None:
    monkeypatch.setattr(file_format, "COMPRESSED_FROM", compressed_from)
    path = tmp_path / PROOF.file_name
    PROOF.write(path)
    assert path.suffix == (".json" if compressed_from else ".gz")
    assert read_proof(path) == PROOF
    assert find_proof(tmp_path) == path


def test_only_its_owner_can_read_it(tmp_path: Path) -> None:
    PROOF.write(tmp_path / "proof.json")
    assert stat.S_IMODE((tmp_path / "proof.json").stat().st_mode) == 0o600


def test_cuts_at_several_levels_are_slabs() -> None:
    boxes = {(low, high) for low, high, _ in PROOF.boxes()}
    assert boxes == {((0, 0), (0, 1)), ((1, 0), (1, 1)), ((2, 0), (2, 1))}


WRONG: dict[str, Any] = {
    "no object": [],
    "no claim": {**PROOF.describe(), "claim": {}},
    "a scheme of texts": {**PROOF.describe(), "witnesses": [["0", "1"]]},
    "a level that is true": {**PROOF.describe(), "witnesses": [[True, 0], [0, 1]]},
    "no tree": {k: v for k, v in PROOF.describe().items() if k != "tree"},
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_proof_file_is_refused_in_a_sentence(tmp_path: Path, name: str) -> None:
    path = tmp_path / "proof.json"
    path.write_text(json.dumps(WRONG[name]))
    with pytest.raises(ProofError, match=r"proof\.json: .+\.$"):
        read_proof(path)


@pytest.mark.parametrize("content", [b"", b"{", b"\x1f\x8b\x08broken", b"[" * 100_000, b"\xff\xfe"])
def test_broken_files_are_refused_in_a_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "proof.json"
    path.write_bytes(content)
    with pytest.raises(ProofError, match="not a proof file"):
        read_proof(path)
