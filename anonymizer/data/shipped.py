"""What comes with the package: hierarchies and scenarios."""

from __future__ import annotations

from pathlib import Path


def specs_folder() -> Path:
    """Return where the shipped hierarchies and scenarios are: in the package, or beside it."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "specs"
    return installed if installed.is_dir() else package.parent / "hierarchies"
