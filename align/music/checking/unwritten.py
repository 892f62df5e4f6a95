"""How much of what begins in a recording is not in its score, as where that is of one voice alone.

Of bands whose level rises by more than chance, as far as it stands out from the bands about it,
those are explained in which a note of the score, or a harmonic of one, sounds at about that time.
What is left is a share of all that rises.
"""

import numpy as np

from align.features.notes.note_levels import semitone_levels
from align.features.sound.pitch import LOWEST_BAND, N_BANDS
from align.features.sound.signal import Signal
from align.music.performances.coarse import averaged, standing_out
from align.types import Float64, IntArray

_STEP = 0.05  # seconds of a frame
_RISE = 1.5  # of a level within two frames; less is chance
_HARMONICS = (0, 12, 19, 24, 28, 31, 34, 36)  # semitones above the first
_BEFORE, _AFTER = 2, 3  # frames about its onset in which a note may make a band rise
_RINGS = 10  # frames after the last chord
_MUCH = 0.36  # of all that rises


def unwritten_share(signal: Signal, pitches: IntArray, onsets: Float64, ends: Float64) -> float:
    """Return which share of what begins between the first and the last note is not of the notes.

    `pitches` [shape=(N,)] are as they sound, from `onsets` to `ends` [shape=(N,)], in seconds.
    """
    level, width = averaged(semitone_levels(signal), max(1, round(_STEP / signal.hop)))
    frame = width * signal.hop
    first, last = (np.rint(times / frame).astype(np.intp) for times in (onsets, ends))
    out = standing_out(level)
    rise = np.zeros_like(out)
    rise[1:-1] = np.maximum(out[2:] - out[:-2], 0.0)
    rise[rise < _RISE] = 0.0
    written = np.zeros(rise.shape, dtype=np.bool_)
    for pitch, begin, end in zip(pitches.tolist(), first.tolist(), last.tolist(), strict=True):
        about = slice(max(begin - _BEFORE, 0), max(begin + _AFTER, end) + 1)
        for above in _HARMONICS:
            band = pitch - LOWEST_BAND + above
            if band < N_BANDS:
                written[about, max(band - 1, 0) : band + 2] = True
    inside = slice(first.min(), first.max() + _RINGS)
    total = float(rise[inside].sum())
    return float(rise[inside][~written[inside]].sum()) / total if total else 0.0


def described_share(share: float) -> str | None:
    """Return a warning where much of what begins in a recording is not in the score.

    Examples
    --------
    >>> described_share(0.5)[:73]
    'the recording holds more than the score: 50 % of what begins in it is non'
    >>> described_share(0.2)
    """
    if share < _MUCH:
        return None
    return (
        f"the recording holds more than the score: {100 * share:.0f} % of what begins in it is "
        "none of its notes; if it is the score of one part or one hand, give that of all."
    )
