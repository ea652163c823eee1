from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from anonymizer.data.table import open_table
from tests.data.reading import SECRET, message_of, rows_in, write

TABLE = pa.table({"a": ["x", None], "größe": pa.array([1, 2]).dictionary_encode()})
DAMAGED = "this is not a Feather file, or it is damaged; export it again."


def stored(folder: Path, name: str, stream: bool = False) -> Path:
    make = pa.ipc.new_stream if stream else pa.ipc.new_file
    with make(str(folder / name), TABLE.schema) as writer:
        writer.write_table(TABLE)
    return folder / name


@pytest.mark.parametrize("name", ["people.feather", "people.arrow", "people.IPC"])
@pytest.mark.parametrize("stream", [False, True])
def test_files_and_streams_are_read_with_their_types(
    tmp_path: Path, name: str, stream: bool
) -> None:
    opened = open_table(stored(tmp_path, name, stream))
    assert opened.types == dict(zip(TABLE.column_names, TABLE.schema.types, strict=True))
    assert rows_in(opened, "größe", "a") == [(1, "x"), (2, None)]
    assert opened.rows == 2


def test_files_that_pandas_compressed_are_read(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": ["x"] * 1000, "b": range(1000)})
    frame.to_feather(tmp_path / "people.feather", compression="zstd")
    assert open_table(tmp_path / "people.feather").rows == 1000


def test_a_damaged_file_is_one_sentence(tmp_path: Path) -> None:
    content = stored(tmp_path, "people.feather").read_bytes()
    for damaged in (b"", content[: len(content) // 2], content[:8] + b"\1" * 500, SECRET.encode()):
        assert message_of(open_table(write(tmp_path, damaged, "half.feather")), "a") == DAMAGED
