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
        self._last: tuple[Any, Alignment] | None = None

    def serves(self, model: Any, task: Task) -> bool:
        """Whether it is of this model and this recording."""
        return self._model is model and self._task is task

    def phones(self, labels: Sequence[str], anchors: Mapping[int, float]) -> Alignment:
        """Return the alignment of phones, some of which begin at known times, in seconds.

        The last one is remembered: an edit is compared with what was before it.
        """
        asked = tuple(labels), dict(anchors)
        if self._last is None or self._last[0] != asked:
            names, sound = self._work.phone_map, self._task.recording
            found = align_mapped(self._model, sound, labels, names, anchors=anchors or None)
            self._last = asked, found
        return self._last[1]

    def text(self, text: str) -> Document:
        """Return the document of a text."""
        return Document.of(self._work.align_text(self._model, self._task.recording, text))
