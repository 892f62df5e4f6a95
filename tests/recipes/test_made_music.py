"""Recordings that are made for training: what can be checked without a synthesiser."""

import csv
import inspect
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import mido
import numpy as np
import pytest

import align
from align.formats.scores import Score, read_score
from align.formats.scores.note_rows import NoteRow

MUSIC = Path(__file__).parents[2] / "recipes" / "music"


@pytest.fixture(scope="module")
def made() -> Iterator[ModuleType]:
    sys.path.insert(0, str(MUSIC))
    import made

    yield made
    sys.path.remove(str(MUSIC))


def scale(n: int = 40) -> Score:
    return Score.of([NoteRow(0.25 * k, 60 + k % 12, 0.5) for k in range(n)])


def test_notes_end_in_the_tempo_of_the_performance(made: ModuleType) -> None:
    score = scale()
    onsets = 3.0 * score.onsets + 1.0
    onsets[5] = np.nan
    played = made.as_performed(score, onsets, np.random.default_rng(0))
    lengths = (played.ends - played.onsets)[np.isfinite(onsets)]
    assert lengths.min() >= 3 * 0.5 * 0.7 - 1e-9
    assert lengths.max() <= 3 * 0.5 + 1e-9
    assert np.isnan(played.onsets[5])


def test_drawn_tempo_keeps_the_order_of_chords(made: ModuleType) -> None:
    parts = np.zeros(200, dtype=int)
    played = made.as_drawn(scale(200), parts, np.random.default_rng(1))
    assert 0 < np.isnan(played.onsets).mean() < 0.05
    assert np.diff(played.onsets[np.isfinite(played.onsets)]).min() > 0
    tempo = np.diff(played.onsets[np.isfinite(played.onsets)])
    assert tempo.std() / tempo.mean() > 0.05


def test_voices_are_ranks_in_full_chords(made: ModuleType) -> None:
    onsets = np.array([0.0, 0.0, 0.0, 0.0, 1.0])
    pitches = np.array([48, 55, 64, 72, 72])
    unknown = np.zeros(5, dtype=int)
    assert made.voices(onsets, pitches, unknown, 4).tolist()[:4] == [3, 2, 1, 0]
    assert made.voices(onsets, pitches, unknown, 1).tolist() == [0] * 5
    assert made.voices(onsets, pitches, np.array([3, 2, 1, 0, 0]), 2).tolist() == [1, 1, 0, 0, 0]


def test_notes_that_are_slurred_overlap_the_next_alone(made: ModuleType) -> None:
    onsets = 0.5 * np.arange(100)
    ends, slur = made.slurred(onsets, onsets + 0.45, np.arange(100) >= 0, np.random.default_rng(0))
    over = ends[:-1] - onsets[1:]
    assert set(over.round(6)) == {0.02, -0.05}
    assert 0.3 < np.mean(over > 0) < 0.7
    np.testing.assert_array_equal(slur, np.append(False, over > 0))
    chords = np.repeat(onsets[:50], 2)  # no voice of single notes
    ends, slur = made.slurred(chords, chords + 0.45, np.arange(100) >= 0, np.random.default_rng(0))
    np.testing.assert_array_equal(ends, chords + 0.45)
    assert not slur.any()


def test_the_file_of_a_performance_has_its_times(made: ModuleType, tmp_path: Path) -> None:
    onsets, pitches = np.array([0.1, 0.6004, 0.9]), np.array([60, 60, 64])
    voice = np.zeros(3, dtype=int)
    midi = made.performance_midi(
        onsets, onsets + 1.0, pitches, np.full(3, 70), voice, ((0,),), pedal=True
    )
    path = tmp_path / "played.mid"
    path.write_bytes(midi)
    score = read_score(path)
    np.testing.assert_allclose(score.onsets, onsets, atol=0.001)
    np.testing.assert_allclose(score.durations[0], 0.49, atol=0.002)  # released, then struck again
    messages = [m for m in mido.MidiFile(file=io.BytesIO(midi)) if m.type == "control_change"]
    assert {m.value for m in messages} == {0, 127}


def test_doubled_voices_are_played_on_two_channels(made: ModuleType, tmp_path: Path) -> None:
    onsets, pitches = np.array([0.1, 0.6]), np.array([72, 48])
    rng = np.random.default_rng(0)
    midi = made.performance_midi(
        onsets, onsets + 0.4, pitches, np.full(2, 70), np.arange(2), ((48, 73), (70,)), swell=rng
    )
    file = mido.MidiFile(file=io.BytesIO(midi))
    struck = {(m.channel, m.note) for m in file if m.type == "note_on" and m.velocity}
    assert struck == {(0, 72), (1, 72), (2, 48)}
    assert {m.channel for m in file if m.is_cc(68)} == {0, 1, 2}


def test_made_pieces_are_written_as_the_corpus_is(
    made: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(made, "synthesised", lambda *_: np.full(10 * made.RATE, 0.1))
    monkeypatch.setattr(made, "delays", lambda *_: np.full(128, 0.030))
    score = scale(30)
    played = made.as_performed(score, score.onsets + 0.2, np.random.default_rng(0))
    made.make(tmp_path / "piece-0", played, ((0,),), "none.sf2", np.random.default_rng(2))
    import align

    (example,) = align.read_corpus(tmp_path, kind="music")
    assert len(example.events) == 30
    found = example.onsets[np.isfinite(example.onsets)]
    # as loud and fast as the tuning makes it, half a second later
    assert abs(np.diff(found).mean() / 0.25 - 1) < 0.05
    assert found[0] == pytest.approx(0.73, abs=0.03)
    with open(tmp_path / "piece-0" / "truth.csv", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    late = [float(row["performed_onset_s"]) - float(row["key_onset_s"]) for row in rows]
    np.testing.assert_allclose(late, 0.030, rtol=0.05)


def test_slurred_notes_are_heard_at_once(
    made: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(made, "synthesised", lambda *_: np.full(10 * made.RATE, 0.1))
    monkeypatch.setattr(made, "delays", lambda _, program: np.full(128, program / 1000))
    score = scale(30)
    played = made.as_performed(score, score.onsets + 0.2, np.random.default_rng(0))
    made.make(tmp_path / "one-0", played, ((60, 73),), "none.sf2", np.random.default_rng(2))
    with open(tmp_path / "one-0" / "truth.csv", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    late = [float(row["performed_onset_s"]) - float(row["key_onset_s"]) for row in rows]
    attacked = np.abs(np.array(late) - 0.060) < 0.003  # the faster of the two that play
    slurred = np.abs(late) < 1e-6
    assert (attacked | slurred).all()
    assert attacked[0]
    assert 0.2 < slurred.mean() < 0.8


def test_delays_are_where_a_note_comes_near_its_loudest(
    made: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    import heard

    samples = np.zeros(int(heard.RATE * (len(heard.KEYS) * heard.EVERY + 1)))
    for k in range(len(heard.KEYS)):
        begin = int(heard.RATE * (0.5 + heard.EVERY * k))
        lasts = int(heard.RATE * heard.LASTS)
        time = np.arange(lasts) / heard.RATE
        loud = np.minimum(time / (0.1 if k < 10 else 0.3), 1.0)  # -15 dB at 18 % of the rise
        samples[begin : begin + lasts] = loud * np.sin(2000 * time) if k != 5 else 0.0
    monkeypatch.setattr(heard, "_alone", lambda *_: samples)
    found = heard.delays("none.sf2", -1)
    assert found.shape == (128,)
    np.testing.assert_allclose(found[21:48], 0.018, atol=0.004)
    np.testing.assert_allclose(found[55:], 0.053, atol=0.004)
    monkeypatch.setattr(heard, "_alone", lambda *_: np.zeros_like(samples))
    assert not heard.delays("none.sf2", -2).any()


def test_a_network_learns_further_from_what_it_had_and_is_kept(
    made: ModuleType, tmp_path: Path
) -> None:
    from networks import FurtherNetwork, KeptNetwork, music_of

    from align.features import Signal, TimedNotes

    rng = np.random.default_rng(0)
    samples = rng.normal(size=(2, 30_000)).astype(np.float32)
    pitches, onsets = np.array([60, 64, 67]), np.array([0.5, 1.5, 2.5])
    real, other = (
        TimedNotes(Signal(own, 8000, 0.01), pitches, onsets + k, None, 0.3)
        for k, own in enumerate(samples)
    )
    settings = {"width": 4, "steps": 4, "batch": 2, "random_state": 0}
    first = KeptNetwork(tmp_path, **settings).fit([TimedNotes(real.signal, pitches, onsets)])
    network = FurtherNetwork(tmp_path, {music_of(real): 1.0}, 3, **settings).fit([real, other])
    assert len(list(tmp_path.iterdir())) == 2  # the first was found, not trained again
    kept = FurtherNetwork(tmp_path, {music_of(real): 1.0}, 3, **settings).fit([other, real])
    told = [n.scores(other.signal, pitches) for n in (first, network, kept)]
    assert np.abs(told[0] - told[1]).max() > 1e-6
    np.testing.assert_array_equal(told[1], told[2])


def test_the_recipe_of_ends_calibrates_as_it_is_asked_to(made: ModuleType) -> None:
    import offsets

    own, asked = (
        list(inspect.signature(each._calibrate).parameters)
        for each in (offsets.PlacingAligner, align.MusicAligner)
    )
    assert own == asked
