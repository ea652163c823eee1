from __future__ import annotations

import tomllib

import pytest

from anonymizer import Policy, anonymize
from tests.studio.conftest import HERE, TOKEN, patients


def test_the_page_and_its_files_come_with_headers_that_keep_a_browser_careful(empty):
    for path in ("/", "/page/main.js", "/page/style.css"):
        found = empty.client.get(path, headers={"x-anonymizer-token": ""})
        assert found.status_code == 200
        rules = found.headers["content-security-policy"]
        assert "default-src 'self'" in rules
        assert "unsafe" not in rules
        assert found.headers["x-content-type-options"] == "nosniff"
        assert found.headers["referrer-policy"] == "no-referrer"


def test_without_the_token_nothing_is_answered(studio):
    for token in ("", "wrong", TOKEN + "x"):
        found = studio.client.post("/api/state", json={}, headers={"x-anonymizer-token": token})
        assert found.status_code == 403
        assert "token" in found.json()["error"]
    assert studio.client.get("/?token=wrong", headers={"x-anonymizer-token": ""}).status_code == 403
    opened = studio.client.get(f"/?token={TOKEN}", headers={"x-anonymizer-token": ""})
    assert opened.status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "evil.example:4321"])
def test_a_foreign_host_is_refused(studio, host):
    for ask in (studio.client.get("/"), studio.client.post("/api/state", json={})):
        assert ask.status_code == 200
    assert studio.client.get("/", headers={"host": host}).status_code == 403
    assert studio.client.post("/api/state", json={}, headers={"host": host}).status_code == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:4321"])
def test_another_origin_is_refused_even_with_the_token(studio, origin):
    asked = studio.client.post("/api/state", json={}, headers={"origin": origin})
    assert asked.status_code == 403
    assert studio.client.post("/api/state", json={}, headers={"origin": HERE}).status_code == 200
    cross = {"sec-fetch-site": "cross-site"}
    assert studio.client.post("/api/state", json={}, headers=cross).status_code == 403


def test_an_upload_larger_than_the_limit_is_refused_and_leaves_nothing(empty):
    body = b"x" * 10_001

    def chunks():  # without a length, so that only counting helps
        yield body[:5000]
        yield body[5000:]

    for content in (body, chunks()):
        found = empty.client.post("/api/upload?name=a.csv", content=content)
        assert found.status_code == 413
    assert not list(empty.session.folder.path.glob("*"))


@pytest.mark.parametrize(
    "name",
    ["../a.csv", "/etc/a.csv", "a/b.csv", "..", "", ".hidden", "a\\b.csv", "policy.toml", "c:a"],
)
def test_a_name_that_leads_out_of_the_folder_is_refused(empty, name):
    found = empty.client.post("/api/upload", params={"name": name}, content=b"a,b\n1,2\n")
    assert found.status_code == 422
    assert not list(empty.session.folder.path.parent.rglob("*.csv"))


def test_files_beside_the_page_are_not_served(empty):
    for path in ("/page/../app.py", "/page/%2e%2e/app.py", "/page//etc/passwd", "/app.py"):
        assert empty.client.get(path).status_code in (404, 403)


def test_an_uploaded_table_gets_a_policy_and_an_optimum(empty):
    frame = patients(300)
    body = frame.to_csv(index=False).encode()
    state = empty.client.post("/api/upload?name=people.csv", content=body).json()
    assert state["open"]
    assert state["document"]["data"]["path"] == "people.csv"
    empty.settle()
    solution = empty.session.solution()
    python = anonymize(None, empty.session.folder.policy)
    assert (solution.scheme, solution.loss) == (python.scheme, python.loss)
    again = empty.client.post("/api/upload?name=b.csv", content=body)
    assert again.status_code == 422
    assert "open already" in again.json()["error"]


def test_a_wrong_file_is_one_sentence_and_can_be_sent_again(empty):
    found = empty.client.post("/api/upload?name=a.csv", content=b"\x00\x01\x02" * 50)
    assert found.status_code == 422
    assert found.json()["error"]
    assert not list(empty.session.folder.path.glob("*"))
    assert not empty.ask("state")["open"]


def test_a_change_is_written_down_shown_and_solved(studio):
    state = studio.change("risk", 0, "k", value=7)
    assert state["difference"] == ["-k = 3", "+k = 7"]
    text = studio.session.folder.policy.read_text(encoding="utf-8")
    assert text == state["text"]
    assert "# everybody looks like k - 1 others" in text
    studio.settle()
    python = anonymize(None, studio.session.folder.policy)
    assert studio.session.solution().scheme == python.scheme
    assert python.problem.models[0].k == 7


def test_undo_and_redo_go_through_the_file(studio):
    path, before = studio.session.folder.policy, studio.session.opened.text
    studio.change("risk", 0, "k", value=7)
    assert studio.ask("undo", revision=studio.revision)["text"] == before
    assert path.read_text(encoding="utf-8") == before
    assert studio.ask("redo", revision=studio.revision)["document"]["risk"][0]["k"] == 7
    assert tomllib.loads(path.read_text(encoding="utf-8"))["risk"][0]["k"] == 7
    revision = studio.revision
    assert studio.ask("redo", revision=revision)["document"]["risk"][0]["k"] == 7


def test_a_change_of_an_older_revision_is_refused(studio):
    revision = studio.revision
    studio.change("risk", 0, "k", value=7)
    changes = [{"path": ["risk", 0, "k"], "value": 9}]
    late = studio.post("change", revision=revision, changes=changes, label="late")
    assert late.status_code == 409
    assert studio.ask("state")["document"]["risk"][0]["k"] == 7


def test_what_an_editor_wrote_into_the_file_is_not_overwritten(studio):
    path, revision = studio.session.folder.policy, studio.revision
    edited = path.read_text(encoding="utf-8").replace("k = 3", "k = 11")
    path.write_text(edited, encoding="utf-8")
    changes = [{"path": ["risk", 0, "k"], "value": 9}]
    assert studio.post("change", revision=revision, changes=changes, label="x").status_code == 409
    assert path.read_text(encoding="utf-8") == edited
    assert studio.ask("state")["text"] == edited


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["risk", 0, "k"], 0),
        (["risk", 0, "k"], "five"),
        (["attributes", "age", "min_level"], 3.5),
        (["nowhere", "at", "all"], 1),
        (["attributes", "age", "role"], "nobody"),
        ([], 1),
    ],
)
def test_a_change_that_is_wrong_is_refused_in_words_and_nothing_is_written(studio, path, value):
    before = studio.session.opened.text
    found = studio.post(
        "change", revision=studio.revision, changes=[{"path": path, "value": value}], label="x"
    )
    assert found.status_code == 422
    assert found.json()["error"].endswith((".", "?"))
    assert studio.session.folder.policy.read_text(encoding="utf-8") == before


def test_what_is_tried_out_is_solved_but_not_written(studio):
    before = studio.session.opened.text
    changes = [{"path": ["risk", 0, "k"], "value": 9}]
    studio.ask("try", revision=studio.revision, changes=changes)
    studio.settle()
    assert studio.session.folder.policy.read_text(encoding="utf-8") == before
    assert studio.session.engine.problem.models[0].k == 9
    assert studio.session.solution().problem.models[0].k == 3


def test_questions_that_are_not_json_are_refused(studio):
    for body in (b"{", b"[1]", b"\xff"):
        found = studio.client.post("/api/state", content=body)
        assert found.status_code == 422


def test_rows_in_view_are_those_of_the_table_and_no_more(studio):
    frame = patients()
    found = studio.ask("rows", start=10, count=5)
    assert found["total"] == len(frame)
    assert found["rows"] == frame.iloc[10:15].astype(str).to_numpy().tolist()
    assert studio.ask("rows", start=398, count=50)["rows"] == (
        frame.iloc[398:].astype(str).to_numpy().tolist()
    )
    assert len(studio.ask("rows", start=0, count=10**9)["rows"]) <= 200


def test_rows_stand_beside_what_they_become(studio):
    found = studio.ask("output", start=0, count=200)
    solution = studio.session.solution()
    after = [row for row in found["after"] if row is not None]
    released = solution.release.table.release(solution.release.plan())
    expected = released.astype(str).to_numpy().tolist()
    assert found["released"] == list(released.columns)
    assert after == expected[: len(after)]


def test_a_role_given_by_one_question_is_in_the_policy_with_a_hierarchy(studio):
    studio.ask("role", revision=studio.revision, column="diagnosis", role="quasi")
    policy = Policy.read(studio.session.folder.policy)
    assert "diagnosis" in policy.quasi_identifiers
    studio.settle()
    assert studio.session.solution().problem.microdata.attributes[-1] == "diagnosis"
    studio.ask("role", revision=studio.revision, column="diagnosis", role="sensitive")
    assert Policy.read(studio.session.folder.policy).attributes["diagnosis"].hierarchy is None


def test_a_column_that_is_generalized_again_gets_the_hierarchy_that_it_had(studio):
    before = studio.session.opened.text
    revision = studio.revision
    studio.ask("role", revision=revision, column="age", role="quasi")
    assert studio.revision == revision
    for role in ("sensitive", "quasi"):
        studio.ask("role", revision=studio.revision, column="age", role=role)
    assert studio.session.opened.text == before


def test_who_is_a_person_is_in_the_policy(studio):
    studio.ask("person", revision=studio.revision, column="patient_id")
    assert Policy.read(studio.session.folder.policy).data.id == "patient_id"
    studio.ask("person", revision=studio.revision, column=None)
    policy = Policy.read(studio.session.folder.policy)
    assert (policy.data.id, policy.data.rows_are_people) == (None, True)


def test_every_column_has_its_figures_and_what_is_proposed(studio):
    found = {each["name"]: each for each in studio.ask("columns")["columns"]}
    frame = patients()
    assert found["age"]["distinct"] == frame["age"].nunique()
    assert found["patient_id"]["proposed"] == "identifying"
    for each in found.values():
        assert sum(bar["count"] for bar in each["distribution"]["bars"]) == len(frame)
        assert each["reason"]


def test_a_scheme_by_hand_is_measured_with_its_distance_from_the_optimum(studio):
    solution = studio.session.solution()
    same = studio.ask("scheme", levels=solution.scheme)
    assert same["distance"] == pytest.approx(0)
    coarse = {**solution.scheme, "sex": 1}
    found = studio.ask("scheme", levels=coarse)
    expected = solution.problem.evaluate(tuple(coarse.values()))
    assert found["quality"] == pytest.approx(expected.quality)
    assert found["suppressed"] == expected.suppressed_records
    assert studio.post("scheme", levels={**coarse, "sex": 9}).status_code == 422


def test_pages_beside_the_release_need_the_token_and_may_run_nothing(studio):
    address = "/api/page/decision.html"
    assert studio.client.get(address).status_code == 404
    studio.ask("release", revision=studio.revision)
    studio.settle()
    found = studio.client.get(address)
    assert found.status_code == 200
    assert "Release decision" in found.text
    assert "script-src" not in found.headers["content-security-policy"]
    assert "default-src 'none'" in found.headers["content-security-policy"]
    assert studio.client.get(address, headers={"x-anonymizer-token": ""}).status_code == 403
    for other in ("release.csv", "manifest.json", "..%2fpolicy.toml"):
        assert studio.client.get(f"/api/page/{other}").status_code == 404
