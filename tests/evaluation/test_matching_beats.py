"""Beats of a system against those of a reference, by the metrics of mir_eval."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from align.cli import cli
from align.cli.console import Console
from align.errors import DataError
from align.evaluation.matching_beats import evaluate_beats
from align.formats.notes.beat_table import read_beat_times

TIMES = 0.5 + np.arange(40) * 0.5


def write(path: Path, times: np.ndarray) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".csv":
        lines = ["performed_s,score_s,bar,beat,bpm", *(f"{t:.6f},{t},1,1,120" for t in times)]
    else:
        lines = ["# beats", *(f"{t:.6f} {k % 4 + 1}" for k, t in enumerate(times))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_metrics_are_those_of_mir_eval(tmp_path: Path) -> None:
    theirs = pytest.importorskip("mir_eval.beat")
    rng = np.random.default_rng(0)
    found = {name: TIMES + rng.normal(0, 0.05, TIMES.size) for name in ("a", "b/c")}
    write(tmp_path / "ref/a.beats.txt", TIMES)
    write(tmp_path / "ref/b/C/truth.beats", TIMES)
    write(tmp_path / "ref/missing.beats.txt", TIMES)
    write(tmp_path / "sys/A.beats.csv", found["a"])
    write(tmp_path / "sys/b/c/recording.beats.csv", found["b/c"])
    result = evaluate_beats(tmp_path / "sys", tmp_path / "ref")
    for name, times in found.items():
        wanted = theirs.evaluate(TIMES, np.round(times, 6))
        assert result.per_file[name] == pytest.approx(dict(wanted), abs=1e-12)
    means = [scores["F-measure"] for scores in result.per_file.values()]
    assert result.means["F-measure"] == np.mean(means)
    assert [Path(path).name for path, _ in result.failed] == ["missing.beats.txt"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.beats.txt", "1.0\n2.0\n1.5\n", "line 3: the beat at 1.5 s does not follow"),
        ("a.beats.txt", "1.0\nverse 2.0\n", "line 2: the time is 'verse', which is not a number"),
        ("a.beats.csv", "bar,beat\n1,1\n", "line 1: has no column of times"),
    ],
)
def test_files_that_hold_no_beats(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        read_beat_times(tmp_path / name)


def test_what_mir_eval_cannot_score_is_named(tmp_path: Path) -> None:
    pytest.importorskip("mir_eval")
    for side in ("ref", "sys"):
        write(tmp_path / side / "short.beats.txt", TIMES[:6])
    found = evaluate_beats(tmp_path / "sys", tmp_path / "ref")
    assert "fewer than two beats after 5 s" in found.failed[0][1]
    assert not found.per_file
    with pytest.raises(DataError, match="no beats whose name is that of a file"):
        evaluate_beats(tmp_path / "sys", tmp_path / "none")


def test_without_mir_eval(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a.beats.txt", TIMES)
    monkeypatch.setitem(sys.modules, "mir_eval", None)
    monkeypatch.setitem(sys.modules, "mir_eval.beat", None)
    with pytest.raises(DataError, match=r'pip install "margin-align\[mir\]"'):
        evaluate_beats(tmp_path / "a.beats.txt", tmp_path / "a.beats.txt")


def test_evaluate_prints_the_metrics(tmp_path: Path) -> None:
    pytest.importorskip("mir_eval")
    write(tmp_path / "ref/a.beats.txt", TIMES)
    write(tmp_path / "sys/a.beats.csv", TIMES)
    args = ["evaluate", str(tmp_path / "sys"), str(tmp_path / "ref")]
    done = CliRunner().invoke(cli, [*args, "--by", "file"], obj=Console())
    assert done.exit_code == 0, done.output
    assert "mir_eval.beat of 1 piece, without the first 5 s" in done.output
    assert max(map(len, done.output.splitlines())) < 100
    done = CliRunner().invoke(cli, [*args, "--json", "-", "-q"], obj=Console())
    content = json.loads(done.output)
    assert content["beats"]["F-measure"] == 1.0
    assert content["beats_per_file"][0]["file"] == "a"
