"""Forgeries: changes of a release or its manifest that would help whoever forges, or hurt whoever reads.

Each is a row. The verifier has a policy of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import pandas as pd

from anonymizer.attackers.statement import Statement
from tests.verification.forger import (
    APPLIED,
    CLAIMS,
    CLOSE,
    K_ANONYMITY,
    LAYERS,
    LEFT_OUT,
    MEANS,
    OF_SOURCES,
    PEOPLE,
    PLAIN,
    PROVEN,
    REDACTED,
    ROWS,
    SAMPLED,
    SENSITIVE,
    Change,
    all_of,
    another_illness,
    better,
    cell,
    claim,
    column,
    exact_age,
    exchange,
    hidden,
    imitate,
    in_order_of,
    in_redacted,
    labelled,
    made_of,
    numbered,
    optimal,
    patients,
    policy_of,
    proven,
    quietly,
    redact,
    rename,
    repeat,
    restore,
    rows,
    smaller_risks,
    swap_redacted,
    tighter,
    whole_class,
)


class Alone(StrEnum):
    """What verify says of a forgery without the original."""

    CAUGHT = "a claim fails"
    WARNED = "no claim fails, but a warning names the column"
    PASSES = "nothing"


@dataclass(frozen=True)
class Forgery:
    """A forgery of one kind of release."""

    kind: str
    says: str
    """What was done, for the page."""
    change: Change = field(repr=False)
    alone: Alone = Alone.CAUGHT


COARSE = {"age": 3, "sex": 0, "zip": 1}
"""A scheme that is safe, and loses more than need be."""
FINE = {"age": 0, "sex": 0, "zip": 0}
"""The table as it is."""
P, W = Alone.PASSES, Alone.WARNED

IN_ONE_SCHEME = [
    Forgery(PLAIN, "an exact age in one cell", cell("age", "57")),
    Forgery(PLAIN, "an exact age in a whole class", whole_class("age", "57")),
    Forgery(PLAIN, "an age that is no value at all", cell("age", "unknown")),
    Forgery(
        PLAIN,
        "a blank behind a generalized value, to mark a person",
        cell("sex", lambda v: f"{v} "),
    ),
    Forgery(PLAIN, "an invisible character behind a generalized value", cell("sex", hidden)),
    Forgery(PLAIN, "a generalized value left out", cell("sex", "")),
    Forgery(
        PLAIN, "a person put into another class", cell("sex", lambda v: "M" if v == "F" else "F")
    ),
    Forgery(PLAIN, "a row added", rows(lambda f: pd.concat([f, f.head(1)]))),
    Forgery(PLAIN, "a row left out", rows(lambda f: f.iloc[1:])),
    Forgery(PLAIN, "all rows left out", rows(lambda f: f.head(0))),
    Forgery(
        PLAIN,
        "everybody else in a class left out",
        rows(lambda f: f.drop_duplicates(["age", "sex", "zip"])),
    ),
    Forgery(
        PLAIN,
        "the names left in",
        column("name", lambda f: [f"Patient {i}" for i in range(len(f))]),
    ),
    Forgery(PLAIN, "a column that the policy does not know", column("seen", numbered)),
    Forgery(PLAIN, "a kept column left out", rows(lambda f: f.drop(columns="days"))),
    Forgery(
        PLAIN,
        "a column twice",
        rows(lambda f: f.assign(more=f["days"]).rename(columns={"more": "days"})),
    ),
    Forgery(PLAIN, "another value in a kept column", cell("days", "99"), P),
    Forgery(PLAIN, "another illness of one person", quietly(another_illness), P),
    Forgery(
        PLAIN,
        "a value of one person in another spelling, to mark them",
        cell("days", lambda v: f"{v}.0"),
        P,
    ),
    Forgery(
        PLAIN,
        "an invisible character behind a kept value, to mark a person",
        cell("days", hidden),
        P,
    ),
    Forgery(PLAIN, "a kept value left out", cell("days", ""), P),
    Forgery(PLAIN, "numbers of people in a kept column", column("days", numbered), W),
    Forgery(PLAIN, "a whole row in one kept cell", cell("days", "57;F;101;flu"), W),
    Forgery(PLAIN, "the illnesses of two people exchanged", exchange("illness"), P),
    Forgery(PLAIN, "the classes of two people exchanged", exchange("age", "sex", "zip"), P),
    Forgery(PLAIN, "somebody replaced by a copy of another in their class", quietly(repeat), P),
    Forgery(
        PLAIN,
        "the rows in the order of the illnesses' owners",
        lambda case: in_order_of(case, "name"),
        P,
    ),
    Forgery(PLAIN, "the rows in the order of exact ages", lambda case: in_order_of(case, "age"), P),
    Forgery(
        PLAIN,
        "the release of a table that somebody was removed from",
        made_of(lambda f: f.iloc[1:]),
        P,
    ),
    Forgery(
        PLAIN,
        "the release of a table with an invented person",
        made_of(lambda f: pd.concat([f, f.head(1)])),
        P,
    ),
    Forgery(PLAIN, "the release of other people", made_of(lambda _: patients(seed=9)), P),
    Forgery(
        PLAIN,
        "a release under fewer demands",
        made_of(policy=lambda: policy_of({"model": "k-anonymity", "k": 2})),
    ),
]
IN_REDACTED = [
    Forgery(
        REDACTED,
        "values put back into a redacted row",
        lambda case: restore(case, case.policy.quasi_identifiers),
    ),
    Forgery(
        REDACTED, "one value put back into a redacted row", lambda case: restore(case, ["sex"])
    ),
    Forgery(
        REDACTED, "a redacted row left out", rows(lambda f: f.drop(f.index[f["sex"] == "*"][0]))
    ),
    Forgery(REDACTED, "one more row redacted", redact),
    Forgery(
        REDACTED,
        "one more row redacted and declared",
        all_of(redact, claim("suppressed", lambda v: v + 1)),
    ),
    Forgery(REDACTED, "no row declared as suppressed", claim("suppressed", 0)),
    Forgery(REDACTED, "another illness in a redacted row", in_redacted, P),
    Forgery(
        REDACTED, "the illnesses of a redacted row and another exchanged", quietly(swap_redacted), P
    ),
]
IN_LAYERS = [
    Forgery(LAYERS, "an exact age in one cell", cell("age", "57")),
    Forgery(LAYERS, "the values of another row in one", imitate),
    Forgery(LAYERS, "a cell that is in no layer", cell("zip", "999")),
    Forgery(LAYERS, "another illness of one person", quietly(another_illness), P),
    Forgery(LAYERS, "the illnesses of two people exchanged", exchange("illness"), P),
    Forgery(LAYERS, "the classes of two people exchanged", exchange("age", "sex", "zip"), P),
    Forgery(LAYERS, "a row left out", rows(lambda f: f.iloc[1:])),
    Forgery(LAYERS, "more records declared in a layer", claim("layers.0.records", lambda v: v + 1)),
    Forgery(LAYERS, "less loss declared of a layer", claim("layers.0.loss", lambda v: v - 0.001)),
    Forgery(
        LAYERS,
        "fewer cells declared that can be narrowed down",
        claim("narrowed.cells", lambda v: v - 1),
    ),
    Forgery(LAYERS, "nothing said of what can be narrowed down", claim("narrowed", None)),
    Forgery(LAYERS, "a layer left out", claim("layers", lambda v: v[:-1])),
    Forgery(
        LAYERS, "a layer without records", claim("layers", lambda v: [*v, {**v[-1], "records": 0}])
    ),
    Forgery(LAYERS, "one scheme declared instead of layers", claim("layers", LEFT_OUT)),
    Forgery(LAYERS, "a finer scheme declared than the coarsest layer", claim("scheme", FINE)),
    Forgery(LAYERS, "a bound above what is proven", tighter, P),
    Forgery(
        LAYERS,
        "the release of a table that somebody was removed from",
        made_of(lambda f: f.iloc[1:]),
        P,
    ),
]
IN_MEANS = [
    Forgery(MEANS, "the mean of one row changed", cell("age", lambda v: str(int(v) + 1))),
    Forgery(MEANS, "an exact age in one row", exact_age),
    Forgery(
        MEANS,
        "the mean of a class changed",
        whole_class("age", lambda v: str(int(v) - 1 if int(v) % 10 else int(v) + 1)),
        P,
    ),
    Forgery(
        MEANS,
        "digits hidden behind the mean of a class",
        whole_class("age", lambda v: f"{v}.4711"),
        P,
    ),
    Forgery(MEANS, "the group instead of the mean in a class", labelled, P),
    Forgery(MEANS, "a mean outside of every group", whole_class("age", "400")),
    Forgery(MEANS, "another illness of one person", quietly(another_illness), P),
    Forgery(
        MEANS,
        "another center",
        made_of(policy=lambda: policy_of(age={"microaggregation": "median", "min_level": 1})),
        P,
    ),
]
OF_SEVERAL_SOURCES = [
    Forgery(OF_SOURCES, "an exact age in one cell", cell("age", "57.5")),
    Forgery(
        OF_SOURCES,
        "people left out until a source finds one",
        rows(lambda f: f.drop_duplicates(["age", "sex", "zip"])),
    ),
    Forgery(
        OF_SOURCES,
        "a release under a looser threshold",
        made_of(
            policy=lambda: policy_of(
                {
                    "model": "sources",
                    "statement": Statement(
                        source=[{"name": "r", "keys": ["age"], "threshold": 1.0}]
                    ),
                }
            )
        ),
    ),
    Forgery(OF_SOURCES, "another statement declared", claim("policy.risk.0.statement", "another")),
    Forgery(
        OF_SOURCES,
        "a source's model from another package",
        claim("packages", {"sources": "other 1.0"}),
    ),
    Forgery(OF_SOURCES, "another value in a kept column", cell("days", "99"), P),
    Forgery(
        OF_SOURCES,
        "the release of a table that somebody was removed from",
        made_of(lambda f: f.iloc[1:]),
        P,
    ),
]
OF_PEOPLE = [
    Forgery(PEOPLE, "a visit twice", rows(lambda f: pd.concat([f, f.head(1)]))),
    Forgery(PEOPLE, "a visit left out", rows(lambda f: f.iloc[1:])),
    Forgery(PEOPLE, "more people declared", claim("people", lambda v: v + 20), P),
    Forgery(PEOPLE, "more people than records declared", claim("people", ROWS + 1)),
    Forgery(
        PEOPLE,
        "rows counted instead of people",
        made_of(policy=lambda: policy_of(data={"rows_are_people": True})),
        P,
    ),
    Forgery(PEOPLE, "no id declared", claim("policy.data", LEFT_OUT)),
    Forgery(
        PEOPLE,
        "the names left in",
        column("name", lambda f: [f"Patient {i}" for i in range(len(f))]),
    ),
    Forgery(
        PEOPLE,
        "a number for each person in a kept column",
        column("days", lambda f: [str(i // 2) for i in range(len(f))]),
        P,
    ),
    Forgery(PEOPLE, "smaller risks declared", smaller_risks, P),
    Forgery(PEOPLE, "nobody declared to be unique", claim("risk.after.people", 1), P),
    Forgery(
        PEOPLE,
        "the visits of each person one after the other",
        lambda case: in_order_of(case, "name"),
        P,
    ),
    Forgery(PEOPLE, "the illnesses of two visits exchanged", exchange("illness"), P),
    Forgery(
        PEOPLE,
        "the release of a table that somebody was removed from",
        made_of(lambda f: f[f["name"] != f["name"][0]]),
        P,
    ),
]
OF_SENSITIVE = [
    Forgery(SENSITIVE, "everybody in a class with one illness", whole_class("illness", "hiv")),
    Forgery(SENSITIVE, "an illness that nobody had", cell("illness", "plague")),
    Forgery(SENSITIVE, "an invisible character behind an illness", cell("illness", hidden)),
    Forgery(SENSITIVE, "an illness left out", cell("illness", "")),
    Forgery(SENSITIVE, "two illnesses exchanged throughout, and in the shares", rename, P),
    Forgery(
        SENSITIVE,
        "two illnesses of one kind exchanged in the shares",
        claim("overall.illness.shares", lambda v: {**v, "cold": v["hiv"], "hiv": v["cold"]}),
    ),
    Forgery(SENSITIVE, "no shares of the input", claim("overall", LEFT_OUT), P),
    Forgery(SENSITIVE, "shares so rounded that all is open", claim("overall.illness.step", 1.0), P),
    Forgery(
        SENSITIVE,
        "a smaller distance declared of the released table",
        claim("references.0.from_release", 0.01),
    ),
    Forgery(
        SENSITIVE,
        "the released table declared to meet the model",
        claim("references.0.met_by_release", lambda v: not v),
    ),
    Forgery(
        SENSITIVE,
        "a smaller distance declared of the input",
        claim("references.0.from_input", 0.001),
        P,
    ),
    Forgery(SENSITIVE, "no distances declared", claim("references", [])),
    Forgery(
        SENSITIVE,
        "a smaller distance in the profile",
        claim("risk.after.sensitive.illness.greatest_distance", 0.001),
        P,
    ),
    Forgery(
        SENSITIVE,
        "more illnesses declared in the poorest class",
        claim("risk.after.sensitive.illness.fewest_values", 4),
    ),
    Forgery(
        SENSITIVE,
        "a release that is not close",
        made_of(policy=lambda: policy_of(K_ANONYMITY, {**CLOSE, "t": 0.9})),
    ),
    Forgery(SENSITIVE, "another value in a kept column", cell("days", "99"), P),
]
OF_SAMPLES = [
    Forgery(SAMPLED, "another share declared", claim("policy.data.sample", 0.9)),
    Forgery(SAMPLED, "no sample declared", claim("policy.data", LEFT_OUT)),
    Forgery(SAMPLED, "a release of everybody", made_of(policy=policy_of), P),
    Forgery(
        SAMPLED,
        "a release of others than were drawn",
        made_of(lambda f: f.iloc[::-1].reset_index(drop=True)),
        P,
    ),
    Forgery(SAMPLED, "another illness of one person", quietly(another_illness), P),
    Forgery(
        SAMPLED,
        "another key declared, and another illness",
        all_of(claim("input.key", "0" * 16), quietly(another_illness)),
        P,
    ),
    Forgery(
        SAMPLED,
        "no key declared, and another illness",
        all_of(claim("input.key", None), quietly(another_illness)),
        P,
    ),
    Forgery(SAMPLED, "fewer records declared", claim("records", lambda v: v - 1)),
]
OF_APPLIED = [
    Forgery(
        APPLIED,
        "a scheme that loses more called optimal",
        all_of(made_of(scheme=COARSE), optimal),
        P,
    ),
    Forgery(APPLIED, "a finer scheme declared", claim("scheme", FINE)),
    Forgery(
        APPLIED,
        "the release of the table that the scheme was found for",
        made_of(lambda _: patients()),
        P,
    ),
    Forgery(
        APPLIED,
        "applied without its risks",
        made_of(scheme=FINE, policy=lambda: policy_of({"model": "k-anonymity", "k": 1})),
    ),
    Forgery(APPLIED, "fewer suppressed declared", claim("suppressed", lambda v: v - 1)),
    Forgery(APPLIED, "another illness of one person", quietly(another_illness), P),
]
OF_PROOFS = [
    Forgery(
        PROVEN, "a scheme that loses more called proven", all_of(made_of(scheme=COARSE), optimal), P
    ),
    Forgery(PROVEN, "a lower loss in the proof", proven("claim.loss", lambda v: v - 0.01), P),
    Forgery(PROVEN, "another scheme in the proof", proven("claim.scheme", [1, 0, 0]), P),
    Forgery(PROVEN, "fewer suppressed in the proof", proven("claim.suppressed", 0), P),
    Forgery(PROVEN, "a higher bound in the proof", proven("claim.bound", lambda v: v + 0.1), P),
    Forgery(PROVEN, "a smaller lattice", proven("lattice.1", lambda v: [v[0] - 1, *v[1:]]), P),
    Forgery(PROVEN, "all schemes closed at once", proven("tree", ["plain"]), P),
    Forgery(PROVEN, "a slab left out", proven("tree.3", lambda v: v[:-1]), P),
    Forgery(PROVEN, "a box closed without a reason", proven("tree.3.0", ["trusted"]), P),
    Forgery(
        PROVEN, "a box closed by a witness that is not there", proven("tree.3.0", ["bound", 99]), P
    ),
    Forgery(
        PROVEN, "other witnesses", proven("witnesses", lambda v: [[0] * len(each) for each in v]), P
    ),
    Forgery(PROVEN, "attributes in another order", proven("attributes", lambda v: v[::-1]), P),
    Forgery(PROVEN, "the proof of another policy", proven("policy", "0" * 64), P),
    Forgery(PROVEN, "the proof of other hierarchies", proven("hierarchies", {}), P),
    Forgery(PROVEN, "the proof of another original", proven("input", {"name": "other"}), P),
    Forgery(PROVEN, "a tree that is none", proven("tree", {}), P),
]
OF_CLAIMS = [
    Forgery(CLAIMS, "less loss", better),
    Forgery(CLAIMS, "more quality", claim("quality", 0.999)),
    Forgery(CLAIMS, "less loss of one attribute", claim("attribute_loss.age", 0.01)),
    Forgery(CLAIMS, "no loss of single attributes", claim("attribute_loss", {})),
    Forgery(CLAIMS, "fewer records", claim("records", lambda v: v - 1)),
    Forgery(CLAIMS, "fewer suppressed", claim("suppressed", 0)),
    Forgery(
        CLAIMS,
        "more suppressed than there were",
        all_of(claim("records", 3), claim("suppressed", -100)),
    ),
    Forgery(CLAIMS, "other people than records", claim("people", 12)),
    Forgery(CLAIMS, "a bound above the loss", claim("bound", 0.9)),
    Forgery(CLAIMS, "no gap", all_of(claim("bound", 0.0), claim("gap", 0.0))),
    Forgery(CLAIMS, "a scheme that is finer", claim("scheme", FINE)),
    Forgery(CLAIMS, "a level that there is not", claim("scheme.age", 9)),
    Forgery(CLAIMS, "smaller risks after the release", smaller_risks),
    Forgery(CLAIMS, "larger risks before it", claim("risk.before.prosecutor.average", 1.0), P),
    Forgery(CLAIMS, "more left of a column", claim("retained.age", 0.9), P),
    Forgery(CLAIMS, "a column that has not collapsed", claim("collapsed", ["sex"]), P),
    Forgery(CLAIMS, "another policy", claim("policy.risk.0.k", 2)),
    Forgery(CLAIMS, "another hierarchy", claim("hierarchies.age", "0" * 64)),
    Forgery(CLAIMS, "models of another package", claim("packages", {"k-anonymity": "other 1.0"})),
    Forgery(CLAIMS, "another original", claim("input.hmac_sha256", "0" * 64), P),
    Forgery(
        CLAIMS,
        "a scheme that loses more called optimal",
        all_of(made_of(scheme=COARSE), optimal),
        P,
    ),
    Forgery(
        CLAIMS,
        "layers that there are not",
        claim("layers", [{"scheme": FINE, "records": ROWS, "loss": 0.0}]),
    ),
    Forgery(CLAIMS, "a status that there is not", claim("status", "certified")),
]
FORGERIES = [
    *IN_ONE_SCHEME,
    *IN_REDACTED,
    *IN_LAYERS,
    *IN_MEANS,
    *OF_SEVERAL_SOURCES,
    *OF_PEOPLE,
    *OF_SENSITIVE,
    *OF_SAMPLES,
    *OF_APPLIED,
    *OF_PROOFS,
    *OF_CLAIMS,
]
