"""Which label file belongs to which audio file.

In a tree of folders of any depth, an audio file and a label file belong together where they lie in
one folder and share their name up to the suffix, as `align.files.names.comparable` has it. Of
several label files the first of `LABEL_SUFFIXES` is taken, of several audio files the first of
`AUDIO_SUFFIXES`.
Between name and suffix of subtitles may stand a language, as in ``talk.en.vtt``, where these are
the only ones: of several it is not known which are meant.

A manifest may state the pairs instead: a table (``.csv``, ``.tsv``) with the columns ``audio`` and
``labels`` and optionally ``group``; its paths are relative to it.
"""

import os
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from align.corpus.listing import (
    AUDIO_SUFFIXES,
    Groups,
    check_listing,
    folders,
    group_of,
    manifest_rows,
)
from align.files.names import comparable
from align.formats.tiers.emu import ANNOTATION

LABEL_SUFFIXES = (".phn", ".textgrid", ".lab", ".csv", ".eaf", ".exb", "_annot.json")
"""Suffixes of label files beside audio, in lower case, in order of preference."""

_SUBTITLES = (".vtt", ".srt", ".sbv")
_LANGUAGE = re.compile(r"(.+)\.[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")


@dataclass(frozen=True)
class Pair:
    """An audio file, its labels and who speaks; None for a file that is missing.

    `others` are files of the same name that are not used.
    """

    audio: str | None
    labels: str | None
    group: str | None
    others: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """What messages call the pair."""
        return self.audio or self.labels or ""


def find_pairs(
    root: str, groups: Groups, label_suffixes: Sequence[str] = LABEL_SUFFIXES
) -> list[Pair]:
    """Return the recordings of a folder or manifest: by their paths, or in the manifest's order.

    Groups are the folders that audio files lie in, by their paths from the top, or as `Groups`
    says; a manifest's own column goes first. `label_suffixes`, in lower case, are in order of
    preference. Raises DataError if there is no such folder, or the manifest cannot be used.
    """
    check_listing(root, groups)
    if os.path.isdir(root):
        return _walk(root, groups, label_suffixes)
    return _manifest(root, groups)


def find_beside(audio: str, suffixes: Sequence[str]) -> str | None:
    """Return the file beside a recording that has its name and the first of the suffixes.

    Names are compared as `comparable` says; `suffixes` are in lower case. None if there is none.
    """
    folder, name = os.path.split(audio)
    stem = comparable(_split(name)[0])
    try:
        names = sorted(os.listdir(folder or "."))
    except OSError:
        return None
    known = [other for other in names if _suffix(other) in suffixes]
    found = [
        (suffixes.index(_suffix(other)), os.path.join(folder, other))
        for other in known
        if comparable(_split(other)[0]) == stem
    ]
    if not found:
        named = [other for other in known if _without_language(other) == stem]
        return os.path.join(folder, named[0]) if len(named) == 1 else None
    return min(found)[1]


def _walk(root: str, groups: Groups, label_suffixes: Sequence[str]) -> list[Pair]:
    """Pair the files of a tree, in the order of their paths."""
    ranks = {suffix: i for i, suffix in enumerate((*AUDIO_SUFFIXES, *label_suffixes))}

    def rank(path: str) -> tuple[int, str]:
        return ranks[_suffix(path)], path

    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for folder, names in folders(root):
        for name in names:
            stem, suffix = _split(name)
            if suffix in ranks:
                found[folder, comparable(stem)].append(os.path.join(folder, name))
    _join_languages(found)
    pairs = []
    for paths in found.values():
        audio = sorted((p for p in paths if _suffix(p) in AUDIO_SUFFIXES), key=rank)
        labels = sorted((p for p in paths if _suffix(p) in label_suffixes), key=rank)
        group = _group(audio[0], root, groups) if audio else None
        pairs.append(
            Pair(
                audio[0] if audio else None,
                labels[0] if labels else None,
                group,
                (*audio[1:], *labels[1:]),
            )
        )
    return sorted(pairs, key=lambda pair: pair.path)


def _join_languages(found: dict[tuple[str, str], list[str]]) -> None:
    """Put subtitles that name a language to the recording of their name, if it has no others."""
    alone: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for key, paths in found.items():
        stem = _without_language(paths[0])
        if len(paths) == 1 and stem is not None and (key[0], stem) in found:
            alone[key[0], stem].append(key)
    for owner, keys in alone.items():
        own = found[owner]
        if len(keys) == 1 and len(own) == 1 and _suffix(own[0]) in AUDIO_SUFFIXES:
            own += found.pop(keys[0])


def _without_language(path: str) -> str | None:
    """Return the name of subtitles without suffix and language, None where they have none."""
    stem, suffix = _split(os.path.basename(path))
    named = _LANGUAGE.fullmatch(stem)
    return comparable(named[1]) if named is not None and suffix in _SUBTITLES else None


def hidden_by(used: str, other: str) -> str:
    """Return why a file is not used: another beside it has its name.

    Examples
    --------
    >>> hidden_by("words/K.wav", "words/k.wav")
    'is not used: K.wav beside it goes first, as case does not count in names; rename one of them.'
    """
    name = os.path.basename(used)
    alike = _split(name)[0] == _split(os.path.basename(other))[0]
    why = "" if alike else ", as case does not count in names; rename one of them"
    return f"is not used: {name} beside it goes first{why}."


def _suffix(path: str) -> str:
    """Return the suffix in lower case, as in ``.wav``, or ``_annot.json`` of EMU."""
    return _split(path)[1]


def _split(path: str) -> tuple[str, str]:
    """Return what stands before the suffix, and the suffix in lower case."""
    if path.lower().endswith(ANNOTATION):
        return path[: -len(ANNOTATION)], ANNOTATION
    stem, suffix = os.path.splitext(path)
    return stem, suffix.lower()


def _group(audio: str, root: str, groups: Groups) -> str | None:
    return group_of(audio, os.path.dirname(audio) or ".", root, groups)


def _manifest(path: str, groups: Groups) -> list[Pair]:
    folder = os.path.dirname(path)
    pairs = []
    for row in manifest_rows(path, ("audio", "labels"), ("audio", "labels")):
        audio, labels = (str(Path(folder, row[c])) for c in ("audio", "labels"))
        group = row.get("group") or _group(audio, folder or ".", groups)
        pairs.append(Pair(audio, labels, group))
    return pairs
