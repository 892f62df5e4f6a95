"""A score as it is written, each bar once, and the ways in which it can be played.

Notes and bars stand at quarters from the beginning. A *way* is the stretches of the score in the
order in which they are played. The tempo belongs to the place in the score: a stretch that is
played again has the tempo it had, whatever the music that leads back to it ends with.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from align.formats.scores.beats import Bar, Beats, beats_of_bars
from align.formats.scores.note_rows import NoteRow
from align.types import Float64

_SAME = 1e-6  # quarters: rounding
_MOST_NOTES = 1_000_000


class FoldedNote(NamedTuple):
    """A note that begins and ends at quarters of the score.

    `closing` is a grace note at the end of a bar, which belongs to what is before it.
    """

    onset: float
    end: float
    row: NoteRow
    closing: bool = False


class Folded:
    """Notes and bars of a score, in quarters.

    Parameters
    ----------
    notes : sequence of FoldedNote
        In any order.
    bars : sequence of Bar
        In their order; none where the score has no metre.
    to_seconds : callable
        From quarters of the score to seconds, both [shape=(N,)].
    """

    def __init__(
        self,
        notes: Sequence[FoldedNote],
        bars: Sequence[Bar],
        to_seconds: Callable[[Float64], Float64],
    ) -> None:
        self._notes = sorted(notes, key=lambda note: note.onset)
        self._bars = bars
        self._begins = np.array([bar.start for bar in bars])
        self._onsets = np.array([note.onset for note in self._notes])
        closing = np.array([note.closing for note in self._notes], dtype=bool)
        self._places = self._onsets - 3 * _SAME * closing
        self._ends = np.array([note.end for note in self._notes])
        self._last = max([note.end for note in notes] + [bar.end for bar in bars], default=0.0)
        self._to_seconds = to_seconds

    def along(self, way: Sequence[tuple[float, float]]) -> tuple[list[NoteRow], Beats | None]:
        """Return the notes in the order in which they are played along a way, and the beats.

        Parameters
        ----------
        way : sequence of (start, end)
            Stretches of the score. Where one is played again, notes are called ``n1-1`` and
            ``n1-2``. A note that is held into a stretch is struck there if the stretch that was
            played before does not hold it.

        Raises
        ------
        ValueError
            Where there are more than a million notes.
        """
        if not way:
            return [], None
        again = len(way) > len(set(way))
        times: Counter[int] = Counter()
        notes: list[FoldedNote] = []
        bars: list[Bar] = []
        now, before = 0.0, 0.0
        starts, held = [], set[int]()
        for start, end in way:
            starts.append(now)
            into = [k for k in self._sounding(start) if self._notes[k].row.pitch not in held]
            # grace notes behind the last bar belong to it
            until = end + _SAME if end > self._last - _SAME else end - _SAME
            within = (self._places > start - _SAME) & (self._places < until)
            for k in [*(into if start != before else ()), *np.flatnonzero(within).tolist()]:
                times[k] += 1
                onset, last, row, _ = self._notes[k]
                name = f"{row.id}-{times[k]}" if again else row.id
                moved = now - start
                notes.append(
                    FoldedNote(max(onset, start) + moved, last + moved, row._replace(id=name))
                )
            if len(notes) > _MOST_NOTES:
                raise ValueError(f"its repeats make more than {_MOST_NOTES} notes")
            held = {self._notes[k].row.pitch for k in self._sounding(end)}
            bars += self._bars_between(start, end, now - start)
            now, before = now + end - start, end
        played = self._clock(way, np.array(starts))
        begins = played(np.array([note.onset for note in notes]))
        ends = played(np.array([note.end for note in notes]))
        rows = [
            note.row._replace(onset=begin, duration=end - begin)
            for note, begin, end in zip(notes, begins.tolist(), ends.tolist(), strict=True)
        ]
        rows.sort(key=lambda row: (row.onset, row.pitch))
        return rows, beats_of_bars(bars, played)

    def begins(self, way: Sequence[tuple[float, float]]) -> Float64:
        """Return when each stretch of a way begins, and when the last ends [shape=(n + 1,)]."""
        seconds = self._to_seconds(np.array(way, dtype=np.float64).reshape(-1, 2))
        return np.append(0.0, np.cumsum(seconds[:, 1] - seconds[:, 0]))

    def _sounding(self, at: float) -> list[int]:
        """Return the notes that begin before a place and are held beyond it."""
        over = (self._onsets < at - _SAME) & (self._ends > at + _SAME)
        return [int(k) for k in np.flatnonzero(over)]

    def _bars_between(self, start: float, end: float, moved: float) -> list[Bar]:
        """Return bars, and parts of bars, of a stretch, moved by so many quarters."""
        found = []
        first = max(int(np.searchsorted(self._begins, start, side="right")) - 1, 0)
        for bar in self._bars[first : int(np.searchsorted(self._begins, end))]:
            low, high = max(bar.start, start), min(bar.end, end)
            if high > low + _SAME:
                beats = bar.n_beats / (bar.end - bar.start)
                beat = bar.first + (low - bar.start) * beats
                lasts = (high - low) * beats
                found.append(Bar(low + moved, high + moved, lasts, bar.number, beat, bar.unit))
        return found

    def _clock(
        self, way: Sequence[tuple[float, float]], starts: Float64
    ) -> Callable[[Float64], Float64]:
        """Return the function from quarters as they are played to seconds."""
        written = np.array(way)
        begins = self._to_seconds(written[:, 0])
        begun = self.begins(way)

        def played(quarters: Float64) -> Float64:
            k = np.maximum(np.searchsorted(starts, quarters + _SAME, side="right") - 1, 0)
            seconds: Float64 = self._to_seconds(quarters - starts[k] + written[k, 0])
            return begun[k] + seconds - begins[k]

        return played
