"""Rows of phones, and tiers of words and phones made of them."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from align.results.alignment import Alignment
from align.sequence.anchors import Anchors
from align.sequence.fit import joined
from align.sequence.lattice.lattices import LatticeAlignment
from align.speech.text.lattice import WordLattice
from align.speech.text.parts import Recording
from align.speech.text.reading.utterances import Utterance
from align.speech.text.tiers import SpeakerTiers
from align.types import MISPLACED, SILENCE, SPOKEN_NOISE, IntArray, Mismatch


class Row(NamedTuple):
    """A phone: label, start, confidence, place of its word (-1 for silences), and match.

    `around` is the interval of the start, where it is known.
    """

    label: str
    start: float
    confidence: float
    word: int
    match: float | None = None
    around: tuple[float, float] | None = None

    def within(self) -> tuple[float, float]:
        """Return the interval of the start, which is certain where none is known."""
        return (self.start, self.start) if self.around is None else self.around


Rows = list[Row]

_WARNED = 0.9  # probability of a mismatch; one true sentence in twelve lists a lower one


# Seconds that a word has which was not said, or half of what there is room for. Where there is no
# pause, several have as much together: what comes before was said to its end.
_UNSPOKEN = 0.01


class Piece(NamedTuple):
    """Words that were aligned at once.

    Their rows and mismatches, in seconds of the recording, the alignment of all of them, whose
    match counts, and the utterance, or the part of it, that they are.
    """

    rows: Rows
    mismatches: list[Mismatch]
    whole: Alignment
    utterance: Utterance

    def numbered(self, first: int) -> "Piece":
        """Return the same with words that are numbered from `first` on, and not from 0."""
        rows = [r if r.word < 0 else r._replace(word=r.word + first) for r in self.rows]
        return self._replace(rows=rows)


class Fit(NamedTuple):
    """How well an utterance of some seconds fits, and what is to be said of it."""

    match: float | None
    seconds: float
    warnings: tuple[str, ...]


def end_of_speech(rows: Rows) -> float:
    """Return where the last word ends, in seconds."""
    end = 0.0
    for row in reversed(rows):
        if row.word >= 0:
            return end
        end = row.start
    return 0.0


def as_known(rows: Rows, held: Anchors | None) -> Rows:
    """Return rows whose words begin exactly when they are known to, without rounding."""
    if held is None or held.tolerance:
        return rows
    words = [-1, *(row.word for row in rows)]
    return [
        row._replace(start=held.onsets[row.word], around=None)
        if row.word != before and row.word in held.onsets
        else row
        for row, before in zip(rows, words, strict=False)
    ]


def fit_of(alignment: Alignment, utterance: Utterance, mismatches: Sequence[Mismatch]) -> Fit:
    """Return how well an utterance fits; warnings say which utterance they are about.

    Of the mismatches only those that are nearly certain are warned of, and words in a wrong place.
    """
    warnings = alignment.warnings
    if utterance.start is not None and utterance.end is not None:
        where = f"the utterance from {utterance.start:.3f} to {utterance.end:.3f} s"
        warnings = tuple(f"{where}: {text}" for text in warnings)
    listed = tuple(f"{m}." for m in mismatches if m.probability >= _WARNED or m.kind == MISPLACED)
    return Fit(alignment.match, alignment.duration, warnings + listed)


def match_of(fits: Sequence[Fit]) -> float | None:
    """Return how well utterances fit, each by its length; None where that is not known."""
    known = [(fit.match, fit.seconds) for fit in fits if fit.match is not None]
    if not known:
        return None
    matches, seconds = zip(*known, strict=True)
    return float(np.average(matches, weights=seconds))


def rows_of(found: LatticeAlignment, built: WordLattice, begin: float, repair: bool) -> Rows:
    """Return label, start, confidence and word of each phone of an utterance, and of its end."""
    alignment: Alignment = found.alignment
    sure = alignment.confidence
    confidence = np.ones(len(alignment)) if sure is None else sure
    word, place = built.word[found.nodes].tolist(), built.place[found.nodes].tolist()
    others = (repair & built.noise()[found.nodes]).tolist()
    unspoken = built.unspoken[found.nodes].tolist()
    fit, near = alignment.event_match, alignment.onset_intervals
    if fit is not None:  # of each two that follow each other
        both = joined(np.repeat(fit, 2)[1:-1], np.arange(0, 2 * len(fit) - 2, 2)).tolist()
    rows: Rows = []
    if alignment.onsets[0] > 0:  # a silence the model has put in front
        rows.append(Row(SILENCE, begin, 1.0, -1))
    for k, (onset, c) in enumerate(
        zip(alignment.onsets.tolist(), confidence.tolist(), strict=True)
    ):
        own = None if fit is None else float(fit[k])
        about = None if near is None else (begin + float(near[k, 0]), begin + float(near[k, 1]))
        row = Row("", begin + onset, c, word[k], own, about)
        if unspoken[k] and not repair:
            rows.append(row._replace(label=SPOKEN_NOISE))
        elif k and place[k] == place[k - 1] and (place[k] >= 0 or others[k]):
            if fit is not None:  # the second part of a phone, or of what is not in the text
                rows[-1] = rows[-1]._replace(match=both[k - 1])
        elif place[k] < 0:
            rows.append(row._replace(label=SPOKEN_NOISE if others[k] else SILENCE, word=-1))
        else:
            rows.append(row._replace(label=built.phones[place[k]]))
    rows.append(Row(SILENCE, begin + alignment.end, 1.0, -1))
    return rows


def begun_within(rows: Rows, mismatches: Sequence[Mismatch]) -> IntArray:
    """Return the numbers of the words that begin within mismatches, in order [shape=(W,)].

    Examples
    --------
    >>> rows = [Row("k", 0.0, 1.0, 3), Row("iy", 0.5, 1.0, 3), Row("w", 1.0, 1.0, 4)]
    >>> begun_within(rows, [Mismatch("misplaced", 0.2, 2.0, ("we",), 0.9)])
    array([4])
    """
    heads: dict[int, float] = {}
    for row in rows:
        if row.word >= 0:
            heads.setdefault(row.word, row.start)
    return np.array(
        [k for k, at in heads.items() if any(m.start <= at < m.end for m in mismatches)],
        dtype=np.intp,
    )


def with_unspoken(rows: Rows, words: Iterable[int]) -> Rows:
    """Return rows in which words that have none are short noises behind the words before them.

    They are taken from the pause there, or else, as short as one of them, from the end of what
    comes before; confidence and match are 0.

    Examples
    --------
    >>> rows = [Row("k", 0.0, 1.0, 0), Row("sil", 0.5, 1.0, -1), Row("sil", 1.0, 1.0, -1)]
    >>> found = with_unspoken(rows, [0, 1, 2])
    >>> [(row.label, row.start, row.word) for row in found]
    [('k', 0.0, 0), ('spn', 0.5, 1), ('spn', 0.51, 2), ('sil', 0.52, -1), ('sil', 1.0, -1)]
    >>> [row.confidence for row in found]
    [1.0, 0.0, 0.0, 1.0, 1.0]

    Behind a word without a pause they leave its end where it was, but for 10 ms:

    >>> rows = [Row("k", 0.0, 1.0, 0), Row("m", 0.5, 1.0, 3), Row("sil", 1.0, 1.0, -1)]
    >>> [(row.start, row.word) for row in with_unspoken(rows, range(4))]
    [(0.0, 0), (0.49, 1), (0.495, 2), (0.5, 3), (1.0, -1)]
    """
    has = {row.word for row in rows}
    missing = [k for k in words if k not in has]
    for _, run in groupby(enumerate(missing), key=lambda pair: pair[1] - pair[0]):
        own = [k for _, k in run]
        before = [i for i, row in enumerate(rows) if 0 <= row.word < own[0]]
        at = before[-1] + 1 if before else int(rows[0].word < 0)
        pause = rows[at].word < 0 and at + 1 < len(rows)
        shifts = pause or at == 0
        low, high = (at, at + 1) if shifts else (at - 1, at)
        room = 0.5 * (rows[high].start - rows[low].start)
        each = min(_UNSPOKEN * (len(own) if pause else 1), room) / len(own)
        start = rows[low].start if shifts else rows[high].start - each * len(own)
        new = [Row(SPOKEN_NOISE, start + each * n, 0.0, k, 0.0) for n, k in enumerate(own)]
        if shifts:
            later = rows[at]._replace(start=start + each * len(own), around=None)
            rows = [*rows[:at], later, *rows[at + 1 :]]
        rows = [*rows[:at], *new, *rows[at:]]
    return rows


def tiers_of(
    rows: Rows,
    words: Sequence[str],
    recording: Recording,
    fits: Sequence[Fit],
    warnings: tuple[str, ...] = (),
) -> SpeakerTiers:
    """Return the tiers of a speaker: adjacent silences are joined, gaps are silences.

    `warnings` are of the whole text, and come before those of its utterances.
    """
    # the parts of a recording that were aligned begin and end with a sample, as it may not do
    kept = _joined_silences(rows, recording.duration, 0.5 / recording.rate + 1e-9)
    whole = [fit for fit in fits if fit.match is not None]
    known = any(row.around is not None for row in kept)
    matches = [1.0 if row.match is None else row.match for row in kept]
    about: dict[str, Any] = {
        "audio": recording.audio,
        "rate": recording.own_rate,
        "warnings": warnings + tuple(text for fit in fits for text in fit.warnings),
    }
    if whole:
        about["match"] = match_of(fits)

    def tier(heads: Sequence[int], labels: Sequence[str]) -> Alignment:
        return Alignment(
            labels,
            [kept[k].start for k in heads],  # type: ignore[arg-type]
            recording.duration,
            confidence=np.array([kept[k].confidence for k in heads]),
            event_match=joined(matches, heads) if whole else None,
            onset_intervals=np.array([kept[k].within() for k in heads]) if known else None,
            **about,
        )

    heads = [
        k for k, row in enumerate(kept) if k == 0 or row.word != kept[k - 1].word or row.word < 0
    ]
    spoken = tier(
        heads, [kept[k].label if kept[k].word < 0 else words[kept[k].word] for k in heads]
    )
    phones = tier(range(len(kept)), [row.label for row in kept])
    place = np.searchsorted(np.array(heads), np.arange(len(kept)), side="right") - 1
    return SpeakerTiers(spoken, phones, place.astype(np.intp))


def _joined_silences(rows: Rows, duration: float, shortest: float) -> Rows:
    """Return rows from 0 to the end; no silence follows another, or is not longer than that."""
    kept: Rows = [Row(SILENCE, 0.0, 1.0, -1)]
    for row in rows:
        if kept and kept[-1].label == SILENCE:
            if row.label == SILENCE:
                if kept[-1].match is None:
                    kept[-1] = kept[-1]._replace(match=row.match)
                continue
            if row.start - kept[-1].start <= (shortest if len(kept) > 1 else 0.0):
                kept.pop()  # no silence between two utterances, or at the start
        kept.append(row)
    while len(kept) > 1 and kept[-1].start >= duration - shortest:
        kept.pop()
    return kept
