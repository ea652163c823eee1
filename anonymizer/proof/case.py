"""A policy put to a table, as the checker reads it: small integers, and rules of its own.

This is what the checker shares with the rest of the package: reading. Cells have become codes of the
hierarchies' leaves, probabilities of sources and scenarios numbers for each tuple; what a model means is
left to the models.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.attackers.overall import ScenarioAttack
from anonymizer.attackers.sources import SourceAttack
from anonymizer.attackers.statement import SMALL_CELL
from anonymizer.attackers.uniqueness import estimate_unique
from anonymizer.estimators.uniques import ESTIMATORS
from anonymizer.hierarchy import MISSING
from anonymizer.lattice import Lattice
from anonymizer.policy import Keep
from anonymizer.problem import Problem
from anonymizer.proof import distributions, models
from anonymizer.proof.checker import Case
from anonymizer.proof.linked import KnownEvents, LinkedMeasure, LinkedRows, PeopleTable
from anonymizer.proof.losses import Measure
from anonymizer.proof.models import Model
from anonymizer.proof.table import Attribute, Group, Table, Unsupported, Values
from anonymizer.study.evaluator import StudyEvaluator
from anonymizer.study.study import Study, StudyTable
from anonymizer.table.domain import QuasiIdentifier
from anonymizer.table.microdata import Microdata
from anonymizer.table.people import People
from anonymizer.table.sensitive import SensitiveColumn

Integers = NDArray[np.int64]


def case_of(problem: Problem) -> Case:
    """Return what is asked of a table; Unsupported says what the checker has no rule for."""
    if problem.policy.release.in_layers:
        raise Unsupported("a release in layers has no proof file; its bound is searched for again.")
    if problem.policy.data.sample < 1:
        raise Unsupported(
            "a release of a sample has no proof file: the sample is drawn with a key."
        )
    if problem.earlier is not None:
        raise Unsupported(
            "there is no rule yet for a release beside the earlier ones of a register."
        )
    microdata = problem.microdata
    asked = tuple(part for model in problem.models for part in model_of(model, microdata))
    names = {model.name for model in problem.models}
    of_table = any(model.scope == "table" for model in asked)
    together = not all(model.local for model in asked)
    if sum(model.scope == "table" for model in asked) > 1 and "p-uniqueness" in names:
        raise Unsupported(
            "there is no rule for p-uniqueness beside another risk of the whole table."
        )
    if of_table and (microdata.people is not None or together):
        raise Unsupported(
            "there is no rule for risks of the whole table where people have several rows, or beside "
            "sources or overall risk."
        )
    return Case(
        table_of(microdata),
        problem.lattice.low,
        problem.lattice.high,
        problem.suppression_limit,
        measure_of(problem),
        asked,
        tuple(group_of(keep, microdata) for keep in problem.policy.keep),
    )


def group_of(keep: Keep, microdata: Microdata) -> Group:
    """Return the parts of tuples that meet a condition, and whose they are."""
    condition, share = keep.condition, Fraction(repr(float(keep.at_least)))
    if condition.column in microdata.attributes:
        at = microdata.attributes.index(condition.column)
        column = microdata.columns[at]
        leaves = [column.hierarchy.leaves[leaf] for leaf in column.leaves.tolist()]
        parts = condition.meets(leaves)[microdata.codes[at]]
        places, owners = np.arange(microdata.distinct), owners_of(microdata.people)
        records = microdata.counts.astype(np.int64)
    else:
        values = values_of(microdata.counted_columns[condition.column])
        parts = condition.meets(values.texts)[values.value_of_pair]
        places, owners, records = values.tuple_of_pair, values.owners, values.records
    if owners is not None:
        person, part = owners
        there = parts[part]
        owners = person[there], (np.cumsum(parts) - 1)[part[there]]
    return Group(keep.where, share, places[parts], records[parts], owners)


def case_of_study(evaluator: StudyEvaluator, lattice: Lattice) -> Case:
    """Return what is asked of linked tables, whose only measure is the loss."""
    if evaluator.model.suppress == "events":
        raise Unsupported("there is no rule for single events that are dropped.")
    table, model, measure = linked_table_of(evaluator.study), evaluator.model, evaluator.cover
    known = KnownEvents(
        table,
        model.k,
        None if isinstance(model.power, str) else model.power,
        model.powers,
        model.share,
        model.most_events,
        model.counts == "known",
    )
    return Case(
        table,
        lattice.low,
        lattice.high,
        evaluator.suppression_limit,
        LinkedMeasure(measure.name, str(measure.aggregate), measure.weights),
        (known,),
    )


def linked_table_of(study: Study) -> PeopleTable:
    """Return the tables of a study, with everybody as a tuple of their own."""
    rows = tuple(map(linked_rows_of, study.tables))
    columns = [column for table in study.tables for column in table.microdata.columns]
    return PeopleTable(
        tuple(map(attribute_of, study.attributes, columns)),
        np.zeros((0, study.people), np.int64),
        np.ones(study.people, np.int64),
        rows=rows,
    )


def linked_rows_of(table: StudyTable) -> LinkedRows:
    """Return one table of a study."""
    above = np.empty(0) if table.parent_row is None else table.parent_row
    return LinkedRows(
        table.name,
        table_of(table.microdata),
        table.microdata.tuple_of_row.astype(np.int64),
        table.parent,
        above.astype(np.int64),
    )


def table_of(microdata: Microdata) -> Table:
    """Return the distinct tuples of a table."""
    population = microdata.population
    return Table(
        tuple(map(attribute_of, microdata.attributes, microdata.columns)),
        microdata.codes.astype(np.int64),
        microdata.counts.astype(np.int64),
        owners_of(microdata.people),
        None
        if population is None
        else (
            population.codes.astype(np.int64),
            population.counts.astype(np.int64),
            population.places,
        ),
        {name: values_of(column) for name, column in microdata.sensitive.items()},
    )


def attribute_of(name: str, column: QuasiIdentifier) -> Attribute:
    """Return what the codes of a quasi-identifier become."""
    hierarchy = column.hierarchy
    covered = tuple(column.covered)
    return Attribute(
        name, column.groups, covered, int(hierarchy.extent), int(hierarchy.least_cover)
    )


def values_of(column: SensitiveColumn) -> Values:
    """Return a sensitive column in pairs of a tuple and a value."""
    return Values(
        column.texts,
        column.tuple_of_pair.astype(np.int64),
        column.value_of_pair.astype(np.int64),
        column.records,
        owners_of(column.people),
    )


def owners_of(people: People | None) -> tuple[Integers, Integers] | None:
    """List everybody with each place where they are: people of one history one by one."""
    if people is None:
        return None
    alone = np.repeat(np.arange(people.of_tuple.size), people.of_tuple)
    persons, places, number = [np.arange(alone.size)], [alone], alone.size
    for start, end, many in zip(
        people.starts[:-1], people.starts[1:], people.of_history, strict=True
    ):
        shown = people.tuple_of_entry[start:end]
        persons.append(np.repeat(number + np.arange(many), shown.size))
        places.append(np.tile(shown, many))
        number += int(many)
    return np.concatenate(persons), np.concatenate(places)


def measure_of(problem: Problem) -> Measure:
    """Return the measure of a policy."""
    utility, weights = problem.policy.utility, problem.policy.weights
    aggregate = str(utility.own_aggregate)
    if utility.measure == "height":
        tops = tuple(float(max(1, high)) for high in problem.microdata.lattice.high)
        return Measure("precision", "sum", tops)
    if utility.measure not in ("loss", "precision", "entropy"):
        raise Unsupported(f"there is no rule for the measure '{utility.measure}'.")
    factor = utility.factor if utility.measure == "loss" else 0.5
    return Measure(utility.measure, aggregate, weights, float(factor))


def model_of(model: Any, microdata: Microdata) -> tuple[Model, ...]:
    """Return what the checker asks in place of a risk model."""
    if model.name not in RULES:
        raise Unsupported(f"there is no rule for the risk model '{model.name}'.")
    if getattr(model, "reference", "input") != "input":
        raise Unsupported(f"there is no rule for '{model.name}' compared with the release.")
    return RULES[model.name](model, microdata)


def k_map_of(model: Any, microdata: Microdata) -> tuple[Model, ...]:
    """Count people in a table, or derive how many a class needs."""
    if model.weight is not None:
        raise Unsupported("there is no rule for k-map by sampling weights.")
    if model.population is None:
        return (models.KMap(model.k),)
    truncated = model.estimator == "zero-truncated-poisson"
    people = microdata.number_of_people
    k = models.derived_k(model.k, model.significance, people, model.population, truncated)
    return (models.LeastClass(k),)


def sources_of(model: Any, microdata: Microdata) -> tuple[Model, ...]:
    """Read p and q of every source for each tuple."""
    attacks = tuple(model.attacks(microdata))
    if any(attack.linked is not None for attack in attacks):
        raise Unsupported("there is no rule for sources with a table of their own.")
    sources = tuple(source_of(attack, model.threshold) for attack in attacks)
    if not model.refuses_telling:
        return (models.Sources(sources),)
    harmful = {name: frozenset(values) for name, values in model.statement.sensitive.items()}
    told = tuple(
        tuple((name, values) for name, values in harmful.items() if attack.source.learns(name))
        for attack in attacks
    )
    return models.Sources(sources), models.NothingTold(sources, SMALL_CELL, told)


def source_of(attack: SourceAttack, threshold: float | None) -> models.Source:
    """Read one source."""
    source, places = attack.source, dict(zip(attack.source.keys, attack.places, strict=True))

    def by_tuple(share: Any) -> NDArray[np.float64] | None:
        return None if share is None else attack.by_tuple(share)

    return models.Source(
        attack.known_levels,
        attack.threshold if threshold is None else threshold,
        attack.by_tuple(source.p),
        attack.by_tuple(source.q),
        {places[key]: (by_tuple(o.p), by_tuple(o.q)) for key, o in source.without.items()},
    )


def overall_of(model: Any, microdata: Microdata) -> tuple[Model, ...]:
    """Read what an attacker may learn of each tuple's people."""
    scenario = model.scenario
    if not model.limits_everybody:
        raise Unsupported("there is no rule for the mean or a percentile of the overall risk.")
    if scenario.needs_unique and (scenario.counted or scenario.has_learned_ranges):
        raise Unsupported(
            "there is no rule for overall risk with a population table or with ranges."
        )
    attack: ScenarioAttack = model.attack(microdata)
    names, causes = microdata.attributes, list(attack.scenario.causes)
    groups = attack.scenario.learned
    unique = None
    if scenario.needs_unique:
        unique = estimator_of(attack)
    read = models.Scenario(
        tuple({names.index(n): g.levels.get(n, 0) for n in g.attributes} for g in groups),
        tuple(None if g.cause is None else causes.index(g.cause) for g in groups),
        attack.chances.groups,
        attack.chances.causes,
        attack.chances.parameters,
        attack.kind.astype(np.int64),
        unique,
        model.threshold,
    )
    return (models.Overall(read),)


def estimator_of(attack: ScenarioAttack) -> Callable[[Integers], float]:
    """Return what estimates u_S from the sizes of cells."""
    population, estimator = attack.scenario.population, attack.estimator
    return lambda sizes: estimate_unique(sizes, population, estimator)


def t_closeness_of(model: Any, microdata: Microdata) -> tuple[Model, ...]:
    """Order the values, or group them by their hierarchy below its root."""
    texts, of = microdata.sensitive[model.attribute].texts, (model.attribute, float(model.t))
    if model.distance == "ordered":
        ranks = tuple(model.ground(microdata).ranks.tolist())
        return (distributions.TCloseness(*of, ranks=ranks, values=model.values),)
    levels: list[tuple[int, ...]] = [tuple(range(len(texts)))]
    if model.distance == "hierarchical":
        tree = model.hierarchy.with_missing() if MISSING in texts else model.hierarchy
        at = [tree.leaves.index(text) for text in texts]
        grouped = [tuple(level[at].tolist()) for level in tree.codes]
        levels = grouped[:-1] if len(grouped) > 1 and len(tree.labels[-1]) == 1 else grouped
    return (distributions.TCloseness(*of, levels=tuple(levels), values=model.values),)


def strict_average_of(model: Any, microdata: Microdata) -> tuple[Model, ...]:  # noqa: ARG001
    """k people in every class, and a limit on the average."""
    return models.LeastClass(model.k), models.Average(model.threshold)


def p_uniqueness_of(model: Any, microdata: Microdata) -> tuple[Model, ...]:
    """Read the limit, and with how many classes or uniques the estimate must be above it."""
    if not model.exact:
        raise Unsupported("there is no rule for p-uniqueness with a threshold of 0.1 or more.")
    people, population, limit = microdata.number_of_people, model.population, model.limit

    def estimate(sizes: Integers, classes: Integers) -> float:
        found = ESTIMATORS[model.estimator](sizes, classes, population)
        return math.inf if math.isnan(found) else min(found, population)

    most_of_all = most_alone = None
    if model.estimator == "zayatz":  # at least N (uniques / records) squared
        most_alone = math.floor(math.sqrt(model.threshold) * people) + 1
    elif model.estimator == "pitman" or (model.estimator == "dankar" and people <= population / 10):
        # SciPy's special functions take a tenth of a second to import, for every other model in vain
        from anonymizer.estimators.most_classes import most_classes

        most_of_all = most_classes(people, population, limit)
    return (models.PUniqueness(limit, estimate, most_of_all, most_alone),)


RULES: dict[str, Callable[[Any, Microdata], tuple[Model, ...]]] = {
    "k-anonymity": lambda m, _: (models.LeastClass(m.k),),
    "k-map": k_map_of,
    "sources": sources_of,
    "overall": overall_of,
    "nrf": overall_of,
    "distinct-l": lambda m, _: (distributions.DistinctL(m.attribute, m.l, m.values),),
    "entropy-l": lambda m, _: (distributions.EntropyL(m.attribute, m.l, m.values),),
    "recursive-cl": lambda m, _: (distributions.RecursiveCL(m.attribute, m.c, m.l, m.values),),
    "t-closeness": t_closeness_of,
    "beta-likeness": lambda m, _: (
        distributions.BetaLikeness(m.attribute, m.beta, m.enhanced, m.values),
    ),
    "delta-disclosure": lambda m, _: (
        distributions.DeltaDisclosure(m.attribute, m.delta, m.absent == "skip", m.values),
    ),
    "delta-presence": lambda m, _: (distributions.DeltaPresence(m.minimum, m.maximum),),
    "strict-average": strict_average_of,
    "average": lambda m, _: (models.Average(m.threshold),),
    "p-uniqueness": p_uniqueness_of,
    "sample-uniqueness": lambda m, _: (models.SampleUniqueness(m.threshold),),
}
"""What the checker asks in place of each risk model."""
