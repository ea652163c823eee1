"""The experiment on a published table: the paper's figures, and what it writes."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from anonymizer.published import Published, assess_published, read_published
from anonymizer.published.partition import Answer
from experiments.kitamura.__main__ import CHOSEN, TABLE, concluded_rows, main, printed_rows
from experiments.kitamura.printed import PRINTED, name_of
from tests.shared import ABSENT, REFERENCE

pytestmark = pytest.mark.slow

RESULTS = Path(__file__).resolve().parents[2] / "results" / "kitamura"
COUNTS = REFERENCE / "kitamura_characteristics.csv"


@pytest.fixture(scope="module")
def table() -> Published:
    return assess_published(*read_published(TABLE), CHOSEN)


def test_every_log_l_that_the_paper_prints_is_found_to_its_digits(table: Published) -> None:
    rows = printed_rows(table)
    assert len(rows) == len(PRINTED) == 12
    assert {row["printed"] for row in rows} >= {"0.402", "0.147", "0.2485", "0.0872"}
    assert all(row["agrees"] for row in rows)


def test_the_l_that_the_paper_concludes_is_found(table: Published) -> None:
    found = {row["attack"]: row for row in concluded_rows(table)}
    assert found["PDP"]["all rows"] == "1.000"
    assert found["PFDPTC"]["all rows"] == "1.188"
    # not all categories: Ivermectin and others are lower
    assert found["PFDOC"]["conditions and medications"] == "1.107"
    assert found["PFDOC"]["all rows"] == "1.000"
    assert found["PFDOC"]["with complement and baseline"] == "1.021"  # without what nobody has


@pytest.mark.skipif(not COUNTS.is_file(), reason=ABSENT)
def test_the_counts_are_those_of_the_reference_and_the_titre_row(table: Published) -> None:
    with COUNTS.open(newline="", encoding="utf-8") as file:
        reference = [tuple(line) for line in csv.reader(file)][1:]
    rows = [row for row in table.printed if row.partition.rows[0].totals is None]
    assert len(reference) == len(rows) == len(table.printed) - 1 == 38
    for (name, treatment, placebo), row in zip(reference, rows, strict=True):
        assert name.endswith(name_of(row))
        assert row.partition.rows[0].counts == (int(treatment), int(placebo))


def test_the_titre_row_is_analysed_in_the_papers_three_groups(table: Published) -> None:
    titre = next(row for row in table.printed if "titer" in name_of(row))
    assert [(group.answer, group.counts) for group in titre.partition.groups] == [
        (Answer.HAS, (65, 34)),
        (Answer.LACKS, (80, 36)),
        (Answer.MISSING, (83, 35)),
    ]


def test_the_categories_of_the_papers_table_are_found(table: Published) -> None:
    blocks = [row.partition for row in table.rows if len(row.partition.rows) > 1]
    assert [(block.rows[0].heading, len(block.rows)) for block in blocks] == [
        ("Age category", 3),
        ("Hospitalization area at enrollment", 3),
        ("Use of oxygen supplementation devices", 4),
    ]
    assert [group.counts for group in blocks[2].groups][-1] == (22, 12)  # 333 - 299 have no device


def test_what_nobody_has_breaks_no_limit_on_the_papers_table(table: Published) -> None:
    assert not any("Noninvasive" in label for label in table.broken)


def test_a_row_that_looks_best_by_the_papers_indicator_may_tell_most(table: Published) -> None:
    pdp = {name_of(row): row.pdp[0] for row in table.printed}
    ranked = sorted(pdp, key=lambda name: -pdp[name].advantage)
    assert ranked[1] == "Tocilizumab"
    assert pdp["Tocilizumab"].bits > 0.98


def test_it_writes_what_is_committed(tmp_path: Path) -> None:
    main(["--out", str(tmp_path)])
    names = {"README.md", "indicators.csv", "printed.csv", "published.html"}
    assert {path.name for path in tmp_path.iterdir()} == names
    for name in names:
        assert (tmp_path / name).read_text() == (RESULTS / name).read_text()


def test_the_medians_of_the_papers_table_are_read_and_give_nobody_away(table: Published) -> None:
    assert [each.row.name.split(" (")[0] for each in table.summaries] == [
        "Median age",
        "Median time to onset of symptoms",
        "Median total SARS-CoV-2 antibody titer",
        "Median d-dimer level",
        "Median ferritin level",
    ]
    assert all(0 < each.advantage < 0.01 for each in table.summaries)
    assert not {each.row.label for each in table.summaries} & table.broken.keys()
