"""What a page shows: alignments with their recordings.

A recording belongs to a label file of its name, up to the suffix, in the same folder; or in a
folder that is given, at the same place below it. A piece of music may also lie in a folder of its
own, as ``audio.flac`` beside ``truth.csv``.
"""

import json
import os
import posixpath
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from align.corpus.listing import AUDIO_SUFFIXES
from align.errors import AlignError, DataError, ParameterError
from align.files.folders import walk
from align.files.kept import CONFIRMED_TABLE, QUALITY_TABLE
from align.files.names import StrPath, suffix_of
from align.files.text import read_text
from align.formats.table import is_music, label_format
from align.formats.tiers.tier import PHONES, Tier, choose_tier
from align.results.alignment import Alignment
from align.results.timing import Timing
from align.show.page.confidence import (
    label_confidence,
    label_match,
    mismatches_of,
    note_confidence,
)
from align.show.reading import reader_of
from align.types import Mismatch

_PREFERRED = (".json", ".textgrid", ".csv", ".tsv", ".phn", ".lab", ".ctm")


@dataclass(frozen=True, eq=False)
class Recording:
    """An alignment and what a page shows with it.

    Parameters
    ----------
    alignment : Timing
        What can be corrected: an Alignment or a MusicAlignment.
    name : str
        What the page calls it; by default that of the audio file.
    audio : path or np.ndarray, optional
        The recording; by default that of the alignment.
    rate : int, optional
        Sampling rate of an array, in Hz.
    tier : str
        Name of the tier of the alignment.
    others : tuple of Tier
        Further tiers, in the order of the file, those before and after that of the alignment.
    place : int
        How many of `others` stand above it.
    confidence : sequence of float or None, length K, optional
        How sure each onset is; by default the alignment's own.
    reference : Timing, optional
        The truth.
    match : float, optional
        How well labels and recording fit; by default the alignment's own.
    warnings : sequence of str
        What the user should know; by default the alignment's own.
    mismatches : sequence of Mismatch
        Where text or score and recording disagree; by default the alignment's own, if it has any.
    stem : str
        Name of corrected files, without a suffix; by default that of the audio file.
    folder : str
        Where they belong below the folder of the corpus.
    """

    alignment: Timing
    name: str = ""
    audio: StrPath | npt.NDArray[Any] | None = None
    rate: int | None = None
    tier: str = "phones"
    others: tuple[Tier, ...] = ()
    place: int = 0
    confidence: tuple[float | None, ...] = ()
    reference: Timing | None = None
    match: float | None = None
    warnings: tuple[str, ...] = ()
    mismatches: tuple[Mismatch, ...] = ()
    stem: str = ""
    folder: str = ""

    def __post_init__(self) -> None:
        audio = self.alignment.audio if self.audio is None else self.audio
        rate = self.alignment.rate if self.rate is None else self.rate
        if audio is None:
            raise DataError("the alignment knows no recording; name its audio.")
        file = "" if isinstance(audio, np.ndarray) else os.path.basename(os.fspath(audio))
        confidence = self.confidence
        if not confidence:
            own = self.alignment.confidence
            confidence = (None,) * len(self.alignment) if own is None else tuple(own.tolist())
        if len(confidence) != len(self.alignment):
            raise ParameterError(
                f"confidence has {len(confidence)} values, must have one for each of the "
                f"{len(self.alignment)} events."
            )
        if self.reference is not None and self.reference.kind != self.alignment.kind:
            raise ParameterError(
                f"reference holds {self.reference.holds}, must hold {self.alignment.holds} as the "
                "alignment does."
            )
        mismatches = tuple(self.mismatches or getattr(self.alignment, "mismatches", ()))
        # These are shown with their place, which a tier of them has cut where two overlap.
        listed = {_what(f"{mismatch}.") for mismatch in mismatches}
        warnings = self.warnings or self.alignment.warnings
        settled: dict[str, Any] = {
            "audio": audio,
            "rate": rate,
            "confidence": confidence,
            "match": self.alignment.match if self.match is None else self.match,
            "warnings": tuple(text for text in warnings if _what(text) not in listed),
            "mismatches": mismatches,
            "name": self.name or file or "recording",
            "stem": self.stem or os.path.splitext(file)[0] or "recording",
        }
        for name, value in settled.items():
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, found: Any, **options: Any) -> "Recording":
        """Take an alignment, or what `align.align_text` returns, as a recording.

        Parameters
        ----------
        found : Timing, TextAlignment or Recording
            What was found.
        **options
            Further fields.

        Raises
        ------
        DataError
            If it knows no recording.
        ParameterError
            If it is something else.
        """
        if isinstance(found, Recording):
            return found
        speakers = getattr(found, "speakers", None)
        if speakers is None:
            if not isinstance(found, Timing):
                raise ParameterError(f"{type(found).__name__} is no alignment.")
            return cls(found, **options)
        tiers = [
            Tier(name, "interval", labels, tuple(map(tuple, times.tolist())), (), found.duration)
            for name, (labels, times) in found.tiers().items()
        ]
        phones = next(iter(speakers.values())).phones  # the second tier is its
        others = (tiers[0], *tiers[2:])
        options = {"mismatches": tuple(found.mismatches), **options}
        return cls(phones, tier=tiers[1].name, others=others, place=1, **options)


def read_recordings(
    labels: Sequence[StrPath],
    *,
    audio: Sequence[StrPath] = (),
    reference: Sequence[StrPath] = (),
    score: StrPath | None = None,
    tier: str | None = None,
) -> list[Recording]:
    """Read label files and find their recordings.

    Parameters
    ----------
    labels : sequence of path
        Label files of phones or notes, or folders of them (searched through all levels; of several
        files of one name, JSON goes first, then TextGrid, then tables).
    audio : sequence of path
        One file for each file of labels, or folders to search; by default recordings lie beside
        the labels.
    reference : sequence of path
        True labels, likewise.
    score : path, optional
        Of music: what labels are of that know no score.
    tier : str, optional
        Tier of a TextGrid that the list of uncertain events is about; by default the phones.

    Returns
    -------
    list of Recording

    Raises
    ------
    DataError
        If a file cannot be used or a recording is missing.
    """
    found = [item for path in labels for item in _expand(os.fspath(path))]
    if not found:
        raise DataError("holds no label files.", path=os.fspath(labels[0]) if labels else None)
    sounds = _matched(found, [os.fspath(p) for p in audio], "--audio", find_audio)
    truths = _matched(found, [os.fspath(p) for p in reference], "--reference", _find_labels)
    told = _told_apart(found)
    out = [
        _read(path, key, _beside(path) if sound is None else sound, truth, score, tier)
        for (path, _), key, sound, truth in zip(found, told, sounds, truths, strict=True)
    ]
    return _saved_apart(out, told)


def _what(sentence: str) -> str:
    """Return what is said of a place, without from when to when it is."""
    return sentence.partition(": ")[2] or sentence


def find_audio(stem: str) -> str | None:
    """Return the audio file of a name without its suffix; None where there is none."""
    return _first_of(stem, AUDIO_SUFFIXES)


def _first_of(stem: str, suffixes: Sequence[str]) -> str | None:
    folder, base = os.path.split(stem)
    try:
        names = sorted(os.listdir(folder or "."))
    except OSError:
        return None
    for suffix in suffixes:
        for name in names:
            head, tail = os.path.splitext(name)
            if head == base and tail.lower() == suffix:
                return os.path.join(folder, name)
    return None


def _find_labels(stem: str) -> str | None:
    return _first_of(stem, _PREFERRED)


def _expand(path: str) -> list[tuple[str, str]]:
    """Return label files, each with its name below what was given, without the suffix."""
    if not os.path.exists(path):
        raise DataError("does not exist; check the name.", path=path)
    if not os.path.isdir(path):
        return [(path, os.path.splitext(os.path.basename(path))[0])]
    best: dict[str, str] = {}
    for folder, _, names in walk(path):
        for name in names:
            suffix = suffix_of(name)
            if name in (QUALITY_TABLE, CONFIRMED_TABLE) or suffix not in _PREFERRED:
                continue
            file = os.path.join(folder, name)
            key = os.path.splitext(os.path.relpath(file, path))[0]
            held = best.get(key)
            if held is None or _rank(file) < _rank(held):
                best[key] = file
    return [(best[key], key) for key in sorted(best)]


def _rank(path: str) -> int:
    return _PREFERRED.index(suffix_of(path))


def _told_apart(found: Sequence[tuple[str, str]]) -> list[str]:
    """Return names that are all different: where two are one, below the folder they share."""
    count = Counter(key for _, key in found)
    same = [os.path.abspath(path) for path, key in found if count[key] > 1]
    if len(set(same)) < 2:
        return [key for _, key in found]
    folder = os.path.commonpath(same)
    return [
        key
        if count[key] == 1
        else os.path.splitext(os.path.relpath(os.path.abspath(path), folder))[0]
        for path, key in found
    ]


def _saved_apart(recordings: list[Recording], keys: Sequence[str]) -> list[Recording]:
    """Name those by their own file that would be saved under the name of another."""
    places = Counter((recording.folder, recording.stem) for recording in recordings)
    return [
        recording
        if places[recording.folder, recording.stem] == 1
        else replace(recording, name=name, stem=posixpath.basename(name))
        for recording, name in zip(recordings, (k.replace(os.sep, "/") for k in keys), strict=True)
    ]


def _matched(
    found: Sequence[tuple[str, str]], given: Sequence[str], option: str, find: Any
) -> list[str | None]:
    """Find, for each label file, its counterpart among files and folders that are given."""
    if not given:
        return [None] * len(found)
    if not any(os.path.isdir(path) for path in given):
        if len(given) != len(found):
            raise ParameterError(
                f"{option} was given {len(given)} times for {len(found)} alignments; give one "
                "for each, or their folder."
            )
        return list(given)
    out = []
    for path, key in found:
        tried = [os.path.join(folder, stem) for folder in given for stem in (key, key + "/audio")]
        match = next((hit for stem in tried if (hit := find(stem)) is not None), None)
        if match is None:
            raise DataError(f"has no counterpart in {', '.join(given)} ({option}).", path=path)
        out.append(match)
    return out


def _beside(path: str) -> str:
    """Return the recording beside a label file, or the one that it names itself."""
    folder, name = os.path.split(path)
    stem = os.path.join(
        folder, name.split(".")[0] if ".sv." in name else os.path.splitext(name)[0]
    )
    sound = find_audio(stem) or _named_inside(path) or find_audio(os.path.join(folder, "audio"))
    if sound is None:
        raise DataError(
            "has no recording of its name beside it; name the audio (--audio).", path=path
        )
    return sound


def _named_inside(path: str) -> str | None:
    """Return the recording that a JSON file says it is of, where that is there."""
    if not path.lower().endswith(".json"):
        return None
    try:
        content = json.loads(read_text(path))
    except (ValueError, RecursionError):  # its reader will say so
        return None
    named = content.get("audio") if isinstance(content, dict) else None
    if not isinstance(named, str) or not named or "\0" in named:
        return None
    tried = (os.path.join(os.path.dirname(path), os.path.basename(named)), named)
    return next((t for t in tried if os.path.isfile(t)), None)


def _read(
    path: str, key: str, audio: str, truth: str | None, score: StrPath | None, tier: str | None
) -> Recording:
    read = reader_of(path, audio, score=score, silence="")
    reference = None if truth is None else read(truth)
    name = key.replace(os.sep, "/")
    if score is None and not is_music(path):
        return _read_labels(path, name, audio, reference, tier)
    notes = read(path)
    piece = _piece_name(name, path, audio)
    return Recording(
        notes,
        name if piece is None else piece,
        confidence=note_confidence(path, notes),
        reference=reference,
        stem="" if piece is None else "truth",
        folder=os.path.dirname(name) if piece is None else piece,
    )


def _read_labels(
    path: str, name: str, audio: str, reference: Timing | None, wanted: str | None
) -> Recording:
    """Read labels with all tiers beside them."""
    read_tiers = label_format(path).read_tiers
    tier, others, place = PHONES, [], 0
    if read_tiers is None:
        alignment = reader_of(path, audio)(path)
    else:
        from align.features.sound.audio import audio_info

        about = audio_info(audio)
        tiers = read_tiers(path, duration=about.duration, silence="")
        main = _main_tier(tiers.tiers, wanted, path)
        labels = tiers.labels_of(main.whole(path))
        alignment = Alignment.from_labels(
            labels, duration=about.duration, audio=audio, rate=about.rate
        )
        tier = main.name
        filled = [one for one in tiers if one.labels]
        others = [one for one in filled if one is not main]
        place = next(k for k, one in enumerate(filled) if one is main)
    match, warnings = label_match(path)
    return Recording(
        alignment,
        name,
        match=match,
        warnings=warnings,
        mismatches=tuple(m for one in others for m in mismatches_of(path, one)),
        tier=tier,
        others=tuple(others),
        place=place,
        folder=os.path.dirname(name),
        confidence=label_confidence(path, alignment),
        reference=reference,
    )


def _piece_name(name: str, path: str, audio: str) -> str | None:
    """Return where a piece lies, where its recording has a folder of its own; else None.

    The labels lie in that folder, as the corpus wants them (``truth.csv``), or elsewhere under the
    name of the piece, as `align corpus` writes them.
    """
    folder, file = os.path.split(os.path.abspath(audio))
    if os.path.splitext(file)[0].lower() != "audio":
        return None
    inside = os.path.dirname(os.path.abspath(path)) == folder
    return (posixpath.dirname(name) if inside else name) or os.path.basename(folder)


def _main_tier(tiers: Sequence[Tier], wanted: str | None, path: str) -> Tier:
    """Choose the tier whose boundaries are listed: the phones, else the last of intervals.

    Of several speakers it is who says most; who has no name may have but a title.
    """
    intervals = [tier for tier in tiers if tier.kind == "interval"]
    phones = [tier for tier in intervals if tier.name.lower().endswith(("phones", "phone"))]
    if wanted is None and len(phones) > 1:
        return max(phones, key=lambda tier: len(tier.labels))
    try:
        return choose_tier(tiers, wanted, path)
    except AlignError:
        if wanted is not None or not intervals:
            raise
        return phones[0] if phones else intervals[-1]
