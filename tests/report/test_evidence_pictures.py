"""Pictures of evidence: what is drawn where."""

from __future__ import annotations

import re

from anonymizer import evidence
from anonymizer.report.chart import AFTER, BEFORE
from anonymizer.report.evidence_pictures import pictures_of
from tests.analyses.people import CURVES, PREDICTED, STAY, people, release


def drawn(stated: dict[str, object], scheme: tuple[int, ...] = (0, 0, 0)) -> list[str]:
    found = evidence(release(people(), [stated], scheme)).results[0]
    return [str(svg) for svg, _ in pictures_of(found)]


def test_both_intervals_of_a_coefficient_are_drawn_and_a_lost_one_has_none() -> None:
    (whole,) = drawn(STAY)
    (lost,) = drawn(STAY, (0, 1, 0))
    assert whole.count(f'stroke="{BEFORE}"') == whole.count(f'stroke="{AFTER}"') == 3
    assert lost.count(f'stroke="{AFTER}"') == 2
    assert ">lost</text>" in lost


def test_a_release_that_is_the_original_has_its_intervals_at_the_same_places() -> None:
    (picture,) = drawn(STAY)
    spans = {
        colour: re.findall(rf'x1="([\d.]+)" x2="([\d.]+)"[^>]*stroke="{colour}"', picture)
        for colour in (BEFORE, AFTER)
    }
    assert spans[BEFORE] == spans[AFTER]


def test_every_model_has_two_bars_and_every_group_a_picture() -> None:
    (bars,) = drawn(PREDICTED)
    assert bars.count("<rect") == 6
    assert len(drawn(CURVES)) == 2
    assert all(each.count("<polyline") == 2 for each in drawn(CURVES))
    assert all(each.count("<polyline") == 1 for each in drawn(CURVES, (0, 1, 0)))


def test_what_is_counted_has_no_picture() -> None:
    assert drawn({"name": "m", "kind": "marginals"}) == []
