"""Text files that are compressed or in another encoding, read as the bytes of UTF-8."""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Protocol, TextIO, cast

import pyarrow as pa

BLOCK = 1 << 20
UTF8 = "utf-8"


class Readable(Protocol):
    """What bytes are read from."""

    def read(self, size: int, /) -> bytes:
        """Return at most so many bytes; none at the end."""


def arrow_codec(name: str) -> tuple[Callable[[Any], Readable], Callable[[Path], IO[bytes]]]:
    """Return how Arrow reads and writes files of a compression."""
    return (
        lambda file: cast(Readable, pa.CompressedInputStream(pa.PythonFile(file, mode="r"), name)),
        lambda path: cast(IO[bytes], pa.CompressedOutputStream(str(path), name)),
    )


class Xz:
    """A file that is compressed by xz, which Arrow does not read."""

    def __init__(self, file: Any) -> None:
        import lzma  # not every Python has it

        self.file = lzma.LZMAFile(file)  # noqa: SIM115 - whoever opened the file closes it
        self.errors = (EOFError, lzma.LZMAError)

    def read(self, size: int, /) -> bytes:
        """Return at most so many bytes; an OSError says that the file is damaged."""
        try:
            return self.file.read(size)
        except self.errors as error:
            raise OSError(str(error)) from None


def open_xz(path: Path) -> IO[bytes]:
    """Open a file to write that xz compresses."""
    import lzma

    return lzma.open(path, "wb")


COMPRESSIONS: dict[str, tuple[Callable[[Any], Readable], Callable[[Path], IO[bytes]]]] = {
    ".gz": arrow_codec("gzip"),
    ".bz2": arrow_codec("bz2"),
    ".zst": arrow_codec("zstd"),
    ".xz": (lambda file: Xz(file), open_xz),
}
"""How a compressed file is read and written, by the end of its name."""


def compression_of(path: Path) -> str:
    """Return the end of a name that says how a file is compressed; nothing if it is not.

    >>> compression_of(Path("people.csv.gz")), compression_of(Path("people.csv"))
    ('.gz', '')
    """
    suffix = path.suffix.lower()
    return suffix if suffix in COMPRESSIONS else ""


def decompress(file: Readable, path: Path) -> Readable:
    """Read a file as what it was before it was compressed."""
    suffix = compression_of(path)
    return COMPRESSIONS[suffix][0](file) if suffix else file


def open_to_write(path: Path) -> IO[bytes]:
    """Open a file that is compressed as its name says."""
    suffix = compression_of(path)
    return COMPRESSIONS[suffix][1](path) if suffix else path.open("wb")


class Recoded:
    """The text of a file in another encoding as UTF-8."""

    def __init__(self, file: Readable, encoding: str) -> None:
        self.file = file
        self.decoder = codecs.getincrementaldecoder(encoding)()
        self.left = b""
        self.ended = False

    def read(self, size: int, /) -> bytes:
        """Return at most so many bytes; none at the end."""
        while not self.left and not self.ended:
            block = self.file.read(BLOCK)
            self.ended = not block
            self.left = self.decoder.decode(block, final=self.ended).encode()
        part, self.left = self.left[:size], self.left[size:]
        return part


def recode(file: Readable, encoding: str) -> Readable:
    """Read a text file as UTF-8."""
    return file if encoding == UTF8 else Recoded(file, encoding)


class RawReader(io.RawIOBase):
    """A reader as Python's files are."""

    def __init__(self, reader: Readable) -> None:
        self.reader = reader

    def readable(self) -> bool:
        """It can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read some bytes into a buffer."""
        block = self.reader.read(len(buffer))
        buffer[: len(block)] = block
        return len(block)


def as_text(reader: Readable) -> TextIO:
    """Read UTF-8 as text; its byte order mark is not part of it."""
    return io.TextIOWrapper(io.BufferedReader(RawReader(reader)), "utf-8-sig", newline="")


MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""The first bytes of a text that says its encoding; the longer ones first."""


def find_encoding(head: bytes) -> str:
    """Find the encoding of a text from its first bytes; UTF-8 where nothing tells.

    >>> find_encoding("a,b".encode("utf-16")), find_encoding("a,b".encode("utf-16-le"))
    ('utf-16', 'utf-16-le')
    """
    for mark, encoding in MARKS.items():
        if head.startswith(mark):
            return encoding
    # what separates cells and lines takes two bytes there, one of them zero
    zeros = (head[0::2].count(0), head[1::2].count(0))
    if max(zeros) * 4 > len(head) and min(zeros) == 0:
        return "utf-16-be" if zeros[0] else "utf-16-le"
    return UTF8
