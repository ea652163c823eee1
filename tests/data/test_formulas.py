"""Cells that a spreadsheet would run: warned of, or escaped and still verified."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer import AnonymizerWarning, anonymize, make_manifest, verify, write_release
from anonymizer.data.column import text_of
from anonymizer.data.formulas import escape, formulas_in, is_formula, secure
from tests.wards import POLICY, patients, rows_of, write_files

FORMULAS = ["=cmd()", "+1+2", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "-", "-n/a", "=", "＝1", "'=1"]  # noqa: RUF001
HARMLESS = [
    *("", "flu", "a=b", "'tis", "-5", "+5", "-5.25", "-5 ", "-1e-5", "-.5", "-1,234.5", "-inf"),
    "-1 day, 2:00:00",
]
ESCAPED = POLICY + "\n[release]\nescape_formulas = true\n"
texts = st.text(st.sampled_from("=+-@'\t\r\n5.e a"), max_size=5)


@pytest.mark.parametrize("text", FORMULAS)
def test_what_begins_as_a_formula_gets_an_apostrophe(text: str) -> None:
    assert is_formula(text)
    assert escape(text) == f"'{text}"


@pytest.mark.parametrize("text", HARMLESS)
def test_numbers_and_other_texts_stay(text: str) -> None:
    assert escape(text) == text


@given(texts, texts)
def test_what_is_escaped_can_be_told_apart_and_runs_no_more(one: str, other: str) -> None:
    assert (escape(one) == escape(other)) == (one == other)
    if is_formula(one):
        assert escape(one)[0] == "'"
    else:
        number = re.fullmatch(r"[+-]?[\d.]+(e[+-]?\d+)?", one)
        assert one[:1] not in tuple("=+-@\t\r\n") or number


KINDS: dict[str, Any] = {
    "string": lambda values: pa.array(values),
    "large string": lambda values: pa.array(values, pa.large_string()),
    "string view": lambda values: pa.array(values, pa.string_view()),
    "binary": lambda values: pa.array([v and v.encode() for v in values], pa.binary()),
    "fixed binary": lambda values: pa.array(
        [v and v.ljust(6).encode() for v in values], pa.binary(6)
    ),
    "dictionary": lambda values: pa.array(values).dictionary_encode(),
    "runs": lambda values: pa.compute.run_end_encode(pa.array(values)),
    "objects": lambda values: pd.Series(values, dtype=object),
    "pandas text": lambda values: pd.Series(values, dtype="str"),
    "pandas string": lambda values: pd.Series(values, dtype="string[python]"),
    "pandas Arrow": lambda values: pd.Series(values, dtype=pd.ArrowDtype(pa.string())),
    "pandas category": lambda values: pd.Series(values, dtype="category"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_formulas_are_escaped_in_columns_of_every_kind(kind: str) -> None:
    column = KINDS[kind](["=cmd()", "flu", None, "-5", "@x", "=cmd()"])
    before = [text_of(value) for value in column.tolist()]
    (after,) = secure({"a": column}, escaped=True).values()
    assert [text_of(value) for value in after.tolist()] == [escape(text) for text in before]
    assert sum(map(is_formula, before)) == 3
    if kind not in ("fixed binary", "pandas category"):  # the type has to change
        assert type_of(after) == type_of(column)


def type_of(column: pa.Array | pd.Series[Any]) -> Any:
    return column.dtype if isinstance(column, pd.Series) else column.type


@pytest.mark.parametrize(
    "column",
    [
        pa.array([-1, 2]),
        pa.array([-1.5, float("-inf")]),
        pa.array([["=x"]]),
        pd.Series([-1, 2]),
        pd.Series([pd.Timedelta(-1, "s")]),
        pd.Series([pd.Timedelta(-1, "s"), -3, None], dtype=object),
    ],
)
def test_what_is_not_text_is_left_alone(column: Any) -> None:
    assert not formulas_in(column)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert secure({"a": column}, escaped=False)["a"] is column


def with_formulas() -> pd.DataFrame:
    frame = patients()
    frame["diagnosis"] = np.where(frame.index % 3 == 0, "=cmd()", frame["diagnosis"])
    return frame


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_without_the_key_formulas_in_a_release_are_a_warning(tmp_path: Path, kind: str) -> None:
    policy = write_files(tmp_path, with_formulas())
    solution = anonymize(tmp_path / f"patients.{kind}", policy)
    with pytest.warns(AnonymizerWarning, match="column 'diagnosis' of the release has cells that"):
        write_release(solution, tmp_path / "out")
    with pytest.warns(AnonymizerWarning, match="escape_formulas = true"):
        solution.to_frame()
    assert verify(tmp_path / "out" / f"release.{kind}", policy).passed


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_escaped_a_release_is_verified_and_has_no_formulas(tmp_path: Path, kind: str) -> None:
    policy = write_files(tmp_path, with_formulas(), ESCAPED)
    original = tmp_path / f"patients.{kind}"
    write_release(anonymize(original, policy), tmp_path / "out")
    release = tmp_path / "out" / f"release.{kind}"
    assert verify(release, policy, against=original).passed
    frame = pd.read_csv(release, sep=";", dtype=str) if kind == "csv" else pd.read_parquet(release)
    assert (frame["diagnosis"] == "'=cmd()").sum() == 40
    assert b"'=cmd()" in release.read_bytes()
    assert not re.search(rb"(?<!')=cmd", release.read_bytes())


def test_escaped_a_dataframe_is_verified(tmp_path: Path) -> None:
    policy, frame = write_files(tmp_path, policy=ESCAPED), with_formulas()
    for data in (frame, frame.astype({"diagnosis": "category"}), pa.table(frame)):
        solution = anonymize(data, policy)
        released = solution.to_frame()
        manifest = make_manifest(solution, released)
        assert verify(released, policy, manifest, against=data).passed


def test_a_release_that_should_be_escaped_and_is_not_is_found(tmp_path: Path) -> None:
    policy = write_files(tmp_path, with_formulas(), ESCAPED)
    write_release(anonymize(None, policy), tmp_path / "out")
    release, manifest = tmp_path / "out" / "release.csv", tmp_path / "out" / "manifest.json"
    assert verify(release, policy).passed
    release.write_text(release.read_text().replace("'=cmd()", "=cmd()"))
    assert not verify(release, policy, against=tmp_path / "patients.csv").passed
    claimed = json.loads(manifest.read_text())
    assert claimed["policy"]["release"]["escape_formulas"] is True


@pytest.mark.parametrize("label", ["=all()", "-", "@home"])
def test_labels_of_hierarchies_are_escaped_and_read_back(tmp_path: Path, label: str) -> None:
    policy = write_files(tmp_path, policy=ESCAPED)
    (tmp_path / "sex.csv").write_text(f"F;{label}\nM;{label}\n")
    text = ESCAPED.replace('"sex.csv"', '"sex.csv", min_level = 1')
    policy.write_text(text)
    write_release(anonymize(None, policy), tmp_path / "out")
    release = tmp_path / "out" / "release.csv"
    assert set(pd.read_csv(release, sep=";", dtype=str)["sex"]) == {f"'{label}"}
    assert verify(release, policy, against=tmp_path / "patients.csv").passed
    release.write_text(release.read_text().replace(f"'{label}", label))
    failed = {check.claim for check in verify(release, policy).failures}
    assert "every quasi-identifier is generalized as declared" in failed


@pytest.mark.parametrize("label", ["=all()", "@home"])
def test_releases_in_layers_are_escaped_and_read_back(tmp_path: Path, label: str) -> None:
    text = ESCAPED.replace('"sex.csv"', '"sex.csv", min_level = 1')
    policy = write_files(tmp_path, policy=text + "layers = true\n")
    (tmp_path / "sex.csv").write_text(f"F;{label}\nM;{label}\n")
    write_release(anonymize(None, policy), tmp_path / "out")
    release = tmp_path / "out" / "release.csv"
    assert verify(release, policy, against=tmp_path / "patients.csv").passed
    text = release.read_text()
    assert f"'{label}" in text
    release.write_text(text.replace(f"'{label}", label))
    failed = {check.claim for check in verify(release, policy).failures}
    assert "every row is generalized as one of the layers declares" in failed


def test_without_formulas_the_key_changes_nothing(tmp_path: Path) -> None:
    plain, escaped = (
        anonymize(patients(), write_files(tmp_path, policy=text)).to_frame()
        for text in (POLICY, ESCAPED)
    )
    assert rows_of(plain) == rows_of(escaped)
