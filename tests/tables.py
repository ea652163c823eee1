"""Six tables as people bring them, drawn from a seed: nothing about them was made for this package.

Decimals with missing cells; timestamps; dates as dd.mm.yyyy between semicolons; several rows for each
person; 60 columns; names beyond ASCII, with dots and slashes.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

ROWS = 600


def decimals(random: np.random.Generator, rows: int = ROWS) -> pd.DataFrame:
    """Measurements with decimals, some of them missing; whole numbers that were stored as floats."""
    age = random.integers(18, 90, rows).astype(object)
    frame = pd.DataFrame(
        {
            "name": [f"Person {number}" for number in random.permutation(rows)],
            "age": [f"{value}.0" for value in age],
            "sex": random.choice(["female", "male"], rows),
            "weight": [f"{value:.3f}" for value in random.normal(75, 14, rows)],
            "height": [f"{value:.1f}" for value in random.normal(171, 9, rows)],
            "smoker": random.choice(["yes", "no"], rows, p=[0.2, 0.8]),
            "diagnosis": random.choice(["asthma", "diabetes", "none", "stroke"], rows),
        }
    )
    for column, share in {"age": 0.04, "weight": 0.1, "height": 0.1, "smoker": 0.05}.items():
        frame.loc[random.random(rows) < share, column] = ""
    return frame


def timestamps(random: np.random.Generator, rows: int = ROWS) -> pd.DataFrame:
    """Rides with the second they began, as text."""
    start = pd.Timestamp("2023-01-01")
    seconds = random.integers(0, 2 * 365 * 86_400, rows)
    return pd.DataFrame(
        {
            "ride_id": [f"R{number:06d}" for number in random.permutation(rows)],
            "started_at": [str(start + pd.Timedelta(seconds=int(value))) for value in seconds],
            "station": random.choice(["North", "South", "East", "West", "Harbour"], rows),
            "birth_year": random.integers(1945, 2006, rows),
            "member": random.choice(["member", "casual"], rows),
        }
    )


def local_dates(random: np.random.Generator, rows: int = ROWS) -> pd.DataFrame:
    """A German register: dates as dd.mm.yyyy."""
    born = pd.Timestamp("1940-01-01") + pd.to_timedelta(random.integers(0, 25_000, rows), unit="D")
    came = pd.Timestamp("2022-01-01") + pd.to_timedelta(random.integers(0, 730, rows), unit="D")
    return pd.DataFrame(
        {
            "Nachname": random.choice(["Müller", "Schmidt", "Weiß", "Jäger", "Öztürk"], rows),
            "Geburtsdatum": born.strftime("%d.%m.%Y"),
            "Aufnahme": came.strftime("%d.%m.%Y"),
            "PLZ": [
                f"{value:05d}" for value in random.choice([1067, 1069, 10115, 10117, 80331], rows)
            ],
            "Geschlecht": random.choice(["w", "m", "d"], rows, p=[0.5, 0.48, 0.02]),
            "Diagnose": random.choice(["I10", "E11", "J45"], rows),
        }
    )


def several_rows(random: np.random.Generator, people: int = 250) -> pd.DataFrame:
    """Visits: one to five for each patient."""
    whose = np.repeat(np.arange(people), random.integers(1, 6, people))
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(
        random.integers(0, 366, whose.size), unit="D"
    )
    birth = random.integers(1940, 2005, people)
    return pd.DataFrame(
        {
            "patient_id": [f"P{number:04d}" for number in whose],
            "visit": days.strftime("%Y-%m-%d"),
            "birth_year": birth[whose],
            "sex": random.choice(["F", "M"], people)[whose],
            "zip": random.choice(["10115", "10117", "10119", "20095", "20097"], people)[whose],
            "ward": random.choice([f"W{n}" for n in range(100, 120)], people)[whose],
            "diagnosis": random.choice(["I10.0", "E11.9", "J45.1", "M54.5"], whose.size),
        }
    )


def sixty_columns(random: np.random.Generator, rows: int = ROWS) -> pd.DataFrame:
    """A survey: who, 52 answers, and a few measurements."""
    frame = pd.DataFrame(
        {
            "respondent": [f"{number:05d}" for number in random.permutation(rows)],
            "e-mail": [f"person{number}@example.org" for number in range(rows)],
            "age": random.integers(18, 90, rows),
            "gender": random.choice(["f", "m", "x"], rows, p=[0.49, 0.49, 0.02]),
            "income": [f"{value:.2f}" for value in random.lognormal(10, 0.6, rows)],
            "score": [f"{value:.4f}" for value in random.normal(0, 1, rows)],
            "reaction_ms": random.integers(180, 2_000, rows),
            "comment": [f"I said number {value} and then went home again" for value in range(rows)],
        }
    )
    answers = {f"q{number}": random.integers(1, 6, rows) for number in range(1, 53)}
    return pd.concat([frame, pd.DataFrame(answers)], axis=1)


def odd_headers(random: np.random.Generator, rows: int = ROWS) -> pd.DataFrame:
    """Names beyond ASCII, with dots, slashes and blanks; an empty column and a constant one."""
    return pd.DataFrame(
        {
            "Prénom": random.choice(["Zoé", "Chloé", "Noël", "Jürgen"], rows),
            "Wr.Hnd": [f"{value:.1f}" for value in random.normal(18, 1.5, rows)],
            "a/b": random.integers(0, 60, rows),
            "a_b": random.integers(0, 40, rows),
            "Größe (cm)": random.integers(150, 200, rows),
            "città": random.choice(["Forlì", "Cantù", "Nardò", "São Tomé"], rows),
            "vide": [""] * rows,
            "pays": ["CH"] * rows,
        }
    )


TABLES: dict[str, tuple[Callable[[np.random.Generator], pd.DataFrame], str]] = {
    "decimals with missing cells": (decimals, ","),
    "timestamps": (timestamps, ","),
    "dd.mm.yyyy": (local_dates, ";"),
    "several rows for each person": (several_rows, ","),
    "60 columns": (sixty_columns, ","),
    "names beyond ASCII": (odd_headers, ","),
}
"""What draws each table, and the delimiter of its file."""


def draw(name: str, seed: int = 1) -> pd.DataFrame:
    """Draw a table; all cells are texts, as a CSV file has them."""
    make, _ = TABLES[name]
    return make(np.random.default_rng(seed)).astype(str)


def parts_of(frame: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Cut a table into what is at hand now and what comes next month."""
    at = len(frame) * 2 // 3
    return frame.iloc[:at].reset_index(drop=True), frame.iloc[at:].reset_index(drop=True)


def write(frame: pd.DataFrame, path: Path, delimiter: str) -> Path:
    """Write a table as a CSV file."""
    frame.to_csv(path, index=False, sep=delimiter)
    return path
