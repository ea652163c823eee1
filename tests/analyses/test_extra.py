"""The libraries of the extra are imported only by an analysis that needs them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from anonymizer import ReleaseError, evidence
from tests.analyses.people import PREDICTED, STAY, people, release

WITHOUT = """
import sys
sys.modules.update({"statsmodels": None, "sklearn": None})
from anonymizer import evidence
from tests.analyses.people import people, release
free = [{"name": kind, "kind": kind} for kind in ("marginals", "two-way", "queries", "subgroups")]
print(len(evidence(release(people(60), free)).results))
"""


def test_analyses_of_counts_need_no_library() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "4"


@pytest.mark.parametrize(
    ("stated", "library"), [(STAY, "statsmodels"), (PREDICTED, "scikit-learn")]
)
def test_without_the_library_one_sentence_says_what_to_install(
    stated: dict[str, object], library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [*sys.modules, "statsmodels", "sklearn"]:
        if name.split(".")[0] in ("statsmodels", "sklearn"):
            monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(
        ReleaseError, match=rf"needs the package {library}; install it with `pip inst"
    ):
        evidence(release(people(60), [stated]))
