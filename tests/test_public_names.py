"""The public names: what they are, what lists them, and what importing them costs."""

from __future__ import annotations

import importlib
import json
import pkgutil
import subprocess
import sys
from types import ModuleType

import pytest

import anonymizer

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


def loaded_after(statement: str) -> set[str]:
    """The packages that a new interpreter has loaded after a statement."""
    code = f"import json, sys; {statement}; print(json.dumps(sorted(sys.modules)))"
    printed = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout
    return {name.split(".")[0] for name in json.loads(printed)}


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert not loaded_after("import anonymizer; dir(anonymizer)") & set(HEAVY)


@pytest.mark.parametrize("name", ["Policy", "anonymize", "frontier", "assess", "verify"])
def test_no_public_name_loads_what_only_pictures_need(name: str) -> None:
    assert "matplotlib" not in loaded_after(f"from anonymizer import {name}")
