"""What a terminal shows."""

from __future__ import annotations

from typing import Any

from rich.console import Console


def on_terminal(renderable: Any, width: int = 10_000) -> str:
    """Return what a terminal of some width would show, without colours."""
    console = Console(width=width, color_system=None, force_terminal=False)
    with console.capture() as captured:
        console.print(renderable)
    return captured.get()
