"""Match files, ``.match``: score notes and performed notes, paired, for other research tools.

Written through partitura (extra ``scores``), version 1 of the format. The score in it is that of
the alignment: its MIDI file where there is one, else its notes with a score second as two quarter
notes. Voices, which a MIDI file does not have, are made up.

References
----------
Foscarin et al., "The match file format: encoding alignments between scores and performances",
MEC 2022.
"""

import re
import warnings
from itertools import accumulate
from pathlib import PurePath
from typing import Any

from align.errors import DataError
from align.files.atomic import atomic_write
from align.files.names import StrPath, name_of
from align.formats.notes.aligned import TimedNotes
from align.formats.notes.aligned_midi import score_as_midi
from align.formats.scores.score_midi import metres_of
from align.formats.scores.score_partitura import import_partitura
from align.types import spelled

_CLOCK = 4000  # ticks for the half second that a match file's clock counts in
_NAME = re.compile(r"[A-Za-z0-9_.:-]+")


def write_match(path: StrPath, alignment: TimedNotes, *, overwrite: bool = False) -> None:
    """Write an alignment as a match file.

    Every note of the passages that are played counts as played.

    Raises DataError where partitura is not installed, there are no notes, or the file exists and
    is not to be replaced, or cannot be written.
    """
    if len(alignment) == 0:
        raise DataError("there are no notes to write.", path=path)
    partitura = import_partitura(path, "match files are written", "write .mid, .csv or .json")
    ids = ids_of(alignment)
    part = score_part(partitura.score, alignment, ids)
    performed = _performed_part(partitura.performance, alignment, ids)
    pairs = [
        {"label": "match", "score_id": name, "performance_id": name}
        if held
        else {"label": "deletion", "score_id": name}
        for name, held in zip(ids, alignment.is_held, strict=True)
    ]
    audio, score = (
        None if name is None else name_of(name) for name in (alignment.audio, alignment.score_file)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = partitura.save_match(
            pairs,
            performed,
            part,
            mpq=500_000,
            ppq=_CLOCK,
            piece="-" if score is None else PurePath(score).stem,
            performer="-",
            composer="-",
            score_filename=score,
            performance_filename=audio,
            assume_unfolded=True,
        )
    # Its own writer takes the encoding and the ends of lines of the system.
    data = "".join(f"{line.matchline}\n" for line in found.lines).encode()
    atomic_write(path, data, overwrite=overwrite)


def ids_of(alignment: TimedNotes) -> tuple[str, ...]:
    """Return the ids of the notes; others, where one of them has letters that no file can hold."""
    if all(_NAME.fullmatch(name) for name in alignment.note_ids):
        return alignment.note_ids
    return tuple(f"n{k}" for k in range(len(alignment)))


def score_part(score: Any, alignment: TimedNotes, ids: tuple[str, ...]) -> Any:
    """Return the notes as a part of a score, with bars."""
    file, places = score_as_midi(alignment)
    part = score.Part("P1", quarter_duration=file.ticks_per_beat)
    for tick, metre in sorted(({0: (4, 4)} | metres_of(file)).items()):
        part.add(score.TimeSignature(*metre), tick)
    ticks = [list(accumulate(message.time for message in track)) for track in file.tracks]
    for name, note, place in zip(ids, alignment.notes, places, strict=True):
        step, alter, octave = spelled(note.name)
        own = score.Note(step, octave, alter or None, id=name, voice=1, staff=1)
        end = place.tick if place.end is None else ticks[place.end[0]][place.end[1]]
        part.add(own, place.tick, max(end, place.tick + 1))
    score.add_measures(part)
    return part


def _performed_part(performance: Any, alignment: TimedNotes, ids: tuple[str, ...]) -> Any:
    offsets, held = alignment.offsets, alignment.is_held
    return performance.PerformedPart(
        [
            {
                "id": name,
                "midi_pitch": note.pitch,
                "note_on": float(alignment.onsets[k]),
                "note_off": float(offsets[k]),
                "sound_off": float(offsets[k]),
                "velocity": 64,
                "track": 0,
                "channel": 1,
            }
            for k, (name, note) in enumerate(zip(ids, alignment.notes, strict=True))
            if held[k]
        ],
        id="performance",
    )
