"""The optima that ARX finds and proves, found again."""

from __future__ import annotations

from functools import cache

import pytest

from anonymizer.evaluate import Evaluator, whole_lattice
from anonymizer.hierarchy import read_arx
from anonymizer.microdata import Microdata, encode
from anonymizer.risk import KAnonymity
from anonymizer.search import SearchResult, Status, search
from anonymizer.table import CsvTable
from anonymizer.utility import Aggregate, Loss
from tests.shared import ABSENT, DATA, Optimum, arx_optima

MEASURES = {"loss geometric": Aggregate.GEOMETRIC, "loss arithmetic": Aggregate.ARITHMETIC}
OPTIMA = [
    optimum
    for optimum in arx_optima()
    if optimum.model == "k-anonymity"
    and optimum.measure in MEASURES
    and optimum.dataset in ("adult", "cup", "fars")
]

pytestmark = pytest.mark.skipif(not OPTIMA, reason=ABSENT)


@cache
def microdata_of(dataset: str, attributes: tuple[str, ...]) -> Microdata:
    folder = DATA / dataset
    hierarchies = [read_arx(folder / "hierarchies" / f"{name}.csv") for name in attributes]
    return encode(CsvTable(folder / "data.csv", ";"), hierarchies)


def solve(optimum: Optimum) -> SearchResult:
    microdata = microdata_of(optimum.dataset, tuple(optimum.levels))
    evaluator = Evaluator(
        microdata,
        [KAnonymity(int(optimum.parameters["k"]))],
        Loss(MEASURES[optimum.measure], (1.0,) * len(optimum.levels)),
        int(optimum.suppression_limit * microdata.records + 1e-9),
    )
    return search(evaluator, whole_lattice(microdata))


@pytest.mark.parametrize("optimum", OPTIMA, ids=str)
def test_the_optimum_is_the_one_arx_proves(optimum: Optimum) -> None:
    found = solve(optimum)
    assert found.status is Status.OPTIMAL
    assert found.best is not None
    assert found.best.loss == pytest.approx(optimum.loss, abs=1e-9)
    assert dict(zip(optimum.levels, found.best.scheme, strict=True)) == optimum.levels
    assert found.best.suppressed_records == optimum.suppressed
    assert found.proof.schemes == optimum.schemes
    assert found.proof.open == 0


def test_every_kind_of_row_is_there() -> None:
    assert len(OPTIMA) >= 19
    assert {optimum.dataset for optimum in OPTIMA} == {"adult", "cup", "fars"}
    assert {optimum.measure for optimum in OPTIMA} == set(MEASURES)
    assert {0.0, 0.01, 0.05, 1.0} <= {optimum.suppression_limit for optimum in OPTIMA}
    assert any("qi" in optimum.parameters for optimum in OPTIMA)


def test_the_proof_for_adult_with_k_5_takes_a_third_of_arx_s_evaluations() -> None:
    (adult,) = [o for o in OPTIMA if str(o) == "adult k=5 loss geometric limit=1"]
    assert solve(adult).proof.evaluated <= 600  # ARX evaluates 1,797 of 12,960
