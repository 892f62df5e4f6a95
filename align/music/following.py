"""Following a performance while it is played: where in the score it is, within a fixed lag.

The scores are those of `align.music.functions.default`: notes, rises and levels, and lengths
against the tempo, with the weights that were learned for whole recordings. They are computed for a
tenth of a second at a time, for the chords about the place where `align.music.tracking` finds the
performance to be, and decoded by `align.decoders.online`. Of the lag, one part is that tenth of a
second, one part is what the network reads behind an onset, and the rest is the decoder's: it
commits an onset as soon as all paths that may still win agree on it, and at the latest then.

What differs from `MusicAligner.align` is what cannot be known yet: the loudest frames and the
tuning are those of the sound so far, and place and tempo are the tracker's. An onset must score
more than a chord that is hardly audible would, or it is left out: a path may skip chords, or go
back to some that are played again.
"""

import os
from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from align._blas import one_thread
from align.decoders.online import OnlineDecoder, OnlineOnset
from align.errors import ParameterError
from align.features.notes.chord_scores import SMEAR_REACH, level_scores, note_scores, rise_scores
from align.features.notes.note_context import note_context
from align.features.notes.note_levels import (
    semitone_energies,
    semitone_levels,
    set_levels,
    set_tuning,
)
from align.features.notes.note_network import NoteNetwork
from align.features.sound.pitch import log_level, reference_level
from align.features.sound.signal import Signal
from align.features.sound.tuning import estimate_tuning
from align.formats.scores import Score, chords
from align.music.functions.default import DefaultFunctions
from align.music.performances.coarse import averaged, recorded_profile
from align.music.performances.keys import check_key, semitones_of
from align.music.performances.performance import HOP, as_score, sounding_notes
from align.music.performances.repeats import check_repeats
from align.music.performances.tempo import duration_table
from align.music.placing.notes import note_times
from align.music.tracking import FRAME, Place, Tracker
from align.types import Float32, Float64, IntArray, Note

_STEP = 10  # frames that are scored at once
_BEHIND = 10  # frames after an onset that the network reads
_WINDOW = 12  # frames: half of the longest window, and the rise of a level
_FAINT = 0.03  # probability of a note that says nothing for its chord
_QUIET = 0.5  # level that says nothing
_SKIP, _BACK = 3.0, 5.0  # what it costs to leave chords out, and to go back
_SHORTEST = 0.25  # of the length expected, before the next chord
_PAUSE = 8  # frames before either: a loud chord is not two of the same sound
_BEFORE, _AFTER = 0.8, 0.8  # performed seconds about the place, in which chords are scored
_MOST = 40  # chords either side
_NEAR, _LATE = 0.2, 0.08  # seconds: of the distance from the place, and that the tracker is late
_LENGTHS = np.geomspace(1.0, 2000.0, 250)  # frames that a chord may be expected to last
_LONGEST = 400  # frames; what is longer scores as this
_SPREAD = 0.2  # of log ratios of lengths to the tempo
_SOFTEST = 2.5e-5  # energy of a sine of 0.01: before anything louder has come, this is loud
_TUNED = 5.0  # seconds from which the tuning is taken
_REACH = 6  # frames about a chord in which its notes are placed
_APART = 0.02  # seconds of scatter of the notes of a chord


class Weights(NamedTuple):
    """Of the base functions that can be computed live; see `align.music.functions.default`."""

    notes: float
    rise: float
    level: float
    duration: float


class PlayedChord(NamedTuple):
    """A chord that was played.

    Parameters
    ----------
    notes : tuple of int
        Which notes of the score, counted from 0.
    times : tuple of float
        When each of them began in the sound, in seconds.
    written : float
        When the chord begins in the score, in seconds.
    reported : float
        Seconds of sound that had come when it was reported.
    tempo : float
        Performed seconds per second of the score.
    """

    notes: tuple[int, ...]
    times: tuple[float, ...]
    written: float
    reported: float
    tempo: float


class Follower:
    """Report when the notes of a score are played, from sound that comes in blocks.

    Made by `align.MusicAligner.follow`.

    Parameters
    ----------
    network : NoteNetwork
        Fitted.
    weights : Weights
        Of the base functions.
    score : Score
        What may be played.
    rate : int
        Sampling rate of the sound in Hz; from a rate above `highest_rate` it is resampled.
    highest_rate : int
        In Hz.
    lag : float
        Seconds of sound after which a note that was played is reported at the latest.
    offset : float
        Seconds subtracted from every onset.
    shift : int
        Semitones by which the sound is higher than the score.
    tuning : float, optional
        By how many semitones the sound is higher than 440 Hz; by default taken from the first
        seconds.

    Attributes
    ----------
    score : Score
        As given.
    place : Place or None
        Where the performance is in the sound so far; None before the first tenth of a second.

    Raises
    ------
    DataError
        Where a note is beyond the piano.
    ParameterError
        Where the lag is too short.

    Examples
    --------
    >>> from importlib.resources import files
    >>> import align
    >>> from align.features import read_audio
    >>> piece = files("align.data") / "minuet"
    >>> samples, rate = read_audio(piece / "audio.flac")
    >>> follower = align.load("piano").follow(piece / "score.mid", rate)
    >>> played = []
    >>> for block in np.array_split(samples[: 4 * rate], 40):
    ...     played += follower.feed(block)
    >>> [round(chord.times[0], 1) for chord in played[:3]]
    [0.6, 1.0, 1.3]
    """

    place: Place | None

    def __init__(
        self,
        network: NoteNetwork,
        weights: Weights,
        score: Score,
        rate: int,
        *,
        highest_rate: int = 22050,
        lag: float = 0.3,
        offset: float = 0.0,
        shift: int = 0,
        tuning: float | None = None,
    ) -> None:
        if rate < 8000:
            raise ParameterError(f"rate={rate} Hz, must be at least 8000.")
        left = round(lag / HOP) - _STEP - _BEHIND
        if left < 1:
            least = (_STEP + _BEHIND + 1) * HOP
            raise ParameterError(f"lag={lag:g} s, must be at least {least:g} s.")
        self.score, self.place = score, None
        self._network, self._weights, self._offset = network, weights, offset
        self._notes, row = sounding_notes(score, shift)
        self._chords = chords(self._notes)
        self._ends = np.append(self._chords.first, len(self._notes))
        self._given = [np.flatnonzero(row == k) for k in range(len(self._notes))]
        self._context = note_context(self._notes.pitches, self._notes.onsets, self._notes.ends)
        self._tracker = Tracker(self._notes)
        reach = network.network_.reach + SMEAR_REACH + _WINDOW
        self._sound = _Sound(min(rate, highest_rate), reach, tuning)
        self._resampler = None
        if rate > highest_rate:
            import soxr

            self._resampler = soxr.ResampleStream(rate, highest_rate, 1, dtype="float32")
        self._frame = 0
        self._tempo = 1.0
        self._scored: deque[_Scored] = deque(maxlen=left // _STEP + 4)
        table = weights.duration * duration_table(_LENGTHS, _SPREAD, _LONGEST)
        table[np.arange(_LONGEST + 1) < _SHORTEST * _LENGTHS[:, None]] = -np.inf
        self._decoder = OnlineDecoder(
            table, self._rows(), skip=_SKIP, back=_BACK, pause=_PAUSE, lag=left
        )

    def feed(self, samples: npt.ArrayLike) -> list[PlayedChord]:
        """Take the next samples, and return the chords that are reported now.

        Parameters
        ----------
        samples : array_like [shape=(n,)]
            Mono, in [-1, 1]; blocks may be of any length.

        Returns
        -------
        list of PlayedChord
            In the order of time; often empty.
        """
        block = np.asarray(samples, dtype=np.float32)
        if block.ndim != 1 or not np.isfinite(block).all():
            raise ParameterError(f"samples of shape {block.shape}, must be (n,) and finite.")
        return self._take(block, last=False)

    def finish(self) -> list[PlayedChord]:
        """Return the rest, where nothing more is to come."""
        found = self._take(np.zeros(0, dtype=np.float32), last=True)
        return found + [self._played(onset) for onset in self._decoder.finish()]

    @one_thread()
    def _take(self, block: Float32, *, last: bool) -> list[PlayedChord]:
        if self._resampler is not None:
            block = self._resampler.resample_chunk(block, last=last)
        self._sound.add(block)
        if last:  # the silence behind the end
            self._sound.add(np.zeros((_STEP + _BEHIND) * self._sound.step, dtype=np.float32))
        found: list[PlayedChord] = []
        while self._sound.reaches(self._frame + _STEP + _BEHIND):
            found += self._advance()
        return found

    def _rows(self) -> IntArray:
        """Return which of `_LENGTHS` each chord is expected to last."""
        written = np.diff(self._chords.onsets, append=self._chords.onsets[-1] + 1.0)
        row = np.searchsorted(_LENGTHS, written * self._tempo / HOP)
        return np.minimum(row, len(_LENGTHS) - 1).astype(np.intp)

    def _advance(self) -> list[PlayedChord]:
        """Go on by `_STEP` frames."""
        begin, end = self._frame, self._frame + _STEP
        signal, here = self._sound.part(begin, end)
        place = self._track(signal, here)
        self._tempo = 1.0 / place.speed
        self._decoder.set_rows(self._rows())
        written = self._chords.onsets
        now, first, stop = np.searchsorted(
            written,
            place.written + np.array([0.0, -_BEFORE, _AFTER]) * place.speed,
        )
        first = int(max(0, now - _MOST, min(first, now - 1)))
        stop = int(min(len(written), now + _MOST, max(stop, now + 2)))
        onset = self._scores(signal, here, first, stop)
        away = written[first:stop, None] - place.written - _LATE
        away = away / place.speed - np.arange(-_STEP, 0) * HOP
        onset -= np.log1p((away / _NEAR) ** 2)
        found: list[PlayedChord] = []
        for column in onset.T:
            self._frame += 1
            found += [self._played(found) for found in self._decoder.push(column, first)]
        return found

    def _track(self, signal: Signal, here: int) -> Place:
        """Give the tracker the frames from `here` on."""
        width = round(FRAME / HOP)
        mean, _ = averaged(semitone_levels(signal)[here % width :], width)
        profile = recorded_profile(mean)[here // width :][: _STEP // width]
        self.place = self._tracker.advance(profile)
        return self.place

    def _scores(self, signal: Signal, here: int, first: int, stop: int) -> Float64:
        """Return scores of chords `first` to `stop` in `_STEP` frames, `here` being the first."""
        part = slice(self._ends[first], self._ends[stop])
        pitches, context = self._notes.pitches[part], self._context[part]
        group = self._chords.group[part] - first
        start = np.full(stop - first, here)
        logit = self._network.logits(
            signal, pitches, start[group] - SMEAR_REACH, _STEP + 2 * SMEAR_REACH, context
        )
        probability = np.asarray(1.0 / (1.0 + np.exp(-logit)), dtype=np.float32)
        self._scored.append(
            _Scored(self._frame, part.start, probability[:, SMEAR_REACH:-SMEAR_REACH])
        )
        held = context.shape[1] // 2 - 1  # first column of collisions with notes that are held
        collisions = context[:, :held] + context[:, held:-2]
        w = self._weights
        sizes = np.sqrt(np.bincount(group))[:, None]
        scores: Float64 = (
            w.notes * (note_scores(probability, group) - sizes * np.log1p(_FAINT / 0.02))
            + w.rise * rise_scores(signal, pitches, group, start, _STEP, collisions)
            + w.level * (level_scores(signal, pitches, group, start, _STEP) - sizes * _QUIET)
        )
        return scores

    def _played(self, onset: OnlineOnset) -> PlayedChord:
        part = np.arange(self._ends[onset.event], self._ends[onset.event + 1])
        near = np.zeros((part.size, 2 * _REACH + 1))
        for scored in self._scored:
            scored.write(near, part, onset.frame - _REACH)
        after = note_times(near, np.zeros(part.size), _APART, HOP)
        times = (onset.frame + after) * self._sound.step / self._sound.rate - self._offset
        notes, at = [], []
        for k, time in zip(part, times, strict=True):
            notes += self._given[k].tolist()
            at += [max(0.0, float(time))] * len(self._given[k])  # not -0.0 either
        written = float(self._chords.onsets[onset.event])
        return PlayedChord(tuple(notes), tuple(at), written, self._sound.seconds, self._tempo)


class _Scored(NamedTuple):
    """Probability of some notes, from `first` on, in the frames from `frame` on."""

    frame: int
    first: int
    probability: Float32

    def write(self, near: Float64, notes: IntArray, frame: int) -> None:
        """Write what is known of some notes in the frames from `frame` on."""
        rows = notes - self.first
        known = (rows >= 0) & (rows < len(self.probability))
        columns = np.arange(near.shape[1]) + frame - self.frame
        inside = (columns >= 0) & (columns < self.probability.shape[1])
        near[np.ix_(known, inside)] = self.probability[np.ix_(rows[known], columns[inside])]


class _Sound:
    """The end of a stream, how loud all of it was, and its tuning."""

    def __init__(self, rate: int, left: int, tuning: float | None) -> None:
        self.rate, self.left, self.tuning = rate, left, tuning
        self.step = round(HOP * rate)
        self.received = 0  # samples
        self._samples = np.zeros(0, dtype=np.float32)
        self._first = 0  # frame of the first sample kept
        self._loudest: list[list[Float32]] = [[], []]

    @property
    def seconds(self) -> float:
        """How much has come."""
        return self.received / self.rate

    def add(self, samples: Float32) -> None:
        self._samples = np.concatenate([self._samples, samples])
        self.received += samples.size

    def reaches(self, frame: int) -> bool:
        """Whether all of the frames before `frame` have come."""
        return frame * self.step <= self.received

    def part(self, begin: int, end: int) -> tuple[Signal, int]:
        """Return the sound about frames `begin` to `end`, and which of its frames is `begin`."""
        first = max(0, begin - self.left)
        some = round(_TUNED * self.rate)
        if self.tuning is None and self.step * (end + _BEHIND) >= some:
            self.tuning = estimate_tuning(self._samples[:some], self.rate)
        tuning = self.tuning or 0.0
        samples = self._samples[(first - self._first) * self.step :]
        if self.tuning is not None:  # else all of it is needed to find the tuning
            self._samples, self._first = samples, first
        samples = samples[: (end + _BEHIND - first) * self.step]
        signal = Signal(samples, self.rate, HOP)
        set_tuning(signal, tuning)
        levels = []
        energies = semitone_energies(samples, self.rate, signal.hop, tuning)
        for energy, loudest in zip(energies, self._loudest, strict=True):
            loudest.append(energy[begin - first : end - first].max(axis=1))
            loud = max(reference_level(np.concatenate(loudest)), _SOFTEST)
            levels.append(log_level(energy, loud))
        set_levels(signal, levels[0], levels[1])
        return signal, begin - first


def follower_of(
    aligner: Any,
    score: "str | os.PathLike[str] | Score | Sequence[Note]",
    rate: int,
    lag: float,
) -> Follower:
    """Return a follower with the weights of a fitted aligner; see `align.MusicAligner.follow`."""
    check_key(aligner.transpose, aligner.tuning)
    check_repeats(aligner.repeats)
    named = [f for f in aligner.features_ if isinstance(f, DefaultFunctions)]
    if not named:
        raise ParameterError("to follow a performance takes a model with features='default'.")
    own = aligner.coef_ / aligner.scale_
    known = dict(zip(aligner.base_functions_, own.tolist(), strict=True))
    return Follower(
        named[0].network,
        Weights(*(known.get(name, 0.0) for name in Weights._fields)),
        as_score(score, "all" if aligner.repeats == "auto" else aligner.repeats),
        rate,
        highest_rate=aligner.rate,
        lag=lag,
        offset=aligner.offset_,
        shift=aligner.transpose or 0,
        tuning=None if aligner.tuning is None else semitones_of(aligner.tuning),
    )
