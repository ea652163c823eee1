from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.errors import DataError
from anonymizer.published import Arms, Characteristic, read_published
from anonymizer.published.reading import Cell
from anonymizer.published.summaries import Summary

HEADER = "characteristic,treatment (N = 228),placebo (N = 105)"


def write(folder: Path, *lines: str) -> Path:
    path = folder / "table.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def refusal(folder: Path, *lines: str, sizes: tuple[int, ...] | None = None) -> str:
    with pytest.raises(DataError) as refused:
        read_published(write(folder, *lines), sizes)
    return str(refused.value)


# --- cells ---


def test_counts_are_read_as_they_are_printed_and_arms_from_the_header(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        '"Characteristic","Convalescent (N = 2,280)","Placebo (N=105)"',
        '"<65 yr","1,260 (55.3)","54 (51.4%)"',
        "",
        "Statins,61,0",
    )
    rows, arms = read_published(path)
    assert arms == Arms(("Convalescent", "Placebo"), (2280, 105))
    assert rows == [Characteristic("<65 yr", (1260, 54)), Characteristic("Statins", (61, 0))]


def test_sizes_that_are_given_replace_those_of_the_header(tmp_path: Path) -> None:
    _, arms = read_published(write(tmp_path, HEADER, "Statins,61,0"), (3000, 200))
    assert arms == Arms(("treatment", "placebo"), (3000, 200))


def test_a_row_may_have_its_own_totals(tmp_path: Path) -> None:
    path = write(tmp_path, HEADER, "a,65/145 (44.8),34/70 (48.6)", "b,65 / 145,34/70", "c,1/2,3")
    rows, _ = read_published(path)
    assert [(row.counts, row.totals) for row in rows] == [
        ((65, 34), (145, 70)),
        ((65, 34), (145, 70)),
        ((1, 3), (2, 105)),
    ]


@given(st.integers(1, 3000), st.data(), st.integers(0, 3))
def test_a_percentage_is_taken_exactly_where_it_is_the_rounded_one(
    people: int, data: st.DataObject, digits: int
) -> None:
    count = data.draw(st.integers(0, people))
    text = f"{100 * count / people:.{digits}f}"
    assert Cell(count, None, text).agrees(people)
    for step in (-1, 1):
        other = float(text) + step * 0.1**digits
        off = abs(other - 100 * count / people) > 0.5 * 0.1**digits + 1e-6
        if other >= 0 and off:
            assert not Cell(count, None, f"{other:.{digits}f}").agrees(people)


@pytest.mark.parametrize(
    ("cell", "right"),
    [("1 (<1)", True), ("3 (<1)", False), ("227 (>99)", True), ("1 (>99)", False), ("0 (0)", True)],
)
def test_a_percentage_may_be_a_bound(cell: str, right: bool) -> None:
    parsed = Cell.parse(cell)
    assert parsed is not None
    assert parsed.agrees(228) is right


def test_a_percentage_that_contradicts_its_count_is_named(tmp_path: Path) -> None:
    message = refusal(tmp_path, HEADER, "Diabetes,40 (17.5),21 (12)")
    assert message.endswith(
        "table.csv: row 1: 'Diabetes' has 21 of 105 people in the placebo arm, which is 20.0 %, "
        "not 12 %; fix the count or the percentage, or write the total it is of, as in `65/145 (44.8)`."
    )


def test_every_malformed_row_is_named(tmp_path: Path) -> None:
    message = refusal(
        tmp_path,
        HEADER,
        "fine,1,2",
        "short,1",
        "age,62.5,62",
        ",3,4",
        "negative,-3,4",
        "large,229,4",
        "fine,2,2",
        "half,1,",
        "over,70/65,1",
        "beyond,1/229,1",
        "long,1,2,3",
        "other delimiter;1;2",  # not a heading
        "last,1,2",
    )
    for part in (
        "table.csv has 11 defects",
        "row 2: it has 2 cells where the header has 3",
        "row 12: it has 1 cells where the header has 3",
        "row 3: '62.5' is not a count for the treatment arm; write a whole number, as in `65` or "
        "`65/145`; of a mean or a median say so in the row's name.",
        "row 4: the characteristic has no name",
        "row 5: '-3' is not a count",
        "row 6: 'large' has 229 people in the treatment arm of 228; fix the count",
        "row 7: 'fine' is row 1 already",
        "row 8: '' is not a count for the placebo arm",
        "row 9: 'over' has 70 of 65 people measured in the treatment arm; fix the count, or the total",
        "row 10: 'beyond' has a total of 229 in the treatment arm of 228; fix the total",
        "row 11: it has 4 cells where the header has 3; write one for each arm",
    ):
        assert part in message


# --- arms ---


def test_a_table_may_have_more_arms(tmp_path: Path) -> None:
    path = write(tmp_path, "x,low (N = 10),high (N = 12),placebo (N = 9)", "a,1,2 (16.7),3")
    rows, arms = read_published(path)
    assert arms == Arms(("low", "high", "placebo"), (10, 12, 9))
    assert rows[0].counts == (1, 2, 3)


def test_another_number_of_sizes_than_arms_is_refused(tmp_path: Path) -> None:
    message = refusal(tmp_path, "x,a,b,c", "y,1,2,3", sizes=(4, 5))
    assert (
        "the header has 3 arms, and 2 sizes are given; write the sizes into the header" in message
    )


def test_a_column_of_sums_is_not_an_arm(tmp_path: Path) -> None:
    message = refusal(
        tmp_path, "x,a (N = 10),b (N = 12),Total (N = 22)", "y,1,2,3", "z,4,4,8", "none,0,0,0"
    )
    assert "the column 'Total' is the sum of the others, not an arm; leave it out." in message
    rows = ("y,1,2,3", "z,4,4,7")
    path = write(tmp_path, "x,a (N = 10),b (N = 12),c (N = 22)", *rows)
    assert len(read_published(path)[0]) == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"a,b,c\n", "the size of the arm 'b' is not known; give the sizes with --arms"),
        (b'a,b (N = 3),"c\n over lines\n"\n', "the size of the arm 'c over lines' is not known"),
        (b"a,b (N = 3),c (N = 4)\n", "no rows"),
        (b"a;b;c\nx;1;2\n", r"Is the delimiter ';' rather than ','\?"),
        (b"a,b\nx,1\n", "needs at least three cells, and has 2"),
        (b"a,b (N = 3),c (N = 4)\n\xff,1,2\n", "not UTF-8"),
        (b"a,b (N = 0),c (N = 4)\nx,1,2\n", r"table.csv: the b arm has 0 people"),
        (b"a,b (N = 3),b (N = 4)\nx,1,2\n", "two arms are called 'b'"),
        (b"a,(N = 3),(N = 4)\nx,4,2\n", "'x' has 4 people in the arm 1 arm of 3"),
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
        read_published(tmp_path / "none.csv", (1, 1))


# --- headings ---


def structure(folder: Path, *lines: str) -> list[tuple[str, bool]]:
    rows, _ = read_published(write(folder, "x,a (N = 10),b (N = 5)", *lines))
    return [(row.label, row.category) for row in rows]


def test_rows_under_a_heading_that_add_up_to_everybody_are_categories(tmp_path: Path) -> None:
    found = structure(tmp_path, "Titre,,", "1:40,6,1", "1:80,4,4", "1:160,0,0", "Female,4,1")
    assert found == [
        ("Titre: 1:40", True),
        ("Titre: 1:80", True),
        ("Titre: 1:160", True),  # nobody is in it, and it is printed with the others
        ("Female", False),
    ]


def test_categories_of_those_measured_add_up_to_their_totals(tmp_path: Path) -> None:
    found = structure(tmp_path, "Titre,,", "1:40,3/7,1/4", "1:80,4/7,3/4", "Female,4,1")
    assert found == [("Titre: 1:40", True), ("Titre: 1:80", True), ("Female", False)]


def test_a_heading_may_state_how_many_people_its_categories_are(tmp_path: Path) -> None:
    found = structure(tmp_path, "Device (n = 9),,", "mask,4,1", "cannula,2,2", "Female,4,1")
    assert found == [("Device: mask", True), ("Device: cannula", True), ("Female", False)]


def test_rows_that_do_not_add_up_are_no_categories(tmp_path: Path) -> None:
    found = structure(tmp_path, "Conditions,,", "Asthma,6,1", "COPD,3,4", "Drugs,,", "Statins,1,1")
    assert found == [
        ("Conditions: Asthma", False),
        ("Conditions: COPD", False),
        ("Drugs: Statins", False),
    ]


def test_one_name_may_stand_under_two_headings(tmp_path: Path) -> None:
    found = structure(tmp_path, "Asthma,,", "yes,6,1", "no,4,4", "COPD,,", "yes,1,1", "no,9,4")
    assert [label for label, _ in found] == ["Asthma: yes", "Asthma: no", "COPD: yes", "COPD: no"]


def test_a_heading_without_rows_lacks_its_counts(tmp_path: Path) -> None:
    message = refusal(tmp_path, HEADER, "Female,1,1", "Diabetes,,")
    assert "row 2: 'Diabetes' has no counts, and no rows under it; write its counts." in message


# --- medians, quartiles and means ---


def figures(folder: Path, *lines: str) -> list:
    rows, _ = read_published(write(folder, HEADER, *lines))
    return [row for row in rows if isinstance(row, Summary)]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("Median age (IQR),62.5 (53\u201372.5),62 (49\u201371)", {"median": 62.5, "q1": 53, "q3": 72.5}),
        ("Median titer (IQR),1/50 (0\u20131:800),1:50 (0)", {"median": 50, "q1": 0, "q3": 800}),
        ("Age — mean ± SD,54.2 ± 10.1,51 ± 9", {"mean": 54.2, "sd": 10.1}),
        ("Age mean (SD),54.2 (10.1),51 (9)", {"mean": 54.2, "sd": 10.1}),
        ("Age median [min to max],54 [18 to 90],5", {"median": 54, "least": 18, "most": 90}),
        ("Mean age (95 % CI),54 (50 to 58),51 (49 to 53)", {"mean": 54}),
        ("Change,\u22123 (\u22125 to 1),2 (-1 to 4)", {"median": -3, "q1": -5, "q3": 1}),
        ("Median visits,8,9", {"median": 8}),
        ("D-dimer median (IQR),-,\"1,224 (550-2,000)\"", None),
    ],
)  # fmt: skip
def test_figures_are_read_as_they_are_printed(tmp_path: Path, line: str, found) -> None:
    [row] = figures(tmp_path, line)
    first = row.cells[0]
    read = {name: float(each.value) for name, each in first.statistics.items()} if first else None
    assert read == found
    assert row.unread == ()


def test_a_heading_may_say_what_its_figures_are(tmp_path: Path) -> None:
    [row] = figures(tmp_path, "Laboratory mean (SD),,", "Sodium,138.1 (4.9),139 (5.2)", "Low,3,4")[
        :1
    ]
    assert row.label == "Laboratory mean (SD): Sodium"
    assert row.cells[0].statistics.keys() == {"mean", "sd"}


@pytest.mark.parametrize(
    "line", ["Mean pressure low,40 (17.5),21 (20)", "Median income or less — no. (%),40,21"]
)
def test_counts_stay_counts_whatever_their_name_says(tmp_path: Path, line: str) -> None:
    assert figures(tmp_path, line) == []


def test_a_cell_may_say_of_how_many_people_it_is(tmp_path: Path) -> None:
    [row] = figures(tmp_path, 'Median days (IQR),"31 (12-40), n = 3",19 (9-44) [n = 8]')
    assert [cell.people for cell in row.cells] == [3, 8]


def test_figures_that_cannot_be_are_named_and_others_passed_over(tmp_path: Path) -> None:
    message = refusal(
        tmp_path, HEADER, "Median a,62 (63-72),62 (49-71)", '"Median b, n",3 (n = 300),4'
    )
    assert "row 1: 'Median a' has '62 (63-72)', which is out of order, in the treatment" in message
    assert (
        "row 2: 'Median b, n' is of 300 people in the treatment arm of 228; fix the cell" in message
    )
    [row] = figures(tmp_path, "Median c,about 5,4")
    assert row.unread == ("'about 5' in the treatment arm is not a figure that can be read.",)


def test_the_header_may_stand_again_at_the_top_of_a_page(tmp_path: Path) -> None:
    rows, _ = read_published(write(tmp_path, HEADER, "a,1,2", HEADER, "b,1,2"))
    assert [row.label for row in rows] == ["a", "b"]
