"""What an alignment is: events, when each begins, and how sure that is.

`timing`      what all results have in common, and what everything that shows them reads
`alignment`   labels, one after the other
`music`       notes of a score, which may begin together
`chords`      notes that the score begins together
`time_map`    from the score to the recording and back, and the tempo
`writing`     the files that results are written to
"""

from typing import TYPE_CHECKING

from align._lazy import lazy_names

if TYPE_CHECKING:
    from align.results.alignment import Alignment
    from align.results.music import MusicAlignment

__all__ = [
    "Alignment",
    "MusicAlignment",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "align.results.alignment": "Alignment",
        "align.results.music": "MusicAlignment",
    },
)
