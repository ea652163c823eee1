"""The studio of linked tables, asked as its page asks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="starlette is not installed: pip install anonymizer[test]")
testclient = pytest.importorskip("starlette.testclient", reason="httpx is not installed")

from anonymizer.errors import PolicyError  # noqa: E402 - after the skips
from anonymizer.studio.folder import Folder  # noqa: E402
from anonymizer.studio.study import StudySession, opens_study  # noqa: E402
from anonymizer.studio.study_app import make_study_app  # noqa: E402
from tests.clinic import frames, write_clinic  # noqa: E402
from tests.studio.conftest import HERE, PORT, TOKEN  # noqa: E402

PAGE = Path(__file__).parents[2] / "anonymizer" / "studio" / "page"


class Asking:
    """A client that asks as the page does."""

    def __init__(self, session: StudySession) -> None:
        self.session = session
        headers = {"x-anonymizer-token": TOKEN}
        app = make_study_app(session, TOKEN, PORT)
        self.client = testclient.TestClient(app, base_url=HERE, headers=headers)

    def post(self, name: str, **asked: Any) -> Any:
        return self.client.post(f"/api/{name}", json=asked)

    def ask(self, name: str, **asked: Any) -> Any:
        found = self.post(name, **asked)
        assert found.status_code == 200, found.text
        return found.json()


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Asking]:
    policy = write_clinic(tmp_path / "clinic")
    session = StudySession(Folder(policy.parent))
    session.open(policy)
    yield Asking(session)
    session.close()


def test_tables_are_shown_with_what_they_belong_to(studio: Asking) -> None:
    state = studio.ask("state")
    shown = [(each["name"], each["parent"], each["id"], each["key"]) for each in state["tables"]]
    assert shown == [
        ("patient", None, "pid", None),
        ("visit", "patient", "patient", "visit_id"),
        ("diagnosis", "visit", "visit", None),
        ("drug", "patient", "who", None),
    ]
    assert state["risk"] == {"k": 3, "power": 2, "suppress": "people"}
    assert state["sections"] is state["rows"] is None


def test_a_study_is_changed_run_released_and_verified(studio: Asking) -> None:
    before = studio.session.text
    state = studio.ask("change", changes=[{"path": ["risk", 0, "power"], "value": 1}])
    assert state["risk"]["power"] == 1
    changed = [line for line in state["text"].splitlines() if line not in before.splitlines()]
    assert changed == ["power = 1"]
    assert studio.post("release").status_code == 409
    found = studio.ask("run")
    assert next(each["title"] for each in found["sections"]) == "Scheme"
    assert found["rows"]["patient"]["rows"] == 60
    released = studio.ask("release")
    assert released["passed"]
    assert any(check["claim"] == "the keys are new" for check in released["checks"])
    assert (studio.session.folder.release / "visit.csv").is_file()
    studio.ask("change", changes=[{"path": ["tables", "drug", "attributes", "dose"],
                                   "value": {"role": "removed"}}])  # fmt: skip
    assert studio.ask("state")["sections"] is None
    refused = studio.post("release")
    assert refused.status_code == 409
    assert "run it again" in refused.json()["error"]


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        (["risk", 0, "k"], 0, "k must be at least 1"),
        (["risk", 0, "power"], -1, "power must be at least 0"),
        (["tables", "drug", "attributes", "who", "role"], "insensitive", "role 'identifying'"),
        (["release", "suppression_limit"], 2, "suppression_limit"),
    ],
)
def test_what_does_not_fit_is_one_sentence_and_changes_nothing(
    studio: Asking, path: list[Any], value: Any, sentence: str
) -> None:
    before = studio.session.text
    found = studio.post("change", changes=[{"path": path, "value": value}])
    assert found.status_code == 422
    assert sentence in found.json()["error"]
    assert studio.session.text == before
    assert studio.post("change").status_code == 422


def test_without_the_token_nothing_is_answered(studio: Asking) -> None:
    for name in ("state", "run", "release", "change"):
        found = studio.client.post(f"/api/{name}", json={}, headers={"x-anonymizer-token": ""})
        assert found.status_code == 403
    page = studio.client.get("/", headers={"x-anonymizer-token": ""})
    assert "linked tables" in page.text
    assert "default-src 'self'" in page.headers["content-security-policy"]


def test_a_folder_of_tables_gets_a_policy_of_its_own(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    raw.mkdir()
    for name, frame in frames().items():
        frame.to_csv(raw / f"{name}.csv", index=False)
    assert opens_study(raw)
    assert not opens_study(raw / "drug.csv")
    assert not opens_study(None)
    for _ in range(2):  # the second time it is there
        session = StudySession(Folder(tmp_path / "studio"))
        session.open(raw)
        assert next(each["name"] for each in session.state()["tables"]) == "patient"
    flat = tmp_path / "flat"
    flat.mkdir()
    (flat / "policy.toml").write_text(
        '[data]\npath = "t.csv"\nrows_are_people = true\n[attributes]\n'
        'a = { role = "quasi", hierarchy = { x = "*" } }\n[[risk]]\nmodel = "k-anonymity"\nk = 2\n'
    )
    assert not opens_study(flat / "policy.toml")
    with pytest.raises(PolicyError, match="has no linked tables; choose another folder"):
        StudySession(Folder(flat)).open(raw)


def test_a_policy_elsewhere_is_copied_with_the_paths_of_all_tables(tmp_path: Path) -> None:
    policy = write_clinic(tmp_path / "clinic")
    assert opens_study(policy)
    session = StudySession(Folder(tmp_path / "other"))
    session.open(policy)
    assert session.run({})["rows"]["drug"]["rows"] == 60


def test_the_page_asks_what_is_answered_and_shows_roles_that_there_are() -> None:
    script = (PAGE / "study.js").read_text(encoding="utf-8")
    asked = set(re.findall(r'(?:ask|renew|doing)\((?:"[^"]*", )?"(\w+)"', script))
    assert asked == {"state", "change", "run", "release"}
