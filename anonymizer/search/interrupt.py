"""Ctrl-C as a request that is answered between two evaluations, so that nothing found is lost."""

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
        self.requested = False
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
        """Note the request and let a second one through."""
        self.requested = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
