"""The audit of dependencies: what is not looked up is never called safe."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def audit() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("audit", ROOT / ".ci" / "audit.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "audit", module)
        spec.loader.exec_module(module)
        yield module


def test_every_dependency_is_in_the_bill_with_its_licence(
    audit: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit.main(["--out", str(tmp_path), "--pip-audit", str(tmp_path / "none")]) == 0
    bill = json.loads((tmp_path / "sbom.json").read_text(encoding="utf-8"))
    names = {each["name"]: each for each in bill["components"]}
    assert {"numpy", "pandas", "numba", "llvmlite"} <= names.keys()
    assert names["numpy"]["scope"] == "required"
    assert names["duckdb"]["scope"] == "optional"
    assert not {"pytest", "ruff", "mkdocs"} & names.keys()
    assert all(each["licenses"] for each in bill["components"])
    refs = {each["bom-ref"] for each in bill["components"]}
    assert all(ref in refs for each in bill["dependencies"] for ref in each["dependsOn"])
    assert len(bill["dependencies"]) == len(refs) + 1
    assert "NOT looked up: pip-audit cannot be had" in capsys.readouterr().out


def test_a_package_that_is_skipped_was_not_looked_up(audit: ModuleType) -> None:
    known = {"name": "a", "version": "1", "vulns": []}
    faulty = {"name": "b", "version": "2", "vulns": [{"id": "CVE-1"}]}
    skipped = {"name": "c", "skip_reason": "not found"}
    assert audit.read_reports([known], 1) == ([], None)
    assert audit.read_reports([known, faulty], 2) == (["b 2: CVE-1"], None)
    assert audit.read_reports([skipped], 1)[1].startswith("1 of 1 packages")
    assert audit.read_reports([known], 2)[1].startswith("1 of 2 packages")


@pytest.mark.parametrize(
    ("licence", "bad"),
    [
        ("MIT", False),
        ("LGPL-3.0-only", False),
        ("BSD-3-Clause AND GPL-3.0-or-later WITH GCC-exception-3.1", False),
        ("GPL-3.0-only", True),
        ("AGPL-3.0-or-later", True),
        ("GNU General Public License v3 (GPLv3)", True),
        ("not known", True),
    ],
)
def test_a_licence_that_binds_or_is_not_known_is_named(
    audit: ModuleType, licence: str, bad: bool
) -> None:
    found = [audit.Component("a", "1", licence, (), False)]
    assert bool(audit.bad_licences(found)) is bad
