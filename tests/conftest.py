"""The command line as a fixture, how hypothesis runs, and which tests are slow.

HYPOTHESIS_PROFILE: the same examples every time (repeatable), new ones (wide), some of the same (brief),
or a few (quick). CI takes the third; `make quick` takes the last and leaves out what is marked as slow.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, settings

from anonymizer.cli import main
from anonymizer.errors import show_values

settings.register_profile(
    "repeatable",
    deadline=None,  # the first call of a kernel compiles it
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("wide", settings.get_profile("repeatable"), derandomize=False)
settings.register_profile("brief", settings.get_profile("repeatable"), max_examples=15)
settings.register_profile("quick", settings.get_profile("repeatable"), max_examples=10)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "repeatable")
settings.load_profile(PROFILE)

SLOW_FOLDERS = ("tests/experiments/",)
SLOW = {
    "tests/cli/test_assess.py": (
        "test_a_release_answers_all_questions_too",
        "test_a_shipped_scenario_is_fitted_to_the_table",
        "test_the_voter_list_on_the_built_in_register_ends_with_a_page",
        "test_where_nothing_is_asked_it_is_the_worst_case",
    ),
    "tests/cli/test_release.py": ("test_the_installed_command_runs_the_demo",),
    "tests/estimators/test_intervals.py": (
        "test_the_intervals_cover_the_truth_of_populations_from_the_model",
    ),
    "tests/frontiers/test_frontier.py": (
        "test_one_pass_finds_what_a_search_at_each_threshold_finds",
    ),
    "tests/hierarchy/test_suggest.py": (
        "test_suggestions_for_benchmark_columns_load_and_cover_them",
    ),
    "tests.search.test_boxes.py": (
        "test_a_lattice_too_large_to_list_is_searched",
        "test_what_is_forgotten_of_old_evaluations_is_not_needed",
        "test_whenever_a_search_of_a_large_lattice_stops_its_bound_and_gap_are_true",
    ),
    "tests/search/test_subtree.py": (
        "test_stopped_amid_subtree_bounds_a_search_is_sound_and_can_be_resumed",
        "test_with_subtree_bounds_it_finds_what_exhaustive_search_finds",
    ),
    "tests/search/test_cluster.py": (
        "test_a_short_search_is_sent_nowhere",
        "test_killing_a_worker_in_the_middle_changes_nothing_but_time",
        "test_result_proof_and_counts_are_the_same_in_two_processes",
        "test_the_table_is_sent_once_and_not_with_every_message",
    ),
    "tests/search/test_checkpoint.py": (
        "test_resuming_ends_with_every_measure",
        "test_resuming_ends_with_every_model",
        "test_with_the_tightest_limits_resuming_still_comes_to_an_end",
    ),
    "tests/search/test_limits.py": ("test_a_time_limit_holds_with_many_attributes_or_levels",),
    "tests/search/test_subtree_bounds.py": ("test_what_is_left_is_the_box_with_true_bounds",),
}
"""The tests that take longest, by file; others are marked where they are written."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the slow tests, and cut down the examples of all where the profile says so."""
    for item in items:
        file, _, name = item.nodeid.partition("::")
        if file.startswith(SLOW_FOLDERS) or name.split("[")[0] in SLOW.get(file, ()):
            item.add_marker("slow")
        if PROFILE in ("brief", "quick"):
            cut_examples(item)


def cut_examples(item: pytest.Item) -> None:
    """Let a test try no more examples than the profile says, though its own settings ask for more."""
    test = getattr(item, "obj", None)
    asked = getattr(test, "_hypothesis_internal_use_settings", None)  # there is no public way
    if asked is not None and asked.max_examples > settings.default.max_examples:
        few = settings(asked, max_examples=settings.default.max_examples)
        test._hypothesis_internal_use_settings = few


@pytest.fixture(autouse=True, scope="session")
def state_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the key that signs checkpoints out of the home of whoever runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANONYMIZER_STATE", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture
def values_shown() -> Iterator[None]:
    """Let messages show cells, so that a test can see which are meant."""
    with show_values():
        yield


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Run the command line and return exit status, output and errors."""

    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["anonymizer", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        return int(left.value.code or 0), *capsys.readouterr()

    return call
