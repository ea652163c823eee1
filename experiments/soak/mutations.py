"""Mutations: one value, byte, row or key of a valid file is changed, and nothing else."""

from __future__ import annotations

import copy
import csv
import datetime
import json
import random
import re
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat

from experiments.soak.grammar import (
    SWAPS,
    TABLE_SWAPS,
    mutate_description,
    mutate_policy,
    rename_column,
)
from experiments.soak.trees import SECRET, inline, places, quote
from experiments.soak.workspace import write_project

NASTY: tuple[Any, ...] = (
    *(0, -1, 1, 2, 10**6, 10**30, 0.0, -0.5, 1.5, 1e-300, float("nan"), float("inf")),
    *("", " ", "*", "0", "34.0", "é", "a" * 5000, "[/s]", "..", "/", "nul\0", "a\nb", "=1+1", "😀"),
    *(True, False, [], {}, [[]], [1], ["x", {}], {"a": 1}, {"": ""}, [None]),
    *(datetime.date(2024, 2, 29), datetime.datetime(1, 1, 1, 0, 0), "policy.toml", "table.csv"),
)
"""What a value is replaced by."""
CELLS = (
    "",
    " ",
    SECRET,
    "-1",
    "1e400",
    "NaN",
    "34.0",
    "2024-02-30",
    '"',
    '"x',
    "a,b",
    "é",
    "=1+1",
    "*",
)
KEYS = ("", "x", "k ", "model", "path", "[/s]", "a.b", "é", "weight", "threshold")
BYTES = (0, 10, 13, 34, 44, 59, 91, 93, 127, 128, 255)

Mutation = Callable[[Path, random.Random], str]


def mutate(path: Path, random: random.Random) -> str:
    """Change one thing in a file; say what."""
    kinds = KINDS.get(path.suffix, (mutate_bytes,))
    if path.name.startswith("policy-"):
        kinds = BY_POLICY
    return random.choice(kinds)(path, random)


# --- trees of values: TOML and JSON ---


def mutate_tree(tree: Any, random: random.Random) -> tuple[Any, str]:
    """Replace, remove, rename or repeat one value of a tree."""
    changed = copy.deepcopy(tree)
    *above, key = random.choice(list(places(tree)))
    holder = changed
    for step in above:
        holder = holder[step]
    where = ".".join(map(str, (*above, key)))
    what = random.choice(("replace", "replace", "replace", "near", "remove", "rename", "repeat"))
    old = holder[key]
    if what == "remove":
        del holder[key]
    elif what == "rename" and isinstance(holder, dict):
        new = random.choice(KEYS)
        holder[new] = holder.pop(key)
        return changed, f"{where} is called {new!r}"
    elif what == "repeat" and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(old))
    else:
        holder[key] = near(old, random) if what == "near" else copy.deepcopy(random.choice(NASTY))
        return changed, f"{where} is {str(holder[key])[:40]!r}"
    return changed, f"{what} {where}"


def near(value: Any, random: random.Random) -> Any:
    """Return a value of the same kind, close to one that is right."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return random.choice((value + 1, value - 1, -value, value * 1000, value / 1000, 1 - value))
    if isinstance(value, str) and value:
        at = random.randrange(len(value))
        return random.choice((value[:at], value[:at] + value[at + 1 :], value.upper(), f" {value}"))
    if isinstance(value, list) and value:
        return random.choice((value[1:], value[::-1], value * 2, [value]))
    return random.choice((None, value, [value]))


def mutate_toml(path: Path, random: random.Random) -> str:
    """Change one value or key of a TOML file."""
    tree, what = mutate_tree(tomllib.loads(path.read_text(encoding="utf-8")), random)
    lines = [f"{quote(key)} = {inline(value)}" for key, value in tree.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return what


def mutate_values(path: Path, random: random.Random) -> str:
    """Swap one or two values of a JSON file."""
    tree = json.loads(path.read_text(encoding="utf-8"))
    what = [swap(tree, random) for swap in random.choices(SWAPS, k=random.choice((1, 1, 2)))]
    path.write_text(json.dumps(tree), encoding="utf-8")
    return ", ".join(what)


def mutate_json(path: Path, random: random.Random) -> str:
    """Change one value or key of a JSON file."""
    tree, what = mutate_tree(json.loads(path.read_text(encoding="utf-8")), random)
    path.write_text(json.dumps(tree, default=str), encoding="utf-8")
    return what


# --- tables ---


def mutate_cell(path: Path, random: random.Random) -> str:
    """Change one cell of a delimited file, quotes and all."""
    lines = path.read_text(encoding="utf-8").splitlines()
    row = random.randrange(len(lines))
    mark = ";" if ";" in lines[row] else ","
    cells = lines[row].split(mark)
    at = random.randrange(len(cells))
    cells[at] = random.choice(CELLS)
    lines[row] = mark.join(cells)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return f"cell {at} of line {row} is {cells[at]!r}"


def mutate_rows(path: Path, random: random.Random) -> str:
    """Remove, repeat, empty, cut or lengthen one line."""
    lines = path.read_text(encoding="utf-8").splitlines()
    row = random.randrange(len(lines))
    what, line = random.choice(("remove", "repeat", "empty", "cut", "lengthen")), lines[row]
    new = {
        "remove": [],
        "repeat": [line, line],
        "empty": [""],
        "cut": [line[: len(line) // 2]],
        "lengthen": [f"{line},x"],
    }
    lines[row : row + 1] = new[what]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return f"{what} line {row}"


def mutate_value(path: Path, random: random.Random) -> str:
    """Change one cell of a table of any kind; a column has one type, where the kind asks for it."""
    frame = read_frame(path)
    name, row = random.choice(list(frame.columns)), random.randrange(len(frame))
    new = random.choice((*CELLS, None, 10**12, -1.5, float("inf"), True))
    column = frame[name].astype(object)
    column[row] = new
    if path.suffix != ".xlsx":
        column = column.map(lambda cell: None if cell is None else str(cell))
    frame[name] = column
    write_frame(frame, path)
    return f"cell {name} of row {row} is {new!r}"


def mutate_table(path: Path, random: random.Random) -> str:
    """Swap cells, columns or rows of a table of any kind."""
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        what = random.choice(TABLE_SWAPS)(rows, random)
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
        return what
    frame = read_frame(path)
    texts = frame.astype(object).where(frame.notna(), None)
    rows = [[*map(str, frame.columns)], *([*row] for row in texts.itertuples(index=False))]
    what = random.choice([swap for swap in TABLE_SWAPS if swap is not rename_column])(rows, random)
    changed = pd.DataFrame(rows[1:], columns=rows[0])
    for name in changed:
        if len({type(cell) for cell in changed[name] if cell is not None}) > 1:
            changed[name] = changed[name].map(lambda cell: None if cell is None else str(cell))
    write_frame(changed, path)
    return what


def read_frame(path: Path) -> pd.DataFrame:
    """Read a table of any kind."""
    readers: dict[str, Callable[[Path], pd.DataFrame]] = {
        ".parquet": pd.read_parquet,
        ".xlsx": pd.read_excel,
        ".feather": pd.read_feather,
        ".dta": pd.read_stata,
        ".sav": lambda path: pyreadstat.read_sav(str(path))[0],
        ".gz": pd.read_csv,
    }
    return readers[path.suffix](path)


def write_frame(frame: pd.DataFrame, path: Path) -> None:
    """Write a table of the same kind."""
    path.unlink()
    if path.suffix == ".dta":
        frame.to_stata(path, write_index=False)
    elif path.suffix == ".sav":
        pyreadstat.write_sav(frame, str(path))
    elif path.suffix == ".feather":
        frame.to_feather(path)
    elif path.suffix == ".parquet":
        frame.to_parquet(path, index=False)
    elif path.suffix == ".xlsx":
        frame.to_excel(path, index=False)
    else:
        frame.to_csv(path, index=False)


def mutate_type(path: Path, random: random.Random) -> str:
    """Change the type of one column of a Parquet file."""
    frame = pd.read_parquet(path)
    name = random.choice(list(frame.columns))
    kinds: dict[str, Callable[[pd.Series], Any]] = {
        "list": lambda column: [[str(cell)] for cell in column],
        "struct": lambda column: [{"x": str(cell)} for cell in column],
        "bytes": lambda column: [str(cell).encode() for cell in column],
        "category": lambda column: column.astype(str).astype("category"),
        "null": lambda column: [None] * len(column),
        "float": lambda column: [float(len(str(cell))) for cell in column],
        "time": lambda column: pd.to_datetime(["2024-05-05 10:11:12.5"] * len(column)),
        "bool": lambda column: [len(str(cell)) % 2 == 0 for cell in column],
    }
    kind = random.choice(list(kinds))
    frame[name] = kinds[kind](frame[name])
    frame.to_parquet(path, index=False)
    return f"column {name} is of type {kind}"


# --- ARX projects ---


def mutate_part(path: Path, random: random.Random) -> str:
    """Change, remove or rename one part of an ARX project, or a word of its XML for another."""
    with zipfile.ZipFile(path) as file:
        parts: dict[str, str | bytes] = {name: file.read(name).decode() for name in file.namelist()}
    name = random.choice(list(parts))
    text = str(parts[name])
    words = re.findall(r">([^<>]+)<", text)
    what = random.choice(("swap", "swap", "remove", "rename", "bytes", "secret"))
    if what == "swap" and words:
        old, new = random.choice(words), random.choice((*words, "", "9", "*", "All", "3-anonymity"))
        parts[name] = text.replace(f">{old}<", f">{new}<", 1)
        what = f"{old!r} is {new!r}"
    elif what == "remove":
        del parts[name]
    elif what == "rename":
        parts[random.choice(("../x.csv", "/etc/x", f"{name}x", "C:x"))] = parts.pop(name)
    else:
        at = random.randrange(len(text))
        secret = what == "secret" and name == "data/input.csv"
        new = SECRET if secret else chr(random.choice(BYTES))
        parts[name] = text[:at] + new + text[at + 1 :]
    path.unlink()
    write_project(path, parts)
    return f"{what} in {name}"


# --- bytes ---


def mutate_bytes(path: Path, random: random.Random) -> str:
    """Change, add, remove or cut bytes of any file."""
    content = bytearray(path.read_bytes())
    at = random.randrange(len(content))
    what = random.choice(("set", "set", "flip", "insert", "delete", "cut", "zero"))
    if what == "set":
        content[at] = random.choice(BYTES)
    elif what == "flip":
        content[at] ^= 1 << random.randrange(8)
    elif what == "insert":
        content.insert(at, random.choice(BYTES))
    elif what == "delete":
        del content[at]
    elif what == "cut":
        del content[at:]
    else:
        content[at : at + 8] = bytes(len(content[at : at + 8]))
    if bytes(content) == path.read_bytes():  # it had that value before
        what = "flip"
        content[at] ^= 1
    path.write_bytes(bytes(content))
    return f"{what} byte {at}"


BY_POLICY: tuple[Mutation, ...] = (
    *(mutate_policy,) * 7,
    mutate_description,
    mutate_toml,
    mutate_bytes,
)
"""What can be done to a policy."""
KINDS: dict[str, tuple[Mutation, ...]] = {
    ".toml": (*(mutate_description,) * 4, mutate_toml, mutate_toml, mutate_bytes),
    ".json": (mutate_values, mutate_values, mutate_json, mutate_json, mutate_bytes),
    ".csv": (*(mutate_table,) * 4, mutate_cell, mutate_rows, mutate_bytes),
    ".parquet": (mutate_table, mutate_table, mutate_value, mutate_type, mutate_bytes),
    ".xlsx": (mutate_table, mutate_table, mutate_value, mutate_bytes),
    ".feather": (mutate_table, mutate_table, mutate_value, mutate_bytes),
    ".dta": (mutate_table, mutate_table, mutate_value, mutate_bytes),
    ".sav": (mutate_table, mutate_table, mutate_value, mutate_bytes),
    ".gz": (mutate_table, mutate_table, mutate_value, mutate_bytes),
    ".deid": (mutate_part, mutate_part, mutate_part, mutate_bytes),
}
"""What can be done to a file, by the end of its name."""
