"""The command `anonymizer`, also as `python -m anonymizer`."""

import gc
import signal
import sys

COLLECT_AFTER = 50_000
"""How many objects are made before Python looks for garbage: what is imported is not."""


def main() -> None:
    """Run the command line; Ctrl-C while it is still being imported is no traceback."""
    gc.set_threshold(COLLECT_AFTER)
    try:
        from anonymizer.cli import main as run

        run()
    except KeyboardInterrupt:
        print("error: interrupted.", file=sys.stderr)
        sys.exit(130)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done: there is nothing to interrupt
        gc.freeze()  # the process ends, and its memory with it


if __name__ == "__main__":
    main()
