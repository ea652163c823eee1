"""Search: the scheme with the least loss, and the proof that there is none better."""

from anonymizer.search.checkpoint import Checkpoint
from anonymizer.search.driver import search
from anonymizer.search.exhaustive import search_exhaustively
from anonymizer.search.result import (
    Limits,
    Progress,
    Proof,
    SearchResult,
    Status,
    StopReason,
)

__all__ = [
    "Checkpoint",
    "Limits",
    "Progress",
    "Proof",
    "SearchResult",
    "Status",
    "StopReason",
    "search",
    "search_exhaustively",
]
