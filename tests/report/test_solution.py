"""What the terminal says of a release in layers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from anonymizer import anonymize
from anonymizer.layers.narrowing import Narrowed
from anonymizer.report.progress import describe_progress
from anonymizer.report.solution import say_narrowed, summarize
from anonymizer.search.result import Progress, StopReason
from tests.report.terminal import on_terminal
from tests.solution.test_layered import LAYERS, write_all
from tests.wards import POLICY


def test_the_summary_says_what_layers_give_away(tmp_path: Path) -> None:
    solution = anonymize(None, write_all(tmp_path, POLICY + LAYERS))
    assert solution.narrowed is not None
    assert f"at least {solution.narrowed.cells} cells of {solution.narrowed.records} records" in (
        on_terminal(summarize(solution))
    )


def test_one_scheme_gives_nothing_away_and_says_nothing(tmp_path: Path) -> None:
    assert "narrow" not in on_terminal(summarize(anonymize(None, write_all(tmp_path, POLICY))))


def test_what_was_not_counted_is_not_said_to_be_nothing() -> None:
    assert "was not counted" in say_narrowed(None, 10)
    assert say_narrowed(Narrowed({"age": 0}, 0), 10).startswith("No cell can be narrowed down")


def test_layers_that_were_stopped_are_said_to_be_the_best_so_far(tmp_path: Path) -> None:
    solution = anonymize(None, write_all(tmp_path, POLICY + LAYERS))
    assert "Best so far" not in on_terminal(summarize(solution))
    assert solution.proof is not None
    stopped = replace(
        solution, stopped=StopReason.INTERRUPTED, proof=replace(solution.proof, bound=0)
    )
    assert "Best so far (stopped: interrupted): " in on_terminal(summarize(stopped))


def test_progress_of_layers_counts_no_schemes(tmp_path: Path) -> None:
    lines: list[str] = []

    def note(progress: Progress) -> None:
        lines.append(describe_progress(progress))

    anonymize(None, write_all(tmp_path, POLICY + LAYERS), on_progress=note)
    assert lines
    assert all(line.startswith("quality 0.") for line in lines)
