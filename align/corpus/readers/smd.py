"""The Saarland Music Data (SMD), and other pairs of a recording and the MIDI file made with it.

SMD's 50 pieces were played on a Disklavier: ``Bach_BWV849-01_001_20090916-SMD.mp3`` and
``.mid``, in one folder or two. What the score is, see `align.corpus.readers._performed`.

References
----------
Mueller, Konz, Bogler and Arifi-Mueller, "Saarland Music Data (SMD)", ISMIR 2011, late-breaking.
"""

import os
import re

from align.corpus.readers._performed import performed_midi
from align.corpus.readers._tree import audio_by_stem, stem_of, tree_files
from align.corpus.reading import Corpus, Gathering
from align.files.names import StrPath

_TAKE = re.compile(r"_\d+_\d{8}(-SMD)?$", re.IGNORECASE)


def read_smd(folder: StrPath) -> Corpus:
    """Read recordings with MIDI files of the same names as the truth.

    Parameters
    ----------
    folder : path
        Recordings and MIDI files, at any depth, in one folder or several.

    Returns
    -------
    Corpus
        The group is the piece: the name without player and day. The score is the MIDI file
        itself, with its tempo taken out.

    Raises
    ------
    DataError
        If there is no such folder, or nothing in it can be used.
    """
    root = os.fspath(folder)
    recordings = audio_by_stem(root)
    found = Gathering(root, "music")
    used = set()
    for path in tree_files(root, (".mid", ".midi")):
        recording = recordings.get(stem_of(path))
        if recording is None:
            found.problems.append((path, "has no recording of its name."))
            continue
        used.add(recording)
        with found.attempt(path):
            score, truth = performed_midi(path)
            name = os.path.splitext(os.path.basename(path))[0]
            found.add_music(recording, score, truth, _TAKE.sub("", name), source=path)
    found.unpaired = sorted(path for path in recordings.values() if path not in used)
    return found.corpus("holds no MIDI files with recordings of their names.")
