"""The tests mirror the package."""

from __future__ import annotations

import pytest

from tests.mirror import modules, without_mirror

pytestmark = pytest.mark.quick


def test_two_modules_in_three_have_a_test_file_of_their_name() -> None:
    assert 3 * len(without_mirror()) <= len(modules())
