from __future__ import annotations

import pytest

from anonymizer import anonymize
from anonymizer.studio.engine import KEPT
from anonymizer.studio.worker import Cancelled, Job


def test_what_is_found_for_an_older_policy_is_not_taken(studio):
    engine, job = studio.session.engine, Job(lambda _: None)
    with engine.taking(job):
        pass
    job.dropped.set()
    with pytest.raises(Cancelled), engine.taking(job):
        raise AssertionError("taken")
    assert not engine.lock.locked()


def test_the_table_is_read_once_while_only_thresholds_change(studio):
    engine = studio.session.engine
    microdata = engine.solution.problem.microdata
    studio.change("risk", 0, "k", value=5)
    studio.change("attributes", "age", "weight", value=2.0)
    studio.change("release", "suppression_limit", value=0.2)
    studio.settle()
    assert engine.solution.problem.microdata is microdata
    studio.ask("role", revision=studio.revision, column="sex", role="insensitive")
    studio.settle()
    assert engine.solution.problem.microdata is not microdata
    python = anonymize(None, studio.session.folder.policy)
    assert (engine.solution.scheme, engine.solution.loss) == (python.scheme, python.loss)


def test_undo_shows_the_solution_that_was_there_and_not_all_are_kept(studio):
    engine = studio.session.engine
    first = engine.solution
    studio.change("risk", 0, "k", value=5)
    studio.settle()
    studio.ask("undo", revision=studio.revision)
    studio.settle()
    assert engine.solution is first
    for k in range(6, 6 + KEPT):
        studio.ask(
            "try", revision=studio.revision, changes=[{"path": ["risk", 0, "k"], "value": k}]
        )
        studio.settle()
    assert len(engine.solved) == KEPT


def test_a_policy_that_cannot_be_met_is_told_in_words_and_can_be_left_again(studio):
    heard = []
    studio.session.events.put = heard.append
    studio.change("release", "suppression_limit", value=0.0)
    studio.change("attributes", "age", "max_level", value=0)
    studio.settle()
    assert any("event: failure" in text and "suppress" in text for text in heard)
    assert studio.post("checklist").status_code == 409
    assert dict(studio.session.story())["failure"]["message"]
    studio.ask("undo", revision=studio.revision)
    studio.settle()
    assert studio.session.solution()
    assert "failure" not in dict(studio.session.story())


def test_warnings_become_notes_of_the_page(studio):
    studio.change("data", "rows_are_people", value=None)
    studio.ask("role", revision=studio.revision, column="zip", role="identifying")
    studio.settle()
    assert any("zip" in note for note in studio.session.engine.notes)


def test_layers_are_solved_though_there_is_no_scheme_to_step_through(studio):
    studio.change("release", "layers", value=True)
    studio.settle()
    assert studio.session.solution().layers
    told = dict(studio.session.story())
    assert told["solution"]["solution"]["layers"]
    assert told["explanation"]["explanation"]["drivers"] == []
    assert "frontier" not in told
