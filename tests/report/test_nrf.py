"""What people disclose elsewhere, in sentences and figures."""

from __future__ import annotations

import numpy as np

from anonymizer.attackers.disclosure import Source
from anonymizer.attackers.nrf import Reidentification
from anonymizer.attackers.unique_subsets import Uniqueness
from anonymizer.report.nrf import disclosure_section


def make(unique: list[int], sources: int = 2) -> Reidentification:
    counts = Uniqueness(("x", "y"), 100, 100, np.array(unique))
    rates = {"x": 0.5, "y": 0.2}
    return Reidentification(counts, tuple(Source(f"s{i}", 0.5, rates) for i in range(sources)))


def test_where_nobody_is_unique_no_combination_is_listed() -> None:
    section = disclosure_section(make([0, 0, 0, 0]))
    assert [figures.header[0] for figures in section.figures] == ["left out"]
    assert "Nobody is unique by anything that is disclosed." in " ".join(section.sentences)


def test_every_figure_of_a_combination_is_that_of_the_risk() -> None:
    risk = make([0, 5, 2, 9])
    dangerous, choices = disclosure_section(risk).figures
    assert len(dangerous.rows) == len(risk.most_dangerous())
    assert dangerous.rows[0][0] == ", ".join(risk.most_dangerous()[0].attributes)
    assert len(choices.rows) == 3


def test_how_it_was_found_has_the_product_of_the_paper_and_every_source() -> None:
    (part,) = disclosure_section(make([0, 100, 100, 100], 15)).parts
    assert "The paper multiplies over the combinations" in part.sentences[0]
    assert len(part.figures[0].header) == 17
