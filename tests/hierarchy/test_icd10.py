"""The blocks of ICD-10 cover every category once, in the order of their codes."""

from __future__ import annotations

from itertools import pairwise

import pytest

from anonymizer.hierarchy.icd10 import BLOCKS, CHAPTERS, block_of, category_of, first_of, number_of

CATEGORIES = [category_of(number) for number in range(2600)]
ROMAN = "I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XXII XX XXI".split()  # noqa: SIM905


def test_there_are_22_chapters_of_263_blocks_that_do_not_overlap() -> None:
    assert list(CHAPTERS) == ROMAN
    assert len(BLOCKS) == 263
    assert all(block.first <= block.last for block in BLOCKS)
    assert all(before.last < after.first for before, after in pairwise(BLOCKS))


def test_every_category_is_in_one_block_and_what_who_leaves_out_is_a_block_too() -> None:
    blocks = [block_of(category) for category in CATEGORIES]
    assert all(block.first <= number <= block.last for number, block in enumerate(blocks))
    found = sorted(set(blocks))
    assert all(before.last + 1 == after.first for before, after in pairwise(found))
    assert set(BLOCKS) <= set(found)
    assert all(first_of(block.name) == category_of(block.first) for block in found)
    assert {block.chapter for block in found} == set(CHAPTERS)


def test_chapters_are_ranges_too() -> None:
    chapters = [block_of(category).chapter for category in CATEGORIES]
    runs = [chapters[0], *(after for before, after in pairwise(chapters) if before != after)]
    assert runs == ROMAN


@pytest.mark.parametrize(
    ("category", "block", "chapter"),
    [
        ("A00", "A00-A09", "I"),
        ("B99", "B99-B99", "I"),
        ("C50", "C50-C50", "II"),
        ("D49", "D49-D49", "II"),
        ("D50", "D50-D53", "III"),
        ("H59", "H55-H59", "VII"),
        ("H60", "H60-H62", "VIII"),
        ("U07", "U00-U49", "XXII"),
        ("V00", "V00-V00", "XX"),
        ("Y05", "X85-Y09", "XX"),
        ("Z99", "Z80-Z99", "XXI"),
        ("M1A", "M05-M14", "XIII"),
        ("Z3A", "Z30-Z39", "XXI"),
    ],
)
def test_a_category_has_its_block_and_chapter(category: str, block: str, chapter: str) -> None:
    assert (block_of(category).name, block_of(category).chapter) == (block, chapter)
    assert number_of(category) in range(block_of(category).first, block_of(category).last + 1)


@pytest.mark.parametrize("group", ["E10-E13", "E10", "", "e10-e14", "XXIII", "É10-E14"])
def test_what_is_no_block_or_chapter_has_no_first_category(group: str) -> None:
    assert first_of(group) is None
