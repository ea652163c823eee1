"""CodeCache: compiled kernels on disk, whatever state it is in and however many processes write.

Numba's own cache has two holes. It numbers the files of a function, so two processes that compile it
for different types at once may each write number 1, and the index then leads to the other's code. And
it looks at the function's own file only, so a kernel that calls one of another file is not compiled
again when that one has changed.
"""

from __future__ import annotations

import hashlib
import io
import pickle
import warnings
from pathlib import Path
from typing import ClassVar

from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.dispatcher import Dispatcher
from numba.core.environment import Environment, lookup_environment
from numba.core.runtime.nrt import rtsys

from anonymizer.errors import AnonymizerWarning


def rebuild_environment(module, constants, name):
    """Return the constants of compiled code, without importing the module that they come from.

    Code that is compiled without Python's objects never looks at that module, only a cache at its name.
    """
    environment = lookup_environment(name)
    if environment is None:
        environment = Environment({"__name__": module})
        environment.consts[:] = constants
        environment.env_name = name
        Environment._memo[name] = environment
    return environment


class CodeUnpickler(pickle.Unpickler):
    """Reads compiled code without numba's compiler, which the code was made with but does not call."""

    def find_class(self, module, name):
        """Return what a name stands for."""
        if (module, name) == ("numba.core.environment", "_rebuild_env"):
            return rebuild_environment
        return super().find_class(module, name)


class CodeFiles(IndexDataCacheFile):
    """An index and its files, each named by what it holds: no two kinds of code share a name."""

    def save(self, key, data):
        """Keep compiled code, then its entry in the index: an entry never leads to other code."""
        overloads = self._load_index()
        if not overloads:  # none yet, or all of them of another source
            self.remove_files()
        overloads[key] = self.name_of(key)
        self._save_data(overloads[key], data)
        self._save_index(overloads)

    def _load_data(self, name):
        """Return compiled code."""
        return CodeUnpickler(io.BytesIO(Path(self._data_path(name)).read_bytes())).load()

    def name_of(self, key):
        """Return the name of the file for a signature, a machine and a source."""
        digest = hashlib.sha256(repr((key, self._source_stamp)).encode()).hexdigest()[:16]
        return f"{Path(self._index_name).stem}.{digest}.nbc"

    def remove_files(self):
        """Remove what no index leads to."""
        for path in Path(self._cache_path).glob(f"{Path(self._index_name).stem}.*.nbc"):
            if path.is_file():
                path.unlink(missing_ok=True)


class CodeCache(FunctionCache):
    """Compiled code kept on disk; what cannot be read back is compiled again.

    A run that was killed or a full disk may leave a file cut short.
    """

    warned = False
    stamps: ClassVar[dict[object, str]] = {}

    def __init__(self, function):
        super().__init__(function)
        self._cache_file = CodeFiles(
            self._cache_path, self._impl.filename_base, self.source_stamp()
        )

    def source_stamp(self):
        """Return what compiled code rests on: its file, its constants and the kernels it can call."""
        names = self._py_func.__globals__
        called = sorted(
            self.stamps[value.py_func]
            for value in names.values()
            if isinstance(value, Dispatcher) and value.py_func in self.stamps
        )
        constants = [
            (name, repr(names[name]))
            for name in self._py_func.__code__.co_names
            if isinstance(names.get(name), int | float | str | tuple)
        ]
        own = self._impl.locator.get_source_stamp()
        stamp = hashlib.sha256(repr((own, called, constants)).encode()).hexdigest()
        self.stamps[self._py_func] = stamp
        return stamp

    def load_overload(self, sig, target_context):
        """Return compiled code, or None where there is none that can be used.

        Numba would load its compiler first, and SciPy with it. Compiled code needs none of it but
        what allocates arrays; a kernel that has to be compiled loads the rest.
        """
        try:
            rtsys.initialize(target_context)
            with self._guard_against_spurious_io_errors():
                return self._load_overload(sig, target_context)
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

    def holds_code(self):
        """Whether code of this source is kept, for any signature."""
        try:
            return bool(self._cache_file._load_index())
        except Exception:  # whatever a broken pickle raises
            return False

    def discard(self):
        """Forget what is kept of this function."""
        try:
            self.flush()
        except OSError as error:
            self.warn(error)

    def warn(self, error):
        """Say once where compiled code cannot be kept."""
        if not CodeCache.warned:
            CodeCache.warned = True
            reason = getattr(error, "strerror", None) or error
            warnings.warn(
                f"{self.cache_path}: compiled code cannot be kept there ({reason}), so every run "
                "compiles anew; free some space, or set NUMBA_CACHE_DIR to a folder that can be written.",
                AnonymizerWarning,
                stacklevel=2,
            )
