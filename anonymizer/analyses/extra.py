"""The libraries that only some analyses need, imported when one asks for them."""

from __future__ import annotations

from typing import Any

from anonymizer.errors import ReleaseError, import_extra


def need(module: str, what: str) -> Any:
    """Import a module of the extra `evidence`, or say how to install it."""
    return import_extra(module, what, "evidence", ReleaseError)
