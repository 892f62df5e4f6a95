"""Aligning the words of an utterance: in one piece, or in stretches where it is long."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from align.errors import DataError
from align.progress import Progress
from align.sequence.anchors import Anchors
from align.sequence.evidence import log_odds
from align.sequence.stretches import Stretch, aligned_stretches
from align.speech.text.anchored import node_anchors
from align.speech.text.checking.astray import asked_again
from align.speech.text.checking.departing import NO_WORDS, Paths, departing_paths
from align.speech.text.checking.excerpt import excerpt_of
from align.speech.text.checking.loud import with_loud_pauses
from align.speech.text.checking.mismatch import said_once
from align.speech.text.checking.passages import (
    LARGEST,
    beats_other_orders,
    best_places,
    passages_left_out,
    said_words,
    seems_a_part,
    with_short_passages,
    within_the_text,
)
from align.speech.text.checking.repeated import without_first_copy, written_again
from align.speech.text.checking.said import Found, SaidWords, known_by, path_scorer
from align.speech.text.checking.strictness import Strictness, strictness_of
from align.speech.text.checking.unspoken import N_SOUNDS, WordPath, asked_words
from align.speech.text.lattice import TRUSTED
from align.speech.text.long import LONG, RoughWords, rough_words
from align.speech.text.model import PhoneAligner
from align.speech.text.parts import Part, Recording, part_of
from align.speech.text.pieces import Asked, Piece
from align.speech.text.pronouncing.lookup import Entry
from align.speech.text.read_again import passages_read_again
from align.speech.text.reading.transcript import Utterance
from align.speech.text.rows import begun_within, rows_of, with_unspoken
from align.speech.text.shared import with_shared_borders
from align.speech.text.wording import Wording
from align.speech.word_scores import Again
from align.types import SPOKEN_NOISE, Float64, IntArray, Mismatch

__all__ = ["WordAligner"]

_ELSE = 1.5  # that a frame of what is not in the text scores less than phones, where it begins
_LEAST = 1e-6  # matches are clipped to this, and to one less this
_BY_SCORER = 0.1  # log odds that words are of a recording, for each unit of their second score
_CUT = 0.01  # seconds of a recording behind what is a part of it
_MOST = 9.0  # words per second; the fastest readers say six


@dataclass(frozen=True, eq=False)
class WordAligner:
    """What is the same for all utterances of a recording.

    Unless it is `judging`, all words are taken to be said, and nothing else; where it is
    `seeking`, the recording may be of a part of the text. With `repair` words that were not said
    have no rows; `anchors` are those of the words of all utterances.
    """

    model: PhoneAligner
    recording: Recording
    entries: Mapping[str, Entry]
    judging: bool
    seeking: bool = False
    repair: bool = False
    anchors: Anchors | None = None

    @cached_property
    def wording(self) -> Wording:
        """How words are said."""
        return Wording(self.model, self.entries)

    @cached_property
    def strictness(self) -> Strictness:
        """How strictly evidence is taken that text and recording disagree."""
        return strictness_of(self.model)

    def evidence(self, words: Sequence[str]) -> Float64 | None:
        """Return the evidence that each word was not said [shape=(W, N_EVIDENCE)].

        None where the model knows no match. Raises DataError where the words do not fit into the
        recording.
        """
        paths = self.paths(words)
        temperature = self.model.placement_.temperature
        scorer = path_scorer(self.wording, self.wording.second_scorer(self._whole(words)))
        found = asked_words(paths.path, paths.whole, words, temperature, path_scorer=scorer)
        return None if found is None else found.evidence

    def paths(self, words: Sequence[str]) -> Paths:
        """Return the best path of words in the whole recording, and how to find others.

        Raises DataError where the words do not fit into the recording.
        """
        part = self._whole(words)
        with part.named():
            return departing_paths(self.model, part, self.wording.lattices(words))

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
        some = self._excerpt(utterance, words, span)
        own = words[some.start : some.stop]
        pieces = self._stretches(Asked(utterance, own, span, first + some.start), progress)
        if len(some) < len(words):
            rows = [row for piece in pieces for row in piece.rows]
            sure = self.strictness.sure
            for passage in passages_left_out(words, np.array(some), rows, first, sure):
                k = 0 if passage.words == tuple(words[: some.start]) else -1
                pieces[k] = pieces[k]._replace(mismatches=[*pieces[k].mismatches, passage])
        return pieces

    def _excerpt(
        self, utterance: Utterance, words: Sequence[str], span: tuple[float, float]
    ) -> range:
        """Return the numbers of the words of a long text that may be said between two times."""
        seconds = span[1] - span[0]
        if not self.seeking or self.wording.silence is None or len(words) * seconds <= LARGEST:
            return range(len(words))
        part = part_of(self.recording, utterance, span)
        own = self.entries, self.wording.silence
        some = excerpt_of(self.model, part.samples, part.rate, words, *own)
        if len(some) > _MOST * seconds:
            raise DataError(
                f"{part.where}{len(some)} words are more than anybody says in {seconds:.0f} s, "
                "and no part of the text is surely what was said; give the part that was read, or "
                "check that text and audio belong together.",
                path=part.path,
            )
        return some

    def _stretches(self, asked: Asked, progress: Progress | None) -> list[Piece]:
        """Align words that are said between two times, as `pieces`."""
        found = self._cut(asked, progress)
        if not self.judging:
            return [piece for _, piece in found]
        pieces = [[piece] for _, piece in found]
        done = 0
        for one in passages_read_again(self.wording, self.recording, asked, found):
            if one.first < done:  # all passages near the one before it have been asked for
                continue
            new = self._written_twice(one.asked, one.again)
            if new is not None:
                pieces[one.first : one.stop] = [new, *([] for _ in range(one.first + 1, one.stop))]
                done = one.stop
        return self._with_loud_pauses([piece for some in pieces for piece in some], asked.span)

    def _written_twice(self, asked: Asked, again: Again) -> list[Piece] | None:
        """Align words of which some were read `again`, as `_stretches`; None if they were not."""
        written = written_again(len(asked.words), again)
        twice = asked._replace(words=[asked.words[k] for k in written])
        try:
            pieces = self._stretches(twice, None)
        except DataError:  # there is no room for a second copy
            return None
        return without_first_copy(pieces, asked.first, again, marked=self.repair)

    def _cut(self, asked: Asked, progress: Progress | None) -> list[tuple[Stretch, Piece]]:
        """Align words that are said between two times, in stretches where these are long."""
        utterance, words, span, first, _ = asked
        begin, end = span

        def align(stretch: Stretch) -> Piece:
            within = begin + stretch.begin, begin + stretch.end
            part = utterance
            if stretch.end - stretch.begin < end - begin:
                part = replace(utterance, start=within[0], end=within[1])
            own = slice(stretch.first, stretch.stop - 1)
            near = None if rough is None else rough.onsets[own] - stretch.begin
            return self._piece(Asked(part, words[own], within, first + stretch.first, near))

        def speech(piece: Piece) -> tuple[float, float]:
            """Return when the first word begins and the last one ends, after the beginning."""
            said = [k for k, row in enumerate(piece.rows) if row.word >= 0]
            start = begin if piece.utterance is utterance else piece.utterance.start or 0.0
            return piece.rows[said[0]].start - start, piece.rows[said[-1] + 1].start - start

        rough: RoughWords | None = None
        if end - begin > LONG and self.wording.silence is not None:
            samples, rate = self.recording.between(*span), self.recording.rate
            noise = SPOKEN_NOISE if self.judging else None
            rough = rough_words(
                self.model, samples, rate, words, self.entries, self.wording.silence, noise
            )
        cuts = [] if rough is None else rough.cuts
        return aligned_stretches(cuts, len(words) + 1, end - begin, align, speech, progress)

    def _with_loud_pauses(self, pieces: list[Piece], span: tuple[float, float]) -> list[Piece]:
        """Return the pieces of an utterance, with what sounds in the pauses of all of it."""
        mismatches = [m for piece in pieces for m in piece.mismatches]
        rows = [row for piece in pieces for row in piece.rows]
        samples, rate = self.recording.between(*span), self.recording.rate
        loud = with_loud_pauses(mismatches, rows, samples, rate, span[0])
        ends = [piece.utterance.end or 0.0 for piece in pieces[:-1]]  # all are parts
        return [
            piece._replace(mismatches=[m for m in loud if low <= m.start < high])
            for piece, low, high in zip(pieces, [-np.inf, *ends], [*ends, np.inf], strict=True)
        ]

    def _piece(self, asked: Asked) -> Piece:
        """Align some words at once, or those that were said where the recording is of a part."""
        try:
            piece = self._all_words(asked)
        except DataError:
            some = self._said_words(asked)
            if some is None:
                raise
            return some
        match = piece.whole.match
        if match is None:
            return piece
        if piece.whole.warnings or seems_a_part(match, piece.mismatches):
            some = self._said_words(asked, match)
            if some is not None and self.strictness.vague:  # too vague to take the warning back
                warned = replace(some.whole, warnings=piece.whole.warnings)
                return some._replace(whole=warned)
            return some or piece
        return piece

    def _said_words(self, asked: Asked, match: float = 0.0) -> Piece | None:
        """Align all words but passages that were left out.

        None where none is looked for, or the rest does not fit, or less well than the whole,
        whose match is given.
        """
        if not self.seeking:
            return None
        strictness, least = self.strictness, max(match, self.strictness.fits)
        words = asked.words
        part = part_of(self.recording, asked.utterance, asked.span)
        try:
            found = said_words(self.model, part, words, self.wording.lattices(words))
            if found is None:
                return None
            if not strictness.vague:
                fitting = best_places(found.words, len(words), self._fit_of(part, words))
                found = found._replace(words=fitting)
            said = with_short_passages(found.words, len(words))
            unsaid = np.flatnonzero(~np.isin(said, found.words))
            gaps = (np.flatnonzero(np.diff(said) > 1) + 1).tolist()
            own = None if asked.near is None else asked.near[said]
            some = asked._replace(words=[words[k] for k in said], first=0, near=own)
            piece = self._all_words(some, gaps, unsaid)
            rest = piece.whole.match
            if rest is None or rest < least:
                return None
            if strictness.vague:
                lattices = self.wording.lattices
                counts = beats_other_orders(found, self.model, part, words, lattices)
            else:
                counts = not piece.whole.warnings
            if not counts:
                return None
        except DataError:  # what is said of the whole text counts
            return None
        rows = within_the_text(piece.rows, said, asked.first)
        left_out = passages_left_out(words, said, rows, asked.first, strictness.sure)
        mismatches = sorted(piece.mismatches + left_out, key=lambda mismatch: mismatch.start)
        return piece._replace(rows=rows, mismatches=mismatches)

    def _fit_of(self, part: Part, words: Sequence[str]) -> Callable[[IntArray], float]:
        """Return what gives how well some of the words fit, by their numbers.

        The log odds of their match, and their second score.
        """
        scorer = self.wording.second_scorer(part)
        scored = known_by(self.model, scorer).size > N_SOUNDS

        def fit(said: IntArray) -> float:
            own = [words[k] for k in said]
            built = self.wording.lattices(own)(TRUSTED)
            try:
                path = WordPath.best(built, part.paths(self.model, built.lattice))
            except DataError:  # there is no room for them
                return -math.inf
            fit = float(log_odds(np.array(path.found.alignment.match or 0.0), _LEAST))
            if scored:
                fit += _BY_SCORER * scorer.of_text(self.wording.ways(own), path.times(len(own)))
            return fit

        return fit

    def _all_words(
        self, asked: Asked, gaps: Collection[int] = (), unsaid: IntArray = NO_WORDS
    ) -> Piece:
        """Align some words at once.

        Passages are left out in front of the words with the numbers `gaps`; words with those of
        `unsaid` are known not to have been said.
        """
        utterance, words, span, first, near = asked
        part = self._part(utterance, words, span)
        lattice_of = self.wording.lattices(words)
        if self.judging:
            said = SaidWords(self.wording, part, words, near, self.recording.duration)
            found = said.found(gaps, unsaid)
            if found.again is not None:
                piece = self._with_again(asked, gaps, unsaid, found.again)
                if piece is not None:
                    return piece
                found = said.found(gaps, unsaid, once=True)
        elif self.anchors is None:
            built = lattice_of(TRUSTED)
            with part.named():
                path = WordPath.best(built, part.paths(self.model, built.lattice))
            found = Found(path.found, built, path.found, path)
        else:
            # anchors are of one speaker only, whose words are all that there are
            built, held = node_anchors(
                self.anchors, lattice_of(TRUSTED), first, span, self.recording.name
            )
            whole = part.align(self.model, built.lattice, held)
            found = Found(whole, built, whole, None)
        listed, misplaced = list(found.mismatches), list[Mismatch]()
        rows = rows_of(found.path, found.built, part.begin, first, self.repair)
        if found.chosen is not None:
            learned = self.strictness.astray
            rows, misplaced = asked_again(found.chosen, rows, words, first, learned)
            if len(found.gone) == len(words):  # then the path has them all, somewhere
                misplaced = []
            astray = begun_within(rows, misplaced) - first
            listed = said_once(found.mismatches, found.numbers, astray)
        moved = [
            *(replace(m, start=m.start + part.begin, end=m.end + part.begin) for m in listed),
            *misplaced,
        ]
        if not self.repair:
            rows = with_unspoken(rows, range(first, first + len(words)))
        if self.model.takes_ipa and self.anchors is None:
            rows = with_shared_borders(rows)
        return Piece(rows, moved, found.whole.alignment, utterance)

    def _with_again(
        self, asked: Asked, gaps: Collection[int], unsaid: IntArray, again: Again
    ) -> Piece | None:
        """Align some words at once, as `_all_words`, of which some were said `again`.

        None where either copy does not match: then something else was said.
        """
        words, first = asked.words, asked.first
        written = written_again(len(words), again)
        twice = asked._replace(words=[words[k] for k in written], near=None)
        # passages were left out before the second copy, and what was not said is in neither
        places = np.arange(len(words)) + np.where(
            np.arange(len(words)) < again.first, 0, again.stop - again.first
        )
        own = places[list(gaps)].tolist(), np.flatnonzero(np.isin(written, unsaid))
        pieces = [self._all_words(twice, *own)]
        found = without_first_copy(pieces, first, again, marked=self.repair)
        return None if found is None else found[0]

    def _part(self, utterance: Utterance, words: Sequence[str], span: tuple[float, float]) -> Part:
        """Return the part of the recording between two times; the words must fit into it."""
        part = part_of(self.recording, utterance, span)
        part.check_room(words, self.entries, self.model.hop_)
        return part

    def _whole(self, words: Sequence[str]) -> Part:
        """Return the whole recording; the words must fit into it."""
        span = (0.0, self.recording.duration)
        return self._part(Utterance(" ".join(words)), words, span)
