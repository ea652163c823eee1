"""Who is alone by what the promise does not cover, against plain counts."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.study.left_out import count_left_out
from tests.study.drawing import cases, study_of
from tests.study.oracle import Case
from tests.verification.test_attackers import plain_of


@given(st.data(), cases())
def test_people_are_counted_as_plain_counts_have_it(data: st.DataObject, case: Case) -> None:
    scheme = data.draw(st.sampled_from(list(case.schemes())))
    study, plain = study_of(case), plain_of(case, scheme)
    kept = np.array([data.draw(st.booleans()) for _ in case.people], np.bool_)
    found = count_left_out(study, scheme, study.rows_of(kept), ("arm",))
    people = np.flatnonzero(kept).tolist()
    rows = plain.tables[0].values

    def alone(values: list[object]) -> int:
        return sum(times == 1 for times in Counter(values).values())

    for place, table in enumerate(plain.tables[1:]):
        numbers = [(rows[p], plain.number(p)[place]) for p in people]
        assert found.alone_by_number[table.name] == alone([*numbers])
    whole = [(rows[p], plain.written(plain.events[p])) for p in people]
    assert found.alone_by_profile == alone([*whole])
    assert found.without_events == sum(not plain.events[p] for p in people)
    assert found.dropped == len(case.people) - len(people)
    assert len(found.sentences()) == len(plain.tables) + 2
