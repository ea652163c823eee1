"""Record: the criteria that a release was held against, and the versions it rests on, for machines.

As SATRE, the Standard Architecture for Trusted Research Environments, recommends (3.3.09): criteria,
thresholds and versions are kept with a decision on what may leave.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from typing import Any

from anonymizer import __version__


def criteria_of(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Say what the release was held against, as the manifest has it."""
    policy = manifest["policy"]
    text = json.dumps(policy, sort_keys=True, ensure_ascii=False)  # as the foot of a page has it
    return {
        "models": policy.get("risk", []),
        "suppression_limit": policy.get("release", {}).get("suppression_limit"),
        "policy": hashlib.sha256(text.encode()).hexdigest(),
    }


def versions_of(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Say by which versions, and from which files, release and page were made."""
    return {
        "anonymizer": manifest.get("anonymizer"),
        "page": __version__,
        "python": platform.python_version(),
        "packages": manifest.get("packages", {}),
        "input": manifest.get("input"),
        "output": manifest.get("output"),
        "hierarchies": manifest.get("hierarchies", {}),
        "proof_file": manifest.get("proof_file"),
    }
