"""attack: what attackers can do with a release, measured on this release."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from anonymizer.attacks.all_releases import all_releases
from anonymizer.attacks.collective import collective
from anonymizer.attacks.composition import composition
from anonymizer.attacks.downcoding import downcoding
from anonymizer.attacks.inference import inference
from anonymizer.attacks.linkability import linkability
from anonymizer.attacks.membership import membership
from anonymizer.attacks.reading import read_setting
from anonymizer.attacks.result import Attack, Attacks
from anonymizer.attacks.setting import AttackPlan, Setting, own_people
from anonymizer.attacks.singling_out import singling_out
from anonymizer.attacks.study import attack_study
from anonymizer.data.opening import TableLike
from anonymizer.errors import PolicyError
from anonymizer.policy import Policy, PolicyLike
from anonymizer.problem import Source, load_policy, open_data
from anonymizer.solution.manifest import ManifestLike, find_manifest, manifest_beside

ATTACKS: dict[str, Callable[[Setting], Attack | list[Attack]]] = {
    "singling out": singling_out,
    "linkability": linkability,
    "attribute inference": inference,
    "membership inference": membership,
    "collective match": collective,
    "downcoding": downcoding,
    "composition": composition,
    "all releases": all_releases,
}
"""Every attack: a setting in, one result or several out."""


def attack(
    released: TableLike,
    policy: PolicyLike,
    against: Source = None,
    *,
    manifest: ManifestLike = None,
    control: TableLike | None = None,
    population: TableLike | None = None,
    targets: TableLike | None = None,
    earlier: TableLike | None = None,
    earlier_policy: PolicyLike | None = None,
    earlier_against: TableLike | None = None,
    people: int = 2_000,
    seed: int = 0,
    on_attack: Callable[[str], None] = lambda _: None,
) -> Attacks:
    """Try every attack on a release and return how often each succeeds, against a baseline.

    `against` is the original; without it, the policy's table. The manifest of a file is looked for beside
    it. `control` has records of people who are not in the release, `population` a list of identified
    people, `targets` people with a column `member` that says who is in the release. `earlier` is another
    release of some of the same people, under `earlier_policy` if that differs, made from
    `earlier_against`. Each attack is tried on so many `people`. The same seed gives the same figures, in
    whatever order the rows of the release stand. `on_attack` is told of each before it begins. Of linked
    tables, `attack_study` tries others.
    """
    loaded = load_policy(policy)
    if loaded.tables:
        beside = control, population, targets, earlier, earlier_policy, earlier_against
        refuse_beside(beside)
        return attack_study(released, loaded, against, manifest=manifest, people=people, seed=seed)
    plan = AttackPlan(people, seed)
    original = open_data(against, loaded)
    claims = claims_of(released, manifest)
    others = control, population, targets
    setting = read_setting(released, original, loaded, claims, plan, *others).in_order()
    if earlier is not None:
        before = load_policy(earlier_policy or policy)
        setting = replace(setting, earlier=read_earlier(setting, earlier, before, earlier_against))
    return Attacks(
        tuple(run(setting, on_attack)), setting.original.shape[1], setting.cells.rows, seed
    )


def refuse_beside(tables: Sequence[object]) -> None:
    """Raise a PolicyError for tables that attackers of linked tables have no use for."""
    if any(table is not None for table in tables):
        raise PolicyError(
            "the policy links several tables, and attacks on them have no control, population, targets "
            "or earlier release; leave these out."
        )


def run(setting: Setting, on_attack: Callable[[str], None]) -> list[Attack]:
    """Try every attack."""
    found: list[Attack] = []
    for name, each in ATTACKS.items():
        on_attack(name)
        result = each(setting)
        found += result if isinstance(result, list) else [result]
    return found


def read_earlier(
    setting: Setting, released: TableLike, policy: Policy, original: TableLike | None
) -> Setting:
    """Read an earlier release; without its original, the people of this one are looked for in it."""
    claims = claims_of(released, None)
    if original is not None:
        return read_setting(released, original, policy, claims, setting.plan).in_order()
    whole = policy.model_copy(update={"data": policy.data.model_copy(update={"sample": 1.0})})
    before = read_setting(released, setting.table, whole, claims, setting.plan).in_order()
    return own_people(setting, before)


def claims_of(released: TableLike, manifest: ManifestLike) -> Mapping[str, Any] | None:
    """Take or read the manifest; None where none is given and none stands beside a file."""
    beside = manifest_beside(released)
    if manifest is None and (beside is None or not beside.is_file()):
        return None
    return find_manifest(released, manifest, "attack")
