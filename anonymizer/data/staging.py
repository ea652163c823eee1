"""Writing files so that a run that is interrupted leaves the old ones or none.

New files are written into a hidden folder beside their targets and renamed when all are there. A file
that vouches for the others, such as a manifest, is removed first and comes last: at whatever moment the
process is killed, a release has its own manifest or none, never that of another release. What a killed
process leaves is removed by the next one that writes into the same folder.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Self

from anonymizer.data.files import check_path
from anonymizer.data.processes import Signals, belongs_to_the_dead, owner_mark
from anonymizer.errors import ReleaseError

PREFIX = ".anonymizer-"


class Staging:
    """A folder whose new files appear together when all is done, or not at all.

    Entering checks that the folder can be written, so that a long run does not end in that error.
    """

    def __init__(self, folder: str | Path, inputs: Iterable[Path] = ()) -> None:
        """`inputs` are files that the run reads and must never overwrite."""
        self.folder = Path(folder)
        check_path(self.folder)
        self.inputs = {absolute(path) for path in inputs}
        self.removed: list[Path] = []
        self.seals: set[Path] = set()
        self.undo: list[Callable[[], None]] = []
        """What takes back what was written elsewhere, if anything fails."""
        self.signals = Signals(self.discard)
        self.staged = self.folder / PREFIX  # none yet
        folders = (self.folder, *self.folder.parents)
        self.created = [path for path in folders if not path.exists()]

    def __enter__(self) -> Self:
        self.signals.catch()
        try:
            with self.signals.waiting():  # a signal finds the hidden folder, or none
                self.folder.mkdir(parents=True, exist_ok=True)
                remove_leftovers(self.folder)
                prefix = f"{PREFIX}{owner_mark()}-"
                self.staged = Path(tempfile.mkdtemp(prefix=prefix, dir=self.folder))
        except OSError as error:
            self.signals.release()
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

    def seal(self, name: str) -> Path:
        """Return where to write a file that vouches for the others."""
        self.seals.add(self.folder / name)
        return self.path(name)

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        try:
            if failure is None:
                with self.signals.waiting():
                    self.publish()
        finally:
            shutil.rmtree(self.staged, ignore_errors=True)
            self.signals.release()
            if failure is not None:
                self.take_back()
                self.remove_created()

    def take_back(self) -> None:
        """Take back what was written elsewhere."""
        for undo in self.undo:
            undo()
        self.undo.clear()

    def publish(self) -> None:
        """Rename all files to where they belong, and let old ones go.

        The order is what makes it safe to be killed in between: old seals go, files come, seals come.
        """
        files = self.make_folders()
        seals = [(path, target) for path, target in files if target in self.seals]
        others = [(path, target) for path, target in files if target not in self.seals]
        aside = [(target, path.with_name(f"{path.name}.old")) for path, target in seals]
        replace_all((old, new) for old, new in aside if old.exists())
        try:
            replace_all(others[:1])
        except OSError:  # nothing has changed yet: the old seals still hold
            replace_all((new, old) for old, new in aside if new.exists())
            raise
        replace_all(others[1:])
        for old in self.removed:
            old.unlink(missing_ok=True)
        replace_all(seals)

    def make_folders(self) -> list[tuple[Path, Path]]:
        """Make the folders that are staged; return each staged file and where it belongs."""
        staged = sorted(self.staged.rglob("*"))
        targets = [(path, self.folder / path.relative_to(self.staged)) for path in staged]
        for path, target in targets:
            if path.is_dir():
                target.mkdir(exist_ok=True)
        return [(path, target) for path, target in targets if not path.is_dir()]

    def discard(self) -> None:
        """Leave nothing of what was written."""
        self.take_back()
        shutil.rmtree(self.staged, ignore_errors=True)
        self.remove_created()

    def remove_created(self) -> None:
        """Remove the folders that were made for this run."""
        for path in self.created:
            if path.is_dir() and not any(path.iterdir()):
                path.rmdir()


def replace_all(renamed: Iterable[tuple[Path, Path]]) -> None:
    """Rename files one after the other; what bears a new name already is replaced."""
    for old, new in renamed:
        os.replace(old, new)


def absolute(path: Path) -> Path:
    """Return a path as the system knows it; one that cannot be is left to those who read it."""
    return path if "\0" in str(path) else path.resolve()


def remove_leftovers(folder: Path) -> None:
    """Remove what processes that were killed left in a folder."""
    for path in folder.glob(f"{PREFIX}*"):
        if path.is_dir() and belongs_to_the_dead(path.name.removeprefix(PREFIX)):
            shutil.rmtree(path, ignore_errors=True)
