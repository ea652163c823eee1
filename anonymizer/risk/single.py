"""Models that give the risk of every single person, not only whether the table passes."""

from __future__ import annotations

from collections.abc import Iterable

from anonymizer.risk.model import RiskModel
from anonymizer.risk.overall import Overall
from anonymizer.risk.sources import Sources

PersonModel = Overall | Sources


def person_models(models: Iterable[RiskModel]) -> list[PersonModel]:
    """Return those of some models that know the risk of every person, in `risks`."""
    return [model for model in models if isinstance(model, Overall | Sources)]
