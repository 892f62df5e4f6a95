"""Reports of music: every played note scored, sets, and the metrics of mir_eval."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from music_examples import random_alignment

from align.errors import ParameterError
from align.evaluation.file_result import FileResult
from align.evaluation.mir_metrics import METRICS, alignment_metrics
from align.evaluation.report import Report
from align.evaluation.scores import SetScore
from align.formats.scores import NoteTruth
from align.results.music import MusicAlignment
from align.types import Example, Note

NOTES = (Note(60, 0.0), Note(64, 0.0), Note(62, 0.5), Note(65, 1.0))


def example(onsets, *, truth=None, group="set/piece", name="x/set/piece/audio.wav") -> Example:
    return Example(np.zeros(1), NOTES, np.array(onsets), group=group, name=name, truth=truth)


def test_every_played_note_is_scored() -> None:
    found = MusicAlignment(NOTES, [0.0, 0.01, 0.6, 1.0], duration=2.0)
    result = FileResult.of(example([0.0, 0.0, np.nan, 1.03]), found, 0.5)
    assert result.labels == ("C4", "E4", "F4")
    np.testing.assert_allclose(result.true, [0.0, 0.0, 1.03])
    np.testing.assert_allclose(result.predicted, [0.0, 0.01, 1.0])
    assert result.chord.tolist() == [0, 0, 2]
    assert (result.seconds, result.elapsed, result.collection) == (2.0, 0.5, "set")
    report = Report.from_files([result], kind="music")
    assert report.boundaries == 3  # the first begins at 0 and counts all the same
    assert report.real_time_factor == 0.25


def test_each_true_time_of_a_note_is_scored() -> None:
    found = MusicAlignment(NOTES, [0.0, 0.0, 0.6, 1.0], duration=2.0)
    truth = NoteTruth(np.array([2, 2, 0]), np.array([0.5, 0.7, 0.0]))
    result = FileResult.of(example([0.0, np.nan, 0.6, np.nan], truth=truth), found)
    np.testing.assert_allclose(np.abs(result.predicted - result.true), [0.1, 0.1, 0.0])


def test_results_of_other_notes_are_refused() -> None:
    found = MusicAlignment(NOTES[:2], [0.0, 0.0], duration=2.0)
    with pytest.raises(ParameterError, match="the alignment is of other notes"):
        FileResult.of(example([0.0, 0.0, 0.0, 0.0]), found)
    with pytest.raises(ParameterError, match="has no true onsets"):
        FileResult.of(Example("a.wav", NOTES), found)
    with pytest.raises(ParameterError, match=r"a: chord.shape=\(1,\)"):
        FileResult("a", ["C4", "D4"], [0, 1], [0, 1], chord=[0])


def result(name: str, error_ms, collection: str = "") -> FileResult:
    true = 1.0 + 0.2 * np.arange(len(error_ms))
    labels = ["C4"] * len(error_ms)
    return FileResult(
        name, labels, true, true + np.array(error_ms) / 1000, 10.0, 1.0, collection=collection
    )


def test_sets_count_every_piece_the_same() -> None:
    report = Report.from_files(
        [
            result("m/a/p1/audio.wav", [10] * 99, "a"),
            result("m/a/p2/audio.wav", [50, -70], "a"),
            result("m/b/p3/audio.wav", [0, 0, 3], "b"),
        ],
        kind="music",
    )
    assert list(report.per_set) == ["a", "b"]
    a = report.per_set["a"]
    assert a.files == 2
    assert a.mean_of_means_ms == pytest.approx(35)
    assert a.median_of_medians_ms == pytest.approx(35)
    assert a.worst_mean_ms == pytest.approx(60)
    assert a.all_events.within_ms["25"] == pytest.approx(100 * 99 / 101)
    text = str(report)
    assert "104 notes in 3 files" in text
    head = next(line for line in text.splitlines() if line.startswith("set "))
    assert "median of medians ms" in head
    assert [line.split()[0] for line in text.splitlines() if line.startswith(("a/", "b/"))] == [
        "a/p1",
        "a/p2",
        "b/p3",
    ]
    content = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert content["per_set"]["a"]["mean_of_means_ms"] == pytest.approx(35)
    assert set(content["mir_eval"]) == set(METRICS)
    assert "<th>set</th>" in report._repr_html_()


def test_one_set_is_called_all() -> None:
    report = Report.from_files([result("a.wav", [5])], kind="music")
    assert list(report.per_set) == ["(all)"]
    assert Report.from_files([result("a.wav", [5])]).per_set == {}
    assert "per_set" not in Report.from_files([result("a.wav", [5])]).to_dict()


@pytest.mark.parametrize(
    "names", [["audio.wav"], ["a/audio.wav", "a/audio.wav"], ["a/x.wav", "b/audio.wav"], ["", "a"]]
)
def test_names_of_pieces_stay_apart(names: list[str]) -> None:
    report = Report.from_files([result(name, [5]) for name in names], kind="music")
    assert len(report.per_file) == len(names)
    assert str(report)


def test_nothing_to_score() -> None:
    empty = FileResult("a", [], [], [])
    report = Report.from_files([empty], kind="music")
    assert math.isnan(report.mir_eval["aae"])
    assert math.isnan(SetScore.from_errors([]).mean_of_means_ms)
    json.dumps(report.to_dict(), allow_nan=False)
    assert "0 notes" in str(report)


# mir_eval ---------------------------------------------------------------------------------------

times = st.lists(st.floats(0, 100), min_size=2, max_size=40)


@given(times, st.integers(0, 100))
def test_sorted_times_have_the_values_of_mir_eval(true: list[float], seed: int) -> None:
    mir_eval = pytest.importorskip("mir_eval.alignment")
    a = np.unique(np.round(true, 3))
    b = np.sort(np.abs(a + np.random.default_rng(seed).normal(0, 0.3, a.size)))
    ours = alignment_metrics(a, b)
    if a.size < 2:
        assert math.isnan(ours["pcs"])
        return
    theirs = mir_eval.evaluate(a, b)
    for name in METRICS:
        assert ours[name] == pytest.approx(theirs[name], abs=1e-9), name


def test_unsorted_notes_are_compared_with_themselves() -> None:
    found = random_alignment(1, spread=0.1)
    assert (np.diff(found.onsets) < 0).any()
    same = alignment_metrics(found.onsets, found.onsets, found.chord_of)
    assert (same["pc"], same["mae"], same["aae"]) == (1.0, 0.0, 0.0)
    assert same["pcs"] == pytest.approx(1.0)
    swapped = alignment_metrics([1.0, 0.9], [0.9, 1.0], [0, 0])
    assert swapped["aae"] == pytest.approx(0.1)  # sorting first would make it nought


def test_wrong_shapes() -> None:
    with pytest.raises(ParameterError, match=r"predicted.shape=\(1,\)"):
        alignment_metrics([0.0, 1.0], [0.0])
    with pytest.raises(ParameterError, match=r"chord.shape=\(1,\)"):
        alignment_metrics([0.0, 1.0], [0.0, 1.0], [0])
