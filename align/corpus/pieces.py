"""Which audio, score and truth make a piece of music.

In a tree of folders of any depth, a *piece folder* is one that holds an audio file and, named
``score`` with a suffix of `align.formats.scores.SCORE_SUFFIXES`, a score; ``truth.csv`` in it says
when the notes were played. Of several audio files ``audio.*`` goes first, then the order of
`align.corpus.pairs.AUDIO_SUFFIXES`; of several scores, the order of `SCORE_SUFFIXES`.

A manifest may state the pieces instead: a table (``.csv``, ``.tsv``) with the columns ``audio``,
``score`` and
``truth`` and optionally ``group``; its paths are relative to it.
"""

import csv
import io
import os
from collections.abc import Callable
from dataclasses import dataclass

from align.corpus.pairs import AUDIO_SUFFIXES
from align.errors import DataError, ParameterError
from align.files.text import read_text

__all__ = ["Piece", "find_pieces"]

TRUTH = "truth.csv"

Groups = str | Callable[[str], str | None] | None


@dataclass(frozen=True)
class Piece:
    """The files of one piece.

    Attributes
    ----------
    folder : str
        Where they lie; in a manifest, the folder of the audio.
    audio, score, truth : str or None
        The files; None for one that is missing.
    group : str or None
        What cross-fitting keeps together.
    others : tuple of str
        Audio files and scores that are not used.
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
    """Return the pieces of a corpus.

    Parameters
    ----------
    root : str
        A folder or a manifest.
    groups : {"folder", "file", None} or callable
        What cross-fitting keeps together: the piece folder (by its path from the top), each audio
        file on its own, nothing, or what a function makes of the path of the audio. A manifest's
        own column goes first.

    Returns
    -------
    list of Piece
        In a tree, in the order of their folders; in a manifest, in its own. Folders with a score
        or a truth but no audio are among them.

    Raises
    ------
    DataError
        If there is no such folder, or the manifest cannot be used.
    """
    if not callable(groups) and groups not in ("folder", "file", None):
        raise ParameterError(f"groups={groups!r}, must be 'folder', 'file', None or a function.")
    if os.path.isdir(root):
        return _walk(root, groups)
    if not os.path.exists(root):
        raise DataError("does not exist; check the name.", path=root)
    return _manifest(root, groups)


def _group(audio: str, folder: str, root: str, groups: Groups) -> str | None:
    if callable(groups):
        return groups(audio)
    if groups == "file":
        return audio
    if groups is None:
        return None
    name = os.path.relpath(folder, root).replace(os.sep, "/")
    return os.path.basename(os.path.abspath(root)) if name == "." else name


def _walk(root: str, groups: Groups) -> list[Piece]:
    from align.formats.scores import SCORE_SUFFIXES

    pieces = []
    seen = set()
    for folder, inner, names in os.walk(root, followlinks=True):
        real = os.path.realpath(folder)
        if real in seen:  # a symbolic link that leads back
            inner.clear()
            continue
        seen.add(real)
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        sounds: list[tuple[bool, int, str]] = []
        scores: list[tuple[int, str]] = []
        truth = None
        for name in sorted(names):
            stem, suffix = os.path.splitext(name.lower())
            if name.startswith("."):
                continue
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
                _group(audio[0], folder, root, groups) if audio else None,
                (*audio[1:], *score[1:]),
            )
        )
    return sorted(pieces, key=lambda piece: piece.folder)


def _manifest(path: str, groups: Groups) -> list[Piece]:
    text = read_text(path)
    separator = "\t" if "\t" in text.split("\n", 1)[0] else ","
    reader = csv.reader(io.StringIO(text), delimiter=separator)
    top = os.path.dirname(path)
    pieces = []
    try:
        head = [cell.strip().lower() for cell in next(reader, [])]
        for column in ("audio", "score", "truth"):
            if column not in head:
                raise DataError(
                    f"is neither a folder nor a manifest: its first line names no column "
                    f"{column!r}.",
                    path=path,
                    line=1,
                )
        for cells in reader:
            row = dict(zip(head, (cell.strip() for cell in cells), strict=False))
            if not any(row.values()):
                continue
            if not row.get("audio") or not row.get("score"):
                raise DataError(
                    "needs both audio and score; fill them in.", path=path, line=reader.line_num
                )
            audio, score = (os.path.join(top, row[column]) for column in ("audio", "score"))
            truth = os.path.join(top, row["truth"]) if row.get("truth") else None
            folder = os.path.dirname(audio)
            group = row.get("group") or _group(audio, audio, top or ".", groups)
            pieces.append(Piece(folder, audio, score, truth, group))
    except csv.Error as error:
        raise DataError(f"is not a table: {error}.", path=path, line=reader.line_num) from None
    return pieces
