"""Errors over a corpus."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.errors import DataError, ParameterError
from align.evaluation.file_result import FileResult
from align.evaluation.report import Report
from align.evaluation.scores import TOLERANCES_MS, Score


def result(name="a.wav", error_ms=(0, 5, -20, 60), labels=("sil", "k", "iy", "sil"), lead=0.0):
    true = lead + np.arange(len(labels)) * 0.2
    return FileResult(name, labels, true, true + np.array(error_ms) / 1000, 1.0, 0.25)


def test_hand_computed():
    report = Report.from_files([result()])
    assert (report.kind, report.files, report.boundaries) == ("speech", 1, 3)
    third = 100 / 3
    expected = [third, 2 * third, 2 * third, 2 * third, 2 * third, 2 * third, 100]
    assert list(report.within_ms) == ["10", "20", "25", "30", "40", "50", "100"]
    assert list(report.within_ms.values()) == pytest.approx(expected)
    assert report.mean_abs_ms == pytest.approx(85 / 3)
    assert report.median_abs_ms == pytest.approx(20)
    assert report.bias_ms == pytest.approx(45 / 3)
    assert report.real_time_factor == 0.25


@pytest.mark.parametrize(
    ("kind", "lead", "boundaries"),
    [("speech", 0.0, 3), ("speech", 1e-10, 3), ("speech", 0.001, 4), ("music", 0.0, 4)],
)
def test_only_a_first_event_of_speech_at_zero_is_not_scored(kind, lead, boundaries):
    assert Report.from_files([result(lead=lead)], kind=kind).boundaries == boundaries


@pytest.mark.parametrize("ms", TOLERANCES_MS)
def test_tolerances_are_closed(ms):
    seconds = ms / 1000
    for true in (0.1, 0.3, 1.7, 123.456):
        for sign in (1, -1):
            errors = np.array([true + sign * seconds]) - np.array([true])
            assert Score.from_errors(errors).within_ms[str(ms)] == 100
    assert Score.from_errors([seconds + 1e-6]).within_ms[str(ms)] == 0


def test_percentages_are_of_all_boundaries_together():
    long = result("long", [0] * 9, ["x"] * 9, lead=0.1)
    short = result("short", [500], ["x"], lead=0.1)
    assert Report.from_files([long, short]).within_ms["10"] == pytest.approx(90)


def test_per_file_per_label_per_class():
    classes = {"sil": "silence", "k": "burst"}
    report = Report.from_files(
        [result("a"), result("b", (10, 30), ("k", "iy"), lead=0.5)], classes=classes
    )
    assert {n: s.boundaries for n, s in report.per_file.items()} == {"a": 3, "b": 2}
    assert report.per_file["b"].bias_ms == pytest.approx(20)
    assert {n: s.boundaries for n, s in report.per_label.items()} == {"iy": 2, "k": 2, "sil": 1}
    assert report.per_label["iy"].mean_abs_ms == pytest.approx(25)
    assert report.per_label["sil"].bias_ms == pytest.approx(60)
    assert {n: s.boundaries for n, s in report.per_class.items()} == {
        "burst -> (other)": 2,
        "(other) -> silence": 1,
        "(start) -> burst": 1,
        "silence -> burst": 1,
    }
    assert report.per_class["burst -> (other)"].median_abs_ms == pytest.approx(25)
    assert Report.from_files([result()]).per_class == {}


def test_files_of_the_same_name_are_kept_apart():
    report = Report.from_files([result("a"), result("a"), result("a")])
    assert list(report.per_file) == ["a", "a (2)", "a (3)"]
    assert report.files == 3


def test_json(tmp_path):
    report = Report.from_files(
        [result()], failed=[("bad.wav", "is empty.")], classes={"k": "burst"}
    )
    report.to_json(tmp_path / "r.json")
    content = json.loads((tmp_path / "r.json").read_text())
    assert content == report.to_dict()
    for key in ("kind", "files", "boundaries", "within_ms", "mean_abs_ms", "median_abs_ms"):
        assert key in content
    assert list(content["within_ms"]) == ["10", "20", "25", "30", "40", "50", "100"]
    assert content["real_time_factor"] == 0.25
    (entry,) = content["per_file"]
    assert entry["file"] == "a.wav"
    assert entry["boundaries"] == 3
    assert entry["mean_abs_ms"] == pytest.approx(85 / 3)
    assert entry["median_abs_ms"] == pytest.approx(20)
    assert content["failed"] == [{"file": "bad.wav", "reason": "is empty."}]
    assert content["per_label"]["k"]["boundaries"] == 1
    with pytest.raises(DataError, match="exists"):
        report.to_json(tmp_path / "r.json")
    report.to_json(tmp_path / "r.json", overwrite=True)


@pytest.mark.parametrize("files", [[], [result("a", (0,), ("sil",))], [result("a", (), ())]])
def test_nothing_to_score(files):
    report = Report.from_files(files, failed=[("b", "why")])
    assert report.boundaries == 0
    assert math.isnan(report.mean_abs_ms)
    assert all(math.isnan(share) for share in report.within_ms.values())
    content = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert content["mean_abs_ms"] is None
    assert content["within_ms"]["20"] is None
    assert f"0 boundaries in {len(files)} file" in str(report)
    assert "b: why" in str(report)
    assert "-" in report._repr_html_()


def test_unknown_times_leave_no_real_time_factor():
    unknown = FileResult("a", ["k"], [0.1], [0.1])
    assert math.isnan(Report.from_files([unknown, result()]).real_time_factor)
    assert "real-time" not in str(Report.from_files([unknown]))


def test_text():
    report = Report.from_files(
        [result()], failed=[("bad.wav", "is empty.")], classes={"k": "burst"}
    )
    text = str(report)
    assert text.startswith("3 boundaries in 1 file, real-time factor 0.2500, 1 file failed\n\n")
    lines = text.splitlines()
    head = next(i for i, line in enumerate(lines) if "<=10 ms" in line)
    assert lines[head + 2].split() == (
        "all boundaries 3 33.3 66.7 66.7 66.7 66.7 66.7 100.0 28.3 20.0 +15.0".split()
    )
    assert "class of boundary" in text
    assert text.endswith("failed:\n  bad.wav: is empty.")
    for by, name in (("label", "iy"), ("class", "(other) -> burst"), ("file", "a.wav")):
        assert name in report.table(by)
    with pytest.raises(ParameterError, match="by='phone', must be 'label', 'class' or 'file'"):
        report.table("phone")


def test_text_shows_the_labels_that_cost_most():
    labels = [f"p{i}" for i in range(30)]
    report = Report.from_files([result("a", range(30), labels, lead=1.0)])
    shown = str(report).split("labels that cost most")[1]
    assert "p29" in shown
    assert "p20" in shown
    assert "p19" not in shown


def test_html_is_escaped():
    page = Report.from_files(
        [result("<a>", (1, 1), ("<k>", "&"), lead=1.0)],
        failed=[("<f>", "<why>")],
        classes={"<k>": "<c>"},
    )._repr_html_()
    for raw in ("<a>", "<k>", "<f>", "<why>", "<c>"):
        assert raw not in page
    assert "&lt;k&gt;" in page


@pytest.mark.parametrize(
    ("true", "predicted", "message"),
    [
        ([0.0], [0.0, 1.0], r"a: true.shape=\(1,\), must be \(K,\)=\(2,\)"),
        ([0.0, 1.0], [0.0], r"a: predicted.shape=\(1,\)"),
        ([0.0, np.nan], [0.0, 1.0], "a: true onsets must be finite"),
        ([0.0, 1.0], [0.0, np.inf], "a: predicted onsets must be finite"),
    ],
)
def test_wrong_results(true, predicted, message):
    with pytest.raises(ParameterError, match=message):
        FileResult("a", ["k", "iy"], true, predicted)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=50))
def test_against_a_plain_count(errors):
    score = Score.from_errors(errors)
    assert score.boundaries == len(errors)
    for ms in TOLERANCES_MS:
        within = sum(abs(error) <= ms / 1000 + 1e-9 for error in errors)
        assert score.within_ms[str(ms)] == pytest.approx(100 * within / len(errors))
    shares = list(score.within_ms.values())
    assert shares == sorted(shares)
    assert score.mean_abs_ms >= abs(score.bias_ms) - 1e-9
    assert score.median_abs_ms == pytest.approx(
        1000 * sorted(map(abs, errors))[len(errors) // 2]
        if len(errors) % 2
        else 500 * sum(sorted(map(abs, errors))[len(errors) // 2 - 1 : len(errors) // 2 + 1])
    )
