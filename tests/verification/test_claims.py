"""What a manifest claims, compared with what is found."""

from __future__ import annotations

import pytest

from anonymizer.verification.claims import check_packages, differ

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("then", "passed"),
    [
        ("anonymizer 1.0", True),
        ("anonymizer 0.9", None),
        ("other 1.0", False),
        ("", False),
        (" ", False),
    ],
)
def test_a_model_of_another_package_does_not_pass(then: str, passed: bool | None) -> None:
    found = check_packages({"k-anonymity": "anonymizer 1.0"}, {"k-anonymity": then})
    assert found.passed is passed
    assert check_packages({"k-anonymity": "anonymizer 1.0"}, {}).passed is False
    assert check_packages({"k-anonymity": "anonymizer 1.0"}, None).passed is None


@pytest.mark.parametrize("theirs", [10**400, -(10**400), float("nan"), float("inf"), 0.5 + 1e-11])
def test_figures_differ_however_large_they_are(theirs: float) -> None:
    assert differ(0.5, theirs)
    assert not differ(0.5, 0.5 + 1e-13)
