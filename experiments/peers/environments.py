"""An environment for each peer, outside of the repository."""

from __future__ import annotations

import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

from experiments.datasets import ROOT

PEERS = {"openmed": "3.1.0", "anjana": "1.2.3", "pycanon": "1.3.6"}
"""What is installed, and the version that the page is about."""
DRIVERS = Path(__file__).parent / "drivers"


@dataclass(frozen=True, slots=True)
class Environment:
    """A peer that can be run, or the sentence why it cannot."""

    name: str
    python: Path | None
    why: str = ""

    def driver(self, part: str = "") -> Path:
        """Return a script that runs in it."""
        return DRIVERS / f"run_{self.name}{part}.py"

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables of a run: nothing of this process leaks into a peer."""
        ours = {"PYTHONPATH": str(ROOT)} if self.name == "anonymizer" else {}
        return {"PATH": "/usr/bin:/bin", "HOME": str(Path.home()), **ours}


def ourselves() -> Environment:
    """Return the environment of this process."""
    return Environment("anonymizer", Path(sys.executable))


def install(name: str, work: Path) -> Environment:
    """Make an environment with a peer in it, unless it is there."""
    folder, wanted = work / name, f"{name}=={PEERS[name]}"
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    done = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wanted],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        return Environment(name, None, f"`pip install {wanted}` failed: {last_error(done.stderr)}")
    return Environment(name, python)


def last_error(text: str) -> str:
    """Return the last line of pip that is an error.

    >>> last_error("WARNING: slow\\nERROR: No matching distribution found for x==1\\nnotice: new pip")
    'No matching distribution found for x==1'
    """
    lines = [line.removeprefix("ERROR: ") for line in text.splitlines() if "ERROR" in line]
    return (lines or ["it gave no reason"])[-1].strip()
