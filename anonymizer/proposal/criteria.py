"""Who receives a release, and whether others can know a column.

A column is a quasi-identifier where it distinguishes people, stays true of them, and can be known to
outsiders (El Emam 2013; EMA Policy 0070; the HIPAA guidance on expert determination). The first is
measured; the other two are proposed by the kind of column, and the user may answer otherwise.
"""

from __future__ import annotations

from enum import StrEnum

from anonymizer.errors import PolicyError, suggest_name
from anonymizer.proposal.content import Content
from anonymizer.proposal.decision import ColumnFacts
from anonymizer.proposal.names import Meaning, words, words_of

MANY_NUMBERS = 20
"""Whole numbers of more different values than this are measured or counted, not categories."""
MEASURED = words(
    """
    score scores test tests exam grade scale index points result results level levels value measure
    measurement dose dosage blood pressure bp sbp dbp systolic diastolic pulse temperature chol
    cholesterol glucose hba1c creatinine hemoglobin haemoglobin platelet platelets albumin bilirubin
    sodium potassium lab labs concentration count counts rate ratio mg ml amount amounts cost costs
    price prices charge charges expense expenses expenditure spending payment rent tax value worth
    duration followup survival stay los punkte wert kosten betrag preis blutdruck messwert dauer
    """
)
"""Words of a name by which a column is a measurement, a score or an amount."""


class Recipient(StrEnum):
    """Who receives a release."""

    PUBLIC = "public"
    """Anybody; what is out cannot be called back."""
    AGREEMENT = "agreement"
    """Named people, bound by a contract."""
    ENCLAVE = "enclave"
    """Named people, on a machine that nothing leaves unseen."""

    @property
    def words(self) -> str:
        """Say for whom it is."""
        return {"public": "the public", "agreement": "recipients bound by an agreement"}.get(
            self.value, "an enclave"
        )


def parse_recipient(text: str) -> Recipient:
    """Take a recipient; a PolicyError says which there are."""
    if text in [*Recipient]:
        return Recipient(text)
    raise PolicyError(
        f"for: '{text}' is not a recipient; {suggest_name(text, [each.value for each in Recipient])}"
    )


def is_knowable(column: ColumnFacts) -> bool | None:
    """Whether outsiders can know a column of a person, by its kind; None where nothing tells.

    Dates of events, places and demographics can be known, and stay true. Measurements, scores and amounts
    cannot, and change from one day to the next.
    """
    if column.known or column.content in (Content.DATE, Content.PLACE):
        return True
    named = not MEASURED.isdisjoint(words_of(column.name))
    counted = column.content is Content.WHOLE and column.figures.distinct > MANY_NUMBERS
    if named or counted or column.content is Content.DECIMAL or is_private(column):
        return False
    return None


def is_private(column: ColumnFacts) -> bool:
    """Whether people keep it to themselves."""
    return column.meaning is Meaning.SENSITIVE or column.content is Content.DIAGNOSIS


def stays(column: ColumnFacts, recipient: Recipient) -> bool:
    """Whether a column may stay as it is for a recipient, since nobody outside can know it."""
    knowable = is_knowable(column)
    if recipient is Recipient.ENCLAVE:
        return knowable is not True
    return recipient is Recipient.AGREEMENT and knowable is False


def why_it_stays(column: ColumnFacts) -> str:
    """Say why nobody outside can know a column."""
    if is_private(column):
        return "nobody outside can know it: people keep it to themselves"
    if is_knowable(column) is False:
        return "nobody outside can know it: a measurement, a score or an amount"
    return "nothing says that anybody outside can know it"
