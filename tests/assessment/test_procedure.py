from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anonymizer.assessment.procedure import follow_procedure, list_small_cells
from anonymizer.attackers.statement import Statement
from anonymizer.errors import DataError, HierarchyError, PolicyError
from anonymizer.policy import Policy
from tests.wards import patients, write_files

KEYS = ["age", "sex", "zip"]


def state(tmp_path: Path, *sources: dict, **keys) -> Statement:
    named = [{"name": f"source {n}", "keys": KEYS, **source} for n, source in enumerate(sources)]
    return Statement(source=named, folder=tmp_path, **keys)


@pytest.fixture
def policy(tmp_path: Path) -> Policy:
    return Policy.read(write_files(tmp_path))


def test_the_counts_are_those_of_a_group_by(tmp_path: Path, policy: Policy):
    found = follow_procedure(None, policy, state(tmp_path, {"p": 0.12}))
    sizes = patients().groupby(KEYS)["name"].transform("size")
    (source,) = found.sources
    assert source.rarity.violations == {k: int((sizes < k).sum()) for k in (2, 3, 5)}
    assert source.probabilities.highest == 0.12 / sizes.min()
    assert source.probabilities.average == pytest.approx((0.12 / sizes).mean())
    assert source.probabilities.above == int((0.12 / sizes > 0.2).sum()) == 0
    assert found.passes
    assert not source.options  # nothing to mend
    assert [reading.people for reading in source.probabilities.readings] == [
        int((sizes == k).sum()) for k in range(1, 6)
    ]


@pytest.mark.parametrize("share", ["p", "q"])
def test_a_source_that_overlaps_with_nobody_finds_nobody(
    tmp_path: Path, policy: Policy, share: str
):
    found = follow_procedure(None, policy, state(tmp_path, {share: 0}))
    (source,) = found.sources
    assert source.rarity.violations[2]  # some are alone in their cell
    assert (source.probabilities.highest, source.probabilities.above) == (0, 0)
    assert source.special.highest_dis is None


def test_rows_of_a_person_count_once(tmp_path: Path, policy: Policy):
    twice = pd.concat([patients(), patients()], ignore_index=True)
    by_person = follow_procedure(twice, policy, state(tmp_path, {}, id="name"))
    once = follow_procedure(patients(), policy, state(tmp_path, {}))
    assert by_person.people == once.people == 120
    assert by_person.rows == 240
    assert by_person.sources[0].rarity.violations == once.sources[0].rarity.violations
    assert by_person.sources[0].rarity.by_history is not None
    by_row = follow_procedure(twice, policy, state(tmp_path, {}))
    assert by_row.sources[0].rarity.violations[2] == 0  # what counting rows would wrongly say


def test_a_row_without_an_id_is_refused(tmp_path: Path, policy: Policy):
    frame = patients()
    frame.loc[4, "name"] = None
    with pytest.raises(DataError, match="row 5 has no 'name', so it is not known whose it is"):
        follow_procedure(frame, policy, state(tmp_path, {}, id="name"))


def test_another_id_than_the_policys_is_refused(tmp_path: Path, policy: Policy):
    by_name = policy.model_copy(update={"data": policy.data.model_copy(update={"id": "name"})})
    with pytest.raises(
        PolicyError, match="id: 'zip' is not the id of the policy, 'name'; use that"
    ):
        follow_procedure(None, by_name, state(tmp_path, {"keys": ["age"]}, id="zip"))


def test_an_external_table_is_linked_at_the_level_it_has(tmp_path: Path, policy: Policy):
    voters = patients(80, seed=3)[KEYS]
    voters["age"] = voters["age"].map(lambda age: f"{age // 10 * 10}-{age // 10 * 10 + 9}")
    voters.rename(columns={"zip": "postcode"}).to_csv(tmp_path / "voters.csv", index=False)
    stated = state(tmp_path, {"path": "voters.csv", "names": {"zip": "postcode"}})
    (source,) = follow_procedure(None, policy, stated).sources
    assert source.levels == {"age": 1}
    here = patients()[KEYS]
    here["age"] = here["age"].map(lambda age: f"{age // 10 * 10}-{age // 10 * 10 + 9}")
    k = here.groupby(KEYS)["age"].transform("size")
    m = here.merge(voters.value_counts().reset_index(), how="left", on=KEYS)["count"].fillna(0)
    risk = np.where(m > 0, 1 / (k * m.where(m > 0, 1)), 0)
    assert source.linkage is not None
    assert source.linkage.unmatched == int((m == 0).sum())
    assert source.linkage.one_to_one == int(((k == 1) & (m == 1)).sum())
    assert source.probabilities.highest == pytest.approx(risk.max())
    assert source.probabilities.average == pytest.approx(risk.mean())


def test_a_released_table_is_assessed_at_the_level_it_has(tmp_path: Path, policy: Policy):
    released = patients()
    released["age"] = released["age"].map(lambda age: f"{age // 10 * 10}-{age // 10 * 10 + 9}")
    (source,) = follow_procedure(released, policy, state(tmp_path, {})).sources
    sizes = released.groupby(KEYS)["name"].transform("size")
    assert source.rarity.violations == {k: int((sizes < k).sum()) for k in (2, 3, 5)}


def test_keys_without_a_hierarchy_can_be_keys_too(tmp_path: Path, policy: Policy):
    stated = state(tmp_path, {"keys": ["sex", "days"]}, sensitive={"diagnosis": ["asthma"]})
    (source,) = follow_procedure(None, policy, stated).sources
    sizes = patients().groupby(["sex", "days"])["name"].transform("size")
    assert source.rarity.violations[5] == int((sizes < 5).sum())
    assert source.homogeneity[0].prevalence == (patients()["diagnosis"] == "asthma").mean()


def test_the_levels_a_source_knows_can_be_stated(tmp_path: Path, policy: Policy):
    (source,) = follow_procedure(None, policy, state(tmp_path, {"levels": {"age": 1}})).sources
    here = patients().assign(age=patients()["age"] // 10)
    assert source.rarity.violations[5] == int(
        (here.groupby(KEYS)["age"].transform("size") < 5).sum()
    )


@pytest.mark.usefixtures("values_shown")
def test_mistakes_that_would_look_like_no_risk_are_refused(tmp_path: Path, policy: Policy):
    voters = patients()[KEYS]
    voters.assign(sex="W").to_csv(tmp_path / "w.csv", index=False)
    voters.assign(age=voters["age"] + 1000).to_csv(tmp_path / "old.csv", index=False)
    patients()[["days"]].assign(days=99).to_csv(tmp_path / "days.csv", index=False)
    voters.drop(columns="age").to_csv(tmp_path / "noage.csv", index=False)
    voters.assign(age=5).to_csv(tmp_path / "children.csv", index=False)

    def refuse(error: type[Exception], match: str, stated: Statement) -> None:
        with pytest.raises(error, match=match):
            follow_procedure(None, policy, stated)

    refuse(
        HierarchyError, "w.csv: column 'sex' has values that", state(tmp_path, {"path": "w.csv"})
    )
    refuse(HierarchyError, "old.csv: column 'age' has", state(tmp_path, {"path": "old.csv"}))
    refuse(
        DataError,
        "no value of the key 'days' occurs in both",
        state(tmp_path, {"keys": ["days"], "path": "days.csv"}),
    )
    refuse(
        DataError,
        "no value of the key 'age' occurs in both",
        state(tmp_path, {"path": "children.csv"}),
    )
    refuse(DataError, "no column for the key 'age'", state(tmp_path, {"path": "noage.csv"}))
    refuse(DataError, "there is no such file", state(tmp_path, {"path": "absent.csv"}))
    refuse(
        PolicyError,
        "sensitive.diagnosis: 'asthmaa' does not occur in the column; did you mean 'asthma'",
        state(tmp_path, {}, sensitive={"diagnosis": ["asthmaa"]}),
    )
    shares = {"by": "sex", "probabilities": {"f": 0.5}, "default": 1}
    refuse(
        PolicyError,
        "source 'source 0': p: 'f' does not occur in 'sex'",
        state(tmp_path, {"p": shares}),
    )


def test_the_figures_are_json_and_hold_no_small_counts_by_value(tmp_path: Path, policy: Policy):
    frame = patients()
    frame.loc[0, "age"] = 77  # the only one of that age
    stated = state(tmp_path, {}, sensitive={"diagnosis": ["asthma"]})
    found = follow_procedure(frame, policy, stated)
    text = json.dumps(found.describe())
    assert '"77"' not in text
    named = [value for source in found.sources for value in source.rarity.key_values if value.value]
    assert min(value.people for value in named) >= 5


def test_the_steward_can_list_the_small_cells(tmp_path: Path, policy: Policy):
    listed = list_small_cells(None, policy, state(tmp_path, {}, {"keys": ["age", "days"]}))
    assert listed.columns.tolist() == ["source", "age", "sex", "zip", "days", "people"]
    sizes = patients().groupby(KEYS).size()
    assert (listed["source"] == "source 0").sum() == (sizes < 5).sum()


def test_the_order_of_rows_changes_nothing(tmp_path: Path, policy: Policy):
    stated = state(tmp_path, {"p": 0.5}, sensitive={"diagnosis": ["asthma"]}, id="name")
    frame = patients().assign(name=lambda f: f["name"].str[:9])  # ten people of several rows each
    one = follow_procedure(frame, policy, stated)
    other = follow_procedure(frame.sample(frac=1, random_state=2), policy, stated)
    assert one.describe() == other.describe()


def test_an_external_table_without_rows_is_refused(tmp_path: Path, policy: Policy):
    patients(0)[KEYS].to_csv(tmp_path / "empty.csv", index=False)
    with pytest.raises(DataError, match="the external table has no rows"):
        follow_procedure(None, policy, state(tmp_path, {"path": "empty.csv"}))


def test_an_external_parquet_file_is_linked_too(tmp_path: Path, policy: Policy):
    voters = patients(2000, seed=3)[KEYS]
    voters.to_csv(tmp_path / "voters.csv", index=False)
    voters.to_parquet(tmp_path / "voters.parquet", index=False)
    one, other = (
        follow_procedure(None, policy, state(tmp_path, {"path": f"voters.{kind}"})).sources[0]
        for kind in ("csv", "parquet")
    )
    assert one == other


def test_missing_cells_are_a_value_of_their_own(tmp_path: Path, policy: Policy):
    frame = patients().astype({"days": "Int64"})
    frame.loc[:2, "days"] = None
    stated = state(tmp_path, {"keys": ["days"]}, sensitive={"diagnosis": ["asthma"]})
    (source,) = follow_procedure(frame, policy, stated).sources
    assert source.rarity.violations == {2: 0, 3: 0, 5: 3}
    (pooled,) = [value for value in source.rarity.key_values if value.inside]
    assert pooled.value is None


@pytest.mark.parametrize("rows", [1, 2])
def test_a_table_of_one_or_two_people_is_assessed(tmp_path: Path, policy: Policy, rows: int):
    stated = state(tmp_path, {}, sensitive={"diagnosis": [patients(rows)["diagnosis"][0]]})
    (source,) = follow_procedure(patients(rows), policy, stated).sources
    assert source.rarity.violations[2] == rows
    assert source.probabilities.highest == 1.0


def test_a_share_by_value_needs_the_values_themselves(tmp_path: Path, policy: Policy):
    released = patients()
    released["age"] = released["age"].map(lambda age: f"{age // 10 * 10}-{age // 10 * 10 + 9}")
    shares = {"by": "age", "probabilities": {"20-29": 0.5}, "default": 1}
    with pytest.raises(PolicyError, match="a share by value needs the values themselves"):
        follow_procedure(released, policy, state(tmp_path, {"p": shares}))


def test_too_many_keys_for_special_uniques_are_said_in_the_findings(
    tmp_path: Path, policy: Policy, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("anonymizer.assessment.special_uniques.MOST_KEYS", 2)
    (source,) = follow_procedure(None, policy, state(tmp_path, {})).sources
    assert source.special.reason is not None
    assert "3 keys have 7 combinations" in source.special.reason
    monkeypatch.setattr("anonymizer.assessment.special_uniques.MOST_KEYS", 12)
    monkeypatch.setattr("anonymizer.assessment.special_uniques.MOST_ENTRIES", 5)
    (source,) = follow_procedure(None, policy, state(tmp_path, {})).sources
    assert "too many records are unique" in (source.special.reason or "")


def test_a_small_cell_in_which_most_have_a_sensitive_value_is_not_acceptable(
    tmp_path: Path, policy: Policy
):
    frame = pd.concat([patients().iloc[[0]]] * 5, ignore_index=True)  # five who look alike
    frame["diagnosis"] = ["flu", *["asthma"] * 4]
    source, sensitive = {"p": 0.5, "threshold": 0.2}, {"diagnosis": ["asthma"]}
    nobody_above = follow_procedure(frame, policy, state(tmp_path, source))
    assert nobody_above.passes
    strict = follow_procedure(frame, policy, state(tmp_path, source, sensitive=sensitive, most=0.8))
    assert (strict.passes, strict.sources[0].given_away) == (False, 5)
    assert strict.sources[0].probabilities.above == 0
    lax = follow_procedure(frame, policy, state(tmp_path, source, sensitive=sensitive))
    assert lax.passes  # one of five has something else
    rarely = state(tmp_path, source | {"p": 0.2}, sensitive=sensitive, most=0.8)
    assert follow_procedure(frame, policy, rarely).passes  # 0.2 * 4 / 5 is below 0.2


def test_the_id_of_the_policy_counts_where_the_statement_has_none(tmp_path: Path, policy: Policy):
    twice = pd.concat([patients(), patients()], ignore_index=True)
    data = policy.data.model_copy(update={"id": "name"})
    by_policy = follow_procedure(
        twice, Policy(**{**dict(policy), "data": data}), state(tmp_path, {})
    )
    by_statement = follow_procedure(twice, policy, state(tmp_path, {}, id="name"))
    assert (by_policy.people, by_policy.by_id) == (120, True)
    assert by_policy.sources == by_statement.sources
    released = twice.drop(columns="name")
    without = follow_procedure(
        released, Policy(**{**dict(policy), "data": data}), state(tmp_path, {})
    )
    assert (without.people, without.by_id) == (240, False)  # a release does not tell
