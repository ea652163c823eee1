"""What the page may ask: one function for each question, from JSON to JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from anonymizer.data.coded import LoadedTable
from anonymizer.errors import DataError
from anonymizer.hierarchy.fields import is_whole
from anonymizer.problem import Problem
from anonymizer.solution.solution import Solution
from anonymizer.studio import (
    attackers,
    classes,
    columns,
    context,
    explore,
    figures,
    hierarchies,
    risk,
    start,
)
from anonymizer.studio.checklist import checklist_of
from anonymizer.studio.mending import UnreadableError, stated_of
from anonymizer.studio.session import NotOpenError, Session, id_column

Asked = Mapping[str, Any]


def table_of(session: Session) -> LoadedTable:
    """Return the table that is open."""
    if session.engine.table is None:
        raise NotOpenError("no table is open; drop one on the page first.")
    return session.engine.table


def problem_of(session: Session) -> Problem:
    """Return the problem of the newest solution."""
    return session.solution().problem


def revision_of(asked: Asked) -> int:
    """Return the revision that a change was made for."""
    revision = asked.get("revision")
    if not is_whole(revision):
        raise DataError("the change does not say which revision it is for; reload the page.")
    return int(revision)


def changes_of(asked: Asked) -> Sequence[Mapping[str, Any]]:
    """Return the changes that are asked for."""
    changes = asked.get("changes")
    if not isinstance(changes, list) or not all(isinstance(each, dict) for each in changes):
        raise DataError("the changes are not a list; reload the page.")
    return changes


def levels_of(asked: Asked) -> Mapping[str, Any]:
    """Return the levels that were chosen by hand."""
    levels = asked.get("levels")
    if not isinstance(levels, dict):
        raise DataError("the levels are missing; reload the page.")
    return levels


def state(session: Session, _: Asked) -> Any:
    """How things stand."""
    return session.state()


def change(session: Session, asked: Asked) -> Any:
    """Write changes down."""
    label = str(asked.get("label") or "changed")
    return session.change(revision_of(asked), changes_of(asked), label)


def try_out(session: Session, asked: Asked) -> Any:
    """Ask for the optimum of changes that are not written down yet."""
    sequence = asked.get("sequence")
    number = sequence if is_whole(sequence) else 0
    session.try_out(revision_of(asked), changes_of(asked), number)
    return {}


def mend(session: Session, asked: Asked) -> Any:
    """Open the table that could not be read, with what is now said of it."""
    with session.lock:
        fault = session.fault
        if fault is None:
            raise DataError("no table waits to be mended; drop one on the page.")
        try:
            session.open_table(fault.path, stated_of(asked))
        except UnreadableError as error:
            session.fault = error.fault
            raise
        state = session.state()
    session.events.tell("state", **state)
    return state


def undo(session: Session, asked: Asked) -> Any:
    """Take the last change back."""
    return session.move(revision_of(asked), -1)


def redo(session: Session, asked: Asked) -> Any:
    """Make the last change again that was taken back."""
    return session.move(revision_of(asked), 1)


def cancel(session: Session, _: Asked) -> Any:
    """Stop what is going on, with the best so far."""
    return {"stopped": session.engine.stop()}


def describe_columns(session: Session, _: Asked) -> Any:
    """All columns, with what is proposed for them, and what was found for the questions before."""
    decisions = session.decisions()
    table = table_of(session)
    asked = start.describe_start(table, decisions, session.document, session.folder)
    return {"columns": columns.describe_columns(table, decisions), **asked}


def rows(session: Session, asked: Asked) -> Any:
    """The rows in view."""
    return columns.describe_rows(table_of(session), asked.get("start"), asked.get("count"))


def output(session: Session, asked: Asked) -> Any:
    """The rows in view, beside what they become."""
    view = asked.get("start"), asked.get("count")
    return columns.describe_output(table_of(session), session.solution(), *view)


def list_classes(session: Session, asked: Asked) -> Any:
    """The classes of the output in view, released or dropped."""
    which = asked.get("dropped"), asked.get("largest"), asked.get("start"), asked.get("count")
    return classes.describe_classes(table_of(session), session.solution(), *which)


def role(session: Session, asked: Asked) -> Any:
    """Give a column a role."""
    name, given = asked.get("column"), asked.get("role")
    changes = columns.role_changes(table_of(session), session.documents, name, given)
    return session.change(revision_of(asked), changes, f"{name}: {given}")


def person(session: Session, asked: Asked) -> Any:
    """Say which column tells whose each row is."""
    name = asked.get("column")
    changes = columns.person_changes(table_of(session), name)
    label = "each row is a person" if name is None else f"{name} tells whose each row is"
    return session.change(revision_of(asked), changes, label)


def propose(session: Session, asked: Asked) -> Any:
    """Give every column the role that a recipient and the needs of the analysis ask for."""
    recipient, need = asked.get("recipient"), asked.get("need")
    table = table_of(session)
    whose = id_column(session.document, table.columns)
    changes = columns.proposal_changes(table, session.documents, whose, recipient, need)
    state = session.change(revision_of(asked), changes, f"proposed for: {recipient}")
    start.state_recipient(session.folder, str(recipient))
    session.events.tell("context")
    return state


def scheme(session: Session, asked: Asked) -> Any:
    """Measure a scheme that was chosen by hand."""
    return explore.look_at(problem_of(session), session.engine.solution, levels_of(asked))


def level(session: Session, asked: Asked) -> Any:
    """Every value of a level, and how many records have it."""
    return explore.describe_level(session.solution(), asked.get("column"), asked.get("level"))


def keep(session: Session, _: Asked) -> Any:
    """The solution as it is, to be compared with others."""
    return explore.describe_kept(session.solution())


def hierarchy(session: Session, asked: Asked) -> Any:
    """The hierarchy of a column."""
    given = session.policy(), session.document, asked.get("column")
    return hierarchies.describe_hierarchy(table_of(session), *given)


def set_hierarchy(session: Session, asked: Asked) -> Any:
    """Give a column another hierarchy."""
    name = asked.get("column")
    changes = hierarchies.changes_for(table_of(session), session.policy(), name, asked.get("spec"))
    label = str(asked.get("label") or f"hierarchy of {name}")
    return session.change(revision_of(asked), changes, label)


def preview_reading(session: Session, asked: Asked) -> Any:
    """How cells would be read as a stated type and format."""
    name, policy = asked.get("column"), session.policy()
    column = columns.column_of(table_of(session), name)
    stated = asked.get("type"), asked.get("format")
    return hierarchies.describe_reading(policy, column, str(name), *stated)


def export_hierarchy(session: Session, asked: Asked) -> Any:
    """Write a hierarchy as ARX has it."""
    path = hierarchies.export_arx(session.folder, session.policy(), asked.get("column"))
    return {"path": path}


def import_hierarchy(session: Session, asked: Asked) -> Any:
    """Take a hierarchy as ARX has it."""
    name = asked.get("column")
    with session.lock:
        session.check(revision_of(asked))
        table = table_of(session)
        changes = hierarchies.import_arx(session.folder, table, name, asked.get("text"))
        return session.change(revision_of(asked), changes, f"hierarchy of {name} from ARX")


def describe_risk(session: Session, _: Asked) -> Any:
    """The risks before and after."""
    given = session.solution(), session.engine.explanation
    return risk.describe_risk(*given, table_of(session), session.decisions())


def list_attackers(session: Session, _: Asked) -> Any:
    """Whom one can look at the table and the release as."""
    return {"attackers": attackers.list_attackers(one_scheme(session))}


def attack(session: Session, asked: Asked) -> Any:
    """Look at both as an attacker does; the answer comes as an event."""
    with session.lock:
        session.check(revision_of(asked))
        figures, columns = (asked.get(key) or {} for key in ("figures", "columns"))
        if not isinstance(figures, dict) or not isinstance(columns, dict):
            raise DataError("the figures are not given by their names; reload the page.")
        key = str(asked.get("attacker"))
        model = attackers.attacker_of(one_scheme(session), key, figures, columns)
        session.engine.attack(model, session.opened.revision, asked.get("asked"))
    return {}


def one_scheme(session: Session) -> Solution:
    """Return a solution that has one scheme; an error for layers, at which attackers do not look."""
    found = session.solution()
    if found.layers:
        raise DataError("attackers look at releases that have one scheme; this one has layers.")
    return found


def describe_utility(session: Session, _: Asked) -> Any:
    """What can still be seen in the release."""
    return figures.describe_utility(session.solution())


def evidence(session: Session, asked: Asked) -> Any:
    """Make the analyses that the policy states; the answer comes as an event."""
    with session.lock:
        session.check(revision_of(asked))
        session.solution()
        session.engine.analyse(session.opened.revision)
    return {}


def try_attacks(session: Session, asked: Asked) -> Any:
    """Try every attack on the release; the answer comes as an event."""
    with session.lock:
        session.check(revision_of(asked))
        session.solution()
        session.engine.try_attacks(session.opened.revision)
    return {}


def compare_thresholds(session: Session, asked: Asked) -> Any:
    """Make the policy's analyses at each threshold; the answer comes as an event."""
    with session.lock:
        session.check(revision_of(asked))
        if not session.solution().problem.policy.analysis:
            raise DataError("the policy states no analysis; state one under Utility.")
        if session.engine.frontier is None:
            raise NotOpenError("there is no frontier of this policy, or it is not found yet.")
        session.engine.compare_thresholds(session.opened.revision)
    return {}


def checklist(session: Session, _: Asked) -> Any:
    """What to look at before a release."""
    engine = session.engine
    given = session.solution(), table_of(session), session.decisions(), engine.notes
    checks = checklist_of(*given, session.folder, engine.attacks)
    return {"checks": checks, "folder": str(session.folder.release)}


def describe_context(session: Session, _: Asked) -> Any:
    """What is stated for the decision page."""
    return context.describe_context(session.folder)


def state_context(session: Session, asked: Asked) -> Any:
    """Write down what is stated for the decision page, and tell all pages."""
    with session.lock:
        context.write_context(session.folder, asked.get("stated"))
    session.events.tell("context")
    return context.describe_context(session.folder)


def write(session: Session, asked: Asked) -> Any:
    """Write the release and verify it; the answer comes as an event."""
    with session.lock:
        session.check(revision_of(asked))
        session.solution()
        session.engine.release(session.folder, session.opened.revision)
    return {}


QUESTIONS: dict[str, Callable[[Session, dict[str, Any]], Any]] = {
    "state": state,
    "change": change,
    "try": try_out,
    "mend": mend,
    "undo": undo,
    "redo": redo,
    "cancel": cancel,
    "columns": describe_columns,
    "rows": rows,
    "output": output,
    "classes": list_classes,
    "role": role,
    "person": person,
    "propose": propose,
    "scheme": scheme,
    "level": level,
    "keep": keep,
    "hierarchy": hierarchy,
    "set-hierarchy": set_hierarchy,
    "preview-reading": preview_reading,
    "export-hierarchy": export_hierarchy,
    "import-hierarchy": import_hierarchy,
    "risk": describe_risk,
    "attackers": list_attackers,
    "attack": attack,
    "utility": describe_utility,
    "evidence": evidence,
    "try-attacks": try_attacks,
    "compare-thresholds": compare_thresholds,
    "checklist": checklist,
    "context": describe_context,
    "state-context": state_context,
    "release": write,
}
"""What each address below /api/ answers."""
