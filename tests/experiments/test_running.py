"""What an experiment wrote, and the commit of the code that wrote it."""

from __future__ import annotations

from pathlib import Path

import pytest

from anonymizer.errors import DataError
from experiments import running
from experiments.datasets import RESULTS


def test_what_is_written_is_listed_with_its_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "RESULTS", tmp_path)
    monkeypatch.setattr(running, "state_of_code", lambda: ("abc", "2"))
    folder = tmp_path / "one"
    folder.mkdir()
    running.run_main(lambda: (folder / "b.csv").write_text("b"), "one")
    (folder / "old.csv").write_text("old")
    running.record(folder, {"old.csv": ("123", "0")})
    (folder / "b.csv").unlink()
    running.run_main(lambda: None, "one")
    running.run_main(lambda: (folder / "a.csv").write_text("a"), "one")
    assert running.recorded(folder)["a.csv"] == ("abc", "2")
    assert set(running.recorded(folder)) == {"a.csv", "old.csv"}


def test_a_mistake_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    def main() -> None:
        raise DataError("no data is at hand.")

    with pytest.raises(SystemExit) as left:
        running.run_main(main, "none")
    assert left.value.code == 2
    assert capsys.readouterr().err == "error: no data is at hand.\n"


@pytest.mark.parametrize("folder", sorted(path.name for path in RESULTS.iterdir()))
def test_every_result_is_of_a_commit_of_this_history(folder: str) -> None:
    if not running.git("rev-parse", "HEAD"):
        pytest.skip("this is no repository")
    tracked = running.git("ls-files", str(RESULTS / folder)).split("\n")
    files = {Path(path).name for path in tracked} - {running.COMMITS}
    known = running.recorded(RESULTS / folder)
    assert files <= set(known), "run `python -m experiments.running`"
    if running.git("rev-parse", "--is-shallow-repository") == "true":
        pytest.skip("the history is not here")
    for commit in {row[0] for row in known.values()}:
        base = running.git("merge-base", commit, "HEAD")
        assert base.startswith(commit), f"{commit}: not in the history of HEAD"
