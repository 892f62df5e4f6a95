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
        (
            "en",
            "5 m/s, 5m/s, 2 km/h, $5/hour, and/or, 10/day",
            "five|meters|per|second|five|meters|per|second|two|kilometers|per|hour|five|dollars|"
            "per|hour|and|or|ten|day",
        ),
        ("de", "1,75 €/kg", "ein|Euro|fünfundsiebzig|pro|Kilogramm"),
        ("de", "2 h/Woche", "zwei|Stunden|pro|Woche"),
        ("de", "7 l/100 km", "sieben|Liter|pro|einhundert|Kilometer"),
        ("es", "½ kg, 1/2 hora", "medio|kilogramo|media|hora"),
        (
            "de",
            "½ l, eine 1/2 Stunde, ½ Jahr",
            "ein|halber|Liter|eine|halbe|Stunde|ein|halbes|Jahr",
        ),
        ("de", "1 1/2 TL, 2½ Tage", "eineinhalb|TL|zwei|einhalb|Tage"),
        ("it", "1/2 ora, US$ 20", "mezz'ora|venti|dollari"),
        (
            "fr",
            "1/2 heure, 3/4 h, 2½ h",
            "une|demi|heure|trois|quarts|d'heure|deux|heures|et|demie",
        ),
        ("pt", "½ h", "meia|hora"),
    ],
)
def test_units(language: str, text: str, expected: str) -> None:
    pytest.importorskip("num2words")
    assert "|".join(split_words(text, language=language)) == expected
