"""What a forger does to a release; the releases are made once.

The forger is careful: the digests in the manifest are those of the forged file and proof file.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from anonymizer import Policy, Verification, anonymize, apply, make_manifest, verify
from anonymizer.attackers.statement import Statement
from anonymizer.data.opening import open_table
from anonymizer.hierarchy import Hierarchy, parse_spec
from anonymizer.solution.manifest import describe_output
from anonymizer.solution.solution import Solution

ROWS = 120
ILLNESSES = ("cold", "flu", "gout", "hiv")


@dataclass
class Case:
    """A release as it is handed over, and what the verifier has: the policy and perhaps the original."""

    frame: pd.DataFrame
    manifest: dict[str, Any]
    policy: Policy
    original: pd.DataFrame
    proof: dict[str, Any] | None = None

    def copy(self) -> Case:
        """Return a case that may be changed."""
        manifest, proof = copy.deepcopy((self.manifest, self.proof))
        return replace(self, frame=self.frame.copy(), manifest=manifest, proof=proof)

    def seal(self, folder: Path) -> Path | None:
        """Write down the digests of what was forged, and the proof file."""
        self.manifest["output"] = describe_output(open_table(self.frame))
        if self.proof is None:
            return None
        path = folder / "proof.json"
        path.write_text(json.dumps(self.proof))
        self.manifest["proof_file"]["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
        return path

    def verify(self, folder: Path, against: bool) -> Verification:
        """Verify it alone or against the original."""
        proof, original = self.seal(folder), self.original if against else None
        return verify(self.frame, self.policy, self.manifest, original, proof)

    def classes(self) -> pd.Series:
        """Number the rows by their class."""
        return self.frame.groupby(list(self.policy.quasi_identifiers), dropna=False).ngroup()


Change = Callable[[Case], None]


# --- releases ---

AGE = parse_spec({"builder": "intervals", "domain": [0, 99], "widths": [10, 20, 40]}).build("age")
SEX = Hierarchy.from_rows("sex", [("F", "*"), ("M", "*")])
ZIPS = ("101", "102", "111", "112", "201", "202")
ZIP = Hierarchy.from_rows("zip", [(zip_, f"{zip_[:2]}*", f"{zip_[0]}**", "***") for zip_ in ZIPS])
TREE = Hierarchy.from_rows(
    "illness", [(name, "mild" if name in ILLNESSES[:2] else "long", "*") for name in ILLNESSES]
)


def patients(seed: int = 1) -> pd.DataFrame:
    """Draw people, as texts."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "name": [f"Patient {i}" for i in range(ROWS)],
            "age": random.integers(20, 60, ROWS),
            "sex": random.choice(["F", "M"], ROWS),
            "zip": random.choice(ZIPS[:4], ROWS),
            "illness": random.choice(ILLNESSES, ROWS, p=[0.4, 0.3, 0.2, 0.1]),
            "days": random.integers(1, 9, ROWS),
        }
    )
    return frame.astype(str).astype(object)


def visits() -> pd.DataFrame:
    """Draw visits of people: every third row is of somebody who was there before."""
    frame = patients(seed=2)
    repeated = frame.index % 3 == 2
    for name in ("name", "age", "sex", "zip"):
        frame.loc[repeated, name] = frame[name].shift(1)[repeated]
    return frame


STATEMENT = Statement(
    source=[
        {"name": "register", "keys": ["age", "sex"], "threshold": 0.1},
        {"name": "neighbours", "keys": ["zip"], "threshold": 0.1},
    ]
)
K_ANONYMITY = {"model": "k-anonymity", "k": 3}
SOURCES = {"model": "sources", "statement": STATEMENT}
CLOSE = {"model": "t-closeness", "attribute": "illness", "t": 0.3}


def policy_of(
    *risk: dict[str, Any],
    release: Mapping[str, Any] | None = None,
    data: Mapping[str, Any] | None = None,
    age: Mapping[str, Any] | None = None,
    k: int = 3,
) -> Policy:
    """Write the policy of one kind of release."""
    return Policy(
        data=data or {},
        attributes={
            "name": {"role": "identifying"},
            "age": {"role": "quasi", "hierarchy": AGE, **(age or {})},
            "sex": {"role": "quasi", "hierarchy": SEX},
            "zip": {"role": "quasi", "hierarchy": ZIP},
            "illness": {"role": "sensitive", "hierarchy": TREE},
            "days": {"role": "insensitive"},
        },
        risk=list(risk) or [{"model": "k-anonymity", "k": k}],
        release=release or {},
    )


PLAIN, REDACTED, LAYERS = "one scheme", "redaction", "layers"
MEANS, OF_SOURCES, PEOPLE = "microaggregation", "sources", "people with several rows"
SENSITIVE, SAMPLED, APPLIED = "sensitive models", "sampling", "apply"
PROVEN, CLAIMS = "proof files", "manifests"

POLICIES: dict[str, Callable[[], Policy]] = {
    PLAIN: policy_of,
    REDACTED: lambda: policy_of(release={"suppressed": "redact"}, age={"max_level": 1}, k=4),
    LAYERS: lambda: policy_of(release={"layers": True}),
    MEANS: lambda: policy_of(age={"microaggregation": "mean", "min_level": 1}),
    OF_SOURCES: lambda: policy_of(SOURCES),
    PEOPLE: lambda: policy_of(data={"id": "name"}),
    SENSITIVE: lambda: policy_of(K_ANONYMITY, CLOSE),
    SAMPLED: lambda: policy_of(data={"sample": 0.7}),
    APPLIED: policy_of,
    PROVEN: policy_of,
    CLAIMS: policy_of,
}


@cache
def honest(kind: str) -> Case:
    """Make a release of one kind, once."""
    policy, original = POLICIES[kind](), visits() if kind == PEOPLE else patients()
    solution = anonymize(original, policy)
    if kind == APPLIED:
        original = patients(seed=3)
        solution = apply(original, policy, solution.scheme)
    return handed_over(solution, original, policy, kind == PROVEN)


def handed_over(
    solution: Solution, original: pd.DataFrame, policy: Policy, proven: bool = False
) -> Case:
    """Hand a release over, its cells as texts."""
    frame = solution.to_frame(seed=1).astype(object)
    proof = solution.proof_file(None).describe() if proven else None
    written = {"name": "proof.json", "sha256": "", "boxes": 1, "witnesses": 1} if proven else None
    manifest = make_manifest(solution, frame, written)
    return Case(frame.map(str), manifest, policy, original, proof)


# --- what a forger does ---


def repeat(case: Case, row: int) -> None:
    """Replace a row by a copy of another one in its class."""
    frame, classes = case.frame, case.classes()
    differ = (classes == classes[row]) & (frame["illness"] != frame.loc[row, "illness"])
    if differ.any():
        frame.loc[row] = frame.loc[int(np.flatnonzero(differ)[0])]


def in_order_of(case: Case, name: str) -> None:
    """Order the released rows by a column of the original that is not released as it is."""
    plan = anonymize(case.original, case.policy).release.plan()
    keys = case.original[name].to_numpy()[plan.rows]
    cells = {
        each: case_cells(plan, each)
        if each in plan.recodings
        else case.original[each].to_numpy()[plan.rows]
        for each in case.frame
    }
    case.frame = pd.DataFrame(cells).iloc[np.argsort(keys, kind="stable")].reset_index(drop=True)


def case_cells(plan: Any, name: str) -> list[str]:
    """Return the released cells of a recoded column in the order of a plan."""
    numbers, texts = plan.recoded(name)
    return [str(texts[number]) for number in numbers]


def redacted_row(case: Case) -> int:
    """Return the first redacted row."""
    return int(case.frame.index[case.frame["sex"] == "*"][0])


def restore(case: Case, names: Sequence[str]) -> None:
    """Put the values of a row that is kept into a redacted one."""
    kept = int(case.frame.index[case.frame["sex"] != "*"][0])
    case.frame.loc[redacted_row(case), list(names)] = case.frame.loc[kept, list(names)]


def redact(case: Case) -> None:
    """Redact a row that was kept."""
    kept = int(case.frame.index[case.frame["sex"] != "*"][0])
    case.frame.loc[kept, list(case.policy.quasi_identifiers)] = "*"


def in_redacted(case: Case) -> None:
    """Change the illness of a redacted row."""
    another_illness(case, redacted_row(case))


def swap_redacted(case: Case, row: int) -> None:
    """Exchange the illness of a row that is kept with that of a redacted one."""
    two = [row, redacted_row(case)]
    if case.frame.loc[row, "sex"] != "*":
        case.frame.loc[two, "illness"] = case.frame.loc[two[::-1], "illness"].to_numpy()


def imitate(case: Case) -> None:
    """Give a row the values of one in another class."""
    classes, names = case.classes(), list(case.policy.quasi_identifiers)
    at = int(np.flatnonzero(classes != classes[0])[0])
    case.frame.loc[0, names] = case.frame.loc[at, names]


def tighter(case: Case) -> None:
    """Claim a bound nearer to the loss."""
    bound = (case.manifest["bound"] + 3 * case.manifest["loss"]) / 4
    case.manifest |= {"bound": bound, "gap": case.manifest["loss"] - bound}


def exact_age(case: Case) -> None:
    """Put an exact age into a row, one that is not the mean of its class."""
    case.frame.loc[0, "age"] = str(int(case.frame.loc[0, "age"]) + 2)


def labelled(case: Case) -> None:
    """Write the group instead of the mean in a class."""
    level, leaf = case.manifest["scheme"]["age"], str(round(float(case.frame.loc[0, "age"])))
    labels, codes = AGE.labels, AGE.codes[:, AGE.leaves.index(leaf)]
    whole_class("age", labels[level][codes[level]])(case)


def rename(case: Case) -> None:
    """Exchange the names of two illnesses throughout, and in the declared shares."""
    names = {"cold": "hiv", "hiv": "cold"}
    case.frame["illness"] = case.frame["illness"].replace(names)
    shares = case.manifest["overall"]["illness"]["shares"]
    case.manifest["overall"]["illness"]["shares"] = {names.get(k, k): v for k, v in shares.items()}


def all_of(*changes: Change) -> Change:
    """Make several changes, one after the other."""

    def change(case: Case) -> None:
        for each in changes:
            each(case)

    return change


def cell(column: str, value: Any, row: int = 0) -> Change:
    """Put something into one cell; a function makes it of what stands there."""

    def change(case: Case) -> None:
        old = case.frame.loc[row, column]
        case.frame.loc[row, column] = value(old) if callable(value) else value

    return change


def column(name: str, cells: Callable[[pd.DataFrame], Sequence[str]]) -> Change:
    """Put other cells into a column."""

    def change(case: Case) -> None:
        case.frame[name] = list(cells(case.frame))

    return change


def whole_class(name: str, value: Any) -> Change:
    """Put something into a column of the first row's whole class."""

    def change(case: Case) -> None:
        classes = case.classes()
        here = classes == classes[0]
        old = case.frame.loc[0, name]
        case.frame.loc[here, name] = value(old) if callable(value) else value

    return change


def quietly(try_row: Callable[[Case, int], None]) -> Change:
    """Change the first row of which no figure tells."""

    def change(case: Case) -> None:
        for row in range(len(case.frame)):
            trial = case.copy()
            try_row(trial, row)
            trial.manifest["output"] = describe_output(open_table(trial.frame))
            changed = not trial.frame.equals(case.frame)
            if changed and not verify(trial.frame, case.policy, trial.manifest).failures:
                case.frame = trial.frame
                return
        raise AssertionError("every such change is noticed")

    return change


def exchange(*names: str) -> Change:
    """Exchange cells of the first row with those of one in another class that has other ones."""

    def try_row(case: Case, row: int) -> None:
        frame, classes, cells = case.frame, case.classes(), list(names)
        differ = (classes != classes[row]) & (frame[cells] != frame.loc[row, cells]).any(axis=1)
        two = [row, int(np.flatnonzero(differ)[0])]
        frame.loc[two, cells] = frame.loc[two[::-1], cells].to_numpy()

    return quietly(try_row)


def another_illness(case: Case, row: int) -> None:
    """Give a person another illness."""
    case.frame.loc[row, "illness"] = other(case.frame.loc[row, "illness"])


def rows(chosen: Callable[[pd.DataFrame], pd.DataFrame]) -> Change:
    """Leave rows out, add some, or order them."""

    def change(case: Case) -> None:
        case.frame = chosen(case.frame).reset_index(drop=True)

    return change


def claim(path: str, value: Any) -> Change:
    """Claim something else in the manifest; a function makes it of what is claimed."""

    def change(case: Case) -> None:
        put(case.manifest, path.split("."), value)

    return change


def proven(path: str, value: Any) -> Change:
    """Write something else into the proof file."""

    def change(case: Case) -> None:
        put(case.proof, path.split("."), value)

    return change


LEFT_OUT = object()


def put(at: Any, path: Sequence[str], value: Any) -> None:
    """Set what a path leads to."""
    *keys, last = (int(key) if key.isdigit() else key for key in path)
    for key in keys:
        at = at[key]
    if value is LEFT_OUT:
        del at[last]
    else:
        at[last] = value(at[last]) if callable(value) else value


def made_of(
    table: Callable[[pd.DataFrame], pd.DataFrame] = lambda frame: frame,
    policy: Callable[[], Policy] | None = None,
    scheme: Mapping[str, int] | None = None,
) -> Change:
    """Release another table, or under another policy, as if it were this one's, with honest figures."""

    def change(case: Case) -> None:
        doctored, other = table(case.original.copy()), policy() if policy else case.policy
        solution = anonymize(doctored, other) if scheme is None else apply(doctored, other, scheme)
        made = handed_over(solution, doctored, other)
        keys = ("policy", "packages", "input", "proof_file")
        mine = {key: case.manifest[key] for key in keys if key in case.manifest}
        case.frame, case.manifest = made.frame, {**made.manifest, **mine}

    return change


def optimal(case: Case) -> None:
    """Claim that nothing is better."""
    case.manifest |= {"status": "optimal", "bound": case.manifest["loss"], "gap": 0.0}


def better(case: Case) -> None:
    """Claim a lower loss throughout."""
    loss = case.manifest["loss"] - 0.01
    case.manifest |= {"loss": loss, "bound": loss, "quality": 1 - loss}


def smaller_risks(case: Case) -> None:
    """Claim smaller risks after the release."""
    after = case.manifest["risk"]["after"]
    after["prosecutor"] |= {"highest": 0.01, "average": 0.005}
    after["smallest_class"] = 100


def alone(frame: pd.DataFrame) -> pd.DataFrame:
    """Give the first person values that nobody else has."""
    return frame.assign(age=["90", *frame["age"][1:]])


def hidden(text: str) -> str:
    """Write an invisible character behind a text."""
    return f"{text}\u200b"


def other(text: str) -> str:
    """Return another illness."""
    return ILLNESSES[(ILLNESSES.index(text) + 1) % len(ILLNESSES)]


def numbered(frame: pd.DataFrame) -> list[str]:
    """Number the rows."""
    return [str(number) for number in range(len(frame))]
