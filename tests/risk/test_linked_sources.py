"""sources with a linked table: against the definition, over all schemes and all subsets of records."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer import (
    DataError,
    HierarchyError,
    anonymize,
    assess,
    explain,
    frontier,
    make_manifest,
    verify,
)
from anonymizer.attackers.statement import Statement
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.evaluation.suppression import suppress
from anonymizer.lattice import Scheme
from anonymizer.risk import Sources
from anonymizer.search import search
from anonymizer.table.classes import partition
from tests.exhaustive import search_exhaustively
from tests.oracle import Row, Tree
from tests.risk.people import people, stated
from tests.risk.test_people import with_people
from tests.strategies import evaluator_of, lattice_of, names_of, problems


@dataclass(frozen=True)
class Linked:
    """A table and the external tables of the sources, as the oracle reads them."""

    rows: Sequence[Row]
    persons: Sequence[int]
    trees: Sequence[Tree]
    statement: Statement
    externals: Sequence[Sequence[tuple[int, Row]]]
    """For each source the rows of its table: whose each is, and its values of the keys."""

    def value(self, at: int, leaf: str, level: int) -> str:
        return self.trees[at][leaf][level]

    def match(self, at: int, leaf: str, other: str, level: int) -> bool:
        """Whether two cells may be the same: a value that covers missing cells may be any."""
        value = self.value(at, leaf, level)
        if other == "" or ("" in self.trees[at] and self.value(at, "", level) == value):
            return True
        open_there = "" in self.trees[at] and self.value(at, "", level) == self.value(
            at, other, level
        )
        return open_there or value == self.value(at, other, level)

    def probability(self, number: int, row: int, kept: Sequence[int], scheme: Scheme) -> float:
        source = self.statement.source[number]
        keys = [int(key[1:]) for key in source.keys]
        levels = [scheme[at] for at in keys]

        def shown(which: int) -> list[str]:
            pairs = zip(keys, levels, strict=True)
            return [self.value(at, self.rows[which][at], level) for at, level in pairs]

        k = len({self.persons[other] for other in kept if shown(other) == shown(row)})
        matching = {
            who
            for who, cells in self.externals[number]
            if all(
                self.match(at, self.rows[row][at], cell, level)
                for at, cell, level in zip(keys, cells, levels, strict=True)
            )
        }
        return 1 / (k * len(matching)) if matching else 0.0

    def holds(self, kept: Sequence[int], scheme: Scheme) -> bool:
        return all(
            self.probability(number, row, kept, scheme)
            <= self.statement.threshold_of(source) + 1e-12
            for number, source in enumerate(self.statement.source)
            for row in kept
        )


@contextmanager
def drawn(problem, data) -> Iterator[tuple[Evaluator, Linked]]:
    """Draw external tables, put them into files, and put the sources to a table."""
    trees = [dict(tree) for tree in problem.trees]
    rows = [list(row) for row in problem.rows]
    for at, tree in enumerate(trees):
        if "v1" in tree and data.draw(st.booleans()):  # some cells are missing
            tree[""] = ("", *tree.pop("v1")[1:])
            for row in rows:
                row[at] = "" if row[at] == "v1" else row[at]
    problem = replace(problem, rows=tuple(map(tuple, rows)), trees=tuple(trees))
    evaluator, names = evaluator_of(problem), names_of(trees)
    persons = list(range(len(rows)))
    if data.draw(st.booleans()):
        persons = data.draw(st.lists(st.integers(0, 5), min_size=len(rows), max_size=len(rows)))
        evaluator = with_people(evaluator, persons)
    sources, externals = [], []
    with TemporaryDirectory() as folder:
        for number in range(data.draw(st.integers(1, 2))):
            keys = data.draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
            cells = [st.sampled_from([*trees[int(key[1:])], ""]) for key in keys]
            others = data.draw(st.lists(st.tuples(*cells), min_size=1, max_size=6))
            # somebody of whom each value is here, so that it is no mistake
            others.append(tuple(rows[0][int(key[1:])] for key in keys))
            whose = list(range(len(others)))
            source = {"name": f"s{number}", "keys": keys, "path": f"{number}.csv"}
            if data.draw(st.booleans()):
                ids = st.lists(st.integers(0, 2), min_size=len(others), max_size=len(others))
                whose, source["id"] = data.draw(ids), "who"
            frame = pd.DataFrame(others, columns=keys)
            frame.assign(who=whose).to_csv(Path(folder) / f"{number}.csv", index=False)
            sources.append(source | {"threshold": data.draw(st.sampled_from([0.1, 0.34, 0.5]))})
            externals.append(list(zip(whose, others, strict=True)))
        statement = Statement(source=sources, folder=Path(folder))
        linked = Linked(problem.rows, persons, trees, statement, externals)
        yield evaluator, linked


@pytest.mark.filterwarnings("ignore::anonymizer.AnonymizerWarning")
@settings(max_examples=80)
@given(problem=problems(max_attributes=2, max_rows=6), data=st.data())
def test_at_every_scheme_the_largest_of_all_subsets_that_meet_it_is_kept(problem, data) -> None:
    with drawn(problem, data) as (evaluator, linked):
        microdata, model = evaluator.microdata, Sources(linked.statement)
        for scheme in lattice_of(problem):
            found = suppress(microdata, partition(microdata, scheme), [model])
            kept = frozenset(np.flatnonzero(~found.tuples[microdata.tuple_of_row]).tolist())
            assert linked.holds(sorted(kept), scheme)
            for size in range(len(linked.rows) + 1):
                for subset in combinations(range(len(linked.rows)), size):
                    if linked.holds(subset, scheme):
                        assert set(subset) <= kept


@pytest.mark.filterwarnings("ignore::anonymizer.AnonymizerWarning")
@settings(max_examples=80)
@given(problem=problems(max_attributes=3, max_rows=12), data=st.data())
def test_branch_and_bound_is_exhaustive_search(problem, data) -> None:
    with drawn(problem, data) as (evaluator, linked):
        evaluator = replace(evaluator, models=(Sources(linked.statement),))
        lattice = lattice_of(problem)
        found, expected = search(evaluator, lattice), search_exhaustively(evaluator, lattice)
        assert (found.best is None) == (expected.best is None)
        if found.best is not None and expected.best is not None:
            assert (found.best.scheme, found.best.loss) == (
                expected.best.scheme,
                expected.best.loss,
            )


@pytest.mark.filterwarnings("ignore::anonymizer.AnonymizerWarning")
@settings(max_examples=80)
@given(problem=problems(max_attributes=3, max_rows=12), data=st.data())
def test_what_is_bound_is_suppressed_at_every_finer_scheme(problem, data) -> None:
    with drawn(problem, data) as (evaluator, linked):
        microdata, schemes = evaluator.microdata, list(lattice_of(problem))
        coarse = data.draw(st.sampled_from(schemes))
        finer = [s for s in schemes if all(a <= b for a, b in zip(s, coarse, strict=True))]
        model = Sources(linked.statement)
        here = suppress(microdata, partition(microdata, coarse), [model])
        bound = here.binding.classes[here.classes.label_of_tuple]
        for scheme in finer:
            gone = suppress(microdata, partition(microdata, scheme), [model]).tuples
            assert not (bound & ~gone).any()


@pytest.fixture
def statement(tmp_path: Path) -> Statement:
    voters = people(90, seed=4).rename(columns={"sex": "gender"})
    voters.loc[::9, "age"] = ""
    voters.to_csv(tmp_path / "voters.csv", index=False)
    source = {"name": "voters", "keys": ["age", "sex"], "names": {"sex": "gender"}}
    source |= {"path": "voters.csv", "threshold": 0.05}
    return Statement(source=[source, {"name": "news", "keys": ["age"], "p": 0.3}], folder=tmp_path)


def test_it_drives_run_frontier_explanation_verification_and_assessment(statement) -> None:
    frame = people()
    solution = anonymize(frame, stated(statement))
    assert solution.status == "optimal"
    assert 0 < solution.quality < 1
    released = solution.to_frame()
    manifest = make_manifest(solution, released)
    assert verify(released, stated(statement), manifest).passed
    assert verify(released, stated(statement), manifest, against=frame).passed
    assert explain(solution).describe()["models"]
    assert assess(released, stated(statement), statement=statement).passes
    curve = frontier(frame, stated(statement), values=[0.5, 0.2, 0.1, 0.05])
    for point in curve.points:
        single = anonymize(frame, stated(statement, threshold=point.value))
        assert (single.loss, single.suppressed) == (
            point.evaluation.loss,
            point.evaluation.suppressed_records,
        )


def test_the_statement_and_its_table_are_read_relative_to_the_policy(statement, tmp_path) -> None:
    (tmp_path / "statement.toml").write_text(
        '[[source]]\nname = "voters"\nkeys = ["age", "sex"]\npath = "voters.csv"\n'
        'names = { sex = "gender" }\nthreshold = 0.05\n'
        '[[source]]\nname = "news"\nkeys = ["age"]\np = 0.3\n'
    )
    by_path = stated("statement.toml").model_copy(update={"folder": tmp_path})
    assert anonymize(people(), by_path).scheme == anonymize(people(), stated(statement)).scheme


def test_a_release_that_more_people_are_found_in_does_not_verify(statement) -> None:
    frame = people()
    solution = anonymize(frame, stated(statement))
    released = solution.to_frame()
    manifest = make_manifest(solution, released)
    voters = pd.read_csv(statement.files[0], dtype=str)
    voters.drop_duplicates("gender").to_csv(statement.files[0], index=False)  # far fewer match
    again = statement.model_copy()
    checks = [
        check for check in verify(released, stated(again), manifest).checks if check.about_risk
    ]
    assert [check.passed for check in checks] == [False]


def write_table(statement: Statement, frame: pd.DataFrame) -> None:
    frame.to_csv(statement.files[0], index=False)


def test_bad_tables_are_one_sentence_each(statement) -> None:
    voters = pd.read_csv(statement.files[0], dtype=str)
    write_table(statement, voters.assign(gender="X"))
    with pytest.raises(HierarchyError, match=r"column 'sex' has values that no single level"):
        anonymize(people(), stated(statement))
    write_table(statement, voters.assign(gender="F"))
    with pytest.raises(DataError, match=r"no value of the key 'sex' occurs in both tables"):
        anonymize(people().assign(sex="M"), stated(statement.model_copy()))
    write_table(statement, voters.drop(columns="gender"))
    with pytest.raises(DataError, match=r"no column for the key 'sex'; leave it out"):
        anonymize(people(), stated(statement.model_copy()))
    write_table(statement, voters[:0])
    with pytest.raises(DataError, match=r"the external table has no rows; name one with people"):
        anonymize(people(), stated(statement.model_copy()))


def test_bad_ids_of_a_table_are_one_sentence_each(statement) -> None:
    def with_id(name: str) -> Statement:
        source = statement.source[0].model_copy(update={"id": name})
        return statement.model_copy(update={"source": (source,)})

    with pytest.raises(DataError, match=r"no column 'voter', which is the id of 'voters'"):
        anonymize(people(), stated(with_id("voter")))
    with pytest.raises(DataError, match=r"row 1 has no 'age', so it is not known whose it is"):
        anonymize(people(), stated(with_id("age")))


def test_json_names_the_statement(statement) -> None:
    assert json.dumps(Sources(statement).describe())


def test_a_run_never_overwrites_the_table_of_a_source(statement, tmp_path) -> None:
    (tmp_path / "statement.toml").write_text(
        '[[source]]\nname = "voters"\nkeys = ["age"]\npath = "voters.csv"\n'
    )
    by_path = stated("statement.toml").model_copy(update={"folder": tmp_path})
    assert by_path.files == [tmp_path / "statement.toml", tmp_path / "voters.csv"]
    assert stated(statement).files == statement.files
    absent = stated("nothing.toml").model_copy(update={"folder": tmp_path})
    assert absent.files == [tmp_path / "nothing.toml"]
