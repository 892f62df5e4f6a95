"""MAPS: pieces, chords and notes played by sampled pianos and by a Disklavier.

``MAPS_MUS-bk_xmas1_ENSTDkAm.wav`` has beside it ``.mid`` and ``.txt``; the latter lists what was
really played, with times in seconds::

    OnsetTime	OffsetTime	MidiPitch
    0.500004	1.26285	60

The MIDI file gives the score, its ticks without the tempo curve (see
`align.corpus.readers._performed`); the list gives the truth. The n-th note of a pitch in one is
the n-th in the other.

References
----------
Emiya, Badeau and David, "Multipitch estimation of piano sounds using a new probabilistic spectral
smoothness principle", IEEE TASLP 18 (6), 2010.
"""

import os
import re
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from align.corpus.readers._performed import midi_notes, score_in_ticks
from align.corpus.readers._tree import audio_by_stem, stem_of, tree_files
from align.corpus.reading import Corpus, Gathering
from align.errors import DataError, ParameterError
from align.files.names import StrPath
from align.files.text import Place, read_lines

if TYPE_CHECKING:
    from align.formats.scores import NoteTruth, Score

_PIANO = re.compile(r"_[A-Za-z0-9]+$")
_NEAR = 0.1  # seconds by which list and MIDI file may differ


def read_maps(folder: StrPath, *, sets: tuple[str, ...] = ("MUS",), delay: float = 0.0) -> Corpus:
    """Read MAPS.

    Parameters
    ----------
    folder : path
        The corpus or a part of it; the files of a recording have one name, at any depth.
    sets : tuple of str
        Which sets: "MUS" the pieces of music, "UCHO" usual chords, "RAND" random ones, "ISOL"
        single notes.
    delay : float
        Seconds added to the time of every note. The ambient recordings (``ENSTDkAm``) lag their
        lists by about 0.019.

    Returns
    -------
    Corpus
        The group is the piece: the name without the piano.

    Raises
    ------
    DataError
        If there is no such folder, or nothing in it can be used.
    """
    if isinstance(sets, str) or not sets:
        raise ParameterError(f"sets={sets!r}, must be a tuple of names, such as ('MUS',).")
    root = os.fspath(folder)
    begins = tuple(f"maps_{name.lower()}-" for name in sets)
    recordings = {k: v for k, v in audio_by_stem(root).items() if k.startswith(begins)}
    files = {
        suffix: {stem_of(path): path for path in tree_files(root, (suffix,))}
        for suffix in (".mid", ".txt")
    }
    found = Gathering(root, "music")
    for stem, recording in sorted(recordings.items()):
        midi, listed = files[".mid"].get(stem), files[".txt"].get(stem)
        if midi is None or listed is None:
            found.unpaired.append(recording)
            continue
        with found.attempt(recording):
            score, truth = _paired(midi, listed, delay)
            name = os.path.splitext(os.path.basename(recording))[0]
            found.add_music(recording, score, truth, _PIANO.sub("", name), source=listed)
    return found.corpus(f"holds no recordings called {begins[0].upper()}* with .mid and .txt.")


def _paired(midi: str, listed: str, delay: float) -> "tuple[Score, NoteTruth]":
    notes, per_quarter = midi_notes(midi)
    times = _times(listed)
    place: dict[int, int] = defaultdict(int)
    performed, ended = [], []
    for note in notes:
        mine = times.get(note.pitch, [])
        k = place[note.pitch]
        place[note.pitch] += 1
        if k >= len(mine) or abs(mine[k][0] - note.onset) > _NEAR:
            raise DataError(
                f"the note of pitch {note.pitch} at {note.onset:.3f} s of the MIDI file is not in "
                "the list.",
                path=listed,
            )
        performed.append(mine[k][0] + delay)
        ended.append(mine[k][1] + delay)
    for pitch, mine in times.items():
        if place[pitch] < len(mine):
            raise DataError(
                f"the note of pitch {pitch} at {mine[place[pitch]][0]:.3f} s is not in the MIDI "
                "file.",
                path=listed,
            )
    return score_in_ticks(notes, per_quarter, np.array(performed), midi, np.array(ended))


def _times(path: str) -> dict[int, list[tuple[float, float]]]:
    """Return onset and offset of the notes of each pitch in seconds, in order."""
    found: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for number, line in read_lines(path):
        at, fields = Place(path, number), line.split()
        if fields[0].lower() == "onsettime":
            continue
        if len(fields) != 3:
            raise at.wrong(f"{line.strip()!r} is not `onset offset pitch`.")
        onset, offset = at.number(fields[0], "onset"), at.number(fields[1], "offset")
        pitch = at.number(fields[2], "pitch")
        if not 0 <= pitch <= 127 or pitch != int(pitch):
            raise at.wrong(f"{fields[2]} is no MIDI number.")
        found[int(pitch)].append((onset, offset))
    for times in found.values():
        times.sort()
    return found
