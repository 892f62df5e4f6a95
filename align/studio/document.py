"""What a recording looks like while it is corrected, as plain data.

Speech is a row of segments that follow each other: each is a phone or a pause, begins at its
`start`, ends where the next begins, and belongs to a word or to none. So a word begins and ends
where phones do, whatever is edited. Music is a row of notes, which overlap: each has its own end.
A document holds times as well as labels. What it says does not depend on the model that found it.
"""

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from itertools import groupby
from typing import Any, Self

import numpy as np

from align.batch.tasks import Task
from align.errors import DataError, ParameterError
from align.features.sound.audio import audio_info
from align.files.names import StrPath
from align.formats import read_tiers
from align.formats.scores import read_score
from align.results.alignment import Alignment
from align.results.music import MusicAlignment
from align.speech.text.tiers import SpeakerTiers, TextAlignment
from align.speech.text.together import as_one_speaker
from align.studio.mismatches import named_mismatches
from align.studio.segment import Segment, begins_word
from align.types import SILENCE, Example, Note, named_pitch, pitch_name


@dataclass(frozen=True)
class Document:
    """All segments of a recording.

    Parameters
    ----------
    kind : {"speech", "music"}
        What the segments are.
    seconds : float
        Length of the recording.
    segments : tuple of Segment
        In order; at least one.
    end : float
        Where the last segment ends, in seconds.
    words : mapping of int to str, optional
        Of speech: the label of each word; None where only phones are known.
    next_id : int
        The number of the next segment or word that is new.
    match : float, optional
        How well events and recording fit, in [0, 1].
    mismatches : tuple of mapping
        Where text or score and recording disagree; see `align.studio.mismatches`.
    warnings : tuple of str
        What else may be wrong, such as that the recording is of another text or in another key.
    """

    kind: str
    seconds: float
    segments: tuple[Segment, ...]
    end: float
    words: Mapping[int, str] | None = None
    next_id: int = 0
    match: float | None = None
    mismatches: tuple[Mapping[str, Any], ...] = ()
    warnings: tuple[str, ...] = ()

    def place(self, number: object) -> int | None:
        """Return which segment has a number; None for none."""
        return next((k for k, segment in enumerate(self.segments) if segment.id == number), None)

    def of_word(self, number: object) -> list[int]:
        """Return the places of the segments of a word."""
        return [k for k, segment in enumerate(self.segments) if segment.word == number]

    def ends(self) -> list[float]:
        """Return where each segment ends, in seconds."""
        if self.kind == "music":
            return [float((s.note or {})["end"]) for s in self.segments]
        return [*(segment.start for segment in self.segments[1:]), self.end]

    @property
    def text(self) -> str | None:
        """The words, in order; None where only phones are known."""
        if self.words is None:
            return None
        heads = [word for word, _ in groupby(s.word for s in self.segments) if word is not None]
        return " ".join(self.words[word] for word in heads)

    def all_fixed(self) -> Self:
        """Return the document with every start set: a person says that all of it is right."""
        return replace(self, segments=tuple(replace(s, fixed=True) for s in self.segments))

    def tiers(self) -> list[dict[str, Any]]:
        """Return what an editor draws: tiers of intervals, as JSON can hold them."""
        if self.kind == "music":
            return [{"name": "notes", "intervals": [_note_interval(s) for s in self.segments]}]
        rows = list(zip(self.segments, self.ends(), strict=True))
        phones = [_interval(s.id, s, s.label, end) for s, end in rows]
        tiers = [{"name": "phones", "intervals": phones}]
        if self.words is not None:
            spoken = []
            for word, group in groupby(rows, key=_word_of):
                part = list(group)
                first, (_, end) = part[0][0], part[-1]
                if first.word is None:
                    spoken.append(_interval(first.id, first, first.label, end))
                else:
                    spoken.append(_interval(int(word[0]), first, self.words[first.word], end))
            tiers.insert(0, {"name": "words", "intervals": spoken})
        return tiers

    # From and to alignments ------------------------------------------------------------------

    @classmethod
    def of(cls, found: Any, *, adds_pauses: bool = True) -> Self:
        """Return the document of an alignment: of phones, of a text, of music.

        With `adds_pauses`, what lies before the first phone and behind the last one becomes a
        pause. Speakers share one tier of words and one of phones; raises DataError where two of
        them speak at once.
        """
        if isinstance(found, MusicAlignment):
            return cls._of_music(found)
        shared: tuple[str, ...] = ()
        if isinstance(found, TextAlignment):
            if len(found.speakers) > 1:
                names = ", ".join(found.speakers)
                shared = (f"{names} share one tier here; `align speech` keeps speakers apart.",)
            found = as_one_speaker(found)
        phones: Alignment = found if isinstance(found, Alignment) else found.phones
        sure = phones.confidence
        rows = [
            (label, start, None if sure is None else round(float(sure[k]), 4))
            for k, (label, start) in enumerate(
                zip(phones.labels, phones.onsets.tolist(), strict=True)
            )
        ]
        belongs: list[int] = [-1] * len(rows)
        if not isinstance(found, Alignment):
            belongs = next(iter(found.speakers.values())).word_of_phone.tolist()
        end = float(phones.end)
        if adds_pauses and rows[0][1] > 0:
            rows.insert(0, (SILENCE, 0.0, None))
            belongs.insert(0, -1)
        if adds_pauses and end < phones.duration - 1e-9:
            rows.append((SILENCE, end, None))
            belongs.append(-1)
            end = float(phones.duration)
        words: dict[int, str] | None = None
        if not isinstance(found, Alignment):
            spoken = [k for k, label in enumerate(found.words.labels) if label != SILENCE]
            words = {len(rows) + k: found.words.labels[k] for k in spoken}
        segments = tuple(
            Segment(
                k, label, start, c, word=len(rows) + w if len(rows) + w in (words or {}) else None
            )
            for k, ((label, start, c), w) in enumerate(zip(rows, belongs, strict=True))
        )
        return cls(
            "speech",
            float(phones.duration),
            segments,
            end,
            words,
            len(rows) + (0 if words is None else len(found.words)),
            phones.match,
            named_mismatches(found, segments, words),
            (*shared, *warnings_of(found)),
        )

    @classmethod
    def _of_music(cls, found: MusicAlignment) -> Self:
        sure, ends, held = found.confidence, found.offsets.tolist(), found.is_held.tolist()
        segments = tuple(
            Segment(
                k,
                note.name,
                float(found.onsets[k]),
                None if sure is None else round(float(sure[k]), 4),
                note={
                    "end": ends[k],
                    "pitch": int(note.pitch),
                    "score_onset": float(note.onset),
                    "duration": float(found.durations[k]),
                    "note_id": found.note_ids[k],
                    "played": held[k],
                },
            )
            for k, note in enumerate(found.notes)
        )
        return cls(
            "music",
            float(found.duration),
            segments,
            float(found.end),
            None,
            len(segments),
            found.match,
            named_mismatches(found, segments),
            warnings_of(found),
        )

    def alignment(self, audio: str, rate: int | None = None) -> Any:
        """Return the document as an alignment: of phones, of a text, or of the notes played."""
        about: dict[str, Any] = {"audio": audio, "rate": rate}
        if self.kind == "music":
            played = [s for s in self.segments if s.is_played]
            notes = [s.note for s in played if s.note is not None]
            return MusicAlignment(
                [_note(segment) for segment in played],
                np.array([s.start for s in played]),
                self.seconds,
                durations=np.array([n["duration"] for n in notes]),
                note_ids=tuple(n["note_id"] for n in notes),
                **about,
            )
        starts = np.array([segment.start for segment in self.segments])
        labels = [segment.label for segment in self.segments]
        phones = Alignment(labels, starts, self.seconds, self.end, **about)
        if self.words is None:
            return phones
        heads = [k for k, s in enumerate(self.segments) if k == 0 or begins_word(self.segments, k)]
        names = [
            self.segments[k].label
            if self.segments[k].word is None
            else self.words[self.segments[k].word]  # type: ignore[index]
            for k in heads
        ]
        words = Alignment(names, starts[heads], self.seconds, self.end, **about)
        place = np.searchsorted(np.array(heads), np.arange(len(labels)), side="right") - 1
        return TextAlignment({"": SpeakerTiers(words, phones, place.astype(np.intp))})

    def example(self, audio: StrPath, group: str | None, name: str) -> Example:
        """Return the document as an example to learn from; all of its times are taken as true."""
        if self.kind == "music":
            onsets = [s.start if s.is_played else np.nan for s in self.segments]
            events = tuple(_note(s) for s in self.segments if s.note is not None)
            return Example(audio, events, np.array(onsets), group=group, name=name)
        return Example(
            audio,
            tuple(segment.label for segment in self.segments),
            np.array([segment.start for segment in self.segments]),
            end=self.end if self.end < self.seconds - 1e-9 else None,
            group=group,
            name=name,
            text=self.text,
        )

    # From and to JSON ------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Return the document as JSON can hold it; segments as rows, to be short."""
        about = {f.name: getattr(self, f.name) for f in fields(self)}
        about["segments"] = [list(asdict(segment).values()) for segment in self.segments]
        if self.words is not None:
            about["words"] = [[number, label] for number, label in self.words.items()]
        return about

    def change_to(self, new: "Document") -> dict[str, Any]:
        """Return what another document has that this one has not, as JSON can hold it.

        Of segments, how many are the same at the beginning, at the end, and those between.
        """
        rows, own = new.segments, self.segments
        most = min(len(rows), len(own))
        head = next((k for k in range(most) if rows[k] != own[k]), most)
        tail = next((k for k in range(most - head) if rows[-1 - k] != own[-1 - k]), most - head)
        changed = replace(new, segments=rows[head : len(rows) - tail]).to_json()
        if new.words is not None and self.words is not None:
            words = [[n, label] for n, label in new.words.items() if self.words.get(n) != label]
            gone = [number for number in self.words if number not in new.words]
            changed.update(words=words, gone=gone)
        return {"head": head, "tail": tail, **changed}

    def changed(self, change: Mapping[str, Any]) -> Self:
        """Return the document that `change_to` was given; KeyError, TypeError where it is none."""
        about = dict(change)
        head, tail, gone = about.pop("head"), about.pop("tail"), about.pop("gone", None)
        part = self.from_json(about)
        rows = self.segments
        words = part.words
        if gone is not None:
            kept = {n: label for n, label in (self.words or {}).items() if n not in set(gone)}
            words = {**kept, **(part.words or {})}
        segments = (*rows[:head], *part.segments, *rows[len(rows) - tail :])
        return replace(part, segments=segments, words=words)

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Self:
        """Return the document that `to_json` was given; KeyError, TypeError where it is none."""
        about = dict(content)
        about["segments"] = tuple(Segment(*row) for row in content["segments"])
        about["mismatches"] = tuple(content["mismatches"])
        about["warnings"] = tuple(content.get("warnings", ()))  # sessions before had none
        if content["words"] is not None:
            about["words"] = {int(number): str(label) for number, label in content["words"]}
        return cls(**about)


def corrected(alignment: Any, task: Task, kind: str) -> Document:
    """Return the document of a whole alignment of a recording, or of a label file.

    Raises ParameterError where it is of another `kind` or score, or not as long as the recording.
    """
    seconds = audio_info(task.audio).duration
    if isinstance(alignment, str | os.PathLike):
        if kind == "music":
            alignment = MusicAlignment.from_labels(alignment, duration=seconds)
        else:
            alignment = _from_file(alignment, seconds)
    if not isinstance(alignment, Alignment | TextAlignment | MusicAlignment):
        raise ParameterError(f"alignment={alignment!r}, must be an alignment or a path.")
    new = Document.of(alignment)
    if (new.kind == "music") != (kind == "music"):
        raise ParameterError(f"alignment is of {new.kind}, must be of {kind}.")
    if abs(new.seconds - seconds) > 0.5:
        raise ParameterError(
            f"the alignment is of {new.seconds:.3f} s, and the recording lasts {seconds:.3f} s."
        )
    if kind == "music":
        found = Counter(s.note["pitch"] for s in new.segments if s.note is not None)
        written = Counter(read_score(task.source).pitches.tolist())
        for pitch in sorted(found - written):
            raise ParameterError(
                f"the alignment has {found[pitch]} notes of {pitch_name(pitch)}, and the score "
                f"{written[pitch]}; is it of another score?"
            )
    return new


def _from_file(path: StrPath, seconds: float) -> Alignment | TextAlignment:
    """Return the phones of a label file, with the words above them where it has some.

    Raises DataError where a word has no phone.
    """
    phones = Alignment.from_labels(path, duration=seconds)
    tiers = read_tiers(path, duration=seconds)
    named = tiers.words()
    if named is None or named is tiers.phones():
        return phones
    words = Alignment.from_labels(tiers.labels_of(named.whole(os.fspath(path))), duration=seconds)
    middles = phones.intervals.mean(1)
    of_phone = np.searchsorted(words.onsets, middles, side="right") - 1
    of_phone = np.maximum(of_phone, 0)
    for k in np.setdiff1d(np.arange(len(words)), of_phone):
        if words.labels[k] != SILENCE:
            raise DataError(
                f"the word {words.labels[k]!r} at {words.onsets[k]:.3f} s has no phone below it.",
                path=path,
            )
    return TextAlignment({"": SpeakerTiers(words, phones, of_phone)})


def warnings_of(found: Any) -> tuple[str, ...]:
    """Return what an alignment warns of, but for mismatches, which are shown at their place."""
    listed = {f"{mismatch}." for mismatch in getattr(found, "mismatches", ())}
    return tuple(text for text in found.warnings if text not in listed)


def _word_of(row: tuple[Segment, float]) -> tuple[int, int]:
    """Return what is equal for the segments of one word; each pause is for itself."""
    segment = row[0]
    return (-1, segment.id) if segment.word is None else (segment.word, -1)


def _interval(number: int, first: Segment, label: str, end: float) -> dict[str, Any]:
    return {
        "id": number,
        "start": first.start,
        "end": end,
        "label": label,
        "confidence": first.confidence,
        "fixed": first.fixed,
    }


def _note(segment: Segment) -> Note:
    note = segment.note or {}
    named = named_pitch(segment.label) == note["pitch"]  # a person may have changed either
    return Note(note["pitch"], note["score_onset"], segment.label if named else "")


def _note_interval(segment: Segment) -> dict[str, Any]:
    note = segment.note or {}
    return {
        **_interval(segment.id, segment, segment.label, float(note["end"])),
        "pitch": note["pitch"],
        "played": note["played"],
    }
