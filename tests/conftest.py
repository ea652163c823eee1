"""The command line as a fixture, how hypothesis runs, and what is left to the soak.

HYPOTHESIS_PROFILE: 10 examples of each property (brief, the default, and what mutants are tried with),
5 (quick), all that a test asks for (whole), or new ones each time (wide). The last two also run what is
marked as `soak`.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from anonymizer.data.secret import KEY_BYTES
from anonymizer.errors import show_values
from tests import command

settings.register_profile(
    "whole",
    deadline=None,  # the first call of a kernel compiles it
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("wide", settings.get_profile("whole"), derandomize=False)
settings.register_profile("brief", settings.get_profile("whole"), max_examples=10)
settings.register_profile("quick", settings.get_profile("whole"), max_examples=5)
MOST = {"brief": 150, "quick": 50}
"""The most examples of one test with all its parameters; three of each are tried in any case."""
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "brief")
settings.load_profile(PROFILE)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is for the soak, and cut down the examples, unless the whole is asked for."""
    if PROFILE in ("whole", "wide"):
        return
    soaked = [item for item in items if item.get_closest_marker("soak")]
    items[:] = [item for item in items if not item.get_closest_marker("soak")]
    config.hook.pytest_deselected(items=soaked)
    parameters = Counter(test_of(item) for item in items)
    for item in items:
        share = MOST[PROFILE] // parameters[test_of(item)]
        cut_examples(item, min(settings.default.max_examples, max(3, share)))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no module without a quick test where these are asked for: that takes longer than they do."""
    asked = config.option.markexpr.startswith("quick")
    if asked and collection_path.suffix == ".py" and collection_path.name != "conftest.py":
        return "pytest.mark.quick" not in collection_path.read_text(encoding="utf-8")
    return None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give each file to one worker, so that what it makes is made once; see `group_of`."""
    from xdist.scheduler import LoadScopeScheduling

    class ByGroup(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(config.rootpath / nodeid.split("::")[0])

    config.option.loadscopereorder = False  # what comes last are doctests, which take no time
    return ByGroup(config, log)


@cache
def group_of(path: Path) -> str:
    """Return which tests run in one worker: those of a file, or of all with the same `xdist_group`.

    The mark is read here: what xdist makes of it is lost with the node ids of pytest 9.
    """
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    found = re.search(r'xdist_group\("(\w+)"\)', text)
    return found[1] if found else str(path)


def test_of(item: pytest.Item) -> str:
    """Name a test without its parameters."""
    return item.nodeid.split("[")[0]


def cut_examples(item: pytest.Item, most: int) -> None:
    """Let a test try no more examples than so many, though its own settings ask for more."""
    test = getattr(item, "obj", None)
    asked = getattr(test, "_hypothesis_internal_use_settings", None)  # there is no public way
    if asked is not None and asked.max_examples > most:
        test._hypothesis_internal_use_settings = settings(asked, max_examples=most)


@pytest.fixture(autouse=True, scope="session")
def state_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Leave the home of whoever runs the tests alone; one key in every run draws the same samples."""
    folder = tmp_path_factory.mktemp("state")
    (folder / "key").write_bytes(bytes(range(KEY_BYTES)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANONYMIZER_STATE", str(folder))
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
        status = command.run(monkeypatch, *arguments)
        return int(status), *capsys.readouterr()

    return call
