"""Forests: sets of events that have parents among the events, and who has each.

Whoever knows a set S of events knows their parents too: the forest F of S with all that is above it. A
person T matches S where there is an injective map of F to events of T that keeps table, tuple and parent.
The image of such a map is closed under parents, since the parent of an image is the image of the parent;
so it is a part of T's forest that is isomorphic to F. Turned round, where T's forest has a part, closed
under parents, that is isomorphic to F, the isomorphism is such a map. So T matches S exactly where the
form of F, up to isomorphism, is among those of the closed parts of T's forest, and it is enough to number
these forms: a tree is its tuple with the sorted numbers of its subtrees, a forest its sorted trees.

F is the closure of its leaves, and every set with the closure F holds these. So somebody may know F
exactly where the leaves of F are no more than their powers, and all of tables that are not left out.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.aggregate import code_labels
from anonymizer.kernels.multisets import merge_equal, peel_sets
from anonymizer.study.study import NO_ROWS, PEOPLE, Mask, Study

Part = tuple[int, ...]
"""Some trees: their numbers, sorted."""


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A tree of events: the table and the tuple of its root, and the trees below."""

    table: int
    label: int
    below: Part


@dataclass(frozen=True, eq=False)
class Forest:
    """Everybody's events as trees, equal ones numbered alike."""

    first: NDArray[np.int64]
    """Where the trees of each person begin in `trees`; the last is their number."""
    trees: NDArray[np.int32]
    forms: tuple[Tree, ...]
    """Every tree by its number; those below come before it."""

    @staticmethod
    def of(study: Study, known: Sequence[int], labels: Sequence[NDArray[np.integer]]) -> Forest:
        """Number the trees of the events that are known and of their parents.

        `labels` are those of the rows of each table: equal where these are alike.
        """
        there, numbers = rows_there(study, known), dict[int, NDArray[np.int32]]()
        forms: list[Tree] = []
        for place in there:  # children come first
            items, begin = lists_below(study, place, there, numbers)
            below = code_labels(merge_equal(items, begin)[0])
            of_row = code_labels(labels[place]).refine(below)
            numbers[place] = of_row.of_row + np.int32(len(forms))
            forms += [
                Tree(
                    place,
                    int(labels[place][row]),
                    tuple(items[begin[row] : begin[row + 1]].tolist()),
                )
                for row in of_row.first_rows().tolist()
            ]
        roots = [place for place in there if study.tables[place].parent == PEOPLE]
        persons = [study.person_of_row[place][there[place]] for place in roots]
        trees = [numbers[place][there[place]] for place in roots]
        return Forest(*in_lists(persons, trees, study.people)[::-1], tuple(forms))


def rows_there(study: Study, known: Sequence[int]) -> dict[int, Mask]:
    """Mark the rows of known tables and all that is above them, tables of children first."""
    there: dict[int, Mask] = {}
    for place in reversed(range(1, len(study.tables))):
        marked = np.full(study.tables[place].rows, place in known)
        for child, mask in there.items():
            if study.tables[child].parent == place:
                marked[parents_of(study, child)[mask]] = True
        if marked.any():
            there[place] = marked
    return there


def parents_of(study: Study, place: int) -> NDArray[np.int32]:
    """Return the rows that those of a child table belong to."""
    rows = study.tables[place].parent_row
    assert rows is not None
    return rows


def lists_below(
    study: Study, place: int, there: dict[int, Mask], numbers: dict[int, NDArray[np.int32]]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """List the trees below each row of a table, sorted: all of them, and where each row's begin."""
    children = [child for child in numbers if study.tables[child].parent == place]
    above = [parents_of(study, child)[there[child]] for child in children]
    trees = [numbers[child][there[child]] for child in children]
    return in_lists(above, trees, study.tables[place].rows)


def in_lists(
    owners: Sequence[NDArray[np.int32]], trees: Sequence[NDArray[np.int32]], number: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Put trees in lists by their owners, each sorted: all of them, and where each owner's begin."""
    owner, tree = np.concatenate([NO_ROWS, *owners]), np.concatenate([NO_ROWS, *trees])
    counts = np.bincount(owner, minlength=number)
    return tree[np.lexsort((tree, owner))], np.concatenate([[0], np.cumsum(counts)])


@dataclass(frozen=True, slots=True, eq=False)
class Powers:
    """What somebody may know: so many leaves, of each group of tables, and of the first by person."""

    group_of_table: dict[int, int]
    """Of the tables that are not left out."""
    budgets: tuple[int, ...]
    own: NDArray[np.int64]
    k: int

    def of_people(self, people: NDArray[np.int64]) -> Powers:
        """Return the powers for some people: the most that is known of any of them."""
        common = int(self.own[people].max(initial=0))
        return replace(self, budgets=(common, *self.budgets[1:]))

    def allow(self, leaves: Part) -> bool:
        """Whether somebody may know a forest that has so many leaves of each group."""
        return all(map(operator.le, leaves, self.budgets))

    def leaf(self, table: int) -> Part | None:
        """Return the leaves that a single event of a table is; None where nobody may know it."""
        group = self.group_of_table.get(table)
        leaves = tuple(int(at == group) for at in range(len(self.budgets)))
        return leaves if group is not None and self.allow(leaves) else None


def keep_forests(
    forest: Forest, powers: Powers, classes: Iterable[NDArray[np.int64]], kept: Mask
) -> Mask:
    """Return who is left of the people kept, where sets of events are matched as forests."""
    left = kept.copy()
    for members in classes:
        people = members[kept[members]]
        if people.size:
            left[people] = keep_class(forest, powers.of_people(people), people)
    return left


def keep_class(forest: Forest, powers: Powers, people: NDArray[np.int64]) -> Mask:
    """Say who is left of the people of one class; those with the same trees are looked at once."""
    first, trees = forest.first, forest.trees
    numbers: dict[Part, int] = {}
    number = np.array([
        numbers.setdefault(tuple(trees[first[p] : first[p + 1]].tolist()), len(numbers))
        for p in people.tolist()
    ])  # fmt: skip
    own = np.zeros(len(numbers), np.int64)
    own[number] = powers.own[people]
    parts = ClosedParts(forest.forms, powers)
    begin, sets, owned = [0], list[int](), list[bool]()
    for roots, most in zip(numbers, own.tolist(), strict=True):
        for form, leaves in parts.of_trees(roots).items():  # no events at all are a set too
            sets.append(parts.number(form))
            owned.append(leaves[0] <= most)
        begin.append(len(sets))
    weights = np.bincount(number)
    left: NDArray[np.bool_] = peel_sets(
        np.array(begin), np.array(sets, np.int64), np.array(owned, np.bool_), weights,
        len(parts.numbers), powers.k,
    )  # fmt: skip
    kept: Mask = left[number]
    return kept


class ClosedParts:
    """The parts of trees and forests that somebody may know, as sorted numbers of trees."""

    def __init__(self, forms: Sequence[Tree], powers: Powers) -> None:
        self.forms, self.powers = forms, powers
        self.numbers: dict[tuple[int | Part, ...], int] = {}
        """The number of each forest, and of each tree by table, label and what is below."""
        self.found: dict[int, list[tuple[int, Part]]] = {}

    def number(self, form: tuple[int | Part, ...]) -> int:
        """Number a form; a forest has no tuple in it, a tree has one."""
        return self.numbers.setdefault(form, len(self.numbers))

    def of_trees(self, trees: Part) -> dict[Part, Part]:
        """Return the parts of some trees side by side, each with its leaves of every group."""
        found: dict[Part, Part] = {(): (0,) * len(self.powers.budgets)}
        for tree in trees:
            found |= {
                tuple(sorted((*form, number))): both
                for form, leaves in found.items()
                for number, more in self.of_tree(tree)
                if self.powers.allow(both := tuple(map(operator.add, leaves, more)))
            }
        return found

    def of_tree(self, tree: int) -> list[tuple[int, Part]]:
        """Return the parts of a tree that have its root, each with its leaves of every group."""
        if tree not in self.found:
            root = self.forms[tree]
            alone = self.powers.leaf(root.table)
            self.found[tree] = [
                (self.number((root.table, root.label, below)), leaves)
                for below, leaves in self.of_trees(root.below).items()
                if below
            ]
            if alone is not None:
                self.found[tree].append((self.number((root.table, root.label, ())), alone))
        return self.found[tree]
