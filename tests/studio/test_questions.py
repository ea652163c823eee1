"""Whatever is asked, the answer is a sentence: nothing that is sent is an error of the server."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.studio.app import DEEPEST, make_app
from anonymizer.studio.folder import Folder
from anonymizer.studio.history import StaleError
from anonymizer.studio.questions import QUESTIONS
from anonymizer.studio.session import Session
from tests.studio.conftest import POLICY, PORT, TOKEN, Asking, patients

pytestmark = pytest.mark.xdist_group("questions")

NOW = -7
"""Stands for the newest revision."""
CHANGES = [{"path": ["risk", 0, "k"], "value": 4}]
SPEC = {"builder": "intervals", "domain": [0, 99], "widths": [5, 10, 20]}
FIGURES = {"figures": {"p_m": 0.5}, "columns": {"age": "age"}, "asked": 1}
ASKED: dict[str, dict[str, Any]] = {
    "state": {},
    "change": {"revision": NOW, "changes": CHANGES, "label": "k"},
    "try": {"revision": NOW, "changes": CHANGES, "sequence": 1},
    "mend": {"encoding": "latin-1"},
    "undo": {"revision": NOW},
    "redo": {"revision": NOW},
    "cancel": {},
    "columns": {},
    "rows": {"start": 0, "count": 5},
    "output": {"start": 0, "count": 5},
    "classes": {"dropped": False, "largest": True, "start": 0, "count": 5},
    "role": {"revision": NOW, "column": "sex", "role": "quasi"},
    "person": {"revision": NOW, "column": "patient_id"},
    "propose": {"revision": NOW, "recipient": "agreement", "need": ["diagnosis"]},
    "scheme": {"levels": {"age": 1, "sex": 0, "zip": 2}},
    "level": {"column": "age", "level": 1},
    "keep": {},
    "hierarchy": {"column": "age"},
    "set-hierarchy": {"revision": NOW, "column": "age", "spec": SPEC, "label": "ages"},
    "preview-reading": {"column": "age", "type": "number", "format": None},
    "export-hierarchy": {"column": "age"},
    "import-hierarchy": {"revision": NOW, "column": "sex", "text": "female;*\nmale;*\n"},
    "risk": {},
    "attackers": {},
    "attack": {"revision": NOW, "attacker": "worst-case", **FIGURES},
    "utility": {},
    "evidence": {"revision": NOW},
    "try-attacks": {"revision": NOW},
    "compare-thresholds": {"revision": NOW},
    "checklist": {},
    "context": {},
    "state-context": {"stated": {"organization": "a hospital", "controls": ["no linkage"]}},
    "release": {"revision": NOW},
}
"""A right question of each kind."""

REFUSED = ("mend", "compare-thresholds")
"""Right, but there is no table that waits, and the policy states no analysis."""

SURROGATE = "\ud800"
HOSTILE: list[Any] = [
    None, True, -1, 1.5, 2**70, 10**400, math.nan, 1e308, SURROGATE, "\0", "x" * 10_000, [], [[1]], {},
    {"model": ["k-anonymity"], "k": {}}, json.loads("[" * 200 + "]" * 200),
]  # fmt: skip
"""What may stand where something else is expected."""
BODIES = [
    b"{", b"[1]", b"null", b'"text"', b"\xff\xfe", b'{"a": NaN}', b'{"a": 1e999}',
    b"[" * 100_000, b'{"a":' * 100_000 + b"1" + b"}" * 100_000, b'{"a": ' + b"9" * 10_000 + b"}",
    b"revision=1&changes=2", b"x" * (1 << 22) + b"x",
]  # fmt: skip
"""What is not a question at all."""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asking]:
    folder = tmp_path_factory.mktemp("chosen")
    patients().to_csv(folder / "patients.csv", index=False)
    (folder / "policy.toml").write_text(POLICY, encoding="utf-8")
    session = Session(Folder(folder))
    session.open(folder / "policy.toml")
    yield Asking(session)
    session.close()


def start_anew(studio: Asking) -> None:
    """Put the policy back, as an editor would, and wait for its optimum."""
    session = studio.session
    session.folder.policy.write_text(POLICY, encoding="utf-8")
    with contextlib.suppress(StaleError):
        session.check(session.opened.revision)
    studio.settle()


def send(studio: Asking, name: str, asked: Any) -> Any:
    """Ask something of the newest revision, as JSON of Python's, which has NaN as well."""
    if asked.get("revision") == NOW:
        asked = {**asked, "revision": studio.session.opened.revision}
    return studio.client.post(f"/api/{name}", content=json.dumps(asked))


def assert_answered(found: Any) -> None:
    """The answer is what was asked for, or what is wrong in words."""
    assert found.status_code < 500, found.text
    said = found.json()
    if found.status_code >= 400:
        assert said["error"].endswith((".", "?"))
        assert "Traceback" not in said["error"]


def places(inner: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """List the places of some JSON, from the inside out."""
    keys = (
        inner if isinstance(inner, dict) else range(len(inner)) if isinstance(inner, list) else ()
    )
    for key in keys:
        yield from places(inner[key], (*path, key))
        yield (*path, key)


def replaced(asked: Any, path: tuple[Any, ...], *value: Any) -> Any:
    """Return a question with another value at a place; without one, nothing is left there."""
    asked = inner = copy.deepcopy(asked)
    for key in path[:-1]:
        inner = inner[key]
    if value:
        inner[path[-1]] = value[0]
    else:
        del inner[path[-1]]
    return asked


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_value_in_any_place_of_a_question_is_an_error_of_the_server(
    hostile: Asking, name: str
) -> None:
    start_anew(hostile)
    refused = name in REFUSED
    assert send(hostile, name, ASKED[name]).status_code == (422 if refused else 200)
    for path in places(ASKED[name]):
        assert_answered(send(hostile, name, replaced(ASKED[name], path)))
        for value in HOSTILE:
            assert_answered(send(hostile, name, replaced(ASKED[name], path, value)))
    hostile.settle()
    failure = hostile.session.engine.told.get("failure", {"message": ""})
    assert "should not have happened" not in failure["message"]


@pytest.mark.parametrize("name", [*QUESTIONS, "upload"])
def test_no_body_is_an_error_of_the_server(hostile: Asking, name: str) -> None:
    for body in BODIES:
        found = hostile.client.post(f"/api/{name}", content=body)
        assert_answered(found)
        assert found.status_code >= 400
    for kind in ("application/x-www-form-urlencoded", "multipart/form-data", "\xff", "text/csv"):
        headers = {"content-type": kind.encode("latin-1")}
        assert_answered(hostile.client.post(f"/api/{name}", content=b"{}", headers=headers))


KEYS = st.sampled_from(
    ["model", "k", "builder", "values", "domain", "from", "to", "levels", "role"]
)
ATOMS = st.sampled_from([value for value in HOSTILE if not isinstance(value, list | dict)])
ANYTHING = st.recursive(
    ATOMS | st.text(max_size=5) | st.integers() | st.floats(),
    lambda inside: (
        st.lists(inside, max_size=3)
        | st.dictionaries(KEYS | st.text(max_size=3), inside, max_size=3)
    ),
    max_leaves=6,
)
PLACES = st.lists(
    st.sampled_from(["data", "attributes", "risk", "release", "age", "hierarchy", 0, 1, "k"]),
    min_size=1,
    max_size=4,
)


@given(PLACES, ANYTHING, ANYTHING)
def test_no_change_of_a_policy_is_an_error_of_the_server(
    hostile: Asking, path: list[Any], value: Any, spec: Any
) -> None:
    changes = [{"path": path, "value": value}]
    for name in ("try", "change"):
        assert_answered(send(hostile, name, {"revision": NOW, "changes": changes}))
    for name in ("preview-hierarchy", "set-hierarchy"):
        wanted = {**SPEC, **spec} if isinstance(spec, dict) else spec
        assert_answered(send(hostile, name, {"revision": NOW, "column": "age", "spec": wanted}))


@pytest.mark.parametrize("address", ["/api/nothing", "/nowhere", "/api/page/x", "/page/nothing.js"])
def test_what_is_not_there_is_one_sentence(hostile: Asking, address: str) -> None:
    for ask in (hostile.client.get, hostile.client.put, hostile.client.delete):
        found = ask(address)
        assert found.status_code in (404, 405)
        assert_answered(found)


def test_json_as_deep_as_any_is_read_and_deeper_is_refused(hostile: Asking) -> None:
    for depth, status in ((DEEPEST - 1, 200), (DEEPEST, 422)):
        inside = json.loads("[" * depth + "]" * depth)
        assert send(hostile, "state", {"ignored": inside}).status_code == status


@pytest.mark.parametrize(
    "name", ["a.csv", "a.parquet", "a.xlsx", "a.feather", "a.csv.gz", "a.zip", "a"]
)
@pytest.mark.parametrize("body", [b"", b"\0" * 99, b"PAR1" * 9, b"\x1f\x8b\x08" * 9, b'a,"b\n1'])
def test_an_upload_that_is_not_a_table_is_one_sentence_and_leaves_nothing(
    empty: Asking, name: str, body: bytes
) -> None:
    found = empty.client.post(f"/api/upload?name={name}", content=body)
    assert found.status_code in (413, 422)
    assert_answered(found)
    folder: Path = empty.session.folder.path
    assert not folder.exists() or not list(folder.iterdir())


def test_an_upload_is_for_its_owner_alone(empty: Asking) -> None:
    body = patients(50).to_csv(index=False).encode()
    assert empty.client.post("/api/upload?name=people.csv", content=body).status_code == 200
    assert (empty.session.folder.path / "people.csv").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["state", "upload"])
def test_a_page_that_goes_away_while_it_sends_is_no_error_of_the_server(
    empty: Asking, name: str
) -> None:
    sent: list[dict[str, Any]] = []
    parts = [
        {"type": "http.request", "body": b"a,b", "more_body": True},
        {"type": "http.disconnect"},
    ]
    headers = {"host": f"127.0.0.1:{PORT}", "x-anonymizer-token": TOKEN}
    scope = {
        "type": "http", "method": "POST", "path": f"/api/{name}", "query_string": b"name=a.csv",
        "headers": [(key.encode(), text.encode()) for key, text in headers.items()],
    }  # fmt: skip

    async def receive() -> Any:
        return parts.pop(0)

    async def note(message: Any) -> None:
        sent.append(message)

    asyncio.run(make_app(empty.session, TOKEN, PORT)(scope, receive, note))
    assert sent[0]["status"] == 400
    assert not empty.session.folder.path.exists()
