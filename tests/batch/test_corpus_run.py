"""Runs over a corpus: what is done, what is left alone, and what is said."""

import csv
import json
import os
import shutil
import time
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner
from corpus_tools import tree, write_recordings
from fault_workers import EvenAligner, FaultyWork
from synthetic_speech import write_recording

import align
from align.batch.journal import Journal, Record
from align.batch.music_work import MusicWork
from align.batch.quality import Quality, warnings_of
from align.batch.speech_work import SpeechWork
from align.batch.summary import CorpusRun
from align.cli import cli
from align.errors import DataError, ModelError, ParameterError
from align.files.lock import FolderLock
from align.formats.scores import read_note_truth, read_score

NAMES = ("ann/u0", "ann/u1", "bob/u0", "bob/u1")


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    return write_recordings(tmp_path / "in", {"ann": 2, "bob": 2})


def run(recordings: Path, **options) -> CorpusRun:
    options.setdefault("model", EvenAligner())
    return align.align_corpus(recordings, recordings.parent / "out", **options)


# What is done -----------------------------------------------------------------------------------


def test_the_tree_is_mirrored_and_each_file_is_what_aligning_it_alone_gives(
    recordings: Path,
) -> None:
    done = run(recordings, formats=["TextGrid", "json"])
    assert done.aligned == NAMES
    assert done.failed == done.unchanged == done.kept == ()
    out = recordings.parent / "out"
    expected = {f"{name}.{s}" for name in NAMES for s in ("TextGrid", "json")}
    assert set(tree(out)) == {*expected, "quality.csv"}
    audio = recordings / "ann" / "u0.wav"
    events = audio.with_suffix(".phones").read_text().split()
    EvenAligner().align(audio, events).to_json(recordings.parent / "alone.json")
    assert (out / "ann/u0.json").read_bytes() == (recordings.parent / "alone.json").read_bytes()


def test_every_format_of_labels_is_written(recordings: Path) -> None:
    formats = {"eaf": ".eaf", "exb": ".exb", "emu": "_annot.json", "vtt": ".vtt", "srt": ".srt"}
    formats["rttm"] = ".rttm"
    if find_spec("pympi") is None:
        del formats["eaf"]
    assert run(recordings, formats=list(formats)).failed == ()
    out = recordings.parent / "out"
    assert set(tree(out)) == {
        *(f"{name}{suffix}" for name in NAMES for suffix in formats.values()),
        "quality.csv",
    }
    for suffix in (".exb", "_annot.json"):
        assert align.Alignment.from_labels(out / f"ann/u0{suffix}").labels[0] == "sil"
    assert run(recordings, formats=list(formats)).unchanged == NAMES


def test_a_rerun_does_what_is_missing_or_changed_and_nothing_else(recordings: Path) -> None:
    run(recordings)
    out = recordings.parent / "out"
    times = {path: path.stat().st_mtime_ns for path in out.rglob("*.TextGrid")}
    again = run(recordings)
    assert (again.aligned, again.unchanged) == ((), NAMES)
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*.TextGrid")} == times

    (out / "ann/u1.TextGrid").unlink()
    assert run(recordings).aligned == ("ann/u1",)
    (recordings / "bob/u0.phones").write_text("sil aa sil")
    assert run(recordings).aligned == ("bob/u0",)
    assert align.Alignment.from_labels(out / "bob/u0.TextGrid").labels == ("sil", "aa", "sil")
    os.utime(recordings / "bob/u1.wav", (1, 1))  # another time, the same content
    assert run(recordings).aligned == ()
    shutil.copytree(recordings, recordings.parent / "moved")  # the same recordings elsewhere
    assert run(recordings.parent / "moved").aligned == ()
    write_recording(recordings / "cid/u0", ["sil", "aa", "sil"], seed=1)
    assert run(recordings).aligned == ("cid/u0",)
    assert run(recordings, model=EvenAligner("other")).aligned == (*NAMES, "cid/u0")


def test_formats_of_earlier_runs_are_left_as_they_are(recordings: Path) -> None:
    run(recordings, formats=["TextGrid"])
    assert run(recordings, formats=["csv"]).aligned == NAMES
    assert run(recordings, formats=["csv", "TextGrid"]).unchanged == NAMES
    # With another model the CSV files are done anew; the TextGrids are then out of date, but ours.
    other = EvenAligner("other")
    done = run(recordings, formats=["csv"], model=other)
    assert done.aligned == NAMES
    assert done.outdated == tuple(f"{name}.TextGrid" for name in NAMES)
    assert "Left from earlier runs, and outdated: ann/u0.TextGrid, ann/u1" in str(done)
    (recordings / "ann/u0.wav").unlink()  # gone
    (recordings / "ann/u1.phones").unlink()  # fails
    done = run(recordings, formats=["TextGrid"], model=other)
    assert (done.aligned, len(done.failed)) == (NAMES[2:], 1)
    assert {path[:6] for path in done.outdated} == {"ann/u0", "ann/u1"}
    assert run(recordings, formats=["TextGrid", "csv"], model=other).unchanged == NAMES[2:]


def test_what_was_edited_by_hand_is_kept(recordings: Path) -> None:
    run(recordings)
    edited = recordings.parent / "out/ann/u0.TextGrid"
    edited.write_text(edited.read_text().replace("sil", "SIL"))
    by_hand = edited.read_bytes()
    again = run(recordings)
    assert (again.kept, again.unchanged) == (("ann/u0",), NAMES[1:])
    assert "1  edited since, and kept" in str(again)
    (recordings / "ann/u0.phones").write_text("sil aa sil")
    assert run(recordings, model=EvenAligner("other")).kept == ("ann/u0",)
    assert edited.read_bytes() == by_hand
    assert run(recordings, overwrite=True).aligned == NAMES
    assert edited.read_bytes() != by_hand


def test_what_no_run_has_written_is_kept(recordings: Path) -> None:
    theirs = recordings.parent / "out/ann/u0.TextGrid"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("corrected by hand")
    done = run(recordings)
    assert done.aligned == NAMES[1:]
    assert [name for name, _ in done.failed] == [str(recordings / "ann/u0.wav")]
    assert "exists and is not of an earlier run" in done.failed[0][1]
    assert theirs.read_text() == "corrected by hand"
    assert run(recordings, overwrite=True).aligned == NAMES
    assert run(recordings).unchanged == NAMES


def test_an_output_never_replaces_what_is_read(recordings: Path) -> None:
    phones = recordings / "ann/u0.phn"
    phones.write_text("0 1600 sil\n1600 3200 aa\n")
    done = align.align_corpus(recordings, recordings, model=EvenAligner(), formats=["phn"])
    assert [name for name, _ in done.failed] == [str(recordings / "ann/u0.wav")]  # .phones first
    (recordings / "ann/u0.phones").unlink()
    done = align.align_corpus(recordings, recordings, model=EvenAligner(), formats=["phn"])
    assert "would replace a file that is read" in dict(done.failed)[str(recordings / "ann/u0.wav")]
    assert phones.read_text() == "0 1600 sil\n1600 3200 aa\n"


def test_the_table_of_someone_else_is_kept(recordings: Path) -> None:
    table = recordings.parent / "out/quality.csv"
    table.parent.mkdir()
    table.write_text("my own numbers\n")
    done = run(recordings)
    assert done.aligned == NAMES
    assert done.failed == ((str(table), "exists and is no table of a run; rename it."),)
    assert table.read_text() == "my own numbers\n"
    write_recording(recordings / "quality", ["sil", "aa"], seed=1)
    done = run(recordings, formats=["csv"])
    assert (
        "its output would be the table of the run"
        in dict(done.failed)[str(recordings / "quality.wav")]
    )


def test_a_manifest_cannot_lead_out_of_the_folder_of_outputs(recordings: Path) -> None:
    lists = recordings.parent / "lists"
    lists.mkdir()
    rows = [f"../in/{name}.wav,../in/{name}.phones" for name in NAMES]
    (lists / "m.csv").write_text("\n".join(["audio,labels", *rows]))
    done = align.align_corpus(lists / "m.csv", lists / "out", model=EvenAligner())
    assert done.aligned == NAMES
    assert {p.name for p in lists.iterdir()} == {"m.csv", "out"}


def test_a_manifest_may_name_what_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "a.wav").touch()
    (tmp_path / "m.csv").write_text("audio,score,truth\na.wav,no.mid,\n")
    tasks, problems = MusicWork().find(str(tmp_path / "m.csv"))
    assert (tasks, problems) == ([], [(str(tmp_path / "no.mid"), "there is no such file.")])


def test_the_files_that_say_what_is_spoken_can_be_chosen(recordings: Path) -> None:
    (recordings / "ann/u0.lab").write_text("sil aa sil")
    assert run(recordings, suffix=".lab").aligned == ("ann/u0",)
    labels = align.Alignment.from_labels(recordings.parent / "out/ann/u0.TextGrid").labels
    assert labels == ("sil", "aa", "sil")


# Transcripts and music --------------------------------------------------------------------------


def test_transcripts_give_words_and_phones(recordings: Path, tmp_path: Path) -> None:
    for path in recordings.rglob("*.phones"):
        path.with_suffix(".txt").write_text("Kiwi, green!")
        path.unlink()
    words = tmp_path / "words.dict"
    words.write_text("kiwi k iy w iy\ngreen g r iy n\n")
    options = {"model": "speech-en", "dictionary": [str(words)]}
    out = recordings.parent / "out"
    done = run(recordings, **options)
    assert (done.aligned, done.failed) == (NAMES, ())
    text = (out / "ann/u0.TextGrid").read_text()
    assert [tier in text for tier in ('name = "words"', 'name = "phones"')] == [True, True]
    assert '"Kiwi"' in text
    assert all(q.events >= 8 for q in done.qualities)
    assert run(recordings, **options).unchanged == NAMES
    words.write_text("kiwi k iy w iy\ngreen g r ih n\n")  # another dictionary
    assert run(recordings, **options).aligned == NAMES
    assert all(path.read_text().count('"ih"') == 1 for path in out.rglob("*.TextGrid"))


def test_files_of_any_suffix_may_hold_words(recordings: Path, tmp_path: Path) -> None:
    words = tmp_path / "words.dict"
    words.write_text("ann ae n\n")
    (recordings / "ann/u0.lab").write_text("Ann ann")
    done = run(recordings, model="speech-en", text=True, suffix=".lab", dictionary=str(words))
    assert done.aligned == ("ann/u0",)


def test_a_table_of_utterances_says_what_is_spoken(recordings: Path) -> None:
    (recordings / "ann/u0.csv").write_text("start,end,text\n0,0.4,kiwi\n")
    (recordings / "bob/u1.tsv").write_text("start\tend\ttext\n0\t400\tkiwi\n")
    tasks, problems = SpeechWork(text=True).find(str(recordings))
    assert [Path(task.source).name for task in tasks] == ["u0.csv", "u1.tsv"]
    assert len(problems) == len(NAMES) - 2


class Ornithologist(EvenAligner):
    """Knows sequences of any events."""

    kind = "sequence"


def test_sequences_of_any_events(recordings: Path) -> None:
    done = run(recordings, kind="sequence", model=Ornithologist(), formats="csv")
    assert (done.aligned, done.failed) == (NAMES, ())
    assert all(not quality.odd_lengths for quality in done.qualities)
    with pytest.raises(ParameterError, match="of a sequence there is no bundled model"):
        run(recordings, kind="sequence", model=None)
    with pytest.raises(ParameterError, match="text: not for sequences"):
        run(recordings, kind="sequence", model=Ornithologist(), text=True)
    with pytest.raises(ParameterError, match=r"must be one of speech, .* or are they 'sequence'"):
        run(recordings, model=Ornithologist())


class Conductor(EvenAligner):
    """Plays every score through the recording in an even tempo."""

    kind = "music"

    def align(self, audio, score, *, rate=None):
        from align.formats.scores import read_score
        from align.results.music import MusicAlignment

        notes = read_score(score).notes
        return MusicAlignment(
            notes,
            np.array([note.onset for note in notes]) + 0.5,
            audio=os.fspath(audio),
            score_file=os.fspath(score),
            confidence=np.full(len(notes), 0.8),
        )


def test_pieces_become_files_of_their_name(tmp_path: Path) -> None:
    pieces = tmp_path / "in"
    for name in ("set/minuet", "set/gigue", "air"):
        write_recording(pieces / name / "audio", ["sil", "aa", "sil"], seed=1)
        (pieces / name / "score.csv").write_text("onset,pitch\n0.0,60\n0.5,62\n")
    (pieces / "set/gigue/score.csv").unlink()
    (pieces / "lost").mkdir()
    (pieces / "lost/score.csv").write_text("onset,pitch\n0.0,60\n")
    options = {"model": Conductor(), "formats": ["csv", "json", "tempo.csv"]}
    done = align.align_corpus(pieces, tmp_path / "out", "music", **options)
    assert done.aligned == ("air", "set/minuet")
    expected = [f"{n}{s}" for n in done.aligned for s in (".csv", ".json", ".tempo.csv")]
    assert sorted(tree(tmp_path / "out", table=False)) == sorted(expected)
    content = json.loads((tmp_path / "out/set/minuet.json").read_text("utf-8"))
    assert content["score_file"] == str(pieces / "set/minuet/score.csv")
    why = dict(done.failed)
    assert "has no file beside it that is its score" in why[str(pieces / "set/gigue/audio.wav")]
    assert why[str(pieces / "lost/score.csv")] == "has no recording in its folder."
    again = align.align_corpus(pieces, tmp_path / "out", "music", **options)
    assert again.unchanged == done.aligned
    one = align.align_corpus(pieces / "air", tmp_path / "one", "music", model=Conductor())
    assert one.aligned == ("air",)
    with pytest.raises(ParameterError, match="repair, slack, text, trust: for speech only"):
        align.align_corpus(
            pieces, tmp_path / "out", "music", text=True, trust=True, repair=True, slack=1.0
        )
    with pytest.raises(ParameterError, match="repeats: for music only"):
        align.align_corpus(pieces, tmp_path / "out", repeats="all")
    with pytest.raises(ParameterError, match="repeats='some', must be 'all', 'none' or 'auto'"):
        align.align_corpus(pieces, tmp_path / "out", "music", repeats="some")


def minuet_of(folder: Path) -> Path:
    """Copy the bundled piece, without its truth, which aligning must not need."""
    folder.mkdir(parents=True)
    bundled = Path(align.__file__).parent / "data" / "minuet"
    for name in ("audio.flac", "score.mid"):
        shutil.copy(bundled / name, folder)
    return folder


def test_the_bundled_piece_is_aligned_by_the_bundled_model(tmp_path: Path) -> None:
    minuet_of(tmp_path / "in/bach/minuet")
    result = CliRunner().invoke(
        cli,
        [
            *("corpus", "music", str(tmp_path / "in"), str(tmp_path / "out"), "--jobs", "1"),
            *("--format", "csv", "--format", "mid", "--repeats", "as-written"),
        ],
    )
    assert result.exit_code == 0, result.output
    out = tmp_path / "out"
    assert set(tree(out)) == {"bach/minuet.csv", "bach/minuet.mid", "quality.csv"}
    bundled = Path(align.__file__).parent / "data" / "minuet"
    found = align.MusicAlignment.from_csv(out / "bach/minuet.csv")
    score = read_score(bundled / "score.mid")
    true = read_note_truth(bundled / "truth.csv", score).onsets(len(score))
    errors = np.abs(found.onsets - true)[np.isfinite(true)]
    assert np.median(errors) < 0.02
    assert np.mean(errors < 0.05) > 0.9
    with (out / "quality.csv").open() as stream:
        [row] = csv.DictReader(stream)
    assert (row["file"], row["status"]) == (str(tmp_path / "in/bach/minuet/audio.flac"), "aligned")
    assert int(row["events"]) == len(score)
    assert 0.5 < float(row["match"]) <= 1
    assert row["warnings"] == ""
    assert (row["transposition"], row["passages"]) == ("0", "")
    assert "bar 12: A3 was probably not played" in row["mismatches"]  # it is in the score alone
    assert abs(float(row["tuning_hz"]) - 440) < 5
    # The outputs depend on which repeats are played, though of a MIDI file it is all the same.
    options = {"formats": ["csv", "mid"], "repeats": "all"}
    assert align.align_corpus(tmp_path / "in", out, "music", **options).unchanged
    assert align.align_corpus(tmp_path / "in", out, "music", repeats="none").aligned


def test_pieces_of_one_name_are_called_after_it(tmp_path: Path) -> None:
    for name in ("a.flac", "a.mid", "x/b.wav", "x/b.musicxml", "x/c.wav"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    tasks, problems = MusicWork().find(str(tmp_path))
    assert [(task.name, Path(task.source).name) for task in tasks] == [
        ("a", "a.mid"),
        ("x/b", "b.musicxml"),
    ]
    assert problems == [
        (
            str(tmp_path / "x/c.wav"),
            "has no file beside it that is its score, of its name or called score.",
        )
    ]


def test_a_folder_without_pieces_is_told_what_one_is(tmp_path: Path) -> None:
    (tmp_path / "a.wav").touch()
    with pytest.raises(DataError, match="holds no pieces: recordings with a score of the same"):
        align.align_corpus(tmp_path, tmp_path / "out", "music")


def test_the_table_tells_what_an_alignment_of_music_warns_of(tmp_path: Path) -> None:
    """The minuet with the notes of another key and order is not what is played."""
    piece = minuet_of(tmp_path / "in/other")
    notes = read_score(piece / "score.mid")
    (piece / "score.mid").unlink()
    rows = [f"{t},{21 + (37 * k) % 88}" for k, t in enumerate(notes.onsets)]
    (piece / "score.csv").write_text("\n".join(["onset,pitch", *rows]))
    done = align.align_corpus(tmp_path / "in", tmp_path / "out", "music")
    with open(done.table) as stream:
        [row] = csv.DictReader(stream)
    [quality] = done.qualities
    assert quality.said
    assert row["warnings"].startswith(quality.said[0])
    assert float(row["match"]) < 0.5
    assert quality.said[0] in str(done)


# What goes wrong --------------------------------------------------------------------------------


def test_one_bad_file_stops_no_other(recordings: Path) -> None:
    (recordings / "ann/u0.wav").write_bytes(b"no sound")
    (recordings / "ann/u1.phones").write_text("")
    write_recording(recordings / "bob/bug", ["sil", "aa"], seed=1)
    write_recording(recordings / "bob/memory", ["sil", "aa"], seed=1)
    write_recording(recordings / "bob/vanish", ["sil", "aa"], seed=1)
    write_recording(recordings / "bob/change", ["sil", "aa"], seed=1)
    done = run(recordings, kind=FaultyWork(suffix=None))
    assert done.aligned == ("bob/u0", "bob/u1")
    failed = [(Path(path).relative_to(recordings), reason) for path, reason in done.failed]
    why = {path.as_posix(): reason for path, reason in failed}
    assert why == {
        "ann/u0.wav": "cannot be read as audio.",
        "ann/u1.wav": f"{recordings / 'ann/u1.phones'}: there are no phones; give at least one.",
        "bob/bug.wav": "something unexpected happened (ZeroDivisionError: oops); "
        "please report it.",
        "bob/memory.wav": "there is not enough memory for it; use fewer jobs, or cut it into "
        "parts.",
        "bob/vanish.wav": "disappeared during the run.",
        "bob/change.wav": f"{recordings / 'bob/change.phn'}: changed while it was read; run again "
        "once it is complete.",
    }
    assert "6  failed" in str(done)
    assert tree(recordings.parent / "out", table=False).keys() == {
        "bob/u0.TextGrid",
        "bob/u1.TextGrid",
    }
    (recordings / "ann/u1.phones").write_text("sil aa")  # put right, the rerun does it
    assert "ann/u1" in run(recordings).aligned


def test_recordings_that_cannot_be_asked_for_are_named(recordings: Path) -> None:
    (recordings / "ann/u0.phones").unlink()
    shutil.copy(recordings / "ann/u1.wav", recordings / "ann/u1.flac")
    why = dict(run(recordings).failed)
    assert "has no file beside it that says what is spoken" in why[str(recordings / "ann/u0.wav")]
    assert "u1.wav beside it goes first" in why[str(recordings / "ann/u1.flac")]


def test_what_cannot_be_run_at_all(recordings: Path, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="format 'docx', must be one of TextGrid, csv"):
        run(recordings, formats=["docx"])
    with pytest.raises(ParameterError, match="jobs=0, must be a number of processes"):
        run(recordings, jobs=0)
    with pytest.raises(
        ParameterError, match="kind='dance', must be 'speech', 'music' or 'sequence'"
    ):
        run(recordings, kind="dance")
    with pytest.raises(ModelError, match="no model 'nonesuch'"):
        run(recordings, model="nonesuch")
    other = EvenAligner()
    other.kind = "music"
    with pytest.raises(ParameterError, match="is a model of music, must be one of speech"):
        run(recordings, model=other)
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="holds no recordings"):
        run(tmp_path / "empty")
    with pytest.raises(DataError, match="does not exist"):
        run(tmp_path / "nowhere")


# Notes of what was done -------------------------------------------------------------------------


def test_a_journal_with_broken_lines_is_read_and_made_whole(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    records = [Record(f"r{i}", "key", (), {f"r{i}.csv": "00"}) for i in range(3)]
    journal = Journal(path)
    for record in records:
        journal.add(record)
    whole = path.read_bytes()
    path.write_bytes(b'[]\n{"name": 3}\n\xff\xfe\n' + whole[:-20])
    journal = Journal(path)
    assert [journal.get(f"r{i}") for i in range(3)] == [records[0], records[1], None]
    journal.tidy()
    assert path.read_bytes() == "".join(r.to_line() for r in records[:2]).encode()
    for _ in range(5):
        journal.add(records[0])
    assert len(path.read_text().splitlines()) == 7
    Journal(path).tidy()
    assert len(path.read_text().splitlines()) == 2


def test_one_run_at_a_time(recordings: Path) -> None:
    out = recordings.parent / "out"
    run(recordings)
    with (
        FolderLock(out, out / ".align/lock"),
        pytest.raises(DataError, match=rf"is in use by another run \(process {os.getpid()} on"),
    ):
        run(recordings)
    assert run(recordings).unchanged == NAMES
    assert (out / ".align/lock").read_text() == ""


# Quality ----------------------------------------------------------------------------------------


class Uneven(EvenAligner):
    """As sure as the number of events is small; hasty and dragging where asked to."""

    def align(self, audio, events, *, rate=None):
        from dataclasses import replace

        found = super().align(audio, events)
        confidence = found.confidence.copy()
        onsets = found.onsets.copy()
        if "u3" in audio:
            confidence[:] = 0.3
            confidence[2] = 0.1
        if "u5" in audio:
            onsets[2] = onsets[1] + 0.004
        return replace(
            found, confidence=confidence, onsets=onsets, score=-50.0 if "u7" in audio else 9.0
        )


def test_a_confidence_is_low_by_what_matters() -> None:
    def told(*confidences: float) -> list[bool]:
        alike = [Quality(f"u{k}", 9, 1.0, confidence=c) for k, c in enumerate(confidences)]
        return ["low confidence" in warnings for warnings in warnings_of(alike)]

    assert told(*[1.0] * 9, 0.9995) == [False] * 10
    assert told(*[1.0] * 9, 0.97) == [False] * 9 + [True]


def test_what_deserves_a_look_comes_first(tmp_path: Path) -> None:
    recordings = write_recordings(tmp_path / "in", {"ann": 10})
    (recordings / "ann/u9.phones").unlink()
    done = run(recordings, model=Uneven())
    assert [q.name for q in done.qualities[:3]] == ["ann/u5", "ann/u3", "ann/u7"]
    assert done.qualities[1].lowest_confidence == 0.1
    with open(done.table, newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["status"], row["warnings"]) for row in rows[:4]] == [
        ("failed", ""),
        ("aligned", "odd lengths"),
        ("aligned", "low confidence"),
        ("aligned", "low score"),
    ]
    assert all(row["warnings"] == "" for row in rows[4:])
    assert rows[0]["reason"].startswith("has no file beside it that")
    assert rows[1]["file"] == str(recordings / "ann/u5.wav")
    assert rows[1]["odd_lengths"] == "1"
    assert float(rows[2]["lowest_at_s"]) == pytest.approx(
        Uneven().align(rows[2]["file"], range(9)).onsets[2], abs=1e-4
    )
    before = Path(done.table).read_bytes()
    assert Path(run(recordings, model=Uneven()).table).read_bytes() == before  # nothing is lost
    text = str(done)
    assert text.index("ann/u5") < text.index("ann/u3") < text.index("ann/u7")
    assert "&lt;" not in done._repr_html_()


# Command line -----------------------------------------------------------------------------------


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A model file that loads as the quick aligner."""
    path = tmp_path / "even.align"
    path.write_text("even")
    monkeypatch.setattr("align.models.loading.load", lambda *_: EvenAligner())
    return path


def invoke(*args: object):
    return CliRunner().invoke(cli, ["corpus", "speech", *(str(arg) for arg in args)])


def test_the_command_line_names_failures_and_sums_up(recordings: Path, model: Path) -> None:
    (recordings / "ann/u0.wav").write_bytes(b"no sound")
    out = recordings.parent / "out"
    result = invoke(recordings, out, "--model", model, "--jobs", 1, "--format", "csv")
    assert result.exit_code == 1
    assert f"Error: {recordings / 'ann/u0.wav'}: cannot be read as audio." in result.stderr
    assert "1 recording could not be aligned" in result.stderr
    assert "3  aligned" in result.stdout
    assert len(list(out.rglob("*.csv"))) == 4
    shutil.copy(recordings / "ann/u1.wav", recordings / "ann/u0.wav")
    result = invoke(recordings, out, "--model", model, "--jobs", 1, "--format", "csv", "--quiet")
    assert (result.exit_code, result.output) == (0, "")


def test_the_progress_line_shows_rate_and_time_left(
    recordings: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from io import StringIO

    from align.progress import ProgressLine

    clock = iter(range(100))
    # Of this module alone: threads that other tests left behind ask for the time as well.
    fake = SimpleNamespace(monotonic=lambda: float(next(clock)))
    monkeypatch.setattr("align.progress.time", fake)
    stream = StringIO()
    line = ProgressLine(stream)
    for done in range(4):
        line("aligning", done, 8)
    assert (
        stream.getvalue()
        .split("\r")[-1]
        .startswith("aligning [#########...............] 3 of 8, 1.0 files/s, 0:05 left")
    )
    line.finish()
    assert stream.getvalue().endswith("\n")
    monkeypatch.undo()
    assert not run(recordings, progress=ProgressLine(StringIO())).failed


def test_bad_usage(recordings: Path) -> None:
    result = invoke(recordings, recordings.parent / "out", "--format", "docx")
    assert result.exit_code == 2
    assert "format 'docx', must be one of" in result.stderr
    result = invoke(recordings.parent / "nowhere", recordings.parent / "out")
    assert result.exit_code == 1
    assert "does not exist" in result.stderr


def test_what_is_done_is_seen_quickly(tmp_path: Path) -> None:
    """What a resumed run costs before it begins: some 2 ms for each recording."""
    first = write_recordings(tmp_path / "in", {"ann": 1})
    for n in range(199):
        for suffix in (".wav", ".phones"):
            os.link(first / f"ann/u0{suffix}", first / f"ann/r{n}{suffix}")
    assert len(run(first).aligned) == 200
    spent = []
    for _ in range(3):  # the least: what else the machine does only adds to it
        begin = time.process_time()
        assert len(run(first).unchanged) == 200
        spent.append(time.process_time() - begin)
    assert min(spent) < 2.0
