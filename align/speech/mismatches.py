"""Wrong transcripts made of a training corpus, to learn what a match of one looks like.

Of each recording: its true phones; those of another recording of about the same length; half of
either; the true ones without one half; and white noise with the true phones. All are decoded by
features that did not hear the recording.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from align.decoders import decode
from align.errors import DataError, ParameterError
from align.features import Feature, Signal, TimedSignal
from align.sequence.feature_terms import terms_of
from align.speech.match import Evidence, MatchModel, evidence_of
from align.terms import BaseFunctions
from align.types import Event

__all__ = ["learned_match"]

_MOST = 400  # recordings; each is decoded a few times
_FEWEST = 8  # recordings, below which nothing is learned
_NEAR = 12  # recordings whose number of events is nearest, one of which is taken
_NOISE = 8  # every how many recordings one is noise


def learned_match(
    aligner: Any,
    items: Sequence[TimedSignal],
    xs: Sequence[BaseFunctions],
    features: Sequence[Sequence[Feature]],
) -> MatchModel | None:
    """Return the match model of an aligner, learned from its training recordings.

    `xs` are their base functions and `features` those that made them. None where there are too few
    recordings, or no network of phones.
    """
    rng = np.random.default_rng(aligner.random_state)
    chosen = rng.permutation(len(items))[:_MOST]
    if len(chosen) < _FEWEST:
        return None
    kinds: dict[str, list[Evidence]] = {
        kind: [] for kind in ("right", "wrong", "spoiled", "noise")
    }

    def add(kind: str, signal: Signal, events: tuple[Event, ...], own: Sequence[Feature]) -> None:
        found = _evidence(aligner, signal, events, own)
        if found is not None:
            kinds[kind].append(found)

    for n, i in enumerate(chosen.tolist()):
        item, own = items[i], features[i]
        terms = dict(zip(xs[i].names, xs[i].terms, strict=True))
        events = tuple(item.events)
        onsets = decode(xs[i].potentials(aligner._weights(xs[i]))).onsets
        silent = aligner._free(events)
        found = evidence_of(terms, onsets, item.signal.n_frames, silent, item.signal.hop)
        if found is None:
            return None
        kinds["right"].append(found)
        other = _other(items, i, rng)
        if other is not None:
            add("wrong", item.signal, other, own)
            half, half_other = len(events) // 2, len(other) // 2
            halves = [
                events[:half] + other[half_other:],
                other[:half_other] + events[half:],
                events[: max(1, half)],
                events[half:],
            ]
            add("spoiled", item.signal, halves[n % len(halves)], own)
        if n % _NOISE == 0:
            add("noise", _noise(item.signal, rng), events, own)
    if not all(kinds.values()):
        return None
    return MatchModel.fitted(*kinds.values())


def _evidence(
    aligner: Any, signal: Signal, events: tuple[Event, ...], features: Sequence[Feature]
) -> Evidence | None:
    """Return the evidence of events that need not be those of the recording."""
    if len(events) > signal.n_frames:
        return None
    terms = terms_of(features, signal, events)
    try:
        path = aligner._best_path(signal, events, terms)[1]
    except (ParameterError, DataError):  # they do not fit into it at all
        return None
    return evidence_of(terms, path.onsets, signal.n_frames, aligner._free(events), signal.hop)


def _other(
    items: Sequence[TimedSignal], i: int, rng: np.random.Generator
) -> tuple[Event, ...] | None:
    """Return the events of a recording of about the same length; None where all are the same."""
    mine = tuple(items[i].events)
    every = [events for item in items if (events := tuple(item.events)) != mine]
    every.sort(key=lambda events: abs(len(events) - len(mine)))
    return every[int(rng.integers(min(_NEAR, len(every))))] if every else None


def _noise(signal: Signal, rng: np.random.Generator) -> Signal:
    """Return white noise of the length and the loudness of a recording."""
    level = float(np.sqrt(np.mean(np.square(signal.samples, dtype=np.float64)))) or 0.01
    samples = level * rng.normal(size=signal.samples.size)
    return Signal(samples.astype(np.float32), signal.rate, signal.hop, signal.name)
