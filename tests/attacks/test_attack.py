"""All attacks on one release: what they must show, what they must not, and that seeds decide."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer import (
    AnonymizerError,
    Attacks,
    DataError,
    Hierarchy,
    Policy,
    anonymize,
    attack,
    make_manifest,
    write_release,
)
from anonymizer.attacks.reading import read_setting
from anonymizer.attacks.setting import AttackPlan
from tests.attacks.small import Small, smalls
from tests.wards import POLICY, patients, policy_with, write_files

AGE = Hierarchy.from_rows("age", [(str(a), f"{a // 10}0s", "*") for a in range(20, 60)])
ZIP = Hierarchy.from_rows("zip", [(str(z), f"{z // 10}*", "*") for z in range(100, 150)])
SEX = Hierarchy.from_rows("sex", [("F", "*"), ("M", "*")])


def hospital(people: int = 600, seed: int = 3) -> tuple[pd.DataFrame, dict[str, object]]:
    """People most of whom are alone with their age, sex and ZIP code, and a policy for them."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": random.integers(20, 60, people).astype(str),
            "sex": random.choice(["F", "M"], people),
            "zip": random.integers(100, 150, people).astype(str),
            "ward": random.choice(list("ABCDE"), people),
        }
    )
    quasi = {h.name: {"role": "quasi", "hierarchy": h} for h in (AGE, SEX, ZIP)}
    risk = [{"model": "k-anonymity", "k": 10}]
    return frame, {"attributes": {**quasi, "ward": {"role": "sensitive"}}, "risk": risk}


def attacked(change: Callable[[pd.DataFrame], pd.DataFrame] | None = None) -> Attacks:
    frame, policy = hospital()
    released = anonymize(frame, policy).to_frame(seed=1).astype(str)
    return attack(released if change is None else change(released), policy, frame)


@settings(max_examples=20)
@given(smalls())
def test_the_same_seed_gives_the_same_figures(small: Small) -> None:
    one, other = (
        attack(small.release(), small.policy(), small.frame(), seed=5).describe() for _ in range(2)
    )
    assert one == other


@settings(max_examples=20)
@given(smalls(), st.randoms())
def test_the_order_of_the_released_rows_changes_nothing(small: Small, random: Random) -> None:
    order = random.sample(range(len(small.released)), len(small.released))
    shuffled = replace(small, released=tuple(small.released[at] for at in order))
    one, other = (
        attack(each.release(), small.policy(), small.frame(), earlier=each.release()).describe()
        for each in (small, shuffled)
    )
    assert one == other


def test_another_seed_draws_others() -> None:
    frame, policy = hospital()
    released = anonymize(frame, policy).to_frame(seed=1)
    one, other = (attack(released, policy, frame, seed=seed, people=50) for seed in (1, 2))
    assert one.describe()["attacks"] != other.describe()["attacks"]


@settings(max_examples=20)
@given(smalls())
def test_where_no_row_is_released_nothing_is_claimed(small: Small) -> None:
    found = attack(small.release()[:0], small.policy(), small.frame())
    assert not any(each.exceeds for each in found.results)
    assert found.released == 0


def test_redacted_rows_add_nothing_to_what_can_be_guessed() -> None:
    found = attacked(lambda released: released.assign(age="*", sex="*", zip="*"))
    quasi = [each for each in found.tried if each.name != "singling out, all columns"]
    for each in quasi:
        assert not each.exceeds, each
    claimed = found["membership inference"]
    assert claimed.success.estimate.value == claimed.baseline.estimate.value == 1


def test_redacted_rows_fit_everybody_where_a_rule_covers_any_text() -> None:
    sex = {"builder": "mapping", "values": ["F", "M"], "unlisted": True, "top": "any"}
    policy = {
        "attributes": {"sex": {"role": "quasi", "hierarchy": sex}},
        "risk": [{"model": "k-anonymity", "k": 2}],
    }
    original = pd.DataFrame({"sex": ["F", "F", "M", "M"]})
    released = pd.DataFrame({"sex": ["*", "F", "F"]})
    setting = read_setting(released, original, Policy(**policy), None, AttackPlan())
    assert setting.cells.count(setting.quasi, setting.original).tolist() == [3, 3, 1, 1]


def put_back(released: pd.DataFrame) -> pd.DataFrame:
    """Mix in rows as they were in the original."""
    frame, _ = hospital()
    some = frame.sample(100, random_state=1)
    return pd.concat([released, some], ignore_index=True)


def undo(released: pd.DataFrame) -> pd.DataFrame:
    """Give some released rows back the age and the ZIP code of somebody whose they may be."""
    frame, policy = hospital()
    setting = read_setting(released, frame, Policy(**policy), None, AttackPlan())
    changed = released.copy()
    columns = ["age", "zip"]
    changed.loc[:99, columns] = frame.loc[setting.owners[:100], columns].to_numpy()
    return changed


@pytest.mark.parametrize("tamper", [put_back, undo])
def test_a_release_that_was_tampered_with_shows_up(
    tamper: Callable[[pd.DataFrame], pd.DataFrame],
) -> None:
    sound, tampered = attacked(), attacked(tamper)
    single = "singling out, multivariate"
    assert sound[single].success.successes == 0
    assert tampered[single].success.successes > 0
    match = "collective match"
    before, after = (found[match].success.estimate for found in (sound, tampered))
    assert after.low > before.high


def test_a_release_in_a_file_is_attacked_with_the_manifest_beside_it(tmp_path: Path) -> None:
    policy = write_files(tmp_path)
    files = write_release(anonymize(None, policy), tmp_path / "out")
    found = attack(files["release"], policy)
    assert found["downcoding"].skipped is not None  # one scheme has no layers
    assert found["composition"].skipped == "no earlier release is given."
    assert found.records == 120


@pytest.mark.parametrize(
    "parts",
    [
        '\n[release]\nsuppressed = "redact"\n',
        "\n[release]\nlayers = true\n",
        "\n[release]\nescape_formulas = true\n",
    ],
)
def test_every_way_to_release_can_be_attacked(tmp_path: Path, parts: str) -> None:
    policy = write_files(tmp_path, policy=POLICY + parts)
    solution = anonymize(None, policy)
    files = write_release(solution, tmp_path / "out")
    found = attack(files["release"], policy)
    assert found.released == solution.records - solution.suppressed
    owned = found["collective match"].details["matched"]
    assert owned == found.released


@pytest.mark.parametrize(("suppressed", "rows"), [(0, 600), (1, 0)])
def test_a_class_that_is_called_as_redacted_rows_are_is_one_unless_some_were_suppressed(
    suppressed: int, rows: int
) -> None:
    frame, parts = hospital()
    policy = Policy(**parts, release={"suppressed": "redact"})
    stars = frame.assign(age="*", sex="*", zip="*")
    solution = anonymize(frame, policy)
    top = {"age": 2, "sex": 1, "zip": 2}
    manifest = make_manifest(solution, stars) | {"scheme": top, "suppressed": suppressed}
    assert attack(stars, policy, frame, manifest=manifest).released == rows


def test_means_of_classes_stand_for_their_intervals(tmp_path: Path) -> None:
    text = POLICY.replace('"age.toml" }', '"age.toml", microaggregation = "mean" }')
    policy = write_files(tmp_path, policy=text)
    files = write_release(anonymize(None, policy), tmp_path / "out")
    found = attack(files["release"], policy)
    assert found["collective match"].details["matched"] == found.released


def test_missing_cells_are_matched_with_missing_cells(tmp_path: Path) -> None:
    frame = patients()
    frame.loc[:5, "sex"] = None
    policy = policy_with('model = "k-anonymity"\nk = 3')
    path = write_files(tmp_path, frame, policy)
    with pytest.warns(match="missing cells"):
        files = write_release(anonymize(None, path), tmp_path / "out")
    found = attack(files["release"], path)
    assert found["collective match"].details["matched"] == found.released


def test_a_value_that_no_hierarchy_knows_is_an_error_with_its_row() -> None:
    with pytest.raises(
        DataError, match=r"column 'age' has values .* first at row 1; give the policy"
    ):
        attacked(lambda released: released.assign(age="ninety"))


def test_a_table_with_none_of_the_columns_is_refused() -> None:
    frame, policy = hospital()
    with pytest.raises(DataError, match="none of the released columns"):
        attack(frame, policy, frame, control=pd.DataFrame({"name": ["x"]}))
    with pytest.raises(DataError, match="has no rows"):
        attack(frame, policy, frame, control=frame[:0])


def test_a_plan_that_makes_no_sense_is_refused() -> None:
    frame, policy = hospital()
    with pytest.raises(AnonymizerError, match="must be at least"):
        attack(frame, policy, frame, people=0)


def test_figures_are_plain_json() -> None:
    import json

    frame, policy = hospital()
    solution = anonymize(frame, policy)
    released = solution.to_frame()
    found = attack(released, policy, frame, manifest=make_manifest(solution, released))
    described = found.describe()
    assert json.loads(json.dumps(described)) == described
    assert [each["name"] for each in described["attacks"]] == [each.name for each in found.results]


def test_a_policy_with_fewer_levels_than_the_manifest_declares_is_one_sentence() -> None:
    frame, policy = hospital()
    solution = anonymize(frame, policy)
    released = solution.to_frame(seed=1).astype(str)
    manifest = make_manifest(solution, released)
    manifest["scheme"] = {**manifest["scheme"], "sex": 2}
    with pytest.raises(DataError, match=r"declares level 2, and the hierarchy has levels 0 to 1"):
        attack(released, policy, frame, manifest=manifest)
