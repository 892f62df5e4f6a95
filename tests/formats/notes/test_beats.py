"""Bars and beats of scores: time signatures, pick-ups, repeats."""

import importlib.util
from pathlib import Path

import mido
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.errors import DataError, ParameterError
from align.formats.music_files import write_music
from align.formats.notes.beat_table import played_beats
from align.formats.scores import Score, read_score
from align.formats.scores.beats import Beats, beats_of_bars
from align.results.music import MusicAlignment
from align.types import Note, PlayedPassage


def midi(path: Path, metres: list[tuple[int, int, int]], quarters: int) -> Score:
    """Read a score of quarters with time signatures (after how many quarters, n, kind)."""
    file = mido.MidiFile(ticks_per_beat=480)
    signatures, notes = mido.MidiTrack(), mido.MidiTrack()
    before = 0
    for at, n, kind in metres:
        wait = (at - before) * 480
        signatures.append(
            mido.MetaMessage("time_signature", numerator=n, denominator=kind, time=wait)
        )
        before = at
    for k in range(quarters):
        notes.append(mido.Message("note_on", note=60 + k % 12, velocity=64))
        notes.append(mido.Message("note_off", note=60 + k % 12, time=480))
    file.tracks += [signatures, notes]
    file.save(path)
    return read_score(path)


def counted(score: Score) -> list[tuple[int, float]]:
    assert score.beats is not None
    bars, beats = score.beats.at(score.onsets)
    return [(int(bar), float(beat)) for bar, beat in zip(bars, beats, strict=True)]


def test_bars_of_midi_follow_the_time_signatures(tmp_path: Path) -> None:
    score = midi(tmp_path / "a.mid", [(0, 3, 4), (3, 2, 4), (5, 6, 8)], 8)
    assert counted(score) == [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (3, 1), (3, 3), (3, 5)]
    np.testing.assert_allclose(score.beats.per_minute([0.0, 2.5]), [120, 240])


def test_a_short_first_bar_is_a_pick_up(tmp_path: Path) -> None:
    score = midi(tmp_path / "a.mid", [(0, 1, 4), (1, 3, 4)], 5)
    assert counted(score) == [(0, 3), (1, 1), (1, 2), (1, 3), (2, 1)]


def test_midi_without_a_time_signature_has_no_bars(tmp_path: Path) -> None:
    assert midi(tmp_path / "a.mid", [], 4).beats is None


BAR = '<measure number="{0}">{1}{2}{3}</measure>'
NOTE = (
    "<note><pitch><step>C</step><octave>4</octave></pitch><duration>1</duration>"
    "<voice>1</voice><type>quarter</type></note>"
)
FIRST = (
    "<attributes><divisions>1</divisions><time><beats>3</beats><beat-type>4</beat-type></time>"
    "<clef><sign>G</sign><line>2</line></clef></attributes>"
)
AGAIN = '<barline location="right"><repeat direction="backward"/></barline>'


@pytest.mark.parametrize("repeats", [True, False])
@pytest.mark.parametrize("pick_up", [True, False])
def test_notation_counts_as_it_is_played(tmp_path: Path, repeats: bool, pick_up: bool) -> None:
    if importlib.util.find_spec("partitura") is None:
        pytest.skip("partitura is not installed (extra scores)")
    bars = [BAR.format(0, FIRST, NOTE, "")] if pick_up else []
    bars.append(BAR.format(1, "" if pick_up else FIRST, 3 * NOTE, "" if pick_up else AGAIN))
    bars.append(BAR.format(2, "", 3 * NOTE, ""))
    if pick_up:  # the repeat begins at bar 1
        start = '<barline location="left"><repeat direction="forward"/></barline>'
        bars[1] = BAR.format(1, start, 3 * NOTE, AGAIN)
    path = tmp_path / "a.musicxml"
    path.write_text(
        '<?xml version="1.0"?><score-partwise version="3.1"><part-list><score-part id="P1">'
        '<part-name>x</part-name></score-part></part-list><part id="P1">'
        f"{''.join(bars)}</part></score-partwise>",
        encoding="utf-8",
    )
    bar = [(1, 1.0), (1, 2.0), (1, 3.0)]
    wanted = [(0, 3.0)] * pick_up + bar + bar * repeats + [(2, 1.0), (2, 2.0), (2, 3.0)]
    assert counted(read_score(path, repeats=repeats)) == wanted


@given(st.lists(st.integers(1, 12), min_size=1, max_size=20), st.floats(0.1, 2.0))
def test_every_beat_is_where_it_says(lengths: list[int], beat: float) -> None:
    ends = np.cumsum(lengths) * beat
    starts = ends - np.array(lengths) * beat
    numbers = range(1, len(lengths) + 1)
    beats = beats_of_bars(list(zip(starts, ends, map(float, lengths), numbers, strict=True)))
    assert beats is not None
    bars, places = beats.at(beats.times)
    np.testing.assert_array_equal(bars, beats.bars)
    np.testing.assert_array_equal(places, beats.numbers)
    np.testing.assert_allclose(np.diff(beats.times), beat)


def test_beats_that_cannot_be() -> None:
    assert beats_of_bars([]) is None
    assert beats_of_bars([(0.0, 1.0, 1e9, 1)]) is None
    with pytest.raises(ParameterError, match="must be finite and increase"):
        Beats(np.array([0.0, 0.0]), np.array([1, 1]), np.array([1.0, 2.0]))


@pytest.fixture
def aligned(tmp_path: Path) -> MusicAlignment:
    """Five quarters in 3/4 with a pick-up, played at twice the tempo from 1 s on."""
    score = midi(tmp_path / "a.mid", [(0, 1, 4), (1, 3, 4)], 5)
    return MusicAlignment.from_score(score, 1 + score.onsets / 2)


def test_tables_tell_bars_and_beats(aligned: MusicAlignment, tmp_path: Path) -> None:
    aligned.to_csv(tmp_path / "a.csv")
    lines = (tmp_path / "a.csv").read_text().splitlines()
    assert lines[0].endswith(",bar,beat")
    assert [line.split(",")[-2:] for line in lines[1:]] == [
        *(["0", "3"], ["1", "1"], ["1", "2"], ["1", "3"], ["2", "1"])
    ]
    MusicAlignment.from_csv(tmp_path / "a.csv")


def test_beats_are_played_with_their_chords(aligned: MusicAlignment, tmp_path: Path) -> None:
    sure = MusicAlignment(
        **{name: getattr(aligned, name) for name in ("events", "onsets", "beats")},
        confidence=[0.9, 0.8, 0.7, 0.6, 0.5],
    )
    for name in ("a.beats.csv", "a.beats.txt", "a.beats.svl", "a.tempo.csv"):
        write_music(tmp_path / name, sure)
    table = np.genfromtxt(tmp_path / "a.beats.csv", delimiter=",", names=True)
    np.testing.assert_allclose(table["performed_s"], sure.onsets)
    assert table["bar"].tolist() == [0, 1, 1, 1, 2]
    assert table["beat"].tolist() == [3, 1, 2, 3, 1]
    np.testing.assert_allclose(table["bpm"], 240)  # twice 120
    np.testing.assert_allclose(table["confidence"], sure.confidence)
    tempo = np.genfromtxt(tmp_path / "a.tempo.csv", delimiter=",", names=True)
    np.testing.assert_allclose(tempo["bpm"], 240)
    assert (tmp_path / "a.beats.txt").read_text().splitlines()[1] == "1.250000\t1.250000\t1.1"
    assert (tmp_path / "a.beats.svl").read_text().count("<point ") == 5


def test_beats_of_other_units_are_written_and_read_back(tmp_path: Path) -> None:
    score = midi(tmp_path / "a.mid", [(0, 6, 8), (3, 2, 2)], 7)
    found = MusicAlignment(score.notes, 1 + score.onsets, beats=score.beats)  # no score's file
    assert score.beats is not None
    found.to_json(tmp_path / "a.json")
    beats = MusicAlignment.from_labels(tmp_path / "a.json").beats
    assert beats is not None
    assert beats.units.tolist() == score.beats.units.tolist() == [8] * 6 + [2] * 3
    found.to_midi(tmp_path / "b.mid", asynchrony=False)
    metres = [m for m in mido.MidiFile(tmp_path / "b.mid").tracks[0] if m.type == "time_signature"]
    assert [(m.numerator, m.denominator) for m in metres] == [(6, 8), (2, 2)]
    bare = (tmp_path / "a.json").read_text(encoding="utf-8").replace('"unit"', '"un"')
    (tmp_path / "old.json").write_text(bare, encoding="utf-8")
    old = MusicAlignment.from_labels(tmp_path / "old.json").beats
    assert old is not None
    assert set(old.units) == {4}


def test_a_beat_without_notes_lies_between_its_chords() -> None:
    beats = beats_of_bars([(0.0, 2.0, 4, 1)])
    notes = [Note(60, 0.5), Note(62, 1.5)]
    found = played_beats(MusicAlignment(notes, [2.0, 6.0], beats=beats, confidence=[0.9, 0.4]))
    assert found.labels == ["1.2", "1.3", "1.4"]  # the rest at first was not played
    np.testing.assert_allclose(found.times, [2.0, 4.0, 6.0])
    assert found.confidence is not None
    np.testing.assert_allclose(found.confidence, [0.9, 0.4, 0.4])


def test_beats_outside_the_passages_that_are_played_are_left_out() -> None:
    beats = beats_of_bars([(0.0, 4.0, 4, 1)])
    notes = [Note(60 + k, float(k)) for k in range(4)]
    part = (PlayedPassage(0.0, 1.0, 1.0, 2.0),)
    found = MusicAlignment(
        notes, [0, 0, 1, 1], 3.0, confidence=[0.0, 0.9, 0.9, 0.0], beats=beats, passages=part
    )
    assert played_beats(found).labels == ["1.2", "1.3"]
    # begun again: one passage is named, and every note is played
    whole = MusicAlignment(notes, [0, 1, 2, 3], 4.0, beats=beats, passages=part)
    assert played_beats(whole).labels == ["1.1", "1.2", "1.3", "1.4"]


def test_a_score_without_bars_has_no_beats_to_write(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not say its bars"):
        MusicAlignment([Note(60, 0.0)], [1.0]).to_beats(tmp_path / "a.beats.csv")
    assert not list(tmp_path.iterdir())


def test_json_keeps_beats(aligned: MusicAlignment, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    aligned.to_json(path)
    back = MusicAlignment.from_labels(path)
    assert aligned.beats is not None
    assert back.beats is not None
    for name in ("times", "bars", "numbers"):
        np.testing.assert_array_equal(getattr(back.beats, name), getattr(aligned.beats, name))
    assert '"bar": 0,\n   "beat": 3.0' in path.read_text()
    path.write_text(path.read_text().replace('"bar": 0', '"bar": 1e300'))
    with pytest.raises(DataError, match='"bar" of a beat is'):
        MusicAlignment.from_labels(path)


def test_pictures_have_bar_lines(aligned: MusicAlignment) -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    from align.show.plot import plot_alignment

    ax = plot_alignment(aligned)
    numbers = {text.get_text(): text.xy[0] for text in ax.texts}
    assert numbers == pytest.approx({"0": 1.0, "1": 1.25, "2": 2.0})
    plt.close(ax.figure)
