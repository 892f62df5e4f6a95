"""What is wrong with a corpus, before hours are spent on it."""

import os
from collections.abc import Collection

from align.corpus.check_music import validate_music
from align.corpus.check_speech import validate_speech
from align.corpus.issues import Validation
from align.corpus.reading import check_kind
from align.files.names import StrPath
from align.progress import Progress


def validate_corpus(
    folder_or_manifest: StrPath,
    kind: str = "speech",
    *,
    phones: Collection[str] | None = None,
    tier: str | None = None,
    progress: Progress | None = None,
) -> Validation:
    """Return what is wrong with a corpus, before hours are spent on it.

    Parameters
    ----------
    folder_or_manifest : path
        As for `read_corpus`.
    kind : {"speech", "music"}
        What is in it.
    phones : collection of str, optional
        Of speech: the phones that labels may be; others are problems.
    tier : str, optional
        As for `read_corpus`.
    progress : callable, optional
        Called with a stage, how much of it is done, and how much there is.

    Returns
    -------
    Validation
        Problems: files that cannot be used, unknown phones. Warnings: audio without labels and
        labels without audio, files that another one hides, sampling rates and channels unlike
        most. In speech: phones suspiciously short or long, silences in a row, recordings that go
        on long after the last label. In music: see `align.corpus.check_music`.

    Raises
    ------
    DataError
        If there is no such folder or manifest, or no audio or labels in it.
    """
    check_kind(kind)
    root = os.fspath(folder_or_manifest)
    if kind == "music":
        return validate_music(root, progress=progress)
    return validate_speech(root, phones=phones, tier=tier, progress=progress)
