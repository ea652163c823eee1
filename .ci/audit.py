"""Write an SBOM of the package with all extras, and look at licences and known vulnerabilities.

What is installed is what is looked at. The exit status is 1 for a vulnerability, and for a licence that
is not known or would bind whoever passes the package on. What could not be looked up is said.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PACKAGE = "anonymizer"
NOT_OURS = ("test", "dev", "docs")
"""Extras of those who work on the package; nobody who uses it installs them."""
SPDX = {
    "apache license 2.0": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "apache 2.0": "Apache-2.0",
    "bsd": "BSD-3-Clause",
    "bsd 3-clause": "BSD-3-Clause",
    "bsd license": "BSD-3-Clause",
    "dual license": "Apache-2.0 OR BSD-3-Clause",
    "gnu lesser general public license v3 (lgplv3)": "LGPL-3.0-only",
    "isc license (iscl)": "ISC",
    "mit": "MIT",
    "mit license": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "python software foundation license": "PSF-2.0",
}
"""How the names that packages give their licences are called in SBOMs."""
STRONG = re.compile(r"\bA?GPL|General Public License v\d \((A?GPL)|Affero", re.IGNORECASE)
"""Licences that bind a whole work."""
NOT_KNOWN = "not known"
EXCEPTED = re.compile(r"GPL-3\.0-or-later WITH GCC-exception-3\.1")
"""The runtime of GCC, which wheels may bring: it binds nobody who links to it."""


@dataclass(frozen=True)
class Component:
    """A package that is installed, and what it needs."""

    name: str
    version: str
    licence: str
    needs: tuple[str, ...]
    optional: bool
    """Whether only an extra needs it."""

    @property
    def ref(self) -> str:
        """Its address among packages."""
        return f"pkg:pypi/{self.name}@{self.version}"

    def describe(self) -> dict[str, Any]:
        """Return it as CycloneDX has it."""
        licence = {"expression": self.licence}
        if not re.fullmatch(r"[A-Za-z0-9.+() -]+", self.licence) or self.licence == NOT_KNOWN:
            licence = {"license": {"name": self.licence}}  # type: ignore[dict-item]
        return {
            "type": "library",
            "bom-ref": self.ref,
            "name": self.name,
            "version": self.version,
            "purl": self.ref,
            "scope": "optional" if self.optional else "required",
            "licenses": [licence],
        }


def licence_of(found: Distribution) -> str:
    """Return the licence that a package declares, as an SPDX expression where that is known."""
    declared = found.metadata
    if expression := declared.get("License-Expression"):
        return str(expression)
    prefix = "License :: "
    classified = [
        c.rsplit(" :: ", 1)[-1] for c in declared.get_all("Classifier", []) if c.startswith(prefix)
    ]
    named = [name for name in classified if name != "OSI Approved"]
    first = (declared.get("License") or "").strip().split("\n")[0]
    names = [first] if first.lower() in SPDX else named or ([first] if first else [])
    return " AND ".join(SPDX.get(name.lower(), name) for name in names) or NOT_KNOWN


def needed(found: Distribution, extras: Iterable[str]) -> Iterator[Requirement]:
    """Yield what a package with some extras needs on this machine."""
    for text in found.requires or ():
        requirement = Requirement(text)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield requirement


def installed(root: str, extras: Sequence[str]) -> dict[str, set[str]]:
    """Return all packages that a package with extras needs, each with what it needs itself."""
    found: dict[str, set[str]] = {}
    done, left = set(), [(root, tuple(extras))]
    while left:
        name, wanted = left.pop()
        if (name, wanted) in done:
            continue
        done.add((name, wanted))
        try:
            requirements = list(needed(distribution(name), wanted))
        except PackageNotFoundError:  # an extra that is not installed here
            continue
        there = [
            (canonicalize_name(each.name), tuple(sorted(each.extras))) for each in requirements
        ]
        found.setdefault(name, set()).update(each for each, _ in there if each != name)
        left += there
    return found


def components() -> list[Component]:
    """List the packages that the package needs, with all extras but those of its developers."""
    extras = [
        e for e in distribution(PACKAGE).metadata.get_all("Provides-Extra", []) if e not in NOT_OURS
    ]
    everything, required = installed(PACKAGE, extras), installed(PACKAGE, ())
    return [
        Component(
            name,
            distribution(name).version,
            licence_of(distribution(name)),
            tuple(sorted(needs & everything.keys())),
            name not in required,
        )
        for name, needs in sorted(everything.items())
        if name != PACKAGE
    ]


def sbom(found: Sequence[Component], now: datetime) -> dict[str, Any]:
    """Return a software bill of materials, CycloneDX 1.5."""
    own = distribution(PACKAGE)
    root = Component(PACKAGE, own.version, licence_of(own), (), False)
    refs = {each.name: each.ref for each in found}
    direct = sorted({canonicalize_name(each.name) for each in needed(own, ())} & refs.keys())
    optional = sorted(each.name for each in found if each.optional)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": now.isoformat(timespec="seconds"),
            "component": {**root.describe(), "type": "application"},
        },
        "components": [each.describe() for each in found],
        "dependencies": [
            {"ref": root.ref, "dependsOn": [refs[name] for name in sorted({*direct, *optional})]},
            *(
                {"ref": each.ref, "dependsOn": [refs[name] for name in each.needs]}
                for each in found
            ),
        ],
    }


def bad_licences(found: Iterable[Component]) -> list[str]:
    """Say which licences are not known, or would bind whoever passes the package on."""
    return [
        f"{each.name} {each.version}: {each.licence}"
        for each in found
        if each.licence == NOT_KNOWN or STRONG.search(EXCEPTED.sub("", each.licence))
    ]


def look_up(found: Sequence[Component], program: str, listed: Path) -> tuple[list[str], str | None]:
    """Return the known vulnerabilities, and why packages could not be looked up; None if all were."""
    listed.write_text("".join(f"{each.name}=={each.version}\n" for each in found), encoding="utf-8")
    command = [
        program,
        "--requirement",
        str(listed),
        "--no-deps",
        "--disable-pip",
        "--format",
        "json",
    ]
    try:
        run = subprocess.run(
            [*command, "--progress-spinner", "off"], capture_output=True, text=True, check=False
        )
        reports = json.loads(run.stdout)["dependencies"]
    except (OSError, ValueError, KeyError, TypeError):
        return [], "pip-audit cannot be had, or does not reach its database, from here"
    return read_reports(reports, len(found))


def read_reports(reports: Sequence[Mapping[str, Any]], asked: int) -> tuple[list[str], str | None]:
    """Read what pip-audit says of each package; one that it skips was not looked up.

    It says "no known vulnerabilities" also where it skipped every one of them.
    """
    vulnerable = [
        f"{each['name']} {each['version']}: {fault['id']}"
        for each in reports
        for fault in each.get("vulns", ())
    ]
    skipped = asked - sum("vulns" in each for each in reports)
    if not skipped:
        return vulnerable, None
    return (
        vulnerable,
        f"{skipped} of {asked} packages are not in the database that can be reached from here",
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the SBOM, and say what was found."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--out", type=Path, default=Path("build"), help="folder to write to")
    options.add_argument("--pip-audit", default="pip-audit", help="where pip-audit is")
    given = options.parse_args(arguments)
    folder = given.out
    folder.mkdir(parents=True, exist_ok=True)
    found = components()
    text = json.dumps(sbom(found, datetime.now(UTC)), indent=1)
    (folder / "sbom.json").write_text(text + "\n", encoding="utf-8")
    required = sum(not each.optional for each in found)
    print(f"SBOM: {folder / 'sbom.json'}, {len(found)} packages, {required} of them always needed")
    bad = bad_licences(found)
    licences = sorted({each.licence for each in found})
    print(f"licences: {', '.join(licences)}")
    for sentence in bad:
        print(f"  look at {sentence}")
    vulnerable, why = look_up(found, given.pip_audit, folder / "packages.txt")
    for sentence in vulnerable:
        print(f"  VULNERABLE: {sentence}")
    missing = f"; NOT looked up: {why}" if why else ""
    print(f"known vulnerabilities: {len(vulnerable) or 'none found'}{missing}")
    return 1 if bad or vulnerable else 0


if __name__ == "__main__":
    sys.exit(main())
