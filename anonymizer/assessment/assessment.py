"""assess: all that can be found out about what attackers could do with a table.

Three questions, each asked only where the user says something about it: how likely is each record
re-identified under a scenario (Xia et al. 2021), from which external source with what probability (the
steward's procedure of Simon et al. 2020), and by which combinations of what people disclose elsewhere
(the naive re-identification framework).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anonymizer.assessment.findings import ProcedureFindings
from anonymizer.assessment.procedure import follow_procedure, load_statement
from anonymizer.assessment.scenario_risk import (
    OnProgress,
    ScenarioRisk,
    Scenarios,
    assess_scenarios,
    name_scenarios,
)
from anonymizer.attackers.disclosed import assess_disclosure
from anonymizer.attackers.disclosure import (
    Disclosing,
    Source,
    check_named,
    named_attributes,
    read_disclosing,
)
from anonymizer.attackers.nrf import Reidentification
from anonymizer.attackers.scenario import Scenario
from anonymizer.attackers.statement import Statement
from anonymizer.attackers.unique_subsets import OnSubsets
from anonymizer.data.coded import load
from anonymizer.data.opening import TableLike
from anonymizer.data.table import Table
from anonymizer.display import Displayed
from anonymizer.errors import AnonymizerWarning, PolicyError
from anonymizer.hierarchy import Hierarchy
from anonymizer.policy import Policy, PolicyLike
from anonymizer.problem import Source as Data
from anonymizer.problem import columns_described, load_policy, open_data

DEFAULT_SCENARIO = "worst-case"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Assessment(Displayed):
    """What was found about a table; a question that was not asked has no answer."""

    table: str
    """The name of its file, without the folder."""
    findings: ProcedureFindings | None = None
    """What the steward's procedure found, source by source."""
    scenarios: tuple[ScenarioRisk, ...] = ()
    disclosure: Reidentification | None = None
    """The risk over all subsets of the attributes that people disclose elsewhere."""

    @property
    def records(self) -> int:
        """The number of rows of the table."""
        if self.findings is not None:
            return self.findings.rows
        if self.disclosure is not None:
            return self.disclosure.uniqueness.records
        return self.scenarios[0].records

    @property
    def passes(self) -> bool | None:
        """Whether nobody is above a threshold that the steward stated; None where none was stated."""
        verdicts = [each.passes for each in (self.findings, self.disclosure) if each is not None]
        stated = [verdict for verdict in verdicts if verdict is not None]
        return all(stated) if stated else None

    def describe(self) -> dict[str, Any]:
        """Return all figures as JSON; no values of single records are among them."""
        findings, disclosure = self.findings, self.disclosure
        return {
            "table": self.table,
            "records": self.records,
            "passes": self.passes,
            "findings": None if findings is None else findings.describe(),
            "scenarios": [scenario.describe() for scenario in self.scenarios],
            "disclosure": None if disclosure is None else disclosure.describe(),
        }


def assess(
    data: Data,
    policy: PolicyLike,
    scenarios: Scenarios | None = None,
    *,
    statement: Statement | str | Path | None = None,
    sources: Sequence[Source] | Disclosing | str | Path | None = None,
    external: TableLike | None = None,
    e_uniqueness: float | None = None,
    workers: int | None = None,
    on_progress: OnProgress | None = None,
    seed: int = 0,
) -> Assessment:
    """Say what attackers could do with a table: under scenarios, from external sources, or both.

    `data` is a dataframe or a path, raw or released, or None where the policy says where it is; of the
    policy only the roles and hierarchies count. Each of `scenarios` is one, a TOML file, or the name of
    one that is shipped; where nothing is asked it is the worst case. `statement` describes external
    sources, `sources` the places where people disclose attributes, each built in code or a TOML file;
    `external` and `e_uniqueness` belong to the latter, and say what is unique out there.

    Under a scenario a cell may hold a value of any level, and a suppressed one is `*`; of a record with
    such cells the attacker is taken to know what the table tells. The risks are exact given u_S;
    where too many sets of attributes may be known, these are drawn with the seed.
    """
    policy = load_policy(policy)
    if scenarios is None and statement is None and sources is None:
        scenarios = DEFAULT_SCENARIO
    named = {} if scenarios is None else name_scenarios(scenarios)
    stated = None if statement is None else load_statement(statement)
    disclosing = load_sources(sources, external, e_uniqueness)
    table = open_assessed(data, policy, named.values(), stated, disclosing)
    findings = disclosure = None
    if disclosing is not None:
        check_named(disclosing.sources, table)  # a mistake is better known before the work
    if stated is not None:
        given = statement if isinstance(statement, str | Path) else stated
        findings = follow_procedure(table, policy, given, tell_step(on_progress))
    risks = assess_scenarios(table, policy, named, workers, on_progress, seed) if named else ()
    if disclosing is not None:
        disclosure = assess_disclosure(
            table,
            with_id(disclosing, table, policy),
            external,
            e_uniqueness=e_uniqueness,
            hierarchies=hierarchies_of(policy, disclosing),
            delimiter=policy.data.delimiter,
            encoding=policy.data.encoding,
            workers=workers,
            on_subsets=tell_subsets(on_progress),
        )
    return Assessment(Path(table.name).name, findings, risks, disclosure)


def with_id(disclosing: Disclosing, table: Table, policy: Policy) -> Disclosing:
    """Count people by the policy's id where the sources name none and the table has it."""
    if disclosing.id is None and policy.data.id in table.columns:
        return replace(disclosing, id=policy.data.id)
    return disclosing


def open_assessed(
    data: Data,
    policy: Policy,
    scenarios: Collection[Scenario],
    statement: Statement | None,
    disclosing: Disclosing | None,
) -> Table:
    """Open a table so that all who look at it read it once, when the first of them does."""
    table = open_data(data, policy)
    warn_of_absent_id(table, policy)
    looked_at = [
        *(policy.quasi_identifiers if scenarios or statement is not None else ()),
        *(name for scenario in scenarios for name in scenario.beside(policy.quasi_identifiers)),
        *(() if statement is None else statement.columns),
        *(() if statement is None else columns_described(table, (), policy)),
        *(() if policy.data.id is None else (policy.data.id,)),
        *(() if disclosing is None else disclosing.columns),
    ]
    return load(table, looked_at)


def warn_of_absent_id(table: Table, policy: Policy) -> None:
    """Warn that people cannot be counted, because a release does not tell whose its rows are."""
    if policy.data.id is not None and policy.data.id not in table.columns:
        warnings.warn(
            f"{table.name}: no column '{policy.data.id}' tells whose a row is, so each row counts as a "
            "person, and risks may be higher than shown; for a release in people, run verify with "
            "--against.",
            AnonymizerWarning,
            stacklevel=3,
        )


def load_sources(
    sources: Sequence[Source] | Disclosing | str | Path | None,
    external: object,
    e_uniqueness: float | None,
) -> Disclosing | None:
    """Read the sources that are given by their path; what belongs to them needs them."""
    if sources is None and (external is not None or e_uniqueness is not None):
        raise PolicyError("E-uniqueness is about what sources disclose; name the sources too.")
    if sources is None or isinstance(sources, Disclosing):
        return sources
    return (
        read_disclosing(sources) if isinstance(sources, str | Path) else Disclosing(tuple(sources))
    )


def hierarchies_of(policy: Policy, disclosing: Disclosing) -> dict[str, Hierarchy]:
    """Load the hierarchies of what is disclosed, where the policy has them."""
    named = set(named_attributes(disclosing.sources))
    return {name: policy.hierarchy(name) for name in policy.quasi_identifiers if name in named}


def tell_step(on_progress: OnProgress | None) -> Callable[[str], None]:
    """Tell the steps of the procedure, whose number is not known."""
    tell = on_progress or (lambda *_: None)
    return lambda what: tell(what, 0, 0)


def tell_subsets(on_progress: OnProgress | None) -> OnSubsets:
    """Tell how many subsets are counted."""
    tell = on_progress or (lambda *_: None)
    return lambda done, subsets: tell(f"{done:,} of {subsets:,} subsets", done, subsets)
