"""Commands in processes of their own: one that is used again and again, or a new one each time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120.0
"""What takes longer, of a processor's time, is called a hang."""
PATIENCE = 900.0
"""So is what takes longer by the clock, on however busy a machine."""
HUNG = -2
"""The status of a command that was ended because it took too long."""


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    status: int
    out: str
    err: str
    depth: str = "door"
    """How far it got, where that can be told from outside."""


def environment(state: Path) -> dict[str, str]:
    """Return the environment of a command: this checkout, and a folder for its keys."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "ANONYMIZER_STATE": str(state)}


def command_line(arguments: list[str]) -> list[str]:
    """Return the words that run a command in a new process."""
    return [sys.executable, "-m", "anonymizer", *arguments]


def call(arguments: list[str], folder: Path, state: Path, memory: int | None = None) -> Ended:
    """Run a command in a new process, which may take so many bytes of memory."""
    limit = () if memory is None else ("prlimit", f"--as={memory}")
    try:
        ended = subprocess.run(
            [*limit, *command_line(arguments)],
            cwd=folder,
            env=environment(state),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Ended(HUNG, "", "")
    return Ended(ended.returncode, ended.stdout, ended.stderr)


class Watch(threading.Thread):
    """Ends a process that takes too long over one command."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        super().__init__(daemon=True)
        self.process = process
        self.over = threading.Event()
        self.hung = False
        self.before = processor_time(process.pid)

    def run(self) -> None:
        """Look at it every second until the command is over."""
        started = time.monotonic()
        while not self.over.wait(1.0):
            used = processor_time(self.process.pid) - self.before
            if used > SECONDS or time.monotonic() - started > PATIENCE:
                self.hung = True
                self.process.kill()
                return


def processor_time(process: int) -> float:
    """Return the seconds that a process has computed for, all threads together."""
    try:
        line = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except OSError:
        return 0.0
    user, system = line.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


class Worker:
    """A process that runs one command after the other; a new one takes its place when it dies."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self.process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None

    def running(self) -> subprocess.Popen[str]:
        """Return the process, started if there is none."""
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "experiments.soak.worker"],
                cwd=ROOT,
                env=environment(self.state),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        return self.process

    def call(self, arguments: list[str], folder: Path) -> Ended:
        """Run a command in a folder."""
        process = self.running()
        assert process.stdin is not None
        assert process.stdout is not None
        watch = Watch(process)
        watch.start()
        try:
            asked = {"arguments": arguments, "folder": str(folder)}
            process.stdin.write(json.dumps(asked) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        finally:
            watch.over.set()
        if line:
            return Ended(**json.loads(line))
        status = process.wait()
        self.stop()
        return Ended(HUNG if watch.hung else status, "", "the process died")
