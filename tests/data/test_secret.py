from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from anonymizer.data.secret import is_digest, key_name, keyed_digest, secret_key, state_folder
from anonymizer.errors import ReleaseError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ANONYMIZER_STATE", str(tmp_path / "state"))
    return tmp_path / "state"


def test_the_key_is_made_once_and_for_its_user_alone(folder: Path) -> None:
    key = secret_key()
    assert len(key) == 32
    assert secret_key() == key
    assert stat.S_IMODE((folder / "key").stat().st_mode) == 0o600
    assert [path.name for path in folder.iterdir()] == ["key"]


def test_runs_that_begin_together_get_one_key(folder: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: secret_key(), range(8)))
    assert len(keys) == 1


def test_another_folder_has_another_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = set()
    for name in ("one", "two"):
        monkeypatch.setenv("ANONYMIZER_STATE", str(tmp_path / name))
        keys.add(secret_key())
    assert len(keys) == 2


def test_the_folder_is_where_users_keep_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANONYMIZER_STATE", str(tmp_path / "mine"))
    assert state_folder() == tmp_path / "mine"
    monkeypatch.delenv("ANONYMIZER_STATE")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert state_folder() == tmp_path / "state" / "anonymizer"
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert state_folder() == tmp_path / "home" / ".local" / "state" / "anonymizer"


def test_a_digest_depends_on_key_purpose_and_content(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = keyed_digest("table", b"age;sex")
    assert is_digest(digest, "table", b"age;sex")
    assert not is_digest(digest, "table", b"age;zip")
    assert not is_digest(digest, "release", b"age;sex")
    assert not is_digest(None, "table", b"age;sex")
    monkeypatch.setenv("ANONYMIZER_STATE", str(tmp_path / "other"))
    assert not is_digest(digest, "table", b"age;sex")


def test_a_folder_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ANONYMIZER_STATE", str(tmp_path / "file"))
    with pytest.raises(ReleaseError, match=r"file.key: the key .* ANONYMIZER_STATE\.$"):
        secret_key()


def test_a_file_that_is_no_key_is_named(folder: Path) -> None:
    folder.mkdir()
    (folder / "key").write_bytes(b"short")
    with pytest.raises(ReleaseError, match=r"not a key of 32 bytes; remove the file\.$"):
        secret_key()


def test_a_key_has_a_name_that_tells_nothing_of_it(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert key_name() is None
    assert not folder.exists()  # to ask for the name makes no key
    key = secret_key()
    name = key_name()
    assert name is not None
    assert name == key_name()
    assert name not in key.hex()
    monkeypatch.setenv("ANONYMIZER_STATE", str(tmp_path / "other"))
    secret_key()
    assert key_name() != name
