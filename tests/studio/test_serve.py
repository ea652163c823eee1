from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from anonymizer.errors import AnonymizerError
from anonymizer.studio.serve import bind, folder_for


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
