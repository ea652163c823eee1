"""The page: where a promise holds, where it does not, and by how much."""

from __future__ import annotations

from typing import Any

import pandas as pd

from anonymizer.errors import percent as in_percent
from experiments.attacks.people import Plan
from experiments.writing import markdown


def percent(value: float) -> str:
    """Write a share in percent, with two digits after the point where it is small."""
    return in_percent(value, 1 if abs(value) >= 0.01 else 2)


def write_page(
    plan: Plan,
    releases: pd.DataFrame,
    attacks: pd.DataFrame,
    promises: pd.DataFrame,
    composed: pd.DataFrame,
    narrowed: pd.DataFrame,
) -> str:
    """Put the figures in words and tables."""
    return "\n\n".join(
        [
            "# Attacks on releases of a known population",
            introduction(plan),
            in_short(attacks, promises, composed, narrowed),
            "![Success and baseline of every attack on every release](attacks.png)",
            "## Where promises hold, and where not",
            PROMISES,
            promise_table(promises[~promises["promise"].str.startswith("(")]),
            "## What is often read into a promise, and is not in it",
            promise_table(promises[promises["promise"].str.startswith("(")]),
            "## Every attack on every release",
            ATTACKS,
            attack_table(attacks),
            "## The releases",
            release_table(releases),
            "## Two releases of overlapping people",
            COMPOSED,
            composed_table(composed),
            "## What layers give away",
            NARROWED,
            narrowed_table(narrowed),
            "## What this does not show",
            LIMITS,
        ]
    ) + "\n"  # fmt: skip


def introduction(plan: Plan) -> str:
    return (
        f"Written by `python -m experiments.attacks`. A synthetic population of {plan.people:,} people "
        f"is known in full. {plan.patients:,} of them are the patients of a register that is released "
        "under each risk model, with age, sex, ZIP code, marital status, race, education and occupation "
        "as quasi-identifiers and the diagnosis as the sensitive column. As many other patients, who "
        "are in no release, are the control group. One release was tampered with: one row in twenty has "
        "its original quasi-identifiers back. Intervals are at 95 % confidence (Wilson; Newcombe for "
        "the excess)."
    )


PROMISES = (
    "A promise is a limit on how often something happens. It holds if the measured share is not above "
    "it, and does not hold if the whole interval is above it."
)
ATTACKS = (
    "The excess is the success less the baseline: what the release adds. The baseline is how often the "
    "same attack works on the control group; for singling out, how many of the same predicates single "
    "somebody out there; for the collective match, a match at random."
)
COMPOSED = (
    "Two registers share half of their people. Last year's release was made with three times the weight "
    "on ZIP codes, this year's on ages; both are k-anonymous. Counted are people who are released in "
    "both."
)
NARROWED = (
    "The first patients of the register, released in layers. The attacker knows how layers are made; "
    "every released cell that covers several values is counted. The baseline is an attacker who does not "
    "know it and rules out nothing. Records of one class are narrowed down alike, so that a class counts "
    "once for the interval."
)
LIMITS = (
    "- One population, one draw: another seed moves the figures within about their intervals.\n"
    "- The attackers are those of `anonymizer attack`. Better ones may exist, so that a low success is "
    "no proof of safety.\n"
    "- The diagnosis depends on age and sex in this population, so that much of what is guessed right "
    "is guessed right of people outside the release too. That is the baseline, and not a breach of the "
    "release.\n"
    "- p-uniqueness estimates from what is left after suppression. Rare people are gone from that, "
    "though not from the population.\n"
    "- Univariate singling out has one predicate for each column where no value is released once, so "
    "that its intervals are wide.\n"
    "- p-uniqueness and the overall risk are judged with the truth about who is unique. A steward has "
    "estimates."
)


def in_short(
    attacks: pd.DataFrame, promises: pd.DataFrame, composed: pd.DataFrame, narrowed: pd.DataFrame
) -> str:
    """Say in some sentences what the tables show."""
    made = promises[~promises["promise"].str.startswith("(")]
    sound = made[~made["release"].str.contains("tampered")]
    broken = sound[sound["verdict"] == "does not hold"]
    lines = [
        f"Of {len(sound)} promises of sound releases, {len(sound) - len(broken)} are not refuted. "
        + " ".join(
            f"{row['release']} does not hold that {row['promise']}: it is {percent(row['measured'])}."
            for row in broken.to_dict("records")
        ),
        tampered_line(attacks),
        "What a model does not look at, it does not protect. " + beyond_line(attacks),
        composed_line(composed),
        narrowed_line(narrowed),
    ]
    return "\n".join(f"- {line}" for line in lines)


def tampered_line(attacks: pd.DataFrame) -> str:
    """Say how the release that was tampered with differs from the sound one."""
    parts = []
    for name in ("singling out, multivariate", "collective match"):
        rows = attacks[attacks["attack"] == name].set_index("release")["success"]
        before, after = rows["k-anonymity 5"], rows["k-anonymity 5, tampered"]
        parts.append(f"{name} from {percent(before)} to {percent(after)}")
    return f"Tampering with one row in twenty shows: {'; '.join(parts)}."


def beyond_line(attacks: pd.DataFrame) -> str:
    """Say what attackers reach under models of some sources who know all quasi-identifiers."""
    found = attacks.set_index(["attack", "release"])["success"]
    single = found["singling out, multivariate"]
    return (
        f"Under sources, which counts on attackers who know age, sex and ZIP code alone, "
        f"{percent(single['sources 0.2'])} of the rows single somebody out by all quasi-identifiers; "
        f"under overall {percent(single['overall 0.1'])}, under k-anonymity none. With the diagnosis and "
        f"the length of stay, {percent(found['singling out, all columns']['k-anonymity 10'])} do even "
        "under k = 10: k-anonymity does not look at columns that are kept."
    )


def composed_line(composed: pd.DataFrame) -> str:
    """Say what two releases give away together."""
    parts = [
        f"{percent(row['below_both'] / row['people'])} with k = {row['k']}"
        for row in composed.to_dict("records")
    ]
    return (
        "Two releases of overlapping people do not keep their k together: of who is in both, so many are "
        f"among fewer than k: {', '.join(parts)}."
    )


def narrowed_line(narrowed: pd.DataFrame) -> str:
    """Say how many cells layers let be narrowed down, by the size of the register."""
    sums = narrowed[narrowed["skipped"] == ""].groupby("records")[["successes", "trials"]].sum()
    parts = [
        f"{int(row['successes'])} of {int(row['trials']):,} cells with {records:,} records"
        for records, row in sums.iterrows()
    ]
    return f"How layers are made lets values be ruled out in {', '.join(parts)}."


def with_interval(row: dict[str, Any], key: str) -> str:
    """Write a share with its interval."""
    low, high = percent(row[f"{key}_low"]), percent(row[f"{key}_high"])
    return f"{percent(row[key])} ({low} to {high})"


def promise_table(promises: pd.DataFrame) -> str:
    rows = []
    for row in promises.to_dict("records"):
        verdict = row["verdict"]
        if verdict == "does not hold":
            verdict = f"**{verdict}**, above by {percent(row['measured'] - row['limit'])}"
        rows.append(
            [
                row["release"],
                row["promise"].removeprefix("(not promised) "),
                percent(row["limit"]),
                f"{percent(row['measured'])} ({percent(row['low'])} to {percent(row['high'])})",
                verdict,
                row["how"],
            ]
        )
    return markdown(["release", "claim", "limit", "measured", "verdict", "how"], rows)


def attack_table(attacks: pd.DataFrame) -> str:
    rows = [
        [
            row["attack"],
            row["release"],
            with_interval(row, "excess"),
            with_interval(row, "success"),
            percent(row["baseline"]),
        ]
        for row in attacks.sort_values("attack", kind="stable").to_dict("records")
    ]
    return markdown(["attack", "release", "excess", "success", "baseline"], rows)


def release_table(releases: pd.DataFrame) -> str:
    rows = [
        [
            row["release"],
            f"{row['quality']:.4f}",
            f"{row['suppressed']:,}",
            row["scheme"],
        ]
        for row in releases.to_dict("records")
    ]
    return markdown(["release", "quality", "suppressed", "levels"], rows)


def composed_table(composed: pd.DataFrame) -> str:
    rows = [
        [
            str(row["k"]),
            f"{row['people']:,}",
            f"{row['smallest_here']}, {row['smallest_there']}",
            f"{row['smallest_together']}",
            f"{row['alone']:,} = {with_interval(row, 'success')}",
            f"{row['below_both']:,} = {percent(row['below_both'] / row['people'])}",
        ]
        for row in composed.to_dict("records")
    ]
    header = (
        "k",
        "in both",
        "smallest class in each",
        "together",
        "singled out",
        "among fewer than k",
    )
    return markdown(header, rows)


def narrowed_table(narrowed: pd.DataFrame) -> str:
    rows = [[str(cell) for cell in narrowed_row(row)] for row in narrowed.to_dict("records")]
    header = (
        "records",
        "k",
        "excess over the baseline",
        "narrowed down",
        "cells",
        "records narrowed",
    )
    return markdown(header, rows)


def narrowed_row(row: dict[str, Any]) -> list[Any]:
    if row["skipped"]:
        return [row["records"], row["k"], row["skipped"], "-", "-", "-"]
    return [
        row["records"],
        row["k"],
        with_interval(row, "excess"),
        f"{int(row['successes']):,}",
        f"{int(row['trials']):,}",
        row["records_narrowed"],
    ]
