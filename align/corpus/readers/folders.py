"""TIMIT, and folders of TextGrids a language or speaker, such as VoxAngeles.

TIMIT's own layout is one that `align.read_corpus` knows: ``.phn`` beside NIST SPHERE, a folder a
speaker. In VoxAngeles each language has a folder, named by its ISO 639-3 code, of recordings with
TextGrids; forced aligners write their TextGrids into a tree of their own beside that of the
recordings. Both are read here.

References
----------
Garofolo et al., "TIMIT Acoustic-Phonetic Continuous Speech Corpus", LDC93S1.
Chodroff et al., "VoxAngeles: a phonetically aligned corpus of the UCLA Phonetics Lab Archive",
LREC-COLING 2024.
"""

import os

from align.corpus.readers._tree import recordings_below, stem_of, tree_files
from align.corpus.reading import Corpus, Gathering, header, read_corpus
from align.errors import ParameterError
from align.files.names import StrPath, comparable
from align.formats.tiers.textgrid import read_textgrid


def read_timit(
    folder: StrPath, *, dialect_sentences: bool = False, part: str | None = None
) -> Corpus:
    """Read TIMIT.

    Parameters
    ----------
    folder : path
        The corpus, or a part of it, in upper or lower case.
    dialect_sentences : bool
        Keep the two sentences (``SA1``, ``SA2``) that every speaker reads. By default they are
        left out, as everywhere in the literature: they put the same words into training and test.
    part : {"train", "test"}, optional
        Which half; by default all there is.

    Returns
    -------
    Corpus
        The group is the speaker, the name of the folder.

    Raises
    ------
    DataError
        If there is no such folder, or nothing in it can be used.
    """
    if part not in (None, "train", "test"):
        raise ParameterError(f"part={part!r}, must be 'train', 'test' or None.")
    root = os.fspath(folder)
    whole = read_corpus(root, groups=lambda path: os.path.basename(os.path.dirname(path)))

    def asked(path: str) -> bool:
        within = os.path.relpath(path, root).replace(os.sep, "/").lower().split("/")[:-1]
        everybody = stem_of(path) in ("sa1", "sa2")
        return (dialect_sentences or not everybody) and (part is None or part in within)

    found = Gathering(root, "speech")
    found.examples = [example for example in whole if asked(example.name)]
    found.problems = [problem for problem in whole.problems if asked(problem[0])]
    found.unpaired = [path for path in whole.unpaired if asked(path)]
    half = "" if part is None else f" below a folder {part!r}"
    return found.corpus(f"holds no recordings with .phn files{half}.")


def read_voxangeles(
    folder: StrPath, labels: StrPath | None = None, *, tier: str | None = None
) -> Corpus:
    """Read VoxAngeles, or any folders of recordings with TextGrids.

    Parameters
    ----------
    folder : path
        The recordings, in one folder for each language or speaker, at any depth.
    labels : path, optional
        The tree of the TextGrids, with the same paths from its top as the recordings; by default
        they lie beside them.
    tier : str, optional
        Name of the tier of phones; by default ``phones`` or what can only be meant, see
        `align.formats.read_textgrid`.

    Returns
    -------
    Corpus
        The group is the first folder below the top: the language.

    Raises
    ------
    DataError
        If there is no such folder, or nothing in it can be used.
    """
    root = os.fspath(folder)
    top = root if labels is None else os.fspath(labels)
    grids = {_key(path, top): path for path in tree_files(top, (".textgrid",))}
    recordings: dict[str, str] = {}
    for path in recordings_below(root):
        recordings.setdefault(_key(path, root), path)
    found = Gathering(root, "speech")
    for key, audio in sorted(recordings.items()):
        grid = grids.pop(key, None)
        if grid is None:
            found.unpaired.append(audio)
            continue
        with found.attempt(grid):
            read = read_textgrid(grid, tier=tier, duration=header(audio).duration)
            found.add_speech(audio, read, _language(audio, root))
    for grid in grids.values():
        found.problems.append((grid, "has no recording of its path and name."))
    return found.corpus("holds no recordings with TextGrids of their names.")


def _key(path: str, top: str) -> str:
    return comparable(os.path.splitext(os.path.relpath(path, top))[0].replace(os.sep, "/"))


def _language(audio: str, root: str) -> str:
    parts = os.path.relpath(audio, root).replace(os.sep, "/").split("/")
    return parts[0] if len(parts) > 1 else os.path.basename(os.path.abspath(root))
