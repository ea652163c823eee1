"""Compiled code on disk: whatever state it is in, a kernel runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import sys, warnings
sys.path.insert(0, {folder!r})
warnings.simplefilter("always")
import doubling
print(doubling.double(21))
"""

MODULE = """
from anonymizer.kernels.compilation import kernel

@kernel
def double(x):
    return 2 * x
"""


def run(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    (folder / "doubling.py").write_text(MODULE)
    code = SCRIPT.format(folder=str(folder))
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**ENV, **environment}
    )


ENV = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(Path(__file__).resolve().parents[2])}


def cached(folder: Path) -> list[Path]:
    return sorted((folder / "__pycache__").glob("doubling.double*.nb[ic]"))


def test_compiled_code_is_kept(tmp_path: Path) -> None:
    assert run(tmp_path).stdout == "42\n"
    assert [path.suffix for path in cached(tmp_path)] == [".nbc", ".nbi"]


@pytest.mark.parametrize(
    "content", [b"", b"garbage", b"\x80\x04\x95"], ids=["empty", "text", "cut"]
)
@pytest.mark.parametrize("kind", [".nbi", ".nbc"])
def test_a_corrupt_cache_is_made_again(tmp_path: Path, kind: str, content: bytes) -> None:
    run(tmp_path)
    (broken,) = [path for path in cached(tmp_path) if path.suffix == kind]
    broken.write_bytes(content)
    again = run(tmp_path)
    assert (again.stdout, again.stderr) == ("42\n", "")
    assert run(tmp_path).stdout == "42\n"


def test_a_cache_that_cannot_be_written_is_one_warning(tmp_path: Path) -> None:
    run(tmp_path)
    for path in cached(tmp_path):
        path.unlink()
        path.mkdir()  # as root, permissions stop nobody; a folder in the way does
    found = run(tmp_path)
    assert found.stdout == "42\n"
    assert found.stderr.count("compiled code cannot be kept there") == 1
