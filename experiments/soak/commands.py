"""Commands that succeed in the workspace, and what may be mutated for each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from experiments.soak.policies import POLICIES
from experiments.soak.workspace import HIERARCHIES

OUT = "out"
STOPPED = "stopped"
RESUMED = ("run", "policy-k.toml", "--out", STOPPED, "--resume")
ENDINGS = {
    **{suffix: suffix for suffix in (".parquet", ".xlsx", ".feather")},
    "": "",
    ".duckdb": "",
    ".gz": ".csv.gz",
}
"""How a release is called, by the end of the name of its table; of all others it is a CSV file."""
RELEASES = tuple(name for name in POLICIES if name not in ("worst", "mean"))
"""The policies whose releases are in the workspace, to be verified and applied."""


@dataclass(frozen=True)
class Command:
    """A command that succeeds in the workspace, and the files that may be mutated for it."""

    arguments: tuple[str, ...]
    files: tuple[str, ...]
    """One that is named twice is mutated twice as often."""
    weight: int = 4

    @property
    def name(self) -> str:
        """What the command is called."""
        return self.arguments[0]

    @property
    def out(self) -> str:
        """The only folder that it writes to."""
        return STOPPED if STOPPED in self.arguments else OUT


def policy_of(name: str) -> str:
    """Name the file of a policy."""
    return f"policy-{name}.toml"


def release_of(name: str) -> str:
    """Name the released file of a policy."""
    sketch = POLICIES[name]
    stated = [kind for kind in ("csv", "parquet") if f"file = '{kind}'" in sketch.release]
    if stated:
        return f"release-{name}/release.{stated[0]}"
    return f"release-{name}/release{ENDINGS.get(Path(sketch.table).suffix, '.csv')}"


def released_file(name: str) -> str:
    """Name a file of a release, which may be a folder."""
    released = release_of(name)
    return released if Path(released).suffix else f"{released}/data_0.parquet"


def manifest_of(name: str) -> str:
    """Name the manifest of a policy's release."""
    return f"release-{name}/manifest.json"


def table_of(name: str) -> str:
    """Name a file of the table of a policy."""
    table = POLICIES[name].table
    return f"{table}/1.parquet" if table == "parts" else table


def hierarchies_of(name: str) -> tuple[str, ...]:
    """Name the hierarchies that are files of their own."""
    keys = "".join(POLICIES[name].attributes.values())
    return tuple(file for file in HIERARCHIES if f'"{file}"' in keys)


def run_of(name: str, *options: str, weight: int = 6) -> Command:
    """Run a policy."""
    policy, beside = policy_of(name), POLICIES[name].beside
    files = (policy,) * 6 + (table_of(name),) * 2 + beside * 2 + hierarchies_of(name)
    return Command(("run", policy, "--out", OUT, *options), files, weight)


def verify_of(name: str) -> Command:
    """Verify a release, by its proof file too."""
    files = (released_file(name), *(manifest_of(name),) * 2, policy_of(name), table_of(name))
    proof = (f"release-{name}/proof.json",) * 2 if name == "k" else ()
    original = ("--against", POLICIES[name].table) if name != "database" else ()
    return Command(("verify", release_of(name), policy_of(name), *original), files + proof, 2)


def apply_of(name: str) -> Command:
    """Apply the scheme of a release."""
    arguments = ("apply", policy_of(name), manifest_of(name), "--out", OUT)
    return Command(arguments, (manifest_of(name),) * 2 + (policy_of(name), table_of(name)), 1)


def attack_of(name: str, *options: str, files: tuple[str, ...] = ()) -> Command:
    """Try attacks on a release."""
    given = ("--against", POLICIES[name].table, "--policy", policy_of(name), "--people", "30")
    mutated = (release_of(name), manifest_of(name), policy_of(name), POLICIES[name].table, *files)
    return Command(("attack", release_of(name), *given, *options, "--out", OUT), mutated, 1)


def assess_of(name: str, option: str, *files: str) -> Command:
    """Assess a table."""
    arguments = ("assess", policy_of(name), option, files[0], "--out", OUT, "--workers", "1")
    return Command(arguments, files * 2 + (policy_of(name), POLICIES[name].table), 1)


def decision_of(name: str, *files: str) -> Command:
    """Put a release on one page."""
    given = ("--context", "context.toml", "--attacks", "attacks.json", "--out", OUT)
    mutated = ("context.toml",) * 2 + ("attacks.json", manifest_of(name), policy_of(name), *files)
    return Command(("decision", policy_of(name), release_of(name), *given), mutated, 1)


def frontier_of(name: str, *options: str) -> Command:
    """Find a frontier."""
    arguments = ("frontier", policy_of(name), *options, "--out", OUT)
    return Command(arguments, (policy_of(name),) * 3 + (POLICIES[name].table,), 1)


COMMANDS = (
    *(run_of(name) for name in POLICIES),
    run_of("k", "--evaluations", "2"),
    run_of("k", "--proof", "--mapping", f"{OUT}/mapping.csv"),
    run_of("people", "--explain", weight=1),
    run_of("layers", "--explain", weight=1),
    run_of("sensitive", "--explain", weight=1),
    run_of("useful", "--explain", weight=1),
    *(verify_of(name) for name in RELEASES),
    *(apply_of(name) for name in RELEASES if name not in ("stata", "spss")),
    Command(
        RESUMED,
        ("stopped/search.json",) * 3 + ("policy-k.toml", "policy-k.toml", "stopped/manifest.json"),
        8,
    ),
    assess_of("k", "--scenario", "scenario.toml"),
    assess_of("people", "--scenario", "scenario.toml"),
    assess_of("k", "--statement", "statement.toml", "members.csv"),
    assess_of("people", "--statement", "unlinked.toml"),
    assess_of("k", "--sources", "disclosure.toml"),
    frontier_of("k", "--at", "2..4"),
    frontier_of("layers", "--at", "2", "--at", "3"),
    frontier_of("average", "--at", "0.2", "--at", "0.4", "--pick", "0.4"),
    frontier_of("ordered", "--at", "2..3"),
    *(decision_of(name) for name in ("k", "people", "layers", "sensitive", "redacted")),
    decision_of("sources", "statement.toml"),
    attack_of("k", "--targets", "targets.csv", files=("targets.csv",)),
    attack_of("people"),
    attack_of("layers", "--earlier", release_of("k"), "--earlier-policy", policy_of("k")),
    Command(
        ("evidence", release_of("useful"), "--policy", "policy-useful.toml", "--out", OUT),
        ("policy-useful.toml",) * 4 + (release_of("useful"), manifest_of("useful"), "table.csv"),
        2,
    ),
    Command(("hierarchy", "check", *HIERARCHIES), tuple(HIERARCHIES), 6),
    Command(("hierarchy", "build", "day.toml", "--out", OUT), ("day.toml",), 2),
    Command(("hierarchy", "show", "zip.toml"), ("zip.toml",), 2),
    Command(("hierarchy", "suggest", "table.csv", "--out", OUT), ("table.csv",), 2),
    Command(("hierarchy", "import", "project.deid", "--out", OUT), ("project.deid",), 8),
    *(
        Command(("init", table, "--out", OUT), (table,), 1)
        for table in ("table.csv", "table.parquet", "table.xlsx", "table.dta", "table.sav")
    ),
    Command(("init", "visits.csv", "--out", OUT, "--for", "agreement"), ("visits.csv",), 1),
    Command(("published", "characteristics.csv", "--out", OUT), ("characteristics.csv",), 3),
)
OPTIONS: dict[str, tuple[tuple[str, ...], ...]] = {
    "run": (
        ("--explain",),
        ("--proof",),
        ("--strict",),
        ("--seed", "7"),
        ("--seed", "-1"),
        ("--workers", "2"),
        ("--workers", "0"),
        ("--memory", "500 MiB"),
        ("--evaluations", "3"),
        ("--time-limit", "0.001"),
        ("--time-limit", "nan"),
        ("--time-limit", "-1"),
        ("--person", "patient"),
        ("--person", "age"),
        ("--person", "nobody"),
        ("--rows-are-people",),
        ("--mapping", f"{OUT}/mapping.csv"),
        ("--mapping", f"{OUT}/release.csv"),
        ("--resume",),
        ("--backend", "nothing"),
    ),
    "verify": (
        ("--earlier", release_of("k")),
        ("--earlier", release_of("people")),
        ("--earlier", "table.csv"),
        ("--proof", "release-k/proof.json"),
        ("--proof", "release-people/proof.json"),
        ("--manifest", manifest_of("people")),
        ("--manifest", "policy-k.toml"),
        ("--against", "visits.csv"),
        ("--against", "table.parquet"),
    ),
    "apply": (
        ("--data", "visits.csv"),
        ("--data", "people.csv"),
        ("--data", "table.parquet"),
        ("--data", "table.sav"),
        ("--mapping", f"{OUT}/mapping.csv"),
        ("--seed", "3"),
    ),
    "assess": (
        ("--scenario", "worst-case"),
        ("--scenario", "scenario.toml"),
        ("--scenario", "social-media"),
        ("--sources", "disclosure.toml"),
        ("--statement", "unlinked.toml"),
        ("--data", "visits.csv"),
        ("--data", release_of("k")),
        ("--column", "age=years"),
        ("--column", "state=zip"),
        ("--constant", "state=TN"),
        ("--population", "0"),
        ("--population", "100"),
        ("--parameter", "p_m=0.3"),
        ("--parameter", "p_c=[0.2,0.8]"),
        ("--parameter", "p_c=[[1]]"),
        ("--external", "people.csv"),
        ("--e-uniqueness", "0.5"),
        ("--e-uniqueness", "nan"),
        ("--small-cells", f"{OUT}/cells.csv"),
        ("--person-risks", f"{OUT}/risks.csv"),
        ("--apply",),
    ),
    "frontier": (
        ("--at", "2..100000000000"),
        ("--at", "0"),
        ("--at", "nan"),
        ("--at", "5..2"),
        ("--pick", "3"),
        ("--population", "500"),
        ("--layers", "2"),
        ("--utility", "stay"),
    ),
    "attack": (
        ("--control", "people.csv"),
        ("--control", "table.csv"),
        ("--population", "people.csv"),
        ("--targets", "targets.csv"),
        ("--targets", "people.csv"),
        ("--earlier", release_of("k")),
        ("--earlier", release_of("people")),
        ("--people", "0"),
        ("--people", "-5"),
        ("--seed", "9"),
    ),
    "decision": (
        ("--evidence", "attacks.json"),
        ("--attacks", manifest_of("k")),
        ("--against", "visits.csv"),
        ("--manifest", manifest_of("people")),
    ),
    "evidence": (("--against", "visits.csv"), ("--manifest", manifest_of("people"))),
    "init": (
        ("--k", "0"),
        ("--k", "2"),
        ("--k", "1000"),
        ("--quasi", "age,zip"),
        ("--quasi", "nothing"),
        ("--person", "patient"),
        ("--person", "age"),
        ("--identifying", "age,,zip"),
        ("--sensitive", "diagnosis"),
        ("--keep", "zip"),
        ("--for", "enclave"),
        ("--for", "nobody"),
        ("--need", "age,stay"),
        ("--delimiter", ";"),
        ("--delimiter", ""),
        ("--encoding", "utf-16"),
        ("--sheet", "none"),
    ),
    "published": (
        ("--arms", "40", "38"),
        ("--arms", "0", "1"),
        ("--pdp", "1.5"),
        ("--pfdoc", "9"),
        ("--pfdptc", "nan"),
        ("--advantage", "0.1"),
        ("--delimiter", ";"),
        ("--delimiter", "ab"),
    ),
}
"""Options that may be added, right and wrong ones, by command."""
COMMON = (("--json",), ("--show-values",))
"""Options of nearly all commands."""
