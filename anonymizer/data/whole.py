"""Files that are read as a whole: Feather, Stata, SPSS, SAS, and what Excel has in common with them."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, cast

import pandas as pd
import pyarrow as pa

from anonymizer.data.arrow import ArrowTable
from anonymizer.data.files import digest_of_file
from anonymizer.data.pandas import FrameTable
from anonymizer.data.release import to_pandas
from anonymizer.data.table import FileTable, Proxy, ReleasePlan, Table
from anonymizer.errors import AnonymizerError, DataError, import_extra


@dataclass(frozen=True, eq=False)
class WholeFile(FileTable, Proxy):
    """A file of which a table in memory is made when it is first asked for."""

    @abstractmethod
    def load(self) -> Table:
        """Read the file."""

    @cached_property
    def content(self) -> Table:
        """The table in memory, as the file was when it was first read."""
        self.first_read.check_digest(digest_of_file(self.path))
        return self.load()

    def to_native(self, plan: ReleasePlan) -> pd.DataFrame:
        """Make a release as a pandas dataframe."""
        content = self.content
        if isinstance(content, FrameTable):
            return content.to_frame(plan)
        return to_pandas(content.assemble(plan))


def damaged(path: Path, kind: str, error: Exception) -> AnonymizerError:
    """Return the error for a file that its library cannot read; what is said already stays.

    A file is not to blame where memory runs out.
    """
    if isinstance(error, MemoryError):
        raise error
    if isinstance(error, AnonymizerError):
        return error
    return DataError(f"{path}: this is not {kind}, or it is damaged; export it again.")


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
    def kind(self) -> str:
        """A Feather file too."""
        return "feather"

    def write(self, plan: ReleasePlan, path: Path, delimiter: str | None) -> None:  # noqa: ARG002
        """Write a release to a Feather file; names and types are all that its schema says."""
        released = self.content.assemble(plan)
        with pa.ipc.new_file(str(path), released.schema) as writer:
            writer.write_table(released)


class PackageFile(WholeFile):
    """A file of a statistics package; its release is a CSV file."""

    title: ClassVar[str]
    """What messages call such a file, with its article."""

    @abstractmethod
    def frame(self) -> pd.DataFrame:
        """Read the file with a library, which may raise whatever the bytes lead to."""

    def load(self) -> FrameTable:
        """Read the file."""
        try:
            return FrameTable(whole_numbers(self.frame()))
        except Exception as error:
            raise damaged(self.path, self.title, error) from None

    def pyreadstat(self) -> Any:
        """Import the library that reads SPSS and SAS."""
        return import_extra("pyreadstat", f"{self.path}: {self.title}", "spss")


class StataTable(PackageFile):
    """A Stata file (.dta)."""

    title = "a Stata file"

    def frame(self) -> pd.DataFrame:
        """Read the file with pandas."""
        try:
            return pd.read_stata(self.path)
        except ValueError:  # two values have the same label
            return pd.read_stata(self.path, convert_categoricals=False)


class SpssTable(PackageFile):
    """An SPSS file (.sav, .zsav)."""

    title = "an SPSS file"

    def frame(self) -> pd.DataFrame:
        """Read the file, values by their labels."""
        frame, _ = self.pyreadstat().read_sav(str(self.path), apply_value_formats=True)
        return cast(pd.DataFrame, frame.replace("", None))


class XptTable(PackageFile):
    """A SAS transport file (.xpt), as studies are submitted in."""

    title = "a SAS transport file"

    def frame(self) -> pd.DataFrame:
        """Read the file."""
        frame, _ = self.pyreadstat().read_xport(str(self.path))
        return cast(pd.DataFrame, frame.replace("", None))


def whole_numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """Write numbers without a fraction as whole ones: these packages store all numbers alike."""
    return frame.assign(**{str(name): as_whole(column) for name, column in frame.items()})


def as_whole(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column of numbers as whole ones if all of them are."""
    if not pd.api.types.is_float_dtype(column.dtype):
        return column
    if (column.dropna() % 1 != 0).any() or column.abs().max() >= 2**53:
        return column
    return column.astype("Int64")
