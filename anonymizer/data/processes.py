"""Processes that write files: who owns what, who is still alive, and what happens when one is ended."""

from __future__ import annotations

import os
import platform
import re
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that end a process unless it listens."""


# --- owners ---


def owner_mark() -> str:
    """Write down which process this is: its machine, its number, and when it was started."""
    return f"{machine()}-{os.getpid()}-{started(os.getpid()) or 0}"


def machine() -> str:
    """Name the machine, and the container: numbers of processes mean nothing in another."""
    try:
        space = re.sub(r"\D", "", os.readlink("/proc/self/ns/pid"))
    except OSError:
        space = ""
    return re.sub(r"[^\w.]", "_", f"{platform.node()}.{space}")


def started(process: int) -> int | None:
    """Return when a process was started, in ticks; None where that cannot be known, or it is dead."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else int(fields[19])


def belongs_to_the_dead(mark: str) -> bool:
    """Whether what bears a mark was left by a process that is no more; if in doubt, no."""
    found = re.match(r"(?P<machine>.*)-(?P<process>\d+)-(?P<started>\d+)-[^-]*$", mark)
    if found is None or found["machine"] != machine() or os.name == "nt":
        return False
    process = int(found["process"])
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    # another process may have got the number since
    return found["started"] not in ("0", str(started(process)))


# --- signals ---


class Signals:
    """Cleans up before a signal ends the process; a signal that comes at a bad time waits.

    Where somebody else listens already, it is left to them. Outside the main thread Python delivers no
    signals.
    """

    def __init__(self, clean_up: Callable[[], None]) -> None:
        self.clean_up = clean_up
        self.previous: dict[int, Any] = {}

    def catch(self) -> None:
        """Listen for signals from now on."""
        if threading.current_thread() is not threading.main_thread():
            return
        for number in ENDING:
            current = signal.getsignal(number)
            if current is signal.SIG_DFL or isinstance(getattr(current, "__self__", None), Signals):
                self.previous[number] = signal.signal(number, self.end)

    def release(self) -> None:
        """Listen no longer."""
        for number, handler in self.previous.items():
            signal.signal(number, handler)
        self.previous = {}

    def end(self, number: int, _frame: FrameType | None) -> None:
        """Clean up, and let the signal do what it would have done."""
        self.clean_up()
        signal.signal(number, self.previous[number])
        os.kill(os.getpid(), number)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Let signals wait until something that must not be interrupted is done."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        came: list[int] = []
        held = {number: signal.getsignal(number) for number in (signal.SIGINT, *ENDING)}
        held = {number: handler for number, handler in held.items() if handler is not None}
        for number in held:
            signal.signal(number, lambda number, _frame: came.append(number))
        try:
            yield
        finally:
            for number, handler in held.items():
                signal.signal(number, handler)
            for number in came:
                os.kill(os.getpid(), number)
