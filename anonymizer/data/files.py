"""Files that are read: where the shipped ones are, can they be read, are they still the same?"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from anonymizer.errors import DataError, ReleaseError


def check_readable(path: Path) -> None:
    """Raise a DataError unless the path is a file that can be read."""
    check_path(path)
    if not path.exists():
        raise DataError(f"{path}: there is no such file; check the path.")
    if not path.is_file():
        raise DataError(f"{path}: this is a folder. Name the file in it.")
    if not os.access(path, os.R_OK):
        raise DataError(f"{path}: the file may not be read; check its permissions.")


def check_path(path: Path) -> None:
    """Raise a DataError if a path holds what no path can."""
    if "\0" in str(path):
        raise DataError(f"{str(path)!r}: a path cannot hold a NUL character; check it.")


def digest_of_file(path: Path) -> str:
    """Return the SHA-256 digest of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class FirstRead:
    """Remembers a file as it was when it was first read, so that a later change is noticed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.digest: str | None = None
        self.stamp: tuple[int, int, int] | None = None

    def check_digest(self, digest: str) -> str:
        """Keep the digest of the first reading; raise a ReleaseError if another is given later."""
        if self.digest not in (None, digest):
            raise self.changed()
        self.digest = digest
        return digest

    def check_stamp(self) -> None:
        """Raise a ReleaseError if the file was replaced or written since it was first opened."""
        status = self.path.stat()
        stamp = (status.st_ino, status.st_size, status.st_mtime_ns)
        if self.stamp not in (None, stamp):
            raise self.changed()
        self.stamp = stamp

    def changed(self) -> ReleaseError:
        """Say that what was read first is no longer there."""
        return ReleaseError(f"{self.path} changed while it was anonymized or assessed. Run again.")


def specs_folder() -> Path:
    """Return where the shipped hierarchies are: in the package, or beside it."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "specs"
    return installed if installed.is_dir() else package.parent / "hierarchies"
