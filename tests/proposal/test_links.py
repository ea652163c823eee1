"""Links by values: on random names, the keys that a study was drawn with are found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.data.column import Column, Vocabulary, cells_of_values
from anonymizer.errors import PolicyError
from anonymizer.proposal.links import find_links


def column(values: list[object]) -> Column:
    """Make a column of some values."""
    words = Vocabulary()
    codes = words.encode(cells_of_values(values))
    return Column(codes, words.texts)


@given(
    st.permutations(["a", "b", "c"]),
    st.lists(st.integers(0, 19), min_size=25, max_size=60),
    st.integers(0, 10**6),
)
def test_keys_are_found_whatever_tables_and_columns_are_called(
    names: list[str], owners: list[int], offset: int
) -> None:
    people, visits, findings = names
    owners = [*range(20), *owners]
    at = [row * 7 % len(owners) for row in range(len(owners) + 10)]
    tables = {
        people: {
            "x": column([f"p{n}" for n in range(20)]),
            "age": column([n % 5 for n in range(20)]),
        },
        visits: {
            "whom": column([f"p{n}" for n in owners]),
            "number": column([f"v{offset + n}" for n in range(len(owners))]),
        },
        findings: {
            "whom": column([f"p{owners[n]}" for n in at]),
            "of": column([f"v{offset + n}" for n in at]),
            "code": column([n % 3 for n in at]),
        },
    }
    found = find_links({name: tables[name] for name in sorted(tables)})
    assert (found.people, found.id, found.alone) == (people, "x", ())
    assert (found.links[visits].column, found.links[visits].parent) == ("whom", people)
    assert (found.links[findings].column, found.links[findings].parent) == ("of", visits)
    assert found.key_of(visits) == "number"


def test_a_key_that_says_another_person_links_nothing() -> None:
    ids = [f"p{n}" for n in range(10)]
    tables = {
        "people": {"id": column(ids)},
        "visit": {"id": column(ids * 2), "n": column(list(range(20)))},
        "drug": {"id": column(ids[::-1] * 2), "n": column(list(range(20)))},
    }
    found = find_links(tables)
    assert found.people == "people"
    assert {link.parent for link in found.links.values()} == {"people"}


def test_tables_without_a_common_value_are_no_study() -> None:
    with pytest.raises(PolicyError, match="no column of one has all its values"):
        find_links({"a": {"x": column(["1", "2"])}, "b": {"x": column(["3", "4", "4"])}})
