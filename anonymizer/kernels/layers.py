"""Building a release in layers, and bounding what any such release loses.

The cost of a class is one number: its released values decide what each of its records loses. So a class
can be weighed by any of its tuples, and classes can be taken in the order of their cost.
"""

from __future__ import annotations

import numpy as np

from anonymizer.kernels.compilation import kernel
from anonymizer.kernels.partition import HASH_MULTIPLIER, equal_words, shift_for


@kernel
def class_cost(levels, codes, offsets, costs, i):
    """Return what one record of a tuple loses at a scheme."""
    total = 0.0
    for a in range(levels.size):
        total += costs[levels[a], offsets[a] + codes[a, i]]
    return total


@kernel
def label_some(words, mask, chosen, number, slot_label, slot_tuple, labels):
    """Label chosen tuples that agree under a mask 0, 1, ... in order of first appearance; count labels.

    `slot_label` has a power of two of slots, more than there are tuples; a slot keeps a tuple of its
    label beside it. `labels` is written for the chosen ones, in their order.
    """
    slots = slots_for(number)
    last, shift = np.uint64(slots - 1), shift_for(slots)
    slot_label[:slots] = -1
    n_labels = 0
    for s in range(number):
        i = chosen[s]
        key = words[0, i] & mask[0]
        for w in range(1, mask.size):
            key = (key ^ (key >> np.uint64(29))) * HASH_MULTIPLIER + (words[w, i] & mask[w])
        at = (key * HASH_MULTIPLIER) >> shift
        label = slot_label[at]
        while label >= 0 and not equal_words(words, mask, slot_tuple[at], i):
            at = (at + np.uint64(1)) & last
            label = slot_label[at]
        if label < 0:
            label = n_labels
            slot_label[at], slot_tuple[at] = label, i
            n_labels += 1
        labels[s] = label
    return n_labels


@kernel
def slots_for(number):
    """Return how many slots, a power of two, label so many tuples."""
    slots = 2
    while 2 * slots < 3 * number:
        slots *= 2
    return slots


@kernel
def queue_schemes(least_cost, width, first, last, following):
    """Put each scheme into the queue of the step of the least that it costs."""
    for j in range(least_cost.size):
        enqueue(first, last, following, min(first.size - 1, int(least_cost[j] / width)), j)


@kernel
def take_classes(
    words, counts, codes, offsets, costs, schemes, masks, width, least, most,
    first, last, following, looked_at, free, scheme_of, step, number,
):  # fmt: skip
    """Take classes of free tuples in the order of their cost, the cheapest first.

    A class is open with at least `least` records among the free tuples; its tuples are then no longer
    free. Costs are compared in steps of `width`; within a step, schemes go by number. `first`, `last` and
    `following` are the queues of schemes, one for each step. Below the cost `looked_at`, the classes of a
    scheme had too few records. The first `number` of `free` are the free tuples; `scheme_of` gets the
    number of the scheme that takes each; it is not touched for the others.

    Begins at a step and returns, after looking at about `most` tuples, the step it is at and the number
    of free tuples. When the step is behind the last one, no class is left to take.
    """
    below, labels = np.empty(number, np.int32), np.empty(number, np.int32)
    sizes = np.empty(number, np.int64)
    slots = slots_for(number)
    slot_label, slot_tuple = np.empty(slots, np.int32), np.empty(slots, np.int32)
    steps, looked = first.size, 0
    while step < steps and number > 0:
        if first[step] < 0:
            step += 1
            continue
        if looked > most:
            return step, number
        looked += number
        limit = (step + 1) * width if step < steps - 1 else np.inf
        j = np.int64(first[step])
        first[step] = following[j]
        n_below, next_cost = np.int64(0), np.inf  # a literal would be a signature of its own
        for s in range(number):
            cost = class_cost(schemes[j], codes, offsets, costs, free[s])
            if cost >= limit:
                next_cost = min(next_cost, cost)
            elif cost >= looked_at[j]:
                below[n_below] = free[s]
                n_below += 1
        looked_at[j] = limit
        if next_cost < np.inf:
            # a quotient may be rounded down to this step, which would then never end
            later = max(step + 1, int(next_cost / width))
            enqueue(first, last, following, min(steps - 1, later), j)
        if n_below == 0:
            continue
        n_labels = label_some(words, masks[j], below, n_below, slot_label, slot_tuple, labels)
        sizes[:n_labels] = 0
        for s in range(n_below):
            sizes[labels[s]] += counts[below[s]]
        taken = False
        for s in range(n_below):
            if sizes[labels[s]] >= least:
                scheme_of[below[s]] = j
                taken = True
        if taken:
            left = 0
            for s in range(number):
                if scheme_of[free[s]] < 0:
                    free[left] = free[s]
                    left += 1
            number = left
    return steps, number


@kernel
def enqueue(first, last, following, step, j):
    """Append a scheme to the queue of a step."""
    following[j] = -1
    if first[step] < 0:
        first[step] = j
    else:
        following[last[step]] = j
    last[step] = j


@kernel
def keep_cheaper(
    chosen, cost_of, ceiling_of, number, level_costs, codes, offset, active,
    kept, cost_of_kept, ceiling_of_kept,
):  # fmt: skip
    """Add the costs of a level; keep the tuples below their ceilings, count them and the active ones."""
    left, n_active = 0, 0
    for s in range(number):
        i = chosen[s]
        cost = cost_of[s] + level_costs[offset + codes[i]]
        if cost < ceiling_of[s]:
            kept[left], cost_of_kept[left], ceiling_of_kept[left] = i, cost, ceiling_of[s]
            left += 1
            n_active += active[i]
    return left, n_active


@kernel
def count_classes(
    chosen, cost_of, labels, number, n_labels, counts, prices, active, least,
    sizes, rising, top, of_class,
):  # fmt: skip
    """Write of each class its records, those active, its `least` highest prices and its cost.

    The tuples chosen come by falling price.
    """
    for c in range(n_labels):
        sizes[c], rising[c], top[c] = 0, 0, 0.0
    for s in range(number):
        i, c = chosen[s], labels[s]
        of_class[c] = cost_of[s]
        if sizes[c] < least:
            top[c] += prices[i] * min(least - sizes[c], counts[i])
        sizes[c] += counts[i]
        if active[i]:
            rising[c] += counts[i]


@kernel
def limit_raises(
    chosen, labels, number, active, least, sizes, rising, top, of_class, raises, cheapest
):
    """Lower what tuples may rise, and the cheapest of their classes, to what classes of `least` allow."""
    for s in range(number):
        i, c = chosen[s], labels[s]
        if sizes[c] < least:
            continue
        cheapest[i] = min(cheapest[i], of_class[c])
        if active[i]:
            share = (least * of_class[c] - top[c]) / min(least, rising[c])
            raises[i] = min(raises[i], share)


@kernel
def keep_useful(
    chosen, cost_of, ceiling_of, labels, number, n_labels, counts, prices, active, raises, least,
    limit, sizes, rising, top, highest,
):  # fmt: skip
    """Keep the tuples of groups that have `least` records and an active one, and cost less than prices.

    No other group has a class that says anything: a class is part of its group. The `least` highest
    prices of a group, when all have risen as far as they may, have a mean of no more than its ceiling:
    active tuples count with the highest price of the group, and for the records that are left, come the
    others' prices. The tuples chosen come by falling price.
    """
    for c in range(n_labels):
        sizes[c], rising[c], top[c], highest[c] = 0, 0, 0.0, 0.0
    for s in range(number):
        i, c = chosen[s], labels[s]
        sizes[c] += counts[i]
        if active[i]:
            rising[c] += counts[i]
            highest[c] = max(highest[c], min(limit, prices[i] + raises[i]))
        else:
            highest[c] = max(highest[c], prices[i])
    for c in range(n_labels):
        rises = min(least, rising[c])
        top[c] = rises * highest[c]
        rising[c] = least - rises if sizes[c] >= least and rises > 0 else -1
    for s in range(number):
        i, c = chosen[s], labels[s]
        if rising[c] > 0 and not active[i]:
            others = min(rising[c], counts[i])
            top[c] += others * prices[i]
            rising[c] -= others
    left = 0
    for s in range(number):
        c = labels[s]
        ceiling = min(ceiling_of[s], top[c] / least)
        if rising[c] >= 0 and cost_of[s] < ceiling:
            chosen[left], cost_of[left], ceiling_of[left] = chosen[s], cost_of[s], ceiling
            left += 1
    return left


@kernel
def keep_highest(
    chosen, cost_of, ceiling_of, labels, number, n_labels, counts, active, least, sizes
):
    """Keep of each label the tuples that are active and those with the `least` highest prices.

    The tuples chosen come by falling price.
    """
    for c in range(n_labels):
        sizes[c] = 0
    left = 0
    for s in range(number):
        i, c = chosen[s], labels[s]
        if active[i] or sizes[c] < least:
            chosen[left], cost_of[left], ceiling_of[left] = i, cost_of[s], ceiling_of[s]
            left += 1
        sizes[c] += counts[i]
    return left


@kernel
def prices_allowed(
    words, counts, codes, offsets, costs, low, high, level_masks, least, limit,
    order, prices, active, raises, cheapest, most,
):  # fmt: skip
    """Visit every class that costs less than a limit; say how far the prices of its tuples may rise.

    `order` lists the tuples by falling price. A class with at least `least` records demands that its
    `least` highest prices sum up to no more than `least` times its cost. `raises` gets, for each active
    tuple, the least of what its classes leave over, shared among the records that rise (those `active`,
    no more than `least` of a class). `cheapest` gets the least cost of its classes that have `least`
    records. Classes without an active tuple are left out.

    Attribute by attribute, levels are chosen, depth first. Tuples whose cost has reached the limit are
    left behind, and those whose group, by the levels chosen so far, can have no such class: all tuples
    of a class share its groups and their costs, so what remains has its classes complete. Of tuples that
    are alike from there on, those with the `least` highest prices and the active ones say it all; where
    few are active, only they are kept.
    Returns the number of tuples that were looked at, over all levels; above `most`, it is not finished.
    """
    attributes, tuples = codes.shape[0], order.size
    lists = np.empty((attributes + 1, tuples), np.int32)
    partial = np.empty((attributes + 1, tuples), np.float64)
    ceilings = np.empty((attributes + 1, tuples), np.float64)
    numbers = np.zeros(attributes + 1, np.int64)
    masks = np.zeros((attributes + 1, words.shape[0]), np.uint64)
    finest = np.zeros((attributes + 1, words.shape[0]), np.uint64)
    for a in range(attributes - 1, -1, -1):
        for w in range(words.shape[0]):
            finest[a, w] = finest[a + 1, w] | level_masks[a, low[a], w]
    alike = np.empty(words.shape[0], np.uint64)
    level = low.copy()
    labels = np.empty(tuples, np.int32)
    sizes, rising = np.empty(tuples, np.int64), np.empty(tuples, np.int64)
    top, of_class = np.empty(tuples, np.float64), np.empty(tuples, np.float64)
    slots = slots_for(tuples)
    slot_label, slot_tuple = np.empty(slots, np.int32), np.empty(slots, np.int32)
    for s in range(
        tuples
    ):  # slices of arrays would be compared in words, which takes long to compile
        lists[0, s], partial[0, s], ceilings[0, s] = order[s], 0.0, limit
    numbers[0] = tuples
    depth, steps = 0, 0
    level[0] = low[0] - 1
    while depth >= 0:
        level[depth] += 1
        if level[depth] > high[depth]:
            depth -= 1
            continue
        steps += numbers[depth]
        if steps > most:
            return steps
        chosen, cost_of, ceiling_of = lists[depth + 1], partial[depth + 1], ceilings[depth + 1]
        left, n_active = keep_cheaper(
            lists[depth], partial[depth], ceilings[depth], numbers[depth], costs[level[depth]],
            codes[depth], offsets[depth], active, chosen, cost_of, ceiling_of,
        )  # fmt: skip
        if left == 0 or n_active == 0:
            continue
        finer = False
        for w in range(words.shape[0]):
            mask = level_masks[depth, level[depth], w]
            finer |= mask != 0
            masks[depth + 1, w] = masks[depth, w] | mask
            alike[w] = masks[depth + 1, w] | finest[depth + 1, w]
        last = depth + 1 == attributes
        if level[depth] > low[depth] and not last and 4 * n_active < left:
            n_labels = label_some(words, alike, chosen, left, slot_label, slot_tuple, labels)
            left = keep_highest(
                chosen, cost_of, ceiling_of, labels, left, n_labels, counts, active, least, sizes
            )
        if finer or last:
            n_labels = label_some(
                words, masks[depth + 1], chosen, left, slot_label, slot_tuple, labels
            )
        if finer and not last:
            left = keep_useful(
                chosen, cost_of, ceiling_of, labels, left, n_labels, counts, prices, active, raises,
                least, limit, sizes, rising, top, of_class,
            )  # fmt: skip
        if left == 0:
            continue
        numbers[depth + 1] = left
        if not last:
            depth += 1
            level[depth] = low[depth] - 1
            continue
        count_classes(
            chosen, cost_of, labels, left, n_labels, counts, prices, active, least,
            sizes, rising, top, of_class,
        )  # fmt: skip
        limit_raises(
            chosen, labels, left, active, least, sizes, rising, top, of_class, raises, cheapest
        )
    return steps
