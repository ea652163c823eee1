"""What the cells of columns look like."""

from __future__ import annotations

import pytest

from anonymizer.proposal.content import Content, content_of, sample_of

EXAMPLES = {
    Content.EMPTY: [""],
    Content.WHOLE: ["18", "18.0", " 7 ", "-3", ""],
    Content.DECIMAL: ["18.25", "3", "1e-3", ".5", "70,5"],
    Content.DATE: [
        "2024-03-01", "01.03.2024", "3/1/2024", "2024-03-01 12:30:00", "2024-03-01T12:30:00.5Z",
        "2024-03",
    ],
    Content.EMAIL: ["a.b@example.org", "c@d.example", ""],
    Content.URL: ["https://example.org/a?b", "www.example.org"],
    Content.IP: ["192.168.0.1", "2001:db8:0:1:1:1:1:1"],
    Content.IBAN: ["DE89 3704 0044 0532 0130 00", "GB29NWBK60161331926819"],
    Content.SSN: ["078-05-1120"],
    Content.PHONE: ["+49 30 1234567", "(030) 123-45678", "0171/1234567"],
    Content.PLACE: ["52.5200, 13.4050", "POINT(13.4 52.5)"],
    Content.DIAGNOSIS: ["I10.0", "E11.9", "K35 Acute appendicitis"],
    Content.FREE: ["she was taken to hospital on Monday", "he called his brother in the evening"],
    Content.TEXT: ["red", "New York", "St. Gallen", "E14", "A-12"],
}  # fmt: skip


@pytest.mark.parametrize("content", [each for each in Content if each is not Content.CODE])
def test_every_content_is_recognized_alone_and_mixed(content: Content) -> None:
    texts = EXAMPLES[content]
    assert content_of(texts) is content
    if content is not Content.DECIMAL:  # some of these alone are whole
        assert all(content_of([text]) in (content, Content.EMPTY) for text in texts)


def test_a_few_other_values_do_not_hide_numbers_and_a_few_addresses_are_enough() -> None:
    assert content_of(["unknown", *map(str, range(30))]) is Content.WHOLE
    assert content_of(["none", "no", "-", "a@example.org"]) is Content.EMAIL


def test_of_many_values_some_from_everywhere_are_looked_at() -> None:
    sample = sample_of(["", *map(str, range(100_000))])
    assert len(sample) <= 4_000
    assert {len(text) for text in sample} >= {1, 4, 5}
