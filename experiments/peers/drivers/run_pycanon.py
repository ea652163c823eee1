"""pyCANON: every measure it has, of a finished table."""

from __future__ import annotations

import math
from importlib.metadata import version
from typing import Any

import pandas as pd
from meter import measure, read_job
from pycanon import anonymity


def run(job: dict[str, Any], frame: pd.DataFrame) -> dict[str, Any]:
    """Measure the classes, and the sensitive attribute where there is one."""
    quasi, sensitive = job["quasi"], job["sensitive"]
    found: dict[str, float] = {"k": int(anonymity.k_anonymity(frame, quasi))}
    if sensitive:
        c, _ = anonymity.recursive_c_l_diversity(frame, quasi, sensitive)
        found |= {
            "l": int(anonymity.l_diversity(frame, quasi, sensitive)),
            "entropy l": int(anonymity.entropy_l_diversity(frame, quasi, sensitive)),
            "c": float(c),
            "t": float(anonymity.t_closeness(frame, quasi, sensitive)),
            "beta": float(anonymity.basic_beta_likeness(frame, quasi, sensitive)),
            "enhanced beta": float(anonymity.enhanced_beta_likeness(frame, quasi, sensitive)),
            "delta": float(anonymity.delta_disclosure(frame, quasi, sensitive)),
        }
    known = {name: value for name, value in found.items() if not math.isnan(value)}
    return {"status": "measured", "measures": known}


def main() -> None:
    job = read_job()
    frame = pd.read_csv(job["table"], dtype=str, keep_default_na=False)
    for name in job["numbers"]:
        frame[name] = pd.to_numeric(frame[name])
    measure(job, version("pycanon"), lambda: run(job, frame))


if __name__ == "__main__":
    main()
