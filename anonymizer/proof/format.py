"""The proof file: a tree over the lattice whose leaves say why no scheme of theirs is better.

It is JSON, compressed where it is large, and holds levels and counts, no raw values. The tree's root is
the whole lattice of the policy. A node is a box, all schemes between a lowest and a highest one. It is
*cut* at one or more levels of an attribute, into slabs from low to high (one level: a split), or it is
*closed* with a reason and the numbers of its witnesses, which are schemes.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import math
import os
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from anonymizer.errors import ReleaseError

VERSION = 1
PROOF_NAMES = ("proof.json", "proof.json.gz")
"""What the file is called, as it is and compressed."""
REASONS = ("evaluated", "bound", "infeasible", "plain", "tie")
WITNESSED = ("bound", "infeasible", "tie")
"""The reasons that rest on witnesses."""
COMPRESSED_FROM = 200_000
"""Bytes from which on the file is compressed."""
MOST_BYTES = 2**26
"""No proof file is larger, compressed or not: what is read from one must fit into memory."""
GZIP_START = b"\x1f\x8b"
KEYS = {
    "proof", "anonymizer", "input", "policy", "hierarchies", "attributes", "lattice", "claim",
    "witnesses", "tree",
}  # fmt: skip
CLAIM_KEYS = {"scheme", "loss", "suppressed", "bound", "optimal", "ties"}

Scheme = tuple[int, ...]


class ProofError(ReleaseError):
    """A proof file that does not prove what it claims, or is none; the message says why."""


@dataclass(frozen=True, slots=True)
class Closed:
    """A box that needs no further look, and why."""

    reason: str
    witnesses: tuple[int, ...] = ()
    """The places of the schemes it rests on, in the file's list."""
    group: str | None = None
    """Where too many of a group go, its condition; else the suppression limit is exceeded."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A box in slabs: the levels of an attribute up to the first one, then up to the next, and so on."""

    attribute: int
    levels: tuple[int, ...]
    """The highest level of each slab but the last, ascending."""
    parts: tuple[Node, ...] = field(repr=False)


Node = Closed | Cut


@dataclass(frozen=True, slots=True)
class Claim:
    """What is proven: a scheme, what it costs, and that none costs less than a bound."""

    scheme: Scheme
    loss: float
    suppressed: int
    """Records."""
    bound: float
    """No scheme loses less; the loss itself where the scheme is optimal."""
    optimal: bool
    ties: bool = True
    """Whether the scheme also wins every tie, by fewer suppressed records and lower levels."""


@dataclass(frozen=True, slots=True)
class Proof:
    """A proof file as a value."""

    claim: Claim
    attributes: tuple[str, ...]
    low: Scheme
    high: Scheme
    witnesses: tuple[Scheme, ...] = field(repr=False)
    tree: Node = field(repr=False)
    origin: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """Digests of table, policy and hierarchies, as the manifest has them."""
    anonymizer: str = ""
    """The version that wrote it."""

    def boxes(self) -> Iterator[tuple[Scheme, Scheme, Closed]]:
        """Yield every closed box; a ProofError says where cuts do not cover the box they are of."""
        stack: list[tuple[Scheme, Scheme, Node]] = [(self.low, self.high, self.tree)]
        while stack:
            low, high, node = stack.pop()
            if isinstance(node, Closed):
                yield low, high, node
                continue
            at = node.attribute
            if not 0 <= at < len(low):
                raise ProofError(f"the box {show_box(low, high)} is cut at an attribute {at}.")
            ends = (*node.levels, high[at])
            starts = (low[at], *(level + 1 for level in node.levels))
            if len(node.parts) != len(ends) or any(map(int.__gt__, starts, ends)):
                raise ProofError(
                    f"the parts of the box {show_box(low, high)}, cut at levels {list(node.levels)} of "
                    f"'{self.attributes[at]}', do not cover it."
                )
            for start, end, part in zip(starts, ends, node.parts, strict=True):
                stack.append(
                    (
                        (*low[:at], start, *low[at + 1 :]),
                        (*high[:at], end, *high[at + 1 :]),
                        part,
                    )
                )

    def describe(self) -> dict[str, Any]:
        """Return the file's content."""
        claim = self.claim
        return {
            "proof": VERSION,
            "anonymizer": self.anonymizer,
            **self.origin,
            "attributes": list(self.attributes),
            "lattice": [list(self.low), list(self.high)],
            "claim": {
                "scheme": list(claim.scheme),
                "loss": claim.loss,
                "suppressed": claim.suppressed,
                "bound": claim.bound,
                "optimal": claim.optimal,
                "ties": claim.ties,
            },
            "witnesses": [list(scheme) for scheme in self.witnesses],
            "tree": write_node(self.tree),
        }

    @property
    def file_name(self) -> str:
        """What the file is called."""
        return PROOF_NAMES[self.to_bytes().startswith(GZIP_START)]

    def to_bytes(self) -> bytes:
        """Return the file: JSON, compressed where it is large."""
        text = json.dumps(self.describe(), separators=(",", ":"), ensure_ascii=False) + "\n"
        content = text.encode()
        return gzip.compress(content, mtime=0) if len(content) > COMPRESSED_FROM else content

    def write(self, path: Path) -> None:
        """Write the file for its owner alone: counts of witnesses describe the original."""
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(self.to_bytes())


def show_box(low: Scheme, high: Scheme) -> str:
    """Name a box by its lowest and highest scheme."""
    return f"{list(low)} to {list(high)}"


def write_node(node: Node) -> list[Any]:
    """Return a node as JSON: ["bound", 3], or ["cut", attribute, [levels], [parts]].

    Where too many of a group go, its condition is last: ["infeasible", 3, "died = 1"].
    """
    if isinstance(node, Closed):
        return [node.reason, *node.witnesses, *([] if node.group is None else [node.group])]
    return ["cut", node.attribute, list(node.levels), [write_node(part) for part in node.parts]]


def read_node(node: Any, witnesses: int) -> Node:
    """Read a node back; a ProofError says what is wrong with it."""
    match node:
        case ["cut", attribute, list(levels), list(parts)] if type(attribute) is int:
            return Cut(attribute, whole(levels), tuple(read_node(p, witnesses) for p in parts))
        case [str(reason), *numbers] if reason in REASONS:
            group = None
            if reason == "infeasible" and numbers and type(numbers[-1]) is str:
                group = numbers.pop()
            chosen = whole(numbers)
            if any(not 0 <= number < witnesses for number in chosen):
                raise ProofError(f"a box is closed by a witness that is not listed: {numbers}.")
            if bool(chosen) != (reason in WITNESSED):
                needs = (
                    "without a witness" if not chosen else "with witnesses that it has no use for"
                )
                raise ProofError(f"a box is closed as '{reason}' {needs}.")
            return Closed(reason, chosen, group)
    raise ProofError("the tree has a node that is neither cut nor closed for a known reason.")


def whole(numbers: Any) -> tuple[int, ...]:
    """Return a list of whole numbers as a tuple."""
    if not isinstance(numbers, list) or any(type(number) is not int for number in numbers):
        raise ProofError(f"{shorten(numbers)} is not a list of whole numbers.")
    return tuple(numbers)


def shorten(value: Any) -> str:
    """Show a value that should not be there, on one line."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def read_proof(path: str | Path) -> Proof:
    """Read a proof file, or say what is wrong with it."""
    try:
        described = json.loads(
            read_bytes(Path(path)), parse_constant=refuse, object_pairs_hook=once_each
        )
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        raise ProofError(f"{path}: there is no such proof file; name it with --proof.") from None
    except TooLarge:
        raise ProofError(
            f"{path}: this is not a proof file (it has more than {MOST_BYTES:,} bytes)."
        ) from None
    except (OSError, ValueError, RecursionError, EOFError, MemoryError, zlib.error):
        raise ProofError(
            f"{path}: this is not a proof file (not valid JSON, or damaged)."
        ) from None
    try:
        return parse_proof(described)
    except ProofError as error:
        raise ProofError(f"{path}: {error}") from None


class TooLarge(ValueError):  # noqa: N818 - said in another sentence
    """A file that is larger than any proof file."""


def read_bytes(path: Path) -> bytes:
    """Read a file, and what is compressed in it, up to the most that a proof file has."""
    with path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if content.startswith(GZIP_START):
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as packed:
            content = packed.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise TooLarge
    return content


def refuse(constant: str) -> None:
    """Refuse what JSON has no number for, such as NaN."""
    raise ValueError(constant)


def once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object whose keys are all different."""
    described = dict(pairs)
    if len(described) < len(pairs):
        raise ValueError
    return described


def parse_proof(described: Any) -> Proof:
    """Make a proof of a file's content; a ProofError says what is wrong with it."""
    stated = described.get("proof") if isinstance(described, Mapping) else None
    if type(stated) is not int or stated != VERSION:
        raise ProofError(
            f"this is not a proof file of version {VERSION} (it says {shorten(stated)}); make it again "
            "with `anonymizer run --proof`."
        )
    check_keys(described, KEYS)
    try:
        low, high = described["lattice"]
        witnesses = tuple(whole(scheme) for scheme in described["witnesses"])
        proof = Proof(
            parse_claim(described["claim"]),
            tuple(of_type(name, str) for name in of_type(described["attributes"], list)),
            whole(low),
            whole(high),
            witnesses,
            read_node(described["tree"], len(witnesses)),
            parse_origin(described),
            of_type(described.get("anonymizer", ""), str),
        )
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        what = f"{type(error).__name__}: {shorten(str(error))}"
        raise ProofError(f"this is not a proof file ({what}).") from None
    schemes = (proof.low, proof.high, proof.claim.scheme, *witnesses)
    if any(len(scheme) != len(proof.attributes) for scheme in schemes):
        raise ProofError(
            f"a scheme does not have a level for each of {len(proof.attributes)} attributes."
        )
    return proof


def check_keys(described: Mapping[str, Any], known: set[str]) -> None:
    """Refuse keys that no rule reads: what they say would not be checked."""
    if unknown := sorted(set(described) - known):
        raise ProofError(f"this is not a proof file (it has an unknown key {shorten(unknown[0])}).")


def parse_claim(claim: Any) -> Claim:
    """Read what is claimed, each figure of its own kind."""
    check_keys(of_type(claim, dict), CLAIM_KEYS)
    return Claim(
        whole(claim["scheme"]),
        finite(claim["loss"]),
        of_type(claim["suppressed"], int),
        finite(claim["bound"]),
        of_type(claim["optimal"], bool),
        of_type(claim["ties"], bool),
    )


def parse_origin(described: Mapping[str, Any]) -> dict[str, Any]:
    """Read the digests."""
    kinds: dict[str, type[Any]] = {"input": dict, "policy": str, "hierarchies": dict}
    return {key: of_type(described[key], kinds[key]) for key in kinds if key in described}


Kind = TypeVar("Kind")
CALLED = {
    int: "a whole number", str: "a string", bool: "true or false", list: "a list", dict: "an object"
}  # fmt: skip


def of_type(value: Any, kind: type[Kind]) -> Kind:
    """Return a value of just this type: a text is no number, and neither is true."""
    if type(value) is not kind:
        raise ProofError(f"{shorten(value)} is not {CALLED[kind]}.")
    return value


def finite(value: Any) -> float:
    """Return a number that is neither infinite nor none."""
    if type(value) not in (int, float) or not abs(value) < math.inf:
        raise ProofError(f"{shorten(value)} is not a number.")
    return float(value)


def find_proof(folder: Path) -> Path | None:
    """Return the proof file in a folder, if there is one."""
    return next((path for name in PROOF_NAMES if (path := folder / name).is_file()), None)


def digest_of_policy(described: Mapping[str, Any]) -> str:
    """Return the SHA-256 of what decides a release, as the manifest has it in full."""
    text = json.dumps(described, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
