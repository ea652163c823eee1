"""Time, in group-bys, and memory."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd

STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def best_of(
    repeats: int, call: Callable[[], object], clock: Callable[[], float] = time.perf_counter
) -> float:
    """Return the shortest time of several calls, in seconds."""
    times = []
    for _ in range(repeats):
        started = clock()
        call()
        times.append(clock() - started)
    return min(times)


def group_by_seconds(frame: pd.DataFrame, clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the unit of time: one group-by of the raw table over all its columns, best of five."""
    columns = list(frame)
    return best_of(5, lambda: frame.groupby(columns, sort=False, observed=True).size(), clock)


def peak_bytes() -> int:
    """Return the largest resident size the process has had, since the last reset if that can be."""
    # Linux hands ru_maxrss on from the parent; the high-water mark is the process's own
    if STATUS.exists():
        lines = STATUS.read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def reset_peak() -> None:
    """Let the peak begin at what is resident now, where the system allows."""
    try:
        CLEAR.write_text("5")
    except OSError:
        return
