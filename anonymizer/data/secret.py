"""The steward's secret key, and digests that only its holder can make or check.

The key stays with whoever runs the program: 32 random bytes in `key`, readable by that user alone, in
the folder that the environment variable ANONYMIZER_STATE names, or else `anonymizer` in $XDG_STATE_HOME
or in ~/.local/state. It is made when it is first needed. Never put it beside a release: who has it can
sign a checkpoint, and can guess a cell of the input from a keyed digest and all the other cells.
"""

from __future__ import annotations

import contextlib
import hmac
import os
import secrets
import tempfile
import warnings
from collections.abc import Iterable
from pathlib import Path

from anonymizer.data.table import Table
from anonymizer.errors import AnonymizerWarning, ReleaseError

KEY_BYTES = 32


def state_folder() -> Path:
    """Return the folder of what outlasts a run but belongs to no release."""
    if stated := os.environ.get("ANONYMIZER_STATE"):
        return Path(stated)
    if base := os.environ.get("XDG_STATE_HOME"):
        return Path(base) / "anonymizer"
    return Path.home() / ".local" / "state" / "anonymizer"


def secret_key() -> bytes:
    """Return the steward's key, made now if there is none yet."""
    key = read_key(make=True)
    assert key is not None
    return key


def read_key(make: bool = False) -> bytes | None:
    """Return the steward's key; where there is none yet, one that is made now, or None."""
    path = state_folder() / "key"
    try:
        if not path.exists():
            if not make:
                return None
            make_key(path)
        key = path.read_bytes()
    except OSError as error:
        raise ReleaseError(
            f"{path}: the key that signs digests and checkpoints cannot be written or read "
            f"({error.strerror or error}); name another folder in ANONYMIZER_STATE."
        ) from None
    if len(key) != KEY_BYTES:
        raise ReleaseError(f"{path}: this is not a key of {KEY_BYTES} bytes; remove the file.")
    return key


def make_key(path: Path) -> None:
    """Write a new key that appears whole or not at all; one that another run has just made stays."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with tempfile.NamedTemporaryFile(
        dir=path.parent, prefix=".key-"
    ) as file:  # for this user alone
        file.write(secrets.token_bytes(KEY_BYTES))
        file.flush()
        os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(file.name, path)


def keyed_digest(purpose: str, content: bytes) -> str:
    """Return the HMAC-SHA-256 of some content; digests for different purposes have nothing in common."""
    return keyed_digests(purpose, [content])[0].hex()


def keyed_digests(purpose: str, contents: Iterable[bytes]) -> list[bytes]:
    """Return the keyed digests of many contents, for one purpose, as bytes."""
    key, start = secret_key(), purpose.encode() + b"\0"
    return [hmac.digest(key, start + content, "sha256") for content in contents]


def is_digest(stated: object, purpose: str, content: bytes) -> bool:
    """Whether a digest is that of some content, made with this key."""
    made = keyed_digest(purpose, content)
    return isinstance(stated, str) and hmac.compare_digest(stated.encode(), made.encode())


def key_name() -> str | None:
    """Name this user's key without giving it away; None where there is none."""
    return None if read_key() is None else keyed_digest("key", b"")[:16]


def describe_input(table: Table) -> dict[str, str | None]:
    """Name an original by its file's name, its digest and the key that the digest is made with.

    From a digest without a key, someone who knows all but one cell could find that cell by trying.
    """
    name = Path(table.name).name
    try:
        return {"name": name, "hmac_sha256": digest_of_input(table), "key": key_name()}
    except ReleaseError as error:  # a release is not lost for want of a key
        message = f"the manifest has no digest of the original; {error}"
        warnings.warn(message, AnonymizerWarning, stacklevel=2)
        return {"name": name, "hmac_sha256": None, "key": None}


def digest_of_input(table: Table) -> str:
    """Return the digest of an original that only the holder of the steward's key can make."""
    return keyed_digest("input", table.digest().encode())
