"""What a call costs, in the process of a peer; nothing but the standard library is imported here."""

from __future__ import annotations

import json
import resource
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

STATUS = Path("/proc/self/status")


class OutOfTimeError(BaseException):
    """The processor time of this process is used up."""


def read_job() -> dict[str, Any]:
    """Read what to do, and let the limit on processor time end it with an exception."""
    signal.signal(signal.SIGXCPU, stop)
    job: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    return job


def stop(*_: object) -> None:
    """Say that time is up, once: the signal comes every second."""
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    raise OutOfTimeError


def measure(job: dict[str, Any], version: str, call: Callable[[], dict[str, Any]]) -> None:
    """Call, and write what came of it beside what it took."""
    started = time.process_time()
    try:
        said = call()
    except OutOfTimeError:
        said = {"status": "not finished"}
    except Exception as error:  # whatever a peer raises is its answer
        said = {"status": "refused", "said": f"{type(error).__name__}: {error}"}
    took = time.process_time() - started
    found = {"version": version, "cpu_seconds": took, "peak_mib": peak_mib(), **said}
    Path(job["answer"]).write_text(json.dumps(found), encoding="utf-8")


def peak_mib() -> float:
    """Return the largest resident size of this process; ru_maxrss may be that of its parent."""
    if STATUS.exists():
        lines = STATUS.read_text(encoding="utf-8").splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
