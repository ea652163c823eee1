"""A server that dies in the middle: one sentence, and a table is released whole or not at all."""

from __future__ import annotations

import os
import random
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pandas as pd

from experiments.soak.failure import Failure, Found, OnCase, randomness
from experiments.soak.policies import POLICIES, Sketch
from experiments.soak.processes import command_line, environment
from experiments.soak.workspace import HIERARCHIES, draw_patients

PART = "servers"
COPIES = 150
"""The table is so many times as large as the workspace's, so that there is something to interrupt."""
HOW = ("immediate", "immediate", "fast")
"""How a server is stopped: as if it had crashed, or by ending its sessions."""
RELEASES = ('table = "released"', 'table = "released"\nurl = "duckdb://out.duckdb"')


class Server:
    """A PostgreSQL server of our own, that can be stopped and started again."""

    def __init__(self) -> None:
        self.programs = max(Path("/usr/lib/postgresql").glob("*/bin/initdb")).parent
        self.folder = Path(tempfile.mkdtemp(prefix="soak-postgres-"))
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self.data = self.folder / "data"
        self.do("initdb", "-D", self.data, "-A", "trust", "-U", "postgres", "--no-sync")
        self.start()

    @property
    def address(self) -> str:
        """Where it is."""
        return f"postgres://postgres@127.0.0.1:{self.port}/postgres"

    def do(self, program: str, *words: object) -> None:
        """Run a program of PostgreSQL as a user who may: that is not root."""
        user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        command = [*user, str(self.programs / program), *map(str, words)]
        subprocess.run(command, check=True, capture_output=True, cwd="/")

    def start(self) -> None:
        """Start it."""
        at = f"-F -p {self.port} -c listen_addresses=127.0.0.1"
        options = f"{at} -c unix_socket_directories={self.folder}"
        log = self.folder / "log"
        self.do("pg_ctl", "-D", self.data, "-w", "-l", log, "-o", options, "start")

    def stop(self, how: str) -> None:
        """Stop it."""
        self.do("pg_ctl", "-D", self.data, "-w", "-m", how, "stop")

    def rows(self, table: str) -> int | None:
        """Return how many rows a table has; None if there is none."""
        import psycopg

        with psycopg.connect(self.address) as connection:
            found = connection.execute("SELECT to_regclass(%s)", (table,)).fetchone()
            if found is None or found[0] is None:
                return None
            counted = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
            return None if counted is None else int(counted[0])

    def drop(self, table: str) -> None:
        """Remove a table, if it is there."""
        import psycopg

        with psycopg.connect(self.address) as connection:
            connection.execute(f"DROP TABLE IF EXISTS {table}")

    def fill(self, frame: pd.DataFrame) -> None:
        """Make the table of patients."""
        import psycopg

        with psycopg.connect(self.address) as connection:
            columns = ", ".join(f"{name} TEXT" for name in frame)
            connection.execute(f"CREATE TABLE patients ({columns})")
            with connection.cursor().copy("COPY patients FROM STDIN") as copy:
                for row in frame.itertuples(index=False):
                    copy.write_row(list(row))

    def close(self) -> None:
        """End it, with all that it has."""
        self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)


def soak_servers(cases: Iterable[int], seed: int, folder: Path, on_case: OnCase) -> Found:
    """Stop the server in the middle of so many runs; return what must not happen."""
    found, template = Found(), folder / "servers"
    server = Server()
    try:
        few = draw_patients(random.Random(f"{seed} servers"))
        many = pd.concat([few] * COPIES, ignore_index=True)
        server.fill(many.assign(patient=[f"P{row}" for row in range(len(many))]))
        seconds = prepare(template, server, folder / "state")
        for done, case in enumerate(cases, 1):
            faults, depth = try_case(case, seed, folder, server, seconds)
            found.note(*(Failure(PART, case, seed, fault) for fault in faults))
            found.depths["run", depth] += 1
            on_case(done, len(found.failures))
    finally:
        server.close()
    return found


def prepare(template: Path, server: Server, state: Path) -> float:
    """Write hierarchies and policies; return how long a run takes if nothing happens."""
    template.mkdir(parents=True, exist_ok=True)
    for name, text in HIERARCHIES.items():
        (template / name).write_text(text, encoding="utf-8")
    for number, release in enumerate(RELEASES):
        data = f'url = "{server.address}"\ntable = "patients"\nrows_are_people = true'
        sketch = Sketch(data, POLICIES["people"].models, release=release)
        (template / f"{number}.toml").write_text(sketch.text(), encoding="utf-8")
    for number in (1, 0):  # the first may compile
        started = time.monotonic()
        process = start(template, state, number)
        _, err = process.communicate()
        if process.returncode:
            raise RuntimeError(f"the run fails as it is: {err}")
        seconds = time.monotonic() - started
    server.drop("released")
    for left in ("out", "out.duckdb"):
        path = template / left
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    return seconds


def start(folder: Path, state: Path, number: int) -> subprocess.Popen[str]:
    """Start a run."""
    return subprocess.Popen(
        command_line(["run", f"{number}.toml", "--out", "out"]),
        cwd=folder,
        env=environment(state),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def try_case(
    case: int, seed: int, folder: Path, server: Server, seconds: float
) -> tuple[list[str], str]:
    """Stop the server at a random moment of a run; say what must not be, and how deep it got."""
    chance = randomness(seed, PART, case)
    number, how = chance.randrange(len(RELEASES)), chance.choice(HOW)
    here = folder / f"server-{case}"
    shutil.rmtree(here, ignore_errors=True)
    shutil.copytree(folder / "servers", here)
    moment = chance.uniform(0.3, 1.1) * seconds
    process = start(here, folder / "state", number)
    time.sleep(moment)
    server.stop(how)
    try:
        _, err = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        err = "it hangs."
    server.start()
    status = process.returncode
    faults = [*faults_of(status, err), *faults_of_table(here, server, number, status)]
    server.drop("released")
    title = f"{how} after {moment:.2f} s of {number}.toml (status {status})"
    if not faults or folder.name.startswith("soak-"):
        shutil.rmtree(here)
    return [f"{title}: {fault}" for fault in faults], "read" if status else "written"


def faults_of(status: int, err: str) -> Iterator[str]:
    """Say what is wrong with how a run ended."""
    lines: Sequence[str] = err.strip().splitlines()
    if "Traceback" in err or status not in (0, 1, 2):
        yield f"it ends badly: {err.strip()[-300:]}"
    elif status and (len(lines) != 1 or not lines[0].startswith("error: ") or lines[0][-1] != "."):
        yield f"this is not one sentence: {err[-300:]}"


def faults_of_table(here: Path, server: Server, number: int, status: int) -> Iterator[str]:
    """Say what of a release is there that must not be, or is not there."""
    if hidden := [path.name for path in here.rglob(".anonymizer-*")]:
        yield f"left behind: {hidden}"
    manifest = (here / "out" / "manifest.json").exists()
    if manifest != (status == 0):
        yield f"the manifest is {'there' if manifest else 'not there'}"
    released = server.rows("released")
    if number == 0 and released is not None and not manifest:
        yield f"a released table of {released} rows without its manifest"
    if number == 0 and manifest and not released:
        yield "a manifest without its table"
