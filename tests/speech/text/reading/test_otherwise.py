"""In which other ways a number may be read."""

import pytest

from align.speech.text.reading.normalise import read_words, split_words
from align.speech.text.reading.otherwise import are_alike


def ways(text: str, language: str) -> list[list[str]]:
    """Return the other readings of each number of a text."""
    several = read_words(text, language=language).several
    return [[" ".join(way) for way in one.ways] for one in several]


@pytest.mark.parametrize(
    ("language", "text", "some"),
    [
        ("en", "page 101", {"a hundred and one", "one hundred one", "one oh one"}),
        ("en", "Highway 101", {"one hundred and one", "one zero one"}),
        ("en", "CA 90210", {"nine oh two one oh"}),
        ("en", "90210", {"nine oh two one oh", "nine zero two one zero"}),
        ("en", "(007)", {"double oh seven", "oh oh seven"}),
        ("en", "in 2005,", {"two thousand five", "twenty oh five"}),
        ("en", "1,200 of 1500.", {"twelve hundred", "a thousand two hundred"}),
        ("en", "at 9:45", {"quarter to ten", "a quarter to ten"}),
        ("en", "at 9:10", {"ten past nine"}),
        ("en", "at 9:40", {"twenty to ten"}),
        ("en", "at 9:00", {"nine", "nine hundred"}),
        ("en", "$5.50", {"five fifty", "five dollars and fifty cents"}),
        ("en", "$1.50", {"one dollar and fifty cents"}),
        ("en", "3.5 or 0.5", {"three and a half"}),
        ("en", "3.14", {"three point fourteen"}),
        ("en", "0.25", {"point two five", "oh point two five"}),
        ("en", "0", {"oh", "nought"}),
        ("en", "on May 5", {"the fifth", "five"}),
        ("en", "(3/4/2020)", {"March fourth twenty twenty", "the third of April twenty twenty"}),
        ("en", "12/25/1998", {"December twenty fifth nineteen ninety eight"}),
        ("en", "370", {"three seventy", "three hundred seventy", "three seven zero"}),
        ("de", "101", {"hunderteins", "hundertundeins", "eins null eins"}),
        ("de", "im Jahr 2020", {"zwanzig zwanzig"}),
        ("de", "1.200", {"tausendzweihundert", "zwölfhundert"}),
        ("de", "2", {"zwo"}),
        ("de", "2,5 km", {"zweieinhalb"}),
        ("de", "1,5", {"anderthalb", "eineinhalb"}),
        ("de", "5,50 €", {"fünf fünfzig", "fünf Euro und fünfzig Cent"}),
        ("fr", "3,5", {"trois et demi"}),
        ("es", "2,5", {"dos y medio"}),
        ("it", "5,50 €", {"cinque e cinquanta"}),
        ("nl", "1,5", {"anderhalf"}),
        ("de", "um 10:30 Uhr", {"halb elf"}),
        ("de", "um 12:45", {"viertel vor eins", "dreiviertel eins"}),
        ("de", "um 0:05", {"fünf nach zwölf"}),
        ("de", "um 13:05 Uhr", {"ein Uhr fünf", "fünf nach eins"}),
        ("fr", "à 12h30", {"midi et demie"}),
        ("fr", "à 0h45", {"une heure moins le quart"}),
        ("fr", "à 22h40", {"onze heures moins vingt"}),
        ("es", "a las 13:30", {"una y media"}),
        ("it", "alle 7:45", {"otto meno un quarto", "sette e tre quarti"}),
        ("pt", "às 2:30", {"duas e meia"}),
        ("nl", "om 10:30", {"half elf"}),
        ("sv", "kl. 10:50", {"tio i elva"}),
        ("fr", "75", {"septante cinq"}),
        ("fr", "1950", {"dix neuf cent cinquante"}),
        ("nl", "105", {"honderdenvijf"}),
        ("nl", "2500", {"vijfentwintighonderd"}),
        ("no", "24", {"fireogtyve"}),
        ("sv", "2024", {"tjugo tjugofyra"}),
        ("vi", "1999", {"một chín chín chín"}),  # whose years num2words does not know
        ("pt", "266", {"dois meia meia"}),
        ("es", "1999", {"uno nueve nueve nueve"}),
        ("en", "at 13:05", {"one oh five", "five past one"}),
        ("en", "at 17:00", {"five o'clock"}),
        ("en", "$100", {"a hundred dollars", "one hundred bucks"}),
        ("en", "$1", {"a dollar", "a buck"}),
        ("en", "£1,200", {"twelve hundred pounds", "one thousand two hundred quid"}),
        ("en", "2.05", {"two point oh five"}),
        ("en", "0.5%", {"half a percent", "point five percent"}),
        ("en", "the 110th", {"one hundred tenth", "hundred and tenth"}),
        ("en", "2x", {"two times", "twice"}),
        ("en", "100k", {"a hundred thousand", "a hundred k"}),
        ("en", "1.5m", {"one and a half million", "one point five million"}),
        ("en", "401k", {"four oh one k"}),
        ("en", "1080p", {"ten eighty p"}),
        ("en", "A380", {"A three eighty", "A three eight zero"}),
        ("en", "3:2", {"three to two"}),
        ("en", "five 8/10", {"eight out of ten"}),
        ("en", "1/2 cup", {"half a", "one half"}),
        ("en", "5'10\" tall", {"five ten", "five feet ten inches"}),
        ("en", "ages 3-5", {"", "through"}),
        ("en", "5 km", {"k"}),
        ("en", "60 mph", {"miles an hour"}),
        ("en", "on 5 May", {""}),  # fifth of May
        ("de", "30 km/h", {"Kilometer pro Stunde"}),
        ("de", "am 3.5.", {"dritten Mai"}),
        ("de", "1,80 m", {"eins achtzig", "ein Meter achtzig"}),
        ("de", "1,5 %", {"anderthalb Prozent"}),
        ("de", "0,5", {"eine halbe"}),
        ("de", "0172 123456", {"null eins sieben zwo", "null eins zweiundsiebzig"}),
        ("de", "A380", {"A dreihundertundachtzig", "A drei acht null"}),
        ("fr", "2,5 heures", {"deux heures et demie"}),
        ("fr", "1,5 heures", {"une heure et demie"}),
        ("fr", "75 personnes", {"septante cinq"}),
        ("fr", "10 °C", {"degrés"}),
        ("es", "2,5 años", {"dos años y medio"}),
        ("es", "2x", {"dos veces"}),
        ("it", "alto 1,80 m", {"uno e ottanta", "un metro e ottanta"}),
        ("nl", "in 1990", {"negentien negentig", "negentienhonderd negentig"}),
        ("nl", "17:00", {"vijf uur"}),
        ("sv", "in 1990", {"nitton nittio"}),
    ],
)
def test_other_readings(language: str, text: str, some: set[str]) -> None:
    assert some <= set(ways(text, language)[0])


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "twelve kiwis, one half, A4, 5 cm, 3rd, -7, 50%, COVID-19, 12345678"),
        ("en", "at the edge of the house, half of the cup, kilometers per hour"),
        ("de", "drei Kiwis, 3. Mai, 5 km, 1,6, 5,00 €"),
        ("zh", "1999"),
        ("ta", "1999"),  # whose numbers espeak-ng reads
    ],
)
def test_what_has_one_reading(language: str, text: str) -> None:
    assert ways(text, language) == []


def test_the_words_that_stand_for_a_number() -> None:
    reading = read_words("From 101 to 3 [noise] 0.")
    assert [reading.words[one.start : one.stop] for one in reading.several] == [
        ("one", "hundred", "and", "one"),
        ("zero",),
    ]
    assert reading.words == split_words("From 101 to 3 [noise] 0.")


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "it", "pt", "nl", "sv", "no", "da"])
def test_no_reading_is_the_usual_one_and_each_has_letters_alone(language: str) -> None:
    numbers = "0 2 7 10 21 99 100 101 110 200 999 1000 1001 1066 1999 2000 2010 2100 9999 90210"
    for number in (*numbers.split(), "100000", "999999", "1000000"):
        reading = read_words(number, language=language)
        for one in reading.several:
            assert reading.words not in one.ways
            assert len(set(one.ways)) == len(one.ways) <= 12
            assert all(word.replace("-", "").isalpha() for way in one.ways for word in way)


def test_others_belong_to_the_words_they_stand_for() -> None:
    reading = read_words("Call 555-1034 (5 kg).")
    assert [reading.words[one.start : one.stop] for one in reading.several] == [
        ("five", "five", "five"),
        ("one", "zero", "three", "four"),
        ("kilograms",),
    ]
    assert read_words("a\2b\3c\4 kiwi").words == ("a", "b", "c", "kiwi")


@pytest.mark.parametrize(
    ("usual", "other", "alike"),
    [
        ("one hundred and ten", "one hundred ten", True),
        ("one hundred and ten", "a hundred and ten", True),
        ("five dollars fifty cents", "five dollars and fifty cents", True),
        ("einhundertzehn", "hundertundzehn", True),
        ("honderdtien", "honderdentien", True),
        ("honderdéén", "honderd één", False),
        ("one hundred and ten", "one ten", False),
        ("einundzwanzig", "zwanzig", False),
    ],
)
def test_readings_that_differ_by_an_and_alone(usual: str, other: str, alike: bool) -> None:
    assert are_alike(usual.split(), other.split()) == alike
