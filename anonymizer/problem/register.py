"""What a register knows of the people of a table."""

from __future__ import annotations

import warnings

import numpy as np

from anonymizer.errors import AnonymizerWarning, DataError, PolicyError
from anonymizer.hierarchy import MISSING
from anonymizer.policy import Policy
from anonymizer.register.earlier import Earlier
from anonymizer.register.folder import Register
from anonymizer.register.promise import ABSENT
from anonymizer.table.microdata import Microdata


def person_and_beside(policy: Policy) -> tuple[str | None, tuple[str, ...]]:
    """Return the column by which rows are counted for people, and the one that keeps people apart.

    With a register each person is a tuple of their own, so that one of several like them can be dropped.
    """
    person = policy.data.id
    if policy.register_path is None or person is None:
        return person, ()
    return None, (person,)


def read_earlier(
    policy: Policy, microdata: Microdata, where: str, register: Register | None = None
) -> Earlier | None:
    """Put the policy's register, or as much of it as is given, to a table; None where there is none."""
    if policy.register_path is None:
        return None
    if microdata.grouped:
        raise PolicyError(
            f"policy: release.register needs a table in memory, and {where} is in a database or an "
            "engine; give a file or a dataframe."
        )
    known = Register.read(policy.register_path) if register is None else register
    return Earlier.of(known, ids_of(policy, microdata, where), where)


def warn_of_strangers(earlier: Earlier) -> None:
    """Warn where most people of the last release are not in the table: ids may be written otherwise."""
    known = earlier.register.known
    if not known:
        return
    there = int((earlier.classes[earlier.place, -1] != ABSENT).sum())
    if 2 * there < known[-1].people:
        warnings.warn(
            f"{earlier.register.path}: of {known[-1].people:,} people of the last release, {there:,} are "
            "in the table by their ids; if the others are written otherwise now, nobody hides them.",
            AnonymizerWarning,
            stacklevel=3,
        )


def ids_of(policy: Policy, microdata: Microdata, where: str) -> list[str]:
    """Return the id of each tuple; a DataError where somebody has none, or several rows."""
    name = policy.data.id
    assert name is not None  # faults_of_register
    column = microdata.beside[name]
    texts = np.array(column.texts, object)[column.codes]
    if missing := int((texts == MISSING).sum()):
        raise DataError(
            f"{where}: '{name}' is missing in {missing:,} rows, and a register links people by it; fill "
            "it in, or leave out these rows."
        )
    several = microdata.records - len(set(column.codes.tolist()))
    if several:
        raise DataError(
            f"{where}: '{name}' repeats in {several:,} rows, and a register knows people with one row "
            "each; release one row for each person, or leave out release.register."
        )
    return [*texts]
