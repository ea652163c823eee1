from __future__ import annotations

import shlex

from anonymizer.cli import app
from anonymizer.solution.manifest import read_manifest
from anonymizer.studio.commands import commands_for


def test_what_can_be_copied_does_what_the_studio_does(studio, run):
    session = studio.session
    commands = commands_for(session.folder, session.engine.table)
    found = {each["title"]: each for each in commands}
    status, _, _ = run(*shlex.split(found["Find the optimum and write the release"]["shell"])[1:])
    assert status == 0
    manifest = read_manifest(session.folder.release / "manifest.json")
    assert manifest["scheme"] == session.solution().scheme
    status, _, _ = run(*shlex.split(found["Verify the release"]["shell"])[1:])
    assert status == 0
    for each in commands:
        names: dict[str, object] = {}
        exec(each["python"], names)
        assert len(names) > 1
    known = {command.name or command.callback.__name__ for command in app.registered_commands}
    assert {shlex.split(each["shell"])[1] for each in commands} <= known
