"""The chosen folder: the only place that the studio writes to."""

from __future__ import annotations

import os
import tomllib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonymizer.data.staging import Staging, replace_file
from anonymizer.decision.context import Context
from anonymizer.errors import AnonymizerError, DataError, PolicyError, quote
from anonymizer.policy import Policy, renewed_policy
from anonymizer.proposal.proposal import POLICY, Proposal
from anonymizer.studio.toml_text import rewrite

UPLOAD_LIMIT = 1 << 30
"""Bytes of a table that is dropped on the page; larger ones are named on the command line."""
CONTEXT = "context.toml"
"""The context of a release, for the decision page; the steward writes it."""
RELEASE = "release"
"""The folder of the release, in the chosen one."""
WAY_IN = "open-studio.html"
"""What leads the steward's browser to the page, while the studio runs."""


class TooLargeError(AnonymizerError):
    """An upload is larger than the limit."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder, and what the studio keeps in it."""

    path: Path

    @property
    def policy(self) -> Path:
        """The policy file."""
        return self.path / POLICY

    @property
    def release(self) -> Path:
        """Where a release goes."""
        return self.path / RELEASE

    @property
    def context(self) -> Path:
        """What the steward states for the decision page, if there is such a file."""
        return self.path / CONTEXT

    def stated(self) -> Context:
        """Read the context; nothing is stated where there is no file."""
        return Context.read(self.context) if self.context.is_file() else Context()

    def place_for(self, name: str) -> Path:
        """Return where a file of some name goes; a DataError refuses names that lead elsewhere.

        >>> Folder(Path("here")).place_for("table.csv").as_posix()
        'here/table.csv'
        """
        plain = name.strip()
        inside = plain == os.path.basename(plain) and not plain.startswith(".")
        if not plain or not inside or "\\" in plain or ":" in plain or not plain.isprintable():
            raise DataError(f"{quote(name)} is not the name of a file; rename it.")
        if plain.casefold() in (POLICY, RELEASE, CONTEXT, WAY_IN, "hierarchies"):
            raise DataError(
                f"{quote(name)} is a name that the studio needs itself; rename the file."
            )
        return self.path / plain

    async def receive(self, name: str, body: AsyncIterator[bytes], limit: int) -> Path:
        """Write an upload into the folder, for its owner alone; one that breaks off leaves nothing."""
        place = self.place_for(name)
        if place.exists():
            raise DataError(
                f"{place.name} is in the folder already; rename the file, or remove it."
            )
        size = 0
        with Staging(self.path) as staging, staging.private(place.name).open("wb") as file:
            async for chunk in body:
                size += len(chunk)
                if size > limit:
                    raise TooLargeError(
                        f"{place.name} is larger than {limit:,} bytes; open it with "
                        f"`anonymizer studio {place.name}` instead."
                    )
                file.write(chunk)
        return place

    def keep(self, proposal: Proposal) -> None:
        """Write a proposed policy and its hierarchies."""
        inputs = [] if proposal.path is None else [proposal.path]
        with Staging(self.path, inputs) as staging:
            proposal.stage(staging)

    def adopt(self, policy: Path) -> None:
        """Have a policy in the folder: it is there, or it is copied with its paths."""
        if policy.resolve() == self.policy.resolve():
            return
        if self.policy.exists():
            raise PolicyError(
                f"{self.policy} is there already; open it instead, or choose another folder with --out."
            )
        loaded = Policy.read(policy)
        if any(model.files(loaded.folder) for model in loaded.risk):
            raise PolicyError(
                f"{policy}: its risk models read files beside it; leave out --out, and it is opened "
                "where it is."
            )
        text = policy.read_text(encoding="utf-8")
        moved = rewrite(
            text, rebased(renewed_policy(tomllib.loads(text)), policy.parent, self.path)
        )
        self.path.mkdir(parents=True, exist_ok=True)
        replace_file(self.policy, moved.encode())


def rebased(document: dict[str, Any], old: Path, new: Path) -> dict[str, Any]:
    """Return a policy whose paths are relative to another folder."""

    def move(path: str) -> str:
        return Path(os.path.relpath((old / path).resolve(), new.resolve())).as_posix()

    data = dict(document.get("data", {}))
    if "path" in data:
        data["path"] = move(data["path"])

    def moved(attributes: dict[str, Any]) -> dict[str, Any]:
        return {
            name: {**keys, "hierarchy": move(keys["hierarchy"])}
            if isinstance(keys.get("hierarchy"), str)
            else keys
            for name, keys in attributes.items()
        }

    found = {**document, "attributes": moved(document["attributes"])}
    if "tables" in document:
        found["tables"] = {
            name: {
                **child,
                **({"path": move(child["path"])} if "path" in child else {}),
                "attributes": moved(child["attributes"]),
            }
            for name, child in document["tables"].items()
        }
    return found | ({"data": data} if data else {})
