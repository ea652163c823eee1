"""The studio in a real browser, from a raw table to a verified release."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from anonymizer import Policy, anonymize, verify
from anonymizer.analyses.evidence import evidence_of
from anonymizer.demo import population, register
from anonymizer.errors import percent
from anonymizer.studio.folder import Folder
from anonymizer.studio.serve import Studio, way_in
from anonymizer.studio.study import StudySession
from tests.browser import chromium
from tests.clinic import write_clinic
from tests.studio.conftest import patients
from tests.studio.visits import LONG, Visit, running, served

pytestmark = pytest.mark.xdist_group("browser")

pytest.importorskip("uvicorn", reason="uvicorn is not installed: pip install anonymizer[test]")

SCRIPT = "<script>window.ran=1</script>"
IMAGE = "<img src=x onerror=window.ran=1>"
PERSPECTIVES = ("start", "hierarchies", "explore", "rows", "utility", "risk", "release")
CONTRASTS = """() => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const even = (c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * even(r / 255) + 0.7152 * even(g / 255) + 0.0722 * even(b / 255);
  };
  const ground = (element) => {
    for (; element; element = element.parentElement) {
      const colour = parse(getComputedStyle(element).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || element.closest("svg, noscript, .unseen, .skip")) continue;
    if (element.matches(":disabled, option")) continue;
    if (!element.getClientRects().length) continue;
    const [one, other] = [light(parse(getComputedStyle(element).color)), light(ground(element))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    const words = element.textContent.slice(0, 30);
    if (ratio < 4.5) found.push(`${element.tagName}.${element.className} ${ratio.toFixed(2)} ${words}`);
  }
  return found;
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as launched:
        yield launched


@pytest.fixture
def visit(browser: Any) -> Iterator[Any]:
    opened: list[Visit] = []

    def open_page(studio: Any, width: int = 1200, scheme: str = "light") -> Visit:
        opened.append(Visit(browser, studio, width, scheme))
        return opened[-1]

    yield open_page
    for each in opened:
        each.context.close()


@pytest.fixture
def seen(visit: Any, folder: Path) -> Iterator[Visit]:
    """A page on which the small table of patients is open."""
    with served(folder, folder / "policy.toml") as studio:
        found = visit(studio)
        found.idle()
        yield found


def raw_table(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    patients(500).to_csv(path, index=False)
    return path


def assert_released(studio: Any) -> None:
    """What was written is what Python makes of the policy, and verified by Python once more."""
    folder = studio.session.folder
    assert sorted(path.name for path in folder.release.iterdir()) == [
        "decision.html", "explanation.html", "manifest.json", "release.csv",
    ]  # fmt: skip
    policy = Policy.read(folder.policy)
    assert verify(folder.release / "release.csv", policy, against=policy.data_path).passed


def test_a_raw_table_becomes_a_verified_release_by_mouse(visit, tmp_path):
    with served(tmp_path / "chosen") as studio:
        seen = visit(studio)
        seen.page.set_input_files("#file", raw_table(tmp_path))
        seen.page.wait_for_selector('#strip[data-revision="1"]')
        assert seen.figure("Proof") == "proven optimal"
        seen.page.select_option('[aria-label="Role of zip"]', "insensitive")
        seen.until_revision(2)
        seen.show("release")
        seen.page.wait_for_selector("[data-group=fix]")
        assert seen.page.is_disabled("#write")
        seen.page.click("[data-group=fix] a:has-text('Open Start')")
        seen.page.select_option("#person", "")
        seen.until_revision(3)
        seen.show("release")
        seen.page.click("#write:enabled")
        seen.page.wait_for_selector("#released .verdict.yes")
        assert_released(studio)
        assert seen.complaints == []


def test_the_same_by_keyboard_alone(visit, tmp_path):
    with served(tmp_path / "chosen") as studio:
        seen = visit(studio)
        page, press = seen.page, seen.page.keyboard.press
        choosers: list[Any] = []
        page.on("filechooser", lambda found: choosers.append(found))  # early: no key is missed
        page.wait_for_selector("#file")

        def tab_to(selector: str) -> None:
            for _ in range(60):
                press("Tab")
                if page.evaluate("(s) => document.activeElement?.matches(s)", selector):
                    return
            raise AssertionError(f"{selector} is not reached by the key Tab")

        tab_to("#file")
        for _ in range(30):
            press("Enter")
            page.wait_for_timeout(500)
            if choosers:
                break
        choosers[0].set_files(raw_table(tmp_path))
        page.wait_for_selector('#strip[data-revision="1"]')
        page.wait_for_selector("[data-column]")
        tab_to("[data-column]")
        for _ in range(4):
            if page.evaluate("document.activeElement.dataset.column") != "zip":
                press("ArrowDown")
        assert page.evaluate("document.activeElement.dataset.column") == "zip"
        press("s")
        seen.until_revision(2)
        assert studio.session.document["attributes"]["zip"] == {"role": "sensitive"}
        press("u")
        seen.until_revision(3)
        assert studio.session.document["attributes"]["zip"]["role"] == "quasi"
        page.focus("#person")
        press("ArrowDown")  # from "not said yet" to "each row"
        seen.until_revision(4)
        press("Tab")
        press(str(PERSPECTIVES.index("release") + 1))
        page.wait_for_selector("[data-view=release]")
        tab_to("#write")
        press("Enter")
        page.wait_for_selector("#released .verdict.yes")
        assert_released(studio)


def test_a_slider_proves_the_optimum_anew_while_it_moves_and_writes_when_it_is_let_go(seen):
    seen.show("explore")
    path = seen.session.folder.policy
    before = path.read_text(encoding="utf-8")
    slider = seen.page.locator('[data-slider="k"]')
    slider.evaluate("(s) => { s.value = 8; s.dispatchEvent(new Event('input')); }")
    seen.page.wait_for_selector('#strip[data-sequence="1"]')
    tried = anonymize(
        None, Policy.of({**dict(Policy.read(path)), "risk": [{"model": "k-anonymity", "k": 8}]})
    )
    assert seen.figure("Quality") == f"{tried.quality:.4f}"
    assert seen.figure("Suppressed") == f"{tried.suppressed:,}"
    assert path.read_text(encoding="utf-8") == before
    slider.evaluate("(s) => s.dispatchEvent(new Event('change'))")
    seen.until_revision(2)
    written = anonymize(None, path)
    assert written.problem.models[0].k == 8
    assert seen.figure("Quality") == f"{written.quality:.4f}"
    for attribute, level in written.scheme.items():
        shown = seen.page.locator(f'[data-attribute="{attribute}"] [data-level]')
        assert shown.get_attribute("data-level") == str(level)


def test_every_change_shows_its_difference_and_is_undone_and_redone(seen):
    seen.show("explore")
    seen.page.keyboard.press("p")
    seen.page.fill('[data-slider="k"]', "6")
    seen.until_revision(2)
    assert seen.text("pre.difference").split("\n")[:2] == ["-k = 3", "+k = 6"]
    seen.page.click("text=Undo")
    seen.until_revision(3)
    assert "k = 3" in seen.session.folder.policy.read_text(encoding="utf-8")
    seen.page.click("text=Redo")
    seen.until_revision(4)
    assert "k = 6" in seen.session.folder.policy.read_text(encoding="utf-8")
    assert "anonymizer run" in seen.text("#policy")


def test_a_step_by_hand_shows_its_distance_and_can_be_pinned(seen):
    seen.show("explore")
    solution = seen.session.solution()
    level = solution.scheme["zip"]
    way, target = ("coarser", level + 1) if level < 5 else ("finer", level - 1)
    seen.page.click(f'[data-key="{way}-zip"]')
    seen.page.wait_for_selector('[data-key="pin-all"]')
    by_hand = solution.problem.evaluate(tuple({**solution.scheme, "zip": target}.values()))
    assert f"quality {by_hand.quality:.4f}, {solution.quality - by_hand.quality:.4f} below" in (
        seen.text("#hand")
    )
    seen.page.click('[data-key="pin-all"]')
    seen.until_revision(2)
    policy = Policy.read(seen.session.folder.policy)
    assert (policy.attributes["zip"].min_level, policy.attributes["zip"].max_level) == (
        target,
        target,
    )
    written = anonymize(None, policy)
    assert written.scheme["zip"] == target
    assert seen.figure("Quality") == f"{written.quality:.4f}"
    seen.page.click('[data-key="pin-zip"]')
    seen.until_revision(3)
    assert anonymize(None, seen.session.folder.policy).scheme == solution.scheme


def test_a_point_of_the_frontier_is_chosen_by_a_click_and_by_a_key(seen):
    seen.show("explore")
    seen.page.click('[data-key="point-12"]')
    seen.until_revision(2)
    seen.page.wait_for_selector("circle.chosen")
    assert seen.session.document["risk"][0]["k"] == 12
    assert seen.page.locator("circle.chosen").get_attribute("data-key") == "point-12"
    seen.page.focus('[data-key="point-2"]')
    seen.page.keyboard.press("Enter")
    seen.until_revision(3)
    assert seen.session.document["risk"][0]["k"] == 2


def test_kept_solutions_stand_side_by_side_and_survive_a_reload(seen):
    seen.show("explore")
    seen.page.click('[data-key="keep"]')
    seen.page.wait_for_selector("#candidates table")
    left = seen.session.solution().retained["age"]
    seen.page.fill('[data-slider="k"]', "9")
    seen.until_revision(2)
    seen.page.click('[data-key="keep"]')
    seen.page.wait_for_selector("#candidates thead th:nth-child(3)")
    other = seen.session.solution().retained["age"]
    row = "#candidates tr.heading:has-text('What is left of each column') + tr"
    cells = seen.page.locator(row).locator("td").all_inner_texts()
    assert cells == [percent(left), percent(other)]
    seen.page.reload()
    seen.page.click('[data-key="restore-1"]')
    seen.until_revision(3)
    assert seen.session.document["risk"][0]["k"] == 3
    seen.page.click('[data-key="forget-1"]')
    assert seen.page.locator("#candidates thead th").count() == 2


def test_a_level_shows_every_value_with_its_records_and_gives_the_focus_back(seen):
    seen.show("explore")
    seen.page.click('[data-key="level-sex"]')
    seen.page.wait_for_selector("dialog[open]")
    level = seen.session.solution().scheme["sex"]
    assert seen.text("#dialog-title") == f"sex, level {level} of 1"
    records = sum(
        int(text) for text in seen.page.locator("#dialog td:nth-child(2)").all_inner_texts()
    )
    assert records == 400
    seen.page.keyboard.press("Escape")
    assert seen.page.evaluate("document.activeElement.dataset.key") == "level-sex"


def test_minus_and_plus_stand_below_each_other_for_all_attributes(seen):
    seen.show("explore")
    for name in ("finer", "coarser"):
        buttons = seen.page.locator(f'[data-key^="{name}-"]')
        assert len({round(each.bounding_box()["x"]) for each in buttons.all()}) == 1


def test_shares_are_written_in_percent_and_kept_as_they_are(seen):
    seen.show("explore")
    number = '[data-key="slider-at most-suppressed-number"]'
    assert seen.page.input_value(number) == "10"
    seen.page.fill(number, "7")
    seen.page.press(number, "Enter")
    seen.until_revision(2)
    assert seen.session.document["release"]["suppression_limit"] == 0.07


def test_the_policy_is_marked_on_the_frontier(seen):
    seen.show("explore")
    seen.page.wait_for_selector("text.own")
    assert seen.page.text_content("text.own") == "the policy: k = 3"


def test_layers_are_one_control_and_say_what_they_give_away(seen):
    seen.show("explore")
    seen.page.select_option("#layers", label="up to 2 schemes")
    seen.until_revision(2)
    assert seen.session.document["release"]["layers"] == 2
    seen.page.wait_for_selector("h2:has-text('What the layers give away')")
    seen.page.select_option("#layers", label="one scheme for all records")
    seen.until_revision(3)
    assert "layers" not in seen.session.document["release"]


def test_a_cut_point_is_dragged_and_the_optimum_follows(seen):
    seen.show("hierarchies")
    seen.page.click('[data-hierarchy="age"]')
    cut = seen.page.locator('[data-cut="20"] circle')
    box = cut.bounding_box()
    picture = seen.page.locator(".cuts").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    year = picture["width"] * (900 - 60 - 12) / 900 / 100  # of the domain from 0 to 99
    seen.page.mouse.move(x, y)
    seen.page.mouse.down()
    seen.page.mouse.move(x + year, y, steps=3)
    seen.page.mouse.move(x + 2.2 * year, y, steps=3)
    seen.page.mouse.up()
    seen.until_revision(2)
    bounds = seen.session.document["attributes"]["age"]["hierarchy"]["bounds"]
    assert [level[:4] for level in bounds[:2]] == [[5, 10, 15, 22], [10, 22, 30, 40]]
    assert bounds[2][0] == 22
    written = anonymize(None, seen.session.folder.policy)
    assert seen.figure("Quality") == f"{written.quality:.4f}"
    seen.page.wait_for_selector('[data-cut="22"]')
    assert "15-21" in seen.text("#preview")


def test_a_cut_point_is_moved_kept_longer_and_removed_by_keys(seen):
    seen.show("hierarchies")
    seen.page.click('[data-hierarchy="age"]')
    seen.page.focus('[data-cut="25"]')
    for key in ("ArrowRight", "ArrowRight", "Enter"):
        seen.page.keyboard.press(key)
    seen.until_revision(2)

    def bounds() -> list[list[int]]:
        found: list[list[int]] = seen.session.document["attributes"]["age"]["hierarchy"]["bounds"]
        return found

    assert 27 in bounds()[0]
    assert 25 not in bounds()[0]
    seen.page.focus('[data-cut="27"]')
    seen.page.keyboard.press("ArrowDown")
    seen.until_revision(3)
    assert 27 in bounds()[1]
    seen.page.focus('[data-cut="27"]')
    seen.page.keyboard.press("Delete")
    seen.until_revision(4)
    assert not any(27 in level for level in bounds())


def test_a_category_is_dragged_into_a_group_and_moved_by_a_menu(seen):
    seen.show("start")
    seen.page.select_option('[aria-label="Role of diagnosis"]', "quasi")
    seen.until_revision(2)
    seen.show("hierarchies")
    seen.page.click('[data-hierarchy="diagnosis"]')
    at = {"x": 8, "y": 8}  # the name, not the menu beside it
    seen.page.drag_and_drop('[data-value="stroke"]', '[data-group="asthma"]', source_position=at)
    seen.until_revision(3)
    groups = seen.session.document["attributes"]["diagnosis"]["hierarchy"]["groups"]
    assert sorted(groups["asthma"]) == ["asthma", "stroke"]
    seen.page.wait_for_selector('[data-group="asthma"] [data-value="stroke"]')
    seen.page.select_option('[aria-label="group of stroke"]', "diabetes")
    seen.until_revision(4)
    groups = seen.session.document["attributes"]["diagnosis"]["hierarchy"]["groups"]
    assert groups["asthma"] == ["asthma"]
    assert (
        anonymize(None, seen.session.folder.policy).problem.microdata.attributes[-1] == "diagnosis"
    )


@pytest.fixture
def admissions(visit: Any, folder: Path) -> Iterator[Visit]:
    """A page on which a column of dates is open among the hierarchies."""
    days = pd.date_range("2023-01-01", periods=400).strftime("%Y-%m-%d")
    patients().assign(admitted=days).to_csv(folder / "patients.csv", index=False)
    spec = '{ builder = "dates", from = 2023-01-01, to = 2024-12-31, open = "high" }'
    line = f'admitted = {{ role = "quasi", hierarchy = {spec} }}\n'
    policy = folder / "policy.toml"
    text = policy.read_text(encoding="utf-8").replace("[[risk]]", f"{line}\n[[risk]]")
    policy.write_text(text, encoding="utf-8")
    with served(folder, policy) as studio:
        seen = visit(studio)
        seen.idle()
        seen.show("hierarchies")
        seen.page.click("[data-view=hierarchies] >> text=admitted")
        yield seen


def days_in(seen: Visit) -> dict[str, Any]:
    found: dict[str, Any] = seen.session.document["attributes"]["admitted"]["hierarchy"]
    return found


def test_dates_say_their_periods_and_lose_one_by_a_box(admissions):
    words = "day, month, quarter, year, decade, from 2023-01-01 to 2024-12-31. Later dates"
    admissions.page.wait_for_selector(f"#periods:has-text('{words}')")
    admissions.page.uncheck('[data-key="period-quarter"]')
    admissions.until_revision(2)
    assert days_in(admissions)["periods"] == ["day", "month", "year", "decade"]


def test_a_cut_point_of_dates_is_dragged_and_the_calendar_comes_back_by_a_box(admissions):
    page = admissions.page
    day = str((date(2023, 4, 1) - date(1970, 1, 1)).days)
    box = page.locator(f'[data-cut="{day}"] circle').bounding_box()
    picture = page.locator(".cuts").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    days = picture["width"] * (900 - 60 - 12) / 900 / 731
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 5 * days, y, steps=3)
    page.mouse.move(x + 10.1 * days, y, steps=3)
    page.mouse.up()
    admissions.until_revision(2)
    assert days_in(admissions)["periods"] == ["day"]
    months, quarters = days_in(admissions)["bounds"][:2]
    assert months[:4] == ["2023-02-01", "2023-03-01", "2023-04-11", "2023-05-01"]
    assert quarters[0] == "2023-04-11"
    written = anonymize(None, admissions.session.folder.policy)
    assert admissions.figure("Quality") == f"{written.quality:.4f}"
    page.wait_for_selector("#preview :text('2023-03-01 to 2023-04-10')")
    page.check('[data-key="period-year"]')
    admissions.until_revision(3)
    assert days_in(admissions)["periods"] == ["day", "year"]
    assert "bounds" not in days_in(admissions)


def test_rows_stand_beside_what_they_become(seen):
    seen.show("rows")
    beside = "[data-view=rows] [aria-label='Table and release']"
    seen.page.wait_for_selector(f"{beside} tbody tr")
    assert seen.page.locator(f"{beside} th").first.inner_text() == "#"


def test_classes_are_browsed_with_their_sensitive_values_and_the_rule_that_dropped_them(seen):
    seen.show("rows")
    seen.page.wait_for_selector("#classes tbody tr")
    heads = seen.page.locator("#classes thead th").all_inner_texts()
    assert heads == ["people", "records", "age", "sex", "zip", "diagnosis"]
    solution = seen.session.solution()
    least = solution.outcome.classes.sizes[~solution.outcome.suppressed].min()
    assert seen.text("#classes tbody td >> nth=0") == str(least)
    seen.page.select_option('[data-key="classes-dropped"]', "true")
    seen.page.wait_for_selector("#classes thead th:has-text('why')")
    assert "k-anonymity with k = 3" in seen.text("#classes tbody tr >> nth=0")
    assert seen.text("#rules").startswith(f"{solution.suppressed} records")
    seen.page.wait_for_selector("h2:has-text('Who is missing')")


def test_a_picture_is_enlarged_and_closed_by_a_key(seen):
    seen.show("utility")
    seen.page.wait_for_selector("h2:has-text('associations')")
    small = seen.page.locator("section:has(h2:has-text('associations')) svg").bounding_box()
    seen.page.click("section:has(h2:has-text('associations')) button.enlarge")
    large = seen.page.locator("dialog[open] svg").bounding_box()
    assert large["width"] > 1.5 * small["width"]
    seen.page.keyboard.press("Escape")
    assert seen.page.locator("dialog[open]").count() == 0


def test_an_analysis_is_stated_made_on_both_and_removed(seen):
    seen.show("utility")
    seen.page.wait_for_selector("#analyses p:has-text('The policy states none.')")
    seen.page.fill('[data-key="analysis-name"]', "older")
    seen.page.fill('[data-key="analysis-formula"]', "age ~ sex")
    seen.page.click("#add-analysis")
    seen.until_revision(2)
    stated = {"name": "older", "kind": "linear", "formula": "age ~ sex"}
    assert seen.session.document["analysis"] == [stated]
    seen.page.wait_for_selector("#analyses h3:has-text('older (linear)')")
    value = evidence_of(seen.session.solution())["older"].value
    assert f"{value:.4g}" in seen.text("#analyses section p >> nth=0")
    assert seen.page.locator("#analyses figure svg").count() == 1
    seen.idle()
    seen.page.wait_for_selector("[data-view=utility] figure")  # all that was asked is there
    seen.page.click('[data-key="drop-0"]')
    seen.until_revision(3)
    assert "analysis" not in seen.session.document
    assert seen.complaints == []


def test_a_threshold_is_chosen_by_what_the_analyses_keep_and_that_is_said(seen):
    stated = {"name": "older", "kind": "linear", "formula": "age ~ sex"}
    seen.session.change(1, [{"path": ["analysis"], "value": [stated]}], "stated")
    seen.until_revision(2)
    seen.show("explore")
    seen.page.click('[data-key="compare-thresholds"]')
    seen.page.wait_for_selector("#outcomes table")
    assert "gave other results" in seen.text("#outcomes .note")
    assert "(the policy)" in seen.text("#outcomes tr.chosen")
    seen.page.click('[data-key="outcome-12"]')
    seen.until_revision(3)
    assert seen.session.document["risk"][0]["k"] == 12
    assert seen.session.opened.label.endswith("chosen by the analyses")
    assert seen.complaints == []


def test_attacks_are_tried_from_the_page_and_settle_the_checklist(seen):
    seen.show("risk")
    seen.page.click('[data-key="try-attacks"]')
    seen.page.wait_for_selector("#attacks h2:has-text('Attacks') >> nth=1")
    assert "beyond" in seen.text("#attacks section >> nth=1")
    seen.show("release")
    seen.page.wait_for_selector("#checklist")
    assert "No attack has been tried" not in seen.text("#checklist")
    assert seen.complaints == []


def test_the_share_of_people_above_a_risk_follows_its_slider(seen):
    seen.show("risk")
    seen.page.wait_for_selector("#above")
    slider = seen.page.locator('[data-key="threshold"]')
    slider.evaluate("(s) => { s.value = Math.log(0.5); s.dispatchEvent(new Event('input')); }")
    before = seen.session.solution().before
    assert f"{100 * before.prosecutor.above['0.5']:.1f} % of the people of the table" in (
        seen.text("#above")
    )


def test_the_risk_to_an_attacker_follows_the_slider_of_a_probability(seen):
    seen.show("risk")
    seen.page.wait_for_selector("#attacked svg")
    assert seen.page.input_value("#attacker") == "worst-case"
    slider = seen.page.locator('[data-key="figure-p_c"]')
    shown = []
    for value in ("1", "0"):
        slider.evaluate(
            "(s, v) => { s.value = v; s.dispatchEvent(new Event('input', { bubbles: true })); }",
            value,
        )
        highest = "100 % at most" if value == "1" else "and 0 % at most in the release"
        seen.page.wait_for_selector(f"#attacked p:has-text('{highest}')")
        shown.append(seen.text("#attacked p >> nth=1"))
    # who confirms every record picked finds everybody with one over the size of their class
    average = 100 * seen.session.solution().after.prosecutor.average
    assert f"{average:.1f} % on average" in shown[0].split("in the table")[1]
    assert seen.complaints == []


def wide_table(folder: Path) -> Path:
    """A table whose optimum takes long to prove."""
    random = np.random.default_rng(1)
    names = [f"a{number}" for number in range(14)]
    folder.mkdir()
    pd.DataFrame({name: random.integers(0, 64, 3000) for name in names}).to_csv(
        folder / "wide.csv", index=False
    )
    spec = '{ builder = "intervals", domain = [0, 63], widths = [2, 4, 8, 16, 32] }'
    lines = [f'{name} = {{ role = "quasi", hierarchy = {spec} }}' for name in names]
    (folder / "policy.toml").write_text(
        '[data]\npath = "wide.csv"\nrows_are_people = true\n[attributes]\n' + "\n".join(lines)
        + '\n[[risk]]\nmodel = "k-anonymity"\nk = 5\n',
        encoding="utf-8",
    )  # fmt: skip
    return folder / "policy.toml"


def test_a_long_search_shows_progress_and_ends_with_the_best_so_far_when_cancelled(visit, tmp_path):
    policy = wide_table(tmp_path / "wide")
    with served(policy.parent, policy) as studio:
        seen = visit(studio)
        seen.page.wait_for_selector("#strip .activity:has-text('searching, gap')")
        seen.page.click('[data-key="cancel"]')
        seen.page.wait_for_selector('#strip[data-revision="1"]')
        assert seen.figure("Proof").startswith("gap 0.")
        assert studio.session.solution().stopped.value == "interrupted"


def test_a_newer_change_takes_the_place_of_a_search_that_goes_on(visit, tmp_path):
    policy = wide_table(tmp_path / "wide")
    with served(policy.parent, policy) as studio:
        seen = visit(studio)
        seen.page.wait_for_selector("#strip .activity:has-text('searching')")
        pins = [
            {"path": ["attributes", f"a{number}", key], "value": 4}
            for number in range(13)
            for key in ("min_level", "max_level")
        ]
        studio.session.change(1, pins, "pinned")
        seen.until_revision(2)
        assert seen.figure("Proof") == "proven optimal"


def test_a_release_in_parquet_has_a_decision_page_that_opens_in_a_tab(seen):
    seen.show("release")
    seen.page.select_option("#kind", "parquet")
    seen.until_revision(2)
    assert seen.session.document["release"]["file"] == "parquet"
    seen.page.click("#write")
    seen.page.wait_for_selector("#released .verdict.yes")
    folder = seen.session.folder.release
    assert (folder / "release.parquet").is_file()
    assert not (folder / "release.csv").exists()
    with seen.context.expect_page() as opened:
        seen.page.click("#open-decision")
    page = opened.value
    page.wait_for_selector("h1")
    assert page.inner_text("h1") == "Release decision: release.parquet"
    assert "The release meets every risk model of its policy." in page.inner_text(".verdict")
    width = page.evaluate("getComputedStyle(document.querySelector('.verdict')).borderLeftWidth")
    assert width != "0px"  # its own style is applied
    assert seen.complaints == []


def test_after_a_reload_everything_is_as_it_was(seen):
    seen.show("explore")
    seen.page.fill('[data-slider="k"]', "7")
    seen.until_revision(2)
    assert "token" not in seen.page.url
    seen.page.reload()
    seen.until_revision(2)
    seen.page.wait_for_selector('[data-view="explore"]')
    assert seen.page.input_value('[data-slider="k"]') == "7"


def test_what_the_steward_states_is_on_the_decision_page_and_settles_the_checklist(seen):
    seen.show("release")
    seen.page.click("[data-group=decide] a:has-text('State it')")
    assert seen.page.evaluate("document.activeElement.id") == "context"
    fields = ("organization", "responsible", "prepared_by", "purpose", "recipients", "legal_basis",
              "threshold_reason", "expert", "incident", "reidentification", "earlier_releases",
              "review")  # fmt: skip
    for key in fields:
        seen.page.fill(f"#context-{key}", f"the {key}")
    seen.page.fill("#context-acceptable", "9")
    seen.page.select_option("#context-release_model", "public")
    seen.page.check("#context-controls-none")
    seen.page.click("#save-context")
    seen.page.click("[data-group=fine] summary")
    seen.page.wait_for_selector("[data-group=fine] :text('who releases what to whom')")
    seen.page.click("#write:enabled")
    seen.page.wait_for_selector("#released .verdict.yes")
    decided = (seen.session.folder.release / "decision.html").read_text(encoding="utf-8")
    assert "the threshold_reason" in decided
    assert seen.session.folder.stated().acceptable == 0.09
    assert seen.complaints == []


def test_another_page_sees_the_change_at_once(seen, visit):
    other = visit(seen.studio)
    other.settle()
    seen.show("explore")
    seen.page.fill('[data-slider="k"]', "7")
    other.until_revision(2)
    assert other.figure("Quality") == seen.figure("Quality")


def test_a_wrong_file_is_refused_in_words_and_a_right_one_can_follow(visit, tmp_path):
    wrong = tmp_path / "wrong.csv"
    wrong.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(200))
    with served(tmp_path / "chosen") as studio:
        seen = visit(studio)
        seen.page.set_input_files("#file", wrong)
        seen.page.wait_for_selector("#fault")
        assert "wrong.csv" in seen.text("#fault")
        assert seen.page.locator("#mend").count() == 0
        seen.page.set_input_files("#file", raw_table(tmp_path))
        seen.page.wait_for_selector('#strip[data-revision="1"]')


def test_a_table_that_cannot_be_read_is_mended_on_the_page(visit, tmp_path):
    table = tmp_path / "towns.csv"
    patients(300).assign(town="Köln").to_csv(table, index=False, encoding="latin-1")
    with served(tmp_path / "chosen") as studio:
        seen = visit(studio)
        seen.page.set_input_files("#file", table)
        seen.page.wait_for_selector("#fault :text('not UTF-8')")
        seen.page.select_option("#mend-encoding", "latin-1")
        assert "Köln" in seen.text("#fault pre")
        seen.page.click("#mend")
        seen.page.wait_for_selector('#strip[data-revision="1"]')
        assert studio.session.document["data"]["encoding"] == "latin-1"


def test_questions_come_before_figures_and_columns_in_the_order_of_their_doubt(seen):
    seen.page.wait_for_selector(".questions")
    seen.page.select_option("#recipient", "agreement")
    seen.page.check('[data-key="need-age"]')
    seen.page.click('[data-key="propose"]')
    seen.until_revision(2)
    assert seen.session.document["attributes"]["age"]["weight"] > 1
    seen.page.select_option('[aria-label="Role of patient_id"]', "insensitive")
    seen.until_revision(3)
    seen.page.wait_for_selector("tr.heading:has-text('Decide') + tr[data-column=patient_id]")
    seen.page.reload()
    seen.page.wait_for_selector('[data-key="need-age"]:checked')
    assert seen.page.input_value("#recipient") == "agreement"
    assert seen.complaints == []


def test_a_failure_names_its_panel_and_can_be_undone_there(seen):
    wrong = {"builder": "mapping", "values": ["female"]}
    change = {"path": ["attributes", "sex", "hierarchy"], "value": wrong}
    seen.session.change(1, [change], "wrong")
    seen.page.wait_for_selector("#strip .failure")
    seen.page.click("#strip a:has-text('Open Hierarchies')")
    seen.page.wait_for_selector("#tab-hierarchies[aria-selected=true]")
    seen.page.click("#strip button:has-text('Undo')")
    seen.until_revision(3)


def test_no_request_leaves_this_machine(seen):
    for name in PERSPECTIVES:
        seen.show(name)
        seen.idle()
    here = f"http://127.0.0.1:{seen.studio.port}/"
    assert [each for each in seen.requests if not each.startswith((here, "data:"))] == []
    assert seen.complaints == []


def test_the_file_that_a_browser_is_given_leads_to_the_page(browser, folder):
    with (
        served(folder, folder / "policy.toml") as studio,
        way_in(studio.session.folder, studio.address) as way,
        browser.new_context() as context,
    ):
        page = context.new_page()
        page.set_default_timeout(LONG)
        page.goto(way)
        page.wait_for_selector('#strip[data-revision="1"]')
        assert page.url.split("#")[0] == f"http://127.0.0.1:{studio.port}/"
        page.reload()  # the token is kept for this tab
        page.wait_for_selector('#strip[data-revision="1"]')


def test_a_link_from_elsewhere_opens_the_page_without_any_data(seen, tmp_path):
    elsewhere = tmp_path / "elsewhere.html"
    address = seen.studio.address.split("?")[0]
    elsewhere.write_text(f'<a href="{address}">the page</a><iframe src="{address}"></iframe>')
    stranger = seen.context.new_page()
    stranger.goto(elsewhere.as_uri())
    assert stranger.frame_locator("iframe").locator("#strip").count() == 0
    stranger.click("a")
    stranger.wait_for_selector("#messages :text('token')")
    assert stranger.locator("#strip[data-revision]").count() == 0


def test_a_page_of_another_origin_and_a_wrong_token_are_refused(seen):
    address = f"http://127.0.0.1:{seen.studio.port}"
    page = seen.context.new_page()
    page.route(
        "http://evil.example/*",
        lambda route: route.fulfill(body="<p>hello", content_type="text/html"),
    )
    page.goto("http://evil.example/")
    ask = """async ([address, token, mode]) => {
      const headers = mode === "cors" ? { "x-anonymizer-token": token } : {};
      const body = JSON.stringify({ revision: 1 });
      try {
        const undo = address + "/api/undo?token=" + token;
        return (await fetch(undo, { method: "POST", mode, headers, body })).ok;
      } catch { return false; }
    }"""
    seen.session.change(1, [{"path": ["risk", 0, "k"], "value": 4}], "four")
    for mode in ("cors", "no-cors"):
        assert not page.evaluate(ask, [address, seen.studio.token, mode])
    assert seen.session.document["risk"][0]["k"] == 4
    stranger = seen.context.new_page()
    assert stranger.goto(f"{address}/?token=wrong").status == 403
    stranger.goto(f"{address}/")
    stranger.wait_for_selector("#messages .message")
    assert "token" in stranger.inner_text("#messages")


def test_names_and_values_that_are_scripts_do_nothing(visit, tmp_path):
    frame = patients(300).rename(columns={"zip": SCRIPT, "diagnosis": IMAGE})
    frame[IMAGE] = np.where(np.arange(300) % 2, IMAGE, SCRIPT)
    frame["sex"] = np.where(frame["sex"] == "male", IMAGE, SCRIPT)
    frame.to_csv(tmp_path / "people.csv", index=False)
    with served(tmp_path / "chosen", tmp_path / "people.csv") as studio:
        seen = visit(studio)
        seen.idle()
        seen.page.keyboard.press("p")
        for name in PERSPECTIVES:
            seen.show(name)
            seen.idle()
            assert "window.ran" in seen.text("body")
        seen.show("start")
        seen.page.select_option("#person", "")
        seen.until_revision(2)
        seen.show("release")
        seen.page.click("#write")
        seen.page.wait_for_selector("#released .verdict.yes")
        assert seen.page.evaluate("window.ran") is None
        assert seen.page.locator("#perspective img, #perspective script").count() == 0


@pytest.mark.parametrize(
    ("width", "scheme"), [(390, "light"), (390, "dark"), (800, "dark"), (1200, "light")]
)
def test_every_perspective_fits_has_contrast_and_breaks_no_rule_of_access(
    visit, folder, width, scheme
):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is missing")
    with served(folder, folder / "policy.toml") as studio:
        seen = visit(studio, width, scheme)
        seen.idle()
        for name in PERSPECTIVES:
            seen.show(name)
            seen.idle()
            assert seen.page.evaluate("document.documentElement.scrollWidth") <= width, name
            assert seen.page.evaluate(CONTRASTS) == [], name
            assert [each["id"] for each in axe.Axe().run(seen.page).response["violations"]] == []
            tops = "['header', '#strip'].map((s) => document.querySelector(s).offsetHeight)"
            if width < 600:
                assert sum(seen.page.evaluate(tops)) <= 120, name


def test_a_row_of_a_table_is_a_card_in_a_narrow_window_and_stays_a_row_for_who_listens(
    visit, folder
):
    with served(folder, folder / "policy.toml") as studio:
        seen = visit(studio, 390)
        seen.page.wait_for_selector("#columns td")
        cells = seen.page.locator("[data-column=age] td")
        boxes = [cell.bounding_box() for cell in cells.all()]
        assert all(above["y"] < below["y"] for above, below in pairwise(boxes))
        label = "getComputedStyle(document.querySelector('[data-column=age] td'), '::before')"
        assert seen.page.evaluate(f"{label}.content") == '"Cells"'
        assert seen.page.get_by_role("row").filter(has_text="age").count() >= 1
        assert seen.page.get_by_role("columnheader", name="Distinct").count() == 1


def test_thirty_thousand_rows_are_scrolled_though_only_those_in_view_are_sent(visit, tmp_path):
    frame = register(population(60_000), size=30_000)[["patient_id", "age", "sex"]]
    frame.to_csv(tmp_path / "register.csv", index=False)
    with served(tmp_path / "chosen", tmp_path / "register.csv") as studio:
        seen = visit(studio)
        seen.settle()
        assert seen.figure("Rows") == "30,000"
        assert_scrolls(seen, frame)


def assert_scrolls(seen: Visit, frame: pd.DataFrame) -> None:
    """The last row comes into view, and no more than a screen of rows is there at any time."""
    seen.page.wait_for_selector(".rows tbody tr")
    # a panel that is drawn anew begins at the top again
    seen.page.wait_for_function(
        """(last) => {
          const box = document.querySelector(".rows");
          if (box) box.scrollTop = box.scrollHeight;
          return box?.innerText.includes(last);
        }""",
        arg=frame["patient_id"].iloc[-1],
        polling=250,
    )
    assert seen.page.locator(".rows tbody tr").count() < 60


@pytest.mark.soak
def test_a_million_rows_are_opened_explored_and_scrolled(visit, tmp_path):
    frame = patients(1_000_000)
    frame.to_csv(tmp_path / "million.csv", index=False)
    with served(tmp_path / "chosen", tmp_path / "million.csv") as studio:
        seen = visit(studio)
        seen.settle()
        assert_scrolls(seen, frame)
        seen.show("explore")
        seen.page.fill('[data-slider="k"]', "9")
        seen.until_revision(2)
        assert (
            seen.figure("Quality") == f"{anonymize(None, studio.session.folder.policy).quality:.4f}"
        )


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (800, "dark"), (1400, "light")])
def test_linked_tables_go_from_a_policy_to_a_verified_release(visit, tmp_path, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is missing")
    policy = write_clinic(tmp_path / "clinic")
    session = StudySession(Folder(policy.parent))
    session.open(policy)
    with running(Studio(session)) as studio:
        seen = visit(studio, width, scheme)
        seen.page.click("button:has-text('Run')")
        seen.page.wait_for_selector("h2:has-text('Scheme')")
        seen.page.click("button.main:has-text('Release')")
        seen.page.wait_for_selector("h2:has-text('Released and verified')")
        assert (session.folder.release / "visit.csv").is_file()
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
        assert seen.page.evaluate(CONTRASTS) == []
        assert [each["id"] for each in axe.Axe().run(seen.page).response["violations"]] == []
        assert seen.complaints == []
