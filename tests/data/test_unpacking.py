from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.data import unpacking
from anonymizer.data.unpacking import (
    COMPRESSIONS,
    Recoded,
    as_text,
    decompress,
    find_encoding,
    open_to_write,
)

ENCODINGS = ["utf-16", "utf-16-le", "utf-32", "cp1252", "latin-1", "shift_jis", "utf-8"]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("block", [1, 2, 3, 7, 1 << 20])
def test_text_is_recoded_alike_in_whatever_pieces(
    encoding: str, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpacking, "BLOCK", block)
    text = 'a;"b"\r\n' * 50
    recoded = Recoded(io.BytesIO(text.encode(encoding)), encoding)
    pieces = list(iter(lambda: recoded.read(5), b""))
    assert b"".join(pieces) == text.encode()
    assert max(map(len, pieces)) <= 5


def test_what_is_not_of_the_encoding_is_an_error_to_the_last_byte() -> None:
    recoded = Recoded(io.BytesIO("ab".encode("utf-16") + b"x"), "utf-16")
    assert recoded.read(100) == b"ab"
    with pytest.raises(UnicodeDecodeError):
        recoded.read(100)


@given(st.text(st.characters(max_codepoint=0x24F, exclude_characters="\0"), min_size=4))
def test_utf_8_without_a_mark_is_never_taken_for_anything_else(text: str) -> None:
    assert find_encoding(text.encode()) == "utf-8"


@pytest.mark.parametrize("suffix", ["", *COMPRESSIONS])
def test_what_is_written_is_read_again(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.csv{suffix}"
    content = "größe\n".encode() * 10_000
    with open_to_write(path) as file:
        file.write(content)
    with path.open("rb") as file:
        assert as_text(decompress(file, path)).read() == content.decode()
