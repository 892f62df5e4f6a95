"""The one aligner: cross-fitting, learning, search, placement, correction, state.

Learning

`base`         `Aligner`: the one fit, evaluate, save and load; what a task must fill in
`adapt`        a few steps from a fitted aligner towards new recordings
`crossfit`     features that never saw what they score
`problem`      what the structured learner sees: base functions, truth, cost
`scaling`      units of base functions
`checkpoint`   training that goes on after an interruption
`state`        what all model files hold

Aligning events that follow each other

`aligner`      `SequenceAligner`
`recordings`   examples with known onsets, in frames
`feature_terms`  the base functions of all features together
`search`       the best timing, however long the recording and its pauses
`windows`      where onsets are looked for, and how windows grow
`placement`    from frames to seconds, with confidence; `refine` does the work
`correction`   a last, small move of each onset
`anchors`      onsets that are known: windows for the decoder, exact times after it
`parts`        long recordings in parts, to learn from
`recent`       what was computed of the recordings aligned last
`frames`       seconds to frames and back
`lattices`     which events may follow which; `on_lattice` and `long_lattice` score and decode them
"""

from typing import TYPE_CHECKING

from align._lazy import lazy_names

if TYPE_CHECKING:
    from align.sequence.aligner import SequenceAligner

__all__ = [
    "SequenceAligner",
]

__getattr__, __dir__ = lazy_names(__name__, {"align.sequence.aligner": "SequenceAligner"})
