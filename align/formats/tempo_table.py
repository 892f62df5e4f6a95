"""The tempo curve of an alignment as a table, ``.tempo.csv``.

::

    performed_s,score_s,relative_tempo
    0.519000,0.500000,0.93121

One line for each chord: when it is played, where it stands in the score, and how many score
seconds go by in a second there (1 at the tempo of the score); see `align.MusicAlignment.tempo`.
"""

import math

from align.formats.frame import writer
from align.formats.notes import TimedNotes

__all__ = ["format_tempo", "write_tempo"]


def format_tempo(alignment: TimedNotes, *, window: float = 1.0) -> str:
    """Return the tempo curve as a table, with empty cells where a single chord has no tempo.

    `window` is that of `align.MusicAlignment.tempo`.
    """
    lines = ["performed_s,score_s,relative_tempo\n"]
    for time, scored, tempo in zip(*alignment.tempo(window), strict=True):
        shown = "" if math.isnan(tempo) else f"{tempo:.5f}"
        lines.append(f"{time:.6f},{scored:.6f},{shown}\n")
    return "".join(lines)


write_tempo = writer(format_tempo)
