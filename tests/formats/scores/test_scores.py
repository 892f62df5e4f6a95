"""Scores: MIDI, tables, notation, chords, unisons and the truth of their notes."""

import importlib.util
import itertools
import re
import sys
import types

import mido
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.errors import DataError, ParameterError
from align.formats.scores import Score, chords, distinct, read_note_truth, read_score
from align.formats.scores.note_rows import NoteRow
from align.types import Note


def on(pitch, time=0, channel=0, velocity=64):
    return mido.Message("note_on", note=pitch, time=time, channel=channel, velocity=velocity)


def off(pitch, time=0, channel=0):
    return mido.Message("note_off", note=pitch, time=time, channel=channel)


def tempo(bpm, time=0):
    return mido.MetaMessage("set_tempo", tempo=mido.bpm2tempo(bpm), time=time)


def write_midi(path, *tracks, ticks=480, kind=1):
    file = mido.MidiFile(type=kind, ticks_per_beat=ticks)
    file.tracks.extend(mido.MidiTrack(track) for track in tracks)
    file.save(path)
    return path


def rows(score):
    return [
        (int(p), round(float(t), 6), round(float(d), 6))
        for p, t, d in zip(score.pitches, score.onsets, score.durations, strict=True)
    ]


# MIDI -------------------------------------------------------------------------------------------


def test_tempo_changes_of_one_track_hold_for_all(tmp_path):
    path = write_midi(
        tmp_path / "a.mid",
        [tempo(60), tempo(120, 480)],  # one quarter lasts 1 s, then half a second each
        [on(60), off(60, 960), on(62), off(62, 480)],
        [on(48, 480, channel=1), off(48, 960, channel=1)],
    )
    assert rows(read_score(path)) == [(60, 0.0, 1.5), (48, 1.0, 1.0), (62, 1.5, 0.5)]


def test_tempo_changes_of_several_tracks_are_merged(tmp_path):
    path = write_midi(
        tmp_path / "a.mid", [tempo(60)], [tempo(30, 480), on(60), off(60, 480)], [on(50, 960)]
    )
    assert rows(read_score(path)) == [(60, 1.0, 2.0), (50, 3.0, 0.1)]


def test_timing_is_that_of_mido(tmp_path):
    rng = np.random.default_rng(0)
    track = [tempo(100)]
    for _ in range(200):
        pitch, gap = int(rng.integers(30, 90)), int(rng.integers(0, 500))
        track += [tempo(int(rng.integers(30, 240)), gap), on(pitch), off(pitch, 7)]
    path = write_midi(tmp_path / "a.mid", track, ticks=96)
    time, expected = 0.0, []
    for message in mido.MidiFile(path):
        time += message.time
        if message.type == "note_on":
            expected.append(time)
    np.testing.assert_allclose(read_score(path).onsets, sorted(expected), atol=1e-9)


def test_drums_do_not_count(tmp_path):
    path = write_midi(tmp_path / "a.mid", [on(40, channel=9), on(60, 480), off(60, 480)])
    assert rows(read_score(path)) == [(60, 0.5, 0.5)]


def test_voices_on_one_key_keep_their_own_ends(tmp_path):
    path = write_midi(
        tmp_path / "a.mid",
        [on(60), off(60, 960)],
        [on(60), off(60, 480)],
        [on(60, channel=3), on(60, 240, channel=3, velocity=0)],
    )
    assert sorted(rows(read_score(path))) == [(60, 0.0, 0.25), (60, 0.0, 0.5), (60, 0.0, 1.0)]


def test_a_key_struck_again_ends_in_the_order_it_began(tmp_path):
    path = write_midi(tmp_path / "a.mid", [on(60), on(60, 480), off(60, 480), off(60, 480)])
    assert rows(read_score(path)) == [(60, 0.0, 1.0), (60, 0.5, 1.0)]


def test_missing_and_superfluous_ends(tmp_path):
    path = write_midi(tmp_path / "a.mid", [off(70), on(60), on(62, 480), off(62, 480)])
    assert rows(read_score(path)) == [(60, 0.0, 0.1), (62, 0.5, 0.5)]


def test_grace_notes_that_end_before_they_begin(tmp_path):
    """As music21 writes them; the notes after them end where they do."""
    grace = [off(60, 480), on(60), on(62), off(62, 480)]
    path = write_midi(
        tmp_path / "a.mid", [*grace, on(60), off(60, 480), off(60), on(60), off(60, 240)]
    )
    found = [(60, 0.5, 0.1), (62, 0.5, 0.5), (60, 1.0, 0.5), (60, 1.5, 0.1)]
    assert rows(read_score(path)) == found
    plain = write_midi(tmp_path / "b.mid", [on(60), off(60, 480), on(60), off(60, 480)])
    assert rows(read_score(plain)) == [(60, 0.0, 0.5), (60, 0.5, 0.5)]


def test_format_0_and_other_messages(tmp_path):
    pedal = mido.Message("control_change", control=64, value=127)
    name = mido.MetaMessage("track_name", name="piano")
    path = write_midi(tmp_path / "a.midi", [name, pedal, on(60, 480), off(60, 480)], kind=0)
    score = read_score(path)
    assert rows(score) == [(60, 0.5, 0.5)]
    assert score.ids == ("n0",)
    assert not score.grace.any()


def test_format_2_is_refused(tmp_path):
    path = write_midi(tmp_path / "a.mid", [on(60)], kind=2)
    with pytest.raises(DataError, match=r"a\.mid: is a MIDI file of format 2.*format 0 or 1"):
        read_score(path)


def test_smpte_timing_is_refused(tmp_path):
    path = write_midi(tmp_path / "a.mid", [on(60), off(60, 10)])
    data = bytearray(path.read_bytes())
    data[12:14] = bytes([0xE7, 0x28])  # -25 frames of 40 ticks
    path.write_bytes(data)
    with pytest.raises(DataError, match="SMPTE timing"):
        read_score(path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"\x89PNG....", "is not a MIDI file"),
        (b"MThd", "damaged or truncated"),
        (b"MThd\0\0\0\6\0\1\0\1\1\xe0MTrk\0\0\0\x20\0\x90\x3c", "damaged or truncated"),
        (b"MThd\0\0\0\6\0\1\0\1\1\xe0MTrk\0\0\0\4\0\x3c\x40\0", "damaged or truncated"),
        (b"MThd\0\0\0\6\0\1\0\0\1\xe0", "has no notes"),
        (b"MThd\0\0\0\6\0\1\0\0\0\0", "SMPTE|damaged"),
    ],
)
def test_what_is_not_a_midi_file(tmp_path, data, message):
    path = tmp_path / "a.mid"
    path.write_bytes(data)
    with pytest.raises(DataError, match=message) as caught:
        read_score(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


@given(st.data())
def test_damaged_midi_is_an_error_or_a_score(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("midi") / "a.mid"
    write_midi(path, [tempo(90), on(60, 10), off(60, 200), on(62), off(62, 300)])
    damaged = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(damaged) - 1))
        damaged[at] = data.draw(st.integers(0, 255))
    path.write_bytes(damaged[: data.draw(st.integers(0, len(damaged)))])
    try:
        score = read_score(path)
    except DataError:
        return
    assert len(score) >= 1


def test_only_drums(tmp_path):
    path = write_midi(tmp_path / "a.mid", [on(40, channel=9)])
    with pytest.raises(DataError, match=r"has no notes \(the drums"):
        read_score(path)


def test_pitches_no_piano_has(tmp_path):
    path = write_midi(tmp_path / "a.mid", [on(60), off(60, 480), on(12), off(12, 9), on(127)])
    score = read_score(path)
    assert rows(score) == [(60, 0.0, 0.5)]
    assert score.outside == (Note(12, 0.5), Note(127, pytest.approx(0.509, abs=1e-3)))
    [text] = score.warnings
    assert text.startswith("2 notes lie outside the keys of a piano (21 to 108), the first C0 at")
    truth = tmp_path / "truth.csv"
    truth.write_text("score_onset_s,pitch,performed_onset_s\n0.5,12,1\n0,60,0.5\n")
    assert read_note_truth(truth, score).performed.tolist() == [0.5]


def test_only_pitches_no_piano_has(tmp_path):
    path = write_midi(tmp_path / "a.mid", [on(12), off(12, 9), on(127)])
    with pytest.raises(DataError, match=r"at 0\.000 s has pitch 12, outside .* \(2 such notes\)"):
        read_score(path)
    table = tmp_path / "a.csv"
    table.write_text("onset,pitch\n0,60\n1,440\n")
    with pytest.raises(DataError, match="pitch 440, outside"):
        read_score(table)


@pytest.mark.parametrize(
    "change",
    [
        lambda data: b"RIFF\0\0\0\0RMIDdata\0\0\0\0" + data,
        lambda data: data[:14] + b"XFIH\0\0\0\3abc" + data[14:],
        lambda data: data.replace(b"\xff\x59\x02\0\0", b"\xff\x59\x02\x0a\0"),
        lambda data: data.replace(b"\xff\x51\x03\x07\xa1\x20", b"\xff\x51\x03\0\0\0"),
        lambda data: data.replace(b"\x90<@", b"\x90<\xc8"),
    ],
)
def test_midi_that_is_odd_where_no_note_depends_on_it(tmp_path, change):
    key = mido.MetaMessage("key_signature", key="C")
    path = write_midi(tmp_path / "a.mid", [key, tempo(120), on(60), off(60, 480)])
    changed = change(path.read_bytes())
    assert changed != path.read_bytes()
    path.write_bytes(changed)
    assert rows(read_score(path)) == [(60, 0.0, 0.5)]


def test_missing_files_and_folders(tmp_path):
    with pytest.raises(DataError, match=r"none\.mid: does not exist"):
        read_score(tmp_path / "none.mid")
    (tmp_path / "folder.mid").mkdir()
    with pytest.raises(DataError, match="is a folder"):
        read_score(tmp_path / "folder.mid")
    with pytest.raises(DataError, match=r"not a score Align can read; its name must end in \.mid"):
        read_score(tmp_path / "song.pdf")


# Tables -----------------------------------------------------------------------------------------


def read_table(tmp_path, text, name="a.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_score(path)


def test_a_table_with_names(tmp_path):
    score = read_table(
        tmp_path, "id;Pitch;score_onset_s;duration;grace\nb;64;1.5;0.25;0\na;60;0.5;2;1\n"
    )
    assert rows(score) == [(60, 0.5, 2.0), (64, 1.5, 0.25)]
    assert score.ids == ("a", "b")
    assert score.grace.tolist() == [True, False]


def test_a_table_without_names_guesses_lengths(tmp_path):
    score = read_table(tmp_path, "0,60\n0,64\n0.25,62\n9,50\n")
    assert rows(score) == [(60, 0.0, 0.25), (64, 0.0, 0.25), (62, 0.25, 1.0), (50, 9.0, 1.0)]


def test_a_table_with_ends(tmp_path):
    assert rows(read_table(tmp_path, "onset\toffset\tmidi\n1\t1.5\t60\n", "a.tsv")) == [
        (60, 1.0, 0.5)
    ]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", None, "is empty"),
        ("onset,pitch\n", None, "has no notes, only the names"),
        ("time,pitch\n0,60\n", 1, "has no column 'onset'"),
        ("onset,pitch\n0,60\n-1,61\n", 3, "the onset is -1 s"),
        ("onset,pitch\n0,60.5\n", 2, r"the pitch is 60\.5, must be a whole"),
        ("onset,pitch\n0,H4\n", 2, "the pitch is 'H4', which is not a number"),
        ("onset,pitch\nnan,60\n", 2, "the onset is 'nan'"),
        ("onset,pitch\n0,60\n\n1,200\n", 4, "has pitch 200, outside"),
        ("onset,pitch\n0\n", 2, "has 1 columns here but needs 2"),
        ("onset,pitch,duration\n1,60,-2\n", 2, "ends 2 s before it begins"),
        ("onset,pitch,grace\n1,60,maybe\n", 2, "grace is 'maybe'"),
        ("onset,pitch\n1e9,60\n", 2, "more than a day"),
        ('onset,pitch\n"1,60\n', 2, "is not a table"),
    ],
)
def test_wrong_tables_name_the_line(tmp_path, text, line, message):
    with pytest.raises(DataError, match=message) as caught:
        read_table(tmp_path, text)
    assert caught.value.line == line


# Notation ---------------------------------------------------------------------------------------

XML_NOTE = """<note>{0}<pitch><step>{1}</step><octave>{2}</octave></pitch>{3}
<voice>1</voice><type>{4}</type>{5}</note>"""


def xml_note(step, octave=4, quarters=1, tie="", grace=False):
    length = "" if grace else f"<duration>{quarters}</duration>"
    ties = f'<tie type="{tie}"/>' if tie else ""
    tied = f'<notations><tied type="{tie}"/></notations>' if tie else ""
    kind = {1: "quarter", 2: "half", 4: "whole"}[quarters]
    return XML_NOTE.format("<grace/>" if grace else "", step, octave, length + ties, kind, tied)


def xml_score(*bars, transpose=0, bpm=0):
    moved = f"<transpose><chromatic>{transpose}</chromatic></transpose>" if transpose else ""
    sound = f'<sound tempo="{bpm}"/>' if bpm else ""
    first = (
        "<attributes><divisions>1</divisions><time><beats>4</beats><beat-type>4</beat-type>"
        f"</time><clef><sign>G</sign><line>2</line></clef>{moved}</attributes>{sound}"
    )
    body = "".join(
        f'<measure number="{i}">{first if i == 1 else ""}{bar}</measure>'
        for i, bar in enumerate(bars, start=1)
    )
    return (
        '<?xml version="1.0"?><score-partwise version="3.1"><part-list><score-part id="P1">'
        "<part-name>x</part-name></score-part></part-list>"
        f'<part id="P1">{body}</part></score-partwise>'
    )


@pytest.fixture
def read_xml(tmp_path):
    if importlib.util.find_spec("partitura") is None:
        pytest.skip("partitura is not installed (extra scores)")

    def read(text, name="a.musicxml"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return read_score(path)

    return read


def test_ties_are_joined_and_grace_notes_kept(read_xml):
    score = read_xml(
        xml_score(
            xml_note("C", quarters=2) + xml_note("D", grace=True) + xml_note("E", 4, 2, "start"),
            xml_note("E", 4, 2, "stop") + xml_note("F", quarters=2),
        )
    )
    assert rows(score) == [(60, 0.0, 1.0), (62, 1.0, 0.0), (64, 1.0, 2.0), (65, 3.0, 1.0)]
    assert score.grace.tolist() == [False, True, False, False]


def test_repeats_are_unfolded(read_xml):
    again = '<barline location="right"><repeat direction="backward"/></barline>'
    score = read_xml(xml_score(xml_note("C", quarters=4) + again, xml_note("D", quarters=4)))
    assert rows(score) == [(60, 0.0, 2.0), (60, 2.0, 2.0), (62, 4.0, 2.0)]
    assert len(set(score.ids)) == 3


def test_transposing_instruments_sound(read_xml):
    score = read_xml(xml_score(xml_note("C", quarters=4), transpose=-2))
    assert score.pitches.tolist() == [58]


def test_tempo_marks_are_followed(read_xml):
    score = read_xml(xml_score(xml_note("C", quarters=4), xml_note("D", quarters=4), bpm=60))
    assert rows(score) == [(60, 0.0, 4.0), (62, 4.0, 4.0)]


def test_broken_notation(read_xml, tmp_path):
    with pytest.raises(DataError, match=r"cannot be read as a score") as caught:
        read_xml("<score-partwise><part id='P9'></score-partwise>")
    assert "\n" not in str(caught.value)
    with pytest.raises(DataError, match="is empty"):
        read_xml("")


BROKEN_XML = {
    "part": (lambda text: text.replace('<part id="P1"', '<part id="P9"'), "is missing, or refers"),
    "step": (lambda text: text.replace("<step>C", "<step>H"), "is missing, or refers"),
    "octave": (lambda text: text.replace("<octave>4", "<octave>x"), "is missing, or refers"),
    "length": (lambda text: text.replace("<duration>4", "<duration>-4"), "non-negative"),
    "no length": (
        lambda text: text.replace("<duration>4</duration>", ""),
        "is missing, or refers",
    ),
    "no list": (lambda text: re.sub("<part-list>.*</part-list>", "", text), "has no notes"),
    "rest": (lambda text: re.sub("<pitch>.*</pitch>", "<rest/>", text), "has no notes"),
    "high": (lambda text: text.replace("<octave>4", "<octave>12"), "outside the piano"),
    "truncated": (lambda text: text[:200], "expected"),
    "kind": (lambda text: "<html></html>", "score-partwise"),
    "no tempo": (lambda text: text.replace("60", "0"), "is zero"),
    "negative tempo": (lambda text: text.replace('tempo="60"', 'tempo="-60"'), "not positive"),
    "no number": (lambda text: text.replace('tempo="60"', 'tempo="x"'), "could not convert"),
    "entities": (lambda text: f'<!DOCTYPE x [<!ENTITY a "b">]>{text[21:]}', "declares entities"),
}


@pytest.mark.parametrize("what", BROKEN_XML)
def test_hostile_notation_is_one_sentence(read_xml, what):
    change, message = BROKEN_XML[what]
    good = xml_score(xml_note("C", quarters=4), bpm=60)
    assert len(read_xml(good)) == 1
    with pytest.raises(DataError, match=message) as caught:
        read_xml(change(good))
    assert "\n" not in str(caught.value)
    assert "NoneType" not in str(caught.value)


def test_repeats_may_be_left_out(read_xml, tmp_path):
    again = '<barline location="right"><repeat direction="backward"/></barline>'
    read_xml(xml_score(xml_note("C", quarters=4) + again, xml_note("D", quarters=4)))
    score = read_score(tmp_path / "a.musicxml", repeats=False)
    assert rows(score) == [(60, 0.0, 2.0), (62, 2.0, 2.0)]


def test_no_partitura_is_one_clear_sentence(tmp_path, monkeypatch):
    path = tmp_path / "a.musicxml"
    path.write_text("<score-partwise/>", encoding="utf-8")
    monkeypatch.setitem(sys.modules, "partitura", None)
    with pytest.raises(
        DataError, match=r'partitura is not installed: pip install "margin-align\[scores\]"'
    ):
        read_score(path)


def test_partitura_that_cannot_reach_the_network(tmp_path, monkeypatch):
    path = tmp_path / "a.musicxml"
    path.write_text("<score-partwise/>", encoding="utf-8")

    class Offline:
        def find_spec(self, name, *_):
            if name == "partitura":
                raise OSError("no route to host")

    monkeypatch.delitem(sys.modules, "partitura", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Offline(), *sys.meta_path])
    with pytest.raises(DataError, match=r"import fails \(no route to host\)"):
        read_score(path)


def test_a_reader_that_fails_is_a_data_error(tmp_path, monkeypatch):
    path = tmp_path / "a.match"
    path.write_text("info", encoding="utf-8")
    broken = types.ModuleType("partitura")
    broken.load_match = lambda *_, **__: [][0]
    monkeypatch.setitem(sys.modules, "partitura", broken)
    with pytest.raises(DataError, match=r"cannot be read as a score \(something in it is missing"):
        read_score(path)


# Scores, chords, unisons ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pitches": np.array([60])}, "pitches.shape"),
        ({"onsets": np.array([1.0, 0.0])}, "never decrease"),
        ({"onsets": np.array([0.0, np.nan])}, "finite"),
        ({"durations": np.array([1.0, -1.0])}, "durations must not be negative"),
    ],
)
def test_scores_are_checked(change, message):
    good = {
        "pitches": np.array([60, 62]),
        "onsets": np.array([0.0, 1.0]),
        "durations": np.array([1.0, 1.0]),
        "ids": ("a", "b"),
        "grace": np.array([False, False]),
    }
    Score(**good)
    with pytest.raises(ParameterError, match=message):
        Score(**{**good, **change})


@pytest.mark.parametrize(("spread", "played"), [(0.0, False), (0.008, True), (0.9, False)])
def test_a_performance_is_known_by_its_chords(spread, played):
    rng = np.random.default_rng(0)
    onsets = np.repeat(np.arange(20.0), 3) + rng.uniform(0, 1, 60) * spread
    notes = [Note(60 + k % 3, float(t)) for k, t in enumerate(onsets)]
    assert Score.of(notes).is_performance is played
    assert not Score.of(notes[:20]).is_performance  # too little is known
    twice = [*notes, *notes]  # two parts in unison
    assert Score.of(twice).is_performance is played


def test_a_score_needs_notes():
    with pytest.raises(ParameterError, match="at least one note"):
        Score.of([])


onset_lists = st.lists(st.integers(0, 400), min_size=1, max_size=40)


@given(onset_lists, st.integers(0, 20))
def test_chords_are_the_connected_runs_of_onsets(onsets, tolerance):
    score = Score.of([Note(60, t / 1000) for t in onsets])
    found = chords(score, tolerance=(tolerance + 0.5) / 1000)
    expected = [0]
    ordered = sorted(onsets)
    for before, after in itertools.pairwise(ordered):
        expected.append(expected[-1] + (after - before > tolerance))
    assert found.group.tolist() == expected
    assert (np.diff(found.onsets) > 0).all()
    assert found.sizes.sum() == len(score)
    assert np.concatenate(found.members).tolist() == list(range(len(score)))
    for k, member in enumerate(found.members):
        assert found.onsets[k] == pytest.approx(score.onsets[member].mean(), abs=1e-12)


def test_wrong_tolerance():
    with pytest.raises(ParameterError, match="tolerance=-1"):
        chords(Score.of([Note(60, 0.0)]), tolerance=-1)


@given(st.lists(st.tuples(st.integers(60, 63), st.integers(0, 5)), min_size=1, max_size=30))
def test_unisons_are_merged_and_nothing_else(notes):
    score = Score.of([NoteRow(t / 2, p, 0.1 * (1 + i)) for i, (p, t) in enumerate(notes)])
    merged, row = distinct(score)
    assert len(merged) == len(set(notes))
    np.testing.assert_array_equal(merged.pitches[row], score.pitches)
    np.testing.assert_array_equal(merged.onsets[row], score.onsets)
    for k in range(len(merged)):
        assert merged.ends[k] == pytest.approx(score.ends[row == k].max())


# Truth ------------------------------------------------------------------------------------------


def truth_of(tmp_path, text, score):
    path = tmp_path / "truth.csv"
    path.write_text("score_onset_s,pitch,performed_onset_s,score_id\n" + text, encoding="utf-8")
    return read_note_truth(path, score)


def test_truth_finds_its_notes(tmp_path):
    score = Score.of([Note(60, 0.0), Note(62, 1.0), Note(60, 1.0), Note(64, 2.0)])
    truth = truth_of(tmp_path, "1.004,62,3.5,x\n0,60,1.25,y\n1,60,3.25,z\n", score)
    assert truth.index.tolist() == [2, 0, 1]
    np.testing.assert_array_equal(truth.onsets(4), [1.25, 3.25, 3.5, np.nan])


def test_unisons_share_their_rows_in_turn(tmp_path):
    score = Score.of([Note(60, 0.0), Note(60, 0.0)])
    truth = truth_of(tmp_path, "0,60,1,a\n0,60,2,b\n0,60,4,c\n", score)
    assert truth.index.tolist() == [0, 1, 0]
    assert truth.onsets(2).tolist() == [2.5, 2.0]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("0,61,1,a\n", 2, r"the score has no note of pitch 61 at 0\.000 s"),
        ("0,60,1,a\n0.5,60,1,a\n", 3, r"no note of pitch 60 at 0\.500 s"),
        ("0,60,,a\n", 2, "the performed onset is '', which is not a number"),
        ("0,60,1e7,a\n", 2, "times are in seconds"),
        ("", None, "has no rows"),
    ],
)
def test_wrong_truth(tmp_path, text, line, message):
    with pytest.raises(DataError, match=message) as caught:
        truth_of(tmp_path, text, Score.of([Note(60, 0.0)]))
    assert caught.value.line == line


def test_truth_needs_its_columns(tmp_path):
    path = tmp_path / "truth.csv"
    path.write_text("onset,pitch\n0,60\n", encoding="utf-8")
    with pytest.raises(DataError, match="has no column 'performed'"):
        read_note_truth(path, Score.of([Note(60, 0.0)]))


def test_real_scores_and_truths_agree(shared_data):
    pieces = sorted((shared_data / "music").glob("*/*/"))
    assert len(pieces) >= 28
    for piece in pieces:
        score = read_score(piece / "score.mid")
        truth = read_note_truth(piece / "truth.csv", score)
        assert np.isfinite(truth.onsets(len(score))).mean() > 0.8, piece


def test_a_table_may_name_its_pitches(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("onset,pitch\n0,Eb4\n1,C#5\n2,60\n", encoding="utf-8")
    score = read_score(path)
    assert (score.pitches.tolist(), score.names) == ([63, 73, 60], ("Eb4", "C#5", "C4"))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.musicxml", b"MThd....", r"is a MIDI file, whatever its name says; call it \.mid"),
        (
            "a.xml",
            b"<?xml version='1.0'?><mei/>",
            r"is MEI, whatever its name says; call it \.mei",
        ),
        (
            "a.mei",
            b"<score-partwise/>",
            r"is MusicXML, whatever its name says; call it \.musicxml",
        ),
        ("a.xml", b"PK\x03\x04...", r"is a compressed score, .* call it \.mxl"),
        ("a.musicxml", b"**kern\n4c\n*-\n", r"is Humdrum's Kern, .* call it \.krn"),
        ("a.mxl", b"<?xml version='1.0'?>", r"is not compressed; call it \.musicxml"),
        ("a.mid", b"\xef\xbb\xbf<?xml version='1.0'?>", r"but XML; call it \.musicxml or \.mei"),
    ],
)
def test_a_name_that_is_wrong_is_told(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DataError, match=message):
        read_score(path)
