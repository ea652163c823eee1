from __future__ import annotations

import hashlib
import io
from pathlib import Path

import pytest

from anonymizer.data.files import FirstRead, check_readable, digest_of_file, specs_folder
from anonymizer.data.text import Tap
from anonymizer.errors import DataError, ReleaseError
from tests.data.reading import write


def test_a_tap_notes_all_that_is_read_in_whatever_pieces(tmp_path: Path) -> None:
    content = b'a"b\n' * 1000
    path = write(tmp_path, content)
    tap = Tap(io.BytesIO(content))
    tap.read(7)
    tap.read(100)
    tap.finish()
    assert tap.digest == hashlib.sha256(content).hexdigest() == digest_of_file(path)
    assert tap.quotes == 1000


def test_what_is_no_file_is_said_to_be_so(tmp_path: Path) -> None:
    check_readable(write(tmp_path, ""))
    with pytest.raises(DataError, match="there is no such file"):
        check_readable(tmp_path / "nowhere")
    with pytest.raises(DataError, match="this is a folder"):
        check_readable(tmp_path)
    with pytest.raises(DataError, match="a path cannot hold a NUL character"):
        check_readable(tmp_path / "a\0b")


def test_the_first_reading_is_the_one_that_counts(tmp_path: Path) -> None:
    first = FirstRead(write(tmp_path, "a"))
    assert first.check_digest("x") == first.check_digest("x") == "x"
    with pytest.raises(ReleaseError, match="changed while it was anonymized or assessed"):
        first.check_digest("y")
    first.check_stamp()
    first.check_stamp()
    write(tmp_path, "ab")
    with pytest.raises(ReleaseError, match="changed"):
        first.check_stamp()


def test_the_shipped_hierarchies_are_there() -> None:
    assert (specs_folder() / "demo" / "age.toml").is_file()
