"""Feather files: Arrow's memory on disk, as a file or as a stream."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from anonymizer.data.arrow import ArrowTable
from anonymizer.data.assemble import assemble
from anonymizer.data.plan import ReleasePlan
from anonymizer.data.whole import WholeFile, damaged

FILE_MARK = b"ARROW1"


class FeatherTable(WholeFile):
    """A Feather file, also called an Arrow IPC file."""

    def load(self) -> ArrowTable:
        """Read the file, or the stream if it is one."""
        content = self.path.read_bytes()
        try:
            reader = pa.ipc.open_file if content.startswith(FILE_MARK) else pa.ipc.open_stream
            table = reader(pa.BufferReader(content)).read_all()
            table.validate(full=True)
        except (pa.ArrowException, OSError) as error:
            raise damaged(self.path, "a Feather file", error) from None
        return ArrowTable(table)

    @property
    def file_name(self) -> str:
        """A Feather file too."""
        return "release.feather"

    def write(self, plan: ReleasePlan, path: Path, delimiter: str | None) -> None:  # noqa: ARG002
        """Write a release to a Feather file; names and types are all that its schema says."""
        released = assemble(self.content, plan)
        with pa.ipc.new_file(str(path), released.schema) as writer:
            writer.write_table(released)
