"""python -m experiments.soak.worker: runs commands without starting Python anew, as lines of JSON ask.

A process that has imported the package takes a tenth of a second for a command instead of two. A command
with a limit of memory runs in a fork of this process: it has streams of its own, and ends as it does. In
comes {"arguments": [...], "folder": "...", "memory": ...}, out goes {"status": ..., "out": "...",
"err": "...", "depth": "..."}.
"""

from __future__ import annotations

import atexit

from anonymizer import __main__ as entry

atexit.register(entry.leave)  # the first to be registered is the last to be called

import contextlib  # noqa: E402
import functools  # noqa: E402
import gc  # noqa: E402
import io  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import resource  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
import traceback  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import typer.main  # noqa: E402

from anonymizer.cli import main as run_command  # noqa: E402
from experiments.soak import depth  # noqa: E402
from experiments.soak.processes import limit_time, status_of  # noqa: E402
from experiments.soak.workspace import write_workspace  # noqa: E402

CRASHED = 1
"""The status that Python ends with after a traceback."""
WARMING = (
    "init table.csv --out init",
    "run policy-k.toml --out k --explain",
    "run policy-sensitive.toml --out sensitive",
    "run policy-beta.toml --out beta",
    "run policy-average.toml --out average",
    "run policy-stata.toml --out stata",
    "run policy-spss.toml --out spss",
    "hierarchy import project.deid --out imported",
    "hierarchy suggest table.csv --out suggested",
    "hierarchy show zip.toml",
)
"""Commands that import, and load, what forked processes need."""


def serve() -> None:
    """Answer until the input ends; return, or raise what a command raises, in a forked process alone."""
    depth.watch()
    gc.set_threshold(entry.COLLECT_AFTER)
    typer.main.get_command = functools.cache(typer.main.get_command)  # a third of a short command
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    questions = os.fdopen(os.dup(0), encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    warm = False
    for line in questions:
        asked = json.loads(line)
        if asked["memory"] is None:
            answer = call(asked["arguments"], asked["folder"])
        else:
            if not warm:
                warm_up()
                warm = True
            with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
                noted, note = os.pipe()
                child = os.fork()
                if child == 0:
                    become(asked, out.fileno(), err.fileno(), note)
                    entry.main()
                    return
                os.close(note)
                answer = wait_for(child, noted, out, err)
        print(json.dumps(answer), file=answers, flush=True)


def call(arguments: list[str], folder: str) -> dict[str, object]:
    """Run one command here; what it writes past Python's streams goes nowhere."""
    os.chdir(folder)
    sys.argv = ["anonymizer", *arguments]
    out, err = io.StringIO(), io.StringIO()
    status = 0
    depth.reached.clear()
    limit_time()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            run_command()
        except SystemExit as left:
            status = left.code if isinstance(left.code, int) else int(left.code is not None)
        except BaseException:  # what a user would see as a traceback
            status = CRASHED
            traceback.print_exc()
    said = {"out": out.getvalue(), "err": err.getvalue()}
    return {"status": status, **said, "depth": depth.deepest(depth.reached)}


# --- forks ---


def warm_up() -> None:
    """Have at hand what forked processes need."""
    with tempfile.TemporaryDirectory(prefix="soak-warm-") as folder:
        write_workspace(Path(folder), 0)
        for words in WARMING:
            done = call(words.split(), folder)
            if done["status"]:
                raise RuntimeError(f"{words} fails: {done['err']}")
        os.chdir("/")
    gc.collect()
    gc.freeze()  # pages that nothing writes to stay shared


def become(asked: dict[str, Any], out: int, err: int, note: int) -> None:
    """Make a forked process what the command would have been started as."""
    os.dup2(out, 1)
    os.dup2(err, 2)
    os.chdir(asked["folder"])
    sys.argv = ["anonymizer", *asked["arguments"]]
    depth.note_to(note)
    entry.atexit = Registered()  # type: ignore[assignment]
    limit_time()
    resource.setrlimit(resource.RLIMIT_AS, (asked["memory"], asked["memory"]))


class Registered:
    """Stands in for `atexit`: what is to be called at the end has been registered before."""

    def register(self, function: object) -> None:
        """Do nothing."""


def wait_for(child: int, noted: int, out: Any, err: Any) -> dict[str, object]:
    """Wait for a forked process; return how it ended, what it said, and how far it got."""
    with os.fdopen(noted, "rb") as reached:
        got = reached.read()
    _, ended = os.waitpid(child, 0)
    said = {}
    for name, file in (("out", out), ("err", err)):
        file.seek(0)
        said[name] = file.read().decode("utf-8", "replace")
    status = status_of(os.waitstatus_to_exitcode(ended))
    return {"status": status, **said, "depth": depth.deepest(depth.DEPTHS[at] for at in got)}


if __name__ == "__main__":
    serve()
