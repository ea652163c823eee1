"""None of the forgeries passes with the original; what passes without it is on the page."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.verification.forger import POLICIES, honest
from tests.verification.forgeries import FORGERIES, Alone, Forgery

pytestmark = pytest.mark.filterwarnings("ignore::anonymizer.AnonymizerWarning")

PAGE = Path(__file__).resolve().parents[2] / "docs" / "pages" / "how-to" / "verify-a-release.md"


def name_of(forgery: Forgery) -> str:
    return f"{forgery.kind}: {forgery.says}"


@pytest.mark.parametrize("kind", POLICIES)
def test_what_is_honest_verifies(kind: str, tmp_path: Path) -> None:
    found = honest(kind).copy().verify(tmp_path, against=True)
    assert found.passed, [check for check in found.checks if not check.passed]
    alone = honest(kind).copy().verify(tmp_path, against=False)
    assert not alone.failures
    assert not alone.warnings


@pytest.mark.parametrize("forgery", FORGERIES, ids=name_of)
def test_no_forgery_passes_with_the_original(forgery: Forgery, tmp_path: Path) -> None:
    case = honest(forgery.kind).copy()
    forgery.change(case)
    assert not case.verify(tmp_path, against=True).passed


@pytest.mark.parametrize("forgery", FORGERIES, ids=name_of)
def test_alone_a_forgery_is_noticed_as_the_page_says(forgery: Forgery, tmp_path: Path) -> None:
    case = honest(forgery.kind).copy()
    forgery.change(case)
    found = case.verify(tmp_path, against=False)
    said = Alone.CAUGHT if found.failures else Alone.WARNED if found.warnings else Alone.PASSES
    assert said is forgery.alone, [check for check in found.checks if not check.passed]


def test_there_are_many_of_every_kind_and_no_two_are_one() -> None:
    assert len(FORGERIES) >= 100
    assert set(POLICIES) == {forgery.kind for forgery in FORGERIES}
    assert max(Counter(map(name_of, FORGERIES)).values()) == 1


def listed() -> str:
    """List what goes unnoticed without the original, as the page has it."""
    lines = []
    for kind in POLICIES:
        alike = [forgery for forgery in FORGERIES if forgery.kind == kind]
        unnoticed = [forgery.says for forgery in alike if forgery.alone is Alone.PASSES]
        warned = [f"{f.says} (a warning)" for f in alike if f.alone is Alone.WARNED]
        lines.append(
            f"- **{kind}** ({len(unnoticed + warned)} of {len(alike)}): "
            f"{'; '.join(unnoticed + warned)}."
        )
    return "\n".join(lines)


def test_the_page_lists_what_goes_unnoticed_without_the_original() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert listed() in text, listed()
    assert f"{len(FORGERIES)} forgeries" in text
