"""Which audio, score and truth make a piece of music.

In a tree of folders of any depth, a *piece folder* is one that holds an audio file and, named
``score`` with a suffix of `align.formats.scores.SCORE_SUFFIXES`, a score; ``truth.csv`` in it says
when the notes were played. Of several audio files ``audio.*`` goes first, then the order of
`align.corpus.pairs.AUDIO_SUFFIXES`; of several scores, the order of `SCORE_SUFFIXES`, but a MIDI
file of a performance, such as Align writes, goes last.

In any other folder a recording and a score of the same name are a piece, ``minuet.flac`` and
``minuet.mid`` or ``minuet.musicxml``, with ``minuet.truth.csv``. A table is no score there: it may
be anything about the recording.

A manifest may state the pieces instead: a table (``.csv``, ``.tsv``) with the columns ``audio``,
``score`` and
``truth`` and optionally ``group``; its paths are relative to it.
"""

import os
from collections.abc import Callable, Sequence
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
from align.errors import DataError
from align.files.names import comparable, suffix_of

NO_PIECES = (
    "holds no pieces: recordings with a score of the same name beside them (x.wav and x.mid or "
    "x.musicxml, for training also x.truth.csv), or folders with audio.wav (or .flac, .mp3), "
    "score.mid (or .musicxml, .csv) and, for training, truth.csv."
)
"""What messages say of a folder without any."""

_TRUTH = "truth.csv"
_TABLES = (".csv", ".tsv")
_MIDI = (".mid", ".midi")


@dataclass(frozen=True)
class Piece:
    """The files of one piece, None for one that is missing, and what cross-fitting keeps together.

    `stem` is the path it is called after: of its folder, or of its recording without suffix;
    `others` are audio files and scores that are not used.
    """

    stem: str
    audio: str | None
    score: str | None
    truth: str | None
    group: str | None
    others: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """What messages call the piece."""
        return self.audio or self.score or self.stem

    @property
    def missing(self) -> list[str]:
        """Which of audio, score and truth there is not."""
        return [name for name in ("audio", "score", "truth") if getattr(self, name) is None]


def find_pieces(root: str, groups: Groups = "folder") -> list[Piece]:
    """Return the pieces of a folder or manifest: by their paths, or in the manifest's order.

    Folders with a score or a truth but no audio are among them. Groups are the pieces, by
    their paths from the top, or as `Groups` says; a manifest's own column goes first. Raises
    DataError if there is no such folder, or the manifest cannot be used.
    """
    check_listing(root, groups)
    return _walk(root, groups) if os.path.isdir(root) else _manifest(root, groups)


def _walk(root: str, groups: Groups) -> list[Piece]:
    from align.formats.scores import SCORE_SUFFIXES

    pieces: list[Piece] = []
    for folder, names in folders(root):
        sounds = sorted(
            (name for name in names if suffix_of(name) in AUDIO_SUFFIXES),
            key=lambda name: (_stem(name) != "audio", AUDIO_SUFFIXES.index(suffix_of(name)), name),
        )
        scores = sorted(
            (name for name in names if suffix_of(name) in SCORE_SUFFIXES),
            key=lambda name: (SCORE_SUFFIXES.index(suffix_of(name)), name),
        )
        truths = [name for name in names if name.lower().endswith(_TRUTH)]
        own = [name for name in scores if _stem(name) == "score"]
        its_truth = [name for name in truths if name.lower() == _TRUTH]
        # Audio alone is a piece only where it is called so: corpora hold other recordings too.
        if own or its_truth or any(_stem(name) == "audio" for name in sounds):
            pieces.append(_piece(folder, folder, (sounds, own, its_truth), root, groups))
            continue
        notated = [name for name in scores if suffix_of(name) not in _TABLES]
        if not notated:
            continue
        scores_of, truths_of = _by(_stem, notated), _by(comparable, truths)
        for stem, recordings in _by(_stem, sounds).items():
            files = (recordings, scores_of.get(stem, []), truths_of.get(f"{stem}.{_TRUTH}", []))
            called = os.path.join(folder, os.path.splitext(recordings[0])[0])
            pieces.append(_piece(called, folder, files, root, groups))
    return sorted(pieces, key=lambda piece: piece.stem)


def _piece(
    called: str,
    folder: str,
    files: tuple[Sequence[str], Sequence[str], Sequence[str]],
    root: str,
    groups: Groups,
) -> Piece:
    """Return the piece of the first recording, score and truth of a folder; others are left."""
    sounds, scores, truths = ([os.path.join(folder, name) for name in names] for names in files)
    if len(scores) > 1 and _is_performance(scores[0]):
        scores.append(scores.pop(0))
    return Piece(
        called,
        sounds[0] if sounds else None,
        scores[0] if scores else None,
        truths[0] if truths else None,
        group_of(sounds[0], called, root, groups) if sounds else None,
        (*sounds[1:], *scores[1:]),
    )


def _is_performance(path: str) -> bool:
    """Whether a score is a MIDI file of a performance, such as one that was aligned."""
    from align.formats.scores import read_score

    if suffix_of(path) not in _MIDI:
        return False
    try:
        return read_score(path).is_performance
    except DataError:
        return False  # whoever reads it says why


def _by(key: Callable[[str], str], names: Sequence[str]) -> dict[str, list[str]]:
    """Return names by what they have in common, in their order."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(key(name), []).append(name)
    return found


def _stem(name: str) -> str:
    return comparable(os.path.splitext(name)[0])


def _manifest(path: str, groups: Groups) -> list[Piece]:
    top = os.path.dirname(path)
    pieces = []
    for row in manifest_rows(path, ("audio", "score", "truth"), ("audio", "score")):
        audio, score = (str(Path(top, row[column])) for column in ("audio", "score"))
        truth = str(Path(top, row["truth"])) if row.get("truth") else None
        group = row.get("group") or group_of(audio, audio, top or ".", groups)
        pieces.append(Piece(os.path.splitext(audio)[0], audio, score, truth, group))
    return pieces
