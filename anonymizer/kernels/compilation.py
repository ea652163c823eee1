"""kernel: compile a function with numba, once for a machine, whatever state the cache on disk is in."""

from __future__ import annotations

import warnings
from contextlib import suppress

from numba import njit
from numba.core.caching import FunctionCache

from anonymizer.errors import AnonymizerWarning


class GuardedCache(FunctionCache):
    """Compiled code kept on disk; what cannot be read back is compiled again.

    A run that was killed, a full disk or two processes at once may leave a file cut short.
    """

    warned = False

    def load_overload(self, sig, target_context):
        """Return compiled code, or None where there is none that can be used."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever a broken pickle raises
            self.discard()
            return None

    def save_overload(self, sig, data):
        """Keep compiled code; where that fails, the run goes on without."""
        try:
            super().save_overload(sig, data)
        except Exception as error:
            self.discard()
            self.warn(error)

    def discard(self):
        """Forget what is kept of this function."""
        try:
            self.flush()
        except OSError as error:
            self.warn(error)

    def warn(self, error):
        """Say once where compiled code cannot be kept."""
        if not GuardedCache.warned:
            GuardedCache.warned = True
            reason = getattr(error, "strerror", None) or error
            warnings.warn(
                f"{self.cache_path}: compiled code cannot be kept there ({reason}), so every run "
                "compiles anew; free some space, or set NUMBA_CACHE_DIR to a folder that can be written.",
                AnonymizerWarning,
                stacklevel=2,
            )


def kernel(function):
    """Compile a function when it is first called: serial, without Python's lock, kept on disk."""
    compiled = njit(nogil=True)(function)
    with suppress(RuntimeError):  # numba finds no folder to write to
        # what njit(cache=True) does, with the guard
        compiled._cache = GuardedCache(function)  # type: ignore[attr-defined]
    return compiled
