"""How long a scheme of a large study takes, and how much memory: people and events drawn at random."""

from __future__ import annotations

import resource
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.hierarchy import Hierarchy
from anonymizer.lattice import Lattice, Scheme
from anonymizer.risk.study import StudyAnonymity
from anonymizer.search import search
from anonymizer.study.study import Study, StudyTable
from anonymizer.table.domain import Domain, QuasiIdentifier
from anonymizer.table.microdata import Microdata
from experiments.studies.reading import evaluator_of

AGES, REGIONS, CODES = 20, 16, 400


@dataclass(frozen=True)
class Size:
    """How many people there are, and how many events each has."""

    people: int = 1_000_000
    events: int = 20


def hierarchy(name: str, leaves: int, widths: tuple[int, ...]) -> Hierarchy:
    """Group leaves by their numbers, level by level, up to a single top."""
    rows = [
        (f"{leaf}", *(f"{leaf // width * width}+{width}" for width in widths), "*")
        for leaf in range(leaves)
    ]
    return Hierarchy.from_rows(name, rows)


def draw_study(size: Size, seed: int = 1) -> Study:
    """Draw people by age, sex and region, and their events by code: some are eight times as frequent."""
    random = np.random.default_rng(seed)
    people = [
        (hierarchy("age", AGES, (2, 4)), random.integers(0, AGES, size.people)),
        (hierarchy("sex", 2, ()), random.integers(0, 2, size.people)),
        (hierarchy("region", REGIONS, (4,)), random.integers(0, REGIONS, size.people)),
    ]
    frequency = np.repeat(2.0 ** np.arange(4), CODES // 4)
    rows = size.people * size.events
    codes = random.choice(CODES, rows, p=random.permutation(frequency / frequency.sum()))
    person = np.repeat(np.arange(size.people, dtype=np.int32), size.events)
    events = microdata([(hierarchy("code", CODES, (5, 20, 100)), codes)])
    return Study((
        StudyTable("people", microdata(people)),
        StudyTable("event", events, 0, person),
    ))  # fmt: skip


def microdata(columns: list[tuple[Hierarchy, NDArray[np.int64]]]) -> Microdata:
    """Put columns of leaf numbers together as their distinct tuples."""
    sizes = [hierarchy.size for hierarchy, _ in columns]
    key = np.ravel_multi_index([leaves for _, leaves in columns], sizes).astype(np.int32)
    counts = np.bincount(key, minlength=int(np.prod(sizes)))
    there = np.flatnonzero(counts)
    number = np.zeros(counts.size, np.int32)
    number[there] = np.arange(there.size)
    leaves = np.unravel_index(there, sizes)
    built = tuple(
        QuasiIdentifier.build(each, [own]) for (each, _), own in zip(columns, leaves, strict=True)
    )
    codes = np.array([each.encode(own) for each, own in zip(built, leaves, strict=True)], np.uint16)
    domain = Domain(tuple(each.name for each, _ in columns), built)
    return Microdata(domain, codes, counts[there].astype(np.int32), number[key])


def measure(size: Size) -> list[dict[str, Any]]:
    """Time single schemes, and a whole search, one thread each; kernels are compiled before."""
    warm = draw_study(Size(2_000, 5))
    evaluator_of(warm, StudyAnonymity(5, 2)).evaluate((3, 1, 2, 1))
    study = draw_study(size)
    before = peak()
    evaluator = evaluator_of(study, StudyAnonymity(5, 2))
    evaluator.evaluate(study.lattice.high)  # what is prepared once
    rows = []
    for scheme in ((3, 1, 2, 0), (1, 0, 1, 1), (1, 0, 1, 0), (0, 0, 0, 0), (3, 1, 2, 3)):
        rows.append({**one(evaluator, scheme), "peak MiB": peak(), "before MiB": before})
        print(rows[-1], flush=True)
    box = Lattice((0, 0, 0, 0), study.lattice.high)
    started = time.process_time()
    found = search(evaluator, box)
    assert found.best is not None
    rows.append({
        "scheme": f"search of {box.size}",
        "kept": study.people - found.best.suppressed_records,
        "loss": found.best.loss,
        "seconds": round(time.process_time() - started, 2),
        "status": found.status.value,
        "found": str(found.best.scheme),
        "evaluated": found.proof.evaluated,
        "given up": found.proof.partitions,
        "peak MiB": peak(),
        "before MiB": before,
    })  # fmt: skip
    print(rows[-1], flush=True)
    return rows


def one(evaluator: Any, scheme: Scheme) -> dict[str, Any]:
    """Evaluate one scheme."""
    started = time.process_time()
    found = evaluator.evaluate(scheme)
    return {
        "scheme": str(scheme),
        "kept": evaluator.people - found.suppressed_records,
        "loss": found.loss,
        "seconds": round(time.process_time() - started, 2),
    }


def peak() -> int:
    """Return the most memory the process has had, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
