"""What is said of a run: counts, a common reason, and each recording's warnings in few words."""

import csv
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from align.batch.quality import Quality, measure, quality_csv
from align.batch.speech_work import SpeechWork
from align.batch.summary import CorpusRun
from align.cli.console import Console
from align.cli.corpus_command import _warn
from align.results.alignment import Alignment

ANOTHER = "the transcript may not be of this recording: match 0.00, border 0.30; check them."
UNSAID = "from 0.50 to 0.53 s: 'run' was probably not said (0.95)."


def run_of(said: Sequence[Sequence[str]]) -> CorpusRun:
    qualities = tuple(
        Quality(f"r{i}", 5, 1.0, confidence=0.9, said=tuple(one)) for i, one in enumerate(said)
    )
    names = tuple(q.name for q in qualities)
    return CorpusRun(names, (), (), (), qualities, 1.0, "out/quality.csv")


def test_warnings_are_counted_and_told_in_few_words() -> None:
    text = str(run_of([[ANOTHER, UNSAID, UNSAID, UNSAID, UNSAID], [], [], [], []]))
    said = "'run' was probably not said"
    assert "     1  with warnings" in text
    assert f"{ANOTHER} {said}, {said}, and 2 more" in text
    assert "from 0.50" not in text
    assert "Most have warnings" not in text


def test_where_most_have_warnings_one_reason_is_looked_for() -> None:
    text = str(run_of([[ANOTHER]] * 3 + [[]] * 3))
    assert "a table that is off by one row?" in text
    assert "with warnings" not in str(run_of([[]] * 3))


def test_words_that_no_dictionary_has_are_told_once() -> None:
    phones = Alignment(["z"], [0.0], duration=0.2)
    qualities = tuple(
        measure(f"r{i}", [phones], guessed=words)
        for i, words in enumerate([["Zzyzx", "Qom"], [], ["Zzyzx"]])
    )
    run = CorpusRun(("r0", "r1", "r2"), (), (), (), qualities, 1.0, "out/quality.csv")
    assert "No dictionary has, so espeak-ng guessed: Zzyzx, Qom.\n" in f"{run}\n"
    rows = list(csv.DictReader(quality_csv(qualities, []).decode().splitlines()))
    assert [row["guessed"] for row in rows] == ["Zzyzx Qom", "", "Zzyzx"]


@pytest.mark.parametrize(
    ("options", "guessed"),
    [
        ({}, ("Zzyzx",)),
        ({"language": "de"}, ()),  # espeak-ng says all words of German
        ({"language": "de", "dictionary": ["my.dict"]}, ("Zzyzx",)),
    ],
)
def test_words_are_guessed_where_there_is_a_dictionary(
    options: dict[str, Any], guessed: tuple[str, ...]
) -> None:
    found = SimpleNamespace(guessed=("Zzyzx",))
    assert SpeechWork(**options).guessed(found) == guessed


def test_few_warnings_have_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    _warn(Console(), run_of([[ANOTHER, UNSAID], [UNSAID]]))
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(":")[1].strip() for line in lines] == ["r0", "r0", "r1"]


def test_of_many_warnings_the_first_of_each_recording(capsys: pytest.CaptureFixture[str]) -> None:
    _warn(Console(), run_of([[ANOTHER, UNSAID]] * 12))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 11
    assert lines[0].endswith("check them. (and 1 more)")
    assert "and 2 more recordings; see out/quality.csv" in lines[-1]


def test_many_failures_for_one_reason_are_told_once(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    table = tmp_path / "quality.csv"
    table.touch()
    failed = [(f"r{i}.wav", "has no text.") for i in range(9)] + [("x.wav", "is empty.")]
    assert Console().failures(failed, table) == 10
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 5
    assert "x.wav: is empty." in lines[3]
    assert f"and 6 more for the same reasons; see {table}" in lines[4]
    for none in (None, tmp_path / "that could not be written.csv"):
        assert Console().failures(failed, none) == 10
        assert len(capsys.readouterr().err.splitlines()) == 10


def test_the_table_is_utf8_whatever_a_recording_is_called() -> None:
    assert b"a\\udce9.wav,failed" in quality_csv([], [("a\udce9.wav", "not UTF-8.")])


def test_the_table_says_how_numbers_were_read() -> None:
    tier = Alignment(["k"], [0.0], duration=1.0)
    quality = measure("a", [tier], verbalised=[("one hundred", "a hundred"), ("zero", "oh")])
    assert quality == Quality.from_dict(quality.to_dict())
    columns, row = csv.reader(quality_csv([quality], []).decode().splitlines())
    assert row[columns.index("numbers")] == "a hundred (not one hundred); oh (not zero)"


def test_texts_that_no_recording_has_are_named(tmp_path: Path) -> None:
    for name in ("a1.wav", "A1.txt", "b02.wav", "b2.txt", "prompts.csv", "notes/c.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    unused = SpeechWork(text=True).unused(str(tmp_path))
    assert [Path(path).name for path in unused] == ["b2.txt"]  # tables and notes are for all
    run = CorpusRun((), (), (), (), (), 1.0, "out/quality.csv", ("b2.txt",))
    assert "Not used, as no recording has the name: b2.txt." in str(run)


def test_failures_have_their_reasons() -> None:
    failed = tuple((f"r{i}", "is no audio.") for i in range(12))
    run = CorpusRun((), (), (), failed, (), 1.0, "out/quality.csv")
    assert "    12  failed" in str(run)
    assert "  r9: is no audio.\n  and 2 more; see out/quality.csv." in str(run)
    assert "is no audio" not in run.summary(reasons=False)
