"""A verification: each claim with its verdict, those that fail first."""

from __future__ import annotations

from anonymizer.report.sections import FigureTable, Section, Toned, bad, good
from anonymizer.verification.claims import Verification

VERDICTS = {True: good("holds"), False: bad("FAILS"), None: Toned("not checked", "open")}


def verdict(verification: Verification) -> str:
    """Say in one line what came of a verification."""
    unchecked = sum(check.passed is None for check in verification.checks)
    rest = f", {unchecked} could not be checked" if unchecked else ""
    if verification.passed:
        return f"verified: every claim that was checked holds{rest}"
    return f"NOT verified: {len(verification.failures)} claims fail{rest}"


def sections(verification: Verification) -> tuple[Section, ...]:
    """Show each claim with its verdict, those that fail first, and what is warned of."""
    checks = sorted(verification.checks, key=lambda check: check.passed is not False)
    rows = tuple((check.claim, VERDICTS[check.passed], check.detail) for check in checks)
    claims = Section("", (), (FigureTable(("claim", "verdict", "detail"), rows),))
    warned = tuple(f"warning: {each}" for each in verification.warnings)
    return (claims, Section("", warned)) if warned else (claims,)
