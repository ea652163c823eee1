from __future__ import annotations

import pytest

from anonymizer import compare
from tests.studio.conftest import patients


def test_columns_and_subgroups_are_those_of_the_comparison(studio):
    found, comparison = studio.ask("utility"), compare(studio.session.solution())
    assert {each["name"] for each in found["columns"]} == {c.name for c in comparison.columns}
    assert found["suppressed"] == comparison.share
    assert found["outcomes"] == ["diagnosis"]
    assert all('style="' not in each["chart"] for each in found["columns"])


def test_an_analysis_on_the_table_is_what_pandas_finds(studio):
    frame, solution = patients(), studio.session.solution()
    found = studio.ask("analysis", by="sex", outcome="diagnosis")
    often = frame["diagnosis"].mode()[0]
    labels = solution.problem.hierarchies[1]
    of = dict(
        zip(labels.leaves, (row[solution.scheme["sex"]] for row in labels.rows()), strict=True)
    )
    groups = frame["sex"].map(of)
    shares = (frame["diagnosis"] == often).groupby(groups).mean()
    assert {row["group"]: pytest.approx(row["before"]) for row in found["rows"]} == dict(shares)
    released = sum(row["rows_after"] for row in found["rows"])
    assert released == solution.records - solution.suppressed


def test_a_number_is_averaged(studio):
    studio.ask("role", revision=studio.revision, column="age", role="insensitive")
    studio.settle()
    found = studio.ask("analysis", by="zip", outcome="age")
    rows = found["rows"]
    total = sum(row["before"] * row["rows_before"] for row in rows)
    assert total == pytest.approx(patients()["age"].sum())
    assert found["outcome"] == "mean age"


def test_only_what_is_generalized_makes_groups(studio):
    assert studio.post("analysis", by="diagnosis", outcome="diagnosis").status_code == 422
    assert studio.post("analysis", by="sex", outcome="nobody").status_code == 422
