"""Groups that come from other columns of the data, or of another table."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer import Policy
from anonymizer.errors import HierarchyError
from anonymizer.hierarchy import Explicit, check_file, load_hierarchy, parse_spec

EVENTS = pd.DataFrame(
    [
        ("1", "Headache", "Headaches NEC", "Nervous"),
        ("1", "Migraine", "Headaches NEC", "Nervous"),
        ("2", "Nausea", "Nausea and vomiting", "Gastrointestinal"),
        ("2", "Headache", "Headaches NEC", "Nervous"),
        ("3", "Nausea", "", "Gastrointestinal"),
        ("3", "", "", ""),
    ],
    columns=["USUBJID", "AEDECOD", "AEHLT", "AEBODSYS"],
)
SPEC = 'builder = "mapping"\npath = "ae.csv"\nvalue = "AEDECOD"\nabove = ["AEHLT", "AEBODSYS"]\n'
ROWS = [
    ("Headache", "Headaches NEC", "Nervous", "*"),
    ("Migraine", "Headaches NEC", "Nervous", "*"),
    ("Nausea", "Nausea and vomiting", "Gastrointestinal", "*"),
]


def write_spec(folder: Path, events: pd.DataFrame) -> Path:
    events.to_csv(folder / "ae.csv", index=False)
    (folder / "term.toml").write_text(SPEC, encoding="utf-8")
    return folder / "term.toml"


def test_the_columns_of_a_table_are_the_levels(tmp_path: Path) -> None:
    assert list(load_hierarchy(write_spec(tmp_path, EVENTS)).rows()) == ROWS


def test_a_policy_finds_the_table_beside_itself_and_lets_no_run_overwrite_it(
    tmp_path: Path,
) -> None:
    write_spec(tmp_path, EVENTS)
    inline = SPEC.replace("\n", ", ").rstrip(", ")
    (tmp_path / "policy.toml").write_text(
        f"[attributes.AEDECOD]\nrole = 'quasi'\nhierarchy = {{ {inline} }}\n"
        "[[risk]]\nmodel = 'k-anonymity'\nk = 2\n",
        encoding="utf-8",
    )
    policy = Policy.read(tmp_path / "policy.toml")
    assert list(policy.hierarchy("AEDECOD").rows()) == ROWS
    assert tmp_path / "ae.csv" in policy.files


@given(st.lists(st.tuples(*[st.sampled_from("abc")] * 3), min_size=1, max_size=8))
def test_the_groups_are_those_of_the_rows_or_a_value_has_two_parents(
    rows: list[tuple[str, ...]],
) -> None:
    table = pd.DataFrame(rows, columns=["AEDECOD", "AEHLT", "AEBODSYS"])
    unique = all(
        len({row[level + 1] for row in rows if row[level] == value}) == 1
        for level in (0, 1)
        for value in {row[level] for row in rows}
    )
    with TemporaryDirectory() as folder:
        spec = write_spec(Path(folder), table)
        if unique:
            assert set(load_hierarchy(spec).rows()) == {(*row, "*") for row in rows}
        else:
            assert check_file(spec)


def test_every_value_with_two_parents_or_none_is_named_with_both(tmp_path: Path) -> None:
    more = [
        ("4", "Headache", "Other", "Nervous"),
        ("4", "Nausea", "Nausea and vomiting", "Other"),
        ("5", "Rash", "", ""),
    ]
    events = pd.concat([EVENTS, pd.DataFrame(more, columns=EVENTS.columns)])
    remedy = "; correct the table, or choose another column."
    with pytest.raises(HierarchyError, match=r"ae.csv has 3 defects") as caught:
        load_hierarchy(write_spec(tmp_path, events))
    assert caught.value.faults == (
        f"'Headache' of 'AEDECOD' is in 'Headaches NEC' and in 'Other' of 'AEHLT'{remedy}",
        "nothing of 'AEHLT' stands beside 'Rash' of 'AEDECOD'; fill it in.",
        "'Nausea and vomiting' of 'AEHLT' is in 'Gastrointestinal' and in 'Other' of 'AEBODSYS'"
        + remedy,
    )


@pytest.mark.parametrize(
    ("keys", "fault"),
    [
        ({"path": "x.csv"}, "`path` needs it; name the column"),
        ({"values": ["a"], "value": "a"}, "goes with `path`; leave it out"),
        ({"values": ["a"], "path": "x.csv", "value": "a", "above": ["b"]}, "give exactly one of"),
    ],
)
def test_file_and_columns_go_together(keys: dict[str, object], fault: str) -> None:
    with pytest.raises(HierarchyError, match=fault):
        parse_spec({"builder": "mapping", **keys})


def test_a_table_or_a_column_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    spec = write_spec(tmp_path, EVENTS.rename(columns={"AEHLT": "HLT"}))
    with pytest.raises(HierarchyError, match=r"ae.csv: no column 'AEHLT'"):
        load_hierarchy(spec)
    (tmp_path / "ae.csv").unlink()
    with pytest.raises(HierarchyError, match=r"ae.csv: there is no such file"):
        load_hierarchy(spec)


def test_others_and_missing_cells_are_checked_once_the_table_is_read(tmp_path: Path) -> None:
    write_spec(tmp_path, EVENTS)
    keys = {"path": str(tmp_path / "ae.csv"), "value": "AEDECOD", "above": ["AEBODSYS"]}
    assert ("uncoded", "uncoded", "*") in Explicit(**keys, others=("uncoded",)).rows()
    with pytest.raises(HierarchyError, match="already a leaf: 'Nausea'"):
        Explicit(**keys, others=("Nausea",)).build("term")
