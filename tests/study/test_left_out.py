"""Who is alone by what the promise does not cover, against plain counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.study.left_out import Seen, count_left_out
from anonymizer.verification.attackers import PlainStudy
from tests.study.drawing import cases, study_of
from tests.study.oracle import Case
from tests.verification.test_attackers import plain_of

NOTHING = Seen(None, (), ())


@given(st.data(), cases())
def test_people_are_counted_as_plain_counts_have_it(data: st.DataObject, case: Case) -> None:
    scheme = data.draw(st.sampled_from(list(case.schemes())))
    study, plain = study_of(case), plain_of(case, scheme)
    kept = np.array([data.draw(st.booleans()) for _ in case.people], np.bool_)
    kept_columns, times = ([labels_of(data, table.rows) for table in study.tables] for _ in "12")
    timed = [at for at in range(1, len(study.tables)) if data.draw(st.booleans())]
    seen = Seen(kept_columns, times, timed)
    found = count_left_out(study, scheme, study.rows_of(kept), ("arm",), seen)
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
    for count, own, places, general in (
        (found.alone_by_all, kept_columns, range(1, len(study.tables)), True),
        (found.alone_by_times, times, timed, False),
    ):
        other = relabelled(plain, own, general)
        events = [[e for e in other.events[p] if e[0] in places] for p in people]
        shown = [
            (rows[p], other.tables[0].values[p], other.written(mine))
            for p, mine in zip(people, events, strict=True)
        ]
        assert (count or 0) == alone([*shown]) * bool(places)
    assert len(found.sentences()) == len(plain.tables) + 3 + bool(timed)
    nothing = count_left_out(study, scheme, study.rows_of(kept), (), NOTHING)
    assert nothing.alone_by_all is nothing.alone_by_times is None
    assert "alone_by_all" not in nothing.describe()


def labels_of(data: st.DataObject, rows: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """Draw what the rows of a table show beside the others."""
    few = st.lists(st.integers(0, 1), min_size=rows, max_size=rows)
    return np.array(data.draw(few), np.int32)


def relabelled(plain: PlainStudy, labels: Sequence[Any], general: bool) -> PlainStudy:
    """The same study with these beside its values, or in their place."""
    return PlainStudy(
        tuple(
            replace(
                table,
                values=[*zip(table.values, own.tolist(), strict=True)] if general else own.tolist(),
            )
            for table, own in zip(plain.tables, labels, strict=True)
        )
    )
