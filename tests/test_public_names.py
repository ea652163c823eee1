"""The public names: what they are, what lists them, and what importing them costs."""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

import anonymizer

PACKAGE = Path(anonymizer.__file__).parent
SHARED = {"Release": "a part of a policy is called what its table in the file is: [release]"}
"""Class names that stand twice, with the reason. `proof/` is left out: it says again, in its own words,
what models and measures mean, and calls them what they are called."""
HEAVY = ("numba", "matplotlib", "pandas", "pyarrow", "scipy", "networkx", "numpy", "pydantic")


@pytest.mark.parametrize("name", anonymizer.__all__)
def test_a_public_name_stays_what_it_is_when_all_modules_are_loaded(name: str) -> None:
    for module in pkgutil.iter_modules(anonymizer.__path__):
        if module.name != "__main__":
            importlib.import_module(f"anonymizer.{module.name}")
    assert not isinstance(getattr(anonymizer, name), ModuleType)


def test_dir_lists_just_the_public_names_and_the_version() -> None:
    assert dir(anonymizer) == sorted([*anonymizer.__all__, "__version__"])
    assert all(hasattr(anonymizer, name) for name in dir(anonymizer))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'anonymise'"):
        anonymizer.anonymise  # noqa: B018


def loaded_modules(statement: str) -> set[str]:
    """The modules that a new interpreter has loaded after a statement."""
    code = f"import json, sys; {statement}; print(json.dumps(sorted(sys.modules)))"
    printed = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout
    return set(json.loads(printed.splitlines()[-1]))


@cache
def loaded_after(statement: str) -> set[str]:
    """The packages that a new interpreter has loaded after a statement."""
    return {name.split(".")[0] for name in loaded_modules(statement)}


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert not loaded_after("import anonymizer; dir(anonymizer)") & set(HEAVY)


def test_no_public_name_loads_what_only_pictures_need() -> None:
    names = "Policy, anonymize, frontier, assess, verify"
    assert "matplotlib" not in loaded_after(f"from anonymizer import {names}")


PLAIN_POLICY = """
[data]
path = "table.csv"
[attributes]
sex = { role = "quasi", hierarchy = "sex.csv" }
diagnosis = { role = "insensitive" }
[[risk]]
model = "k-anonymity"
k = 2
"""


def write_plain_run(folder: Path) -> None:
    """Write a table with missing and quoted cells, its hierarchy and a policy."""
    rows = ["f;flu", 'm;"a;b"', "f;", "m;flu", ";flu"]
    (folder / "table.csv").write_text("\n".join(["sex;diagnosis", *rows]) + "\n")
    (folder / "sex.csv").write_text("f;*\nm;*\n;*\n")
    (folder / "policy.toml").write_text(PLAIN_POLICY)


NOT_PLAIN = {
    "pandas", "networkx", "matplotlib", "jinja2", "rich", "ibis", "duckdb", "narwhals", "joblib", "dask",
    "statsmodels", "scipy.stats",
}  # fmt: skip
"""What a run from a CSV file to its release, its output piped, has no use for."""


@pytest.mark.parametrize(
    "run",
    [
        "from anonymizer.cli import app; app(['run', {policy!r}, '--out', {out!r}, '--json'], "
        "standalone_mode=False)",
        "import anonymizer; anonymizer.write_release(anonymizer.anonymize(None, {policy!r}), {out!r})",
    ],
    ids=["command", "library"],
)
def test_a_run_from_csv_to_release_loads_nothing_that_it_does_not_use(
    run: str, tmp_path: Path
) -> None:
    write_plain_run(tmp_path)
    statement = run.format(policy=str(tmp_path / "policy.toml"), out=str(tmp_path / "out"))
    loaded_modules(statement)  # compiles kernels, which takes SciPy
    needless = NOT_PLAIN - loaded_after("import typer")  # older versions of typer load rich
    assert not loaded_modules(statement) & {*needless, "scipy.linalg", "scipy.special"}
    released = (tmp_path / "out" / "release.csv").read_text().splitlines()
    assert released[0] == "sex;diagnosis"
    assert sorted(released[1:]) == ["f;", "f;flu", 'm;"a;b"', "m;flu"]  # the fifth is suppressed


def test_no_class_of_the_package_has_the_name_of_another() -> None:
    homes: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        room = path.relative_to(PACKAGE).parts[0]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and room != "proof":
                homes.setdefault(node.name, []).append(str(path.relative_to(PACKAGE)))
    twice = {name: where for name, where in homes.items() if len(where) > 1}
    assert twice.keys() == SHARED.keys(), twice
