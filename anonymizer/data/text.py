"""Text files: compressed or not, in which encoding, and what separates their cells."""

from __future__ import annotations

import codecs
import csv
import hashlib
import io
import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Any, BinaryIO, Protocol, TextIO, cast

import pyarrow as pa

from anonymizer.errors import AnonymizerError, DataError

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


def to_utf8(file: Readable, encoding: str) -> Readable:
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


class Digested:
    """A file that is digested while it is read."""

    closed = False

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.sha256 = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        """Read some bytes and note them."""
        block = self.file.read(size)
        self.sha256.update(block)
        return block

    def close(self) -> None:
        """Leave the file open: whoever opened it closes it."""


def plain(file: Readable) -> Readable:
    """Read a file as it is."""
    return file


class Tap:
    """A file that is digested, and the quotes of its text counted, while Arrow reads the text."""

    closed = False

    def __init__(self, file: BinaryIO, unpack: Callable[[Readable], Readable] = plain) -> None:
        self.file = Digested(file)
        self.text = unpack(self.file)
        self.quotes = 0

    @property
    def digest(self) -> str:
        """The SHA-256 digest of the bytes that were read."""
        return self.file.sha256.hexdigest()

    def read(self, size: int = -1) -> bytes:
        """Read some of the text and note its quotes."""
        block = self.text.read(size)
        self.quotes += block.count(b'"')
        return block

    def finish(self) -> None:
        """Read what Arrow left."""
        for left in (self, self.file):
            while left.read(BLOCK):
                pass


DEFAULT = ","


CANDIDATES = ",;\t|"
"""What a delimiter that is not stated may be."""


ROWS = 20
"""The rows that are looked at where the header leaves it open."""


QUOTED = re.compile(r'"[^"]*"')


def check_delimiter(delimiter: str, error: type[AnonymizerError] = DataError) -> None:
    """Raise an error unless cells can be separated so.

    >>> check_delimiter("é")
    Traceback (most recent call last):
    anonymizer.errors.DataError: delimiter: 'é' is not a delimiter; use one ASCII character, such as ';'.
    """
    from anonymizer.validation import parse_delimiter  # imports pydantic

    try:
        parse_delimiter(delimiter)
    except ValueError as fault:
        raise error(f"delimiter: {fault}.") from None


def hidden_delimiter(name: str) -> str | None:
    """Return what may separate names that were read as one.

    >>> hidden_delimiter("age;sex"), hidden_delimiter("age")
    (';', None)
    """
    return next((each for each in CANDIDATES if each in name), None)


def find_delimiter(lines: Iterator[str]) -> str | None:
    """Find the delimiter of a file from its first lines; None where several would do.

    >>> find_delimiter(iter(["name;'size, cm'", "Ann;170"])), find_delimiter(iter(["age"]))
    (';', ',')
    """
    names = [next(lines, "")]
    quotes = names[0].count('"')
    while quotes % 2 and (more := next(lines, "")):  # a name of several lines
        names.append(more)
        quotes += more.count('"')
    header = "".join(names)
    found = [each for each in CANDIDATES if each in QUOTED.sub("", header)]
    if len(found) > 1:
        text = [*header.splitlines(keepends=True), *islice(lines, ROWS)]
        found = [each for each in found if is_even(text, each)]
        return found[0] if len(found) == 1 else None
    return found[0] if found else DEFAULT


def is_even(lines: list[str], delimiter: str) -> bool:
    """Whether all rows have as many cells as the header, cut at this delimiter."""
    try:
        widths = [len(row) for row in csv.reader(lines, delimiter=delimiter, strict=True) if row]
    except csv.Error:
        return False
    return len(set(widths)) == 1
