"""The dict of models, and the entry points of other packages: installed for real, in a folder."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from anonymizer import (
    AnonymizerWarning,
    Policy,
    PolicyError,
    __version__,
    anonymize,
    make_manifest,
    verify,
)
from anonymizer.risk import MODELS, KAnonymity, known_models, packages_of, registry
from tests.wards import policy_with, write_files

EVERYTHING = """
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonymizer.risk import ClassModel, Direction, Parameter


@dataclass(frozen=True)
class Lenient(ClassModel):
    name: ClassVar[str] = "{name}"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("k", Direction.UP, (2, 3), whole=True),)

    k: int

    def violating(self, classes):
        return np.zeros(classes.sizes.size, bool)
"""
"""A module with a model that lets everything through."""

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Install packages, each with one module of its name, that announce models."""
    site, modules = tmp_path / "site", []
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))

    def add(package: str, code: str, announces: str, value: str = "Lenient") -> None:
        (site / f"{package}.py").write_text(code)
        folder = site / f"{package}-1.2.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.2\n")
        entry = f"[{registry.ENTRY_POINTS}]\n{announces} = {package}:{value}\n"
        (folder / "entry_points.txt").write_text(entry)
        (folder / "RECORD").write_text(f"{package}.py,,\n")
        modules.append(package)
        registry.announced.cache_clear()

    yield add
    registry.announced.cache_clear()
    for module in modules:
        sys.modules.pop(module, None)


def asking_for(folder: Path, name: str) -> Path:
    return write_files(folder, policy=policy_with(f'model = "{name}"\nk = 3'))


def test_without_other_packages_there_are_ours() -> None:
    assert known_models() == MODELS


def test_a_model_of_another_package_is_asked_for_by_its_name(
    install: Install, tmp_path: Path
) -> None:
    install("lenience", EVERYTHING.format(name="lenient"), "lenient")
    (model,) = Policy.read(asking_for(tmp_path, "lenient")).load_models()
    assert (type(model).__module__, model.name) == ("lenience", "lenient")
    assert known_models() == {**MODELS, "lenient": type(model)}
    assert packages_of([model, KAnonymity(2)]) == {
        "lenient": "lenience 1.2",
        "k-anonymity": f"anonymizer {__version__}",
    }


def test_a_package_cannot_take_the_name_of_a_built_in_model(
    install: Install, tmp_path: Path
) -> None:
    install("hijack", EVERYTHING.format(name="k-anonymity"), "k-anonymity")
    policy = asking_for(tmp_path, "k-anonymity")
    with pytest.warns(
        AnonymizerWarning, match=r"package hijack 1\.2 announces .*'k-anonymity'.* is ignored"
    ):
        solution = anonymize(None, policy)
    assert type(solution.release.policy.risk[0]) is KAnonymity
    assert solution.after.smallest_class >= 3
    assert "hijack" not in sys.modules
    released = solution.to_frame()
    manifest = make_manifest(solution, released)
    assert manifest["packages"] == {"k-anonymity": f"anonymizer {__version__}"}
    assert verify(released, policy, manifest).passed


def test_no_model_given_in_code_takes_such_a_name_either() -> None:
    class Looser(KAnonymity):
        """Somebody else's model that forgot to name itself."""

    with pytest.raises(
        PolicyError, match=r"Looser is called 'k-anonymity', which is the name of a"
    ):
        Policy(attributes={}, risk=[Looser(2)])


def test_no_package_is_imported_unless_a_policy_asks_for_its_model(
    install: Install, tmp_path: Path
) -> None:
    install("broken", "1 / 0", "broken-model")
    install("lenience", EVERYTHING.format(name="lenient"), "lenient")
    assert anonymize(None, asking_for(tmp_path, "k-anonymity")).after.smallest_class >= 3
    assert not {"broken", "lenience"} & sys.modules.keys()
    Policy.read(asking_for(tmp_path, "lenient"))
    assert "lenience" in sys.modules
    with pytest.raises(PolicyError, match=r"'strict-average'.*'broken-model', 'lenient'"):
        Policy.read(asking_for(tmp_path, "gentle"))
    with pytest.raises(PolicyError, match=r"'leninet' is unknown; did you mean 'lenient'\?"):
        Policy.read(asking_for(tmp_path, "leninet"))


def test_a_package_that_cannot_be_imported_is_an_error_for_who_uses_it_only(
    install: Install, tmp_path: Path
) -> None:
    install("broken", "1 / 0", "broken-model")
    message = (
        r"model 'broken-model' of package broken 1\.2 cannot be imported \(ZeroDivisionError: division "
        r"by zero\); repair or uninstall it\."
    )
    with pytest.raises(PolicyError, match=message):
        Policy.read(asking_for(tmp_path, "broken-model"))
    with pytest.warns(AnonymizerWarning, match=message):
        assert known_models() == MODELS


@pytest.mark.parametrize(
    ("code", "value", "message"),
    [
        ("Lenient = 3", "Lenient", "is not a dataclass derived from RiskModel"),
        ("class Lenient: pass", "Lenient", "is not a dataclass derived from RiskModel"),
        ("", "Lenient", r"cannot be imported \(AttributeError"),
        (EVERYTHING.format(name="k-anonymity"), "Lenient", "calls itself 'k-anonymity'"),
    ],
)
def test_what_is_announced_is_a_model_of_that_name(
    install: Install, tmp_path: Path, code: str, value: str, message: str
) -> None:
    install("lenience", code, "lenient", value)
    with pytest.raises(PolicyError, match=message):
        Policy.read(asking_for(tmp_path, "lenient"))


def test_two_packages_that_announce_one_name_are_an_error_for_who_uses_it(
    install: Install, tmp_path: Path
) -> None:
    for package in ("lenience", "leniency"):
        install(package, EVERYTHING.format(name="lenient"), "lenient")
    anonymize(None, asking_for(tmp_path, "k-anonymity"))
    with pytest.raises(PolicyError, match=r"'lenient' is announced by len.* 1\.2 and len.* 1\.2;"):
        Policy.read(asking_for(tmp_path, "lenient"))


def test_verification_tells_the_package_of_a_model_from_another(
    install: Install, tmp_path: Path
) -> None:
    install("lenience", EVERYTHING.format(name="lenient"), "lenient")
    policy = asking_for(tmp_path, "lenient")
    solution = anonymize(None, policy)
    released = solution.to_frame()
    manifest = make_manifest(solution, released)
    assert manifest["packages"] == {"lenient": "lenience 1.2"}

    def verdict(packages: dict[str, str] | None) -> tuple[bool | None, str]:
        changed = {**manifest, "packages": packages}
        if packages is None:
            del changed["packages"]
        checks = verify(released, policy, changed).checks
        (check,) = [check for check in checks if "packages" in check.claim]
        return check.passed, check.detail

    assert verdict({"lenient": "lenience 1.2"}) == (True, "lenience 1.2")
    assert verdict({"lenient": "other 1.2"}) == (False, "lenient: other 1.2 then, lenience 1.2 now")
    assert verdict({}) == (False, "lenient: no package then, lenience 1.2 now")
    newer = (None, "lenient: lenience 1.1 then, lenience 1.2 now")
    assert verdict({"lenient": "lenience 1.1"}) == newer
    assert verdict(None) == (None, "the manifest names no packages")
