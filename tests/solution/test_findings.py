"""After a run, what should be said of a release is said, and a strict policy releases nothing then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from anonymizer import InfeasibleError, Policy, anonymize, apply
from tests.snippets import Run

AGES = {"builder": "intervals", "domain": [0, 99], "widths": [10, 50]}


def policy(**more: Any) -> dict[str, Any]:
    return {
        "data": {"id": "person"},
        "attributes": {
            "person": {"role": "identifying"},
            "age": {"role": "quasi", "hierarchy": AGES},
            "illness": {"role": "sensitive"},
            "ward": {"role": "insensitive"},
        },
        "risk": [{"model": "k-anonymity", "k": 2}],
        **more,
    }


def stays(rows: int = 40) -> pd.DataFrame:
    random = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "person": random.integers(0, rows // 2, rows),
            "age": random.integers(0, 100, rows),
            "illness": random.choice(["flu", "gout"], rows),
            "ward": random.choice(list("ABC"), rows),
        }
    )


def test_people_alone_and_classes_that_share_a_value_are_those_of_the_released_rows() -> None:
    frame = stays()
    solution = apply(frame, policy(), {"age": 1})
    found = solution.findings
    whose = frame.assign(age=frame["age"] // 10)
    sizes = whose.groupby("age")["person"].transform("nunique")
    kept = whose[sizes >= 2]
    holders = kept.groupby(["age", "illness", "ward"])["person"].transform("nunique")
    assert found.alone == kept[holders == 1]["person"].nunique()
    classes = kept.groupby("age").agg(values=("illness", "nunique"), people=("person", "nunique"))
    alike = classes[classes["values"] == 1]
    shared = found.shared.get("illness")
    assert (shared.classes if shared else 0) == len(alike)
    assert (shared.people if shared else 0) == alike["people"].sum()


def test_nothing_is_said_where_there_is_nothing_to_say() -> None:
    frame = pd.DataFrame(
        {"person": range(8), "age": [5, 5, 5, 5, 60, 60, 60, 60], "illness": ["flu", "gout"] * 4}
    ).assign(ward="A")
    frame["illness"] = ["flu", "flu", "gout", "gout"] * 2
    solution = anonymize(frame, policy(release={"strict": True}))
    assert list(solution.findings.sentences()) == []
    assert len(solution.to_frame()) == 8


def test_a_strict_policy_releases_nothing_while_something_is_to_be_said() -> None:
    with pytest.raises(InfeasibleError, match="alone by all released columns together"):
        anonymize(stays(), policy(release={"strict": True})).to_frame()


def test_layers_are_tried_where_one_scheme_collapses_a_column_and_nobody_chose_it() -> None:
    random = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "age": random.integers(0, 100, 400),
            "size": random.integers(0, 100, 400),
            "weight": random.integers(0, 100, 400),
        }
    )
    keys: dict[str, Any] = {
        "attributes": {name: {"role": "quasi", "hierarchy": AGES} for name in frame},
        "risk": [{"model": "k-anonymity", "k": 10}],
    }
    solution = anonymize(frame, keys)
    assert solution.collapsed
    tried = solution.findings.layers
    assert tried is not None
    layered = anonymize(frame, {**keys, "release": {"layers": True}})
    assert tried.quality <= layered.quality + 1e-9
    chosen = anonymize(frame, {**keys, "release": {"layers": False}})
    assert chosen.findings.layers is None


def test_run_says_it_and_with_strict_writes_nothing(tmp_path: Path, run: Run) -> None:
    stays().to_csv(tmp_path / "stays.csv", index=False)
    (tmp_path / "age.toml").write_text(
        'builder = "intervals"\ndomain = [0, 99]\nwidths = [10, 50]\n'
    )
    (tmp_path / "policy.toml").write_text(
        '[data]\npath = "stays.csv"\nid = "person"\n[attributes]\nperson = { role = "identifying" }\n'
        'age = { role = "quasi", hierarchy = "age.toml" }\nillness = { role = "sensitive" }\n'
        'ward = { role = "insensitive" }\n[[risk]]\nmodel = "k-anonymity"\nk = 2\n'
    )
    assert Policy.read(tmp_path / "policy.toml").release.strict is False
    command = ("run", tmp_path / "policy.toml", "--out", tmp_path / "out")
    status, _, errors = run(*command, "--strict")
    assert status == 1
    assert "alone by all released columns together" in errors
    assert not (tmp_path / "out" / "release.csv").exists()
    status, out, _ = run(*command)
    assert status == 0
    assert "information left" in out
    assert "! " in out
