from __future__ import annotations

from anonymizer.assessment.published import Arms, Characteristic, Limits, assess_published
from anonymizer.report.published import colour, published_page, verdict

ROWS = [Characteristic("<b>COPD</b>", 23, 2), Characteristic("Tobacco", 6, 6)]


def test_only_what_breaks_the_chosen_l_is_framed_and_listed() -> None:
    table = assess_published(ROWS, Arms(228, 105), Limits(pfdptc=1.1))
    page = published_page(table, "A table")
    assert page.count('class="shaded breaks"') == 1  # COPD in the placebo arm
    assert "&lt;b&gt;COPD&lt;/b&gt;</span>: PFDPTC" in page
    assert "at most 1.100" in page
    assert "1 of 2 rows break" in verdict(table)


def test_without_a_chosen_l_nothing_is_framed() -> None:
    page = published_page(assess_published(ROWS, Arms(228, 105)), "A table")
    assert 'class="shaded breaks"' not in page
    assert "Rows that break" not in page


def test_a_page_stands_alone() -> None:
    page = published_page(assess_published(ROWS, Arms(228, 105)), "A table")
    assert "http" not in page.replace("http-equiv", "")
    assert "<script" not in page


def test_colours_stay_between_white_and_red() -> None:
    assert colour(-1) == "#ffffff"
    assert colour(7) == "#de6e5f"
    assert colour(0.5) not in ("#ffffff", "#de6e5f")
