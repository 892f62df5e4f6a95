"""A performance is followed while it is played."""

from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest

import align
from align.errors import DataError, ParameterError
from align.features import read_audio
from align.formats.scores import Score, read_score
from align.music.tracking import Tracker

PIECE = files("align.data") / "minuet"


@pytest.fixture(scope="module")
def model():
    return align.load("piano")


@pytest.fixture(scope="module")
def samples():
    return read_audio(PIECE / "audio.flac", 22050)[0]


@pytest.fixture(scope="module")
def offline(model):
    return model.align(PIECE / "audio.flac", PIECE / "score.mid").onsets


def followed(model, samples, score=PIECE / "score.mid", rate=22050, block=2205, **options):
    follower = model.follow(score, rate, **options)
    told = []
    for at in range(0, len(samples), block):
        told += follower.feed(samples[at : at + block])
    return told + follower.finish()


def heard(told, n):
    """When each note was heard; of one that was told again, the last time."""
    times = np.full(n, np.nan)
    for chord in told:
        times[list(chord.notes)] = chord.times
    return times


def test_the_notes_are_those_found_afterwards_and_told_in_time(model, samples, offline):
    told = followed(model, samples[: 12 * 22050], block=221)
    off = np.abs(heard(told, len(offline)) - offline)[offline < 11.5]
    assert np.mean(off < 0.1) > 0.95
    assert np.nanmedian(off) < 0.01
    late = [chord.reported - min(chord.times) for chord in told]
    assert max(late) < 0.3 + 0.07  # of a chord whose notes are not together, the first is earlier
    assert all(0.5 < chord.tempo < 2 for chord in told)


def test_loud_chords_of_the_same_keys_are_each_reported_once(model):
    """What fits a chord as well fits the next one: neither runs ahead, nor comes twice."""
    rate, keys, onsets = 22050, (44, 51, 56, 60, 63, 68, 72), 0.3 * np.arange(10)
    t = np.arange(int(0.6 * rate)) / rate
    chord = sum(
        np.sin(2 * np.pi * 440 * 2 ** ((key - 69) / 12) * harmonic * t)
        * (harmonic**-1.5 * np.exp(-t * (2 + harmonic)))
        for key in keys
        for harmonic in range(1, 9)
    )
    sound = np.zeros(int(4.5 * rate))
    for onset in onsets:
        at = int((onset + 0.5) * rate)
        sound[at : at + t.size] += chord
    score = [align.Note(key, onset) for onset in onsets for key in keys]
    told = followed(model, (0.5 * sound / np.abs(sound).max()).astype(np.float32), score)
    assert [chord.written for chord in told] == pytest.approx(onsets)
    assert [chord.times[0] for chord in told] == pytest.approx(onsets + 0.5, abs=0.03)


def test_nothing_begins_before_the_sound(model, samples, offline):
    told = followed(model, samples[int((offline[0] + 0.01) * 22050) :][:11025])
    assert told[0].times
    assert not np.signbit(np.concatenate([chord.times for chord in told])).any()


def test_the_size_of_blocks_does_not_matter(model, samples):
    some = samples[: 6 * 22050]
    one, other = (followed(model, some, block=block) for block in (500, 7001))
    assert [chord[:3] for chord in one] == [chord[:3] for chord in other]


def test_sound_of_a_higher_rate(model, samples, offline):
    import soxr

    some = soxr.resample(samples[: 6 * 22050], 22050, 48000).astype(np.float32)
    times = heard(followed(model, some, rate=48000), len(offline))
    near = offline < 5
    assert np.mean(np.abs(times - offline)[near] < 0.05) > 0.9


def test_it_finds_its_way_after_a_repeat_and_a_cut(model, samples, offline):
    """Played: the beginning until 6 s, then from 3 s until 8 s again, then on from 12 s."""
    parts = [samples[begin * 22050 : end * 22050] for begin, end in ((0, 6), (3, 8), (12, 17))]
    told = followed(model, np.concatenate(parts))
    for begin, end, later in ((7.5, 10.5, 3.0), (12.5, 15.5, -1.0)):  # 1.5 s after each jump
        off = [
            time - later - offline[note]
            for chord in told
            for note, time in zip(chord.notes, chord.times, strict=True)
            if begin < time < end
        ]
        assert len(off) > 5
        assert np.mean(np.abs(off) < 0.1) > 0.8


def test_a_key_is_told_beforehand(model, samples, offline):
    score = read_score(PIECE / "score.mid")
    lower = replace(score, pitches=score.pitches - 2)
    some = samples[: 2 * 22050]
    raised = align.load("piano").set_params(transpose=2)
    assert followed(raised, some, lower)[0][:3] == followed(model, some, score)[0][:3]


def test_nothing_is_told_of_silence(model):
    assert followed(model, np.zeros(44100, dtype=np.float32)) == []


def test_what_cannot_be_followed(model):
    with pytest.raises(ParameterError, match=r"lag=0.2 s, must be at least 0\.21 s"):
        model.follow(PIECE / "score.mid", 22050, lag=0.2)
    with pytest.raises(ParameterError, match="rate=100 Hz"):
        model.follow(PIECE / "score.mid", 100)
    with pytest.raises(DataError, match="which no piano has"):
        model.follow([align.Note(10, 0.0)], 22050)
    follower = model.follow(PIECE / "score.mid", 22050)
    with pytest.raises(ParameterError, match="must be"):
        follower.feed(np.full(3, np.nan))
    with pytest.raises(ParameterError, match="must be"):
        follower.feed(np.zeros((3, 2)))


# The tracker -----------------------------------------------------------------------------------


def test_the_tracker_follows_the_score_itself():
    rng = np.random.default_rng(0)
    onsets = np.cumsum(rng.choice([0.25, 0.5], 60))
    notes = [align.Note(int(rng.integers(48, 80)), float(t)) for t in onsets]
    tracker = Tracker(Score.of(notes))
    found = [tracker.advance(frame[None]).written for frame in tracker.written]
    true = tracker.origin + 0.05 * np.arange(tracker.n)
    assert np.median(np.abs(found - true)[40:]) < 0.2
    tracker = Tracker(Score.of(notes))
    slow = [tracker.advance(frame[None]) for frame in np.repeat(tracker.written, 2, axis=0)]
    assert np.median([place.speed for place in slow[80:]]) == pytest.approx(0.5, rel=0.2)
    tracker = Tracker(Score.of(notes))
    middle = len(tracker.written) // 2
    jumped = [tracker.advance(frame[None]).written for frame in tracker.written[:100]]
    jumped = [tracker.advance(frame[None]).written for frame in tracker.written[middle:]]
    assert np.median(np.abs(jumped - true[middle:])[60:]) < 0.3


def test_the_tracker_moves_as_it_says():
    rng = np.random.default_rng(1)
    notes = [align.Note(int(rng.integers(48, 80)), float(t)) for t in np.arange(0.0, 2.0, 0.2)]
    tracker = Tracker(Score.of(notes))
    tracker.p = rng.random(tracker.p.shape).astype(np.float32)
    going, still = tracker.p[:-1].astype(float), tracker.p[-1].astype(float)
    change, halt, go_on, anywhere = 0.03, 0.001, 0.4, 1e-5
    speeds = np.geomspace(0.35, 2.9, len(going))
    arrived = np.zeros_like(going)
    for row in range(len(speeds)):
        for place in range(tracker.n):
            near = [(row, 1 - 2 * change), (row - 1, change), (row + 1, change)]
            mass = sum(w * going[r, place] for r, w in near if 0 <= r < len(speeds))
            whole = int(speeds[row])
            for to, share in (
                (place + whole, 1 - speeds[row] % 1),
                (place + whole + 1, speeds[row] % 1),
            ):
                if to < tracker.n:
                    arrived[row, to] += share * mass
    expected = np.vstack([(1 - halt) * arrived, (1 - go_on) * still + halt * arrived.sum(axis=0)])
    expected[:-1] += tracker.begin[:, None] * (go_on * still + anywhere / tracker.n)
    profile = rng.random((1, tracker.written.shape[1]), dtype=np.float32)
    expected *= np.exp(2.0 * (tracker.written @ profile[0]))
    tracker.advance(profile)
    assert tracker.p == pytest.approx(expected / expected.sum(), rel=1e-4, abs=1e-9)
