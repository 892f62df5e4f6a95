"""What the readers of corpora share: files found, examples made, problems kept."""

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from align.corpus.listing import folders
from align.corpus.pairs import AUDIO_SUFFIXES, suffix_of
from align.corpus.reading import (
    Corpus,
    check_within,
    first_problem,
    header,
    music_example,
    problem_of,
    speech_example,
)
from align.errors import AlignError, DataError
from align.files.names import comparable
from align.formats.tiers.labels import Labels
from align.types import Example

if TYPE_CHECKING:
    from align.formats.scores import NoteTruth, Score

__all__ = ["Gathering", "audio_by_stem", "recordings_below", "stem_of", "tree_files"]


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


class Gathering:
    """A corpus of speech or music in the making; `root` is its folder, for messages."""

    def __init__(self, root: str, kind: str) -> None:
        self.root = root
        self.kind = kind
        self.examples: list[Example] = []
        self.problems: list[tuple[str, str]] = []
        self.unpaired: list[str] = []

    @contextmanager
    def attempt(self, path: str) -> Iterator[None]:
        """Make what fails inside a problem, of `path` where the error names no file."""
        try:
            yield
        except AlignError as error:
            self.problems.append(problem_of(error, path))

    def add_speech(self, audio: str, labels: Labels, group: str | None) -> None:
        """Add a recording with labels that were checked against its length."""
        assert labels.duration is not None
        self.examples.append(speech_example(audio, labels, labels.duration, group))

    def add_music(
        self,
        audio: str,
        score: "Score",
        truth: "NoteTruth",
        group: str | None,
        *,
        source: str,
    ) -> None:
        """Add a recording with its score and true times, which `source` holds.

        Raises DataError if the recording cannot be used, or the notes lie outside of it.
        """
        if truth.index.size == 0:
            raise DataError("has no note that was played.", path=source)
        check_within(header(audio), truth, source)
        self.examples.append(music_example(audio, score, truth, group))

    def corpus(self, nothing: str) -> Corpus:
        """Return the corpus, its examples sorted by path.

        Raises DataError if there is none: because of the first problem, else for the reason
        `nothing`.
        """
        if not self.examples and self.problems:
            raise first_problem("nothing", self.problems, self.root)
        if not self.examples:
            raise DataError(nothing, path=self.root)
        return Corpus(
            sorted(self.examples, key=lambda example: example.name),
            self.problems,
            self.unpaired,
            self.kind,
        )
