"""The context of a release: what is stated, what is not, and what cannot be."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from anonymizer import PolicyError
from anonymizer.decision.context import EXAMPLE, Context


def test_the_example_has_every_key_and_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "context.toml"
    path.write_text(EXAMPLE, encoding="utf-8")
    context = Context.read(path)
    assert context.describe() == tomllib.loads(EXAMPLE)
    assert list(context.missing()) == []


def test_what_is_left_out_is_missing_and_nobody_is_taken_to_be_bound() -> None:
    context = Context(organization="a", controls=[])
    assert context.public
    assert "controls" not in list(context.missing())
    assert {"purpose", "release_model", "threshold_reason"} <= set(context.missing())
    assert not Context(release_model="enclave").public


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"purpose": ""}, "purpose: '' is not a text that says something"),
        ({"controls": "none"}, "controls"),
        (
            {"release_model": "open"},
            "'open' is unknown; use one of 'public', 'agreement', 'enclave'",
        ),
        ({"puropse": "x"}, "puropse: this key is unknown; did you mean 'purpose'"),
    ],
)
def test_a_wrong_key_or_value_is_one_sentence(keys: dict[str, object], message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        Context(**keys)
