"""ARX beside us: the same search by ARX, in its own JVM, for the benchmark's rows.

Nothing of ARX is part of this project. Who wants the comparison downloads the library
(`libarx-VERSION.jar`, ARX 3.9 or later) from ARX's own site, https://arx.deidentifier.org/downloads/,
or the releases of https://github.com/arx-deidentifier/arx, installs a JDK, and names the file:

    ANONYMIZER_LIBARX=libarx-3.9.1.jar make bench
    python -m experiments.benchmark.arx --arx libarx-3.9.1.jar      # ARX alone, against the reference

`ArxDriver.java` is compiled against that file and run once for each model in a fresh JVM: loss,
generalization and suppression alike (factor 0.5). Unless `Settings` say otherwise: the geometric mean,
suppression limit 1.0, every column a quasi-identifier of weight 1, the optimal search.
"""

from __future__ import annotations

import csv
import json
import math
import os
import re
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonymizer.errors import AnonymizerError
from experiments.datasets import DATA, path_of

VARIABLE = "ANONYMIZER_LIBARX"
DRIVER = Path(__file__).with_name("ArxDriver.java")
MODELS = frozenset(
    {"k-anonymity", "average", "strict-average", "k-map", "sample-uniqueness", "p-uniqueness"}
)
"""The models the driver can ask ARX for."""

MOST_SCHEMES = 100_000
"""ARX searches no larger lattice for an optimum."""

SIGNIFICANCE = 0.1
"""The default of k-map, ours and the papers'."""

DELIMITER = ";"
A_CLASS = "org/deidentifier/arx/ARXAnonymizer.class"


ALGORITHMS = {
    "optimal": "OPTIMAL",
    "genetic": "BEST_EFFORT_GENETIC",
    "top-down": "BEST_EFFORT_TOP_DOWN",
    "bottom-up": "BEST_EFFORT_BOTTOM_UP",
}
AGGREGATES = {"geometric": "GEOMETRIC_MEAN", "arithmetic": "ARITHMETIC_MEAN"}

OVERRUN = 60.0
"""A JVM that takes so many seconds longer than its searches may take is ended."""


@dataclass(frozen=True)
class Settings:
    """How ARX searches; `time_limit` is in seconds, for each search."""

    algorithm: str = "optimal"
    aggregate: str = "geometric"
    suppression_limit: float = 1.0
    attributes: tuple[str, ...] | None = None
    weights: Mapping[str, float] | None = None
    time_limit: float | None = None
    warmups: int = 2
    repeats: int = 5

    @property
    def seconds(self) -> float | None:
        """How long a JVM may take in all; None is as long as it likes."""
        if self.time_limit is None:
            return None
        return OVERRUN + self.time_limit * (self.warmups + self.repeats)

    def arguments(self, columns: Sequence[str]) -> dict[str, Any]:
        """Return what the driver is told, for a table with these columns."""
        weights, chosen = self.weights or {}, self.attributes or tuple(columns)
        for attribute in (*chosen, *weights):
            if attribute not in columns:
                raise ArxError(
                    f"the table has no attribute '{attribute}'; it has {', '.join(columns)}."
                )
        told: dict[str, Any] = {
            "algorithm": ALGORITHMS[self.algorithm],
            "aggregate": AGGREGATES[self.aggregate],
            "suppression_limit": self.suppression_limit,
            "warmups": self.warmups,
            "repeats": self.repeats,
        }
        if self.time_limit is not None and self.algorithm != "optimal":
            told["milliseconds"] = round(1000 * self.time_limit)
        return told | {f"weight.{attribute}": weights.get(attribute, 1.0) for attribute in chosen}


class ArxError(AnonymizerError):
    """ARX cannot be run, or did not find what it was asked for."""


def find_jar(path: Path | None = None) -> Path | None:
    """Return the library the user named, by path or in $ANONYMIZER_LIBARX; None if neither."""
    if path is None and os.environ.get(VARIABLE):
        path = Path(os.environ[VARIABLE])
    if path is not None:
        check_jar(path)
    return path


def measure(
    jar: Path,
    name: str,
    risks: Sequence[Mapping[str, Any]],
    settings: Settings | None = None,
    *,
    data: Path | None = None,
    hierarchies: Path | None = None,
) -> list[dict[str, Any]]:
    """Search a data set with ARX for each risk model; seconds are the best of some, JVM warm.

    `search_seconds` is ARX's own clock (the search alone, to the millisecond), `total_seconds` the whole
    call with ARX's encoding of the table, `cpu_seconds` what all its threads worked in that time.
    `status` is "optimal", "heuristic", "no solution" or "time limit". `data` is a stand-in's table.
    """
    settings = settings or Settings()
    data = data or path_of(name)
    if data is None or not data.is_file():
        raise ArxError(f"data set '{name}': its table is not at hand; set ANONYMIZER_DATA.")
    hierarchies = hierarchies or DATA / name / "hierarchies"
    columns = header(data)
    told = settings.arguments(columns)
    chosen = settings.attributes or columns
    schemes = count_schemes(name, chosen, hierarchies, most=settings.algorithm == "optimal")
    told |= {"data": data, "hierarchies": hierarchies, "delimiter": DELIMITER}
    told |= {"significance": SIGNIFICANCE}
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        compile_driver(jar, Path(folder))
        for risk in risks:
            found = run_driver(jar, Path(folder), {**told, **risk}, settings.seconds)
            rows.append({"data": name, **risk, "schemes": schemes, **found, "arx": version_of(jar)})
    return rows


def header(data: Path) -> list[str]:
    """Return the names of a table's columns."""
    with data.open(encoding="utf-8", newline="") as file:
        return next(csv.reader(file, delimiter=DELIMITER))


def count_schemes(name: str, attributes: Sequence[str], hierarchies: Path, *, most: bool) -> int:
    """Return the size of the lattice, or say that ARX would refuse it.

    Asked here, not of ARX: some of its versions change to a heuristic search without a word.
    """
    schemes = math.prod(count_levels(hierarchies / f"{attribute}.csv") for attribute in attributes)
    if most and schemes > MOST_SCHEMES:
        raise ArxError(
            f"data set '{name}' has {schemes:,} schemes, and ARX searches at most {MOST_SCHEMES:,} "
            "for an optimum; leave out attributes, choose a heuristic or leave out ARX."
        )
    return schemes


def count_levels(hierarchy: Path) -> int:
    """Return the number of levels of a hierarchy in ARX's format."""
    if not hierarchy.is_file():
        raise ArxError(
            f"{hierarchy} is missing; ARX needs a hierarchy for each column of the table."
        )
    with hierarchy.open(encoding="utf-8", newline="") as file:
        return len(next(csv.reader(file, delimiter=DELIMITER)))


def check_jar(jar: Path) -> None:
    """Say what is wrong with the file that should be ARX."""
    if not jar.is_file():
        raise ArxError(
            f"{jar} is missing; {VARIABLE} or --arx must name ARX's library, libarx-*.jar."
        )
    try:
        with zipfile.ZipFile(jar) as archive:
            complete = A_CLASS in archive.namelist()
    except zipfile.BadZipFile:
        complete = False
    if not complete:
        raise ArxError(
            f"{jar} holds no ARX ({A_CLASS}); download libarx-*.jar from ARX's releases."
        )


def compile_driver(jar: Path, folder: Path) -> None:
    """Compile the driver against ARX into a folder."""
    check_jar(jar)
    command = [tool("javac"), "-nowarn", "-encoding", "UTF-8", "-cp", str(jar), "-d", str(folder)]
    done = subprocess.run([*command, str(DRIVER)], capture_output=True, text=True, check=False)
    if done.returncode:
        first = next((line for line in done.stderr.splitlines() if "error:" in line), "no reason")
        raise ArxError(
            f"{DRIVER.name} does not compile with {jar.name} ({first.split('error:')[-1].strip()}); "
            "use ARX 3.9 or later."
        )


def run_driver(
    jar: Path, classes: Path, told: Mapping[str, Any], seconds: float | None = None
) -> dict[str, Any]:
    """Run the driver in a fresh JVM and read the line it prints."""
    classpath = os.pathsep.join([str(jar), str(classes)])
    arguments = [f"{key}={value}" for key, value in told.items()]
    command = [tool("java"), "-cp", classpath, "ArxDriver", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds)
    except subprocess.TimeoutExpired:
        return {"status": "time limit"}
    if done.returncode:
        last = (done.stderr.strip() or "no reason given").splitlines()[-1].strip()
        raise ArxError(f"ARX failed on {told['data']} with {told['model']}: {last}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])  # ARX may print before
    if told["algorithm"] == "OPTIMAL" and found["status"] == "heuristic":
        raise ArxError(f"ARX did not prove its solution for {told['data']} optimal.")
    return found


def tool(name: str) -> str:
    """Find a command of the JDK, in $JAVA_HOME or on the path."""
    home = os.environ.get("JAVA_HOME")
    path = shutil.which(name, path=f"{home}/bin") if home else None
    path = path or shutil.which(name)
    if path is None:
        raise ArxError(f"'{name}' was not found; to run ARX install a JDK or set JAVA_HOME.")
    return path


def version_of(jar: Path) -> str:
    """Return ARX's version by the file's name, which is how ARX publishes it.

    >>> version_of(Path("libarx-3.9.1.jar"))
    '3.9.1'
    """
    found = re.search(r"\d+(\.\d+)+", jar.name)
    return found.group() if found else jar.name
