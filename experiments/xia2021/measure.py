"""Tables 3 and 4 and Figure 2: samples of the simulated patients under the two scenarios."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from anonymizer import Assessment, Policy, assess
from anonymizer.assessment.scenario_risk import ScenarioRisk
from anonymizer.attackers.attack import attack_on
from anonymizer.attackers.catalogue import load_scenario
from anonymizer.attackers.scenario import AttributeGroup, Scenario
from anonymizer.hierarchy import load_hierarchy
from anonymizer.problem import Problem
from experiments.datasets import spec_of
from experiments.parallel import run_settings
from experiments.xia2021 import published
from experiments.xia2021.patients import ATTRIBUTES
from experiments.xia2021.simulation import play

SCENARIOS = {"Twitter": "social-media", "Voter registration": "voter-registration"}
PARAMETERS = (0.2, 0.5, 0.8)

POPULATION = 100_000_000
"""The paper's figure for US residents born before 1978."""


def policy_of_patients(**keys: object) -> Policy:
    """Return a policy in which all twelve attributes are quasi-identifiers."""
    attributes = {
        name: {"role": "quasi", "hierarchy": load_hierarchy(spec_of("patients", name), name)}
        for name in ATTRIBUTES
    }
    return Policy(**{"attributes": attributes, "risk": [{"model": "k-anonymity", "k": 2}], **keys})


def scenarios() -> dict[str, Scenario]:
    """Load the shipped scenarios under the paper's names."""
    return {name: load_scenario(file) for name, file in SCENARIOS.items()}


def draw_samples(patients: pd.DataFrame, size: int, runs: int, seed: int) -> Iterator[pd.DataFrame]:
    """Draw random samples of the patients."""
    generator = np.random.default_rng([seed, size])
    for _ in range(runs):
        yield patients.iloc[generator.choice(len(patients), size, replace=False)]


def percent_quartiles(risk: ScenarioRisk, measure: str) -> dict[str, float]:
    """Return the quartiles of the reduction in percent."""
    reductions = risk.reductions(measure)
    found = np.quantile(reductions, (0.25, 0.5, 0.75)) if reductions.size else np.full(3, np.nan)
    return dict(zip(published.QUARTILES, (100 * found).tolist(), strict=True))


def table_3(patients: pd.DataFrame, sizes: Mapping[int, int], seed: int) -> pd.DataFrame:
    """Measure the reductions in all three risks, for so many samples of each size."""
    samples = (
        (sample, size, run)
        for size, runs in sizes.items()
        for run, sample in enumerate(draw_samples(patients, size, runs, seed))
    )
    rows = [row for found in run_settings(reductions, samples) for row in found]
    table = pd.DataFrame(rows).groupby(["scenario", "size", "measure"], sort=False)
    mean = table[["q1", "median", "q3", "worst_mean", "mean"]].mean()
    spread = table[["q1", "median", "q3"]].std(ddof=1).add_suffix("_sd")
    return pd.concat([table.size().rename("runs"), mean, spread], axis=1).reset_index()


def reductions(sample: pd.DataFrame, size: int, run: int) -> list[dict[str, Any]]:
    """Measure the reductions in all three risks of one sample."""
    return [
        {"scenario": risk.name, "size": size, "run": run, "measure": measure}
        | percent_quartiles(risk, measure)
        | {"worst_mean": risk.worst_mean(measure), "mean": risk.mean(measure)}
        for risk in assess(sample, policy_of_patients(), scenarios(), workers=2).scenarios
        for measure in ("journalist", "prosecutor", "marketer")
    ]


def with_published(table: pd.DataFrame) -> pd.DataFrame:
    """Set the paper's figures beside ours."""
    rows = []
    for row in table.to_dict("records"):
        printed = dict.fromkeys(published.QUARTILES, np.nan)
        if row["measure"] == "marketer":
            figures = published.TABLE_3[row["scenario"]][row["size"]]
            printed = dict(zip(published.QUARTILES, figures, strict=True))
        else:
            printed["q1"] = 100.0
        rows.append(row | {f"paper_{name}": value for name, value in printed.items()})
    return pd.DataFrame(rows)


def settings() -> list[tuple[float, float, float, float]]:
    """List the 81 settings of (p_m, p_c, p_fm, p_cu), in the order of the paper's columns."""
    return list(product(PARAMETERS, repeat=4))


def table_4(patients: pd.DataFrame, size: int, runs: int, seed: int) -> pd.DataFrame:
    """Measure the reduction in overall risk for all settings: the knowledge is summed once a sample."""
    samples = ((sample, run) for run, sample in enumerate(draw_samples(patients, size, runs, seed)))
    rows = [row for found in run_settings(overall_reductions, samples) for row in found]
    found = pd.DataFrame(rows).groupby(["scenario", "setting"], sort=False)
    columns = [*published.QUARTILES, "worst_q1", "worst_median", "worst_q3"]
    spread = found[list(published.QUARTILES)].std(ddof=1).add_suffix("_sd")
    table = pd.concat([found[columns].mean(), spread], axis=1).reset_index()
    names = ["p_m", "p_c", "p_fm", "p_cu"]
    parameters = pd.DataFrame(table.pop("setting").tolist(), columns=names)
    return pd.concat([parameters, table], axis=1)


def overall_reductions(sample: pd.DataFrame, run: int) -> list[dict[str, Any]]:
    """Measure the reduction in overall risk of one sample for all settings."""
    rows = []
    for risk in assess(sample, policy_of_patients(), scenarios(), workers=2).scenarios:
        for setting in settings():
            changed = with_parameters(risk, setting)
            worst = np.quantile(np.repeat(changed.worst.overall, risk.counts), (0.25, 0.5, 0.75))
            rows.append(
                {"scenario": risk.name, "setting": setting, "run": run}
                | percent_quartiles(changed, "overall")
                | dict(zip(("worst_q1", "worst_median", "worst_q3"), worst, strict=True))
            )
    return rows


def with_parameters(risk: ScenarioRisk, setting: tuple[float, float, float, float]) -> ScenarioRisk:
    """Return the same knowledge with other probabilities of what is done with it."""
    p_m, p_c, p_fm, p_cu = setting
    scenario = replace(risk.scenario, p_m=p_m, p_c=p_c, p_fm=p_fm, p_cu=p_cu)
    parameters = np.array([[scenario.p_m], [scenario.p_fm], [scenario.p_c], [scenario.p_cu]])
    exposure, worst = (each.under(scenario, parameters) for each in (risk.exposure, risk.worst))
    return replace(risk, scenario=scenario, exposure=exposure, worst=worst)


def one_sample(patients: pd.DataFrame, size: int, seed: int) -> Assessment:
    """Assess one sample, for Figure 2."""
    (sample,) = draw_samples(patients, size, 1, seed)
    return assess(sample, policy_of_patients(), scenarios(), workers=2)


def one_by_one(patients: pd.DataFrame, size: int, seed: int, workers: int) -> Assessment:
    """Assess one sample when each of the twelve attributes is learned on its own: 4,096 sets."""
    (sample,) = draw_samples(patients, size, 1, seed)
    groups = tuple(AttributeGroup((name,), 0.5) for name in ATTRIBUTES)
    scenario = Scenario(groups, POPULATION, 0.5, 0.5, 0.5, 0.5)
    return assess(sample, policy_of_patients(), {"one by one": scenario}, workers=workers)


@dataclass(frozen=True, slots=True)
class Agreement:
    """The mean overall risk, exact given u_S, and what a simulation of the paper's kind says."""

    scenario: str
    exact: float
    simulated: float
    standard_error: float

    @property
    def errors(self) -> float:
        """How many standard errors they are apart."""
        apart = abs(self.exact - self.simulated)
        return apart / self.standard_error if self.standard_error else float(apart > 1e-12)


def compare_with_simulation(
    sample: pd.DataFrame, named: Mapping[str, Scenario], trials: int, seed: int
) -> list[Agreement]:
    """Play the attack on every subject as the paper does, and set it beside the sum."""
    policy = policy_of_patients()
    microdata = Problem.read(sample, policy).microdata
    found = []
    for risk in assess(sample, policy, named, workers=2).scenarios:
        attack = attack_on(microdata, (0,) * len(ATTRIBUTES), risk.scenario)
        played = play(attack, microdata.counts, np.random.default_rng(seed), trials)
        found.append(Agreement(risk.name, risk.mean(), played.mean, played.standard_error))
    return found
