"""The command `anonymizer`, also as `python -m anonymizer`."""

from __future__ import annotations

import atexit
import gc
import os
import sys

TYPE_CHECKING = False  # as little as possible is imported before an interrupt is one sentence
if TYPE_CHECKING:
    from sys import UnraisableHookArgs

COLLECT_AFTER = 50_000
"""How many objects are made before Python looks for garbage: what is imported is not."""
INTERRUPTED = 130
"""The exit status after Ctrl-C, as shells have it."""
AGAIN_AFTER = 0.01
"""Seconds after which an interrupt that a destructor swallowed is sent again."""


def main() -> None:
    """Run the command line; Ctrl-C while it is still being imported is no traceback."""
    gc.set_threshold(COLLECT_AFTER)
    sys.unraisablehook = interrupt_again
    atexit.register(leave)  # the first to be registered is the last to be called
    try:
        try:
            from anonymizer.cli import main as run

            run()
        finally:  # all is done: there is nothing to interrupt
            ignore_interrupts()
    except KeyboardInterrupt:
        ignore_interrupts()
        print("error: interrupted.", file=sys.stderr)
        ending.status = INTERRUPTED
        sys.exit(INTERRUPTED)
    except SystemExit as ended:
        ending.status = ended.code or 0
        raise
    except BaseException:
        ending.status = None  # Python has to say what it was
        raise
    finally:
        gc.freeze()  # the process ends, and its memory with it


class Ending:
    """The status that the process ends with; None where Python is to end it in its own way."""

    status: object = 0


ending = Ending()


def leave() -> None:
    """End the process here, with all cleaned up, unless its status is not a number.

    Python would take itself apart first. A thread of Arrow's that still reads ahead of a file that nobody
    wants any more, as after a mistake in its first rows, then aborts the process.
    """
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        return  # what cannot be written is Python's to report
    if isinstance(ending.status, int):
        os._exit(ending.status)


def ignore_interrupts() -> None:
    """Ignore Ctrl-C from now on."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


def interrupt_again(found: UnraisableHookArgs) -> None:
    """Interrupt once more where Python cannot: an exception in a destructor goes nowhere."""
    if found.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(found)
        return
    import threading

    again = threading.Timer(AGAIN_AFTER, interrupt_main_thread)
    again.daemon = True
    again.start()


def interrupt_main_thread() -> None:
    """Send Ctrl-C to the main thread, so that a call it waits in ends too."""
    import signal
    import threading

    main_thread = threading.main_thread().ident
    if main_thread is not None and hasattr(signal, "pthread_kill"):
        signal.pthread_kill(main_thread, signal.SIGINT)  # the system wakes a call that blocks
        return
    import _thread

    _thread.interrupt_main()  # all that Windows has; it is noticed after the call


if __name__ == "__main__":
    main()
