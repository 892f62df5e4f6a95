"""Music: scores, default features, repeats, parts, notes within chords.

Before decoding

`performance`         a recording and its score, made ready: chords, collisions, the coarse pass
`coarse`              about when each chord is played, by dynamic time warping
`repeats`             which repeats of a score were played
`pieces`              pieces whose note times are known

Base functions of chords

`functions`           what a feature of chords is, and all of an aligner together
`chosen_functions`    those that an aligner is asked for
`default_functions`   the default set, with the network of notes
`thesis_functions`    the ten of the thesis
`own_features`        features of signals and notes, as features of chords
`tempo`               local tempo and the lengths it lets expect

Decoding and after

`choosing`            which bundled model, where none is named
`aligner`, `state`    `MusicAligner`, and what its model file holds
`decoding`            a frame for each chord, in `windows`
`placement`, `notes`  a time for each note of a chord
`calibration`         offset, confidence and match, fitted to pieces
`matching`            how well another model finds the same notes at the same places
`confidence`          the probability that a note is within 50 ms of its time
`finding`, `parts`    which part of the score a recording holds; the result
`backwards`           whether the score is that of the recording
"""

from typing import TYPE_CHECKING

from align._lazy import lazy_names

if TYPE_CHECKING:
    from align.music.aligner import MusicAligner

__all__ = [
    "MusicAligner",
]

__getattr__, __dir__ = lazy_names(__name__, {"align.music.aligner": "MusicAligner"})
