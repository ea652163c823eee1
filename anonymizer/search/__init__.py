"""Search: the scheme with the least loss, and the proof that there is none better."""

from anonymizer.search.checkpoint import Checkpoint
from anonymizer.search.driver import search
from anonymizer.search.limits import Limits, StopReason
from anonymizer.search.params import SearchParams
from anonymizer.search.proof import Proof, Pruning
from anonymizer.search.result import TIE, Progress, SearchResult, Status
from anonymizer.search.state import OnProgress
from anonymizer.search.thresholds import pays_together, search_thresholds

__all__ = [
    "TIE",
    "Checkpoint",
    "Limits",
    "OnProgress",
    "Progress",
    "Proof",
    "Pruning",
    "SearchParams",
    "SearchResult",
    "Status",
    "StopReason",
    "pays_together",
    "search",
    "search_thresholds",
]
