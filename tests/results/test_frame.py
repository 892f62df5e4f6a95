"""Results as tables of pandas."""

import shutil
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import align
from align.errors import ParameterError
from align.formats.scores.beats import beats_of_bars
from align.types import Note, pitch_name

DATA = Path(str(files("align.data")))


def test_phones_are_rows() -> None:
    pytest.importorskip("pandas")
    found = align.Alignment(["k", "iy"], [0.1, 0.2], 0.5, confidence=[0.5, 1.0], audio="a.wav")
    frame = found.to_frame()
    assert [*frame.columns] == ["start", "end", "label", "confidence"]
    assert frame.label.tolist() == ["k", "iy"]
    np.testing.assert_array_equal(frame[["start", "end"]].to_numpy(), found.intervals)
    assert frame.attrs == {"audio": "a.wav", "duration": 0.5}


def test_notes_are_rows_with_their_names() -> None:
    pytest.importorskip("pandas")
    found = align.MusicAlignment.from_labels(DATA / "minuet" / "truth.csv")
    frame = found.to_frame()
    assert [*frame.columns] == ["start", "label", "pitch", "score_onset", "id"]
    assert len(frame) == len(found)
    assert frame.label[frame.pitch == 67].unique().tolist() == ["G4"]
    beats = beats_of_bars([(0.0, 1.5, 3, 1), (1.5, 3.0, 3, 2)])
    notes = [Note(60, 0.0), Note(62, 1.75)]
    counted = align.MusicAlignment(notes, [0.1, 1.9], beats=beats).to_frame()
    assert counted[["bar", "beat"]].to_numpy().tolist() == [[1, 1.0], [2, 1.5]]


def test_a_corpus_is_a_table_of_labels(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    for suffix in ("flac", "TextGrid"):
        shutil.copy(DATA / f"kiwi.{suffix}", tmp_path)
    corpus = align.read_corpus(tmp_path, "speech")
    frame = corpus.to_frame()
    assert [*frame.columns] == ["audio", "group", "label", "start"]
    assert frame.label.tolist() == list(corpus[0].events)
    np.testing.assert_array_equal(frame.start, corpus[0].onsets)
    assert frame.audio.unique().tolist() == [str(tmp_path / "kiwi.flac")]


def test_a_corpus_of_music_is_a_table_of_notes() -> None:
    pytest.importorskip("pandas")
    (example,) = corpus = align.read_corpus(DATA / "minuet", "music")
    frame = corpus.to_frame()
    assert [*frame.columns] == ["audio", "group", "label", "start", "pitch", "score_onset"]
    assert frame.label[0] == pitch_name(example.events[0].pitch)
    np.testing.assert_array_equal(frame.start, example.onsets)


def test_tables_of_all_kinds_go_to_parquet_and_arrow_and_back(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    phones = align.Alignment(["k", "ɪ", ""], [0.1, 0.2, 0.3], 0.5, confidence=[0.5, 1.0, 0.25])
    notes = [Note(61, 0.0, "Db4"), Note(62, 1.75)]
    beats = beats_of_bars([(0.0, 1.5, 3, 1), (1.5, 3.0, 3, 2)])
    tables = {
        "phones": phones.to_frame(),
        "notes": align.MusicAlignment(notes, [0.1, 1.9], beats=beats).to_frame(),
        "corpus": align.read_corpus(DATA / "minuet", "music").to_frame(),
    }
    for name, frame in tables.items():
        frame.to_parquet(tmp_path / f"{name}.parquet")
        back = pandas.read_parquet(tmp_path / f"{name}.parquet")
        pandas.testing.assert_frame_equal(back, frame)
        kinds = {
            field.name: str(field.type)
            for field in parquet.read_schema(tmp_path / f"{name}.parquet")
        }  # what R and other programs see
        assert kinds["start"] == "double"
        assert "string" in kinds["label"]


def test_without_pandas_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ParameterError, match=r"pip install .margin-align"):
        align.Alignment(["k"], [0.1], 0.5).to_frame()
