"""A release is the declared generalization of the table, whatever the table is made of."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from anonymizer import (
    AnonymizerWarning,
    Hierarchy,
    Policy,
    ReleaseError,
    anonymize,
    make_manifest,
    verify,
    write_release,
)
from anonymizer.data.table import Recoding
from anonymizer.hierarchy import Intervals
from anonymizer.solution.release import in_order, mapping_rows, write_mapping
from tests.wards import POLICY, change, patients, rows_of, write_files

REDACT = POLICY + '\n[release]\nsuppressed = "redact"\n'


def generalize(frame: pd.DataFrame, policy: Policy, scheme: dict[str, int]) -> pd.DataFrame:
    """Generalize row by row: slow and obvious."""
    expected = frame.drop(columns="name").astype(object)
    for hierarchy in policy.load_hierarchies():
        level = scheme[hierarchy.name]
        released = {row[0]: row[level] for row in hierarchy.rows()}
        expected[hierarchy.name] = [released[str(value)] for value in frame[hierarchy.name]]
    return expected


def expected_release(frame: pd.DataFrame, policy: Policy, scheme: dict[str, int]) -> pd.DataFrame:
    """Generalize, then drop or redact the classes below k."""
    expected = generalize(frame, policy, scheme)
    quasi = list(policy.quasi_identifiers)
    sizes = expected.groupby(quasi)["days"].transform("size")
    small = sizes < policy.risk[0].k
    if policy.release.suppressed == "redact":
        expected.loc[small, quasi] = "*"
        return expected
    return expected[~small]


@pytest.mark.parametrize("text", [POLICY, REDACT], ids=["drop", "redact"])
@pytest.mark.parametrize("kind", ["frame", "csv", "parquet"])
def test_release_equals_row_by_row_generalization(tmp_path: Path, kind: str, text: str) -> None:
    policy = Policy.read(write_files(tmp_path, policy=text))
    frame = patients()
    data = frame if kind == "frame" else tmp_path / f"patients.{kind}"
    solution = anonymize(data, policy)
    assert 0 < solution.suppressed < len(frame)
    released = solution.to_frame()
    assert list(released) == ["age", "sex", "zip", "diagnosis", "days"]
    assert rows_of(released) == rows_of(expected_release(frame, policy, solution.scheme))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_file_is_released_as_a_file_of_the_same_kind(tmp_path: Path, kind: str) -> None:
    policy = Policy.read(write_files(tmp_path))
    solution = anonymize(tmp_path / f"patients.{kind}", policy)
    path = Path(write_release(solution, tmp_path / "out")["release"])
    assert path.name == f"release.{kind}"
    read = pd.read_csv(path, sep=";", dtype=str) if kind == "csv" else pd.read_parquet(path)
    assert rows_of(read) == rows_of(expected_release(patients(), policy, solution.scheme))


def test_columns_that_are_not_touched_keep_their_types(tmp_path: Path) -> None:
    policy = Policy.read(write_files(tmp_path, policy=change(POLICY, k="k = 1")))
    for data in (patients(), tmp_path / "patients.parquet"):
        released = anonymize(data, policy).to_frame()
        assert released["age"].dtype == patients()["age"].dtype
        assert released["days"].dtype == patients()["days"].dtype


def test_cells_that_count_as_one_value_cannot_be_told_apart(tmp_path: Path) -> None:
    """Risk is counted on texts: what is one text must be one cell in the release."""
    (tmp_path / "x.csv").write_text("1;*\n1.0;*\n;*\n")
    policy = Policy(
        attributes={"x": {"role": "quasi", "hierarchy": tmp_path / "x.csv", "max_level": 0}},
        risk=[{"model": "k-anonymity", "k": 2}],
    )
    mixed = pd.DataFrame({"x": pd.Series(["1", 1, "", None], dtype=object)})
    numbers = pa.table({"x": pa.array([1.0, 1.0, float("nan"), None])})
    parquet.write_table(numbers, tmp_path / "x.parquet")
    for data in (mixed, tmp_path / "x.parquet"):
        released = anonymize(data, policy).to_frame()
        assert released["x"].isna().sum() == 2
        assert len(set(released["x"].dropna())) == 1
        assert len({type(value) for value in released["x"].dropna()}) == 1


def test_categories_that_only_suppressed_records_had_are_gone(tmp_path: Path) -> None:
    frame = patients()
    policy = Policy.read(write_files(tmp_path))
    gone = anonymize(frame, policy).release
    rows = np.flatnonzero(gone.suppressed[gone.microdata.tuple_of_row])
    frame.loc[rows, "diagnosis"] = "rare"
    frame["diagnosis"] = frame["diagnosis"].astype("category")
    released = anonymize(frame, policy).to_frame()
    assert "rare" not in released["diagnosis"].cat.categories


def test_a_dataframe_with_numbers_for_names_is_released() -> None:
    sex = Hierarchy.from_rows("0", [("F", "*"), ("M", "*")])
    frame = pd.DataFrame({0: ["F", "M", "F"], 1: [[1], [2], [3]]})
    policy = Policy(
        attributes={"0": {"role": "quasi", "hierarchy": sex}, "1": {"role": "insensitive"}},
        risk=[{"model": "k-anonymity", "k": 1}],
    )
    solution = anonymize(frame, policy)
    assert sorted(solution.to_frame()["1"]) == [[1], [2], [3]]
    assert make_manifest(solution, solution.to_frame())["records"] == 3


def test_rows_are_shuffled_unless_the_policy_says_otherwise(tmp_path: Path) -> None:
    frame = patients()
    policy = Policy.read(write_files(tmp_path, policy=change(POLICY, k="k = 1")))
    solution = anonymize(frame, policy)
    first, second = solution.to_frame(), anonymize(frame, policy).to_frame()
    assert not first.equals(second)
    assert first.equals(solution.to_frame())
    assert solution.to_frame(seed=3).equals(solution.to_frame(seed=3))
    ordered = policy.model_copy(
        update={"release": policy.release.model_copy(update={"shuffle": False})}
    )
    kept = anonymize(frame, ordered).to_frame()
    assert kept["diagnosis"].tolist() == frame["diagnosis"].tolist()


def test_the_input_frame_and_its_odd_index_are_left_alone(tmp_path: Path) -> None:
    policy = Policy.read(write_files(tmp_path))
    frame = patients()
    frame.index = pd.Index([7] * len(frame))
    copy = frame.copy(deep=True)
    released = anonymize(frame, policy).to_frame()
    pd.testing.assert_frame_equal(frame, copy)
    assert released.index.equals(pd.RangeIndex(len(released)))


def test_missing_cells_stay_missing_where_nothing_is_generalized(tmp_path: Path) -> None:
    frame = patients()
    frame.loc[:20, "sex"] = None
    frame.loc[:3, "diagnosis"] = None
    policy = Policy.read(write_files(tmp_path, frame, change(POLICY, k="k = 1")))
    for data in (frame, tmp_path / "patients.csv", tmp_path / "patients.parquet"):
        with pytest.warns(AnonymizerWarning, match="column 'sex' has missing cells"):
            solution = anonymize(data, policy)
        released = solution.to_frame()
        assert released["sex"].isna().sum() == 21
        assert released["diagnosis"].isna().sum() == 4
        again = Path(write_release(solution, tmp_path / "out")["release"])
        read = pd.read_parquet(again) if again.suffix == ".parquet" else None
        if read is not None:
            assert read["sex"].isna().sum() == 21


def test_a_release_without_any_record_is_a_header(tmp_path: Path) -> None:
    ranges = change(
        POLICY,
        age='age = { role = "quasi", hierarchy = "age.toml", max_level = 0 }',
        k="k = 60",
    )
    policy = Policy.read(write_files(tmp_path, policy=ranges))
    solution = anonymize(tmp_path / "patients.csv", policy)
    assert solution.suppressed == solution.records
    assert solution.after.prosecutor.highest == 0
    path = Path(write_release(solution, tmp_path / "out")["release"])
    assert path.read_text() == "age;sex;zip;diagnosis;days\n"


def test_a_table_that_changed_meanwhile_is_an_error(tmp_path: Path) -> None:
    policy = Policy.read(write_files(tmp_path))
    solution = anonymize(tmp_path / "patients.csv", policy)
    write_files(tmp_path, patients(rows=7))
    with pytest.raises(ReleaseError, match="changed while it was anonymized"):
        write_release(solution, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_mapping_lists_every_leaf_whether_or_not_it_occurs(tmp_path: Path) -> None:
    policy = Policy.read(write_files(tmp_path))
    scheme = {"age": 1, "sex": 0, "zip": 2}
    mapping = mapping_rows(policy, scheme)
    assert ("age", "99", "90-99") in mapping
    assert ("sex", "F", "F") in mapping
    assert ("zip", "112", "1**") in mapping
    write_mapping(policy, [scheme], tmp_path / "mapping.csv")
    read = pd.read_csv(tmp_path / "mapping.csv", sep=";", dtype=str)
    assert list(read.itertuples(index=False, name=None)) == mapping


def is_no_row(text: str) -> bool:
    """A cell that looks like a whole row of three is refused: it is more likely a stray quote."""
    return "\n" not in text or text.count(";") < 2


TEXTS = st.one_of(st.none(), st.text("ab;\"'\n\r ,", max_size=4).filter(is_no_row))


@pytest.mark.filterwarnings("ignore:column .* spreadsheet formulas")
@given(cells=st.lists(st.tuples(TEXTS, TEXTS), min_size=1))
def test_every_text_survives_a_csv_release(
    tmp_path_factory: pytest.TempPathFactory, cells: list[tuple[str | None, str | None]]
) -> None:
    folder = tmp_path_factory.mktemp("texts")
    frame = pd.DataFrame(cells, columns=["note", "other"], dtype=object)
    frame.insert(0, "sex", "F")
    (folder / "sex.csv").write_text("F;*\nM;*\n")
    policy = Policy(
        data={"delimiter": ";"},
        attributes={
            "sex": {"role": "quasi", "hierarchy": folder / "sex.csv"},
            "note": {"role": "sensitive"},
            "other": {"role": "sensitive"},
        },
        risk=[{"model": "k-anonymity", "k": 1}],
    )
    first = write_release(anonymize(frame, policy), folder / "first")
    # the file is read, released and read again: what was written reads back equal
    second = write_release(anonymize(first["release"], policy), folder / "second")
    read = [
        rows_of(pd.read_csv(path["release"], sep=";", dtype=str, lineterminator="\n"))
        for path in (first, second)
    ]
    assert read[0] == read[1]
    assert read[1] == rows_of(frame)


def test_a_seeded_release_is_the_same_file(tmp_path: Path) -> None:
    solution = anonymize(None, write_files(tmp_path))
    texts = {
        Path(write_release(solution, tmp_path / name, seed=5)["release"]).read_text()
        for name in ("one", "two")
    }
    assert len(texts) == 1


def test_suppressed_records_count_as_nothing_left(tmp_path: Path) -> None:
    solution = anonymize(None, write_files(tmp_path))
    kept = np.flatnonzero(~solution.release.suppressed[solution.release.microdata.tuple_of_row])
    assert kept.size == solution.records - solution.suppressed == solution.after.records


# Values that have an order


AGES = Intervals((0, 119), widths=(10, 40)).build("age")


@given(st.lists(st.tuples(st.integers(0, 119), st.integers(0, 2)), min_size=1))
def test_values_of_several_levels_stand_in_the_order_of_the_leaves(
    cells: list[tuple[int, int]],
) -> None:
    rows = list(AGES.rows())
    texts = [rows[leaf][level] for leaf, level in cells]
    values = tuple(dict.fromkeys([*texts, "*", "redacted"]))
    recoding = Recoding(values, np.array([values.index(text) for text in texts]), original=False)
    found = in_order(recoding, AGES)
    *labels, last = found.values  # noqa: PD011 - of a recoding
    assert found.ordered
    assert [[*labels, last][n] for n in found.number_of_tuple] == texts
    assert last == "redacted"
    lows = [int(text.split("-")[0].replace("*", "0")) for text in labels]
    assert lows == sorted(lows)


def test_values_without_an_order_stay_as_they_are() -> None:
    recoding = Recoding(("b", "a"), np.array([0, 1]), original=False)
    assert in_order(recoding, Hierarchy.from_rows("x", [("a",), ("b",)])) is recoding


@pytest.mark.parametrize("layers", ["false", "true"])
@pytest.mark.parametrize("suppressed", ["drop", "redact"])
def test_released_numbers_sort_as_numbers_also_in_layers(
    tmp_path: Path, layers: str, suppressed: str
) -> None:
    text = f'{POLICY}\n[release]\nlayers = {layers}\nsuppressed = "{suppressed}"\n'
    frame = patients()
    frame["age"] = (frame["age"] * 7) % 99  # also below 10
    released = anonymize(frame, Policy.read(write_files(tmp_path, policy=text))).to_frame()
    ages = released["age"].dtype
    assert ages.ordered
    lows = [int(label.split("-")[0]) for label in ages.categories if label != "*"]
    assert lows == sorted(lows)
    assert set(ages.categories) == set(released["age"])


def redacted(origins: list[str]) -> tuple[Policy, pd.DataFrame]:
    """Ask for 2-anonymity of origins, of which the unknown one is called as redacted cells are."""
    rows = [("DE", "EU"), ("FR", "EU"), ("US", "America"), ("?", "*")]
    attributes = {"origin": {"role": "quasi", "hierarchy": Hierarchy.from_rows("origin", rows)}}
    policy = Policy(
        attributes=attributes,
        risk=[{"model": "k-anonymity", "k": 2}],
        release={"suppressed": "redact"},
    )
    return policy, pd.DataFrame({"origin": origins})


def test_a_release_with_a_value_called_as_redacted_cells_verifies() -> None:
    for origins in (["DE", "FR", "US"], ["DE", "FR", "?"], ["DE", "FR", "?", "?"]):
        policy, frame = redacted(origins)
        solution = anonymize(frame, policy)
        released = solution.to_frame()
        manifest = make_manifest(solution, released)
        assert verify(released, policy, manifest, against=frame).passed


def test_a_class_that_is_called_as_redacted_records_is_refused() -> None:
    policy, frame = redacted(["DE", "FR", "?", "?", "US"])
    with pytest.raises(ReleaseError, match=r"so is a class that is kept; rename '\*'"):
        anonymize(frame, policy).to_frame()
