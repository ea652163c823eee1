from __future__ import annotations

from rich.console import Console
from rich.tree import Tree

from anonymizer.hierarchy import Hierarchy, Intervals, Redaction, draw


def lines_of(tree: Tree) -> list[str]:
    console = Console(width=100, color_system=None)
    with console.capture() as capture:
        console.print(tree)
    return [line.rstrip() for line in capture.get().splitlines()]


def test_a_small_hierarchy_is_drawn_in_full_under_its_levels() -> None:
    rows = [("S", "small", "*"), ("M", "large", "*"), ("", "large", "*")]
    assert lines_of(draw(Hierarchy.from_rows("size", rows))) == [
        "size: 3 leaves, 3 levels",
        "level 0: 3 values, such as S",
        "level 1: 2 values, such as small",
        "level 2: 1 value, *",
        "└── * (3 leaves)",
        "    ├── small (1 leaf)",
        "    │   └── S",
        "    └── large (2 leaves)",
        "        ├── M",
        "        └── (missing)",
    ]


def test_what_is_too_much_is_counted_instead() -> None:
    lines = lines_of(draw(Intervals((0, 99)).build("age"), most=5))
    assert lines[-2:] == ["    ├── 4", "    └── … 95 more"]


def test_a_hundred_thousand_leaves_fit_on_a_few_screens() -> None:
    lines = lines_of(draw(Redaction(digits=5).build("zip"), most=5))
    assert len(lines) < 50
    assert "    ├── 0**** (10,000 leaves)" in lines
    assert "    └── … 5 more" in lines


def test_labels_are_text_never_markup() -> None:
    lines = lines_of(draw(Hierarchy.from_rows("x", [("[bold]", "[0,9]"), ("[/]", "[0,9]")])))
    assert lines[-3:] == ["└── [0,9] (2 leaves)", "    ├── [bold]", "    └── [/]"]


def test_several_values_at_the_top_are_all_roots() -> None:
    lines = lines_of(draw(Hierarchy.from_rows("x", [("a", "A"), ("b", "B")])))
    assert lines[-4:] == ["├── A (1 leaf)", "│   └── a", "└── B (1 leaf)", "    └── b"]


def test_of_codes_of_a_form_the_levels_have_examples_and_no_numbers() -> None:
    plates = Redaction(length=2, alphabet="alphanumeric").build("plate")
    first = lines_of(draw(plates))[:4]
    assert first[0].startswith("plate: 1,296 leaves, 3 levels")
    assert all(line.startswith(f"level {at}: such as ") for at, line in enumerate(first[1:3]))
    assert first[3] == "level 2: 1 value, *"
