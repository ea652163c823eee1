"""The register as a folder: what it holds, and that nothing of it can be changed or lost unnoticed."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anonymizer.data import secret
from anonymizer.errors import ReleaseError
from anonymizer.register.folder import INDEX, Register

IDS = ["anna", "bert", "carl", "dora"]
DESCRIBED: dict[str, Any] = {
    "date": "2026-06-30",
    "k": 2,
    "policy": "p",
    "scheme": {"age": 1},
    "manifest": "m",
    "output": "o",
    "proof": None,
    "accepted": 0,
}


@pytest.fixture
def register(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Register:
    """A register of two releases, with a key of its own."""
    monkeypatch.setenv("ANONYMIZER_STATE", str(tmp_path / "state"))
    made = Register.begin(tmp_path / "register", "2026-01-01")
    made.add(IDS, np.array([0, 0, 1, 1]), DESCRIBED)
    Register.read(made.path).add(IDS[:2], np.array([5, 5]), DESCRIBED)
    return Register.read(made.path)


@pytest.mark.quick
def test_it_knows_who_was_in_which_class(register: Register) -> None:
    first, second = register.releases
    assert (first.people, second.people) == (4, 2)
    people = register.people(first)
    of = dict(zip(people["person"].tolist(), people["class"].tolist(), strict=True))
    assert [of[person] for person in register.persons(IDS).tolist()] == [0, 0, 1, 1]
    assert set(register.people(second)["person"].tolist()) == set(
        register.persons(IDS[:2]).tolist()
    )


def test_it_names_nobody_and_only_its_owner_reads_it(register: Register) -> None:
    files = [path for path in register.path.rglob("*") if path.is_file()]
    assert len(files) == 3
    for path in files:
        assert not re.search(b"anna|bert|carl|dora", path.read_bytes())
        if os.name != "nt":
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_two_registers_have_nothing_in_common(register: Register, tmp_path: Path) -> None:
    other = Register.begin(tmp_path / "other", "2026-01-01")
    assert not set(register.persons(IDS).tolist()) & set(other.persons(IDS).tolist())


@pytest.mark.parametrize("file", [INDEX, "releases/0001.npy", "releases/0002.npy"])
@pytest.mark.parametrize("damage", ["gone", "cut", "changed", "empty"])
def test_no_file_can_be_damaged_without_being_noticed(
    register: Register, file: str, damage: str
) -> None:
    path = register.path / file
    content = path.read_bytes()
    middle = len(content) // 2
    if damage == "gone":
        path.unlink()
    else:
        changed = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
        path.write_bytes({"cut": content[:-7], "changed": changed, "empty": b""}[damage])
    with pytest.raises(ReleaseError, match=r"damaged|no register") as error:
        Register.read(register.path)
    assert "\n" not in str(error.value)


def test_a_release_cannot_be_taken_out_of_the_list(register: Register) -> None:
    path = register.path / INDEX
    for left in ([register.releases[1]], [register.releases[0]]):
        index = register.index.model_copy(update={"releases": left})
        path.write_text(index.model_dump_json(), encoding="utf-8")
        with pytest.raises(ReleaseError, match="its seal does not hold"):
            Register.read(register.path)


def test_without_its_key_it_is_refused(
    register: Register, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANONYMIZER_STATE", str(tmp_path / "another"))
    secret.secret_key()
    with pytest.raises(ReleaseError, match=f"the key {register.index.key}, which is not on this"):
        Register.read(register.path)


def test_a_lost_register_is_never_begun_by_itself(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="there is no register; `anonymizer register begin"):
        Register.read(tmp_path / "register")
    assert not (tmp_path / "register").exists()


def test_a_register_begins_only_where_nothing_is(register: Register) -> None:
    with pytest.raises(ReleaseError, match="a register begins in a new folder"):
        Register.begin(register.path, "2026-01-01")


def test_of_two_runs_into_one_register_the_second_is_refused(register: Register) -> None:
    one, two = Register.read(register.path), Register.read(register.path)
    one.add(IDS, np.zeros(4, np.int64), DESCRIBED)
    with pytest.raises(ReleaseError, match="another release came into the register"):
        two.add(IDS, np.zeros(4, np.int64), DESCRIBED)
    assert len(Register.read(register.path).releases) == 3


def test_what_was_not_released_in_the_end_is_taken_back(register: Register) -> None:
    undo = register.add(IDS, np.zeros(4, np.int64), DESCRIBED)
    undo()
    assert Register.read(register.path).index == register.index
    assert not (register.path / "releases" / "0003.npy").exists()


def test_a_forgotten_release_leaves_only_that_there_was_one(register: Register) -> None:
    left = register.forget(1, "2027-01-01")
    again = Register.read(register.path)
    assert again.releases == left.releases
    assert [entry.number for entry in again.known] == [2]
    assert not (register.path / "releases" / "0001.npy").exists()
    with pytest.raises(ReleaseError, match="forgotten on 2027-01-01 already"):
        again.forget(1, "2027-01-02")
    with pytest.raises(ReleaseError, match="there is no release 3; the register has 2"):
        again.forget(3, "2027-01-02")
