"""Finding times again, with one model, for one recording."""

from collections.abc import Mapping, Sequence
from typing import Any

from align.batch.tasks import Task
from align.results.alignment import Alignment
from align.speech.mapped import align_mapped
from align.studio.document import Document

__all__ = ["ModelDecoder"]


class ModelDecoder:
    """What `align.studio.edits` asks for, of a model.

    Parameters
    ----------
    model : SpeechAligner
        A fitted one.
    task : Task
        The recording.
    work : align.batch.tasks.SpeechWork
        Dictionary, language and names of phones.
    """

    def __init__(self, model: Any, task: Task, work: Any) -> None:
        self._model, self._task, self._work = model, task, work

    def phones(self, labels: Sequence[str], anchors: Mapping[int, float]) -> Alignment:
        """Return the alignment of phones, some of which begin at known times, in seconds."""
        names = self._work.phone_map
        sound = self._task.recording
        return align_mapped(self._model, sound, labels, names, anchors=anchors or None)

    def text(self, text: str) -> Document:
        """Return the document of a text."""
        return Document.of(self._work.align_text(self._model, self._task.recording, text))
