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
        ("nl", "Willem III, hoofdstuk II", "Willem|de|derde|hoofdstuk|twee"),
        ("sv", "Karl XII", "Karl|den|tolfte"),
        ("en", "Henry V, Malcolm X, Henry I", "Henry|the|fifth|Malcolm|X|Henry|I"),
        ("es", "Carlos V, Alfonso X, plan V", "Carlos|quinto|Alfonso|décimo|plan|V"),
        ("es", "2x, 3", "dos|x|tres"),
        ("en", "CO2, NO2, MP3, 3bn", "C|O|two|N|O|two|MP|three|three|billion"),
        ("de", "CO₂, 1. FC Köln", "C|O|zwei|erster|FC|Köln"),
        ("en", "Austin, TX 78701-1234", "Austin|TX|seven|eight|seven|zero|one|one|two|three|four"),
        (
            "en",
            "Flight 370, room 12, Highway 101",
            "Flight|three|seventy|room|twelve|Highway|one|oh|one",
        ),
        ("fr", "1½ heure, 2 1/2 ans, 2½", "une|heure|et|demie|deux|ans|et|demi|deux|et|demi"),
        ("es", "2½ horas, 1½ litro", "dos|horas|y|media|un|litro|y|medio"),
        ("it", "2½ ore, 2½ chili", "due|ore|e|mezza|due|chili|e|mezzo"),
        ("pt", "2½ horas", "duas|horas|e|meia"),
        ("de", "+49 30 123456", "plus|vier|neun|drei|null|eins|zwei|drei|vier|fünf|sechs"),
    ],
)
def test_numerals(language: str, text: str, expected: str) -> None:
    pytest.importorskip("num2words")
    assert "|".join(split_words(text, language=language)) == expected
