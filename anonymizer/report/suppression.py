"""What more or less suppression would do to a release, in sentences and a table."""

from __future__ import annotations

from anonymizer.evaluation.measurement import Measurement
from anonymizer.explanation.explanation import CutPoint, Explanation, RaisedLimit
from anonymizer.report.page import share, whole
from anonymizer.report.sections import FigureTable, Section
from anonymizer.report.words import join, points, quality_effect, risk, risk_effects, risk_names


def suppression_section(explanation: Explanation) -> Section:
    """Say what one percent more, or less, of suppression would do."""
    header = (
        *("records", "suppressed", "quality", "smallest\nclass", "highest\nrisk", "average\nrisk"),
        *risk_names(explanation),
        "policy\nmet",
    )
    rows = tuple(point_row(point) for point in explanation.points)
    by_share = {point.asked: point for point in explanation.points}
    less, more = by_share[min(by_share)], by_share[min(asked for asked in by_share if asked > 0)]
    sentences = buy(more, explanation), save(less, explanation), raise_sentence(explanation)
    return Section(
        "What more suppression would buy, and less would cost",
        sentences,
        (FigureTable(header, rows),),
    )


def point_row(point: CutPoint) -> tuple[str, ...]:
    """Write one point of the order of suppression as a row."""
    after = point.after
    allowed = after.meets and after.within_limit
    return (
        f"{100 * point.asked:+g} %" if point.asked else "now",
        whole(after.suppressed),
        points(after.quality),
        whole(after.smallest_class),
        share(after.highest),
        share(after.average),
        *map(risk, after.risks),
        "yes" if allowed else "no" if after.within_limit else "too many",
    )


def buy(point: CutPoint, explanation: Explanation) -> str:
    """Say what one percent more suppressed records would buy."""
    now, after = explanation.now, point.after
    more = after.suppressed - now.suppressed
    if more == 0:
        return (
            f"{share(point.asked)} more of the records would buy nothing: the next class in the order "
            "of suppression is larger than that."
        )
    effects = [*changes_of_risk(explanation, after), change_of_quality(now, after)]
    beyond = (
        "" if after.within_limit else "; the policy's suppression limit would have to be raised"
    )
    return (
        f"Suppressing up to {share(point.asked)} more of the records ({whole(more)}, the smallest "
        f"classes first) would {join(effects)}{beyond}."
    )


def save(point: CutPoint, explanation: Explanation) -> str:
    """Say what one percent less would cost in risk."""
    now, after = explanation.now, point.after
    kept = now.suppressed - after.suppressed
    if kept == 0:
        return "Nothing is suppressed, so there is nothing to give back."
    verdict = (
        "the policy would still be met" if after.meets else "the policy would no longer be met"
    )
    effects = [change_of_quality(now, after), *changes_of_risk(explanation, after)]
    return f"Keeping {whole(kept)} of the suppressed records would {join(effects)}; {verdict}."


def changes_of_risk(explanation: Explanation, after: Measurement) -> list[str]:
    """Say how the risks of the records that are left would change."""
    now, names = explanation.now, ("highest", "average", *explanation.names)
    return risk_effects(
        names, (now.highest, now.average, *now.risks), (after.highest, after.average, *after.risks)
    )


def change_of_quality(now: Measurement, after: Measurement) -> str:
    """Say how the quality would change."""
    return quality_effect(after.quality - now.quality)


def raise_sentence(explanation: Explanation) -> str:
    """Say whether a higher suppression limit would allow a better scheme."""
    raised = explanation.raised
    if raised is None:
        return "The suppression limit is 100 %, so that a higher one cannot help."
    if raised.better is None:
        return no_better(raised)
    step = raised.better
    levels = join([f"{name} at level {level}" for name, level in step.levels.items()])
    surely = "" if raised.proven else ", and perhaps a better one still (the search was cut short)"
    return (
        f"Raising the suppression limit to {share(raised.limit)} would allow a better scheme: {levels}, "
        f"{whole(step.after.suppressed)} records suppressed, which would "
        f"{quality_effect(step.quality_change)}{surely}."
    )


def no_better(raised: RaisedLimit) -> str:
    """Say that a raised limit allows nothing better, or that this was not tried to the end."""
    if not raised.tried:
        return (
            f"Whether a suppression limit of {share(raised.limit)} would allow a better scheme was not "
            "tried: on a table of this size the search takes long."
        )
    if not raised.proven:
        return (
            f"A short search with a suppression limit of {share(raised.limit)} found no better scheme; "
            "there may be one."
        )
    return (
        f"Raising the suppression limit to {share(raised.limit)} would not allow a better scheme."
    )
