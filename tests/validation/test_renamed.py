"""Old keys are read as new ones, with one sentence each, wherever a policy has them."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from anonymizer import AnonymizerWarning, Policy, PolicyError, Statement
from anonymizer.attackers.disclosure import ExternalTable, SourcesFile, parse_disclosing
from anonymizer.attackers.overlap import ShareByValue
from anonymizer.attackers.scenario import Scenario
from anonymizer.attackers.statement import ExternalSource
from anonymizer.hierarchy.spec import BUILDERS, parse_spec
from anonymizer.policy import ANALYSES, Attribute, Data, Release, Search, renewed_policy
from anonymizer.risk import MODELS, Overall
from anonymizer.validation.renamed import GONE, MACHINE, RENAMED
from anonymizer.validation.sentences import model_keys

SEX = {"F": "*", "M": "*"}
KEYS: dict[str, Any] = {
    "attributes": {"sex": {"role": "quasi", "hierarchy": SEX}, "ward": {"role": "insensitive"}},
    "risk": [{"model": "k-anonymity", "k": 2}],
}
OVERALL = {"model": "overall", "threshold": 0.1, "scenario": "worst-case"}
QUERIES = {"name": "counts", "kind": "queries"}
PREDICTION = {"name": "p", "kind": "prediction", "response": "ward", "predictors": ["sex"]}
ORDERED = {"builder": "ordered", "values": ["S", "M", "L"]}
DATES = {"builder": "dates", "from": "2024-01-01", "to": "2024-12-31"}
MAPPED = [{"x": ["1", "2"], "y": ["3"]}, {"A": ["x", "y"]}]
NESTED = {"A": {"x": ["1", "2"], "y": ["3"]}}


def with_hierarchy(**spec: Any) -> dict[str, Any]:
    return {"attributes": {"sex": {"role": "quasi", "hierarchy": spec}}}


def of_sex(**keys: Any) -> dict[str, Any]:
    return {"attributes": {"sex": {"role": "quasi", "hierarchy": SEX, **keys}}}


PAIRS: dict[str, tuple[dict[str, Any], dict[str, Any], list[str]]] = {
    "memory": (
        {"data": {"memory": "2GB"}},
        {"machine": {"memory": "2GB"}},
        ["data.memory: memory is an option now; give --memory, or memory= in Python."],
    ),
    "search": (
        {"search": {"memory_limit": 0.5, "evaluation_limit": 7, "workers": 2, "time_limit": 3.0}},
        {
            "machine": {"memory": "524288KiB", "evaluations": 7, "workers": 2},
            "search": {"time_limit": 3.0},
        },
        [
            "search.evaluation_limit: ",
            "search.memory_limit: ",
            "search.workers: the number of workers",
        ],
    ),
    "suppression": (
        {"search": {"suppression_limit": 0.1}},
        {"release": {"suppression_limit": 0.1}},
        ["search.suppression_limit: this key is now `release.suppression_limit`; write that."],
    ),
    "layers": (
        {"release": {"recoding": "layers"}},
        {"release": {"layers": True}},
        ["release.recoding: this key is now `layers`; write that."],
    ),
    "few layers": (
        {"release": {"max_layers": 3, "recoding": "layers"}, "search": {"suppression_limit": 0.1}},
        {"release": {"layers": 3, "suppression_limit": 0.1}},
        ["release.max_layers: ", "release.recoding: ", "search.suppression_limit: "],
    ),
    "one scheme": (
        {"release": {"recoding": "full-domain"}},
        {"release": {"layers": False}},
        ["release.recoding: "],
    ),
    "delimiter": (
        of_sex(delimiter=","),
        of_sex(),
        [
            "attributes.delimiter: this key is no longer looked at: it is found in each hierarchy; rem"
        ],
    ),
    "ordered": (
        with_hierarchy(**ORDERED, groups=[2]),
        with_hierarchy(**ORDERED, sizes=[2]),
        ["builder 'ordered': groups: this key is now `sizes`; write that."],
    ),
    "dates": (
        with_hierarchy(**DATES, levels=["month", "year"]),
        with_hierarchy(**DATES, periods=["month", "year"]),
        ["builder 'dates': levels: this key is now `periods`; write that."],
    ),
    "mapping": (
        with_hierarchy(builder="mapping", levels=MAPPED),
        with_hierarchy(builder="mapping", groups=NESTED),
        ["builder 'mapping': levels: this key is now `groups`; write that."],
    ),
    "overall": (
        {"risk": [{**OVERALL, "columns": {"age": "sex"}}]},
        {"risk": [{**OVERALL, "names": {"age": "sex"}}]},
        ["risk model 'overall': columns: this key is now `names`; write that."],
    ),
    "queries": (
        {"analysis": [{**QUERIES, "seed": 3, "columns_per_query": 1}]},
        {"analysis": [QUERIES]},
        ["analysis.columns_per_query: this key is no longer looked at: ", "analysis.seed: "],
    ),
    "prediction": (
        {"analysis": [{**PREDICTION, "seed": 3, "held_out": 0.5}]},
        {"analysis": [PREDICTION]},
        ["analysis.held_out: this key is no longer looked at: ", "analysis.seed: "],
    ),
}


LEARNED = [{"attributes": ["age"], "probability": 0.5}]
CHANCES = {"population": 100, "p_m": 1, "p_fm": 1, "p_c": 1, "p_cu": 1}
FORUM = [{"name": "forum", "usage": 0.5, "disclosure": {"age": 0.5}}]
LINKED = {"name": "voters", "keys": ["zip"]}
STATED = {"name": "news", "keys": ["zip"]}
EXTERNAL = {"path": "x.csv", "names": {"age": "years"}}
FILES: dict[str, tuple[Any, dict[str, Any], dict[str, Any], list[str]]] = {
    "scenario": (
        Scenario.parse,
        {**CHANCES, "groups": LEARNED},
        {**CHANCES, "learned": LEARNED},
        ["scenario: groups: this key is now `learned`; write that."],
    ),
    "source at hand": (
        lambda keys: Statement(**keys),
        {"source": [{**LINKED, "table": "v.csv", "columns": {"zip": "code"}}]},
        {"source": [{**LINKED, "path": "v.csv", "names": {"zip": "code"}}]},
        [
            "statement: source: columns: this key is now `names`; write that.",
            "statement: source: table: this key is now `path`; write that.",
        ],
    ),
    "share": (
        lambda keys: Statement(**keys),
        {"source": [{**STATED, "p": {"by": "zip", "values": {"1": 0.5}, "default": 1}}]},
        {"source": [{**STATED, "p": {"by": "zip", "probabilities": {"1": 0.5}, "default": 1}}]},
        ["statement: source: p or q: values: this key is now `probabilities`; write that."],
    ),
    "sources": (
        parse_disclosing,
        {"sources": FORUM, "external": {"table": "x.csv", "columns": {"age": "years"}}},
        {"source": FORUM, "external": EXTERNAL},
        [
            "sources: external: columns: this key is now `names`; write that.",
            "sources: external: table: this key is now `path`; write that.",
            "sources: sources: this key is now `source`; write that.",
        ],
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_files_about_attackers_are_read_with_their_old_keys(name: str) -> None:
    make, old, new, sentences = FILES[name]
    with pytest.warns(AnonymizerWarning) as said:
        found = make(old)
    assert sorted(str(each.message) for each in said) == sentences
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert make(new) == found


@pytest.mark.parametrize("name", PAIRS)
def test_an_old_key_is_read_as_the_new_one_with_a_sentence(name: str) -> None:
    old, new, sentences = PAIRS[name]
    with pytest.warns(AnonymizerWarning) as said:
        read = Policy.of({**KEYS, **old})
    assert read == Policy.of({**KEYS, **new})
    found = sorted(str(each.message) for each in said)
    assert len(found) == len(sentences)
    assert all(each.startswith(start) for each, start in zip(found, sentences, strict=True))


@pytest.mark.parametrize("name", PAIRS)
def test_the_tables_of_a_policy_are_written_with_new_keys_alone(name: str) -> None:
    old, new, _ = PAIRS[name]
    renewed = renewed_policy({**KEYS, **old})
    wanted = {key: value for key, value in {**KEYS, **new}.items() if key != MACHINE}
    assert {key: value for key, value in renewed.items() if value} == wanted
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Policy.of(renewed)


def test_every_old_key_is_tried_and_no_class_has_it() -> None:
    kinds = [Data, Search, Release, Attribute]
    kinds += [Scenario, ExternalSource, ShareByValue, SourcesFile, ExternalTable]
    kinds += [*BUILDERS.values(), *MODELS.values(), *ANALYSES.values()]
    known = {kind.__name__: kind for kind in kinds}
    stated = [each[-1] for each in (*PAIRS.values(), *FILES.values())]
    tried = " ".join(sentence for sentences in stated for sentence in sentences)
    for (owner, old), key in RENAMED.items():
        keys = model_keys(known[owner]) if owner != "Overall" else vars(known[owner])
        assert old not in keys
        assert key.new == GONE or "." in key.new or owner == "Overall" or key.new in keys
        assert f"{key.old}: " in tried


@pytest.mark.parametrize(
    ("keys", "fault"),
    [
        (
            {"release": {"layers": True, "recoding": "layers"}},
            "release.recoding: this key is now `layers`; write that alone.",
        ),
        (
            {"search": {"suppression_limit": 0.1}, "release": {"suppression_limit": 0.2}},
            "search.suppression_limit: this key is now `release.suppression_limit`; write that alone.",
        ),
        (
            {"risk": [{**OVERALL, "columns": {}, "names": {}}]},
            "risk.0: overall: this key is now `names`; write that alone.",
        ),
        (
            with_hierarchy(**ORDERED, groups=[2], sizes=[2]),
            "attributes.sex.hierarchy: groups: this key is now `sizes`; write that alone.",
        ),
    ],
)
def test_old_and_new_together_are_an_error(keys: dict[str, Any], fault: str) -> None:
    with pytest.raises(PolicyError) as raised:
        Policy.of({**KEYS, **keys})
    assert raised.value.faults == (fault,)


def test_a_class_that_had_a_key_says_where_it_is() -> None:
    with pytest.raises(
        PolicyError, match="workers: the number of workers is an option now; give --w"
    ):
        Search(workers=2)


def test_what_was_wrong_with_an_old_key_is_said_of_it() -> None:
    with (
        pytest.warns(AnonymizerWarning, match="give --workers"),
        pytest.raises(PolicyError, match="workers: 0 is too small"),
    ):
        Policy.of({**KEYS, "search": {"workers": 0}})
    with pytest.raises(PolicyError, match="levels: this key is now `groups`"):
        Policy.of(
            {**KEYS, **with_hierarchy(builder="mapping", levels=[{"g": ["a"]}, {"A": ["h"]}])}
        )


def test_a_scenario_that_a_manifest_describes_is_read_with_its_old_keys() -> None:
    now = {
        "model": "overall",
        **Overall(0.1, Scenario.parse({**CHANCES, "learned": LEARNED})).describe(),
    }
    scenario = dict(now["scenario"])
    before = {**now, "scenario": {"groups": scenario.pop("learned"), **scenario}}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert renewed_policy({"risk": [before]}) == renewed_policy({"risk": [now]}) != {}


def test_groups_by_level_have_the_rows_that_they_had() -> None:
    with pytest.warns(AnonymizerWarning):
        found = parse_spec({"builder": "mapping", "levels": MAPPED})
    assert list(found.rows()) == [
        ("1", "x", "A", "*"), ("2", "x", "A", "*"), ("3", "y", "A", "*"),
    ]  # fmt: skip
