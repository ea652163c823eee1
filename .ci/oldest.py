"""Print constraints that pin every dependency to the oldest version that pyproject.toml allows."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
LOWER_BOUND = re.compile(r"([A-Za-z0-9_.-]+)(?:\[\w+\])?>=([\d.]+)")


def main() -> None:
    """Print one line for each dependency of the package and of its tests."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    for requirement in [*project["dependencies"], *extras["plot"], *extras["test"]]:
        if found := LOWER_BOUND.match(requirement):
            print(f"{found[1]}=={found[2]}")


if __name__ == "__main__":
    main()
