"""What classes are compared with: the input, or the table that readers of the release have."""

from __future__ import annotations

from dataclasses import dataclass

INPUT, RELEASE = "input", "release"


@dataclass(frozen=True, slots=True)
class ReferenceDistances:
    """How far the farthest class of a release is from the input, and from the release itself.

    In the unit of the model's limit, t, beta or delta; None where that is infinite.
    """

    model: str
    """The model, with its limit."""
    attribute: str
    promised: str
    """What the model limits the distance from: "input" or "release"."""
    limit: float
    from_input: float | None
    from_release: float | None
    met_by_input: bool
    """Whether no class is too far from the input."""
    met_by_release: bool
    """Whether no class is too far from the released table, which is what its readers can check."""

    def __str__(self) -> str:
        """Say both, and which of them was promised."""
        promised = "the released table" if self.promised == RELEASE else "the input"
        return (
            f"{self.model}: the farthest class is {show(self.from_input)} from the input and "
            f"{show(self.from_release)} from the released table; promised of {promised}."
        )

    @property
    def warning(self) -> str | None:
        """What to say where the release, taken by itself, does not meet the model."""
        if self.met_by_release:
            return None
        return (
            f"{self.model} was promised of the input; whoever has the release alone finds "
            f"{show(self.from_release)}, and the limit is {self.limit:g}. Set "
            f'reference = "release" to promise it of the released table.'
        )


def show(distance: float | None) -> str:
    """Write a distance.

    >>> show(0.33549), show(None)
    ('0.3355', 'infinitely far')
    """
    return "infinitely far" if distance is None else f"{distance:.4f}"


def check_reference(reference: object) -> None:
    """Raise a ValueError unless classes can be compared with it."""
    if reference not in (INPUT, RELEASE):
        raise ValueError(f'reference must be "input" or "release", got {reference!r}')
