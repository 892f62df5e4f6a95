"""Corpora of music: which files make a piece, what is refused, what deserves a look."""

import shutil
from pathlib import Path

import numpy as np
import pytest
import soundfile
from music_examples import write_piece, write_score

import align
from align.corpus.pieces import find_pieces
from align.corpus.validation import validate_corpus
from align.errors import DataError, ParameterError
from align.types import Example, Note


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("music")
    write_piece(root / "old" / "one", 1, left_out=(3, 7))
    write_piece(root / "old" / "two", 2)
    write_piece(root / "new" / "deep" / "three", 3)
    return root


@pytest.fixture
def music(good: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(good, tmp_path / "music"))


def test_pieces_at_any_depth(good: Path) -> None:
    corpus = align.read_corpus(good, kind="music")
    assert corpus.kind == "music"
    assert corpus.groups == ["new/deep/three", "old/one", "old/two"]
    assert (corpus.problems, corpus.unpaired) == ([], [])
    one = next(e for e in corpus if e.group == "old/one")
    assert one.name.endswith("audio.wav")
    assert all(isinstance(event, Note) for event in one.events)
    assert one.events == one.score.notes
    assert np.flatnonzero(np.isnan(one.onsets)).tolist() == [3, 7]
    assert one.truth.index.size == len(one.events) - 2
    assert one.score.path.endswith("score.mid")
    assert len(align.read_corpus(good / "old" / "one", kind="music")) == 1  # the piece itself


def by_name(good: Path, to: Path) -> Path:
    """The three pieces as files of one name each, two of them in one folder."""
    for piece, name in (("old/one", "One"), ("old/two", "two"), ("new/deep/three", "x/three")):
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        for file, suffix in (
            ("audio.wav", ".wav"),
            ("score.mid", ".mid"),
            ("truth.csv", ".truth.csv"),
        ):
            shutil.copy(good / piece / file, to / f"{name}{suffix}")
    return to


def test_files_of_one_name_are_a_piece(good: Path, tmp_path: Path) -> None:
    root = by_name(good, tmp_path / "named")
    (root / "One.mid").rename(root / "one.MID")
    corpus = align.read_corpus(root, kind="music")
    assert corpus.groups == ["One", "two", "x/three"]
    assert (corpus.problems, corpus.unpaired) == ([], [])
    one = next(e for e in corpus if e.group == "One")
    assert Path(one.score.path).samefile(root / "one.MID")  # Windows knows it as One.mid
    assert np.flatnonzero(np.isnan(one.onsets)).tolist() == [3, 7]


def test_a_performance_beside_the_score_goes_last(good: Path, tmp_path: Path) -> None:
    """Such as the file that `align music` writes; alone it is better than nothing."""
    root = by_name(good, tmp_path / "named")
    (root / "One.mid").rename(root / "One.midi")
    for spread in (0.0, 0.01):  # seconds between the notes of a chord
        chords = [(0.5 * k + spread * j, 60 + j) for k in range(12) for j in range(3)]
        write_score(root / "One.mid", chords)
        one = find_pieces(str(root))[0]
        assert Path(one.score or "").suffix == (".midi" if spread else ".mid")
    (root / "One.midi").unlink()
    assert Path(find_pieces(str(root))[0].score or "").suffix == ".mid"
    (root / "One.midi").write_bytes(b"no score")
    (root / "One.mid").write_bytes(b"nor this")
    assert Path(find_pieces(str(root))[0].score or "").suffix == ".mid"


def test_of_files_by_name_what_is_missing_is_told(good: Path, tmp_path: Path) -> None:
    root = by_name(good, tmp_path / "named")
    (root / "two.mid").rename(root / "zwei.mid")  # a score alone is nobody's
    shutil.copy(root / "One.mid", root / "One.midi")  # the first in order counts
    (root / "x" / "three.mid").rename(root / "x" / "three.csv")  # no score by its name
    pieces = find_pieces(str(root))
    assert [(Path(p.stem).name, p.missing) for p in pieces] == [("One", []), ("two", ["score"])]
    assert [Path(other).name for other in pieces[0].others] == ["One.midi"]
    with pytest.raises(DataError, match="holds no pieces: recordings with a score of the same"):
        align.read_corpus(root / "x", kind="music")
    (root / "x" / "three.csv").rename(root / "x" / "drei.mid")
    assert [piece.missing for piece in find_pieces(str(root / "x"))] == [["score"]]


def test_a_unison_has_the_mean_of_its_rows(music: Path) -> None:
    folder = music / "old" / "two"
    lines = (folder / "truth.csv").read_text().splitlines()
    score, pitch, time = lines[1].split(",")
    lines.append(f"{score},{pitch},{float(time) + 0.1:.6f}")
    (folder / "truth.csv").write_text("\n".join(lines))
    (example,) = align.read_corpus(folder, kind="music")
    assert example.truth.performed.size == len(example.events) + 1
    first = int(example.truth.index[0])
    assert example.onsets[first] == pytest.approx(float(time) + 0.05)


def test_groups(good: Path) -> None:
    assert align.read_corpus(good, "music", groups=None).groups == []
    assert align.read_corpus(good, "music", groups=lambda path: "x").groups == ["x"]
    assert len(align.read_corpus(good, "music", groups="file").groups) == 3
    with pytest.raises(ParameterError, match="groups='song'"):
        align.read_corpus(good, "music", groups="song")
    with pytest.raises(ParameterError, match="tier='x' names labels of speech; pieces of"):
        align.read_corpus(good, "music", tier="x")
    with pytest.raises(ParameterError, match="kind='song', must be 'speech' or 'music'"):
        align.read_corpus(good, "song")


def test_a_manifest(good: Path, tmp_path: Path) -> None:
    one, two = good / "old" / "one", good / "old" / "two"
    rows = [f"{p}/audio.wav,{p}/score.mid,{p}/truth.csv,{g}" for p, g in ((one, "a"), (two, ""))]
    path = tmp_path / "pieces.csv"
    path.write_text("\n".join(["Audio,Score,Truth,Group", *rows, ",,,", ""]))
    corpus = align.read_corpus(path, kind="music")
    assert len(corpus) == 2
    assert corpus[0].group == "a"
    assert corpus[1].group.endswith("old/two/audio.wav")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("audio,score\n", 1, "names no column 'truth'"),
        ("audio,score,truth\na.wav,,t.csv\n", 2, "needs both audio and score"),
        ("", 1, "neither a folder nor a manifest"),
    ],
)
def test_wrong_manifests(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = tmp_path / "pieces.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=message) as caught:
        align.read_corpus(path, kind="music")
    assert caught.value.line == line


def test_which_files_go_first(music: Path) -> None:
    folder = music / "old" / "one"
    for name in ("audio.mp3", "demo.wav", "score.musicxml", "score.csv", ".hidden.wav"):
        (folder / name).write_bytes(b"x")
    (piece,) = find_pieces(str(folder))
    assert [Path(p).name for p in (piece.audio, piece.score, piece.truth)] == [
        "audio.wav",
        "score.mid",
        "truth.csv",
    ]
    assert [Path(p).name for p in piece.others] == [
        "audio.mp3",
        "demo.wav",
        "score.csv",
        "score.musicxml",
    ]


def test_links_that_lead_back_and_other_recordings(music: Path) -> None:
    (music / "old" / "again").symlink_to(music)
    (music / "speech").mkdir()
    shutil.copy(music / "old" / "one" / "audio.wav", music / "speech" / "talk.wav")
    corpus = align.read_corpus(music, kind="music")
    assert len(corpus) == 3
    assert corpus.unpaired == []


def break_piece(folder: Path, what: str) -> None:
    truth = folder / "truth.csv"
    if what == "audio":
        (folder / "audio.wav").write_bytes(b"")
    elif what == "score":
        (folder / "score.mid").write_bytes(b"MThd")
    elif what == "other score":
        write_score(folder / "score.mid", [(0.0, 30)])
    elif what == "no rows":
        truth.write_text("score_onset_s,pitch,performed_onset_s\n")
    elif what == "column":
        truth.write_text("score,pitch,time\n0,60,1\n")
    elif what == "beyond":
        lines = truth.read_text().splitlines()
        truth.write_text("\n".join([*lines[:-1], ",".join([*lines[-1].split(",")[:2], "900"])]))
    elif what == "before":
        lines = truth.read_text().splitlines()
        truth.write_text("\n".join([*lines[:-1], ",".join([*lines[-1].split(",")[:2], "-3"])]))


BROKEN = {
    "audio": ("audio.wav", "empty"),
    "score": ("score.mid", "damaged"),
    "other score": ("truth.csv", "the score has no note of pitch"),
    "no rows": ("truth.csv", "has no rows"),
    "column": ("truth.csv", "has no column"),
    "beyond": ("truth.csv", "to 900.000 s, beyond the recording"),
    "before": ("truth.csv", "from -3.000 to"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_piece_is_a_problem_and_does_not_stop_the_others(music: Path, what: str) -> None:
    break_piece(music / "old" / "one", what)
    corpus = align.read_corpus(music, kind="music")
    assert len(corpus) == 2
    name, words = BROKEN[what]
    ((path, reason),) = corpus.problems
    assert Path(path).name == name
    assert words in reason
    found = validate_corpus(music, kind="music")
    assert found.recordings == 2
    ((problem),) = found.problems
    assert words in problem.message
    with pytest.raises(DataError, match=r"no piece can be used \(problems: 1\)"):
        align.read_corpus(music / "old" / "one", kind="music")


@pytest.mark.parametrize("missing", ["audio.wav", "score.mid", "truth.csv"])
def test_a_piece_with_something_missing(music: Path, missing: str) -> None:
    (music / "old" / "one" / missing).unlink()
    corpus = align.read_corpus(music, kind="music")
    assert len(corpus) == 2
    assert len(corpus.unpaired) == (missing != "audio.wav")
    (warning,) = validate_corpus(music, kind="music").warnings
    assert f"has no {missing.partition('.')[0]} beside it" in warning.message


def test_pieces_without_any_truth_are_checked_for_what_can_be_aligned(music: Path) -> None:
    for truth in music.rglob("truth.csv"):
        truth.unlink()
    break_piece(music / "old" / "one", "score")
    found = validate_corpus(music, kind="music")
    assert [issue.message[:23] for issue in found.warnings] == ["no piece has true times"]
    assert (found.recordings, "damaged" in found.problems[0].message) == (2, True)


def test_no_pieces(tmp_path: Path, music: Path) -> None:
    (tmp_path / "empty").mkdir()
    for function in (
        lambda p: align.read_corpus(p, "music"),
        lambda p: validate_corpus(p, "music"),
    ):
        with pytest.raises(DataError, match="holds no pieces"):
            function(tmp_path / "empty")
        with pytest.raises(DataError, match="does not exist"):
            function(tmp_path / "absent")
    for name in ("one", "two"):
        (music / "old" / name / "truth.csv").unlink()
    with pytest.raises(DataError, match=r"no recording \(of 2\) has both a score"):
        align.read_corpus(music / "old", kind="music")


def test_a_good_corpus_has_nothing_to_say(good: Path) -> None:
    stages = []
    found = validate_corpus(good, "music", progress=lambda *told: stages.append(told))
    assert str(found) == "3 usable recordings, 0 problems, 0 warnings"
    assert stages[-1] == ("checking", 3, 3)


def change_times(folder: Path, change) -> None:
    head, *rows = (folder / "truth.csv").read_text().splitlines()
    cells = [row.split(",") for row in rows]
    times = change(np.array([float(row[2]) for row in cells]))
    rows = [
        f"{a},{b},{time:.6f}" for (a, b, _), time in zip(cells, times, strict=True) if time >= 0
    ]
    (folder / "truth.csv").write_text("\n".join([head, *rows]))


def lengthened(folder: Path, before: float, after: float) -> None:
    samples, rate = soundfile.read(folder / "audio.wav")
    parts = [np.zeros(int(before * rate)), samples, np.zeros(int(after * rate))]
    soundfile.write(folder / "audio.wav", np.concatenate(parts), rate)


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("half", "notes of the score are not in it"),
        ("late", "the first note is played only at 12.5 s"),
        ("tail", "recording ends; check that they belong together"),
        ("backwards", "before one that comes earlier in the score"),
        ("tempo", "times the tempo of the score"),
        ("rate", "is sampled at 8000 Hz"),
        ("others", "another file of the piece goes first"),
    ],
)
def test_what_deserves_a_look(music: Path, what: str, words: str) -> None:
    folder = music / "old" / "two"
    if what == "half":
        change_times(folder, lambda t: np.where(np.arange(t.size) % 2, t, -1))
    elif what == "late":
        lengthened(folder, 12.0, 0.0)
        change_times(folder, lambda t: t + 12.0)
    elif what == "tail":
        lengthened(folder, 0.0, 30.0)
    elif what == "backwards":
        change_times(folder, lambda t: np.where(np.arange(t.size) == t.size - 5, t[0], t))
    elif what == "tempo":
        change_times(folder, lambda t: 0.5 + t / 40)
    elif what == "rate":
        samples, _ = soundfile.read(folder / "audio.wav")
        soundfile.write(folder / "audio.wav", samples, 8000)
    elif what == "others":
        shutil.copy(folder / "audio.wav", folder / "again.wav")
    found = validate_corpus(folder, "music")
    assert found.recordings == 1
    assert any(words in issue.message for issue in found.warnings), found


def test_notes_not_played_never_reach_what_cannot_take_them(good: Path) -> None:
    from align.evaluation.file_result import FileResult
    from align.features import SpectralDistance
    from align.sequence.aligner import SequenceAligner

    one = next(e for e in align.read_corpus(good, "music") if np.isnan(e.onsets).any())
    aligner = SequenceAligner([SpectralDistance()])
    with pytest.raises(DataError, match="its onsets must be finite"):
        aligner.fit([one])
    with pytest.raises(ParameterError, match="true onsets must be finite"):
        FileResult("a", [str(e) for e in one.events], one.onsets, one.onsets)


def test_an_example_has_as_many_events_as_its_score(good: Path) -> None:
    one = align.read_corpus(good, "music")[0]
    with pytest.raises(ParameterError, match=r"score has \d+ notes"):
        Example(one.audio, one.events[:3], score=one.score)


def test_real_pieces(shared_data: Path) -> None:
    corpus = align.read_corpus(shared_data / "music" / "bach10", kind="music")
    assert (len(corpus), corpus.problems, corpus.unpaired) == (4, [], [])
    assert sum(example.truth.index.size for example in corpus) == 820
    assert validate_corpus(shared_data / "music" / "bach10", kind="music").warnings == ()
