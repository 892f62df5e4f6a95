"""Aligned MIDI, ``.mid``: the score re-timed to the recording by a tempo map of few events.

The beats of the score keep their place in bars; a tempo map makes them sound when they were
played. The map is linear between breakpoints at chords, and has as few of them as keep every chord
within a tolerance (5 ms) of its performed time: never more than one tempo event for each chord.

* Where the alignment knows the MIDI file of its score, that file is what is re-timed: tracks,
  channels, velocities, metre and everything else stay, drums too; notes that are none of the
  alignment's go. Otherwise each part is a track, and time signatures say the bars; where the score
  says none, a score second is two quarter notes.
* By default each note stands a little beside its beat, where it was really played, exact to a
  tick, and ends where it was measured to end, if that is known; without `asynchrony` it stands on
  its beat, and sounds when its chord does.
* Music that does not begin at the start of the recording needs time before its first beat: the
  rest before it is stretched, or, where there is none, whole bars are put in front.
* A tempo event knows at most 16.7 s for a quarter note. Where grace notes, written a few ticks
  apart, were played slower than that, the beats after them catch up.

Read back, the notes of each pitch are those of the score in order of time.
"""

import bisect
import io
import itertools
import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from align.errors import DataError, ParameterError
from align.files.names import StrPath
from align.formats.documents.writing import writer
from align.formats.notes.aligned import NotesOfScore, NoteTimes, TimedNotes, notes_by_pitch
from align.formats.scores.beats import Beats
from align.formats.scores.note_rows import on_piano
from align.formats.scores.score_midi import DRUMS, MidiNote, read_midi_notes, read_midi_score
from align.types import Float64

Int64 = npt.NDArray[np.int64]

_SLOWEST = (1 << 24) - 1  # microseconds for a quarter note, three bytes in the file
_PER_QUARTER = 480  # ticks, of a score without any of its own
_PER_SECOND = 2  # quarters in a score second, for such a score
_SHORTEST_UNIT = 6  # a beat is a 64th note, 2 ** 6, or longer
_CUT = 0.75  # of a beat: what is shorter was cut by the end of a bar
_FINE = 1920  # ticks for a quarter at least, so that a tick is half a millisecond or less
_MOST = 32767  # ticks for a quarter that a file can say
_MOST_BARS = 64
_VELOCITY = 64


@dataclass(frozen=True)
class TempoMap:
    """Tempo events: when the quarter note changes its length.

    `ticks` has the tick of each event, the first 0, and `tempos` the microseconds of a quarter
    note from there on; a quarter has `per_quarter` ticks.

    Examples
    --------
    >>> tempo = TempoMap([0, 480], [500_000, 250_000], 480)
    >>> tempo.seconds(960), tempo.tick(0.75)
    (0.75, 960)
    """

    ticks: list[int]
    tempos: list[int]
    per_quarter: int

    def __post_init__(self) -> None:
        starts = [0]
        for k in range(1, len(self.ticks)):
            starts.append(starts[-1] + (self.ticks[k] - self.ticks[k - 1]) * self.tempos[k - 1])
        object.__setattr__(self, "_starts", starts)  # in millionths of a second times per_quarter

    def seconds(self, tick: int) -> float:
        """When a tick sounds."""
        k = max(bisect.bisect_right(self.ticks, tick) - 1, 0)
        start: int = self._starts[k]  # type: ignore[attr-defined]
        return (start + (tick - self.ticks[k]) * self.tempos[k]) * 1e-6 / self.per_quarter

    def tick(self, seconds: float) -> int:
        """Tick nearest to a time, at least 0."""
        units = seconds * 1e6 * self.per_quarter
        starts: list[int] = self._starts  # type: ignore[attr-defined]
        k = max(bisect.bisect_right(starts, units) - 1, 0)
        return max(0, round(self.ticks[k] + (units - starts[k]) / self.tempos[k]))


def fit_tempo_map(
    ticks: Int64, seconds: Float64, per_quarter: int, *, tolerance: float = 0.005
) -> TempoMap:
    """Return a tempo map of few events that puts beats where they were played.

    From each breakpoint the farthest chord is taken to which a straight line passes every chord
    between within the tolerance; its slope, as a whole number of microseconds, is the tempo, and
    the next line begins where this one really arrives, so that rounding does not add up.

    The `ticks` of the chords [shape=(G,)] increase strictly, the first greater than 0 unless it
    sounds at 0; `seconds` [shape=(G,)] increase. A `tolerance` of 0 s makes an event at every
    chord whose tempo differs.

    Examples
    --------
    >>> beats = 480 * np.arange(1, 9)
    >>> steady = fit_tempo_map(beats, 0.6 * np.arange(1, 9), 480)
    >>> steady.ticks, steady.tempos
    ([0], [600000])
    """
    if not tolerance >= 0:
        raise ParameterError(f"tolerance={tolerance} s, must not be negative.")
    x = [0, *ticks.tolist()] if ticks.size and ticks[0] > 0 else [0, *ticks[1:].tolist()]
    y = [0.0, *seconds.tolist()] if ticks.size and ticks[0] > 0 else [0.0, *seconds[1:].tolist()]
    events: list[int] = []
    tempos: list[int] = []
    k, arrived = 0, 0.0
    least, most = 1e-6 / per_quarter, _SLOWEST * 1e-6 / per_quarter
    while k < len(x) - 1:
        low, high = least, most
        chosen, slope = k + 1, (y[k + 1] - arrived) / (x[k + 1] - x[k])
        # The lead-in is a stretch of its own: a rest has no tempo to share.
        for j in range(k + 1, len(x) if k else 2):
            span = x[j] - x[k]
            wanted = (y[j] - arrived) / span
            if low <= wanted <= high:
                chosen, slope = j, wanted
            low = max(low, (y[j] - tolerance - arrived) / span)
            high = min(high, (y[j] + tolerance - arrived) / span)
            if low > high:
                break
        tempo = min(max(round(slope * 1e6 * per_quarter), 1), _SLOWEST)
        if not tempos or tempos[-1] != tempo:
            events.append(x[k])
            tempos.append(tempo)
        arrived += (x[chosen] - x[k]) * tempo * 1e-6 / per_quarter
        k = chosen
    return TempoMap(events or [0], tempos or [500_000], per_quarter)


def format_midi(
    alignment: TimedNotes, *, asynchrony: bool = True, tolerance: float = 0.005
) -> bytes:
    """Return the score, re-timed, as a Standard MIDI File; DataError if there are no notes.

    Of a part of a score the notes of its passages are written. With `asynchrony` each stands where
    it was played, beside its beat; else on its beat. The beats of chords sound at most `tolerance`
    seconds from where they were played.
    """
    import mido

    alignment = alignment.held()
    if len(alignment) == 0:
        raise DataError("there are no notes to write.")
    file, places = score_as_midi(alignment)
    factor = max(1, min(-(-_FINE // file.ticks_per_beat), _MOST // file.ticks_per_beat))
    per_quarter = file.ticks_per_beat * factor
    tracks = [_absolute(track, factor) for track in file.tracks]
    beats = np.array([tracks[t][i][0] for t, i in (place.begin for place in places)])
    x, y = _chord_beats(alignment, beats)
    shift = _lead_in(x, y, per_quarter, _bar(tracks, per_quarter))
    tempo = fit_tempo_map(x + shift, y, per_quarter, tolerance=tolerance)
    for track in tracks:
        for item in track:
            item[0] += shift if item[0] > 0 or item[1].type.startswith("note_") else 0
    if asynchrony:
        _move_notes(tracks, places, alignment, tempo)
    out = mido.MidiFile(type=file.type, ticks_per_beat=per_quarter)
    kept = {place.begin for place in places} | {place.end for place in places}
    for number, track in enumerate(tracks):
        events = [
            (tick, _rank(message), i, message)
            for i, (tick, message) in enumerate(track)
            if message.type not in ("set_tempo", "end_of_track")
            and ((number, i) in kept or not _aligned(message))
        ]
        if number == 0:
            events += [
                (tick, -1, i, mido.MetaMessage("set_tempo", tempo=value))
                for i, (tick, value) in enumerate(zip(tempo.ticks, tempo.tempos, strict=True))
            ]
        out.tracks.append(_relative(events))
    stream = io.BytesIO()
    out.save(file=stream)
    return stream.getvalue()


write_midi = writer(format_midi)


# What is re-timed ------------------------------------------------------------------------------


def score_as_midi(alignment: TimedNotes) -> tuple[Any, list[MidiNote]]:
    """Return the score as a MIDI file of mido, and the place of each of the N notes in it.

    That is the alignment's `score_file`, where it is MIDI and holds the notes, else one made up.
    """
    return _source(alignment) or _plain_file(alignment)


def _source(alignment: TimedNotes) -> tuple[Any, list[MidiNote]] | None:
    """Return the MIDI file of the score, and the note of it that each aligned note is.

    None where there is no such file, or it is not what was aligned.
    """
    path = alignment.score_file
    if path is None or os.path.splitext(path)[1].lower() not in (".mid", ".midi"):
        return None
    try:
        score = read_midi_score(path)
    except DataError:  # moved or changed since
        return None
    by_id = {f"n{k}": note for k, note in enumerate(score.notes)}
    places = [by_id.get(name) for name in alignment.note_ids]
    found = [note for note in places if note is not None]
    same = len(found) == len(alignment) and all(
        note.pitch == own.pitch and abs(note.onset - own.onset) < 1e-4
        for note, own in zip(found, alignment.notes, strict=True)
    )
    return (score.file, found) if same else None


def _plain_file(alignment: TimedNotes) -> tuple[Any, list[MidiNote]]:
    """Return a MIDI file of the notes of a score, a track for each part."""
    import mido

    times, ticks = np.array([0.0, 1.0]), np.array([0, _PER_QUARTER * _PER_SECOND])
    signatures: list[tuple[int, int, int, Any]] = []
    if alignment.beats is not None:
        times = alignment.beats.times
        ticks, signatures = _beats_and_bars(alignment.beats)
    starts = _ticks_at(alignment.score_onsets, times, ticks)
    ends = _ticks_at(alignment.score_onsets + alignment.durations, times, ticks)
    ends = np.maximum(ends, starts + 1)
    pitches: dict[str, list[int]] = {}
    for note in alignment.notes:
        pitches.setdefault(note.part, []).append(note.pitch)
    parts = sorted(pitches, key=lambda part: -np.mean(pitches[part]))  # high ones stand first
    file = mido.MidiFile(type=int(len(parts) > 1), ticks_per_beat=_PER_QUARTER)
    place: dict[tuple[int, int], tuple[int, int]] = {}
    for number, part in enumerate(parts):
        channel = number % 15 + (number % 15 >= DRUMS)
        named = mido.MetaMessage("track_name", name=part.encode("utf-8").decode("latin-1"))
        events: list[Any] = [(0, -1, 0, named)] if part else []
        events += signatures if number == 0 else []
        for k, note in enumerate(alignment.notes):
            if note.part == part:
                on = mido.Message("note_on", channel=channel, note=note.pitch, velocity=_VELOCITY)
                off = mido.Message("note_off", channel=channel, note=note.pitch, velocity=0)
                events += [(int(starts[k]), 1, k, on), (int(ends[k]), 0, k, off)]
        events.sort(key=lambda event: event[:3])
        place |= {(rank, k): (number, i) for i, (_, rank, k, _) in enumerate(events)}
        file.tracks.append(_relative(events))
    notes = [
        MidiNote(note.onset, note.pitch, 0.0, int(starts[k]), place[1, k], place[0, k])
        for k, note in enumerate(alignment.notes)
    ]
    return file, notes


def _beats_and_bars(beats: Beats) -> tuple[Int64, list[tuple[int, int, int, Any]]]:
    """Return the tick of each beat [shape=(B,)], and time signatures as events of a track.

    A beat that a bar, or the rest of it, cuts in the middle is half as long.
    """
    import mido

    # MIDI knows powers of two
    units = 2 ** np.clip(np.log2(beats.units[:-1]).astype(np.intp), 0, _SHORTEST_UNIT)
    steps = np.diff(beats.numbers)
    goes_on = (np.diff(beats.bars) == 0) & (steps > 0)
    lengths = np.where(goes_on, steps, 1 - beats.numbers[:-1] % 1)  # a bar ends with a beat
    halves = np.where(lengths < _CUT, 1, 2)
    ticks = np.concatenate(([0], np.cumsum(halves * (2 * _PER_QUARTER // units))))
    events: list[tuple[int, int, int, Any]] = []
    bars = [0, *(np.flatnonzero(~goes_on) + 1)]
    for start, end in itertools.pairwise(bars):
        n, unit = int(halves[start:end].sum()), int(units[start])
        size = (n, 2 * unit) if n % 2 else (n // 2, unit)
        said = mido.MetaMessage("time_signature", numerator=min(size[0], 255), denominator=size[1])
        if not events or events[-1][-1] != said:
            events.append((int(ticks[start]), -1, 1, said))
    return ticks, events


def _ticks_at(seconds: Float64, times: Float64, ticks: Int64) -> Int64:
    """Return the ticks of seconds of the score; before the first and after the last in a line."""
    steps = np.diff(ticks) / np.diff(times)
    inside = np.interp(seconds, times, ticks)
    before, after = np.minimum(seconds - times[0], 0), np.maximum(seconds - times[-1], 0)
    found: Int64 = np.rint(inside + before * steps[0] + after * steps[-1]).astype(np.int64)
    return np.maximum(found, 0)


def _absolute(track: Any, factor: int) -> list[list[Any]]:
    """Messages of a track with their ticks, which count from 0 and are finer by a factor."""
    tick, out = 0, []
    for message in track:
        tick += message.time
        out.append([tick * factor, message])
    return out


def _rank(message: Any) -> int:
    """At one tick, notes end before others begin, and all else comes before both."""
    if message.type == "note_on" and message.velocity > 0:
        return 2
    return 1 if message.type in ("note_on", "note_off") else 0


def _relative(events: list[Any]) -> Any:
    """Make a track of (tick, ..., message), ordered by all that comes before the message."""
    import mido

    track, before = mido.MidiTrack(), 0
    for tick, *_, message in sorted(events, key=lambda event: event[:-1]):
        track.append(message.copy(time=tick - before))
        before = tick
    track.append(mido.MetaMessage("end_of_track", time=0))
    return track


def _aligned(message: Any) -> bool:
    """Return whether a message begins or ends a note of the kind that is aligned."""
    note = message.type in ("note_on", "note_off")
    return note and message.channel != DRUMS and on_piano(message.note)


# Beats and bars --------------------------------------------------------------------------------


def _chord_beats(alignment: TimedNotes, beats: Int64) -> tuple[Int64, Float64]:
    """Ticks of the chords, strictly increasing, and when they are played."""
    first = np.searchsorted(alignment.chord_of, np.arange(alignment.chord_onsets.size))
    ticks = beats[first]
    new = np.concatenate(([True], np.diff(np.maximum.accumulate(ticks)) > 0))
    return ticks[new], alignment.chord_onsets[new]


def _bar(tracks: list[list[list[Any]]], per_quarter: int) -> int:
    """Ticks of the first bar; four quarters where the file does not say."""
    for track in tracks:
        for tick, message in track:
            if message.type == "time_signature" and tick == 0:
                return int(4 * per_quarter * message.numerator // message.denominator)
    return 4 * per_quarter


def _lead_in(x: Int64, y: Float64, per_quarter: int, bar: int) -> int:
    """Ticks to put in front so that the first chord can sound when it was played."""
    first, time = int(x[0]), float(y[0])
    if first == 0 and time == 0:
        return 0
    slowest = _SLOWEST * 1e-6 / per_quarter
    if first > 0 and time <= first * slowest:
        return 0
    k = min(8, x.size - 1)
    pace = (y[k] - time) / (x[k] - first) if k else 0.5 / per_quarter
    bars = min(max(1, round((time / max(pace, 1e-9) - first) / bar)), _MOST_BARS)
    return int(bars * bar)


def _move_notes(
    tracks: list[list[list[Any]]],
    places: list[MidiNote],
    alignment: TimedNotes,
    tempo: TempoMap,
) -> None:
    """Put each note where it was played; an end that was not measured moves with its beginning."""
    played, ends = alignment.onsets.tolist(), alignment.measured_offsets
    last: dict[tuple[int, int, int], tuple[int, list[Any] | None]] = {}
    order = sorted(range(len(places)), key=lambda k: (places[k].tick, played[k]))
    for k in order:
        track, i = places[k].begin
        begin = tracks[track][i]
        tick = tempo.tick(played[k])
        end = None if places[k].end is None else tracks[track][places[k].end[1]]  # type: ignore[index]
        if end is not None:
            close = end[0] + tick - begin[0]
            if ends is not None and np.isfinite(ends[k]):
                close = tempo.tick(float(ends[k]))
            end[0] = max(close, tick + 1)
        begin[0] = tick
        # A key cannot be struck again before it is released.
        key = (track, begin[1].channel, begin[1].note)
        before, release = last.get(key, (-1, None))
        if release is not None and before < tick < release[0]:
            release[0] = tick
        last[key] = (tick, end)


def read_aligned_midi(
    path: StrPath, notes: NotesOfScore, *, duration: float | None = None
) -> NoteTimes:
    """Read when notes are played, those of a pitch in order of time; see `notes_by_pitch`.

    Notes that no piano has are passed over, as in the score.

    Raises DataError where the file cannot be read, or has other notes than were written.
    """
    rows = [(row.pitch, row.onset) for row in read_midi_notes(path) if on_piano(row.pitch)]
    return notes_by_pitch(rows, notes, path, duration)
