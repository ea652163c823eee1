"""What else OpenMed does with tables: linked tables, shifted dates, and whose attributes change."""

from __future__ import annotations

from collections import Counter
from datetime import date
from importlib.metadata import version
from typing import Any

from meter import measure, read_job
from openmed.core.surrogate_vault import SurrogateVault
from openmed.structured.relational import (
    ColumnRef,
    DateColumn,
    ForeignKey,
    KeySpace,
    QuasiIdentifier,
    RelationalSchema,
    deidentify_linked_tables,
)

K = 3
Rows = list[dict[str, Any]]


def release(people: Rows, visits: Rows, quasi: QuasiIdentifier) -> dict[str, Rows]:
    """De-identify people and their visits together."""
    key = KeySpace("person", (ColumnRef("people", "id"), ColumnRef("visits", "id")))
    schema = RelationalSchema(
        key_spaces=(key,),
        subject_key_space="person",
        foreign_keys=(ForeignKey("visits", "id", "people", "id"),),
        date_columns=(DateColumn("visits", "day", "id"),),
        quasi_identifiers=(quasi,),
    )
    found = deidentify_linked_tables(
        {"people": people, "visits": visits}, schema, vault=SurrogateVault.in_memory("a secret" * 4),
        date_shift_secret="another secret" * 4, target_k=K,
    )  # fmt: skip
    return {name: list(rows) for name, rows in found.tables.items()}


def run() -> dict[str, Any]:
    """Try it on twelve people with two visits each."""
    people = [{"id": f"p{n}", "age": str(20 + n)} for n in range(12)]
    visits = [
        {"id": f"p{n}", "day": f"2020-0{month}-1{n % 9}", "age": str(20 + n + (month == 7))}
        for n in range(12)
        for month in (3, 7)
    ]
    stable = [{key: row[key] for key in ("id", "day")} for row in visits]
    left = release(people, stable, QuasiIdentifier("people", "age", "age"))
    days = [
        [date.fromisoformat(str(row["day"])) for row in rows] for rows in (stable, left["visits"])
    ]
    gaps = [[(b - a).days for a, b in zip(each[::2], each[1::2], strict=True)] for each in days]
    known = {row["id"] for row in left["people"]}
    try:
        release(people, visits, QuasiIdentifier("visits", "age", "age"))
        changing = "released"
    except ValueError as error:
        changing = f"refused: {error}"
    return {
        "status": "tried",
        "claims": {
            "linked tables still join": all(row["id"] in known for row in left["visits"]),
            "people in the smallest class": min(Counter(r["age"] for r in left["people"]).values()),
            "dates are others": all(a != b for a, b in zip(*days, strict=True)),
            "days between visits are kept": gaps[0] == gaps[1],
            "an attribute that changes between visits": changing,
        },
    }


def main() -> None:
    job = read_job()
    measure(job, version("openmed"), run)


if __name__ == "__main__":
    main()
