"""Released tables against the original ones: everybody who is released, with all their rows."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.column import same_text
from anonymizer.data.dates import Days
from anonymizer.data.formulas import escape
from anonymizer.data.table import read_columns
from anonymizer.errors import AnonymizerError, InfeasibleError, ReleaseError
from anonymizer.kernels.compilation import working_seconds
from anonymizer.lattice import Scheme
from anonymizer.layers.layering import one_layer
from anonymizer.policy import Policy
from anonymizer.problem.date_shift import in_intervals
from anonymizer.problem.part import StudyPart
from anonymizer.problem.study import StudyProblem, open_tables, tables_at
from anonymizer.proof.case import case_of_study
from anonymizer.search import Status, StopReason
from anonymizer.solution.study import anonymize_study
from anonymizer.solution.study_manifest import KEYS_HEADER
from anonymizer.study.study import Rows
from anonymizer.verification.attackers import PEOPLE, PlainStudy, PlainTable
from anonymizer.verification.claims import ROUNDING, Check, check_figures
from anonymizer.verification.date_shift import check_distances, check_moved
from anonymizer.verification.order import find_order
from anonymizer.verification.original import check_input, check_proven, seconds_left

Profile = tuple[Hashable, Any]
"""The row of a person and all their events, as they are released."""


def check_against(
    released: PlainStudy,
    keys: Mapping[str, Sequence[str]],
    policy: Policy,
    manifest: Mapping[str, Any],
    against: Any,
    key_file: str | Path | None,
    proof: Path | None = None,
    started: float | None = None,
    first: Days | None = None,
) -> Iterator[Check]:
    """Check released histories, with what is kept, against the original tables.

    `keys` are those that name the rows of released tables; `proof` is the path of a proof file. Where
    dates moved, released histories have the days since the `first` date of each person in their place.
    """
    started = working_seconds() if started is None else started
    figures = "the scheme gives the reported figures on the original"
    originals = originals_of(against, policy, manifest)
    open_tables(originals, policy)  # what cannot be opened is no fault of the release
    try:
        problem = StudyProblem.read(originals, policy)
        scheme = tuple(manifest["scheme"][name] for name in problem.study.attributes)
        rows_kept = problem.evaluator.greatest(scheme)
    except AnonymizerError as error:
        yield Check(figures, False, str(error))
        return
    for part in problem.parts:
        check = check_input(part.table, manifest["input"][part.name])
        yield replace(check, claim=f"{part.name}: {check.claim}")
    kept, single = rows_kept[PEOPLE], problem.model.suppress == "events"
    mine = {
        "people": problem.study.people,
        "suppressed": int(np.count_nonzero(~kept)),
        **figures_of(problem, scheme, rows_kept, released),
        "rows": {p.name: t.rows for p, t in zip(problem.parts, problem.study.tables, strict=True)},
        "before": asdict(problem.profile_before),
    }
    if problem.model.most_events is not None:
        mine["above_cap"] = int(np.count_nonzero(~problem.evaluator.supports.within_cap))
    rows = {name: each["rows"] for name, each in manifest["tables"].items()}
    yield check_figures(figures, mine, {**manifest, **manifest["risk"], "rows": rows})
    read, unmoved = problem, None
    if first is not None:
        views, unmoved = in_intervals({p.name: p.table for p in problem.parts}, policy)
        read = replace(problem, parts=tuple(p.with_table(views[p.name]) for p in problem.parts))
    original = original_histories(read, scheme)
    compare = check_people_with_events if single else check_people
    yield compare(released, original, kept.tolist())
    if first is not None and unmoved is not None:
        who = None if key_file is None else people_by_key(problem, keys, Path(key_file))
        most = policy.release.date_shift or 0
        yield check_shifts(released, original, kept, (first, unmoved), most, who)
    yield check_new_keys(problem, keys)
    yield from check_order(released, original)
    if key_file is not None:
        yield check_key_file(released, original, problem, keys, Path(key_file))
    yield from check_proven(
        problem.policy,
        partial(case_of_study, problem.evaluator, problem.lattice),
        lambda: check_optimum(problem, manifest, seconds_left(manifest, started)),
        manifest,
        proof,
        started,
    )


def figures_of(
    problem: StudyProblem, scheme: Scheme, rows: Rows, released: PlainStudy
) -> dict[str, Any]:
    """Return what is lost where whole people go; single events may go in more ways, and are counted."""
    if problem.model.suppress == "people":
        losses = problem.evaluator.attribute_losses(scheme, rows)
        return {
            "loss": problem.evaluator.score(scheme, rows).loss,
            "attribute_loss": dict(zip(problem.study.attributes, losses, strict=True)),
        }
    study, kept = problem.study, rows[PEOPLE]
    there = study.counts(range(1, len(study.tables)))[:, kept]
    names = [part.name for part in problem.parts]
    dropped = {
        names[place]: int(own.sum()) - len(released.tables[place].values)
        for place, own in enumerate(there, start=1)
    }
    had = int(np.count_nonzero(there.sum(axis=0)))
    return {"events_dropped": dropped, "lost_all_events": had - sum(map(bool, released.events))}


def originals_of(against: Any, policy: Policy, manifest: Mapping[str, Any]) -> Any:
    """Return the original tables by name: those given, or where the policy says.

    The path of the people's file, or of its folder, is taken as what the policy says.
    """
    if isinstance(against, Mapping):
        return against
    [people] = [name for name in manifest["tables"] if name not in policy.tables]
    return tables_at(Path(against), policy, people)


def original_histories(problem: StudyProblem, scheme: tuple[int, ...]) -> PlainStudy:
    """Generalize the original rows, beside the columns that are kept."""
    made = []
    levels = problem.study.split(scheme)
    for part, table, own in zip(problem.parts, problem.study.tables, levels, strict=True):
        microdata = table.microdata
        layering = one_layer(microdata, own, np.zeros(microdata.distinct, np.bool_))
        columns = []
        for at in range(len(microdata.attributes)):
            numbers, texts = layering.values(at)
            columns.append([texts[number] for number in numbers[microdata.tuple_of_row].tolist()])
        general = list(zip(*columns, strict=True)) if columns else [()] * table.rows
        values = list(zip(general, kept_cells(part, table.rows), strict=True))
        above = () if table.parent_row is None else table.parent_row.tolist()
        made.append(PlainTable(part.name, values, table.parent, above))
    return PlainStudy(tuple(made))


def kept_cells(part: StudyPart, rows: int) -> list[tuple[str, ...]]:
    """Return what is released as it was in each row."""
    kept = [n for n, a in part.policy.attributes.items() if n in part.kept and not a.role.dropped]
    if not kept:
        return [()] * rows
    write = escape if part.policy.release.escape_formulas else str
    columns = read_columns(part.table, kept)
    cells = [
        [texts[code] for code in columns[name].codes.tolist()]
        for name in kept
        for texts in [[same_text(write(text)) for text in columns[name].texts]]
    ]
    return list(zip(*cells, strict=True))


def profiles_of(histories: PlainStudy) -> list[Profile]:
    """Return what everybody is by all that a release has of them."""
    rows = histories.tables[PEOPLE].values
    return [(rows[p], histories.written(events)) for p, events in enumerate(histories.events)]


def check_people(released: PlainStudy, original: PlainStudy, kept: Sequence[bool]) -> Check:
    """Check that those released are those kept of the original, with all their rows, generalized."""
    claim = "every person released is one of the original, with all their rows generalized"
    mine, everybody = Counter(profiles_of(released)), profiles_of(original)
    theirs = Counter(p for p, stays in zip(everybody, kept, strict=True) if stays)
    nobody, lacking = mine - Counter(everybody), theirs - mine
    surplus = mine - theirs
    details = []
    if nobody:
        details.append(f"{nobody.total():,} people are nobody of the original")
    if surplus - nobody:
        details.append(f"{(surplus - nobody).total():,} people had to be dropped")
    if lacking:
        details.append(f"{lacking.total():,} people are lacking, or are not as in the original")
    return Check(claim, not details, "; ".join(details) or f"{mine.total():,} people agree")


def check_shifts(
    released: PlainStudy,
    original: PlainStudy,
    kept: NDArray[np.bool_],
    first: tuple[Days, Days],
    most: int,
    who: Sequence[int | None] | None,
) -> Check:
    """Check how far the first dates of people are moved: by the file of keys where there is one."""
    moved, unmoved = first
    if who is not None and None not in who:
        there = np.array(who, np.int64)
        return check_distances(
            moved, unmoved[there], most, moved.size, "person by person, by the file of keys"
        )
    theirs = [p for p, stays in zip(profiles_of(original), kept.tolist(), strict=True) if stays]
    days = (moved, unmoved[kept])
    return check_moved(
        profiles_of(released), theirs, days, most, moved.size, "people who are not alike"
    )


def people_by_key(
    problem: StudyProblem, keys: Mapping[str, Sequence[str]], path: Path
) -> list[int | None]:
    """Return the original row of each released person, as the steward's file says."""
    part = problem.parts[PEOPLE]
    said = {new: old for table, old, new in read_keys(path) if table == part.name}
    row_of = original_rows(part)
    return [row_of.get(said.get(key, "")) for key in keys[part.name]]


def check_people_with_events(
    released: PlainStudy, original: PlainStudy, kept: Sequence[bool]
) -> Check:
    """Check that those released are different people kept of the original, with some events each."""
    claim = "every person released is one of the original, with some of their rows generalized"
    mine: list[tuple[Hashable, Counter[Any]]]
    mine = [(row, Counter(events)) for row, events in profiles_of(released)]
    by_row: dict[Hashable, list[Counter[Any]]] = {}
    for (row, events), stays in zip(profiles_of(original), kept, strict=True):
        if stays:
            by_row.setdefault(row, []).append(Counter(events))
    rows = Counter(row for row, _ in mine)
    matched = sum(
        match([events for own, events in mine if own == row], by_row.get(row, [])) for row in rows
    )
    lacking = sum(kept) - len(mine)
    details = [f"{len(mine) - matched:,} people are nobody who is kept"] * (matched < len(mine))
    details += [f"{lacking:,} people are lacking"] * (lacking > 0)
    return Check(claim, not details, "; ".join(details) or f"{matched:,} people agree")


def match(mine: Sequence[Counter[Any]], theirs: Sequence[Counter[Any]]) -> int:
    """Return how many lists can each be part of another one of theirs, at most.

    >>> match([Counter("a"), Counter("ab")], [Counter("ab"), Counter("b")])
    1
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    part = np.array([[each <= whole for whole in theirs] for each in mine], np.int8)
    if not part.any():
        return 0
    return int(np.count_nonzero(maximum_bipartite_matching(csr_array(part), "column") >= 0))


def check_new_keys(problem: StudyProblem, keys: Mapping[str, Sequence[str]]) -> Check:
    """Check that no key of the release is one of the original."""
    old: set[str] = set()
    for part in problem.parts:
        for column in read_columns(part.table, list(part.keys)).values():
            old.update(column.texts)
    same = sum(len(old & set(named)) for named in keys.values())
    detail = f"{same:,} keys are those of the original" if same else "no key is one of the original"
    return Check("the keys are new", not same, detail)


def check_order(released: PlainStudy, original: PlainStudy) -> Iterator[Check]:
    """Check that the rows of no table stand as in the original, told by their people and values."""
    number_of: dict[Profile, int] = {}
    mine, theirs = rows_told(released, number_of), rows_told(original, number_of)
    for place, table in enumerate(released.tables):
        numbers: dict[Hashable, int] = {}
        before = [numbers.setdefault(row, len(numbers)) for row in theirs[place]]
        after = [numbers[row] for row in mine[place] if row in numbers]
        found = find_order(np.array(after, np.int64), np.array(before, np.int64)) if after else None
        claim = f"{table.name}: the order of rows is not that of the original"
        yield Check(claim, found is None, found or "rows are shuffled")


def rows_told(histories: PlainStudy, number_of: dict[Profile, int]) -> list[list[Hashable]]:
    """Return, for each row of each table, the number of all that its person is, and its value."""
    profiles = [number_of.setdefault(each, len(number_of)) for each in profiles_of(histories)]
    told: list[list[Hashable]] = [[*profiles]]
    for place, table in enumerate(histories.tables[1:], start=1):
        whose = (histories.person((place, row)) for row in range(len(table.values)))
        told.append(list(zip((profiles[p] for p in whose), table.values, strict=True)))
    return told


def check_key_file(
    released: PlainStudy,
    original: PlainStudy,
    problem: StudyProblem,
    keys: Mapping[str, Sequence[str]],
    path: Path,
) -> Check:
    """Check that everybody, and every row that others belong to, is what the steward's file says."""
    said = {(table, new): old for table, old, new in read_keys(path)}
    theirs, wrong, rows_of = profiles_of(original), 0, dict[int, list[int | None]]()
    for place, part in enumerate(problem.parts):
        if part.name not in keys:
            continue
        row_of = original_rows(part)
        rows_of[place] = [row_of.get(said.get((part.name, key), "")) for key in keys[part.name]]
        mine, old = released.tables[place], original.tables[place]
        for number, row in enumerate(rows_of[place]):
            same = row is not None and mine.values[number] == old.values[row]
            if row is not None and mine.parent is not None:
                same &= rows_of[mine.parent][mine.parent_row[number]] == old.parent_row[row]
            wrong += not same
    single = problem.model.suppress == "events"
    for row, (own, events) in zip(rows_of[PEOPLE], profiles_of(released), strict=True):
        if row is None:
            continue
        all_of_them = Counter[Any](theirs[row][1])
        same = Counter[Any](events) <= all_of_them if single else events == theirs[row][1]
        wrong += own != theirs[row][0] or not same
    detail = f"{wrong:,} keys are of another" if wrong else f"{len(said):,} keys agree"
    return Check("everybody is who the file of keys says", not wrong, detail)


def original_rows(part: StudyPart) -> dict[str, int]:
    """Return the row of each id or key of an original table."""
    [name] = [column for column, table in part.keys.items() if table == part.name]
    column = read_columns(part.table, [name])[name]
    return {column.texts[code]: row for row, code in enumerate(column.codes.tolist())}


def read_keys(path: Path) -> list[tuple[str, str, str]]:
    """Read the steward's file of keys."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            header, *rows = csv.reader(file)
    except (OSError, ValueError, csv.Error):
        raise ReleaseError(
            f"{path}: there is no file of keys that can be read; correct --keys."
        ) from None
    if tuple(header) != KEYS_HEADER or any(len(row) != len(KEYS_HEADER) for row in rows):
        raise ReleaseError(f"{path}: this is not a file of keys as `run --keys` writes it.")
    return [(table, old, new) for table, old, new in rows]


def check_optimum(
    problem: StudyProblem, manifest: Mapping[str, Any], seconds: float | None
) -> Check:
    """Search again where the release claims to be optimal."""
    claim = "no scheme of the policy has a lower loss"
    if manifest["status"] != Status.OPTIMAL:
        return Check(claim, None, f"not claimed: the status is {manifest['status']}")
    limited = problem.policy.without_limits().with_search(time_limit=seconds)
    try:
        again = anonymize_study(replace(problem, policy=limited))
    except InfeasibleError:
        again = None
    if again is None or (again.stopped is StopReason.TIME and again.status is not Status.OPTIMAL):
        detail = "left out: to search again would take longer than the release took to make"
        return Check(claim, None, detail)
    same = abs(again.loss - manifest["loss"]) <= ROUNDING
    if manifest.get("stopped") == StopReason.COMPLETE:  # else ties may have been left open
        same &= again.scheme == manifest["scheme"]
    work = f"loss {again.loss:.9f}, {again.proof.evaluated:,} evaluated"
    return Check(claim, same, f"searched again: {work}")
