"""The command `anonymizer`, also as `python -m anonymizer`."""

from __future__ import annotations

import gc
import sys

TYPE_CHECKING = False  # as little as possible is imported before an interrupt is one sentence
if TYPE_CHECKING:
    from sys import UnraisableHookArgs

COLLECT_AFTER = 50_000
"""How many objects are made before Python looks for garbage: what is imported is not."""
AGAIN_AFTER = 0.01
"""Seconds after which an interrupt that a destructor swallowed is sent again."""


def main() -> None:
    """Run the command line; Ctrl-C while it is still being imported is no traceback."""
    gc.set_threshold(COLLECT_AFTER)
    sys.unraisablehook = interrupt_again
    try:
        try:
            from anonymizer.cli import main as run

            run()
        finally:  # all is done: there is nothing to interrupt
            ignore_interrupts()
    except KeyboardInterrupt:
        ignore_interrupts()
        print("error: interrupted.", file=sys.stderr)
        sys.exit(130)
    finally:
        gc.freeze()  # the process ends, and its memory with it


def ignore_interrupts() -> None:
    """Ignore Ctrl-C from now on."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


def interrupt_again(found: UnraisableHookArgs) -> None:
    """Interrupt once more where Python cannot: an exception in a destructor goes nowhere."""
    if found.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(found)
        return
    import _thread
    import threading

    again = threading.Timer(AGAIN_AFTER, _thread.interrupt_main)
    again.daemon = True
    again.start()


if __name__ == "__main__":
    main()
