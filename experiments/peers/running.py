"""A driver, run as a process with a limit on its processor time."""

from __future__ import annotations

import json
import resource
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.peers.environments import Environment

GRACE = 60
"""Seconds in which a driver that is out of time says so."""


def run_driver(
    environment: Environment, job: Mapping[str, Any], folder: Path, seconds: int, part: str = ""
) -> dict[str, Any]:
    """Run a job and read its answer; `seconds` are of the processor."""
    asked, answer = folder / "job.json", folder / "answer.json"
    answer.unlink(missing_ok=True)
    asked.write_text(json.dumps({**job, "answer": str(answer)}), encoding="utf-8")

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + GRACE))

    done = subprocess.run(
        [str(environment.python), str(environment.driver(part)), str(asked)],
        capture_output=True, text=True, check=False, preexec_fn=limit, env=environment.variables,
    )  # fmt: skip
    if not answer.exists():
        lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        return {"status": "failed", "said": lines[-1]}
    found: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
    return found
