"""Analyses: what the users of a release will compute, stated in a policy; `evidence` runs them.

They decide nothing about a release: they are inert values, and no part of what a manifest describes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, PlainSerializer

from anonymizer.errors import PolicyError, suggest_name
from anonymizer.policy.formula import Formula
from anonymizer.validation import (
    ONLY_LISTS,
    CellText,
    Count,
    Names,
    Part,
    Text,
    check_unrepeated,
    renewed,
    show,
)


def parse_formula(text: str) -> str:
    """Check that a formula can be read."""
    try:
        Formula.parse(text)
    except ValueError as error:
        raise ValueError(f"{show(text)} is not a formula: {error}") from None
    return text


def check_file_name(name: str) -> str:
    """Check that files can be called by a name."""
    if not re.fullmatch(r"\w[\w -]*", name):
        raise ValueError(
            f"{show(name)} is not a name for an analysis; use letters, digits, blanks, - and _"
        )
    return name


Columns = Annotated[tuple[Text, ...], AfterValidator(check_unrepeated), ONLY_LISTS]
FormulaText = Annotated[Text, AfterValidator(parse_formula)]


class Analysis(Part):
    """What somebody will compute from a release."""

    kind: ClassVar[str]
    name: Annotated[Text, AfterValidator(check_file_name)]
    """What it is called in reports, and its CSV file."""

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns that it names."""
        raise NotImplementedError

    def describe(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"kind": self.kind, **self.model_dump(mode="json")}


class Fitted(Analysis):
    """An analysis that fits a model to both tables."""

    generalized: Literal["midpoint", "category"] = "midpoint"
    """How generalized numbers and dates enter: as the midpoint of their interval, or as categories."""
    missing: Literal["drop", "category"] = "drop"
    """Records with a missing cell are left out, or missing is a category of its own."""


class Linear(Fitted):
    """A linear regression, by least squares."""

    kind: ClassVar[str] = "linear"
    formula: FormulaText
    """The response, which is a number, and what explains it."""

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns of the formula."""
        return Formula.parse(self.formula).columns


class Logistic(Fitted):
    """A logistic regression of whether the response has one of its values."""

    kind: ClassVar[str] = "logistic"
    formula: FormulaText
    """The response and what explains it."""
    positive: CellText
    """The value of the response whose odds are explained; all others are the opposite."""

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns of the formula."""
        return Formula.parse(self.formula).columns


class Cox(Fitted):
    """A proportional hazards regression (Cox 1972), ties by Efron."""

    kind: ClassVar[str] = "cox"
    formula: FormulaText
    """The time, which is a number, and what explains the hazard."""
    event: Text
    """The column that says whether the event happened; otherwise the time is censored."""
    positive: CellText
    """The value of that column that says so."""

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns of the formula, and the event."""
        return tuple(dict.fromkeys([*Formula.parse(self.formula).columns, self.event]))


class Survival(Fitted):
    """Survival curves (Kaplan and Meier 1958), one for each group."""

    kind: ClassVar[str] = "survival"
    time: Text
    """The column with the time, a number."""
    event: Text
    """The column that says whether the event happened; otherwise the time is censored."""
    positive: CellText
    """The value of that column that says so."""
    group: Text | None = None
    """The column whose values have curves of their own; left out: one curve for all."""

    @property
    def reads(self) -> tuple[str, ...]:
        """Time, event and group."""
        return tuple(name for name in (self.time, self.event, self.group) if name is not None)


class Prediction(Fitted):
    """A prediction, learned from the release and tested on original records of other people."""

    kind: ClassVar[str] = "prediction"
    response: Text
    """The column that is predicted."""
    predictors: Names
    """The columns it is predicted from."""
    repeats: Count = 3
    """How often people are drawn anew; figures are means."""

    @property
    def reads(self) -> tuple[str, ...]:
        """The response, then the predictors."""
        return tuple(dict.fromkeys([self.response, *self.predictors]))


class OfColumns(Analysis):
    """An analysis of some columns, or of all."""

    columns: Columns = ()
    """The columns it looks at; left out: all that are released."""

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns that are named."""
        return self.columns


class Marginals(OfColumns):
    """The distribution of each column."""

    kind: ClassVar[str] = "marginals"


class TwoWay(OfColumns):
    """The joint distribution of every two columns."""

    kind: ClassVar[str] = "two-way"


class Queries(OfColumns):
    """Random questions of how many records have some values."""

    kind: ClassVar[str] = "queries"
    queries: Count = 500
    """How many are asked."""


class Subgroups(OfColumns):
    """What is suppressed and lost in each subgroup."""

    kind: ClassVar[str] = "subgroups"


ANALYSES: dict[str, type[Analysis]] = {
    each.kind: each
    for each in (
        Linear,
        Logistic,
        Cox,
        Survival,
        Prediction,
        Marginals,
        TwoWay,
        Queries,
        Subgroups,
    )
}
"""All kinds of analyses by name."""


def read_analysis(value: object) -> Analysis:
    """Make an analysis of a table such as {"name": "stay", "kind": "linear", "formula": ...}."""
    if isinstance(value, Analysis):
        return value
    if not isinstance(value, Mapping):
        raise ValueError(f"{show(value)} is not an analysis; give a table with the key 'kind'")
    keys = {str(key): each for key, each in value.items()}
    kind = keys.pop("kind", None)
    if not isinstance(kind, str) or kind not in ANALYSES:
        names = suggest_name(kind, ANALYSES, most=len(ANALYSES))
        raise ValueError(f"{show(kind)} is not a kind of analysis; {names}")
    try:
        return ANALYSES[kind](**keys)
    except PolicyError as error:
        raise ValueError(" ".join(error.faults)) from None


def renewed_analysis(table: Any) -> Any:
    """Return the table of an analysis with the keys of this version; of an unknown kind as it is."""
    kind = ANALYSES.get(str(table.get("kind"))) if isinstance(table, Mapping) else None
    return table if kind is None else renewed(kind.__name__, table, say=False)


def print_analysis(analysis: Analysis) -> dict[str, Any]:
    """Write an analysis as a table that JSON can hold, which `read_analysis` reads back."""
    return analysis.describe()


AnyAnalysis = Annotated[Any, BeforeValidator(read_analysis), PlainSerializer(print_analysis)]
"""An analysis as a field of a policy."""
