"""A sound release is verified, and one that was tampered with is not, with the reason."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from anonymizer import (
    AnonymizerError,
    Policy,
    ReleaseError,
    Verification,
    anonymize,
    make_manifest,
    read_manifest,
    show_values,
    verify,
    write_release,
)
from anonymizer.data.secret import secret_key
from anonymizer.risk import packages_of
from anonymizer.utility import MEASURES
from anonymizer.verification.claims import Check
from tests.wards import (
    MODELS,
    POLICY,
    SCENARIO,
    change,
    patients,
    policy_with,
    write_files,
    write_more,
)

pytestmark = pytest.mark.quick

LOW_AGE = 'age = { role = "quasi", hierarchy = "age.toml", max_level = 0 }'


class Published:
    """A release on disk that a test may tamper with."""

    def __init__(
        self, folder: Path, text: str = POLICY, kind: str = "csv", evaluations: int | None = None
    ) -> None:
        self.policy = write_files(folder, policy=text)
        write_more(folder)
        self.original = folder / f"patients.{kind}"
        solution = anonymize(self.original, self.policy, evaluations=evaluations)
        self.release = Path(write_release(solution, folder / "out")["release"])
        self.manifest = folder / "out" / "manifest.json"

    def read(self) -> pd.DataFrame:
        return pd.read_csv(self.release, sep=";", dtype=str)

    def write(self, frame: pd.DataFrame) -> None:
        """Replace the release and, as a careful forger would, its digest in the manifest."""
        frame.to_csv(self.release, sep=";", index=False)
        manifest = read_manifest(self.manifest)
        manifest["output"]["sha256"] = verify_digest(self.release)
        self.manifest.write_text(json.dumps(manifest))

    def check(self, against: bool = True) -> Verification:
        return verify(self.release, self.policy, against=self.original if against else None)


def verify_digest(path: Path) -> str:
    import hashlib

    return hashlib.sha256(path.read_bytes()).hexdigest()


def claims(verification: Verification) -> str:
    return " | ".join(f"{check.claim}: {check.detail}" for check in verification.failures)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("text", [POLICY, POLICY + '\n[release]\nsuppressed = "redact"\n'])
def test_a_release_is_verified(tmp_path: Path, kind: str, text: str) -> None:
    published = Published(tmp_path, text, kind)
    for against in (False, True):
        verification = published.check(against)
        assert verification.passed, claims(verification)
    assert len(verification.checks) == 18


@pytest.mark.parametrize("redact", [False, True], ids=["drop", "redact"])
@pytest.mark.parametrize("name", MODELS)
def test_a_release_under_every_model_is_verified(tmp_path: Path, name: str, redact: bool) -> None:
    text = policy_with(MODELS[name])
    if redact:
        text += '\n[release]\nsuppressed = "redact"\n'
    published = Published(tmp_path, text)
    manifest = read_manifest(published.manifest)
    assert manifest["suppressed"] < manifest["records"]
    for against in (False, True):
        verification = published.check(against)
        assert verification.passed, claims(verification)
        held = [check for check in verification.checks if check.claim.endswith(" holds")]
        assert len(held) == len(Policy.read(published.policy).load_models())
        assert all(check.passed for check in held)


OF_THE_TABLE = ("discernibility", "class-size", "height", "ambiguity", "kl-divergence")
"""Measures that have no loss for each attribute."""
NOT_IN_A_RELEASE = ("entropy", "ambiguity", "kl-divergence")
"""Measures that cannot be computed from a release alone."""


def policy_measured_by(name: str, redact: bool = False) -> str:
    text = f'{POLICY}\n[utility]\nmeasure = "{name}"\n'
    return text + '\n[release]\nsuppressed = "redact"\n' if redact else text


@pytest.mark.parametrize("redact", [False, True], ids=["drop", "redact"])
@pytest.mark.parametrize("name", MEASURES)
def test_a_release_under_every_measure_is_verified(tmp_path: Path, name: str, redact: bool) -> None:
    published = Published(tmp_path, policy_measured_by(name, redact))
    manifest = read_manifest(published.manifest)
    assert manifest["policy"]["utility"]["measure"] == name
    assert ("attribute_loss" in manifest) == (name not in OF_THE_TABLE)
    for against in (False, True):
        verification = published.check(against)
        assert verification.passed, claims(verification)
        (check,) = [c for c in verification.checks if c.claim == "the quality is the one reported"]
        if name in NOT_IN_A_RELEASE:
            assert check.passed is None
            assert "give the original with --against" in check.detail
        else:
            assert check.passed


@pytest.mark.parametrize("keys", ['aggregate = "maximum"', 'aggregate = "sum"', "factor = 0.9"])
def test_a_loss_with_other_parameters_is_recomputed(tmp_path: Path, keys: str) -> None:
    published = Published(tmp_path, f"{POLICY}\n[utility]\n{keys}\n")
    manifest = read_manifest(published.manifest)
    for against in (False, True):
        assert published.check(against).passed, claims(published.check(against))
    lie = {"loss": manifest["loss"] - 0.01, "quality": manifest["quality"] + 0.01}
    published.manifest.write_text(json.dumps(manifest | lie | {"bound": lie["loss"]}))
    assert not published.check(against=False).passed


def test_a_loss_with_a_factor_below_0_5_needs_the_original(tmp_path: Path) -> None:
    published = Published(tmp_path, f"{POLICY}\n[utility]\nfactor = 0.1\n")
    manifest = read_manifest(published.manifest)
    assert published.check().passed
    (check,) = [c for c in published.check(against=False).checks if "quality is" in c.claim]
    assert check.passed is None
    lie = {"loss": manifest["loss"] - 0.01, "quality": manifest["quality"] + 0.01}
    published.manifest.write_text(json.dumps(manifest | lie | {"bound": lie["loss"]}))
    assert not published.check().passed


@pytest.mark.parametrize("name", MEASURES)
def test_a_false_loss_under_every_measure_is_found(tmp_path: Path, name: str) -> None:
    published = Published(tmp_path, policy_measured_by(name))
    manifest = read_manifest(published.manifest)
    better = {"loss": manifest["loss"] - 0.01, "bound": manifest["loss"] - 0.01}
    for lie in (better | {"quality": manifest["quality"] + 0.01}, {"quality": 0.999}):
        published.manifest.write_text(json.dumps(manifest | lie))
        known_to_file = name not in NOT_IN_A_RELEASE or "loss" not in lie
        assert published.check(against=False).passed != known_to_file
        assert "the reported figures on the original: differs in" in claims(published.check())
    if "attribute_loss" in manifest:
        del manifest["attribute_loss"]
        published.manifest.write_text(json.dumps(manifest))
        assert "differs in 'attribute_loss'" in claims(published.check())


def test_a_release_of_nothing_under_every_measure_is_verified(tmp_path: Path) -> None:
    for name in MEASURES:
        folder = tmp_path / name
        folder.mkdir()
        published = Published(folder, change(policy_measured_by(name), age=LOW_AGE, k="k = 100"))
        manifest = read_manifest(published.manifest)
        assert manifest["suppressed"] == manifest["records"]
        assert manifest["quality"] == pytest.approx(0, abs=1e-12)
        assert published.check().passed, claims(published.check())


@pytest.mark.parametrize("name", [name for name in MODELS if name != "two"])
def test_a_release_whose_risk_does_not_pass_is_found(tmp_path: Path, name: str) -> None:
    published = Published(tmp_path, policy_with(MODELS[name]))
    frame = published.read()
    # one person of each combination: everybody is unique
    published.write(frame.drop_duplicates(["age", "sex", "zip"]))
    if name == "k-map with a table":
        patients(rows=2, seed=8).to_csv(tmp_path / "people.csv", sep=";", index=False)
    failed = published.check(against=False).failures
    assert any(check.claim.endswith(" holds") for check in failed), claims(published.check(False))


def test_what_hangs_on_original_values_is_not_passed_off_as_checked(tmp_path: Path) -> None:
    by_age = SCENARIO.replace(
        'attributes = ["zip"]\nprobability = 0.2',
        'attributes = ["zip"]\nby = "age"\ndefault = 0.2\nprobabilities = { "30" = 0.9 }',
    )
    assert by_age != SCENARIO
    text = policy_with(MODELS["overall"])
    write_files(tmp_path, policy=text)
    write_more(tmp_path)
    (tmp_path / "scenario.toml").write_text(by_age)
    solution = anonymize(tmp_path / "patients.csv", tmp_path / "policy.toml")
    release = Path(write_release(solution, tmp_path / "out")["release"])
    verification = verify(release, tmp_path / "policy.toml")
    unchecked = next(check for check in verification.checks if check.passed is None)
    assert unchecked.claim.startswith("overall risk")
    assert "values that the release no longer has" in unchecked.detail
    assert not verification.passed
    # with the original, the scheme is applied again under the model
    assert verify(release, tmp_path / "policy.toml", against=tmp_path / "patients.csv").passed


def test_what_is_estimated_from_suppressed_records_needs_the_original(tmp_path: Path) -> None:
    risk = 'model = "expected-uniques"\npeople = {}\npopulation = 5000'
    published = Published(tmp_path, policy_with(risk.format(2)))
    unchecked = [check for check in published.check(against=False).checks if check.passed is None]
    assert "estimates from records that are suppressed" in unchecked[0].detail
    assert published.check(against=True).passed
    published = Published(tmp_path, policy_with(risk.format(0)))  # nobody is left alone
    assert published.check(against=False).passed


def test_a_dataframe_is_verified(tmp_path: Path) -> None:
    policy = Policy.read(write_files(tmp_path))
    frame = patients()
    solution = anonymize(frame, policy)
    released = solution.to_frame()
    manifest = make_manifest(solution, released)
    assert verify(released, policy, manifest, against=frame).passed
    released.loc[0, "diagnosis"] = "none"
    failed = verify(released, policy, manifest, against=frame)
    assert "rows that come from no input row: 1" in claims(failed)
    with pytest.raises(AnonymizerError, match="needs the manifest"):
        verify(released, policy)


def test_a_changed_byte_is_found_without_the_original(tmp_path: Path) -> None:
    published = Published(tmp_path)
    published.release.write_text(published.release.read_text().replace("asthma", "Asthma", 1))
    assert "another SHA-256" in claims(published.check(against=False))


def test_a_changed_cell_is_found_even_if_the_digest_was_forged(tmp_path: Path) -> None:
    published = Published(tmp_path)
    frame = published.read()
    frame.loc[0, "sex"] = "M" if frame.loc[0, "sex"] == "F" else "F"
    published.write(frame)
    assert "rows that come from no input row: 1" in claims(published.check())


def test_a_changed_sensitive_cell_is_found_with_the_original(tmp_path: Path) -> None:
    published = Published(tmp_path)
    frame = published.read()
    frame.loc[3, "days"] = "99"
    published.write(frame)
    assert published.check(against=False).passed  # nothing in the release speaks against it
    assert "rows that come from no input row: 1, the first like row 4" in claims(published.check())


def test_an_added_row_is_found(tmp_path: Path) -> None:
    published = Published(tmp_path)
    frame = published.read()
    published.write(pd.concat([frame, frame.head(1)]))
    found = claims(published.check(against=False))
    assert "the counts agree" in found
    assert "the risk of the file is the one reported" in found
    assert (
        "rows that come from no input row: 1, the first like row 1; rows that are lacking: 0"
        in claims(published.check())
    )


def test_a_class_below_k_is_found(tmp_path: Path) -> None:
    published = Published(tmp_path)
    frame = published.read()
    keys = frame.groupby(["age", "sex", "zip"])["days"].transform("size")
    smallest = frame.index[keys == keys.min()]
    published.write(frame.drop(smallest[2:] if keys.min() == 3 else smallest[: keys.min() - 2]))
    assert "k-anonymity with k = 3 holds: 1 class with 2 records violates it" in claims(
        published.check(against=False)
    )


def test_a_value_of_another_level_is_found(tmp_path: Path) -> None:
    published = Published(tmp_path)
    frame = published.read()
    frame["age"] = frame["age"].where(frame.index != 6, "35")
    published.write(frame)
    found = claims(published.check(against=False))
    assert "column 'age' has values that are not of level" in found
    assert "(hidden without --show-values), first at row 7" in found
    with show_values():
        assert ": '35', first at row 7" in claims(published.check(against=False))


def test_a_column_that_is_there_twice_is_found(tmp_path: Path) -> None:
    published = Published(tmp_path)
    lines = published.release.read_text().replace("fracture\nof", "fracture of").splitlines()
    raw = [f"{line};{'age' if number == 0 else number}" for number, line in enumerate(lines)]
    published.release.write_text("\n".join(raw) + "\n")
    assert "'age' is there twice" in claims(published.check())
    frame = patients()
    policy = Policy.read(published.policy)
    solution = anonymize(frame, policy)
    released = solution.to_frame()
    released.insert(0, "sex", "raw", allow_duplicates=True)
    found = verify(released, policy, make_manifest(solution, released), against=frame)
    assert "'sex' is there twice" in claims(found)


def test_a_scheme_outside_the_level_ranges_is_found(tmp_path: Path) -> None:
    published = Published(tmp_path)
    ranged = change(POLICY, age='age = { role = "quasi", hierarchy = "age.toml", min_level = 4 }')
    (tmp_path / "policy.toml").write_text(ranged)
    found = claims(published.check())
    assert "none allowed for 'age'" in found
    assert "differs in 'attributes'" in found


def test_an_order_that_was_kept_is_found(tmp_path: Path) -> None:
    kept = POLICY + "\n[release]\nshuffle = false\n"
    published = Published(tmp_path, kept)
    assert published.check().passed
    (tmp_path / "policy.toml").write_text(POLICY)
    assert "rows stand much as in the original" in claims(published.check())


def test_an_identifying_column_left_in_is_found(tmp_path: Path) -> None:
    published = Published(tmp_path)
    published.write(published.read().assign(name="Patient"))
    assert "identifying 'name' is still there" in claims(published.check())


def test_another_policy_or_hierarchy_is_found(tmp_path: Path) -> None:
    published = Published(tmp_path)
    (tmp_path / "policy.toml").write_text(change(POLICY, k="k = 2"))
    assert "the policy is the one released under: differs in 'risk'" in claims(published.check())
    (tmp_path / "sex.csv").write_text("F;any\nM;any\n")
    assert "another hierarchy for 'sex'" in claims(published.check())


def test_a_key_that_only_the_manifest_has_is_found(tmp_path: Path) -> None:
    published = Published(tmp_path, POLICY.replace("[data]", "[data]\nsample = 0.9"))
    published.policy.write_text(POLICY)
    found = claims(published.check(against=False))
    assert "the policy is the one released under: differs in 'data'" in found


def test_an_id_that_only_the_manifest_has_leaves_the_risk_to_the_original(tmp_path: Path) -> None:
    published = Published(tmp_path, POLICY.replace("[data]", '[data]\nid = "name"'))
    published.policy.write_text(POLICY)
    found = published.check(against=False)
    risks = [check for check in found.checks if check.about_risk]
    assert risks
    assert not any(check.passed for check in risks)
    assert not found.passed


def test_another_original_is_found(tmp_path: Path) -> None:
    published = Published(tmp_path)
    patients(seed=2).to_csv(tmp_path / "patients.csv", sep=";", index=False)
    found = claims(published.check())
    assert "the original is the one anonymized" in found
    assert "the scheme gives the reported figures on the original" in found


def input_check(verification: Verification) -> Check:
    return next(
        check
        for check in verification.checks
        if check.claim == "the original is the one anonymized"
    )


def test_another_cell_of_a_column_that_is_not_released_is_found(tmp_path: Path) -> None:
    published = Published(tmp_path)
    patients().assign(name="Somebody").to_csv(tmp_path / "patients.csv", sep=";", index=False)
    assert claims(published.check()).startswith("the original is the one anonymized")


def test_the_digest_of_the_original_is_checked_only_with_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    published = Published(tmp_path)
    assert input_check(published.check()).passed
    for folder in ("none", "other"):
        monkeypatch.setenv("ANONYMIZER_STATE", str(tmp_path / folder))
        if folder == "other":
            secret_key()
        verification = published.check()
        assert input_check(verification).passed is None
        assert "which is not on this machine" in input_check(verification).detail
        assert verification.passed
    assert not (tmp_path / "none").exists()  # verifying makes no key


def test_a_manifest_without_a_digest_of_the_original_says_so(tmp_path: Path) -> None:
    published = Published(tmp_path)
    manifest = read_manifest(published.manifest)
    manifest["input"] = {"name": "patients.csv", "sha256": verify_digest(published.original)}
    published.manifest.write_text(json.dumps(manifest))
    assert input_check(published.check()).passed is None
    assert "has no keyed digest" in input_check(published.check()).detail


@pytest.mark.parametrize(
    ("key", "value", "claim"),
    [
        ("loss", 0.1, "the quality is the one reported"),
        ("suppressed", 0, "the counts agree"),
        ("records", 999, "the counts agree"),
        ("quality", 0.999, "the quality is the one reported: differs in 'quality'"),
        ("attribute_loss", {"age": 0.0}, "differs in 'attribute_loss'"),
        ("bound", 0.9, "the proof fits the figures"),
        ("gap", 0.1, "the proof fits the figures"),
        ("scheme", {"age": 0, "sex": 0}, "the scheme names a level for each quasi-identifier"),
        ("scheme", {"age": 9, "sex": 0, "zip": 0}, "the scheme names a level"),
    ],
)
def test_a_false_claim_in_the_manifest_is_found(
    tmp_path: Path, key: str, value: object, claim: str
) -> None:
    published = Published(tmp_path)
    manifest = read_manifest(published.manifest) | {key: value}
    published.manifest.write_text(json.dumps(manifest))
    assert claim in claims(published.check(against=False))


def test_a_false_claim_of_optimality_is_found(tmp_path: Path) -> None:
    published = Published(tmp_path, evaluations=2)
    manifest = read_manifest(published.manifest)
    assert manifest["status"] == "feasible"
    honest = published.check()
    assert honest.passed
    assert honest.checks[-1].passed is None
    published.manifest.write_text(json.dumps(manifest | {"status": "optimal"}))
    assert "no scheme of the policy has a lower loss" in claims(published.check())


def test_a_manifest_holds_no_raw_values(tmp_path: Path) -> None:
    published = Published(tmp_path)
    text = published.manifest.read_text()
    assert "Patient" not in text
    assert "asthma" not in text
    assert str(tmp_path) not in text


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("policy", []),
        ("scheme", ["age"]),
        ("scheme", {"age": 1.0, "sex": True, "zip": "0"}),
        ("output", {}),
        ("risk", []),
        ("loss", "0.1"),
        ("loss", float("nan")),
        ("records", None),
        ("records", 1.5),
        ("records", 10**30),
        ("records", 0),
        ("people", None),
        ("people", 0),
        ("people", "120"),
        ("risk", {"before": {}, "after": {"sensitive": []}}),
        ("risk", {"before": {}, "after": {"sensitive": {"diagnosis": 3}}}),
    ],
)
def test_a_manifest_of_another_form_is_one_sentence(
    tmp_path: Path, key: str, value: object
) -> None:
    published = Published(tmp_path)
    manifest = read_manifest(published.manifest) | {key: value}
    with pytest.raises(ReleaseError, match=f"wrong or missing: '{key}"):
        verify(published.release, published.policy, manifest)
    published.manifest.write_text(json.dumps(manifest))
    with pytest.raises(ReleaseError, match=f"manifest.json: .* wrong or missing: '{key}"):
        published.check()


def test_more_suppressed_than_there_were_is_found(tmp_path: Path) -> None:
    """Else a manifest could shrink the sample, and with it the k' of an estimated k-map."""
    published = Published(tmp_path, policy_with(MODELS["k-map estimated"]))
    rows = len(published.read())
    forged = read_manifest(published.manifest) | {"records": 3, "suppressed": 3 - rows}
    published.manifest.write_text(json.dumps(forged))
    assert "of 3 records suppressed" in claims(published.check(against=False))


def test_fewer_people_than_records_are_found_where_each_is_one(tmp_path: Path) -> None:
    """The same through the people: a release of 2-anonymity passed for one of k-map."""
    risk = 'model = "k-map"\nk = 50\npopulation = 300'
    policy = Policy.read(write_files(tmp_path, policy=policy_with(risk)))
    write_files(tmp_path, policy=policy_with('model = "k-anonymity"\nk = 2'))
    solution = anonymize(None, tmp_path / "policy.toml")
    released = solution.to_frame()
    mine = {"policy": policy.describe(), "packages": packages_of(policy.risk), "people": 12}
    found = verify(released, policy, make_manifest(solution, released) | mine)
    assert "12 people in 120 records, and the policy names no id" in claims(found)
    assert "k-map with k = 50 in a population of 300 holds" in claims(found)


def test_a_release_that_is_not_there_is_named(tmp_path: Path) -> None:
    policy = write_files(tmp_path)
    with pytest.raises(AnonymizerError, match=r"release\.csv: there is no such file"):
        verify(tmp_path / "release.csv", policy)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "no such manifest"),
        ("{", "not valid JSON"),
        ("[]", "wrong or missing: 'it'"),
        ("{}", "wrong or missing: 'policy'"),
    ],
)
def test_a_bad_manifest_is_one_sentence(tmp_path: Path, text: str | None, message: str) -> None:
    published = Published(tmp_path)
    published.manifest.unlink()
    if text is not None:
        published.manifest.write_text(text)
    with pytest.raises(AnonymizerError, match=message):
        published.check()


@pytest.mark.parametrize(
    ("threshold", "passed"), [(0.5, True), (0.3, None)], ids=["at worst it holds", "it may"]
)
def test_what_is_estimated_before_suppression_is_bounded_without_the_original(
    tmp_path: Path, threshold: float, passed: bool | None
) -> None:
    model = MODELS["overall"].replace("0.05", str(threshold)) + '\nstatistic = "maximum"'
    write_files(tmp_path, policy=policy_with(model))
    write_more(tmp_path)
    solution = anonymize(tmp_path / "patients.csv", tmp_path / "policy.toml")
    release = Path(write_release(solution, tmp_path / "out")["release"])
    verification = verify(release, tmp_path / "policy.toml")
    (check,) = [check for check in verification.checks if check.claim.startswith("overall risk")]
    assert check.passed is passed
    assert verify(release, tmp_path / "policy.toml", against=tmp_path / "patients.csv").passed


KEPT = change(POLICY, k='k = 3\n[[keep]]\nwhere = "days >= 5"\nat_least = 0.9')


def test_what_is_kept_of_a_group_is_counted_with_the_original_alone(tmp_path: Path) -> None:
    published = Published(tmp_path, KEPT)
    manifest = read_manifest(published.manifest)
    [stated] = manifest["keep"]
    assert set(stated) == {"where", "at_least", "step", "share"}
    assert stated["share"] >= 0.9
    [alone] = [c for c in published.check(False).checks if c.claim.startswith("enough is kept")]
    assert alone.passed is None
    assert "only in the original" in alone.detail
    with_original = published.check()
    assert with_original.passed
    assert [c.passed for c in with_original.checks if c.claim.startswith("enough is kept")] == [
        True
    ]


@pytest.mark.parametrize(("share", "said"), [(0.5, "below 0.9"), (0.8, "differs in 'keep'")])
def test_another_share_of_a_group_is_found_out(tmp_path: Path, share: float, said: str) -> None:
    published = Published(tmp_path, KEPT)
    manifest = read_manifest(published.manifest)
    assert manifest["keep"][0]["share"] != share
    manifest["keep"][0]["share"] = share
    published.manifest.write_text(json.dumps(manifest))
    assert said in claims(published.check())


def test_a_manifest_without_the_share_of_a_group_is_refused(tmp_path: Path) -> None:
    published = Published(tmp_path, KEPT)
    manifest = read_manifest(published.manifest)
    del manifest["keep"]
    published.manifest.write_text(json.dumps(manifest))
    assert "states no share" in claims(published.check())


def test_a_release_that_keeps_too_few_of_a_group_is_refused(tmp_path: Path) -> None:
    published = Published(tmp_path, change(KEPT, at_least="at_least = 0.5"))
    assert not published.check().failures
    stricter = change(KEPT, at_least="at_least = 1.0")
    solution = anonymize(published.original, published.policy)
    assert solution.groups[0].kept < solution.groups[0].size
    manifest = read_manifest(published.manifest)
    published.policy.write_text(stricter)
    manifest["policy"] = Policy.read(published.policy).describe()
    manifest["keep"][0] |= {"at_least": 1.0, "share": 1.0}
    published.manifest.write_text(json.dumps(manifest))
    assert "with days >= 5" in claims(published.check())
