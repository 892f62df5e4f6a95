"""How five languages read what stands beside numbers, and abbreviations.

German, French, Spanish, Italian and Portuguese.

The numbers themselves are those of num2words. What is ambiguous without grammar is left alone:
``St.`` and ``m.``
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from align.speech.text.reading.german import prepare_german, spell_german_dates
from align.speech.text.reading.numerals import RANGE, Number
from align.speech.text.reading.others import with_others

_TIME = re.compile(r"(?<![0-9:])([01]?[0-9]|2[0-4]):([0-5][0-9])(?![0-9:])")
_BEFORE_SIGN = re.compile(r"(?<=[0-9])\s+(?=[€$£])|(?<=[€$£])\s+(?=[0-9])")
_CLOCK = re.compile(r"\b([0-9]{1,2})[.:]([0-5][0-9])\s*(?:Uhr|h)\b")
_HOUR = re.compile(r"(?:(?<=[1-3]/[2-4])|(?<=½))\s?h(?!\w)")
_HOURS = re.compile(r"(?:(?<=[0-9]½)|(?<=[0-9]\s½))\s?h(?!\w)")
_HEURES = re.compile(r"\b([0-9]{1,2})\s?h(?:\s?([0-5][0-9]))?(?!\w)")
_YEAR = re.compile(r"(?<![\w.,:-])1[1-9][0-9]{2}(?![\w%€$]|[.,:][0-9])")
_HYPHEN = re.compile(r"(?<=[0-9])-(?=[0-9])")
_FRACTION = re.compile(r"(?<![\w/.,])([1-3]/[2-4])(?![\w/]|[.,][0-9])")
_MONTH_ELSEWHERE = (
    "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|"
    "janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|novembro|dezembro"
)
_RANKED = (
    r"piano|piani|pisos?|andar|andares|plantas?|puestos?|lugar|posto|post[io]|secolo|siglo|século|"
    r"minut[oi]|minutos?|giorno|día|dia|anniversari[oi]|aniversarios?|aniversários?|compleanno|"
    r"cumpleaños|capitolo|capítulo|articolo|artículo|artigo|parallelo|paralelo|congresso|"
    r"congreso|edizione|edición|edição|anno|año|ano|mese|mes|turno|giro|tempo|atto|acto|ato|"
    r"premio?|prêmio|classificat[oaie]|clasificad[oa]s?|colocad[oa]s?|reggimento|regimiento|batallón|"
    r"battaglione|distrito|municipio|comma|semestre|trimestre|cuatrimestre|ciclo|curso|round|set"
)
_NEVER_RANKED = (
    r"d|de|di|da|do|del|della|dello|dos?|das?|e|ed|y|u|o|ou|a|al|alla|all|à|ao|con|com|in|en|em|tra|"
    r"fra|entre|nel|nella|sul|sotto|sopra|sobre|bajo|abaixo|acima|per|por|para|più|más|mais|meno|"
    r"menos|gradi|grados|graus|[CFKNSEWO]|cels\w*|fahr\w*|cent[ií]gra\w*|nord|sud|est|ovest|norte|"
    r"sur|sul|este|leste|oeste|latitud\w*|longitud\w*|oggi|ieri|domani|hoy|ayer|mañana|anoche|hoje|"
    r"ontem|amanhã|ora|adesso|ahora|agora|fuori|fuera|afuera|fora|dentro|ma|pero|mas|che|que|se|si|"
    r"come|como|quando|cuando|mentre|mientras|enquanto|durante|circa|quasi|casi|quase|è|es|é|sono|"
    r"son|são|anche|también|também|fino|hasta|até|dal|desde|ogni|cada|non|no|não|"
    r"est[ae]s?|abajo|arriba|negativ\w*|positiv\w*"
)
_RANK_BY_DEGREE = re.compile(
    rf"(?<![0-9.,-])([0-9]+)°(?=\s+(?:de\s+(?:{_MONTH_ELSEWHERE})|{_RANKED})\b)|"
    rf"(?<![0-9.,-])([1-9])°(?=\s+(?!(?:{_NEVER_RANKED})\b)[^\W\d_])",
    re.IGNORECASE,
)
"""The sign of degrees where that of an ordinal is meant, as most keyboards have it: 2° piano."""

_LARGE = (
    r"(?:Millionen|Millionen?|Milliarden?|Mio\.|Mrd\.|millions?|milliards?|millón|millones|billón|"
    r"billones|milion[ei]|miliard[oi]|milhão|milhões|bilhão|bilhões)"
)
_SHORT = {"k": "000", "M": " millions ", "Md": " milliards "}
_SHORT_SUM = re.compile(r"(?<![\w.,])([0-9]+(?:,[0-9]+)?)\s?(k|M|Md)€")
_HORAS = re.compile(r"(?<![\w.,:])([0-9]{1,2})[.:]00\s?(?:hrs|hs|h)\b")
_OF_HOURS = {
    "une": {r"\bun": "une"},
    "una": {"veintiuno": "veintiuna"},
    "uma": {r"\bum": "uma", r"\bdois": "duas"},
}
"""By the word for one: what other hours end in."""

_FEW = 9  # hundredths that need their name


@dataclass(frozen=True)
class Signs:
    """How one language reads them.

    Attributes
    ----------
    words : mapping of str to str
        What a sign is read as, wherever it stands.
    abbreviations : mapping of str to str
        In lower case and without spaces, and what they are read as.
    in_place : mapping of str to str
        Regular expressions of abbreviations that mean this in some places only, in the case in
        which they are written, and what they are read as there.
    to : str
        Between two numbers, for a range.
    hour : tuple of str
        The hour at one o'clock, and the words after it and after other hours.
    and_minutes : str
        Between the hour and the minutes.
    money : mapping of str to tuple of str
        Of a sign: one unit, with its number, and the words for several and for hundredths.
    fractions : mapping of str to str
        Of halves, thirds and quarters that stand alone.
    and_hundredths : str
        Between the unit of money and hundredths.
    ordinal : str
        Regular expression of the letters behind an ordinal's digits; empty for none.
    feminine : str
        Regular expression of those letters where the ordinal is feminine.
    of : str
        Between millions and what they are of.
    apocope : str
        Regular expression of those letters where the ordinal loses its last vowel.
    """

    words: Mapping[str, str]
    abbreviations: Mapping[str, str]
    in_place: Mapping[str, str]
    to: str
    hour: tuple[str, str, str]
    and_minutes: str
    money: Mapping[str, tuple[str, str, str]]
    and_hundredths: str
    fractions: Mapping[str, str]
    ordinal: str = ""
    feminine: str = "ª"
    apocope: str = "(?!)"
    of: str = ""

    def prepare(self, text: str, known: Callable[[str], bool], number: Number) -> str:
        """Return a text without abbreviations, whose signs stand at their numbers.

        An abbreviation that is `known`, to the dictionary, stays.
        """

        def full(match: re.Match[str]) -> str:
            return as_known(match, self.abbreviations[re.sub(r"\s", "", match[0]).lower()])

        def as_known(match: re.Match[str], said: str) -> str:
            return match[0] if known(match[0]) else match.expand(said)

        forms = sorted(self.abbreviations, key=len, reverse=True)
        # a space may stand inside an abbreviation (z. B.), none is taken behind it
        spaced = "|".join(re.sub(r"\\\.(?!$)", r"\\.\\s?", re.escape(form)) for form in forms)
        text = re.sub(rf"(?<![\w.])(?:{spaced})(?!\w)", full, text, flags=re.IGNORECASE)
        if self in (SIGNS_OF["fr"], SIGNS_OF["pt"]):
            text = _HOUR.sub(f" {self.hour[1]}", _HOURS.sub(f" {self.hour[2]}", text))
        for form, said in self.in_place.items():
            text = re.sub(form, partial(as_known, said=said), text)
        if self is SIGNS_OF["de"]:
            text = prepare_german(text, number)
        if self in (SIGNS_OF["it"], SIGNS_OF["es"], SIGNS_OF["pt"]):
            text = _RANK_BY_DEGREE.sub(lambda m: f"{m[1] or m[2]}º", text)
        if self is SIGNS_OF["es"]:
            text = _HORAS.sub(r"\1 horas", text)
        text = self._large_sums(text)
        text = _FRACTION.sub(lambda m: self.fractions.get(m[1], m[0]), text)
        to = with_others(self.to, ("", "zu") if self is SIGNS_OF["de"] else ("",))
        text = _BEFORE_SIGN.sub("", RANGE.sub(rf"\1 {to} \2", text))
        if self is SIGNS_OF["de"]:
            text = spell_german_dates(text, number)
        if self in (SIGNS_OF["fr"], SIGNS_OF["pt"]):
            text = _HEURES.sub(lambda m: f"{m[1]}:{m[2] or '00'}", text)
        return _CLOCK.sub(r"\1:\2", text)

    def of_million(self, unit: str) -> str:
        """Return a unit as it stands behind millions: d'euros, de dollars."""
        if self is SIGNS_OF["fr"] and unit == "euros":
            return f"d'{unit}"
        return f"{self.of} {unit}".strip()

    def _hundredths(self, part: int, name: str, number: Number) -> str:
        if part > 1:
            return f"{number(str(part), 'cardinal').strip()} {name}"
        one = self.money["€"][0].split()[0]
        return f"{one} {'centesimo' if name == 'centesimi' else name.removesuffix('s')}"

    def _large_sums(self, text: str) -> str:
        """Return a text with the currency of millions behind them: € 2,3 billones, 3 M€."""
        signs = "|".join(map(re.escape, sorted(self.money, key=len, reverse=True)))
        if self is SIGNS_OF["fr"]:
            text = _SHORT_SUM.sub(lambda m: f"{m[1]}{_SHORT[m[2]]}€", text)
        count = r"[0-9]+(?:[.,][0-9]+)*"
        return re.sub(
            rf"(?P<first>{signs})\s?(?P<number>{count})\s(?P<large>{_LARGE})(?!\w)"
            # the look behind: else each digit of a long number would look for its end
            rf"|(?<![0-9])(?<![0-9][.,])(?P<count>{count})\s(?P<times>{_LARGE})"
            rf"\s?(?P<last>{signs})(?!\w)",
            lambda m: (
                f"{m['number'] or m['count']} {m['large'] or m['times']} "
                f"{self.of_million(self.money[m['first'] or m['last']][1])}"
            ),
            text,
        )

    def spell(self, chunk: str, number: Number) -> str:
        """Return a chunk without spaces with its times, money and ordinals in words."""

        def time(match: re.Match[str]) -> str:
            one, single, several = self.hour
            hour, minute = int(match[1]), int(match[2])
            said = f"{number(str(hour), 'cardinal').strip()} {several}"
            for ending, female in _OF_HOURS.get(one, {}).items():
                said = re.sub(rf"{ending}(?= |$)", female, said)
            said = f"{one} {single}" if hour == 1 else said
            return (
                f"{said} {self.and_minutes} {number(str(minute), 'cardinal')}" if minute else said
            )

        def money(match: re.Match[str]) -> str:
            sign = match["first"] or match["last"]
            if not sign:
                return match[0]
            one, several, hundredths = self.money[sign]
            part = int(match["part"] or 0)
            if part and int(match["whole"]) == 0:
                return f" {self._hundredths(part, hundredths, number)} "
            whole = number(
                match["whole"] + (match["decimals"] or "").replace(",", "."), "cardinal"
            )
            if match["whole"].endswith("000000"):  # un million d'euros
                several = self.of_million(several)
            if self is SIGNS_OF["es"]:  # veintiuno, but veintiún euros
                whole = re.sub(r"uno\s*$", "un", re.sub(r"veintiuno\s*$", "veintiún", whole))
            single = match["whole"] == "1" and not match["decimals"]
            said = one if single else f"{whole} {several}"
            if part:
                some = number(str(part), "cardinal")
                if part <= _FEW and self is not SIGNS_OF["de"]:  # five is not fifty
                    some = self._hundredths(part, hundredths, number)
                said += f" {self.and_hundredths} {some}"
            return f" {said} "

        def ordinal(match: re.Match[str]) -> str:
            said = number(match[1], "ordinal").strip()
            if match[1] == "2" and match[2] in ("nd", "nde", "de"):
                said = "second" if match[2] == "nd" else "seconde"
            if re.fullmatch(self.feminine, match[2]):
                said = re.sub(r"o\b", "a", said) if said != "premier" else "première"
            if re.fullmatch(self.apocope, match[2]):
                said = said.removesuffix("o")
            return f" {said} "

        chunk = _TIME.sub(time, chunk)
        if any(sign in chunk for sign in self.money):
            chunk = re.sub(r"(?<=[0-9])\.(?=[0-9]{3}(?![0-9]))", "", chunk)
            sign = "|".join(map(re.escape, sorted(self.money, key=len, reverse=True)))
            chunk = re.sub(
                rf"(?P<first>{sign})?(?P<whole>[0-9]+)(?:[.,](?P<part>[0-9]{{2}})(?![0-9])|(?P<decimals>[.,][0-9]+))?"
                rf"(?P<last>{sign})?",
                money,
                chunk,
            )
        if self.ordinal:
            chunk = re.sub(rf"\b([0-9]+)({self.ordinal})(?!\w)", ordinal, chunk)
        if self is SIGNS_OF["de"]:
            chunk = _YEAR.sub(lambda m: number(m[0], "year"), chunk)
        one = len(_HYPHEN.findall(chunk)) == 1  # several are of a telephone or a date
        return _HYPHEN.sub(f" {self.to} " if one else " ", chunk)


_HALF = r"(?<![\w.,/])(?<![0-9]\s)(?:1/2|½)(?![\w/])"


def _half_of(nouns: str) -> str:
    return rf"{_HALF}(?=\s(?:{nouns})\b)"


SIGNS_OF: Mapping[str, Signs] = {
    "de": Signs(
        {"&": "und", "+": "plus", "=": "gleich", "@": "at", "°": "Grad", "§": "Paragraph",
         "±": "plus minus", "½": "ein halb", "¼": "ein viertel", "¾": "drei viertel"},
        {"z.b.": "zum Beispiel", "d.h.": "das heißt", "u.a.": "unter anderem",
         "z.t.": "zum Teil", "usw.": "und so weiter", "bzw.": "beziehungsweise",
         "ca.": "circa", "dr.": "Doktor", "prof.": "Professor", "nr.": "Nummer",
         "evtl.": "eventuell", "vgl.": "vergleiche", "inkl.": "inklusive", "hr.": "Herr",
         "frl.": "Fräulein", "ggf.": "gegebenenfalls", "u.s.w.": "und so weiter",
         "i.d.r.": "in der Regel", "o.ä.": "oder ähnliches", "geb.": "geboren",
         "tel.": "Telefon", "jh.": "Jahrhundert", "str.": "Straße",
         "sog.": "sogenannte", "abs.": "Absatz", "bspw.": "beispielsweise", "jan.": "Januar",
         "feb.": "Februar", "aug.": "August", "sept.": "September", "okt.": "Oktober",
         "nov.": "November", "dez.": "Dezember", "mrd.": "Milliarden", "etc.": "et cetera",
         "v.chr.": "vor Christus", "n.chr.": "nach Christus", "jhd.": "Jahrhundert"},
        {r"(?<![\w.])Fr\.(?=\s+[A-ZÄÖÜ])": "Frau", r"(?<![\w.])S\.(?=\s?[0-9])": "Seite",
         r"(?<![\w.])Kap\.(?=\s?[0-9]|\s[a-z])": "Kapitel",
         r"(?<![\w.])Bd\.(?=\s?[0-9]|\s[a-z])": "Band",
         r"(?<![\w.])Nr\.(?=[0-9])": "Nummer ",
         # not pieces: drei Euro pro St. Das
         r"(?<![\w.-])(?<![0-9]\s)(?<!pro\s)(?<!je\s)St\.(?:\s|(?=-))(?=-?[A-ZÄÖÜ][a-zäöüß])":
         "Sankt ",
         # not films of this kind
         r"(?<![\w.])(?<!ser )(?<!ner )(?<!ihrer )(?<!aller )(?<!solcher )Art\.(?=\s?[0-9])":
         "Artikel",
         r"(?<=[a-zäöüß])str\.(?!\w)": "straße", r"(?<=-)Str\.(?!\w)": "Straße",
         r"(?<![\w.,/])1(?:\s1/2|\s?½)(?![\w/])": "eineinhalb",
         r"(?<=[0-9])(?:\s1/2|\s?½)(?![\w/])": " einhalb",
         rf"(?<=\b[eE]ine\s){_HALF}": "halbe", rf"(?<=\b[eE]iner\s){_HALF}": "halben",
         _half_of("Stunde|Tasse|Seite|Minute|Sekunde|Million|Milliarde|Flasche|Packung|Zwiebel|"
                  "Zitrone|Tablette|Portion|Tonne|Umdrehung|Woche"): "eine halbe",
         _half_of("Jahr|Kilo|Kilogramm|Gramm|Pfund|Dutzend|Glas|Prozent|Jahrhundert|Blatt"):
         "ein halbes",
         _half_of("Liter|Meter|Kilometer|Zentimeter|Millimeter|Tag|Monat|Teelöffel|Esslöffel|"
                  "Becher|Apfel|Kopf|Punkt"): "ein halber"},
        "bis", ("ein", "Uhr", "Uhr"), "",
        {"€": ("ein Euro", "Euro", "Cent"), "$": ("ein Dollar", "Dollar", "Cent"),
         "£": ("ein Pfund", "Pfund", "Pence")},
        "",
        {"1/2": "ein halb", "1/3": "ein Drittel", "2/3": "zwei Drittel", "1/4": "ein Viertel",
         "3/4": "drei Viertel"},
    ),
    "fr": Signs(
        {"&": "et", "+": "plus", "=": "égale", "@": "arobase", "°": "degrés",
         "±": "plus ou moins", "½": "un demi", "¼": "un quart", "¾": "trois quarts"},
        {"mme": "madame", "mlle": "mademoiselle", "dr": "docteur",
         "etc.": "et cetera", "p.ex.": "par exemple", "c.-à-d.": "c'est-à-dire",
         "n°": "numéro", "env.": "environ", "mmes": "mesdames", "mgr": "monseigneur",
         "cf.": "confer", "tél.": "téléphone", "av.": "avenue", "bd": "boulevard",
         "av.j.-c.": "avant Jésus-Christ", "ap.j.-c.": "après Jésus-Christ",
         "apr.j.-c.": "après Jésus-Christ", "j.-c.": "Jésus-Christ"},
        {r"(?<![\w.])[nN][°º]\s?(?=[0-9])": "numéro ", r"(?<=ième )s\.(?!\w)": "siècle",
         r"(?<![\w.])[aA]rt\.(?=\s?[0-9])": "article",
         r"(?<![\w.])[pP]\.(?=\s?[0-9])": "page",
         r"(?<![\w.])[pP]p\.(?=\s?[0-9])": "pages",
         r"(?<![\w,./])([0-9]{1,2})/20(?![\w/])": r"\1 sur 20",
         r"(?<![\w,.])([0-9]{1,3})\s?x(?![\w=]|\s?[0-9=])": r"\1 fois",
         r"(?<![\w,.])([1-3])m([0-9]{2})(?!\w)": r"\1 mètre \2",
         r"(?<![\w,.])([0-9]{1,2})'([0-5][0-9])(?:\"|'')": r"\1 minutes \2",
         r"\b([0-9]{1,2}) ?h ?([0-5]?[0-9]) ?min\b": r"\1 heures \2 minutes",
         r"(?<![\w.])[cC]hap\.(?=\s?[0-9])": "chapitre",
         r"(?<![\w.])St(?=[ -][A-ZÀ-Þ])": "Saint", r"(?<![\w.])Ste(?=[ -][A-ZÀ-Þ])": "Sainte",
         rf"(?<=\bune\s){_HALF}": "demi", r"(?<![\w.,/])(?:1/4|¼)\sheure\b": "un quart d'heure",
         r"(?<![\w.,/])(?:3/4|¾)\sheure\b": "trois quarts d'heure",
         _half_of("heure|journée|tasse|bouteille|livre|page|douzaine|année|cuillère|baguette|"
                  "tonne|seconde|minute|portion|tablette|pomme"): "une demi",
         r"(?<![\w.])M\.(?=\s+(?:[A-ZÀ-Þ]|et\s+m(?:adame|ademoiselle)\b))": "monsieur",
         r"(?<![\w.])MM\.(?=\s+[A-ZÀ-Þ])": "messieurs"},
        "à", ("une", "heure", "heures"), "",
        {"€": ("un euro", "euros", "centimes"), "$": ("un dollar", "dollars", "cents"),
         "£": ("une livre", "livres", "pence")},
        "",
        {"1/2": "un demi", "1/3": "un tiers", "2/3": "deux tiers", "1/4": "un quart",
         "3/4": "trois quarts"},
        ordinal="er|re|ère|ème|ième|nde?|de|e", feminine="re|ère", of="de",
    ),
    "es": Signs(
        {"&": "y", "+": "más", "=": "igual a", "@": "arroba", "°": "grados",
         "±": "más menos", "½": "medio", "¼": "un cuarto", "¾": "tres cuartos"},
        {"sr.": "señor", "sra.": "señora", "srta.": "señorita", "dr.": "doctor",
         "dra.": "doctora", "ud.": "usted", "uds.": "ustedes", "etc.": "etcétera",
         "p.ej.": "por ejemplo", "núm.": "número", "n.º": "número", "nº": "número",
         "aprox.": "aproximadamente",
         "vd.": "usted", "vds.": "ustedes", "dña.": "doña", "sres.": "señores",
         "pág.": "página", "págs.": "páginas", "avda.": "avenida", "tel.": "teléfono",
         "ee.uu.": "Estados Unidos", "a.c.": "antes de Cristo", "d.c.": "después de Cristo",
         "prof.": "profesor", "profa.": "profesora", "prof.ª": "profesora"},
        {r"(?<![\w.])[nN]\.?[º°]\s?(?=[0-9])": "número ",
         r"(?<![\w.])[aA]rt\.(?=\s?[0-9])": "artículo", r"(?<![\w.])D\.ª(?!\w)": "doña",
         r"(?<![\w.])Sta\.(?=\s+[A-ZÁ-Ú])": "Santa", r"(?<![\w.])Sto\.(?=\s+[A-ZÁ-Ú])": "Santo",
         r"(?<![\w.])[sS]\.(?=\s+(?:prim|segund|terc|cuart|quint|sext|s[eé]pt|octav|noven|décim|"
         r"once|doce|trece|catorce|quince|dieci|veint))": "siglo",
         r"(?<![\w.])[cC]ap\.(?=\s?[0-9])": "capítulo", r"(?<![\w.])D\.(?=\s+[A-ZÁ-Ú])": "don",
         _half_of(r"(?!día\b)[^\W\d_]{2,}a"): "media", _half_of(r"(?!de\b)[^\W\d_]{3,}"): "medio",
         r"US\$": "$"},
        "a", ("una", "", ""), "y",
        {"€": ("un euro", "euros", "céntimos"), "$": ("un dólar", "dólares", "centavos"),
         "£": ("una libra", "libras", "peniques")},
        "con",
        {"1/2": "un medio", "1/3": "un tercio", "2/3": "dos tercios", "1/4": "un cuarto",
         "3/4": "tres cuartos"},
        ordinal=r"\.?º|\.?ª|\.?er|ro|do|to|mo|vo|no|ra|da|ta|ma|va|na", feminine=r"\.?ª|.a",
        apocope=r"\.?er", of="de",
    ),
    "it": Signs(
        {"&": "e", "+": "più", "=": "uguale a", "@": "chiocciola", "°": "gradi",
         "±": "più o meno", "½": "mezzo", "¼": "un quarto", "¾": "tre quarti"},
        {"sig.": "signor", "sig.ra": "signora", "sig.na": "signorina", "p.za": "piazza",
         "p.zza": "piazza", "dott.": "dottor", "dott.ssa": "dottoressa",
         "prof.": "professor", "ecc.": "eccetera", "p.es.": "per esempio", "avv.": "avvocato",
         "prof.ssa": "professoressa", "sigg.": "signori", "ing.": "ingegner", "dr.": "dottor",
         "pag.": "pagina", "tel.": "telefono", "cfr.": "confronta", "ca.": "circa", "n°": "numero",
         "v.le": "viale", "vol.": "volume",
         "a.c.": "avanti Cristo", "d.c.": "dopo Cristo"},
        {r"(?<![\w.])[nN](?:\.|\.?[°º])\s?(?=[0-9])": "numero ",
         r"(?<![\w.])[aA]rt\.(?=\s?[0-9])": "articolo",
         r"(?<![\w.])(?<![0-9]\s)(?<!\b[uU]n\s)sec\.": "secolo",
         r"(?<![\w.])[cC]ap\.(?=\s?[0-9a-z])": "capitolo",
         r"(?<![\w.])[aA]d es\.(?!\w)": "ad esempio",
         r"(?<![\w.])[pP]\.(?=\s?[0-9])": "pagina", r"(?<![\w.])[pP]p\.(?=\s?[0-9])": "pagine",
         rf"{_HALF}\sora\b": "mezz'ora",
         r"US\$": "$"},
        "a", ("una", "", ""), "e",
        {"€": ("un euro", "euro", "centesimi"), "$": ("un dollaro", "dollari", "centesimi"),
         "£": ("una sterlina", "sterline", "penny")},
        "e",
        {"1/2": "un mezzo", "1/3": "un terzo", "2/3": "due terzi", "1/4": "un quarto",
         "3/4": "tre quarti"},
        ordinal="º|ª", of="di",
    ),
    "pt": Signs(
        {"&": "e", "+": "mais", "=": "igual a", "@": "arroba", "°": "graus",
         "±": "mais ou menos", "½": "meio", "¼": "um quarto", "¾": "três quartos"},
        {"sr.": "senhor", "sra.": "senhora", "srta.": "senhorita", "dr.": "doutor",
         "dra.": "doutora", "prof.": "professor", "profa.": "professora", "etc.": "etcétera",
         "p.ex.": "por exemplo", "n.º": "número", "nº": "número", "av.": "avenida",
         "tel.": "telefone", "pág.": "página", "págs.": "páginas", "séc.": "século",
         "aprox.": "aproximadamente", "a.c.": "antes de Cristo", "d.c.": "depois de Cristo"},
        {r"(?<![\w.])[nN]\.?[º°]\s?(?=[0-9])": "número ",
         r"(?<![\w.])[aA]rt\.(?=\s?[0-9])": "artigo",
         r"(?<![\w.])[pP]\.(?=\s?[0-9])": "página", r"(?<![\w.])D\.(?=\s+[A-ZÀ-Þ])": "dom",
         r"(?<![\w.])Sta\.(?=\s+[A-ZÀ-Þ])": "Santa", r"(?<![\w.])Sto\.(?=\s+[A-ZÀ-Þ])": "Santo",
         _half_of(r"(?!(?:dia|grama|para)\b)[^\W\d_]{3,}a"): "meia",
         _half_of(r"(?!(?:por|com|que|dos|das)\b)[^\W\d_]{3,}"): "meio", r"US\$": "$"},
        "a", ("uma", "hora", "horas"), "e",
        {"€": ("um euro", "euros", "cêntimos"), "$": ("um dólar", "dólares", "centavos"),
         "R$": ("um real", "reais", "centavos"), "£": ("uma libra", "libras", "pence")}, "e",
        {"1/2": "um meio", "1/3": "um terço", "2/3": "dois terços", "1/4": "um quarto",
         "3/4": "três quartos"},
        ordinal=r"\.?º|\.?ª", feminine=r"\.?ª", of="de",
    ),
}  # fmt: skip
"""By code of the language."""
