"""A proposal on its page."""

from __future__ import annotations

import warnings
from html.parser import HTMLParser

import pytest

from anonymizer import AnonymizerWarning, Proposal, propose
from anonymizer.report.proposal import render_page
from tests.tables import TABLES, draw


def quietly(name: str) -> Proposal:
    """Propose for one of the tables."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AnonymizerWarning)
        return propose(draw(name))


class Texts(HTMLParser):
    """The texts of a page, and what it asks for from elsewhere."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.requests: list[str] = []
        self.feed(page)

    def handle_data(self, data: str) -> None:
        """Keep a text."""
        self.texts.append(data.strip())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep an address."""
        self.requests += [f"{tag} {value}" for key, value in attrs if key in ("src", "href")]


@pytest.mark.parametrize("name", TABLES)
def test_the_page_has_every_column_with_its_reason_and_every_warning(name: str) -> None:
    proposal = quietly(name)
    page = Texts(render_page(proposal))
    text = " ".join(" ".join(page.texts).split())
    for each in proposal.decisions:
        assert each.column in page.texts
        assert each.reason in text
    assert all(" ".join(warning.split()) in text for warning in proposal.warnings)
    assert not page.requests


def test_names_that_look_like_markup_are_text() -> None:
    frame = draw("timestamps").rename(columns={"station": "<script>x</script>"})
    assert "<script>" not in render_page(propose(frame))
