from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.studio.history import History, StaleError


def opened(path: Path, text: str = "a = 1\n") -> History:
    path.write_text(text, encoding="utf-8")
    return History.open(path)


@given(steps=st.lists(st.sampled_from(["push", "undo", "redo"]), max_size=20))
def test_the_file_always_has_the_newest_text_and_undo_is_what_a_list_would_do(
    tmp_path_factory, steps
):
    history = opened(tmp_path_factory.mktemp("history") / "policy.toml")
    texts, at = ["a = 1\n"], 0
    for number, step in enumerate(steps):
        if step == "push":
            texts, at = [*texts[: at + 1], f"a = {number + 2}\n"], at + 1
            history.push(texts[-1], str(number))
        else:
            move = -1 if step == "undo" else 1
            assert history.move(move) == (0 <= at + move < len(texts))
            at = min(max(at + move, 0), len(texts) - 1)
        assert history.text == texts[at] == history.path.read_text(encoding="utf-8")


def test_every_step_counts_as_a_revision_and_an_older_one_is_stale(tmp_path):
    history = opened(tmp_path / "policy.toml")
    history.push("a = 2\n", "two")
    history.move(-1)
    assert history.revision == 3
    history.check(3)
    with pytest.raises(StaleError, match="changed meanwhile"):
        history.check(2)


def test_a_file_that_was_edited_is_taken_in_and_the_change_refused(tmp_path):
    history = opened(tmp_path / "policy.toml")
    history.path.write_text("a = 9\n", encoding="utf-8")
    with pytest.raises(StaleError):
        history.check(1)
    assert (history.text, history.label) == ("a = 9\n", "edited in the file")
    history.move(-1)
    assert history.path.read_text(encoding="utf-8") == "a = 1\n"


def test_a_file_that_is_gone_is_written_again(tmp_path):
    history = opened(tmp_path / "policy.toml")
    history.path.unlink()
    history.check(1)
    history.push("a = 2\n", "two")
    assert history.path.read_text(encoding="utf-8") == "a = 2\n"


def test_the_difference_has_the_lines_of_the_last_step(tmp_path):
    history = opened(tmp_path / "policy.toml", "a = 1\nb = 2\n")
    assert history.difference() == []
    history.push("a = 1\nb = 3\n", "three")
    assert history.difference() == ["-b = 2", "+b = 3"]
