"""The result of aligning one recording."""

import json
import sys
import types

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.errors import DataError, ParameterError
from align.formats import read_labels
from align.results.alignment import Alignment
from align.types import Note


def make(**changes):
    values = {
        "events": ["sil", "k", "iy"],
        "onsets": [0.0, 0.1, 0.16],
        "duration": 0.5,
        "end": 0.3,
        "confidence": [1.0, 0.5, 0.75],
        "score": 2.5,
        "audio": "kiwi.wav",
        "rate": 16000,
    }
    return Alignment(**{**values, **changes})


def test_what_it_holds():
    alignment = make()
    assert alignment.events == ("sil", "k", "iy")
    assert alignment.labels == ("sil", "k", "iy")
    assert alignment.onsets.dtype == np.float64
    assert alignment.intervals.tolist() == [[0.0, 0.1], [0.1, 0.16], [0.16, 0.3]]
    assert alignment.confidence.tolist() == [1.0, 0.5, 0.75]
    assert len(alignment) == 3
    assert (alignment.duration, alignment.end, alignment.score) == (0.5, 0.3, 2.5)
    assert (alignment.audio, alignment.rate) == ("kiwi.wav", 16000)


def test_the_end_is_by_default_that_of_the_recording():
    assert make(end=None).end == 0.5


def test_no_events():
    alignment = Alignment([], [], duration=1.0)
    assert alignment.intervals.shape == (0, 2)
    assert len(alignment) == 0


def test_immutable():
    onsets = np.array([0.0, 0.1, 0.16])
    alignment = make(onsets=onsets)
    onsets[0] = 0.05
    assert alignment.onsets[0] == 0.0
    for array in (alignment.onsets, alignment.intervals, alignment.confidence):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    with pytest.raises(AttributeError):
        alignment.duration = 3.0
    with pytest.raises(TypeError, match="unhashable"):
        hash(alignment)


@pytest.mark.parametrize(
    "changes",
    [
        {"events": ["sil", "k", "i"]},
        {"onsets": [0.0, 0.1, 0.17]},
        {"duration": 0.6},
        {"end": 0.4},
        {"confidence": None},
        {"confidence": [1.0, 0.5, 0.5]},
        {"score": None},
        {"audio": None},
        {"rate": 8000},
        {"match": 0.5},
        {"event_match": [0.5, 0.5, 0.5]},
    ],
)
def test_equality_is_by_value(changes):
    assert make() == make()
    assert make() != make(**changes)
    assert make(**changes) != make()
    assert make(**changes) == make(**changes)
    assert make() != "alignment"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"onsets": [0.0, 0.1]}, r"onsets.shape=\(2,\), must be \(K,\)=\(3,\)"),
        ({"onsets": [0.0, np.nan, 0.2]}, "onsets must be finite"),
        ({"onsets": [-0.1, 0.1, 0.2]}, r"onsets go from -0.1 to 0.2 s, must lie in \[0, end\)"),
        ({"onsets": [0.0, 0.1, 0.3]}, r"onsets go from 0.0 to 0.3 s, must lie in \[0, end\)"),
        ({"onsets": [0.0, 0.2, 0.1]}, r"event 3 \('iy'\) begins at 0.1 s, must begin after"),
        ({"onsets": [0.0, 0.1, 0.1]}, r"event 3 \('iy'\) begins at 0.1 s, must begin after"),
        ({"event_match": [0.5]}, r"event_match.shape=\(1,\), must be \(K,\)=\(3,\)"),
        ({"event_match": [0.5, 1.5, 0.5]}, r"event_match must lie in \[0, 1\]"),
        ({"end": 0.6}, r"end=0.6, must lie in \[0, duration\]"),
        ({"end": np.nan}, "end=nan"),
        ({"duration": np.inf}, "duration=inf, must be finite"),
        ({"duration": -1.0, "end": None}, "duration=-1.0, must be finite and not negative"),
        ({"confidence": [1.0]}, r"confidence.shape=\(1,\)"),
        ({"confidence": [1.0, 0.5, 1.5]}, r"confidence must lie in \[0, 1\]"),
        ({"confidence": [1.0, 0.5, np.nan]}, r"confidence must lie in \[0, 1\]"),
        ({"score": np.inf}, "score=inf, must be finite"),
    ],
)
def test_wrong_arguments(changes, message):
    with pytest.raises(ParameterError, match=message):
        make(**changes)


def test_notes_may_begin_together():
    chord = [Note(60, 0.0), Note(64, 0.0), Note(67, 0.5)]
    alignment = Alignment(chord, [0.1, 0.1, 0.6], duration=1.0)
    assert alignment.labels == ("60", "64", "67")
    with pytest.raises(ParameterError, match=r"event 3 \('67'\) begins at 0.05 s"):
        Alignment(chord, [0.1, 0.1, 0.05], duration=1.0)


def test_representations():
    assert repr(make()) == "<Alignment of 3 events in 0.500 s: sil k iy>"
    many = Alignment(["a"] * 300, np.arange(300) / 100, duration=3.0)
    assert repr(many).endswith(" a ...>")
    page = make(events=["<b>", "k", "&"])._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<td>&amp;</td><td>0.160</td><td>0.300</td><td>0.75</td>" in page
    assert "<b>" not in page
    assert "and 100 more events" in many._repr_html_()
    assert "confidence" not in many._repr_html_()


@pytest.mark.parametrize(
    ("method", "suffix"),
    [
        ("to_textgrid", ".TextGrid"),
        ("to_csv", ".csv"),
        ("to_json", ".json"),
        ("to_audacity", ".txt"),
        ("to_ctm", ".ctm"),
        ("to_phn", ".phn"),
        ("to_lab", ".lab"),
    ],
)
def test_writes(tmp_path, method, suffix):
    alignment = make()
    path = tmp_path / f"kiwi{suffix}"
    getattr(alignment, method)(path)
    back = Alignment.from_labels(path, duration=0.5)
    np.testing.assert_allclose(back.onsets[:3], alignment.onsets, atol=1e-4)
    assert back.labels[:3] == alignment.labels
    with pytest.raises(DataError, match="exists"):
        getattr(alignment, method)(path)
    getattr(alignment, method)(path, overwrite=True)


def test_options_of_the_writers(tmp_path):
    make().to_phn(tmp_path / "a.phn", rate=1000)
    assert (tmp_path / "a.phn").read_text() == "0 100 sil\n100 160 k\n160 300 iy\n"
    make().to_ctm(tmp_path / "a.ctm", recording="fruit")
    assert (tmp_path / "a.ctm").read_text().startswith("fruit 1 ")
    make().to_textgrid(tmp_path / "a.TextGrid", tier="segments")
    assert read_labels(tmp_path / "a.TextGrid", tier="segments").labels[0] == "sil"


def test_a_textgrid_fills_the_recording(tmp_path):
    make(onsets=[0.05, 0.1, 0.16]).to_textgrid(tmp_path / "a.TextGrid")
    back = read_labels(tmp_path / "a.TextGrid", silence="")
    assert back.labels == ("", "sil", "k", "iy", "")
    assert back.intervals[[0, -1]].tolist() == [[0.0, 0.05], [0.3, 0.5]]


def test_from_labels(tmp_path):
    path = tmp_path / "kiwi.phn"
    path.write_text("0 800 sil\n800 1600 k\n")
    assert Alignment.from_labels(path) == Alignment(["sil", "k"], [0.0, 0.05], duration=0.1)
    known = Alignment.from_labels(path, duration=0.4, audio=tmp_path / "kiwi.wav", rate=8000)
    assert known == Alignment(
        ["sil", "k"],
        [0.0, 0.1],
        duration=0.4,
        end=0.2,
        audio=str(tmp_path / "kiwi.wav"),
        rate=8000,
    )
    assert Alignment.from_labels(read_labels(path)).labels == ("sil", "k")
    with pytest.raises(DataError, match="lies beyond the end of the recording"):
        Alignment.from_labels(path, duration=0.04)


def test_from_labels_knows_the_duration_a_file_tells(tmp_path):
    make().to_json(tmp_path / "a.json")
    assert Alignment.from_labels(tmp_path / "a.json").duration == 0.5
    assert json.loads((tmp_path / "a.json").read_text())["duration"] == 0.5


@given(
    st.lists(st.floats(1e-3, 10), min_size=1, max_size=9),
    st.floats(0, 5),
)
def test_intervals_follow_each_other(lengths, lead):
    times = lead + np.concatenate(([0.0], np.cumsum(lengths)))
    alignment = Alignment(["x"] * len(lengths), times[:-1], duration=times[-1])
    intervals = alignment.intervals
    assert (intervals[:, 0] == alignment.onsets).all()
    assert (intervals[1:, 0] == intervals[:-1, 1]).all()
    assert intervals[-1, 1] == alignment.end


def test_plot_passes_everything_on(monkeypatch):
    seen = {}
    module = types.ModuleType("align.show.plot")
    module.plot_alignment = lambda alignment, ax=None, reference=None: seen.update(
        alignment=alignment, ax=ax, reference=reference
    )
    monkeypatch.setitem(sys.modules, "align.show.plot", module)
    alignment, truth = make(), make(score=None)
    alignment.plot("axes", reference=truth)
    assert seen == {"alignment": alignment, "ax": "axes", "reference": truth}
