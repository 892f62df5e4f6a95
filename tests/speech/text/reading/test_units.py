"""Units of measure."""

import pytest

from align.speech.text.reading.normalise import split_words


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "en",
            "5 hrs, 2 sq ft, 5° C, 5°",
            "five|hours|two|square|feet|five|degrees|Celsius|five|degrees",
        ),
        ("es", "1 s, 1 mph", "un|segundo|una|milla|por|hora"),
        ("sv", "1 kg, 1 m", "ett|kilo|en|meter"),
        ("fr", "1 s", "une|seconde"),
        ("de", "1 s, 2 qm", "eine|Sekunde|zwei|Quadratmeter"),
    ],
)
def test_units(language: str, text: str, expected: str) -> None:
    pytest.importorskip("num2words")
    assert "|".join(split_words(text, language=language)) == expected
