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

SEMITONES = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
"""Of each step above C."""

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


def sounding_name(step: str, alter: int, semitones: int, steps: int, pitch: int) -> str:
    """Return what a written note is called where it sounds so many semitones and steps higher.

    `pitch` is the MIDI number that sounds.

    Examples
    --------
    >>> sounding_name("C", 0, -2, -1, 58), sounding_name("B", -1, 0, 0, 58)
    ('Bb3', 'Bb3')
    """
    if not semitones and not steps:
        return name_of_step(step, alter, pitch)
    letter = _LETTERS[(_LETTERS.index(step) + steps) % 7]
    natural = named_pitch(f"{letter}4")
    return name_of_step(letter, (pitch - (natural or 0) + 6) % 12 - 6, pitch)


def octaves_higher(name: str, octaves: int) -> str:
    """Return what a note is called so many octaves higher; "" is no note.

    Examples
    --------
    >>> octaves_higher("Bb3", 1), octaves_higher("C1", -2)
    ('Bb4', 'C-1')
    """
    step = name.rstrip("-0123456789")
    return step and f"{step}{int(name[len(step) :]) + octaves}"
