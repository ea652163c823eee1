"""The Bayesian network of Figure 1 of Xia et al. 2021, drawn of a scenario.

Beyond the figure, common causes stand above the attribute groups that depend on them.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from anonymizer.attackers.scenario import PARAMETERS, Scenario, describe_likelihood

if TYPE_CHECKING:
    import networkx


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
