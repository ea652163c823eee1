"""Files appear together or not at all, whatever happens to the process that writes them."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from anonymizer.data.processes import machine
from anonymizer.data.staging import PREFIX, Staging, replace_file
from anonymizer.errors import DataError, ReleaseError
from tests.data.lossy_disk import TORN, LossyDisk

ROOT = Path(__file__).parents[2]
SECRET = "unreleased"


def hidden(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"{PREFIX}*"))


def contents(folder: Path) -> dict[str, str]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_text() for path in files}


def python(code: str, *arguments: object) -> subprocess.Popen[str]:
    """Run code in a process of its own, to be killed."""
    script = "import sys; sys.path.insert(0, sys.argv[1])\n" + textwrap.dedent(code)
    command = [sys.executable, "-c", script, str(ROOT), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=heed_signals)


def heed_signals() -> None:
    """Heed the signals that a shell has its background jobs ignore."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


# What appears, and what does not


def test_files_appear_together_when_all_is_done(tmp_path: Path) -> None:
    with Staging(tmp_path / "new" / "out") as staging:
        (staging.path("pages")).mkdir()
        staging.path("pages/a.txt").write_text("a")
        staging.path("b.txt").write_text("b")
        assert contents(tmp_path / "new" / "out").keys() == {
            f"{staging.staged.name}/pages/a.txt",
            f"{staging.staged.name}/b.txt",
        }
    assert contents(tmp_path / "new" / "out") == {"pages/a.txt": "a", "b.txt": "b"}


def test_a_failure_leaves_the_old_files_and_no_folder_that_was_not_there(tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_text("old")

    def fail(folder: Path) -> None:
        with Staging(folder) as staging:
            staging.path("old.txt").write_text("new")
            staging.remove("old.txt")
            raise ZeroDivisionError

    for folder in (tmp_path, tmp_path / "new" / "out"):
        with pytest.raises(ZeroDivisionError):
            fail(folder)
    assert contents(tmp_path) == {"old.txt": "old"}
    assert not (tmp_path / "new").exists()


def test_what_is_to_go_goes_when_all_is_done(tmp_path: Path) -> None:
    (tmp_path / "search.json").write_text("{}")
    with Staging(tmp_path) as staging:
        staging.remove("search.json")
        staging.remove("was never there")
        assert (tmp_path / "search.json").exists()
    assert contents(tmp_path) == {}


def test_a_seal_that_cannot_be_replaced_stays(tmp_path: Path) -> None:
    """A file that is in the way is found before anything is changed."""
    (tmp_path / "manifest.json").write_text("old")
    (tmp_path / "release").mkdir()

    def write() -> None:
        with Staging(tmp_path) as staging:
            staging.path("release").write_text("new")
            staging.seal("manifest.json").write_text("new")

    with pytest.raises(OSError, match="release"):
        write()
    assert contents(tmp_path) == {"manifest.json": "old"}


def test_a_file_that_is_read_is_never_overwritten(tmp_path: Path) -> None:
    data = tmp_path / "data.csv"
    with Staging(tmp_path, [data]) as staging:
        with pytest.raises(ReleaseError, match="this file is read by the run"):
            staging.path("data.csv")
        with pytest.raises(ReleaseError, match="this file is read by the run"):
            staging.seal("data.csv")


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ReleaseError, match=r"the folder cannot be written \(.*\); choose another"):
        Staging(tmp_path / "file" / "out").__enter__()
    with pytest.raises(DataError, match=r"'a\\x00b': a path cannot hold a NUL character"):
        Staging("a\0b")


# Who may read them


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_private_files_are_for_their_owner_and_others_as_the_umask_says(
    tmp_path: Path, umask: int
) -> None:
    (tmp_path / "risks.csv").write_text("old, and open to all")
    before = os.umask(umask)
    try:
        with Staging(tmp_path) as staging:
            staging.path("release.csv").write_text("release")
            staging.private("risks.csv").write_text("risks")
    finally:
        os.umask(before)
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert modes == {"release.csv": 0o666 & ~umask, "risks.csv": 0o600}


# Full disks, folders that cannot be written, power cuts, two runs at once

OLD = {"release.csv": "old release", "manifest.json": "old manifest", "page.html": "old page"}
NEW = {name: text.replace("old", "new") for name, text in OLD.items()}


def put_old(folder: Path) -> None:
    for name, text in {**OLD, "search.json": "{}"}.items():
        (folder / name).write_text(text)


def stage(staging: Staging, new: str = "new") -> None:
    staging.remove("search.json")
    staging.path("release.csv").write_text(f"{new} release")
    staging.path("page.html").write_text(f"{new} page")
    staging.seal("manifest.json").write_text(f"{new} manifest")


def write_new(folder: Path, new: str = "new") -> None:
    with Staging(folder) as staging:
        stage(staging, new)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EIO])
@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_disk_that_fails_before_anything_is_replaced_leaves_all_that_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, code: int
) -> None:
    put_old(tmp_path)

    def fail(*_: object) -> None:
        monkeypatch.undo()  # once: what is left to do can be done
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, call, fail)
    expected = ReleaseError if code == errno.ENOSPC else OSError
    with pytest.raises(expected, match=os.strerror(code)):
        write_new(tmp_path)
    assert contents(tmp_path) == {**OLD, "search.json": "{}"}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_is_one_sentence_and_leaves_all_that_was_there(tmp_path: Path) -> None:
    put_old(tmp_path)

    def write() -> None:
        with Staging(tmp_path) as staging:
            staging.path("release.csv").symlink_to("/dev/full")
            staging.path("release.csv").write_text("new")

    with pytest.raises(ReleaseError, match=r"there is no room .*; make some, or choose another"):
        write()
    assert contents(tmp_path) == {**OLD, "search.json": "{}"}


def test_a_table_that_was_written_elsewhere_goes_if_its_manifest_cannot_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken_back: list[str] = []

    def write() -> None:
        with Staging(tmp_path) as staging:
            staging.undo.append(lambda: taken_back.append("table"))
            staging.seal("manifest.json").write_text("new")

    write()
    assert taken_back == []

    def fail(*_: object) -> None:
        raise OSError(errno.EROFS, "read-only")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="read-only"):
        write()
    assert taken_back == ["table"]


def assert_sound(states: list[dict[str, str]]) -> None:
    """A release is whole, and beside it is its own manifest or none."""
    for state in states:
        assert TORN not in state.values()
        release = state["release.csv"]
        assert state.get("manifest.json") in (None, release.replace("release", "manifest"))


def test_a_power_cut_at_any_moment_leaves_a_release_with_its_own_manifest_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_old(tmp_path)
    disk = LossyDisk(tmp_path, monkeypatch)
    write_new(tmp_path)
    assert_sound(disk.states)
    assert {**OLD, "search.json": "{}"} in disk.states
    assert disk.possible() == [NEW]  # what is done stays done


def test_the_power_cut_would_tell_if_nothing_was_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_old(tmp_path)
    disk = LossyDisk(tmp_path, monkeypatch)
    monkeypatch.setattr("anonymizer.data.staging.sync", lambda _: None)
    write_new(tmp_path)
    with pytest.raises(AssertionError):
        assert_sound(disk.states)


def test_folders_that_are_new_are_on_the_disk_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = LossyDisk(tmp_path, monkeypatch)
    out = tmp_path / "new" / "out"
    with Staging(out) as staging:
        staging.path("pages").mkdir()
        staging.path("pages/a.txt").write_text("a")
    folders = (tmp_path, tmp_path / "new", out, out / "pages")
    assert {path.stat().st_ino for path in folders} <= disk.synced_folders


def test_a_single_file_is_the_old_one_or_the_new_one_after_a_power_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "policy.toml").write_text("old")
    disk = LossyDisk(tmp_path, monkeypatch)
    replace_file(tmp_path / "policy.toml", b"new")
    assert {state["policy.toml"] for state in disk.states} == {"old", "new"}
    assert disk.possible() == [{"policy.toml": "new"}]


def test_of_two_runs_into_one_folder_one_comes_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = threading.Thread(target=write_new, args=(tmp_path, "other"))
    real = os.replace

    def replace(old: Path, new: Path) -> None:
        real(old, new)
        if Path(new).name == "release.csv" and other.ident is None:
            other.start()
            other.join(0.5)  # it would be done by now if it did not wait

    monkeypatch.setattr(os, "replace", replace)
    write_new(tmp_path, "one")
    other.join()
    assert_sound([contents(tmp_path)])


# Killed

WRITES = """
    import os, sys
    from pathlib import Path
    from anonymizer.data.staging import Staging

    end, folders = int(sys.argv[2]), [Path(each) for each in sys.argv[3:]]

    def write(folder, number):
        seen = 0

        def count(event, arguments):
            nonlocal seen
            if event in ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "open", "os.scandir"):
                if str(folder) in str(arguments[0]):
                    seen += 1
                    if seen == number:
                        os.kill(os.getpid(), end)

        sys.addaudithook(count)
        with Staging(folder) as staging:
            staging.remove("search.json")
            staging.path("release.csv").write_text("new release")
            staging.path("page.html").write_text("new page")
            staging.seal("manifest.json").write_text("new manifest")

    for number, folder in enumerate(folders, start=1):
        if (child := os.fork()) == 0:
            write(folder, number)
            os._exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Writes a release over old ones, each in a process that is ended at the n-th thing it does there."""


def write_over_old(folders: Sequence[Path], end: int) -> list[int]:
    """Return how each process ended."""
    for folder in folders:
        folder.mkdir()
        put_old(folder)
    return [int(line) for line in python(WRITES, int(end), *folders).communicate()[0].split()]


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_a_release_never_stands_beside_the_manifest_of_another(tmp_path: Path, end: int) -> None:
    stages = set()
    folders = [tmp_path / f"at-{number:02}" for number in range(1, 60)]
    for folder, status in zip(folders, write_over_old(folders, end), strict=True):
        found = {
            name: text for name, text in contents(folder).items() if not name.startswith(PREFIX)
        }
        release, manifest = found["release.csv"], found.get("manifest.json")
        assert manifest in (None, release.replace("release", "manifest"))
        stages.add((release, manifest))
        if end == signal.SIGTERM:
            assert hidden(folder) == []
            assert found in ({**OLD, "search.json": "{}"}, NEW)
        if status == 0:
            break
        with Staging(folder):
            pass
        assert hidden(folder) == []
    assert status == 0, "there are more things to do than were tried"
    assert found == NEW
    assert folder > folders[10]
    if end == signal.SIGKILL:  # each of these moments was met
        assert ("old release", None) in stages
        assert ("new release", None) in stages
    assert {("old release", "old manifest"), ("new release", "new manifest")} <= stages


HOLDS = """
    import sys, time
    from anonymizer.data.staging import Staging

    with Staging(sys.argv[2]) as staging, Staging(sys.argv[3]) as beside:
        staging.path("release.csv").write_text("unreleased")
        beside.path("mapping.csv").write_text("unreleased")
        print("ready", flush=True)
        time.sleep(60)
"""


def holding(folder: Path, beside: Path) -> subprocess.Popen[str]:
    process = python(HOLDS, folder, beside)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_process_that_is_ended_leaves_nothing(tmp_path: Path, end: int) -> None:
    process = holding(tmp_path / "new" / "out", tmp_path / "beside")
    process.send_signal(end)
    process.communicate()
    assert process.returncode in (-end, 1 if end == signal.SIGINT else -end)
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path: Path) -> None:
    process = holding(tmp_path, tmp_path)
    assert SECRET in "".join(contents(tmp_path).values())
    process.kill()
    process.communicate()
    assert len(hidden(tmp_path)) == 2
    with Staging(tmp_path) as staging:
        assert hidden(tmp_path) == [staging.staged]
    assert contents(tmp_path) == {}


def test_what_a_living_process_holds_is_left_alone(tmp_path: Path) -> None:
    process = holding(tmp_path, tmp_path)
    try:
        before = contents(tmp_path)
        with Staging(tmp_path), Staging(tmp_path):
            assert before.items() <= contents(tmp_path).items()
        assert contents(tmp_path) == before
    finally:
        process.kill()
        process.communicate()


def test_what_another_machine_or_nobody_known_left_is_left_alone(tmp_path: Path) -> None:
    dead = python("pass")
    dead.communicate()
    names = ["abcdef", f"elsewhere-{dead.pid}-5-abc", f"{machine()}-5-abc", f"{machine()}-x-5-abc"]
    for name in names:
        (tmp_path / f"{PREFIX}{name}").mkdir()
    with Staging(tmp_path):
        pass
    assert len(hidden(tmp_path)) == len(names)


def test_listeners_of_others_are_left_alone(tmp_path: Path) -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: heard.append(number))
    try:
        with Staging(tmp_path) as staging:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(0.01)
            assert heard == [signal.SIGTERM]
            assert staging.staged.is_dir()
    finally:
        signal.signal(signal.SIGTERM, before)


def test_the_listeners_are_gone_afterwards(tmp_path: Path) -> None:
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    with Staging(tmp_path), Staging(tmp_path):
        assert signal.getsignal(signal.SIGTERM) != before[0]
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)] == before


def test_files_are_written_from_any_thread(tmp_path: Path) -> None:
    def write() -> None:
        with Staging(tmp_path) as staging:
            staging.path("a.txt").write_text("a")

    thread = threading.Thread(target=write)
    thread.start()
    thread.join()
    assert contents(tmp_path) == {"a.txt": "a"}
