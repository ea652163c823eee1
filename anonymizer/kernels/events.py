"""Single events: which ones people lose so that every set of a person's events is shared by k people.

Lists of events, sets of them and their supports are those of `multisets`; equal lists are one, with a
weight. Of equal events in a list, the last ones go first: then a set is there as long as, of each event
in it, the last copy that it needs is. So a set is written as the places of these, in bits.
"""

from __future__ import annotations

import numpy as np

from anonymizer.kernels.compilation import kernel
from anonymizer.kernels.multisets import CHECK, COUNT, find_set, number_of_sets, walk
from anonymizer.kernels.partition import shift_for

WORD = 62
"""The most events of a list whose sets are written in bits."""
MOST_LOW = 4096
"""The most sets with too little support that are listed of a list."""
MOST_NODES = 400
"""The most nodes of the search for a least hitting set."""
PASSES = 4
"""How often events are tried again that may be put back."""


@kernel
def drop_events(items, begin, weights, own, groups, tables, n_tables, budgets, depth, k):
    """Drop events until everybody left shares each of their sets with k people; no one else is dropped.

    The events of list i are `items[begin[i]:begin[i + 1]]`, sorted. Returns which are kept, and how many,
    at least, each list loses of each table and in all, whatever is dropped: a least hitting set of those
    with a support below k, or a bound of its size.
    """
    n, n_types = begin.size - 1, groups.size
    sets, longest = 0.0, 0
    for i in range(n):
        sets += number_of_sets(begin[i + 1] - begin[i], depth)
        longest = max(longest, begin[i + 1] - begin[i])
    size = 2
    while size < 1.5 * sets:
        size *= 2
    slot_key, slot_id = np.full(size, -1, np.int64), np.empty(size, np.int32)
    support, counted = np.zeros(n_types + np.int64(sets) + 1, np.int64), np.array([n_types])
    used, fell = np.zeros(budgets.size, np.int64), np.zeros(n_types, np.int32)
    kept, lost = np.ones(items.size, np.bool_), np.zeros((n, n_tables + 1), np.int64)
    current, place, first = items.copy(), np.arange(items.size), begin.copy()
    masks, some = np.empty(MOST_LOW, np.int64), np.empty(MOST_LOW, np.int64)
    bits, of_table = np.zeros(longest, np.int64), np.zeros(n_tables, np.int64)
    turn, changed = 0, True
    while changed:
        changed = False
        support[:] = 0
        for i in range(n):
            walk(
                COUNT, current, first[i], first[i + 1], np.int64(weights[i]), own[i], groups, budgets,
                used, depth, k, n_types, False, support, slot_key, slot_id, counted, fell, 0,
            )  # fmt: skip
        for i in range(n):
            low, high = first[i], first[i + 1]
            order = np.argsort(support[current[low:high]], kind="mergesort")
            if high - low > WORD:
                changed = True
                for j in order[: high - low - WORD]:
                    kept[place[low + j]] = False
                continue
            for at in range(order.size):
                bits[order[at]] = np.int64(1) << at
            found = list_low(
                current, low, high, own[i], groups, budgets, used, depth, k, n_types, support,
                slot_key, slot_id, counted, bits, masks,
            )  # fmt: skip
            if found == 0:
                continue
            changed = True
            if found < 0:
                for j in order[: (high - low + 1) // 2]:
                    kept[place[low + j]] = False
                continue
            least, chosen = hit(masks, found)
            if turn == 0:
                lost[i, n_tables] = least
                of_table[:] = 0
                for at in range(order.size):
                    of_table[tables[current[low + order[at]]]] |= np.int64(1) << at
                for t in range(n_tables):
                    within = 0
                    for s in range(found):
                        if masks[s] & ~of_table[t] == 0:
                            some[within] = masks[s]
                            within += 1
                    if within == found:
                        lost[i, t] = least
                    elif within:
                        lost[i, t] = hit(some, within)[0]
            if chosen == 0:
                chosen = hit_greedily(masks, found)
            for at in range(order.size):
                if chosen & (np.int64(1) << at):
                    kept[place[low + order[at]]] = False
        if changed:
            close_runs(items, begin, kept)
            gather(items, begin, kept, current, place, first)
        turn += 1
    put_back(
        items, begin, weights, own, groups, budgets, used, depth, k, n_types, support, slot_key, slot_id,
        counted, fell, kept, longest,
    )  # fmt: skip
    return kept, lost


@kernel
def close_runs(items, begin, kept):
    """Drop, of equal events, those after one that is dropped."""
    for i in range(begin.size - 1):
        for e in range(begin[i] + 1, begin[i + 1]):
            if items[e] == items[e - 1] and not kept[e - 1]:
                kept[e] = False


@kernel
def gather(items, begin, kept, current, place, first):
    """List what is kept, and where each of it is among all."""
    at = 0
    for i in range(begin.size - 1):
        first[i] = at
        for e in range(begin[i], begin[i + 1]):
            if kept[e]:
                current[at], place[at] = items[e], e
                at += 1
    first[begin.size - 1] = at


@kernel
def list_low(
    items, low, high, own, groups, budgets, used, depth, k, n_types, support, slot_key, slot_id, counted,
    bits, masks,
):  # fmt: skip
    """Write down the sets of a list that somebody may know and fewer than k people have.

    Sets that hold such a set are left out where they are met on the way. Returns how many there are, or
    -1 where these are too many.
    """
    position, start = np.empty(depth, np.int64), np.empty(depth, np.int64)
    node, last = np.empty(depth, np.int64), np.empty(depth, np.int64)
    mask, without = np.zeros(depth, np.int64), np.zeros(depth, np.int64)
    shift = shift_for(slot_key.size)
    at, found = 0, 0
    position[0] = start[0] = low
    node[0] = last[0] = -1
    while at >= 0:
        prefix, i = node[at], position[at]
        while i < high:
            item = items[i]
            i += 1
            group = groups[item]
            most = own if group == 0 else budgets[group]
            if (i - 1 > start[at] and items[i - 2] == item) or used[group] >= most:
                continue
            if prefix < 0:
                this = np.int64(item)
            else:
                this = np.int64(
                    find_set(prefix * n_types + item, slot_key, slot_id, counted, shift)
                )
            rest = without[at] if last[at] == item else mask[at]
            written = rest | bits[i - 1 - low]
            if support[this] < k:
                if found == masks.size:
                    used[:] = 0
                    return -1
                masks[found] = written
                found += 1
            elif at < depth - 1 and i < high:
                used[group] += 1
                position[at] = i
                at += 1
                position[at] = start[at] = i
                node[at], last[at], mask[at], without[at] = this, item, written, rest
                break
        else:
            at -= 1
            if at >= 0:
                used[groups[items[position[at] - 1]]] -= 1
    return found


@kernel
def hit(masks, n):
    """Return the size of a least hitting set of some sets, and one of that size.

    Sizes are tried one after another, starting with the number of disjoint sets. Where that takes too
    long, the size is the least that was not ruled out, and there is no hitting set: 0.
    """
    chosen, left = np.zeros(WORD + 1, np.int64), np.zeros(WORD + 1, np.int64)
    nodes = 0
    for size in range(number_disjoint(masks, n, 0), WORD + 1):
        level, chosen[0] = 0, 0
        left[0] = smallest_unhit(masks, n, 0)
        while level >= 0:
            if left[level] == 0:
                level -= 1
                continue
            bit = left[level] & -left[level]
            left[level] ^= bit
            now = chosen[level] | bit
            nodes += 1
            rest = number_disjoint(masks, n, now)
            if rest == 0:
                return size, now
            if nodes > MOST_NODES:
                return size, np.int64(0)
            if level + 1 + rest <= size:
                level += 1
                chosen[level] = now
                left[level] = smallest_unhit(masks, n, now)
    return WORD, np.int64(0)


@kernel
def number_disjoint(masks, n, chosen):
    """Count disjoint sets among those that are not hit: each of them takes an event of its own."""
    taken, number = chosen, 0
    for s in range(n):
        if masks[s] & taken == 0:
            taken |= masks[s]
            number += 1
    return number


@kernel
def smallest_unhit(masks, n, chosen):
    """Return a set with as few events as any that is not hit."""
    best, fewest = np.int64(0), WORD + 1
    for s in range(n):
        if masks[s] & chosen == 0:
            rest, events = masks[s], 0
            while rest:
                rest &= rest - 1
                events += 1
            if events < fewest:
                best, fewest = masks[s], events
                if events == 1:
                    break
    return best


@kernel
def hit_greedily(masks, n):
    """Hit all sets, each time by the event that is in most of those left."""
    chosen, counts = np.int64(0), np.zeros(WORD, np.int64)
    while True:
        counts[:] = 0
        for s in range(n):
            if masks[s] & chosen == 0:
                for at in range(WORD):
                    counts[at] += (masks[s] >> at) & 1
        best = np.argmax(counts)
        if counts[best] == 0:
            return chosen
        chosen |= np.int64(1) << best


@kernel
def put_back(
    items, begin, weights, own, groups, budgets, used, depth, k, n_types, support, slot_key, slot_id,
    counted, fell, kept, longest,
):  # fmt: skip
    """Put events back, one list after another, whose sets all have k people then."""
    before, after = np.empty(longest, items.dtype), np.empty(longest, items.dtype)
    for _ in range(PASSES):
        changed = False
        for i in range(begin.size - 1):
            for e in range(begin[i], begin[i + 1]):
                again = e > begin[i] and items[e] == items[e - 1]
                if kept[e] or (again and not kept[e - 1]):
                    continue
                n_before, n_after = 0, 0
                for other in range(begin[i], begin[i + 1]):
                    if kept[other]:
                        before[n_before] = items[other]
                        n_before += 1
                    if kept[other] or other == e:
                        after[n_after] = items[other]
                        n_after += 1
                count(
                    before, n_before, -np.int64(weights[i]), groups, budgets, used, depth, k, n_types,
                    support, slot_key, slot_id, counted, fell,
                )  # fmt: skip
                count(
                    after, n_after, np.int64(weights[i]), groups, budgets, used, depth, k, n_types,
                    support, slot_key, slot_id, counted, fell,
                )  # fmt: skip
                if walk(
                    CHECK, after, 0, n_after, np.int64(weights[i]), own[i], groups, budgets, used,
                    depth, k, n_types, False, support, slot_key, slot_id, counted, fell, 0,
                ):  # fmt: skip
                    count(
                        after, n_after, -np.int64(weights[i]), groups, budgets, used, depth, k, n_types,
                        support, slot_key, slot_id, counted, fell,
                    )  # fmt: skip
                    count(
                        before, n_before, np.int64(weights[i]), groups, budgets, used, depth, k, n_types,
                        support, slot_key, slot_id, counted, fell,
                    )  # fmt: skip
                else:
                    kept[e] = changed = True
        if not changed:
            return


@kernel
def count(
    items, number, weight, groups, budgets, used, depth, k, n_types, support, slot_key, slot_id, counted,
    fell,
):  # fmt: skip
    """Add a weight to the support of each set of some events, the first so many of an array."""
    walk(
        COUNT, items, 0, number, weight, 0, groups, budgets, used, depth, k,
        n_types, False, support, slot_key, slot_id, counted, fell, 0,
    )  # fmt: skip
