"""python -m experiments.studio: the whole job in pictures, at three widths, into results/studio/."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from anonymizer.data.staging import Staging
from anonymizer.demo.example import write_example
from anonymizer.studio.folder import Folder
from anonymizer.studio.serve import Studio
from anonymizer.studio.study import StudySession
from experiments.benchmark.studio import ARGUMENTS, running, served
from experiments.datasets import RESULTS
from experiments.running import run_main

FOLDER = RESULTS / "studio"
WAYS = {"": (1400, "light"), "-dark": (800, "dark"), "-narrow": (390, "light")}
"""What is added to a picture's name, how wide the window is, and its colours."""
SHOWN = {"-dark": ("explore", "risk"), "-narrow": ("start", "explore", "rows", "release")}
"""What is taken of the others; of the first way, everything."""
LATIN = "patient,age,town\n" + "".join(f"P{n % 150},{20 + n % 60},Köln\n" for n in range(300))


def main() -> None:
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        sys.exit("error: there is no Chromium; apt-get install chromium.")
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.png"):
        old.unlink()
    from playwright.sync_api import sync_playwright

    # so that pictures show no path of this machine
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        sync_playwright() as driver,
    ):
        browser = driver.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        mend_table(browser)
        for ending in WAYS:
            do_the_job(browser, ending)
            link_tables(browser, ending)
        browser.close()


def mend_table(browser: Any) -> None:
    """Take a picture of a table that cannot be read."""
    Path("towns.csv").write_text(LATIN, encoding="latin-1")
    with served(Path("towns", "policy.toml"), opened=False) as studio:
        page = open_page(browser, studio, "")
        page.set_input_files("#file", "towns.csv")
        page.wait_for_selector("#fault")
        page.screenshot(path=FOLDER / "unreadable.png")
        page.close()


def do_the_job(browser: Any, ending: str) -> None:
    """Go from the raw table to a verified release, with a picture of every perspective."""
    folder = Path(f"register{ending}")
    with Staging(folder) as staging:
        write_example(staging, 2024)
    with served(folder / "policy.toml") as studio:
        page = open_page(browser, studio, ending)
        wait_for_all(page)
        for name, act in ACTS.items():
            page.click(f"#tab-{name}")
            page.wait_for_selector(f"[data-view={name}] .card")
            act(page)
            wait_for_all(page)
            page.evaluate("scrollTo(0, 0)")
            if name in SHOWN.get(ending, ACTS):
                page.screenshot(path=FOLDER / f"{name}{ending}.png", full_page=True)
        page.close()


def link_tables(browser: Any, ending: str) -> None:
    """Go from the tables of a trial, as they are, to a verified release of linked tables."""
    trial = Path(f"trial{ending}")
    trial.mkdir()
    for name, frame in draw_trial().items():
        frame.to_csv(trial / f"{name}.csv", index=False)
    session = StudySession(Folder(Path(f"study{ending}")))
    session.open(trial)
    with running(Studio(session)) as studio:
        page = open_page(browser, studio, ending)
        page.click("button:has-text('Run')")
        page.wait_for_selector("h2:has-text('Scheme')")
        page.click("button.main:has-text('Release')")
        page.wait_for_selector("h2:has-text('Released and verified')")
        page.screenshot(path=FOLDER / f"study{ending}.png", full_page=True)
        page.close()


def draw_trial(people: int = 400, events: int = 1_200) -> dict[str, pd.DataFrame]:
    """Draw the people of a trial and their adverse events."""
    random = np.random.default_rng(1)
    ids = [f"T-{number:04}" for number in random.permutation(people)]
    terms = {"HEADACHE": "NERVOUS", "DIZZINESS": "NERVOUS", "NAUSEA": "GASTRIC", "RASH": "SKIN"}
    drawn = random.choice(list(terms), events)
    return {
        "dm": pd.DataFrame({"USUBJID": ids, "AGE": random.integers(50, 90, people),
                            "SEX": random.choice(["F", "M"], people)}),
        "ae": pd.DataFrame({"USUBJID": random.choice(ids, events), "AEDECOD": drawn,
                            "AEBODSYS": [terms[each] for each in drawn]}),
    }  # fmt: skip


def open_page(browser: Any, studio: Studio, ending: str) -> Any:
    """Open the page in a window of its own."""
    width, scheme = WAYS[ending]
    viewport = {"width": width, "height": 900}
    page = browser.new_page(viewport=viewport, color_scheme=scheme)
    page.set_default_timeout(120_000)
    page.goto(studio.address)
    return page


def answer(page: Any) -> None:
    page.wait_for_selector("#person")
    page.select_option("#person", "")
    page.select_option("#recipient", "agreement")
    page.wait_for_selector(".keys", state="attached")


def cut(page: Any) -> None:
    page.wait_for_selector(".cuts")


def explore(page: Any) -> None:
    page.click('[data-key="keep"]')
    page.wait_for_selector("#candidates table")
    slider = page.locator('[data-slider="k"]')
    for event in ("input", "change"):
        slider.evaluate(f"(s) => {{ s.value = 8; s.dispatchEvent(new Event('{event}')); }}")
    page.wait_for_selector("text.own:has-text('k = 8')", state="attached")
    page.click('[data-key="keep"]')
    page.wait_for_selector("#candidates thead th:nth-child(3)")


def browse(page: Any) -> None:
    page.wait_for_selector("#classes tbody tr")
    page.wait_for_selector("h2:has-text('Who is missing')")


def state_analysis(page: Any) -> None:
    page.fill('[data-key="analysis-name"]', "stay")
    page.fill('[data-key="analysis-formula"]', "length_of_stay ~ age + sex")
    page.click("#add-analysis")
    page.wait_for_selector("#analyses h3 button")


def attack(page: Any) -> None:
    page.wait_for_selector("#attacked svg")
    page.click('[data-key="try-attacks"]')
    page.wait_for_selector("#attacks section >> nth=1")


def release(page: Any) -> None:
    page.fill("#context-organization", "County Hospital")
    page.fill("#context-purpose", "Research on readmissions")
    page.click("#save-context")
    page.click("#write:enabled")
    page.wait_for_selector("#released")


ACTS: dict[str, Callable[[Any], None]] = {
    "start": answer,
    "hierarchies": cut,
    "explore": explore,
    "rows": browse,
    "utility": state_analysis,
    "risk": attack,
    "release": release,
}
"""What makes each perspective show what it is for."""


def wait_for_all(page: Any) -> None:
    """Wait until nothing is worked on, and all that was asked for is there."""
    page.wait_for_selector("#strip[data-revision]:not([data-revision=''])")
    page.wait_for_selector("#strip .activity:empty", state="attached")
    page.wait_for_load_state("load")
    page.wait_for_timeout(500)


if __name__ == "__main__":
    run_main(main, "studio")
