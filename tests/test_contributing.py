"""Adding a part works as CONTRIBUTING.md says, word for word."""

from __future__ import annotations

import doctest
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest

from anonymizer import attacks
from anonymizer.attacks.attack import ATTACKS
from anonymizer.data.opening import FILES
from anonymizer.hierarchy import BUILDERS, Hierarchy
from anonymizer.policy import Policy
from anonymizer.problem import Problem
from anonymizer.report import solution as solutions
from anonymizer.risk import MODELS
from anonymizer.search import driver
from anonymizer.utility import MEASURES
from tests.exhaustive import search_exhaustively
from tests.risk import test_contract as of_models
from tests.snippets import Block, Page, Run, blocks_of
from tests.utility import test_contract as of_measures
from tests.utility.oracle import ORACLES

TREE = [(str(n), str(n // 2), "*") for n in range(4)]
HALVED = {name: {"role": "quasi", "hierarchy": Hierarchy.from_rows(name, TREE)} for name in "abc"}
K_TWO = {"model": "k-anonymity", "k": 2}
ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
TUTORIAL = (ROOT / "docs" / "pages" / "tutorial.md").read_text(encoding="utf-8")
REGISTRIES: list[dict[str, Any]] = [MODELS, MEASURES, BUILDERS, ORACLES, FILES, ATTACKS]  # type: ignore[list-item]


def section(title: str) -> str:
    """Return what is said below a heading."""
    return TEXT.split(f"\n## {title}\n")[1].split("\n## ")[0]


def files_of(title: str) -> list[Block]:
    """Return the new files that a section shows."""
    return [block for block in blocks_of(section(title)) if block.title.endswith(".py")]


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ModuleType]]:
    """Put a section's file into the package, and forget afterwards what was registered."""
    before = [dict(registry) for registry in REGISTRIES]

    def add(title: str, number: int = 0) -> ModuleType:
        block = files_of(title)[number]
        name = block.title.removesuffix(".py").replace("/", ".")
        module = ModuleType(name)
        monkeypatch.setitem(sys.modules, name, module)
        exec(compile(block.text, block.title, "exec", dont_inherit=True), module.__dict__)
        return module

    yield add
    for registry, known in zip(REGISTRIES, before, strict=True):
        registry.clear()
        registry.update(known)


@pytest.fixture
def tutorial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Run:
    """Go as far in the tutorial as to have a table and hierarchies."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    Page("tutorial.md", run).follow(TUTORIAL.split("## 4.")[0])
    return run


def contract(module: ModuleType, parameter: str, every: Iterable[Any]) -> list[Any]:
    """Find the contract tests that are run for every part: a model, or a measure by its name."""
    found = []
    for name, function in vars(module).items():
        marks = [mark for mark in getattr(function, "pytestmark", ()) if mark.name == "parametrize"]
        if name.startswith("test_") and len(marks) == 1 and marks[0].args[0] == parameter:
            found += [function] if {*map(str, every)} <= {*map(str, marks[0].args[1])} else []
    assert found
    return found


def test_an_engine_finds_the_best_of_all_schemes(
    added: Callable[..., ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = added("Add a search engine").Halves
    monkeypatch.setattr(driver, "prove", lambda state: engine(state).run())
    for seed in range(30):
        random = np.random.default_rng(seed)
        codes = random.integers(0, 4, (40, 3))
        frame = pd.DataFrame({name: codes[:, at].astype(str) for at, name in enumerate("abc")})
        problem = Problem.read(frame, Policy(attributes=HALVED, risk=[K_TWO]))
        found = driver.search(problem.evaluator, problem.lattice)
        best = search_exhaustively(problem.evaluator, problem.lattice).best
        assert found.best is not None
        assert best is not None
        assert (found.best.scheme, found.best.loss) == (best.scheme, best.loss)
        pruned = sum(found.proof.pruned.values())
        assert found.proof.evaluated + pruned == found.proof.schemes == 27


def test_a_model_works_everywhere_and_keeps_the_contract(
    added: Callable[..., ModuleType], tutorial: Run
) -> None:
    models = [
        added("Add a risk model").RecordsAtRisk,
        added("Add a risk model", 1).SeveralValues,
    ]
    MODELS.update({model.name: model for model in models})
    page = Page("CONTRIBUTING.md", tutorial, {model.__name__: model for model in models})
    page.follow(section("Add a risk model"))
    for test in contract(of_models, "model", of_models.ALL):
        for example in page.names["examples"]:
            with pytest.MonkeyPatch.context() as patch:
                given = {"model": example, "monkeypatch": patch}
                test(**{name: given[name] for name in signature(test).parameters})


def test_a_measure_works_everywhere_and_keeps_the_contract(
    added: Callable[[str], ModuleType], tutorial: Run
) -> None:
    measure = added("Add a measure").ChangedCells
    MEASURES[measure.name] = measure
    page = Page("CONTRIBUTING.md", tutorial)
    page.follow(section("Add a measure"))
    ORACLES[measure.name] = page.names["changed_cells"]
    for test in contract(of_measures, "name", MEASURES):
        test(name=measure.name)
    policy = use_policy(("[release]", f'[utility]\nmeasure = "{measure.name}"\n\n[release]'))
    for command in (
        ("run", policy, "--out", "release", "--explain"),
        ("verify", "release/release.csv", policy, "--against", "discharges.csv"),
        ("frontier", policy, "--at", "2..3", "--out", "frontier"),
    ):
        status, out, errors = tutorial(*command)
        assert status == 0, out + errors


def use_policy(*changes: tuple[str, str]) -> Path:
    """Write the policy of the tutorial with some changes."""
    (block,) = [block for block in blocks_of(TUTORIAL) if block.title == "policy.toml"]
    text = block.text
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    Path("policy.toml").write_text(text, encoding="utf-8")
    return Path("policy.toml")


def test_a_kind_of_table_works_everywhere(
    added: Callable[[str], ModuleType], tutorial: Run
) -> None:
    FILES[".jsonl"] = added("Add a kind of table").JsonLinesTable
    use_policy(("discharges.csv", "discharges.jsonl"))
    Page("CONTRIBUTING.md", tutorial).follow(section("Add a kind of table"))
    status, out, errors = tutorial("assess", "policy.toml", "--out", "assessment")
    assert status == 0, out + errors


def test_a_builder_is_known_to_the_command_line(
    added: Callable[[str], ModuleType], tutorial: Run
) -> None:
    module = added("Add a hierarchy builder")
    assert doctest.testmod(module).failed == 0
    BUILDERS[module.Prefixes.kind] = module.Prefixes
    Page("CONTRIBUTING.md", tutorial).follow(section("Add a hierarchy builder"))


def test_an_attack_is_tried_and_agrees_with_the_obvious_way(
    added: Callable[..., ModuleType], tutorial: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    certainty = added("Add an attack")
    monkeypatch.setattr(attacks, "certainty", certainty, raising=False)
    ATTACKS["certainty"] = certainty.certainty
    use_policy()
    Page("CONTRIBUTING.md", tutorial).follow(section("Add an attack"))
    test = added("Add an attack", 1)
    for held_out in (False, True):
        test.test_somebody_is_sure_where_all_rows_that_cover_them_agree(held_out=held_out)


def test_a_section_is_shown_and_agrees_with_the_released_table(
    added: Callable[..., ModuleType], tutorial: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    crowds, shown = added("Add a report section"), solutions.sections
    monkeypatch.setattr(
        solutions, "sections", lambda found: (*shown(found), crowds.crowds_section(found))
    )
    use_policy()
    Page("CONTRIBUTING.md", tutorial).follow(section("Add a report section"))
    test = added("Add a report section", 1)
    (tmp_path / "wards").mkdir()
    test.test_the_people_in_large_classes_are_counted(tmp_path / "wards")


def test_an_experiment_writes_what_it_says(
    added: Callable[[str], ModuleType], tmp_path: Path
) -> None:
    experiment = added("Add an experiment")
    experiment.PEOPLE = 30_000  # type: ignore[attr-defined]
    experiment.main(["--out", str(tmp_path / "doubling")])
    lines = (tmp_path / "doubling" / "quality.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in lines] == ["threshold", "2", "4", "8"]


def test_the_commands_of_the_set_up_are_those_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for command in ("quick", "test", "lint", "docs", "docs-serve", "test-oldest", "audit", "bench"):
        assert f"make {command}" in section("Set-up")
        assert f"\n{command}:" in makefile


def test_every_file_that_is_named_is_there_or_added() -> None:
    added = {block.title for block in blocks_of(TEXT)}
    named = set(re.findall(r"`((?:\w+/)+\w+\.\w+)`", TEXT)) - added - {"site/index.html"}
    assert [
        n for n in named if not any((ROOT / top / n).exists() for top in (".", "anonymizer"))
    ] == []


def test_the_house_names_every_folder_of_the_package() -> None:
    house = section("The house in ten lines")
    folders = {path.parent.name for path in (ROOT / "anonymizer").glob("*/__init__.py")}
    assert all(f"`{folder}/`" in house or f"`{folder}`" in house for folder in folders)
