"""What the documentation says is so: its code runs, and it leaves no key out."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import anonymizer
from anonymizer.attackers import disclosure
from anonymizer.errors import PolicyError
from anonymizer.hierarchy import BUILDERS
from anonymizer.policy import ANALYSES, Policy
from anonymizer.risk import MODELS
from anonymizer.utility import MEASURES, parameters_of
from docs.generate import BLOCKS, fill
from docs.generate.benchmark import measured
from docs.generate.blocks import MARKER, PARTS, common_keys
from docs.generate.commands import commands
from docs.generate.keys import Key, fields_of, keys_of, stated_meanings
from docs.generate.outputs import OUTPUTS, meaning_of, paths_of
from docs.hooks import PAGES as FROM_ELSEWHERE
from docs.hooks import PICTURES, REPORTS, outside_requests
from tests.snippets import Page, Run

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "pages"
NAMES = sorted(path.relative_to(PAGES).as_posix() for path in PAGES.rglob("*.md"))
HOW_TO = [name for name in NAMES if name.startswith("how-to/")]
BEFORE_A_HOW_TO = "## 6."
"""A how-to page goes on from this step of the tutorial."""


def page(name: str) -> str:
    """Return a page with what is generated for it."""
    return fill((PAGES / name).read_text(encoding="utf-8"))


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Iterator[Run]:
    """Give a reader an empty folder and a terminal; what a page adds to the package is forgotten."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    before = dict(MEASURES), dict(BUILDERS)
    yield run
    for registry, known in zip((MEASURES, BUILDERS), before, strict=True):
        registry.clear()
        registry.update(known)  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def after_tutorial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder for what the tutorial leaves to the how-to pages."""
    return tmp_path_factory.mktemp("tutorial")


@pytest.mark.parametrize("name", [name for name in NAMES if name not in HOW_TO])
def test_the_code_of_a_page_runs_and_prints_what_is_shown(name: str, reader: Run) -> None:
    Page(name, reader).follow(page(name))


SLOW = ("how-to/assess-attackers.md",)
"""It draws many pictures."""


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in HOW_TO]
)
def test_a_how_to_page_goes_on_from_the_tutorial(
    name: str, reader: Run, tmp_path: Path, after_tutorial: Path
) -> None:
    if not any(after_tutorial.iterdir()):  # the first that needs it
        Page("tutorial.md", reader).follow(page("tutorial.md").split(BEFORE_A_HOW_TO)[0])
        shutil.copytree(tmp_path, after_tutorial, dirs_exist_ok=True)
    shutil.copytree(after_tutorial, tmp_path, dirs_exist_ok=True)
    Page(name, reader).follow(page(name))


@pytest.mark.parametrize(
    "wrong",
    [
        "```pycon\n>>> 1 + 1\n3\n```",
        "```python\nassert False\n```",
        "```console\n$ anonymizer reproduce\nnothing\n```",
        "```console\n$ anonymizer run nowhere.toml\n...\n```",
        '```toml\n[[risk]]\nmodel = "k-anonymity"\nl = 5\n```',
        "```java\nanything\n```",
    ],
)
def test_a_page_that_shows_what_is_not_so_is_found(wrong: str, reader: Run) -> None:
    with pytest.raises((AssertionError, PolicyError)):
        Page("wrong", reader).follow(wrong + "\n")


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_in_the_navigation_and_its_links_lead_somewhere(name: str) -> None:
    text = page(name)
    assert f": {name}\n" in (ROOT / "docs" / "mkdocs.yml").read_text(encoding="utf-8")
    known = {*NAMES, *FROM_ELSEWHERE, *PICTURES, *REPORTS}
    for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        target = (PAGES / name).parent / link
        assert target.resolve().relative_to(PAGES.resolve()).as_posix() in known


def test_files_from_elsewhere_are_there() -> None:
    paths = (*FROM_ELSEWHERE.values(), *PICTURES, *REPORTS)
    assert [path for path in paths if not (ROOT / path).is_file()] == []


def test_what_the_steward_is_told_to_press_is_what_the_studio_says() -> None:
    studio = ROOT / "anonymizer" / "studio"
    sources = [*studio.rglob("*.js"), *studio.rglob("*.html"), *studio.glob("*.py")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    for said in re.findall(r"\*\*(.+?)\*\*", page("tutorial-studio.md").replace("\n", " ")):
        assert said in text, said


def asked_for() -> list[str]:
    texts = [(PAGES / name).read_text(encoding="utf-8") for name in NAMES]
    return [block for text in texts for block in MARKER.findall(text)]


def test_every_block_is_on_a_page_and_every_page_asks_for_blocks_there_are() -> None:
    assert set(asked_for()) == set(BLOCKS)


def sections_of_a_policy() -> list[str]:
    """The tables of a policy, as its declaration has them."""
    parts = [part.__name__ for part in PARTS.values()]
    return [name for name, kind, _ in fields_of(Policy) if any(part in str(kind) for part in parts)]


def test_the_reference_has_every_table_of_a_policy() -> None:
    text = page("reference/policy.md")
    tables = sections_of_a_policy()
    lists = ("risk", "analysis", "keep")
    tables = [name for name in tables if name not in lists]
    assert {*tables, *lists} == {name for name, _, _ in fields_of(Policy)}
    assert all(f"## `[{name}]`" in text for name in tables)
    assert all(f"## `[[{name}]]`" in text for name in lists)


DECLARED: dict[str, list[Key]] = {
    **{place: keys_of(part, place) for place, part in PARTS.items()},
    **{f"model {name}": keys_of(model, f"model {name}") for name, model in MODELS.items()},
    **{f"analysis {kind}": keys_of(each, f"analysis {kind}") for kind, each in ANALYSES.items()},
    **{
        f"builder {kind}": keys_of(builder, f"builder {kind}") for kind, builder in BUILDERS.items()
    },
    "builder": common_keys(),
}
"""All keys of all declarations, by the place where `meanings.toml` speaks of them."""
ON = {"policy": "policy", "model": "policy", "analysis": "policy", "builder": "hierarchies"}
"""The page that has a declaration, by the first word of its place."""


@pytest.mark.parametrize("place", DECLARED)
def test_every_key_is_on_its_page_with_type_and_meaning(place: str) -> None:
    text = page(f"reference/{ON.get(place.split()[0], 'assessment-files')}.md")
    common = {key.name for key in common_keys()} if place.startswith("builder ") else set()
    for key in DECLARED[place]:
        assert key.meaning or key.name in common, f"{place}: add a docstring to {key.name}"
        assert key.type
        assert f"| `{key.name}` | " in text


@pytest.mark.parametrize("name", MODELS)
def test_every_model_has_its_parameters_below_its_name(name: str) -> None:
    section = page("reference/policy.md").split(f"### `{name}`\n")[1].split("\n##")[0]
    assert all(f"| `{key.name}` |" in section for key in DECLARED[f"model {name}"])


@pytest.mark.parametrize("kind", ANALYSES)
def test_every_kind_of_analysis_has_its_keys_below_its_name(kind: str) -> None:
    section = page("reference/policy.md").split(f"### `{kind}`\n")[1].split("\n##")[0]
    assert all(f"| `{key.name}` |" in section for key in DECLARED[f"analysis {kind}"])


def test_every_model_is_said_to_be_of_people_or_of_the_table() -> None:
    named = [BLOCKS[f"models of {what}"]() for what in ("people", "classes", "the table", "either")]
    assert sorted(", ".join(named).split(", ")) == sorted(f"`{name}`" for name in MODELS)


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_has_its_parameters_below_its_name(name: str) -> None:
    section = page("reference/policy.md").split(f"### `{name}`\n")[1].split("\n##")[0]
    assert all(f"- `{parameter}`: " in section for parameter in parameters_of(name))


@pytest.mark.parametrize("kind", BUILDERS)
def test_every_builder_has_its_keys_below_its_name(kind: str) -> None:
    section = page("reference/hierarchies.md").split(f"### `{kind}`\n")[1].split("\n##")[0]
    common = {key.name for key in common_keys()}
    own = [key.name for key in DECLARED[f"builder {kind}"] if key.name not in common]
    assert own
    assert all(f"| `{key}` |" in section for key in own)


def test_the_example_of_sources_has_no_other_keys_than_the_reference() -> None:
    text = page("reference/assessment-files.md")
    assert all(
        f"| `{key}` | " in text for key in re.findall(r"^(?:\[\[)?(\w+)", disclosure.EXAMPLE, re.M)
    )


@pytest.mark.parametrize("name", OUTPUTS)
def test_every_field_of_an_output_has_a_meaning(name: str) -> None:
    text = page("reference/outputs.md")
    for path in paths_of(name):
        assert meaning_of(name, path), f'add {path!r} to ["output {name}"] in meanings.toml'
        assert f"| `{path}` | " in text


def test_no_meaning_is_stated_for_what_is_not_there() -> None:
    outputs = {f"output {name}": set(paths_of(name)) for name in OUTPUTS}
    known = {place: {key.name for key in keys} for place, keys in DECLARED.items()}
    known |= outputs
    known["output"] = set().union(*outputs.values())
    known["measure"] = set().union(*(parameters_of(name) for name in MEASURES))
    for place, meanings in stated_meanings().items():
        assert meanings.keys() <= known[place], place


@pytest.mark.parametrize(("name", "command"), list(commands()), ids=lambda value: str(value)[:30])
def test_every_option_of_every_command_is_in_the_reference(name: str, command: object) -> None:
    section = page("reference/command-line.md").split(f"## `{name}`\n")[1].split("\n## ")[0]
    for parameter in command.params:  # type: ignore[attr-defined]
        if parameter.name != "help":
            words = (
                parameter.opts
                if parameter.param_type_name == "option"
                else [parameter.name.upper()]
            )
            assert all(f"`{word}`" in section for word in words)


@pytest.mark.parametrize("name", anonymizer.__all__)
def test_every_public_name_is_in_the_reference(name: str) -> None:
    item = getattr(anonymizer, name)
    assert f"::: {item.__module__}.{item.__qualname__}\n" in page("reference/api.md") + "\n"


def test_what_is_said_of_clusters_is_the_benchmarks() -> None:
    text = " ".join(page("how-to/cluster.md").split())
    seconds = {
        (row["data"], row["backend"]): float(row["seconds"])
        for row in measured("benchmark/cluster")
        if row["workers"] == "2"
    }
    loky, dask = (
        max(
            taken / seconds[data, "threads"]
            for (data, used), taken in seconds.items()
            if used == name
        )
        for name in ("loky", "dask")
    )
    assert f"up to {loky:.1f} times as long with loky as with threads" in text
    assert f"up to {dask:.1f} times as long with Dask" in text
    best: dict[str, float] = {}
    for row in measured("benchmark/cluster_simulated"):
        best[row["data"]] = max(best.get(row["data"], 1.0), float(row["speed-up"]))
    low, high = min(best.values()), max(best.values())
    assert f"becomes {low:.1f} to {high:.1f} times as fast at best" in text


def test_what_is_said_of_layers_is_the_experiment_s() -> None:
    text = " ".join(page("how-to/layers.md").split())
    rows = measured("layers/comparison")
    row = next(r for r in rows if (r["data"], r["model"], r["aggregate"]) == LAYERED)
    layers, one = (f"{1 - float(row[name]):.3f}" for name in ("loss", "loss of one scheme"))
    assert (
        f"On ADULT with k = 5 the quality is {layers} in layers and {one} with one scheme" in text
    )


def test_what_is_said_of_optima_beside_arx_is_the_benchmarks() -> None:
    text = " ".join(page("explanation/comparison.md").split())
    rows = [row for row in measured("benchmark/searches") if row["model"] == "k-anonymity"]
    gains = [float(row["loss - ARX's"]) for row in rows if row["loss - ARX's"]]
    assert "the losses agree to 1e-10" in text
    assert gains
    assert max(map(abs, gains)) <= 1e-10
    assert "the same loss and suppressed records everywhere, proven" in text
    for row in measured("benchmark/sensitive"):
        assert abs(float(row["loss - ARX's"])) <= 1e-9
        assert row["suppressed - ARX's"] == "0"
        assert row["status"] == "optimal"


LAYERED = ("adult", "k = 5", "geometric")
"""What the page on layers speaks of."""


TERMS = [
    "Bound", "Box", "Equivalence class", "Frontier", "Gap", "Greatest fixpoint", "Hierarchy",
    "Journalist risk", "k-anonymity", "k-map", "Lattice", "Loss", "Manifest", "Marketer risk",
    "Order of suppression", "Overall risk", "p-uniqueness", "Prosecutor risk", "Quasi-identifier",
    "Scenario", "Scheme", "Statement", "Suppression", "u_S",
]  # fmt: skip


def test_the_glossary_has_the_terms_of_the_field_in_order() -> None:
    terms = re.findall(r"^(\S.*)\n:   ", page("explanation/glossary.md"), re.MULTILINE)
    assert set(TERMS) <= set(terms)
    assert terms == sorted(terms, key=str.lower)


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ('<script src="https://cdn.example/x.js"></script>', True),
        ('<link rel="stylesheet" href="//fonts.example/css">', True),
        ("<style>@import url(https://fonts.example/css)</style>", True),
        ('<a href="https://example.org">read</a> <img src="local.png">', False),
        ('<script src="../assets/x.js"></script>', False),
    ],
)
def test_a_request_to_another_machine_is_found(text: str, asks: bool, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(text)
    assert bool(list(outside_requests(tmp_path))) is asks


def test_the_site_is_built_without_a_warning_and_asks_for_nothing_from_outside(
    tmp_path: Path,
) -> None:
    pytest.importorskip("mkdocs", reason="`make docs` installs what the site is built with")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict"]
    subprocess.run(
        [*command, "-f", ROOT / "docs" / "mkdocs.yml", "-d", tmp_path], check=True, cwd=ROOT
    )
    assert (tmp_path / "reference" / "api.html").is_file()
    assert not list(outside_requests(tmp_path))
