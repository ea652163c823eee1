"""Compiled code on disk: whatever state it is in, a kernel runs, and runs the code it was written as."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Hashable
from pathlib import Path

import pytest

from anonymizer.kernels.code_cache import CodeFiles

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


ENV = {
    "PATH": "/usr/bin:/bin",
    "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
    "PYTHONDONTWRITEBYTECODE": "1",  # it goes by the second, and tests write a file twice in one
}


def cached(folder: Path) -> list[Path]:
    return sorted((folder / "__pycache__").glob("doubling.double*.nb[ic]"))


def test_compiled_code_is_kept(tmp_path: Path) -> None:
    assert run(tmp_path).stdout == "42\n"
    assert [path.suffix for path in cached(tmp_path)] == [".nbc", ".nbi"]


@pytest.mark.parametrize("kind", [".nbi", ".nbc"])
def test_a_corrupt_cache_is_made_again(tmp_path: Path, kind: str) -> None:
    run(tmp_path)
    for content in (b"", b"garbage", b"\x80\x04\x95"):
        (broken,) = [path for path in cached(tmp_path) if path.suffix == kind]
        broken.write_bytes(content)
        again = run(tmp_path)
        assert (again.stdout, again.stderr) == ("42\n", ""), content
    assert run(tmp_path).stdout == "42\n"


def test_a_cache_that_cannot_be_written_is_one_warning(tmp_path: Path) -> None:
    run(tmp_path)
    for path in cached(tmp_path):
        path.unlink()
        path.mkdir()  # as root, permissions stop nobody; a folder in the way does
    found = run(tmp_path)
    assert found.stdout == "42\n"
    assert found.stderr.count("compiled code cannot be kept there") == 1


CALLER = """
from anonymizer.kernels.compilation import kernel
from doubling import double

@kernel
def quadruple(x):
    return double(double(x))
"""


def run_caller(folder: Path, module: str) -> str:
    (folder / "doubling.py").write_text(module)
    (folder / "calling.py").write_text(CALLER)
    code = f"import sys; sys.path.insert(0, {str(folder)!r}); import calling as c; print(c.quadruple(10))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=ENV)
    return found.stdout + found.stderr


def test_a_kernel_is_compiled_again_when_one_that_it_calls_has_changed(tmp_path: Path) -> None:
    assert run_caller(tmp_path, MODULE) == "40\n"
    assert run_caller(tmp_path, MODULE.replace("2 * x", "3 * x")) == "90\n"


def test_a_kernel_is_compiled_again_when_a_constant_of_another_file_has_changed(
    tmp_path: Path,
) -> None:
    module = MODULE.replace("@kernel", "from factor import FACTOR\n\n@kernel").replace(
        "2 *", "FACTOR *"
    )
    (tmp_path / "factor.py").write_text("FACTOR = 2\n")
    assert run_caller(tmp_path, module) == "40\n"
    (tmp_path / "factor.py").write_text("FACTOR = 10\n")
    assert run_caller(tmp_path, module) == "1000\n"


def test_old_code_does_not_pile_up(tmp_path: Path) -> None:
    run(tmp_path)
    (kept,) = [path for path in cached(tmp_path) if path.suffix == ".nbc"]
    (tmp_path / "doubling.py").write_text(MODULE + "# a change")
    code = SCRIPT.format(folder=str(tmp_path))
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, env=ENV)
    (now,) = [path for path in cached(tmp_path) if path.suffix == ".nbc"]
    assert kept != now


class LateFiles(CodeFiles):
    """Files of a process that read the index before another wrote to it."""

    def _load_index(self) -> dict[Hashable, str]:
        return {}


@pytest.mark.parametrize("first", ["ours", "theirs"])
def test_two_processes_at_once_never_get_each_other_s_code(tmp_path: Path, first: str) -> None:
    ours, theirs = (kind(str(tmp_path), "double", "stamp") for kind in (LateFiles, LateFiles))
    saves = [(ours, "int64", b"integers"), (theirs, "float64", b"decimals")]
    for files, key, data in saves if first == "ours" else reversed(saves):
        files.save(key, data)
    later = CodeFiles(str(tmp_path), "double", "stamp")
    assert later.load("int64") in (b"integers", None)
    assert later.load("float64") in (b"decimals", None)
    assert {later.load("int64"), later.load("float64")} != {None}


SUMMING = """
import numpy as np
from anonymizer.kernels.compilation import kernel

@kernel
def row_sums(x):
    if x.size == 0:
        raise ValueError("nothing to sum")
    return np.sum(x, axis=1)
"""

SUMMING_TWICE = """
from anonymizer.kernels.compilation import kernel
from summing import row_sums

@kernel
def largest(x):
    return row_sums(x).max()
"""


def run_summing(folder: Path, statement: str) -> list[str]:
    """What a statement prints, and what of the compiler is loaded after it."""
    for name, source in {"summing.py": SUMMING, "twice.py": SUMMING_TWICE}.items():
        if not (folder / name).exists():  # older versions of numba go by the time of the file
            (folder / name).write_text(source)
    code = (
        f"import sys; sys.path.insert(0, {str(folder)!r})\n"
        "import numpy as np; import summing, twice; table = np.arange(6).reshape(2, 3)\n"
        f"print({statement})\n"
        "print(sorted({'numba.np.arraymath', 'numba.cpython.unicode', 'scipy.linalg'} & {*sys.modules}))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=ENV)
    return (found.stdout + found.stderr).splitlines()


def test_compiled_code_is_read_back_without_the_compiler(tmp_path: Path) -> None:
    compiled, read = (run_summing(tmp_path, "summing.row_sums(table)") for _ in range(2))
    assert compiled[0] == read[0] == "[ 3 12]"
    assert "numba.np.arraymath" in compiled[1]
    assert read[1] == "[]"


def test_code_compiled_on_top_of_code_read_back_can_itself_be_read_back(tmp_path: Path) -> None:
    run_summing(tmp_path, "summing.row_sums(table)")
    both = "summing.row_sums(table), twice.largest(table)"
    compiled, read = (run_summing(tmp_path, both)[0] for _ in range(2))
    assert compiled == read == "[ 3 12] 12"


def test_code_read_back_still_raises_what_it_was_written_to_raise(tmp_path: Path) -> None:
    for _ in range(2):
        assert (
            run_summing(tmp_path, "summing.row_sums(table[:0])")[-1] == "ValueError: nothing to sum"
        )
