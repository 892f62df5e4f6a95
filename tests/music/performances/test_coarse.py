"""Coarse alignment of scores with recordings: rendered tones, its recursion, a real piece."""

from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.errors import ParameterError
from align.features import estimate_tuning, log_level, read_audio, semitone_bands
from align.formats.scores import Score, chords, read_note_truth, read_score
from align.formats.scores.note_rows import NoteRow
from align.music.performances import coarse
from align.music.performances.coarse import coarse_alignment

RATE, HOP = 8000, 0.01


def render(pitches, onsets, ends, seconds, rate=RATE, seed=0):
    """Decaying tones with four harmonics, over faint noise."""
    n = round(seconds * rate)
    x = 1e-4 * np.random.default_rng(seed).normal(size=n)
    for pitch, begin, end in zip(pitches, onsets, ends, strict=True):
        first, last = round(begin * rate), min(round(end * rate), n)
        t = np.arange(last - first) / rate
        f = 440 * 2 ** ((pitch - 69) / 12)
        tone = sum(0.6**h * np.sin(2 * np.pi * (h + 1) * f * t) for h in range(4))
        x[first:last] += (
            0.1 * tone * np.exp(-1.5 * t) * np.minimum(1, (last - first) / rate / 0.005)
        )
    return x.astype(np.float32)


def level_of(x):
    return log_level(semitone_bands(x, RATE, HOP))


def melody(n=40, seed=1):
    """A score with some chords, of 0.25 s a note, and the notes' indices in time."""
    rng = np.random.default_rng(seed)
    rows = []
    for k in range(n):
        size = 1 + (k % 4 == 0)
        rows += [NoteRow(k / 4, int(p), 0.25) for p in rng.choice(np.arange(50, 80), size, False)]
    return Score.of(rows)


def performed(score, warp, tail=0.0):
    onsets, ends = warp(score.onsets), warp(score.ends)
    return render(score.pitches, onsets, ends, float(ends.max()) + tail)


WARPS = {
    "as written": lambda s: s,
    "three times slower": lambda s: 3.0 * s,
    "twice as fast": lambda s: 0.5 * s,
    "slowing down": lambda s: s + 0.05 * s**2,
    "late, after silence": lambda s: 3.0 + 1.5 * s,
    "with a fermata": lambda s: 1.5 * s + 2.0 * (s > 4.9),
}


@pytest.mark.parametrize("name", WARPS)
def test_chords_are_found_whatever_the_tempo(name):
    score = melody()
    grouped = chords(score)
    found = coarse_alignment(level_of(performed(score, WARPS[name], 0.5)), HOP, score, grouped)
    truth = WARPS[name](grouped.onsets)
    assert found.times.shape == (40,)
    assert np.abs(found.times - truth).max() < 0.3
    assert np.abs(found.times - truth).mean() < 0.1
    assert 0 < found.cost < 1.4


def test_a_recording_may_begin_and_end_with_other_sounds():
    score = melody()
    music = performed(score, lambda s: 1.4 * s)
    clap = 0.02 * np.random.default_rng(5).normal(size=4 * RATE).astype(np.float32)
    x = np.concatenate([clap, music, clap])
    grouped = chords(score)
    found = coarse_alignment(level_of(x), HOP, score, grouped)
    assert np.abs(found.times - (4.0 + 1.4 * grouped.onsets)).max() < 0.4


@pytest.mark.parametrize("loud", [0.3, 1.0])
def test_talk_before_and_after_does_not_move_chords(loud):
    score = melody(12)
    onsets, ends = 1.4 * score.onsets, 1.4 * score.ends + 1.0
    music = render(score.pitches, onsets, ends, float(ends.max()))
    talk, _ = read_audio(files("align.data") / "north-wind.flac", RATE)
    talk = loud * talk * np.sqrt(np.mean(music**2) / np.mean(talk**2))
    x = np.concatenate([talk, music, talk]).astype(np.float32)
    grouped = chords(score)
    found = coarse_alignment(level_of(x), HOP, score, grouped)
    assert np.abs(found.times - (talk.size / RATE + 1.4 * grouped.onsets)).max() < 0.4


def test_wrong_and_missing_notes_do_not_matter():
    score = melody()
    rng = np.random.default_rng(3)
    played = rng.random(len(score)) > 0.1
    pitches = score.pitches + np.where(rng.random(len(score)) < 0.1, 1, 0)
    x = render(pitches[played], 2 * score.onsets[played], 2 * score.ends[played], 21.0)
    grouped = chords(score)
    found = coarse_alignment(level_of(x), HOP, score, grouped)
    assert np.abs(found.times - 2 * grouped.onsets).max() < 0.6


def test_a_note_that_is_never_ended_does_not_stretch_the_score():
    score = melody()
    level = level_of(performed(score, lambda s: 2 * s))
    stuck = replace(score, durations=np.where(np.arange(len(score)) == 20, 40.0, score.durations))
    grouped = chords(stuck)
    found = coarse_alignment(level, HOP, stuck, grouped)
    assert np.abs(found.times - 2 * grouped.onsets).max() < 0.4


def test_silence_around_the_music_is_left_out():
    score = melody(12)
    x = np.concatenate([np.zeros(5 * RATE), performed(score, lambda s: s), np.zeros(3 * RATE)])
    found = coarse_alignment(level_of(x.astype(np.float32)), HOP, score, chords(score))
    assert found.begin == pytest.approx(5.0, abs=0.16)
    assert found.end == pytest.approx(8.0, abs=0.31)


def test_another_score_costs_more():
    score, other = melody(seed=1), melody(seed=2)
    level = level_of(performed(score, lambda s: s))
    own = coarse_alignment(level, HOP, score, chords(score)).cost
    assert own + 0.2 < coarse_alignment(level, HOP, other, chords(other)).cost


def test_longer_frames_still_work():
    score = melody()
    level = level_of(performed(score, lambda s: 4 * s))
    found = coarse_alignment(level, HOP, score, chords(score), step=0.15)
    assert np.abs(found.times - 4 * chords(score).onsets).max() < 0.4


def test_frames_grow_where_memory_asks(monkeypatch):
    score = melody()
    level = level_of(performed(score, lambda s: 2 * s))
    asked = coarse_alignment(level, HOP, score, chords(score), step=0.2)
    monkeypatch.setattr(coarse, "_MOST_CELLS", (len(level) * HOP / 0.2) ** 2)
    grown = coarse_alignment(level, HOP, score, chords(score))
    np.testing.assert_array_equal(grown.times, asked.times)


@pytest.mark.parametrize("n_frames", [1, 3, 7, 40])
@pytest.mark.parametrize("n_notes", [1, 12])
def test_recordings_too_short_for_their_score(n_frames, n_notes):
    level = np.full((n_frames, 99), 5.0, dtype=np.float32)
    score = melody(n_notes)
    found = coarse_alignment(level, HOP, score, chords(score))
    assert np.isfinite(found.times).all()
    assert (np.diff(found.times) >= 0).all()
    assert found.times.min() >= 0
    assert found.times.max() <= n_frames * HOP


def test_notes_without_length():
    score = Score.of([NoteRow(1.0, 60, 0.0), NoteRow(1.0, 108, 0.0)])
    found = coarse_alignment(np.ones((100, 99), np.float32), HOP, score, chords(score))
    assert found.times.shape == (1,)


# The recursion ----------------------------------------------------------------------------------


def naive_warp(cost, free_start, free_end):
    """Least cost, and the first row paired with each column, from the whole matrix."""
    n, m = cost.shape
    best = np.full((n, m), np.inf)
    came = np.zeros((n, m), dtype=int)
    for i in range(n):
        for j in range(m):
            ways = [np.inf] * 4
            if i and j:
                ways[0] = best[i - 1, j - 1] + 1.5 * cost[i, j]
            if i:
                ways[1] = best[i - 1, j] + cost[i, j]
            if j:
                ways[2] = best[i, j - 1] + cost[i, j]
            if j == 0:
                ways[3] = i * free_start + cost[i, j]
            came[i, j] = int(np.argmin(ways))
            best[i, j] = min(ways)
    last = best[:, -1] + (n - 1 - np.arange(n)) * free_end
    i, j, visited = int(last.argmin()), m - 1, np.full(m, np.nan)
    while True:
        visited[j] = i
        step = came[i, j]
        if step == 3:
            return last, visited
        i, j = i - (step != 2), j - (step != 1)


@given(st.integers(1, 30), st.integers(1, 30), st.integers(0, 99), st.floats(0.2, 3.0))
def test_the_recursion_is_exact(n, m, seed, free):
    cost = np.random.default_rng(seed).random((n, m)).astype(np.float32)
    before, steps = np.empty(m), np.empty((n, m), dtype=np.uint8)
    finish, visited = np.empty(n), np.empty(m)
    for begin in range(0, n, 7):  # in blocks, as it is used
        part = slice(begin, begin + 7)
        coarse._advance(cost[part], begin, free, before, steps[part], finish[part])
    total = finish + (n - 1 - np.arange(n)) * free
    coarse._trace(steps, int(total.argmin()), visited)
    last, expected = naive_warp(cost.astype(np.float64), free, free)
    np.testing.assert_allclose(total, last, rtol=1e-9)
    np.testing.assert_array_equal(visited, expected)


@pytest.mark.parametrize("taken", [False, True])
def test_the_cost_of_the_path_says_which_repeats_were_played(taken):
    triads = (48, 60, 64, 67), (53, 60, 65, 69), (43, 59, 62, 67), (45, 60, 64, 72)
    order = np.random.default_rng(0).integers(0, 4, 12)
    once, again = (
        Score.of([NoteRow(0.5 * k, p, 0.5) for k, c in enumerate(way) for p in triads[c]])
        for way in (order, [*order[:6], *order])
    )
    x = performed(again if taken else once, lambda s: 0.5 * s)
    x += 0.02 * np.random.default_rng(1).normal(size=x.size).astype(np.float32)
    level = level_of(x)
    costs = [coarse_alignment(level, HOP, way, chords(way)).path_cost for way in (once, again)]
    assert (costs[1] < costs[0]) == taken


# Errors -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"level": np.zeros((5, 12), np.float32)}, r"level.shape=\(5, 12\), must be \(T, 99\)"),
        ({"level": np.zeros((0, 99), np.float32)}, "T > 0"),
        ({"level": np.zeros((50, 99), np.float32)}, "the recording is silent"),
        ({"hop": 0.0}, "hop=0.0 s"),
        ({"step": -1.0}, "step=-1.0 s"),
        ({"chords": chords(melody(3))}, "do not belong to a score of 50"),
    ],
)
def test_wrong_arguments(change, message):
    score = melody()
    arguments = {
        "level": np.ones((50, 99), np.float32),
        "hop": HOP,
        "score": score,
        "chords": chords(score),
        **change,
    }
    with pytest.raises(ParameterError, match=message):
        coarse_alignment(**arguments)


def test_a_real_piece(shared_data):
    """Mozart, K. 545, third movement, on a Disklavier."""
    piece = shared_data / "music" / "disklavier" / "mz_545_3_ENSTDkCl"
    samples, rate = read_audio(piece / "audio.flac", rate=None)
    level = log_level(semitone_bands(samples, rate, tuning=estimate_tuning(samples, rate)))
    score = read_score(piece / "score.mid")
    grouped = chords(score)
    onsets = read_note_truth(piece / "truth.csv", score).onsets(len(score))
    truth = np.array([np.nanmean(onsets[member]) for member in grouped.members])
    found = coarse_alignment(level, round(HOP * rate) / rate, score, grouped)
    assert np.abs(found.times - truth).max() < 0.6
    assert np.abs(found.times - truth).mean() < 0.04


@pytest.mark.parametrize("parts", ["before", "after", "between"])
def test_noise_does_not_move_chords(parts):
    score = melody()
    x = performed(score, lambda t: 1.0 + 1.3 * t)
    rng = np.random.default_rng(0)
    noise = (0.1 * rng.normal(size=6 * RATE)).astype(np.float32)
    where = {"before": 0, "between": x.size // 2, "after": x.size}[parts]
    y = np.concatenate([x[:where], noise, x[where:]])
    found = coarse_alignment(level_of(y), HOP, score, chords(score))
    clean = coarse_alignment(level_of(x), HOP, score, chords(score)).times
    moved = clean + 6.0 * (clean >= where / RATE)
    assert np.median(np.abs(found.times - moved)) < 0.05
    assert np.mean(np.abs(found.times - moved) < 0.3) > 0.95


def test_music_without_noise_is_kept_whole():
    level = level_of(performed(melody(), lambda t: 1.0 + 1.3 * t))
    audio, width = coarse.averaged(level, 5)
    begin, end = coarse.active_part(audio)
    kept = coarse.playing_frames(audio, width * HOP)
    np.testing.assert_array_equal(kept, np.arange(begin, end))
