"""Wrong transcripts made of a training corpus, to learn what a match of one looks like.

Of each recording: its true phones; those of other recordings of about the same length; half of
either; the true ones without one half; and, of one in eight, white noise with the true phones.
And, for the border of few sounds, pieces of the recording with their own phones. All are decoded
by features that were not fitted to the recording. Four wrong transcripts cost little more than
one: the networks score the recording once.
"""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from align._blas import one_thread
from align.decoders import decode
from align.errors import DataError, ParameterError
from align.features import Feature, Signal, TimedSignal
from align.features.sound.voicing import voiceless
from align.progress import Progress, counted
from align.sequence.extended import Extended
from align.sequence.feature_terms import terms_of
from align.sequence.learning.problem import Case
from align.sequence.stretches import MOST_OF_STRETCH
from align.speech.expansion import is_closure
from align.speech.match import Evidence, MatchModel, evidence_of, fitted_match
from align.speech.orders import order_gap
from align.speech.outer_pauses import with_outer_pauses
from align.speech.second_scores import CLOSURE, PAUSE, SecondSums, second_scores, second_sums
from align.types import Event, Float64, IntArray

_T = TypeVar("_T", bound=Hashable)

FEWEST = 8
"""Recordings, below which nothing is learned."""

NOISE = 8
"""Every how many recordings one is noise."""

SPOILED = 4
"""How many ways there are to spoil half of a text."""

_FEW = "few"  # the kind of pieces of recordings with their own events: right, and short
_Asked = tuple[str, Signal, tuple[Event, ...]]  # a kind, and what to align
_Source = tuple[Hashable, Hashable]  # a speaker, and a recording
_MOST = 400  # recordings; each is decoded a few times
# A border of phones, where right ones in noise or rooms are another's to judge. The aligner for
# noise keeps the usual limit: noise may be far louder than that of its copies.
_HIGHEST_HERE = 0.4
_PIECE = (6, 14)  # events of a piece
_NEAR = 12  # transcripts that are nearest in length, one of which is taken
_SHORTEST_NOISE = 0.15  # seconds of a pause


def learned_match(
    aligner: Any, cases: Sequence[Case], progress: Progress | None = None
) -> MatchModel | None:
    """Return the match model of an aligner, learned from its training recordings.

    None where there are too few recordings, or no network of phones.
    """
    from joblib import Parallel, delayed

    rng = np.random.default_rng(aligner.random_state)
    chosen = rng.permutation(len(cases))[:_MOST].tolist()
    if len(chosen) < FEWEST:
        return None
    kinds = Kinds(aligner)
    transcripts = [tuple(case.item.events) for case in cases]
    wrong: list[list[_Asked]] = []
    for n, i in enumerate(chosen):
        item, _, x, _ = cases[i]
        terms = dict(zip(x.names, x.terms, strict=True))
        onsets = decode(x.potentials(aligner._weights(x))).onsets
        silent = aligner._free(transcripts[i])
        candidate = Candidate(aligner, Extended(item.signal, item.signal), transcripts[i])
        found = evidence_of(terms, onsets, candidate.extended, silent)
        if found is None:
            return None
        found = candidate.by_second_scorer(found, onsets)
        kinds.found["right"].append(replace(found, source=(item.group, i)))
        asked: list[_Asked] = []
        for r in range(SPOILED):
            others = spoiled(transcripts, i, n + r, rng)
            asked += [(kind, item.signal, other) for kind, other in others]
            asked += piece(aligner, item, rng)
        if n % NOISE == 0:
            asked.append(("noise", _noise(item.signal, rng), transcripts[i]))
        wrong.append(asked)
    # All is drawn by now, so that what is found does not depend on how many processes find it.
    tasks = (
        delayed(_found)(aligner, cases[i].features, asked, (cases[i].item.group, i))
        for i, asked in zip(chosen, wrong, strict=True)
    )
    done = Parallel(n_jobs=aligner.n_jobs, return_as="generator")(tasks)
    for _, kept in zip(counted(chosen, progress, "calibrating"), done, strict=True):
        for kind, found in kept:
            kinds.found[kind].append(found)
    own = aligner._trained_for
    others_judge = own.kind != "noise" if own is not None else aligner.surroundings
    return kinds.fitted(**({"highest": _HIGHEST_HERE} if others_judge else {}))


@one_thread()
def _found(
    aligner: Any, features: Sequence[Feature], asked: Sequence[_Asked], source: _Source
) -> list[tuple[str, Evidence]]:
    """Return the evidence of what is asked about a recording, each with its kind, if it fits."""
    kinds = Kinds(aligner)
    for kind, signal, events in asked:
        kinds.add(kind, signal, events, features, source)
    return [(kind, one) for kind, found in kinds.found.items() for one in found]


class Kinds:
    """The evidence of right transcripts, of wrong and half wrong ones, and of noise.

    `orders` asks for their order gap as well, `both_scorers` for that of the second scorer, too.
    """

    def __init__(self, aligner: Any, *, orders: bool = False, both_scorers: bool = False) -> None:
        """Begin with none of each kind."""
        self.aligner, self.orders, self.both_scorers = aligner, orders, both_scorers
        self.found: dict[str, list[Evidence]] = {
            kind: [] for kind in ("right", "wrong", "spoiled", "noise", _FEW)
        }

    def add(
        self,
        kind: str,
        signal: Signal,
        events: tuple[Event, ...],
        features: Sequence[Feature],
        source: _Source | None = None,
    ) -> None:
        """Add the evidence of events that need not be those of the recording, if they fit.

        Of a piece with its own events only if one of them is a sound. `source` is the speaker and
        the recording.
        """
        extended = with_outer_pauses(features, signal, self.aligner._phone_labels().classes)
        candidate = Candidate(self.aligner, extended, events, features)
        found = candidate.evidence()
        if found is None or (kind == _FEW and not found.sounds.any()):
            return
        if self.orders:
            found = replace(found, order_gap=candidate.order_gap(both_scorers=self.both_scorers))
        self.found[kind].append(replace(found, source=source))

    def add_noise(
        self,
        signal: Signal,
        events: tuple[Event, ...],
        features: Sequence[Feature],
        rng: np.random.Generator,
    ) -> None:
        """Add the evidence of events in white noise of the length of a recording."""
        self.add("noise", _noise(signal, rng), events, features)

    def fitted(self, **options: float) -> MatchModel | None:
        """Return the model that distinguishes them; None where a kind has no evidence.

        `options` are those of `fitted_match`.
        """
        right, wrong, half, noise, few = self.found.values()
        if not (right and wrong and half and noise):
            return None
        found = fitted_match(right, wrong, half, noise, few, **options)
        return replace(found, orders_by_both_scorers=self.both_scorers)


class Candidate(NamedTuple):
    """Events in a recording, right or wrong ones, with an aligner and some of its features.

    The recording may have pauses at its ends.
    """

    aligner: Any
    extended: Extended
    events: tuple[Event, ...]
    features: Sequence[Feature] = ()

    def order_gap(
        self, *, both_scorers: bool = False, noises: IntArray | None = None
    ) -> float | None:
        """Return by how much they beat other orders of themselves; see `align.speech.orders`.

        `noises` [shape=(N, 2)] are frames in which nobody speaks.
        """
        aligner, extended, events, features = self
        known = aligner._phone_labels()

        def second(labels: Sequence[str], seconds: Float64) -> SecondSums | None:
            symbols = [
                CLOSURE if is_closure(known.symbol(label)) else sound or PAUSE
                for label, sound in zip(labels, known.sounds(labels), strict=True)
            ]
            return second_sums(extended.own, symbols, seconds)

        weights = dict(zip(aligner.base_functions_, aligner.coef_ / aligner.scale_, strict=True))
        joined = np.array([is_closure(known.symbol(str(event))) for event in events])
        silent = aligner._free(events)
        own = second if both_scorers else None
        return order_gap(features, weights, extended, events, silent, joined, own, noises)

    def by_second_scorer(self, evidence: Evidence, onsets: IntArray) -> Evidence:
        """Return evidence with second scores of the events; as it is, where these are unknown."""
        sounds = self.aligner._phone_labels().sounds([str(event) for event in self.events])
        pairs = zip(sounds, evidence.sounds, strict=True)
        symbols = [sound if own else None for sound, own in pairs]
        frames = self.frames_of(evidence, onsets)
        second = second_scores(self.extended.own, symbols, *frames.T)
        return replace(evidence, second=second)

    def other_sounds(self, evidence: Evidence, onsets: IntArray) -> tuple[IntArray, IntArray]:
        """Return the pauses that hold a sound without a voice, and the events put into one.

        A network that knows speech takes a cough or a telephone for phones. What is shorter may
        be a sound of speech that has no voice. Events beside such a pause, up to the next one,
        that have no voice either lie in the same sound.
        """
        nothing = np.zeros(0, dtype=np.intp)
        pauses = evidence.pauses_with_sound()
        pauses = pauses[evidence.frames[pauses] * evidence.hop > _SHORTEST_NOISE]
        if not pauses.size:
            return nothing, nothing
        own = self.extended.own
        times = np.asarray(own.hop * self.frames_of(evidence, onsets), dtype=np.float64)
        said = times[evidence.sounds]
        noises = pauses[voiceless(own.samples, own.rate, times[pauses], said)]
        edges = np.flatnonzero(~evidence.sounds & (evidence.frames > 0))
        events = np.split(np.arange(len(times)), np.unique([*edges, *(edges + 1)]))
        beside = [
            run
            for run in events
            if run.size
            and np.isin([run[0] - 1, run[-1] + 1], noises).any()
            and times[run[-1], 1] - times[run[0], 0] > _SHORTEST_NOISE
        ]
        if not beside:
            return noises, nothing
        spans = np.array([[times[run[0], 0], times[run[-1], 1]] for run in beside])
        quiet = voiceless(own.samples, own.rate, spans, said)
        lost = [run for run, is_quiet in zip(beside, quiet, strict=True) if is_quiet]
        return noises, np.concatenate([nothing, *lost])

    def frames_of(self, evidence: Evidence, onsets: IntArray) -> IntArray:
        """Return where events begin and end in the recording itself [shape=(K, 2)]."""
        start = np.clip(np.asarray(onsets, dtype=np.intp), *self.extended.span)
        start -= self.extended.before
        return np.stack((start, start + evidence.frames), axis=1)

    def evidence(self) -> Evidence | None:
        """Return the evidence of them; None if the recording has no room."""
        aligner, extended, events, features = self
        if len(events) > extended.own.n_frames:
            return None
        terms, held = terms_of(features, extended.signal, events), extended.held(len(events))
        try:
            path = aligner._best_path(extended.signal, events, terms, held, MOST_OF_STRETCH)[1]
        except (ParameterError, DataError):
            return None
        found = evidence_of(terms, path.onsets, extended, aligner._free(events))
        return None if found is None else self.by_second_scorer(found, path.onsets)


def spoiled(
    transcripts: Sequence[tuple[_T, ...]], i: int, n: int, rng: np.random.Generator
) -> list[tuple[str, tuple[_T, ...]]]:
    """Return wrong transcripts of recording i, each with its kind; none where all are the same.

    One is that of another recording of about the same length, the other is half wrong: which half
    and how goes round with `n`.
    """
    mine = transcripts[i]
    every = [other for other in transcripts if other != mine]
    every.sort(key=lambda other: abs(len(other) - len(mine)))
    if not every:
        return []
    other = every[int(rng.integers(min(_NEAR, len(every))))]
    half, half_other = len(mine) // 2, len(other) // 2
    halves = [
        mine[:half] + other[half_other:],
        other[:half_other] + mine[half:],
        mine[: max(1, half)],
        mine[half:],
    ]
    return [("wrong", other), ("spoiled", halves[n % SPOILED])]


def piece(aligner: Any, item: TimedSignal, rng: np.random.Generator) -> list[_Asked]:
    """Return a piece of a recording with a few of its events; none of one that has no more."""
    n = int(rng.integers(_PIECE[0], _PIECE[1] + 1))
    if len(item.events) <= n:
        return []
    at, signal = int(rng.integers(len(item.events) - n)), item.signal
    piece = signal.part(item.onsets[at] * signal.hop, item.onsets[at + n] * signal.hop)
    return [(_FEW, piece, aligner._expand(tuple(item.events[at : at + n]))[0])]


def _noise(signal: Signal, rng: np.random.Generator) -> Signal:
    """Return white noise of the length and the loudness of a recording."""
    level = float(np.sqrt(np.mean(np.square(signal.samples, dtype=np.float64)))) or 0.01
    samples = level * rng.normal(size=signal.samples.size)
    return Signal(samples.astype(np.float32), signal.rate, signal.hop, signal.name)
