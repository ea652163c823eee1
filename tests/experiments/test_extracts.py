"""Extracts of ATUS and IHIS come out as the data sets that the experiments read."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from xml.sax.saxutils import escape

import numpy as np
import pandas as pd
import pytest

from anonymizer.errors import DataError
from anonymizer.hierarchy.spec import read_spec
from experiments.datasets import DATA, spec_of
from experiments.extracts.__main__ import as_code, convert, main, read_recipe
from experiments.prasser2016.releases import load
from tests.shared import ABSENT

ROWS = 300


def stand_ins() -> ModuleType:
    """Load the script that draws stand-ins."""
    script = DATA / "make_standins.py"
    if not script.is_file():
        pytest.skip(ABSENT)
    spec = importlib.util.spec_from_file_location("make_standins", script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def as_extract(name: str, records: pd.DataFrame, folder: Path) -> tuple[Path, Path]:
    """Write records as IPUMS does: codes, and a codebook that says what they stand for."""
    columns = read_recipe(name, "ipums")["columns"]
    variables, coded = [], {}
    for column, variable in columns.items():
        leaves = read_spec(spec_of(name, column)).build(column).leaves
        codes = {leaf: leaf if leaf.isdigit() else str(800 + at) for at, leaf in enumerate(leaves)}
        coded[variable] = records[column].map(codes)
        categories = "".join(
            f"<catgry><catValu>{codes[leaf].zfill(4)}</catValu><labl>{escape(leaf.upper())}</labl></catgry>"
            for leaf in leaves
        )
        variables.append(f'<var ID="{variable}" name="{variable}">{categories}</var>')
    extract, codebook = folder / "extract.csv", folder / "extract.xml"
    pd.DataFrame({"SERIAL": range(len(records)), **coded}).to_csv(extract, index=False)
    codebook.write_text(
        f'<codeBook xmlns="ddi:codebook:2_5"><dataDscr>{"".join(variables)}</dataDscr></codeBook>',
        encoding="utf-8",
    )
    return extract, codebook


@pytest.mark.parametrize("name", ["atus", "ihis"])
def test_an_extract_of_the_stand_in_is_the_stand_in(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = stand_ins()
    monkeypatch.setitem(module.ROWS, name, ROWS)
    module.write(name, tmp_path)
    records = pd.read_csv(tmp_path / f"{name}.csv", sep=";", dtype=str, keep_default_na=False)
    extract, codebook = as_extract(name, records, tmp_path)
    main([name, str(extract), "--codebook", str(codebook), "--out", str(tmp_path / "out")])
    written = tmp_path / "out" / name / "data.csv"
    found = pd.read_csv(written, sep=";", dtype=str, keep_default_na=False)
    pd.testing.assert_frame_equal(found[list(records)], records)
    assert load(name, written).records == ROWS
    with pytest.raises(DataError, match="Give the codebook with --codebook"):
        convert(name, extract, "ipums")


def test_a_public_use_file_of_the_nhis_needs_no_codebook(tmp_path: Path) -> None:
    recipe = read_recipe("ihis", "public")
    rng = np.random.default_rng(1)
    cells = {
        variable: rng.choice(list(recipe["labels"].get(variable, {"7": ""})), 50)
        for variable in recipe["columns"].values()
    }
    cells |= {"SRVY_YR": ["2011"] * 50, "AGE_P": [f"{age:02}" for age in range(50)]}
    pd.DataFrame(cells).to_csv(tmp_path / "personsx.csv", index=False)
    found = convert("ihis", tmp_path / "personsx.csv", "public")
    assert found.notna().all().all()
    assert found["AGE"].tolist() == [as_code(age) for age in cells["AGE_P"]]
    assert set(found["SEX"]) == {"Male", "Female"}
    with pytest.raises(DataError, match="there is no recipe for its public use files"):
        convert("atus", tmp_path / "personsx.csv", "public")


@pytest.mark.parametrize(
    ("text", "message"),
    [("YEAR\n2000\n", "has no variable 'QUARTER'"), ("", "cannot be read as comma-separated")],
)
def test_another_file_is_refused_in_one_sentence(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "extract.csv").write_text(text)
    with pytest.raises(DataError, match=message) as error:
        convert("ihis", tmp_path / "extract.csv", "ipums")
    assert "\n" not in str(error.value)


def test_a_codebook_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "extract.csv").write_text("YEAR\n2000\n")
    (tmp_path / "x.xml").write_text("none")
    with pytest.raises(DataError, match="not a DDI codebook"):
        convert("ihis", tmp_path / "extract.csv", "ipums", tmp_path / "x.xml")
