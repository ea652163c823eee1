"""Mutations: one value, byte, row or key of a valid file is changed, and nothing else."""

from __future__ import annotations

import copy
import datetime
import json
import random
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

SECRET = "zq7391secret"
"""A cell that no message may show."""
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
    return random.choice(kinds)(path, random)


# --- trees of values: TOML and JSON ---


def places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """List the path of every value."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, value in items:
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))


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


def inline(value: Any) -> str:
    """Write a value as TOML has it on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quote(k)} = {inline(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(inline(each) for each in value) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime.date):
        return value.isoformat()
    return repr(value) if isinstance(value, int | float) else quote(str(value))


def quote(text: str) -> str:
    """Write a text as TOML does; JSON's escapes are TOML's too, but for characters beyond 16 bits."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


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
    """Change one cell, or the type of one column, of a Parquet or Excel file."""
    read, write = (
        (pd.read_parquet, pd.DataFrame.to_parquet)
        if path.suffix == ".parquet"
        else (pd.read_excel, pd.DataFrame.to_excel)
    )
    frame = read(path)
    name, row = random.choice(list(frame.columns)), random.randrange(len(frame))
    new = random.choice((*CELLS, None, 10**12, -1.5, float("inf"), True))
    column = frame[name].astype(object)
    column[row] = new
    if path.suffix == ".parquet":  # a column has one type
        column = column.map(lambda cell: None if cell is None else str(cell))
    frame[name] = column
    write(frame, path, index=False)
    return f"cell {name} of row {row} is {new!r}"


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


KINDS: dict[str, tuple[Mutation, ...]] = {
    ".toml": (mutate_toml, mutate_toml, mutate_toml, mutate_bytes),
    ".json": (mutate_json, mutate_json, mutate_json, mutate_bytes),
    ".csv": (mutate_cell, mutate_cell, mutate_rows, mutate_bytes),
    ".parquet": (mutate_value, mutate_type, mutate_bytes),
    ".xlsx": (mutate_value, mutate_bytes),
}
"""What can be done to a file, by the end of its name."""
