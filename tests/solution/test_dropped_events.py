"""A study released with single events dropped, and verified."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anonymizer import Policy, StudySolution, anonymize, verify, write_study
from anonymizer.errors import InfeasibleError
from anonymizer.report.study import sections
from anonymizer.solution.study_manifest import make_study_manifest

POLICY = """
[data]
path = "patient.csv"
id = "pid"
[attributes]
pid = { role = "identifying" }
sex = { role = "quasi", hierarchy = { F = "*", M = "*" } }

[tables.drug]
path = "drug.csv"
id = "who"
[tables.drug.attributes]
who = { role = "identifying" }
name = { role = "quasi", hierarchy = "drug.csv" }
dose = { role = "insensitive" }

[[risk]]
model = "study"
k = 3
power = 2
suppress = "events"
"""
HIERARCHY = "aspirin;pain;*\nibuprofen;pain;*\nstatin;heart;*\nwarfarin;heart;*\n"


def frames(people: int = 40, seed: int = 3) -> dict[str, pd.DataFrame]:
    random = np.random.default_rng(seed)
    ids = np.array([f"S-{number:03d}" for number in range(people)])
    whose = np.sort(random.integers(0, people, 2 * people))
    drugs = ["aspirin", "ibuprofen", "statin", "warfarin"]
    return {
        "patient": pd.DataFrame({"pid": ids, "sex": random.choice(["F", "M"], people)}),
        "drug": pd.DataFrame({
            "who": ids[whose],
            "name": random.choice(drugs, whose.size, p=[0.55, 0.3, 0.1, 0.05]),
            "dose": random.choice([50, 100], whose.size),
        }),
    }  # fmt: skip


def policy(folder: Path, text: str = POLICY) -> Policy:
    for name, frame in frames().items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    (folder / "names.csv").write_text(HIERARCHY)
    (folder / "policy.toml").write_text(
        text.replace('hierarchy = "drug.csv"', 'hierarchy = "names.csv"')
    )
    return Policy.read(folder / "policy.toml")


@pytest.fixture
def solution(tmp_path: Path) -> StudySolution:
    return anonymize(frames(), policy(tmp_path))


def test_rows_of_released_people_go_and_are_counted(solution: StudySolution) -> None:
    released, original = solution.to_frames(), frames()
    dropped = solution.dropped_events
    assert dropped is not None
    kept = original["drug"]["who"].isin(original["patient"]["pid"][solution.kept])
    assert dropped.events == {"drug": int(kept.sum()) - len(released["drug"])}
    assert dropped.events["drug"] > 0
    assert len(released["patient"]) == solution.records - solution.suppressed
    had = original["drug"]["who"][kept].nunique()
    assert dropped.lost_all == had - released["drug"]["who"].nunique()
    by_value = dropped.values["drug.name"]  # noqa: PD011 - no dataframe
    total = sum(gone for gone, _ in by_value.values())
    assert total == len(original["drug"]) - len(released["drug"])
    titles = [section.title for section in sections(solution)]
    assert "Events dropped" in titles
    assert "values" not in solution.describe()


def test_it_costs_less_than_whole_people(solution: StudySolution, tmp_path: Path) -> None:
    whole = anonymize(frames(), policy(tmp_path, POLICY.replace('suppress = "events"', "")))
    assert whole.dropped_events is None
    assert solution.loss < whole.loss


def test_the_release_is_verified_alone_and_against_the_original(tmp_path: Path) -> None:
    keys, rules = tmp_path / "keys" / "keys.csv", policy(tmp_path)
    keys.parent.mkdir()
    write_study(anonymize(None, rules), tmp_path / "release", keys=keys)
    assert verify(tmp_path / "release", rules).passed
    found = verify(tmp_path / "release", rules, against=tmp_path, keys=keys)
    assert found.passed, [check for check in found.checks if check.passed is False]


def test_an_event_that_was_nobodys_and_a_false_count_are_found(
    solution: StudySolution, tmp_path: Path
) -> None:
    released = solution.to_frames()
    rules = policy(tmp_path)
    manifest = make_study_manifest(solution, released)
    assert verify(released, rules, manifest, against=frames()).passed
    wrong = {**manifest, "lost_all_events": manifest["lost_all_events"] + 1}
    assert not verify(released, rules, wrong, against=frames()).passed
    drug = released["drug"].copy()
    drug["dose"] = 75
    forged = {**released, "drug": drug}
    claims = {**manifest, "output": make_study_manifest(solution, forged)["output"]}
    assert not verify(forged, rules, claims, against=frames()).passed


def test_more_than_the_event_limit_is_refused(tmp_path: Path) -> None:
    limited = POLICY.replace('suppress = "events"', 'suppress = "events"\nevent_limit = 0.0')
    found = anonymize(frames(), policy(tmp_path, limited))
    assert found.tables["drug"] == {"rows": 80, "released": 80}
    few = limited.replace("k = 3", "k = 30")
    with pytest.raises(InfeasibleError, match="event_limit"):
        anonymize(frames(), policy(tmp_path, few + "\n[release]\nsuppression_limit = 1.0\n"))
