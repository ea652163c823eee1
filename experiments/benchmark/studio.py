"""The studio's latency: from a slider's event to the new optimum on the screen, beside the search alone.

Headless Chromium moves the slider of k from value to value and waits each time until the strip shows the
proven optimum of the new one. Both are warm: the table is read, the kernels are compiled, and no value
was asked for before.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from anonymizer import Problem, anonymize
from anonymizer.data.files import specs_folder
from anonymizer.demo import population, register
from anonymizer.demo.example import POLICY
from anonymizer.risk import KAnonymity
from anonymizer.studio.folder import Folder
from anonymizer.studio.serve import Studio
from anonymizer.studio.session import Session
from anonymizer.validation import write_document
from experiments.datasets import path_of, spec_of

ROWS, MANY_ROWS = 30_000, 1_000_000
GOALS = {"adult": 150, "register": 400, "register, 1,000,000 rows": 2000}
"""Milliseconds."""
MOVES = (6, 3, 10, 4, 14, 7, 25, 9, 40, 12, 2, 18, 30, 8, 22, 50, 16, 11, 35, 20)
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
MOVE = """async (values) => {
  const strip = document.getElementById("strip");
  const slider = document.querySelector('[data-slider="k"]');
  const found = [];
  for (const value of values) {
    const before = strip.dataset.sequence;
    const started = performance.now();
    slider.value = value;
    slider.dispatchEvent(new Event("input"));
    while (strip.dataset.sequence === before) await new Promise(requestAnimationFrame);
    found.push(performance.now() - started);
  }
  return found;
}"""


def measure_studio(folder: Path) -> Iterator[dict[str, Any]]:
    """Measure each table; say what is not at hand."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        print("studio: skipped, there is no Chromium (apt-get install chromium)")
        return
    for name, policy in policies(folder):
        yield measure(name, policy, chromium)


def policies(folder: Path) -> Iterator[tuple[str, Path]]:
    """Write the tables and their policies, each into a folder of its own."""
    if (adult := path_of("adult")) is not None:
        yield "adult", write_adult(folder / "adult", adult)
    for name, rows in (("register", ROWS), ("register, 1,000,000 rows", MANY_ROWS)):
        place = folder / str(rows)
        place.mkdir()
        register(population(max(rows, 100_000)), size=rows).to_csv(
            place / "register.csv", index=False
        )
        shutil.copytree(specs_folder() / "demo", place / "hierarchies")
        (place / "policy.toml").write_text(POLICY, encoding="utf-8")
        yield name, place / "policy.toml"


def write_adult(folder: Path, data: Path) -> Path:
    """Write a policy for ADULT that makes every column a quasi-identifier."""
    folder.mkdir()
    columns = data.read_text(encoding="utf-8").splitlines()[0].split(";")
    document = {
        "data": {"path": str(data), "delimiter": ";", "rows_are_people": True},
        "attributes": {
            name: {"role": "quasi", "hierarchy": str(spec_of("adult", name))} for name in columns
        },
        "risk": [{"model": "k-anonymity", "k": 5}],
    }
    (folder / "policy.toml").write_text(write_document(document), encoding="utf-8")
    return folder / "policy.toml"


def measure(name: str, policy: Path, chromium: str) -> dict[str, Any]:
    """Return the latency of one table, and what the search takes without a page, in milliseconds."""
    with served(policy) as studio:
        moved, moved_cpu = move_slider(studio, chromium)
        problem = studio.session.solution().problem
        searched = [search_alone(problem, k) for k in MOVES]
    shown, alone = np.array(moved), np.array([seconds for seconds, _ in searched])
    return {
        "data": name,
        "rows": problem.microdata.records,
        "moves": len(MOVES),
        "median ms": round(float(np.median(shown))),
        "95th percentile ms": round(float(np.quantile(shown, 0.95))),
        "search alone, median ms": round(float(np.median(alone))),
        "search alone, 95th percentile ms": round(float(np.quantile(alone, 0.95))),
        "CPU of a move, mean ms": round(moved_cpu / len(MOVES)),
        "CPU of a search, mean ms": round(float(np.mean([cpu for _, cpu in searched]))),
        "goal ms": GOALS[name],
    }


def search_alone(problem: Problem, k: int) -> tuple[float, float]:
    """Return what a new optimum takes from Python, in milliseconds, and in those of a processor."""
    started, worked = time.perf_counter(), time.process_time()
    anonymize(problem.with_models(KAnonymity(k)))
    return 1000 * (time.perf_counter() - started), 1000 * (time.process_time() - worked)


@contextmanager
def served(policy: Path, opened: bool = True) -> Iterator[Studio]:
    """Serve a studio from a thread, with a policy or with nothing open yet."""
    session = Session(Folder(policy.parent))
    if opened:
        session.open(policy)
    with running(Studio(session)) as studio:
        yield studio


@contextmanager
def running(studio: Studio) -> Iterator[Studio]:
    """Run a studio in a thread."""
    thread = threading.Thread(target=studio.serve, daemon=True)
    thread.start()
    yield studio
    studio.stop()
    thread.join()


def move_slider(studio: Studio, chromium: str) -> tuple[list[float], float]:
    """Move the slider of k; return what each move takes, and all of them of a processor of the server.

    In milliseconds. On a machine that others use, too, the latter says more.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1200, "height": 900})
        page.set_default_timeout(600_000)
        page.goto(studio.address)
        page.click("#tab-explore")
        page.wait_for_selector("circle.chosen")  # the frontier is the last that is worked out
        page.wait_for_selector("#strip .activity:empty", state="attached")
        worked = time.process_time()
        found: list[float] = page.evaluate(MOVE, list(MOVES))
        worked = time.process_time() - worked
        browser.close()
    return found, 1000 * worked
