"""What a manifest claims, compared with what is found."""

from __future__ import annotations

import pytest

from anonymizer.verification.claims import check_packages


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
