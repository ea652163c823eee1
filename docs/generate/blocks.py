"""The blocks that pages ask for by name, each written anew from the code."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import anonymizer
from anonymizer.attackers import disclosure, statement
from anonymizer.attackers.scenario import AttributeGroup, Scenario
from anonymizer.decision import context
from anonymizer.hierarchy import BUILDERS
from anonymizer.hierarchy.builders import Builder
from anonymizer.policy import ANALYSES, Attribute, Data, Keep, Release, Search, Utility
from anonymizer.policy.study import ChildTable
from anonymizer.risk import MODELS, ModelKind
from anonymizer.utility import MEASURES, parameters_of
from docs.generate import architecture, benchmark
from docs.generate.commands import describe_commands
from docs.generate.keys import Key, keys_of, stated, table_of
from docs.generate.outputs import OUTPUTS, describe_output

MARKER = re.compile(r"<!-- generate: ([a-z -]+) -->")
PARTS: dict[str, type] = {
    "policy data": Data,
    "policy attributes": Attribute,
    "policy utility": Utility,
    "policy search": Search,
    "policy release": Release,
    "policy keep": Keep,
    "policy tables": ChildTable,
    "scenario": Scenario,
    "scenario learned": AttributeGroup,
    "statement": statement.Statement,
    "statement source": statement.ExternalSource,
    "statement without": statement.OverlapWithout,
    "sources source": disclosure.Source,
    "context": context.Context,
}
"""The declarations that are a table of keys each, by the name of the block."""


def fill(markdown: str) -> str:
    """Put every block of a page in its place."""
    return MARKER.sub(lambda found: BLOCKS[found[1]](), markdown)


def describe_part(place: str) -> str:
    """Write the keys of one declaration."""
    return table_of(keys_of(PARTS[place], place))


def describe_models() -> str:
    """Write what each risk model asks for and takes."""
    return "\n\n".join(
        section(name, model, keys_of(model, f"model {name}"))  # type: ignore[type-abstract]
        for name, model in MODELS.items()
    )


def describe_analyses() -> str:
    """Write what each kind of analysis takes."""
    return "\n\n".join(
        section(kind, analysis, keys_of(analysis, f"analysis {kind}"))
        for kind, analysis in ANALYSES.items()
    )


def name_models(kind: ModelKind | None) -> str:
    """Name the models of one kind; None is for those whose kind depends on their parameters."""
    names = [name for name, model in MODELS.items() if fixed_kind(model) is kind]
    return ", ".join(f"`{name}`" for name in names)


def fixed_kind(model: type) -> ModelKind | None:
    """Return the kind that a model has whatever its parameters are."""
    declared = inspect.getattr_static(model, "kind")
    return declared if isinstance(declared, ModelKind) else None


def describe_measures() -> str:
    """Write what each measure counts, and which keys it takes."""
    return "\n\n".join(measure_section(name, measure) for name, measure in MEASURES.items())


def measure_section(name: str, measure: type) -> str:
    """Write one measure; its parameters come from other keys of the policy."""
    takes = [
        f"- `{key}`: {stated('measure', key, 'meaning')}" for key in sorted(parameters_of(name))
    ]
    return "\n".join(
        [f"### `{name}`", "", summary(measure), "", *(takes or ["It takes no parameters."])]
    )


def describe_builders() -> str:
    """Write the keys of each builder, without those that all have."""
    common = {key.name for key in common_keys()}
    return "\n\n".join(
        section(
            kind,
            builder,
            [key for key in keys_of(builder, f"builder {kind}") if key.name not in common],
        )
        for kind, builder in BUILDERS.items()
    )


def common_keys() -> list[Key]:
    """Return the keys that every builder has."""
    return keys_of(Builder, "builder")


def section(name: str, declaration: type, keys: list[Key]) -> str:
    """Write one named declaration under a heading."""
    return f"### `{name}`\n\n{summary(declaration)}\n\n{table_of(keys)}"


def summary(declaration: type) -> str:
    """Return what a docstring says before its examples, without the proof of a bound."""
    text = (inspect.getdoc(declaration) or "").split("\n>>>")[0].strip()
    paragraphs = text.split("\n\n")
    return "\n\n".join(part for part in paragraphs if not part.startswith("The bound:"))


def describe_api() -> str:
    """Ask for the docstring of every public name."""
    return "\n\n".join(f"::: {canonical(getattr(anonymizer, name))}" for name in anonymizer.__all__)


def describe_extension_api() -> str:
    """Ask for the docstrings of what models, measures and builders are made from."""
    from anonymizer import hierarchy, risk, utility

    parts = {"Risk models": risk, "Utility measures": utility, "Hierarchies": hierarchy}
    return "\n\n".join(
        f"## {title}\n\n" + "\n\n".join(f"::: {name}" for name in names_in(module))
        for title, module in parts.items()
    )


def names_in(module: Any) -> list[str]:
    """List the classes and functions that a folder offers, by where they are defined."""
    offered = [getattr(module, name) for name in module.__all__]
    return [
        canonical(item) for item in offered if inspect.isclass(item) or inspect.isfunction(item)
    ]


def canonical(item: Any) -> str:
    """Return the dotted name of where something is defined."""
    return f"{item.__module__}.{item.__qualname__}"


BLOCKS: dict[str, Callable[[], str]] = {
    **{place: (lambda place=place: describe_part(place)) for place in PARTS},
    "models": describe_models,
    "analyses": describe_analyses,
    "measures": describe_measures,
    "builders": describe_builders,
    "builder keys": lambda: table_of(common_keys()),
    "statement example": lambda: f"```toml\n{statement.EXAMPLE.strip()}\n```",
    "sources example": lambda: f"```toml\n{disclosure.EXAMPLE.strip()}\n```",
    "context example": lambda: f"```toml\n{context.EXAMPLE.strip()}\n```",
    "commands": describe_commands,
    **{name: (lambda name=name: describe_output(name)) for name in OUTPUTS},
    "models of people": lambda: name_models(ModelKind.PEOPLE),
    "models of classes": lambda: name_models(ModelKind.CLASSES),
    "models of the table": lambda: name_models(ModelKind.TABLE),
    "models of either": lambda: name_models(None),
    "benchmark searches": benchmark.describe_searches,
    "benchmark models": benchmark.describe_other_models,
    "benchmark large": benchmark.describe_large,
    "benchmark engines": benchmark.describe_engines,
    "benchmark layers": benchmark.describe_layers,
    "benchmark growth": benchmark.describe_growth,
    "benchmark reference": benchmark.describe_reference,
    "architecture flow": architecture.describe_flow,
    "architecture rooms": architecture.describe_rooms,
    "api": describe_api,
    "extension api": describe_extension_api,
}
"""What a page may ask for."""
