"""python -m tests.frozen: write the frozen figures anew, which CONTRIBUTING.md allows seldom."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

from anonymizer import AnonymizerWarning
from tests.experiments.test_reference import FROZEN, said_of, solve
from tests.frozen.figures import store
from tests.frozen.fixtures import TABLES, all_said, published


def main() -> None:
    warnings.simplefilter("ignore", AnonymizerWarning)
    for name in (*TABLES, "published"):
        with TemporaryDirectory() as folder:
            os.environ["ANONYMIZER_STATE"] = folder  # not the key of whoever runs this
            path = Path(folder)
            store(name, published(path) if name == "published" else all_said(name, path))
    if FROZEN:
        store("optima", {str(optimum): said_of(solve(optimum)) for optimum in FROZEN})
    else:
        print("optima.json stays as it is: the benchmark data are not here")


if __name__ == "__main__":
    main()
