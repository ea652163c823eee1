"""The pages in a real browser: nothing is asked for, nothing scrolls sideways, keys do what a mouse does.

Needs playwright (in the extra `test`) and Chromium of the system (`apt-get install chromium`); without
them these tests are skipped, and say so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest

from anonymizer import (
    Policy,
    Statement,
    anonymize,
    assess,
    compare,
    evidence,
    explain,
    frontier,
    propose,
)
from anonymizer.analyses.frontier import with_analyses
from anonymizer.assessment import Source
from anonymizer.hierarchy import Hierarchy
from anonymizer.published import assess_published
from anonymizer.report.assessment import make_page
from anonymizer.report.evidence import render_page as evidence_page
from anonymizer.report.explanation import render_page as explanation_page
from anonymizer.report.frontier import render_page as frontier_page
from anonymizer.report.proposal import render_page as proposal_page
from anonymizer.report.provenance import provenance_of_problem
from anonymizer.report.published import published_page
from tests.browser import chromium
from tests.comparison.test_comparison import HIERARCHIES, people
from tests.report.test_published import ROWS, TITRE, TRIAL

pytestmark = pytest.mark.xdist_group("browser")

WIDTHS = {"phone": 390, "desk": 1200}
SCREEN = 900
SCRIPT = "<script>window.ran=1</script>"
IMAGE = "<img src=x onerror=window.ran=1>"
PAGES = (
    "explanation",
    "layered",
    "frontier",
    "layered-frontier",
    "assessment",
    "proposal",
    "published",
    "evidence",
    "frontier-of-analyses",
)
ANALYSES = [
    {"name": "days", "kind": "linear", "formula": f"days ~ age + `{SCRIPT}`"},
    {"name": "sex", "kind": "prediction", "response": "sex", "predictors": ["days"], "repeats": 1},
    {"name": "counts", "kind": "queries", "queries": 20},
]
POINTS = "circle.point"


def policy_of(release: dict[str, Any] | None = None) -> Policy:
    """Return a policy whose columns have names that a browser would run."""
    names = {SCRIPT: "town", "age": "age", "sex": "sex"}
    attributes: dict[str, Any] = {
        name: {"role": "quasi", "hierarchy": Hierarchy.from_rows(name, HIERARCHIES[kind])}
        for name, kind in names.items()
    }
    attributes |= {IMAGE: {"role": "sensitive"}, "days": {"role": "insensitive"}}
    risk = [{"model": "k-anonymity", "k": 3}]
    return Policy(attributes=attributes, risk=risk, release=release or {}, analysis=ANALYSES)


def patients() -> pd.DataFrame:
    frame = people(300).rename(columns={"town": SCRIPT, "illness": IMAGE})
    frame[IMAGE] = IMAGE
    return frame


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Write every kind of page; return the addresses."""
    frame, policy = patients(), policy_of()
    layers = policy_of({"layers": True})
    solution, layered = anonymize(frame, policy), anonymize(frame, layers)
    sweep = frontier(frame, policy, [2, 3, 4, 5, 8])
    keys = [SCRIPT, "age", "sex"]
    statement = Statement(source=[{"name": SCRIPT, "keys": keys}, {"name": "b", "keys": ["sex"]}])
    forum = Source(SCRIPT, 0.5, {SCRIPT: 0.9, "age": 0.3})
    found = assess(frame, policy, ["worst-case"], statement=statement, sources=[forum])
    told = explain(solution)
    shown = [solution, solution.problem, solution.problem.policy, told]
    displays = "".join(value._repr_html_() for value in shown)
    texts = {
        "notebook": f"<!doctype html><meta charset='utf-8'>{displays}",
        "explanation": explanation_page(
            told, compare(solution), provenance_of_problem(solution.problem)
        ),
        "layered": explanation_page(explain(layered), compare(layered)),
        "frontier": frontier_page(sweep),
        "layered-frontier": frontier_page(frontier(frame, layers, [2, 3])),
        "assessment": make_page(found),
        "proposal": proposal_page(propose(frame)),
        "evidence": evidence_page(evidence(solution)),
        "frontier-of-analyses": frontier_page(with_analyses(sweep, ["days", "counts"])),
        "published": published_page(assess_published([*ROWS, *TITRE], TRIAL), SCRIPT),
    }
    folder = tmp_path_factory.mktemp("pages")
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: (folder / f"{name}.html").as_uri() for name in texts}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as launched:
        yield launched


class Visit:
    """A page that is open, with all that it asked for and complained of."""

    def __init__(self, browser: Any, address: str, width: int = 1200) -> None:
        self.page = browser.new_page(viewport={"width": width, "height": SCREEN})
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(address)

    def size(self) -> tuple[int, int]:
        """Return how wide and high the page is, whatever the window."""
        root = "document.documentElement"
        width, height = self.page.evaluate(f"[{root}.scrollWidth, {root}.scrollHeight]")
        return width, height

    def unfold(self) -> None:
        self.page.evaluate(
            "for (const each of document.querySelectorAll('details')) each.open = true"
        )

    @property
    def detail(self) -> str:
        return str(self.page.inner_text("#detail"))


@pytest.fixture
def visit(browser: Any, pages: dict[str, str]) -> Iterator[Any]:
    opened: list[Visit] = []

    def open_page(name: str, width: int = 1200) -> Visit:
        opened.append(Visit(browser, pages[name], width))
        return opened[-1]

    yield open_page
    for each in opened:
        each.page.close()


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_no_request_leaves_nothing_is_complained_of_and_nothing_scrolls_sideways(
    visit, name, width
):
    seen = visit(name, width)
    assert seen.size()[0] <= width
    seen.unfold()
    assert seen.size()[0] <= width
    assert [each for each in seen.requests if not each.startswith(("file:", "data:"))] == []
    assert seen.complaints == []


@pytest.mark.parametrize("name", PAGES)
def test_names_and_values_that_are_scripts_do_nothing(visit, name):
    seen = visit(name)
    seen.unfold()
    if "frontier" in name:
        seen.page.locator(POINTS).first.click()
        assert SCRIPT in seen.detail
    assert seen.page.evaluate("window.ran") is None
    assert "window.ran" in seen.page.inner_text("body") or name == "published"


@pytest.mark.parametrize("name", ["explanation", "layered", "assessment"])
def test_a_page_is_at_most_four_screens_until_detail_is_unfolded(visit, name):
    seen = visit(name)
    folded = seen.size()[1]
    assert folded <= 4 * SCREEN
    seen.unfold()
    assert seen.size()[1] > folded


@pytest.mark.parametrize("name", PAGES)
def test_every_page_says_when_and_by_which_version_it_was_made(visit, name):
    foot = visit(name).page.inner_text("footer")
    assert "Made on 20" in foot
    assert "by anonymizer " in foot
    assert "Percentages have one digit after the point" in foot


def test_detail_unfolds_with_the_keyboard(visit):
    page = visit("explanation").page
    page.focus("summary")
    assert not page.evaluate("document.querySelector('details').open")
    page.keyboard.press("Enter")
    assert page.evaluate("document.querySelector('details').open")


def test_the_mouse_shows_a_point_and_a_click_marks_it(visit):
    seen = visit("frontier")
    points = seen.page.locator(POINTS)
    assert points.count() == 5
    points.nth(1).hover()
    assert "threshold 3" in seen.detail
    assert seen.page.locator("circle.kept").count() == 0
    points.nth(1).click()
    assert seen.page.locator("circle.kept").count() == 1
    assert seen.page.get_attribute(f"{POINTS}[aria-pressed=true]", "aria-label").startswith(
        "k-anonymity, threshold 3"
    )
    seen.page.locator(POINTS).nth(3).hover()
    assert "threshold 3" in seen.detail  # the clicked one stays
    seen.page.locator(POINTS).nth(1).click()
    assert seen.page.locator("circle.kept").count() == 0


def test_the_marked_point_stays_marked_on_another_axis(visit):
    seen = visit("frontier")
    seen.page.locator(POINTS).nth(2).click()
    seen.page.select_option("#axis", "suppressed")
    assert seen.page.locator("circle.kept").count() == 1
    assert "threshold 4" in seen.page.get_attribute(f"{POINTS}[aria-pressed=true]", "aria-label")


def test_points_are_reached_and_kept_with_the_keyboard(visit):
    seen = visit("frontier")
    press = seen.page.keyboard.press
    seen.page.focus("#all")
    press("Tab")
    assert "threshold 2" in seen.detail
    press("ArrowRight")
    press("ArrowRight")
    assert "threshold 4" in seen.detail
    press("Enter")
    assert seen.page.locator("circle.kept").count() == 1
    press("End")
    assert "threshold 4" in seen.detail  # the kept one stays
    press("Escape")
    assert seen.page.locator("circle.kept").count() == 0
    press("Home")
    assert "threshold 2" in seen.detail
    seen.page.focus("#all")
    press("Tab")
    press("Tab")
    left = seen.page.evaluate("document.activeElement.tagName")
    assert left.lower() == "summary"  # one stop for all points


def test_a_logarithmic_axis_has_ticks_and_one_that_reaches_0_cannot_be_chosen(visit):
    page = visit("frontier").page
    page.select_option("#axis", "risk")
    page.check("#log")
    ticks = [float(text) for text in page.locator("text.tick").all_text_contents()]
    assert len(ticks) >= 2
    assert ticks == sorted(ticks)
    assert "(logarithmic)" in page.text_content("#chart")
    page.select_option("#axis", "uniques")
    assert page.is_disabled("#log")
    assert "(logarithmic)" not in page.text_content("#chart")


def test_the_text_of_the_chart_stays_readable_on_a_phone(visit):
    page = visit("frontier", WIDTHS["phone"]).page
    height = page.evaluate("document.querySelector('text.tick').getBoundingClientRect().height")
    assert height > 10


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_displays_of_notebooks_neither_ask_nor_scroll_nor_run(browser, pages, width):
    seen = Visit(browser, pages["notebook"], width)
    assert seen.complaints == []
    assert [each for each in seen.requests if not each.startswith("file:")] == []
    assert seen.page.evaluate("window.ran") is None
    assert seen.size()[0] <= width
    seen.page.close()
