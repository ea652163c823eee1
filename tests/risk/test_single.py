from __future__ import annotations

from pathlib import Path

from anonymizer.knowledge.catalogue import load_scenario
from anonymizer.risk.k_anonymity import KAnonymity
from anonymizer.risk.overall import Overall
from anonymizer.risk.single import person_models
from anonymizer.risk.sources import Sources


def test_models_that_know_the_risk_of_every_person_are_found_in_order():
    overall, sources = Overall(0.1, load_scenario("worst-case")), Sources(Path("statement.toml"))
    assert person_models([sources, KAnonymity(5), overall]) == [sources, overall]
    assert person_models([KAnonymity(5)]) == []
