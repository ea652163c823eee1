"""The command line, run in this process as a shell would."""

from __future__ import annotations

import pytest

from anonymizer.cli import main


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int | str:
    """Run a command; return its exit status, or what it says in place of one."""
    monkeypatch.setattr("sys.argv", ["anonymizer", *map(str, arguments)])
    with pytest.raises(SystemExit) as left:
        main()
    return left.value.code or 0
