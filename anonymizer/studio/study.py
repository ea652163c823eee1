"""The studio of linked tables: a page of its own, with the tables and keys of a policy, run and release.

Nothing is kept but the policy file, which may be edited elsewhere too: it is read anew at every question.
"""

from __future__ import annotations

import threading
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anonymizer.data.staging import Staging, replace_file
from anonymizer.errors import DataError, PolicyError
from anonymizer.policy import Attribute, Policy
from anonymizer.problem.study import name_of_people
from anonymizer.proposal.place import are_linked, find_tables
from anonymizer.proposal.study import propose_study
from anonymizer.report.study import sections
from anonymizer.solution.study import StudySolution, anonymize_study
from anonymizer.solution.study_manifest import write_study
from anonymizer.studio.events import Events
from anonymizer.studio.figures import describe_sections
from anonymizer.studio.folder import Folder
from anonymizer.studio.session import NotOpenError, changed, is_table
from anonymizer.studio.toml_text import rewrite
from anonymizer.validation import parse
from anonymizer.verification.verification import verify


def opens_study(path: Path | None) -> bool:
    """Whether a path is a folder of linked tables, or a policy that has some."""
    if path is None or not path.exists():
        return False
    if is_table(path):
        return are_linked([path])
    try:
        return "tables" in tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError:  # what is wrong with it is said where it is opened
        return False


class StudySession:
    """A policy for linked tables in a folder, and what was found for it."""

    def __init__(self, folder: Folder) -> None:
        self.folder, self.events = folder, Events()
        self.working = threading.Lock()
        self.solved: tuple[str, StudySolution] | None = None
        """The text of the policy, and what was found for it."""

    def open(self, path: Path) -> None:
        """Open a policy; or a folder of tables, for which one is proposed unless there is one."""
        if not is_table(path):
            self.folder.adopt(path)
        elif not self.folder.policy.exists():
            inputs = [place.path for place in find_tables([path]).values()]
            with Staging(self.folder.path, inputs) as staging:
                propose_study([path]).stage(staging)
        if not self.policy().tables:
            raise PolicyError(
                f"{self.folder.policy} is there already and has no linked tables; choose another folder "
                "with --out."
            )

    def close(self) -> None:
        """End all streams."""
        self.events.close()

    @property
    def text(self) -> str:
        """The policy file as it is."""
        return self.folder.policy.read_text(encoding="utf-8")

    def policy(self, document: Mapping[str, Any] | None = None) -> Policy:
        """Check a policy and return it; its paths are relative to the folder."""
        if document is None:
            return Policy.read(self.folder.policy)
        return parse(Policy, {**document, "folder": self.folder.path}, str(self.folder.policy))

    def state(self) -> dict[str, Any]:
        """Return the policy, its tables and their keys, and whether what was found is of it."""
        text, policy = self.text, self.policy()
        [model] = policy.risk
        solution = None if self.solved is None or self.solved[0] != text else self.solved[1]
        return {
            "file": str(self.folder.policy),
            "text": text,
            "tables": describe_tables(policy),
            "risk": {name: getattr(model, name) for name in ("k", "power", "suppress")},
            "limit": policy.release.suppression_limit,
            "rows": None if solution is None else solution.tables,
            "sections": None if solution is None else describe_sections(sections(solution)),
        }

    def change(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Change keys of the policy; the file keeps its comments."""
        changes = asked.get("changes")
        if not isinstance(changes, list):
            raise DataError("the question has no changes; reload the page.")
        wanted = changed(tomllib.loads(self.text), changes)
        self.policy(wanted)
        replace_file(self.folder.policy, rewrite(self.text, wanted).encode())
        return self.state()

    def run(self, _: Mapping[str, Any]) -> dict[str, Any]:
        """Find the best scheme for the policy as it is."""
        with self.working:
            text = self.text
            self.solved = text, anonymize_study(None, self.policy())
        return self.state()

    def release(self, _: Mapping[str, Any]) -> dict[str, Any]:
        """Write the tables with their manifest and proof; read them back and verify every claim."""
        with self.working:
            if self.solved is None or self.solved[0] != self.text:
                raise NotOpenError("the policy has changed since it was run; run it again.")
            solution = self.solved[1]
            files = write_study(solution, self.folder.release, proof=solution.proof_file())
            # from the files alone: nothing of what made the release is used
            found = verify(self.folder.release, self.folder.policy, against={})
        checks = [
            {"claim": each.claim, "holds": each.passed, "detail": each.detail}
            for each in found.checks
        ]
        return {"files": files, "passed": found.passed, "checks": checks}


def describe_tables(policy: Policy) -> list[dict[str, Any]]:
    """Return the tables, that of the people first: what each belongs to, its keys and its columns."""
    people = name_of_people(policy)
    found: list[tuple[str, str | None, str | None, str | None, dict[str, Attribute]]]
    found = [(people, None, policy.data.id, None, policy.attributes)]
    found += [
        (name, child.parent or people, child.id, child.key, child.attributes)
        for name, child in policy.tables.items()
    ]
    return [
        {
            "name": name,
            "parent": parent,
            "id": id_,
            "key": key,
            "columns": [
                {"name": column, "role": each.role.value, "is_key": column in (id_, key)}
                for column, each in attributes.items()
            ],
        }
        for name, parent, id_, key, attributes in found
    ]
