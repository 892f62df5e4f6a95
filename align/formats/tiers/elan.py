"""ELAN files, ``.eaf``: tiers as annotations, in whole milliseconds, through pympi.

Words and phones are tiers of their own; where each phone lies within a word, the tier of phones
depends on that of the words (*Included In*), and that likewise on the tier of what was said, which
is called as the speaker or ``utterances``. The tiers of a speaker name the participant. A silence
between the words that has phones of its own, such as ``sil``, is then an annotation without text,
since ELAN allows no phone outside a word. Elsewhere labels without text are not written. ELAN
has no points: a point is an annotation of 1 ms in a tier of the type ``points``.

pympi-ling is optional (``pip install "margin-align[elan]"``). What it loses, and what is done:

* A time that ELAN leaves open (in a *Time Subdivision*) is None there: times are spread evenly.
* Annotations without times of their own (*Symbolic Subdivision*) all get those of their parent,
  and below a dependent tier with times pympi 1.71 fails: they share their parent in equal parts
  here.
* A linked recording may have been moved against the annotations (``TIME_ORIGIN``), which pympi
  leaves to its users: times are those of the recording here
  (`align.formats.tiers.elan_kept.zero_of`).
* It gives no lines, so errors name the tier and the label. It renames a file that exists to
  ``.bak``: so it makes the text here, and the file is written as all others are.
* Controlled vocabularies, comments and links to other files are passed over here; labels keep
  their text. From ELAN to ELAN all of it is kept; see `align.formats.tiers.elan_kept`.

References
----------
https://www.mpi.nl/tools/elan/EAF_Annotation_Format_3.0_and_ELAN.pdf
"""

import os
import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from types import ModuleType
from typing import Any

from align.errors import DataError, ParameterError
from align.files.atomic import atomic_write
from align.files.names import StrPath
from align.files.text import read_bytes
from align.formats.documents.writing import XML_HEAD, audio_name
from align.formats.tiers.elan_kept import (
    DURATION,
    OWN_TYPES,
    audio_type,
    origin_of,
    rewritten,
    zero_of,
)
from align.formats.tiers.labels import ticks
from align.formats.tiers.tier import PHONES, UTTERANCES, WORDS, Tier, Tiers, speaker_of
from align.formats.tiers.tier_format import TierFormat, check_for_xml

_PER_SECOND = 1000
_INTERVALS, _POINTS, _WITHIN = OWN_TYPES
_NO_DATE = "1970-01-01T00:00:00+00:00"  # the same labels are the same bytes

_Row = tuple[str, int, int]  # label, start and end in milliseconds


def _pympi() -> ModuleType:
    """Return pympi; ParameterError where it is not installed."""
    try:
        from pympi import Elan
    except ImportError:
        raise ParameterError(
            'ELAN files need pympi-ling, which is not installed: pip install "margin-align[elan]".'
        ) from None
    module: ModuleType = Elan
    return module


# Reading ----------------------------------------------------------------------------------------


def _read(path: StrPath, encoding: str | None) -> tuple[list[Tier], float | None]:
    """Return the tiers as the file has them, and the length of the recording where it is known."""
    elan = _pympi()
    name = os.fspath(path)
    if b"<!ENTITY" in read_bytes(path).replace(b"\0", b""):  # UTF-16 has zeros between
        raise DataError("declares entities, which no ELAN file does; save it again.", path=name)
    try:
        eaf = elan.Eaf(os.path.abspath(name), suppress_version_warning=True)
        tiers = _Annotations(eaf, zero_of(eaf.media_descriptors, name)).tiers()
    except (DataError, MemoryError):
        raise
    except Exception as error:  # pympi checks nothing: any error of Python may come from a file
        detail = f"{type(error).__name__}: {error}"[:80]
        raise DataError(
            f"is no ELAN file that can be read ({detail}); open it in ELAN and save it again.",
            path=name,
        ) from None
    known = dict(eaf.properties).get(DURATION) or ""
    duration = int(known) / _PER_SECOND if re.fullmatch("[0-9]{1,12}", known) else None
    return tiers, duration


class _Annotations:
    """The annotations of a file, and where each begins and ends, in ms of the recording."""

    def __init__(self, eaf: Any, zero: int) -> None:
        self.eaf = eaf
        self.zero = zero  # when the time of the annotations is 0, in ms of the recording
        self.times: dict[str, tuple[float, float]] = {}

    def tiers(self) -> list[Tier]:
        """Return all tiers, parents and children alike, in the order of the file."""
        for name in self._parents_first():
            aligned, references = self.eaf.tiers[name][:2]
            self._place_aligned(list(aligned.items()))
            self._place_references(references)
        ordered = sorted(self.eaf.tiers.items(), key=lambda item: item[1][3])
        return [self._tier(name, *parts[:3]) for name, parts in ordered]

    def _parents_first(self) -> list[str]:
        """Return the names of tiers, each after the one it depends on."""
        done: dict[str, None] = {}
        for name in self.eaf.tiers:
            chain = []
            while name is not None and name not in done and name not in chain:
                chain.append(name)
                name = self.eaf.tiers[name][2].get("PARENT_REF")
            done.update(dict.fromkeys(reversed(chain)))
        return list(done)

    def _place_aligned(self, rows: list[tuple[str, Any]]) -> None:
        """Give times to annotations that have their own; open ones are spread evenly."""
        slots = [slot for _, (begin, end, _, _) in rows for slot in (begin, end)]
        chain = list(dict.fromkeys(slots))  # neighbours share the slot between them
        known = [k for k, slot in enumerate(chain) if self.eaf.timeslots[slot] is not None]
        at = {chain[k]: float(self.eaf.timeslots[chain[k]] + self.zero) for k in known}
        for first, last in pairwise(known):
            begin, end = at[chain[first]], at[chain[last]]
            for k in range(first + 1, last):
                at[chain[k]] = begin + (end - begin) * (k - first) / (last - first)
        for key, (begin, end, _, _) in rows:
            self.times[key] = (at[begin], at[end])

    def _place_references(self, rows: dict[str, Any]) -> None:
        """Let the annotations that refer to one share its time in equal parts, in their order."""
        children: dict[str, list[str]] = {}
        following = {row[2]: key for key, row in rows.items() if row[2] in rows}
        for first, (parent, _, before, _) in rows.items():
            key = first if before not in rows else None
            while key is not None:  # follow the chain from its first annotation
                children.setdefault(parent, []).append(key)
                key = following.get(key)
        for parent, own in children.items():
            begin, end = self.times[parent]
            step = (end - begin) / len(own)
            for k, key in enumerate(own):
                self.times[key] = (begin + k * step, begin + (k + 1) * step)

    def _tier(
        self, name: str, aligned: dict[str, Any], references: dict[str, Any], about: dict[str, str]
    ) -> Tier:
        texts = {key: row[2] for key, row in aligned.items()}
        texts.update((key, row[1]) for key, row in references.items())
        keys = sorted(texts, key=self.times.__getitem__)
        kind = "point" if about.get("LINGUISTIC_TYPE_REF") == _POINTS else "interval"
        spans = {key: [time / _PER_SECOND for time in self.times[key]] for key in keys}
        of_type = self.eaf.linguistic_types.get(about.get("LINGUISTIC_TYPE_REF"), {})
        codes = of_type.get("CONTROLLED_VOCABULARY_REF")  # of gestures, for example
        spoken = "PARENT_REF" not in about and not codes
        rows = [(texts[key], *spans[key]) for key in keys]
        return Tier.of_rows(name, rows, kind, spoken=spoken)


# Writing ----------------------------------------------------------------------------------------


def _write(path: StrPath, tiers: Tiers, *, overwrite: bool = False) -> None:
    """Write all tiers as an ELAN file; see the module's docstring.

    Tiers that were read from one, and are as they were, are written as they stood there.
    Raises DataError where a tier has no name or that of another, or a label is shorter than 1 ms,
    and ParameterError if pympi-ling is not installed.
    """
    elan = _pympi()
    if tiers.origin is not None and tiers.origin.holds("eaf", tiers):
        atomic_write(path, rewritten(tiers.origin, tiers), overwrite=overwrite)
        return
    eaf = elan.Eaf(author="Align")
    eaf.remove_tier("default")
    eaf.linguistic_types.clear()
    eaf.add_linguistic_type(_INTERVALS)
    eaf.add_linguistic_type(_POINTS)
    eaf.add_linguistic_type(_WITHIN, constraints="Included_In")
    eaf.header = {"MEDIA_FILE": "", "TIME_UNITS": "milliseconds"}
    eaf.adocument["DATE"] = _NO_DATE
    if tiers.audio is not None:
        _add_audio(eaf, tiers.audio)
    check_for_xml(tiers, "ELAN")
    rows = {tier.name: _rows(tiers, tier) for tier in tiers}
    parents = _parents(tiers, rows)
    for tier in tiers:
        _add_tier(eaf, tier, parents.get(tier.name), speaker_of(tier, tiers), rows[tier.name])
    _sort_times(eaf)
    eaf.properties = [
        (DURATION, round(tiers.duration * _PER_SECOND)),
        ("lastUsedAnnotationId", eaf.maxaid),
    ]
    text = elan.to_string(eaf)
    atomic_write(path, f"{XML_HEAD}{text}\n", overwrite=overwrite)


def _rows(tiers: Tiers, tier: Tier) -> list[_Row]:
    """Return the labels of a tier that have text, in milliseconds."""
    if tier.kind == "point":
        starts = [round(time * _PER_SECOND) for time, _ in tier.times]
        for label, one, following in zip(tier.labels, starts, starts[1:], strict=False):
            if following <= one:
                raise DataError(
                    f"the point {label!r} of tier {tier.name!r} is less than 1 ms from the next, "
                    "which ELAN cannot distinguish; move one of them.",
                    path=tiers.path,
                )
        return [(label, at, at + 1) for label, at in zip(tier.labels, starts, strict=True)]
    rows = ticks(tiers.labels_of(tier), _PER_SECOND, "ELAN files", blanks=False)
    return [row for row in rows if row[0].strip()]


def _parents(tiers: Tiers, rows: dict[str, list[_Row]]) -> dict[str, str]:
    """Return the tier that each tier of phones or words depends on; gaps of words are filled."""
    found: dict[str, str] = {}
    intervals = {tier.name for tier in tiers if tier.kind == "interval"}
    for tier in tiers:
        words = tier.name.removesuffix(PHONES) + WORDS
        if not (tier.name.endswith(PHONES) and {tier.name, words} <= intervals and rows[words]):
            continue
        whole = _with_gaps(rows[words], rows[tier.name])
        if _all_within(rows[tier.name], whole):
            rows[words] = whole
            found[tier.name] = words
    for tier in tiers:
        said = speaker_of(tier, tiers) or UTTERANCES
        if (
            tier.name.removesuffix(WORDS) not in ("", f"{said} - ")
            or not {tier.name, said} <= intervals
        ):
            continue
        if rows[tier.name] and rows[said] and _all_within(rows[tier.name], rows[said]):
            found[tier.name] = said
    return found


def _with_gaps(words: list[_Row], phones: list[_Row]) -> list[_Row]:
    """Return words and, where phones stand between them, annotations without text."""
    last = max([words[-1][2], *(end for _, _, end in phones)])
    starts = [start for _, start, _ in phones]
    out: list[_Row] = []
    at = 0
    for word in [*words, ("", last, last)]:
        inside = phones[bisect_left(starts, at) : bisect_left(starts, word[1])]
        if inside and inside[-1][2] > word[1]:  # it reaches into the word
            inside.pop()
        if inside:
            out.append(("", inside[0][1], inside[-1][2]))
        if word[2] > word[1]:
            out.append(word)
        at = word[2]
    return out


def _all_within(phones: Sequence[_Row], words: Sequence[_Row]) -> bool:
    """Whether each phone lies within one of the words, both in the order of time."""
    starts = [start for _, start, _ in words]
    around = [words[max(bisect_right(starts, start) - 1, 0)] for _, start, _ in phones]
    pairs = zip(phones, around, strict=True)
    return all(word[1] <= phone[1] and phone[2] <= word[2] for phone, word in pairs)


def _add_tier(eaf: Any, tier: Tier, parent: str | None, speaker: str, rows: list[_Row]) -> None:
    kind = _POINTS if tier.kind == "point" else _INTERVALS if parent is None else _WITHIN
    eaf.add_tier(tier.name, ling=kind, parent=parent, part=speaker or None)
    for label, start, end in rows:
        eaf.add_annotation(tier.name, start, end, label)


def _add_audio(eaf: Any, audio: str) -> None:
    """Name the recording, which ELAN seeks beside the file."""
    name = audio_name(audio)
    eaf.add_linked_file(f"./{name}", relpath=f"./{name}", mimetype=audio_type(name))


def _sort_times(eaf: Any) -> None:
    """Give the time slots numbers in the order of time, as ELAN does."""
    ordered = sorted(eaf.timeslots.items(), key=lambda item: item[1])
    names = {old: f"ts{k}" for k, (old, _) in enumerate(ordered, start=1)}
    eaf.timeslots = {names[old]: time for old, time in ordered}
    for aligned, *_ in eaf.tiers.values():
        for key, (begin, end, value, other) in aligned.items():
            aligned[key] = (names[begin], names[end], value, other)


ELAN = TierFormat(_read, _write, origin_of=origin_of)
