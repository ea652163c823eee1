from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

import pytest

import anonymizer


@pytest.mark.parametrize("name", anonymizer.__all__)
def test_a_public_name_stays_what_it_is_when_all_modules_are_loaded(name: str) -> None:
    for module in pkgutil.iter_modules(anonymizer.__path__):
        if module.name != "__main__":
            importlib.import_module(f"anonymizer.{module.name}")
    assert not isinstance(getattr(anonymizer, name), ModuleType)
