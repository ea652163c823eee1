"""The releases that are attacked, one under every kind of model and one that was tampered with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from anonymizer import Policy, Solution, anonymize, attack, make_manifest
from anonymizer.attacks.collective import collective
from anonymizer.attacks.reading import read_setting
from anonymizer.attacks.result import Attack, Attacks
from anonymizer.attacks.setting import AttackPlan as Effort
from anonymizer.attacks.setting import Setting
from experiments.attacks.people import QUASI, SEED, People, Plan, models, policy_of

UNDONE = 0.05
"""So many of the released rows get their original values back in the tampered release."""
OnStep = Callable[[str], None]


@dataclass(frozen=True, slots=True, eq=False)
class Released:
    """A release as somebody gets it, with the policy and what it claims."""

    name: str
    policy: Policy
    frame: pd.DataFrame
    solution: Solution

    @property
    def manifest(self) -> dict[str, Any]:
        return make_manifest(self.solution, self.frame)


def make_releases(people: People, folder: Path, on_step: OnStep) -> list[Released]:
    """Release the register under every model, and tamper with the release of 5-anonymity."""
    made = []
    for name, risk in models(people).items():
        on_step(f"releasing under {name}")
        policy = policy_of(folder, *risk)
        solution = anonymize(people.patients, policy)
        made.append(Released(name, policy, solution.to_frame(SEED).astype(object), solution))
    five = next(each for each in made if each.name == "k-anonymity 5")
    made.append(
        Released("k-anonymity 5, tampered", five.policy, tamper(five, people), five.solution)
    )
    return made


def tamper(release: Released, people: People) -> pd.DataFrame:
    """Give some released rows the original quasi-identifiers of the record they were made of."""
    frame = release.frame.copy()
    setting = setting_of(release, people)
    random = np.random.default_rng(SEED)
    rows = random.permutation(len(frame))[: int(UNDONE * len(frame))]
    original = people.patients.loc[setting.owners[rows], list(QUASI)].astype(str).to_numpy()
    frame.loc[rows, list(QUASI)] = original
    return frame


def attack_all(release: Released, people: People, plan: Plan) -> Attacks:
    """Try every attack, with a control group and the whole population as the identified list."""
    return attack(
        release.frame,
        release.policy,
        people.patients,
        manifest=release.manifest,
        control=people.control,
        population=people.everybody,
        people=plan.targets,
        seed=SEED,
    )


def match_with(release: Released, people: People, listed: pd.DataFrame) -> Attack:
    """Match all released rows with a list of identified people."""
    return collective(setting_of(release, people, population=listed))


def setting_of(release: Released, people: People, **others: Any) -> Setting:
    """Put a release beside its original, as attacks do."""
    return read_setting(
        release.frame,
        people.patients,
        release.policy,
        release.manifest,
        Effort(seed=SEED),
        **others,
    )
