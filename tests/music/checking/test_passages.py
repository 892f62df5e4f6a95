"""Passages of a score: parts, sections left out or played again, other keys."""

import numpy as np
import pytest
import threadpoolctl
from hypothesis import given
from hypothesis import strategies as st

import align
from align.errors import ParameterError
from align.features.sound.pitch import LOWEST_BAND, N_BANDS
from align.formats.scores import Score, chords
from align.formats.scores.beats import beats_of_bars
from align.music.checking import passages
from align.music.checking.parts import (
    _last_playings,
    described_part,
    passages_played,
    seconds_again,
)
from align.music.checking.passages import Passage, find_cut, find_passages, find_whole
from align.music.performances.keys import check_key, described
from align.types import Note


def test_a_cut_is_found_where_it_is():
    played = [*range(20), *range(24, 60)]
    found = find_cut(level_of(played), 0.01, SCORE, chords(SCORE), 1.0)
    assert [(p.first, p.last) for p in found] == [(0, 19), (24, 59)]


def test_passages_are_told_in_seconds_and_in_bars():
    beats = beats_of_bars([(2.0 * k, 2.0 * k + 2.0, 4, k + 1) for k in range(15)])
    found = (Passage(4, 10, np.arange(1.0, 8.0)), Passage(20, 30, np.arange(8.0, 19.0)))
    told = passages_played(found, chords(SCORE).onsets, beats)
    assert [passage.bars for passage in told] == [(2, 3), (6, 8)]
    assert (told[0].start, told[0].end) == (1.0, 7.0)
    assert (told[0].score_start, told[0].score_end) == (2.0, 5.0)
    index = np.r_[4:11, 20:31]
    text = described_part(told, index, SCORE.onsets)
    assert "from 1.0 to 7.0 s bars 2 to 3 (2.0 to 5.0 s of the score); from 8.0" in text
    assert "; these of the 60 notes of the score seem not to have been played" in text
    assert text.endswith(": the first 4, 9 in between, the last 29.")
    again = described_part(told, np.arange(60), SCORE.onsets)
    assert "parts of the score, in this order" in again
    assert "not to have been played" not in again
    swapped = described_part(told[::-1], np.arange(20, 31), SCORE.onsets)
    assert ": the first 13, the last 29; 7 notes are played in another order than" in swapped
    assert "more than once" not in swapped


@pytest.mark.parametrize(
    ("played", "taken"),  # of a taken one also which
    [
        ([(0, 19), (10, 29)], [(0, 0, 9), (1, 10, 29)]),  # broken off, begun some bars before
        ([(0, 12), (0, 29)], [(1, 0, 29)]),  # a false start
        ([(0, 12), (5, 20), (18, 29)], [(0, 0, 4), (1, 5, 17), (2, 18, 29)]),
        ([(0, 29), (20, 29)], [(0, 0, 29)]),  # the end once more
        ([(0, 12), (2, 29)], [(1, 2, 29)]),  # two chords are not worth a jump
        ([(10, 19), (0, 9)], [(1, 0, 9)]),
        ([(0, 9), (20, 29)], [(0, 0, 9), (1, 20, 29)]),
    ],
)
def test_the_playing_that_goes_on_counts(played, taken):
    passages = [Passage(a, b, 100.0 * k + np.arange(a, b + 1)) for k, (a, b) in enumerate(played)]
    kept, times, breaks = _last_playings(tuple(passages))
    assert kept.tolist() == [chord for _, a, b in taken for chord in range(a, b + 1)]
    assert times.tolist() == [100 * k + c for k, a, b in taken for c in range(a, b + 1)]
    assert breaks == np.cumsum([b - a + 1 for _, a, b in taken])[:-1].tolist()


PITCHES = np.random.default_rng(4).integers(50, 80, 60)
SCORE = Score.of([Note(int(p), 0.5 * k) for k, p in enumerate(PITCHES)])


def level_of(played, before=0, shift=0):
    """Half a second for each note; before them, half seconds of other sounds."""
    rng = np.random.default_rng(1)
    level = np.zeros((50 * (len(played) + before), N_BANDS), dtype=np.float32)
    for k in range(before):
        level[50 * k : 50 * k + 50] = 10.0 + rng.normal(size=(50, N_BANDS))
    for k, note in enumerate(played, before):
        for above in (0, 12, 19):
            level[50 * k : 50 * k + 50, PITCHES[note] + shift - LOWEST_BAND + above] = 12.0
    return level


CASES = {
    "all": [(0, 60)],
    "beginning": [(0, 25)],
    "middle": [(20, 45)],
    "end": [(38, 60)],
    "a cut": [(0, 22), (40, 60)],
    "a repetition": [(0, 35), (15, 60)],
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("before", [0, 10])
def test_passages_are_found(name, before):
    spans = CASES[name]
    played = [k for first, last in spans for k in range(first, last)]
    found = find_passages(level_of(played, before), 0.01, SCORE, chords(SCORE))
    assert len(found.passages) == len(spans)
    start = 0.5 * before
    for passage, (first, last) in zip(found.passages, spans, strict=True):
        assert abs(passage.first - first) <= 2
        assert abs(passage.last - (last - 1)) <= 2
        true = start + 0.5 * (np.arange(passage.first, passage.last + 1) - first)
        assert np.abs(passage.times - true).max() < 1.1
        assert np.median(np.abs(passage.times - true)) < 0.2
        start += 0.5 * (last - first)
    assert (seconds_again(found.passages) > 0) == (name == "a repetition")


def test_noise_over_some_notes_parts_no_passages():
    level = level_of(range(60))
    level[1000:1200] = 10.0 + np.random.default_rng(1).normal(size=(200, N_BANDS))
    [whole] = find_passages(level, 0.01, SCORE, chords(SCORE)).passages
    assert whole.first <= 1
    assert whole.last >= 58
    true = 0.5 * np.arange(whole.first, whole.last + 1)
    assert np.abs(whole.times - true).max() < 1.1
    assert (np.diff(whole.times) >= 0).all()


@pytest.mark.parametrize("shift", [-7, -1, 0, 4, 7])
def test_the_key_is_found(shift):
    level = level_of(range(10, 50), shift=shift)
    found = find_passages(level, 0.01, SCORE, chords(SCORE), sorted({-8, -1, 0, 7, shift}))
    assert found.shift == shift


def naive(cost, outside, jump, uneven):
    """Dynamic programming over all frames and columns, outside as one more column."""
    n, m = cost.shape
    best = np.full((n + 1, m + 1), np.inf)
    best[0, m] = 0.0
    for i in range(n):
        reach = best[i].min()
        for j in range(m):
            ways = [best[i, j] + uneven, reach + jump]
            ways += [best[i, j - 1]] if j > 0 else []
            ways += [best[i, j - 2] + uneven] if j > 1 else []
            best[i + 1, j] = min(ways) + cost[i, j]
        best[i + 1, m] = reach + outside
    return best[n].min()


def cost_of(where, cost, outside, jump, uneven):
    """Cost of a path, which has -1 outside."""
    total, before = 0.0, -1
    for i, j in enumerate(where):
        if j < 0:
            total += outside
        else:
            step = {0: uneven, 1: 0.0, 2: uneven}.get(j - before, jump) if before >= 0 else jump
            total += cost[i, j] + min(step, jump)
        before = j
    return total


@pytest.mark.parametrize("shift", [0, 2])
@pytest.mark.parametrize("written", [0.6, 1.0, 1.7])  # seconds of the score for one played
def test_a_whole_score_is_found_between_others(shift, written):
    rng = np.random.default_rng(3)
    before, after = (level_of(rng.integers(0, 60, n).tolist()) for n in (80, 120))
    level = np.concatenate([before, level_of(range(60), shift=shift), after])
    score = Score.of([Note(n.pitch, n.onset * written) for n in SCORE.notes])
    begin, end, found, _ = find_whole(level, 0.01, score, range(-3, 4))
    assert found == shift
    assert begin == pytest.approx(40.0, abs=1.0)
    assert end == pytest.approx(70.0, abs=1.0)


def test_a_score_that_is_longer_than_the_recording_is_nowhere_in_it():
    score = Score.of([Note(n.pitch, n.onset * 30.0) for n in SCORE.notes])
    assert find_whole(level_of(range(60)), 0.01, score) == (0.0, 30.0, 0, -np.inf)


def test_the_way_that_is_played_between_others_is_worth_most():
    rng = np.random.default_rng(3)
    before, after = (level_of(rng.integers(0, 60, n).tolist()) for n in (40, 60))
    first, second = [*range(20)], [*range(20, 50)]
    level = np.concatenate([before, level_of(first + second + second), after])

    def worth(*chords):
        notes = [Note(int(PITCHES[c]), 0.5 * k) for k, c in enumerate(chords)]
        return find_whole(level, 0.01, Score.of(notes)).worth

    others = worth(*first, *second), worth(*first, *first, *second, *second)
    assert worth(*first, *second, *second) > max(others)


@given(
    st.integers(1, 20),
    st.integers(2, 20),
    st.integers(0, 99),
    st.floats(0.1, 1.0),
    st.floats(0.0, 3.0),
)
def test_the_recursion_is_exact(n, m, seed, outside, jump):
    cost = np.random.default_rng(seed).random((n, m)).astype(np.float32)
    steps, entered = np.empty((n, m), dtype=np.uint8), np.empty((n, 2), dtype=np.intp)
    before, state = np.full(m, np.inf), np.array([0.0, np.inf, -1.0])
    for begin in range(0, n, 7):  # in blocks, as it is used
        part = slice(begin, begin + 7)
        passages._advance(
            cost[part], outside, jump, 0.1, before, state, steps[part], entered[part]
        )
    least = min(state[0], state[1])
    assert least == pytest.approx(naive(cost, outside, jump, 0.1), abs=1e-5)
    where = np.empty(n, dtype=np.intp)
    last = int(state[2]) if state[1] <= state[0] else -1
    passages._trace(steps, entered, last, where)
    assert cost_of(where, cost, outside, jump, 0.1) == pytest.approx(least, abs=1e-5)


@pytest.mark.parametrize(
    ("transpose", "tuning", "message"),
    [(99, None, "transpose=99, must be"), (None, 44.0, "tuning=44.0, must be Hz of A4")],
)
def test_keys_that_no_recording_has(transpose, tuning, message):
    with pytest.raises(ParameterError, match=message):
        check_key(transpose, tuning)


def test_a_fraction_of_a_semitone_is_told_only_where_it_is_large():
    assert described(0, 0.4) is None
    assert "453 Hz" in (described(1, -0.495) or "")


RATE = 16000


def tones(pitches, semitones):
    x = np.zeros(round((0.44 * len(pitches) + 1.5) * RATE))
    for k, pitch in enumerate(pitches):
        t = np.arange(round(0.6 * RATE)) / RATE
        f = 440 * 2 ** ((pitch + semitones - 69) / 12)
        tone = sum(0.6**h * np.sin(2 * np.pi * (h + 1) * f * t) for h in range(4))
        first = round((0.5 + 0.44 * k) * RATE)
        x[first : first + t.size] += 0.1 * tone * np.exp(-4 * t)
    return x.astype(np.float32)


@pytest.mark.parametrize("semitones", [-5.0, 12 * np.log2(415 / 440), 7.0, -12.0])
def test_a_transposed_recording_is_aligned(semitones):
    pitches = PITCHES[:30]
    notes = [Note(int(p), 0.4 * k) for k, p in enumerate(pitches)]
    found = align.load("piano").align(tones(pitches, semitones), notes, rate=RATE)
    assert np.median(np.abs(found.onsets - 0.5 - 0.44 * np.arange(30))) < 0.03
    assert [note.pitch for note in found.notes] == pitches.tolist()
    assert found.transposition == round(semitones)
    assert not found.passages
    assert found.tuning is not None
    assert 69 + 12 * np.log2(found.tuning / 440) + round(semitones) == pytest.approx(
        69 + semitones, abs=0.1
    )
    said = [text for text in found.warnings if "than the score is written" in text]
    assert len(said) == 1
    fixed = align.load("piano").set_params(transpose=round(semitones))
    again = fixed.align(tones(pitches, semitones), notes, rate=RATE)
    assert np.median(np.abs(again.onsets - found.onsets)) < 0.02


def test_a_melody_in_another_key_has_many_of_the_same_notes():
    """It matches as a right score does, and was laid a note beside itself."""
    pitches = np.array(
        [60, 62, 64, 65, 67, 69, 67, 65, 64, 62, 64, 60, 67, 72, 71, 69, 67, 65, 64, 62]
    )
    notes = [Note(int(p) + 2, 0.4 * k) for k, p in enumerate(pitches)]
    found = align.load("piano").align(tones(pitches, 0.0), notes, rate=RATE)
    assert found.transposition == -2
    assert np.median(np.abs(found.onsets - 0.5 - 0.44 * np.arange(20))) < 0.03


def test_a_voice_that_slides_does_not_sing_a_semitone_higher():
    """Its slides and its vibrato touch the notes beside its own."""
    rng = np.random.default_rng(3)
    pitches = 60 + np.cumsum(rng.choice([-2, -1, 1, 2], 16))
    bounds = 0.5 + 0.44 * np.arange(17)
    t = np.arange(round(8.5 * RATE)) / RATE
    k = np.clip(np.searchsorted(bounds, t, side="right") - 1, 0, 15)
    slide = (pitches[np.maximum(k - 1, 0)] - pitches[k]) * np.exp(-(t - bounds[k]) / 0.04)
    slide *= t >= bounds[0]
    height = pitches[k] + slide + 0.6 * np.sin(2 * np.pi * 5.5 * t)
    phase = 2 * np.pi * np.cumsum(440 * 2 ** ((height - 69) / 12)) / RATE
    loud = 0.2 * (t >= 0.5) * (t < bounds[-1])
    x = loud * sum(np.sin(h * phase) / h for h in range(1, 8))
    notes = [Note(int(p) - 1, 0.4 * n) for n, p in enumerate(pitches)]
    found = align.load("piano").align(x.astype(np.float32), notes, rate=RATE)
    assert found.transposition == 1
    assert np.median(np.abs(found.onsets - bounds[:-1])) < 0.05


def test_a_repeat_that_the_score_has_not_is_found_though_its_notes_are_heard():
    """The few notes of a mode are in every bar: some were spread over the second playing."""
    mode = np.array([60, 62, 64, 65, 67, 69, 71, 72])
    pitches = mode[np.random.default_rng(9).integers(0, 8, 32)]
    played = np.concatenate([pitches[:16], pitches])
    notes = [Note(int(p), 0.4 * k) for k, p in enumerate(pitches)]
    found = align.load("piano").align(tones(played, 0.0), notes, rate=RATE)
    assert np.abs(found.onsets - (0.5 + 0.44 * np.arange(16, 48))).max() < 0.03
    assert (
        "what is played more than once has the times of the playing that goes on"
        in found.warnings[0]
    )
    assert len(found.passages) == 2


def test_passages_are_found_with_one_thread(monkeypatch):
    """What threads share in a sum is rounded in another order."""
    seen = set()
    costs = passages._Problem.cost

    def cost(*args):
        found = threadpoolctl.threadpool_info()
        seen.update(library["num_threads"] for library in found if library["user_api"] == "blas")
        return costs(*args)

    monkeypatch.setattr(passages._Problem, "cost", cost)
    level = np.random.default_rng(0).random((200, N_BANDS), dtype=np.float32)
    with threadpoolctl.threadpool_limits(2):
        find_passages(level, 0.05, SCORE, chords(SCORE))
    assert seen == {1}
