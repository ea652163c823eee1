"""The paper's simulation, every variable of the network drawn, agrees with the exact risk."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.attackers.exposure import MEASURES, sum_exactly
from experiments.xia2021 import simulation
from experiments.xia2021.simulation import Simulation, play
from tests.attackers.tables import Table, estimate, overall_risk, random_table, tables

pytestmark = pytest.mark.slow

TRIALS = 1000


def simulate(table: Table, seed: int, trials: int) -> Simulation:
    ones = np.ones(len(table.people), np.int64)
    return play(table.attack(), ones, np.random.default_rng(seed), trials, estimate)


@settings(max_examples=30)
@given(tables(), st.integers(0, 2**32))
def test_the_simulation_agrees_with_the_exact_risk(table: Table, seed: int) -> None:
    attack, simulated = table.attack(), simulate(table, seed, TRIALS)
    slack = 4 * simulated.standard_error + 1e-9
    assert abs(simulated.mean - overall_risk(attack, "mean", estimate)) <= slack + 1 / TRIALS
    assert simulated.mean == pytest.approx(simulated.risks[0].mean())
    exact = sum_exactly(attack, estimate=estimate)
    expected = [exact.measure(name) for name in MEASURES]
    np.testing.assert_allclose(simulated.risks, expected, atol=4 * 0.5 / TRIALS**0.5)


def test_it_repeats_with_its_seed_and_is_within_4_standard_errors() -> None:
    table = random_table(500, 3)
    runs = [simulate(table, 7, 300) for _ in range(2)]
    assert runs[0].mean == runs[1].mean
    assert 0 < runs[0].standard_error < 0.01
    exact = overall_risk(table.attack(), "mean", estimate)
    assert abs(runs[0].mean - exact) < 4 * runs[0].standard_error


def test_trials_in_batches_are_all_played(monkeypatch: pytest.MonkeyPatch) -> None:
    table = random_table(40, 3)
    monkeypatch.setattr(simulation, "DRAWS_AT_ONCE", 40 * 3 * 7)
    simulated = simulate(table, 7, 1000)
    exact = overall_risk(table.attack(), "mean", estimate)
    assert abs(simulated.mean - exact) < 4 * simulated.standard_error
    assert simulated.mean == pytest.approx(simulated.risks[0].mean())
