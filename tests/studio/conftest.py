"""A studio of a small table, asked as the page asks."""

from __future__ import annotations

import queue
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("starlette", reason="starlette is not installed: pip install anonymizer[test]")
testclient = pytest.importorskip("starlette.testclient", reason="httpx is not installed")

from anonymizer.studio.app import make_app  # noqa: E402 - after the skips
from anonymizer.studio.folder import Folder  # noqa: E402
from anonymizer.studio.session import Session  # noqa: E402

TOKEN, PORT = "the-token", 4321
HERE = f"http://127.0.0.1:{PORT}"


def patients(rows: int = 400, seed: int = 1) -> pd.DataFrame:
    """A raw table: a number for each person, three columns that others may know, two that are kept."""
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "patient_id": [f"P{number:06}" for number in random.permutation(rows)],
            "age": random.integers(18, 90, rows),
            "sex": random.choice(["female", "male"], rows),
            "zip": random.choice(["10115", "10117", "20095", "20097", "80331"], rows),
            "diagnosis": random.choice(["asthma", "diabetes", "stroke"], rows),
        }
    )


POLICY = """\
# A policy with comments.
[data]
path = "patients.csv"
rows_are_people = true

[attributes]
patient_id = { role = "identifying" }
age = { role = "quasi", hierarchy = { builder = "intervals", domain = [0, 99], widths = [5, 10, 20] } }
sex = { role = "quasi", hierarchy = { builder = "mapping", values = ["female", "male"] } }
zip = { role = "quasi", hierarchy = { builder = "redaction", length = 5, alphabet = "digits" } }
diagnosis = { role = "sensitive" }

[[risk]]
model = "k-anonymity"   # everybody looks like k - 1 others
k = 3

[release]
suppression_limit = 0.1
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a table and a policy."""
    chosen = tmp_path / "chosen"
    chosen.mkdir()
    patients().to_csv(chosen / "patients.csv", index=False)
    (chosen / "policy.toml").write_text(POLICY, encoding="utf-8")
    return chosen


class Asking:
    """A client that asks as the page does."""

    def __init__(self, session: Session, upload_limit: int = 10_000) -> None:
        self.session = session
        self.client = testclient.TestClient(
            make_app(session, TOKEN, PORT, upload_limit),
            base_url=HERE,
            headers={"x-anonymizer-token": TOKEN},
        )

    def post(self, name: str, **asked: Any) -> Any:
        return self.client.post(f"/api/{name}", json=asked)

    def ask(self, name: str, **asked: Any) -> Any:
        found = self.post(name, **asked)
        assert found.status_code == 200, found.text
        return found.json()

    @property
    def revision(self) -> int:
        return int(self.ask("state")["revision"])

    def change(self, *path: Any, value: Any) -> Any:
        changes = [{"path": list(path), "value": value}]
        return self.ask("change", revision=self.revision, changes=changes, label="a change")

    def hear(self, told: str, monkeypatch: pytest.MonkeyPatch) -> queue.Queue[dict[str, Any]]:
        """Return what is told of one kind of event from here on."""
        heard: queue.Queue[dict[str, Any]] = queue.Queue()
        tell = self.session.events.tell

        def listen(kind: str, **content: Any) -> None:
            if kind == told:
                heard.put(content)
            tell(kind, **content)

        monkeypatch.setattr(self.session.events, "tell", listen)
        return heard

    def settle(self) -> None:
        """Wait until nothing is being worked on."""
        engine = self.session.engine
        for worker in (engine.worker, engine.trials):
            while worker.waiting is not None or worker.current is not None:
                time.sleep(0.01)


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Asking]:
    session = Session(Folder(tmp_path / "chosen"))
    yield Asking(session)
    session.close()


@pytest.fixture
def studio(folder: Path) -> Iterator[Asking]:
    session = Session(Folder(folder))
    session.open(folder / "policy.toml")
    asking = Asking(session)
    asking.settle()
    yield asking
    session.close()
