"""The command's own start and end: an interrupt is never lost, and never a traceback."""

import signal
import subprocess
import sys

import pytest

PREPARE = """
import signal, sys
import anonymizer.cli
from anonymizer.__main__ import main

class Interrupted:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)

class Failed:
    def __del__(self):
        raise ValueError("a destructor")
"""


TOO_LONG = 45
"""Seconds after which a command was not interrupted."""


def run_command(body: str) -> subprocess.CompletedProcess[str]:
    """Run the command with this in place of all that it does."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    program = f"{PREPARE}\ndef run():\n{lines}\n\nanonymizer.cli.main = run\nmain()\n"
    command = [sys.executable, "-c", program]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=TOO_LONG, preexec_fn=heed_interrupts
    )


def heed_interrupts() -> None:
    """A command of a background job inherits that interrupts are ignored; here it must not."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.parametrize(
    "body",
    [
        "signal.raise_signal(signal.SIGINT)",
        "import time\nInterrupted()\ntime.sleep(600)",
        "try:\n    sys.exit(0)\nfinally:\n    signal.raise_signal(signal.SIGINT)",
    ],
    ids=["plain", "in a destructor, before a call that waits", "at the end"],
)
def test_an_interrupt_ends_the_command_with_one_sentence(body: str) -> None:
    ended = run_command(body)
    assert (ended.returncode, ended.stderr) == (130, "error: interrupted.\n")


def test_an_interrupt_when_all_is_done_changes_nothing() -> None:
    ended = run_command("import atexit\natexit.register(Interrupted)\nsys.exit(0)")
    assert (ended.returncode, ended.stderr) == (0, "")


def test_another_error_in_a_destructor_is_still_shown() -> None:
    ended = run_command("Failed()")
    assert ended.returncode == 0
    assert "a destructor" in ended.stderr


AHEAD = """
import time
import pyarrow
from pyarrow import csv

class Slow:
    closed, blocks = False, 0

    def read(self, size=-1):
        self.blocks += 1
        time.sleep(0.3 * (self.blocks > 1))
        return b"a,b\\n" + b"1,2\\n" * 1000 * (self.blocks < 90)

sys.reader = csv.open_csv(pyarrow.PythonFile(Slow(), mode="r"), csv.ReadOptions(block_size=1000))
"""


@pytest.mark.parametrize("status", [0, 2])
def test_a_file_that_is_still_read_ahead_does_not_abort_the_process(status: int) -> None:
    cleaned = "import atexit\natexit.register(print, 'cleaned up')\n"
    ended = run_command(f"{AHEAD}{cleaned}print('all')\nsys.exit({status})")
    assert (ended.returncode, ended.stdout, ended.stderr) == (status, "all\ncleaned up\n", "")


def test_an_error_of_the_program_itself_is_still_shown_with_status_1() -> None:
    ended = run_command("raise ZeroDivisionError")
    assert ended.returncode == 1
    assert "ZeroDivisionError" in ended.stderr
