"""The studio's API: every route with questions that are right but for one thing, or not right at all."""

from __future__ import annotations

import contextlib
import copy
import io
import json
import shutil
import time
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from anonymizer.studio.app import make_app
from anonymizer.studio.folder import Folder
from anonymizer.studio.questions import QUESTIONS
from anonymizer.studio.session import Session
from experiments.soak.failure import Failure, Found, OnCase, randomness
from experiments.soak.grammar import HIERARCHIES, KEYS, ROLES, model_table, put
from experiments.soak.mutations import NASTY, near
from experiments.soak.policies import POLICIES
from experiments.soak.trees import places
from experiments.soak.workspace import write_workspace

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of the package that its client needs
    from starlette.testclient import TestClient

PART = "studio"
TOKEN, PORT = "the-token", 4321
QUESTIONS_EACH = 25
"""A session is opened anew after so many questions: some change it for good."""
PATIENCE = 60.0
"""Seconds of computing after which work beside the questions is called a hang."""
LONGEST = 900.0
"""So is what takes longer by the clock, on however busy a machine."""
POLICY = "useful"
COLUMNS = ("patient", "age", "sex", "zip", "day", "diagnosis", "stay", "ward", "nothing")
SPEC = {"builder": "intervals", "domain": [0, 119], "widths": [5, 20]}
RIGHT: dict[str, dict[str, Any]] = {
    "change": {"changes": [{"path": ["risk", 0, "k"], "value": 4}], "label": "k"},
    "mend": {"encoding": "latin-1", "delimiter": ";", "sheet": None},
    "try": {"changes": [{"path": ["risk", 0, "k"], "value": 5}], "sequence": 1},
    "rows": {"start": 0, "count": 20},
    "output": {"start": 5, "count": 20},
    "classes": {"dropped": True, "largest": False, "start": 0, "count": 20},
    "role": {"column": "stay", "role": "sensitive"},
    "person": {"column": None},
    "propose": {"recipient": "agreement", "need": ["age"]},
    "level": {"column": "age", "level": 1},
    "hierarchy": {"column": "age"},
    "set-hierarchy": {"column": "age", "spec": SPEC, "label": "other"},
    "preview-reading": {"column": "age", "type": "number", "format": None},
    "export-hierarchy": {"column": "sex"},
    "import-hierarchy": {"column": "sex", "text": "F;*\nM;*\n"},
    "attack": {"attacker": "worst-case", "figures": {}, "columns": {}, "asked": 1},
    "state-context": {"stated": {"organization": "a hospital", "controls": ["no linkage"]}},
}
"""Questions that are right, beside the revision; the others need nothing."""
WITH_REVISION = {
    *("change", "try", "undo", "redo", "role", "person", "propose", "set-hierarchy"),
    *("import-hierarchy", "attack", "evidence", "try-attacks", "compare-thresholds", "release"),
}
REFUSED = {"mend", "compare-thresholds"}
"""Right where a table waits to be mended, and where the policy states an analysis."""
BODIES = (
    *(b"", b"{", b"[]", b"null", b"\xff\xfe", b'"a"', b"1e999", b'{"a": NaN}', b"{" * 5000),
    *(b"[" * 100_000, b'{"a":' * 3000 + b"1" + b"}" * 3000, b'{"revision": 1' + b"0" * 5000 + b"}"),
    *(b'{"a": "\\ud800"}', b'{"a": 1e308}', b'{"label": "\\u0000"}', b'{"a": 1, "a": 2}'),
)
"""Bodies that are no question."""
WORDS = ("\x1b[31m", "<img src=x onerror=alert(1)>", "=1+1", "a\nb", "\u202e", "..", "a" * 70_000)


class Asked:
    """One session, and what it told beside its answers."""

    def __init__(self, folder: Path) -> None:
        self.session = Session(Folder(folder))
        self.session.open(folder / "policy.toml")
        self.told: list[str] = []
        tell = self.session.events.tell

        def listen(kind: str, **content: Any) -> None:
            self.told.append(json.dumps([kind, content], default=str))
            tell(kind, **content)

        self.session.events.tell = listen  # type: ignore[method-assign]
        app = make_app(self.session, TOKEN, PORT, upload_limit=10_000)
        headers = {"x-anonymizer-token": TOKEN}
        address = f"http://127.0.0.1:{PORT}"
        self.client = TestClient(app, address, raise_server_exceptions=False, headers=headers)

    def settle(self) -> bool:
        """Wait until nothing is being worked on; return whether that came to be."""
        engine = self.session.engine
        computed, end = time.process_time() + PATIENCE, time.monotonic() + LONGEST
        while time.process_time() < computed and time.monotonic() < end:
            if all(w.waiting is None and w.current is None for w in engine.workers):
                return True
            time.sleep(0.005)
        return False

    def revision(self) -> int:
        """Return the revision of the policy."""
        return self.session.opened.revision

    def faults(self) -> Iterator[str]:
        """Say what was told that is ours to mend."""
        for text in self.told:
            if "should not have happened" in text:
                yield f"an event says {text[text.index('should not') - 5 :][:300]}"
        self.told.clear()
        for worker in self.session.engine.workers:
            if not worker.thread.is_alive():
                yield "a thread has died"


def soak_studio(cases: Iterable[int], seed: int, folder: Path, on_case: OnCase) -> Found:
    """Ask so many questions; return what must not be answered.

    What a question meets depends on those that were asked before in its session: they are asked again
    where they are not among the cases.
    """
    found, asked, last = Found(), None, -1
    write_template(folder / "studio-template", seed)
    for done, case in enumerate(cases, 1):
        first = case - case % QUESTIONS_EACH
        if asked is None or case == first or case != last + 1:
            if asked is not None:
                asked.session.close()
            asked = open_session(folder)
            for earlier in range(first, case):
                ask(asked, *draw_question(asked, randomness(seed, PART, earlier)))
        name, body = draw_question(asked, randomness(seed, PART, case))
        faults, depth = ask(asked, name, body)
        found.note(
            *(Failure(PART, case, seed, f"{name} {body[:200]!r}: {each}") for each in faults)
        )
        found.depths[name, depth] += 1
        on_case(done, len(found.failures))
        last = case
    if asked is not None:
        asked.session.close()
    return found


def write_template(folder: Path, seed: int) -> None:
    """Write a table, its hierarchies and a policy; every right question must be answered."""
    if folder.exists():
        return
    folder.mkdir(parents=True)
    write_workspace(folder, seed)
    (folder / "policy.toml").write_text(POLICIES[POLICY].text(), encoding="utf-8")
    asked = open_session(folder.parent)
    for name in sorted(QUESTIONS, key=lambda name: name in WITH_REVISION):
        if name in WITH_REVISION:  # it changes what is there
            asked.session.close()
            asked = open_session(folder.parent)
        answer = asked.client.post(f"/api/{name}", content=encode(right_question(asked, name)))
        waits = name == "mend"  # only where no table could be read
        if (
            answer.status_code != (422 if waits else 200)
            or not asked.settle()
            or list(asked.faults())
        ):
            raise RuntimeError(f"{name} fails as it is: {answer.text}")
    asked.session.close()


def open_session(folder: Path) -> Asked:
    """Open a session in a new copy of the template, and wait for its optimum."""
    here = folder / "studio"
    shutil.rmtree(here, ignore_errors=True)
    shutil.copytree(folder / "studio-template", here)
    asked = Asked(here)
    asked.settle()
    return asked


def right_question(asked: Asked, name: str) -> dict[str, Any]:
    """Return a question that can be answered."""
    question = copy.deepcopy(RIGHT.get(name, {}))
    solution = asked.session.engine.solution
    if name == "scheme" and solution is not None:
        return {"levels": dict(solution.schemes[0])}
    return {**question, "revision": asked.revision()} if name in WITH_REVISION else question


def draw_question(asked: Asked, random: Random) -> tuple[str, bytes]:
    """Draw a route and the body of a question for it."""
    name = random.choice([*QUESTIONS, *RIGHT])
    if random.random() < 0.07:
        return name, random.choice(BODIES)
    question = right_question(asked, name)
    if name in ("change", "try") and random.random() < 0.8:
        question["changes"] = [draw_change(random) for _ in range(random.choice((1, 1, 2)))]
    elif "spec" in question and random.random() < 0.6:
        question["spec"] = copy.deepcopy(random.choice(HIERARCHIES))
    if "column" in question and random.random() < 0.5:
        question["column"] = random.choice(COLUMNS)
    if "role" in question and random.random() < 0.5:
        question["role"] = random.choice(ROLES)
    if random.random() < 0.5 and question:
        spoil(question, random)
    return name, encode(question)


def draw_change(random: Random) -> dict[str, Any]:
    """Draw a change of the policy, with a value that is right somewhere."""
    kind = random.choice(("model", "key", "role", "hierarchy", "any"))
    if kind == "model":
        return {"path": ["risk", random.choice((0, 1, 5))], "value": model_table(random)[1]}
    if kind == "key":
        part = random.choice(list(KEYS))
        key = random.choice(list(KEYS[part]))
        return {"path": [part, key], "value": random.choice((*KEYS[part][key], None))}
    path: list[Any] = ["attributes", random.choice(COLUMNS)]
    if kind == "role":
        return {"path": [*path, "role"], "value": random.choice(ROLES)}
    if kind == "hierarchy":
        return {"path": [*path, "hierarchy"], "value": random.choice(HIERARCHIES)}
    words = ("data", "risk", "attributes", "search", "analysis", 0, 1, -1, "age", "k", "", "x")
    return {"path": random.choices(words, k=random.randint(0, 4)), "value": random.choice(NASTY)}


def spoil(question: dict[str, Any], random: Random) -> None:
    """Replace one value by a strange one."""
    *above, key = random.choice(list(places(question)))
    old = question
    for step in above:
        old = old[step]
    value = random.choice((near(old[key], random), random.choice(NASTY), random.choice(WORDS)))
    put(question, (*above, key), copy.deepcopy(value))


def encode(question: Any) -> bytes:
    """Write a question as JSON; what is no JSON is written as text."""
    return json.dumps(question, default=str).encode()


def ask(asked: Asked, name: str, body: bytes) -> tuple[list[str], str]:
    """Ask, and say what is wrong with the answer, and how deep the question got."""
    printed = io.StringIO()
    with contextlib.redirect_stderr(printed), contextlib.redirect_stdout(printed):
        answer = asked.client.post(f"/api/{name}", content=body)
        settled = asked.settle()
    faults = [*asked.faults(), *([] if settled else ["it hangs"])]
    if printed.getvalue():
        faults.append(f"the terminal shows {printed.getvalue()[-300:]!r}")
    if answer.status_code == 200:
        return faults, "written"
    try:
        said = answer.json()["error"]
    except (ValueError, KeyError, TypeError):
        said = ""
    if not 400 <= answer.status_code < 500:
        faults.append(f"status {answer.status_code}: {answer.text[:300]}")
    elif not said or not said.rstrip().endswith((".", "?")) or "\x1b" in said:
        faults.append(f"this is no sentence: {answer.text[:300]}")
    elif len(said) > 3000:
        faults.append(f"an error of {len(said):,} characters: {said[:200]}")
    return faults, "read" if answer.status_code == 409 else "door"
