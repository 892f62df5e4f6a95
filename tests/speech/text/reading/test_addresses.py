"""Addresses of pages and of mail."""

import pytest

from align.speech.text.reading.normalise import split_words


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "en",
            "http://localhost/a, kiwi.org/b_c.",
            "localhost|slash|a|kiwi|dot|org|slash|b|underscore|c",
        ),
        ("de", "ann@kiwi.de, de.net-a.ccc", "ann|at|kiwi|Punkt|de|de.net-a.ccc"),
        ("it", "www.kiwi.it: era.es", "w|w|w|punto|kiwi|punto|it|era.es"),
        ("es", "kiwi.com.ar", "kiwi|punto|com|punto|ar"),
        ("fr", "Vino. com", "Vino|com"),
        ("sv", "pear-kiwi.eu", "pear|bindestreck|kiwi|punkt|eu"),
    ],
)
def test_addresses(language: str, text: str, expected: str) -> None:
    pytest.importorskip("num2words")
    assert "|".join(split_words(text, language=language)) == expected
