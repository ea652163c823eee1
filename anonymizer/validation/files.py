"""Reading TOML files, so that each kind of file fails with the same plain sentences."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from anonymizer.errors import AnonymizerError, PolicyError, shorten

T = TypeVar("T")


def read_toml(
    path: str | Path, kind: str, error: type[AnonymizerError] = PolicyError
) -> dict[str, Any]:
    """Return the keys of a file; an error says why it cannot be read.

    >>> read_toml("nowhere.toml", "policy")
    Traceback (most recent call last):
    anonymizer.errors.PolicyError: nowhere.toml: there is no such policy file; check the path.
    """
    try:
        # Windows editors put a byte order mark first
        return tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
    except IsADirectoryError:
        fault = f"this is a folder; name the {kind} file in it."
    except (FileNotFoundError, NotADirectoryError):
        fault = f"there is no such {kind} file; check the path."
    except OSError as failed:
        fault = f"the {kind} cannot be read ({failed.strerror or failed}); check the path."
    except UnicodeDecodeError:
        fault = f"the {kind} is not UTF-8 text; save it as UTF-8."
    except tomllib.TOMLDecodeError as invalid:
        fault = f"not valid TOML ({shorten(str(invalid), 120)}); fix that place."
    except RecursionError:
        fault = f"the {kind} is nested too deeply; write it with fewer brackets."
    except ValueError as invalid:  # a NUL in the path, or a number of thousands of digits
        fault = f"the {kind} cannot be read ({shorten(str(invalid), 120)}); fix that place."
    raise error(f"{shorten(str(path), 1000)}: {fault}")


def read_described(make: Callable[..., T], path: str | Path, kind: str) -> T:
    """Make what a TOML file describes; the message about its faults begins with the file's name."""
    keys = read_toml(path, kind)
    if "folder" in keys:  # what paths are relative to is where the file is
        raise PolicyError(f"{path}: folder: this key is unknown; remove it.")
    try:
        return make(**keys, folder=Path(path).parent)
    except PolicyError as error:
        raise PolicyError.defective(str(path), error.faults) from None
