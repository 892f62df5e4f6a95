"""Recordings in another key, or of another tuning, than the score is written in.

A voice or a guitar may also sound an octave lower than a score without a clef of its own says. The
semitone bands are tuned to the recording, to a fraction of a semitone; whole semitones move
the notes of the score. A recording at A4 = 415 Hz is one semitone lower, like one that is
transposed: nothing in the sound distinguishes them, and the message says both.
"""

import math

from align.errors import ParameterError
from align.types import Float64

OCTAVE = 12
"""Semitones."""

_FIFTH = 7  # semitones
_TUNINGS = (400.0, 466.2)  # Hz of A4 that are looked for
_LOWEST, _HIGHEST = 220.0, 880.0  # Hz of A4 that may be given
_IN_TUNE = 0.5  # semitones


def check_key(transpose: int | None, tuning: float | None) -> None:
    """Raise ParameterError for semitones or Hz of A4 that no recording has."""
    if transpose is not None and not (isinstance(transpose, int) and abs(transpose) <= 24):
        raise ParameterError(
            f"transpose={transpose!r}, must be a whole number of semitones in -24..24, or None."
        )
    if tuning is not None and not _LOWEST <= tuning <= _HIGHEST:
        raise ParameterError(
            f"tuning={tuning!r}, must be Hz of A4 in {_LOWEST:g}..{_HIGHEST:g}, or None."
        )


def semitones_of(tuning: float) -> float:
    """Return by how many semitones an A4 is higher than 440 Hz.

    Examples
    --------
    >>> round(semitones_of(415.0), 2)
    -1.01
    """
    return 12.0 * math.log2(tuning / 440.0)


def shifts_of(transpose: int | None, tuning: float | None) -> tuple[int, ...]:
    """Return by how many semitones a recording may sound higher than the score.

    What is not given is looked for: transposition by up to a fifth or by an octave, A4 from 400 to
    466 Hz.

    Examples
    --------
    >>> shifts_of(0, None), shifts_of(-2, 440.0)
    ((-2, -1, 0, 1), (-2,))
    >>> shifts_of(None, 440.0)
    (-12, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 12)
    """
    low, high = (-_FIFTH, _FIFTH) if transpose is None else (transpose, transpose)
    if tuning is None:
        low += round(semitones_of(_TUNINGS[0]))
        high += round(semitones_of(_TUNINGS[1]))
    octaves = (-OCTAVE, OCTAVE) if transpose is None else ()
    return tuple(sorted({*range(low, high + 1), *octaves}))


def described(shift: int, tuning: float) -> str | None:
    """Return how a recording differs that is `shift` semitones and a fraction `tuning` higher.

    None where it is within half a semitone of what is written.

    Examples
    --------
    >>> described(-1, -0.013)
    'the recording sounds 1 semitone lower than the score is written, as if A4 were 415 Hz.'
    >>> described(5, 0.0)
    'the recording sounds 5 semitones higher than the score is written (A4 = 440 Hz).'
    >>> described(-12, 0.1)
    'the recording sounds an octave lower than the score is written (A4 = 443 Hz).'
    >>> described(0, 0.1)
    """
    total = shift + tuning
    if abs(total) <= _IN_TUNE:
        return None
    hertz = 440.0 * 2.0 ** (total / 12.0)
    n = abs(shift)
    by = f"{n} semitone{'s' if n != 1 else ''}" if shift else f"{abs(tuning):.1f} semitones"
    if n == OCTAVE:
        by = "an octave"
    way = "higher" if total > 0 else "lower"
    if _TUNINGS[0] <= hertz <= _TUNINGS[1]:
        known = f", as if A4 were {hertz:.0f} Hz"
    else:
        known = f" (A4 = {440.0 * 2.0 ** (tuning / 12.0):.0f} Hz)"
    return f"the recording sounds {by} {way} than the score is written{known}."


def described_drift(shift: int, tunings: Float64) -> str:
    """Return how the tuning of a recording changes, `shift` + `tunings` [shape=(T,)] semitones.

    Examples
    --------
    >>> import numpy as np
    >>> described_drift(0, np.array([0.0, 0.3, 0.6]))[:62]
    'the pitch of the recording drifts, from A4 = 440 Hz to 456 Hz,'
    """
    first, last, low, high = (
        440.0 * 2.0 ** ((shift + t) / 12.0)
        for t in (tunings[0], tunings[-1], tunings.min(), tunings.max())
    )
    way = f"from A4 = {first:.0f} Hz to {last:.0f} Hz"
    if abs(last - first) < 0.8 * (high - low):
        way = f"between A4 = {low:.0f} Hz and {high:.0f} Hz"
    return f"the pitch of the recording drifts, {way}, as of a tape that does not run evenly."
