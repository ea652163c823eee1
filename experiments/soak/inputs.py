"""Mutated inputs: every command with one value, byte, row or key of a file changed."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from experiments.soak.failure import Failure, OnCase, randomness
from experiments.soak.mutations import SECRET, mutate
from experiments.soak.processes import HUNG, Ended, Worker, call
from experiments.soak.worker import CRASHED
from experiments.soak.workspace import HIERARCHIES, MODELS, write_workspace

PART = "inputs"
IN_NEW_PROCESS = 50
"""One case in so many runs in a process of its own."""
VERIFIED = 3
"""One release in so many is verified against the mutated files that it was made from."""
LONGEST = 1500
"""Characters of a line of a message."""
OUT = "out"
WRITES_ON_FAILURE = ("assess", "decision", "published")
"""Commands that write what they found where a check fails."""


@dataclass(frozen=True)
class Command:
    """A command that succeeds in the workspace, and the files that may be mutated for it."""

    arguments: tuple[str, ...]
    files: tuple[str, ...]
    weight: int = 4

    @property
    def name(self) -> str:
        """What the command is called."""
        return self.arguments[0]


TABLE_OF = {
    **dict.fromkeys(("k", "population", "sources", "layers"), "table.csv"),
    **dict.fromkeys(("average", "overall"), "table.parquet"),
    **dict.fromkeys(("estimated", "sensitive"), "table.xlsx"),
    "people": "visits.csv",
}
BESIDE = {
    "population": ("people.csv",),
    "overall": ("scenario.toml",),
    "sources": ("statement.toml", "members.csv"),
}
RELEASED = ("k", "average", "people", "layers", "sources", "sensitive")
"""The policies whose releases are in the workspace, to be verified and applied."""


def run_of(name: str) -> Command:
    """Run a policy."""
    policy = f"policy-{name}.toml"
    files = (policy, policy, TABLE_OF[name], *BESIDE.get(name, ()) * 2, *HIERARCHIES)
    return Command(("run", policy, "--out", OUT), files, 8)


def release_of(name: str) -> str:
    """Name the released file of a policy."""
    return f"release-{name}/release{Path(TABLE_OF[name]).suffix}"


def verify_of(name: str) -> Command:
    """Verify a release."""
    policy, manifest = f"policy-{name}.toml", f"release-{name}/manifest.json"
    arguments = ("verify", release_of(name), policy, "--against", TABLE_OF[name])
    return Command(arguments, (release_of(name), manifest, manifest, policy, TABLE_OF[name]))


def apply_of(name: str) -> Command:
    """Apply the scheme of a release."""
    policy, manifest = f"policy-{name}.toml", f"release-{name}/manifest.json"
    arguments = ("apply", policy, manifest, "--data", TABLE_OF[name], "--out", OUT)
    return Command(arguments, (manifest, manifest, policy, TABLE_OF[name]), 2)


COMMANDS = (
    *(run_of(name) for name in MODELS),
    *(verify_of(name) for name in RELEASED),
    *(apply_of(name) for name in RELEASED),
    Command(("run", "policy-k.toml", "--out", OUT, "--explain"), ("policy-k.toml", "table.csv"), 2),
    Command(
        ("run", "policy-k.toml", "--out", "stopped", "--resume"),
        ("stopped/search.json", "stopped/search.json", "policy-k.toml", "stopped/manifest.json"),
        8,
    ),
    Command(
        ("assess", "policy-k.toml", "--scenario", "scenario.toml", "--out", OUT),
        ("scenario.toml", "scenario.toml", "scenario.toml", "policy-k.toml", "table.csv"),
        2,
    ),
    Command(
        ("assess", "policy-k.toml", "--statement", "statement.toml", "--out", OUT),
        ("statement.toml", "statement.toml", "statement.toml", "members.csv", "table.csv"),
        2,
    ),
    Command(
        ("assess", "policy-k.toml", "--sources", "disclosure.toml", "--out", OUT),
        ("disclosure.toml", "disclosure.toml", "disclosure.toml", "table.csv"),
        1,
    ),
    Command(
        ("frontier", "policy-k.toml", "--at", "2..4", "--out", OUT),
        ("policy-k.toml", "policy-k.toml", "table.csv"),
        1,
    ),
    Command(
        (
            *("decision", "policy-sources.toml", release_of("sources"), "--out", OUT),
            *("--context", "context.toml", "--attacks", "attacks.json"),
        ),
        ("context.toml", "context.toml", "attacks.json", "policy-sources.toml", "statement.toml"),
        6,
    ),
    Command(("hierarchy", "check", *HIERARCHIES), tuple(HIERARCHIES), 8),
    Command(("hierarchy", "build", "day.toml", "--out", OUT), ("day.toml",), 2),
    Command(("hierarchy", "show", "zip.toml"), ("zip.toml",), 2),
    Command(("hierarchy", "suggest", "table.csv", "--out", OUT), ("table.csv",), 2),
    *(
        Command(("init", table, "--out", OUT), (table,), 3)
        for table in ("table.csv", "table.parquet", "table.xlsx")
    ),
    Command(("published", "characteristics.csv", "--out", OUT), ("characteristics.csv",), 3),
)


def soak_inputs(cases: Iterable[int], seed: int, folder: Path, on_case: OnCase) -> list[Failure]:
    """Run so many commands on mutated files; return what must not happen."""
    template, state = folder / "template", folder / "state"
    failures: list[Failure] = []
    with Worker(state) as worker:
        prepare(template, seed, worker)
        for done, case in enumerate(cases, 1):
            found = list(try_case(case, seed, folder, worker))
            failures += [Failure(PART, case, seed, what) for what in found]
            on_case(done, len(failures))
    return failures


def prepare(template: Path, seed: int, worker: Worker) -> None:
    """Write the workspace, its releases, and what a stopped run leaves; every command must succeed."""
    if template.exists():
        return
    template.mkdir(parents=True)
    write_workspace(template, seed)
    made = [["run", f"policy-{name}.toml", "--out", f"release-{name}"] for name in RELEASED]
    made.append(["run", "policy-stopped.toml", "--out", "stopped"])
    for arguments in made:
        ended = worker.call(arguments, template)
        if ended.status:
            raise RuntimeError(f"{' '.join(arguments)} fails as it is: {ended.err}")


def try_case(case: int, seed: int, folder: Path, worker: Worker) -> Iterator[str]:
    """Mutate one file, run one command, and say what must not be."""
    random = randomness(seed, PART, case)
    command = random.choices(COMMANDS, [each.weight for each in COMMANDS])[0]
    here = folder / f"case-{case}"
    shutil.copytree(folder / "template", here, dirs_exist_ok=True)
    name = random.choice(command.files)
    what = mutate(here / name, random)
    before = snapshot(here)
    arguments = list(command.arguments)
    if case % IN_NEW_PROCESS == 0:
        ended = call(arguments, here, folder / "state")
    else:
        ended = worker.call(arguments, here)
    faults = list(faults_of(command, name, ended, before, here))
    if not faults and ended.status == 0 and command.name == "run" and case % VERIFIED == 0:
        faults += verify_made(command, here, worker)
    title = f"`{' '.join(arguments)}`, {name}: {what}"
    yield from (f"{title}: {fault}" for fault in faults)
    if not faults or folder.name.startswith("soak-"):  # a temporary folder
        shutil.rmtree(here)


def snapshot(folder: Path) -> dict[str, str]:
    """Return a digest of every file and folder."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        if path.is_file()
        else ""
        for path in sorted(folder.rglob("*"))
    }


# --- what must not be ---


def faults_of(
    command: Command, mutated: str, ended: Ended, before: dict[str, str], here: Path
) -> Iterator[str]:
    """Say what a command did that it must not do."""
    if ended.status == HUNG:
        yield "it hangs"
    elif ended.status == CRASHED or "Traceback" in ended.err:
        yield f"it ends in a traceback: {ended.err.strip().splitlines()[-1][:300]}"
    elif ended.status not in (0, 1, 2):
        yield f"exit status {ended.status}: {ended.err[:300]}"
    else:
        yield from faults_of_message(command, ended)
    yield from faults_of_files(command, ended, before, snapshot(here), here)
    if command.name == "verify" and mutated == command.arguments[1] and ended.status == 0:
        yield "a changed release is verified"


def faults_of_message(command: Command, ended: Ended) -> Iterator[str]:
    """Say what is wrong with what a command says."""
    lines = ended.err.splitlines()
    strange = [line for line in lines if not line.startswith(("error: ", "warning: ", "  - "))]
    errors = [line for line in lines if line.startswith("error: ")]
    if strange:
        yield f"it prints more than sentences: {strange[0][:300]!r}"
    refused = ended.status == 2 or (ended.status == 1 and command.name in ("run", "apply"))
    if refused and len(errors) != 1:
        yield f"exit status {ended.status} with {len(errors)} errors"
    if refused and lines and not lines[-1].endswith((".", "?")):
        yield f"the message is not a sentence: {lines[-1][-300:]!r}"
    if not refused and errors:
        yield f"exit status {ended.status} with an error: {errors[0][:300]}"
    if any(len(line) > LONGEST for line in lines):
        yield f"a message of {max(map(len, lines)):,} characters: {max(lines, key=len)[:200]!r}"
    if SECRET in ended.err and command.name != "published":  # whose counts are public
        at = ended.err.index(SECRET)
        yield f"the message shows a cell: {ended.err[max(0, at - 200) : at + 40]!r}"


def faults_of_files(
    command: Command, ended: Ended, before: dict[str, str], after: dict[str, str], here: Path
) -> Iterator[str]:
    """Say what a command wrote that it must not write."""
    out = "stopped" if "stopped" in command.arguments else OUT
    outside = {name for name, _ in before.items() ^ after.items() if name.split("/")[0] != out}
    if outside:
        yield f"files outside --out changed: {sorted(outside)[:5]}"
    if hidden := [name for name in after if ".anonymizer-" in name]:
        yield f"left behind: {hidden[:5]}"
    may_write = ended.status == 0 or (ended.status == 1 and command.name in WRITES_ON_FAILURE)
    if not may_write and before != after and not outside:
        yield f"exit status {ended.status}, and files in --out changed"
    if ended.status == 0 and command.name in ("run", "apply"):
        yield from faults_of_release(here / out)


def faults_of_release(folder: Path) -> Iterator[str]:
    """Say whether a folder lacks a release with its own manifest."""
    try:
        output = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["output"]
        content = (folder / output["name"]).read_bytes()
    except (OSError, ValueError, KeyError) as error:
        yield f"no release with a manifest: {error!r}"
        return
    if hashlib.sha256(content).hexdigest() != output["sha256"]:
        yield "the manifest is not that of the release"


def verify_made(command: Command, here: Path, worker: Worker) -> Iterator[str]:
    """Verify what a run has just made against the files that it was made from."""
    policy, out = command.arguments[1], command.arguments[3]
    made = json.loads((here / out / "manifest.json").read_text(encoding="utf-8"))
    released = f"{out}/{made['output']['name']}"
    original = made["input"]["name"]
    ended = worker.call(["verify", released, policy, "--against", original], here)
    if ended.status:
        yield f"its release does not verify: {(ended.err or ended.out)[-1500:]}"
