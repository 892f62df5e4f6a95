"""The elements of MEI: which of them are played, and what they say of lengths and metres."""

import re
from collections.abc import Iterator
from fractions import Fraction
from xml.etree.ElementTree import Element

LENGTHS = {
    "maxima": Fraction(32), "long": Fraction(16), "longa": Fraction(16), "breve": Fraction(8),
    "brevis": Fraction(8), "semibrevis": Fraction(4), "minima": Fraction(2),
    "semiminima": Fraction(1), "fusa": Fraction(1, 2), "semifusa": Fraction(1, 4),
} | {str(2**n): Fraction(4, 2**n) for n in range(12)}  # fmt: skip
_CHOSEN = {"app": ("lem", "rdg"), "choice": ("corr", "reg", "expan"), "subst": ("add",)}
"""Which of the children of an element is played, the first that there is."""
_UNHEARD = frozenset(("del", "ossia", "oLayer", "oStaff", "verse", "syl", "expansion"))
_CLEAR = frozenset(
    "supplied unclear add corr reg orig sic damage restore expan abbr rdg lem".split()
)
"""What editors put around what is played."""
_COMMON = {"common": (4, 4), "cut": (2, 2)}
Tuplets = dict[str, tuple[str, Fraction]]
"""By the first note of each, the last one, and how much shorter its notes are."""
_DECIMAL = re.compile(r"\s*\d{1,9}(\.\d{1,9})?\s*")


def played(parent: Element) -> Iterator[Element]:
    """Yield the children of an element that are played, whatever editors put around them."""
    for child in parent:
        if child.tag in _CHOSEN:
            kinds = _CHOSEN[child.tag]
            chosen = [each for kind in kinds for each in child.findall(kind)] or list(child)
            yield from played(chosen[0]) if chosen else ()
        elif child.tag in _CLEAR:
            yield from played(child)
        elif isinstance(child.tag, str) and child.tag not in _UNHEARD:
            yield child


def played_as(tag: str, parent: Element) -> Iterator[Element]:
    """Yield those of the children that are played and have a tag."""
    return (element for element in played(parent) if element.tag == tag)


def tuplet_spans(measure: Element) -> Tuplets:
    """Return tuplets that name their notes: by the first one, the last one and the factor."""
    spans = {}
    for span in played_as("tupletSpan", measure):
        members = span.get("plist", "").split() or [span.get("startid", ""), span.get("endid", "")]
        first, last = members[0].lstrip("#"), members[-1].lstrip("#")
        if first and last:
            spans[first] = last, tuplet_ratio(span)
    return spans


def tuplet_ratio(tuplet: Element) -> Fraction:
    """Return how much shorter the notes of a tuplet are; two thirds for three for two."""
    num = min(max(whole_number(tuplet.get("num"), 3), 1), 999)
    base = whole_number(tuplet.get("numbase"), 2 ** max((num - 1).bit_length() - 1, 0))
    return Fraction(min(max(base, 1), 999), num)


def metre_of(element: Element) -> tuple[int, int] | None:
    """Return the metre that a definition, or a sign, has of its own."""
    prefix = {"scoreDef": "meter.", "staffDef": "meter.", "meterSig": ""}.get(element.tag)
    if prefix is None:
        return None
    counts = re.findall(r"\d{1,3}", element.get(f"{prefix}count", ""))
    unit = whole_number(element.get(f"{prefix}unit"), 0)
    if counts and unit > 0 and sum(map(int, counts)) > 0:
        return sum(map(int, counts)), unit
    return _COMMON.get(element.get(f"{prefix}sym", ""))


def sharps_of(element: Element) -> int | None:
    """Return the sharps of the key that a definition says itself; flats are negative."""
    sign = element.find("keySig")
    given = element.get("key.sig") or element.get("keysig")
    return sharps_of_signature(given or (None if sign is None else sign.get("sig")))


def sharps_of_signature(signature: str | None) -> int | None:
    """Return the sharps of "2s", negative for the flats of "3f"; None of what is no key."""
    found = re.fullmatch(r"\s*(?:0|([1-7])([fs]))\s*", signature or "")
    return found and int(found[1] or 0) * (-1 if found[2] == "f" else 1)


def label_of(element: Element) -> str:
    """Return what an element is labelled, by an attribute or an element; "" where it is not."""
    label = element.find("label")
    text = element.get("label", "") if label is None else "".join(label.itertext())
    return " ".join(text.split())


def per_minute(element: Element) -> float | None:
    """Return the quarters in a minute that an element says."""
    if (rate := decimal_number(element.get("midi.bpm"), 0.0)) > 0:
        return rate
    if (microseconds := decimal_number(element.get("midi.mspb"), 0.0)) > 0:
        return 60e6 / microseconds
    rate, unit = decimal_number(element.get("mm"), 0.0), element.get("mm.unit", "4")
    if rate <= 0 or unit not in LENGTHS:
        return None
    return rate * float(
        LENGTHS[unit] * (2 - Fraction(1, 2) ** whole_number(element.get("mm.dots"), 0))
    )


def whole_number(text: str | None, otherwise: int) -> int:
    """Return the number of up to three digits that a text is, or what it is `otherwise`."""
    return int(text) if re.fullmatch(r"\s*-?\d{1,3}\s*", text or "") and text else otherwise


def decimal_number(text: str | None, otherwise: float) -> float:
    """Return the number that a text is, without a sign, or what it is `otherwise`."""
    return float(text) if text and _DECIMAL.fullmatch(text) else otherwise
