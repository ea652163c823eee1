"""Frozen figures: how they are stored, compared and written anew.

`python -m tests.frozen` writes all of them. CONTRIBUTING.md says when that is allowed.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
VARIES = frozenset(
    {
        "anonymizer",  # the version
        "packages",  # theirs
        "versions",  # all of them, with a decision
        "hmac_sha256",  # a digest with the key of whoever runs the tests, and
        "key",  # its name
        "seconds",
    }
)
"""What differs from run to run, or from machine to machine."""
CLOSE = 1e-12
FITTED = 1e-9
"""For regressions: libraries of linear algebra differ in the last bits."""


def stored(name: str) -> Any:
    """Return the figures as they were frozen."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def store(name: str, figures: Any) -> None:
    """Freeze figures; lists of numbers and texts stand on one line."""
    text = json.dumps(steady(figures), indent=1, ensure_ascii=False, allow_nan=False)
    flat = re.sub(r"\[\n([^\[\]{}]*?)\n *\]", lambda m: f"[{' '.join(m[1].split())}]", text)
    assert json.loads(flat) == json.loads(text), name
    (FOLDER / f"{name}.json").write_text(flat + "\n", encoding="utf-8")


def steady(figures: Any) -> Any:
    """Return figures without what varies, as JSON has them."""
    return without_varying(json.loads(json.dumps(figures)))


def without_varying(figures: Any) -> Any:
    """Leave out what varies, at any depth."""
    if isinstance(figures, dict):
        return {key: without_varying(each) for key, each in figures.items() if key not in VARIES}
    return [without_varying(each) for each in figures] if isinstance(figures, list) else figures


def differences(before: Any, now: Any, where: str = "", close: float = CLOSE) -> Iterator[str]:
    """Name every place where figures are not what was frozen."""
    close = FITTED if where.endswith("evidence") else close
    if isinstance(before, dict) and isinstance(now, dict):
        for key in before.keys() | now.keys():
            yield from differences(before.get(key), now.get(key), f"{where}/{key}", close)
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for at, pair in enumerate(zip(before, now, strict=True)):
            yield from differences(*pair, f"{where}/{at}", close)
    elif not same(before, now, close):
        yield f"{where}: it was {before!r:.100}, and is {now!r:.100}"


def same(before: Any, now: Any, close: float) -> bool:
    """Whether two figures or texts agree; a number is not a truth value."""
    if isinstance(before, float) or isinstance(now, float):
        numbers = all(isinstance(x, int | float) and not isinstance(x, bool) for x in (before, now))
        return numbers and math.isclose(before, now, rel_tol=close, abs_tol=close)
    return type(before) is type(now) and before == now


def assert_frozen(name: str, now: Any) -> None:
    """Fail with the places where figures are not what was frozen."""
    found = sorted(differences(stored(name), steady(now)))
    more = f"\n... and {len(found) - 20} more" if len(found) > 20 else ""
    assert not found, "\n".join([f"tests/frozen/{name}.json:", *found[:20]]) + more
