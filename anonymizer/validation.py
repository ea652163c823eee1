"""Reading TOML files, so that each kind of file fails with the same plain sentences."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from anonymizer.errors import PolicyError


def read_toml(path: str | Path, kind: str) -> dict[str, Any]:
    """Return the keys of a file; a PolicyError says why it cannot be read.

    >>> read_toml("nowhere.toml", "policy")
    Traceback (most recent call last):
    anonymizer.errors.PolicyError: nowhere.toml: there is no such policy file.
    """
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (FileNotFoundError, IsADirectoryError):
        raise PolicyError(f"{path}: there is no such {kind} file.") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise PolicyError(f"{path}: the {kind} cannot be read ({reason}).") from None
    except UnicodeDecodeError:
        raise PolicyError(f"{path}: the {kind} is not UTF-8 text; save it as UTF-8.") from None
    except tomllib.TOMLDecodeError as error:
        raise PolicyError(f"{path}: not valid TOML ({error}); mend that place.") from None
