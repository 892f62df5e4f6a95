"""Scores from Standard MIDI Files, of format 0 and 1, timed in ticks of a quarter note.

The tempo changes of all tracks hold for all tracks. Each track and channel has its own notes: a
note-off ends the earliest note of its track, channel and pitch that still sounds. Channel 10, the
drums, is left out; pedals and everything else do not change when notes begin. A note that is
never ended is taken to be short, and so is a grace note without length, whose end may stand before
its beginning. Where a file has key signatures, pitches are called by their key.

Format 2 (independent sequences) and SMPTE timing (film) are refused: neither is a score. What
does not change the notes is forgiven: chunks of other kinds, a RIFF around the file, a key
signature or a tempo that does not exist, a velocity above 127.
"""

import io
import re
import struct
from bisect import bisect_right
from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from align.errors import DataError
from align.files.names import StrPath
from align.files.text import read_bytes
from align.formats.scores.beats import Bar, Beats, beats_of_bars
from align.formats.scores.note_rows import NoteRow, unlike
from align.formats.scores.spelling import name_in_key

DRUMS = 9
"""Channel 10, counted from 0."""

_UNENDED = 0.1  # seconds given to a note without an end
_MOST_BARS = 100_000  # beyond, what a file calls bars is something else
_SHARPS = {
    mode: dict(zip(names.split(), range(-7, 8), strict=True))
    for mode, names in (
        ("major", "Cb Gb Db Ab Eb Bb F C G D A E B F# C#"),
        ("minor", "Abm Ebm Bbm Fm Cm Gm Dm Am Em Bm F#m C#m G#m D#m A#m"),
    )
}
"""Sharps of the signature of each key, as mido calls them."""
_PER_QUARTER = 500_000  # microseconds, until the file says otherwise
_KEY = re.compile(rb"\xff\x59\x02(..)", re.DOTALL)
_UNKNOWN_META = b"\xff\x7f\x02\x00\x00"


class MidiNote(NamedTuple):
    """A note of a file, in score seconds, and the messages it is made of.

    `tick` is when it begins; `begin` and `end` are track, and place in it, of the messages that
    begin and end it. Where the file says its key, `name` is what the pitch is called in it. `part`
    is the name of its track, or of its channel where all are in one.
    """

    onset: float
    pitch: int
    duration: float
    tick: int
    begin: tuple[int, int]
    end: tuple[int, int] | None
    name: str = ""
    part: str = ""

    @property
    def row(self) -> NoteRow:
        """The note without its messages."""
        return NoteRow(self.onset, self.pitch, self.duration, name=self.name, part=self.part)


@dataclass(frozen=True)
class MidiScore:
    """A file, as mido has it, its notes, ordered by onset and pitch, and its beats if it says."""

    file: Any
    notes: list[MidiNote]
    beats: Beats | None = None


def read_midi_notes(path: StrPath) -> list[NoteRow]:
    """Return the notes of a MIDI file in the order of their onsets, without identifiers.

    Raises DataError where the file is missing, empty, damaged or too large, of format 2, or timed
    by SMPTE.
    """
    return [note.row for note in read_midi_score(path).notes]


def read_midi_score(path: StrPath) -> MidiScore:
    """Read a MIDI file with its notes; see `read_midi_notes`."""
    midi = _loaded(path)
    messages, tempos = _in_ticks(midi)
    clock = _Clock(tempos, midi.ticks_per_beat)
    sounding: dict[tuple[int, int, int], deque[_Begun]] = defaultdict(deque)
    ended: dict[tuple[int, int, int], int] = {}  # grace notes whose end stands before them
    notes: list[MidiNote] = []
    for tick, place, message in messages:
        key = (place[0], message.channel, message.note)
        time = clock.seconds(tick)
        if message.type == "note_on" and message.velocity > 0:
            if ended.pop(key, -1) == tick:
                notes.append(MidiNote(time, message.note, _UNENDED, tick, place, None))
            else:
                sounding[key].append(_Begun(time, tick, place))
        elif sounding[key]:
            begun = sounding[key].popleft()
            lasts = time - begun.time
            notes.append(MidiNote(begun.time, message.note, lasts, begun.tick, begun.place, place))
        else:
            ended[key] = tick
    for (_, _, pitch), unended in sounding.items():
        notes += [MidiNote(b.time, pitch, _UNENDED, b.tick, b.place, None) for b in unended]
    notes = _in_parts(_named(notes, midi), midi)
    last = max((note.tick for note in notes), default=0)
    beats = _beats(midi, tempos, last)
    return MidiScore(midi, sorted(notes, key=lambda note: (note.onset, note.pitch)), beats)


def _named(notes: list[MidiNote], midi: Any) -> list[MidiNote]:
    """Return the notes with their names in their keys; before the first key it counts, too."""
    every = timed_messages(midi)
    keys = sorted((tick, m.key) for tick, _, m in every if m.type == "key_signature")
    if not keys:
        return notes
    at = [tick for tick, _ in keys]
    named = []
    for note in notes:
        key = keys[max(0, bisect_right(at, note.tick) - 1)][1]
        mode = "minor" if key.endswith("m") else "major"
        named.append(note._replace(name=name_in_key(note.pitch, _SHARPS[mode][key], mode)))
    return named


def _in_parts(notes: list[MidiNote], midi: Any) -> list[MidiNote]:
    """Return the notes with their parts: tracks by their names, or else channels."""
    own = {note.begin[0] for note in notes}
    if len(own) < 2:
        channels = [midi.tracks[note.begin[0]][note.begin[1]].channel for note in notes]
        parts = [f"channel {channel + 1}" for channel in channels]
        return [note._replace(part=part) for note, part in zip(notes, parts, strict=True)]
    told = {
        number: next(iter(names_in(midi.tracks[number], "track_name")), "")
        for number in sorted(own)
    }
    names = unlike([told[number] or f"track {number + 1}" for number in told])
    part_of = dict(zip(told, names, strict=True))
    return [note._replace(part=part_of[note.begin[0]]) for note in notes]


def names_in(track: Any, *kinds: str) -> list[str]:
    """Return what messages of some kinds call a track; mido takes their UTF-8 for Latin-1."""
    names = []
    for message in track:
        if message.type in kinds:
            try:
                names.append(message.name.encode("latin-1").decode("utf-8").strip())
            except UnicodeError:  # it was Latin-1
                names.append(message.name.strip())
    return names


def timed_messages(midi: Any) -> Iterator[tuple[int, tuple[int, int], Any]]:
    """Yield the messages of all tracks with their tick, and the track and the place in it."""
    for number, track in enumerate(midi.tracks):
        tick = 0
        for place, message in enumerate(track):
            tick += message.time
            yield tick, (number, place), message


def metres_of(midi: Any) -> dict[int, tuple[int, int]]:
    """Return numerator and denominator of the time signatures by their ticks."""
    every = timed_messages(midi)
    return {t: (m.numerator, m.denominator) for t, _, m in every if m.type == "time_signature"}


def _beats(midi: Any, tempos: list[tuple[int, int]], last: int) -> Beats | None:
    """Return the beats up to tick `last`; None where the file has no time signature.

    A first signature that lasts for one bar only, shorter than those of the next, is a pick-up.
    """
    found = metres_of(midi)
    if not found:
        return None
    metres = sorted(found.items())
    if metres[0][0] > 0:
        metres.insert(0, (0, (4, 4)))  # what a file means that does not say
    per_beat = [4 * midi.ticks_per_beat / denominator for _, (_, denominator) in metres]
    if any(numerator < 1 for _, (numerator, _) in metres) or min(per_beat) < 1:
        return None
    lengths = [n * beat for (_, (n, _)), beat in zip(metres, per_beat, strict=True)]
    pick_up = len(metres) > 1 and metres[1][0] <= lengths[0] < lengths[1]
    bars: list[Bar] = []
    number = 0 if pick_up else 1
    for k, (start, _) in enumerate(metres):
        until = metres[k + 1][0] if k + 1 < len(metres) else last + lengths[k]
        if (until - start) / lengths[k] > _MOST_BARS:
            return None
        at = float(start)
        while at < min(until, last + 1):
            end = min(at + lengths[k], until) if k + 1 < len(metres) else at + lengths[k]
            bars.append(Bar(at, end, (end - at) / per_beat[k], number, unit=metres[k][1][1]))
            at, number = end, number + 1
    clock = _Clock(tempos, midi.ticks_per_beat)
    return beats_of_bars(bars, lambda ticks: np.array([clock.seconds(tick) for tick in ticks]))


def _loaded(path: StrPath) -> Any:
    """Return the file as mido has it; DataError where it cannot be read or is no score."""
    import mido

    data = read_bytes(path)
    if not data:
        raise DataError("the file is empty (0 bytes).", path=path)
    if not data.startswith((b"MThd", b"RIFF")):
        known = "is not a MIDI file (it does not begin with MThd)"
        if data.lstrip(b"\xef\xbb\xbf \r\n").startswith(b"<"):
            raise DataError(f"{known} but XML; call it .musicxml or .mei.", path=path)
        raise DataError(f"{known}.", path=path)
    try:
        midi = mido.MidiFile(file=io.BytesIO(_plain(data)), clip=True)
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
    return midi


def _plain(data: bytes) -> bytes:
    """Return a file without what mido refuses and no note depends on; else as it is."""
    if data.startswith(b"RIFF") and (start := data.find(b"MThd")) >= 0:
        data = data[start:]
    chunks, at, n_tracks = [], 0, 0
    while at + 8 <= len(data):
        kind, size = data[at : at + 4], struct.unpack(">I", data[at + 4 : at + 8])[0]
        if kind in (b"MThd", b"MTrk"):
            chunks.append(data[at : at + 8 + size])
            n_tracks += kind == b"MTrk"
        at += 8 + size
    if len(data) >= 14 and n_tracks >= struct.unpack(">H", data[10:12])[0]:
        data = b"".join(chunks)
    return _KEY.sub(lambda found: found[0] if _is_key(*found[1]) else _UNKNOWN_META, data)


def _is_key(sharps: int, mode: int) -> bool:
    return (sharps <= 7 or sharps >= 249) and mode <= 1


class _Begun(NamedTuple):
    time: float
    tick: int
    place: tuple[int, int]


def _in_ticks(
    midi: Any,
) -> tuple[list[tuple[int, tuple[int, int], Any]], list[tuple[int, int]]]:
    """Return the note messages with track and place, and the tempo changes, in order of ticks."""
    every = sorted(timed_messages(midi), key=lambda row: row[0])  # stable: as in their tracks
    tempos = [(t, m.tempo) for t, _, m in every if m.type == "set_tempo" and m.tempo > 0]
    notes = ("note_on", "note_off")
    return [row for row in every if row[2].type in notes and row[2].channel != DRUMS], tempos


class _Clock:
    """Turns ticks, which must not go backwards, into seconds."""

    def __init__(self, tempos: list[tuple[int, int]], per_beat: int) -> None:
        self._tempos, self._next = tempos, 0
        self._scale = 1e-6 / per_beat
        self._tick, self._seconds, self._tempo = 0, 0.0, _PER_QUARTER

    def seconds(self, tick: float) -> float:
        while self._next < len(self._tempos) and self._tempos[self._next][0] <= tick:
            at, tempo = self._tempos[self._next]
            self._seconds += (at - self._tick) * self._tempo * self._scale
            self._tick, self._tempo = at, tempo
            self._next += 1
        return self._seconds + (tick - self._tick) * self._tempo * self._scale
