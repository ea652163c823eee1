"""Backends for tests, and models that end the worker they are evaluated in."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from anonymizer.risk import KAnonymity
from anonymizer.table.classes import EquivalenceClasses


@dataclass(frozen=True)
class KillsOnce(KAnonymity):
    """k-anonymity; the first worker that looks at its classes is killed as the system would kill it."""

    flag: str = ""
    """A file that is there once somebody was killed."""
    home: int = 0
    """The process that is spared."""

    def violating(self, classes: EquivalenceClasses) -> NDArray[np.bool_]:
        if os.getpid() != self.home:
            self.kill()
        return super().violating(classes)

    def kill(self) -> None:
        """End this process, if it is the first one."""
        try:
            os.close(os.open(self.flag, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGKILL)


LEFT = threading.Event()
"""Set once a test does not need anybody to wait any more."""


@dataclass(frozen=True)
class Waits(KAnonymity):
    """k-anonymity; a worker, which is a thread of this process, waits before it looks at its classes."""

    flag: str = ""
    """A file that is there once somebody waits."""

    def violating(self, classes: EquivalenceClasses) -> NDArray[np.bool_]:
        if threading.current_thread() is not threading.main_thread():
            Path(self.flag).touch()
            LEFT.wait(60)
        return super().violating(classes)


@contextmanager
def local_dask(workers: int = 2, processes: bool = True) -> Iterator[Any]:
    """Start Dask on this machine, or skip the test and say so; yield its client."""
    distributed = pytest.importorskip(
        "distributed", reason="dask and distributed are not installed"
    )
    with (
        distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=processes,
            dashboard_address="127.0.0.1:0",
            silence_logs=50,  # of workers that are killed
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client
