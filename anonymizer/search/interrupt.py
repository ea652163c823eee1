"""Ctrl-C as a question that is answered between two evaluations, when no box is in hand."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any, Self


class Interrupt:
    """Notes the first Ctrl-C; a second one interrupts at once, as usual.

    Outside the main thread Python delivers no signals, so there is nothing to note.
    """

    def __init__(self) -> None:
        self.asked = False
        self.previous: Any = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self.previous = signal.getsignal(signal.SIGINT)
            signal.signal(signal.SIGINT, self.note)
        return self

    def __exit__(self, *_: object) -> None:
        if self.previous is not None:
            signal.signal(signal.SIGINT, self.previous)

    def note(self, _signal: int, _frame: FrameType | None) -> None:
        """Remember the wish and let a second one through."""
        self.asked = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
