"""python -m experiments.soak.worker: runs commands in one process, one line of JSON for each.

A process that has imported the package takes some milliseconds for a command instead of a second. In
comes {"arguments": [...], "folder": "..."}, out goes {"status": ..., "out": "...", "err": "...",
"depth": "..."}.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import traceback

from anonymizer.__main__ import main
from experiments.soak import depth

CRASHED = -1
"""The status of a command that ended with anything but an exit status."""


def call(arguments: list[str], folder: str) -> dict[str, object]:
    """Run one command in a folder."""
    os.chdir(folder)
    sys.argv = ["anonymizer", *arguments]
    out, err = io.StringIO(), io.StringIO()
    status = 0
    depth.reached.clear()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as left:
            status = left.code if isinstance(left.code, int) else int(left.code is not None)
        except BaseException:  # what a user would see as a traceback
            status = CRASHED
            traceback.print_exc()
    said = {"out": out.getvalue(), "err": err.getvalue()}
    return {"status": status, **said, "depth": depth.deepest(depth.reached)}


def serve() -> None:
    """Answer until the input ends; what a command writes past Python's streams goes nowhere."""
    depth.watch()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(call(asked["arguments"], asked["folder"])), file=answers, flush=True)


if __name__ == "__main__":
    serve()
