"""A table that stays in an engine gives what the same table in a file or in memory gives."""

from __future__ import annotations

import pickle
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from anonymizer import Policy, anonymize, make_manifest, verify, write_release
from anonymizer.errors import AnonymizerWarning, DataError
from anonymizer.solution.solution import Solution
from tests.data.engines import tables
from tests.data.engines.makers import EMBEDDED, KINDS, PRESENT, Servers, in_spark
from tests.data.formats import rows_in
from tests.wards import ROUTES

pytestmark = [
    pytest.mark.xdist_group("engines"),
    pytest.mark.filterwarnings("ignore::anonymizer.errors.AnonymizerWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


def figures_of(solution: Solution) -> dict[str, Any]:
    """Return all that a manifest claims, but the digests."""
    manifest = make_manifest(solution, pa.table({"any": [1]}))
    return {
        key: value for key, value in manifest.items() if key not in ("input", "output", "seconds")
    }


def check_same(given: Any, table: pa.Table, policy: Policy) -> Solution:
    """Check that figures and released rows are those of the table in Arrow's memory."""
    expected, found = anonymize(table, policy), anonymize(given, policy)
    assert figures_of(found) == figures_of(expected)
    assert rows_in(found.to_frame()) == rows_in(expected.to_frame())
    return found


@cache
def dataset(name: str) -> tuple[pa.Table, Policy, dict[str, Any], list[tuple[str, ...]]] | None:
    """Return a table, its policy, and the figures and released rows that it has in Arrow's memory."""
    if (made := tables.DATASETS[name]()) is None:
        return None
    solution = anonymize(*made)
    return *made, figures_of(solution), rows_in(solution.to_frame())


@pytest.mark.parametrize("name", tables.DATASETS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_gives_the_same_solution_figures_and_rows(
    kind: str, name: str, tmp_path: Path, servers: Servers
) -> None:
    if (made := dataset(name)) is None:
        pytest.skip("the benchmark data is not here")
    table, policy, figures, rows = made
    found = anonymize(KINDS[kind](table, tmp_path, servers), policy)
    assert figures_of(found) == figures
    assert rows_in(found.to_frame()) == rows


def test_the_cases_suppress_some_rows_and_count_people() -> None:
    random, register = dataset("random"), dataset("register")
    assert random is not None
    assert register is not None
    assert 0 < len(random[3]) < random[0].num_rows
    assert register[1].data.id == "patient_id"


RELEASES: dict[str, dict[str, Any]] = {
    "redacted": {"suppressed": "redact"},
    "in layers": {"layers": True},
    "escaped": {"escape_formulas": True},
    "unshuffled": {"shuffle": False},
}


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("kind", ["folder", "postgres"])
def test_every_form_of_a_release_is_the_same(
    kind: str, release: str, tmp_path: Path, servers: Servers
) -> None:
    table = tables.drawn(seed=2)
    policy = tables.policy_of(("age", "moment", "ward"), release=RELEASES[release])
    check_same(KINDS[kind](table, tmp_path, servers), table, policy)


@pytest.mark.parametrize("kind", ["folder", "duckdb", "postgres"])
@pytest.mark.parametrize(
    "data", [{"id": "person"}, {"rows_are_people": True}], ids=["people", "rows"]
)
def test_groups_are_kept_alike(
    kind: str, data: dict[str, Any], tmp_path: Path, servers: Servers
) -> None:
    table = tables.drawn(seed=2)
    conditions = ["stay >= 5", "note = flu", "ward != a"]
    keep = [{"where": where, "at_least": 0.5} for where in conditions]
    policy = tables.policy_of(("age", "moment", "ward"), keep=keep, data=data)
    solution = check_same(KINDS[kind](table, tmp_path, servers), table, policy)
    expected = anonymize(table, policy).groups
    assert solution.groups == expected
    assert {group.counted for group in expected} == {"people" if "id" in data else "records"}


@pytest.mark.parametrize("release", [{}, *RELEASES.values()], ids=["plain", *RELEASES])
def test_a_folder_that_duckdb_writes_has_the_same_texts_and_no_others(
    release: dict[str, Any], tmp_path: Path, servers: Servers
) -> None:
    table = tables.drawn(seed=2)
    policy = tables.policy_of(("age", "moment", "ward"), release=release)
    expected = anonymize(table, policy)
    assert expected.suppressed > 0 or release.get("layers")
    solution = anonymize(KINDS["folder"](table, tmp_path, servers), policy)
    written = Path(write_release(solution, tmp_path / "out")["release"])
    assert rows_in(written) == rows_in(expected.to_frame())
    for path in written.iterdir():
        for column in parquet.read_table(path, read_dictionary=["age", "ward"]).select(
            ["age", "ward"]
        ):
            for chunk in column.chunks:
                released = set(chunk.to_pylist()) - {None}
                assert set(chunk.dictionary.to_pylist()) == released


@pytest.mark.parametrize("release", [{}, {"layers": True, "escape_formulas": True}])
def test_spark_writes_a_folder_of_people_with_redacted_rows_and_every_type(
    release: dict[str, Any], tmp_path: Path, servers: Servers
) -> None:
    table = tables.drawn(seed=2)
    policy = tables.policy_of(
        ("age", "day", "moment", "amount", "ward"),
        release={"suppressed": "redact", **release},
        data={"id": "person"},
    )
    given = in_spark(table, tmp_path, servers)
    solution = anonymize(given, policy)
    expected = anonymize(table, policy)
    assert 0 < solution.suppressed < table.num_rows
    assert figures_of(solution) == figures_of(expected)
    files = write_release(solution, tmp_path / "out")
    assert rows_in(Path(files["release"])) == rows_in(expected.to_frame())
    assert verify(files["release"], policy, against=given).passed


def test_class_means_are_the_same(tmp_path: Path, servers: Servers) -> None:
    table = tables.drawn(seed=3).drop_columns(["person"])
    own = {"role": "quasi", "hierarchy": tables.QUASI["age"], "microaggregation": "mean"}
    attributes = {name: {"role": "insensitive"} for name in table.column_names}
    attributes |= {"age": own, "ward": {"role": "quasi", "hierarchy": tables.QUASI["ward"]}}  # type: ignore[dict-item]
    table = table.filter(table["age"].is_valid())
    policy = Policy(attributes=attributes, risk=[{"model": "k-anonymity", "k": 3}])
    check_same(KINDS["folder"](table, tmp_path, servers), table, policy)


def test_the_order_of_files_and_rows_decides_nothing(tmp_path: Path, servers: Servers) -> None:
    table = tables.drawn(seed=4)
    backwards = table.take(pa.array(range(table.num_rows)[::-1]))
    check_same(KINDS["folder"](backwards, tmp_path, servers), table, tables.policy_of())


@settings(max_examples=8)
@given(
    st.integers(3, 40), st.integers(0, 2**16), st.sets(st.sampled_from(sorted(tables.QUASI)), min_size=1)
)  # fmt: skip
def test_any_table_is_the_same_in_duckdb(rows: int, seed: int, quasi: set[str]) -> None:
    table = tables.drawn(rows, seed)
    policy = tables.policy_of(sorted(quasi))
    check_same(EMBEDDED["relation"](table, Path(), Servers(str)), table, policy)


@pytest.mark.parametrize("kind", [*PRESENT, *EMBEDDED])
def test_an_empty_table_is_refused(kind: str, tmp_path: Path, servers: Servers) -> None:
    if kind in ("pandas", "csv glob", "folder", "glob"):
        pytest.skip("no file is written for no rows, or pandas has no types for it")
    table = tables.drawn().slice(0, 0)
    with pytest.raises(Exception, match="the table has no rows"):
        anonymize(KINDS[kind](table, tmp_path, servers), tables.policy_of())


@pytest.mark.parametrize("kind", EMBEDDED)
def test_a_solution_for_an_engine_is_not_pickled(
    kind: str, tmp_path: Path, servers: Servers
) -> None:
    solution = anonymize(KINDS[kind](tables.drawn(), tmp_path, servers), tables.policy_of())
    with pytest.raises(DataError, match=r"cannot be pickled; keep the manifest, and use apply\.$"):
        pickle.dumps(solution)


@pytest.mark.filterwarnings("default::anonymizer.errors.AnonymizerWarning")
def test_formulas_that_came_over_are_a_warning(tmp_path: Path, servers: Servers) -> None:
    table = tables.drawn()
    risk = [{"model": "distinct-l", "attribute": "note", "l": 2}]
    solution = anonymize(KINDS["folder"](table, tmp_path, servers), tables.policy_of(risk=risk))
    with pytest.warns(AnonymizerWarning, match="column 'note' of the release has cells that begin"):
        write_release(solution, tmp_path / "out")


TOLD = f"""{ROUTES}
[[learned]]
attributes = ["age"]
column = "told"
"""


@pytest.mark.parametrize(("kind", "place"), [("parquet", ", row 3"), ("folder", "")])
def test_a_wrong_probability_has_no_row_where_rows_have_no_order(
    kind: str, place: str, tmp_path: Path, servers: Servers
) -> None:
    table = pa.table({"age": [59, 41, 22, 30] * 3, "told": ["0.5", "1", "high", "1"] * 3})
    (tmp_path / "told.toml").write_text(TOLD)
    policy = Policy(
        attributes={
            "age": {"role": "quasi", "hierarchy": tables.QUASI["age"]},
            "told": {"role": "identifying"},
        },
        risk=[{"model": "overall", "threshold": 0.1, "scenario": str(tmp_path / "told.toml")}],
    )
    with pytest.raises(DataError, match=f"column 'told'{place}: 'high' is not a probability"):
        anonymize(KINDS[kind](table, tmp_path, servers), policy)
