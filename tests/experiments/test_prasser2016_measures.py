"""Entropy, KL-divergence and Safe Harbor: what is measured is what the definitions say."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.data.pandas import FrameTable
from anonymizer.hierarchy import Hierarchy
from anonymizer.problem import Problem
from anonymizer.risk import KAnonymity, RiskModel
from anonymizer.risk.average import StrictAverage
from anonymizer.risk.k_map import KMap
from anonymizer.table.classes import partition
from anonymizer.table.microdata import encode
from experiments.datasets import RESULTS, path_of
from experiments.prasser2016 import paper
from experiments.prasser2016.measures import (
    DIVERGENCE,
    ENTROPY,
    LOSS,
    Divergence,
    by_class_size,
    least_divergence,
    searched,
    with_gains,
    with_measure,
)
from experiments.prasser2016.page_measures import compare_measures, judge, summarize_measures
from experiments.prasser2016.releases import Dataset, load
from experiments.prasser2016.safe_harbor import (
    LITERAL,
    SHIPPED,
    age_level,
    columns,
    safe_harbor,
    shipped_levels,
)
from tests.oracle import Row, Tree
from tests.shared import ABSENT
from tests.strategies import tables, trees

pytestmark = pytest.mark.slow

WRITTEN = RESULTS / "prasser2016"


# --- the slow and obvious way ---


def slow_divergence(
    rows: tuple[Row, ...], forest: tuple[Tree, ...], levels: tuple[int, ...], gone: set[Row]
) -> float:
    """KL(p || q), term by term over the distinct rows; `gone` are the generalized rows suppressed."""

    def generalize(row: Row) -> Row:
        return tuple(t[v][at] for t, v, at in zip(forest, row, levels, strict=True))

    classes = Counter(map(generalize, rows))
    total = 0.0
    for row, times in Counter(rows).items():
        of_class = generalize(row)
        if of_class in gone:
            share = sum(classes[each] for each in gone) / len(rows)
            leaves = math.prod(len(tree) for tree in forest)
        else:
            share = classes[of_class] / len(rows)
            domain = itertools.product(*forest)
            leaves = sum(generalize(cells) == of_class for cells in domain)
        total += times / len(rows) * math.log(times / len(rows) / (share / leaves))
    return total


def heights(forest: tuple[Tree, ...]) -> list[int]:
    return [len(next(iter(tree.values()))) for tree in forest]


def hierarchies(forest: tuple[Tree, ...]) -> list[Hierarchy]:
    return [
        Hierarchy(f"a{at}", *level_codes(list(tree.values()))) for at, tree in enumerate(forest)
    ]


def level_codes(rows: list[tuple[str, ...]]) -> tuple[tuple[tuple[str, ...], ...], np.ndarray]:
    labels = [tuple(dict.fromkeys(level)) for level in zip(*rows, strict=True)]
    codes = [[names.index(row[at]) for row in rows] for at, names in enumerate(labels)]
    return tuple(labels), np.array(codes)


FORESTS = st.lists(trees(max_leaves=4, max_height=3), min_size=1, max_size=3).map(tuple)


@given(st.data(), st.integers(1, 5))
@settings(max_examples=100, deadline=None)
def test_the_divergence_is_the_sum_over_all_distinct_tuples(data: st.DataObject, k: int) -> None:
    forest = data.draw(FORESTS)
    rows = data.draw(tables(forest))
    levels = tuple(data.draw(st.integers(0, height - 1)) for height in heights(forest))
    frame = pd.DataFrame(rows, columns=[f"a{at}" for at in range(len(forest))])
    microdata = encode(FrameTable(frame), hierarchies(forest))
    classes, divergence = partition(microdata, levels), Divergence.of(microdata)
    gone = classes.sizes < k
    fast = divergence.total(divergence.spread(classes), ~gone, int(classes.records[gone].sum()))
    generalized = Counter(
        tuple(t[v][at] for t, v, at in zip(forest, row, levels, strict=True)) for row in rows
    )
    small = {each for each, size in generalized.items() if size < k}
    assert fast == pytest.approx(slow_divergence(rows, forest, levels, small), abs=1e-9)
    assert fast >= 0 - 1e-9
    nothing = np.zeros(gone.size, np.bool_)
    everything = divergence.total(divergence.spread(classes), nothing, len(rows))
    assert everything == pytest.approx(divergence.highest, abs=1e-9)


@pytest.fixture
def tiny(tmp_path: Path) -> Dataset:
    """Sixty people of two attributes with three levels each."""
    draw = np.random.default_rng(7)
    frame = pd.DataFrame({"age": draw.integers(86, 94, 60), "ward": draw.integers(0, 6, 60)})
    ages = [(str(a), f"{a // 2}", "*") for a in range(86, 94)]
    wards = [(str(w), "low" if w < 3 else "high", "*") for w in range(6)]
    named = {"age": Hierarchy.from_rows("age", ages), "ward": Hierarchy.from_rows("ward", wards)}
    policy = {
        "attributes": {name: {"role": "quasi", "hierarchy": h} for name, h in named.items()},
        "risk": [{"model": "k-anonymity", "k": 1}],
    }
    return Dataset("tiny", tmp_path, Problem.read(frame.astype(str), policy))


@pytest.mark.parametrize(
    "model", [KAnonymity(3), KAnonymity(8), StrictAverage(k=2, threshold=0.2)], ids=str
)
def test_the_best_release_is_the_best_of_all_schemes(tiny: Dataset, model: RiskModel) -> None:
    (best,) = least_divergence(tiny, [model])
    problem = tiny.problem.with_models(model)
    divergence = Divergence.of(problem.microdata)
    qualities = {}
    for scheme in problem.lattice:
        outcome = problem.outcome(scheme)
        spread, gone = divergence.spread(outcome.classes), outcome.suppressed
        suppressed = outcome.evaluation.suppressed_records
        qualities[scheme] = divergence.quality(divergence.total(spread, ~gone, suppressed))
    assert best.quality == pytest.approx(max(qualities.values()))
    assert qualities[best.scheme] == best.quality
    assert best.suppressed == problem.evaluate(best.scheme).suppressed_records


def test_an_estimated_k_map_is_k_anonymity_and_a_strict_average_is_not() -> None:
    assert by_class_size(KMap(k=5, population=2_200_000), 30_162) == KAnonymity(2)
    strict = StrictAverage(k=2, threshold=0.2)
    assert by_class_size(strict, 30_162) is strict


def test_entropy_is_searched_with_the_measure_entropy(tiny: Dataset) -> None:
    by_entropy = with_measure(tiny, ENTROPY)
    best = searched(by_entropy, KAnonymity(3))
    problem = by_entropy.problem.with_models(KAnonymity(3))
    assert problem.measure.name == ENTROPY
    assert best.quality == max(problem.evaluate(scheme).quality for scheme in problem.lattice)
    assert tiny.problem.measure.name == LOSS


# --- gains ---


def cells(**qualities: tuple[float, float]) -> pd.DataFrame:
    rows = [
        {
            "table": 2,
            "data": "adult",
            "model": model,
            "measure": measure,
            "quality": q,
            "scheme": "s",
        }
        for measure, both in qualities.items()
        for model, q in zip(("k-anonymity, k = 5", "k-map, USA"), both, strict=True)
    ]
    return with_gains(pd.DataFrame(rows).replace({"measure": {"divergence": DIVERGENCE}}))


def test_gains_are_points_over_k_anonymity_and_shares_of_what_it_loses() -> None:
    found = cells(loss=(80.0, 85.0), entropy=(50.0, 60.0), divergence=(40.0, 42.0))
    assert found["gain"].tolist() == [0, 5, 0, 10, 0, 2]
    assert found["avoided"].tolist() == pytest.approx([0, 0.25, 0, 0.2, 0, 2 / 60])


def test_the_largest_factor_is_named() -> None:
    alike = cells(loss=(80.0, 85.0), entropy=(50.0, 60.0), divergence=(40.0, 42.0))
    assert judge(alike, "gain") == "they differ from those by loss by a factor of up to 2.5"
    assert "factor of up to 7.5" in judge(alike, "avoided")
    assert "5.0 to 5.0 by loss, 10.0 to 10.0 by entropy" in summarize_measures(alike)


def test_a_data_set_on_which_the_divergence_was_not_tried_is_named() -> None:
    found = cells(loss=(80.0, 85.0), entropy=(50.0, 60.0))
    assert any("not tried on ADULT" in line for line in compare_measures(found))


def test_the_written_table_has_all_rows_by_all_measures() -> None:
    table = pd.read_csv(WRITTEN / "tables_2_and_3_measures.csv")
    assert len(table) == 3 * 3 * len(paper.ROWS)
    loss = table[table["measure"] == LOSS].drop(columns="measure")
    printed = pd.read_csv(WRITTEN / "tables_2_and_3.csv")
    both = loss.merge(printed, on=["table", "data", "model"])
    assert (both["quality_x"] == both["quality_y"]).all()
    assert (both["scheme_x"] == both["scheme_y"]).all()


@pytest.mark.parametrize("name", ["adult"])
def test_the_written_optima_by_divergence_are_found_again(name: str) -> None:
    path = path_of(name)
    if path is None:
        pytest.skip(f"{ABSENT}: no {name}/data.csv")
    dataset = load(name, path)
    table = pd.read_csv(WRITTEN / "tables_2_and_3_measures.csv")
    wanted = table[(table["data"] == name) & (table["measure"] == DIVERGENCE)].iloc[0]
    scheme = dict(pair.split("=") for pair in wanted["scheme"].split())
    classes = partition(dataset.problem.microdata, tuple(int(v) for v in scheme.values()))
    divergence, gone = Divergence.of(dataset.problem.microdata), classes.sizes < 5
    suppressed = int(classes.records[gone].sum())
    assert suppressed == wanted["suppressed"]
    total = divergence.total(divergence.spread(classes), ~gone, suppressed)
    assert 100 * divergence.quality(total) == pytest.approx(wanted["quality"])


# --- Safe Harbor ---


def test_the_level_of_ages_is_the_least_that_puts_those_above_89_together(tiny: Dataset) -> None:
    assert age_level(columns(tiny.problem)["age"]) == 2  # 90 and 91, 92 and 93: together at the top


@pytest.mark.parametrize(
    ("name", "levels"),
    [
        ("adult", {"age": 0}),
        ("cup", {"AGE": 2, "ZIP": 2}),
        ("fars", {"iage": 2, "ideathmon": 3, "ideathday": 3}),
    ],
)
def test_safe_harbor_changes_what_it_names_and_suppresses_nothing(
    name: str, levels: dict[str, int]
) -> None:
    path = path_of(name)
    if path is None:
        pytest.skip(f"{ABSENT}: no {name}/data.csv")
    dataset = load(name, path)
    assert shipped_levels(dataset) == levels
    found = safe_harbor(dataset)
    frame = pd.read_csv(path, sep=";", dtype=str)
    for release in found.values():
        assert release.suppressed == 0
        assert int(release.class_sizes.sum()) == len(frame)
    assert sorted(found[LITERAL].class_sizes) == sorted(by_hand(name, frame))
    assert found[LITERAL].quality >= found[SHIPPED].quality or name == "adult"


def by_hand(name: str, frame: pd.DataFrame) -> list[int]:
    """Apply the rule to the cells themselves, and count equal rows."""
    small = {
        "036", "059", "063", "102", "203", "556", "692", "790", "821", "823", "830", "831", "878",
        "879", "884", "890", "893",
    }  # fmt: skip
    age = {"adult": "age", "cup": "AGE", "fars": "iage"}[name]
    changed = frame.drop(columns=["ideathmon", "ideathday"], errors="ignore")
    changed[age] = changed[age].where(changed[age].astype(int) < 90, "90+")
    if "ZIP" in changed:
        changed["ZIP"] = changed["ZIP"].str[:3].map(lambda z: "000" if z in small else z)
    return changed.value_counts().tolist()
