"""Forged releases of a study are found, by the tables alone or with the original."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from anonymizer import (
    ReleaseError,
    StudySolution,
    anonymize,
    make_study_manifest,
    read_manifest,
    verify,
)
from anonymizer.verification.claims import Verification
from anonymizer.verification.study import find_together
from tests.clinic import POLICY, Frames, frames, write_clinic

Forge = Callable[[Frames, dict[str, Any]], object]
# a scheme at which events differ, so that there is something to move
FINE = (
    POLICY.replace('hierarchy = "code.csv"', 'hierarchy = "code.csv", max_level = 1')
    .replace("k = 3", "k = 2")
    .replace("power = 2", "power = 1")
)


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[StudySolution, Path]:
    policy = write_clinic(tmp_path_factory.mktemp("clinic"), FINE)
    return anonymize(frames(), policy), policy


def forged(
    published: tuple[StudySolution, Path], forge: Forge, against: bool = False
) -> Verification:
    """Verify a release that was changed, with a manifest that has the digests of what is there."""
    solution, policy = published
    released: Frames = solution.to_frames(1)
    changes: dict[str, Any] = {}
    forge(released, changes)
    manifest = make_study_manifest(solution, released)
    for name, frame in released.items():
        manifest["tables"][name]["released"] = len(frame)
    manifest |= changes
    return verify(released, policy, manifest, against=frames() if against else None)


def faults(found: Verification) -> str:
    """What does not hold, in words."""
    return "; ".join(f"{check.claim}: {check.detail}" for check in found.failures)


def test_a_release_that_nobody_changed_is_verified(published: tuple[StudySolution, Path]) -> None:
    alone = forged(published, lambda *_: None)
    assert alone.passed
    assert forged(published, lambda *_: None, against=True).passed


def repeat_row(name: str) -> Forge:
    def forge(released: Frames, _: dict[str, Any]) -> None:
        released[name] = pd.concat([released[name], released[name].iloc[:1]], ignore_index=True)

    return forge


def assign(name: str, column: str, change: Callable[[list[Any]], list[Any]]) -> Forge:
    def forge(released: Frames, _: dict[str, Any]) -> None:
        values = change(released[name][column].astype(object).tolist())
        released[name] = released[name].assign(**{column: values})

    return forge


def move_to_one(keys: list[Any]) -> list[Any]:
    """Give the events of several people to one."""
    first = keys[0]
    return [first if number < 8 else key for number, key in enumerate(keys)]


def claim(key: str, value: Any) -> Forge:
    return lambda _, changes: changes.update({key: value})


def sort_rows(released: Frames, _: dict[str, Any]) -> None:
    order = {key: place for place, key in enumerate(released["patient"]["pid"])}
    visits = released["visit"]
    released["visit"] = visits.iloc[np.argsort(visits["patient"].map(order).to_numpy())]


ALONE: dict[str, tuple[Forge, str]] = {
    "an event added": (repeat_row("drug"), "the quality is the one reported|left out"),
    "a person added": (repeat_row("patient"), "1 rows have the key of another"),
    "an event moved": (
        assign("drug", "who", move_to_one),
        "fewer than 2 match|what the promise leaves out",
    ),
    "an orphan": (
        assign("drug", "who", lambda keys: ["b" * 16, *keys[1:]]),
        "1 rows belong to no row of 'patient'",
    ),
    "a key that is an id": (
        assign("patient", "pid", lambda keys: ["S-0001", *keys[1:]]),
        "1 keys are not 16 random letters",
    ),
    "another level": (
        assign("diagnosis", "code", lambda codes: ["a1", *codes[1:]]),
        "values that are not of level",
    ),
    "rows together": (sort_rows, "rows stand beside another of the same person"),
    "a person gone": (
        lambda released, _: released.update(patient=released["patient"].iloc[1:]),
        "belong to no row of 'patient'|not those declared",
    ),
    "a better loss": (claim("loss", 0.1), "the quality is the one reported"),
    "fewer dropped": (claim("suppressed", 0), "not those declared"),
    "another scheme": (claim("scheme", {"sex": 0}), "none allowed for"),
    "what is left out": (claim("left_out", {}), "what the promise leaves out"),
    "a false risk": (
        claim("risk", {"before": {}, "after": {}}),
        "the risk by the people table alone",
    ),
}


@pytest.mark.parametrize("name", ALONE)
def test_what_is_forged_is_found_without_the_original(
    published: tuple[StudySolution, Path], name: str
) -> None:
    forge, sentence = ALONE[name]
    if name == "fewer dropped" and published[0].suppressed == 0:
        forge = claim("suppressed", 1)
    found = forged(published, forge)
    assert not found.passed
    assert re.search(sentence, faults(found)), faults(found)


def swap_arms(released: Frames, _: dict[str, Any]) -> None:
    arms = released["patient"]["arm"].tolist()
    other = {"placebo": "verum", "verum": "placebo"}
    released["patient"] = released["patient"].assign(arm=[other[arms[0]], *arms[1:]])


def test_a_kept_cell_that_is_changed_is_found_with_the_original(
    published: tuple[StudySolution, Path],
) -> None:
    assert forged(published, swap_arms).passed
    found = forged(published, swap_arms, against=True)
    assert "people are nobody of the original" in faults(found)


def test_rows_in_the_order_of_the_original_are_found(
    published: tuple[StudySolution, Path],
) -> None:
    solution, policy = published
    plans = solution.plans(1)
    released = {
        part.name: part.table.release(
            replace(plans[part.name], rows=np.sort(plans[part.name].rows))
        )
        for part in solution.problem.parts
    }
    manifest = make_study_manifest(solution, released)
    found = verify(released, policy, manifest, against=frames())
    for table in ("visit", "diagnosis"):
        assert f"{table}: the order of rows is not that of the original" in faults(found)
    alone = verify(released, policy, manifest)
    assert "the order of rows tells nothing" in faults(alone)


def test_keys_of_the_original_are_found(published: tuple[StudySolution, Path]) -> None:
    solution, policy = published
    released = solution.to_frames(1)
    given = frames()
    old = dict(zip(given["patient"]["pid"], solution.keys(1)["patient"], strict=True))
    as_letters = {name: frame.copy() for name, frame in given.items()}
    as_letters["patient"]["pid"] = given["patient"]["pid"].map(old)
    as_letters["visit"]["patient"] = given["visit"]["patient"].map(old)
    as_letters["drug"]["who"] = given["drug"]["who"].map(old)
    manifest = make_study_manifest(solution, released)
    found = verify(released, policy, manifest, against=as_letters)
    assert "keys are those of the original" in faults(found)


def test_another_study_is_not_the_original(published: tuple[StudySolution, Path]) -> None:
    solution, policy = published
    released = solution.to_frames(1)
    found = verify(released, policy, make_study_manifest(solution, released), against=frames(9))
    assert not found.passed


def test_no_manifest_is_a_traceback_and_none_that_is_changed_is_verified(
    published: tuple[StudySolution, Path],
) -> None:
    solution, policy = published
    released = solution.to_frames(1)
    manifest = json.loads(json.dumps(make_study_manifest(solution, released)))
    idle = {"anonymizer", "seconds", "stopped", "packages", "pruned", "partitions"}
    idle |= {"schemes", "evaluated", "input", "before"}  # of the original, or of the search
    places = [(key,) for key in manifest if key not in idle]
    places += [
        (key, inner)
        for key, value in manifest.items()
        if isinstance(value, dict) and key not in idle
        for inner in value
        if inner not in idle
    ]
    for place in places:
        for other in (None, {}):
            changed = copy.deepcopy(manifest)
            inside = changed
            for key in place[:-1]:
                inside = inside[key]
            inside[place[-1]] = other
            try:
                passed = verify(released, policy, changed).passed
            except ReleaseError:
                passed = False
            assert not passed, (place, other)


def test_what_is_missing_is_one_sentence(
    published: tuple[StudySolution, Path], tmp_path: Path
) -> None:
    solution, policy = published
    released = solution.to_frames(1)
    manifest = make_study_manifest(solution, released)
    some = {name: frame for name, frame in released.items() if name != "drug"}
    for given, claims, sentence in (
        (some, manifest, "all must have the same"),
        (released, None, "needs the manifest of dataframes"),
        (released["patient"], manifest, "give their folder, or dataframes by name"),
        (released, {"policy": {}}, "not a manifest of linked tables"),
        (tmp_path, None, "there is no such manifest"),
    ):
        with pytest.raises(ReleaseError, match=sentence):
            verify(given, policy, claims)  # type: ignore[arg-type]
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(ReleaseError, match="this is the manifest of linked tables; use verify"):
        read_manifest(tmp_path / "manifest.json")


def test_a_shuffle_is_no_order() -> None:
    random = np.random.default_rng(4)
    for rows in (5, 50, 500, 5000):
        whose = random.integers(0, max(2, rows // 5), rows)
        assert find_together(whose) is None
        assert find_together(np.sort(whose)) is not None or rows < 50
