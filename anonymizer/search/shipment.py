"""Shipment: an encoded table in bytes, as it goes to another process, once.

Arrays lie outside the pickle. So a process on the same machine maps them from a file, and all such
processes share one copy in memory. What was read-only stays so: compiled code is kept for either kind.
"""

from __future__ import annotations

import hashlib
import mmap
import pickle
import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from anonymizer import __version__
from anonymizer.errors import ClusterError
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.search.params import SearchParams
from anonymizer.search.subtree_bounds import SubtreeBounds

ALIGNED = 64
"""Bytes: arrays begin at multiples of it, as those that numpy makes do at least."""
KEPT = 2
"""Tables that a process keeps; the one that was used longest ago goes first."""


@dataclass(frozen=True, slots=True)
class RowsElsewhere:
    """Stands for the tuple of each row where only their number is asked for."""

    size: int


class SentTable:
    """A table as a process has it: what evaluates schemes, and what bounds boxes."""

    def __init__(self, evaluator: Evaluator, params: SearchParams) -> None:
        self.evaluator, self.params = evaluator, params
        self.lock = threading.Lock()

    @property
    def subtrees(self) -> SubtreeBounds:
        """The table prepared for bounding boxes, by the first thread that asks."""
        with self.lock:
            return self.prepared

    @cached_property
    def prepared(self) -> SubtreeBounds:
        """The table prepared for bounding boxes; asked for only where the search has it, too."""
        found = SubtreeBounds.prepare([self.evaluator], self.params)
        assert found is not None
        return found


@dataclass(frozen=True, eq=False)
class Shipment:
    """A table in bytes, or the file that has them, and the digest by which a process knows it again.

    It can be referred to weakly and says its size: joblib's Dask backend scatters such arguments.
    """

    key: str
    content: bytes | Path
    size: int
    """Bytes of the table."""

    def __sizeof__(self) -> int:
        return len(self.content) if isinstance(self.content, bytes) else 0

    @staticmethod
    def of(evaluator: Evaluator, params: SearchParams) -> Shipment:
        """Write all that evaluating schemes and bounding boxes needs."""
        content = b"".join(write_parts(portable(evaluator), params))
        return Shipment(hashlib.sha256(content).hexdigest(), content, len(content))

    @staticmethod
    def in_file(evaluator: Evaluator, params: SearchParams, path: Path) -> Shipment:
        """Write the same to a file, for processes on this machine."""
        digest, size = hashlib.sha256(), 0
        with path.open("wb") as file:
            for part in write_parts(portable(evaluator), params):
                digest.update(part)
                size += file.write(part)
        return Shipment(digest.hexdigest(), path, size)


def portable(evaluator: Evaluator) -> Evaluator:
    """Return an evaluator without the rows, unless a model may look at them."""
    microdata, models = evaluator.microdata, evaluator.models
    if all(model.violators is None for model in models):
        rows = cast(Any, RowsElsewhere(microdata.records))
        microdata = replace(microdata, tuple_of_row=rows)
    given = evaluator.measure, evaluator.suppression_limit, evaluator.groups
    return Evaluator(microdata, models, *given)


def write_parts(evaluator: Evaluator, params: SearchParams) -> Iterator[bytes]:
    """Yield what stands in front, then the arrays one after another."""
    import cloudpickle  # models may be defined in a notebook

    buffers: list[pickle.PickleBuffer] = []
    pickled = cloudpickle.dumps((evaluator, params), 5, buffer_callback=buffers.append)
    views = [buffer.raw() for buffer in buffers]
    head = pickle.dumps((__version__, pickled, [(view.nbytes, view.readonly) for view in views]))
    yield len(head).to_bytes(8, "little")
    yield head + padding(8 + len(head))
    for view in views:
        yield bytes(view) + padding(view.nbytes)


def padding(size: int) -> bytes:
    """Return what is missing to the next aligned place."""
    return bytes(-size % ALIGNED)


def read_table(memory: memoryview) -> SentTable:
    """Read a table; its arrays stay where they are in memory."""
    end = 8 + int.from_bytes(memory[:8], "little")
    version, pickled, arrays = pickle.loads(memory[8:end])
    if version != __version__:
        raise ClusterError(
            f"a worker has anonymizer {__version__} where {version} asks for its help, so that results "
            "could differ; install the same version everywhere."
        )
    buffers, at = [], end + -end % ALIGNED
    for size, readonly in arrays:
        view = memory[at : at + size]
        buffers.append(view.toreadonly() if readonly else view)
        at += size + -size % ALIGNED
    evaluator, params = pickle.loads(pickled, buffers=buffers)
    return SentTable(evaluator, params)


TABLES: OrderedDict[str, SentTable] = OrderedDict()
LOCK = threading.Lock()


def find_table(key: str, shipment: Shipment | None) -> SentTable | None:
    """Return the table that this process keeps, or reads from a shipment; None if there is neither."""
    with LOCK:
        if key not in TABLES and shipment is not None:
            TABLES[key] = read_table(open_shipment(shipment))
        if key in TABLES:
            TABLES.move_to_end(key)
        while len(TABLES) > KEPT:
            TABLES.popitem(last=False)
        return TABLES.get(key)


def open_shipment(shipment: Shipment) -> memoryview:
    """Return memory with a table: mapped from a file, or a copy of what came in a message."""
    if isinstance(shipment.content, bytes):
        return memoryview(bytearray(shipment.content))
    with shipment.content.open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
