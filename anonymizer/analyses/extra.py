"""The libraries that only some analyses need, imported when one asks for them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from anonymizer.errors import ReleaseError


def need(module: str, what: str) -> Any:
    """Import a module of the extra `evidence`, or say how to install it.

    >>> need("no_such_library", "a regression")
    Traceback (most recent call last):
    anonymizer.errors.ReleaseError: a regression needs no_such_library; install it with \
`pip install anonymizer[evidence]`.
    """
    try:
        return import_module(module)
    except ImportError:
        library = {"sklearn": "scikit-learn"}.get(module.split(".")[0], module.split(".")[0])
        raise ReleaseError(
            f"{what} needs {library}; install it with `pip install anonymizer[evidence]`."
        ) from None
