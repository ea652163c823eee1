"""--backend: a run whose search is done by other processes."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

from anonymizer.search.cluster import Cluster
from tests.wards import write_files


def figures(output: str) -> dict[str, object]:
    """What a run prints, but for times and places."""
    return {
        key: value for key, value in json.loads(output).items() if key not in ("seconds", "files")
    }


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_a_run_on_a_backend_prints_the_same_figures(tmp_path: Path, run, backend: str) -> None:
    policy = write_files(tmp_path)
    alone = run("run", policy, "--out", tmp_path / "one", "--json")
    arguments = ("--backend", backend, "--workers", 2, "--json")
    together = run("run", policy, "--out", tmp_path / "two", *arguments)
    assert (alone[0], together[0]) == (0, 0)
    assert figures(together[1]) == figures(alone[1])


def test_a_frontier_on_a_backend_prints_the_same_points(tmp_path: Path, run) -> None:
    policy = write_files(tmp_path)
    alone = run("frontier", policy, "--out", tmp_path / "one", "--at", "2..4", "--json")
    arguments = ("--at", "2..4", "--backend", "loky", "--json")
    together = run("frontier", policy, "--out", tmp_path / "two", *arguments)
    assert figures(together[1]) == figures(alone[1])


def test_a_backend_that_does_not_exist_is_one_sentence(tmp_path: Path, run) -> None:
    policy, out = write_files(tmp_path), tmp_path / "out"
    status, _, errors = run("run", policy, "--out", out, "--backend", "lokki")
    assert status == 2
    assert errors == "error: there is no backend 'lokki'; did you mean 'loky'?\n"
    assert not out.exists()


def test_a_cluster_that_goes_away_leaves_a_release_a_gap_and_a_checkpoint(
    tmp_path: Path, run
) -> None:
    def die(*_: object) -> None:
        raise OSError("the last worker is gone")

    policy, out = write_files(tmp_path), tmp_path / "out"
    arguments = ("run", policy, "--out", out, "--json")
    optimum = figures(run(*arguments)[1])
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("default")  # as outside the tests
        patch.setattr(Cluster, "pays", lambda _, __, items: items > 1)
        patch.setattr(Cluster, "call_all", die)
        status, output, errors = run(*arguments, "--backend", "loky", "--workers", 2)
    assert status == 0
    assert "warning: the cluster went away (OSError: the last worker is gone), so the" in errors
    left = json.loads(output)
    assert (left["status"], left["stopped"]) == ("feasible", "cluster")
    assert left["gap"] > 0
    assert Path(left["files"]["search"]).exists()
    resumed = figures(run(*arguments, "--resume")[1])
    keys = ("status", "scheme", "loss", "suppressed")
    assert [resumed[key] for key in keys] == [optimum[key] for key in keys]
