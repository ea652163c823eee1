"""Multisets of events: how many people of a class have each, and who goes where these are too few.

A set of events is a node of a trie: the set without its last event, and that event's type. The types of a
class are numbered anew, and a person's events stand in their order, so that equal sets are equal nodes.
Sets of one event and, where there are few types, of two are numbered directly; others are hashed. Nothing
is kept of who has which set: that is gone through again, which takes less than to read it from memory.
"""

from __future__ import annotations

import numpy as np

from anonymizer.kernels.compilation import kernel
from anonymizer.kernels.partition import HASH_MULTIPLIER, shift_for

COUNT, CHECK, TAKE_OFF = 0, 1, 2
MOST_SETS = 1 << 26
"""The most sets of a class that are hashed: 3 GiB."""
FEW_CELLS = 1 << 25
"""The most pairs of types that are numbered directly: 128 MiB."""
SPARSE = 8
"""Nor are they where there are so many times as many pairs of types as sets."""
SHORT = 32
"""Lists up to this length are sorted by insertion."""


@kernel
def peel_classes(order, starts, first, types, groups, budgets, own, depth, k, kept):
    """Drop people, class by class, until everybody left shares each of their sets with k people.

    `order` lists the people class after class, and `starts` says where each class begins. The events of
    person p are `types[first[p]:first[p + 1]]`. A set has at most `depth` events, and of each group of
    types at most its budget; for group 0 that is the person's `own` number. With a depth below 0, the set
    of all events must be equal to that of k people. `kept` says who is there, and is changed in place.
    Returns a person who has too many sets to count, or else -1.
    """
    local = np.full(groups.size, -1, np.int32)
    known = np.empty(groups.size, np.int32)
    for c in range(starts.size - 1):
        members = order[starts[c] : starts[c + 1]]
        members = members[kept[members]]
        items, begin, n_types = list_events(members, first, types, local, known)
        number, head, weights = merge_equal(items, begin)
        if depth < 0:
            gone = weights < k
        else:
            gone = np.zeros(head.size, np.bool_)
            if members.size >= k and items.size:
                allowed = budgets.copy()
                for p in members:
                    allowed[0] = max(allowed[0], own[p])
                own_sets = own[members[head]]
                local_groups = groups[known[:n_types]]
                much = peel_class(
                    items, begin, head, weights, own_sets, local_groups, allowed, depth, k, gone
                )
                if much >= 0:
                    return members[head[much]]
        if (
            sum_left(weights, gone) < k
        ):  # the set of no events is everybody's, and nobody else is checked
            gone[:] = True
        for j in range(n_types):
            local[known[j]] = -1
        for i in range(members.size):
            if gone[number[i]]:
                kept[members[i]] = False
    return -1


@kernel
def sum_left(weights, gone):
    """Count the people who are not gone."""
    left = 0
    for i in range(gone.size):
        left += weights[i] * (not gone[i])
    return left


@kernel
def list_events(members, first, types, local, known):
    """List the events of some people by local types, each list sorted: items, where each begins, types.

    `local` is -1 for every type, and numbers those that occur afterwards; `known` is their inverse.
    """
    begin = np.zeros(members.size + 1, np.int64)
    for i in range(members.size):
        p = members[i]
        begin[i + 1] = begin[i] + first[p + 1] - first[p]
    items = np.empty(begin[members.size], np.int32)
    n_types = 0
    for i in range(members.size):
        low, at = begin[i], begin[i]
        short = begin[i + 1] - low <= SHORT
        for e in range(first[members[i]], first[members[i] + 1]):
            item = local[types[e]]
            if item < 0:
                item = np.int32(n_types)
                local[types[e]] = item
                known[n_types] = types[e]
                n_types += 1
            j = at
            while short and j > low and items[j - 1] > item:
                items[j] = items[j - 1]
                j -= 1
            items[j] = item
            at += 1
        if not short:
            items[low : begin[i + 1]].sort()
    return items, begin, n_types


@kernel
def merge_equal(items, begin):
    """Number equal lists by first appearance: the number of each, where it is first, and how many."""
    n = begin.size - 1
    bits = 1
    while (1 << bits) < 1.5 * n:
        bits += 1
    slot = np.full(1 << bits, -1, np.int32)
    last, shift = np.uint64(slot.size - 1), shift_for(slot.size)
    number, head = np.empty(n, np.int32), np.empty(n, np.int32)
    weights = np.zeros(n, np.int32)
    distinct = 0
    for i in range(n):
        key = np.uint64(begin[i + 1] - begin[i])
        for e in range(begin[i], begin[i + 1]):
            key = (key ^ (key >> np.uint64(29))) * HASH_MULTIPLIER + np.uint64(items[e])
        at = ((key ^ (key >> np.uint64(32))) * HASH_MULTIPLIER) >> shift
        found = slot[at]
        while found >= 0 and not equal_lists(items, begin, i, head[found]):
            at = (at + np.uint64(1)) & last
            found = slot[at]
        if found < 0:
            found = np.int32(distinct)
            slot[at] = found
            head[distinct] = i
            distinct += 1
        number[i] = found
        weights[found] += 1
    return number, head[:distinct].copy(), weights[:distinct].copy()


@kernel
def equal_lists(items, begin, i, j):
    """Whether two lists are equal."""
    if begin[i + 1] - begin[i] != begin[j + 1] - begin[j]:
        return False
    shift = begin[j] - begin[i]
    for e in range(begin[i], begin[i + 1]):
        if items[e] != items[e + shift]:
            return False
    return True


@kernel
def number_of_sets(events, depth):
    """Return how many sets of at most so many events there are, if no two are equal."""
    sets, of_size = 0.0, 1.0
    for size in range(1, min(depth, events) + 1):
        of_size *= (events - size + 1) / size
        sets += of_size
    return sets


@kernel
def peel_class(items, begin, head, weights, own, groups, budgets, depth, k, gone):
    """Mark the lists that go; returns one with too many sets to count, or else -1."""
    depth = min(depth, budgets.sum())
    if depth == 0:
        return -1
    total = 0.0
    for i in range(head.size):
        sets = number_of_sets(begin[head[i] + 1] - begin[head[i]], depth)
        total += sets
        if sets > MOST_SETS:
            return i
    n_types = groups.size
    pairs = depth > 1 and n_types * n_types <= min(FEW_CELLS, SPARSE * total)
    fixed = n_types + (n_types * n_types if pairs else 0)
    support = np.zeros(fixed, np.int32)
    slot_key, slot_id = np.full(2, -1, np.int64), np.empty(2, np.int32)
    counted = np.array([fixed])
    used = np.zeros(budgets.size, np.int64)
    fell = np.zeros(n_types, np.int32)
    hashed = depth > (2 if pairs else 1)
    for i in range(head.size):
        low, high = begin[head[i]], begin[head[i] + 1]
        if hashed:
            room = counted[0] - fixed + np.int64(number_of_sets(high - low, depth))
            if room > MOST_SETS:
                return i
            if 1.5 * room > slot_key.size:
                slot_key, slot_id = grow(slot_key, slot_id, 2 * room)
                wider = np.zeros(fixed + slot_key.size, np.int32)
                wider[: counted[0]] = support[: counted[0]]
                support = wider
        walk(
            COUNT, items, low, high, weights[i], own[i], groups, budgets, used, depth, k,
            n_types, pairs, support, slot_key, slot_id, counted, fell, 0,
        )  # fmt: skip
    turn, changed = 1, True
    while changed:
        changed = False
        for i in range(head.size):
            if gone[i]:
                continue
            low, high = begin[head[i]], begin[head[i] + 1]
            if turn > 1 and not any_since(items, low, high, fell, turn - 1):
                continue
            if walk(
                CHECK, items, low, high, weights[i], own[i], groups, budgets, used, depth, k,
                n_types, pairs, support, slot_key, slot_id, counted, fell, turn,
            ):  # fmt: skip
                gone[i] = True
                if walk(
                    TAKE_OFF, items, low, high, weights[i], own[i], groups, budgets, used, depth, k,
                    n_types, pairs, support, slot_key, slot_id, counted, fell, turn,
                ):  # fmt: skip
                    changed = True
        turn += 1
    return -1


@kernel
def any_since(items, low, high, fell, turn):
    """Whether the support of a set with one of the events fell below k in a turn or later."""
    for e in range(low, high):
        if fell[items[e]] >= turn:
            return True
    return False


@kernel
def grow(slot_key, slot_id, least):
    """Return a larger hash table with the same content."""
    size = slot_key.size
    while size < least:
        size *= 2
    new_key, new_id = np.full(size, -1, np.int64), np.empty(size, np.int32)
    last, shift = np.uint64(size - 1), shift_for(size)
    for s in range(slot_key.size):
        if slot_key[s] >= 0:
            at = (np.uint64(slot_key[s]) * HASH_MULTIPLIER) >> shift
            while new_key[at] >= 0:
                at = (at + np.uint64(1)) & last
            new_key[at], new_id[at] = slot_key[s], slot_id[s]
    return new_key, new_id


@kernel
def find_set(key, slot_key, slot_id, counted, shift):
    """Return the number of a set, a new one if it has none yet."""
    last = np.uint64(slot_key.size - 1)
    at = (np.uint64(key) * HASH_MULTIPLIER) >> shift
    while slot_key[at] >= 0 and slot_key[at] != key:
        at = (at + np.uint64(1)) & last
    if slot_key[at] < 0:
        slot_key[at], slot_id[at] = key, counted[0]
        counted[0] += 1
    return slot_id[at]


@kernel
def walk(
    task, items, low, high, weight, own, groups, budgets, used, depth, k,
    n_types, pairs, support, slot_key, slot_id, counted, fell, turn,
):  # fmt: skip
    """Go through all sets of a list once, however often an event repeats.

    COUNT adds the weight to the support of each. CHECK says whether one of the person's own has too
    little. TAKE_OFF takes the weight off again, notes the events of sets that fall below k, and says
    whether there are any.
    """
    position, start = np.empty(depth, np.int64), np.empty(depth, np.int64)
    node = np.empty(depth, np.int64)
    shift = shift_for(slot_key.size)
    at, some = 0, False
    position[0] = start[0] = low
    node[0] = -1
    while at >= 0:
        prefix, i = node[at], position[at]
        direct = prefix < 0 or (pairs and prefix < n_types)
        base = np.int64(0) if prefix < 0 else n_types + prefix * n_types
        deepest = at == depth - 1
        while i < high:
            item = items[i]
            i += 1
            group = groups[item]
            if (i - 1 > start[at] and items[i - 2] == item) or used[group] >= budgets[group]:
                continue
            if direct:
                found = base + item
            else:
                key = prefix * n_types + item
                found = np.int64(find_set(key, slot_key, slot_id, counted, shift))
            if task == COUNT:
                support[found] += weight
            elif task == CHECK:
                if support[found] < k and used[0] + (group == 0) <= own:
                    used[:] = 0
                    return True
            else:
                before = support[found]
                support[found] = before - weight
                if before >= k and before - weight < k:
                    fell[item] = turn
                    some = True
            if not deepest and i < high:
                used[group] += 1
                position[at] = i
                at += 1
                position[at] = start[at] = i
                node[at] = found
                break
        else:
            at -= 1
            if at >= 0:
                used[groups[items[position[at] - 1]]] -= 1
    return some


@kernel
def peel_sets(begin, sets, owned, weights, n_sets, k):
    """Say who is left when, again and again, all go who own a set that fewer than k of them have.

    The sets of person p are `sets[begin[p]:begin[p + 1]]`, those that are `owned` must have k; a person
    counts as often as their weight says.
    """
    n = begin.size - 1
    support, places = np.zeros(n_sets, np.int64), np.zeros(n_sets + 1, np.int64)
    for p in range(n):
        for e in range(begin[p], begin[p + 1]):
            support[sets[e]] += weights[p]
            places[sets[e] + 1] += owned[e]
    places = np.cumsum(places)
    owners, filled = np.empty(places[n_sets], np.int32), places[:-1].copy()
    for p in range(n):
        for e in range(begin[p], begin[p + 1]):
            if owned[e]:
                owners[filled[sets[e]]] = p
                filled[sets[e]] += 1
    kept = np.ones(n, np.bool_)
    waiting, n_waiting = np.empty(n_sets, np.int64), 0
    for s in range(n_sets):
        if support[s] < k:
            waiting[n_waiting] = s
            n_waiting += 1
    while n_waiting:
        n_waiting -= 1
        failing = waiting[n_waiting]
        for o in range(places[failing], places[failing + 1]):
            p = owners[o]
            if not kept[p]:
                continue
            kept[p] = False
            for e in range(begin[p], begin[p + 1]):
                before = support[sets[e]]
                support[sets[e]] = before - weights[p]
                if before >= k and before - weights[p] < k:
                    waiting[n_waiting] = sets[e]
                    n_waiting += 1
    return kept


@kernel
def count_gone(tuples, kept, n_tuples):
    """Count, for each tuple, the rows that are not kept."""
    counts = np.zeros(n_tuples, np.int32)
    for row in range(kept.size):
        if not kept[row]:
            counts[tuples[row]] += 1
    return counts
