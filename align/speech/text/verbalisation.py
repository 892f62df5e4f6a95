"""Which reading of a number was said: *one hundred and one*, or *one oh one*.

The text does not say, and the sound does. A text is aligned with the usual readings first. Then
each number that may be read otherwise is looked for once more in each of its readings, with the
words beside it, between their times; the reading counts whose best path scores highest, where
another than the usual one must be likelier by some odds, unless the two differ by an *and* alone
and are as usual. Unless all of the text is taken to be said, it must also be nearer to what any
sound at all scores there than to the usual one: else none was said, and it is but the nearest.
Where one is, the text is aligned anew.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from align.errors import DataError
from align.progress import Progress
from align.speech.text.conversation import conversations_of
from align.speech.text.pronouncing.dictionary import Pronunciation
from align.speech.text.pronouncing.lookup import Entry
from align.speech.text.reading.normalise import Reading, Several
from align.speech.text.reading.otherwise import are_alike
from align.speech.text.reading.utterances import Utterance
from align.speech.text.untimely import Found, Said, found_near_times
from align.speech.text.words import WordAligner
from align.types import SPOKEN_NOISE

_BESIDE = 3  # words on either side, which say where the number begins and ends
_WORSE = 0.02  # of the match of the text, by which other readings may lower it
_PAUSE = 1.0  # seconds of one that is looked at, too
_USUAL = 1.5  # log odds by which a phone that was said scores less than nothing
_ANYTHING = "***"  # which texts write for words that nobody understood
_LOG_ODDS = 4.0  # by which another reading must be likelier, where it is less usual

Span = tuple[float, float]


class Verbalised(NamedTuple):
    """What was found of a text, the words of each utterance, and which are no usual readings."""

    found: Found
    words: Sequence[tuple[str, ...]]
    unusual: Sequence[tuple[str, str]] = ()


def found_as_said(
    aligner: WordAligner,
    said: Sequence[Utterance],
    readings: Sequence[Reading],
    found: Found,
    slack: float,
    progress: Progress | None,
) -> Verbalised:
    """Return what is found of utterances whose numbers are read as they sound.

    `found` is what was found of the usual readings; it stays where others fit worse as a whole.
    """
    usual = Verbalised(found, [reading.words for reading in readings])
    words, unusual = _in_other_words(aligner, said, readings, found.said, progress)
    if not unusual:
        return usual
    conversations = conversations_of(list(zip(said, words, strict=True)))
    try:
        again = found_near_times(aligner, conversations, slack, progress)
    except DataError:  # words that do not fit
        return usual
    worse = (found.said.match or 0.0) - (again.said.match or 0.0)
    return usual if worse > _WORSE else Verbalised(again, words, unusual)


def _in_other_words(
    aligner: WordAligner,
    said: Sequence[Utterance],
    readings: Sequence[Reading],
    found: Said,
    progress: Progress | None,
) -> tuple[list[tuple[str, ...]], list[tuple[str, str]]]:
    """Return the words of utterances in the readings that fit best, and which are not usual.

    A number that was not found, or not with the words beside it, stays as it is.
    """
    report = progress or (lambda stage, done, total: None)
    anything = Entry(_ANYTHING, (Pronunciation((SPOKEN_NOISE,)),), "rule")
    aligner = replace(aligner, entries={**aligner.entries, _ANYTHING: anything})
    asked, n_asked = 0, sum(len(reading.several) for reading in readings)
    words: list[tuple[str, ...]] = [reading.words for reading in readings]
    unusual: list[tuple[str, str]] = []
    spoken = [(start, end) for _, start, end in found.spans]
    speakers = {own.speaker: found.of(own.speaker) for own in said}
    before = dict.fromkeys(speakers, 0)
    for n in _in_order(said):
        reading, (known, times) = readings[n], speakers[said[n].speaker]
        first = before[said[n].speaker]
        before[said[n].speaker] = last = first + len(reading.words)
        if not reading.several or tuple(known[first:last]) != reading.words:
            continue
        own = {k - first: times[k] for k in range(first, last) if k in times}
        chosen: list[tuple[int, tuple[str, ...]]] = []  # words, and where they begin in the usual
        done = 0
        for several in reading.several:
            usual = reading.words[several.start : several.stop]
            chosen += [(k, reading.words[k : k + 1]) for k in range(done, several.start)]
            best = _best_of(aligner, reading, several, chosen, own, spoken)
            chosen.append((several.start, best))
            done = several.stop
            asked += 1
            report("numbers", asked, n_asked)
            if best != usual:
                unusual.append((" ".join(usual), " ".join(best)))
        words[n] = tuple(word for _, some in chosen for word in some) + reading.words[done:]
    return words, unusual


def _in_order(said: Sequence[Utterance]) -> list[int]:
    """Return the numbers of utterances in the order in which their words are found."""
    numbers = list(range(len(said)))
    if all(own.loose for own in said):
        numbers.sort(key=lambda n: said[n].start or 0.0)
    return numbers


def _best_of(
    aligner: WordAligner,
    reading: Reading,
    several: Several,
    chosen: Sequence[tuple[int, tuple[str, ...]]],
    times: Mapping[int, Span],
    spoken: Sequence[Span],
) -> tuple[str, ...]:
    """Return the reading of one number that was said; the usual one where none fits.

    `chosen` are the words in front of it, as they were said, and where each begins in the usual
    reading. `times` are start and end of the usual words of its utterance, in seconds; some may
    have none. `spoken` are those of everybody.
    """
    usual = reading.words[several.start : several.stop]
    before = chosen[max(len(chosen) - _BESIDE, 0) :]
    low = before[0][0] if before else several.start
    high = min(several.stop + _BESIDE, len(reading.words))
    # what may be said otherwise may be left out: then another reading of it is likelier
    free = {k for one in reading.several for k in range(one.start, one.stop)}
    known = [times[k] for k in range(low, high) if k in times]
    if not known or any(k not in times and k not in free for k in range(low, high)):
        return usual
    span = _widened((known[0][0], known[-1][1]), spoken, aligner.recording.duration)
    in_front = [word for _, some in before for word in some]
    behind = reading.words[several.stop : high]
    ways = [usual, *(way for way in several.ways if all(w in aligner.entries for w in way))]
    scores = [_score(aligner, (*in_front, *way, *behind), span) for way in ways]
    alike = [are_alike(usual, way) for way in ways]
    favours = [0.0 if same else _LOG_ODDS for same in alike]
    best = max(range(len(ways)), key=lambda k: scores[k] - favours[k])
    if not alike[best] and aligner.judging:
        anything = _score(aligner, (*in_front, _ANYTHING, *behind), span)
        if scores[best] - scores[0] < anything - scores[best]:  # none of them was said
            return usual
    return ways[best]


def _widened(span: Span, spoken: Sequence[Span], duration: float) -> Span:
    """Return start and end of some words and of the pauses beside them, of a second at most."""
    begin, end = span
    before = max((last for _, last in spoken if last <= begin), default=0.0)
    after = min((first for first, _ in spoken if first >= end), default=duration)
    return max(before, begin - _PAUSE), min(after, end + _PAUSE)


def _score(aligner: WordAligner, words: Sequence[str], span: Span) -> float:
    """Return how well words fit between two times, as log odds; -inf if they do not.

    Phones that were said score less than nothing too, so each has what is usual for it back: else
    the reading of the fewest phones would be the best of those that fit about as well.
    """
    text = aligner.text(Utterance(" ".join(words), *span), words, span)
    try:
        text.part.check_room(words, aligner.entries)
        path = text.paths().best()
    except DataError:
        return -math.inf
    n_phones = np.count_nonzero(path.built.word[path.passed()] >= 0)
    return path.path.score / text.temperature + _USUAL * n_phones
