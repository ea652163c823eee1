"""Files of statistics packages: Stata and SPSS. Values that have a label are read as their label."""

from __future__ import annotations

from typing import Any

import pandas as pd

from anonymizer.data.frame import FrameTable
from anonymizer.data.whole import WholeFile, damaged, load_library


class StataTable(WholeFile):
    """A Stata file (.dta); its release is a CSV file."""

    def load(self) -> FrameTable:
        """Read the file with pandas."""
        try:
            try:
                frame = pd.read_stata(self.path)
            except ValueError:  # two values have the same label
                frame = pd.read_stata(self.path, convert_categoricals=False)
            return FrameTable(whole_numbers(frame))
        except Exception as error:  # pandas raises whatever the bytes lead to
            raise damaged(self.path, "a Stata file", error) from None


class SpssTable(WholeFile):
    """An SPSS file (.sav, .zsav); its release is a CSV file."""

    def load(self) -> FrameTable:
        """Read the file with pyreadstat."""
        library = load_library("pyreadstat", self.path, "an SPSS file", "spss")
        try:
            frame, _ = library.read_sav(str(self.path), apply_value_formats=True)
        except Exception as error:  # pyreadstat has an error of its own, and others
            raise damaged(self.path, "an SPSS file", error) from None
        return FrameTable(whole_numbers(frame.replace("", None)))


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
