"""Writing files so that a run that is interrupted leaves the old ones or none.

New files are written into a hidden folder beside their targets and renamed when all are there. A file
that vouches for the others, such as a manifest, is removed first and comes last. So at whatever moment
the process is killed, a release has its own manifest or none, never that of another. What a killed
process leaves is removed by the next one that writes into the same folder.

The same holds when the power fails: every file is on the disk before it is renamed, and each step before
the next. Of two runs that end at once, one waits until the other's files are all there.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Self

from anonymizer.data.files import check_path
from anonymizer.data.processes import Signals, belongs_to_the_dead, owner_mark
from anonymizer.errors import ReleaseError

PREFIX = ".anonymizer-"
PRIVATE = 0o600
"""The mode of a file about single people, or that lets somebody in: whatever the umask, for its owner."""
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""What a system says when a file does not fit."""
NOT_POSSIBLE = (errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.ENOLCK, errno.EACCES)
"""What some systems say of folders that are to be synced or locked, and everything goes on."""


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
        self.private_files: set[Path] = set()
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

    def private(self, name: str) -> Path:
        """Return where to write a file that only its owner may read, whatever the umask."""
        self.private_files.add(self.folder / name)
        return self.path(name)

    def __exit__(self, _: object, failure: BaseException | None, *__: object) -> None:
        try:
            if failure is None:
                with alone_in(self.folder), self.signals.waiting():
                    self.publish()
        except OSError as error:
            failure = error
            raise
        finally:
            shutil.rmtree(self.staged, ignore_errors=True)
            self.signals.release()
            self.take_back()
            self.remove_created()
            check_room(self.folder, failure)

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
        for path, target in files:
            if target in self.private_files:
                path.chmod(PRIVATE)
            sync(path)
        seals = [(path, target) for path, target in files if target in self.seals]
        others = [(path, target) for path, target in files if target not in self.seals]
        aside = [(target, path.with_name(f"{path.name}.old")) for path, target in seals]
        try:
            replace_all((old, new) for old, new in aside if old.exists())
            sync_folders(old for old, _ in aside)
            replace_all(others[:1])
        except OSError:  # nothing has changed yet: the old seals still hold
            replace_all((new, old) for old, new in aside if new.exists())
            raise
        replace_all(others[1:])
        for old in self.removed:
            old.unlink(missing_ok=True)
        sync_folders([*(target for _, target in others), *self.removed, *self.created])
        replace_all(seals)
        sync_folders(target for _, target in seals)
        self.undo.clear()  # all is there, and nothing of it is taken back
        self.created.clear()

    def make_folders(self) -> list[tuple[Path, Path]]:
        """Make the folders that are staged; return each staged file and where it belongs."""
        staged = sorted(self.staged.rglob("*"))
        targets = [(path, self.folder / path.relative_to(self.staged)) for path in staged]
        folders = [target for path, target in targets if path.is_dir()]
        for target in folders:
            target.mkdir(exist_ok=True)
        sync_folders(folders)
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


def check_room(folder: Path, failure: BaseException | None) -> None:
    """Say in a sentence if it was for want of room that files were not written."""
    if isinstance(failure, OSError) and failure.errno in NO_ROOM:
        raise ReleaseError(
            f"{folder}: there is no room for the files ({os.strerror(failure.errno)}); make some, or "
            "choose another folder with --out."
        ) from failure


def replace_all(renamed: Iterable[tuple[Path, Path]]) -> None:
    """Rename files one after the other; what bears a new name already is replaced."""
    for old, new in renamed:
        os.replace(old, new)


def replace_file(path: Path, content: bytes, private: bool = False) -> None:
    """Write a single file, so that it is the old one or the new one, whatever happens.

    Only its owner may read one that is private.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        if private:
            beside.touch(PRIVATE)
        beside.write_bytes(content)
        sync(beside)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
    sync_folders([path])


def sync_folders(paths: Iterable[Path]) -> None:
    """Have the names of some files on the disk: those that have come, and that others are gone."""
    for folder in dict.fromkeys(path.parent for path in paths):
        if os.name != "nt" and folder.is_dir():  # Windows cannot sync a folder
            with where_possible():
                sync(folder)


def sync(path: Path) -> None:
    """Have a file, or the names in a folder, on the disk, where a power cut leaves it."""
    number = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


@contextmanager
def where_possible() -> Iterator[None]:
    """Do something if the file system can; other errors are errors."""
    try:
        yield
    except OSError as error:
        if error.errno not in NOT_POSSIBLE:
            raise


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Wait until no other run publishes into a folder; one that is killed holds nobody up."""
    with ExitStack() as held:
        with where_possible():
            held.enter_context(lock(folder))
        yield


@contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; nothing of it is left behind."""
    try:
        import fcntl
    except ImportError:  # Windows has no locks of folders
        yield
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(number, fcntl.LOCK_EX)
        yield
    finally:
        os.close(number)


def absolute(path: Path) -> Path:
    """Return an absolute path; an impossible one comes back as it is, for its reader to refuse."""
    return path if "\0" in str(path) else path.resolve()


def remove_leftovers(folder: Path) -> None:
    """Remove what processes that were killed left in a folder."""
    for path in folder.glob(f"{PREFIX}*"):
        if path.is_dir() and belongs_to_the_dead(path.name.removeprefix(PREFIX)):
            shutil.rmtree(path, ignore_errors=True)
