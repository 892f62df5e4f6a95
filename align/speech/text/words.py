"""Aligning the words of an utterance: in one piece, or in stretches where it is long."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from align.results.alignment import Alignment
from align.sequence.anchors import Anchors
from align.sequence.base import Progress
from align.sequence.lattices import LatticeAlignment
from align.sequence.stretches import Stretch, aligned_stretches
from align.speech.text.anchored import node_anchors
from align.speech.text.lattice import TRUSTED, Departures, Realised, WordLattice, word_lattice
from align.speech.text.long import LONG, cuts_between_words
from align.speech.text.lookup import Entry
from align.speech.text.mismatch import (
    departures_at,
    is_another_text,
    mismatches_of,
    word_matches,
)
from align.speech.text.model import PhoneAligner
from align.speech.text.parts import Part, Recording, part_of
from align.speech.text.rows import Rows, rows_of
from align.speech.text.transcript import Utterance
from align.types import Mismatch

__all__ = ["Piece", "WordAligner"]


class Piece(NamedTuple):
    """Words that were aligned at once.

    Their rows and mismatches, in seconds of the recording, the alignment of all of them, whose
    match counts, and the utterance, or the part of it, that they are.
    """

    rows: Rows
    mismatches: list[Mismatch]
    whole: Alignment
    utterance: Utterance


@dataclass(frozen=True, eq=False)
class WordAligner:
    """What is the same for all utterances of a recording.

    `alternatives` and `realised` are as `word_lattice` takes them. Unless it is `judging`, all
    words are taken to be said, and nothing else. `anchors` are those of the words of all
    utterances; with `repair` words that were not said have no rows.
    """

    model: PhoneAligner
    recording: Recording
    entries: Mapping[str, Entry]
    silence: str | None
    alternatives: Mapping[str, Sequence[tuple[str, ...]]]
    realised: Realised | None
    judging: bool
    repair: bool
    anchors: Anchors | None

    def pieces(
        self,
        utterance: Utterance,
        words: Sequence[str],
        span: tuple[float, float],
        first: int,
        progress: Progress | None,
    ) -> list[Piece]:
        """Align the words of an utterance that lies between two times, in seconds.

        `first` is the number of its first word. Raises DataError where the words do not fit.
        """
        begin, end = span

        def align(stretch: Stretch) -> Piece:
            within = begin + stretch.begin, begin + stretch.end
            part = utterance
            if stretch.end - stretch.begin < end - begin:
                part = replace(utterance, start=within[0], end=within[1])
            own = words[stretch.first : stretch.stop - 1]
            return self._piece(part, own, within, first + stretch.first)

        def speech(piece: Piece) -> tuple[float, float]:
            """Return when the first word begins and the last one ends, after the beginning."""
            said = [k for k, row in enumerate(piece.rows) if row.word >= 0]
            start = begin if piece.utterance is utterance else piece.utterance.start or 0.0
            return piece.rows[said[0]].start - start, piece.rows[said[-1] + 1].start - start

        cuts = []
        if end - begin > LONG and self.silence is not None:
            samples, rate = self.recording.between(*span), self.recording.rate
            cuts = cuts_between_words(self.model, samples, rate, words, self.entries, self.silence)
        found = aligned_stretches(cuts, len(words) + 1, end - begin, align, speech, progress)
        return [piece for _, piece in found]

    def _piece(
        self, utterance: Utterance, words: Sequence[str], span: tuple[float, float], first: int
    ) -> Piece:
        """Align some words at once."""
        part = part_of(self.model, self.recording, utterance, span, words, self.entries)

        def lattice_of(departures: Departures) -> WordLattice:
            return word_lattice(
                words,
                self.entries,
                silence=self.silence,
                temperature=self.model.placement_.temperature,
                alternatives=self.alternatives,
                realised=self.realised,
                departures=departures,
            )

        if self.judging:
            found = _judged(self.model, part, words, lattice_of)
        else:
            # anchors are of one speaker only, whose words are all that there are
            built, held = node_anchors(
                self.anchors, lattice_of(TRUSTED), first, span, self.recording.name
            )
            whole = part.align(self.model, built.lattice, held)
            found = _Found(whole, built, [], whole)
        moved = [
            replace(m, start=m.start + part.begin, end=m.end + part.begin)
            for m in found.mismatches
        ]
        rows = rows_of(found.path, found.built, part.begin, first, self.repair)
        return Piece(rows, moved, found.whole.alignment, utterance)


class _Found(NamedTuple):
    """The path that counts, its lattice, its mismatches, and the path that has none."""

    path: LatticeAlignment
    built: WordLattice
    mismatches: list[Mismatch]
    whole: LatticeAlignment


def _judged(
    model: PhoneAligner,
    part: Part,
    words: Sequence[str],
    lattice_of: Callable[[Departures], WordLattice],
) -> _Found:
    """Align words that may be left out, with others between them.

    Where no departure pays, the path is that of the whole text. Else the match is still that of
    the whole text; where it is low and the text seems to be another one, no part of it is told
    from the rest.
    """
    temperature = model.placement_.temperature
    built = lattice_of(departures_at(temperature))
    path = part.align(model, built.lattice)
    if not built.departing(path.nodes).size:
        return _Found(path, built, [], path)
    plain = lattice_of(TRUSTED)
    whole = part.align(model, plain.lattice)
    fit = word_matches(whole, plain, len(words))
    mismatches, sure = mismatches_of(
        path, built, words, whole, fit, temperature, lambda lattice: part.align(model, lattice)
    )
    if whole.alignment.warnings and is_another_text(mismatches, len(words), path.alignment):
        return _Found(whole, plain, [], whole)
    if sure is None:
        return _Found(whole, plain, mismatches, whole)
    return _Found(sure, built, mismatches, whole)
