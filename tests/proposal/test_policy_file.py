"""The proposed policy as a file."""

from __future__ import annotations

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from anonymizer.policy import Role
from anonymizer.problem.person import Candidate
from anonymizer.proposal.content import Content
from anonymizer.proposal.decision import Confidence, Decision
from anonymizer.proposal.figures import Figures
from anonymizer.proposal.person import Whose
from anonymizer.proposal.policy_file import file_names, write_policy

NAMES = st.lists(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=80), unique=True, min_size=1
)


@given(NAMES, st.text(st.characters(exclude_categories=["Cs"])), st.booleans())
def test_whatever_columns_are_called_the_file_is_toml_with_their_names(
    names: list[str], reason: str, rows: bool
) -> None:
    asked = () if rows else tuple(Candidate(name, 5, 10) for name in names)
    whose = Whose(rows_are_people=rows, candidates=asked)
    figures = Figures(10, 0, 5, 0.5, 0.25)
    decisions = [
        Decision(name, role, reason, Confidence.LOW, Content.TEXT, figures)
        for name, role in zip(names, [*Role] * len(names), strict=False)
    ]
    files = file_names(names)
    keys = tomllib.loads(write_policy(decisions, files, {"path": names[0]}, 7, reason, whose))
    assert {name: table["role"] for name, table in keys["attributes"].items()} == {
        decision.column: decision.role for decision in decisions
    }
    said = {"rows_are_people": True} if whose.rows_are_people else {}
    assert keys["data"] == {"path": names[0], **said}
    assert keys["risk"] == [{"model": "k-anonymity", "k": 7}]


@given(NAMES)
def test_files_have_different_names_that_every_system_takes(names: list[str]) -> None:
    files = list(file_names(names).values())
    assert len({file.casefold() for file in files}) == len(names)
    assert all(
        len(file.encode()) <= 255 and not set(file) & set('/\\:*?"<>|\0\n') for file in files
    )
    assert all(not file.startswith(".") for file in files)
