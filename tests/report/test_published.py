from __future__ import annotations

from rich.console import Console

from anonymizer.published import (
    Arms,
    Breach,
    Characteristic,
    PublishedLimits,
    Summary,
    assess_published,
)
from anonymizer.published.summary_cells import read_summary
from anonymizer.report.published import colour, published_page, sections
from anonymizer.report.sections import show_sections

TRIAL = Arms(("treatment", "placebo"), (228, 105))
ROWS = [Characteristic("<b>COPD</b>", (23, 2)), Characteristic("Tobacco", (6, 6))]
TITRE = [
    Characteristic(name, counts, (145, 70), "Titre", category=True)
    for name, counts in {"1:40": (65, 34), "1:80": (80, 30)}.items()
]


def on_terminal(table) -> str:
    console = Console(width=250, color_system=None)
    with console.capture() as capture:
        console.print(show_sections(sections(table)))
    return capture.get()


def test_only_what_breaks_the_chosen_l_is_framed_and_listed() -> None:
    table = assess_published(ROWS, TRIAL, PublishedLimits(pfdptc=1.1))
    page = published_page(table, "A table")
    assert page.count('class="shaded breaks"') == 1  # COPD in the placebo arm
    assert "&lt;b&gt;COPD&lt;/b&gt;: PFDPTC (placebo)" in page
    assert "at most 1.100" in page
    assert "1 of 2 rows break" in on_terminal(table)


def test_an_advantage_that_is_too_large_is_framed_and_marked() -> None:
    table = assess_published(ROWS, TRIAL, PublishedLimits(advantage=0.2))
    page = published_page(table, "A table")
    assert page.count('class="shaded breaks"') == 1
    assert "PDP (has it) by advantage" in page
    shown = on_terminal(table)
    assert "treatment 92.0 % (68.5 %)!" in shown
    assert "placebo 50.0 % (31.5 %) " in shown


def test_without_a_chosen_limit_nothing_is_framed() -> None:
    page = published_page(assess_published(ROWS, TRIAL), "A table")
    assert 'class="shaded breaks"' not in page
    assert "Rows that break" not in page


def test_every_probability_stands_beside_its_baseline() -> None:
    table = assess_published([ROWS[1]], TRIAL)
    for shown in (published_page(table, "A table"), on_terminal(table)):
        for part in (
            "placebo 50.0 % (31.5 %)",  # PDP, who has it
            "treatment 69.2 % (68.5 %)",  # PDP, who does not
            "does not have it 96.4 % (50.0 %)",  # PFDOC
            "has it 5.7 % (3.6 %)",  # PFDPTC placebo
        ):
            assert part in shown
    assert "l = 1.865" in on_terminal(table)


def test_what_is_nearly_certain_is_not_shown_as_certain() -> None:
    arms = Arms(("treatment", "placebo"), (10_000, 10_000))
    nearly, certain = ([Characteristic("it", counts)] for counts in ((9_999, 1), (9_999, 0)))
    for rows, text in ((nearly, "treatment over 99.9 % (50.0 %)"), (certain, "100 % (50.0 %)")):
        table = assess_published(rows, arms)
        for shown in (published_page(table, "A table"), on_terminal(table)):
            assert text in shown
            assert "100.0 %" not in shown


def test_own_totals_and_categories_are_shown_under_their_heading() -> None:
    table = assess_published([*TITRE, ROWS[1]], TRIAL)
    page, shown = published_page(table, "A table"), on_terminal(table)
    for text in (page, shown):
        assert text.count("Titre") == 2  # one heading in each table
        assert "65/145" in text
        assert "1:40, of those measured" in text
        assert "all categories" in text
        assert "not measured" in text


def test_three_arms_have_their_columns() -> None:
    arms = Arms(("low", "high", "none"), (10, 10, 10))
    table = assess_published([Characteristic("it", (3, 2, 1))], arms)
    page, shown = published_page(table, "A table"), on_terminal(table)
    for arm in arms.names:
        assert f"PFDPTC {arm}" in page
        assert f"PFDPTC {arm}" in shown


def test_what_nobody_has_is_shown_as_nobody_and_white() -> None:
    table = assess_published([Characteristic("it", (0, 0))], TRIAL, PublishedLimits(pdp=2, pfdoc=2))
    page = published_page(table, "A table")
    assert 'style="background: #ffffff" title="Nobody has it.">0.0000</td>' in page
    assert 'title="Nobody has it.">nobody</td>' in page
    assert "All rows keep l = any under PDP" in on_terminal(table)
    assert "0 of 1 rows break a chosen limit" in on_terminal(table)


def test_an_l_above_that_of_the_allocation_is_said_to_be() -> None:
    assert "more than the sizes of the arms alone keep" in on_terminal(
        assess_published(ROWS, TRIAL, PublishedLimits(pdp=1.9))
    )
    assert "more than the sizes" not in on_terminal(
        assess_published(ROWS, TRIAL, PublishedLimits(pdp=1.8))
    )


def test_a_page_stands_alone() -> None:
    page = published_page(assess_published(ROWS, TRIAL), "A table")
    assert "http" not in page.replace("http-equiv", "")
    assert "<script" not in page


def test_colours_stay_between_white_and_red() -> None:
    assert colour(-1) == "#ffffff"
    assert colour(7) == "#de6e5f"
    assert colour(0.5) not in ("#ffffff", "#de6e5f")


def median(name: str, *texts: str) -> Summary:
    return read_summary(f"{name}, median (IQR)", "", texts, TRIAL)[0]


def test_a_median_of_three_is_attacked_and_one_of_many_is_passed_over() -> None:
    rows = [*ROWS, median("Age", "62 (53-72)", "61 (49-71)"), median("Days", "31, n = 3", "19")]
    table = assess_published(rows, TRIAL, PublishedLimits(advantage=0.3))
    page, shown = published_page(table, "A table"), on_terminal(table)
    for text in (page, shown):
        assert "1 of 3 in the treatment arm has exactly 31." in text
        assert "value is right: Age, median (IQR)." in " ".join(text.split())
    assert table.broken["Days, median (IQR)"] == (Breach("value", "treatment", "advantage"),)
    assert "Age, median (IQR)" not in table.broken
    assert "VALUE (treatment) by advantage" in shown


def test_figures_that_nobody_can_have_are_said_to_be_so() -> None:
    row, _ = read_summary("Days, mean (min to max)", "", ["8 (1 to 3)", "2 (1 to 3)"], TRIAL)
    shown = on_terminal(assess_published([row], TRIAL))
    assert "No 228 people have such figures" in shown
    assert "no counts that the three attacks read" in shown
