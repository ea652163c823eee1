"""What verify says of a release alone: what it did not compare, and which cells look like ids or rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from anonymizer import Policy, Verification, anonymize, make_manifest, show_values, verify
from anonymizer.cli import app
from anonymizer.hierarchy import Explicit, Intervals
from tests.verification.test_verification import Published

NOT_COMPARED = "kept columns are as in the original"
LOOKED_AT = "no released cell looks like an id or a whole row"

MANY = "116 cells have 116 different values, as ids do"
Change = Callable[[pd.DataFrame], object]
SUSPECT: dict[str, tuple[Change, str]] = {
    "ids": (
        lambda f: [f"P{4_711_000 + i}" for i in range(len(f))],
        "116 cells have 116 different values, as ids do",
    ),
    "row numbers": (
        lambda f: [str(i) for i in range(len(f))],
        "116 cells have 116 different values, as ids do",
    ),
    "a row": (lambda f: ["34;F;101", *f["days"][1:]], "1 value holds those of other columns"),
    "a row of two": (lambda f: ["asthma, 57, M", *f["days"][1:]], "1 value holds those of other"),
    "addresses": (lambda f: [f"p{i % 9}@example.org" for i in range(len(f))], "e-mail addresses"),
}


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Published:
    return Published(tmp_path_factory.mktemp("published"))


def checks_of(found: Verification) -> dict[str, bool | None]:
    return {check.claim: check.passed for check in found.checks}


def test_alone_it_says_which_columns_were_not_compared(published: Published) -> None:
    alone, against = published.check(against=False), published.check()
    (said,) = [check for check in alone.checks if check.claim == NOT_COMPARED]
    assert said.passed is None
    assert "'diagnosis', 'days'" in said.detail
    assert checks_of(alone)[LOOKED_AT] is True
    assert alone.passed
    assert not alone.warnings
    assert not {NOT_COMPARED, LOOKED_AT} & checks_of(against).keys()


@pytest.mark.parametrize("kind", SUSPECT)
def test_cells_that_look_like_ids_or_rows_are_a_warning(tmp_path: Path, kind: str) -> None:
    published = Published(tmp_path)
    frame = published.read()
    change, sentence = SUSPECT[kind]
    hidden = [str(cell) for cell in pd.Series(change(frame))]
    published.write(frame.assign(days=hidden))
    found = published.check(against=False)
    (warning,) = found.warnings
    assert warning.startswith("column 'days'")
    assert sentence in warning
    assert "hidden without --show-values" in warning
    assert found.passed
    with show_values():
        assert hidden[0] in published.check(against=False).warnings[0]
    assert not published.check().passed


def test_terminal_json_and_page_say_it(tmp_path: Path) -> None:
    published = Published(tmp_path)
    frame = published.read()
    published.write(frame.assign(days=[f"P{4_711_000 + i}" for i in range(len(frame))]))
    command = ["verify", str(published.release), str(published.policy)]
    printed = CliRunner().invoke(app, command).output
    assert "warning: column 'days': 116 cells have 116 different values" in printed
    assert "kept columns are as in the" in printed
    said = json.loads(CliRunner().invoke(app, [*command, "--json"]).output)
    assert said["warnings"][0].startswith("column 'days'")
    assert NOT_COMPARED in [check["claim"] for check in said["checks"] if check["passed"] is None]
    page = published.check(against=False)._repr_html_()
    assert "warning: column" in page
    assert NOT_COMPARED in page


def release_of(values: list[object], builder: object) -> Verification:
    """Verify a release whose one quasi-identifier was replaced by other values, by its owner."""
    hierarchy = builder.build("code")  # type: ignore[attr-defined]
    attributes = {"code": {"role": "quasi", "hierarchy": hierarchy, "max_level": 0}}
    policy = Policy(attributes=attributes, risk=[{"model": "average", "threshold": 1.0}])
    solution = anonymize(pd.DataFrame({"code": values}), policy)
    released = solution.to_frame()
    return verify(released, policy, make_manifest(solution, released))


def test_values_that_no_hierarchy_lists_are_a_warning_where_they_look_like_ids() -> None:
    listed = Explicit(values=("a", "b"), unlisted=True)
    weights = Intervals((20.0, 120.0), widths=(5,))
    rounded = np.random.default_rng(1).uniform(20, 120, 200).round(1).tolist()
    assert not release_of(["a", "b"] * 20, listed).warnings
    assert not release_of(rounded, weights).warnings
    for values, builder in (
        ([f"P{4_711_000 + i}" for i in range(40)], listed),
        ([70 + (4_711_000 + i) / 1e9 for i in range(40)], weights),
    ):
        (warning,) = release_of(values, builder).warnings
        assert "column 'code': 40 classes have 40 different values" in warning
