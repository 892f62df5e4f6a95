"""What a run is to align, and how one recording is aligned and written.

A `Work` finds the `Task` s below a folder and aligns one of them; the runner knows nothing else of
speech or music. Whoever has recordings of another kind writes a class with the same attributes.
"""

import copy
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from align.batch.journal import sha256_of
from align.corpus.pairs import AUDIO_SUFFIXES, find_pairs
from align.errors import DataError, ParameterError
from align.features.sound.audio import Channel
from align.files.regular import why_missing
from align.files.text import decoded
from align.formats.events import read_events
from align.formats.phone_map import read_phone_map
from align.formats.tiers.emu import ANNOTATION
from align.speech.mapped import align_mapped

__all__ = [
    "MusicWork",
    "SequenceWork",
    "SpeechWork",
    "Task",
    "Work",
    "alignments_of",
    "named_after",
    "tasks_of",
    "work_for",
]

PHONE_SUFFIXES = (".phones", ".phn", ".textgrid", ".lab", ".csv")
"""Suffixes of files that give the phones of a recording, in order of preference."""

TEXT_SUFFIXES = (".txt", ".vtt", ".srt", ".cha", ".docx")
"""Suffixes of transcripts that hold words whatever else is said of the files."""

_OF_ALL = (".csv", ".tsv", ".json")  # tables, which may be of all recordings


@dataclass(frozen=True)
class Task:
    """One recording and the file that says what occurs in it: phones, a transcript, a score.

    `name` is the path below the folder of recordings, without suffix and with ``/`` between its
    parts; the outputs are called so. `group` is who speaks or plays. `channel` is which channel of
    the file is meant, counted from 1; None for all.
    """

    name: str
    audio: str
    source: str
    group: str | None = None
    channel: int | None = None

    @property
    def recording(self) -> str | os.PathLike[str]:
        """The file, or the channel of it, to be read as sound."""
        return Channel.of(self.audio, self.channel)

    @property
    def inputs(self) -> tuple[str, ...]:
        """The files the result depends on."""
        return (self.audio, self.source)


class Work(Protocol):
    """How recordings of one kind are found, aligned and written.

    It is sent to worker processes, and must do the same in each.

    Attributes
    ----------
    kind : str
        Kind of model it needs, as `align.SpeechAligner.kind`.
    formats : dict of str to str
        Name of each format it can write, and the suffix of its files.
    default_format : str
        The one that is written where none is asked for.
    """

    kind: str
    formats: Mapping[str, str]
    default_format: str

    def find(self, root: str) -> tuple[list[Task], list[tuple[str, str]]]:
        """Return the tasks below a folder, and the recordings that are none with the reason."""
        ...

    def unused(self, root: str) -> list[str]:
        """Return the files below a folder that say what is spoken in no recording."""
        ...

    def align(self, aligner: Any, task: Task) -> Any:
        """Align one recording."""
        ...

    def write(self, found: Any, path: str) -> None:
        """Write a result in the format that the suffix says."""
        ...

    def odd_lengths(self, found: Any) -> int:
        """Return how many events have an implausible length."""
        ...

    def options(self) -> Mapping[str, Any]:
        """Return all, besides model and files, that results depend on, for a digest."""
        ...


def _by_suffix(names: str) -> dict[str, str]:
    """Return formats that are called what their files end in."""
    return {name: f".{name}" for name in names.split()}


class SpeechWork:
    """Recordings of speech with their phones or transcripts beside them.

    Parameters
    ----------
    suffix : str, optional
        Which files say what is spoken, such as ``".lab"``; by default the first of
        `PHONE_SUFFIXES` and `TEXT_SUFFIXES` that is there, with `text` the first of
        `align.speech.text.TRANSCRIPT_SUFFIXES`.
    text : bool
        Whether the files hold words, whatever their suffix; those of `TEXT_SUFFIXES` always do.
        Where they hold phones, labels count and times do not.
    dictionary : sequence of str
        Files of pronunciations for transcripts, or ``cmudict``; see
        `align.speech.text.align_text`. Every process reads them by their paths.
    language : str
        Of transcripts.
    phone_map : path or str, optional
        Of files of phones: how the model calls them, see `align.formats.phone_map`.
    tokens : sequence of str
        Of transcripts: words that stand for any sound, see `align.speech.text.align_text`.
    trust, repair : bool
        Of transcripts: what is done where text and recording disagree, see there.
    slack : float
        Of transcripts with times: seconds that speech may lie outside of its utterance.
    encoding : str, optional
        Of the files that say what is spoken; by default UTF-8, or UTF-16 with a mark.
    channel : int or mapping of str to int, optional
        Which channel of each recording to take, counted from 1; by default their average. Of
        transcripts also the channel of each speaker.
    tiers : sequence of str
        Of transcripts with tiers: those to read, see `align.speech.text.read_transcript`.
    """

    kind = "speech"
    formats: Mapping[str, str] = {
        **_by_suffix("TextGrid csv tsv json ctm lab phn txt eaf exb"),
        "emu": ANNOTATION,
        **_by_suffix("vtt srt rttm"),
    }
    default_format = "TextGrid"

    _SHORTEST, _LONGEST = 0.01, 0.6  # seconds; some 1 in 100 phones of TIMIT lie outside

    def __init__(
        self,
        suffix: str | None = None,
        *,
        text: bool = False,
        dictionary: Sequence[str] = (),
        language: str = "en",
        phone_map: str | os.PathLike[str] | None = None,
        tokens: Sequence[str] = (),
        trust: bool = False,
        repair: bool = False,
        slack: float = 0.0,
        encoding: str | None = None,
        channel: int | Mapping[str, int] | None = None,
        tiers: Sequence[str] = (),
    ) -> None:
        self.channels = dict(channel) if isinstance(channel, Mapping) else None
        self.channel = None if isinstance(channel, Mapping) else channel
        self.tiers = (tiers,) if isinstance(tiers, str) else tuple(tiers)
        decoded(b" ", "", encoding)  # it is known, or all recordings would fail for it
        self.encoding = encoding
        self.phone_map = None if phone_map is None else read_phone_map(phone_map)
        self.tokens = tuple(tokens)
        self.trust, self.repair, self.slack = trust, repair, slack
        self.suffix = suffix
        self.text = text
        self.dictionary = tuple(dictionary)
        self.digests = tuple(map(_digest_of_dictionary, self.dictionary))
        self.language = language

    def find(self, root: str) -> tuple[list[Task], list[tuple[str, str]]]:
        """Return the recordings that have phones or a transcript, and those that have none."""
        from align.speech.text.reading.transcript import TRANSCRIPT_SUFFIXES

        chosen = self._suffixes()
        pairs = find_pairs(root, "folder", chosen)
        whole = [
            (os.path.splitext(p.audio)[0], p.audio, p.labels, p.group, p.others)
            for p in pairs
            if p.audio is not None
        ]
        says = f"says what is spoken ({', '.join(chosen)})"
        tasks, problems = tasks_of(root, whole, says, channel=self.channel)
        if problems and not self.text and self.suffix is None:
            texts = {p.audio: p.labels for p in find_pairs(root, "folder", TRANSCRIPT_SUFFIXES)}
            problems = [
                (audio, why if texts.get(audio) is None else _read_as_text(texts[audio]))
                for audio, why in problems
            ]
        return tasks, problems

    def unused(self, root: str) -> list[str]:
        """Return the files beside recordings that have the name of none; tables may be of all."""
        pairs = find_pairs(root, "folder", self._suffixes())
        folders = {os.path.dirname(p.audio) for p in pairs if p.audio is not None}
        alone = [p.path for p in pairs if p.audio is None and os.path.dirname(p.path) in folders]
        return [path for path in alone if not path.lower().endswith(_OF_ALL)]

    def _suffixes(self) -> tuple[str, ...]:
        from align.speech.text.reading.transcript import TRANSCRIPT_SUFFIXES

        if self.suffix is not None:
            return (self.suffix.lower(),)
        return TRANSCRIPT_SUFFIXES if self.text else (*PHONE_SUFFIXES, *TEXT_SUFFIXES)

    def align(self, aligner: Any, task: Task) -> Any:
        """Align one recording with its phones or its transcript."""
        suffix = os.path.splitext(task.source)[1].lower()
        if not self.text and suffix not in TEXT_SUFFIXES:
            if self.channels is not None:
                raise DataError(
                    "has phones, which no speaker of a channel says.", path=task.source
                )
            events = read_events(task.source, self.encoding)
            return align_mapped(aligner, task.recording, events, self.phone_map)
        from align.speech.text import read_transcript

        said = read_transcript(
            task.source, tiers=self.tiers, encoding=self.encoding, recording=task.audio
        )
        return self.align_text(aligner, task.recording, said)

    def align_text(self, aligner: Any, audio: Any, said: Any, rate: int | None = None) -> Any:
        """Align one recording, or samples at `rate`, with its text, or what a transcript says."""
        from align.speech.text import align_text

        options: dict[str, Any] = {"language": self.language, "tokens": self.tokens}
        options.update(trust=self.trust, repair=self.repair, slack=self.slack)
        given = _dictionary(self.dictionary, self.digests, self.language)
        options.update(rate=rate, channels=self.channels)
        return align_text(aligner, audio, said, dictionary=given, **options)

    def write(self, found: Any, path: str) -> None:
        """Write a result in the format that the suffix says."""
        if hasattr(found, "speakers"):
            found.write(path, overwrite=True)
            return
        from align.formats import write_labels

        write_labels(path, found, overwrite=True)

    def odd_lengths(self, found: Any) -> int:
        """Count phones shorter than 10 ms or longer than 0.6 s; silence may last."""
        from align.types import SILENCES

        count = 0
        for alignment in alignments_of(found):
            intervals = np.asarray(alignment.intervals)
            lengths = intervals[:, 1] - intervals[:, 0]
            spoken = np.array([label not in SILENCES for label in alignment.labels], dtype=bool)
            odd = (lengths < self._SHORTEST) | (lengths > self._LONGEST)
            count += int((odd & spoken).sum())
        return count

    def options(self) -> Mapping[str, Any]:
        """Return what speech depends on: dictionary, language, map, and kind of the files."""
        options = {"text": self.text, "dictionary": list(self.digests), "language": self.language}
        if self.phone_map is not None:
            options["phone_map"] = sorted(self.phone_map.items())
        for name in ("tokens", "tiers"):
            if getattr(self, name):
                options[name] = list(getattr(self, name))
        for name in ("trust", "repair", "slack", "encoding", "channel", "channels"):
            if getattr(self, name):
                options[name] = getattr(self, name)
        return options


def _read_as_text(path: str | None) -> str:
    """Return why a recording is left out beside which lies a transcript, but not for certain."""
    return (
        f"has no phones beside it; where {os.path.basename(path or '')} holds what is said, ask "
        "for it (--text)."
    )


def _digest_of_dictionary(path: str) -> str:
    """Return which content a dictionary has; one that is no file stands for itself."""
    try:
        return sha256_of(path) if os.path.exists(path) else path
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}.", path=path) from error


@lru_cache(maxsize=1)
def _dictionary(paths: tuple[str, ...], digests: tuple[str, ...], language: str) -> Any:
    """Read a pronunciation dictionary, once in each process."""
    from align.speech.text import make_dictionary

    for path, digest in zip(paths, digests, strict=True):
        if _digest_of_dictionary(path) != digest:
            raise DataError("changed during the run; start it again.", path=path)
    return make_dictionary(paths or None, language=language)


class SequenceWork(SpeechWork):
    """Recordings of anything with files of labels beside them, for an `align.SequenceAligner`.

    The labels count, their times do not.

    Parameters
    ----------
    suffix, phone_map, encoding, channel
        As in `SpeechWork`.
    """

    kind = "sequence"

    def __init__(
        self,
        suffix: str | None = None,
        *,
        phone_map: str | os.PathLike[str] | None = None,
        encoding: str | None = None,
        channel: int | None = None,
    ) -> None:
        super().__init__(suffix, phone_map=phone_map, encoding=encoding, channel=channel)

    def align(self, aligner: Any, task: Task) -> Any:
        """Align one recording with its labels."""
        events = read_events(task.source, self.encoding)
        return align_mapped(aligner, task.recording, events, self.phone_map)

    def odd_lengths(self, found: Any) -> int:
        """Return 0: nothing is known of how long events last."""
        return 0


class MusicWork:
    """Piece folders: a recording and a score, see `align.corpus.pieces`; no truth is needed.

    Parameters
    ----------
    repeats : {"all", "none", "auto"}, optional
        Which repeats of scores in notation were played, see `align.MusicAligner`; by default what
        the model says.
    channel : int, optional
        Which channel of each recording to take, counted from 1; by default their average.
    """

    kind = "music"
    formats: Mapping[str, str] = {
        **_by_suffix("csv tsv mid json txt svl sv.csv tempo.csv"),
        **_by_suffix("beats.csv beats.txt beats.svl match jams"),
        "note_alignment": "_note_alignment.tsv",
        "parangonada": ".parangonada.zip",
    }
    default_format = "csv"

    def __init__(self, repeats: str | None = None, channel: int | None = None) -> None:
        if repeats not in (None, "all", "none", "auto"):
            raise ParameterError(f"repeats={repeats!r}, must be 'all', 'none' or 'auto'.")
        self.repeats, self.channel = repeats, channel

    def find(self, root: str) -> tuple[list[Task], list[tuple[str, str]]]:
        """Return the pieces that have a recording and a score, and those that lack one."""
        from align.corpus.pieces import find_pieces

        pieces = find_pieces(root)
        stated = [path for p in pieces for path in (p.audio, p.score) if path]
        gone = {path for path in stated if not os.path.exists(path)}  # a manifest may name it
        whole = [
            (p.stem, p.audio, p.score, p.group, p.others)
            for p in pieces
            if p.audio and not {p.audio, p.score} & gone
        ]
        tasks, problems = tasks_of(
            root, whole, "is its score, of its name or called score", channel=self.channel
        )
        problems += [(path, why_missing(path, "there is no such file.")) for path in sorted(gone)]
        problems += [(p.path, "has no recording in its folder.") for p in pieces if not p.audio]
        return tasks, problems

    def unused(self, root: str) -> list[str]:
        """Return nothing: scores without a recording are among the problems."""
        return []

    def align(self, aligner: Any, task: Task) -> Any:
        """Align one recording with its score."""
        if self.repeats is not None:
            aligner = copy.copy(aligner).set_params(repeats=self.repeats)
        return aligner.align(task.recording, task.source)

    def write(self, found: Any, path: str) -> None:
        """Write a result in the format that the suffix says."""
        from align.formats.music_files import write_music

        write_music(path, found, overwrite=True)

    def odd_lengths(self, found: Any) -> int:
        """Return 0: how long a note sounds is not measured."""
        return 0

    def options(self) -> Mapping[str, Any]:
        """Return which repeats are played; what is read is in the digests of the files."""
        options = {"repeats": self.repeats, "channel": self.channel}
        return {name: value for name, value in options.items() if value is not None}


def alignments_of(found: Any) -> list[Any]:
    """Return the alignments in a result: itself, or the phones of each speaker."""
    speakers = getattr(found, "speakers", None)
    return [found] if speakers is None else [tiers.phones for tiers in speakers.values()]


def named_after(found: Any, task: Task) -> Any:
    """Return a result that names the files as the user does, wherever they were read."""
    speakers = getattr(found, "speakers", None)
    if speakers is not None:
        return replace(
            found,
            speakers={
                name: replace(
                    tiers,
                    words=replace(tiers.words, audio=task.audio),
                    phones=replace(tiers.phones, audio=task.audio),
                )
                for name, tiers in speakers.items()
            },
        )
    names = {"audio": task.audio}
    if getattr(found, "score_file", None) is not None:
        names["score_file"] = task.source
    return replace(found, **names)


def tasks_of(
    root: str,
    found: Sequence[tuple[str, str, str | None, str | None, Sequence[str]]],
    wanted: str,
    *,
    channel: int | None = None,
) -> tuple[list[Task], list[tuple[str, str]]]:
    """Return tasks made of files that belong together, and recordings without one, with reasons.

    `root` is the folder, or the manifest; the recordings of a manifest are named from the folder
    that holds them all, so that no name leads out of the folder of outputs. `found` has the
    path that a task is called after, the recording, what says what occurs in it (`wanted`, in
    messages), its group, and files that are not used. `channel` is that of all recordings.
    """
    top = os.path.abspath(root)
    if not os.path.isdir(root) and found:
        try:
            top = os.path.commonpath([os.path.dirname(os.path.abspath(a)) for _, a, *_ in found])
        except ValueError:
            raise DataError(
                "names recordings on several drives; give each its own manifest.", path=root
            ) from None
    tasks: list[Task] = []
    problems: list[tuple[str, str]] = []
    seen: set[str] = set()
    for called, audio, source, group, others in found:
        name = os.path.relpath(os.path.abspath(called), top)
        name = (os.path.basename(top) if name == "." else name).replace(os.sep, "/")
        problems += [
            (other, f"is not used: {os.path.basename(audio)} beside it goes first.")
            for other in others
            if os.path.splitext(other)[1].lower() in AUDIO_SUFFIXES
        ]
        if source is None:
            problems.append((audio, f"has no file beside it that {wanted}."))
        elif name in seen:
            problems.append((audio, "has the name of another recording; its output would be one."))
        else:
            seen.add(name)
            tasks.append(Task(name, audio, source, group, channel))
    return tasks, problems


def work_for(kind: "str | Work", **options: Any) -> Work:
    """Return the work of a kind of recordings, with those of its options that are not empty.

    A `Work` is returned as it is.
    """
    if not isinstance(kind, str):
        return kind
    if kind not in ("speech", "music", "sequence"):
        raise ParameterError(f"kind={kind!r}, must be 'speech', 'music' or 'sequence'.")
    given = {name: value for name, value in options.items() if value}
    both = {"repeats": given.pop("repeats", None), "channel": given.get("channel")}
    if kind == "speech":
        if both["repeats"] is not None:
            raise ParameterError("repeats: for music only.")
        return SpeechWork(**given)
    if kind == "sequence":
        if other := sorted(given.keys() - {"suffix", "phone_map", "encoding", "channel"}):
            raise ParameterError(f"{', '.join(other)}: not for sequences.")
        return SequenceWork(**given)
    if other := sorted(given.keys() - both):
        raise ParameterError(f"{', '.join(other)}: for speech only.")
    return MusicWork(**both)
