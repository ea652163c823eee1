"""The command line as a fixture, how hypothesis runs, and which tests are slow.

The same examples every time, unless HYPOTHESIS_PROFILE=wide asks for new ones. `make quick` leaves out
what is marked as slow: the tests named here, and those that say so themselves.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, settings

from anonymizer.cli import main

settings.register_profile(
    "repeatable",
    deadline=None,  # the first call of a kernel compiles it
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("wide", settings.get_profile("repeatable"), derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

SLOW_FOLDERS = ("tests/experiments/",)
SLOW = {
    "tests/assessment/disclosure/test_nrf.py": ("test_the_risk_is_that_of_brute_force",),
    "tests/assessment/disclosure/test_unique_subsets.py": (
        "test_every_subset_has_the_count_of_brute_force",
    ),
    "tests/assessment/procedure/test_linkage.py": (
        "test_matches_are_those_that_comparing_all_pairs_finds",
    ),
    "tests/cli/test_release.py": ("test_the_installed_command_runs_the_demo",),
    "tests/engine/test_classes.py": ("test_the_width_of_a_word_never_matters",),
    "tests/estimators/test_uniques.py": (
        "test_models_of_many_records_satisfy_the_likelihood_equations",
    ),
    "tests/search/test_branch_and_bound.py": (
        "test_a_lattice_too_large_to_list_is_searched",
        "test_a_search_that_is_resumed_ends_where_one_that_was_never_stopped_does",
        "test_what_is_forgotten_of_old_evaluations_is_not_needed",
        "test_whenever_a_search_of_a_large_lattice_stops_its_bound_and_gap_are_true",
    ),
    "tests/search/test_evaluated.py": (
        "test_a_box_that_loses_the_tie_holds_no_scheme_that_would_be_chosen",
        "test_tightening_drops_no_scheme_that_could_still_win",
    ),
    "tests/search/test_bounding.py": (
        "test_stopped_amid_subtree_bounds_a_search_is_sound_and_can_be_resumed",
        "test_with_subtree_bounds_it_finds_what_exhaustive_search_finds",
    ),
    "tests/search/test_checkpoint.py": (
        "test_resuming_ends_with_every_model",
        "test_resuming_ends_with_every_measure",
        "test_with_the_tightest_limits_resuming_still_comes_to_an_end",
    ),
    "tests/search/test_interrupt.py": ("test_ctrl_c_while_boxes_are_open_loses_none_of_them",),
    "tests/search/test_limits.py": ("test_a_time_limit_holds_with_many_attributes_or_levels",),
    "tests/search/test_params.py": ("test_they_never_change_what_is_found",),
    "tests/search/test_subtree_bounds.py": ("test_what_is_left_is_the_box_with_true_bounds",),
    "tests/solution/test_release.py": ("test_every_text_survives_a_csv_release",),
    "tests/utility/test_contract.py": (
        "test_whatever_is_binding_and_whoever_is_spared_the_bound_holds",
    ),
}
"""The tests that take longest, by file."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the slow tests."""
    for item in items:
        file, _, name = item.nodeid.partition("::")
        if file.startswith(SLOW_FOLDERS) or name.split("[")[0] in SLOW.get(file, ()):
            item.add_marker("slow")


@pytest.fixture(autouse=True, scope="session")
def state_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the key that signs checkpoints out of the home of whoever runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANONYMIZER_STATE", str(tmp_path_factory.mktemp("state")))
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
