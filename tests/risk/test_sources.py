"""sources: against the definition, and against all subsets of the records."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer import (
    Policy,
    PolicyError,
    anonymize,
    assess,
    explain,
    frontier,
    make_manifest,
    verify,
)
from anonymizer import Problem as Asked
from anonymizer.attackers.statement import Statement
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.evaluation.suppression import suppress
from anonymizer.risk import KAnonymity, Remaining, Sources
from anonymizer.search import search
from anonymizer.table.classes import partition
from tests.oracle import Problem
from tests.risk.people import people, stated
from tests.risk.test_people import rows_of, with_people
from tests.strategies import assert_best, evaluator_of, lattice_of, problems

shares = st.sampled_from([0.0, 0.1, 0.3, 0.5, 1.0])


@st.composite
def statements(draw, names: tuple[str, ...]) -> Statement:
    sources = []
    for number in range(draw(st.integers(1, 3))):
        keys = draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
        p: object = draw(shares)
        if draw(st.booleans()):
            p = {"by": keys[0], "probabilities": {"v0": draw(shares)}, "default": draw(shares)}
        source = {"name": f"s{number}", "keys": keys, "p": p, "q": draw(shares)}
        sources.append(source | {"threshold": draw(st.sampled_from([0.05, 0.2, 0.34, 0.5]))})
    return Statement(source=sources)


def probability(statement, number, row, subset, rows, leaves, persons, names) -> float:
    """p q / k by its definition, for one row of a subset of the rows."""
    source = statement.source[number]
    at = [names.index(key) for key in source.keys]
    key = [rows[row][a] for a in at]
    alike = {persons[i] for i in subset if [rows[i][a] for a in at] == key}

    def share(of) -> float:
        if of.by is None:
            return of.default
        return dict(of.probabilities).get(leaves[row][names.index(of.by)], of.default)

    return share(source.p) * share(source.q) / len(alike)


def holds(statement, subset, rows, leaves, persons, names) -> bool:
    return all(
        probability(statement, s, row, subset, rows, leaves, persons, names)
        <= statement.threshold_of(source) + 1e-12
        for s, source in enumerate(statement.source)
        for row in subset
    )


def drawn(problem: Problem, data) -> tuple[Evaluator, Statement, list[int], list[tuple[str, ...]]]:
    evaluator = evaluator_of(problem)
    microdata = evaluator.microdata
    statement = data.draw(statements(microdata.attributes))
    persons = list(range(microdata.records))
    if data.draw(st.booleans()):
        ids = st.lists(st.integers(0, 5), min_size=microdata.records, max_size=microdata.records)
        persons = data.draw(ids)
        evaluator = with_people(evaluator, persons)
    leaves = [
        tuple(
            column.hierarchy.leaves[column.leaves[codes[t]]]
            for column, codes in zip(microdata.columns, microdata.codes, strict=True)
        )
        for t in microdata.tuple_of_row
    ]
    return evaluator, statement, persons, leaves


@settings(max_examples=80)
@given(problem=problems(max_attributes=3), data=st.data())
def test_what_is_kept_is_the_largest_of_all_subsets_that_meet_it(problem, data) -> None:
    evaluator, statement, persons, leaves = drawn(problem, data)
    microdata = evaluator.microdata
    if microdata.records > 8:
        return
    scheme = data.draw(st.sampled_from(list(lattice_of(problem))))
    rows, names = rows_of(microdata, scheme), list(microdata.attributes)
    found = suppress(microdata, partition(microdata, scheme), [Sources(statement)])
    kept = frozenset(np.flatnonzero(~found.tuples[microdata.tuple_of_row]).tolist())
    assert holds(statement, kept, rows, leaves, persons, names)
    for size in range(microdata.records + 1):
        for subset in combinations(range(microdata.records), size):
            if holds(statement, subset, rows, leaves, persons, names):
                assert set(subset) <= kept


@settings(max_examples=60)
@given(problem=problems(max_attributes=3), data=st.data())
def test_branch_and_bound_is_exhaustive_search(problem, data) -> None:
    evaluator, statement, _, _ = drawn(problem, data)
    models = [Sources(statement), *data.draw(st.sampled_from([[], [KAnonymity(2)]]))]
    evaluator = replace(evaluator, models=tuple(models))
    assert_best(search(evaluator, lattice_of(problem)), evaluator, lattice_of(problem))


@settings(max_examples=60)
@given(problem=problems(max_attributes=3), data=st.data())
def test_what_is_suppressed_is_suppressed_at_every_finer_scheme(problem, data) -> None:
    evaluator, statement, _, _ = drawn(problem, data)
    microdata, schemes = evaluator.microdata, list(lattice_of(problem))
    coarse = data.draw(st.sampled_from(schemes))
    finer = [s for s in schemes if all(a <= b for a, b in zip(s, coarse, strict=True))]
    fine = data.draw(st.sampled_from(finer))
    gone, more = (
        suppress(microdata, partition(microdata, scheme), [Sources(statement)]).tuples
        for scheme in (coarse, fine)
    )
    assert not (gone & ~more).any()


STATEMENT = Statement(
    source=[
        {"name": "newspapers", "keys": ["age"], "p": 0.4, "threshold": 0.1},
        {"name": "register", "keys": ["age", "sex"], "p": 0.5, "q": 0.5, "threshold": 0.1},
    ]
)


def policy(statement: object = STATEMENT, **keys: object) -> Policy:
    return stated(statement, **keys)


def test_it_drives_run_frontier_explanation_and_verification() -> None:
    frame = people()
    solution = anonymize(frame, policy())
    assert solution.status == "optimal"
    assert solution.suppressed < 160
    released = solution.to_frame()
    manifest = make_manifest(solution, released)
    assert verify(released, policy(), manifest).passed
    assert verify(released, policy(), manifest, against=frame).passed
    assert explain(solution).describe()["models"]
    curve = frontier(frame, policy(), values=[0.5, 0.2, 0.1, 0.05])
    for point in curve.points:
        single = anonymize(frame, policy(threshold=point.value))
        assert (single.loss, single.suppressed) == (
            point.evaluation.loss,
            point.evaluation.suppressed_records,
        )


def test_a_release_with_one_row_too_few_does_not_verify() -> None:
    frame = people()
    solution = anonymize(frame, policy())
    released = solution.to_frame()
    manifest = make_manifest(solution, released)
    smallest = released.groupby(["age"]).size().idxmin()
    fewer = released[released["age"] != smallest].copy()
    fewer = pd.concat([fewer, released[released["age"] == smallest].iloc[:1]])
    assert not verify(fewer, policy(), manifest).passed


def test_a_key_that_is_not_a_quasi_identifier_is_one_sentence() -> None:
    statement = Statement(source=[{"name": "list", "keys": ["agee"]}])
    with pytest.raises(PolicyError, match="'agee', a key of 'list', is not a quasi-identifier"):
        anonymize(people(), policy(statement))


def test_a_statement_that_counts_people_needs_a_policy_that_does() -> None:
    statement = Statement(source=[{"name": "list", "keys": ["age"]}], id="patient")
    with pytest.raises(
        PolicyError, match=r"counts people by 'patient', .* add id = \"patient\" to"
    ):
        anonymize(people(), policy(statement))


def test_another_id_than_the_policys_is_refused() -> None:
    frame = people().assign(patient=range(160), visit=range(160))
    roles = {name: {"role": "identifying"} for name in ("patient", "visit")}
    statement = Statement(source=[{"name": "list", "keys": ["age"]}], id="patient")
    asked = Policy(
        data={"id": "visit"},
        attributes={**roles, **policy().attributes},
        risk=[{"model": "sources", "statement": statement}],
    )
    with pytest.raises(
        PolicyError, match=r"by 'patient', and the policy by 'visit'; name the same"
    ):
        anonymize(frame, asked)


@pytest.mark.parametrize("share", ["p", "q", "without"])
def test_a_share_for_a_value_that_is_not_there_is_refused_not_ignored(share: str) -> None:
    by_value = {"by": "sex", "probabilities": {"femal": 0.9}, "default": 0.01}
    told = {"age": {"p": by_value}} if share == "without" else by_value
    statement = Statement(source=[{"name": "list", "keys": ["age", "sex"], share: told}])
    with pytest.raises(PolicyError, match=r"source 'list': .* 'femal', .* not a value of 'sex'"):
        anonymize(people(), policy(statement))


def test_a_level_that_the_hierarchy_does_not_have_is_one_sentence() -> None:
    source = {"name": "list", "keys": ["age", "sex"]}
    asked = policy(Statement(source=[{**source, "levels": {"age": 9}}]))
    with pytest.raises(PolicyError, match=r"source\.0\.levels: 'age' has levels 0 to \d, not 9"):
        anonymize(people(), asked)
    solution = anonymize(people(), policy(Statement(source=[source])))
    released = solution.to_frame()
    with pytest.raises(PolicyError, match="'age' has levels 0 to"):
        verify(released, asked, make_manifest(solution, released))


def test_a_release_verifies_alone_where_a_source_knows_a_key_coarsely() -> None:
    source = {"name": "list", "keys": ["age", "sex"], "levels": {"age": 1}, "threshold": 0.06}
    asked = policy(Statement(source=[source]))
    solution = anonymize(people(), asked)
    released = solution.to_frame()
    assert solution.scheme["age"] == 0  # the source does not know more than decades
    decades = released["age"].astype(str).str[0]
    assert released.groupby([decades, "sex"], observed=True).size().min() >= 1 / 0.06
    assert verify(released, asked, make_manifest(solution, released)).passed
    stricter = policy(Statement(source=[{**source, "threshold": 0.04}]))
    assert not verify(released, stricter, make_manifest(solution, released)).passed


def test_of_the_overlaps_without_several_keys_the_largest_counts() -> None:
    """In whatever order the keys come: what holds without both is not stated, so the worse is taken."""
    for keys in (["age", "sex"], ["sex", "age"]):
        without = {"age": {"q": 0.5}, "sex": {"q": 0.01}}
        source = {"name": "list", "keys": keys, "without": without, "threshold": 0.1}
        model = Sources(Statement(source=[source]))
        microdata = Asked.read(people(4), policy()).microdata
        remaining = Remaining(microdata, partition(microdata, (2, 1)), np.zeros(1, np.bool_))
        assert model.risk(remaining) == pytest.approx(0.5 / 4)
        assert not model.passes(remaining)


def test_a_release_without_a_key_is_assessed_with_the_overlap_without_it() -> None:
    without = {"age": {"q": 1.0}}
    source = {"name": "list", "keys": ["age", "sex"], "p": 0.8, "q": 0.01, "without": without}
    released = people(8).assign(age="*")
    found = assess(released, policy(), statement=Statement(source=[source])).findings
    assert found is not None
    fewest = released.groupby("sex").size().min()
    assert found.sources[0].probabilities.highest == pytest.approx(0.8 / fewest)
    assert found.sources[0].probabilities.readings[0].probability == 0.8
    assert found.sources[0].probabilities.pattern == "protected data is subset"


def test_p_and_q_by_value_are_those_of_one_person_in_assess_too() -> None:
    """People with a high p and people with a high q share a cell: nobody has both."""
    by_sex = {"by": "sex", "probabilities": {"F": 0.9}, "default": 0.1}
    other = {"by": "sex", "probabilities": {"F": 0.1}, "default": 0.9}
    source = {"name": "list", "keys": ["sex"], "levels": {"sex": 1}, "p": by_sex, "q": other}
    frame = pd.DataFrame({"age": ["20", "21"], "sex": ["F", "M"]})
    found = assess(frame, policy(), statement=Statement(source=[source])).findings
    assert found is not None
    assert found.sources[0].probabilities.highest == pytest.approx(0.09 / 2)


def test_what_blocks_a_tighter_threshold_is_counted_in_records() -> None:
    """Of a person's records none more can be freed than block."""
    frame = pd.concat([people(60).assign(patient=range(60))] * 3, ignore_index=True)
    asked = Policy(
        data={"id": "patient"},
        attributes={"patient": {"role": "identifying"}, **policy().attributes},
        risk=[{"model": "sources", "statement": STATEMENT}],
    )
    (blocking,) = explain(anonymize(frame, asked)).blocking
    freed = [share.freed for share in blocking.attributes]
    assert max(freed) > 0
    assert max(freed) <= blocking.records
    assert blocking.records % 3 == 0
