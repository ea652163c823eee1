"""Releases one after the other, from table to register, and verified."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer import (
    AnonymizerError,
    AnonymizerWarning,
    DataError,
    InfeasibleError,
    Policy,
    PolicyError,
    Problem,
    ReleaseError,
    anonymize,
    apply,
    attack,
    frontier,
    read_manifest,
    verify,
    write_release,
)
from anonymizer.register.folder import Register
from anonymizer.verification.original import FIGURES
from anonymizer.verification.register import CLASSES, PLACE, PROMISE
from tests.register.oracle import found
from tests.register.releases import begin, frame_of, people, policy_of, release, released


@pytest.fixture(autouse=True)
def own_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the key of these tests apart."""
    monkeypatch.setenv("ANONYMIZER_STATE", str(tmp_path / "state"))


JUNE = people(["a1", "a1", "a1", "b1", "b1", "b1", "b1"])
JULY = {name: value for name, value in JUNE.items() if name != "p2"}
"""One of three who were alike has left."""


@pytest.mark.quick
def test_who_left_is_one_of_two_with_a_register_and_alone_without(tmp_path: Path) -> None:
    register = begin(tmp_path)
    solutions = [
        release(each, policy_of(register), tmp_path / name)
        for name, each in (("june", JUNE), ("july", JULY))
    ]
    assert found([released(each) for each in solutions], 2) == set()
    over = solutions[1].over_time
    assert over is not None
    assert over.releases == 1
    assert over.alone is not None
    assert over.alone.suppressed < solutions[1].suppressed
    assert over.alone.quality > solutions[1].quality


tables = st.dictionaries(
    st.sampled_from([f"p{number}" for number in range(9)]),
    st.sampled_from(["a1", "a2", "b1", "b2"]),
    min_size=4,
)


@pytest.mark.filterwarnings("ignore:.*people of the last release")
@given(st.lists(tables, min_size=2, max_size=4), st.integers(2, 3))
@settings(max_examples=5)
def test_nobody_is_found_in_any_of_the_releases_of_a_register(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[dict[str, str]], k: int
) -> None:
    folder = tmp_path_factory.mktemp("releases")
    policy, made = policy_of(begin(folder), k), []
    for number, table in enumerate(drawn):
        try:
            made.append(released(release(table, policy, folder / str(number))))
        except DataError as error:  # nobody of a table was in any release before
            assert "none of its people" in str(error)  # noqa: PT017
        assert found(made, k) == set()
        assert len(Register.read(folder / "register").releases) == len(made)


def test_verification_recomputes_the_promise(tmp_path: Path) -> None:
    policy = policy_of(begin(tmp_path))
    for name, table in (("june", JUNE), ("july", JULY)):
        release(table, policy, tmp_path / name)
    for name, table in (("june", JUNE), ("july", JULY)):
        verified = verify(tmp_path / name / "release.csv", policy, against=frame_of(table))
        assert verified.passed, verified.failures
        claims = {check.claim: check.passed for check in verified.checks}
        assert claims[PLACE] is claims[PROMISE] is claims[CLASSES] is True


def test_an_attacker_with_all_releases_finds_nobody_but_who_was_accepted(tmp_path: Path) -> None:
    register = begin(tmp_path)
    for name, table, policy in (
        ("june", JUNE, policy_of(register, 3)),
        ("july", JULY, policy_of(register, 3)),
        ("august", JUNE, policy_of(register, 4, accept_leavers=3)),
    ):
        release(table, policy, tmp_path / name)
        found = attack(tmp_path / name / "release.csv", policy, frame_of(table), people=5)
        figures = found["all releases"].details
        assert figures["below_k"] == figures["accepted"] == (3 if name == "august" else 0)
    register.rename(tmp_path / "elsewhere")
    found = attack(tmp_path / "june" / "release.csv", policy, frame_of(JUNE), people=5)
    assert "there is no register" in (found["all releases"].skipped or "")


def test_verification_without_the_register_says_so(tmp_path: Path) -> None:
    register = begin(tmp_path)
    policy = policy_of(register)
    release(JUNE, policy, tmp_path / "june")
    register.rename(tmp_path / "elsewhere")
    verified = verify(tmp_path / "june" / "release.csv", policy, against=frame_of(JUNE))
    (promise,) = [check for check in verified.checks if check.claim == PROMISE]
    assert promise.passed is None
    assert "there is no register" in promise.detail
    assert not verified.passed
    assert not verified.failures


def test_verification_finds_a_register_that_lost_its_last_release(tmp_path: Path) -> None:
    register = begin(tmp_path)
    policy = policy_of(register)
    release(JUNE, policy, tmp_path / "june")
    shutil.copytree(register, tmp_path / "copy")
    release(JULY, policy, tmp_path / "july")
    shutil.rmtree(register)
    (tmp_path / "copy").rename(register)
    verified = verify(tmp_path / "july" / "release.csv", policy)
    (place,) = [check for check in verified.checks if check.claim == PLACE]
    assert place.passed is False
    assert "its last ones are lost" in place.detail
    with pytest.raises(ReleaseError, match="the register lacks the release in"):
        release(JULY, policy, tmp_path / "july")


def test_verification_finds_other_classes_than_the_register_has(tmp_path: Path) -> None:
    policy = policy_of(begin(tmp_path))
    release(JUNE, policy, tmp_path / "june")
    swapped = {**JUNE, "p0": "b1", "p3": "a1"}  # the same table, but for whose each row is
    verified = verify(tmp_path / "june" / "release.csv", policy, against=frame_of(swapped))
    (classes,) = [check for check in verified.checks if check.claim == CLASSES]
    assert classes.passed is False


def test_the_old_scheme_may_be_used_again(tmp_path: Path) -> None:
    policy = policy_of(begin(tmp_path))
    release(JUNE, policy, tmp_path / "june")
    scheme = read_manifest(tmp_path / "june" / "manifest.json")["scheme"]
    again = apply(frame_of(JUNE), policy, scheme)
    write_release(again, tmp_path / "july")
    assert again.suppressed == 0
    over = again.over_time
    assert over is not None
    assert over.again is not None
    assert over.again.scheme == again.scheme
    assert len(Register.read(tmp_path / "register").releases) == 2


def test_that_most_people_are_gone_is_a_warning(tmp_path: Path) -> None:
    policy = policy_of(begin(tmp_path))
    release(JUNE, policy, tmp_path / "june")
    renamed = {name if name == "p0" else f"0{name}": value for name, value in JUNE.items()}
    with pytest.warns(
        AnonymizerWarning, match="of 7 people of the last release, 1 are in the table"
    ):
        anonymize(frame_of(renamed), policy)


def test_what_a_manifest_says_of_earlier_releases(tmp_path: Path) -> None:
    policy = policy_of(begin(tmp_path))
    for name, table in (("june", JUNE), ("july", JULY)):
        release(table, policy, tmp_path / name)
    text = (tmp_path / "july" / "manifest.json").read_text(encoding="utf-8")
    manifest = json.loads(text)
    earlier, first = manifest["earlier"], Register.read(tmp_path / "register").releases[0]
    assert (earlier["releases"], earlier["previous"]) == (1, first.digest)
    assert earlier["people"] == first.people == 7
    assert earlier["accepted"] == 0
    assert str(tmp_path) not in text
    assert manifest["policy"]["release"]["register"] is True


def test_a_greater_k_strands_people_who_must_be_accepted_by_number(tmp_path: Path) -> None:
    register = begin(tmp_path)
    release(JUNE, policy_of(register, 3), tmp_path / "june")
    with pytest.raises(InfeasibleError, match=r"3 people of .* one of 4.* accept_leavers = 3"):
        release(JUNE, policy_of(register, 4), tmp_path / "july")
    with pytest.raises(InfeasibleError, match="accept_leavers = 3"):
        release(JUNE, policy_of(register, 4, accept_leavers=2), tmp_path / "july")
    policy = policy_of(register, 4, accept_leavers=3)
    made = release(JUNE, policy, tmp_path / "july")
    assert made.over_time is not None
    assert made.over_time.accepted == 3
    assert set(released(made)) == {"p3", "p4", "p5", "p6"}
    assert verify(tmp_path / "july" / "release.csv", policy, against=frame_of(JUNE)).passed
    # who is accepted once need not be again, and is in no later release
    third = release(JUNE, policy_of(register, 4), tmp_path / "august")
    assert third.over_time is not None
    assert third.over_time.accepted == 3


def test_forgetting_gives_back_what_the_past_cost(tmp_path: Path) -> None:
    register = begin(tmp_path)
    release(JUNE, policy_of(register), tmp_path / "june")
    before = anonymize(frame_of(JULY), policy_of(register))
    Register.read(register).forget(1, "2027-01-01")
    after = anonymize(frame_of(JULY), policy_of(register))
    assert after.loss < before.loss
    write_release(after, tmp_path / "july")
    assert [entry.number for entry in Register.read(register).known] == [2]


def test_corrected_rows_new_people_and_other_hierarchies_go_by_the_id(tmp_path: Path) -> None:
    register = begin(tmp_path)
    release(JUNE, policy_of(register), tmp_path / "june")
    changed = {**JUNE, "p0": "b2", "p7": "a1", "p8": "a1"}
    other = policy_of(register).with_attributes(
        {"value": {"hierarchy": {"a1": "low", "a2": "low", "b1": "high", "b2": "high"}}}
    )
    made = [classes_of_june(tmp_path), released(release(changed, other, tmp_path / "july"))]
    assert found(made, 2) == set()
    frame = frame_of(changed).rename(columns={"note": "value", "value": "note"})
    swapped = policy_of(register).with_attributes({"value": {"hierarchy": {"x": "*"}}})
    made.append(released(write(frame, swapped, tmp_path / "august")))
    assert found(made, 2) == set()


def classes_of_june(folder: Path) -> dict[str, str]:
    """The classes of June, as the register has them."""
    register = Register.read(folder / "register")
    people = register.people(register.releases[0])
    of = dict(zip(people["person"].tolist(), people["class"].tolist(), strict=True))
    named = zip(JUNE, register.persons([*JUNE]).tolist(), strict=True)
    return {name: str(of[person]) for name, person in named if person in of}


def write(frame: pd.DataFrame, policy: Policy, folder: Path) -> Any:
    """Anonymize a dataframe and write its release."""
    solution = anonymize(frame, policy)
    write_release(solution, folder)
    return solution


def test_a_release_that_fails_leaves_the_register_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    register = begin(tmp_path)
    release(JUNE, policy_of(register), tmp_path / "june")
    before = Register.read(register).index

    def fail(*_: object) -> None:
        raise OSError("no room")

    monkeypatch.setattr("anonymizer.data.staging.Staging.publish", fail)
    with pytest.raises(OSError, match="no room"):
        release(JUNE, policy_of(register), tmp_path / "july")
    assert Register.read(register).index == before
    assert not (tmp_path / "july").exists()


def test_a_release_that_the_register_cannot_take_is_not_made(tmp_path: Path) -> None:
    register = begin(tmp_path)
    late = anonymize(frame_of(JUNE), policy_of(register))
    release(JUNE, policy_of(register), tmp_path / "june")
    with pytest.raises(ReleaseError, match="another release came into the register"):
        write_release(late, tmp_path / "july")
    assert not (tmp_path / "july").exists()


def test_other_people_or_ids_written_otherwise_are_refused(tmp_path: Path) -> None:
    policy = policy_of(begin(tmp_path))
    release(JUNE, policy, tmp_path / "june")
    renamed = {f"0{name}": value for name, value in JUNE.items()}
    with pytest.raises(DataError, match="none of its people was ever in the register"):
        release(renamed, policy, tmp_path / "july")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"data": {}}, "release.register links people by their id; name its column as data.id"),
        ({"data": {"id": "id", "sample": 0.5}}, "data.sample do not go together"),
        ({"risk": [{"model": "average", "threshold": 0.2}]}, "keeps one [[risk]], k-anonymity"),
        ({"release": {"layers": True}}, "release.layers do not go together"),
        ({"keep": [{"where": "value = a", "at_least": 0.5}]}, "[[keep]] do not go together"),
        ({"release": {"suppressed": "redact"}}, 'release.suppressed = "redact" do not go'),
        ({"release": {"accept_leavers": 1, "register": None}}, "accept_leavers is of a register"),
    ],
)
def test_what_no_register_has_is_refused_in_a_sentence(
    tmp_path: Path, change: dict[str, Any], says: str
) -> None:
    keys: dict[str, Any] = {
        "data": {"id": "id"},
        "attributes": {
            "id": {"role": "identifying"},
            "value": {"role": "quasi", "hierarchy": {"a": "*"}},
        },
        "risk": [{"model": "k-anonymity", "k": 2}],
        **{key: value for key, value in change.items() if key != "release"},
        "release": {"register": str(tmp_path / "register"), **change.get("release", {})},
    }
    with pytest.raises(PolicyError) as error:
        Policy.of(keys)
    assert says in str(error.value)


def test_people_with_several_rows_or_without_an_id_are_refused(tmp_path: Path) -> None:
    policy = policy_of(begin(tmp_path))
    frame = frame_of(JUNE)
    with pytest.raises(DataError, match="'id' repeats in 7 rows"):
        anonymize(pd.concat([frame, frame]), policy)
    frame.loc[0, "id"] = None
    with pytest.raises(DataError, match="'id' is missing in 1 rows"):
        anonymize(frame, policy)


def test_questions_of_a_single_release_are_refused(tmp_path: Path) -> None:
    policy = policy_of(begin(tmp_path))
    solution = anonymize(frame_of(JUNE), policy)
    with pytest.raises(ReleaseError, match="use write_release, which enters it"):
        solution.to_frame()
    with pytest.raises(PolicyError, match="this looks at one release alone"):
        frontier(frame_of(JUNE), policy)
    with pytest.raises(AnonymizerError, match="no rule yet for a release beside"):
        solution.proof_file()
    assert Problem.read(frame_of(JUNE), policy).with_models(*policy.risk).earlier is not None


def test_the_register_knows_a_release_before_it_appears(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    register, june = begin(tmp_path), tmp_path / "june"
    add, known = Register.add, []

    def look(self: Register, *given: Any) -> Any:
        assert not (june / "release.csv").exists()
        assert not (june / "manifest.json").exists()
        undo = add(self, *given)
        known.append(len(Register.read(register).releases))
        assert not (june / "release.csv").exists()
        return undo

    monkeypatch.setattr(Register, "add", look)
    release(JUNE, policy_of(register), june)
    assert known == [1]
    assert (june / "release.csv").is_file()


def test_a_release_whose_past_was_forgotten_is_not_made_again(tmp_path: Path) -> None:
    policy = policy_of(begin(tmp_path))
    for name, table in (("june", JUNE), ("july", JULY)):
        release(table, policy, tmp_path / name)
    Register.read(tmp_path / "register").forget(1, "2027-01-01")
    verified = verify(tmp_path / "july" / "release.csv", policy, against=frame_of(JULY))
    assert not verified.failures
    assert not verified.passed
    (claim,) = [check for check in verified.checks if check.claim == FIGURES]
    assert "an earlier release was forgotten since" in claim.detail


def test_the_means_of_classes_and_linked_tables_have_no_register(tmp_path: Path) -> None:
    policy = policy_of(begin(tmp_path))
    with pytest.raises(PolicyError, match="the means of two releases tell who left"):
        policy.with_attributes({"value": {"microaggregation": "mean"}})
    keys: dict[str, Any] = {
        **dict(policy),
        "risk": [{"model": "study", "k": 2, "power": 1}],
        "tables": {
            "visit": {
                "path": "visit.csv",
                "id": "id",
                "attributes": {
                    "id": {"role": "identifying"},
                    "ward": {"role": "quasi", "hierarchy": {"A": "*"}},
                },
            }
        },
    }
    with pytest.raises(PolicyError, match="linked tables have no register yet"):
        Policy(**keys)
