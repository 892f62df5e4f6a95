"""Which audio, score and truth make a piece of music.

In a tree of folders of any depth, a *piece folder* is one that holds an audio file and, named
``score`` with a suffix of `align.formats.scores.SCORE_SUFFIXES`, a score; ``truth.csv`` in it says
when the notes were played. Of several audio files ``audio.*`` goes first, then the order of
`align.corpus.pairs.AUDIO_SUFFIXES`; of several scores, the order of `SCORE_SUFFIXES`.

A manifest may state the pieces instead: a table (``.csv``, ``.tsv``) with the columns ``audio``,
``score`` and
``truth`` and optionally ``group``; its paths are relative to it.
"""

import os
from dataclasses import dataclass

from align.corpus.listing import Groups, check_listing, folders, group_of, manifest_rows
from align.corpus.pairs import AUDIO_SUFFIXES

__all__ = ["Piece", "find_pieces"]

TRUTH = "truth.csv"


@dataclass(frozen=True)
class Piece:
    """The files of one piece, None for one that is missing, and what cross-fitting keeps together.

    `folder` is where they lie, in a manifest that of the audio; `others` are audio files and
    scores that are not used.
    """

    folder: str
    audio: str | None
    score: str | None
    truth: str | None
    group: str | None
    others: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """What messages call the piece."""
        return self.audio or self.score or self.folder

    @property
    def missing(self) -> list[str]:
        """Which of audio, score and truth there is not."""
        return [name for name in ("audio", "score", "truth") if getattr(self, name) is None]


def find_pieces(root: str, groups: Groups = "folder") -> list[Piece]:
    """Return the pieces of a folder or manifest: by their folders, or in the manifest's order.

    Folders with a score or a truth but no audio are among them. Groups are the piece folders, by
    their paths from the top, or as `Groups` says; a manifest's own column goes first. Raises
    DataError if there is no such folder, or the manifest cannot be used.
    """
    check_listing(root, groups)
    return _walk(root, groups) if os.path.isdir(root) else _manifest(root, groups)


def _walk(root: str, groups: Groups) -> list[Piece]:
    from align.formats.scores import SCORE_SUFFIXES

    pieces = []
    for folder, names in folders(root):
        sounds: list[tuple[bool, int, str]] = []
        scores: list[tuple[int, str]] = []
        truth = None
        for name in names:
            stem, suffix = os.path.splitext(name.lower())
            if suffix in AUDIO_SUFFIXES:
                sounds.append((stem != "audio", AUDIO_SUFFIXES.index(suffix), name))
            elif stem == "score" and suffix in SCORE_SUFFIXES:
                scores.append((SCORE_SUFFIXES.index(suffix), name))
            elif name.lower() == TRUTH:
                truth = os.path.join(folder, name)
        # Audio alone is a piece only where it is called so: corpora hold other recordings too.
        if not scores and truth is None and not any(not other for other, _, _ in sounds):
            continue
        audio = [os.path.join(folder, name) for *_, name in sorted(sounds)]
        score = [os.path.join(folder, name) for _, name in sorted(scores)]
        pieces.append(
            Piece(
                folder,
                audio[0] if audio else None,
                score[0] if score else None,
                truth,
                group_of(audio[0], folder, root, groups) if audio else None,
                (*audio[1:], *score[1:]),
            )
        )
    return sorted(pieces, key=lambda piece: piece.folder)


def _manifest(path: str, groups: Groups) -> list[Piece]:
    top = os.path.dirname(path)
    pieces = []
    for row in manifest_rows(path, ("audio", "score", "truth"), ("audio", "score")):
        audio, score = (os.path.join(top, row[column]) for column in ("audio", "score"))
        truth = os.path.join(top, row["truth"]) if row.get("truth") else None
        group = row.get("group") or group_of(audio, audio, top or ".", groups)
        pieces.append(Piece(os.path.dirname(audio), audio, score, truth, group))
    return pieces
