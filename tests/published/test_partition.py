from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from anonymizer.published import Characteristic
from anonymizer.published.partition import Answer, partitions_of
from tests.published.tables import TRIAL, arms_of, rows_of


def groups_of(*rows: Characteristic) -> list[dict[str, tuple[int, ...]]]:
    return [
        {group.name: group.counts for group in partition.groups}
        for partition in partitions_of(rows, TRIAL)
    ]


def test_a_row_divides_everybody_into_who_has_it_and_the_complement() -> None:
    assert groups_of(Characteristic("it", (224, 100))) == [
        {"has it": (224, 100), "does not have it": (4, 5)}
    ]


def test_who_was_not_measured_is_a_group_and_those_measured_are_divided_again() -> None:
    titre = Characteristic("negative", (65, 34), (145, 70))
    assert groups_of(titre) == [
        {"has it": (65, 34), "does not have it": (80, 36), "not measured": (83, 35)},
        {"has it": (65, 34), "does not have it": (80, 36)},
    ]
    everybody, measured = partitions_of([titre], TRIAL)
    assert (everybody.sizes, measured.sizes) == ((228, 105), (145, 70))
    assert measured.label == "negative, of those measured"
    assert everybody.printed
    assert not measured.printed


def test_totals_that_are_the_arms_leave_nobody_unmeasured() -> None:
    assert len(groups_of(Characteristic("it", (1, 1), (228, 105)))) == 1


def test_nobody_measured_leaves_nothing_to_divide_again() -> None:
    assert groups_of(Characteristic("it", (0, 0), (0, 0))) == [
        {"has it": (0, 0), "does not have it": (0, 0), "not measured": (228, 105)}
    ]


def test_categories_are_divided_one_by_one_and_together() -> None:
    rows = [
        Characteristic(name, counts, None, "titre", category=True)
        for name, counts in {"1:40": (28, 5), "1:80": (100, 50), "1:160": (100, 50)}.items()
    ]
    *single, together = groups_of(*rows)
    assert [each["does not have it"] for each in single] == [(200, 100), (128, 55), (128, 55)]
    assert together == {"1:40": (28, 5), "1:80": (100, 50), "1:160": (100, 50)}
    *_, together = groups_of(*rows[:2])
    assert together["none of these"] == (100, 50)


def test_pdp_is_asked_of_every_group_once() -> None:
    rows = [
        Characteristic(name, counts, (145, 70), "titre", category=True)
        for name, counts in {"1:40": (28, 5), "1:80": (100, 50)}.items()
    ]
    asked = [
        (partition.label, group.name)
        for partition in partitions_of(rows, TRIAL)
        for group in partition.groups
        if group.attacks
    ]
    assert asked == [
        ("titre: 1:40", "has it"),
        ("titre: 1:40", "does not have it"),
        ("titre: 1:80", "has it"),
        ("titre: 1:80", "does not have it"),
        ("titre: all categories", "none of these"),
        ("titre: all categories", "not measured"),
    ]


@given(st.data())
def test_groups_add_up_to_the_people_of_each_arm(data: st.DataObject) -> None:
    arms = data.draw(arms_of(9))
    for partition in partitions_of(data.draw(rows_of(arms)), arms):
        sums = tuple(map(sum, zip(*(group.counts for group in partition.groups), strict=True)))
        assert sums == partition.sizes
        if not partition.measured_only:
            assert sums == arms.sizes
        assert len({group.name for group in partition.groups}) == len(partition.groups)
        assert all(group.answer is not Answer.MISSING or group.total for group in partition.groups)
