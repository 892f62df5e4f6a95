"""What the base functions say of each event of an alignment, and numbers that sum it up."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from align.sequence.extended import Extended
from align.terms import DurationTerm, OnsetTerm, SegmentTerm
from align.types import BoolArray, Float64, IntArray

LEAST = -8.0
"""Of log ratios and of scores of transitions; of the others two less."""

_STRETCH, _BLOCK = 0.6, 3.0  # seconds; the worst stretch of each block
_FEW = 3.0  # events that count as usual, beside those there are
_USUAL = (-0.9, -1.7, -1.6, -0.5)  # of the four, for events that were said
_MANY = 40  # sounds, about as many as sentences have that texts are learned from
_INSIDE = 1  # frames at either end of a sound, where a change of sound is that of its edge
_LEAST_DOUBT = -1e-3  # log probability of a change of sound, at most
_HIDING, _LENGTH = -2.0, 0.1  # log ratio of a silence that is none; seconds of a sound


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the base functions say of each event of an alignment.

    Parameters
    ----------
    parts : np.ndarray [shape=(K, 4)]
        The four of `align.speech.match`, for each event.
    best : np.ndarray [shape=(K,)]
        Log probability per frame along the best sequence of any phones.
    frames : np.ndarray [shape=(K,), dtype=intp]
        Length of each event, in the recording itself.
    sounds : np.ndarray [shape=(K,), dtype=bool]
        Which events are no silence.
    hop : float
        Length of a frame in seconds.
    order_gap : float, optional
        By how much they beat other orders of themselves; see `align.speech.orders`.
    steady : np.ndarray [shape=(K,)], optional
        Log probability that nothing else begins inside of each event; 0 where it is not known.
    second : np.ndarray [shape=(K, 2)], optional
        The second scores of each event; see `align.speech.second_scores`. NaN of what it
        does not know.
    source : tuple, optional
        The speaker and the recording that it is of, where a match is learned from it.
    """

    parts: Float64
    best: Float64
    frames: IntArray
    sounds: BoolArray
    hop: float
    order_gap: float | None = None
    steady: Float64 | None = None
    second: Float64 | None = None
    source: tuple[Hashable, Hashable] | None = None

    def whole(self) -> Float64:
        """Return the six numbers of a recording [shape=(6,)]."""
        spoken = self.parts[self.sounds]
        means = (spoken.sum(axis=0) + _FEW * np.array(_USUAL)) / (len(spoken) + _FEW)
        per_frame = np.repeat(self.parts[:, 0], self.frames)
        return np.array([means[0], per_frame.mean(), self._worst(per_frame), *means[1:]])

    def against_orders(self, usual: float) -> Float64:
        """Return what their order says [shape=(3,)], with a `usual` gap of a sound if unknown.

        The gap for each sound, and divided by the root of their number, as of 40 where there are
        more; and one divided by this root.
        """
        n = max(int(self.sounds.sum()), 1)
        gap = usual if self.order_gap is None else self.order_gap / n
        root = float(np.sqrt(min(n, _MANY)))
        return np.array([gap, gap * root, 1.0 / root])

    def not_in_text(self) -> Float64:
        """Return what says that more was said than the text has [shape=(2,)].

        How much silences score less than the best phones, in seconds, of a long recording in the
        mean over its blocks; and the log probability that nothing else begins inside of a sound.
        """
        seconds = float(self.frames.sum()) * self.hop
        silent = ~self.sounds
        hidden = float(self.parts[silent, 0] @ self.frames[silent]) * self.hop
        steady = 0.0 if self.steady is None else float(self.steady[self.sounds].sum())
        return np.array([hidden / max(1.0, seconds / _BLOCK), steady / max(sum(self.sounds), 1)])

    def of_second_scorer(self) -> Float64 | None:
        """Return the second scores of the sounds that have some; None where there are none."""
        if self.second is None:
            return None
        known: Float64 = self.second[self.sounds & ~np.isnan(self.second[:, 0])]
        return known

    def by_second_scorer(self, usual: Float64) -> Float64:
        """Return the second scores of the sounds [shape=(2,)], with the `usual` ones if unknown.

        Means over sounds, times the root of their number, as of 40 where there are more.
        """
        own = self.of_second_scorer()
        n = int(self.sounds.sum()) if own is None else len(own)
        mean = usual if own is None or not n else own.mean(axis=0)
        return np.asarray(mean * np.sqrt(min(max(n, 1), _MANY)))

    def n_sounds(self) -> int:
        """Return how many sounds there are, counting those that silences would have to hide.

        A silence that fits no better than a wrong phone hides one in each tenth of a second.
        """
        hiding = ~self.sounds & (self.parts[:, 0] < _HIDING)
        hidden = float(self.frames[hiding].sum()) * self.hop / _LENGTH
        return int(self.sounds.sum() + hidden)

    def pauses_with_sound(self) -> IntArray:
        """Return the numbers of silences that score less than phones by a sound or more."""
        hidden = self.parts[:, 0] * self.frames * self.hop
        return np.flatnonzero(~self.sounds & (hidden < _HIDING * _LENGTH))

    def sureness(self) -> float:
        """Return the log probability per frame of the best phones."""
        return float(np.average(self.best, weights=self.frames))

    def _worst(self, per_frame: Float64) -> float:
        """Mean log ratio of the worst stretch; of a long recording the mean over its blocks."""
        n = max(1, min(len(per_frame), round(_STRETCH / self.hop)))
        total = np.append(0.0, np.cumsum(per_frame))
        mean = (total[n:] - total[:-n]) / n
        n_blocks = max(1, min(len(mean), round(len(per_frame) * self.hop / _BLOCK)))
        return float(np.mean([block.min() for block in np.array_split(mean, n_blocks)]))


def evidence_of(
    terms: Mapping[str, Any],
    onsets: IntArray,
    extended: Extended,
    silent: BoolArray,
) -> Evidence | None:
    """Return the evidence of events that begin at `onsets` frames, by their base functions.

    Frames are those of a recording with its outer pauses; what of events is in pauses that were
    added says nothing. `silent` [shape=(K,)] says which events are silences. None where there is
    no ``network.phone`` that knows the best sequence of phones.
    """
    phone = terms.get("network.phone")
    if not isinstance(phone, SegmentTerm) or phone.best is None:
        return None
    onsets = np.asarray(onsets, dtype=np.intp)
    ends = np.append(onsets[1:], extended.signal.n_frames)
    lengths = ends - onsets
    start, stop = np.clip(onsets, *extended.span), np.clip(ends, *extended.span)
    frames, n = stop - start, np.maximum(stop - start, 1)
    own = (phone.prefix[phone.rows, stop] - phone.prefix[phone.rows, start]) / n
    best = (phone.best[stop] - phone.best[start]) / n
    transition = np.full(len(onsets), _USUAL[2])
    length = np.full(len(onsets), _USUAL[3])
    entry = terms.get("network.transition")
    if isinstance(entry, OnsetTerm):
        on = entry.rows >= 0
        transition[on] = entry.table[entry.rows[on], onsets[on]]
    for name, term in terms.items():
        if isinstance(term, DurationTerm) and "duration" in name:
            on = term.rows >= 0
            rows, most = term.rows[on], term.table[:, 1:].max(axis=1)
            longest = np.minimum(lengths[on], term.table.shape[1] - 1)
            length[on] = term.table[rows, longest] - most[rows]
            break
    parts = np.stack(
        [
            np.clip(own - best, LEAST, 0.0),
            np.clip(own, LEAST - 2, 0.0),
            np.clip(transition, LEAST, 0.0),
            np.clip(length, LEAST - 2, 0.0),
        ],
        axis=1,
    )
    steady = _steady(terms.get("network.boundary"), start, stop)
    return Evidence(parts, best, frames, ~silent, extended.own.hop, steady=steady)


def _steady(boundary: Any, start: IntArray, stop: IntArray) -> Float64 | None:
    """Return the log probability that nothing begins inside of events between two frames."""
    if not isinstance(boundary, OnsetTerm):
        return None
    begins = np.minimum(boundary.table[0].astype(np.float64), _LEAST_DOUBT)
    total = np.append(0.0, np.cumsum(np.log1p(-np.exp(begins))))
    first = start + _INSIDE
    return np.asarray(total[np.maximum(stop - _INSIDE, first)] - total[first])
