"""The command's own start and end: an interrupt is never lost, and never a traceback."""

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


def run_command(body: str) -> subprocess.CompletedProcess[str]:
    """Run the command with this in place of all that it does."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    program = f"{PREPARE}\ndef run():\n{lines}\n\nanonymizer.cli.main = run\nmain()\n"
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)


@pytest.mark.parametrize(
    "body",
    [
        "signal.raise_signal(signal.SIGINT)",
        "import time\nInterrupted()\ntime.sleep(60)",
        "try:\n    sys.exit(0)\nfinally:\n    signal.raise_signal(signal.SIGINT)",
    ],
    ids=["plain", "in a destructor", "at the end"],
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
