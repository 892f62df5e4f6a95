"""L2-ARCTIC: sentences read by speakers of English as a second language.

Each speaker has a folder with ``wav``, ``textgrid`` (phones by forced alignment, of every
sentence) and ``annotation`` (phones corrected by hand, of some 150 sentences). In an annotation a
phone that was said as it should be has its ARPABET label; another has three, separated by commas:
what should have been said, what was perceived, and the kind of the error (``s`` a substitution,
``d`` a deletion, ``a`` an addition)::

    IH1,IY,s    TH,sil,d    sil,AH,a    R,R*,s

``err`` is a sound that is no phone of English, ``*`` marks a strong accent. Of the spontaneous
part, the ``suitcase_corpus``, the same holds with files instead of sentences.

References
----------
Zhao et al., "L2-ARCTIC: a non-native English speech corpus", Interspeech 2018.
"""

import os
import re
from dataclasses import replace

from align.corpus.readers._tree import recordings_below, stem_of, tree_files
from align.corpus.reading import Corpus, Gathering, header
from align.errors import DataError, ParameterError
from align.files.names import StrPath
from align.formats.tiers.labels import Labels
from align.formats.tiers.textgrid import read_textgrid
from align.types import SILENCES

_SETS = ("annotation", "textgrid")


def read_l2arctic(
    folder: StrPath, *, labels: str = "annotation", phones: str = "perceived", stress: bool = False
) -> Corpus:
    """Read L2-ARCTIC.

    Parameters
    ----------
    folder : path
        The corpus, with a folder for each speaker, or the folder of one speaker.
    labels : {"annotation", "textgrid"}
        Phones corrected by hand, or those of the forced alignment, of more sentences.
    phones : {"perceived", "canonical"}
        Of annotations: what was said, or what should have been said. The boundaries are the
        same; a phone left out is ``sil`` where it was missed, one put in is ``sil`` in the
        canonical sequence.
    stress : bool
        Keep the digit of stressed vowels.

    Returns
    -------
    Corpus
        The group is the speaker. Phones are ARPABET in lower case; ``err`` is a sound that is
        none.

    Raises
    ------
    DataError
        If there is no such folder, or nothing in it can be used.
    """
    if labels not in _SETS:
        raise ParameterError(f"labels={labels!r}, must be one of {', '.join(_SETS)}.")
    if phones not in ("perceived", "canonical"):
        raise ParameterError(f"phones={phones!r}, must be 'perceived' or 'canonical'.")
    root = os.fspath(folder)
    recordings: dict[tuple[str, str], str] = {}
    for path in recordings_below(root):
        recordings.setdefault((_speaker(path), stem_of(path)), path)
    found = Gathering(root, "speech")
    used = set()
    for grid in tree_files(root, (".textgrid",)):
        if os.path.basename(os.path.dirname(grid)).lower() != labels:
            continue
        key = (_speaker(grid), stem_of(grid))
        audio = recordings.get(key)
        if audio is None:
            found.problems.append((grid, "has no recording of its name in the folder 'wav'."))
            continue
        used.add(key)
        with found.attempt(grid):
            read = read_textgrid(grid, duration=header(audio).duration)
            read = _spelled(read, canonical=phones == "canonical", stress=stress)
            speaker = os.path.basename(key[0])
            # Files of the spontaneous part lie in one folder and are named after their speakers.
            group = key[1].upper() if speaker == "suitcase_corpus" else speaker
            found.add_speech(audio, read, group)
    found.unpaired = [path for key, path in sorted(recordings.items()) if key not in used]
    return found.corpus(f"holds no folders 'wav' and {labels!r} with files of the same names.")


def _speaker(path: str) -> str:
    """Return the folder of a speaker: two above the file."""
    return os.path.dirname(os.path.dirname(os.path.abspath(path)))


def _spelled(labels: Labels, *, canonical: bool, stress: bool) -> Labels:
    """Take one reading of each label, in one spelling."""
    assert labels.path is not None
    names = []
    lines = labels.lines or range(1, len(labels) + 1)
    for label, line in zip(labels.labels, lines, strict=True):
        parts = [part.strip() for part in label.split(",")]
        if len(parts) not in (1, 3):
            raise DataError(
                f"{label!r} is neither a phone nor `canonical,perceived,type`.",
                path=labels.path,
                line=line,
            )
        if len(parts) == 3 and parts[2].lower() not in ("s", "d", "a"):
            raise DataError(
                f"{label!r} has the type {parts[2]!r}, must be s, d or a.",
                path=labels.path,
                line=line,
            )
        name = parts[0] if canonical or len(parts) == 1 else parts[1]
        name = name.replace("*", "").strip().lower()
        if not stress:
            name = re.sub(r"(?<=[a-z])[0-2]$", "", name)
        names.append("sil" if name in SILENCES else name)
    return replace(labels, labels=tuple(names))
