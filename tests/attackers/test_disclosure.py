from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.attackers.disclosure import (
    EXAMPLE,
    Source,
    disclosure_likelihood,
    named_attributes,
    parse_disclosing,
    read_sources,
    subset_likelihood,
)
from anonymizer.errors import PolicyError

SHARES = st.floats(0, 1)


@given(st.lists(st.tuples(SHARES, SHARES), min_size=1, max_size=5))
def test_an_attribute_is_disclosed_unless_every_source_keeps_it(pairs) -> None:
    sources = [Source(str(i), usage, {"age": rate}) for i, (usage, rate) in enumerate(pairs)]
    expected = 1 - np.prod([1 - usage * rate for usage, rate in pairs])
    assert disclosure_likelihood(sources, ["age"])[0] == pytest.approx(expected, abs=1e-12)


def test_a_tiny_likelihood_is_not_lost_beside_one() -> None:
    sources = [Source(name, 1e-10, {"age": 1e-10}) for name in "ab"]
    assert disclosure_likelihood(sources, ["age"])[0] == pytest.approx(2e-20, rel=1e-12)


@given(st.lists(SHARES, min_size=1, max_size=8))
def test_just_these_attributes_is_a_distribution_over_subsets(likelihoods) -> None:
    exactly = subset_likelihood(np.array(likelihoods))
    assert exactly.sum() == pytest.approx(1)
    for subset in range(len(exactly)):
        chances = [p if subset >> i & 1 else 1 - p for i, p in enumerate(likelihoods)]
        assert exactly[subset] == pytest.approx(np.prod(chances), abs=1e-12)


def test_rates_for_all_sources_are_overridden_by_a_source_s_own(tmp_path: Path) -> None:
    path = tmp_path / "sources.toml"
    path.write_text(
        'disclosure = { age = 0.2, sex = 0.7 }\n[[source]]\nname = "one"\nusage = 0.5\n'
        '[[source]]\nname = "other"\nusage = 1\ndisclosure = { age = 0.9, zip = 0.1 }\n'
    )
    one, other = read_sources(path)
    assert one.disclosure == {"age": 0.2, "sex": 0.7}
    assert other.disclosure == {"age": 0.9, "sex": 0.7, "zip": 0.1}
    assert named_attributes([one, other]) == ("age", "sex", "zip")


def test_all_faults_are_shown_together() -> None:
    keys = {
        "disclosure": {"age": 1.5},
        "sourc": 1,
        "source": [
            {"name": "a", "usage": -0.1},
            {"name": "a", "usage": True, "disclosure": {"zip": "often"}},
            {"usage": 0.5, "discloses": {}},
        ],
    }
    with pytest.raises(PolicyError) as refused:
        parse_disclosing(keys, "sources.toml")
    message = str(refused.value)
    for part in (
        "sources.toml has 8 defects",
        "disclosure.age: 1.5 is not a probability; use a number from 0 to 1.",
        "sourc: this key is unknown; did you mean 'source'?",
        "source.0.usage: -0.1 is not a probability",
        "source.1.usage: True is not a probability",
        "source.1.disclosure.zip: 'often' is not a probability",
        "source.2.discloses: this key is unknown; did you mean 'disclosure'?",
        "source.2.name: this key is missing",
        "source: the name 'a' is given twice",
    ):
        assert part in message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no source is given"),
        (b"[[source]]\nname = 'a'\nusage = 1\n", "no attribute is named"),
        (b"source = 3\n", "is not a list of tables"),
        (b"disclosure = 3\n[[source]]\nname = 'a'\nusage = 1\n", "disclosure: 3 is not a table"),
        (b"[[source]\n", "not valid TOML"),
        (b"\xff\xfe", "not UTF-8"),
    ],
)
def test_a_file_that_is_none_says_so(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "sources.toml"
    path.write_bytes(content)
    with pytest.raises(PolicyError, match=message):
        read_sources(path)


def test_a_file_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="there is no such sources file"):
        read_sources(tmp_path / "none.toml")


def test_a_source_in_code_is_checked_too() -> None:
    with pytest.raises(PolicyError, match=r"usage: 2 is not a probability"):
        Source("a", 2, {"age": 0.5})


def mentions(**changes: object) -> dict[str, object]:
    counts = {"candidates": 1200, "disclosing": 30, "prevalence": 0.08, **changes}
    keys = {"source": [{"name": "a", "usage": 0.5, "disclosure": {"asthma": counts}}]}
    return dict(parse_disclosing(keys).sources[0].disclosure)


def test_a_rate_follows_from_counts_as_equations_6_to_8_say() -> None:
    assert mentions() == {"asthma": pytest.approx(30 / 1200 / 0.08)}
    assert mentions(truthful=0.5) == {"asthma": pytest.approx(0.5 * 30 / 1200 / 0.08)}
    assert mentions(disclosing=0) == {"asthma": 0.0}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"disclosing": 1201},
            "1201 sentences disclose it, of 1200 that mention it; check the counts",
        ),
        ({"prevalence": 0.01}, "a rate of 2.5, above 1: more disclose it than have it; check the"),
        ({"prevalence": 0}, "prevalence: "),
        ({"candidates": 0}, "candidates: "),
        ({"candidate": 3}, "candidate: this key is unknown"),
        ({"truthful": 2}, "truthful: 2 is not a probability"),
    ],
)
def test_counts_that_make_no_rate_are_one_sentence(
    changes: dict[str, object], message: str
) -> None:
    with pytest.raises(PolicyError) as refused:
        mentions(**changes)
    assert str(refused.value).startswith("sources: source.0.disclosure.asthma: ")
    assert message in str(refused.value)


def test_the_example_says_what_is_asked() -> None:
    asked = parse_disclosing(tomllib.loads(EXAMPLE), folder=Path("here"))
    assert (asked.threshold, asked.id) == (0.09, "patient_id")
    assert asked.files == [Path("here/profiles.csv")]
    assert asked.columns == ["age", "gender", "location", "asthma", "patient_id"]
