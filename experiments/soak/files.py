"""Hostile files: bombs, damaged workbooks, paths that lead elsewhere, and names that do harm where shown.

Each runs in a process that may take 2 GiB of memory: a fork, now and then a new one.
"""

from __future__ import annotations

import bz2
import gzip
import html
import lzma
import os
import shutil
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from random import Random

import pandas as pd
import pyreadstat

from experiments.soak.commands import Command
from experiments.soak.depth import deepest
from experiments.soak.failure import Failure, Found, OnCase, randomness
from experiments.soak.inputs import faults_of, snapshot
from experiments.soak.processes import Worker, call
from experiments.soak.workspace import HIERARCHIES, PROJECT, write_project, write_workspace

PART = "files"
MEMORY = 2 << 30
"""What a process may take: its whole address space."""
IN_NEW_PROCESS = 20
"""One case in so many runs in a process of its own."""
MARKUP = "<img src=x onerror=alert(7391)>"
NAMES = (
    *(
        "\x1b[31mred\x1b[0m",
        "\x1b]0;title\x07",
        MARKUP,
        "=HYPERLINK(7391)",
        "@SUM(A1)",
        "a\nb",
        "a\tb",
    ),
    *(
        "\u202eesrever",
        "\u200b",
        "a" * 70_000,
        "[bold]x[/]",
        "{{7391}}",
        "`x`",
        "|",
        "../../x",
        "C:\\x",
    ),
    *(
        "nul",
        "\ufeffage",
        "a,b;c",
        '"',
        "'",
        "age\x00",
        "\uff41ge",
        "e\u0301",
        "%s%n",
        "$(x)",
        "policy.toml",
    ),
)
"""Names and cells that do harm where somebody shows them as they are."""
Spoil = Callable[[Path, Random], tuple[str, ...]]
"""Writes a hostile file into a folder, and returns a command for it."""


def init(name: str) -> tuple[str, ...]:
    """Propose a policy for a table."""
    return ("init", name, "--out", "out")


def table(path: Path) -> pd.DataFrame:
    """Read the table of the workspace."""
    return pd.read_csv(path / "table.csv", dtype=str)


def bomb(here: Path, random: Random) -> tuple[str, ...]:
    """A compressed table of one line, or of many, that unpacks to a thousand times its size."""
    packers = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
    suffix = random.choice(list(packers))
    line = random.choice((b"a", b"1,2\n", b"\n", b'"', b"a,", b"\0"))
    size = random.choice((10, 100, 400)) << 20
    block = packers[suffix](line * ((1 << 20) // len(line)))
    with (here / f"bomb.csv{suffix}").open("wb") as file:
        file.write(packers[suffix](b"age,sex\n"))
        for _ in range(size >> 20):
            file.write(block)
    return init(f"bomb.csv{suffix}")


def broken_archive(here: Path, random: Random) -> tuple[str, ...]:
    """A workbook whose parts are missing, huge, entities or something else."""
    with zipfile.ZipFile(here / "table.xlsx") as file:
        parts = {name: file.read(name) for name in file.namelist()}
    name = random.choice(list(parts))
    entities = (
        b'<?xml version="1.0"?><!DOCTYPE z [<!ENTITY a "aaaaaaaaaa">'
        + b"".join(
            b'<!ENTITY a%d "%s">' % (n, b"&a%d;" % (n - 1) * 10 if n > 1 else b"&a;" * 10)
            for n in range(1, 10)
        )
        + b"]><z>&a9;</z>"
    )
    what = random.choice(("huge", "entities", "gone", "cut", "text", "deep", "outside"))
    if what == "gone":
        del parts[name]
    elif what == "outside":
        parts["../../outside.xml"] = b"<x/>"
    else:
        deep = b"<a>" * 100_000 + b"</a>" * 100_000
        cut = parts[name][: random.randrange(len(parts[name]))]
        new = {
            "huge": b" " * (300 << 20),
            "entities": entities,
            "cut": cut,
            "text": b"x",
            "deep": deep,
        }
        parts[name] = new[what]
    write_project(here / "strange.xlsx", parts)
    return init("strange.xlsx")


def strange_project(here: Path, random: Random) -> tuple[str, ...]:
    """An ARX project with entities, huge parts, links or names that lead out of it."""
    parts: dict[str, str | bytes] = dict(PROJECT)
    name = random.choice(list(parts))
    entity = '<!DOCTYPE z [<!ENTITY a "b"><!ENTITY c SYSTEM "file:///etc/passwd">]>'
    what = random.choice(("entity", "huge", "deep", "outside", "bytes", "twice", "many", "name"))
    if what == "entity":
        parts[name] = f"{entity}{parts[name]}".replace("age", "&c;")
    elif what == "huge":
        parts[name] = b"a;b\n" * (100 << 18)
    elif what == "deep":
        parts[name] = "<a>" * 200_000 + "</a>" * 200_000
    elif what == "outside":
        parts[random.choice(("../out.csv", "/tmp/out.csv", "a/../../b", "..\\b", "C:\\b"))] = "x"
    elif what == "bytes":
        parts[name] = bytes(random.randrange(256) for _ in range(200))
    elif what == "name":
        hostile = html.escape(random.choice(NAMES)).replace("\0", "")
        parts = {key: str(text).replace("age", hostile) for key, text in parts.items()}
    elif what == "many":
        parts |= {f"input/hierarchies/{n}.csv": "a;*\n" for n in range(20_000)}
    write_project(here / "strange.deid", parts)
    if what == "twice":
        with zipfile.ZipFile(here / "strange.deid", "a") as file:
            file.writestr(zipfile.ZipInfo(name), "again")
    return ("hierarchy", "import", "strange.deid", "--out", "out")


def damaged(here: Path, random: Random) -> tuple[str, ...]:
    """A binary table with some bytes changed, or cut off."""
    suffix = random.choice(("xlsx", "dta", "sav", "feather", "parquet", "csv.gz"))
    content = bytearray((here / f"table.{suffix}").read_bytes())
    for _ in range(random.choice((1, 5, 50))):
        content[random.randrange(len(content))] = random.randrange(256)
    if random.random() < 0.3:
        del content[random.randrange(len(content)) :]
    (here / f"damaged.{suffix}").write_bytes(content)
    return init(f"damaged.{suffix}")


def wrong_name(here: Path, random: Random) -> tuple[str, ...]:
    """A file that is not what its name says."""
    kinds = ("csv", "csv.gz", "xlsx", "dta", "sav", "feather", "parquet")
    one, other = random.sample((*kinds, "zsav", "arrow", "xls", "zip", "deid", "duckdb", "xlsm"), 2)
    source = here / f"table.{one}" if one in kinds else here / "project.deid"
    shutil.copy(source, here / f"wrong.{other}")
    return init(f"wrong.{other}")


def link(here: Path, random: Random) -> tuple[str, ...]:
    """A link to itself, to a folder, to a device, to nothing; or a folder, a pipe, an empty file."""
    target = random.choice(
        ("strange.csv", ".", "/dev/null", "nothing", "table.csv", "out", "/dev/full")
    )
    (here / "strange.csv").symlink_to(target)
    other = tuple(
        text.replace("table.csv", "strange.csv")
        for text in ("run", "policy-k.toml", "--out", "out")
    )
    return init("strange.csv") if random.random() < 0.5 else other


def hostile_column(here: Path, random: Random) -> tuple[str, ...]:
    """A table with a name, or cells, that do harm where they are shown as they are."""
    frame, name = table(here), random.choice(NAMES)
    where = random.choice(("header", "header", "cells"))
    old = random.choice(("age", "sex", "diagnosis", "ward"))
    if where == "header":
        frame = frame.rename(columns={old: name})
    else:
        frame[old] = [name] * 40 + list(frame[old][40:])
    suffix = random.choice(("csv", "csv", "parquet", "xlsx", "feather", "sav"))
    path = here / f"hostile.{suffix}"
    try:
        if suffix == "csv":
            frame.to_csv(path, index=False)
        elif suffix == "xlsx":
            frame.to_excel(path, index=False)
        elif suffix == "sav":
            pyreadstat.write_sav(frame, str(path))
        else:
            frame.to_parquet(path) if suffix == "parquet" else frame.to_feather(path)
    except Exception:  # there can be no such file
        frame.to_csv(path := path.with_suffix(".csv"), index=False)
    if random.random() < 0.4:
        return (*init(path.name), "--show-values")
    # under this policy
    policy = (here / "policy-k.toml").read_text().replace('"table.csv"', f'"{path.name}"')
    quoted = '"' + "".join(f"\\U{ord(char):08x}" for char in name) + '"'
    if where == "header":
        policy = policy.replace(f"\n{old} = ", f"\n{quoted} = ").replace('delimiter = ","\n', "")
    elif old in ("age", "sex"):
        policy = policy.replace(f'hierarchy = "{old}.', f'hierarchy = "hostile-{old}.')
        values = "".join(f"{value};*\n" for value in sorted(set(table(here)[old])))
        cell = name.replace('"', '""')
        text = f'{values}"{cell}";*\n'
        (here / f"hostile-{old}.csv").write_text(text, encoding="utf-8", errors="replace")
        policy = policy.replace("hostile-age.toml", "hostile-age.csv").replace(
            ", max_level = 3", ""
        )
    (here / "hostile.toml").write_text(policy, encoding="utf-8")
    more = random.choice(((), ("--explain",), ("--show-values",), ("--mapping", "out/mapping.csv")))
    return ("run", "hostile.toml", "--out", "out", *more)


def wide(here: Path, random: Random) -> tuple[str, ...]:
    """A table of very many columns."""
    columns, kind = random.choice((1000, 10_000, 100_000)), random.choice(("csv", "parquet"))
    if kind == "csv":
        header = ",".join(f"c{at}" for at in range(columns))
        row = ",".join("1" for _ in range(columns))
        (here / "wide.csv").write_text(f"{header}\n{row}\n{row}\n", encoding="utf-8")
    else:
        columns = min(columns, 10_000)
        pd.DataFrame({f"c{at}": ["1", "2"] for at in range(columns)}).to_parquet(
            here / "wide.parquet"
        )
    policy = (here / "policy-k.toml").read_text().replace("table.csv", f"wide.{kind}")
    (here / "wide.toml").write_text(policy, encoding="utf-8")
    if random.random() < 0.7 or columns > 1000:  # one file for each would take its time
        return ("run", "wide.toml", "--out", "out")
    return ("hierarchy", "suggest", f"wide.{kind}", "--out", "out")


def endless(here: Path, random: Random) -> tuple[str, ...]:
    """A hierarchy of far too many values, or a table with one endless cell."""
    specs = (
        'builder = "intervals"\ndomain = [0, 1000000000]\nwidths = [1]\n',
        'builder = "intervals"\ndomain = [0, 1e300]\nwidths = [1e-300]\n',
        'builder = "redaction"\nlength = 40\nalphabet = "digits"\n',
        'builder = "redaction"\nvalues = [[0, 1000000000]]\n',
        'builder = "mapping"\nvalues = [[0, 1000000000]]\n',
        'builder = "ordered"\nvalues = [[0, 300000000]]\nsizes = [2, 2, 2, 2]\n',
        'builder = "dates"\nfrom = 0001-01-01\nto = 9999-12-31\nperiods = ["day", "week"]\n',
        'builder = "dates"\nfrom = 2000-01-01\nto = 2099-12-31\nperiods = ["hour", "day"]\n',
        'builder = "priority"\nvalues = [[0, 100000000]]\nkeep = [1000, 100]\n',
    )
    if random.random() < 0.2:
        (here / "endless.csv").write_bytes(b"age,sex\n" + b"1" * (200 << 20) + b",F\n")
        return init("endless.csv")
    (here / "endless.toml").write_text(random.choice(specs), encoding="utf-8")
    show = random.choice(("show", "check", "build"))
    return ("hierarchy", show, "endless.toml", *(("--out", "out") if show == "build" else ()))


HOSTILE: tuple[Spoil, ...] = (
    *(bomb, broken_archive, broken_archive, strange_project, strange_project, damaged, damaged),
    *(damaged, wrong_name, link, *(hostile_column,) * 5, wide, endless, endless),
)


def soak_files(cases: Iterable[int], seed: int, folder: Path, on_case: OnCase) -> Found:
    """Run commands on so many hostile files; return what must not happen."""
    found, template = Found(), folder / "files-template"
    if not template.exists():
        template.mkdir(parents=True)
        write_workspace(template, seed)
    with Worker(folder / "state") as worker:
        for done, case in enumerate(cases, 1):
            try_case(case, seed, folder, worker, found)
            on_case(done, len(found.failures))
    return found


def try_case(case: int, seed: int, folder: Path, worker: Worker, found: Found) -> None:
    """Spoil a file and run a command on it; note what must not happen, and how deep it got."""
    random = randomness(seed, PART, case)
    spoil = random.choice(HOSTILE)
    here = folder / f"file-{case}"
    shutil.rmtree(here, ignore_errors=True)
    shutil.copytree(folder / "files-template", here, copy_function=os.link)
    words = spoil(here, random)
    before = snapshot(here)
    if case % IN_NEW_PROCESS == 0:
        ended = call(list(words), here, folder / "state", MEMORY)
    else:
        ended = worker.call(list(words), here, MEMORY)
    command = Command(words, tuple(HIERARCHIES))
    faults = [*faults_of(command, "", ended, before, here), *shown(ended.out, here)]
    title = f"{spoil.__name__}: `{' '.join(words)}`"
    found.note(*(Failure(PART, case, seed, f"{title}: {fault}") for fault in faults))
    reached = "written" if ended.status == 0 else "read"
    found.depths[spoil.__name__, deepest((reached, ended.depth))] += 1
    if not faults or folder.name.startswith("soak-"):
        shutil.rmtree(here)


def shown(out: str, here: Path) -> Iterator[str]:
    """Say what was shown as it is, though a terminal or a browser obeys it."""
    if any(not (char.isprintable() or char in "\n\t") for char in out):
        yield f"the terminal is told {out[:300]!r}"
    for page in here.glob("out/*.html"):
        if MARKUP in page.read_text(encoding="utf-8"):
            yield f"{page.name} has markup that came from the table"
