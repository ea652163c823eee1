"""The risk of every choice of released columns: as if the others were not in the table."""

from __future__ import annotations

import math

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.attackers.disclosed import assess_disclosure
from anonymizer.attackers.disclosure import Source
from tests.attackers.test_unique_subsets import frames


@settings(max_examples=40)
@given(frames(5), st.data())
def test_each_choice_has_the_risk_of_a_table_without_the_other_columns(
    frame: pd.DataFrame, data
) -> None:
    names = list(frame)
    rates = {name: data.draw(st.floats(0, 1, allow_subnormal=False)) for name in names}
    e_uniqueness = data.draw(st.floats(0, 1, allow_subnormal=False))
    risk = assess_disclosure(frame, [Source("all", 1.0, rates)], e_uniqueness=e_uniqueness)
    risks = risk.over_choices()
    for subset in range(1, 1 << len(names)):
        kept = [name for at, name in enumerate(names) if subset >> at & 1]
        source = Source("all", 1.0, {name: rates[name] for name in kept})
        alone = assess_disclosure(frame[kept], [source], e_uniqueness=e_uniqueness)
        assert risks[subset] == pytest.approx(alone.individual_exact, abs=1e-9)
        choice = risk.choice(subset, float(risks[subset]), with_people=True)
        assert choice.released == tuple(kept)
        assert choice.highest == pytest.approx(alone.highest, abs=1e-9)
        n = len(frame)
        assert choice.data_set == pytest.approx(1 - (1 - min(risks[subset], 1)) ** n, abs=1e-9)


def test_for_each_number_of_columns_the_best_to_leave_out_is_named() -> None:
    frame = pd.DataFrame({"zip": ["1", "2", "3", "4"], "sex": ["f", "m", "f", "m"], "race": "x"})
    risk = assess_disclosure(frame, [Source("all", 1.0, {"zip": 0.5, "sex": 0.9, "race": 0.9})])
    best = risk.best_choices()
    assert [len(choice.left_out) for choice in best] == [0, 1, 2, 3]
    assert best[0].individual == pytest.approx(risk.individual_exact) == pytest.approx(0.5)
    assert best[1].left_out == ("zip",)
    assert best[1].individual == 0
    assert best[1].highest == 0
    assert math.isclose(best[0].highest or 0, 0.5)
    assert risk.describe()["best_choices"][1]["left_out"] == ("zip",)
