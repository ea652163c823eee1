from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from anonymizer.errors import AnonymizerError, AnonymizerWarning
from anonymizer.studio.folder import WAY_IN, Folder
from anonymizer.studio.serve import Studio, bind, folder_for, way_in
from anonymizer.studio.session import Session


def test_the_folder_goes_with_what_is_opened():
    assert folder_for(None, Path("x")).path == Path("x")
    assert folder_for(None, None).path == Path("studio")
    assert folder_for(Path("a/people.csv"), None).path == Path("people-studio")
    assert folder_for(Path("a/policy.toml"), None).path == Path("a")
    assert folder_for(Path("a/mine.toml"), None).path == Path("a/mine-studio")


def test_only_this_machine_is_listened_on_and_a_port_that_is_taken_is_said():
    taken = bind(0)
    host, port = taken.getsockname()
    assert host == "127.0.0.1"
    with pytest.raises(AnonymizerError, match=f"--port {port}"):
        bind(port)
    taken.close()


RECORD = """#!{python}
import pathlib, sys
path = pathlib.Path(sys.argv[1].removeprefix("file://"))
seen = [*map(str, sys.argv[1:]), oct(path.stat().st_mode & 0o777), path.read_text()]
pathlib.Path({record!r}).write_text("\\n".join(seen))
"""


def test_the_browsers_command_line_does_not_tell_the_token(folder, tmp_path):
    browser, record = tmp_path / "browser", tmp_path / "record"
    browser.write_text(RECORD.format(python=sys.executable, record=str(record)))
    browser.chmod(0o700)
    command = [sys.executable, "-m", "anonymizer", "studio", folder / "policy.toml"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "BROWSER": str(browser)}
    )
    try:
        assert process.stdout is not None
        process.stdout.readline()
        address = process.stdout.readline().removeprefix("studio: ").strip()
        while not (record.exists() and record.stat().st_size):
            assert process.poll() is None
            time.sleep(0.05)
        asked, mode, *page = record.read_text().splitlines()
        assert asked == (folder / WAY_IN).as_uri()
        assert mode == "0o600"
        assert f"url={address}" in "".join(page)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        assert not (folder / WAY_IN).exists()
    finally:
        process.kill()
        process.communicate()


def test_the_way_in_leaves_no_folder_that_was_not_there(tmp_path):
    with way_in(Folder(tmp_path / "new" / "studio"), "http://127.0.0.1:1/?token=a") as way:
        assert Path(way.removeprefix("file://")).is_file()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_said_and_the_address_is_printed(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    studio = Studio(Session(Folder(tmp_path / "file" / "chosen")))
    monkeypatch.setattr(studio, "serve", studio.close)
    said: list[str] = []
    with pytest.warns(AnonymizerWarning, match="the browser is not opened; open the address"):
        studio.run(said.append)
    assert said == [studio.address]


def test_the_command_prints_its_address_answers_and_ends_with_ctrl_c(folder):
    command = [sys.executable, "-m", "anonymizer", "studio", folder / "policy.toml", "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == f"folder: {folder}\n"
        found = re.fullmatch(
            r"studio: (http://127\.0\.0\.1:(\d+))/\?token=(\S+)\n", process.stdout.readline()
        )
        assert found is not None
        address, port, token = found.groups()
        socket.create_connection(("127.0.0.1", int(port)), timeout=30).close()
        headers = {"x-anonymizer-token": token}
        events = urllib.request.Request(f"{address}/api/events", headers=headers)
        with urllib.request.urlopen(events, timeout=30) as stream:
            assert stream.readline() == b"event: state\n"
            state = json.loads(stream.readline().removeprefix(b"data: "))
            assert state["table"] == "patients.csv"
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=30)
        assert process.returncode == 0
        assert said == ""
    finally:
        process.kill()
