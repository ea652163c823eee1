"""Does a statement fit the policy of the table it is about?"""

from __future__ import annotations

from collections.abc import Iterator

from anonymizer.attackers.statement import ExternalSource, Statement
from anonymizer.errors import PolicyError, suggest_name
from anonymizer.policy import Policy, Role


def check_statement(statement: Statement, policy: Policy) -> None:
    """Raise a PolicyError that lists every name that is not a column of the policy's table."""
    known = tuple(policy.attributes)
    faults = []
    for number, source in enumerate(statement.source):
        faults += [
            f"source.{number}.keys: '{key}' is not a column; {suggest_name(key, known)}"
            for key in source.keys
            if key not in known
        ]
        faults += list(level_faults(f"source.{number}", source, policy))
        if statement.id in source.keys:
            faults.append(
                f"source.{number}.keys: '{statement.id}' is the id; a key is known to others."
            )
    faults += [
        f"{place}: '{name}' is not a column; {suggest_name(name, known)}"
        for place, names in (("sensitive", statement.sensitive), ("outcome", statement.outcome))
        for name in names
        if name not in known
    ]
    if statement.id is not None and statement.id not in known:
        faults.append(f"id: '{statement.id}' is not a column; {suggest_name(statement.id, known)}")
    elif None not in (statement.id, policy.data.id) and statement.id != policy.data.id:
        faults.append(
            f"id: '{statement.id}' is not the id of the policy, '{policy.data.id}'; use that."
        )
    if faults:
        raise PolicyError.defective("statement", faults)


def level_faults(where: str, source: ExternalSource, policy: Policy) -> Iterator[str]:
    """Check that keys known on a coarser level have a hierarchy with that level."""
    coarser = [key for key, level in source.levels.items() if level and key in policy.attributes]
    generalized = [key for key in coarser if policy.attributes[key].role is Role.QUASI]
    for key in coarser:
        if key not in generalized:
            yield f"{where}.levels: '{key}' has no hierarchy in the policy; leave it out."
    heights = {key: policy.hierarchy(key).height for key in generalized}
    yield from (f"{where}.levels: {fault}" for fault in source.level_faults(heights))
