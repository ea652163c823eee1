"""How hypothesis runs: the same examples every time, unless HYPOTHESIS_PROFILE=wide asks for new ones."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "repeatable",
    deadline=None,  # the first call of a kernel compiles it
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("wide", settings.get_profile("repeatable"), derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))
