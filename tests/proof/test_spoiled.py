"""Ways to spoil a proof: each is rejected in a sentence, whether by the reader or by the checker."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from anonymizer.proof import checker
from anonymizer.proof import format as file_format
from anonymizer.proof.case import case_of
from anonymizer.proof.checker import check
from anonymizer.proof.format import (
    REASONS,
    Closed,
    Cut,
    Node,
    Proof,
    ProofError,
    read_proof,
)
from tests.proof.cases import (
    K_AND_VALUES,
    ROWS,
    SMALL,
    TREES,
    asked,
    claiming,
    proven,
    swap,
)


@pytest.fixture(scope="module")
def base() -> tuple[checker.Case, Proof]:
    found = proven(asked(SMALL, K_AND_VALUES))
    assert found is not None
    return found


def leaf(proof: Proof, reason: str, most: int = 10**9) -> tuple[Any, Any, Closed]:
    """Find a box that is closed for a reason, of at most so many schemes."""
    return next(
        box
        for box in proof.boxes()
        if box[2].reason == reason
        and math.prod(h - low + 1 for low, h in zip(box[0], box[1], strict=True)) <= most
    )


def reclosed(proof: Proof, reason: str, new: Closed) -> Proof:
    """Close the first box that is closed for a reason in another way."""
    return swap(proof, leaf(proof, reason)[2], new)


def first_cut(proof: Proof) -> Cut:
    assert isinstance(proof.tree, Cut)
    return proof.tree


def without_tree(proof: Proof, node: Node, witnesses: tuple[Any, ...] = ()) -> Proof:
    return replace(proof, tree=node, witnesses=witnesses)


def finer_witness(proof: Proof) -> Proof:
    _, high, closed = leaf(proof, "bound")
    at = next(a for a in range(3) if high[a] > proof.low[a])
    finer = (*high[:at], high[at] - 1, *high[at + 1 :])
    grown = replace(proof, witnesses=(*proof.witnesses, finer))
    return swap(grown, closed, Closed("bound", (len(proof.witnesses),)))


def several(proof: Proof) -> Proof:
    box = next(b for b in proof.boxes() if b[0] != b[1])
    return swap(proof, box[2], Closed("evaluated"))


SENTENCE = r"^[^\n]{1,400}\.$"
"""What an error is: one sentence on one line."""
Spoil = Callable[[Proof], Proof]
OF_THE_PROOF: dict[str, Spoil] = {
    "a lower loss": lambda p: claiming(p, loss=p.claim.loss - 1e-9, bound=p.claim.bound - 1e-9),
    "a higher loss": lambda p: claiming(p, loss=p.claim.loss + 1e-9),
    "a loss that is not a number": lambda p: claiming(p, loss=math.nan),
    "one suppressed record less": lambda p: claiming(p, suppressed=p.claim.suppressed - 1),
    "one suppressed record more": lambda p: claiming(p, suppressed=p.claim.suppressed + 1),
    "a scheme out of the lattice": lambda p: claiming(p, scheme=(9, 9, 9)),
    "a bound above the loss": lambda p: claiming(p, bound=p.claim.loss + 1e-6, optimal=False),
    "an optimum above its bound": lambda p: claiming(p, bound=p.claim.loss - 1e-6),
    "a part left out": lambda p: swap(
        p, first_cut(p), replace(first_cut(p), parts=first_cut(p).parts[:-1])
    ),
    "a part twice": lambda p: swap(
        p, first_cut(p), replace(first_cut(p), parts=(*first_cut(p).parts, first_cut(p).parts[0]))
    ),
    "parts swapped": lambda p: swap(
        p, first_cut(p), replace(first_cut(p), parts=first_cut(p).parts[::-1])
    ),
    "a cut above the box": lambda p: swap(p, first_cut(p), replace(first_cut(p), levels=(7,))),
    "a cut below the box": lambda p: swap(p, first_cut(p), replace(first_cut(p), levels=(-1,))),
    "a cut of an unknown attribute": lambda p: swap(
        p, first_cut(p), replace(first_cut(p), attribute=3)
    ),
    "a cut of the last attribute from behind": lambda p: swap(
        p, first_cut(p), replace(first_cut(p), attribute=-1)
    ),
    "a cut without parts": lambda p: swap(p, first_cut(p), Cut(0, (), ())),
    "a bound that is called plain": lambda p: reclosed(p, "bound", Closed("plain")),
    "a bound that is called infeasible": lambda p: reclosed(
        p, "bound", replace(leaf(p, "bound")[2], reason="infeasible")
    ),
    "an infeasible box that is called plain": lambda p: reclosed(p, "infeasible", Closed("plain")),
    "several schemes that are called evaluated": several,
    "the solution that is called beaten": lambda p: of_box(p, p.claim.scheme, Closed("plain")),
    "a finer witness": finer_witness,
    "everything plain": lambda p: without_tree(p, Closed("plain")),
    "everything infeasible by the top": lambda p: without_tree(
        p, Closed("infeasible", (0,)), (p.high,)
    ),
    "everything bound by the top": lambda p: without_tree(p, Closed("bound", (0,)), (p.high,)),
    "everything a tie": lambda p: without_tree(p, Closed("tie", (0,)), (p.high,)),
    "bounds by the top alone": lambda p: replace(p, witnesses=(p.high,) * len(p.witnesses)),
    "a witness too low for the lattice": lambda p: replace(
        p, witnesses=tuple((-1, *w[1:]) for w in p.witnesses)
    ),
    "a witness too high for the lattice": lambda p: replace(
        p, witnesses=tuple((99, *w[1:]) for w in p.witnesses)
    ),
    "slabs that overlap": lambda p: swap(
        p, first_cut(p), replace(first_cut(p), levels=(1, 0), parts=(p.tree,) * 3)
    ),
    "a smaller lattice": lambda p: replace(p, high=(2, 2, 1)),
    "a larger lattice": lambda p: replace(p, low=(-1, 0, 0)),
    "other attributes": lambda p: replace(p, attributes=("a1", "a0", "a2")),
}


def of_box(proof: Proof, scheme: Any, new: Closed) -> Proof:
    """Close the box that holds a scheme in another way."""
    for low, high, closed in proof.boxes():
        if all(a <= s <= b for a, s, b in zip(low, scheme, high, strict=True)):
            return swap(proof, closed, new)
    raise AssertionError(scheme)


def test_the_base_is_accepted_and_has_boxes_of_all_kinds(base) -> None:
    case, proof = base
    checked = check(proof, case)
    assert checked.schemes == 4 * 3 * 2
    assert {closed.reason for _, _, closed in proof.boxes()} == set(REASONS)
    assert isinstance(proof.tree, Cut)


@pytest.mark.parametrize("name", OF_THE_PROOF)
def test_a_spoiled_proof_is_rejected(base, name: str) -> None:
    case, proof = base
    with pytest.raises(ProofError, match=SENTENCE):
        check(OF_THE_PROOF[name](proof), case)


def another(**changes: Any) -> checker.Case:
    """Return the case of the base with another problem."""
    return case_of(asked(replace(SMALL, **changes), K_AND_VALUES))


OTHERS: dict[str, Callable[[], checker.Case]] = {
    "a row changed": lambda: another(rows=(("11", "8", "1"), *ROWS[1:])),
    "a row less": lambda: another(rows=ROWS[1:]),
    "every row twice": lambda: another(rows=ROWS * 2),
    "another k": lambda: case_of(
        asked(SMALL, [{"model": "k-anonymity", "k": 12}, K_AND_VALUES[1]])
    ),
    "a model less": lambda: case_of(asked(SMALL, K_AND_VALUES[:1])),
    "a model more": lambda: case_of(
        asked(SMALL, [*K_AND_VALUES, {"model": "t-closeness", "attribute": "s", "t": 0.02}])
    ),
    "other weights": lambda: another(weights=(1.0, 0.2, 1.0)),
    "another aggregate": lambda: another(aggregate="arithmetic"),
    "a higher limit": lambda: another(suppression_limit=60),
    "other levels allowed": lambda: another(low=(1, 0, 0)),
    "another hierarchy": lambda: another(
        trees=(
            {v: (*t[:2], t[2] if t[1] != "2h" else "1x", "*") for v, t in TREES[0].items()},
            *TREES[1:],
        )
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_the_proof_of_another_table_or_policy_is_rejected(base, name: str) -> None:
    with pytest.raises(ProofError, match=SENTENCE):
        check(base[1], OTHERS[name]())


# --- spoiled files


def changed(described: dict[str, Any], *path: Any, to: Any) -> dict[str, Any]:
    """Put another value at a place of a file's content."""
    copy = json.loads(json.dumps(described))
    within = copy
    for key in path[:-1]:
        within = within[key]
    within[path[-1]] = to
    return copy


OF_THE_CONTENT: dict[str, Callable[[dict[str, Any]], Any]] = {
    "no object": lambda d: [d],
    "another version": lambda d: changed(d, "proof", to=2),
    "a version that is true": lambda d: changed(d, "proof", to=True),
    "a version that is a text": lambda d: changed(d, "proof", to="1"),
    "no version": lambda d: {key: d[key] for key in d if key != "proof"},
    "no tree": lambda d: {key: d[key] for key in d if key != "tree"},
    "a key that no rule reads": lambda d: {**d, "except": [[0, 0, 0]]},
    "a claim that no rule reads": lambda d: changed(d, "claim", "besides", to=1),
    "no word on ties": lambda d: changed(
        d, "claim", to={key: d["claim"][key] for key in d["claim"] if key != "ties"}
    ),
    "optimal as a number": lambda d: changed(d, "claim", "optimal", to=1),
    "a loss that is a text": lambda d: changed(d, "claim", "loss", to=str(d["claim"]["loss"])),
    "a loss that is no finite number": lambda d: changed(d, "claim", "loss", to=math.inf),
    "a bound that is not a number": lambda d: changed(d, "claim", "bound", to=math.nan),
    "a bound too large for any number": lambda d: changed(d, "claim", "bound", to=10**400),
    "part of a suppressed record": lambda d: changed(
        d, "claim", "suppressed", to=d["claim"]["suppressed"] + 0.5
    ),
    "suppressed records as a text": lambda d: changed(
        d, "claim", "suppressed", to=str(d["claim"]["suppressed"])
    ),
    "a claim that is a list": lambda d: changed(d, "claim", to=[0.1]),
    "a huge level": lambda d: changed(d, "claim", "scheme", 0, to=10**30),
    "a huge level of a witness": lambda d: changed(d, "witnesses", 0, 0, to=10**30),
    "a negative level of a witness": lambda d: changed(d, "witnesses", 0, 0, to=-1),
    "a level that is a text": lambda d: changed(d, "witnesses", 0, 0, to="0"),
    "a level that is true": lambda d: changed(d, "witnesses", 0, 0, to=True),
    "a level between two": lambda d: changed(d, "witnesses", 0, 0, to=0.5),
    "a witness with a level too few": lambda d: changed(d, "witnesses", 0, to=[0, 0]),
    "witnesses left out": lambda d: changed(d, "witnesses", to=[]),
    "a witness from behind": lambda d: changed(d, "tree", to=["bound", -1]),
    "a witness that is true": lambda d: changed(d, "tree", to=["bound", True]),
    "a bound without a witness": lambda d: changed(d, "tree", to=["bound"]),
    "a plain box with a witness": lambda d: changed(d, "tree", to=["plain", 0]),
    "an unknown reason": lambda d: changed(d, "tree", to=["obvious"]),
    "a cut of no attribute": lambda d: changed(d, "tree", to=["cut", None, [], [["plain"]]]),
    "a cut with a level too huge": lambda d: changed(
        d, "tree", to=["cut", 0, [10**30], [["plain"], ["plain"]]]
    ),
    "a tree that is a text": lambda d: changed(d, "tree", to="plain"),
    "a tree that is nothing": lambda d: changed(d, "tree", to=None),
    "a lattice of one scheme": lambda d: changed(d, "lattice", to=[[0, 0, 0]]),
    "attributes that are numbers": lambda d: changed(d, "attributes", to=[0, 1, 2]),
    "an attribute too few": lambda d: changed(d, "attributes", to=d["attributes"][:-1]),
    "digests that are a list": lambda d: changed(d, "input", to=[]),
}


@pytest.mark.parametrize("name", OF_THE_CONTENT)
def test_a_file_with_spoiled_content_is_rejected(base, tmp_path: Path, name: str) -> None:
    case, proof = base
    path = tmp_path / "proof.json"
    path.write_text(json.dumps(OF_THE_CONTENT[name](proof.describe())))
    with pytest.raises(ProofError, match=SENTENCE):
        check(read_proof(path), case)


def deep(content: bytes, cuts: int) -> bytes:
    """Nest cuts that cut nothing around the tree."""
    start, tree = content.rstrip(b"\n}").split(b'"tree":')
    return start + b'"tree":' + b'["cut",0,[],[' * cuts + tree + b"]]" * cuts + b"}"


def twice(content: bytes) -> bytes:
    """Claim two things, in hope that one of them is checked and the other shown."""
    return content.replace(b'"claim":', b'"claim":{"loss":0},"claim":')


OF_THE_BYTES: dict[str, Callable[[bytes], bytes]] = {
    "nothing": lambda _: b"",
    "the end is lacking": lambda c: c[:-20],
    "something after the end": lambda c: c + c,
    "two claims": twice,
    "not a number": lambda c: c.replace(b'"bound":', b'"bound":NaN,"bounds":'),
    "a number of very many digits": lambda c: c.replace(
        b'"suppressed":', b'"suppressed":' + b"9" * 5000
    ),
    "bytes that are no text": lambda c: c.replace(b"claim", b"cl\xffim"),
    "brackets without end": lambda _: b"[" * MOST,
    "a tree deeper than the stack": lambda c: deep(c, 5_000),
    "compressed and cut off": lambda c: gzip.compress(c)[:-9],
    "compressed and damaged": lambda c: gzip.compress(c)[:40] + b"\0" * 9 + gzip.compress(c)[49:],
    "compressed, with another sum": lambda c: gzip.compress(c)[:-8] + b"\0" * 8,
    "compressed twice": lambda c: gzip.compress(gzip.compress(c)),
    "a bomb": lambda c: gzip.compress(c + b" " * MOST),
    "longer than any": lambda c: c + b" " * MOST,
}
MOST = 200_000


@pytest.mark.parametrize("name", OF_THE_BYTES)
def test_a_damaged_file_is_rejected(
    base, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    case, proof = base
    monkeypatch.setattr(file_format, "MOST_BYTES", MOST)
    path = tmp_path / "proof.json"
    path.write_bytes(OF_THE_BYTES[name](proof.to_bytes()))
    with pytest.raises(ProofError, match=SENTENCE):
        check(read_proof(path), case)


def test_there_are_many_ways_to_spoil_a_proof() -> None:
    """Ninety ways, each with a test of its own above."""
    ways = [*OF_THE_PROOF, *OTHERS, *OF_THE_CONTENT, *OF_THE_BYTES]
    assert len(set(ways)) == len(ways) >= 90
