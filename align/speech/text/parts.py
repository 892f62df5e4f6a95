"""A recording, and the parts of it that utterances are looked for in."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from align.errors import DataError, ParameterError, error_reason, plural
from align.formats.tiers.labels import OVERRUN
from align.sequence.anchors import Anchors
from align.speech.second_scorer import SecondScorer
from align.speech.text.model import PhoneAligner
from align.speech.text.pronouncing.lookup import Entry
from align.speech.text.reading.utterances import Utterance
from align.types import Float32

NAMELESS = "recording"
"""What messages call a recording that is no file."""


@dataclass(frozen=True, eq=False)
class Recording:
    """Samples at the rate of the model, and what the results say of the recording."""

    samples: Float32
    rate: int
    duration: float
    own_rate: int
    name: str
    audio: str | None

    @classmethod
    def read(cls, audio: Any, rate: int | None, model: PhoneAligner, name: str) -> Self:
        """Read a recording at the rate of a model; `name` is what messages call it."""
        from align.features.sound.audio import audio_info, lent, read_audio

        samples, found = read_audio(lent(audio), model.rate, source_rate=rate, name=name)
        samples.setflags(write=False)  # so that its parts are not copied
        if isinstance(audio, np.ndarray):
            assert rate is not None  # else it was refused
            return cls(samples, found, len(audio) / rate, rate, name, None)
        about = audio_info(audio)
        return cls(samples, found, about.duration, about.rate, name, os.fspath(audio))

    def between(self, start: float, end: float) -> Float32:
        """Return the samples between two times in seconds."""
        if (start, end) == (0.0, self.duration):
            return self.samples
        return self.samples[round(start * self.rate) : round(end * self.rate)]


@dataclass(frozen=True, eq=False)
class Part:
    """The part of a recording in which a model looks for an utterance; `span` is in seconds."""

    model: PhoneAligner
    recording: Recording
    utterance: Utterance
    span: tuple[float, float]

    @cached_property
    def samples(self) -> Float32:
        """What is heard in it."""
        return self.recording.between(*self.span)

    @property
    def begin(self) -> float:
        """Where it begins in the recording, in seconds."""
        return self.span[0]

    @property
    def seconds(self) -> float:
        """How long it is."""
        return len(self.samples) / self.recording.rate

    @property
    def end(self) -> float:
        """Where it ends in the recording, in seconds."""
        return self.begin + self.seconds

    @cached_property
    def where(self) -> str:
        """What messages call it."""
        called = _place_of(self.utterance, self.recording.duration)
        return f"{called}: " if called else ""

    @cached_property
    def second_scorer(self) -> SecondScorer:
        """A second scorer of it."""
        return self.model.second_scorer(self.samples, rate=self.recording.rate)

    def check_room(self, words: Sequence[str], entries: Mapping[str, Entry]) -> None:
        """Raise DataError where the words do not fit into it."""
        shortest = sum(min(len(way.phones) for way in entries[word].ways) for word in words)
        if shortest * self.model.hop_ > self.seconds:
            verb = "does" if len(words) == 1 else "do"
            raise self.error(
                f"{plural(len(words), 'word')} ({shortest} phones) "
                f"{verb} not fit into {self.seconds:.3f} s of audio; check that text and audio "
                "belong together."
            )

    def error(self, why: str) -> DataError:
        """Return an error that names file and utterance."""
        return DataError(f"{self.where}{why}", path=self.recording.name)

    @contextmanager
    def named(self, anchors: Anchors | None = None) -> Iterator[None]:
        """Name file and utterance in messages, but not where one names the file of anchors."""
        try:
            yield
        except DataError as error:
            if anchors is not None and anchors.path is not None and error.path == anchors.path:
                raise
            raise self.error(error_reason(error, NAMELESS)) from error


def check_slack(slack: float, silence: str | None) -> None:
    """Raise ParameterError for seconds that are negative, or a model that knows no `silence`."""
    if not 0 <= slack < float("inf"):
        raise ParameterError(f"slack={slack}, must be at least 0 seconds.")
    if slack and silence is None:
        raise ParameterError(f"slack={slack} needs a model that knows silence; leave it out.")


def followed(said: Sequence[Utterance]) -> list[Utterance | None]:
    """Return the next utterance of the same speaker, of each."""
    following: dict[str, Utterance] = {}
    found: list[Utterance | None] = []
    for utterance in reversed(said):
        found.append(following.get(utterance.speaker))
        following[utterance.speaker] = utterance
    return found[::-1]


def _place_of(utterance: Utterance, duration: float) -> str:
    """Return what messages call an utterance that has times; else nothing."""
    if utterance.start is None and utterance.end is None:
        return ""
    end = duration if utterance.end is None else utterance.end
    return f"the utterance from {utterance.start or 0.0:.3f} to {end:.3f} s"


def span_of(
    utterance: Utterance,
    duration: float,
    name: str,
    *,
    slack: float = 0.0,
    after: float = 0.0,
    following: Utterance | None = None,
) -> tuple[float, float]:
    """Return start and end in seconds of where an utterance is looked for.

    That is its interval and `slack` seconds either side of it, but not before `after`, where the
    same speaker's utterance in front of it ended, and not beyond the middle of the one that
    follows. Raises DataError where the interval is not in the recording; with slack it may end so
    much beyond it, and one whose times are loose need only begin in it.
    """
    start = utterance.start or 0.0
    end = duration if utterance.end is None else utterance.end
    beyond = not utterance.loose and end > duration + max(OVERRUN, slack)
    if beyond or start >= duration:
        raise DataError(
            f"{_place_of(utterance, duration) or 'the utterance'} lies beyond the end of the "
            f"recording ({duration:.3f} s); check that text and audio belong together.",
            path=name,
        )
    last = duration
    if following is not None and following.start is not None and following.end is not None:
        last = max(end, (following.start + following.end) / 2)
    return max(start - slack, after, 0.0), min(end + slack, last, duration)
