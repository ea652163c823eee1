"""Who is in which cell, where a person may be in several."""

from __future__ import annotations

import numpy as np

from anonymizer.kernels.compilation import kernel


@kernel
def list_members(history_of_entry, cell_of_entry, n_cells, n_histories):
    """List each history's cells once; entries come in the order of histories, and so do members.

    Returns the history and the cell of each member, and where each history begins.
    """
    last = np.full(n_cells, -1, np.int64)
    history = np.empty(history_of_entry.size, np.int64)
    cell = np.empty(history_of_entry.size, np.int64)
    starts = np.full(n_histories, -1, np.int64)
    n_members = 0
    for i in range(history_of_entry.size):
        h, c = history_of_entry[i], cell_of_entry[i]
        if last[c] != h:
            last[c] = h
            if starts[h] < 0:
                starts[h] = n_members
            history[n_members] = h
            cell[n_members] = c
            n_members += 1
    return history[:n_members].copy(), cell[:n_members].copy(), starts


@kernel
def count_members(history_of_member, cell_of_member, people_of_history, n_cells):
    """Count the people in each cell."""
    sizes = np.zeros(n_cells, np.int64)
    for i in range(cell_of_member.size):
        sizes[cell_of_member[i]] += people_of_history[history_of_member[i]]
    return sizes


@kernel
def highest_of_histories(history_of_member, cell_of_member, value_of_cell, n_histories):
    """Find the largest value of the cells that each history is in; values are at least 0."""
    highest = np.zeros(n_histories, value_of_cell.dtype)
    for i in range(cell_of_member.size):
        value = value_of_cell[cell_of_member[i]]
        if value > highest[history_of_member[i]]:
            highest[history_of_member[i]] = value
    return highest


@kernel
def smallest_of_histories(history_of_member, cell_of_member, value_of_cell, n_histories):
    """Find the smallest value of the cells that each history is in."""
    smallest = np.full(n_histories, -1, value_of_cell.dtype)
    for i in range(cell_of_member.size):
        history, value = history_of_member[i], value_of_cell[cell_of_member[i]]
        if smallest[history] < 0 or value < smallest[history]:
            smallest[history] = value
    return smallest
