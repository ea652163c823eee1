"""An experiment on the command line: a user's mistake is one sentence and exit status 2."""

from __future__ import annotations

import sys
from collections.abc import Callable

from anonymizer.errors import AnonymizerError


def run_main(main: Callable[[], None]) -> None:
    """Run the main function of an experiment."""
    try:
        main()
    except AnonymizerError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
