from __future__ import annotations

import tomllib

from hypothesis import assume, given
from hypothesis import strategies as st

from anonymizer.demo.example import POLICY
from anonymizer.studio.toml_text import rewrite
from anonymizer.validation import write_document

KEYS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
PLAIN = st.one_of(
    st.booleans(), st.integers(-(2**40), 2**40), st.floats(allow_nan=False),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
)  # fmt: skip
VALUES = st.recursive(
    PLAIN, lambda some: st.lists(some, max_size=3) | st.dictionaries(KEYS, some, max_size=3),
    max_leaves=6,
)  # fmt: skip
TABLES = st.dictionaries(KEYS, VALUES, max_size=4)
DOCUMENTS = st.fixed_dictionaries(
    {"attributes": st.dictionaries(KEYS, TABLES, max_size=4)},
    optional={"data": TABLES, "risk": st.lists(TABLES, min_size=1, max_size=3), "search": TABLES},
)


def lines(text: str) -> list[str]:
    return text.splitlines()


@given(DOCUMENTS, DOCUMENTS)
def test_a_text_rewritten_says_what_is_wanted(old, new):
    assert tomllib.loads(rewrite(write_document(old), new)) == new


def change(text: str, *path: str, value: object) -> str:
    wanted = tomllib.loads(text)
    inner = wanted
    for key in path[:-1]:
        inner = inner[int(key)] if isinstance(inner, list) else inner.setdefault(key, {})
    if value is None:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return rewrite(text, wanted)


def test_a_change_touches_one_line_and_keeps_its_comment():
    new = change(POLICY, "release", "suppression_limit", value=0.05)
    changed = [pair for pair in zip(lines(POLICY), lines(new), strict=True) if pair[0] != pair[1]]
    assert changed == [
        (
            "suppression_limit = 0.1   # at most a tenth of the patients",
            "suppression_limit = 0.05   # at most a tenth of the patients",
        )
    ]


def test_a_line_of_an_attribute_keeps_its_place_and_the_blanks_before_the_sign():
    quasi = {"role": "quasi", "hierarchy": "hierarchies/age.toml", "weight": 2.0}
    new = change(POLICY, "attributes", "age", value=quasi)
    at = lines(POLICY).index(
        'age            = { role = "quasi", hierarchy = "hierarchies/age.toml" }'
    )
    assert lines(new)[at] == (
        'age            = { role = "quasi", hierarchy = "hierarchies/age.toml", weight = 2.0 }'
    )
    assert lines(new)[:at] == lines(POLICY)[:at]


def test_a_key_is_added_to_its_table_and_a_table_that_is_not_there_to_the_end():
    new = change(POLICY, "risk", "0", "k", value=9)
    assert "k = 9" in lines(new)
    assert lines(new)[:3] == lines(POLICY)[:3]
    more = change(POLICY, "utility", "measure", value="entropy")
    assert more == POLICY + '\n[utility]\nmeasure = "entropy"\n'
    added = change(POLICY, "data", "id", value="patient_id")
    assert lines(added)[3] == 'id = "patient_id"'


def test_a_key_is_removed_with_its_line():
    new = change(POLICY, "release", "suppression_limit", value=None)
    assert lines(new) == lines(POLICY)[:-1]


def test_an_attribute_in_a_table_of_its_own_or_over_several_lines_is_changed():
    text = '[attributes.age]\nrole = "quasi"\n# why\n[attributes."a.b"]\nrole = "sensitive"\n'
    new = change(text, "attributes", "age", "role", value="sensitive")
    assert tomllib.loads(new)["attributes"]["age"] == {"role": "sensitive"}
    several = "[attributes]\nage = [\n  1, # one\n  2,\n]\nsex = 1 # stays\n"
    assert (
        change(several, "attributes", "age", value=[3])
        == "[attributes]\nage = [3]\nsex = 1 # stays\n"
    )


@given(DOCUMENTS, st.data())
def test_all_comments_stay_where_one_value_changes(document, data):
    text = write_document(document)
    marked = "".join(f"{line}   # {n}\n# own {n}\n" for n, line in enumerate(lines(text)) if line)
    try:
        wanted = tomllib.loads(marked)
    except tomllib.TOMLDecodeError:  # a line break within a text
        assume(False)
    part = wanted["attributes"]
    part[data.draw(st.sampled_from(sorted(part)) if part else KEYS)] = {"role": "quasi"}
    new = rewrite(marked, wanted)
    assert tomllib.loads(new) == wanted
    assert [line for line in lines(new) if line.startswith("# own")] == [
        line for line in lines(marked) if line.startswith("# own")
    ]
