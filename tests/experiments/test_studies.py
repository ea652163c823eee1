"""The studies of the reference: the rows committed agree, and two cheap ones are found again."""

from __future__ import annotations

import pandas as pd
import pytest

from experiments.datasets import RESULTS, find_file
from experiments.studies.__main__ import compare, reference_rows
from experiments.studies.scale import Size, draw_study


def test_every_committed_row_agrees_and_is_proven() -> None:
    table = pd.read_csv(RESULTS / "studies" / "reference.csv")
    assert len(table) == 16
    assert (table["agrees"] == "yes").all()
    assert (table["status"] == "optimal").all()


def test_every_committed_proof_is_accepted() -> None:
    table = pd.read_csv(RESULTS / "studies" / "proofs.csv")
    assert len(table) == 16
    assert (table["accepted"] == "yes").all()
    assert (table["seconds to check"] < 5).all()


def test_no_attacker_of_the_promised_power_is_among_fewer_than_k() -> None:
    table = pd.read_csv(RESULTS / "studies" / "attacks.csv")
    promised = table[table["attacker"].str.endswith("promised")]
    assert len(promised) == 16
    assert (promised["in fewer than k"] == 0).all()


@pytest.mark.skipif(
    find_file("studies") is None, reason="the studies of the reference are not at hand"
)
@pytest.mark.parametrize("power", ["0", "2"])
def test_an_optimum_of_the_reference_is_found_and_proven(power: str) -> None:
    row = next(row for row in reference_rows() if (row["study"], row["power"]) == ("omop", power))
    found = compare(row)
    assert (found["agrees"], found["status"]) == ("yes", "optimal")
    assert found["evaluated"] + found["given up"] < int(row["schemes"]) / 5


def test_a_study_that_is_drawn_has_so_many_events_for_each_person() -> None:
    study = draw_study(Size(50, 3))
    assert study.attributes == ("age", "sex", "region", "event.code")
    assert study.counts([1])[0].tolist() == [3] * 50
