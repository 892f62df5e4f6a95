"""Which file of a tree is the truth of a piece of music, and which the result for it."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from align.errors import AlignError, DataError, error_reason
from align.files.folders import walk
from align.files.names import comparable
from align.progress import Progress, counted

_Score = TypeVar("_Score")


@dataclass(frozen=True)
class PieceFiles:
    """How the files of one kind, such as tables of notes, are named in trees of pieces.

    A piece is a folder with a truth, or a file; its name is the path from the top, without the
    suffix and in lower case.

    Parameters
    ----------
    held : callable
        Of a folder and the names of its files: those of the kind, the preferred ones first.
    is_truth : callable
        Whether a file of this name is the truth of its folder, ``truth.csv``, or of the files that
        have its name up to that, ``minuet.truth.csv``.
    stem : callable
        The name of a file without its suffix.
    """

    held: Callable[[str, list[str]], list[str]]
    is_truth: Callable[[str], bool]
    stem: Callable[[str], str]

    def compare(
        self,
        system: str | os.PathLike[str],
        reference: str | os.PathLike[str],
        score: Callable[[str, str, str], _Score],
        none: str,
        progress: Progress | None,
    ) -> tuple[dict[str, _Score], list[tuple[str, str]]]:
        """Score the results of one tree against the truths of another.

        `score` is called with the name of a piece, its result and its truth; an `AlignError` is
        of that piece alone. `none` is what a message says of the reference where the trees have
        no piece in common. Returned are the scores by name, and the truths that have none, each
        with the reason.
        """
        system, reference = os.fspath(system), os.fspath(reference)
        truths = self.truths(reference)
        found = self.results(system, truths)
        common = [name for name in truths if name in found]
        if not common:
            raise DataError(none.format(system=system), path=reference)
        lacking = f"has no counterpart in {system}."
        failed = [(path, lacking) for name, path in truths.items() if name not in found]
        scores = {}
        for name in counted(common, progress, "comparing"):
            try:
                scores[name] = score(name, found[name], truths[name])
            except AlignError as error:
                failed.append((truths[name], error_reason(error, truths[name])))
        return scores, failed

    def truths(self, top: str) -> dict[str, str]:
        """Return the truth of each piece by its name; of a file itself under ``""``."""
        if os.path.isfile(top):
            folder, name = os.path.split(top)
            return {"": top} if self.held(folder, [name]) else {}
        found: dict[str, str] = {}
        for folder, inside, names in _walk(top):
            for name in filter(self.is_truth, names):
                found.setdefault(self._key(inside, name), os.path.join(folder, name))
            if any(map(self.is_truth, names)):
                continue
            for name in self.held(folder, names):
                found.setdefault(self._key(inside, name), os.path.join(folder, name))
        return found

    def results(self, top: str, truths: dict[str, str]) -> dict[str, str]:
        """Return the results by every name they may go by; DataError if there is no such tree.

        Of a folder with one result that goes by the name of the folder, too; of a file, by that
        of the only piece there is. A truth is a result only where there is no other.
        """
        if not os.path.exists(top):
            raise DataError("does not exist; check the name.", path=top)
        if os.path.isfile(top) and len(truths) == 1:
            return dict.fromkeys(truths, top)
        found: dict[str, str] = {}
        alone: dict[str, str] = {}
        for folder, inside, names in _walk(top):
            every = self.held(folder, names)
            held = [name for name in every if not self.is_truth(name)] or every
            for name in held:
                found.setdefault(self._key(inside, name), os.path.join(folder, name))
            if len({comparable(self.stem(name)) for name in held}) == 1:
                alone[inside] = os.path.join(folder, held[0])
        return alone | found

    def _key(self, inside: str, name: str) -> str:
        stem = comparable(self.stem(name))
        if self.is_truth(name):
            stem = stem.removesuffix("truth").rstrip(".")
        return "/".join(part for part in (inside, stem) if part)


def _walk(top: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yield each folder, its path from the top as it is compared, and its files."""
    for folder, _, names in walk(top):
        inside = comparable(os.path.relpath(folder, top).replace(os.sep, "/"))
        yield folder, "" if inside == "." else inside, names
