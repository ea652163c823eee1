"""What sizes bind, which model is asked first, and what decides the order: on tables seen at a glance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from anonymizer.data.pandas import FrameTable
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.evaluation.measurement import measure_classes, meets
from anonymizer.evaluation.suppression import (
    bind_any,
    bind_partly,
    bind_sizes,
    cut_classes,
    least_over_average,
    order_of,
    precedence,
)
from anonymizer.hierarchy import Hierarchy
from anonymizer.risk import Average, DistinctL, KAnonymity, Remaining, SampleUniqueness, TCloseness
from anonymizer.risk.sizes import Sizes
from anonymizer.table.classes import partition
from anonymizer.table.microdata import Microdata, encode
from tests.oracle import Problem
from tests.strategies import evaluator_of

pytestmark = pytest.mark.quick

TREE = {value: (value, "*") for value in "abcdef"}


def encoded(cells: str, **columns: Sequence[str]) -> Microdata:
    """Encode a row for each letter; `who` says whose it is, `ill` is sensitive."""
    frame = pd.DataFrame({"q": list(cells), **{name: list(of) for name, of in columns.items()}})
    hierarchy = Hierarchy.from_rows("q", list(TREE.values()))
    person = "who" if "who" in columns else None
    return encode(FrameTable(frame), [hierarchy], person=person, sensitive=[*{"ill"} & {*columns}])


def whole(microdata: Microdata) -> Remaining:
    classes = partition(microdata, (0,))
    return Remaining(microdata, classes, np.zeros(classes.sizes.size, np.bool_))


def test_limits_on_uniques_and_classes_say_how_many_records_of_which_classes_go() -> None:
    table = whole(encoded("aabcd"))
    alone = [False, True, True, True]
    found = bind_sizes(table, Sizes(uniques=1))
    assert found is not None
    assert (found.classes.tolist(), found.exempt) == (alone, 1)  # b, c and d but for one
    for most, kept in ((1, 2), (2, 3), (4, 0)):  # a record of each class too many, or all uniques
        found = bind_sizes(table, Sizes(classes=most))
        assert found is not None
        assert (found.classes.all(), found.exempt) == (most < 4, kept)
    assert bind_sizes(table, Sizes()) is None
    assert bind_sizes(whole(encoded("aabcd", who="11234")), Sizes(uniques=1)) is None


def test_one_record_that_must_go_may_be_any_and_none_is_of_no_class() -> None:
    classes = whole(encoded("aabcd")).classes
    one, none = bind_any(classes, 1), bind_any(classes, 0)
    assert (one.classes.all(), one.exempt) == (True, 4)
    assert (none.classes.any(), none.exempt) == (False, 0)


@pytest.mark.parametrize(
    ("cells", "who", "average", "gone"),
    [
        ("aabcde", "112345", 0.5, 2),  # five risks of 1: three are still more than half of five
        ("abcde", None, 0.5, 5),
        ("aabbbb", "112345", 0.75, 0),  # 1 of 1, and four times a quarter
    ],
)
def test_people_who_lost_a_record_count_with_no_risk_at_all(
    cells: str, who: str | None, average: float, gone: int
) -> None:
    people = {} if who is None else {"who": who}
    assert least_over_average(whole(encoded(cells, **people)), average) == gone


def test_classes_of_which_some_records_can_be_kept_are_marked_beside_those_of_which_none_can() -> (
    None
):
    microdata = encoded("aaaabbbbcccd", ill="xxxyxyxyxyyx")
    classes = partition(microdata, (0,))
    model, alone = TCloseness("ill", 0.1), classes.sizes == 1
    violating = model.violating(classes)
    most = np.asarray(model.most_kept(classes, violating & ~alone))
    partly = (most < classes.records) & ~alone
    assert partly.any()
    assert not (partly | alone).all()
    found = bind_partly(classes, [model], [violating], alone, 1)
    assert found.classes.tolist() == (partly | alone).tolist()
    assert found.exempt == most[partly].sum() > 0
    whole_ones = bind_partly(classes, [KAnonymity(2)], [alone], alone, 2)
    assert (whole_ones.classes.tolist(), whole_ones.exempt) == (alone.tolist(), 0)
    assert whole_ones.least_class == 2


def test_what_binds_record_by_record_is_asked_first_and_sizes_before_all_else() -> None:
    models = [TCloseness("ill", 0.1), DistinctL("ill", 2), KAnonymity(2)]
    assert sorted(models, key=precedence) == [KAnonymity(2), DistinctL("ill", 2), models[0]]
    assert precedence(KAnonymity(2)) == (False, False)


@dataclass(frozen=True)
class LargestFirst(SampleUniqueness):
    """Uniques, where the largest classes go first."""

    @property
    def order(self) -> object:
        return lambda _, classes: classes.sizes.astype(float)


def test_the_first_model_that_has_an_order_decides_and_the_first_classes_of_it_go() -> None:
    model = LargestFirst(0.5)
    assert order_of([SampleUniqueness(0.5), model, KAnonymity(2)]) is not None
    assert order_of([SampleUniqueness(0.5), KAnonymity(2)]) is None
    table = encoded("aaabbc")
    remaining = Remaining(table, partition(table, (0,)), np.zeros(3, np.bool_), model.order)
    assert cut_classes(remaining, 1).tolist() == [True, False, False]
    assert cut_classes(whole(table), 1).tolist() == [False, False, True]


def test_a_table_meets_its_models_if_it_meets_all_of_them() -> None:
    table = encoded("aabbc")
    classes, nobody = partition(table, (0,)), np.zeros(3, np.bool_)
    for uniques, average, fine in ((0.2, 0.6, True), (0.1, 0.6, False), (0.2, 0.5, False)):
        models = [SampleUniqueness(uniques), Average(average)]
        assert meets(table, classes, nobody, models) is fine
        assert meets(table, classes, nobody, models[::-1]) is fine
    assert not meets(table, classes, nobody, [KAnonymity(2), SampleUniqueness(1.0)])


def test_of_nothing_left_the_smallest_class_has_nobody() -> None:
    evaluator = evaluator_of(Problem((("a",), ("b",)), (TREE,), k=3))
    classes = partition(evaluator.microdata, (0,))
    found = measure_classes(evaluator, classes, np.ones(2, np.bool_))
    assert (found.smallest_class, found.suppressed) == (0, 2)
    assert (found.highest, found.average) == (0.0, 0.0)


def test_a_scheme_that_costs_as_much_as_the_cutoff_is_evaluated_to_the_end() -> None:
    microdata = encoded("aaabbc")
    limit = SampleUniqueness(0.9)  # a model of the whole table, for which one looks ahead
    measure = evaluator_of(Problem((("a",),), (TREE,), k=1)).measure
    evaluator = Evaluator(microdata, [KAnonymity(3), limit], measure, 6)
    whole_way = evaluator.evaluate((0,))
    cost = float(whole_way.terms[0, 0]) + whole_way.floor
    assert evaluator.evaluate((0,), cost).complete
    assert evaluator.evaluate((0,), cost).loss == whole_way.loss
    assert not evaluator.evaluate((0,), cost - 1e-9).complete
    alone = Evaluator(microdata, [KAnonymity(3)], measure, 6)
    assert alone.evaluate((0,), cost - 1e-9).complete  # no cut is looked for
