"""The tempo curve of an alignment as a table, ``.tempo.csv``.

::

    performed_s,score_s,relative_tempo
    0.519000,0.500000,0.93121

One line for each chord: when it is played, where it stands in the score, and how many score
seconds go by in a second there (1 at the tempo of the score); see `align.MusicAlignment.tempo`.
Where the score says its bars, a column ``bpm`` follows: beats in a minute, as the time signature
notates them.
"""

import math

from align.formats.documents.writing import writer
from align.formats.notes.aligned import TimedNotes

__all__ = ["format_tempo", "write_tempo"]


def format_tempo(alignment: TimedNotes, *, window: float = 1.0) -> str:
    """Return the tempo curve as a table, with empty cells where a single chord has no tempo.

    `window` is that of `align.MusicAlignment.tempo`.
    """
    beats = alignment.beats
    lines = ["performed_s,score_s,relative_tempo" + ("" if beats is None else ",bpm")]
    for time, scored, tempo in zip(*alignment.tempo(window), strict=True):
        known = not math.isnan(tempo)
        line = f"{time:.6f},{scored:.6f}," + (f"{tempo:.5f}" if known else "")
        if beats is not None:
            line += f",{tempo * float(beats.per_minute(scored)):.2f}" if known else ","
        lines.append(line)
    return "\n".join(lines) + "\n"


write_tempo = writer(format_tempo)
