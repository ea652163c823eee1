"""Mutated inputs: every command with one value, byte, row, key or option changed."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

from experiments.soak.commands import (
    COMMANDS,
    COMMON,
    OPTIONS,
    RELEASES,
    STOPPED,
    Command,
    policy_of,
)
from experiments.soak.depth import DEPTHS
from experiments.soak.failure import Failure, Found, OnCase, randomness
from experiments.soak.mutations import mutate
from experiments.soak.processes import HUNG, Ended, Worker, call
from experiments.soak.trees import SECRET
from experiments.soak.workspace import HIERARCHIES, write_workspace

PART = "inputs"
IN_NEW_PROCESS = 100
"""One case in so many runs in a process of its own."""
WITH_OPTION = 0.15
"""The share of cases that have one more option; half of these have their files as they are."""
LONGEST = 1500
"""Characters of a line of a message."""
RELEASING = ("run", "apply", "evidence")
"""Commands that end with exit status 1 and one sentence where a policy cannot be met."""
WRITES_ON_FAILURE = ("assess", "decision", "published")
"""Commands that write what they found where a check fails."""

Snapshot = dict[str, tuple[int, int, int]]
"""The number of each file, its size and when it was written, by path; of folders that they are there."""


def soak_inputs(cases: Iterable[int], seed: int, folder: Path, on_case: OnCase) -> Found:
    """Run so many commands on mutated files; return what must not happen, and how deep each got."""
    found = Found()
    with Worker(folder / "state") as worker:
        bench = Bench(folder, worker, seed)
        for done, case in enumerate(cases, 1):
            faults = list(bench.try_case(case))
            found.note(*(Failure(PART, case, seed, what) for what in faults))
            found.depths[bench.last] += 1
            on_case(done, len(found.failures))
    return found


class Bench:
    """A template of the workspace, and the commands that are known to succeed in it as it is."""

    def __init__(self, folder: Path, worker: Worker, seed: int) -> None:
        self.folder, self.worker, self.seed = folder, worker, seed
        self.clean = folder / "clean.txt"
        """Lists the commands that succeed as they are."""
        self.last = ("", DEPTHS[0])
        """What command ran last, and how deep it got."""
        prepare(folder / "template", seed, worker)

    def copy(self, name: str) -> Path:
        """Make a folder with the files of the template: linked, so they must not be written to."""
        here = self.folder / name
        shutil.rmtree(here, ignore_errors=True)
        shutil.copytree(self.folder / "template", here, copy_function=os.link)
        return here

    def check(self, command: Command) -> None:
        """See to it that a command succeeds as it is, once."""
        words = " ".join(command.arguments)
        if self.clean.exists() and words in self.clean.read_text(encoding="utf-8").splitlines():
            return
        here = self.copy("clean")
        before = snapshot(here)
        ended = self.worker.call(list(command.arguments), here)
        faults = list(faults_of(command, "", ended, before, here))
        if faults or ended.status not in (0, int(command.name in WRITES_ON_FAILURE)):
            raise RuntimeError(f"{words} fails as it is: {ended.err}{faults}")
        shutil.rmtree(here)
        with self.clean.open("a", encoding="utf-8") as file:
            file.write(f"{words}\n")

    def try_case(self, case: int) -> Iterator[str]:
        """Mutate one file or the options, run one command, and say what must not be."""
        random = randomness(self.seed, PART, case)
        command = random.choices(COMMANDS, [each.weight for each in COMMANDS])[0]
        self.check(command)
        here = self.copy(f"case-{case}")
        arguments, name, what = self.mutate(command, here, random)
        before = snapshot(here)
        alone = case % IN_NEW_PROCESS == 0
        state = self.folder / "state"
        ended = call(arguments, here, state) if alone else self.worker.call(arguments, here)
        asked = replace(command, arguments=tuple(arguments))
        faults = list(faults_of(asked, name, ended, before, here))
        depth = max(ended.depth, DEPTHS[3 if ended.status == 0 else 0], key=DEPTHS.index)
        if not faults and ended.status == 0 and command.name == "verify":
            depth = DEPTHS[4]
        if not faults and ended.status == 0 and command.name in ("run", "apply"):
            faults += verify_made(command, arguments, here, self.worker)
            depth = DEPTHS[3 if faults else 4]
        self.last = (command.name, depth)
        yield from (f"`{' '.join(arguments)}`, {name}: {what}: {fault}" for fault in faults)
        if not faults or self.folder.name.startswith("soak-"):  # a temporary folder
            shutil.rmtree(here)

    def mutate(self, command: Command, here: Path, random: Random) -> tuple[list[str], str, str]:
        """Change a file, or give one more option; return the words, the file and what was changed."""
        arguments = list(command.arguments)
        if random.random() < WITH_OPTION and command.name in OPTIONS:
            option = random.choice(OPTIONS[command.name] + COMMON)
            arguments += option
            if random.random() < 0.5:
                return arguments, "", " ".join(option)
        name = random.choice(command.files)
        file = here / name
        content = file.read_bytes()
        file.unlink()  # the template's stays as it is
        file.write_bytes(content)
        what = mutate(file, random)
        if file.read_bytes() == content:  # equal cells have changed their places
            return arguments, "", f"{name} is as it was: {what}"
        return arguments, name, what


def prepare(template: Path, seed: int, worker: Worker) -> None:
    """Write the workspace, its releases, and what a stopped run leaves."""
    if template.exists():
        return
    new = template.with_suffix(".new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    write_workspace(new, seed)
    made = [["run", policy_of(name), "--out", f"release-{name}", "--proof"] for name in RELEASES]
    made.append(["run", policy_of("k"), "--out", STOPPED, "--evaluations", "2"])
    for arguments in made:
        ended = worker.call(arguments, new)
        if ended.status:
            raise RuntimeError(f"{' '.join(arguments)} fails as it is: {ended.err}")
    new.rename(template)


def snapshot(folder: Path) -> Snapshot:
    """Return what every file and folder is, so that another snapshot shows what has been written."""
    found: Snapshot = {}
    for where, folders, files in os.walk(folder):
        inside = os.path.relpath(where, folder)
        links = [name for name in folders if Path(where, name).is_symlink()]
        for name in set(folders) - set(links):
            found[os.path.normpath(f"{inside}/{name}")] = (0, 0, 0)
        for name in [
            *files,
            *links,
        ]:  # a link is the same before and after what it leads to is made
            now = Path(where, name).lstat()
            what = (now.st_ino, now.st_size, now.st_mtime_ns)
            found[os.path.normpath(f"{inside}/{name}")] = what
    return found


# --- what must not be ---


def faults_of(
    command: Command, mutated: str, ended: Ended, before: Snapshot, here: Path
) -> Iterator[str]:
    """Say what a command did that it must not do."""
    if ended.status == HUNG:
        yield "it hangs"
    elif "Traceback" in ended.err:
        yield f"it ends in a traceback: {ended.err.strip().splitlines()[-1][:300]}"
    elif ended.status not in (0, 1, 2):
        yield f"exit status {ended.status}: {ended.err[:300]}"
    else:
        yield from faults_of_message(command, mutated, ended)
    yield from faults_of_files(command, ended, before, snapshot(here), here)
    if command.name == "verify" and ended.status == 0 and mutated.startswith(command.arguments[1]):
        yield "a changed release is verified"


def faults_of_message(command: Command, mutated: str, ended: Ended) -> Iterator[str]:
    """Say what is wrong with what a command says."""
    lines = ended.err.splitlines()
    if ended.status == 2 and lines and lines[0].startswith("Usage: "):
        return  # of options, as all such programs have it
    strange = [line for line in lines if not line.startswith(("error: ", "warning: ", "  - "))]
    errors = [line for line in lines if line.startswith("error: ")]
    if strange:
        yield f"it prints more than sentences: {strange[0][:300]!r}"
    refused = ended.status == 2 or (ended.status == 1 and command.name in RELEASING)
    if refused and len(errors) != 1:
        yield f"exit status {ended.status} with {len(errors)} errors"
    if refused and lines and not lines[-1].endswith((".", "?")):
        yield f"the message is not a sentence: {lines[-1][-300:]!r}"
    if not refused and errors:
        yield f"exit status {ended.status} with an error: {errors[0][:300]}"
    if any(len(line) > LONGEST for line in lines):
        yield f"a message of {max(map(len, lines)):,} characters: {max(lines, key=len)[:200]!r}"
    # a hierarchy is about values, whoever has them
    may_show = command.name == "published" or "--show-values" in command.arguments
    may_show |= mutated in HIERARCHIES
    if SECRET in ended.err and not may_show:
        at = ended.err.index(SECRET)
        yield f"the message shows a cell: {ended.err[max(0, at - 200) : at + 40]!r}"


def faults_of_files(
    command: Command, ended: Ended, before: Snapshot, after: Snapshot, here: Path
) -> Iterator[str]:
    """Say what a command wrote that it must not write."""
    out = command.out
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
        released = folder / output["name"]
        if released.is_dir():  # it has a digest of its own, which `verify` looks at
            return
        content = released.read_bytes()
    except (OSError, ValueError, KeyError) as error:
        yield f"no release with a manifest: {error!r}"
        return
    if hashlib.sha256(content).hexdigest() != output["sha256"]:
        yield "the manifest is not that of the release"


def verify_made(
    command: Command, arguments: list[str], here: Path, worker: Worker
) -> Iterator[str]:
    """Verify what has just been made against the files that it was made from."""
    made = json.loads((here / command.out / "manifest.json").read_text(encoding="utf-8"))
    data = tomllib.loads((here / arguments[1]).read_text(encoding="utf-8")).get("data", {})
    original = arguments[arguments.index("--data") + 1] if "--data" in arguments else data["path"]
    words = ["verify", f"{command.out}/{made['output']['name']}", arguments[1]]
    words += ["--against", original]
    ended = worker.call(words, here)
    if ended.status:
        yield f"what it made does not verify: {(ended.err or ended.out)[-1500:]}"
