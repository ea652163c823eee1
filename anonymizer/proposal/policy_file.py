"""The proposed policy as a TOML file with comments, to be edited."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from anonymizer import __version__
from anonymizer.errors import percent
from anonymizer.policy import Role
from anonymizer.proposal.content import Content
from anonymizer.proposal.decision import Decision
from anonymizer.proposal.person import Whose
from anonymizer.proposal.trial import PROPOSED_LIMIT, Trials
from anonymizer.validation import write_comment, write_keys, write_value

FOLDER = "hierarchies"
"""The folder of the specs, beside the policy."""
NEEDED_WEIGHT = 4.0
"""What the loss of a quasi-identifier that the analysis needs weighs beside that of others."""
NUMBERS = (Content.WHOLE, Content.DECIMAL)
LAYERS_SECONDS = 60.0
"""The time of a search for layers, whose bound may take long."""
LONGEST = 60
"""Characters of a column's name that go into a file's name."""
WHOSE = (
    '# id = "..."   # the column that tells whose each row is; without one, each row is a person'
)

HEADINGS = {
    Role.IDENTIFYING: "Removed: they name people, or come too close to it.",
    Role.REMOVED: "Removed to limit risk: they name nobody, but tell too much beside the others.",
    Role.QUASI: "Generalized: others may know them, or they single people out.",
    Role.SENSITIVE: "Kept as they are: what others would like to know.",
    Role.INSENSITIVE: "Kept as they are: neither known to others nor telling.",
}


def write_policy(
    decisions: Sequence[Decision],
    files: Mapping[str, str],
    data: Mapping[str, str],
    k: int,
    title: str,
    whose: Whose,
    trials: Trials | None = None,
) -> str:
    """Write a policy that works at once; `data` has the keys of [data], `files` the specs."""
    lines = [
        f"# Proposed by anonymizer {__version__} for {write_comment(title)}.",
        "# Every line can be edited. proposal.html says why each column got its role.",
        "",
        "[data]",
        *write_keys(data),
        *people_lines(whose),
        '# default_role = "identifying"   # the role of columns that are not named below',
        "",
        "[attributes]",
        *attribute_lines(decisions, files),
        "[[risk]]",
        'model = "k-anonymity"   # everybody released looks like at least k - 1 others',
        f"k = {k}",
        "",
        *search_lines(trials),
        *release_lines(trials),
        *analysis_lines(decisions),
    ]
    return "\n".join(lines) + "\n"


def people_lines(whose: Whose) -> list[str]:
    """Write who counts as a person, or how to say so; nothing where the policy names an id."""
    if whose.person is not None:
        return []
    if whose.rows_are_people:
        return ["rows_are_people = true"]
    if not whose.candidates:
        return [WHOSE]
    return [
        "# Who is a person? Take out the mark of one line; until then, `run` asks.",
        *(
            f"# id = {write_value(name)}   # it may tell whose each row is"
            for name in whose.doubtful
        ),
        "# rows_are_people = true   # each row is a person",
    ]


def search_lines(trials: Trials | None) -> Iterator[str]:
    """Write how far the search may go."""
    yield "[search]"
    if trials is not None and trials.proposed.recoding == "layers":
        yield f"time_limit = {LAYERS_SECONDS}   # seconds; left out: until the bound of layers is proven"
    else:
        yield f"# time_limit = {LAYERS_SECONDS}   # seconds; left out: until the optimum is proven"
    yield ""


def release_lines(trials: Trials | None) -> Iterator[str]:
    """Write how many records may go, what other limits would give, and whether all have one scheme."""
    limit = PROPOSED_LIMIT if trials is None else trials.proposed.limit
    yield "[release]"
    if trials is not None and trials.limits:
        yield f"# {trials.limits_sentence()}"
    yield f"suppression_limit = {limit}   # at most {percent(limit, 0)} of the records are dropped"
    if trials is not None:
        yield from (f"# {sentence}" for sentence in trials.sentences())
        yield f"layers = {write_value(trials.proposed.recoding == 'layers')}"
    yield ""


def analysis_lines(decisions: Sequence[Decision]) -> Iterator[str]:
    """Write analyses of what is needed, or of all that is released, as comments that run as they are."""
    yield "# What the users of the release will compute; `anonymizer evidence` runs it on both tables."
    for number, analysis in enumerate(propose_analyses(decisions)):
        yield from () if number == 0 else ("#",)
        yield "# [[analysis]]"
        yield from (f"# {line}" for line in write_keys(analysis))


def propose_analyses(decisions: Sequence[Decision]) -> Iterator[dict[str, str | list[str]]]:
    """Propose analyses: distributions, joint ones, and a regression of a number that is needed."""
    needed = [each for each in decisions if each.needed and not each.role.dropped]
    names = [write_comment(each.column) for each in needed]
    some = {"columns": names} if names else {}
    yield {"name": "distributions", "kind": "marginals", **some}
    if len(names) != 1:
        yield {"name": "pairs", "kind": "two-way", **some}
    numbers = [each for each in needed if each.content in NUMBERS and each.figures.distinct > 2]
    others = [each for each in needed if each not in numbers[-1:]]
    if numbers and others and not any("`" in name for name in names):
        terms = " + ".join(f"`{each.column}`" for each in others)
        formula = f"`{numbers[-1].column}` ~ {terms}"
        yield {"name": "effects", "kind": "linear", "formula": formula}


def attribute_lines(decisions: Sequence[Decision], files: Mapping[str, str]) -> Iterator[str]:
    """Write the columns by role, those of one reason below it, each with its figures."""
    last = None
    for (role, reason), alike in by_reason(decisions).items():
        if role is not last:
            yield f"# --- {HEADINGS[role]}"
        last = role
        yield f"# {write_comment(reason)}"
        yield from (f"{attribute_line(each, files)}   # {each.figures}" for each in alike)
        yield ""


def by_reason(decisions: Sequence[Decision]) -> dict[tuple[Role, str], list[Decision]]:
    """Group columns by role, and in each role by reason, the most frequent reason first."""
    groups: dict[tuple[Role, str], list[Decision]] = {}
    for each in decisions:
        groups.setdefault((each.role, each.reason), []).append(each)
    places = list(HEADINGS)
    order = sorted(groups, key=lambda key: (places.index(key[0]), -len(groups[key])))
    return {key: groups[key] for key in order}


def attribute_line(decision: Decision, files: Mapping[str, str]) -> str:
    """Write the keys of one column."""
    keys: dict[str, str | float] = {"role": decision.role.value}
    if decision.role is Role.QUASI:
        keys["hierarchy"] = f"{FOLDER}/{files[decision.column]}"
        keys |= {"weight": NEEDED_WEIGHT} if decision.needed else {}
    if decision.role is Role.REMOVED and write_comment(decision.reason).strip():
        keys["reason"] = write_comment(decision.reason)
    return "".join(write_keys({decision.column: keys}))


def file_names(columns: Iterable[str]) -> dict[str, str]:
    """Name a spec for each column, no two alike on any system.

    >>> file_names(["a/b", "a_b", "Größe (cm)"])
    {'a/b': 'a_b.toml', 'a_b': 'a_b_2.toml', 'Größe (cm)': 'Größe_cm.toml'}
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for column in columns:
        plain = re.sub(r"[^\w-]+", "_", column).strip("_")[:LONGEST] or "column"
        tried = (plain if number == 1 else f"{plain}_{number}" for number in itertools.count(1))
        name = next(name for name in tried if name.casefold() not in taken)
        taken.add(name.casefold())
        names[column] = f"{name}.toml"
    return names
