"""Right scores are told from wrong ones without a network, by the score read backwards."""

from dataclasses import replace
from pathlib import Path
from typing import cast

import mido
import numpy as np
import pytest
import soundfile
from music_examples import RATE, sound, write_piece, write_score

import align
from align.formats.scores import Score, read_score
from align.music.checking.backwards import _turned, follows_score, is_within
from align.music.checking.parts import other_way
from align.music.performances.performance import make_performance, read_signal
from align.music.performances.repeats import FoldedScore
from align.types import Note


@pytest.fixture(scope="module")
def pieces(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("pieces")
    return [write_piece(folder / str(seed), seed, n_notes=32) for seed in range(3)]


def test_right_scores_fit_better_forwards_and_wrong_ones_do_not(pieces: list[Path]) -> None:
    signals = [read_signal(folder / "audio.wav") for folder in pieces]
    scores = [read_score(folder / "score.mid") for folder in pieces]
    for i, signal in enumerate(signals):
        assert follows_score(make_performance(signal, scores[i]))
        assert not follows_score(make_performance(signal, scores[i - 1]))


def test_a_score_and_its_way_are_found_between_other_music(pieces: list[Path]) -> None:
    scores = [read_score(folder / "score.mid") for folder in pieces]
    played = [soundfile.read(folder / "audio.wav")[0] for folder in pieces]
    signal = read_signal(np.concatenate([played[1], played[0], played[1]]), rate=RATE)
    assert is_within(make_performance(signal, scores[0]))
    assert not is_within(make_performance(signal, scores[2]))

    class Folded:
        n_repeats = 1

        def unfolded(self, repeats: str) -> Score:
            once, length = scores[0].notes, scores[0].ends.max()
            again = [replace(n, onset=n.onset + length) for n in once] if repeats == "y" else []
            return replace(Score.of([*once, *again]), repeats=repeats)

    folded = cast(FoldedScore, Folded())
    for way in "yn":
        whole = make_performance(signal, folded.unfolded(way))
        assert other_way(whole, [0]) is None
        other = other_way(replace(whole, folded=folded), [0])
        assert (other is not None and other.score.repeats == "n") is (way == "y")


def test_a_score_is_turned_in_both_ways() -> None:
    score = Score.of([Note(60, 0.0), Note(64, 0.0), Note(67, 1.0)])
    score.durations[:] = 0.5, 1.0, 2.0
    by_onset, by_end = _turned(score)
    assert list(zip(by_onset.onsets, by_onset.pitches, strict=True)) == [(0, 67), (1, 60), (1, 64)]
    assert list(zip(by_end.onsets, by_end.pitches, strict=True)) == [(0, 67), (2, 64), (2.5, 60)]
    assert by_end.durations.tolist() == [2.0, 1.0, 0.5]


def test_an_unheard_instrument_is_not_taken_for_another_piece(pieces: list[Path]) -> None:
    model = align.load("piano")
    model.match_range_ = (0.97, 0.99)  # as if it found no more than of a wrong score
    right = model.align(pieces[0] / "audio.wav", pieces[0] / "score.mid")
    assert right.warnings[0].startswith("the recording follows the score, but its instruments are")
    assert right.confidence is not None
    assert 0.6 < np.mean(right.confidence) < 0.85  # less than of instruments it knows
    wrong = model.align(pieces[0] / "audio.wav", pieces[1] / "score.mid")
    assert "does not seem to be of this score" in wrong.warnings[0]
    assert wrong.confidence is not None
    assert wrong.confidence.max() == 0.0


def test_a_performance_that_is_taken_for_the_score_is_told(
    pieces: list[Path], tmp_path: Path
) -> None:
    model = align.load("piano")
    audio, score = pieces[0] / "audio.wav", pieces[0] / "score.mid"
    for late in (0.0, 0.012):
        chords = [(0.5 * k + late * j, 60 + 4 * j) for k in range(12) for j in range(3)]
        told = model.align(audio, write_score(tmp_path / "a.mid", chords)).warnings
        assert any("seems to be a performance itself" in text for text in told) is (late > 0)
    assert not any("performance" in text for text in model.align(audio, score).warnings)


def test_a_part_that_is_silent_is_told(tmp_path: Path) -> None:
    """Of two parts one is played: the other is named, and what is played is found."""
    high = [(0.5 * k, 72 + (0, 4, 7, 5)[k % 4]) for k in range(24)]
    low = [(0.5 * k, 51 + (0, 3, 6, 1)[k % 4]) for k in range(24)]
    played = [(t + 0.5, pitch) for t, pitch in high]
    soundfile.write(tmp_path / "a.wav", sound(played, 14.0), RATE)
    file = mido.MidiFile(write_score(tmp_path / "high.mid", high))
    file.tracks += mido.MidiFile(write_score(tmp_path / "low.mid", low)).tracks
    for track, name in zip(file.tracks, ("Flute", "Lute"), strict=True):
        track.insert(0, mido.MetaMessage("track_name", name=name))
    file.save(tmp_path / "a.mid")
    model = align.load("piano")
    model.match_range_ = (0.1, 0.3)
    found = model.align(tmp_path / "a.wav", tmp_path / "a.mid")
    assert any(w.startswith("the recording seems to be without Lute") for w in found.warnings)
    of_flute = np.array([note.part == "Flute" for note in found.notes])
    np.testing.assert_allclose(found.onsets[of_flute], [t for t, _ in played], atol=0.05)
    alone = model.align(tmp_path / "a.wav", tmp_path / "high.mid")
    assert not any("without" in w for w in alone.warnings)
