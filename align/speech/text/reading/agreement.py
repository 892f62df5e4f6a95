"""Numbers that agree with what they count: 21 chicas (veintiuna), 200 pessoas (duzentas).

Spanish and Portuguese plurals show their gender by their endings; of other nouns those are known
that are counted most. Behind words such as `capítulo`, and in years, a number counts nothing.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from align.speech.text.reading.numerals import Number

_COUNTED = re.compile(
    r"(?:\b(?P<before>[^\W\d_]+)\s+)?(?<![\w.,:/-])(?P<digits>[1-9][0-9]{0,2}(?:\.[0-9]{3})+|"
    r"[1-9][0-9]{0,8})(?=(?:\s+(?P<noun>[^\W\d_]+))?)(?![\w.,:/%-]*\w)"
)
_NAMED = re.compile(
    r"el|del|al|o|do|ao|n[uú]mero|d[ií]a|cap[ií]tulo|página|art[ií]culo|artigo|l[ií]nea|linha|año|ano|"
    r"habitación|quarto|grupo|sala|puerta|porta|canal|nivel|nível|versión|versão|tipo|fase|zona|área",
    re.IGNORECASE,
)
_NO_NOUN = re.compile(
    r"[ld]as|[nm]as|más|mientras|apenas|además|detrás|jamás|tras|atrás|quizás|ell[ao]s|elas|[ld]os|"
    r"(?:est|es|ess|tod|otr|outr|much|muit|vari|vári|algun|algum|nuestr|noss|pel|aquel|aquell|poc|"
    r"pouc|cuant|quant|tant|amb|un|um|m)[ao]s|sus|suas|seus|pues|pois|antes|después|depois|entonces|"
    r"es|tres|lunes|martes|miércoles|jueves|viernes|quienes|cuales|tales|través|menos|"
    r"(?!gramos|ramos|tramos|últimos|céntimos|primos|kilogramos)\w+[aei]mos"
)
_MASCULINE_IN_A = re.compile(
    r"d[ií]as|mapas|\w*(?:(?:bl|st|t|dil)emas|istas|gramas|planetas|poetas|atletas)|idiomas|climas|"
    r"cometas|tranvías"
)
_OF_BOTH = (
    r"|\w+as|\w+(?:[cgsx]iones|dades|tudes|ções|[sx]ões|gens)|noches|noites|partes|clases|classes|"
    r"tardes|flores|cores|madres|mães|voces|vozes|luces|luzes|redes|fases|bases|frases|series|leyes|leis|"
    r"imágenes|órdenes|calles|llaves|paredes|manos|mãos|fotos|motos"
)
_FRENCH = (
    r"heure|minute|seconde|semaine|année|journée|fille|femme|personne|page|voiture|maison|tonne|place|"
    r"pièce|école|église|ville|rue|histoire|nuit|fois|voix|\w+[st]ion|\w+ette"
)
_ITALIAN = "settimana|volta|persona|donna|ragazza|bambina|tazza|notte|tonnellata|pagina"


@dataclass(frozen=True)
class _Agreement:
    """How the numbers of one language agree, by regular expressions."""

    feminine: str  # plurals that are feminine
    ones: Mapping[str, str]  # what is counted by 1, and what 1 is there
    articles: str = "(?!)"  # feminine articles, which may stand without a noun: as 2
    endings: Mapping[str, str] = field(default_factory=dict)  # changed before feminine plurals
    masculine: Mapping[str, str] = field(default_factory=dict)  # before others


_RULES = {
    "es": _Agreement(
        f"mujeres|veces{_OF_BOTH}",
        {
            "hora|semana|vez|persona|mujer|chica|niña|taza|cucharad(?:it)?a|noche|tonelada|mano|foto|"
            "moto": "una",
            "mes|día|hombre|millón|billón|(?!(?:pero|sino|como|cuando|no|lo|yo)$)\\w+o": "un",
        },
        "las?",
        {r"cientos\b": "cientas", r"quinientos\b": "quinientas", r"uno$": "una"},
        {r"veintiuno$": "veintiún", r"\buno$": "un"},
    ),
    "pt": _Agreement(
        f"mulheres|vezes{_OF_BOTH}",
        {"hora|semana|vez|pessoa|mulher|menina|xícara|noite|tonelada|página|colher": "uma"},
        "[àa]s|à|das|nas",
        {r"entos\b": "entas", r"\bum$": "uma", r"\bdois\b": "duas"},
    ),
    "it": _Agreement(
        "(?!)",
        {
            _ITALIAN: "una",
            r"mese|ora|milione|(?!(?:sono|dopo|sotto|quando|contro|meno|no|lo)$|s[^aeiou]|[zx]|gn|ps)"
            r"\w+o": "un",
        },
    ),
    "fr": _Agreement(f"(?:{_FRENCH})s?", {_FRENCH: "une"}, endings={r"\bun$": "une"}),
}  # fmt: skip
AGREEING = frozenset(_RULES)
"""Languages of which this is known."""


def spell_counted(text: str, language: str, number: Number) -> str:
    """Return a text whose numbers agree with the noun behind them, where its gender is known.

    Examples
    --------
    >>> from align.speech.text.reading.normalise import split_words
    >>> split_words("21 chicas, 21 años, 1 hora", language="es")
    ('veintiuna', 'chicas', 'veintiún', 'años', 'una', 'hora')
    """
    rule = _RULES[language]
    return _COUNTED.sub(lambda m: f"{m['before'] or ''} {_said(m, rule, number)}".lstrip(), text)


def _said(match: re.Match[str], rule: _Agreement, number: Number) -> str:
    """Return the number as it is said, or its digits where it is said as it is counted."""
    before, digits = match["before"] or "", match["digits"]
    noun = (match["noun"] or "").lower()
    value = int(digits.replace(".", ""))
    year = len(digits) == 4 and 1500 <= value <= 2100
    if year or value >= 1_000_000 or _NAMED.fullmatch(before):
        return digits
    feminine = re.fullmatch(rule.articles, before, re.IGNORECASE) is not None
    if value == 1:
        of_noun = next((one for nouns, one in rule.ones.items() if re.fullmatch(nouns, noun)), "")
        return of_noun or (next(iter(rule.ones.values())) if feminine else digits)
    if not feminine:
        if not (noun.endswith(("s", "x")) or noun == "mil") or _NO_NOUN.fullmatch(noun):
            return digits
        feminine = bool(re.fullmatch(rule.feminine, noun)) and not _MASCULINE_IN_A.fullmatch(noun)
    usual = said = number(str(value), "cardinal").strip()
    for form, agreeing in (rule.endings if feminine else rule.masculine).items():
        said = re.sub(form, agreeing, said)
    return digits if said == usual else said
