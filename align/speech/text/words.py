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
from align.speech.text.checking.departing import NO_WORDS, DepartingPaths
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
from align.speech.text.checking.repeated import (
    passages_read_again,
    without_first_copy,
    written_again,
)
from align.speech.text.checking.said import Found, SaidWords, known_by
from align.speech.text.checking.strictness import Strictness, strictness_of
from align.speech.text.checking.unspoken import N_SOUNDS, asked_words
from align.speech.text.lattice import TRUSTED
from align.speech.text.long import LONG, RoughWords, rough_words
from align.speech.text.model import PhoneAligner
from align.speech.text.parts import Part, Recording
from align.speech.text.pronouncing.lookup import Entry
from align.speech.text.reading.utterances import Utterance
from align.speech.text.rows import Piece, begun_within, rows_of, with_unspoken
from align.speech.text.shared import with_shared_borders
from align.speech.text.text_part import TextPart, Wording
from align.speech.word_scores import Again
from align.types import SPOKEN_NOISE, Float64, IntArray, Mismatch

_LEAST = 1e-6  # matches are clipped to this, and to one less this
_BY_SCORER = 0.1  # log odds that words are of a recording, for each unit of their second score
_COPIES = 2  # of a passage, one within the other, beside the last one
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
        found = asked_words(self.paths(words))
        return None if found is None else found.evidence

    def paths(self, words: Sequence[str]) -> DepartingPaths:
        """Return the best path of words in the whole recording, and how to find others.

        Raises DataError where the words do not fit into the recording.
        """
        text = self.text(Utterance(" ".join(words)), words, (0.0, self.recording.duration))
        text.part.check_room(text.words, self.entries)
        with text.part.named():
            return DepartingPaths.of(text)

    def text(
        self, utterance: Utterance, words: Sequence[str], span: tuple[float, float], first: int = 0
    ) -> TextPart:
        """Return words that are looked for between two times; the first has a number."""
        part = Part(self.model, self.recording, utterance, span)
        return TextPart(self.wording, part, words, first)

    def pieces(self, text: TextPart, progress: Progress | None) -> list[Piece]:
        """Align the words of an utterance. Raises DataError where they do not fit."""
        words, some = text.words, self._excerpt(text)
        own = replace(text, words=words[some.start : some.stop], first=text.first + some.start)
        pieces = self._stretches(own, progress)
        if len(some) < len(words):
            rows = [row for piece in pieces for row in piece.rows]
            sure = self.strictness.sure
            for passage in passages_left_out(words, np.array(some), rows, text.first, sure):
                k = 0 if passage.words == tuple(words[: some.start]) else -1
                pieces[k] = pieces[k]._replace(mismatches=[*pieces[k].mismatches, passage])
        return pieces

    def _excerpt(self, text: TextPart) -> range:
        """Return the numbers of the words of a long text that may be said in its part."""
        n_words, (begin, end) = len(text.words), text.part.span
        seconds, silence = end - begin, self.wording.silence
        if not self.seeking or silence is None or n_words * seconds <= LARGEST:
            return range(n_words)
        some = excerpt_of(text, silence)
        if len(some) > _MOST * seconds:
            raise text.part.error(
                f"{len(some)} words are more than anybody says in {seconds:.0f} s, "
                "and no part of the text is surely what was said; give the part that was read, or "
                "check that text and audio belong together."
            )
        return some

    def _stretches(
        self, text: TextPart, progress: Progress | None, copies: int = 0
    ) -> list[Piece]:
        """Align words of which all may be said, as `pieces`.

        So many `copies` of some of them are written already. What was read again is sought within
        stretches that have one, since it may be read three times, but not for ever: each search
        asks for many stretches anew.
        """
        found = self._cut(text, progress)
        if not self.judging:
            return [piece for _, piece in found]
        pieces = [[piece] for _, piece in found]
        done = 0
        for one in passages_read_again(text, found) if copies < _COPIES else ():
            if one.first < done:  # all passages near the one before it have been asked for
                continue
            new = self._written_twice(one.text, one.again, copies)
            if new is not None:
                pieces[one.first : one.stop] = [new, *([] for _ in range(one.first + 1, one.stop))]
                done = one.stop
        return self._with_loud_pauses([p for some in pieces for p in some], text.part)

    def _written_twice(self, text: TextPart, again: Again, copies: int) -> list[Piece] | None:
        """Align words of which some were read `again`, as `_stretches`; None if they were not."""
        try:
            written = text.of(written_again(len(text.words), again))
            pieces = self._stretches(written, None, copies + 1)
        except DataError:  # there is no room for a second copy
            return None
        return without_first_copy(pieces, text.first, again, marked=self.repair)

    def _cut(self, text: TextPart, progress: Progress | None) -> list[tuple[Stretch, Piece]]:
        """Align words in stretches where these are long."""
        utterance, (begin, end) = text.part.utterance, text.part.span
        rough: RoughWords | None = None
        if end - begin > LONG and self.wording.silence is not None:
            noise = SPOKEN_NOISE if self.judging else None
            rough = rough_words(text, self.wording.silence, noise)

        def align(stretch: Stretch) -> Piece:
            span = begin + stretch.begin, begin + stretch.end
            own = slice(stretch.first, stretch.stop - 1)
            near = None if rough is None else rough.onsets[own] - stretch.begin
            some = text.within(span, own, near)
            if stretch.end - stretch.begin >= end - begin:  # it is the whole utterance
                some = replace(some, part=replace(some.part, utterance=utterance))
            return self._piece(some).numbered(some.first)

        def speech(piece: Piece) -> tuple[float, float]:
            """Return when the first word begins and the last one ends, after the beginning."""
            said = [k for k, row in enumerate(piece.rows) if row.word >= 0]
            start = begin if piece.utterance is utterance else piece.utterance.start or 0.0
            return piece.rows[said[0]].start - start, piece.rows[said[-1] + 1].start - start

        cuts = [] if rough is None else rough.cuts
        return aligned_stretches(cuts, len(text.words) + 1, end - begin, align, speech, progress)

    def _with_loud_pauses(self, pieces: list[Piece], part: Part) -> list[Piece]:
        """Return the pieces of an utterance, with what sounds in the pauses of all of it."""
        mismatches = [m for piece in pieces for m in piece.mismatches]
        rows = [row for piece in pieces for row in piece.rows]
        rate = self.recording.rate
        loud = with_loud_pauses(mismatches, rows, part.samples, rate, part.begin)
        ends = [piece.utterance.end or 0.0 for piece in pieces[:-1]]  # all are parts
        return [
            piece._replace(mismatches=[m for m in loud if low <= m.start < high])
            for piece, low, high in zip(pieces, [-np.inf, *ends], [*ends, np.inf], strict=True)
        ]

    def _piece(self, text: TextPart) -> Piece:
        """Align some words at once, or those that were said where the recording is of a part.

        Words have their numbers among these.
        """
        try:
            piece = self._all_words(text)
        except DataError:
            some = self._said_words(text)
            if some is None:
                raise
            return some
        match = piece.whole.match
        if match is None:
            return piece
        if piece.whole.warnings or seems_a_part(match, piece.mismatches):
            some = self._said_words(text, match)
            if some is not None and self.strictness.vague:  # too vague to take the warning back
                rest = f"; without what was probably not said it is {some.whole.match or 0.0:.2f}."
                warned = tuple(w.removesuffix(".") + rest for w in piece.whole.warnings)
                return some._replace(whole=replace(some.whole, warnings=warned))
            return some or piece
        return piece

    def _said_words(self, text: TextPart, match: float = 0.0) -> Piece | None:
        """Align all words but passages that were left out.

        None where none is looked for, or the rest does not fit, or less well than the whole,
        whose match is given.
        """
        if not self.seeking:
            return None
        strictness, words = self.strictness, text.words
        try:
            found = said_words(text)
            if found is None:
                return None
            if not strictness.vague:
                fitting = best_places(found.words, len(words), _fit_of(text))
                found = found._replace(words=fitting)
            said = with_short_passages(found.words, len(words))
            unsaid = np.flatnonzero(~np.isin(said, found.words))
            gaps = (np.flatnonzero(np.diff(said) > 1) + 1).tolist()
            piece = self._all_words(text.of(said), gaps, unsaid)
            rest = piece.whole.match
            if rest is None or rest < max(match, strictness.fits):
                return None
            if strictness.vague:
                counts = beats_other_orders(found, text)
            else:
                counts = not piece.whole.warnings
            if not counts:
                return None
        except DataError:  # what is said of the whole text counts
            return None
        rows = within_the_text(piece.rows, said)
        left_out = passages_left_out(words, said, rows, 0, strictness.sure)
        mismatches = sorted(piece.mismatches + left_out, key=lambda mismatch: mismatch.start)
        return piece._replace(rows=rows, mismatches=mismatches)

    def _all_words(
        self, text: TextPart, gaps: Collection[int] = (), unsaid: IntArray = NO_WORDS
    ) -> Piece:
        """Align some words at once.

        Passages are left out in front of the words with the numbers `gaps`; words with those of
        `unsaid` are known not to have been said.
        """
        text.part.check_room(text.words, self.entries)
        if self.judging:
            said = SaidWords(text, gaps, unsaid)
            again = said.again()
            if again is not None:
                piece = self._with_again(text, gaps, unsaid, again)
                if piece is not None:
                    return piece
            found = said.found()
        else:
            found = self._trusted(text)
        part, words = text.part, text.words
        rows = rows_of(found.path.found, found.path.built, part.begin, self.repair)
        misplaced: list[Mismatch] = []
        if self.anchors is None:
            learned = self.strictness.astray
            rows, misplaced = asked_again(found.path, rows, words, learned)
            if len(found.gone) == len(words):  # then the path has them all, somewhere
                misplaced = []
        listed = said_once(found.listed, begun_within(rows, misplaced))
        moved = [replace(m, start=m.start + part.begin, end=m.end + part.begin) for m in listed]
        if not self.repair:
            rows = with_unspoken(rows, range(len(words)))
        if self.model.takes_ipa and self.anchors is None:
            rows = with_shared_borders(rows)
        return Piece(rows, [*moved, *misplaced], found.whole, part.utterance)

    def _trusted(self, text: TextPart) -> Found:
        """Return the path of words that were all said, with nothing else, and those held at times.

        Anchors are of one speaker only, whose words are all that there are.
        """
        built, held = self.wording.lattice(text.words, TRUSTED), None
        if self.anchors is not None:
            name = self.recording.name
            built, held = node_anchors(self.anchors, built, text.first, text.part.span, name)
        with text.part.named(held):
            path = text.paths_of(built, anchors=held).best()
            return Found(path, path.found.alignment)

    def _with_again(
        self, text: TextPart, gaps: Collection[int], unsaid: IntArray, again: Again
    ) -> Piece | None:
        """Align some words at once, as `_all_words`, of which some were said `again`.

        None where either copy does not match: then something else was said.
        """
        numbers = np.arange(len(text.words))
        written = written_again(len(numbers), again)
        twice = replace(text, words=[text.words[k] for k in written], near=None)
        # passages were left out before the second copy, and what was not said is in neither
        places = numbers + np.where(numbers < again.first, 0, again.stop - again.first)
        own = places[list(gaps)].tolist(), np.flatnonzero(np.isin(written, unsaid))
        pieces = [self._all_words(twice, *own)]
        found = without_first_copy(pieces, 0, again, marked=self.repair)
        return None if found is None else found[0]


def _fit_of(text: TextPart) -> Callable[[IntArray], float]:
    """Return what gives how well some of the words fit, by their numbers.

    The log odds of their match, and their second score.
    """
    scored = known_by(text.part).size > N_SOUNDS

    def fit(said: IntArray) -> float:
        some = text.of(said)
        try:
            path = some.paths().best()
        except DataError:  # there is no room for them
            return -math.inf
        fit = float(log_odds(np.array(path.found.alignment.match or 0.0), _LEAST))
        if scored:
            fit += _BY_SCORER * text.part.second_scorer.of_text(some.ways, path.times())
        return fit

    return fit
