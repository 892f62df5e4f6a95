"""How a match is learned: from transcripts of a corpus that are right, wrong and half wrong."""

from collections.abc import Hashable, Sequence
from itertools import chain, count

import numpy as np

from align.sequence.evidence import logistic
from align.speech.match.evidence import Evidence
from align.speech.match.model import (
    OF_EVENTS,
    SOUNDS,
    STEEPEST_FALL,
    TYPICAL,
    MatchModel,
    log_odds_of,
    numbers_of,
)
from align.types import BoolArray, Float64

_RIDGE = 1.0  # what the squares of weights cost
_SPOILED = 0.1  # share of half wrong texts: right ones in noise fall with them
_FLAT = 0.1  # least deviation that numbers are divided by
_TAIL = 3.1  # standard deviations: 1 in 1,000
_FOLDS = 4  # of speakers: the border is set on evidence that the functions were not fitted to
_DRAWS = 200  # of recordings, over which it is a mean
_GRID = np.linspace(-4.0, 3.0, 71)  # log odds that it may lie at
_SMOOTH = 0.3  # log odds on either side of it in which evidence counts in part
_DOUBT_OF_RIGHT = 3.0  # how much a share of right texts below counts, beside either kind above
_TO_SIGMA = 1.4826
_HIGHEST_BORDER = 0.3  # room for recordings unlike those of the training corpus
_HIGHEST_IN_NOISE = 0.7
_LEAST_FALL = 6.0  # for few sounds, where orders do not count: voices unlike the corpus's
_ENOUGH, _DOUBTED = 20, 0.01  # right texts of few sounds, and which share of them may be doubted
_SIGNS = (1,) * 8 + (0, -1) + (1,) * 4  # of weights: the surer the network, the more is asked
_SIGNS_WITHOUT_ORDERS = (1,) * 6 + (None,) * 4 + (1, 1, 1, 1)  # all are whole, in one place
_LOW = 0.02  # share of right texts that either function doubts before the other is fitted to it


def fitted_match(
    right: Sequence[Evidence],
    wrong: Sequence[Evidence],
    spoiled: Sequence[Evidence],
    noise: Sequence[Evidence],
    few: Sequence[Evidence] = (),
    share: float = _SPOILED,
    highest: float = _HIGHEST_BORDER,
) -> MatchModel:
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
    many = np.array([e.n_sounds() >= SOUNDS for e in right])
    many |= not many.any()
    usual = _usual_gap([e for e, counts in zip(right, many, strict=True) if counts])
    others = wrong if orders else [*wrong, *noise]
    second = _usual_second(right)
    rows = [
        np.array([numbers_of(e, usual, second) for e in some]) for some in (right, others, spoiled)
    ]
    shares = (0.5, 0.5 - share, share) if orders else (0.5, 0.25, 0.25)
    weights = _of_both(rows, shares, signs, many)
    odds = log_odds_of(weights, rows[0])
    centre, deviation = _centre(odds[many])
    # Flatter, and moved where nothing is between the two: a right transcript is typical.
    flat = TYPICAL / max(centre, TYPICAL)
    weights = weights * flat
    low = logistic(flat * np.array([centre - _TAIL * deviation]))[0]
    border = np.clip(low, 0.05, _HIGHEST_BORDER)
    between, spread = _between(_held_out((right, others, spoiled), rows, shares, signs))
    limit = _HIGHEST_IN_NOISE if orders else highest
    border = max(border, min(float(logistic(np.array([between]))[0]), limit))
    short = [*few, *right] if orders else few
    numbers = [float(log_odds_of(weights, numbers_of(e, usual, second))) for e in short]
    doubted = float((logistic(flat * odds[many]) < border).mean())
    for_few = _fall(
        numbers, short, float(border), max(doubted, _DOUBTED), 0.0 if orders else _LEAST_FALL
    )
    sounding = [
        np.concatenate([e.parts[e.sounds][:, OF_EVENTS] for e in some]) for some in (right, wrong)
    ]
    sure, wide = _centre(np.array([e.sureness() for e in right]))
    tail = sure - _TAIL * wide
    unlike = float(np.median([e.sureness() for e in noise]))
    return MatchModel(
        weights,
        _fitted_logistic(sounding, (0.5, 0.5), (1, 1, 1)),
        0.5 * (tail + min(unlike, tail - 1.0)),
        float(border),
        usual,
        for_few,
        spread,
        second,
    )


def _of_both(
    rows: Sequence[Float64],
    shares: Sequence[float],
    signs: Sequence[int | None],
    many: BoolArray,
) -> Float64:
    """Return weights of wrong and of half wrong transcripts [shape=(2, 15)].

    The first are learned from right, wrong and half wrong ones, by their shares, the second from
    right and half wrong ones alone. Either doubts as many right ones of `many` sounds.
    """
    whole = _fitted_logistic(rows, shares, signs)
    parts = _fitted_logistic([rows[0], rows[2]], (0.5, 0.5), signs)
    right = rows[0][many]
    low, low_of_parts = (np.quantile(log_odds_of(w, right), _LOW) for w in (whole, parts))
    parts[0] += low - low_of_parts
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
    many = [np.array([e.n_sounds() >= SOUNDS for e in some]) for some in kinds]
    many = [some | (not some.any()) for some in many]
    odds = [np.zeros(len(some)) for some in kinds]
    for fold in range(_FOLDS):
        seen = [own != fold for own in at]
        if not all((s & m).any() for s, m in zip(seen, many, strict=True)):
            seen = [np.ones(len(own), dtype=bool) for own in at]
        own = [r[s] for r, s in zip(rows, seen, strict=True)]
        weights = _of_both(own, shares, signs, many[0][seen[0]])
        centre = np.median(log_odds_of(weights, own[0])[many[0][seen[0]]])
        for found, r, f in zip(odds, rows, at, strict=True):
            found[f == fold] = log_odds_of(weights, r[f == fold]) * TYPICAL / max(centre, TYPICAL)
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
    """Return the median second scores of right sounds; 0 where none is known."""
    scores = [e.of_second_scorer() for e in right]
    known = [own.mean(axis=0) for own in scores if own is not None and len(own)]
    return np.median(known, axis=0) if known else np.zeros(2)


def _fall(
    odds: Sequence[float], right: Sequence[Evidence], border: float, doubted: float, least: float
) -> float | None:
    """Return by how much a border must fall for few sounds, so that a share of them is below it.

    By so much at `least`. None where too few recordings of few sounds are known.
    """
    few = [(e.n_sounds(), x) for e, x in zip(right, odds, strict=True) if e.n_sounds() < SOUNDS]
    if len(few) < _ENOUGH:
        return None
    top = float(np.log(border / (1.0 - border)))
    falls = [(top - x) / (1.0 / max(n, 1) - 1.0 / SOUNDS) for n, x in few]
    return float(np.clip(np.quantile(falls, 1.0 - doubted), least, STEEPEST_FALL))


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
