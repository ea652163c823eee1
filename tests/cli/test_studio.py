from __future__ import annotations

import sys

import pytest


def test_without_the_extra_one_sentence_says_what_to_install(run, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    status, out, error = run("studio")
    assert (status, out) == (2, "")
    assert error == (
        "error: the studio needs starlette and uvicorn; install them with pip install "
        "'anonymizer[studio]'.\n"
    )


@pytest.mark.parametrize("name", ["nowhere.csv", "nowhere.toml", "policy.toml"])
def test_a_file_that_is_not_there_is_one_sentence(run, monkeypatch, tmp_path, name):
    pytest.importorskip("uvicorn")
    monkeypatch.chdir(tmp_path)
    status, _, error = run("studio", name, "--no-browser")
    assert status == 2
    assert name in error
    assert list(tmp_path.iterdir()) == []
