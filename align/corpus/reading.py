"""Corpora: recordings with labels, or with a score and the times of its notes, beside them.

`align.corpus.pairs` says which files belong together in speech, `align.corpus.pieces` in music. A
file that cannot be used never stops the others: it becomes a *problem*, with its reason.
"""

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from align.corpus.listing import Groups
from align.corpus.pairs import LABEL_SUFFIXES, Pair, find_pairs, hidden_by
from align.corpus.texts import text_beside
from align.errors import AlignError, DataError, ParameterError
from align.files.names import StrPath, suffix_of
from align.formats.files import read_labels
from align.formats.tiers.labels import OVERRUN, Labels
from align.results.frame import pandas
from align.types import Example, Note

if TYPE_CHECKING:
    from align.corpus.pieces import Piece
    from align.features.sound.audio import AudioInfo
    from align.formats.scores import NoteTruth, Score

_FRAME = 0.005  # seconds; an end that near to that of the recording is the same


class Corpus(Sequence[Example]):
    """Recordings with their events and true onsets, in a fixed order.

    Parameters
    ----------
    examples : iterable of Example
        What can be used.
    problems : iterable of (str, str)
        Files that cannot be used, and why.
    unpaired : iterable of str
        Audio files without labels.
    kind : str
        ``speech`` or ``music``.

    Attributes
    ----------
    problems : list of (str, str)
    unpaired : list of str
    kind : str
    """

    def __init__(
        self,
        examples: Iterable[Example],
        problems: Iterable[tuple[str, str]] = (),
        unpaired: Iterable[str] = (),
        kind: str = "speech",
    ) -> None:
        self._examples = tuple(examples)
        self.problems = list(problems)
        self.unpaired = list(unpaired)
        self.kind = kind

    def __len__(self) -> int:
        return len(self._examples)

    @overload
    def __getitem__(self, index: int) -> Example: ...
    @overload
    def __getitem__(self, index: slice) -> "Corpus": ...
    def __getitem__(self, index: int | slice) -> "Example | Corpus":
        if isinstance(index, slice):
            return Corpus(self._examples[index], kind=self.kind)
        return self._examples[index]

    def __iter__(self) -> Iterator[Example]:
        return iter(self._examples)

    def __repr__(self) -> str:
        return (
            f"<Corpus: recordings={len(self)}, groups={len(self.groups)}, "
            f"problems={len(self.problems)}>"
        )

    @property
    def groups(self) -> list[str]:
        """Names of the groups (speakers, pieces), sorted."""
        return sorted({example.group for example in self._examples if example.group is not None})

    def to_frame(self) -> Any:
        """Return a table of pandas, a row for each event of each recording.

        Returns
        -------
        pandas.DataFrame
            Columns ``audio`` (the path), ``group``, ``label`` and ``start``, the true onset in
            seconds; NaN where it is not known, or a note was not played. Of music, labels are
            names of pitches, and ``pitch`` (MIDI number) and ``score_onset`` in seconds follow.

        Raises
        ------
        ParameterError
            If pandas is not installed.
        """
        columns: dict[str, list[Any]] = {"audio": [], "group": [], "label": [], "start": []}
        if self.kind == "music":
            columns |= {"pitch": [], "score_onset": []}
        for example in self._examples:
            n = len(example.events)
            columns["audio"] += [example.name] * n
            columns["group"] += [example.group] * n
            columns["start"] += [np.nan] * n if example.onsets is None else list(example.onsets)
            for event in example.events:
                if isinstance(event, Note):
                    columns["label"].append(event.name)
                    columns["pitch"].append(event.pitch)
                    columns["score_onset"].append(event.onset)
                else:
                    columns["label"].append(event)
        return pandas().DataFrame(columns)

    def subset(self, groups: Collection[str]) -> "Corpus":
        """Return the recordings of some groups, as for cross-validation; without problems."""
        if isinstance(groups, str):
            raise ParameterError(f"groups={groups!r}, must be a collection of names.")
        missing = sorted(set(groups) - set(self.groups))
        if missing:
            raise ParameterError(f"no group {missing[0]!r}; there are {', '.join(self.groups)}.")
        return Corpus((e for e in self._examples if e.group in groups), kind=self.kind)


class Gathering:
    """A corpus of speech or music in the making; `root` is its folder, for messages."""

    def __init__(self, root: str, kind: str) -> None:
        self.root = root
        self.kind = kind
        self.examples: list[Example] = []
        self.problems: list[tuple[str, str]] = []
        self.unpaired: list[str] = []

    @contextmanager
    def attempt(self, path: str) -> Iterator[None]:
        """Make what fails inside a problem, of `path` where the error names no file."""
        try:
            yield
        except AlignError as error:
            self.problems.append(problem_of(error, path))

    def add_speech(
        self, audio: str, labels: Labels, group: str | None, text: str | None = None
    ) -> None:
        """Add a recording with labels that were checked against its length."""
        assert labels.duration is not None
        end = labels.end if labels.duration - labels.end > _FRAME else None
        self.examples.append(
            Example(audio, labels.labels, labels.onsets, end=end, group=group, text=text)
        )

    def add_music(
        self,
        audio: str,
        score: "Score",
        truth: "NoteTruth",
        group: str | None,
        *,
        source: str,
    ) -> None:
        """Add a recording with its score and true times, which `source` holds.

        Raises DataError if the recording cannot be used, or the notes lie outside of it.
        """
        if truth.index.size == 0:
            raise DataError("has no note that was played.", path=source)
        check_within(header(audio), truth, source)
        self.examples.append(music_example(audio, score, truth, group))

    def corpus(self, nothing: str, what: str = "nothing", *, in_order: bool = False) -> Corpus:
        """Return the corpus, its examples sorted by path, or left in their order.

        Raises DataError if there is none: because of the first problem, for which `what` cannot
        be used, else for the reason `nothing`.
        """
        if not self.examples and self.problems:
            path, reason = self.problems[0]
            raise DataError(
                f"{what} can be used (problems: {len(self.problems)}), the first because of "
                f"{path}: {reason}",
                path=self.root,
            )
        if not self.examples:
            raise DataError(nothing, path=self.root)
        if not in_order:
            self.examples.sort(key=lambda example: example.name)
        return Corpus(self.examples, self.problems, self.unpaired, self.kind)


def read_corpus(
    folder_or_manifest: StrPath,
    kind: str = "speech",
    *,
    groups: Groups = "folder",
    tier: str | None = None,
    channel: int | None = None,
) -> Corpus:
    """Read the labels of a corpus, and check that its audio is there.

    Parameters
    ----------
    folder_or_manifest : path
        A tree of folders, or a manifest; see `align.corpus.pairs` for speech,
        `align.corpus.pieces` for music.
    kind : {"speech", "music"}
        What is in it.
    groups : {"folder", "file", None} or callable
        Who speaks, or which piece it is: the folder an audio file lies in (by its path from the
        top), each file on its own, no one, or what a function makes of the path of the audio. A
        manifest's own column goes first.
    tier : str, optional
        Of speech: the tier of TextGrids and other files of tiers that holds the phones, by default
        as `align.formats.read_labels` chooses.
    channel : int, optional
        Which channel of each recording is meant, counted from 1; by default their average. See
        `align.Channel`.

    Returns
    -------
    Corpus
        Sorted by path. Its `problems` list what cannot be used, its `unpaired` the audio without
        labels (of music: without a score or without true times). No audio is decoded, only
        headers are read. The events of an example of music are the notes of its score, its
        `onsets` the times they were played, NaN for those that were not; `score` and `truth` hold
        the rest.

    Raises
    ------
    DataError
        If there is no such folder or manifest, or nothing in it can be used.

    Notes
    -----
    Of speech, an example's `text` are the words of a transcript of the same name (a tier
    ``words``, a ``.txt`` or ``.wrd`` file), where there is one.

    Silence (a TextGrid's empty label, a gap) becomes the event ``sil``. An example's `end` is None
    where the last label ends with the recording or less than a frame of 5 ms before.
    """
    check_kind(kind)
    if kind == "music" and tier is not None:
        raise ParameterError(f"tier={tier!r} names labels of speech; pieces of music have none.")
    root = os.fspath(folder_or_manifest)
    whole = _read_music(root, groups) if kind == "music" else _read_speech(root, groups, tier)
    return whole if channel is None else _of_channel(whole, channel, root)


def _of_channel(corpus: Corpus, channel: int, root: str) -> Corpus:
    """Return a corpus of one channel of its recordings; those without it are problems."""
    from align.features.sound.audio import Channel

    found = Gathering(root, corpus.kind)
    found.problems, found.unpaired = list(corpus.problems), corpus.unpaired
    for example in corpus:
        own = Channel(example.name, channel)
        with found.attempt(example.name):
            header(own)
            found.examples.append(replace(example, audio=own))
    return found.corpus("", "no recording", in_order=True)


def _read_speech(root: str, groups: Groups, tier: str | None) -> Corpus:
    """Read the recordings of a corpus of speech."""
    found = Gathering(root, "speech")
    silent = 0
    for pair in find_pairs(root, groups):
        if pair.audio is None:
            silent += 1
        elif pair.labels is None:
            found.unpaired.append(pair.audio)
        else:
            found.problems += [
                (other, hidden_by(pair.audio, other))
                for other in pair.others
                if suffix_of(other) == suffix_of(pair.audio)
            ]
            with found.attempt(pair.path):
                _, labels = read_pair(pair, tier)
                found.add_speech(
                    pair.audio, labels, pair.group, text_beside(pair.audio, pair.labels)
                )
    nothing = "holds no recordings with labels."
    if found.unpaired:
        nothing = (
            f"no recording (of {len(found.unpaired)}) has a label file of its name "
            f"({', '.join(LABEL_SUFFIXES)}) beside it."
        )
        if not found.examples and _holds_music(root):
            nothing += " It holds scores: for pieces of music, take a model or the kind of music."
    elif silent:
        nothing = (
            f"no label file (of {silent}) has a recording of its name beside it; put the "
            "recordings into this folder, or the labels beside the recordings."
        )
    return found.corpus(nothing, "no recording", in_order=True)


def check_kind(kind: str) -> None:
    """Raise ParameterError where a corpus can be of no such kind."""
    if kind not in ("speech", "music"):
        raise ParameterError(f"kind={kind!r}, must be 'speech' or 'music'.")


def _read_music(root: str, groups: Groups) -> Corpus:
    """Read the pieces of a corpus of music."""
    from align.corpus.pieces import NO_PIECES, find_pieces

    found = Gathering(root, "music")
    for piece in find_pieces(root, groups):
        if piece.audio is None:
            continue
        if piece.missing:
            found.unpaired.append(piece.audio)
            continue
        with found.attempt(piece.path):
            _, score, truth = read_piece(piece)
            assert truth is not None
            found.examples.append(music_example(piece.audio, score, truth, piece.group))
    nothing = NO_PIECES
    if found.unpaired:
        nothing = (
            f"no recording (of {len(found.unpaired)}) has both a score (score.mid, .musicxml or "
            ".csv, or one of its name) and a truth.csv beside it."
        )
    if not found.examples and _holds_speech(root):
        nothing += " It holds labels: for speech, take a model or the kind of speech."
    return found.corpus(nothing, "no piece", in_order=True)


def _holds_speech(root: str) -> bool:
    """Whether a folder holds recordings with labels beside them."""
    return os.path.isdir(root) and any(p.audio and p.labels for p in find_pairs(root, None))


def _holds_music(root: str) -> bool:
    """Whether a folder holds recordings with scores beside them."""
    from align.corpus.pieces import find_pieces

    return os.path.isdir(root) and any(p.audio and p.score for p in find_pieces(root, None))


def read_piece(piece: "Piece") -> "tuple[AudioInfo, Score, NoteTruth | None]":
    """Read the header of the audio, the score and the true times of a piece, if it has these.

    Raises DataError if one of them cannot be used, or a note is played outside the recording.
    """
    from align.formats.scores import read_note_truth, read_score

    assert piece.audio is not None
    assert piece.score is not None
    info = header(piece.audio)
    score = read_score(piece.score)
    if piece.truth is None:
        return info, score, None
    truth = read_note_truth(piece.truth, score)
    check_within(info, truth, piece.truth)
    return info, score, truth


def read_pair(pair: Pair, tier: str | None = None) -> "tuple[AudioInfo, Labels]":
    """Read audio header and labels of a recording that has both; DataError if one is unusable.

    `tier` is that of files of tiers which holds the phones; others have none.
    """
    assert pair.audio is not None
    assert pair.labels is not None
    info = header(pair.audio)
    return info, read_labels(pair.labels, tier=tier, rate=info.rate, duration=info.duration)


def header(audio: StrPath) -> "AudioInfo":
    """Read what the header of a recording says."""
    from align.features.sound.audio import (
        audio_info,  # opens soundfile, which takes a while to import
    )

    return audio_info(audio)


def check_samples(audio: StrPath) -> None:
    """Raise DataError where the samples of a recording are silent, not finite or cut off."""
    from align.features.sound.audio import read_audio

    read_audio(audio, rate=None)


def check_within(info: "AudioInfo", truth: "NoteTruth", path: str) -> None:
    """Raise DataError where notes, read from `path`, are played outside the recording."""
    first, last = float(truth.performed.min()), float(truth.performed.max())
    # MIDI counts from the key, not the sound: a note may begin a little before the recording.
    if first < -OVERRUN or last > info.duration + OVERRUN:
        raise DataError(
            f"the notes are played from {first:.3f} to {last:.3f} s, beyond the recording, which "
            f"lasts {info.duration:.3f} s; do they belong together?",
            path=path,
        )


def music_example(audio: str, score: "Score", truth: "NoteTruth", group: str | None) -> Example:
    """Return a recording with its score and the times of its notes."""
    onsets = truth.onsets(len(score))
    return Example(audio, score.notes, onsets, group=group, score=score, truth=truth)


def problem_of(error: AlignError, path: str) -> tuple[str, str]:
    """Return the file at fault and the reason, which names the line where there is one."""
    if not isinstance(error, DataError) or error.path is None:
        return path, str(error)
    where = "" if error.line is None else f"line {error.line}: "
    return error.path, where + error.message
