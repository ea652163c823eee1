"""sources: nobody is found through an external source with more than the accepted probability."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from anonymizer.attackers.overlap import Proportion
from anonymizer.attackers.sources import SourceAttack
from anonymizer.attackers.statement import SMALL_CELL, Statement
from anonymizer.attackers.statistics import SLACK
from anonymizer.errors import PolicyError, quote_some, suggest_cell, suggest_name
from anonymizer.risk.assumption import Assumption, Unit
from anonymizer.risk.inputs import HierarchyOf, Inputs, no_hierarchy, paths_in
from anonymizer.risk.model import Estimates, ModelKind, RiskModel
from anonymizer.risk.parameters import THRESHOLD, Parameter, check_share
from anonymizer.risk.remaining import Kept, Remaining
from anonymizer.table.microdata import Microdata


@dataclass(frozen=True)
class Sources(RiskModel):
    """For every source of a statement, and everybody kept, p q / k or 1 / (k m) is at most the threshold.

    k is the number of people kept who share the person's generalized values of the source's own keys; m,
    for a source with a table, is the number of its people who match them, and whom nobody matches is not
    found (Simon et al. 2020). The statement is one, or the path of its TOML file; `threshold`, where it
    is given, takes the place of all thresholds of the statement. It is a model of single people: what is
    suppressed is the least that meets it, over all subsets of the records.

    Where the statement says `given_away = "none"`, nobody kept is in a cell of at most 5 people by a
    source's keys in which everyone has a sensitive value that is new to the source, and which it leads to
    with more than its threshold. That is a limit on single people too: joining cells that pass gives one
    that passes, as it is larger and has whoever lacks the value.
    """

    name: ClassVar[str] = "sources"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        replace(THRESHOLD, usual=(0.5, 0.33, 0.2, 0.1, 0.09, 0.05, 0.02)),
    )
    kind: ClassVar[ModelKind] = ModelKind.PEOPLE  # a coarser cell has no fewer people

    statement: Any = field(hash=False)
    threshold: float | None = None

    def __post_init__(self) -> None:
        if self.threshold is not None:
            check_share("threshold", self.threshold)
        if isinstance(self.statement, str):
            object.__setattr__(self, "statement", Path(self.statement))
        if not isinstance(self.statement, Statement | Path):
            raise ValueError(
                f"statement must be a Statement or the path of one, got {self.statement!r}"
            )

    def __str__(self) -> str:
        if self.threshold is None:
            return f"{self.name} within the thresholds of the statement"
        return f"{self.name} with a probability of at most {self.threshold:g}"

    def files(self, folder: Path) -> list[Path]:
        """Return the statement and the tables it names; a statement with faults is left to `resolve`."""
        own = [folder / path for path in paths_in(self.statement)]
        try:
            return [*own, *self.resolve(folder).statement.files]
        except PolicyError:
            return own

    def resolve(self, folder: Path, hierarchy_of: HierarchyOf = no_hierarchy) -> Self:  # noqa: ARG002
        """Read the statement, if it is a path, relative to a folder."""
        if isinstance(self.statement, Statement):
            return self
        return replace(self, statement=Statement.read(folder / self.statement))

    @property
    def inputs(self) -> Inputs:
        """The keys of each source, and the original values where the overlap depends on one."""
        shares = (share for source in self.statement.source for share in source.shares())
        depends = any(share.by is not None for share in shares)
        refused = self.statement.sensitive if self.refuses_telling else {}
        return Inputs(
            sensitive=tuple(refused), harmful=refused, original_values=depends, single_columns=True
        )

    @property
    def refuses_telling(self) -> bool:
        """Whether small cells must not give a sensitive value away."""
        return bool(self.statement.given_away == "none")

    def check(self, people: int, quasi_identifiers: tuple[str, ...]) -> list[str]:  # noqa: ARG002
        """Check that the keys are quasi-identifiers, and that what must not be told is none."""
        told = [n for n in self.inputs.sensitive if n in quasi_identifiers]
        return [
            *(
                f"sources: '{name}', of which nothing may be given away, is a quasi-identifier; give it "
                "the role 'sensitive', or leave it out of [sensitive]"
                for name in told
            ),
        ] + [
            f"sources: '{key}', a key of '{source.name}', is not a quasi-identifier; "
            f"{suggest_name(key, quasi_identifiers)}"
            for source in self.statement.source
            for key in source.keys
            if key not in quasi_identifiers
        ]

    def attacks(self, microdata: Microdata) -> tuple[SourceAttack, ...]:
        """Return the sources against a table, prepared once for it."""
        statement: Statement = self.statement

        return microdata.once(statement, lambda: tuple(SourceAttack.all_of(statement, microdata)))

    def assumptions(self) -> tuple[Assumption, ...]:
        """Return p and q of every source that is not at hand."""
        return tuple(
            self.assumption(number, key)
            for number, source in enumerate(self.statement.source)
            for key in ("p", "q")
            if source.path is None
        )

    def assumption(self, number: int, key: str) -> Assumption:
        """Return p or q of one source; what is stated of it without some keys stays."""
        sources = self.statement.source
        source = sources[number]
        stated: Proportion = {"p": source.p, "q": source.q}[key]

        def changed(value: float) -> Sources:
            other = source.model_copy(update={key: stated.with_largest(value)})
            update = {"source": (*sources[:number], other, *sources[number + 1 :])}
            return replace(self, statement=self.statement.model_copy(update=update))

        return Assumption(f"{key} of {source.name}", stated.largest, Unit.PROBABILITY, changed)

    def prepare(self, microdata: Microdata) -> None:
        """Read the tables of the sources that are at hand, and check that all fits."""
        stated, known = self.statement.id, microdata.id
        if stated not in (None, known):
            counts, remedy = (
                ("counts rows", f'add id = "{stated}" to [data].')
                if known is None
                else (f"by '{known}'", "name the same id in both.")
            )
            raise PolicyError(
                f"sources: the statement counts people by '{stated}', and the policy {counts}; {remedy}"
            )
        if self.refuses_telling and microdata.people is not None:
            raise PolicyError(
                'sources: given_away = "none" counts each row as a person, and the policy names an id; '
                "leave out one of them."
            )
        for name in self.inputs.sensitive:
            values, texts = self.statement.sensitive[name], microdata.sensitive[name].texts
            if absent := [value for value in values if value not in texts]:
                raise PolicyError(
                    f"statement: sensitive.{name}: {quote_some(absent)} does not occur in the column; "
                    f"{suggest_cell(absent[0], texts)}"
                )
        for attack in self.attacks(microdata):
            microdata.once(attack, attack.check)

    def violators(self, kept: Kept) -> NDArray[np.bool_]:
        """Mark the tuples whose people some source finds with too high a probability.

        Whoever is suppressed no longer hides others.
        """
        found = np.zeros(kept.tuples.size, np.bool_)
        for attack in self.attacks(kept.microdata):
            limit = self.limit_of(attack)
            if attack.constant:
                attack.mark_too_few(kept.scheme, kept.tuples, limit, found)
            else:
                found |= self.probabilities(attack, kept) > limit
            if self.refuses_telling:
                found |= self.telling(attack, kept, limit)
        return found

    def telling(self, attack: SourceAttack, kept: Kept, limit: float) -> NDArray[np.bool_]:
        """Mark the tuples in small cells of a source that give a sensitive value away."""
        microdata = kept.microdata
        labels, people = attack.count_people(kept.scheme, kept.tuples)
        small = (people > 0) & (people <= SMALL_CELL)
        there = np.flatnonzero(kept.tuples & small[labels])
        highest = np.zeros(people.size)
        np.maximum.at(highest, labels[there], self.certainty(attack, kept)[there])
        small &= highest > limit
        found = np.zeros(kept.tuples.size, np.bool_)
        if not small.any():
            return found
        for name, values in self.statement.sensitive.items():
            if not attack.source.learns(name):
                continue
            column = microdata.sensitive[name]
            having = kept.tuples[column.tuple_of_pair] & column.choose(values)[column.value_of_pair]
            of_pair = labels[column.tuple_of_pair]
            all_have = np.bincount(of_pair, column.records * having, people.size) == people
            found |= (small & all_have)[labels] & kept.tuples
        return found

    def certainty(self, attack: SourceAttack, kept: Kept) -> NDArray[np.float64]:
        """Return the probability of each tuple under one source if its people were alone."""
        return attack.certainty(kept.scheme)

    def probabilities(self, attack: SourceAttack, kept: Kept) -> NDArray[np.float64]:
        """Return the probability of each tuple under one source."""
        return attack.probabilities(kept.scheme, kept.tuples, self.certainty(attack, kept))

    def with_estimates(self, at: Estimates) -> RiskModel:
        """Return the model with the least certainty, where a finer scheme may have less of it.

        The overlap may change once a key is left out, and whom nobody matches is not found.
        """
        sure = not any(source.without or source.path for source in self.statement.source)
        if sure or at is Estimates.MOST:
            return self
        return WithLeastCertainty(self.statement, self.threshold)

    def limit_of(self, attack: SourceAttack) -> float:
        """Return the probability that a source may reach, rounding included."""
        return (attack.threshold if self.threshold is None else self.threshold) + SLACK

    def risk(self, remaining: Remaining, cut: int = 0) -> float:
        """Return the highest probability of anybody who remains, over all sources."""
        return float(self.risks(remaining.kept(cut)).max(initial=0.0))

    def risks(self, kept: Kept) -> NDArray[np.float64]:
        """Return the highest probability of each tuple among those kept, over all sources."""
        highest = np.zeros(kept.tuples.size)
        for attack in self.attacks(kept.microdata):
            np.maximum(highest, self.probabilities(attack, kept), out=highest)
        return highest

    def passes(self, remaining: Remaining, cut: int = 0) -> bool:
        """Whether nobody who remains is above a threshold."""
        return not self.violators(remaining.kept(cut)).any()

    def first_cut(self, remaining: Remaining, start: int) -> int:  # noqa: ARG002
        """Suppress no more: whoever is above a threshold is suppressed already."""
        return start


class WithLeastCertainty(Sources):
    """The model with the least certainty: at no finer scheme is anybody's probability lower."""

    def certainty(self, attack: SourceAttack, kept: Kept) -> NDArray[np.float64]:
        """Return the least that it is at any finer scheme."""
        return attack.least_certainty(kept.scheme)
