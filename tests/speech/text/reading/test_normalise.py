"""From text to words."""

import importlib
import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.errors import ParameterError
from align.speech.text.reading.normalise import split_words

KNOWN = {"mr.", "u.s.", "'cause", "<unk>", "semi", "heights", "well-known", "known", "rock"}


def words(text: str, **options: str) -> str:
    found = split_words(text, known=lambda word: word.lower() in KNOWN, **options)
    return "|".join(found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, world!", "Hello|world"),
        ('"Yes," (she) said: no...maybe', "Yes|she|said|no|maybe"),
        ("don\u2019t 'quote' 'Cause dogs' 'em", "don't|quote|'Cause|dogs'|em"),
        ("Mr. Smith of the U.S. left.", "Mr.|Smith|of|the|U.S.|left"),
        ("semi-heights, well-known; green-kiwi", "semi|heights|well-known|green-kiwi"),
        ("one\u2014two / three_four -- five - six", "one|two|three|four|five|six"),
        ("[door slams] so <unk> {cough}", "[door slams]|so|<unk>|{cough}"),
        ("cafe\u0301", "café"),
        ("rock & roll", "rock|and|roll"),
        ("...", ""),
    ],
)
def test_punctuation(text: str, expected: str) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("21", "twenty|one"),
        ("1,234", "one|thousand|two|hundred|and|thirty|four"),
        ("3.5", "three|point|five"),
        ("-7", "minus|seven"),
        ("1st 22nd 3rd 4th", "first|twenty|second|third|fourth"),
        ("In 1999, or 2026.", "In|nineteen|ninety|nine|or|twenty|twenty|six"),
        ("the 1990s and 80's", "the|nineteen|nineties|and|eighties"),
        ("$5 $1 £2.50", "five|dollars|one|dollar|two|pounds|fifty|pence"),
        ("€3.01", "three|euros|one|cent"),
        ("$1,999", "one|thousand|nine|hundred|and|ninety|nine|dollars"),
        ("50% or 12 %", "fifty|percent|or|twelve|percent"),
        ("5\u00a0km, 5m and 1 kg", "five|kilometers|five|m|and|one|kilogram"),
        ("20°C, 60 mph; 3 m is", "twenty|degrees|Celsius|sixty|miles|per|hour|three|meters|is"),
        ("No. 5? No. 60 minutes", "number|five|number|sixty|minutes"),
        ("No. Not 5.", "No|Not|five"),
        ("10:30 7:05 8:00", "ten|thirty|seven|oh|five|eight|o'clock"),
        ("007", "zero|zero|seven"),
        ("at 09.30 or 007.5", "at|zero|nine|thirty|or|zero|zero|seven|five"),
        ("-0.5 -05", "minus|zero|point|five|minus|zero|five"),
        ("B2 747's", "B|two|seven|hundred|and|forty|seven's"),
        ("10-20", "ten|to|twenty"),
        ("1111111111111111", "|".join(["one"] * 16)),
    ],
)  # fmt: skip
def test_numbers(text: str, expected: str) -> None:
    pytest.importorskip("num2words")
    assert words(text) == expected


def test_numbers_of_another_language() -> None:
    pytest.importorskip("num2words")
    assert words("1.234 und 2,5 und 20%", language="de") == (
        "eintausendzweihundertvierunddreißig|und|zwei|Komma|fünf|und|zwanzig|Prozent"
    )
    assert words("21", language="fr") == "vingt|et|un"
    assert (
        words("um 09.30 bei -0,5", language="de")
        == "um|null|neun|dreißig|bei|minus|null|Komma|fünf"
    )
    with pytest.raises(ParameterError, match="language='am': num2words does not know its numbers"):
        words("1999", language="am")  # of which it has some
    with pytest.raises(ParameterError, match="language='xx': num2words does not know its numbers"):
        words("21", language="xx")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("555-1234", "five|five|five|one|two|three|four"),
        ("1998-2003", "nineteen|ninety|eight|to|two|thousand|and|three"),
        ("\u22125 or 3\u20135", "minus|five|or|three|to|five"),
        ("$5 million, £3m", "five|million|dollars|three|million|pounds"),
        ("50¢ and ¥100", "fifty|cents|and|one|hundred|yen"),
        ("1/2, 2 1/2; 1/2/2020", "a|half|two|and|a|half|one|two|twenty|twenty"),
        ("Jan. 3rd and 24 Dec", "January|third|and|the|twenty|fourth|of|December"),
        ("Jan said Dec", "Jan|said|Dec"),
        ("1960's", "nineteen|sixties"),
        ("www.example.com, a@b.org.", "w|w|w|dot|example|dot|com|a|at|b|dot|org"),
        ("1 000 000 or 10 20", "one|million|or|ten|twenty"),
        ("3 × 4", "three|times|four"),
        ("1.50 and 5 USD, 3 €", "one|point|five|zero|and|five|dollars|three|euros"),
    ],
)  # fmt: skip
def test_what_stands_beside_numbers_in_english(text: str, expected: str) -> None:
    pytest.importorskip("num2words")
    assert words(text) == expected


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "Henry VIII, World War II", "Henry|the|eighth|World|War|two"),
        ("en", "King George V; vol. III", "King|George|the|fifth|vol|three"),
        ("en", "I said I V and an IV", "I|said|I|V|and|an|IV"),
        ("de", "Ludwig XIV. im XX. Jahrhundert",
         "Ludwig|der|vierzehnte|im|zwanzigsten|Jahrhundert"),
        ("de", "Elisabeth II. in Kapitel IV", "Elisabeth|die|zweite|in|Kapitel|vier"),
        ("fr", "Louis XIV au XVIIe siècle", "Louis|quatorze|au|dix|septième|siècle"),
        ("en", "Elizabeth II's, Henry V's, He said I's",
         "Elizabeth|the|second's|Henry|the|fifth's|He|said|I's"),
        ("en", "2003-05-21, 10.10.2010, .5",
         "May|twenty|first|two|thousand|and|three|ten|ten|twenty|ten|point|five"),
        ("de", "im II. Weltkrieg, am 2003-05-21",
         "im|zweiten|Weltkrieg|am|einundzwanzigsten|fünften|zweitausenddrei"),
        ("de", "vom XII. bis XIV. Jahrhundert, Akt II. Akteure",
         "vom|zwölften|bis|vierzehnten|Jahrhundert|Akt|zwei|Akteure"),
        ("de", "1-Zimmer-Wohnung", "ein-Zimmer-Wohnung"),
        ("fr", "2003-05-21", "vingt|et|un|mai|deux|mille|trois"),
        ("es", "la II Guerra Mundial, 1 libro, 1 mano, 1 pero",
         "la|segunda|Guerra|Mundial|un|libro|una|mano|uno|pero"),
        ("it", "I guerra, scena IV, parte II, 1 libro, 1 sconto",
         "prima|guerra|scena|quarta|parte|seconda|un|libro|uno|sconto"),
        ("fr", "François Ier, Vienne", "François|premier|Vienne"),
        ("es", "Isabel II, siglo V y XXI", "Isabel|segunda|siglo|quinto|y|XXI"),
        ("it", "nel XX secolo", "nel|ventesimo|secolo"),
        ("pt", "D. João VI, século XIX", "dom|João|sexto|século|dezanove"),
    ],
)  # fmt: skip
def test_roman_numerals(language: str, text: str, expected: str) -> None:
    pytest.importorskip("num2words")
    assert words(text, language=language) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("well-kno-\nwn", "well-known"),
        ("a semi-\n heights", "a|semi|heights"),
        ("the kiw-\nis rest", "the|kiwis|rest"),
        ("the wh-\nWhat", "the|wh-|What"),
        ("a ro-\nrock", "a|ro-|rock"),
    ],
)
def test_words_that_are_divided_at_the_ends_of_lines(text: str, expected: str) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("de", "z. B. Dr. Maier, d.h. usw.", "zum|Beispiel|Doktor|Maier|das|heißt|und|so|weiter"),
        ("de", "Fr. Maier, Fr. 3. Mai, S. 5", "Frau|Maier|Fr|dritter|Mai|Seite|fünf"),
        ("de", "Hauptstr. 7, Kant-Str.", "Hauptstraße|sieben|Kant-Straße"),
        ("de", "am 24.12.1900", "am|vierundzwanzigsten|zwölften|neunzehnhundert"),
        ("de", "der 1.5. und 2.10.", "der|erste|fünfte|und|zweiter|zehnter"),
        ("de", "3.5 und 1.2.3", "drei|Komma|fünf|und|eins|Punkt|zwei|Punkt|drei"),
        ("de", "1 km, 30 km/h, 1 Std.", "ein|Kilometer|dreißig|Stundenkilometer|eine|Stunde"),
        ("de", "Er sah auf Seite 1 Wörter", "Er|sah|auf|Seite|eins|Wörter"),
        ("de", "21 °C und 2 Mio.", "einundzwanzig|Grad|Celsius|und|zwei|Millionen"),
        ("de", "um 10:30 Uhr", "um|zehn|Uhr|dreißig"),
        ("de", "um 1:00 oder 8.15 Uhr", "um|ein|Uhr|oder|acht|Uhr|fünfzehn"),
        ("de", "am 3. Mai 1998", "am|dritten|Mai|neunzehnhundertachtundneunzig"),
        ("de", "der 1. April, 2. Juni", "der|erste|April|zweiter|Juni"),
        ("de", "Es waren 3. Mehr nicht.", "Es|waren|drei|Mehr|nicht"),
        ("de", "12,50 € und 1 €", "zwölf|Euro|fünfzig|und|ein|Euro"),
        ("de", "3-5 & 20 %", "drei|bis|fünf|und|zwanzig|Prozent"),
        ("de", "\u201eJa\u201c, sagte [3. Mai] sie", "Ja|sagte|[3. Mai]|sie"),
        ("fr", "Mme Petit, 1er, 2e et 1re", "madame|Petit|premier|deuxième|et|première"),
        ("fr", "à 10h30, 9 h ou 1:00", "à|dix|heures|trente|neuf|heures|ou|une|heure"),
        ("fr", "12,50 € ; 1\u202f000 $", "douze|euros|cinquante|mille|dollars"),
        ("fr", "\u00ab 20 % \u00bb, p. ex. 3,5", "vingt|pour|cent|par|exemple|trois|virgule|cinq"),
        ("fr", "M. Petit, M. et MM. Roy", "monsieur|Petit|M|et|messieurs|Roy"),
        ("fr", "1 kg, 5 km, 2 km/h", "un|kilogramme|cinq|kilomètres|deux|kilomètres|à|l'heure"),
        ("es", "1 h, 2 km; D. Luis, plan D.", "una|hora|dos|kilómetros|don|Luis|plan|D"),
        ("es", "EE. UU., pág. 3", "Estados|Unidos|página|tres"),
        ("it", "1 h, 3 m², pag. 4", "una|ora|tre|metri|quadrati|pagina|quattro"),
        ("nl", "12 % of 5 km", "twaalf|procent|of|vijf|kilometer"),
        ("es", "¿El Sr. Gil? ¡21 €!", "El|señor|Gil|veintiún|euros"),
        ("es", "1º y 3.ª", "primero|y|tercera"),
        ("es", "a las 10:30, 3,5 %", "a|las|diez|y|treinta|tres|coma|cinco|por|ciento"),
        ("es", "1.250,75 €", "mil|doscientos|cincuenta|euros|con|setenta|y|cinco"),
        ("it", "la sig.ra Po, ecc.", "la|signora|Po|eccetera"),
        ("it", "1º e 3ª, 10:30", "primo|e|terza|dieci|e|trenta"),
        ("it", "3,14 0,5", "tre|virgola|quattordici|zero|virgola|cinque"),
        ("it", "2,50 € o 1 $", "due|euro|e|cinquanta|o|un|dollaro"),
        ("it", "L'8 marzo, ca. 5", "L'otto|marzo|circa|cinque"),
        ("de", "5 Mio. €, 1998-2003", "fünf|Millionen|Euro|neunzehnhundertachtundneunzig|bis|"
         "zweitausenddrei"),
        ("de", "10\u201320 und \u22125 °C", "zehn|bis|zwanzig|und|minus|fünf|Grad|Celsius"),
        ("de", "Tel. 030/123 45-6", "Telefon|null|drei|null|eins|zwei|drei|vier|fünf|sechs"),
        ("de", "der 3. Platz, im 19. Jh.", "der|dritte|Platz|im|neunzehnten|Jahrhundert"),
        ("de", "am 3. Okt., 5 EUR, 3x", "am|dritten|Oktober|fünf|Euro|drei|mal"),
        ("de", "20er und 1990er-Jahre", "zwanziger|und|neunzehnhundertneunziger-Jahre"),
        ("de", "1,80 m, 1,05 und 2½", "eins|Komma|acht|null|Meter|eins|Komma|null|fünf|und|zwei|"
         "einhalb"),
        ("de", "Lehrer:innen um 7 h", "Lehrer|innen|um|sieben|Uhr"),
        ("de", "der 5. und 6. Klassen", "der|fünften|und|sechsten|Klassen"),
        ("de", "die 5. und 6. Klasse", "die|fünfte|und|sechste|Klasse"),
        ("de", "in der 3. Woche, der 2. Sprung", "in|der|dritten|Woche|der|zweite|Sprung"),
        ("de", "St. Pölten, 3 St. Brot", "Sankt|Pölten|drei|St|Brot"),
        ("es", "21 chicas, 21 años, 21 mil", "veintiuna|chicas|veintiún|años|veintiún|mil"),
        ("es", "en 2021 ellas, 201 veces", "en|dos|mil|veintiuno|ellas|doscientas|una|veces"),
        ("es", "Sta. Cruz, página 1, 1 hora", "Santa|Cruz|página|uno|una|hora"),
        ("pt", "2 meninas, 2 dias, às 2", "duas|meninas|dois|dias|às|duas"),
        ("it", "1 anno, 1 volta", "un|anno|una|volta"),
        ("fr", "1 heure, 21 jours, St-Malo", "une|heure|vingt|et|un|jours|Saint-Malo"),
        ("fr", "En 3 l'eau, 5 m d'eau", "En|trois|l'eau|cinq|mètres|d'eau"),
        ("fr", "44 av. J.-C., n°5", "quarante|quatre|avant|Jésus-Christ|numéro|cinq"),
        ("fr", "M. et Mme Petit, p. 2½", "monsieur|et|madame|Petit|page|deux|et|demi"),
        ("it", "Nel 1945 l'Italia", "Nel|millenovecentoquarantacinque|l'Italia"),
        ("it", "il 2° piano n. 3 a 20°", "il|secondo|piano|numero|tre|a|venti|gradi"),
        ("it", "XV sec., 5 sec.", "quindicesimo|secolo|cinque|secondi"),
        ("es", "3.er piso, 1° de mayo, 30° de", "tercer|piso|primero|de|mayo|treinta|grados|de"),
        ("es", "s. XIX, la 2da vez", "siglo|diecinueve|la|segunda|vez"),
        ("pt", "séc. XIX, 2° andar", "século|dezanove|segundo|andar"),
        ("de", "44 v. Chr., Kap. IV etc.", "vierundvierzig|vor|Christus|Kapitel|vier|et|cetera"),
        ("de", "1/3 am 30.9.99, Nr.5", "ein|Drittel|am|dreißigsten|neunten|neunundneunzig|Nummer|"
         "fünf"),
        ("de", "am 1. und 2. Juni", "am|ersten|und|zweiten|Juni"),
        ("de", "der 1., 2. oder 3. Gang", "der|erste|zweite|oder|dritte|Gang"),
        ("de", "15./16. Jahrhundert", "fünfzehntes|sechzehntes|Jahrhundert"),
        ("de", "am 1.\u20133. Juni", "am|ersten|bis|dritten|Juni"),
        ("it", "1 1/2 kg, 1 1/2", "un|chilogrammo|e|mezzo|uno|e|mezzo"),
        ("es", "6° abajo", "seis|grados|abajo"),
        ("de", "2. Stock, in 3. Auflage", "zweiter|Stock|in|dritter|Auflage"),
        ("de", "sein 5. Geburtstag im 2. Akt", "sein|fünfter|Geburtstag|im|zweiten|Akt"),
        ("de", "seiner 2. Liga, Platz 2. Runde 3", "seiner|zweiten|Liga|Platz|zwei|Runde|drei"),
        ("de", "Ich habe 2. Dann", "Ich|habe|zwei|Dann"),
        ("de", "am 1.2. 15:30 Uhr", "am|ersten|zweiten|fünfzehn|Uhr|dreißig"),
        ("de", "am 1.2. 20 % mehr", "am|ersten|zweiten|zwanzig|Prozent|mehr"),
        ("de", "Version 3.4.21", "Version|drei|Punkt|vier|Punkt|einundzwanzig"),
        ("de", "aller Art. 20 kamen", "aller|Art|zwanzig|kamen"),
        ("de", "1/4 Std.", "ein|Viertel|Stunde"),
        ("fr", "1/2 h, 3/4 kg", "une|demi|heure|trois|quarts|kilogramme"),
        ("es", "hace 30° hoy", "hace|treinta|grados|hoy"),
        ("es", "3,5° ahora y 2° hijo", "tres|coma|cinco|grados|ahora|y|segundo|hijo"),
        ("it", "30° fuori, 90° minuto", "trenta|gradi|fuori|novantesimo|minuto"),
        ("it", "un sec. e 1/2 kg", "un|sec|e|un|mezzo|chilogrammo"),
        ("pt", "ângulo de 90° exatos", "ângulo|de|noventa|graus|exatos"),
        ("fr", "1/4 d'heure, XIXe s.", "un|quart|d'heure|dix|neuvième|siècle"),
        ("es", "Tel. 91-123-45, D.ª Ana", "teléfono|noventa|y|uno|ciento|veintitrés|cuarenta|y|"
         "cinco|doña|Ana"),
        ("it", "3/4, 5/6 e 1/2/2020", "tre|quarti|cinque|sei|e|primo|febbraio|duemilaventi"),
        ("fr", "1,75 m ou 0,05", "un|virgule|soixante|quinze|mètres|ou|zéro|virgule|zéro|cinq"),
        ("es", "1,75 m", "uno|coma|setenta|y|cinco|metros"),
        ("pt", "R$ 12,50 e 1 €, 14h30", "doze|reais|e|cinquenta|e|um|euro|catorze|horas|e|trinta"),
        ("pt", "O 1º Sr. Gil, 2 kg", "O|primeiro|senhor|Gil|dois|quilos"),
        ("fr", "1 000 000 ou 12 500", "un|million|ou|douze|mille|cinq|cents"),
        ("es", "612 345 678", "seiscientos|doce|trescientos|cuarenta|y|cinco|seiscientos|setenta|"
         "y|ocho"),
        ("fi", "12,50 € ja 21 %", "kaksitoista|euroa|viisikymmentä|ja|kaksikymmentäyksi|"
         "prosenttia"),
        ("fi", "klo 14.30", "kello|neljätoista|kolmekymmentä"),
        ("nl", "€ 12,50 om 14.30 uur", "twaalf|euro|vijftig|om|veertien|uur|dertig"),
        ("tr", "%21 ve 5%", "yüzde|yirmibir|ve|yüzde|beş"),
        ("ru", "21% и 12% и 3%", "двадцать|один|процент|и|двенадцать|процентов|и|три|процента"),
        ("nl", "€ 1.500, de 21e, 2de", "duizendvijfhonderd|euro|de|eenentwintigste|tweede"),
        ("nl", "'t Is 'n dag in 1848", "'t|Is|'n|dag|in|achttien|honderd|achtenveertig"),
        ("nl", "dhr. Po, d.w.z. 25 °C", "de|heer|Po|dat|wil|zeggen|vijfentwintig|graden|Celsius"),
        ("sv", "1 maj 1905, 3:e, t. ex.", "första|maj|nittonhundrafem|tredje|till|exempel"),
        ("no", "1. mai og 3. etasje", "første|mai|og|tredje|etasje"),
        ("pl", "1 maja 1999 r., np. 3", "pierwszego|maja|tysiąc|dziewięćset|dziewięćdziesiątego|"
         "dziewiątego|roku|na|przykład|trzy"),
        ("ru", "в 2010 г. 1 мая, № 7", "в|две|тысячи|десятом|году|первого|мая|номер|семь"),
        ("ru", "3-го, 2-я, 40-й, 100 ₽", "третьего|вторая|сороковой|сто|рублей"),
        ("tr", "3,05 ve 21. gün", "üç|virgül|sıfır|beş|ve|yirmibirinci|gün"),
        ("ar", "٢٪ 0.5", "اثنان|بالمئة|صفر|فاصلة|خمسة"),
        ("zh", "1999年2个，10:05，2%", "一|九|九|九|年|两|个|十|点|零|五|分|百|分|之|二"),
        ("zh", "3-5 -5元", "三|到|五|负|五|元"),
        ("zh", "bei3 2024-05-01 feng1", "bei3|二零二四年五月一日|feng1"),
        ("el", "Στις 3, 21%, 12,50\u20ac.", "Στις|3|21%|12,50€"),
        ("sw", "watu 21 walifika", "watu|21|walifika"),
    ],
)  # fmt: skip
def test_signs_of_other_languages(language: str, text: str, expected: str) -> None:
    pytest.importorskip("num2words")
    assert words(text, language=language) == expected


def test_a_dictionary_may_have_an_abbreviation() -> None:
    found = split_words("Dr. Maier", language="de", known=lambda word: word == "Dr.")
    assert found == ("Dr.", "Maier")


def test_numbers_need_num2words(monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("align.speech.text.reading.normalise")
    module._num2words.cache_clear()
    monkeypatch.setitem(sys.modules, "num2words", None)
    assert words("no numbers") == "no|numbers"
    with pytest.raises(ParameterError, match=r'number 21 .* "margin-align\[text\]"'):
        words("21")


@given(st.text(max_size=40).filter(lambda text: not any(c.isnumeric() for c in text)))
def test_nothing_that_is_said_is_lost(text: str) -> None:
    """Every letter of the text is in a word, and words have no outer punctuation."""
    import unicodedata

    def plain(sign: str) -> str:  # a ligature is several letters
        way = unicodedata.decomposition(sign)
        compact = way.startswith(("<wide>", "<narrow>", "<sub>")) or "\ufb00" <= sign <= "\ufb06"
        return unicodedata.normalize("NFKC", sign) if compact else sign

    found = split_words(text)
    signs = "".join(map(plain, unicodedata.normalize("NFC", text)))
    letters = [c for c in signs if unicodedata.category(c)[0] == "L"]
    kept = [c for word in found for c in word if unicodedata.category(c)[0] == "L"]
    # words that nobody understood, which are ***, addresses, whose full stops are said, and tags
    read = re.search(
        r"</?[A-Za-z][^<>]*>|xxx|yyy|XXX|YYY|www\.|://|\.(?:com|org|net|edu|gov|info|eu|co)", text
    )
    if not read and not any(sign in text for sign in "&+=@°"):
        assert kept == [c for c in letters if c != "\u02bc"]
    assert all(word and not word[0].isspace() and not word[-1].isspace() for word in found)
