from __future__ import annotations

from pathlib import Path

import pytest

from anonymizer.errors import HierarchyError
from anonymizer.hierarchy import (
    BUILDERS,
    Builder,
    Hierarchy,
    check_file,
    load_hierarchy,
    parse_spec,
    write_arx,
)
from anonymizer.hierarchy.spec import cut, make_inline

SPECS = {
    "intervals": "domain = [0, 9]\nwidths = [5]\nothers = ['?']",
    "redaction": "digits = 2",
    "codes": "prefixes = [3, 1]\nvalues = ['A101', 'A102', 'A201', 'B101']",
    "dates": "from = 2024-01-01\nto = '2024-12-31'\nperiods = ['month', 'quarter']",
    "elapsed": "domain = [-14, 27]\nperiods = ['week', '4 weeks']",
    "mapping": "[groups]\nEurope = ['NO', 'SE']\nAsia = ['JP']",
    "ordered": "values = ['S', 'M', 'L', [1, 3]]\nsizes = [2, [1, 2]]",
    "priority": "values = ['flu', 'asthma', 'gout']\nkeep = [1]",
}


ALL_BUILDERS = ", ".join(f"'{kind}'" for kind in BUILDERS)


def spec_file(folder: Path, text: str) -> Path:
    path = folder / "size.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", SPECS)
def test_a_spec_and_the_arx_file_made_from_it_are_one_hierarchy(tmp_path: Path, kind: str) -> None:
    path = spec_file(tmp_path, f'builder = "{kind}"\n{SPECS[kind]}\n')
    built = load_hierarchy(path)
    write_arx(built, tmp_path / "size.csv")
    assert list(load_hierarchy(tmp_path / "size.csv").rows()) == list(built.rows())
    assert built.source == str(path)
    assert check_file(path) == check_file(tmp_path / "size.csv") == []


def test_the_name_is_the_files_unless_another_is_given(tmp_path: Path) -> None:
    path = spec_file(tmp_path, "builder = 'redaction'\ndigits = 1")
    assert load_hierarchy(path).name == "size"
    assert load_hierarchy(path, "digit").name == "digit"


def test_the_top_can_be_renamed(tmp_path: Path) -> None:
    path = spec_file(tmp_path, "builder = 'redaction'\ndigits = 1\ntop = 'any'")
    assert load_hierarchy(path).labels[-1] == ("any",)


def test_the_delimiter_is_for_csv_files(tmp_path: Path) -> None:
    (tmp_path / "sex.csv").write_text("Male,*\nFemale,*\n", encoding="utf-8")
    assert load_hierarchy(tmp_path / "sex.csv", delimiter=",").height == 2


def test_all_faults_of_a_spec_are_shown_together_with_the_file(tmp_path: Path) -> None:
    path = spec_file(tmp_path, "builder = 'intervals'\nwidth = 5\nwidths = [4, 6]\ntop = 1")
    with pytest.raises(HierarchyError) as caught:
        load_hierarchy(path)
    assert str(caught.value).splitlines() == [
        f"{path} has 4 defects:",
        "  - domain: this key is missing; add it.",
        "  - widths: 6 is not a multiple of 4, so intervals would be cut in two; use 8.",
        "  - top: 1 is not a string; put it in quotes.",
        "  - width: this key is unknown; did you mean 'widths'?",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "digits = 5",
            f"builder: this key is missing; use one of {ALL_BUILDERS}.",
        ),
        (
            "builder = ['dates']",
            f"builder: ['dates'] is unknown; use one of {ALL_BUILDERS}.",
        ),
        (
            "builder = 'redaction'\ndigits = 5\ncolour = 1",
            "colour: this key is unknown; use one of "
            "'others', 'top', 'missing', 'digits', 'values', 'length', "
            "'alphabet', 'side', 'redact' and 2 more.",
        ),
        (
            "builder = 'dates'\nto = 2024-01-01",
            "from: this key is missing; add it.",
        ),
        (
            "builder = ",
            "not valid TOML (Invalid value (at end of document)); fix that place.",
        ),
    ],
)
def test_a_fault_is_one_sentence_that_names_the_file(
    tmp_path: Path, text: str, message: str
) -> None:
    path = spec_file(tmp_path, text)
    with pytest.raises(HierarchyError) as caught:
        load_hierarchy(path)
    assert str(caught.value) == f"{path}: {message}"


def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    for name, message in {
        "size.xlsx": "a hierarchy is a .csv file (as ARX has it) or a .toml file (a spec); "
        "name it accordingly.",
        "size.toml": "there is no such hierarchy file; check the path.",
        "size.csv": "there is no such file; check the path.",
    }.items():
        for read in (load_hierarchy, check_file):
            with pytest.raises(HierarchyError) as caught:
                read(tmp_path / name)
            assert str(caught.value) == f"{tmp_path / name}: {message}"


@pytest.mark.parametrize("name", ["a\0b.toml", "a\0b.csv"])
def test_a_nul_in_the_path_of_a_hierarchy_is_one_sentence(name: str) -> None:
    with pytest.raises(HierarchyError) as caught:
        load_hierarchy(name)
    assert str(caught.value).isprintable()


def test_a_spec_that_is_not_utf_8_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "size.toml").write_bytes(b"# caf\xe9")
    with pytest.raises(HierarchyError, match="the hierarchy is not UTF-8 text; save it as UTF-8"):
        load_hierarchy(tmp_path / "size.toml")


def test_checking_a_file_finds_faults_of_specs_and_warnings_alike(tmp_path: Path) -> None:
    bad = spec_file(tmp_path, "builder = 'redaction'\ndigits = 9")
    (defect,) = check_file(bad)
    assert (defect.severity, defect.attribute) == ("error", "size")
    assert defect.message == "digits: 9 is too large; use 6 or less."
    (tmp_path / "size.csv").write_text(" S;*\nM;*\n", encoding="utf-8")
    assert [defect.severity for defect in check_file(tmp_path / "size.csv")] == ["warning"]


def test_a_builder_can_be_made_from_a_table_in_code() -> None:
    builder = parse_spec({"builder": "ordered", "values": ["S", "M"], "sizes": [2]})
    assert builder.build("size") == Hierarchy.from_rows(
        "size", [("S", "S to M", "*"), ("M", "S to M", "*")]
    )


def test_a_path_of_several_lines_is_one_in_the_message() -> None:
    with pytest.raises(HierarchyError, match=r"^a b: a hierarchy is a"):
        load_hierarchy("a\nb")


def test_the_numbers_of_a_continuous_domain_are_merged_by_its_first_level(tmp_path: Path) -> None:
    spec, idle = tmp_path / "height.toml", tmp_path / "idle.toml"
    spec.write_text('builder = "intervals"\ndomain = [145.0, 210.0]\nwidths = [5, 10]\n')
    assert check_file(spec) == []
    idle.write_text('builder = "intervals"\ndomain = [0.0, 12.0]\nbounds = [[6], [6]]\n')
    assert ["level 2 merges nothing" in defect.message for defect in check_file(idle)] == [True]


def test_a_table_from_value_to_group_is_a_hierarchy_with_a_top() -> None:
    made = make_inline({"NO": "Europe", 7: "Asia"})
    assert isinstance(made, Hierarchy)
    assert list(made.rows()) == [("NO", "Europe", "*"), ("7", "Asia", "*")]


def test_defects_of_a_table_are_said_as_those_of_a_file() -> None:
    with pytest.raises(HierarchyError, match="row 2 has 3 cells"):
        make_inline({"a": ["x", "y"], "b": "x", "c": ["x", "y"]})


@pytest.mark.parametrize("groups", [None, {}, {"x": "y"}, [["x"]]])
def test_a_group_is_a_name(groups: object) -> None:
    with pytest.raises(HierarchyError, match="the groups of 'a' are not names"):
        make_inline({"a": groups})


def test_the_domain_of_cut_points_reaches_beyond_them_by_the_widest_interval() -> None:
    assert cut([18, 40, 65])["domain"] == [-7, 89]
    assert cut([[10, 20, 30], [20]])["bounds"] == [[10, 20, 30], [20]]
    assert cut([0.5, 1.5])["domain"] == [-0.5, 2.5]


def test_cut_points_have_open_ends() -> None:
    ages, doses = make_inline([18, 40, 65]), make_inline([[2.5, 5.0], [5.0]])
    assert isinstance(ages, Builder)
    assert isinstance(doses, Builder)
    assert ages.build("age").labels[1] == ("< 18", "18-39", "40-64", "65+")
    assert doses.build("dose").labels[1:3] == (("< 2.5", "[2.5, 5)", ">= 5"), ("< 5", ">= 5"))


@pytest.mark.parametrize("points", [[3, 1], ["a"], [True, "x"], [[1], "b"]])
def test_other_lists_are_not_cut_points(points: list[object]) -> None:
    with pytest.raises(HierarchyError):
        make_inline(points)


def test_an_empty_list_of_cut_points_is_refused_in_one_sentence() -> None:
    with pytest.raises(HierarchyError, match="cut points are rising numbers"):
        make_inline([[]])
