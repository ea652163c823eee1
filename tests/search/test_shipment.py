"""A table that was shipped evaluates schemes and bounds boxes as the one that stayed."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from anonymizer.errors import ClusterError
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.risk import KAnonymity, RiskModel
from anonymizer.search import SearchParams, shipment
from anonymizer.search.shipment import SentTable, Shipment, find_table, read_table
from anonymizer.search.subtree_bounds import SubtreeBounds
from anonymizer.utility import Aggregate, Loss
from tests.oracle import Problem
from tests.risk.test_contract import ALL, table_of
from tests.search.test_people import with_people
from tests.search.test_subtree_bounds import wide
from tests.strategies import evaluator_of, lattice_of, problems


def ship(evaluator: Evaluator) -> SentTable:
    content = Shipment.of(evaluator, SearchParams()).content
    assert isinstance(content, bytes)
    return read_table(memoryview(bytearray(content)))


@pytest.mark.parametrize("model", ALL, ids=str)
@settings(max_examples=5)
@given(problem=problems(max_attributes=3))
def test_every_model_evaluates_a_shipped_table_alike(model: RiskModel, problem: Problem) -> None:
    measure = Loss(Aggregate(problem.aggregate), problem.weights)
    evaluator = Evaluator(table_of(problem), [model], measure, problem.suppression_limit)
    sent = ship(evaluator).evaluator
    for scheme in lattice_of(problem):
        here, there = evaluator.evaluate(scheme), sent.evaluate(scheme)
        assert (here.loss, here.suppressed_records) == (there.loss, there.suppressed_records)
        assert (here.binding_records, here.floor) == (there.binding_records, there.floor)
        assert np.array_equal(here.terms, there.terms)


@pytest.mark.parametrize("most", [None, 40])
def test_boxes_are_bounded_alike(most: int | None) -> None:
    evaluator, lattice = evaluator_of(wide()), lattice_of(wide())
    evaluator = evaluator if most is None else with_people(evaluator, most)
    here = SubtreeBounds.prepare([evaluator], SearchParams())
    assert here is not None
    steps = np.full((5, 4), -0.5).cumsum(axis=1)
    for one, other in zip(
        here.bound(lattice, math.inf, steps, 50),
        ship(evaluator).subtrees.bound(lattice, math.inf, steps, 50),
        strict=True,
    ):
        assert np.array_equal(one, other)


def test_arrays_stay_read_only_or_not_so_that_no_kernel_is_compiled_again() -> None:
    evaluator = evaluator_of(wide())
    sent = ship(evaluator).evaluator.microdata
    assert not sent.codes.flags.writeable
    assert sent.domain.covered.flags == evaluator.microdata.domain.covered.flags
    assert sent.codes.ctypes.data % shipment.ALIGNED == sent.counts.ctypes.data % shipment.ALIGNED


def test_rows_stay_where_they_are_and_their_number_is_known() -> None:
    evaluator = evaluator_of(wide())
    sent = ship(evaluator).evaluator.microdata
    assert sent.records == evaluator.microdata.records
    with pytest.raises(TypeError, match="not subscriptable"):
        sent.tuple_of_row[0]


def test_a_model_of_a_notebook_is_shipped_with_its_class() -> None:
    class Local(KAnonymity):
        """Nobody could import this."""

    problem = wide()
    evaluator = replace(evaluator_of(problem), models=[Local(3)])
    assert ship(evaluator).evaluator.evaluate(lattice_of(problem).high).feasible


def test_a_process_keeps_few_tables_and_reads_one_again_when_asked(tmp_path: Path) -> None:
    shipments = [Shipment.of(evaluator_of(wide(rows)), SearchParams()) for rows in (30, 40, 50, 60)]
    for each in shipments:
        assert find_table(each.key, None) is None
        assert find_table(each.key, each) is find_table(each.key, None) is not None
    assert find_table(shipments[0].key, None) is None
    file = Shipment.in_file(evaluator_of(wide(30)), SearchParams(), tmp_path / "table")
    assert (file.key, file.size) == (shipments[0].key, shipments[0].size)
    mapped = find_table(file.key, file)
    assert mapped is not None
    assert mapped.evaluator.microdata.records == 30


def test_a_worker_of_another_version_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = Shipment.of(evaluator_of(wide(30)), SearchParams())
    monkeypatch.setattr(shipment, "__version__", "0.0.1")
    with pytest.raises(ClusterError, match=r"a worker has anonymizer 0\.0\.1 where"):
        find_table("another", shipped)
