"""How well phones and recording fit each other: the match, from 0 to 1.

The score of an alignment says little by itself: it is low for noisy speech with the right phones,
and high for clear speech with some wrong ones. It is compared here with the best that any phones
would score (`align.features.phone_loop`). For each event that is no silence:

* the log ratio: its log probability per frame, less that of the best sequence of any phones;
* its log probability per frame;
* the score of the transition into it;
* the score of its length, less that of its most usual length.

Of a recording come their means, which lean a little towards what is usual where events are few,
and the log ratio of all frames and of the worst stretches of 0.6 s, silences included: where half
a sentence is missing, speech passes for silence. Two more numbers are of what a transcript does
not have: for how long speech passes for silence, and changes of sound inside of phones; and two
are what another ear says (`align.speech.second_ear`), times the root of the number of sounds. Two
logistic functions of these ten are fitted to transcripts of the training corpus, one to wrong
ones and one to half wrong ones, since what shows that nothing of a transcript was said is not what
shows that a part of it was not; the lower one is the match. It is low, too, where the network is
far less sure of the best phones than it ever was in training: no speech.

Where all phones score low, in a language that the network was not trained on and with
pronunciations that nobody checked, these say little by themselves. There it counts, too, by
how much the text beats the mean of other orders of the same phones (`align.speech.orders`), for
each phone and divided by the root of their number: a wrong text is no better than they are, in any
language. In rooms and noise a right text beats them by less, so how sure the network is of the
best phones counts as well: the less, the less is asked of the rest. Such a match is learned from
pieces of recordings, too, so how few phones there are counts.

The logistic functions are made flatter, so that right transcripts mostly lie at 0.95 and do not
all end up at 1.00. A match is not the probability of being right.

References
----------
Witt and Young, "Phone-level pronunciation scoring and assessment for interactive language
learning", Speech Communication 30, 2000.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from align.errors import ModelError
from align.sequence.evidence import logistic
from align.sequence.extended import Extended
from align.terms import DurationTerm, OnsetTerm, SegmentTerm
from align.types import Float64, IntArray

__all__ = ["DEFAULTS", "Evidence", "MatchModel", "evidence_of"]


_LEAST = -8.0  # log ratios, scores of transitions; -10 for the others
_STRETCH, _BLOCK = 0.6, 3.0  # seconds; the worst stretch of each block
_FEW = 3.0  # events that count as usual, beside those there are
_USUAL = (-0.9, -1.7, -1.6, -0.5)  # of the four, for events that were said
_MANY = 40  # sounds, about as many as sentences have that texts are learned from
_OF_EVENTS = [0, 2, 3]  # that the network is unsure says nothing of a single event
_RIDGE = 1.0
_SPOILED = 0.1  # share of half wrong texts: right ones that are heard in noise fall with them
_FLAT = 0.1  # least deviation that numbers are divided by
_TYPICAL = 3.0  # log odds of a right transcript: a match of 0.95
_TAIL = 3.1  # standard deviations: 1 in 1,000
_FOLDS = 4  # of speakers: the border is set on evidence that the functions were not fitted to
_DRAWS = 200  # of recordings, over which it is a mean
_GRID = np.linspace(-4.0, 3.0, 71)  # log odds that it may lie at
_SMOOTH = 0.3  # log odds on either side of it in which evidence counts in part
_DOUBT_OF_RIGHT = 3.0  # how much a share of right texts below counts, beside either kind above
_TO_SIGMA = 1.4826
_HIGHEST_BORDER = 0.3  # room for recordings unlike those of the training corpus
_HIGHEST_IN_NOISE = 0.7
_LEAST_IN_ROOM = 0.7  # set on two speakers of EmoDB, by a match learned for all surroundings
_SOUNDS, _FOR_FEW = 14, 40.0  # the border's log odds fall by the second over sounds, for fewer
_FOR_FEW_ORDERS = 5.0  # the same where the order counts
_LEAST_FALL = 6.0  # and at least by this where it does not: other voices than those of the corpus
_LOWEST_BORDER = -4.6  # log odds: a match of 0.01
_ENOUGH, _DOUBTED = 20, 0.01  # right texts of few sounds, and which share of them may be doubted
_SHAPES = ((7,), (11,), (2, 13), (2, 15))  # of weights; the last is learned now
_GAPS = slice(6, 8)  # which of the numbers are order gaps
_SECOND = slice(12, 14)  # which are those of a second ear
_SIGNS = (1,) * 8 + (0, -1) + (1,) * 4  # of weights: the surer the network, the more is asked
_SIGNS_WITHOUT_ORDERS = (1,) * 6 + (None,) * 4 + (1, 1, 1, 1)  # all are heard alike, and are whole
_LOW = 0.02  # share of right texts that either function doubts before the other is fitted to it
_INSIDE = 1  # frames at either end of a sound, where a change of sound is that of its edge
_LEAST_DOUBT = -1e-3  # log probability of a change of sound, at most
_HIDING, _LENGTH = -2.0, 0.1  # log ratio of a silence that is none; seconds of a sound


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the base functions say of each event of an alignment.

    Parameters
    ----------
    parts : np.ndarray [shape=(K, 4)]
        The four of the module's text, for each event.
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
        What a second ear says of each event; see `align.speech.second_ear`. NaN of what it
        does not know.
    source : tuple, optional
        The speaker and the recording that it is of, where a match is learned from it.
    """

    parts: Float64
    best: Float64
    frames: IntArray
    sounds: npt.NDArray[np.bool_]
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

    def of_second_ear(self) -> Float64 | None:
        """Return what a second ear says of the sounds that it knows; None if it was not asked."""
        if self.second is None:
            return None
        known: Float64 = self.second[self.sounds & ~np.isnan(self.second[:, 0])]
        return known

    def by_second_ear(self, usual: Float64) -> Float64:
        """Return what a second ear says of the sounds [shape=(2,)], with the `usual` if unknown.

        Means over sounds, times the root of their number, as of 40 where there are more.
        """
        own = self.of_second_ear()
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
    silent: npt.NDArray[np.bool_],
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
            np.clip(own - best, _LEAST, 0.0),
            np.clip(own, _LEAST - 2, 0.0),
            np.clip(transition, _LEAST, 0.0),
            np.clip(length, _LEAST - 2, 0.0),
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


@dataclass(frozen=True, eq=False)
class MatchModel:
    """From evidence to matches.

    Parameters
    ----------
    weights : np.ndarray [shape=(7,), (11,), (2, 13) or (2, 15)]
        The constant, and the weights of the six numbers of a recording, of what the order of its
        events says, of how sure the network is, of what is not in the transcript, and of what a
        second ear says; once for transcripts that are wrong, and once for those of which a part
        is. The lower one counts. Models of before have the first 13, or one row of 7 or 11.
    event_weights : np.ndarray [shape=(4,)]
        The same for an event: log ratio, transition, length.
    least_sure : float
        Log probability per frame of the best phones, below which the match is low.
    border : float
        A match below it deserves a warning: there, in evidence of speakers that the functions
        were not fitted to, least is lost of right transcripts below it (three times), and of wrong
        and half wrong ones above. It is at least where 1 in 1,000 right ones is expected below,
        which is 0.3 at most, and has an upper limit, since recordings may be unlike those of the
        training corpus. That is for recordings of 14 sounds or more; see `border_of`.
    usual_gap : float
        Order gap of a sound of right texts, where that of a text is not known.
    usual_second : np.ndarray [shape=(2,)]
        The same of what a second ear says.
    orders_by_both_ears : bool
        Whether a second ear hears the orders of the sounds, too; not in models of before.
    for_few : float, optional
        By how much the border's log odds fall for one over the number of sounds.
    spread : float, optional
        Standard deviation of the border's log odds over draws of the recordings that it was
        learned from; None in models of before.
    """

    weights: Float64
    event_weights: Float64
    least_sure: float
    border: float
    usual_gap: float = 0.0
    for_few: float | None = None
    spread: float | None = None
    usual_second: Float64 = field(default_factory=lambda: np.zeros(2))
    orders_by_both_ears: bool = False

    @property
    def asks_orders(self) -> bool:
        """Whether evidence must hold the order gap."""
        return bool(self.weights[..., 1:][..., _GAPS].any())

    @property
    def asks_second_ear(self) -> bool:
        """Whether evidence must hold what a second ear says."""
        return bool(self.weights[..., 1:][..., _SECOND].any())

    def in_room(self) -> "MatchModel":
        """Return the match of an aligner that knows rooms, of texts whose match this is.

        It finds phones there that fit, of wrong texts as well, so the border is higher. With the
        default one another was learned, in rooms.
        """
        if self.get_state() == DEFAULTS["universal, text, not in rooms"].get_state():
            return DEFAULTS["universal, text, in rooms"]
        return replace(self, border=max(self.border, _LEAST_IN_ROOM))

    def border_of(self, n_sounds: int) -> float:
        """Return the border for a recording of so many sounds, silences not counted.

        What few sounds say varies more: of right words of seven, one in a hundred is below the
        border of sentences.
        """
        more = max(0.0, 1.0 / max(n_sounds, 1) - 1.0 / _SOUNDS)
        by = self.for_few
        if by is None:
            by = _FOR_FEW_ORDERS if self.asks_orders else _FOR_FEW
        odds = np.log(self.border / (1.0 - self.border)) - by * more
        return min(self.border, float(logistic(np.maximum(odds, _LOWEST_BORDER))))

    def warning(self, match: float, n_sounds: int) -> tuple[str, ...]:
        """Return what is to be said of a match: a sentence below the border, else nothing."""
        border = self.border_of(n_sounds)
        if match >= border:
            return ()
        return (
            f"the transcript may not be of this recording: match {match:.2f}, border "
            f"{border:.2f}; check that they belong together, and that nothing is missing.",
        )

    def of_recording(self, evidence: Evidence) -> float:
        """Return the match of a recording."""
        if not evidence.sounds.any():
            return 1.0 if evidence.whole()[1] > _LEAST / 2 else 0.0
        fit = float(_odds(self.weights, _numbers(evidence, self.usual_gap, self.usual_second)))
        sure = _TYPICAL * (evidence.sureness() - self.least_sure) / 0.5
        return float(logistic(np.array([min(fit, sure)]))[0])

    def of_events(self, evidence: Evidence) -> Float64:
        """Return the match of each event [shape=(K,)]; that of silences by their log ratio."""
        odds = self.event_weights[0] + evidence.parts[:, _OF_EVENTS] @ self.event_weights[1:]
        silence = _TYPICAL + evidence.parts[:, 0]
        return logistic(np.where(evidence.sounds, odds, silence))

    @classmethod
    def fitted(
        cls,
        right: Sequence[Evidence],
        wrong: Sequence[Evidence],
        spoiled: Sequence[Evidence],
        noise: Sequence[Evidence],
        few: Sequence[Evidence] = (),
        share: float = _SPOILED,
        highest: float = _HIGHEST_BORDER,
    ) -> Self:
        """Return the model of true transcripts, wrong ones, half wrong ones, and noise.

        Each sequence holds at least one recording, but that of `few`: right pieces of recordings,
        from which, and from right texts that are short, the border of few sounds is learned.
        Events are learned from the first two. Order gaps are used where a right recording knows
        its own; then half wrong ones have this `share` of all weight. Without them noise is one of
        the wrong transcripts, or it would fit: no sound begins inside of another there; and
        `highest` is the limit of the border.
        """
        orders = any(e.order_gap is not None for e in right)
        signs = _SIGNS if orders else _SIGNS_WITHOUT_ORDERS
        many = np.array([e.n_sounds() >= _SOUNDS for e in right])
        many |= not many.any()
        usual = _usual_gap([e for e, counts in zip(right, many, strict=True) if counts])
        others = wrong if orders else [*wrong, *noise]
        second = _usual_second(right)
        rows = [
            np.array([_numbers(e, usual, second) for e in some])
            for some in (right, others, spoiled)
        ]
        shares = (0.5, 0.5 - share, share) if orders else (0.5, 0.25, 0.25)
        weights = _of_both(rows, shares, signs, many)
        odds = _odds(weights, rows[0])
        centre, deviation = _centre(odds[many])
        # Flatter, and moved where nothing is between the two: a right transcript is typical.
        flat = _TYPICAL / max(centre, _TYPICAL)
        weights = weights * flat
        low = logistic(flat * np.array([centre - _TAIL * deviation]))[0]
        border = np.clip(low, 0.05, _HIGHEST_BORDER)
        between, spread = _between(_held_out((right, others, spoiled), rows, shares, signs))
        limit = _HIGHEST_IN_NOISE if orders else highest
        border = max(border, min(float(logistic(np.array([between]))[0]), limit))
        short = [*few, *right] if orders else few
        numbers = [float(_odds(weights, _numbers(e, usual, second))) for e in short]
        doubted = float((logistic(flat * odds[many]) < border).mean())
        for_few = _fall(
            numbers, short, float(border), max(doubted, _DOUBTED), 0.0 if orders else _LEAST_FALL
        )
        sounding = [
            np.concatenate([e.parts[e.sounds][:, _OF_EVENTS] for e in some])
            for some in (right, wrong)
        ]
        sure, wide = _centre(np.array([e.sureness() for e in right]))
        tail = sure - _TAIL * wide
        unlike = float(np.median([e.sureness() for e in noise]))
        return cls(
            weights,
            _fitted_logistic(sounding, (0.5, 0.5), (1, 1, 1)),
            0.5 * (tail + min(unlike, tail - 1.0)),
            float(border),
            usual,
            for_few,
            spread,
            second,
        )

    def get_state(self) -> dict[str, Any]:
        """Return what the header of a model file must hold."""
        state: dict[str, Any] = {
            "weights": self.weights.tolist(),
            "event_weights": self.event_weights.tolist(),
            "least_sure": self.least_sure,
            "border": self.border,
        }
        if self.asks_orders:
            state["usual_gap"] = self.usual_gap
        if self.orders_by_both_ears:
            state["orders_by_both_ears"] = True
        if self.asks_second_ear:
            state["usual_second"] = self.usual_second.tolist()
        if self.for_few is not None:
            state["for_few"] = self.for_few
        if self.spread is not None:
            state["spread"] = self.spread
        return state

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Restore what `get_state` returned; ModelError where it is none."""
        try:
            weights, events = (
                np.asarray(state[name], dtype=np.float64) for name in ("weights", "event_weights")
            )
            least_sure, border = float(state["least_sure"]), float(state["border"])
            usual = float(state.get("usual_gap", 0.0))
            second = np.asarray(state.get("usual_second", (0.0, 0.0)), dtype=np.float64)
            for_few, spread = (
                None if (value := state.get(name)) is None else float(value)
                for name in ("for_few", "spread")
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"its match is incomplete: {error!r}.") from error
        numbers = np.hstack(
            [
                *(weights.ravel(), events.ravel(), second.ravel()),
                *(least_sure, border, usual, for_few or 0, spread or 0),
            ]
        )
        known = weights.shape in _SHAPES and events.shape == (4,) and second.shape == (2,)
        if not known or not np.isfinite(numbers).all():
            raise ModelError(
                "its match must have 7, 11, or twice 13 or 15 weights, 4 of events, all finite."
            )
        if not 0 < border < 1:
            raise ModelError(f"the border of its match is {border}, must lie between 0 and 1.")
        both = state.get("orders_by_both_ears", False)
        if not isinstance(both, bool):
            raise ModelError(
                f"orders_by_both_ears of its match is {both!r}, must be true or false."
            )
        return cls(weights, events, least_sure, border, usual, for_few, spread, second, both)


def _numbers(evidence: Evidence, usual: float, second: Float64) -> Float64:
    """Return what a match is made of [shape=(14,)]."""
    orders, sure = evidence.against_orders(usual), [evidence.sureness()]
    others = evidence.not_in_text(), evidence.by_second_ear(second)
    return np.concatenate([evidence.whole(), orders, sure, *others])


def _odds(weights: Float64, numbers: Float64) -> Float64:
    """Return the log odds of numbers [shape=(..., 14)] by one function, or the lower of two.

    One of models of before is of the first of them.
    """
    slopes = weights[..., 1:]
    odds = numbers[..., : slopes.shape[-1]] @ slopes.T + weights[..., 0]
    return odds if weights.ndim == 1 else np.asarray(odds.min(axis=-1))


def _of_both(
    rows: Sequence[Float64],
    shares: Sequence[float],
    signs: Sequence[int | None],
    many: npt.NDArray[np.bool_],
) -> Float64:
    """Return weights of wrong and of half wrong transcripts [shape=(2, 15)].

    The first are learned from right, wrong and half wrong ones, by their shares, the second from
    right and half wrong ones alone. Either doubts as many right ones of `many` sounds.
    """
    whole = _fitted_logistic(rows, shares, signs)
    parts = _fitted_logistic([rows[0], rows[2]], (0.5, 0.5), signs)
    right = rows[0][many]
    parts[0] += np.quantile(_odds(whole, right), _LOW) - np.quantile(_odds(parts, right), _LOW)
    return np.stack((whole, parts))


def _held_out(
    kinds: Sequence[Sequence[Evidence]],
    rows: Sequence[Float64],
    shares: Sequence[float],
    signs: Sequence[int | None],
) -> list[tuple[Float64, list[Hashable]]]:
    """Return the log odds of right, wrong and half wrong transcripts, and the recording of each.

    They are those of many sounds, by functions that were fitted to other speakers and made as flat
    as the match is.
    """
    alone = ((None, n) for n in count())  # what is not known to be of a speaker
    sources = [[e.source or next(alone) for e in some] for some in kinds]
    speakers = {speaker for some in sources for speaker, _ in some}
    named = len(speakers) >= 2 and None not in speakers
    groups = [[source[0] if named else source for source in some] for some in sources]
    folds = {group: n % _FOLDS for n, group in enumerate(dict.fromkeys(chain(*groups)))}
    at = [np.array([folds[group] for group in some]) for some in groups]
    many = [np.array([e.n_sounds() >= _SOUNDS for e in some]) for some in kinds]
    many = [some | (not some.any()) for some in many]
    odds = [np.zeros(len(some)) for some in kinds]
    for fold in range(_FOLDS):
        seen = [own != fold for own in at]
        if not all((s & m).any() for s, m in zip(seen, many, strict=True)):
            seen = [np.ones(len(own), dtype=bool) for own in at]
        own = [r[s] for r, s in zip(rows, seen, strict=True)]
        weights = _of_both(own, shares, signs, many[0][seen[0]])
        centre = np.median(_odds(weights, own[0])[many[0][seen[0]]])
        for found, r, f in zip(odds, rows, at, strict=True):
            found[f == fold] = _odds(weights, r[f == fold]) * _TYPICAL / max(centre, _TYPICAL)
    return [
        (found[m], [source for source, counts in zip(some, m, strict=True) if counts])
        for found, some, m in zip(odds, sources, many, strict=True)
    ]


def _between(kinds: Sequence[tuple[Float64, list[Hashable]]]) -> tuple[float, float]:
    """Return the log odds between right transcripts and the others, and how unsure they are.

    Log odds of right, wrong and half wrong transcripts are given, each with its recording. Mean
    and standard deviation over draws of recordings of where the least is lost: right ones below,
    the others above.
    """
    names = {r: n for n, r in enumerate(dict.fromkeys(r for _, some in kinds for r in some))}
    drawn = np.random.default_rng(0).multinomial(
        len(names), np.full(len(names), 1.0 / len(names)), size=_DRAWS
    )
    cost = np.zeros((_DRAWS, len(_GRID)))
    for (odds, some), sign, share in zip(
        kinds, (1.0, -1.0, -1.0), (_DOUBT_OF_RIGHT, 1.0, 1.0), strict=True
    ):
        lost = logistic(sign * (_GRID - odds[:, None]) / _SMOOTH)
        times = drawn[:, [names[r] for r in some]]
        cost += share * (times @ lost) / np.maximum(times.sum(axis=1), 1)[:, None]
    best = _GRID[cost.argmin(axis=1)]
    return float(best.mean()), float(best.std())


def _usual_gap(right: Sequence[Evidence]) -> float:
    """Return the median order gap of a sound; 0 where none is known."""
    gaps = [e.order_gap / max(int(e.sounds.sum()), 1) for e in right if e.order_gap is not None]
    return float(np.median(gaps)) if gaps else 0.0


def _usual_second(right: Sequence[Evidence]) -> Float64:
    """Return the median of what a second ear says of right sounds; 0 where none is known."""
    heard = [e.of_second_ear() for e in right]
    known = [own.mean(axis=0) for own in heard if own is not None and len(own)]
    return np.median(known, axis=0) if known else np.zeros(2)


def _fall(
    odds: Sequence[float], right: Sequence[Evidence], border: float, doubted: float, least: float
) -> float | None:
    """Return by how much a border must fall for few sounds, so that a share of them is below it.

    By so much at `least`. None where too few recordings of few sounds are known.
    """
    few = [(e.n_sounds(), x) for e, x in zip(right, odds, strict=True) if e.n_sounds() < _SOUNDS]
    if len(few) < _ENOUGH:
        return None
    top = float(np.log(border / (1.0 - border)))
    falls = [(top - x) / (1.0 / max(n, 1) - 1.0 / _SOUNDS) for n, x in few]
    return float(np.clip(np.quantile(falls, 1.0 - doubted), least, _FOR_FEW))


def _fitted_logistic(
    groups: Sequence[Float64], shares: Sequence[float], signs: Sequence[int | None]
) -> Float64:
    """Constant and weights that separate the first group of rows from the others.

    Each group counts as its share says. A weight has the sign that is asked for, or is 0: what
    fits better never has a lower match. Where the sign is 0 it may have either; where it is None,
    the weight is 0.
    """
    from scipy.optimize import minimize

    x, sizes = np.concatenate(groups), [len(group) for group in groups]
    sign = np.repeat([1.0] + [-1.0] * (len(groups) - 1), sizes)
    share = np.repeat([s / n for s, n in zip(shares, sizes, strict=True)], sizes) * len(x)
    middle, scale = groups[0].mean(axis=0), np.maximum(groups[0].std(axis=0), _FLAT)
    rows = np.column_stack([np.ones(len(x)), (x - middle) / scale])

    def cost(w: Float64) -> tuple[float, Float64]:
        margin = sign * (rows @ w)
        slope = -(share * sign * logistic(-margin)) @ rows
        slope[1:] += _RIDGE * w[1:]
        total = share @ np.logaddexp(0.0, -margin) + 0.5 * _RIDGE * (w[1:] @ w[1:])
        return float(total), slope

    bound = {1: (0.0, None), 0: (None, None), -1: (None, 0.0), None: (0.0, 0.0)}
    bounds = [(None, None)] + [bound[s] for s in signs]
    found = minimize(cost, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B", bounds=bounds).x
    slopes = found[1:] / scale
    return np.append(found[0] - slopes @ middle, slopes)


def _centre(values: Float64) -> tuple[float, float]:
    """Median, and the standard deviation that the median deviation from it stands for."""
    median = float(np.median(values))
    return median, _TO_SIGMA * float(np.median(np.abs(values - median)))


DEFAULTS: Mapping[str, MatchModel] = {
    "default": MatchModel(
        np.array([7.04, 0.444, 1.319, 0.711, 0.314, 0.070, 1.963]),
        np.array([2.04, 0.628, 0.209, 0.382]),
        -2.28,
        0.3,
    ),
    "universal": MatchModel(
        np.array(
            [
                [18.63, 0.90, 0.25, 0.30, 0.39, 1.64, 3.94, 0, 0, 0, 0, 1.95, 1.85],
                [18.09, 0.05, 0.49, 0.24, 0.95, 1.27, 4.59, 0, 0, 0, 0, 1.56, 1.92],
            ]
        ),
        np.array([2.043, 0.341, 0.227, 0.404]),
        -1.89,
        0.3,
        for_few=10.0,
    ),
    "universal, text": MatchModel(
        np.array([0.507, 0, 0, 0.926, 0.455, 0, 1.507, 2.887, 0.676, -1.631, -2.74]),
        np.array([1.283, 0.177, 0.139, 0.097]),
        -2.803,
        0.396,
        0.936,
        12.0,
    ),
    "universal, text, not in rooms": MatchModel(
        np.array(
            [
                [7.10, 0, 0, 0.13, 1.13, 0.29, 1.59, 3.73, 0.24, -2.63, -1.33, 1.54, 1.10],
                [-0.01, 0, 0, 0.50, 0, 0.28, 1.61, 6.13, 0.25, 11.08, -3.00, 1.81, 2.10],
            ]
        ),
        np.array([1.283, 0.178, 0.145, 0.084]),
        -2.691,
        0.40,
        1.015,
        12.0,
        orders_by_both_ears=True,
    ),
    "universal, text, in rooms": MatchModel(
        np.array(
            [
                [4.77, 0, 0, 0.66, 1.37, 0, 2.22, 6.07, 0.67, 1.14, -2.35, 11.46, 1.10],
                [0.02, 0, 0, 1.25, 1.28, 0, 2.76, 9.37, 0.82, 24.35, -5.36, 11.80, 2.50],
            ]
        ),
        np.array([1.219, 0.169, 0.163, 0.108]),
        -3.116,
        0.55,
        0.62,
        3.104,
        orders_by_both_ears=True,
    ),
}
"""For models that were trained before there was a match, by their set of features.

Fitted as `MatchModel.fitted` does: the first on the sample of TIMIT, by two models that were not
trained on the speakers; the others on two speakers of EmoDB by ``speech-any``, which was not
trained on German, with the transcribers' phones and with texts that espeak-ng reads, the latter
whole and in pieces, in three draws (``recipes/mismatch/default.py``). That of texts of a model
that has no aligner for rooms is learned from recordings half of which are heard elsewhere; where
there is one, that of the first aligner from recordings half of which are heard in noise, and that
of the one for rooms from recordings in rooms, heard without their echo, as they are when it is
asked. How far the border of the first aligner falls, of phones and of texts, was set on single
words of many languages, that of texts so that as many right ones are doubted as before; the border
in rooms was set on these two speakers, in other rooms, in the same way (the README of the recipe
has the tables). A model that is trained now learns its own.
"""
