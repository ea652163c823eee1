"""python -m tests.mirror: which modules have no test file of their name, and which no test names."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def modules() -> list[Path]:
    """List the modules, from the package on."""
    found = sorted((ROOT / "anonymizer").rglob("*.py"))
    return [path.relative_to(ROOT / "anonymizer") for path in found if path.name[0] != "_"]


def without_mirror() -> list[Path]:
    """List the modules whose tests are not in a file of their name."""
    return [
        path
        for path in modules()
        if not (ROOT / "tests" / path.parent / f"test_{path.name}").exists()
    ]


def named_in_tests() -> set[str]:
    """List the modules that some test imports or patches."""
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py")]
    found = {name for text in texts for name in re.findall(r"anonymizer(?:\.\w+)+", text)}
    for text in texts:
        for module, names in re.findall(r"from (anonymizer[\w.]*) import \(?([\w, \n]*)", text):
            found |= {f"{module}.{name}" for name in re.findall(r"\w+", names)}
    return found


def main() -> None:
    missing, named = without_mirror(), named_in_tests()
    for path in missing:
        dotted = ".".join(("anonymizer", *path.with_suffix("").parts))
        print(path, "" if dotted in named else "(no test names it)")
    print(f"{len(missing)} of {len(modules())} modules have no test file of their name")


if __name__ == "__main__":
    main()
