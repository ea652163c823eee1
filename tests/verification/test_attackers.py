"""Who matches what somebody knows, against a search for a map of the events, one by one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from anonymizer.verification.attackers import PEOPLE, Attackers, PlainStudy, PlainTable
from tests.study.drawing import cases, model_of
from tests.study.oracle import Case, Generalized


def plain_of(case: Case, scheme: tuple[int, ...]) -> PlainStudy:
    """Write a case at a scheme as verification reads a release."""
    found = Generalized(case, scheme)
    tables = [PlainTable("people", found.people)]
    for child, values in zip(case.children, found.tuples, strict=True):
        parent = PEOPLE if child.parent is None else child.parent + 1
        tables.append(PlainTable(child.name, values, parent, [row for row, _ in child.rows]))
    return PlainStudy(tuple(tables))


@given(st.data(), cases())
def test_the_fewest_who_match_are_those_of_the_worst_of_all_that_somebody_may_know(
    data: st.DataObject, case: Case
) -> None:
    scheme = data.draw(st.sampled_from(list(case.schemes())))
    found, everybody = Generalized(case, scheme), range(len(case.people))
    expected = [
        min(
            sum(found.shares(known, person, other) for other in everybody)
            for known in case.attacks(person)
        )
        for person in everybody
    ]
    attackers = Attackers(plain_of(case, scheme), model_of(case))
    assert attackers.fewest == expected
    cap = case.most_events
    over = [person for person in everybody if cap is not None and len(case.known(person)) > cap]
    assert attackers.over_cap() == len(over)
