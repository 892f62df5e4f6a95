"""Money, clocks and abbreviations."""

import pytest

from align.speech.text.reading.normalise import split_words


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "en",
            "-$0.20, US$5 million, $.50, $20.5",
            "minus|twenty|cents|five|million|U|S|dollars|fifty|cents|twenty|point|five|dollars",
        ),
        ("en", "15:00, 3:00 pm, 5pm-7pm", "fifteen|hundred|three|pm|five|pm|to|seven|pm"),
        ("en", "5%-10%, $5-$6", "five|percent|to|ten|percent|five|dollars|to|six|dollars"),
        (
            "en",
            "6'2\", #5, p. 7, Vol. 2, approx. 3",
            "six|foot|two|number|five|page|seven|Volume|two|approximately|three",
        ),
        (
            "fr",
            "3 M€, 2 millions €, 0,05 €",
            "trois|millions|d'euros|deux|millions|d'euros|cinq|centimes",
        ),
        (
            "fr",
            "12/20, 21:30, 2nde, 1m80",
            "douze|sur|vingt|vingt|et|une|heures|trente|seconde|un|mètre|quatre|vingts",
        ),
        (
            "es",
            "€ 2 millones, 21:30, 1 millón",
            "dos|millones|de|euros|veintiuna|y|treinta|un|millón",
        ),
        ("pt", "2:00, R$ 0,50", "duas|horas|cinquenta|centavos"),
        ("de", "2 Mio. €, 1:0, 10:30", "zwei|Millionen|Euro|eins|zu|null|zehn|Uhr|dreißig"),
        ("it", "2,01 €, 1 milione", "due|euro|e|un|centesimo|un|milione"),
        ("nl", "€ 0,50, ½, a & b", "vijftig|cent|een|half|a|en|b"),
    ],
)
def test_money_and_clocks(language: str, text: str, expected: str) -> None:
    pytest.importorskip("num2words")
    assert "|".join(split_words(text, language=language)) == expected
