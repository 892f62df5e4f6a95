"""Texts that stand beside the next recording, or the one before."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fault_workers import EvenAligner
from synthetic_speech import write_recording

from align.batch.run import align_corpus
from align.batch.shifted import shifted
from align.batch.speech_work import SpeechWork
from align.batch.tasks import Task

TASKS = [Task(f"take{n}", f"take{n}.wav", f"take{n}.txt") for n in range(1, 21)]
NAMES = [task.name for task in TASKS]


def fits_by(said: Callable[[int], int | None]) -> Callable[[Sequence[Task]], list[bool]]:
    """Return what fits where recording n says what `said` of it is the text of."""

    def fits(tasks: Sequence[Task]) -> list[bool]:
        return [f"take{said(int(task.name[4:]))}.txt" == task.source for task in tasks]

    return fits


@pytest.mark.parametrize(("by", "which"), [(1, "next recording"), (-1, "recording before")])
def test_a_corpus_that_is_shifted(by: int, which: str) -> None:
    text = shifted(TASKS[::-1], NAMES, fits_by(lambda n: n + by))
    assert f"of 8 recordings that were tried, 8 fit the text of the {which}" in text
    assert f"(take2 that of take{2 + by})" in text


def test_a_corpus_that_is_shifted_from_somewhere_on() -> None:
    text = shifted(TASKS, NAMES[14:], fits_by(lambda n: n - 1))
    assert "of 5 recordings that were tried, 5 fit" in text
    assert "(take15 that of take14)" in text


@pytest.mark.parametrize(
    "said",
    [
        lambda n: n + 2,
        lambda n: None,
        lambda n: n + (1 if n % 2 else -1),
    ],
    ids=["by two", "another corpus", "exchanged"],
)
def test_texts_that_are_not_shifted_by_one(said: Callable[[int], int | None]) -> None:
    assert not shifted(TASKS, NAMES, fits_by(said))


def test_what_fits_all_texts_says_nothing() -> None:
    assert not shifted(TASKS, NAMES, lambda tasks: [True] * len(tasks))


def test_few_are_asked_where_nothing_is_shifted() -> None:
    asked: list[str] = []

    def fits(tasks: Sequence[Task]) -> list[bool]:
        asked.extend(task.name for task in tasks)
        return [False] * len(tasks)

    assert not shifted(TASKS, NAMES, fits)
    assert len(asked) == 6
    assert not shifted(TASKS, NAMES[:2] + NAMES[-1:], fits)  # fewer than three have neighbours
    assert not shifted([], [], fits)
    assert len(asked) == 6


class Shifted(SpeechWork):
    """Work whose recordings fit the phones of the one before."""

    def align(self, aligner: Any, task: Task) -> Any:
        """Align, with a match that says whether they fit."""
        own, given = (int(Path(path).stem[1:]) for path in (task.audio, task.source))
        return replace(super().align(aligner, task), match=0.9 if given == own - 1 else 0.1)


def test_a_run_says_it_once(tmp_path: Path) -> None:
    for n in range(5):
        write_recording(tmp_path / f"in/u{n}", ["sil", "aa", "sil"], seed=n)
        (tmp_path / f"in/u{n}.phones").write_text("sil aa sil", encoding="utf-8")
    before = {path: path.read_bytes() for path in (tmp_path / "in").iterdir()}
    run = align_corpus(tmp_path / "in", tmp_path / "out", Shifted(), model=EvenAligner())
    assert "of 3 recordings that were tried, 3 fit the text of the recording before" in run.shifted
    assert str(run).count("The texts of this corpus seem shifted by one") == 1
    assert {path: path.read_bytes() for path in (tmp_path / "in").iterdir()} == before
    assert {q.match for q in run.qualities} == {0.1}  # of their own texts
