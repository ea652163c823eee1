"""Register: a folder of the steward's that knows who was in which class of which release.

`register.json` lists the releases, and `releases/` has a file for each with everybody who is in it: a
keyed digest of their id, and the number of their class. There are no values and no generalized ones, and
without the steward's key nobody can tell whose a digest is, nor make one. The list is sealed with the
key, and each release names the digest of the one before it. So a file that is changed, cut or gone is
noticed; a whole register put back as it was before its last release is noticed only beside the manifest
of that release, which names its place.
"""

from __future__ import annotations

import hashlib
import io
import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError

from anonymizer.data.files import check_path
from anonymizer.data.secret import is_digest, key_name, keyed_digest, keyed_digests
from anonymizer.data.staging import alone_in, replace_file
from anonymizer.errors import ReleaseError

INDEX = "register.json"
RELEASES = "releases"
SEAL = "register"
PERSON = np.dtype([("high", "<u8"), ("low", "<u8")])
ENTRY = np.dtype([("person", PERSON), ("class", "<i8")])
"""What a release knows of a person."""
Released = NDArray[Any]
"""The people of a release, by their keyed digests."""


class RegisterEntry(BaseModel):
    """One release of a register."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    number: int
    date: str
    k: int
    """So many people, at least, shared each history."""
    policy: str
    """The digest of what the policy says."""
    scheme: dict[str, int]
    manifest: str
    output: str
    proof: str | None
    """The digests of the manifest, the released table and the proof file."""
    people: int
    """How many are in it."""
    accepted: int
    """How many people of earlier releases were accepted to be among fewer than k."""
    classes: str
    """The digest of the file that knows who was in which class."""
    previous: str
    """The digest of the release before, or the name of the register."""
    forgotten: str | None = None
    """When the classes were removed."""

    @property
    def digest(self) -> str:
        """The digest of what was written when the release was made."""
        return digest_of(
            json.dumps(self.model_dump(exclude={"forgotten"}), sort_keys=True).encode()
        )

    @property
    def file(self) -> str:
        """Where its classes are, in the register."""
        return f"{RELEASES}/{self.number:04}.npy"


class Index(BaseModel):
    """All releases of a register."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    version: int
    id: str
    """A random name, which also keeps the digests of two registers apart."""
    key: str
    """The name of the steward's key."""
    begun: str
    releases: list[RegisterEntry] = []
    seal: str = ""

    @property
    def sealed(self) -> bytes:
        """What the seal is of."""
        return json.dumps(self.model_dump(exclude={"seal"}), sort_keys=True).encode()


@dataclass(frozen=True, eq=False)
class Register:
    """A register as it was read: nothing of it is missing or changed."""

    path: Path
    index: Index

    @staticmethod
    def begin(path: str | Path, day: str) -> Register:
        """Make a new register; a ReleaseError if something is there."""
        path = Path(path)
        check_path(path)
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise ReleaseError(
                f"{path}: a register begins in a new folder, and there is something; name another."
            )
        name = secrets.token_hex(16)
        key = keyed_digest("key", b"")[:16]  # made now, if there was none
        (path / RELEASES).mkdir(parents=True)
        for folder in (path, path / RELEASES):
            folder.chmod(0o700)
        register = Register(path, Index(version=1, id=name, key=key, begun=day))
        register.write()
        return register

    @staticmethod
    def read(path: str | Path) -> Register:
        """Read a register with all its files, or say in a sentence what is wrong with it."""
        path = Path(path)
        index = read_index(path)
        register = Register(path, index)
        for entry in register.known:
            register.people(entry)
        return register

    @property
    def releases(self) -> Sequence[RegisterEntry]:
        """The releases, the first one first."""
        return self.index.releases

    @property
    def known(self) -> list[RegisterEntry]:
        """The releases that are not forgotten."""
        return [entry for entry in self.releases if entry.forgotten is None]

    @property
    def head(self) -> str:
        """The digest of the last release, or the name of the register."""
        return self.releases[-1].digest if self.releases else self.index.id

    @cached_property
    def files(self) -> dict[int, Released]:
        """What was read of the releases."""
        return {}

    def people(self, entry: RegisterEntry) -> Released:
        """Return who was in which class of a release."""
        if entry.number not in self.files:
            self.files[entry.number] = read_people(self.path / entry.file, entry.classes)
        return self.files[entry.number]

    def persons(self, ids: Sequence[str]) -> NDArray[Any]:
        """Return the keyed digests of some ids."""
        purpose = f"{SEAL} {self.index.id}"
        digests = keyed_digests(purpose, (each.encode() for each in ids))
        return np.frombuffer(b"".join(each[:16] for each in digests), PERSON)

    def write(self) -> None:
        """Write the list of releases, sealed."""
        index = self.index.model_copy(update={"seal": keyed_digest(SEAL, self.index.sealed)})
        text = json.dumps(index.model_dump(), indent=2) + "\n"
        replace_file(self.path / INDEX, text.encode(), private=True)

    def with_releases(self, releases: Sequence[RegisterEntry]) -> Register:
        """Return the register with other releases."""
        return Register(self.path, self.index.model_copy(update={"releases": [*releases]}))

    def add(
        self, ids: Sequence[str], classes: NDArray[np.integer], described: dict[str, Any]
    ) -> Callable[[], None]:
        """Add a release: its people with their classes, and all else that an entry says.

        Refused if the register is not as it was when it was read. Returns what takes the release back.
        """
        people = np.empty(len(ids), ENTRY)
        people["person"], people["class"] = self.persons(ids), classes
        content = bytes_of(np.sort(people))  # their order in the table would be a key
        with alone_in(self.path / RELEASES):
            now = Register(self.path, read_index(self.path))
            if now.head != self.head:
                raise ReleaseError(
                    f"{self.path}: another release came into the register since it was read, and this "
                    "one does not know it; run again."
                )
            entry = RegisterEntry(
                number=len(now.releases) + 1,
                people=len(ids),
                classes=digest_of(content),
                previous=now.head,
                **described,
            )
            replace_file(self.path / entry.file, content, private=True)
            now.with_releases([*now.releases, entry]).write()
        return lambda: self.take_back(entry)

    def take_back(self, entry: RegisterEntry) -> None:
        """Remove a release that was not made in the end, if it is the last one."""
        with alone_in(self.path / RELEASES):
            now = Register(self.path, read_index(self.path))
            if now.releases and now.releases[-1].digest == entry.digest:
                now.with_releases(now.releases[:-1]).write()
                (self.path / entry.file).unlink(missing_ok=True)

    def forget(self, number: int, day: str) -> Register:
        """Remove who was in which class of a release; that there was one stays."""
        with alone_in(self.path / RELEASES):
            now = Register(self.path, read_index(self.path))
            entry = now.entry(number)
            if entry.forgotten is not None:
                raise ReleaseError(
                    f"{self.path}: release {number} was forgotten on {entry.forgotten} already."
                )
            gone = entry.model_copy(update={"forgotten": day})
            left = now.with_releases([gone if e is entry else e for e in now.releases])
            left.write()
            (self.path / entry.file).unlink(missing_ok=True)
        return left

    def entry(self, number: int) -> RegisterEntry:
        """Return a release by its number."""
        if not 1 <= number <= len(self.releases):
            raise ReleaseError(
                f"{self.path}: there is no release {number}; the register has {len(self.releases)}."
            )
        return self.releases[number - 1]

    def upto(self, releases: int) -> Register:
        """Return the register as it was after so many releases, but for what was forgotten since."""
        return self.with_releases(self.releases[:releases])


def read_index(path: Path) -> Index:
    """Read the list of releases, and check its seal and how each follows from the one before."""
    file = path / INDEX
    try:
        index = Index.model_validate(json.loads(file.read_text(encoding="utf-8")))
    except (FileNotFoundError, NotADirectoryError):
        raise ReleaseError(
            f"{path}: there is no register; `anonymizer register begin {path}` begins one. One that is "
            "lost is not made again from its releases: put back a copy of it."
        ) from None
    except OSError as error:
        raise ReleaseError(
            f"{file}: the register cannot be read ({error.strerror or error})."
        ) from None
    except (ValueError, ValidationError):
        raise damaged(file, "it is not what was written") from None
    if index.key != key_name():
        raise ReleaseError(
            f"{path}: the register was begun with the key {index.key}, which is not on this machine; "
            "name the folder that has it in ANONYMIZER_STATE."
        )
    if not is_digest(index.seal, SEAL, index.sealed):
        raise damaged(file, "its seal does not hold")
    previous = index.id
    for number, entry in enumerate(index.releases, 1):
        if entry.number != number or entry.previous != previous:
            raise damaged(file, f"release {number} does not follow from the one before")
        previous = entry.digest
    return index


def read_people(file: Path, digest: str) -> Released:
    """Read who was in which class of a release."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise damaged(file, f"it cannot be read ({error.strerror or error})") from None
    if digest_of(content) != digest:
        raise damaged(file, "it is not what was written")
    found: Released = np.load(io.BytesIO(content), allow_pickle=False)
    return found


def damaged(file: Path, why: str) -> ReleaseError:
    """Say that a register cannot be relied on."""
    return ReleaseError(
        f"{file}: the register is damaged: {why}. Put back a copy of the whole folder; without it "
        "nothing is released."
    )


def digest_of(content: bytes) -> str:
    """Return the SHA-256 digest of some content."""
    return hashlib.sha256(content).hexdigest()


def bytes_of(array: NDArray[Any]) -> bytes:
    """Return an array as a file holds it."""
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    return file.getvalue()
