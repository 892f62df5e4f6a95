"""Recordings of parts of a score: those that start late, stop early, leave out or play again.

Where a recording does not match its score, it may still match parts of it, or all of it in another
key, or between other music. The passages that were found (`align.music.checking.passages`) are
made one score without gaps, and aligned as any other. A chord that was played again has the time
of the first playing. Notes that were left out are given times that continue the tempo, and a
confidence of 0. In other music some passages fit by chance, so the longest one is also tried
alone, and the whole score where it fits best.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from align.errors import DataError, ParameterError
from align.features.notes.note_levels import semitone_levels
from align.formats.scores import Score, chords
from align.formats.scores.beats import Beats
from align.music.checking.backwards import is_within
from align.music.checking.passages import Passage, WholePlace, find_passages, find_whole
from align.music.performances.coarse import coarse_alignment
from align.music.performances.performance import Performance, make_performance, sounding_notes
from align.music.performances.repeats import best_way
from align.music.performances.tempo import local_tempo
from align.progress import counted
from align.sequence.frames import in_order
from align.types import Float64, IntArray, PlayedPassage

_AGAIN = 2.0  # seconds; less that is played again is not worth a word
_LEAST, _MOST = 0.3, 0.5  # of the recording that must be of the score, or of the score in it
_AS_GOOD = 0.95  # of the chords of a score are all of it
_WITHIN = 0.8  # of a recording; what lasts longer is not within other music
_NEARBY = 2  # semitones, where a voice slides through the notes of the other key
_FRAME = 0.25  # seconds
# of the cost; right scores (28) have 1.03 or more, parts of 9 .96, melodies in another key .84
_OTHER_KEY = 0.95
_ONCE_MORE = 1.07  # times the cost of what was aligned: takes of ten pieces 1.03, encores 1.12
_TAKE, _FEW = 0.7, 8  # of its length; chords
_BY_CHANCE, _BRIEF = 1.13, 3.0  # times that cost; seconds
_JUMP = 3  # chords: fewer are not worth another jump
_RINGS = 0.2  # seconds of the last chord of a passage
_ROUNDING = 0.01  # seconds; the onset of a chord is the mean of its notes
_ELSEWHERE = 2.0  # seconds; a chord that lies nearer to where it was found is no news


@dataclass(frozen=True, eq=False)
class PlayedPart:
    """What a recording holds of a score, `part`: notes `index` of the whole, in `passages`.

    `searched` says that it lies at the best of all places in all keys, where any score fits better
    than read backwards; `sure`, that nobody could play what is left out in the time there is.
    """

    part: Performance
    index: IntArray
    passages: tuple[Passage, ...]
    searched: bool = False
    sure: bool = False


def played_parts(whole: Performance, shifts: Sequence[int]) -> Iterator[PlayedPart]:
    """Yield what a recording may hold of a score: the whole, all passages found, the longest.

    The longest stands alone only where another one may fit by chance.

    They are in the key in which the recording holds them; `shifts` are semitones by which it may
    sound higher than the score. In another key than that of `whole` the whole comes before its
    passages. Left out is what is less than a third of the recording and less than half of the
    score, and what `whole` says itself.
    """
    signal = whole.signal
    level, moves = semitone_levels(signal), [shift - whole.shift for shift in shifts]
    begin, end, shift, _ = find_whole(level, signal.hop, whole.notes, moves, whole.progress)
    if end - begin < _WITHIN * signal.duration:
        yield from _whole_between(whole, begin, end, whole.shift + shift)
    found = find_passages(level, signal.hop, whole.notes, whole.chords, moves, whole.progress)
    shift = whole.shift + found.shift
    if found.shift and found.passages:
        yield from _in_key(whole, shift)
    yield from _part_of(whole, found.passages, shift)
    if len(found.passages) > 1 and (found.shift or not _all_fit(whole, found.passages)):
        longest = max(found.passages, key=lambda passage: passage.last - passage.first)
        if longest.times[-1] - longest.times[0] < _WITHIN * signal.duration:
            yield from _part_of(whole, (longest,), shift)


def other_way(whole: Performance, shifts: Sequence[int]) -> Performance | None:
    """Return a recording with another way through its score, if all of that lies within it.

    Beside other music, a way that is too long fits better, spread over some of it. `shifts` are
    semitones by which the recording may sound higher than the score.
    """
    if whole.folded is None:
        return None
    level, hop = semitone_levels(whole.signal), whole.signal.hop
    moves = [shift - whole.shift for shift in shifts]
    at = find_whole(level, hop, whole.notes, moves, whole.progress)
    if at.end - at.begin >= _WITHIN * whole.signal.duration:
        return None

    def place(way: Score) -> tuple[Score, WholePlace]:
        return way, find_whole(level, hop, sounding_notes(way, whole.shift)[0], (at.shift,))

    way, _ = best_way(whole.folded, place, lambda tried: -tried[1].worth, whole.progress)
    if way.repeats == whole.score.repeats:
        return None
    other = make_performance(whole.signal, way, whole.shift, whole.progress)
    return other if is_within(other, at.shift) else None


def other_key_fits(whole: Performance, shifts: Sequence[int], *, far: bool = False) -> bool:
    """Return whether a recording fits its score much better in another key, nearby or `far`.

    The network may find the notes of the wrong one: a voice slides through them. `shifts` are
    semitones by which it may sound higher than the score.
    """
    level, hop = semitone_levels(whole.signal), whole.signal.hop

    def cost(shift: int) -> float:
        notes, _ = sounding_notes(whole.score, shift)
        return coarse_alignment(level, hop, notes, whole.chords, step=_FRAME).cost

    moves = [shift - whole.shift for shift in shifts if shift != whole.shift]
    keys = [whole.shift + move for move in moves if far or abs(move) <= _NEARBY]
    if not keys:
        return False
    here, *others = map(cost, counted([whole.shift, *keys], whole.progress, "trying other keys"))
    return min(others) < _OTHER_KEY * here


def played_again(part: Performance, stretches: Iterable[tuple[float, float]]) -> str | None:
    """Return a warning where the score is played in another stretch of the recording, too.

    `stretches` are of seconds in which what sounds is none of the score where it was found.
    """
    level, hop = semitone_levels(part.signal), part.signal.hop
    last = float(part.coarse[-1])
    least = _TAKE * (last - float(part.coarse[0]))
    for begin, end in stretches:
        begin = last + 1.0 if begin > last else begin  # a last chord may ring for long
        if end - begin < least or len(part.chords) < _FEW:
            continue
        rows = slice(round(begin / hop), round(end / hop))
        cost = coarse_alignment(level[rows], hop, part.notes, part.chords).cost
        if cost <= _ONCE_MORE * part.cost:
            span = f"from {begin:.1f} to {end:.1f} s"
            return (
                f"{span} the score seems to be played once more; the times are those of the other "
                "playing: cut the recording to align this one."
            )
    return None


def _whole_between(whole: Performance, begin: float, end: float, shift: int) -> list[PlayedPart]:
    """Return all of a score, in a key, where it is played between about these seconds."""
    signal, level, progress = whole.signal, semitone_levels(whole.signal), whole.progress
    first = max(0, round((begin - _ELSEWHERE) / signal.hop))
    stop = round((end + _ELSEWHERE) / signal.hop)
    try:
        part = whole
        if shift != whole.shift:
            part = make_performance(signal, whole.score, shift, progress)
        near = coarse_alignment(
            level[first:stop], signal.hop, part.notes, part.chords, progress=progress
        )
    except (DataError, ParameterError):  # beyond the piano, or silent
        return []
    times = near.times + first * signal.hop
    if np.abs(times - part.coarse).max() <= _ELSEWHERE:
        return []
    part = replace(part, coarse=times, end=near.end + first * signal.hop, cost=near.cost)
    return [PlayedPart(part, np.arange(len(whole.score)), (), searched=True)]


def _in_key(whole: Performance, shift: int) -> list[PlayedPart]:
    """Return all of a score in another key, where the piano has its notes."""
    try:
        part = make_performance(whole.signal, whole.score, shift, whole.progress)
    except DataError:
        return []
    return [PlayedPart(part, np.arange(len(whole.score)), ())]


def _part_of(whole: Performance, passages: tuple[Passage, ...], shift: int) -> list[PlayedPart]:
    """Return the part of a score that passages are, in a key, if they are enough of it."""
    signal = whole.signal
    seconds = sum(float(p.times[-1] - p.times[0]) for p in passages)
    kept, times, breaks = _last_playings(passages)
    if seconds < _LEAST * signal.duration and kept.size < _MOST * len(whole.chords):
        return []
    if breaks or kept.size < _AS_GOOD * len(whole.chords):
        return part_of(whole, passages, shift)
    told = passages if _all_fit(whole, passages) else ()
    found = _whole_between(whole, float(times[0]), float(times[-1]), shift)
    if told and not found and shift == whole.shift:
        found = [PlayedPart(whole, np.arange(len(whole.score)), ())]
    return [replace(one, passages=told, searched=False) for one in found]


def _all_fit(whole: Performance, passages: tuple[Passage, ...]) -> bool:
    """Return whether each of several passages fits about as well as the longest.

    In other music some fit by chance: 1.28 times its cost or more, of playings of ten pieces 1.04.
    """
    costs = _costs(whole, sorted(passages, key=lambda passage: passage.first - passage.last))
    return len(costs) > 1 and max(costs) <= _ONCE_MORE * costs[0]


def _without_chance(
    whole: Performance, passages: tuple[Passage, ...], times: Float64
) -> tuple[Passage, ...]:
    """Return passages without those that fit by chance; what begins at `times` [shape=(P,)] stays.

    In other music in front of 22 pieces they have 1.16 to 1.31 times the cost of what stays, or
    last 1.2 s. Halves of 23 pieces in the wrong order have 1.10 at most.
    """
    stays = [bool(np.isin(p.times, times).any()) for p in passages]
    if all(stays):
        return passages
    costs = _costs(whole, passages)
    worst = _BY_CHANCE * max(itertools.compress(costs, stays))
    lasts = [p.times[-1] - p.times[0] >= _BRIEF for p in passages]
    likely = (
        sure or (cost <= worst and long)
        for sure, cost, long in zip(stays, costs, lasts, strict=True)
    )
    return tuple(itertools.compress(passages, likely))


def _costs(whole: Performance, passages: Sequence[Passage]) -> list[float]:
    """Return what it costs to align each passage with its seconds of the recording."""
    level, hop = semitone_levels(whole.signal), whole.signal.hop
    costs = []
    for p in passages:
        inside = (whole.chords.group >= p.first) & (whole.chords.group <= p.last)
        notes = whole.notes.take(np.flatnonzero(inside))
        rows = slice(round(p.times[0] / hop), round((p.times[-1] + _RINGS) / hop))
        costs.append(coarse_alignment(level[rows], hop, notes, chords(notes)).cost)
    return costs


def part_of(whole: Performance, passages: tuple[Passage, ...], shift: int) -> list[PlayedPart]:
    """Return the part of a score that passages are, in a key, where it can be played."""
    kept, times, breaks = _last_playings(passages)
    index = np.flatnonzero(np.isin(whole.chord_of, kept))
    moved = _without_gaps(whole.chords.onsets[kept], times, breaks)
    row = np.searchsorted(kept, whole.chord_of[index])
    taken = whole.score.take(index)
    closed = moved[row] + (taken.onsets - whole.chords.onsets[kept][row])
    # notes of a chord need not begin together: an earlier one is not to follow the next
    order = np.argsort(closed, kind="stable")
    index, score = index[order], replace(whole.score.take(index[order]), onsets=closed[order])
    try:
        part = make_performance(whole.signal, score, shift, whole.progress)
    except DataError:  # beyond the piano, or too dense
        return []
    if len(part.chords) != kept.size:
        return []
    if shift == whole.shift:
        passages = _without_chance(whole, passages, times)
    return [PlayedPart(replace(part, coarse=times), index, passages)]


def _last_playings(passages: tuple[Passage, ...]) -> tuple[IntArray, Float64, list[int]]:
    """Return chords, when each is played, and the places of the first after a jump.

    Of what is played more than once that is taken which leaves the most chords in the order of the
    score with the fewest jumps, and of equals the last: who breaks off and goes back some bars
    goes through from there.
    """
    # best[c]: of passages up to here, the most chords of which the last is before chord c, less
    # _JUMP for each jump; ways[c] are the passages, and their chords, that have so many.
    n = max((passage.last for passage in passages), default=-1) + 1
    best = np.zeros(n + 1)
    ways: list[tuple[tuple[Passage, int, int], ...]] = [()] * (n + 1)
    for passage in passages:
        gain, before, first = -np.inf, ways[0], 0
        found, taken = best.copy(), list(ways)
        for c in range(passage.first, passage.last + 1):
            # begin with this passage, or go on from others; of equals the earliest chord stays
            for way, held in ((ways[0], 0.0), (ways[c], best[c] - _JUMP)):
                if held - c > gain:
                    gain, before, first = held - c, way, c
            if gain + c + 1 >= found[c + 1]:
                found[c + 1], taken[c + 1] = gain + c + 1, (*before, (passage, first, c))
        for c in range(passage.last + 2, n + 1):
            if found[c - 1] >= found[c]:
                found[c], taken[c] = found[c - 1], taken[c - 1]
        best, ways = found, taken
    chosen = ways[n]
    kept = [np.arange(first, last + 1) for _, first, last in chosen]
    times = [p.times[first - p.first : last + 1 - p.first] for p, first, last in chosen]
    breaks = np.cumsum([part.size for part in kept])[:-1]
    return (
        np.concatenate([np.empty(0, dtype=np.intp), *kept]),
        np.concatenate([np.empty(0), *times]),
        breaks.tolist(),
    )


def _without_gaps(onsets: Float64, times: Float64, breaks: list[int]) -> Float64:
    """Return onsets in the score such that at a jump they go on as the recording does."""
    tempo = local_tempo(onsets, times)
    out = onsets.copy()
    for k in breaks:
        gap = (times[k] - times[k - 1]) / np.median(tempo)
        out[k:] += max(gap, 0.05) - (out[k] - out[k - 1])
    return out


def continued(score_onsets: Float64, known: IntArray, times: Float64, duration: float) -> Float64:
    """Return times of all chords, those at either end by the tempo there [shape=(G,)].

    The chords stand at `score_onsets` [shape=(G,)], increasing; some were found, `known`
    [shape=(P,)], at `times` in seconds. Those between them are interpolated. The result increases
    strictly, within the recording.

    Examples
    --------
    >>> continued(np.arange(5.0), np.array([1, 3]), np.array([3.0, 7.0]), 10.0)
    array([1., 3., 5., 7., 9.])
    """
    tempo = local_tempo(score_onsets[known], times)
    out = np.interp(score_onsets, score_onsets[known], times)
    first, last = int(known[0]), int(known[-1])
    out[:first] = times[0] - tempo[0] * (score_onsets[first] - score_onsets[:first])
    out[last + 1 :] = times[-1] + tempo[-1] * (score_onsets[last + 1 :] - score_onsets[last])
    return in_order(out, duration)


def passages_played(
    passages: tuple[Passage, ...], score_onsets: Float64, beats: Beats | None
) -> tuple[PlayedPassage, ...]:
    """Return where passages are in the recording and in the score, with bars where it has them.

    Examples
    --------
    >>> passages_played((Passage(1, 2, np.array([0.5, 1.0])),), np.arange(4.0), None)[0].score_end
    2.0
    """
    out = []
    for p in passages:
        written = score_onsets[[p.first, p.last]]
        bars = None
        if beats is not None:
            first, last = beats.at(written)[0].tolist()
            bars = (first, last)
        start, end = p.times[[0, -1]].tolist()
        out.append(PlayedPassage(start, end, float(written[0]), float(written[1]), bars))
    return tuple(out)


def out_of_order(
    passages: tuple[PlayedPassage, ...], index: IntArray, onsets: Float64
) -> IntArray:
    """Return the notes that passages hold, and that are none of `index`.

    They are played before notes that stand before them in the score, so they have no times.
    `onsets` [shape=(N,)] are those of all notes, in seconds of the score.

    Examples
    --------
    >>> swapped = PlayedPassage(0.0, 2.0, 4.0, 6.0), PlayedPassage(2.0, 4.0, 0.0, 2.0)
    >>> out_of_order(swapped, np.array([4, 5, 6]), np.arange(7.0))
    array([0, 1, 2])
    """
    within = np.zeros(onsets.size, dtype=np.bool_)
    for p in passages:
        start, end = p.score_start - _ROUNDING, p.score_end + _ROUNDING
        within |= (onsets >= start) & (onsets <= end)
    within[index] = False
    return np.flatnonzero(within)


def described_part(passages: tuple[PlayedPassage, ...], index: IntArray, onsets: Float64) -> str:
    """Return which passages are played, and which of the notes are none of `index`.

    `onsets` [shape=(N,)] are those of all notes, in seconds of the score.

    Examples
    --------
    >>> part = (PlayedPassage(0.5, 9.0, 10.0, 20.0),)
    >>> described_part(part, np.arange(10, 21), np.arange(40.0))[:77]
    'the recording holds a part of the score: from 0.5 to 9.0 s 10.0 to 20.0 s of '
    """
    listed = "; ".join(map(str, passages))
    head = f"parts of the score, in this order: {listed}"
    if len(passages) == 1:
        head = f"a part of the score: {listed}"
    spans = sorted((p.score_start, p.score_end) for p in passages)
    if any(start < end - _ROUNDING for (_, end), (start, _) in itertools.pairwise(spans)):
        head += "; what is played more than once has the times of the playing that goes on"
    swapped = out_of_order(passages, index, onsets)
    missing = np.setdiff1d(np.arange(onsets.size), np.union1d(index, swapped))
    before, behind = (missing < index.min()).sum(), (missing > index.max()).sum()
    counts = {
        f"the first {before}": before,
        f"{missing.size - before - behind} in between": missing.size - before - behind,
        f"the last {behind}": behind,
    }
    rest = ""
    if missing.size:
        rest = (
            f"; these of the {onsets.size} notes of the score seem not to have been played, and "
            f"their times mean nothing: {', '.join(name for name, n in counts.items() if n)}"
        )
    if swapped.size:
        rest += (
            f"; {swapped.size} notes are played in another order than that of the score, and "
            "their times mean nothing: align these parts by themselves"
        )
    return f"the recording holds {head}{rest}."


def known_repeats(score: Score, passages: Sequence[PlayedPassage]) -> str:
    """Return the letters of the repeats of a score, "?" for those that no passage leads through.

    Examples
    --------
    >>> from align.types import Note
    >>> score = replace(Score.of([Note(60, t) for t in (0.0, 1.0, 2.0, 3.0)]), repeats="yn")
    >>> score = replace(score, repeat_times=(1.0, 3.0))
    >>> known_repeats(score, [PlayedPassage(0.2, 1.9, 0.0, 2.0)])
    'y?'
    """
    if not passages:
        return score.repeats
    letters = ["?"] * len(score.repeats)
    last = float(score.onsets[-1])
    for k, time in enumerate(score.repeat_times[: len(letters)]):
        later = score.onsets[score.onsets >= time - _ROUNDING]
        behind = later[0] if later.size else last
        if any(p.score_start < time - _ROUNDING and behind <= p.score_end for p in passages):
            letters[k] = score.repeats[k]
    return "".join(letters)


def seconds_again(passages: tuple[Passage, ...]) -> float:
    """Return for how long chords are played once more; what lasts less than two seconds is none.

    Examples
    --------
    >>> first, again = Passage(0, 2, np.arange(3.0)), Passage(0, 4, np.arange(4.0, 9.0))
    >>> seconds_again((first,)), seconds_again((first, again))
    (0.0, 2.0)
    """
    last, total = -1, 0.0
    for passage in passages:
        again = passage.times[: max(last + 1 - passage.first, 0)]
        if again.size > 1 and again[-1] - again[0] >= _AGAIN:
            total += float(again[-1] - again[0])
        last = max(last, passage.last)
    return total
