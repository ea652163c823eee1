"""The policies of the workspace: one for each kind of thing that a policy can ask for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

ATTRIBUTES = {
    "patient": '{ role = "identifying" }',
    "age": '{ role = "quasi", hierarchy = "age.toml", weight = 1.5, max_level = 3 }',
    "sex": '{ role = "quasi", hierarchy = "sex.csv" }',
    "zip": '{ role = "quasi", hierarchy = "zip.toml", type = "text" }',
    "day": '{ role = "quasi", hierarchy = "day.toml" }',
    "diagnosis": '{ role = "sensitive", hierarchy = "diagnosis.toml" }',
    "stay": '{ role = "sensitive" }',
    "ward": '{ role = "insensitive" }',
}
"""What each column is, as TOML."""
INLINE = {
    **ATTRIBUTES,
    "age": '{ role = "quasi", hierarchy = [30, 45, 60] }',
    "sex": '{ role = "quasi", hierarchy = { F = "*", M = "*" } }',
    "zip": '{ role = "quasi", hierarchy = { builder = "redaction", length = 5, alphabet = "digits" } }',
    "day": '{ role = "quasi", hierarchy = { builder = "dates", from = 2024-01-01, to = 2024-12-31, '
    'periods = ["month", "year"] } }',
}
UNWEIGHTED = {**ATTRIBUTES, "age": '{ role = "quasi", hierarchy = "age.toml" }'}
AVERAGED = {
    **ATTRIBUTES,
    "age": '{ role = "quasi", hierarchy = "age.toml", microaggregation = "mean" }',
    "day": '{ role = "removed", reason = "the day of a visit is known to too many" }',
}
FEW = {name: keys for name, keys in ATTRIBUTES.items() if '"quasi"' in keys}

MODELS: dict[str, str] = {
    "k": 'model = "k-anonymity"\nk = 3',
    "average": 'model = "average"\nthreshold = 0.3',
    "strict-average": 'model = "strict-average"\nk = 2\nthreshold = 0.3',
    "sample-uniqueness": 'model = "sample-uniqueness"\nthreshold = 0.1',
    "k-map table": 'model = "k-map"\nk = 4\npopulation_table = "people.csv"',
    "k-map": 'model = "k-map"\nk = 5\npopulation = 2000\nsignificance = 0.05',
    "p-uniqueness": 'model = "p-uniqueness"\nthreshold = 0.02\npopulation = 2000\nestimator = "pitman"',
    "expected-uniques": 'model = "expected-uniques"\npeople = 3\npopulation = 2000',
    "overall": 'model = "overall"\nthreshold = 0.3\nstatistic = "maximum"\nscenario = "scenario.toml"',
    "worst-case": 'model = "overall"\nthreshold = 0.4\nscenario = "worst-case"\npopulation = 2000',
    "sources": 'model = "sources"\nstatement = "statement.toml"',
    "sources alone": 'model = "sources"\nstatement = "unlinked.toml"\nthreshold = 0.3',
    "distinct-l": 'model = "distinct-l"\nattribute = "diagnosis"\nl = 2',
    "entropy-l": 'model = "entropy-l"\nattribute = "diagnosis"\nl = 1.5',
    "recursive-cl": 'model = "recursive-cl"\nattribute = "diagnosis"\nc = 3.0\nl = 2\nvalues = ["F32"]',
    "hierarchical": 'model = "t-closeness"\nattribute = "diagnosis"\nt = 0.6\n'
    'distance = "hierarchical"',
    "ordered": 'model = "t-closeness"\nattribute = "stay"\nt = 0.5\ndistance = "ordered"',
    "released": 'model = "t-closeness"\nattribute = "diagnosis"\nt = 0.6\nreference = "release"',
    "beta-likeness": 'model = "beta-likeness"\nattribute = "diagnosis"\nbeta = 2.0\nenhanced = true',
    "delta-disclosure": 'model = "delta-disclosure"\nattribute = "diagnosis"\ndelta = 1.5\n'
    'absent = "skip"',
    "presence": 'model = "delta-presence"\nmaximum = 0.6\npopulation_table = "people.csv"',
    "subset": 'model = "delta-presence"\nmaximum = 0.9\nsubset = "ward"\nmember = "A"',
}
"""A table of [[risk]] for each model, and each kind of one."""
ANALYSES = """
[[analysis]]
name = "stay"
kind = "linear"
formula = "stay ~ age + sex"

[[analysis]]
name = "mind"
kind = "logistic"
formula = "diagnosis ~ age"
positive = "F32"

[[analysis]]
name = "columns"
kind = "marginals"

[[analysis]]
name = "pairs"
kind = "two-way"
columns = ["age", "sex", "diagnosis"]

[[analysis]]
name = "counts"
kind = "queries"
queries = 50

[[analysis]]
name = "who"
kind = "subgroups"
columns = ["sex"]

[[analysis]]
name = "curves"
kind = "survival"
time = "stay"
event = "diagnosis"
positive = "F32"
group = "sex"
"""
SEARCH = "time_limit = 20.0"


@dataclass(frozen=True)
class Sketch:
    """What a policy says, in parts."""

    data: str
    """[data], as TOML; its first line is the path."""
    models: tuple[str, ...] = ("k",)
    attributes: Mapping[str, str] = field(default_factory=lambda: ATTRIBUTES)
    utility: str = 'measure = "loss"\naggregate = "geometric"'
    release: str = ""
    analyses: str = ""
    beside: tuple[str, ...] = ()
    """Files that it names beside the table and the hierarchies."""

    @property
    def table(self) -> str:
        """The table that it is about."""
        return self.data.split('"')[1]

    def text(self) -> str:
        """Write the policy."""
        columns = "\n".join(f"{name} = {keys}" for name, keys in self.attributes.items())
        models = "\n".join(f"[[risk]]\n{MODELS[name]}\n" for name in self.models)
        release = f"[release]\n{self.release}\n" if self.release else ""
        return (
            f"[data]\n{self.data}\n\n[attributes]\n{columns}\n\n{models}\n[utility]\n{self.utility}\n\n"
            f"[search]\n{SEARCH}\n\n{release}{self.analyses}"
        )


CSV = 'path = "table.csv"\nrows_are_people = true'
PEOPLE = 'path = "visits.csv"\nid = "patient"'
LAYERS = 'layers = 3\nsuppressed = "drop"'
POLICIES: dict[str, Sketch] = {
    "k": Sketch('path = "table.csv"\ndelimiter = ","'),
    "average": Sketch('path = "table.parquet"', ("strict-average", "sample-uniqueness")),
    "mean": Sketch(CSV, ("average", "k")),
    "population": Sketch(
        'path = "table.csv"\nrows_are_people = false', ("k-map table",), beside=("people.csv",)
    ),
    "estimated": Sketch(
        'path = "table.xlsx"\nsheet = "Sheet1"', ("k-map", "p-uniqueness"), release="file = 'csv'"
    ),
    "overall": Sketch('path = "table.parquet"', ("overall",), beside=("scenario.toml",)),
    "worst": Sketch(CSV, ("worst-case",)),
    "sources": Sketch(
        'path = "table.csv"\nid = "patient"', ("sources",), beside=("statement.toml", "members.csv")
    ),
    "unlinked": Sketch(PEOPLE, ("sources alone",), beside=("unlinked.toml",)),
    "sensitive": Sketch('path = "table.xlsx"', ("distinct-l", "hierarchical")),
    "entropy": Sketch(CSV, ("entropy-l", "recursive-cl"), utility='measure = "entropy"'),
    "ordered": Sketch(CSV, ("k", "ordered"), utility='measure = "precision"'),
    "released": Sketch(CSV, ("released",), utility='measure = "loss"\nfactor = 0.2'),
    "beta": Sketch('path = "table.feather"', ("beta-likeness", "delta-disclosure")),
    "presence": Sketch(CSV, ("presence",), beside=("people.csv",)),
    "subset": Sketch(CSV, ("subset", "k"), UNWEIGHTED, 'measure = "ambiguity"'),
    "layers": Sketch('path = "table.csv"\nencoding = "utf-8"', release=LAYERS),
    "layered": Sketch(CSV, ("k", "distinct-l"), release=f"{LAYERS}\nescape_formulas = true"),
    "micro": Sketch(CSV, ("k", "entropy-l"), AVERAGED),
    "people": Sketch(PEOPLE, ("k", "distinct-l")),
    "visits": Sketch(PEOPLE, ("k",), release=LAYERS),
    "sampled": Sketch(f"{CSV}\nsample = 0.7", release="shuffle = false"),
    "redacted": Sketch(CSV, release="suppressed = 'redact'\nfile = 'parquet'"),
    "folder": Sketch('path = "parts"\nrows_are_people = true'),
    "database": Sketch('path = "base.duckdb"\ntable = "patients"', ("k", "distinct-l")),
    "packed": Sketch('path = "table.csv.gz"', ("k",), UNWEIGHTED, 'measure = "discernibility"'),
    "stata": Sketch('path = "table.dta"\nrows_are_people = true', ("k",), INLINE),
    "spss": Sketch('path = "table.sav"\nrows_are_people = true', ("k",)),
    "default": Sketch(f'{CSV}\ndefault_role = "removed"', ("k",), FEW),
    "useful": Sketch(CSV, analyses=ANALYSES),
}
"""All policies by name; each succeeds as it is."""
