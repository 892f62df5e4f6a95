"""How the pitches of a score are spelled: as it writes them, or by its key.

Notation says how each note is written. MIDI says at most its key. In a major key the twelve
pitches are those of meantone tuning, moved to the key: in C the line of fifths from Eb to G#, as
the leading notes of the chords of a key are more common than its flattened degrees. In a minor key
they reach from five fifths below the tonic to six above, so that the raised sixth and seventh are
sharp (in A minor from Bb to D#). A minor key that a file calls by its relative major differs in
one pitch only.

References
----------
Longuet-Higgins and Steedman, "On interpreting Bach", Machine Intelligence 6, 1971.
"""

from functools import lru_cache

from align.types import named_pitch

__all__ = ["moved_step", "name_in_key", "name_of_step"]

_FIFTHS = "FCGDAEB"
_LETTERS = "CDEFGAB"
_BELOW = {"major": 2, "minor": 1}
"""How far below F the names of a key without accidentals begin on the line of fifths."""


@lru_cache(maxsize=4096)
def name_in_key(pitch: int, sharps: int, mode: str = "major") -> str:
    """Return what a MIDI pitch is called in a key.

    Parameters
    ----------
    pitch : int
        MIDI number, 60 is the middle C.
    sharps : int
        Sharps of the key signature, -7 to 7; negative for flats.
    mode : {"major", "minor"}

    Examples
    --------
    >>> name_in_key(66, 2), name_in_key(66, -5), name_in_key(68, 0, "minor"), name_in_key(59, -7)
    ('F#4', 'Gb4', 'G#4', 'Cb4')
    """
    low = sharps - _BELOW[mode]
    place = low + (7 * (pitch - 5) - low) % 12
    return name_of_step(_FIFTHS[place % 7], place // 7, pitch)


def name_of_step(step: str, alter: int, pitch: int) -> str:
    """Return the name of a MIDI pitch that is written as a step (C to B) and its alteration.

    Empty where the two do not agree, or the alteration is more than two semitones.

    Examples
    --------
    >>> name_of_step("B", 1, 60), name_of_step("C", -1, 59), name_of_step("C", 0, 59)
    ('B#3', 'Cb4', '')
    """
    accidental = "#" * alter or "b" * -alter
    octave = (pitch - alter) // 12 - 1
    name = f"{step}{accidental}{octave}"
    return name if named_pitch(name) == pitch else ""


def moved_step(step: str, steps: int) -> str:
    """Return the letter so many steps higher; the octave does not count.

    Examples
    --------
    >>> moved_step("B", -1), moved_step("B", 1)
    ('A', 'C')
    """
    return _LETTERS[(_LETTERS.index(step) + steps) % 7]
