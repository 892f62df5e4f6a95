"""Finding times again, with one model, for one recording."""

from collections.abc import Mapping, Sequence
from typing import Any

from align.batch.tasks import Task
from align.features.sound.audio import read_audio
from align.results.alignment import Alignment
from align.speech.mapped import align_mapped
from align.studio.document import Document
from align.studio.redecoded import Span
from align.types import Float32


class ModelDecoder:
    """What `align.studio.redecoded` asks for, of a model.

    Parameters
    ----------
    model : SpeechAligner
        A fitted one.
    task : Task
        The recording.
    work : align.batch.speech_work.SpeechWork
        Dictionary, language and names of phones.
    """

    def __init__(self, model: Any, task: Task, work: Any) -> None:
        self._model, self._task, self._work = model, task, work
        self._last: tuple[Any, Alignment] | None = None
        self._samples: Float32 | None = None

    def serves(self, model: Any, task: Task) -> bool:
        """Whether it is of this model and this recording."""
        return self._model is model and self._task is task

    def phones(
        self, labels: Sequence[str], anchors: Mapping[int, float], span: Span | None = None
    ) -> Alignment:
        """Return the alignment of phones, some of which begin at known times, in seconds.

        The last one is remembered: an edit is compared with what was before it.
        """
        asked = tuple(labels), dict(anchors), span
        if self._last is None or self._last[0] != asked:
            sound, rate = self._sound(span)
            found = align_mapped(
                self._model,
                sound,
                labels,
                self._work.phone_map,
                rate=rate,
                anchors=anchors or None,
            )
            self._last = asked, found
        return self._last[1]

    def text(self, text: str, span: Span | None = None) -> Document:
        """Return the document of a text."""
        sound, rate = self._sound(span)
        return Document.of(self._work.align_text(self._model, sound, text, rate=rate))

    def _sound(self, span: Span | None) -> tuple[Any, int | None]:
        """Return the recording, or a part of it and its rate; it is read once."""
        if span is None:
            return self._task.recording, None
        rate = int(self._model.rate)
        if self._samples is None:
            self._samples, _ = read_audio(self._task.recording, rate)
        begin, end = (round(time * rate) for time in span)
        return self._samples[begin:end], rate
