"""Notes and bars that were not played, and music that is not in the score."""

from types import SimpleNamespace

import numpy as np
import pytest
from music_examples import RATE, sound

import align
from align.formats.scores import Score
from align.formats.scores.beats import beats_of_bars
from align.music.checking.mismatches import LISTED, score_mismatches, unplayed_of, wrong_score
from align.music.performances.coarse import Sound
from align.music.placing.unplayed import (
    N_UNPLAYED,
    evidence_alone,
    spoiled_score,
    true_onsets,
)
from align.types import Note, PlayedPassage

PITCHES = np.random.default_rng(2).integers(50, 75, 40)
SCORE = Score.of([Note(int(p), 0.5 * k) for k, p in enumerate(PITCHES)])


def test_a_spoiled_score_says_which_notes_are_true():
    spoiled, source = spoiled_score(SCORE, np.random.default_rng(0), changed=0.2, added=0.1)
    again, _ = spoiled_score(SCORE, np.random.default_rng(0), changed=0.2, added=0.1)
    assert spoiled.notes == again.notes
    assert len(spoiled) == 44
    assert (source < 0).sum() == 12
    true = source >= 0
    assert (spoiled.pitches[true] == SCORE.pitches[source[true]]).all()
    assert (spoiled.onsets[true] == SCORE.onsets[source[true]]).all()
    wrong = spoiled.onsets[~true]
    assert np.isin(wrong, SCORE.onsets).all()
    for pitch, onset in zip(spoiled.pitches[~true], wrong, strict=True):
        assert pitch not in SCORE.pitches[onset == SCORE.onsets]
    played = true_onsets(source, SCORE.onsets + 1.0)
    assert np.isnan(played[~true]).all()
    assert (played[true] == spoiled.onsets[true] + 1.0).all()


def test_octaves_are_heard_without_the_score():
    """A network that knows the lower note takes the upper one for granted."""
    notes, group = SimpleNamespace(pitches=np.array([48, 60, 64, 60])), np.array([0, 0, 0, 1])
    piece = SimpleNamespace(notes=notes, chords=SimpleNamespace(group=group), signal=None)
    network = SimpleNamespace(logits=lambda _, pitches, *__: (pitches[:, None] - 53.0) * [-1, -2])
    evidence = np.full((4, 3 + N_UNPLAYED), 2.0)
    alone = evidence_alone(piece, network, np.arange(4), evidence)
    wanted = evidence.copy()
    wanted[1, [3, 4]] = np.log(1e-3 / (1 - 1e-3))  # as little as counts
    wanted[0, 8], wanted[1, 8] = 4.0, 2.0 * wanted[1, 4]
    np.testing.assert_allclose(alone, wanted)


def test_wrong_notes_are_listed():
    wrong = [7, 18, 29]
    notes = [Note(int(p) - 3 * (k in wrong), 0.4 * k) for k, p in enumerate(PITCHES)]
    played = [(0.5 + 0.44 * k, int(p)) for k, p in enumerate(PITCHES)]
    found = align.load("piano").align(sound(played, 19.5), notes, rate=RATE)
    assert found.unplayed is not None
    assert set(np.argsort(-found.unplayed)[:3]) == set(wrong)
    listed = [note for mismatch in found.mismatches for note in mismatch.notes]
    assert set(listed) <= {f"n{k}" for k in wrong}
    assert listed
    first = found.mismatches[0]
    assert first.kind == "unplayed"
    assert first.start == pytest.approx(0.5 + 0.44 * int(first.notes[0][1:]), abs=0.05)
    assert str(first).startswith(f"from {first.start:.2f}")
    (warning,) = found.warnings
    assert warning.startswith("3 of 40 notes were probably not played")
    right = align.load("piano").align(
        sound(played, 19.5), [Note(int(p), 0.4 * k) for k, p in enumerate(PITCHES)], rate=RATE
    )
    assert (right.mismatches, right.warnings) == ((), ())
    corrected = found.corrected(found.onsets)
    assert corrected.unplayed is None
    assert corrected.mismatches == ()


def sounding(seconds, silent=(0.0, 0.0)):
    """Return a recording that sounds, but between two times, in frames of 50 ms."""
    at = 0.05 * np.arange(round(seconds / 0.05))
    return Sound((at < silent[0]) | (at >= silent[1]), 0.05)


def test_bars_and_stretches_are_listed():
    beats = beats_of_bars([(2.0 * k, 2.0 * k + 2.0, 4, k + 1) for k in range(10)])
    score = SCORE.take(np.arange(40))
    object.__setattr__(score, "beats", beats)
    index = np.r_[0:10, 20:40]
    unplayed = unplayed_of(np.full(30, 0.1), index, 40)
    unplayed[25] = 0.95
    passages = (PlayedPassage(1.0, 6.0, 0.0, 4.5), PlayedPassage(12.0, 22.0, 10.0, 19.5))
    chords = np.linspace(1.0, 22.0, 40)
    found = score_mismatches(
        score, unplayed, index, np.arange(40), chords, score.onsets, passages, sounding(23.0)
    )
    kinds = [(mismatch.kind, len(mismatch.notes)) for mismatch in found]
    assert kinds == [("unwritten", 0), ("unplayed", 10), ("unplayed", 1)]
    extra, bars, note = found
    assert (extra.start, extra.end) == (6.0, 12.0)
    assert bars.bars == (3, 5)
    assert bars.probability == pytest.approx(0.8)
    assert note.notes == ("n25",)
    assert note.end == chords[26]
    late = np.r_[chords[:20], chords[20:] + 9.0]
    every = np.arange(40)
    told = score, np.full(40, 0.1), every, every, late, score.onsets, ()
    [wait] = score_mismatches(*told, sounding(32.0))
    assert (wait.kind, wait.probability) == ("unwritten", pytest.approx(0.9))
    assert (wait.start, wait.end) == pytest.approx((chords[20], late[20]), abs=0.1)
    pause = sounding(32.0, silent=(chords[20] + 2.0, late[20]))
    assert score_mismatches(*told, pause) == ()


def test_a_warning_tells_as_many_notes_as_are_listed() -> None:
    unplayed = np.full(191, 0.01)
    unplayed[[5, 40, 90]] = 0.95
    unplayed[120] = LISTED
    warning = wrong_score(unplayed)
    assert warning is not None
    assert warning.startswith("4 of 191 notes were probably not played")
    part = wrong_score(unplayed, whole=False)
    assert part is not None
    assert part.startswith("4 of 191 notes of these passages were probably not played")
    unplayed[5] = 0.8  # which of the scores are warned of is decided by surer ones
    assert wrong_score(unplayed) is None
