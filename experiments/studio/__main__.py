"""python -m experiments.studio: a picture of every perspective, into results/studio/."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from anonymizer.data.staging import Staging
from anonymizer.demo.example import write_example
from anonymizer.studio.serve import Studio
from experiments.benchmark.studio import ARGUMENTS, served
from experiments.datasets import RESULTS
from experiments.running import run_main

FOLDER = RESULTS / "studio"
PERSPECTIVES = ("start", "hierarchies", "explore", "rows", "utility", "risk", "release")
WAYS = {
    "": (1200, "light", PERSPECTIVES),
    "-narrow-dark": (800, "dark", ("explore",)),
}
"""What is added to a picture's name, how wide the window is, its colours, and what is taken so."""


def main() -> None:
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        sys.exit("error: there is no Chromium; apt-get install chromium.")
    FOLDER.mkdir(parents=True, exist_ok=True)
    # so that pictures show no path of this machine
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        with Staging("register") as staging:
            write_example(staging, 2024)
        with served(Path("register", "policy.toml")) as studio:
            take_pictures(studio, chromium)


def take_pictures(studio: Studio, chromium: str) -> None:
    """Take every perspective, and those of them that need it with something done."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        for ending, (width, scheme, names) in WAYS.items():
            page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
            page.set_default_timeout(120_000)
            page.goto(studio.address)
            wait_for_all(page)
            for name in names:
                page.click(f"#tab-{name}")
                prepare(page, name)
                page.evaluate("scrollTo(0, 0)")
                page.screenshot(path=FOLDER / f"{name}{ending}.png", full_page=True)
            page.close()
        browser.close()


def prepare(page: Any, name: str) -> None:
    """Do what makes a perspective show what it is for."""
    page.wait_for_selector(f"[data-view={name}] .card")
    if name == "explore":
        page.click('[data-key="coarser-age"]')
        page.wait_for_selector('[data-key="pin-all"]')
    if name == "utility":
        page.fill('[data-key="analysis-name"]', "stay")
        page.fill('[data-key="analysis-formula"]', "length_of_stay ~ age + sex")
        page.click("#add-analysis")
        page.wait_for_selector("#analyses h3 button")
    if name == "risk":
        page.wait_for_selector("#attacked svg")
    if name == "release":
        page.wait_for_selector("#checklist")
        page.click("#write")
        page.wait_for_selector("#released")
    wait_for_all(page)


def wait_for_all(page: Any) -> None:
    """Wait until nothing is worked on, and all that was asked for is there."""
    page.wait_for_selector("#strip[data-revision]:not([data-revision=''])")
    page.wait_for_selector("#strip .activity:empty", state="attached")
    page.wait_for_load_state("load")
    page.wait_for_timeout(500)


if __name__ == "__main__":
    run_main(main, "studio")
