"""Codes of a classification: what is above them follows from their structure."""

from __future__ import annotations

import csv
import tomllib
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer import anonymize, make_manifest, propose, show_values, verify
from anonymizer.errors import HierarchyError
from anonymizer.hierarchy import (
    Coded,
    Hierarchy,
    check_file,
    check_values,
    load_hierarchy,
    parse_spec,
    read_arx,
    suggest,
    write_arx,
)
from anonymizer.hierarchy.codes import SYSTEMS, AsCode

FORMS = {
    "icd-10": st.from_regex(r"[A-Z][0-9][0-9A-Z](\.[0-9A-Z]{1,4})?", fullmatch=True),
    "atc": st.from_regex(r"[ABCDGHJLMNPRSV][0-9]{2}([A-Z]([A-Z]([0-9]{2})?)?)?", fullmatch=True),
    "isco-08": st.from_regex(r"[0-9]{1,4}", fullmatch=True),
    "nuts": st.from_regex(r"(DE|FR|UK|EL)[0-9A-Z]{0,3}", fullmatch=True),
    "postal": st.from_regex(r"[0-9A-Z]{1,4}([- ][0-9A-Z]{1,3})?", fullmatch=True)
    | st.from_regex(r"(EH|M)[0-9]{1,2} ?[0-9][A-Z]{2}|101[0-9] ?[A-Z]{2}", fullmatch=True)
    | st.from_regex(r"K1[A-C] ?[0-9][A-Z][0-9]|D0[0-9W] ?[A-Z0-9]{4}", fullmatch=True),
}
SHIPPED = sorted((Path(__file__).resolve().parents[2] / "hierarchies" / "codes").glob("*.toml"))
LABELS = {"E11": "Type 2 diabetes", "E10-E14": "Diabetes mellitus", "IV": "Metabolism"}


@st.composite
def coded(draw: st.DrawFn) -> tuple[Coded, list[str]]:
    """A builder, and codes of its system that it does not list."""
    name = draw(st.sampled_from(sorted(FORMS)))
    codes = st.lists(FORMS[name], min_size=1, max_size=12, unique=True)
    labels = {"0": "none", "A": "first", "E10-E14": "diabetes", "IV": "more"}
    known = {text: label for text, label in labels.items() if SYSTEMS[name].read(text)}
    if name == "icd-10":
        known = {text: labels[text] for text in ("E10-E14", "IV")}
    built = Coded(system=name, values=tuple(draw(codes)), labels=known, unlisted=True)
    return built, draw(codes)


@given(coded())
def test_each_level_coarsens_the_one_below_for_listed_codes_and_others(
    drawn: tuple[Coded, list[str]],
) -> None:
    builder, more = drawn
    grown = builder.build("x").with_values(more)
    assert {AsCode(builder.system).read(code) for code in more} <= set(grown.leaves)
    assert Hierarchy.from_rows("x", grown.rows()).labels == grown.labels  # or it has defects


@given(coded())
def test_a_released_group_is_known_again_though_no_code_of_it_is_listed(
    drawn: tuple[Coded, list[str]],
) -> None:
    builder, more = drawn
    built = builder.build("x")
    grown = built.with_values(more)
    for level in range(1, built.height):
        again = built.with_labels(grown.labels[level], level)
        assert set(grown.labels[level]) <= set(again.labels[level])


@given(coded())
def test_a_code_is_one_leaf_however_it_is_written(drawn: tuple[Coded, list[str]]) -> None:
    builder, more = drawn
    read = AsCode(builder.system).read
    for code in more:
        spellings = {code, code.lower(), f" {code} ", read(code) or ""}
        if builder.system == "icd-10":
            spellings.add(code.replace(".", ""))
        assert len({read(text) for text in spellings}) == 1


def test_icd_10_has_category_block_and_chapter_with_the_labels_of_the_user() -> None:
    built = Coded(system="icd-10", values=("E11.9", "E119", "I10", "Z79.4"), labels=LABELS)
    assert list(built.rows()) == [
        ("E11.9", "E11 Type 2 diabetes", "E10-E14 Diabetes mellitus", "IV Metabolism", "*"),
        ("I10", "I10", "I10-I15", "IX", "*"),
        ("Z79.4", "Z79", "Z77-Z79", "XXI", "*"),
    ]


@pytest.mark.parametrize(
    ("keys", "row"),
    [
        ({"system": "atc", "values": ["a10b a02"]}, "A10BA02 A10BA A10B A10 A *"),
        ({"system": "isco-08", "values": [110]}, "0110 011 01 0 *"),
        ({"system": "nuts", "values": ["DE212"]}, "DE212 DE21 DE2 DE *"),
        ({"system": "postal", "values": ["00-950"]}, "00-950 00-95 00-9 00 00 0 *"),
        ({"prefixes": [3, 1], "values": ["x12.7"]}, "x12.7 x12 x *"),
    ],
)
def test_other_systems_keep_leading_characters(keys: dict[str, Any], row: str) -> None:
    assert next(parse_spec({"builder": "codes", **keys}).rows()) == tuple(row.split())


def test_the_halves_of_a_postal_code_stay_apart_whether_or_not_a_blank_is_written() -> None:
    built = Coded(
        system="postal", prefixes=(4, 2), values=("EH1 2NG", "EH129DN", "1012ab", "114 55")
    )
    assert [row[:2] for row in built.rows()] == [
        ("EH1 2NG", "EH1"),
        ("EH12 9DN", "EH12"),
        ("1012 AB", "1012"),
        ("11455", "1145"),
    ]


@pytest.mark.parametrize(
    ("keys", "faults"),
    [
        (
            {"values": ["a"]},
            ["prefixes: give prefixes, or the `system`: icd-10, atc, isco-08, nuts, postal."],
        ),
        (
            {"system": "atc", "prefixes": [3], "values": ["A10"]},
            ["prefixes: the structure of 'atc' is known; leave it out."],
        ),
        (
            {"system": "icd-10", "values": ["E11", "diabetes", "none"], "top": 1},
            [
                "top: 1 is not a string; put it in quotes.",
                "values: not an ICD-10 code: 'diabetes', 'none'; correct it, or list it in `others`.",
            ],
        ),
        ({"system": "nuts"}, ["labels: list the codes in `values`, or name a file that has them."]),
        (
            {"system": "icd-10", "values": ["E11"], "labels": {"E11": "a", "e11": "b", "flu": "c"}},
            [
                "labels: 'e11' is labelled 'a' and 'b'; keep one of them.",
                "labels: not an ICD-10 code or a group of them: 'flu'; correct it.",
            ],
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_all_at_once(keys: dict[str, Any], faults: list[str]) -> None:
    with pytest.raises(HierarchyError) as caught:
        parse_spec({"builder": "codes", **keys})
    assert sorted(caught.value.faults) == sorted(faults)


def test_a_cell_that_is_no_code_is_an_error_unless_it_is_listed_among_others() -> None:
    built = Coded(system="icd-10", values=("E11.9",), unlisted=True).build("dx")
    with show_values():
        (defect,) = check_values(built, ["e119", "I10", "unclear"])
    assert "1 value is not an ICD-10 code: 'unclear'" in defect.message
    assert "`others`" in defect.message
    wide = Coded(system="icd-10", values=("E11.9",), unlisted=True, others=("unclear",))
    assert check_values(wide.build("dx"), ["e119", "I10", "unclear"]) == []
    (defect,) = check_values(Coded(system="icd-10", values=("E11.9",)).build("dx"), ["I10"])
    assert "unlisted = true" in defect.message


def write_labels(folder: Path, rows: list[tuple[str, str]], delimiter: str = ";") -> Path:
    with (folder / "icd10.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)
    spec = folder / "dx.toml"
    spec.write_text('builder = "codes"\nsystem = "icd-10"\nlabels = "icd10.csv"\n', "utf-8")
    return spec


@pytest.mark.parametrize("header", [[("code", "label")], []])
@pytest.mark.parametrize("delimiter", [";", ","])
def test_labels_come_from_a_file_beside_the_spec_which_lists_the_codes(
    header: list[tuple[str, str]], delimiter: str, tmp_path: Path
) -> None:
    rows = [
        ("E11.9", "no complications"),
        ("J45.0", "allergic"),
        *LABELS.items(),
        ("C00-C97", "all"),
    ]
    spec = write_labels(tmp_path, [*header, *rows], delimiter)
    built = load_hierarchy(spec)
    assert set(built.leaves) == {"E11", "E11.9", "J45.0"}
    assert built.labels[1] == ("E11 Type 2 diabetes", "J45")
    write_arx(built, tmp_path / "dx.csv")
    assert list(read_arx(tmp_path / "dx.csv").rows()) == list(built.rows())


def test_all_faults_of_a_file_of_labels_are_said_with_its_name(tmp_path: Path) -> None:
    rows = [("code", "label"), ("E119", "a"), ("E11.9", "b"), ("asthma", "c")]
    with pytest.raises(HierarchyError, match=r"icd10.csv has 2 defects") as caught:
        load_hierarchy(write_labels(tmp_path, rows))
    assert [fault.split()[0] for fault in caught.value.faults] == ["'E11.9'", "not"]
    (tmp_path / "icd10.csv").unlink()
    with pytest.raises(HierarchyError, match=r"icd10.csv: there is no such file"):
        load_hierarchy(tmp_path / "dx.toml")


PEOPLE = {"dx": ["E119", "e11.9", "E10.1", "I10", "I11.0", "J45"] * 4, "sex": ["f", "m"] * 12}


def test_a_release_with_codes_is_verified_against_its_table(tmp_path: Path) -> None:
    write_labels(tmp_path, [("code", "label"), *LABELS.items(), ("I10", "Hypertension")])
    pd.DataFrame(PEOPLE).to_csv(tmp_path / "table.csv", index=False)
    (tmp_path / "policy.toml").write_text(
        """
[data]
path = "table.csv"
rows_are_people = true
[attributes.dx]
role = "quasi"
min_level = 2
hierarchy = { builder = "codes", system = "icd-10", labels = "icd10.csv", unlisted = true }
[attributes.sex]
role = "insensitive"
[[risk]]
model = "k-anonymity"
k = 4
""",
        "utf-8",
    )
    table = pd.read_csv(tmp_path / "table.csv")
    solution = anonymize(table, tmp_path / "policy.toml")
    released = solution.to_frame(seed=1)
    assert set(released["dx"]) == {"E10-E14 Diabetes mellitus", "I10-I15", "J40-J47"}
    manifest = make_manifest(solution, released)
    assert verify(released, tmp_path / "policy.toml", manifest).passed
    assert verify(released, tmp_path / "policy.toml", manifest, against=table).passed


def test_level_0_is_released_in_one_spelling_and_verified() -> None:
    table = pd.DataFrame({"dx": ["E119", "e11.9"] * 4 + ["I10"] * 4, "ward": ["a", "b"] * 6})
    keys = {"builder": "codes", "system": "icd-10", "values": ["I10"], "unlisted": True}
    policy = {
        "data": {"rows_are_people": True},
        "attributes": {"dx": {"role": "quasi", "hierarchy": keys}, "ward": {"role": "insensitive"}},
        "risk": [{"model": "k-anonymity", "k": 4}],
    }
    solution = anonymize(table, policy)
    released = solution.to_frame(seed=1)
    assert set(released["dx"]) == {"E11.9", "I10"}
    manifest = make_manifest(solution, released)
    assert verify(released, policy, manifest, against=table).passed


@pytest.mark.parametrize("spec", SHIPPED, ids=lambda path: path.stem)
def test_every_shipped_example_is_sound_and_says_what_it_is_for(spec: Path) -> None:
    assert spec.read_text(encoding="utf-8").startswith("# ")
    assert all(defect.severity != "error" for defect in check_file(spec))


COLUMNS = {
    "dx": (["E11.9", "E10.1", "I10", "J45.0", "Z79.4", "N39.0"], "icd-10"),
    "ICD10": (["E119", "E101", "I10", "J450", "Z794"], "icd-10"),
    "drug": (["A10BA02", "C09AA05", "N02BE01", "J01CA04"], "atc"),
    "region": (["DE212", "DE111", "FR101", "UKI31", "ITC4C"], "nuts"),
    "isco": (["2211", "5321", "110", "9112"], "isco-08"),
    "postcode": (["SW1A 1AA", "M1 1AE", "EH1 2NG", "M1 2AB"], "postal"),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_codes_of_a_classification_are_recognized(name: str) -> None:
    values, system = COLUMNS[name]
    spec = tomllib.loads(suggest(pd.Series(values, name=name)))
    assert (spec["builder"], spec["system"], spec["unlisted"]) == ("codes", system, True)
    assert check_values(parse_spec(spec).build(name), values) == []


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("room", ["A12", "B07", "C11", "A13", "E20"]),
        ("zip", ["10115", "10117", "20095"]),
        ("class", ["2211", "5321", "1101", "9112"]),
        ("stage", ["none", "light", "severe", "no"]),
        ("flight", ["LH123", "BA2490", "AF11"]),
    ],
)
def test_what_only_looks_a_little_like_codes_is_not_taken_for_them(
    name: str, values: list[str]
) -> None:
    assert tomllib.loads(suggest(pd.Series(values, name=name)))["builder"] != "codes"


def test_a_few_cells_that_are_no_codes_are_others() -> None:
    values = [f"E{number}.1" for number in range(10, 40)] + ["unknown"]
    spec = tomllib.loads(suggest(pd.Series(values, name="dx")))
    assert (spec["builder"], spec["others"]) == ("codes", ["unknown"])


def test_a_proposed_policy_has_the_codes_of_its_columns() -> None:
    frame = pd.DataFrame({name: (values * 200)[:600] for name, (values, _) in COLUMNS.items()})
    proposal = propose(frame, quasi=list(COLUMNS), rows_are_people=True)
    found = {name: tomllib.loads(spec).get("system") for name, spec in proposal.specs.items()}
    assert found.items() <= {name: system for name, (_, system) in COLUMNS.items()}.items()
    assert found
