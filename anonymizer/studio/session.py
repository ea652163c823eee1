"""A session: one table, one policy file, and everything that the page asks of them."""

from __future__ import annotations

import threading
import tomllib
from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any, get_args

from anonymizer.data.release import FileKind
from anonymizer.errors import AnonymizerError, DataError, PolicyError
from anonymizer.hierarchy.fields import is_whole
from anonymizer.policy import Policy, renewed_policy
from anonymizer.problem import open_data
from anonymizer.proposal.decision import Decision
from anonymizer.proposal.proposal import propose
from anonymizer.solution.solution import Solution
from anonymizer.studio.columns import count_people, decide
from anonymizer.studio.commands import commands_for
from anonymizer.studio.engine import StudioEngine, noting
from anonymizer.studio.events import Events
from anonymizer.studio.folder import Folder
from anonymizer.studio.history import History
from anonymizer.studio.mending import Fault, UnreadableError, fault_of
from anonymizer.studio.toml_text import plain, rewrite
from anonymizer.validation import parse

Document = dict[str, Any]


class NotOpenError(AnonymizerError):
    """Nothing is open yet."""


class Session:
    """What all pages share: the folder, the policy with its history, and the engine."""

    def __init__(self, folder: Folder) -> None:
        self.folder, self.events = folder, Events()
        self.engine = StudioEngine(self.events)
        self.lock = threading.RLock()
        self.history: History | None = None
        self.fault: Fault | None = None
        """What is wrong with the table that was to be opened."""
        self.deciding = threading.Lock()
        self.decided: dict[str, Decision] = {}
        self.counted: dict[str | None, dict[str, Decision]] = {}

    # opening

    def open(self, path: Path, stated: Mapping[str, str] | None = None) -> None:
        """Open a policy, or a table, for which one is proposed unless the folder has one."""
        if is_table(path):
            self.open_table(path, stated)
        else:
            self.folder.adopt(path)
            self.open_policy()

    def open_table(self, path: Path, stated: Mapping[str, str] | None = None) -> None:
        """Open a table with the policy of the folder, or propose one.

        `stated` is what is said of how the file is to be read. An UnreadableError says what is wrong.
        """
        how: dict[str, Any] = dict(stated or {})
        if self.folder.policy.exists():
            named = Policy.read(self.folder.policy).data_path
            if named is None or named.resolve() != path.resolve():
                raise PolicyError(
                    f"{self.folder.policy} is about another table, {named}; choose another folder with "
                    "--out."
                )
        else:
            try:
                with noting(self.engine.notes):
                    self.folder.keep(propose(path, **how))
            except DataError as error:
                if not path.is_file():
                    raise
                raise UnreadableError(fault_of(path, error, how)) from None
        self.fault = None
        self.open_policy()

    def open_policy(self) -> None:
        """Open the policy of the folder, and the table that it names."""
        with self.lock:
            policy = Policy.read(self.folder.policy)
            self.engine.open(open_data(None, policy))
            self.history = History.open(self.folder.policy)
            self.ask()

    def close(self) -> None:
        """End the engine's thread and all streams."""
        self.engine.close()
        self.events.close()

    # what is there

    @property
    def opened(self) -> History:
        """The history of the policy; an error where nothing is open."""
        if self.history is None:
            raise NotOpenError("no table is open; drop one on the page first.")
        return self.history

    @property
    def document(self) -> Document:
        """The policy as its keys."""
        return renewed_policy(tomllib.loads(self.opened.text))

    @property
    def documents(self) -> list[Document]:
        """The keys of every text that the policy has had, up to the one that it has."""
        history = self.opened
        return [
            renewed_policy(tomllib.loads(entry.text)) for entry in history.entries[: history.at + 1]
        ]

    def policy(self, document: Mapping[str, Any] | None = None) -> Policy:
        """Check a policy and return it; its paths are relative to the folder."""
        keys = self.document if document is None else document
        return parse(Policy, {**keys, "folder": self.folder.path}, str(self.folder.policy))

    def solution(self) -> Solution:
        """Return the optimum of the policy as it is; an error where it is not found yet."""
        found = self.engine.solution
        if found is None:
            raise NotOpenError("the optimum is not found yet; wait for it.")
        return found

    def decisions(self) -> dict[str, Decision]:
        """Return the proposal for each column, with figures of people as the policy counts them.

        The proposal is found once for a table, the figures once for an id.
        """
        with self.deciding:
            table = self.engine.table
            if table is None:
                raise NotOpenError("no table is open; drop one on the page first.")
            person = id_column(self.document, table.columns)
            if not self.decided:
                self.decided = decide(table)
            if person not in self.counted:
                self.counted[person] = count_people(table, self.decided, person)
            return self.counted[person]

    def state(self) -> dict[str, Any]:
        """Return what a page needs to show where things stand."""
        with self.lock:
            if self.history is None:
                fault = None if self.fault is None else self.fault.describe()
                return {"open": False, "folder": str(self.folder.path), "fault": fault}
            history, table = self.history, self.engine.table
            assert table is not None
            return {
                "open": True,
                "folder": str(self.folder.path),
                "table": Path(table.name).name,
                "revision": history.revision,
                "text": history.text,
                "document": plain(renewed_policy(tomllib.loads(history.text))),
                "difference": history.difference(),
                "label": history.label,
                "undo": history.undone,
                "redo": history.redone,
                "columns": list(table.columns),
                "commands": commands_for(
                    self.folder, table, file_kind(tomllib.loads(history.text))
                ),
            }

    def story(self) -> list[tuple[str, dict[str, Any]]]:
        """Return the events that bring a newly opened page up to date."""
        with self.lock:
            told = list(self.engine.told.items())  # the engine may be adding to it
            now = None if self.history is None else self.history.revision
            found = [(kind, content) for kind, content in told if content["revision"] == now]
            return [("state", self.state()), *found]

    # changes

    def change(
        self, revision: int, changes: Sequence[Mapping[str, Any]], label: str
    ) -> dict[str, Any]:
        """Write changes of the policy down, and ask for its optimum; refuse what is stale or wrong."""
        with self.lock:
            self.check(revision)
            wanted = changed(self.document, changes)
            self.policy(wanted)
            if wanted != self.document:
                self.opened.push(rewrite(self.opened.text, wanted), label)
            return self.renew()

    def try_out(self, revision: int, changes: Sequence[Mapping[str, Any]], sequence: int) -> None:
        """Ask for the optimum of a changed policy that is not written down."""
        with self.lock:
            self.check(revision)
            wanted = changed(self.document, changes)
            policy = self.policy(wanted)
            self.engine.ask(policy, rewrite(self.opened.text, wanted), revision, sequence)

    def move(self, revision: int, steps: int) -> dict[str, Any]:
        """Undo or redo."""
        with self.lock:
            self.check(revision)
            self.opened.move(steps)
            return self.renew()

    def check(self, revision: int) -> None:
        """Refuse a change that was made for an older revision; pages are told of an edited file."""
        before = self.opened.revision
        try:
            self.opened.check(revision)
        finally:
            if self.opened.revision != before:
                self.renew()

    def renew(self) -> dict[str, Any]:
        """Tell all pages where things stand, and ask for the optimum."""
        state = self.state()
        self.events.tell("state", **state)
        self.ask()
        return state

    def ask(self) -> None:
        """Ask for the optimum of the policy as it is."""
        history = self.opened
        try:
            policy = self.policy()
        except AnonymizerError as error:  # an editor may leave anything in the file
            said = str(error).removeprefix(f"{self.folder.policy}: ")
            self.engine.tell("failure", history.revision, message=said, panel=None)
            return
        self.engine.ask(policy, history.text, history.revision)


def file_kind(document: Document) -> FileKind | None:
    """Return the kind of file that a policy wants; an editor may have left anything there."""
    release = document.get("release")
    wanted = release.get("file") if isinstance(release, dict) else None
    return wanted if wanted in get_args(FileKind) else None


def id_column(document: Document, columns: Sequence[str]) -> str | None:
    """Return the column that tells whose each row is; an editor may have left anything there."""
    data = document.get("data")
    wanted = data.get("id") if isinstance(data, dict) else None
    return wanted if wanted in columns else None


def is_table(path: Path) -> bool:
    """Whether a path is that of a table: all that is not a policy in TOML."""
    return path.suffix.lower() != ".toml"


def changed(document: Document, changes: Sequence[Mapping[str, Any]]) -> Document:
    """Return the keys of a policy with some values replaced, or removed where the value is None.

    >>> changed({"risk": [{"k": 5}]}, [{"path": ["risk", 0, "k"], "value": 7}])
    {'risk': [{'k': 7}]}
    """
    wanted = deepcopy(document)
    for each in changes:
        path, value = each.get("path"), each.get("value")
        if not isinstance(path, list) or not path:
            raise PolicyError(f"{path!r} is not a path in the policy; give its keys.")
        put(wanted, path, value)
    return wanted


def put(inner: Any, path: Sequence[Any], value: Any) -> None:
    """Put a value at a path; tables on the way are made, and an empty one is removed again."""
    key, more = path[0], path[1:]
    try:
        check_key(inner, key)
        if more:
            if isinstance(inner, dict) and key not in inner:
                inner[key] = {}
            put(inner[key], more, value)
            if inner[key] == {} and len(path) == 2 and value is None:
                del inner[key]
        elif value is None:
            remove(inner, key)
        elif isinstance(inner, list) and key == len(inner):
            inner.append(value)
        else:
            inner[key] = value
    except (KeyError, IndexError, TypeError):
        raise PolicyError(f"the policy has no place {key!r}; look at it again.") from None


def check_key(inner: Any, key: Any) -> None:
    """Raise a KeyError unless a key can be one of a table, or a place of a list."""
    if not isinstance(key, str) if isinstance(inner, dict) else not is_whole(key) or key < 0:
        raise KeyError(key)


def remove(inner: Any, key: Any) -> None:
    """Remove a value, if it is there."""
    if isinstance(inner, dict):
        inner.pop(key, None)
    else:
        del inner[key]
