"""A job that was written and read does the same, with the table of whoever reads it."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from anonymizer.frontiers.sweep import AtThreshold, Sweep, SweepEvaluator
from anonymizer.search import SearchParams
from anonymizer.search.jobs import BoundBox, EvaluateScheme, read_job, write_job
from anonymizer.search.subtree_bounds import SubtreeBounds
from tests.search.test_boxes import essence
from tests.search.test_subtree_bounds import wide
from tests.strategies import evaluator_of, lattice_of


def test_a_job_is_sent_without_the_table() -> None:
    evaluator, lattice = evaluator_of(wide()), lattice_of(wide())
    job = EvaluateScheme(evaluator, 4.5)
    message = write_job(job, [lattice.high])
    theirs = evaluator_of(wide())
    read, items = read_job(message, SimpleNamespace(evaluator=theirs))
    assert isinstance(read, EvaluateScheme)
    assert read.evaluator is theirs
    assert len(message) < 1000
    assert [essence(read(item)) for item in items] == [essence(job(lattice.high))]


def test_a_box_is_bounded_with_the_readers_table() -> None:
    evaluator, lattice = evaluator_of(wide()), lattice_of(wide())
    mine, theirs = (SubtreeBounds.prepare([evaluator], SearchParams()) for _ in range(2))
    assert mine is not None
    job = BoundBox(mine, 1.0, np.zeros((5, 4)), 7)
    read, (item,) = read_job(write_job(job, [lattice]), SimpleNamespace(subtrees=theirs))
    assert isinstance(read, BoundBox)
    assert (read.subtrees, read.units, item) == (theirs, 7, lattice)
    assert read(item).partitions == job(lattice).partitions


def test_evaluations_that_thresholds_share_are_not_sent() -> None:
    evaluator = evaluator_of(wide())
    shared = SweepEvaluator(evaluator, Sweep.of(evaluator.models, [2, 3]))
    assert not EvaluateScheme(AtThreshold.of(shared, 0), 1.0).portable
    assert EvaluateScheme(evaluator, 1.0).portable
