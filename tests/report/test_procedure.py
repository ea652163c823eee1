from __future__ import annotations

import re
from pathlib import Path

import pytest

from anonymizer import assess
from anonymizer.attackers.statement import Statement
from anonymizer.report.assessment import make_page
from anonymizer.report.procedure import describe_findings
from tests.wards import patients, write_files

KEYS = ["age", "sex", "zip"]


@pytest.mark.filterwarnings("ignore:voters.csv. 100 of 120 people")
def test_the_page_stands_alone_and_follows_the_procedure(tmp_path: Path):
    patients(60, 4)[KEYS].to_csv(tmp_path / "voters.csv", index=False)
    statement = Statement(
        source=[
            {"name": "news <b>", "keys": KEYS, "attack": "idiosyncratic", "p": 0.5, "q": 0.9},
            {"name": "voters", "keys": KEYS, "path": "voters.csv"},
            {
                "name": "harmless",
                "keys": ["sex"],
                "p": {"by": "sex", "probabilities": {"F": 0.2}, "default": 0.1},
                "without": {"sex": {"q": 0.5}},
            },
        ],
        sensitive={"diagnosis": ["asthma"]},
        folder=tmp_path,
    )
    assessment = assess(None, write_files(tmp_path), statement=statement)
    findings, page = assessment.findings, make_page(assessment)
    assert "news &lt;b&gt;" in page
    assert not re.search(r"(src|href)=\"(?!data:|#)", page)  # nothing from elsewhere
    headings = re.findall("<h4>(.*?)</h4>", page)
    assert headings[:6] == [
        "The source and its keys",
        "Who is rare",
        "Which values make the small cells",
        "Special uniques",
        "Overlap and probability",
        "What small cells give away",
    ]
    parts = re.findall('<h2 id="(.*?)">', page)
    assert parts == ["sources", "options", "caveats"]  # what could be done comes last
    assert "Direct linkage" in headings
    assert "such events." in page
    assert describe_findings(findings).startswith(
        "2 of 3 sources put some of the 120 records above"
    )
    assert "p = 0.1 to 0.2 by sex" in page
    assert "Once sex is left out, p = 0.1 to 0.2 by sex and q = 0.5." in page
    assert "Patient " not in page
    found = findings.sources[0].homogeneity[0]
    assert (
        f"In {found.homogeneous} of {found.cells} groups of 3 to 5 everybody has a value of diagnosis "
        "that you marked." in page
    )


def test_a_table_that_can_be_shared_is_said_to(tmp_path: Path):
    statement = Statement(source=[{"name": "a", "keys": ["sex"], "p": 0.1}])
    assessment = assess(None, write_files(tmp_path), statement=statement)
    findings = assessment.findings
    assert describe_findings(findings).startswith("No source re-identifies any of the 120 records")
    assert "Acceptable: the highest probability" in make_page(assessment)
