"""Phrases of a report: what a change means, in words a steward acts on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from anonymizer.explanation.explanation import Explanation
from anonymizer.explanation.neighbourhood import Step
from anonymizer.report.page import share, whole
from anonymizer.risk.reference import ReferenceDistances
from anonymizer.risk.sensitive_profile import SensitiveProfile

NOT_KNOWN = "not known"


def sentence(step: Step, capitalize: bool = True) -> str:
    """Say what a step would do to records, risk and quality, in one sentence.

    Like this: Coarsening zip from level 2 to 3 would free 1,204 suppressed records and cost 0.60 points
    of quality.
    """
    before, after = step.before, step.after
    effects = [
        records_effect(step.suppressed_change),
        fall_or_rise("the highest risk", before.highest, after.highest),
        fall_or_rise("the average risk", before.average, after.average),
        quality_effect(step.quality_change),
    ]
    text = f"{moves(step)} would {join([effect for effect in effects if effect])}."
    return text[:1].upper() + text[1:] if capitalize else text


def standing(quality: float, suppressed: int, records: int, highest: float, average: float) -> str:
    """Say what a release costs and what risk is left."""
    return (
        f"The quality is {points(quality)} points of 100, with {whole(suppressed)} of "
        f"{whole(records)} records suppressed ({share(suppressed / records)}). Whoever knows that "
        f"a person is in the release finds the record with a probability of at most "
        f"{share(highest)}, on average {share(average)}."
    )


def everybody_has(groups: int, of: int, kind: str = "groups") -> str:
    """Begin to say what everybody has in some groups.

    >>> everybody_has(4, 1812)
    'In 4 of 1,812 groups everybody has'
    """
    return f"In {whole(groups)} of {whole(of)} {kind} everybody has"


def everybody_marked(groups: int, of: int, name: str, kind: str = "groups") -> str:
    """Say in how many groups, of a release or a source, everybody has a value that was marked."""
    return f"{everybody_has(groups, of, kind)} a value of {name} that you marked"


def given_away(sensitive: Mapping[str, SensitiveProfile], classes: int) -> Iterator[str]:
    """Say in how many groups everybody shares a value, one sentence for each sensitive attribute."""
    for name, found in sensitive.items():
        if found.all_marked is not None:
            yield f"{everybody_marked(found.all_marked, classes, name)}."
        yield (
            f"{everybody_has(found.one_value, classes)} the same {name}; a group has at least "
            f"{whole(found.least_distinct)} values of it, and is at most "
            f"{found.greatest_distance:.3f} from the distribution of all records and "
            f"{found.released_distance:.3f} from that of the released ones (0 to 1)."
        )


def said_of_references(references: Iterable[ReferenceDistances]) -> Iterator[str]:
    """Say how far classes are from input and release, what was promised, and a warning if need be."""
    for found in references:
        yield str(found)
        if found.warning is not None:
            yield f"Warning: {found.warning}"


def moves(step: Step) -> str:
    """Name the attributes that change, and how."""
    parts = []
    for name, level in step.levels.items():
        old = step.before.scheme[name]
        parts.append(
            f"{'coarsening' if level > old else 'refining'} {name} from level {old} to {level}"
        )
    return join(parts)


def records_effect(change: int) -> str:
    """Say what becomes of suppressed records; nothing where nothing does."""
    if change == 0:
        return ""
    verb = "free" if change < 0 else "suppress"
    kind = "suppressed" if change < 0 else "more"
    return f"{verb} {whole(abs(change))} {kind} {'record' if abs(change) == 1 else 'records'}"


def quality_effect(change: float) -> str:
    """Say what becomes of the quality."""
    if points(change) in ("0.00", "-0.00"):
        return "leave the quality as it is"
    return f"{'gain' if change > 0 else 'cost'} {points(abs(change))} points of quality"


def fall_or_rise(name: str, before: float, after: float) -> str:
    """Say how a risk would change; nothing where the change does not show."""
    if risk(before) == risk(after):
        return ""
    verb = "lower" if after < before else "raise"
    return f"{verb} {name} from {risk(before)} to {risk(after)}"


def risk_effects(
    names: Sequence[str], before: Sequence[float], after: Sequence[float]
) -> list[str]:
    """Say how some risks would change; or that none does."""
    changes = zip(names, before, after, strict=True)
    effects = [fall_or_rise(f"the {name} risk", old, new) for name, old, new in changes]
    # the risk of the model called average is the average risk: once is enough
    return list(dict.fromkeys(filter(None, effects))) or ["leave the risks as they are"]


def join(parts: Sequence[str]) -> str:
    """Join parts as a sentence does.

    >>> join(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def capital(text: str) -> str:
    """Begin with a capital letter, except for names such as k-anonymity."""
    return text if text[1:2] == "-" else text[:1].upper() + text[1:]


def risk(value: float) -> str:
    """Write a risk in percent; one that could not be estimated is said to be so."""
    return share(value) if math.isfinite(value) else NOT_KNOWN


def estimated(explanation: Explanation) -> str:
    """Say how far the models' risks that are estimates may be off; nothing where all are counted."""
    given = zip(explanation.names, explanation.now.risks, explanation.intervals, strict=True)
    sentences = [
        f" The {name} risk rests on an estimate: it is {risk(value)}, or {share(interval.low)} to "
        f"{share(interval.high)} at 95 % confidence."
        for name, value, interval in given
        if interval is not None
    ]
    return "".join(sentences)


def points(quality: float) -> str:
    """Write a quality, or a change of it, in points of 100.

    >>> points(0.83256)
    '83.26'
    """
    return f"{100 * quality:.2f}"


def risk_names(explanation: Explanation) -> tuple[str, ...]:
    """Name the columns of the models' risks."""
    return tuple(f"{name}\nrisk (model)" for name in explanation.names)
