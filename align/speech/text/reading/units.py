"""Units of measure behind a number, as ten languages say them: 5 km, 30 km/h, 20 °C, 3 €/kg.

Only signs behind a number are read, and a single letter only where a space parts the two (5 m, but
not 5m, which may be five million) and no apostrophe follows (1998 l'équipe). Languages that are
not here leave units as they are written.

References
----------
Bureau International des Poids et Mesures, "The International System of Units", 9th edition, 2019,
chapter 5: how signs are written.
"""

import re
from collections.abc import Mapping

from align.speech.text.reading.others import with_others


def _same(**units: str) -> dict[str, tuple[str, str]]:
    """Return units whose name for one is that for several."""
    return {sign: (name, name) for sign, name in units.items()}


_NORDIC_UNITS = _same(
    km="kilometer", m="meter", cm="centimeter", mm="millimeter", kg="kilo", g="gram", l="liter",
    ml="milliliter", Hz="hertz", MB="megabyte",
) | {"°C": ("grad Celsius", "grader Celsius"), "m²": ("kvadratmeter",) * 2}  # fmt: skip
_UNITS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "en": {
        "s": ("second", "seconds"), "mins": ("minute", "minutes"), "hr": ("hour", "hours"),
        "hrs": ("hour", "hours"),
        "sec": ("second", "seconds"), "secs": ("second", "seconds"), "yrs": ("year", "years"),
        "kgs": ("kilogram", "kilograms"), "mi": ("mile", "miles"), "yds": ("yard", "yards"),
        "sq ft": ("square foot", "square feet"), "sq. ft.": ("square foot", "square feet"),
        "km³": ("cubic kilometer", "cubic kilometers"), "°": ("degree", "degrees"),
        "km": ("kilometer", "kilometers"), "m": ("meter", "meters"),
        "cm": ("centimeter", "centimeters"), "mm": ("millimeter", "millimeters"),
        "kg": ("kilogram", "kilograms"), "g": ("gram", "grams"), "mg": ("milligram", "milligrams"),
        "l": ("liter", "liters"), "ml": ("milliliter", "milliliters"),
        "lb": ("pound", "pounds"), "lbs": ("pound", "pounds"), "ft": ("foot", "feet"),
        "oz": ("ounce", "ounces"), "mph": ("mile per hour", "miles per hour"),
        "km/h": ("kilometer per hour", "kilometers per hour"),
        "min": ("minute", "minutes"), "h": ("hour", "hours"),
        "ms": ("millisecond", "milliseconds"), "Hz": ("hertz", "hertz"),
        "kHz": ("kilohertz", "kilohertz"), "MHz": ("megahertz", "megahertz"),
        "GHz": ("gigahertz", "gigahertz"), "kW": ("kilowatt", "kilowatts"),
        "MB": ("megabyte", "megabytes"), "GB": ("gigabyte", "gigabytes"),
        "°C": ("degree Celsius", "degrees Celsius"),
        "°F": ("degree Fahrenheit", "degrees Fahrenheit"),
        "m²": ("square meter", "square meters"), "m³": ("cubic meter", "cubic meters"),
        "km²": ("square kilometer", "square kilometers"),
    },
    "de": {
        "s": ("Sekunde", "Sekunden"), "Sek.": ("Sekunde", "Sekunden"),
        "qm": ("Quadratmeter", "Quadratmeter"), "°": ("Grad", "Grad"),
        "km": ("Kilometer", "Kilometer"), "m": ("Meter", "Meter"),
        "cm": ("Zentimeter", "Zentimeter"), "mm": ("Millimeter", "Millimeter"),
        "kg": ("Kilogramm", "Kilogramm"), "g": ("Gramm", "Gramm"), "mg": ("Milligramm",) * 2,
        "l": ("Liter", "Liter"), "ml": ("Milliliter", "Milliliter"),
        "km/h": ("Stundenkilometer", "Stundenkilometer"),
        "min": ("Minute", "Minuten"), "h": ("Stunde", "Stunden"),
        "ms": ("Millisekunde", "Millisekunden"),
        "Hz": ("Hertz", "Hertz"), "kHz": ("Kilohertz", "Kilohertz"), "MHz": ("Megahertz",) * 2,
        "GHz": ("Gigahertz", "Gigahertz"), "kW": ("Kilowatt", "Kilowatt"),
        "MB": ("Megabyte", "Megabyte"), "GB": ("Gigabyte", "Gigabyte"),
        "°C": ("Grad Celsius", "Grad Celsius"), "°F": ("Grad Fahrenheit", "Grad Fahrenheit"),
        "m²": ("Quadratmeter", "Quadratmeter"), "m³": ("Kubikmeter", "Kubikmeter"),
        "km²": ("Quadratkilometer", "Quadratkilometer"),
        "Mio.": ("Million", "Millionen"), "Mrd.": ("Milliarde", "Milliarden"),
        "Std.": ("Stunde", "Stunden"), "Min.": ("Minute", "Minuten"),
    },
    "fr": {
        "s": ("seconde", "secondes"), "°": ("degré", "degrés"),
        "km": ("kilomètre", "kilomètres"), "m": ("mètre", "mètres"),
        "cm": ("centimètre", "centimètres"), "mm": ("millimètre", "millimètres"),
        "kg": ("kilogramme", "kilogrammes"), "g": ("gramme", "grammes"),
        "mg": ("milligramme", "milligrammes"), "l": ("litre", "litres"),
        "ml": ("millilitre", "millilitres"),
        "km/h": ("kilomètre à l'heure", "kilomètres à l'heure"),
        "min": ("minute", "minutes"), "ms": ("milliseconde", "millisecondes"),
        "Hz": ("hertz", "hertz"), "kHz": ("kilohertz", "kilohertz"), "MHz": ("mégahertz",) * 2,
        "GHz": ("gigahertz", "gigahertz"), "kW": ("kilowatt", "kilowatts"),
        "Mo": ("mégaoctet", "mégaoctets"), "Go": ("gigaoctet", "gigaoctets"),
        "°C": ("degré Celsius", "degrés Celsius"), "°F": ("degré Fahrenheit", "degrés Fahrenheit"),
        "m²": ("mètre carré", "mètres carrés"), "m³": ("mètre cube", "mètres cubes"),
        "km²": ("kilomètre carré", "kilomètres carrés"),
    },
    "es": {
        "s": ("segundo", "segundos"), "seg": ("segundo", "segundos"),
        "mph": ("milla por hora", "millas por hora"), "°": ("grado", "grados"),
        "km": ("kilómetro", "kilómetros"), "m": ("metro", "metros"),
        "cm": ("centímetro", "centímetros"), "mm": ("milímetro", "milímetros"),
        "kg": ("kilogramo", "kilogramos"), "g": ("gramo", "gramos"),
        "mg": ("miligramo", "miligramos"), "l": ("litro", "litros"),
        "ml": ("mililitro", "mililitros"),
        "km/h": ("kilómetro por hora", "kilómetros por hora"),
        "min": ("minuto", "minutos"), "h": ("hora", "horas"),
        "ms": ("milisegundo", "milisegundos"),
        "Hz": ("hercio", "hercios"), "kHz": ("kilohercio", "kilohercios"),
        "MHz": ("megahercio", "megahercios"), "GHz": ("gigahercio", "gigahercios"),
        "kW": ("kilovatio", "kilovatios"), "MB": ("megabyte", "megabytes"),
        "GB": ("gigabyte", "gigabytes"),
        "°C": ("grado Celsius", "grados Celsius"), "°F": ("grado Fahrenheit", "grados Fahrenheit"),
        "m²": ("metro cuadrado", "metros cuadrados"), "m³": ("metro cúbico", "metros cúbicos"),
        "km²": ("kilómetro cuadrado", "kilómetros cuadrados"),
    },
    "it": {
        "s": ("secondo", "secondi"), "°": ("grado", "gradi"),
        "km": ("chilometro", "chilometri"), "m": ("metro", "metri"),
        "cm": ("centimetro", "centimetri"), "mm": ("millimetro", "millimetri"),
        "kg": ("chilogrammo", "chilogrammi"), "g": ("grammo", "grammi"),
        "mg": ("milligrammo", "milligrammi"), "l": ("litro", "litri"),
        "ml": ("millilitro", "millilitri"),
        "km/h": ("chilometro all'ora", "chilometri all'ora"),
        "sec": ("secondo", "secondi"), "min": ("minuto", "minuti"), "h": ("ora", "ore"),
        "ms": ("millisecondo", "millisecondi"),
        "Hz": ("hertz", "hertz"), "kHz": ("chilohertz", "chilohertz"), "MHz": ("megahertz",) * 2,
        "GHz": ("gigahertz", "gigahertz"), "kW": ("chilowatt", "chilowatt"),
        "MB": ("megabyte", "megabyte"), "GB": ("gigabyte", "gigabyte"),
        "°C": ("grado Celsius", "gradi Celsius"), "°F": ("grado Fahrenheit", "gradi Fahrenheit"),
        "m²": ("metro quadrato", "metri quadrati"), "m³": ("metro cubo", "metri cubi"),
        "km²": ("chilometro quadrato", "chilometri quadrati"),
    },
    "pt": {
        "s": ("segundo", "segundos"), "seg": ("segundo", "segundos"), "°": ("grau", "graus"),
        "km": ("quilómetro", "quilómetros"), "m": ("metro", "metros"),
        "cm": ("centímetro", "centímetros"), "mm": ("milímetro", "milímetros"),
        "kg": ("quilo", "quilos"), "g": ("grama", "gramas"), "mg": ("miligrama", "miligramas"),
        "l": ("litro", "litros"), "ml": ("mililitro", "mililitros"),
        "km/h": ("quilómetro por hora", "quilómetros por hora"),
        "min": ("minuto", "minutos"), "ms": ("milissegundo", "milissegundos"),
        "Hz": ("hertz", "hertz"), "kHz": ("quilohertz", "quilohertz"),
        "°C": ("grau Celsius", "graus Celsius"), "m²": ("metro quadrado", "metros quadrados"),
        "m³": ("metro cúbico", "metros cúbicos"),
        "km²": ("quilómetro quadrado", "quilómetros quadrados"),
    },
    "nl": _same(km="kilometer", m="meter", cm="centimeter", mm="millimeter", kg="kilo", g="gram",
                l="liter", ml="milliliter", min="minuten", Hz="hertz", MB="megabyte")
    | {"km/h": ("kilometer per uur",) * 2, "km/u": ("kilometer per uur",) * 2,
       "°C": ("graad Celsius", "graden Celsius"), "m²": ("vierkante meter",) * 2},
    "sv": _same(km="kilometer", m="meter", cm="centimeter", mm="millimeter", kg="kilo", g="gram",
                l="liter", ml="milliliter", min="minuter", Hz="hertz", MB="megabyte")
    | {"km/h": ("kilometer i timmen",) * 2, "°C": ("grad Celsius", "grader Celsius"),
       "m²": ("kvadratmeter",) * 2},
    "da": _NORDIC_UNITS, "no": _NORDIC_UNITS, "nb": _NORDIC_UNITS, "nn": _NORDIC_UNITS,
}  # fmt: skip
"""By language and sign: for one, and for several."""

_ONE: Mapping[str, tuple[str, str]] = {
    "en": ("one", "one"), "de": ("ein", "eine"), "fr": ("un", "une"), "es": ("un", "una"),
    "it": ("un", "una"), "pt": ("um", "uma"), "nl": ("één", "één"), "sv": ("en", "ett"),
    **dict.fromkeys(("da", "no", "nb", "nn"), ("en", "et")),
}  # fmt: skip
"""What 1 is in front of a unit, and of one of `_OTHER_GENDER`."""

_OTHERS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "en": {
        "km": ("k",), "kg": ("kilos", "k g"), "kgs": ("kilos", "k g"), "ft": ("foot",),
        "km/h": ("kilometers an hour", "k p h", "kilometers"),
        "mph": ("miles an hour", "m p h", "miles"), "mm": ("mil", "mils"), "ml": ("mil", "mils"),
        "MB": ("megs", "m b"), "GB": ("gigs", "gig", "g b"), "GHz": ("gig",),
        "°C": ("degrees", "degrees centigrade", "celsius"),
        "°F": ("degrees", "fahrenheit"), "m²": ("meters squared",), "m³": ("meters cubed",),
    },
    "de": {
        "kg": ("Kilo",), "°C": ("Grad",), "°F": ("Grad",), "GB": ("Giga", "G B"), "MB": ("M B",),
        "km/h": ("Kilometer pro Stunde", "Kilometer in der Stunde", "K M H", "Sachen"),
        "m²": ("Meter Quadrat",), "h": ("Uhr",),
    },
    "fr": {
        "kg": ("kilos",), "°C": ("degrés",), "Go": ("gigas",), "Mo": ("mégas",),
        "km/h": ("kilomètres heure", "kilomètres par heure"), "m²": ("mètres carré",),
    },
    "es": {
        "kg": ("kilos",), "°C": ("grados", "grados centígrados"), "GB": ("gigas",),
        "MB": ("megas",), "km/h": ("kilómetros hora",),
    },
    "it": {
        "kg": ("chili",), "°C": ("gradi", "gradi centigradi"), "GB": ("giga",), "MB": ("mega",),
        "km/h": ("chilometri orari", "chilometri ora"), "m²": ("metri quadri",),
    },
    "pt": {
        "kg": ("quilogramas",), "°C": ("graus", "graus centígrados"), "km": ("quilômetros",),
        "km/h": ("quilômetros por hora",),
    },
    "nl": {"kg": ("kilogram",), "°C": ("graden",), "km/h": ("kilometer in het uur",)},
    "sv": {"kg": ("kilogram",), "°C": ("grader",), "km/h": ("kilometer per timme",)},
}  # fmt: skip
"""By language and sign: what else is said for several, the likeliest first."""

_OTHER_GENDER = frozenset(
    {"Stunde", "Minute", "Sekunde", "Millisekunde", "Million", "Milliarde"}
    | {"minute", "seconde", "milliseconde", "hora", "ora", "milla por hora", "kilo", "gram"}
)


def _behind(number: str, units: Mapping[str, tuple[str, str]]) -> re.Pattern[str]:
    """Return what finds a number with a unit behind it, longer signs first."""
    signs = "|".join(
        (r"\s" if len(sign) == 1 and sign.isalpha() else r"\s?") + re.escape(sign)
        for sign in sorted(units, key=len, reverse=True)
    )
    return re.compile(rf"(?<![0-9.,])(?P<number>{number})(?P<unit>{signs})(?![\w²³/]|'[^\W\d_])")


_PER = {"en": "per", "de": "pro", "fr": "par", "es": "por", "pt": "por", "nl": "per", "sv": "per"}
_SHARED = re.compile(
    r"(?<=[0-9])(?P<of>\s?[€$£]|\s?[^\W\d_]{1,3})?/(?P<by>[^\W\d_]+|100(?=\s?km))(?![\w²³/])"
)
_SUM = re.compile(r"[€$£]\s?[0-9.,]*\Z")
_LONGEST_SUM = 20  # signs, so that no long text is searched for its currency
_OF_DEGREES = re.compile(r"(?<=[0-9])\s?°\s(?=[CF]\b)")
_PATTERNS = {language: _behind("[0-9][0-9.,]*", units) for language, units in _UNITS.items()}
_FRACTIONS = {
    language: _behind(r"(?<![\w/])(?:[1-3]/[2-4]|[½¼¾])", units)
    for language, units in _UNITS.items()
}


def spell_units(text: str, language: str) -> str:
    """Return a text with the units behind its numbers as words.

    Examples
    --------
    >>> spell_units("30 s, 1 kg and 5m", "en")
    '30 seconds, one kilogram and 5m'
    >>> spell_units("2 m/s, 3 €/kg and $2.50/piece", "en")
    '2 meters per second, 3€ per kilogram and $2.50 per piece'
    >>> spell_units("Nel 1945 l'Italia aveva 3 l d'acqua", "it")
    "Nel 1945 l'Italia aveva 3 litri d'acqua"
    """
    units = _UNITS.get(language)
    if units is None:
        return text

    def spelled(match: re.Match[str]) -> str:
        one, several = units[match["unit"].lstrip()]
        if match["number"] != "1":
            others = _OTHERS.get(language, {}).get(match["unit"].lstrip(), ())
            return f"{match['number']} {with_others(several, others)}"
        return f"{_ONE[language][one in _OTHER_GENDER]} {one}"

    text = _OF_DEGREES.sub("°", text)
    if language in _PER:
        text = _SHARED.sub(lambda m: _per(m, units, _PER[language]), text)
    return _PATTERNS[language].sub(spelled, text)


def _per(match: re.Match[str], units: Mapping[str, tuple[str, str]], per: str) -> str:
    """Return a unit or a sum with what it is for: *m per second*, *$5 per kilogram*."""
    of, by = (match["of"] or "").strip(), match["by"]
    is_sum = of in ("€", "$", "£") or (
        not of and _SUM.search(match.string[max(0, match.start() - _LONGEST_SUM) : match.start()])
    )
    if f"{of}/{by}" in units or not (is_sum or (of in units and (by in units or len(by) > 2))):
        return match[0]
    return f"{of if is_sum else f' {of}'} {per} {units.get(by, (by,))[0]}"


def spell_units_of_fractions(text: str, language: str) -> str:
    """Return a text with the units behind its fractions as words; the fractions stay.

    Examples
    --------
    >>> spell_units_of_fractions("3/4 kg, 1 1/2 kg, 2 kg", "it")
    '3/4 chilogrammo, 1 1/2 chilogrammi, 2 kg'
    """
    units = _UNITS.get(language)
    if units is None:
        return text

    def spelled(match: re.Match[str]) -> str:
        before = match.string[max(0, match.start() - 2) : match.start()]
        several = before[:1].isdigit() and before[1:] == " "
        return f"{match['number']} {units[match['unit'].lstrip()][several]}"

    return _FRACTIONS[language].sub(spelled, text)
