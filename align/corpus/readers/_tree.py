"""What the readers of corpora share: how files are found."""

import os
from collections.abc import Collection

from align.corpus.listing import AUDIO_SUFFIXES, folders
from align.errors import DataError
from align.files.names import comparable, suffix_of


def tree_files(root: str, suffixes: Collection[str]) -> list[str]:
    """Return the files of a tree with some suffixes (in lower case), sorted; hidden ones are left.

    Raises DataError if there is no such folder.
    """
    if not os.path.isdir(root):
        what = "is not a folder" if os.path.exists(root) else "does not exist"
        raise DataError(f"{what}; give the folder of the corpus.", path=root)
    return sorted(
        os.path.join(folder, name)
        for folder, names in folders(root)
        for name in names
        if suffix_of(name) in suffixes
    )


def recordings_below(root: str) -> list[str]:
    """Return the recordings of a tree, those of the best suffix first."""
    paths = tree_files(root, AUDIO_SUFFIXES)
    return sorted(paths, key=lambda path: AUDIO_SUFFIXES.index(suffix_of(path)))


def audio_by_stem(root: str) -> dict[str, str]:
    """Return the recordings of a tree by their stem in lower case, the best suffix of each."""
    found: dict[str, str] = {}
    for path in recordings_below(root):
        found.setdefault(stem_of(path), path)
    return found


def stem_of(path: str) -> str:
    """Return the name without folder and suffix, in lower case."""
    return comparable(os.path.splitext(os.path.basename(path))[0])
