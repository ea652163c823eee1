"""Commands in a process that is used again and again, in forks of it, or in a new one each time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120
"""What takes longer, of a processor's time, is called a hang."""
PATIENCE = 900
"""So is what takes longer by the clock, on however busy a machine."""
HUNG = -2
"""The status of a command that was ended because it took too long."""
SMALL = {"OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
"""So that the address space of a process that has imported all is that of a new one."""
OUT_OF_TIME = (-signal.SIGPROF, -signal.SIGALRM)


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


def limit_time() -> None:
    """Have the system end this process when it has computed, or lasted, too long from now on."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    signal.alarm(PATIENCE)


def status_of(status: int) -> int:
    """Return the status of a process; HUNG, if its time was over."""
    return HUNG if status in OUT_OF_TIME else status


def call(arguments: list[str], folder: Path, state: Path, memory: int | None = None) -> Ended:
    """Run a command in a new process, which may take so many bytes of memory."""
    limit = () if memory is None else ("prlimit", f"--as={memory}")
    ended = subprocess.run(
        [*limit, *command_line(arguments)],
        cwd=folder,
        env=environment(state),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        preexec_fn=limit_time,  # there is one thread
    )
    return Ended(status_of(ended.returncode), ended.stdout, ended.stderr)


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
        """Let the process end, and clean up, since nothing more is asked."""
        if self.process is not None:
            self.process.communicate()
            self.process = None

    def running(self) -> subprocess.Popen[str]:
        """Return the process, started if there is none."""
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "experiments.soak.worker"],
                cwd=ROOT,
                env={**environment(self.state), **SMALL},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        return self.process

    def call(self, arguments: list[str], folder: Path, memory: int | None = None) -> Ended:
        """Run a command in a folder, in a process of its own where its memory is limited."""
        process = self.running()
        assert process.stdin is not None
        assert process.stdout is not None
        asked = {"arguments": arguments, "folder": str(folder), "memory": memory}
        process.stdin.write(json.dumps(asked) + "\n")
        process.stdin.flush()
        if line := process.stdout.readline():
            return Ended(**json.loads(line))
        status = process.wait()
        self.stop()
        return Ended(status_of(status), "", "the process died")
