"""Writing files so that an interrupted run leaves the old ones or none."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Self

from anonymizer.errors import ReleaseError


class Staging:
    """A folder whose new files appear together when all is done, or not at all.

    Entering checks that the folder can be written, so that a long run does not end in that error.
    """

    def __init__(self, folder: str | Path, inputs: Iterable[Path] = ()) -> None:
        """`inputs` are files that the run reads and must never overwrite."""
        self.folder = Path(folder)
        self.inputs = {path.resolve() for path in inputs}
        self.removed: list[Path] = []
        self.created = [path for path in (self.folder, *self.folder.parents) if not path.exists()]

    def __enter__(self) -> Self:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self.staged = Path(tempfile.mkdtemp(prefix=".anonymizer-", dir=self.folder))
        except OSError as error:
            self.remove_created()
            reason = error.strerror or str(error)
            raise ReleaseError(
                f"{self.folder}: the folder cannot be written ({reason}); choose another with --out."
            ) from error
        return self

    def path(self, name: str) -> Path:
        """Return where to write a file that will be called so; refuse what must not be replaced."""
        target = self.folder / name
        if target.resolve() in self.inputs:
            raise ReleaseError(
                f"{target}: this file is read by the run and would be overwritten; choose another "
                "folder with --out."
            )
        if target.is_dir() and target.suffix:
            raise ReleaseError(f"{target}: there is a folder of that name; remove it.")
        return self.staged / name

    def remove(self, name: str) -> None:
        """Let an old file go, if it is there, when all is done."""
        self.removed.append(self.folder / name)

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        try:
            if failure is None:
                for path in sorted(self.staged.rglob("*")):
                    target = self.folder / path.relative_to(self.staged)
                    if path.is_dir():
                        target.mkdir(exist_ok=True)
                    else:
                        os.replace(path, target)
                for path in self.removed:
                    path.unlink(missing_ok=True)
        finally:
            shutil.rmtree(self.staged, ignore_errors=True)
            if failure is not None:
                self.remove_created()

    def remove_created(self) -> None:
        """Remove the folders that were made for this run."""
        for path in self.created:
            if path.is_dir() and not any(path.iterdir()):
                path.rmdir()
