"""Ranges, sizes, telephones and decimals."""

import pytest

from align.speech.text.reading.normalise import split_words


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "en",
            "20 x 30, 2 x 3 = 6, 0x1F, 4x4",
            "twenty|by|thirty|two|times|three|equals|six|zero|x|one|F|four|x|four",
        ),
        ("en", "3.0, 3.00, 2-3-4", "three|point|zero|three|point|zero|zero|two|three|four"),
        (
            "en",
            "v2.0.14, 3.2.1, 3.4.21 and 10.0.0.1",
            "v|two|point|zero|point|fourteen|three|point|two|point|one|three|point|four|twenty|one|"
            "and|ten|point|zero|zero|one",
        ),
        ("sv", "version 4.12.0", "version|fyra|punkt|tolv|punkt|noll"),
        ("de", "Bd. II, Bd. 3", "Band|zwei|Band|drei"),
        ("ru", "3,0", "три|целых|ноль|десятых"),
        ("fr", "20 x 30, 5%-10%", "vingt|sur|trente|cinq|pour|cent|à|dix|pour|cent"),
        (
            "nl",
            "10-20, 3-2, 14.30 uur, 1:00 uur",
            "tien|tot|twintig|drie|twee|veertien|uur|dertig|één|uur",
        ),
        (
            "it",
            "06 1234567, 10 - 3 = 7",
            "zero|sei|uno|due|tre|quattro|cinque|sei|sette|dieci|meno|tre|uguale|a|sette",
        ),
        ("pt", "01 12 2003", "zero|um|doze|dois|mil|e|três"),
        ("de", "+49 30 123456", "plus|vier|neun|drei|null|eins|zwei|drei|vier|fünf|sechs"),
    ],
)
def test_numerals(language: str, text: str, expected: str) -> None:
    pytest.importorskip("num2words")
    assert "|".join(split_words(text, language=language)) == expected
