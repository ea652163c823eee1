"""Layers pass, lose what they say, and no release in layers loses less than the bound."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.lattice import Scheme
from anonymizer.layers.construction import construct
from anonymizer.layers.costs import Costs, find_candidates
from anonymizer.layers.layering import Layering
from anonymizer.layers.optimize import (
    Layers,
    LayersTask,
    Watch,
    apply_layers,
    choose_few,
    find_layers,
    layers_by_number,
)
from anonymizer.search import StopReason
from anonymizer.utility import Aggregate, Loss
from tests.layers.exhaustive import loss, optimum
from tests.oracle import Levels, Problem, best, generalize
from tests.strategies import lattice_of, microdata_of, models_of, problems


def task_of(problem: Problem, max_layers: int | None = None, redacts: bool = False) -> LayersTask:
    return LayersTask(
        microdata_of(problem.rows, problem.trees),
        models_of(problem),
        Loss(Aggregate(problem.aggregate), problem.weights),
        lattice_of(problem),
        problem.suppression_limit,
        max_layers,
        redacts,
    )


def solve(problem: Problem, max_layers: int | None = None) -> Layers:
    def coarsest(_: int | None) -> Scheme:
        return problem.high

    return find_layers(task_of(problem, max_layers), coarsest)


def placed_rows(layering: Layering) -> list[Levels | None]:
    layers = layering.layer_of_tuple[layering.microdata.tuple_of_row].tolist()
    return [None if layer < 0 else layering.schemes[layer] for layer in layers]


@given(problems(max_attributes=3))
def test_every_released_class_has_k_records(problem: Problem) -> None:
    placed = placed_rows(solve(problem).layering)
    released = [
        (levels, generalize(row, problem.trees, levels))
        for row, levels in zip(problem.rows, placed, strict=True)
        if levels is not None
    ]
    assert all(count >= problem.k for count in Counter(released).values())
    assert all(levels in set(problem.schemes()) for levels, _ in released)


@given(problems(max_attributes=3))
def test_the_loss_is_that_of_the_rows_one_by_one(problem: Problem) -> None:
    found = solve(problem)
    assert found.loss == pytest.approx(loss(problem, placed_rows(found.layering)), abs=1e-12)
    assert found.feasible == (found.layering.suppressed_records <= problem.suppression_limit)


@settings(max_examples=60)
@given(problems(max_attributes=2, max_rows=5))
def test_no_release_in_layers_loses_less_than_the_bound(problem: Problem) -> None:
    found = solve(problem)
    least = optimum(problem)
    assert found.bound is not None
    assert found.bound <= least + 1e-9
    assert least <= found.loss + 1e-9  # what was found is one of them


@given(problems(max_attributes=3))
def test_the_layers_that_were_found_give_the_same_release_again(problem: Problem) -> None:
    found = solve(problem)
    again = apply_layers(task_of(problem), found.layering.schemes)
    assert again.loss == found.loss
    assert placed_rows(again.layering) == placed_rows(found.layering)


@given(problems(max_attributes=3))
def test_no_more_layers_than_allowed_are_used_and_more_never_lose_more(problem: Problem) -> None:
    few = [solve(problem, most) for most in (1, 2, 4)]
    assert all(
        len(found.layering.schemes) <= most for found, most in zip(few, (1, 2, 4), strict=True)
    )
    ranks = [found.rank for found in few]
    assert ranks == sorted(ranks, reverse=True) or problem.suppression_limit < len(problem.rows)


def test_a_record_left_over_joins_a_coarser_class_where_none_may_be_suppressed() -> None:
    tree = {"a": ("a", "x", "*"), "b": ("b", "x", "*"), "c": ("c", "c.", "*")}
    rows = (("a",), ("a",), ("b",), ("b",), ("c",))
    free = solve(Problem(rows, (tree,), k=2, aggregate="arithmetic"))
    assert free.layering.suppressed_records == 1
    bound_to_all = solve(Problem(rows, (tree,), k=2, aggregate="arithmetic", suppression_limit=0))
    assert bound_to_all.feasible
    assert bound_to_all.layering.suppressed_records == 0


def test_where_every_record_can_stay_as_it_is_the_gap_is_zero() -> None:
    tree = {"a": ("a", "*"), "b": ("b", "*")}
    found = solve(Problem((("a",), ("a",), ("b",), ("b",)), (tree,), k=2))
    assert (found.loss, found.bound) == (0.0, 0.0)


def test_equal_records_are_in_one_layer() -> None:
    tree = {"a": ("a", "*"), "b": ("b", "*")}
    found = solve(Problem((("a",),) * 3 + (("b",),), (tree,), k=3))
    assert np.unique(found.layering.layer_of_tuple).tolist() == [-1, 0]


@given(problems(max_attributes=3))
def test_the_bound_never_falls_while_it_is_sought(problem: Problem) -> None:
    seen: list[float] = []
    watch = Watch(None, on_bound=lambda _, bound: seen.append(bound))
    found = find_layers(task_of(problem), lambda _: problem.high, watch)
    assert seen == sorted(seen)
    assert found.bound is not None
    assert all(bound <= found.bound + 1e-12 for bound in seen)


def test_a_watch_that_is_due_leaves_the_layers_and_a_bound_that_holds() -> None:
    tree = {"a": ("a", "*"), "b": ("b", "*")}
    problem = Problem((("a",), ("a",), ("b",)), (tree,), k=2)
    found = find_layers(task_of(problem), lambda _: problem.high, Watch(0.0))
    assert found.stopped is StopReason.TIME
    assert (found.bound, len(found.layering.schemes)) == (0.0, 1)


@given(problems(max_attributes=3))
def test_each_number_of_layers_is_found_in_one_run(problem: Problem) -> None:
    task = task_of(problem)
    runs = list(layers_by_number(task, lambda _: None, (1, 2, 3)))
    for number, found in runs[:-1]:
        assert len(found.layering.schemes) <= number
        alone = find_layers(replace(task, max_layers=number), lambda _: None)
        assert alone.loss == found.loss
        assert found.bound is not None
        assert found.bound <= found.loss
    ranks = [found.rank for _, found in runs[:-1]]
    assert ranks == sorted(ranks, reverse=True)
    as_many_as_help = find_layers(task, lambda _: None)
    assert runs[-1][0] == max(1, len(as_many_as_help.layering.schemes))
    assert runs[-1][1].loss == as_many_as_help.loss


@given(problems(max_attributes=3))
def test_no_more_layers_are_tried_than_the_task_allows(problem: Problem) -> None:
    task = replace(task_of(problem), max_layers=2)
    for number, found in layers_by_number(task, lambda _: None, (1, 2)):
        assert number <= 2
        assert len(found.layering.schemes) <= 2


def with_stars(problem: Problem) -> Problem:
    """Call whatever covers all leaves `*`, as most hierarchies do; it may stand at several levels."""
    trees = []
    for tree in problem.trees:
        whole = [len(set(labels)) == 1 for labels in zip(*tree.values(), strict=True)]
        whole[0] = False
        trees.append(
            {
                leaf: tuple("*" if star else label for star, label in zip(whole, path, strict=True))
                for leaf, path in tree.items()
            }
        )
    return replace(problem, trees=tuple(trees))


@given(problems(max_attributes=3).map(with_stars))
def test_where_suppressed_records_stay_no_released_record_looks_like_them(problem: Problem) -> None:
    one = best(problem)
    for most in (None, 1, 3):
        task = task_of(problem, most, redacts=True)
        found = find_layers(task, lambda _: None if one is None else one.levels)
        for layers in (found, apply_layers(task, [problem.high, *found.layering.schemes])):
            layering = layers.layering
            placed = zip(problem.rows, placed_rows(layering), strict=True)
            looks = {generalize(row, problem.trees, s) for row, s in placed if s is not None}
            starred = ("*",) * len(problem.trees)
            assert starred not in looks or (looks, layering.suppressed_records) == ({starred}, 0)


@given(problems(max_attributes=3).map(with_stars), st.booleans())
def test_layers_are_found_wherever_one_scheme_is_feasible(problem: Problem, redacts: bool) -> None:
    one = best(problem)
    for most in (None, 1, 3):
        task = task_of(problem, most, redacts)
        found = find_layers(task, lambda _: None if one is None else one.levels)
        assert found.feasible == (one is not None)


@given(problems(max_attributes=3))
def test_layers_lose_no_more_than_the_best_scheme_for_all_records(problem: Problem) -> None:
    one = best(problem)
    for most in (None, 1, 3):
        found = find_layers(task_of(problem, most), lambda _: None if one is None else one.levels)
        assert one is None or found.loss <= one.loss + 1e-12


def test_a_top_that_keeps_several_values_is_a_layer_though_suppressed_records_stay() -> None:
    tree = {"a": ("a", "x"), "b": ("b", "x"), "c": ("c", "y"), "d": ("d", "y")}
    problem = Problem((("a",), ("b",), ("c",)), (tree,), k=2)
    found = find_layers(task_of(problem, redacts=True), lambda _: None)
    assert (found.layering.schemes, found.layering.suppressed_records) == (((1,),), 1)


@given(problems(max_attributes=3))
def test_a_construction_that_is_stopped_still_passes(problem: Problem) -> None:
    asked = iter([False, *[True] * 1000])
    task = task_of(problem)
    costs = Costs.of(task.microdata, task.measure.weights)
    candidates = find_candidates(task.microdata, costs, task.lattice, problem.k)
    stopped = construct(task.microdata, task.models, costs, candidates, lambda: next(asked))
    classes, suppressed = stopped.classes()
    assert (classes.sizes[~suppressed] >= problem.k).all()
    found = find_layers(task, lambda _: problem.high, Watch(0.0))
    classes, suppressed = found.layering.classes()
    assert (classes.sizes[~suppressed] >= problem.k).all()
    again = apply_layers(task, found.layering.schemes)
    assert placed_rows(again.layering) == placed_rows(found.layering)


@given(problems(max_attributes=3))
def test_a_choice_of_a_few_layers_that_is_stopped_still_passes(problem: Problem) -> None:
    task = task_of(problem, 2)
    costs = Costs.of(task.microdata, task.measure.weights)
    many = find_layers(replace(task, max_layers=None), lambda _: None)
    if len(many.layering.schemes) > 2:
        few = choose_few(task, costs, many, problem.high, lambda: True)
        classes, suppressed = few.layering.classes()
        assert len(few.layering.schemes) <= 2
        assert (classes.sizes[~suppressed] >= problem.k).all()
