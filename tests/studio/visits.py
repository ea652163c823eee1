"""A studio served on this machine, and a browser that visits it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from anonymizer.studio.folder import Folder
from anonymizer.studio.serve import Studio
from anonymizer.studio.session import Session

LONG = 60_000
"""Milliseconds until a test gives up; a kernel may have to be compiled first."""


@contextmanager
def served(folder: Path, source: Path | None = None) -> Iterator[Studio]:
    """Serve a studio from a thread."""
    session = Session(Folder(folder))
    studio = Studio(session)
    if source is not None:
        session.open(source)
    with running(studio):
        yield studio
    session.engine.worker.thread.join(30)  # what it still does must not disturb the next test


@contextmanager
def running(studio: Studio) -> Iterator[Studio]:
    """Run a studio in a thread until it is told to stop."""
    thread = threading.Thread(target=studio.serve, daemon=True)
    thread.start()
    yield studio
    studio.stop()
    thread.join(10)
    assert not thread.is_alive()


class Visit:
    """A page of a studio that is open, with all that it asked for and complained of."""

    def __init__(self, browser: Any, studio: Studio, width: int = 1200, scheme: str = "light"):
        self.studio = studio
        self.context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(LONG)
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.context.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(studio.address)

    @property
    def session(self) -> Session:
        return self.studio.session

    def settle(self) -> None:
        """Wait until the optimum of the newest policy is on the screen."""
        revision = self.session.opened.revision
        self.page.wait_for_selector(f'#strip[data-revision="{revision}"]')

    def idle(self) -> None:
        """Wait until nothing is worked on either."""
        self.settle()
        self.page.wait_for_selector("#strip .activity:empty", state="attached")

    def until_revision(self, revision: int) -> None:
        """Wait until a change is written down and solved."""
        self.page.wait_for_selector(f'#strip[data-revision="{revision}"]')

    def show(self, perspective: str) -> None:
        self.page.click(f"#tab-{perspective}")
        self.page.wait_for_selector(f"[data-view={perspective}]")

    def figure(self, name: str) -> str:
        return str(self.page.inner_text(f'#strip [data-figure="{name}"] dd >> nth=0'))

    def text(self, selector: str) -> str:
        return str(self.page.inner_text(selector))
