from __future__ import annotations

import csv
import itertools
from collections import Counter
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from anonymizer.data import aggregate as aggregate_module
from anonymizer.data import arrays
from anonymizer.data import csv as csv_module
from anonymizer.data.column import text_of
from anonymizer.data.opening import open_table
from anonymizer.data.pandas import FrameTable
from anonymizer.data.table import Table
from anonymizer.errors import AnonymizerWarning, HierarchyError
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.hierarchy import Hierarchy
from anonymizer.risk import KAnonymity
from anonymizer.table.microdata import Microdata, encode
from anonymizer.utility import Aggregate, Loss
from tests import oracle
from tests.oracle import Problem, Row
from tests.strategies import microdata_of, problems

pytestmark = pytest.mark.quick

CELLS = st.text(st.sampled_from('ab9é,;" \n\r.'), max_size=4)
"""Short texts full of what needs quotes; the empty one is a missing cell."""


@st.composite
def text_tables(draw: st.DrawFn) -> list[Row]:
    columns = draw(st.integers(1, 3))
    values = draw(st.lists(CELLS, min_size=1, max_size=5, unique=True))
    row = st.tuples(*[st.sampled_from(values)] * columns)
    return draw(st.lists(row, min_size=1, max_size=40))


def flat(name: str, leaves: Sequence[str]) -> Hierarchy:
    return Hierarchy.from_rows(name, [(leaf, "*") for leaf in leaves])


def flat_hierarchies(rows: Sequence[Row]) -> list[Hierarchy]:
    """Give every text of a table a leaf, missing cells included."""
    leaves = sorted({"", *(cell for row in rows for cell in row)})
    return [flat(f"c{i}", leaves) for i in range(len(rows[0]))]


def write_csv(path: Path, rows: Sequence[Row], order: Sequence[int] | None = None) -> Path:
    order = range(len(rows[0])) if order is None else order
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([f"c{i}" for i in order])
        writer.writerows([row[i] for i in order] for row in rows)
    return path


def rows_of(data: Microdata) -> list[Row]:
    """Go back from rows to tuples to leaves."""
    leaves = [
        [column.hierarchy.leaves[leaf] for leaf in column.leaves[codes].tolist()]
        for column, codes in zip(data.columns, data.codes, strict=True)
    ]
    tuples = list(zip(*leaves, strict=True))
    return [tuples[number] for number in data.tuple_of_row.tolist()]


def counts_of(data: Microdata) -> dict[Row, int]:
    rows = rows_of(data)
    return {
        rows[data.tuple_of_row.tolist().index(number)]: count
        for number, count in enumerate(data.counts.tolist())
    }


def assert_same(data: Microdata, other: Microdata) -> None:
    assert data.attributes == other.attributes
    assert data.counts.tolist() == other.counts.tolist()
    assert data.codes.tolist() == other.codes.tolist()
    assert data.tuple_of_row.tolist() == other.tuple_of_row.tolist()
    for column, twin in zip(data.columns, other.columns, strict=True):
        assert column.hierarchy == twin.hierarchy
        assert column.leaves.tolist() == twin.leaves.tolist()
        assert column.covered.tolist() == twin.covered.tolist()


# Rows, tuples, counts


@given(text_tables())
def test_csv_parquet_and_dataframe_give_the_rows_their_leaves_and_the_same_microdata(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Row]
) -> None:
    folder = tmp_path_factory.mktemp("tables")
    names = [f"c{i}" for i in range(len(rows[0]))]
    with_none = [[cell or None for cell in row] for row in rows]
    frame = pd.DataFrame(with_none, columns=names, dtype=object)
    text = pa.schema([(name, pa.string()) for name in names])
    parquet.write_table(pa.Table.from_pandas(frame, text), folder / "people.parquet")
    path = write_csv(folder / "people.csv", rows)

    hierarchies = flat_hierarchies(rows)
    data = encode(open_table(path), hierarchies)
    assert rows_of(data) == rows
    assert counts_of(data) == Counter(rows)
    assert data.records == len(rows)
    assert data.distinct == len(set(rows))
    assert_same(data, encode(open_table(folder / "people.parquet"), hierarchies))
    assert_same(data, encode(open_table(frame), hierarchies))


@settings(max_examples=60)
@given(text_tables(), st.integers(128, 300), st.integers(1, 6))
def test_batch_boundaries_never_matter(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Row], size: int, height: int
) -> None:
    folder = tmp_path_factory.mktemp("tables")
    path = write_csv(folder / "people.csv", rows)
    hierarchies = flat_hierarchies(rows)
    names = [hierarchy.name for hierarchy in hierarchies]
    pd.DataFrame(rows, columns=names).to_parquet(folder / "people.parquet", index=False)
    whole = encode(open_table(path), hierarchies)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_module, "BATCH_BYTES", size)
        patch.setattr(arrays, "BATCH_ROWS", height)
        assert_same(whole, encode(open_table(path), hierarchies))
        assert_same(whole, encode(open_table(folder / "people.parquet"), hierarchies))


@given(text_tables(), st.randoms(use_true_random=False))
def test_the_order_of_columns_in_the_file_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Row], random_: Any
) -> None:
    folder = tmp_path_factory.mktemp("tables")
    order = list(range(len(rows[0])))
    random_.shuffle(order)
    hierarchies = flat_hierarchies(rows)
    data = encode(open_table(write_csv(folder / "people.csv", rows)), hierarchies)
    mixed = encode(open_table(write_csv(folder / "mixed.csv", rows, order)), hierarchies)
    assert_same(data, mixed)


@given(problems(), st.data())
def test_the_order_of_rows_changes_only_which_row_has_which_tuple(
    problem: Problem, draw: st.DataObject
) -> None:
    order = draw.draw(st.permutations(range(len(problem.rows))))
    data = microdata_of(problem.rows, problem.trees)
    mixed = microdata_of([problem.rows[i] for i in order], problem.trees)
    assert mixed.tuple_of_row.tolist() == data.tuple_of_row[order].tolist()
    assert mixed.counts.tolist() == data.counts.tolist()
    assert mixed.codes.tolist() == data.codes.tolist()


def test_tuples_are_in_the_order_of_their_leaves() -> None:
    leaves = ["z", "a", "m"]
    trees = [{leaf: (leaf, "*") for leaf in leaves}] * 2
    rows = [(x, y) for x in sorted(leaves) for y in sorted(leaves)]
    data = microdata_of(rows, trees)
    assert list(counts_of(data)) == [(x, y) for x in leaves for y in leaves]


@pytest.mark.parametrize("attributes", [9, 10, 12, 40])
def test_many_attributes_of_many_values_are_told_apart(attributes: int) -> None:
    random_ = np.random.default_rng(attributes)
    tree = {str(leaf): (str(leaf), "*") for leaf in range(100)}
    values = random_.choice([0, 1, 98, 99], size=(40, attributes)).astype(str)
    rows = [tuple(row) for row in values.tolist()]
    for position in (0, attributes // 2, attributes - 1):  # twins that differ in one place only
        twin = list(rows[0])
        twin[position] = "50"
        rows.append(tuple(twin))
    rows += rows[:20]
    data = microdata_of(rows, [tree] * attributes)
    assert rows_of(data) == rows
    assert counts_of(data) == Counter(rows)
    assert list(counts_of(data)) == sorted(set(rows), key=lambda row: [int(cell) for cell in row])
    words = aggregate_module.word_radices([101] * attributes)
    assert len(words) == -(-attributes // 9)  # nine digits of radix 101 fit one key


@given(problems(), st.integers(2, 60))
def test_the_width_of_a_key_never_matters(problem: Problem, limit: int) -> None:
    data = microdata_of(problem.rows, problem.trees)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(aggregate_module, "KEY_LIMIT", limit)
        assert_same(data, microdata_of(problem.rows, problem.trees))


@given(st.lists(st.integers(2, 2**40), min_size=1, max_size=20))
def test_words_hold_all_radices_in_order_and_never_overflow(radices: list[int]) -> None:
    words = aggregate_module.word_radices(radices)
    assert [radix for word in words for radix in word] == radices
    assert all(np.prod([1, *map(int, word)], dtype=object) <= 2**63 for word in words)
    for word, following in itertools.pairwise(words):
        assert np.prod([*map(int, word), following[0]], dtype=object) > 2**63


# Levels


@given(problems())
def test_columns_number_the_values_that_occur_and_count_all_leaves_below(problem: Problem) -> None:
    data = microdata_of(problem.rows, problem.trees)
    rows = list(counts_of(data))
    for a, (column, tree) in enumerate(zip(data.columns, problem.trees, strict=True)):
        for level in range(oracle.height(tree)):
            values = [tree[row[a]][level] for row in rows]
            labels = column.labels(level)
            numbers = column.groups[level][data.codes[a]].tolist()
            assert [labels[number] for number in numbers] == values
            assert column.group_counts[level] == len(labels) == len(set(values))
            below = Counter(path[level] for path in tree.values())
            covered = column.covered[level][data.codes[a]].tolist()
            assert covered == [below[value] for value in values]


@given(problems())
def test_totals_sum_the_covered_leaves_over_all_records(problem: Problem) -> None:
    data = microdata_of(problem.rows, problem.trees)
    for a, tree in enumerate(problem.trees):
        for level in range(oracle.height(tree)):
            below = Counter(path[level] for path in tree.values())
            total = sum(below[tree[row[a]][level]] for row in problem.rows)
            assert data.total_covered[a, level] == total
    assert data.domain.sizes.tolist() == [len(tree) for tree in problem.trees]


def test_its_arrays_are_read_only() -> None:
    data = microdata_of([("x",), ("y",)], [{"x": ("x", "*"), "y": ("y", "*")}])
    column = data.columns[0]
    arrays = [data.counts, data.tuple_of_row, data.total_covered, data.codes[0], column.leaves]
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


# Values of dataframes


@pytest.mark.parametrize(
    ("values", "leaves"),
    [
        (pd.Series([34, 7, 34]), ["34", "7", "34"]),
        (pd.Series([34, 7, 34], dtype="Int64"), ["34", "7", "34"]),
        (pd.Series([0.5, 34.0, 0.5]), ["0.5", "34.0", "0.5"]),
        (pd.Series([True, False, True]), ["True", "False", "True"]),
        (pd.Series([True, False, True], dtype="boolean"), ["True", "False", "True"]),
        (pd.to_datetime(pd.Series(["2024-03-01", "2023-12-31", "2024-03-01"])),
         ["2024-03-01", "2023-12-31", "2024-03-01"]),
        (pd.Series([date(2024, 3, 1)] * 3), ["2024-03-01"] * 3),
        (pd.Series(["a", "b", "a"], dtype="category"), ["a", "b", "a"]),
        (pd.Series(pd.Categorical(["a", "b", "a"], ["b", "never", "a"])), ["a", "b", "a"]),
        (pd.Series(["a", "b", "a"], dtype="string"), ["a", "b", "a"]),
        (pd.Series(["a", "b", "a"], dtype=object), ["a", "b", "a"]),
    ],
    ids=lambda value: str(value.dtype) if isinstance(value, pd.Series) else "",
)  # fmt: skip
def test_values_of_a_dataframe_find_the_leaf_with_their_text(
    values: pd.Series, leaves: list[str]
) -> None:
    data = encode(FrameTable(pd.DataFrame({"a": values})), [flat("a", sorted(set(leaves)))])
    assert [leaf for (leaf,) in rows_of(data)] == leaves


MISSING = {
    "NaN": pd.Series([1.0, np.nan, 1.0]),
    "NaT": pd.to_datetime(pd.Series(["2024-03-01", None, "2024-03-01"])),
    "None": pd.Series(["x", None, "x"], dtype=object),
    "NA": pd.Series([1, pd.NA, 1], dtype="Int64"),
    "category": pd.Series(["x", None, "x"], dtype="category"),
    "all kinds": pd.Series(["x", None, np.nan, pd.NA, pd.NaT], dtype=object),
}


@pytest.mark.parametrize("kind", MISSING)
def test_every_kind_of_missing_cell_is_one_value_of_its_own(kind: str) -> None:
    values = MISSING[kind]
    frame = pd.DataFrame({"a": values})
    known = text_of(values[0])
    with pytest.warns(AnonymizerWarning, match="column 'a' has missing cells"):
        data = encode(FrameTable(frame), [flat("a", [known])])
    assert rows_of(data) == [("",) if missing else (known,) for missing in values.isna()]
    assert data.distinct == 2


def test_one_warning_names_all_columns_with_missing_cells() -> None:
    frame = pd.DataFrame({"a": ["x", None], "b": [None, "y"]})
    said = "columns 'a', 'b' have missing cells but no leaf for them in their hierarchies"
    with pytest.warns(AnonymizerWarning, match=said) as caught:
        encode(FrameTable(frame), [flat("a", ["x"]), flat("b", ["y"])])
    assert len(caught) == 1


def test_a_missing_cell_without_a_leaf_gets_one_below_the_top(tmp_path: Path) -> None:
    hierarchy = Hierarchy.from_rows("a", [("34", "30s", "*"), ("47", "40s", "*")])
    (tmp_path / "people.csv").write_text("a\n34\n47\n" + '""\n' * 2)
    with pytest.warns(AnonymizerWarning, match="column 'a' has missing cells") as caught:
        data = encode(open_table(tmp_path / "people.csv"), [hierarchy])
    assert len(caught) == 1
    assert rows_of(data) == [("34",), ("47",), ("",), ("",)]
    assert [*data.columns[0].hierarchy.rows()] == [*hierarchy.rows(), ("", "", "*")]
    assert hierarchy.size == 2  # what was given is not changed


def test_the_leaf_added_for_missing_cells_counts_in_the_loss() -> None:
    tree = {"34": ("34", "30s", "*"), "47": ("47", "40s", "*"), "": ("", "", "*")}
    rows = (("34",), ("34",), ("47",), ("",), ("",))
    given_ = Hierarchy.from_rows("a", list(tree.values())[:2])
    frame = pd.DataFrame({"a": [cell or None for (cell,) in rows]})
    with pytest.warns(AnonymizerWarning):
        data = encode(FrameTable(frame), [given_])
    evaluator = Evaluator(data, [KAnonymity(2)], Loss(Aggregate.GEOMETRIC, (1.0,)), 5)
    for level in range(3):
        expected = oracle.evaluate(Problem(rows, (tree,), k=2), (level,))
        assert evaluator.evaluate((level,)).loss == pytest.approx(expected.loss, abs=1e-15)
        assert evaluator.evaluate((level,)).suppressed_records == len(expected.suppressed)


def test_the_hierarchy_s_own_leaf_for_missing_cells_is_used_without_a_warning() -> None:
    hierarchy = Hierarchy.from_rows("a", [("34", "30s", "*"), ("", "unknown", "*")])
    frame = pd.DataFrame({"a": ["34", None, ""]})
    data = encode(FrameTable(frame), [hierarchy])  # a warning would be an error here
    assert rows_of(data) == [("34",), ("",), ("",)]
    assert data.columns[0].hierarchy is hierarchy


def test_no_leaf_is_added_where_no_cell_is_missing() -> None:
    hierarchy = flat("a", ["x", "y"])
    assert encode(FrameTable(pd.DataFrame({"a": ["x"]})), [hierarchy]).columns[0].hierarchy is (
        hierarchy
    )


def frame_table(values: list[str | None], folder: Path) -> Table:
    return FrameTable(pd.DataFrame({"a": values}))


def parquet_table(values: list[str | None], folder: Path) -> Table:
    parquet.write_table(pa.table({"a": values}), folder / "people.parquet")
    return open_table(folder / "people.parquet")


@pytest.mark.parametrize("make", [frame_table, parquet_table])
def test_an_empty_text_is_a_missing_cell_in_every_kind_of_table(make: Any, tmp_path: Path) -> None:
    with pytest.warns(AnonymizerWarning, match="missing cells"):
        data = encode(make(["x", "", None], tmp_path), [flat("a", ["x"])])
    assert rows_of(data) == [("x",), ("",), ("",)]


def test_a_parquet_column_without_a_single_value_is_all_missing(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"a": pa.nulls(2)}), tmp_path / "people.parquet")
    with pytest.warns(AnonymizerWarning, match="missing cells"):
        data = encode(open_table(tmp_path / "people.parquet"), [flat("a", ["x"])])
    assert rows_of(data) == [("",), ("",)]


def test_a_number_that_is_none_in_a_parquet_file_is_a_missing_cell(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"a": [1.0, float("nan"), None]}), tmp_path / "people.parquet")
    with pytest.warns(AnonymizerWarning, match="missing cells"):
        data = encode(open_table(tmp_path / "people.parquet"), [flat("a", ["1.0"])])
    assert rows_of(data) == [("1.0",), ("",), ("",)]


# Values without a leaf


@pytest.mark.usefixtures("values_shown")
def test_every_value_without_a_leaf_is_named_with_its_column_and_first_row(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("a,b\nx,1\ny,2\nx,3\nz,3\n")
    with pytest.raises(HierarchyError) as caught:
        encode(open_table(tmp_path / "people.csv"), [flat("a", ["x"]), flat("b", ["1", "2"])])
    assert str(caught.value) == (
        "column 'a': 2 values have no row in its hierarchy: 'y', 'z'. "
        "Add them to the hierarchy. First at row 2. "
        "column 'b': 1 value has no row in its hierarchy: '3'. "
        "Add it to the hierarchy. First at row 3."
    )


def test_numbers_read_as_floats_are_recognized_as_a_trap() -> None:
    frame = pd.DataFrame({"age": [34.0, 35.0, np.nan]})
    with pytest.raises(HierarchyError, match="differ from its leaves by a decimal point"):
        encode(FrameTable(frame), [flat("age", ["34", "35"])])


@pytest.mark.parametrize(
    "kind",
    [
        "csv",
        "parquet",
    ],
)
def test_the_first_row_of_an_unknown_value_is_right_across_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(csv_module, "BATCH_BYTES", 16)
    monkeypatch.setattr(arrays, "BATCH_ROWS", 3)
    frame = pd.DataFrame({"a": ["x"] * 20 + ["y"]})
    path = tmp_path / f"people.{kind}"
    getattr(frame, f"to_{kind}")(path, index=False)
    with pytest.raises(HierarchyError, match=r"First at row 21\."):
        encode(open_table(path), [flat("a", ["x"])])


def test_a_category_that_no_row_has_needs_no_leaf_in_a_parquet_file(tmp_path: Path) -> None:
    values = pd.Categorical(["x", "y"], categories=["x", "y", "never"])
    pd.DataFrame({"a": values}).to_parquet(tmp_path / "people.parquet", index=False)
    data = encode(open_table(tmp_path / "people.parquet"), [flat("a", ["x", "y"])])
    assert rows_of(data) == [("x",), ("y",)]
