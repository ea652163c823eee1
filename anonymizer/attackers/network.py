"""The Bayesian network of Figure 1 of Xia et al. 2021: a scenario is written as it and read from it.

Beyond the figure, common causes stand above the attribute groups that depend on them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from anonymizer.attackers.probability import CHANCE_KEYS
from anonymizer.attackers.scenario import (
    PARAMETERS,
    AttributeGroup,
    Scenario,
    describe_likelihood,
)
from anonymizer.errors import PolicyError, quote_some

if TYPE_CHECKING:
    import networkx


GROUP_KEYS = tuple(each.name for each in fields(AttributeGroup))
"""The keys of what is learned, which its node has too."""


class Node(NamedTuple):
    """A variable of the network that is true or false, and when it is true."""

    parents: tuple[str, ...]
    meaning: str
    layer: int
    """How far down the figure it stands; the attribute groups are on layer 0."""
    route: str | None = None
    formula: str | None = None
    """Its probability where it follows from the table: a_S records match what is known."""
    table: dict[tuple[bool, ...], Any] | None = None
    """Its probability for each combination of the parents' values, elsewhere; one that is a range or
    depends on the person as a scenario describes it."""


def figure(scenario: Scenario, groups: tuple[str, ...]) -> dict[str, Node]:
    """List the variables below the attribute groups, with their conditional probability tables."""
    prosecutor, journalist, marketer = "prosecutor", "journalist", "marketer"
    routes = ("X_lm", "X_lu", "X_lc")
    p_m, p_fm, p_c, p_cu = (describe_likelihood(getattr(scenario, key)) for key in PARAMETERS)
    return {
        "X_m": Node((), "presence disclosed", 1, prosecutor, table={(): p_m}),
        "X_ud": Node(groups, "unique in the table", 1, prosecutor, "1 if a_S = 1, else 0"),
        "X_up": Node(groups, "unique in the population", 1, journalist, "u_S if a_S = 1, else 0"),
        "X_s": Node(groups, "own record picked", 1, marketer, "1 / a_S"),
        "X_c": Node((), "pick can be confirmed", 1, marketer, table={(): p_c}),
        "X_lm": Node(
            ("X_m", "X_ud"),
            "found as unique and known to be present",
            2,
            prosecutor,
            table=if_all(2, p_fm),
        ),
        "X_lu": Node(
            ("X_up",),
            "confirmed as unique in the population",
            2,
            journalist,
            table=if_all(1, p_cu),
        ),
        "X_lc": Node(
            ("X_s", "X_c"), "picked and confirmed", 2, marketer, table=if_all(2, certain=1.0)
        ),
        "X_r": Node(routes, "re-identified by any route", 3, table=if_any(3)),
    }


def if_all(parents: int, certain: Any) -> dict[tuple[bool, ...], Any]:
    """Give the probability where all parents are true, else 0."""
    return {
        values: certain if all(values) else 0.0 for values in product((False, True), repeat=parents)
    }


def if_any(parents: int) -> dict[tuple[bool, ...], float]:
    """Give 1 where any parent is true, else 0.

    >>> if_any(1)
    {(False,): 0.0, (True,): 1.0}
    """
    return {values: float(any(values)) for values in product((False, True), repeat=parents)}


def to_network(scenario: Scenario) -> networkx.DiGraph:
    """Write the scenario as the Bayesian network of Figure 1, a graph with tables at its nodes.

    Y_1, Y_2, ... are the attribute groups, with the keys of the group, C_account the cause of that name;
    the others are named as in the paper, with the fields of `Node`. The population, and how it is
    estimated who is unique in it, are attributes of the graph.

    >>> from anonymizer.risk import AttributeGroup
    >>> scenario = Scenario((AttributeGroup(("age",), 0.3),), 1000, 0.5, 0.2, 0.5, 0.2)
    >>> sorted(to_network(scenario).predecessors("X_r"))
    ['X_lc', 'X_lm', 'X_lu']
    """
    import networkx  # slow to import, and only networks need it

    graph = networkx.DiGraph(
        name="re-identification of a subject",
        population=scenario.population,
        estimator=scenario.estimator,
    )
    for cause, chance in scenario.causes.items():
        graph.add_node(f"C_{cause}", meaning=f"{cause} found", layer=-1, **chance.describe())
    names = tuple(f"Y_{number}" for number in range(1, len(scenario.learned) + 1))
    for name, group in zip(names, scenario.learned, strict=True):
        graph.add_node(name, meaning=f"{group} known", layer=0, **group.describe())
        if group.cause is not None:
            graph.add_edge(f"C_{group.cause}", name)
    for name, node in figure(scenario, names).items():
        graph.add_node(name, **node._asdict())
        graph.add_edges_from((parent, name) for parent in node.parents)
    return graph


def from_network(graph: networkx.DiGraph) -> Scenario:
    """Read the scenario back from a network; one that is not Figure 1's is refused.

    The exact risk holds for that network only, so other arrows or tables would be silently ignored.

    >>> from anonymizer.risk import AttributeGroup
    >>> scenario = Scenario((AttributeGroup(("age",), 0.3),), 1000, 0.5, 0.2, 0.5, 0.2)
    >>> from_network(to_network(scenario)) == scenario
    True
    """
    if absent := [name for name in ("X_m", "X_lm", "X_lu", "X_c") if name not in graph]:
        raise PolicyError(f"network: it has no node {quote_some(absent)}; begin with `to_network`.")
    groups = [name for name in graph if str(name).startswith("Y_")]
    causes = [str(name) for name in graph if str(name).startswith("C_")]
    keys = {
        "population": graph.graph.get("population"),
        "estimator": graph.graph.get("estimator", "pitman"),
        "causes": {name.removeprefix("C_"): keys_at(graph, name, CHANCE_KEYS) for name in causes},
        "p_m": entry(graph, "X_m", ()),
        "p_fm": entry(graph, "X_lm", (True, True)),
        "p_c": entry(graph, "X_c", ()),
        "p_cu": entry(graph, "X_lu", (True,)),
        "learned": [
            keys_at(graph, name, GROUP_KEYS)
            for name in sorted(groups, key=lambda name: (len(name), name))
        ],
    }
    scenario = Scenario.parse(keys, "network")
    if faults := list(network_faults(graph, to_network(scenario))):
        raise PolicyError.defective("network", faults)
    return scenario


def keys_at(graph: networkx.DiGraph, name: str, keys: tuple[str, ...]) -> dict[str, Any]:
    """Return those attributes of a node that are keys of a scenario."""
    return {key: value for key, value in graph.nodes[name].items() if key in keys}


def entry(graph: networkx.DiGraph, name: str, values: tuple[bool, ...]) -> Any:
    """Return one entry of a node's table, or None where it has none."""
    table: dict[tuple[bool, ...], Any] = graph.nodes[name].get("table") or {}
    return table.get(values)


def network_faults(graph: networkx.DiGraph, expected: networkx.DiGraph) -> Iterator[str]:
    """Say where a network differs from Figure 1."""
    for name in sorted(set(graph) ^ set(expected), key=str):
        yield f"{name}: the network of Figure 1 has {'no' if name in graph else 'this'} node."
    for parent, child in sorted(set(graph.edges) ^ set(expected.edges), key=str):
        has = "no" if (parent, child) in graph.edges else "an"
        yield f"{child}: the network of Figure 1 has {has} arrow from {parent}."
    for name in expected:
        if name in graph and graph.nodes[name].get("table") != expected.nodes[name].get("table"):
            yield f"{name}: its table is not that of Figure 1; change the parameters only."
