"""The Vienna 4x22 Piano Corpus: four excerpts, each played by 22 pianists.

A match file for each performance, such as ``match/Chopin_op10_no3_p01.match``, and a recording of
the same name. The match files of the project's repository since March 2024 count their time from
the start of the recordings; older ones from the start of the MIDI recording, which needs an
offset. Collections made alike, such as Batik plays Mozart, can be read too.

References
----------
Goebl, "The Vienna 4x22 Piano Corpus", 1999, doi 10.21939/4X22.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import replace

from align.corpus.readers._tree import audio_by_stem, stem_of, tree_files
from align.corpus.readers.match import read_match
from align.corpus.reading import Corpus, Gathering
from align.errors import DataError
from align.files.names import StrPath

_PLAYER = re.compile(r"_p\d+$")


def read_vienna4x22(
    folder: StrPath, audio: StrPath | None = None, *, offset: float | Mapping[str, float] = 0.0
) -> Corpus:
    """Read match files with recordings of the same names.

    Parameters
    ----------
    folder : path
        The match files, at any depth.
    audio : path, optional
        The recordings, at any depth; by default below `folder` too.
    offset : float or mapping of str to float
        Seconds added to the time of every note; a mapping gives them by the name of the match
        file without its suffix, 0 where it has none.

    Returns
    -------
    Corpus
        The group is the piece: the name without ``_p01``. Score notes of a match file that were
        not played have no onset (NaN).

    Raises
    ------
    DataError
        If there is no such folder, or nothing in it can be used.
    """
    root = os.fspath(folder)
    matches = tree_files(root, (".match",))
    recordings = audio_by_stem(root if audio is None else os.fspath(audio))
    found = Gathering(root, "music")
    used = set()
    for path in matches:
        name = os.path.splitext(os.path.basename(path))[0]
        recording = recordings.get(stem_of(path))
        with found.attempt(path):
            if recording is None:
                raise DataError("has no recording of its name; say where the audio is.", path=path)
            used.add(recording)
            read = read_match(path)
            shift = offset.get(name, 0.0) if isinstance(offset, Mapping) else offset
            truth = replace(read.truth, performed=read.truth.performed + shift)
            found.add_music(recording, read.score, truth, _PLAYER.sub("", name), source=path)
    found.unpaired = sorted(path for path in recordings.values() if path not in used)
    return found.corpus("holds no .match files.")
