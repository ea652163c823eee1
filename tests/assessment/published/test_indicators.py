from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from anonymizer.assessment.published import (
    Arms,
    Characteristic,
    Limits,
    assess_published,
    entropy,
    measure,
    read_published,
    say_attacks,
)
from anonymizer.errors import DataError
from experiments.kitamura.__main__ import TABLE, concluded_rows, printed_rows
from experiments.kitamura.printed import ARMS, PRINTED
from tests.shared import ABSENT


@pytest.fixture(scope="module")
def table():
    if not TABLE.is_file():
        pytest.skip(ABSENT)
    return assess_published(*read_published(TABLE, ARMS))


# --- the paper ---


def test_every_log_l_that_the_paper_prints_is_found_to_its_digits(table) -> None:
    rows = printed_rows(table)
    assert len(rows) == len(PRINTED) == 12
    assert {row["printed"] for row in rows} >= {"0.402", "0.147", "0.2485", "0.0872"}
    assert all(row["agrees"] for row in rows)


def test_the_l_that_the_paper_concludes_is_found(table) -> None:
    found = {row["attack"]: row for row in concluded_rows(table)}
    assert found["PDP"]["all rows"] == "1.000"
    assert found["PFDPTC"]["all rows"] == "1.188"
    # not all categories: Ivermectin and others are lower
    assert found["PFDOC"]["conditions and medications"] == "1.107"
    assert found["PFDOC"]["all rows"] == "1.000"


# --- indicators ---


@given(st.integers(0, 300), st.integers(1, 300))
def test_entropy_is_that_of_a_share_and_of_its_rest(part: int, whole: int) -> None:
    assume(part <= whole)
    p = part / whole
    expected = -sum(x * math.log2(x) for x in (p, 1 - p) if x > 0)
    assert entropy(part, whole) == pytest.approx(expected, abs=1e-12)
    assert entropy(part, whole) == entropy(whole - part, whole)
    assert 0 <= entropy(part, whole) <= 1


@given(st.integers(1, 200), st.integers(1, 200), st.data())
def test_indicators_follow_their_formulae(treatment: int, placebo: int, data) -> None:
    a, b = data.draw(st.integers(0, treatment)), data.draw(st.integers(0, placebo))
    row = measure(Characteristic("it", a, b), Arms(treatment, placebo))
    overall = entropy(a + b, treatment + placebo)
    assert row.pdp == entropy(a, a + b)
    assert row.pfdoc == overall
    assert row.pfdptc_treatment == abs(entropy(a, treatment) - overall)
    assert row.pfdptc_placebo == abs(entropy(b, placebo) - overall)
    assert (row.pdp == 0) == (a == 0 or b == 0)


def test_a_row_breaks_a_limit_on_the_side_that_is_dangerous() -> None:
    copd = Characteristic("COPD", 23, 2)
    table = assess_published([copd], Arms(228, 105), Limits(pdp=1.4, pfdoc=1.2, pfdptc=1.1))
    assert table.broken == {"COPD": ("pdp", "pfdptc")}
    kept = table.kept
    again = assess_published([copd], Arms(228, 105), kept)
    assert again.broken == {}  # what it keeps it does not break, rounding or not
    assert assess_published([copd], Arms(228, 105)).broken == {}


@pytest.mark.parametrize("limits", [{"pdp": 0.9}, {"pfdoc": 2.1}, {"pfdptc": math.nan}])
def test_an_l_that_two_answers_cannot_have_is_refused(limits) -> None:
    with pytest.raises(DataError, match=r"from 1 .* to 2"):
        Limits(**limits)


def test_counts_larger_than_their_arm_are_refused_with_their_row() -> None:
    rows = [Characteristic("fine", 1, 1), Characteristic("too many", 229, 106)]
    with pytest.raises(DataError) as refused:
        assess_published(rows, Arms(228, 105))
    assert "'too many' has 229 people in the treatment arm of 228" in str(refused.value)
    assert "'too many' has 106 people in the placebo arm of 105" in str(refused.value)
    with pytest.raises(DataError, match="has -1 people"):
        assess_published([Characteristic("negative", -1, 1)], Arms(228, 105))


def test_nothing_cannot_be_attacked() -> None:
    with pytest.raises(DataError, match="no rows"):
        assess_published([], Arms(1, 1))
    with pytest.raises(DataError, match="placebo arm has 0 people"):
        Arms(1, 0)


def test_each_attack_is_told_in_plain_language() -> None:
    said = say_attacks(Characteristic("Hydroxychloroquine", 1, 0), Arms(228, 105))
    assert said["pdp"] == "Who has it is in the treatment arm for certain: 1 of 1."
    assert said["pfdoc"] == "Somebody in the trial does not have it: 332 of 333."
    assert "0.4% of the treatment arm" in said["pfdptc"]
    assert say_attacks(Characteristic("none", 0, 0), Arms(2, 1))["pdp"] == "Nobody has it."
    every = say_attacks(Characteristic("all", 2, 1), Arms(2, 1))["pfdoc"]
    assert every == "Somebody in the trial has it for certain: 3 of 3."


def test_the_description_is_json(table) -> None:
    described = json.loads(json.dumps(table.describe(), allow_nan=False))
    assert described["arms"] == {"treatment": 228, "placebo": 105}
    assert len(described["rows"]) == 38


# --- reading ---


def write(folder: Path, *lines: str) -> Path:
    path = folder / "table.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_counts_are_read_as_they_are_printed_and_arms_from_the_header(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        '"Characteristic","Convalescent (N = 2,280)","Placebo (N=105)"',
        '"<65 yr","1,260 (55.3)","54 (51.4%)"',
        "",
        "Statins,61,0",
    )
    rows, arms = read_published(path)
    assert arms == Arms(2280, 105)
    assert rows == [Characteristic("<65 yr", 1260, 54), Characteristic("Statins", 61, 0)]
    assert read_published(path, Arms(3000, 200))[1] == Arms(3000, 200)


def test_every_malformed_row_is_named(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "characteristic,treatment,placebo",
        "fine,1,2",
        "short,1",
        "titer,65/145 (44.8),34/70",
        ",3,4",
        "negative,-3,4",
        "large,229,4",
        "fine,2,2",
    )
    with pytest.raises(DataError) as refused:
        read_published(path, Arms(228, 105))
    message = str(refused.value)
    for part in (
        "table.csv has 7 defects",
        "row 2: it has 2 cells where the header has 3",
        "row 3: '65/145 (44.8)' is no count for the treatment arm; write a whole number.",
        "row 3: '34/70' is no count for the placebo arm",
        "row 4: the characteristic has no name",
        "row 5: '-3' is no count",
        "row 6: 'large' has 229 people in the treatment arm of 228",
        "row 7: 'fine' is row 1 already",
    ):
        assert part in message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"a,b,c\n", "sizes of the arms are not known; give them with --arms"),
        (b"a,b (N = 3),c (N = 4)\n", "no rows"),
        (b"a;b;c\nx;1;2\n", r"Is the delimiter ';' rather than ','\?"),
        (b"a,b\nx,1\n", "needs three cells, and has 2"),
        (b"a,b (N = 3),c (N = 4)\n\xff,1,2\n", "not UTF-8"),
        (b"a,b (N = 0),c (N = 4)\nx,1,2\n", "treatment arm has 0 people"),
    ],
)
def test_a_file_that_is_no_such_table_says_why(
    tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=message):
        read_published(path)


def test_a_file_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        read_published(tmp_path / "none.csv", Arms(1, 1))
