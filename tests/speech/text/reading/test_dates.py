"""Days and months."""

import pytest

from align.speech.text.reading.normalise import split_words


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "July 4, the 4 July, 5 May.", "July|fourth|the|fourth|of|July|the|fifth|of|May"),
        ("en", "may 10, May 10 people, May 3-5", "may|ten|May|ten|people|May|three|to|five"),
        (
            "en",
            "2003/05/21, 3/4/2020",
            "May|twenty|first|two|thousand|and|three|three|four|twenty|twenty",
        ),
        (
            "fr",
            "1 mai, 12/01/1998, 3 sept. 2003",
            "premier|mai|douze|janvier|mille|neuf|cent|quatre|vingt|dix|huit|trois|septembre|deux|mille|trois",
        ),
        ("es", "5 febrero, 3 feb. 2001", "cinco|de|febrero|tres|de|febrero|dos|mil|uno"),
        ("pt", "21.05.2003", "vinte|e|um|de|maio|de|dois|mil|e|três"),
        ("nl", "14 aug 2006", "veertien|augustus|tweeduizendzes"),
        ("de", "3. Sept. 2003", "dritter|September|zweitausenddrei"),
        ("sv", "2005-10-06, 1920-talet", "sjätte|oktober|tvåtusenfem|nittonhundratjugotalet"),
    ],
)
def test_dates(language: str, text: str, expected: str) -> None:
    pytest.importorskip("num2words")
    assert "|".join(split_words(text, language=language)) == expected
