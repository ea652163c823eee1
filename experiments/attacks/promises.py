"""What the model of each release promises, against what attackers reach and the truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from anonymizer.attacks.matching import NOBODY
from anonymizer.attacks.result import Attacks
from anonymizer.attacks.setting import Setting
from anonymizer.estimators.proportions import Rate
from experiments.attacks.people import SEED, People
from experiments.attacks.releases import OnStep, Released, match_with, setting_of

VOTERS = ("age", "sex", "zip")


@dataclass(frozen=True, slots=True)
class Promise:
    """What a model promises, and what was measured."""

    release: str
    promise: str
    limit: float
    measured: Rate
    how: str

    @property
    def verdict(self) -> str:
        """Whether the promise holds, as far as the interval says."""
        found = self.measured.estimate
        if found.low > self.limit:
            return "does not hold"
        return "holds" if found.value <= self.limit else "not refuted"

    def row(self) -> dict[str, Any]:
        found = self.measured.estimate
        return {
            "release": self.release,
            "promise": self.promise,
            "limit": self.limit,
            "successes": self.measured.successes,
            "trials": self.measured.trials,
            "measured": found.value,
            "low": found.low,
            "high": found.high,
            "verdict": self.verdict,
            "how": self.how,
        }


def check_promises(
    release: Released, people: People, attacks: Attacks, on_step: OnStep
) -> list[Promise]:
    """Compare what the model of a release promises with what attackers reach."""
    on_step(f"checking what {release.name} promises")
    kind, _, rest = release.name.partition(" ")
    checks: dict[str, Callable[..., list[Promise]]] = {
        "k-anonymity": k_anonymity,
        "k-map": k_map,
        "p-uniqueness": uniqueness,
        "overall": overall,
        "sources": sources,
        "distinct-l": distinct_l,
    }
    return checks[kind](release, people, attacks, float(rest.split(",")[0]))


def k_anonymity(release: Released, people: People, attacks: Attacks, k: float) -> list[Promise]:
    """Nobody is singled out by quasi-identifiers, and a match is right once in k times."""
    single = attacks["singling out, multivariate"].success
    match = match_with(release, people, people.patients)
    return [
        Promise(
            release.name, "nobody is singled out by quasi-identifiers", 0.0, single,
            "singling out, multivariate",
        ),
        Promise(
            release.name, f"a row is matched with its person at most once in {k:g} times", 1 / k,
            match.success, "collective match with the list of all patients",
        ),
        Promise(
            release.name, f"everybody is among at least {k:g} rows", 0.0,
            small_classes(release, people, k), f"rows in classes of fewer than {k:g}",
        ),
        unpromised(release, attacks),
    ]  # fmt: skip


def unpromised(release: Released, attacks: Attacks) -> Promise:
    """What is often read into a promise, and is not in it: that nobody is singled out by all columns."""
    return Promise(
        release.name,
        "(not promised) nobody is singled out by all released columns",
        0.0,
        attacks["singling out, all columns"].success,
        "singling out, all columns",
    )


def small_classes(release: Released, people: People, k: float) -> Rate:
    """Count the rows in classes of fewer than k rows."""
    setting = setting_of(release, people)
    of_row, number = setting.row_classes
    sizes = np.bincount(of_row, minlength=number)[of_row]
    return Rate(int(np.count_nonzero(sizes < k)), sizes.size)


def k_map(release: Released, people: People, attacks: Attacks, k: float) -> list[Promise]:
    """A match with the population is right once in k times; with the patients themselves, more often."""
    with_patients = match_with(release, people, people.patients)
    setting = setting_of(release, people, population=people.everybody)
    fits = people_who_fit(setting, list(setting.quasi))
    return [
        Promise(
            release.name, f"a row is matched with its person at most once in {k:g} times", 1 / k,
            attacks["collective match"].success, "collective match with the population",
        ),
        Promise(
            release.name, f"every row fits at least {k:g} people of the population", 0.0,
            Rate(int(np.count_nonzero(fits < k)), fits.size), f"rows that fit fewer than {k:g}",
        ),
        Promise(
            release.name, f"(not promised) nor more often than once in {k:g} times by who has a list "
            "of the patients", 1 / k, with_patients.success,
            "collective match with the list of all patients",
        ),
        unpromised(release, attacks),
    ]  # fmt: skip


def people_who_fit(setting: Setting, known: list[int]) -> Any:
    """Count the people of the population whom each released row fits, by some columns."""
    assert setting.population is not None
    fits = np.zeros(setting.cells.rows, np.int64)
    for part in setting.cells.join(known, setting.population.leaves):
        there = np.bincount(part.record_label, minlength=part.number)
        fits[part.rows] = there[part.row_label]
    return fits


def uniqueness(release: Released, people: People, attacks: Attacks, p: float) -> list[Promise]:
    """At most a share p of the population is unique, and so of the released rows, on these levels."""
    setting = setting_of(release, people, population=people.everybody)
    assert setting.population is not None
    leaves, known = setting.population.leaves, list(setting.quasi)
    (part,) = setting.cells.join(known, leaves)
    there = np.bincount(part.record_label, minlength=part.number)
    fits = there[part.row_label]
    return [
        Promise(
            release.name, f"at most {p:g} of the released rows fit one person of the population", p,
            Rate(int(np.count_nonzero(fits == 1)), fits.size), "counted in the population",
        ),
        Promise(
            release.name, f"at most {p:g} of the population is unique on these levels, those whose "
            "classes were suppressed included", p,
            Rate(int(np.count_nonzero(there == 1)), leaves.shape[1]), "counted in the population",
        ),
        unpromised(release, attacks),
    ]  # fmt: skip


def overall(release: Released, people: People, attacks: Attacks, t: float) -> list[Promise]:
    """An attacker as the scenario describes them finds nobody with more than the threshold."""
    drawn, most = play_scenario(release, people)
    tight = Promise(
        release.name, f"an attacker of the scenario is right about a patient in {t:g} of the cases",
        t, drawn, "the scenario, played once on every released patient; who is unique is counted",
    )  # fmt: skip
    over = Promise(
        release.name, f"and so for every single patient: nobody is above {t:g}", 0.0, most,
        "patients above the threshold, with who is unique counted, not estimated",
    )  # fmt: skip
    return [tight, over, unpromised(release, attacks)]


def play_scenario(release: Released, people: People) -> tuple[Rate, Rate]:
    """Play the voter scenario on every released patient, with the truth about who is unique."""
    setting = setting_of(release, people, population=people.everybody)
    scenario = release.policy.load_models()[0].scenario  # type: ignore[attr-defined]
    assert setting.population is not None
    known = [at for at in setting.quasi if setting.name(at) in VOTERS]
    here = np.flatnonzero(setting.own_row != NOBODY)
    leaves = setting.original[:, here]
    fit = setting.cells.count(known, leaves)
    group = scenario.learned[0]
    ages = people.patients["age"].astype(str).to_numpy()[here]
    learned = np.array([float(group.probabilities.get(age, group.default)) for age in ages])
    alone = fit == 1
    unique = alone & (people_who_fit(setting, known)[setting.own_row[here]] == 1)
    given = 1 - (1 - scenario.p_m * scenario.p_fm * alone) * (1 - scenario.p_cu * unique) * (
        1 - scenario.p_c / fit
    )
    risk = learned * given
    random = np.random.default_rng(SEED)
    right = int(np.count_nonzero(random.random(risk.size) < risk))
    above = int(np.count_nonzero(risk > release.policy.risk[0].threshold + 1e-9))  # type: ignore[attr-defined]
    return Rate(right, risk.size), Rate(above, risk.size)


def sources(release: Released, people: People, attacks: Attacks, t: float) -> list[Promise]:
    """Whoever has the keys of a source is right about somebody with at most the threshold."""
    keys = ["person_id", *VOTERS]
    random = np.random.default_rng(SEED)
    adults = people.everybody[people.everybody["age"].astype(int) >= 18]
    registered = adults[random.random(len(adults)) < 0.642]
    neighbours = match_with(release, people, people.patients[keys])
    voters = match_with(release, people, registered[keys])
    everything = match_with(release, people, people.patients)
    return [
        Promise(
            release.name, f"neighbours are right with at most {t:g}", t, neighbours.success,
            "collective match with all patients by age, sex and zip",
        ),
        Promise(
            release.name, f"who has the voter list is right with at most {t:g}", t, voters.success,
            "collective match with 64.2 % of the adults by age, sex and zip",
        ),
        Promise(
            release.name, "(not promised) nor is who knows all quasi-identifiers of the patients", t,
            everything.success, "collective match with the list of all patients",
        ),
        unpromised(release, attacks),
    ]  # fmt: skip


def distinct_l(release: Released, people: People, attacks: Attacks, l: float) -> list[Promise]:  # noqa: E741
    """Every class has l diagnoses; how often the most common one is right is another matter."""
    setting = setting_of(release, people)
    of_row, number = setting.row_classes
    values = setting.cells.codes[setting.sensitive[0]]
    pairs = np.unique(np.stack([of_row, values]), axis=1)
    few = np.bincount(pairs[0], minlength=number)[of_row] < l
    counts = pd.Series(values).groupby([of_row, values]).size()
    most = (counts.groupby(level=0).max() / counts.groupby(level=0).sum()).to_numpy()
    guess = attacks["attribute inference: diagnosis"].success
    return [
        Promise(
            release.name, f"everybody's class has at least {l:g} diagnoses", 0.0,
            Rate(int(few.sum()), few.size), f"rows in classes with fewer than {l:g}",
        ),
        Promise(
            release.name, f"(not promised) the diagnosis is guessed once in {l:g} times", 1 / l, guess,
            "attribute inference",
        ),
        Promise(
            release.name, f"(not promised) and in no class more often than once in {l:g} times", 0.0,
            Rate(int(np.count_nonzero(most[of_row] > 1 / l + 1e-9)), of_row.size),
            f"rows in classes where one diagnosis has more than 1/{l:g}",
        ),
        unpromised(release, attacks),
    ]  # fmt: skip
