"""Fractions with large denominators."""

import pytest

from align.speech.text.reading.normalise import split_words


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "en",
            "3/8, 2 3/8, ⅝, 1/100",
            "three|eighths|two|and|three|eighths|five|eighths|one|hundredth",
        ),
        ("en", "9/11, 8/10, on 5/6", "nine|eleven|eight|ten|on|five|six"),
        ("it", "5/6, 2 3/8, ⅖, ⅓", "cinque|sei|due|e|tre|ottavi|due|quinti|un|terzo"),
        ("de", "3/8, 5/16", "drei|Achtel|fünf|Sechzehntel"),
        ("es", "2 1/4, 24/7", "dos|y|un|cuarto|veinticuatro|siete"),
        ("nl", "1/2, 2 3/4, 3/8", "een|half|twee|en|drie|kwart|drie|acht"),
        ("sv", "2/3, 1/100", "två|tredjedelar|en|hundradel"),
    ],
)
def test_ratios(language: str, text: str, expected: str) -> None:
    pytest.importorskip("num2words")
    assert "|".join(split_words(text, language=language)) == expected
