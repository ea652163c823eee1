from __future__ import annotations

from anonymizer import compare


def test_columns_and_subgroups_are_those_of_the_comparison(studio):
    found, comparison = studio.ask("utility"), compare(studio.session.solution())
    assert {each["name"] for each in found["columns"]} == {c.name for c in comparison.columns}
    assert found["suppressed"] == comparison.share
    assert all('style="' not in each["chart"] for each in found["columns"])
