"""Addresses of databases: what of them may be shown, and that no password is among them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

PASSWORD = (
    "the address holds a password; remove it, and leave it to the environment (PGPASSWORD, ~/.pgpass) "
    "or to the engine's own configuration"
)
SECRET_KEYS = ("password", "passwd", "pwd", "token", "secret", "key", "credential", "sslpassword")


@dataclass(frozen=True, slots=True)
class Address:
    """Where a database is; its text tells neither who asks nor how."""

    url: str = field(repr=False)

    def __str__(self) -> str:
        return describe_address(self.url)


def holds_secret(url: str) -> bool:
    """Whether an address holds a password, a token or the like.

    >>> holds_secret("postgres://ann:pw@host/db"), holds_secret("postgres://ann@host/db")
    (True, False)
    """
    parts = urlsplit(url)
    named = [name.lower() for name, _ in parse_qsl(parts.query, keep_blank_values=True)]
    return parts.password is not None or any(
        secret in name for name in named for secret in SECRET_KEYS
    )


def describe_address(url: str) -> str:
    """Return an address without who asks and how.

    >>> describe_address("postgres://ann@host:5432/db?sslmode=require")
    'postgres://host:5432/db'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


Where = Path | Address | None
"""Another database, DuckDB's by its path; None is the one that the original is in."""
DUCKDB = "duckdb://"
"""How the address of a DuckDB database begins."""


def locate(url: str | None, folder: Path) -> Where:
    """Return where a release goes; the path of a DuckDB database is relative to a folder.

    >>> locate("duckdb://released.duckdb", Path("/data"))
    PosixPath('/data/released.duckdb')
    """
    if url is None:
        return None
    return folder / url.removeprefix(DUCKDB) if url.startswith(DUCKDB) else Address(url)
