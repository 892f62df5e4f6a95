"""Recordings whose text nobody has written yet: they are shown, and it is typed on the page."""

import os
from pathlib import Path
from typing import Any

from align.batch.speech_work import TEXT_SUFFIXES, SequenceWork, SpeechWork
from align.batch.tasks import Task, Work, tasks_of
from align.corpus.pairs import find_pairs
from align.errors import NoTextError, ParameterError
from align.features.sound.audio import audio_info
from align.files.names import suffix_of
from align.sequence.base import Aligner
from align.speech.text.reading.transcript import TRANSCRIPT_SUFFIXES
from align.studio.document import Document
from align.studio.segment import Segment
from align.types import SILENCE

_BLANK = 64  # bytes; a larger file has some text
NO_TEXT = "there is no text of this recording yet; type what is said (T), then `Align text`."


def find_all(work: Work, root: str) -> tuple[list[Task], list[tuple[str, str]]]:
    """Return what `work` finds, recordings without a transcript as those with an empty one.

    That is where words are shown: `work` is told so, or another recording has a transcript.
    """
    tasks, problems = work.find(root)
    if not isinstance(work, SpeechWork) or not (
        work.text or any(_holds_words(work, task) for task in tasks)
    ):
        return tasks, problems
    suffixes = TRANSCRIPT_SUFFIXES if work.suffix is None else (work.suffix.lower(),)
    failed = {path for path, _ in problems}
    bare = [
        (stem, pair.audio, f"{stem}{suffixes[0]}", pair.group, ())
        for pair in find_pairs(root, "folder", suffixes)
        if pair.audio in failed and pair.labels is None
        for stem in [os.path.splitext(pair.audio)[0]]
    ]
    more, _ = tasks_of(root, bare, "", channel=work.channel)
    typed = {task.audio for task in more}
    return [*tasks, *more], [(path, why) for path, why in problems if path not in typed]


def aligned(work: Work, model: Aligner, task: Task, text: str | None = None) -> Document:
    """Return a recording as a model finds it.

    One without text is found from `text`, or is a pause, which a person may give a text.
    """
    if not _holds_words(work, task):
        return Document.of(work.align(model, task))
    if os.path.exists(task.source):
        try:
            return Document.of(work.align(model, task))
        except NoTextError:
            pass
    if text and isinstance(work, SpeechWork):
        return Document.of(work.align_text(model, task.recording, text))
    seconds = float(audio_info(task.audio).duration)
    pause = (Segment(0, SILENCE, 0.0),)
    said = f"{NO_TEXT[0].upper()}{NO_TEXT[1:]}"
    return Document("speech", seconds, pause, seconds, {}, 1, warnings=(said,))


def lacks_text(work: Work, task: Task) -> bool:
    """Whether the text of a recording is not there, or its file is blank."""
    if not _holds_words(work, task):
        return False
    try:
        return os.path.getsize(task.source) < _BLANK and not Path(task.source).read_bytes().strip()
    except OSError:
        return True


def check_text(document: Document) -> None:
    """Raise ParameterError where nobody has written what is said."""
    if document.words == {}:
        raise ParameterError(NO_TEXT)


def _holds_words(work: Any, task: Task) -> bool:
    """Whether what lies beside a recording says words, not phones or notes."""
    if not isinstance(work, SpeechWork) or isinstance(work, SequenceWork):
        return False
    return work.text or suffix_of(task.source) in TEXT_SUFFIXES
