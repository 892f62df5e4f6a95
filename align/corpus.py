"""Corpora: recordings with labels, or with a score and the times of its notes, beside them.

`align.pairs` says which files belong together in speech, `align.pieces` in music. A file that
cannot be used never stops the others: it becomes a *problem*, with its reason.
"""

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

from align.errors import AlignError, DataError, ParameterError
from align.formats.files import read_labels
from align.formats.labels import OVERRUN, Labels
from align.formats.phone_map import nearest_label
from align.pairs import AUDIO_SUFFIXES, LABEL_SUFFIXES, Groups, Pair, find_pairs
from align.types import Example

if TYPE_CHECKING:
    from align.features.audio import AudioInfo
    from align.pieces import Piece
    from align.scores import NoteTruth, Score

__all__ = ["Corpus", "Issue", "Validation", "odd_formats", "read_corpus", "validate_corpus"]

_HOP = 0.005
_SHORT, _LONG = 0.004, 1.0
"""Phones outside these lengths in seconds deserve a second look (TIMIT's lie within them)."""
_SILENCES = frozenset({"", "sil", "sp", "spn", "pau", "h#", "epi", "<p:>", "_", "#"})


@dataclass(frozen=True)
class Issue:
    """Something in a corpus that deserves attention.

    Parameters
    ----------
    path : str
        The file or folder.
    message : str
        What is wrong and what to do.
    severity : str
        ``error`` where the file cannot be used as it is, else ``warning``.
    """

    path: str
    message: str
    severity: str = "warning"

    def __str__(self) -> str:
        return f"{self.severity}: {self.path}: {self.message}"


@dataclass(frozen=True)
class Validation:
    """What `validate_corpus` found.

    Parameters
    ----------
    recordings : int
        How many recordings can be used.
    problems : tuple of Issue
        Files that cannot be used, in the order of paths.
    warnings : tuple of Issue
        What else deserves a look.
    """

    recordings: int
    problems: tuple[Issue, ...]
    warnings: tuple[Issue, ...]

    def __str__(self) -> str:
        what = (
            (self.recordings, "usable recording"),
            (len(self.problems), "problem"),
            (len(self.warnings), "warning"),
        )
        counts = ", ".join(f"{n} {name}{'s' * (n != 1)}" for n, name in what)
        return "\n".join([*map(str, self.problems), *map(str, self.warnings), counts])


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

    def subset(self, groups: Collection[str]) -> "Corpus":
        """Return the recordings of some groups, as for cross-validation; without problems."""
        if isinstance(groups, str):
            raise ParameterError(f"groups={groups!r}, must be a collection of names.")
        missing = sorted(set(groups) - set(self.groups))
        if missing:
            raise ParameterError(f"no group {missing[0]!r}; there are {', '.join(self.groups)}.")
        return Corpus((e for e in self._examples if e.group in groups), kind=self.kind)


def read_corpus(
    folder_or_manifest: str | os.PathLike[str],
    kind: str = "speech",
    *,
    groups: Groups = "folder",
) -> Corpus:
    """Read the labels of a corpus, and check that its audio is there.

    Parameters
    ----------
    folder_or_manifest : path
        A tree of folders, or a manifest; see `align.pairs` for speech, `align.pieces` for music.
    kind : {"speech", "music"}
        What is in it.
    groups : {"folder", "file", None} or callable
        Who speaks, or which piece it is: the folder an audio file lies in (by its path from the
        top), each file on its own, no one, or what a function makes of the path of the audio. A
        manifest's own column goes first.

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
    Silence (a TextGrid's empty label, a gap) becomes the event ``sil``. An example's `end` is None
    where the last label ends with the recording or less than a frame of 5 ms before.
    """
    _check_kind(kind)
    if kind == "music":
        return _read_music(os.fspath(folder_or_manifest), groups)
    root = os.fspath(folder_or_manifest)
    examples: list[Example] = []
    problems: list[tuple[str, str]] = []
    unpaired: list[str] = []
    for pair in find_pairs(root, groups):
        if pair.audio is not None and pair.labels is None:
            unpaired.append(pair.audio)
        elif pair.audio is not None:
            try:
                info, labels = _read_pair(pair)
            except AlignError as error:
                problems.append(_problem(error, pair.path))
                continue
            examples.append(
                Example(
                    audio=pair.audio,
                    events=labels.labels,
                    onsets=labels.onsets,
                    end=labels.end if info.duration - labels.end > _HOP else None,
                    group=pair.group,
                )
            )
    if not examples:
        suffixes = ", ".join(LABEL_SUFFIXES)
        if problems:
            raise DataError(
                f"no recording can be used (problems: {len(problems)}), the first because of "
                f"{problems[0][0]}: {problems[0][1]}",
                path=root,
            )
        if unpaired:
            raise DataError(
                f"no recording (of {len(unpaired)}) has a label file of its name ({suffixes}) "
                "beside it.",
                path=root,
            )
        raise DataError("holds no recordings with labels.", path=root)
    return Corpus(examples, problems, unpaired, kind)


def _check_kind(kind: str) -> None:
    if kind not in ("speech", "music"):
        raise ParameterError(f"kind={kind!r}, must be 'speech' or 'music'.")


def _read_music(root: str, groups: Groups) -> Corpus:
    """Read the pieces of a corpus of music."""
    from align.pieces import find_pieces

    examples: list[Example] = []
    problems: list[tuple[str, str]] = []
    unpaired: list[str] = []
    for piece in find_pieces(root, groups):
        if piece.audio is None:
            continue
        if piece.missing:
            unpaired.append(piece.audio)
            continue
        try:
            _, score, truth = read_piece(piece)
        except AlignError as error:
            problems.append(_problem(error, piece.path))
            continue
        examples.append(
            Example(
                audio=piece.audio,
                events=score.notes,
                onsets=truth.onsets(len(score)),
                group=piece.group,
                score=score,
                truth=truth,
            )
        )
    if not examples:
        if problems:
            raise DataError(
                f"no piece can be used (problems: {len(problems)}), the first because of "
                f"{problems[0][0]}: {problems[0][1]}",
                path=root,
            )
        if unpaired:
            raise DataError(
                f"no recording (of {len(unpaired)}) has both a score (score.mid, .musicxml or "
                ".csv) and a truth.csv beside it.",
                path=root,
            )
        raise DataError(
            "holds no pieces: folders with audio.wav (or .flac, .mp3), score.mid (or .musicxml, "
            ".csv) and truth.csv.",
            path=root,
        )
    return Corpus(examples, problems, unpaired, "music")


def read_piece(piece: "Piece") -> "tuple[AudioInfo, Score, NoteTruth]":
    """Read the header of the audio, the score and the true times of a piece that has all three.

    Raises
    ------
    DataError
        If one of them cannot be used, or a note is said to be played outside the recording.
    """
    from align.features.audio import audio_info  # opens soundfile, which takes a while to import
    from align.scores import read_note_truth, read_score

    assert piece.audio is not None
    assert piece.score is not None
    assert piece.truth is not None
    info = audio_info(piece.audio)
    score = read_score(piece.score)
    truth = read_note_truth(piece.truth, score)
    first, last = float(truth.performed.min()), float(truth.performed.max())
    # MIDI counts from the key, not the sound: a note may begin a little before the recording.
    if first < -OVERRUN or last > info.duration + OVERRUN:
        raise DataError(
            f"the notes are played from {first:.3f} to {last:.3f} s, beyond the recording, which "
            f"lasts {info.duration:.3f} s; do they belong together?",
            path=piece.truth,
        )
    return info, score, truth


def _read_pair(pair: Pair) -> "tuple[AudioInfo, Labels]":
    from align.features.audio import audio_info  # opens soundfile, which takes a while to import

    assert pair.audio is not None
    assert pair.labels is not None
    info = audio_info(pair.audio)
    return info, read_labels(pair.labels, rate=info.rate, duration=info.duration)


def _problem(error: AlignError, path: str) -> tuple[str, str]:
    """Return the file at fault and the reason, which names the line where there is one."""
    if not isinstance(error, DataError) or error.path is None:
        return path, str(error)
    where = "" if error.line is None else f"line {error.line}: "
    return error.path, where + error.message


def validate_corpus(
    folder_or_manifest: str | os.PathLike[str],
    kind: str = "speech",
    *,
    phones: Collection[str] | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Validation:
    """Say what is wrong with a corpus before hours are spent on it.

    Parameters
    ----------
    folder_or_manifest : path
        As for `read_corpus`.
    kind : {"speech", "music"}
        What is in it.
    phones : collection of str, optional
        Of speech: the phones that labels may be; others are problems.
    progress : callable, optional
        Called with a stage, how much of it is done, and how much there is.

    Returns
    -------
    Validation
        Problems: files that cannot be used, unknown phones. Warnings: audio without labels and
        labels without audio, files that another one hides, sampling rates and channels unlike
        most. In speech: phones suspiciously short or long, silences in a row, recordings that go
        on long after the last label. In music: see `align.check_music`.

    Raises
    ------
    DataError
        If there is no such folder or manifest, or no audio or labels in it.
    """
    _check_kind(kind)
    root = os.fspath(folder_or_manifest)
    if kind == "music":
        from align.check_music import validate_music

        return validate_music(root, progress=progress)
    pairs = find_pairs(root, None)
    if not pairs:
        raise DataError("holds neither audio nor labels.", path=root)
    errors: list[Issue] = []
    warnings: list[Issue] = []
    formats: dict[str, tuple[int, int]] = {}
    for n, pair in enumerate(pairs, start=1):
        if progress is not None:
            progress("checking", n, len(pairs))
        if pair.audio is None or pair.labels is None:
            missing = "audio" if pair.audio is None else "labels"
            warnings.append(Issue(pair.path, f"has no {missing} of its name beside it."))
            continue
        for other in pair.others:
            is_audio = os.path.splitext(other)[1].lower() in AUDIO_SUFFIXES
            used = os.path.basename(pair.audio if is_audio else pair.labels)
            warnings.append(Issue(other, f"is not used: {used} beside it goes first."))
        try:
            info, labels = _read_pair(pair)
        except AlignError as error:
            path, reason = _problem(error, pair.path)
            errors.append(Issue(path, reason, "error"))
            continue
        formats[pair.audio] = (info.rate, info.channels)
        warnings.extend(_odd_labels(labels, info.duration))
        warnings.extend(_odd_end(pair.labels, info.duration))
        if phones is not None:
            errors.extend(_unknown_phones(labels, phones))
    warnings.extend(odd_formats(formats))
    return Validation(len(formats), tuple(errors), tuple(warnings))


def _unknown_phones(labels: Labels, phones: Collection[str]) -> Iterator[Issue]:
    assert labels.path is not None
    lines = labels.lines or range(1, len(labels) + 1)
    seen: dict[str, int] = {}
    for label, line in zip(labels.labels, lines, strict=True):
        if label not in phones:
            seen.setdefault(label, line)
    for label, line in seen.items():
        nearest = nearest_label(label, phones)
        hint = "" if nearest is None else f"; nearest known: {nearest!r}"
        yield Issue(labels.path, f"line {line}: unknown phone {label!r}{hint}.", "error")


def _odd_labels(labels: Labels, duration: float) -> Iterator[Issue]:
    assert labels.path is not None
    lines = labels.lines or range(1, len(labels) + 1)
    lengths = labels.intervals[:, 1] - labels.intervals[:, 0]
    before = None
    for label, line, length in zip(labels.labels, lines, lengths.tolist(), strict=True):
        silent = label in _SILENCES
        if length < _SHORT or (length > _LONG and not silent):
            size = "short" if length < _SHORT else "long"
            yield Issue(
                labels.path,
                f"line {line}: {label!r} is suspiciously {size} ({1000 * length:.1f} ms).",
            )
        if silent and label == before:
            yield Issue(
                labels.path, f"line {line}: {label!r} follows {label!r}; join the two into one."
            )
        before = label
    if duration - labels.end > 1.0:
        yield Issue(
            labels.path,
            f"the last label ends at {labels.end:.3f} s, {duration - labels.end:.1f} s before the "
            "recording does; check that they belong together.",
        )


def _odd_end(path: str, duration: float) -> Iterator[Issue]:
    """Compare where a TextGrid ends with where the recording does."""
    if os.path.splitext(path)[1].lower() != ".textgrid":
        return
    end = read_labels(path).duration
    if end is not None and abs(end - duration) > OVERRUN:
        yield Issue(
            path,
            f"ends at {end:.3f} s, the recording at {duration:.3f} s; check that they belong "
            "together.",
        )


def odd_formats(formats: dict[str, tuple[int, int]]) -> Iterator[Issue]:
    """Name the recordings whose sampling rate (Hz) and channels are unlike those of most."""
    if not formats:
        return
    usual = Counter(formats.values()).most_common(1)[0][0]
    for path, (rate, channels) in formats.items():
        if (rate, channels) != usual:
            yield Issue(
                path,
                f"has {rate} Hz and {channels} channel{'s' * (channels > 1)}, most of the corpus "
                f"{usual[0]} Hz and {usual[1]}.",
            )
