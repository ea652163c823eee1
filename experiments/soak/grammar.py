"""Mutations that know what may stand where: valid values of a policy, a table or a file are swapped."""

from __future__ import annotations

import copy
import random
import tomllib
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

from experiments.soak.policies import ANALYSES, MODELS
from experiments.soak.trees import SECRET, inline, places, quote

Tree = dict[str, Any]
Swap = Callable[[Tree, random.Random], str]

HIERARCHIES: tuple[Any, ...] = (
    *("age.toml", "sex.csv", "zip.toml", "day.toml", "diagnosis.toml"),
    [30, 45, 60],
    [],
    {"F": "*", "M": "*"},
    {"F32": "mind", "J10": "body", "K35": "body", "M54": "body"},
    {"builder": "redaction", "length": 5, "alphabet": "digits"},
    {"builder": "redaction", "values": ["10115", "10117", "10243", "20095", "20097"]},
    {"builder": "intervals", "domain": [0, 120], "widths": [7, 21]},
    {"builder": "intervals", "domain": [0, 120], "bounds": [[18, 40, 65]]},
    {"builder": "mapping", "values": ["F", "M"]},
    {"builder": "mapping", "values": ["F"], "unlisted": True},
    {"builder": "ordered", "values": [[0, 120]], "sizes": [10]},
    {"builder": "dates", "from": date(2024, 1, 1), "to": date(2024, 12, 31), "periods": ["month"]},
    {
        "builder": "dates",
        "from": date(2020, 1, 1),
        "to": date(2029, 12, 31),
        "periods": ["week", "year"],
    },
    {"builder": "priority", "values": ["F", "M"]},
)
FITTING: dict[str, tuple[Any, ...]] = {
    "age": (
        "age.toml",
        [30, 45, 60],
        [],
        {"builder": "intervals", "domain": [0, 120], "widths": [7, 21]},
        {"builder": "intervals", "domain": [20, 70], "widths": [1, 25, 50]},
        {"builder": "intervals", "domain": [0, 120], "bounds": [[18, 40, 65]]},
        {"builder": "ordered", "values": [[0, 120]], "sizes": [10]},
        {"builder": "redaction", "length": 2, "alphabet": "digits"},
    ),
    "sex": (
        "sex.csv",
        {"F": "*", "M": "*"},
        {"builder": "mapping", "values": ["F", "M"]},
        {"builder": "mapping", "values": ["F"], "unlisted": True},
        {"builder": "priority", "values": ["F", "M"]},
        {"builder": "ordered", "values": ["F", "M"], "sizes": [2]},
    ),
    "zip": (
        "zip.toml",
        {"builder": "redaction", "length": 5, "alphabet": "digits"},
        {"builder": "redaction", "length": 5, "alphabet": "digits", "redact": [1, 3]},
        {"builder": "redaction", "values": ["10115", "10117", "10243", "20095", "20097"]},
        {"10115": "1", "10117": "1", "10243": "1", "20095": "2", "20097": "2"},
    ),
    "day": (
        "day.toml",
        {
            "builder": "dates",
            "from": date(2024, 1, 1),
            "to": date(2024, 12, 31),
            "periods": ["month"],
        },
        {
            "builder": "dates",
            "from": date(2020, 1, 1),
            "to": date(2029, 12, 31),
            "periods": ["week", "year"],
        },
        {"builder": "redaction", "length": 10, "alphabet": "-0123456789", "redact": [3, 6]},
    ),
    "diagnosis": (
        "diagnosis.toml",
        {"F32": "mind", "J10": "body", "K35": "body", "M54": "body"},
        {"builder": "priority", "values": ["J10", "F32", "K35", "M54"], "keep": [2]},
        {"builder": "mapping", "values": ["F32", "J10"], "unlisted": True},
    ),
    "stay": (
        {"builder": "intervals", "domain": [0, 30], "widths": [5, 15]},
        {"builder": "ordered", "values": [[1, 14]], "sizes": [2, 2]},
    ),
    "ward": ({"builder": "mapping", "values": ["A"], "unlisted": True},),
    "patient": ({"builder": "mapping", "values": ["P0", "P1"], "unlisted": True},),
}
"""Hierarchies that have a leaf for every value of a column."""
RIGHT = 0.8
"""The share of swaps that put something right where only few things are."""
ROLES = ("identifying", "removed", "quasi", "sensitive", "insensitive")
KEYS: dict[str, dict[str, tuple[Any, ...]]] = {
    "data": {
        "path": (
            *(
                "table.csv",
                "table.parquet",
                "table.xlsx",
                "table.feather",
                "table.dta",
                "table.sav",
            ),
            *(
                "table.csv.gz",
                "parts",
                "parts/*.parquet",
                "base.duckdb",
                "visits.csv",
                "people.csv",
            ),
            *("members.csv", "policy-k.toml", "release-k/release.csv", "project.deid", "."),
        ),
        "table": ("patients", "none", "main.patients"),
        "url": ("duckdb://base.duckdb", "postgres://127.0.0.1:1/none"),
        "memory": ("1GB", "1kB", "500 MiB"),
        "delimiter": (",", ";", "\t", "|"),
        "encoding": ("utf-8", "latin-1", "utf-16", "cp1252", "ascii"),
        "sheet": ("Sheet1", "none"),
        "id": ("patient", "ward", "age", "diagnosis"),
        "rows_are_people": (True, False),
        "default_role": ("removed", "identifying", "insensitive", "sensitive"),
        "sample": (1.0, 0.5, 0.01, 1e-9),
    },
    "utility": {
        "measure": (
            *("loss", "entropy", "precision", "discernibility", "class-size", "height"),
            *("ambiguity", "kl-divergence"),
        ),
        "aggregate": ("arithmetic", "geometric", "maximum", "sum"),
        "factor": (0.0, 0.1, 0.5, 0.9, 1.0),
    },
    "search": {
        "time_limit": (1e-9, 0.01, 5.0, float("inf")),
        "evaluation_limit": (1, 3, 100),  # this and those below are old keys, and options now
        "memory_limit": (1e-9, 0.001, 1.0),
        "workers": (1, 2, 3),
    },
    "release": {
        "suppressed": ("drop", "redact"),
        "shuffle": (True, False),
        "escape_formulas": (True, False),
        "suppression_limit": (0.0, 0.01, 0.05, 0.5, 1.0),
        "layers": (False, True, 1, 2, 5),
        "recoding": ("full-domain", "layers"),  # old keys: users have them in their files
        "max_layers": (1, 2, 5),
        "strict": (True, False),
        "file": ("csv", "parquet"),
    },
}
"""Keys of the parts of a policy, with values that are right somewhere."""
ATTRIBUTE: dict[str, tuple[Any, ...]] = {
    "min_level": (0, 1, 2, 3),
    "max_level": (0, 1, 2, 3, 4),
    "weight": (0.0, 0.5, 1.0, 3.0, 1e9),
    "type": ("text", "number", "date"),
    "format": ("%Y-%m-%d", "%d.%m.%Y"),
    "microaggregation": ("mean", "median"),
    "reveals": (["age"], ["zip"], ["ward"], ["age", "zip", "day", "sex"], []),
    "delimiter": (";", ","),
    "reason": ("it is known to too many",),
}
PARAMETERS: dict[str, tuple[Any, ...]] = {
    "k": (2, 3, 4, 5, 10, 50),
    "l": (1.2, 2, 3, 4),
    "c": (0.5, 1.0, 4.0),
    "t": (0.05, 0.2, 0.5, 0.9),
    "beta": (0.5, 1.0, 3.0),
    "delta": (0.5, 1.0, 3.0),
    "threshold": (0.01, 0.05, 0.1, 0.2, 0.5, 0.9),
    "maximum": (0.3, 0.5, 0.95),
    "population": (120, 500, 5000, 10**6),
    "significance": (0.01, 0.1),
    "statistic": ("maximum", "mean"),
    "estimator": ("pitman", "zayatz", "snb", "dankar"),
    "distance": ("equal", "ordered", "hierarchical"),
    "reference": ("release", "input"),
    "absent": ("fail", "skip"),
    "enhanced": (True, False),
    "attribute": ("diagnosis", "stay"),
    "subset": ("ward",),
    "member": ("A",),
    "values": (["F32"], ["F32", "J10"]),
    "population_table": ("people.csv", "table.csv"),
    "scenario": ("scenario.toml", "worst-case", "social-media"),
    "statement": ("statement.toml", "unlinked.toml"),
}
"""Parameters of models, with values that are right for most tables."""
NUMBERS = (0, 1, 2, 3, 5, 10, 50, 0.0, 0.01, 0.05, 0.2, 0.5, 0.9, 1.0, 1.5, 2.0)
WORDS = (
    *("equal", "ordered", "hierarchical", "release", "input", "fail", "skip", "mean", "maximum"),
    *("pitman", "zayatz", "snb", "dankar", "general", "F32", "10115"),
)
COLUMNS = ("patient", "age", "sex", "zip", "day", "diagnosis", "stay", "ward")
CELLS = ("", "F", "M", "34", "10115", "2024-03-04", "F32", "1", "0.5", "*", SECRET)


def mutate_policy(path: Path, random: random.Random) -> str:
    """Swap one to three values of a policy for others that are right somewhere."""
    return rewrite(path, random, POLICY_SWAPS, random.choice((1, 1, 1, 2, 3)))


def mutate_description(path: Path, random: random.Random) -> str:
    """Swap one or two values of a TOML file of any other kind."""
    return rewrite(path, random, SWAPS, random.choice((1, 1, 2)))


def rewrite(path: Path, random: random.Random, swaps: tuple[Swap, ...], times: int) -> str:
    """Make so many swaps in a TOML file."""
    tree = tomllib.loads(path.read_text(encoding="utf-8"))
    done: list[str] = []
    for swap in random.choices(swaps, k=times):
        try:
            done.append(swap(tree, random))
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            break  # an earlier swap left nothing that this one could be made in
    lines = [f"{quote(key)} = {inline(value)}" for key, value in tree.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return ", ".join(done)


# --- policies ---


def model_table(random: random.Random) -> tuple[str, Tree]:
    """Draw a model as a table of [[risk]]."""
    name = random.choice(list(MODELS))
    return name, tomllib.loads(MODELS[name])


def swap_model(tree: Tree, random: random.Random) -> str:
    """Put another model in the place of one."""
    name, table = model_table(random)
    models = tree["risk"]
    models[random.randrange(len(models))] = table
    return f"the model is {name}"


def add_model(tree: Tree, random: random.Random) -> str:
    """Ask for one more model."""
    name, table = model_table(random)
    tree["risk"].insert(random.randint(0, len(tree["risk"])), table)
    return f"{name} is asked for too"


def swap_parameter(tree: Tree, random: random.Random) -> str:
    """Give a parameter of a model another value of its type."""
    model = random.choice(tree["risk"])
    key = random.choice([each for each in model if each != "model"] or ["model"])
    right = key in PARAMETERS and random.random() < RIGHT
    model[key] = random.choice(PARAMETERS[key]) if right else another(model[key], key, random)
    return f"{model.get('model')}.{key} is {model[key]!r}"


def another(value: Any, key: str, random: random.Random) -> Any:
    """Return another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return random.choice([each for each in NUMBERS if isinstance(each, int)])
    if isinstance(value, float):
        return float(random.choice(NUMBERS))
    if isinstance(value, list):
        return [another(each, key, random) for each in value] or [random.choice(COLUMNS)]
    if key in ("attribute", "subset", "by", "id", "time", "event", "group", "response"):
        return random.choice(COLUMNS)
    if key in ("statement", "scenario", "population_table"):
        return random.choice(
            ("statement.toml", "unlinked.toml", "scenario.toml", "people.csv", "table.csv")
        )
    return random.choice((*WORDS, *COLUMNS))


def swap_role(tree: Tree, random: random.Random) -> str:
    """Give a column another role, with what belongs to it or, now and then, without."""
    name, role = random.choice(list(tree["attributes"])), random.choice(ROLES)
    keys = {"role": role}
    if role == "quasi" or (role == "sensitive" and random.random() < 0.3):
        keys["hierarchy"] = draw_hierarchy(name, random)
    elif role == "removed":
        keys["reason"] = "it is known to too many"
    tree["attributes"][name] = keys
    return f"{name} is {role}"


def draw_hierarchy(name: str, random: random.Random) -> Any:
    """Draw a hierarchy that fits a column, or any."""
    right = name in FITTING and random.random() < RIGHT
    return copy.deepcopy(random.choice(FITTING[name] if right else HIERARCHIES))


def swap_level(tree: Tree, random: random.Random) -> str:
    """Give a quasi-identifier another key of its own."""
    quasi = [name for name, keys in tree["attributes"].items() if keys.get("role") == "quasi"]
    name = random.choice(quasi or list(tree["attributes"]))
    key = random.choice(("min_level", "max_level", *ATTRIBUTE))
    if key in tree["attributes"][name] and random.random() < 0.3:
        del tree["attributes"][name][key]
        return f"{name} has no {key}"
    tree["attributes"][name][key] = random.choice(ATTRIBUTE[key])
    return f"{name}.{key} is {tree['attributes'][name][key]!r}"


def swap_hierarchy(tree: Tree, random: random.Random) -> str:
    """Give a column another hierarchy; one that has none may become a quasi-identifier."""
    name = random.choice(list(tree["attributes"]))
    keys = tree["attributes"][name]
    keys["hierarchy"] = draw_hierarchy(name, random)
    if keys.get("role") not in ("quasi", "sensitive") and random.random() < RIGHT:
        keys["role"] = "quasi"
        keys.pop("reason", None)
    return f"the hierarchy of {name} is {tree['attributes'][name]['hierarchy']!r}"


def swap_names(tree: Tree, random: random.Random) -> str:
    """Let two columns change their places, as a rule two that have no hierarchy."""
    roles = tree["attributes"]
    free = [name for name, keys in roles.items() if "hierarchy" not in keys]
    one, two = random.choices(free if free and random.random() < RIGHT else list(roles), k=2)
    roles[one], roles[two] = roles[two], roles[one]
    return f"{one} and {two} are swapped"


def drop_column(tree: Tree, random: random.Random) -> str:
    """Forget a column; as a rule, with a role for those that are not named."""
    name = random.choice(list(tree["attributes"]))
    if len(tree["attributes"]) > 1:
        del tree["attributes"][name]
    if random.random() < RIGHT:
        tree["data"]["default_role"] = random.choice(KEYS["data"]["default_role"])
    return f"{name} is not named"


def swap_key(tree: Tree, random: random.Random) -> str:
    """Give a part of a policy a key with a value that is right somewhere."""
    part = random.choice(("data", "utility", "search", "search", "release", "release"))
    keys = tree.setdefault(part, {})
    key = random.choice(list(KEYS[part]))
    if key in keys and key != "path" and random.random() < 0.3:
        del keys[key]
        return f"{part} has no {key}"
    keys[key] = random.choice(KEYS[part][key])
    return f"{part}.{key} is {keys[key]!r}"


def add_analysis(tree: Tree, random: random.Random) -> str:
    """State one more analysis, of some columns."""
    made = copy.deepcopy(random.choice(tomllib.loads(ANALYSES)["analysis"]))
    made["name"] += random.choice(("", "2"))
    if "columns" in made:
        made["columns"] = random.sample(COLUMNS, 2)
    elif "formula" in made:
        made["formula"] = "{} ~ {} + {}".format(*random.sample(COLUMNS, 3))
    tree.setdefault("analysis", []).append(made)
    return f"the analysis {made['name']} is stated"


# --- any tree ---


def swap_alike(tree: Tree, random: random.Random) -> str:
    """Put a value of one place into another that has one of the same type."""
    listed = list(places(tree))
    one = random.choice(listed)
    kind = type(at(tree, one))
    two = random.choice([each for each in listed if type(at(tree, each)) is kind])
    put(tree, two, copy.deepcopy(at(tree, one)))
    return f"{dotted(two)} is {str(at(tree, two))[:40]!r}" if kind is not dict else dotted(two)


def swap_type(tree: Tree, random: random.Random) -> str:
    """Put a value of one place into another, whatever its type."""
    one, two = random.choices(list(places(tree)), k=2)
    value = copy.deepcopy(at(tree, one))
    put(tree, two, value)
    return f"{dotted(two)} is {str(value)[:40]!r}"


def swap_value(tree: Tree, random: random.Random) -> str:
    """Give a single value another of its type."""
    single = [each for each in places(tree) if not isinstance(at(tree, each), dict | list)]
    if not single:
        return swap_type(tree, random)
    one = random.choice(single)
    put(tree, one, another(at(tree, one), str(one[-1]), random))
    return f"{dotted(one)} is {str(at(tree, one))[:40]!r}"


def at(tree: Any, path: tuple[Any, ...]) -> Any:
    """Return the value at a path."""
    for key in path:
        tree = tree[key]
    return tree


def put(tree: Any, path: tuple[Any, ...], value: Any) -> None:
    """Put a value at a path."""
    at(tree, path[:-1])[path[-1]] = value


def dotted(path: tuple[Any, ...]) -> str:
    """Write a path."""
    return ".".join(map(str, path))


SWAPS: tuple[Swap, ...] = (swap_alike, swap_value, swap_value, swap_type)
POLICY_SWAPS: tuple[Swap, ...] = (
    *(swap_model, add_model, add_model, swap_parameter, swap_parameter, swap_role, swap_level),
    *(swap_level, swap_hierarchy, swap_names, drop_column, swap_key, swap_key, swap_key),
    *(add_analysis, swap_alike, swap_value),
)


# --- tables ---


def swap_cells(rows: list[list[str]], random: random.Random) -> str:
    """Write a value of the same column, or one of another, into some cells."""
    at, times = random.randrange(len(rows[0])), random.choice((1, 5, len(rows)))
    source = at if random.random() < RIGHT else random.randrange(len(rows[0]))
    for _ in range(times):
        rows[random.randrange(1, len(rows))][at] = random.choice(rows[1:])[source]
    return f"{times} cells of column {at} are from column {source}"


def fill_column(rows: list[list[str]], random: random.Random) -> str:
    """Give all cells of a column one value, or values of their own."""
    at = random.randrange(len(rows[0]))
    own = len(rows) > 1 and random.random() < RIGHT
    value = random.choice(rows[1:])[at] if own else random.choice((*CELLS, None))
    for number, row in enumerate(rows[1:]):
        row[at] = str(number) if value is None else value
    return f"column {at} is {'numbered' if value is None else repr(value)}"


def move_columns(rows: list[list[str]], random: random.Random) -> str:
    """Shuffle the columns, header and all."""
    order = random.sample(range(len(rows[0])), len(rows[0]))
    rows[:] = [[row[at] for at in order] for row in rows]
    return "columns are shuffled"


def some_rows(rows: list[list[str]], random: random.Random) -> str:
    """Keep a few rows, or repeat all, or shuffle them."""
    what = random.choice((0, 1, 2, 10, "twice", "shuffled"))
    if isinstance(what, int):
        del rows[1 + what :]
        return f"{what} rows are left"
    rows[1:] = rows[1:] * 2 if what == "twice" else random.sample(rows[1:], len(rows) - 1)
    return f"rows are {what}"


def rename_column(rows: list[list[str]], random: random.Random) -> str:
    """Give a column another name, which may be taken."""
    at = random.randrange(len(rows[0]))
    rows[0][at] = random.choice((*COLUMNS, "", " age", "Age", "years", "a;b", "=1+1"))
    return f"column {at} is called {rows[0][at]!r}"


def drop_table_column(rows: list[list[str]], random: random.Random) -> str:
    """Remove a column."""
    at = random.randrange(len(rows[0]))
    for row in rows:
        del row[at]
    return f"column {at} is gone"


TABLE_SWAPS: tuple[Callable[[list[list[str]], random.Random], str], ...] = (
    *(swap_cells, swap_cells, swap_cells, fill_column, fill_column, move_columns, some_rows),
    *(some_rows, rename_column, drop_table_column),
)
