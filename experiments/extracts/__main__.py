"""python -m experiments.extracts: write an extract of ATUS or IHIS as the data set of the ARX benchmarks.

The records of these two cannot be passed on. Whoever has an account takes them from IPUMS:

1. ATUS-X (atusdata.org): REGION, AGE, SEX, RACE, MARST, CITIZEN, BPL, EDUC and EMPSTAT of respondents.
   IHIS, now IPUMS NHIS (nhis.ipums.org): YEAR, QUARTER, REGION, PERNUM, AGE, MARSTAT, SEX, RACEA, EDUC.
   As comma-separated values, with the codebook that comes with it (DDI, .xml).
2. python -m experiments.extracts ihis nhis_00001.csv --codebook nhis_00001.xml --out data
3. python -m experiments.prasser2016 --data data

Codes become the labels of the codebook. A public use file of the NHIS (personsx, 2004 to 2018, as CSV) is
read with --codes public, which needs no codebook. What has no leaf in the shipped hierarchies is an
error that names it. Which samples the benchmarks took is not published: figures are the paper's only if
the records are.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from anonymizer.data.staging import Staging
from anonymizer.errors import DataError, quote_some
from anonymizer.hierarchy.spec import read_spec
from experiments.datasets import spec_of
from experiments.running import run_main

HERE = Path(__file__).resolve().parent
NAMES = ("atus", "ihis")

Labels = Mapping[str, Mapping[str, str]]
"""What the codes of each variable stand for."""


def main(arguments: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(
        prog="python -m experiments.extracts",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_argument("name", choices=NAMES)
    options.add_argument("extract", type=Path, help="the extract, comma-separated")
    options.add_argument("--codebook", type=Path, help="the DDI codebook that came with it")
    options.add_argument(
        "--codes", choices=["ipums", "public"], default="ipums", help="whose codes"
    )
    options.add_argument("--out", type=Path, required=True, help="folder to write NAME/data.csv to")
    given = options.parse_args(arguments)
    records = convert(given.name, given.extract, given.codes, given.codebook)
    with Staging(given.out / given.name) as staging:
        records.to_csv(staging.path("data.csv"), sep=";", index=False)
    print(f"{len(records):,} records written to {given.out / given.name}", file=sys.stderr)


def convert(name: str, extract: Path, codes: str, codebook: Path | None = None) -> pd.DataFrame:
    """Return the records of an extract with the columns and values of the shipped hierarchies."""
    recipe = read_recipe(name, codes)
    labels: dict[str, Mapping[str, str]] = dict(recipe.get("labels", {}))
    if codebook is not None:
        labels = {**read_codebook(codebook), **labels}
    rows = read_extract(extract, recipe["columns"])
    found, faults = {}, []
    for column, variable in recipe["columns"].items():
        leaves = read_spec(spec_of(name, column)).build(column).leaves
        found[column], unknown = to_leaves(rows[variable], labels.get(variable, {}), leaves)
        if unknown:
            faults.append(f"{variable} has {quote_some(unknown)}, which hierarchies/{name} lacks")
    if faults:
        remedy = "" if labels else " Give the codebook with --codebook."
        raise DataError(f"{extract}: {'; '.join(faults)}.{remedy}")
    return pd.DataFrame(found)


def read_recipe(name: str, codes: str) -> dict[str, dict[str, dict[str, str]]]:
    """Read which variable each column is, and what its codes stand for where that is known."""
    path = HERE / f"{name}_{codes}.toml"
    if not path.is_file():
        raise DataError(
            f"{name.upper()}: there is no recipe for its public use files, whose countries of birth need "
            "the codebook of the Current Population Survey; take an extract of IPUMS."
        )
    return tomllib.loads(path.read_text(encoding="utf-8"))


def read_extract(path: Path, columns: Mapping[str, str]) -> pd.DataFrame:
    """Read the variables that are wanted, as texts."""
    try:
        header = list(pd.read_csv(path, nrows=0, dtype=str))
        if absent := [name for name in columns.values() if name not in header]:
            raise DataError(
                f"{path}: it has no variable {quote_some(absent)}; add them to the extract."
            )
        return pd.read_csv(path, usecols=list(columns.values()), dtype=str, keep_default_na=False)
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: it cannot be read as comma-separated values ({error}).") from None


def read_codebook(path: Path) -> dict[str, dict[str, str]]:
    """Read the labels of all codes from a DDI codebook."""
    try:
        root = ET.parse(path).getroot()
    except (OSError, ET.ParseError) as error:
        raise DataError(f"{path}: it is not a DDI codebook ({error}).") from None
    space = root.tag.partition("}")[0] + "}" if root.tag.startswith("{") else ""
    return {
        str(variable.get("ID")): {
            as_code(category.findtext(f"{space}catValu", "")): category.findtext(f"{space}labl", "")
            for category in variable.iter(f"{space}catgry")
        }
        for variable in root.iter(f"{space}var")
    }


def to_leaves(
    cells: pd.Series, labels: Mapping[str, str], leaves: Sequence[str]
) -> tuple[pd.Series, list[str]]:
    """Return each cell as a leaf, and the values that have none.

    >>> to_leaves(pd.Series(["1", "02", "9"]), {"2": "FEMALE"}, ["1", "Female"])[0].tolist()
    ['1', 'Female', nan]
    """
    by_text = {plain(leaf): leaf for leaf in leaves}
    known = {}
    for cell in cells.unique():
        code = as_code(cell)
        # the number itself where it is a leaf: ages have labels such as "85 or older" in some years
        text = by_text.get(code) or by_text.get(plain(labels.get(code, "")))
        if text is not None:
            known[cell] = text
    unknown = [labels.get(as_code(cell), cell) for cell in cells.unique() if cell not in known]
    return cells.map(known), unknown


def as_code(text: str) -> str:
    """Write a code without leading zeros.

    >>> as_code("007"), as_code("000"), as_code("-1"), as_code("x")
    ('7', '0', '-1', 'x')
    """
    text = text.strip()
    return str(int(text)) if text.lstrip("-").isdigit() else text


def plain(text: str) -> str:
    """Write a label without case and punctuation: codebooks of different years differ in them.

    >>> plain("Married - Spouse present") == plain("Married-spouse present")
    True
    """
    return "".join(each for each in text.casefold() if each.isalnum())


if __name__ == "__main__":
    run_main(main, "extracts")
