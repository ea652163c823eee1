"""What the model study accepts, and what it is on a flat table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from anonymizer.data.pandas import FrameTable
from anonymizer.errors import PolicyError
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.hierarchy import Hierarchy
from anonymizer.risk import KAnonymity
from anonymizer.risk.study import StudyAnonymity
from anonymizer.table.microdata import encode
from anonymizer.utility import Aggregate, Loss


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"k": 0, "power": 1}, "k must be at least 1"),
        ({"k": 2, "power": -1}, "power must be at least 0"),
        ({"k": 2, "power": 1.5}, "power must be a whole number"),
        ({"k": 2, "power": "all"}, 'power must be a whole number or "profile"'),
        ({"k": 2, "power": 1, "powers": {"ae": -1}}, "powers.ae must be at least 0"),
        ({"k": 2, "power": 1, "share": 2.0}, "share must be a number from 0 to 1"),
        ({"k": 2, "power": 1, "most_events": -1}, "most_events must be at least 0"),
        ({"k": 2, "power": 1, "counts": "maybe"}, "counts must be"),
        ({"k": 2, "power": "profile", "powers": {"ae": 1}}, "say nothing more"),
        ({"k": 2, "power": 1, "suppress": "rows"}, 'suppress must be "people" or "events"'),
        ({"k": 2, "power": 1, "event_limit": 0.1}, 'event_limit is for suppress = "events"'),
        ({"k": 2, "power": 1, "suppress": "events", "event_limit": 2}, "event_limit must be"),
        ({"k": 2, "power": "profile", "suppress": "events"}, 'with power = "profile", whoever'),
        ({"k": 2, "power": 1, "suppress": "events", "counts": "known"}, 'with counts = "known"'),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(given: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        StudyAnonymity(**given)


def test_a_flat_table_is_refused_with_power_and_is_k_anonymity_without() -> None:
    sexes = Hierarchy.from_rows("sex", [("f", "*"), ("m", "*")])
    frame = pd.DataFrame({"sex": list("ffm")}, dtype=object)
    microdata = encode(FrameTable(frame), [sexes])
    measure = Loss(Aggregate.GEOMETRIC, (1.0,))
    asked = StudyAnonymity(2, 1)
    assert "flat table" in asked.check(3, ("sex",))[0]
    with pytest.raises(PolicyError, match="flat table"):
        Evaluator(microdata, [asked], measure, 3).evaluate((0,))
    assert StudyAnonymity(2, 0).check(3, ("sex",)) == []
    ours, theirs = (
        Evaluator(microdata, [model], measure, 3).evaluate((0,))
        for model in (StudyAnonymity(2, 0), KAnonymity(2))
    )
    assert (ours.loss, ours.suppressed_records) == (theirs.loss, theirs.suppressed_records)


def test_a_share_of_the_events_counts_where_it_is_more_than_the_power() -> None:
    model = StudyAnonymity(5, 2, share=0.1)
    assert model.own_powers(np.array([0, 5, 20, 21, 30])).tolist() == [2, 2, 2, 3, 3]
    assert str(model) == "study with k = 5, power 2, or 10 % of the events"
    assert hash(model) == hash(StudyAnonymity(5, 2, share=0.1))
