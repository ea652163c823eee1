"""Claims about a release, and whether they hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anonymizer.data.table import Table
from anonymizer.display import Displayed
from anonymizer.errors import quote_some

ROUNDING = 1e-12
"""Figures that differ by less are the same."""


@dataclass(frozen=True, slots=True)
class Check:
    """One claim and whether it holds; `passed` is None where it could not be checked."""

    claim: str
    passed: bool | None
    detail: str
    about_risk: bool = False
    """Whether a release is not verified while it is not checked: a risk model, the rows of a sample."""
    warning: bool = False
    """Whether the detail is something to look at before the release is used."""


@dataclass(frozen=True, slots=True, repr=False)
class Verification(Displayed):
    """All claims about a release."""

    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Whether no claim fails and every risk model was checked."""
        unchecked = any(check.passed is None and check.about_risk for check in self.checks)
        return bool(self.checks) and not self.failures and not unchecked

    @property
    def failures(self) -> tuple[Check, ...]:
        """The claims that do not hold."""
        return tuple(check for check in self.checks if check.passed is False)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What no claim forbids and somebody should look at."""
        return tuple(check.detail for check in self.checks if check.warning)


def check_digest(claim: str, table: Table, expected: Mapping[str, Any]) -> Check:
    """Compare a table's digest with the manifest's."""
    same = table.digest() == expected["sha256"]
    detail = "SHA-256 agrees" if same else f"{table.name} has another SHA-256 than in the manifest"
    return Check(claim, same, detail)


def differing_keys(mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    """List the figures that differ by more than rounding."""
    return [key for key, value in mine.items() if key not in theirs or differ(value, theirs[key])]


def differ(mine: Any, theirs: Any) -> bool:
    """Whether two figures, or tables of figures, differ by more than rounding."""
    if isinstance(mine, Mapping) and isinstance(theirs, Mapping):
        return mine.keys() != theirs.keys() or bool(differing_keys(mine, theirs))
    if isinstance(mine, int | float) and isinstance(theirs, int | float):
        # compared, not subtracted: an integer may be larger than any float
        slack = ROUNDING * max(1, abs(mine))
        return not mine - slack <= theirs <= mine + slack
    return bool(mine != theirs)


def check_figures(claim: str, mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> Check:
    """Check that recomputed figures are the reported ones."""
    differing = differing_keys(mine, theirs)
    detail = f"differs in {quote_some(differing)}" if differing else "all figures agree"
    return Check(claim, not differing, detail)


def check_packages(mine: Mapping[str, str], theirs: Mapping[str, str] | None) -> Check:
    """Compare the packages that the risk models come from; another version is not another package."""
    claim = "the risk models come from the packages named"
    if theirs is None:
        return Check(claim, None, "the manifest names no packages")
    pairs = {name: (theirs.get(name, "no package"), package) for name, package in mine.items()}
    details = [f"{name}: {then} then, {now} now" for name, (then, now) in pairs.items()]
    if any(then.split()[:1] != now.split()[:1] for then, now in pairs.values()):
        return Check(claim, False, "; ".join(details), about_risk=True)
    if any(then != now for then, now in pairs.values()):
        return Check(claim, None, "; ".join(details))
    return Check(claim, True, ", ".join(dict.fromkeys(mine.values())))
