"""Killed runs: a signal at a random moment leaves the old release or the new one, never half of it."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd

from experiments.soak.failure import Failure, Found, OnCase, randomness
from experiments.soak.inputs import Snapshot, snapshot
from experiments.soak.policies import POLICIES
from experiments.soak.processes import Worker, command_line, environment
from experiments.soak.workspace import HIERARCHIES, draw_patients

PART = "kills"
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
COPIES = 250
"""The table is so many times as large as the workspace's, so that there is something to interrupt."""
HIDDEN = ".anonymizer-"


def soak_kills(cases: Iterable[int], seed: int, folder: Path, on_case: OnCase) -> Found:
    """End so many runs; return what must not be."""
    template, found = folder / "kills", Found()
    with Worker(folder / "state") as worker:
        seconds = prepare(template, seed, worker)
        for done, case in enumerate(cases, 1):
            faults = list(try_case(case, seed, folder, seconds, worker))
            found.note(*(Failure(PART, case, seed, what) for what in faults))
            on_case(done, len(found.failures))
    return found


def prepare(template: Path, seed: int, worker: Worker) -> float:
    """Write a table, two policies and a release of the first; return how long the second takes."""
    if not template.exists():
        template.mkdir(parents=True)
        write_files(template, seed)
        worker.call(["run", "old.toml", "--out", "old"], template)
    scratch = template.parent / "kills-scratch"
    shutil.copytree(template, scratch, dirs_exist_ok=True)
    times = []
    for _ in range(2):  # the first may compile
        started = time.monotonic()
        start(scratch, template.parent / "state").communicate()
        times.append(time.monotonic() - started)
    if not list((scratch / "out").glob("release.csv")):
        raise RuntimeError("the run fails as it is")
    shutil.rmtree(scratch)
    return times[-1]


def write_files(folder: Path, seed: int) -> None:
    """Write what the runs read."""
    few = draw_patients(random.Random(f"{seed} kills"))
    many = pd.concat([few] * COPIES, ignore_index=True)
    many.assign(patient=[f"P{row}" for row in range(len(many))]).to_csv(
        folder / "table.csv", index=False
    )
    few.to_csv(folder / "few.csv", index=False)
    for name, text in HIERARCHIES.items():
        (folder / name).write_text(text, encoding="utf-8")
    new = POLICIES["k"].text()
    (folder / "new.toml").write_text(new, encoding="utf-8")
    (folder / "old.toml").write_text(new.replace("table.csv", "few.csv"), encoding="utf-8")


def start(folder: Path, state: Path) -> subprocess.Popen[str]:
    """Start the run that is to be ended."""
    return subprocess.Popen(
        command_line(["run", "new.toml", "--out", "out", "--explain"]),
        cwd=folder,
        env=environment(state),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def try_case(case: int, seed: int, folder: Path, seconds: float, worker: Worker) -> Iterator[str]:
    """End one run, look at what it left, run again, and look once more."""
    random = randomness(seed, PART, case)
    number, over_old = random.choice(SIGNALS), random.random() < 0.7
    here, state = folder / f"kill-{case}", folder / "state"
    if random.random() < 0.25:
        state = here / "state"  # no key yet
    shutil.copytree(folder / "kills", here, dirs_exist_ok=True)
    old = here / "out"
    if over_old:
        shutil.copytree(here / "old", old, dirs_exist_ok=True)
    before = snapshot(here)
    status, err, moment = end_run(here, state, number, random, seconds)
    title = f"{signal.Signals(number).name} after {moment:.2f} s (status {status})"
    faults = [
        *faults_after_signal(here, status, err, number, over_old),
        *faults_outside(before, snapshot(here)),
    ]
    again = worker.call(["run", "old.toml", "--out", "out"], here)
    faults += faults_after_next_run(here, again.status, again.err)
    yield from (f"{title}: {fault}" for fault in faults)
    if not faults or folder.name.startswith("soak-"):
        shutil.rmtree(here)


def end_run(
    here: Path, state: Path, number: int, random: random.Random, seconds: float
) -> tuple[int, str, float]:
    """Send a signal at a random moment: of the whole run, or once it has begun to write."""
    started = time.monotonic()
    process = start(here, state)
    if random.random() < 0.6:
        while process.poll() is None and not list(here.glob(f"out/{HIDDEN}*")):
            time.sleep(0.002)
        time.sleep(random.random() * seconds / 2)
    else:
        time.sleep(random.random() * seconds * 1.1)
    moment = time.monotonic() - started
    process.send_signal(number)
    _, err = process.communicate()
    return process.returncode, err, moment


def faults_after_signal(
    here: Path, status: int, err: str, number: int, over_old: bool
) -> Iterator[str]:
    """Say what an ended run left that it must not leave."""
    if "Traceback" in err and not ended_by_python(status, err):
        yield f"it ends in a traceback: {' / '.join(err.strip().splitlines())[-300:]}"
    if status not in (0, 1, 2, 130, -number):
        yield f"exit status {status}: {err[-300:]}"
    out = here / "out"
    hidden = [path.name for path in here.rglob(f"{HIDDEN}*")]
    if hidden and number != signal.SIGKILL:
        yield f"left behind: {hidden}"
    manifest, release = out / "manifest.json", out / "release.csv"
    if manifest.exists():
        claimed = json.loads(manifest.read_text(encoding="utf-8"))["output"]["sha256"]
        if hashlib.sha256(release.read_bytes()).hexdigest() != claimed:
            yield "the manifest is not that of the release"
    elif release.exists() and number != signal.SIGKILL:
        yield "a release without its manifest"
    if over_old and not release.exists():
        yield "the old release is gone and there is no new one"
    if status == 0 and not manifest.exists():
        yield "exit status 0, but there is no manifest"


def ended_by_python(status: int, err: str) -> bool:
    """Tell whether the interrupt came while Python itself was starting, before any of our code."""
    return status == -signal.SIGINT and "anonymizer/" not in err


def faults_outside(before: Snapshot, after: Snapshot) -> Iterator[str]:
    """Say which files outside the folder of the release changed; keys are made in `state`."""
    changed = {name for name, _ in before.items() ^ after.items()}
    if outside := [name for name in changed if name.split("/")[0] not in ("out", "state")]:
        yield f"files outside --out changed: {sorted(outside)[:5]}"


def faults_after_next_run(here: Path, status: int, err: str) -> Iterator[str]:
    """Say what is still left after another run into the same folder."""
    if status:
        yield f"the next run fails with status {status}: {err[-300:]}"
        return
    names = {path.name for path in (here / "out").iterdir()}
    if extra := names - {"release.csv", "manifest.json", "proof.json", "explanation.html"}:
        yield f"left behind after the next run: {sorted(extra)}"
    sealed = json.loads((here / "out" / "manifest.json").read_text(encoding="utf-8"))["output"]
    content = (here / "out" / "release.csv").read_bytes()
    if hashlib.sha256(content).hexdigest() != sealed["sha256"]:
        yield "the manifest of the next run is not that of its release"
