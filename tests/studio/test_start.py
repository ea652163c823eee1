"""Three questions before any figure, and a table that cannot be read."""

from __future__ import annotations

import pytest

from anonymizer.cli import studio as cli
from anonymizer.errors import DataError
from anonymizer.studio.folder import Folder
from anonymizer.studio.mending import UnreadableError
from anonymizer.studio.session import Session
from tests.studio.conftest import Asking

TOWNS = "name,age,town\n" + "".join(f"Müller,{20 + n % 9},Köln\n" for n in range(300))


@pytest.fixture
def unread(tmp_path):
    """A studio that was given a table which is not UTF-8."""
    (tmp_path / "towns.csv").write_bytes(TOWNS.encode("latin-1"))
    session = Session(Folder(tmp_path / "chosen"))
    with pytest.raises(UnreadableError) as raised:
        session.open(tmp_path / "towns.csv")
    session.fault = raised.value.fault
    yield Asking(session)
    session.close()


def test_each_question_comes_with_what_was_found(studio):
    found = studio.ask("columns")
    assert found["person"].startswith("No column repeats")
    assert found["recipients"].keys() == {"public", "agreement", "enclave"}
    assert "'diagnosis'" in found["recipients"]["agreement"]
    assert "'diagnosis'" not in found["recipients"]["public"]
    assert found["recipient"] is None
    assert found["needed"] == []


def test_answers_are_there_again_when_the_page_is_opened_anew(studio):
    studio.ask("propose", revision=studio.revision, recipient="enclave", need=["age"])
    found = studio.ask("columns")
    assert (found["recipient"], found["needed"]) == ("enclave", ["age"])
    assert studio.session.folder.stated().release_model == "enclave"


def test_a_broken_context_does_not_stand_in_the_way_of_a_proposal(studio):
    studio.session.folder.context.write_text("organization = ", encoding="utf-8")
    studio.ask("propose", revision=studio.revision, recipient="enclave", need=[])
    assert studio.session.folder.context.read_text(encoding="utf-8") == "organization = "


def test_a_table_that_cannot_be_read_says_why_and_what_can_be_said_of_it(unread):
    fault = unread.ask("state")["fault"]
    assert fault["said"].startswith("towns.csv: the file is not UTF-8")
    assert "chosen" not in fault["said"]
    assert fault["texts"]["latin-1"][1] == "Müller,20,Köln"
    assert "utf-8" not in fault["texts"]
    assert fault["sheets"] == []


def test_it_is_read_once_it_is_said_how(unread):
    refused = unread.post("mend", delimiter=";", encoding="latin-1")
    assert refused.status_code == 422
    for wrong in ({"encoding": "nope"}, {"delimiter": "ab"}, {"sheet": 3}):
        assert unread.post("mend", **wrong).json()["error"].endswith(".")
    state = unread.ask("mend", encoding="latin-1")
    assert state["open"]
    assert state["document"]["data"]["encoding"] == "latin-1"
    assert unread.post("mend", encoding="latin-1").status_code == 422


def test_an_upload_is_sent_again_with_what_was_said_of_it(empty):
    body = TOWNS.encode("latin-1")
    refused = empty.client.post("/api/upload?name=towns.csv", content=body)
    assert refused.json()["fault"]["texts"]["cp1252"][1] == "Müller,20,Köln"
    assert not list(empty.session.folder.path.glob("*"))
    read = empty.client.post("/api/upload?name=towns.csv&encoding=cp1252", content=body)
    assert read.json()["document"]["data"]["encoding"] == "cp1252"


def test_a_workbook_asks_which_sheet(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["a"])
    book.create_sheet("people").append(["b"])
    book.save(tmp_path / "book.xlsx")
    session = Session(Folder(tmp_path / "chosen"))
    with pytest.raises(UnreadableError) as raised:
        session.open(tmp_path / "book.xlsx")
    assert raised.value.fault.describe()["sheets"] == ["Sheet", "people"]
    session.close()


def test_a_table_that_is_not_there_is_no_fault_to_mend(tmp_path):
    session = Session(Folder(tmp_path / "chosen"))
    with pytest.raises(DataError) as raised:
        session.open(tmp_path / "nowhere.csv")
    assert not isinstance(raised.value, UnreadableError)
    session.close()


def test_the_command_opens_the_page_for_a_table_that_cannot_be_read(tmp_path, monkeypatch, capsys):
    pytest.importorskip("uvicorn")
    (tmp_path / "towns.csv").write_bytes(TOWNS.encode("latin-1"))
    seen = []
    monkeypatch.setattr(
        "anonymizer.studio.serve.Studio.run", lambda self, *_, **__: seen.append(self)
    )
    cli.studio(tmp_path / "towns.csv", out=tmp_path / "chosen")
    [served] = seen
    assert served.session.state()["fault"]["file"] == "towns.csv"
    served.close()
    assert capsys.readouterr().err == ""


def test_a_policy_that_fails_says_where_it_is_mended_and_names_no_path(studio):
    values = {"builder": "mapping", "values": ["female"]}
    studio.change("attributes", "sex", "hierarchy", value=values)
    studio.settle()
    told = studio.session.engine.told["failure"]
    assert told["panel"] == "hierarchies"
    path = studio.session.folder.policy
    path.write_text(path.read_text(encoding="utf-8") + "\n[nonsense]\n", encoding="utf-8")
    studio.post("undo", revision=studio.revision)
    told = studio.session.engine.told["failure"]
    assert str(path.parent) not in told["message"]
