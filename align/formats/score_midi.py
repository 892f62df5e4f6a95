"""Scores from Standard MIDI Files, of format 0 and 1, timed in ticks of a quarter note.

The tempo changes of all tracks hold for all tracks. Each track and channel has its own notes: a
note-off ends the earliest note of its track, channel and pitch that still sounds. Channel 10, the
drums, is left out; pedals and everything else do not change when notes begin. A note that is
never ended is taken to be short.

Format 2 (independent sequences) and SMPTE timing (film) are refused: neither is a score.
"""

import os
from collections import defaultdict, deque
from typing import Any

from align.errors import DataError
from align.formats.note_rows import NoteRow

__all__ = ["read_midi_notes"]

_DRUMS = 9  # channel 10, counted from 0
_UNENDED = 0.1  # seconds given to a note without an end
_MAX_BYTES = 1 << 26
_PER_QUARTER = 500_000  # microseconds, until the file says otherwise


def read_midi_notes(path: str | os.PathLike[str]) -> list[NoteRow]:
    """Read the notes of a MIDI file.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    list of NoteRow
        In the order of their onsets, without identifiers; empty where there are none.

    Raises
    ------
    DataError
        Where the file is missing, empty, damaged or too large, of format 2, or timed by SMPTE.
    """
    import mido

    try:
        if os.path.isdir(path):
            raise DataError("is a folder, not a MIDI file.", path=path)
        size = os.path.getsize(path)
        if size == 0:
            raise DataError("the file is empty (0 bytes).", path=path)
        if size > _MAX_BYTES:
            raise DataError("is larger than 64 MiB, which no score is.", path=path)
        with open(path, "rb") as stream:
            if stream.read(4) not in (b"MThd", b"RIFF"):
                raise DataError("is not a MIDI file (it does not begin with MThd).", path=path)
        midi = mido.MidiFile(os.fspath(path))
    except FileNotFoundError:
        raise DataError("does not exist; check the name.", path=path) from None
    except DataError:
        raise
    except Exception as error:  # mido raises whatever its parser meets: EOF, key, index, value
        reason = str(error).strip().rstrip(".") or "it ends too early"
        raise DataError(
            f"is a damaged or truncated MIDI file ({reason}); export it again.", path=path
        ) from error
    if midi.type == 2:
        raise DataError(
            "is a MIDI file of format 2, a collection of sequences and not one score; save it "
            "as format 0 or 1.",
            path=path,
        )
    if midi.ticks_per_beat <= 0:
        raise DataError(
            "is a MIDI file with SMPTE timing, which has no beats; save it with ticks per "
            "quarter note.",
            path=path,
        )
    messages, tempos = _in_ticks(midi)
    clock = _Clock(tempos, midi.ticks_per_beat)
    sounding: dict[tuple[int, int, int], deque[float]] = defaultdict(deque)
    rows: list[NoteRow] = []
    for tick, track, message in messages:
        key = (track, message.channel, message.note)
        time = clock.seconds(tick)
        if message.type == "note_on" and message.velocity > 0:
            sounding[key].append(time)
        elif sounding[key]:
            begin = sounding[key].popleft()
            rows.append(NoteRow(begin, message.note, time - begin))
    for (_, _, pitch), begins in sounding.items():
        rows += [NoteRow(begin, pitch, _UNENDED) for begin in begins]
    return sorted(rows, key=lambda row: (row.onset, row.pitch))


def _in_ticks(midi: Any) -> tuple[list[tuple[int, int, Any]], list[tuple[int, int]]]:
    """Return the note messages and the tempo changes of all tracks, in order of their ticks."""
    messages, tempos = [], []
    for number, track in enumerate(midi.tracks):
        tick = 0
        for message in track:
            tick += message.time
            if message.type == "set_tempo":
                tempos.append((tick, message.tempo))
            elif message.type in ("note_on", "note_off") and message.channel != _DRUMS:
                messages.append((tick, number, message))
    messages.sort(key=lambda item: item[0])  # stable: the order within a track stays
    tempos.sort(key=lambda item: item[0])
    return messages, tempos


class _Clock:
    """Turns ticks, which must not go backwards, into seconds."""

    def __init__(self, tempos: list[tuple[int, int]], per_beat: int) -> None:
        self._tempos, self._next = tempos, 0
        self._scale = 1e-6 / per_beat
        self._tick, self._seconds, self._tempo = 0, 0.0, _PER_QUARTER

    def seconds(self, tick: int) -> float:
        while self._next < len(self._tempos) and self._tempos[self._next][0] <= tick:
            at, tempo = self._tempos[self._next]
            self._seconds += (at - self._tick) * self._tempo * self._scale
            self._tick, self._tempo = at, tempo
            self._next += 1
        return self._seconds + (tick - self._tick) * self._tempo * self._scale
