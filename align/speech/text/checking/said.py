"""Which words of a text were said in a part of a recording, and where anything else was.

Three searches follow each other: the best path that may depart from the text says which words were
not said; one of the other words, with anything between them, where second scores ask for it, says
where that was; a last one lets it begin with the sound that fits best.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from align.sequence.evidence import EvidenceModel
from align.sequence.lattice.lattices import LatticeAlignment
from align.sequence.lattice_paths import LatticePaths
from align.speech.second_scorer import SecondScorer
from align.speech.text.checking.departing import NO_WORDS, departing_paths
from align.speech.text.checking.mismatch import (
    Gaps,
    Judged,
    found_first,
    is_another_text,
    judged,
    placed_again,
    untranscribed,
)
from align.speech.text.checking.repeated import said_again
from align.speech.text.checking.strictness import strictness_of
from align.speech.text.checking.unspoken import (
    DEFAULT,
    N_SOUNDS,
    PathScorer,
    WordPath,
)
from align.speech.text.lattice import TRUSTED, Departures, WordLattice
from align.speech.text.model import PhoneAligner, distinct_sounds
from align.speech.text.parts import Part
from align.speech.text.wording import Wording
from align.speech.word_scores import Again
from align.types import Float64, IntArray, Mismatch

__all__ = ["Found", "SaidWords", "known_by", "path_scorer"]

_ELSE = 1.5  # that a frame of what is not in the text scores less than phones, where it begins
_CUT = 0.01  # seconds of a recording behind what is a part of it


class Found(NamedTuple):
    """The path that counts, its lattice, and the path that has no mismatches.

    `chosen` is the path that counts with what finds others; None where words have anchors.
    Of `mismatches` the numbers of their words are known, and which words are surely `gone`. Where
    some words were said `again`, all is to be asked with these.
    """

    path: LatticeAlignment
    built: WordLattice
    whole: LatticeAlignment
    chosen: WordPath | None
    mismatches: Sequence[Mismatch] = ()
    numbers: Sequence[IntArray] = ()
    gone: IntArray = NO_WORDS
    again: Again | None = None


@dataclass(frozen=True, eq=False)
class SaidWords:
    """Words that may be left out of a part of a recording, with others between them.

    They begin `near` some times in the part, if given. The whole recording lasts `duration`
    seconds.
    """

    wording: Wording
    part: Part
    words: Sequence[str]
    near: Float64 | None
    duration: float

    @cached_property
    def second_scorer(self) -> SecondScorer:
        """The second scorer of the part."""
        return self.wording.second_scorer(self.part)

    @cached_property
    def _path_scorer(self) -> PathScorer:
        return path_scorer(self.wording, self.second_scorer)

    def found(
        self, gaps: Collection[int] = (), unsaid: IntArray = NO_WORDS, *, once: bool = False
    ) -> Found:
        """Return the path that counts.

        Passages are left out in front of the words with the numbers `gaps`; words with those of
        `unsaid` are known not to have been said. Unless all were said `once`, it is asked whether
        some were said again.

        Where no departure pays, the path is that of the whole text. Else the match is still that
        of the whole text; where it is low and the text seems to be another one, no part of it is
        distinct from the rest.
        """
        model, part, words, near = self.wording.model, self.part, self.words, self.near
        temperature = model.placement_.temperature
        with part.named():
            path, whole, around = departing_paths(
                model, part, self.wording.lattices(words), near, unsaid
            )
            asked = (
                known_by(model, self.second_scorer),
                temperature,
                gaps,
                unsaid,
                self._path_scorer,
            )
            least = _least(model, self.second_scorer)
            about = judged(path, whole, words, *asked, least)
            found = whole().found
            times = None if once else about.times
            again = said_again(
                self.second_scorer, self.wording.ways(words), times, path, part.seconds
            )
            if again is not None:
                return Found(found, path.built, found, None, again=again)
            # of a stretch of a long text it is known that the rest of the text was said
            if (
                near is None
                and found.alignment.warnings
                and is_another_text(about.mismatches, len(words), path)
            ):
                return Found(found, path.built, found, whole())
            said = np.setdiff1d(np.arange(len(words)), about.gone)
            if not len(said):
                stretches = untranscribed(path, Gaps.at(temperature, None)).listed
                return Found(found, path.built, found, whole(), *_listed(about, stretches))
            times = None if about.times is None else about.times[said]
            own = [words[k] for k in said]
            between = self._gaps(own, times)
            departs = np.isin(path.passed(), path.built.departures()).any()
            if not len(about.gone) and not departs and not between.might_pay(temperature):
                return Found(found, path.built, found, whole(), *_listed(about))
            some = _Some(said, around)
            sure, stretches = self._followed(some, between)
            listed = _listed(about, stretches)
            if not len(about.gone) and not sure.has_noise():
                return Found(found, path.built, found, whole(), *listed)
            unspoken = sum(len(m.words) for m in about.mismatches)
            # what few words of a text fit says nothing for all of it
            more = found if 2 * unspoken >= len(words) else _of_more(found, sure.found)
            return Found(sure.found, sure.built, more, sure, *listed)

    def _gaps(
        self, said: Sequence[str], times: Float64 | None, known: Collection[int] = ()
    ) -> Gaps:
        """Return what it costs that something else is said in the gaps between some words.

        They lie at `times` in seconds [shape=(W, 2)]; None where they have no second scores. In
        some it is `known` to be said.
        """
        temperature = self.wording.model.placement_.temperature
        if times is None:
            return Gaps.at(temperature, None)
        better = self.second_scorer.of_gaps(self.wording.ways(said), times, known)
        # where a part is cut out of a recording, what comes before it may reach into it
        cut = np.array([self.part.begin > 0.0, self.part.end < self.duration - _CUT])
        better[[0, -1]] = np.where(cut, np.minimum(better[[0, -1]], 0.0), better[[0, -1]])
        return Gaps.at(temperature, better)

    def _followed(self, some: "_Some", gaps: Gaps) -> tuple[WordPath, list[Mismatch]]:
        """Return the path of the words that were said, and where something else may be said.

        The path has what of it is probable enough.
        """
        path, gaps = self._said_between(some, gaps)
        said = some.said
        stretches = untranscribed(path, gaps)
        # others may have been said instead of a word; it is known by the last one that was said
        gone = np.setdiff1d(np.arange(len(self.words)), said)
        before = np.append(-1, said)[np.searchsorted(said, gone)]
        instead = np.isin(path.built.words_before(), before)
        dropped = np.setdiff1d(np.flatnonzero(path.built.noise() & ~instead), stretches.followed)
        if np.isin(path.passed(), dropped).any():
            path = WordPath.best(path.built, path.paths, dropped)
        begun = self._with_first_sounds(some, path)
        return begun, stretches.listed if begun is path else placed_again(stretches, begun)

    def _said_between(self, some: "_Some", gaps: Gaps) -> tuple[WordPath, Gaps]:
        """Return the path of the words that were said and of something else between them.

        And the gaps in which that may be: where there are second scores, one after another of
        those that are near each other.
        """

        def best(gaps: Gaps) -> WordPath:
            there = TRUSTED._replace(untranscribed=gaps.cost)
            return WordPath.best(*self._paths_of(some, there))

        if isinstance(gaps.cost, float):
            return best(gaps), gaps
        said = some.said
        own, known = [self.words[k] for k in said], dict[int, float]()
        while True:
            path = best(gaps.with_known(known, others=True))
            if not path.has_noise() and len(said) == len(self.words):  # this is all that is asked
                return path, gaps.with_known({}, others=False)
            gap = np.searchsorted(said, path.built.words_before(), side="right")  # of each node
            noise = path.built.noise() & ~np.isin(gap, list(known))
            new = gap[found_first(path, np.flatnonzero(noise))].tolist()
            left = len(new) < noise[path.passed()].sum()
            known |= {k: gaps.cost[k] for k in new}
            here = gaps.with_known(known, others=False)
            path = best(here)
            if not new:
                return path, here
            gaps = self._gaps(own, path.times(len(self.words))[said], known)
            if not left and not gaps.might_pay(self.wording.model.placement_.temperature):
                return path, here

    def _with_first_sounds(self, some: "_Some", path: WordPath) -> WordPath:
        """Return a path on which what is not in the text begins with the sound that fits best.

        So a word ends where one of the model's sounds may follow, and not where it fits as badly
        as anything else does.
        """
        if not path.has_noise() or not (sounds := distinct_sounds(self.wording.model)):
            return path
        noise = path.built.noise()[path.found.nodes]
        before = path.built.words_before()[path.found.nodes[noise]]
        cost = np.full(len(some.said) + 1, math.inf)
        cost[np.searchsorted(some.said, before, side="right")] = 0.0
        there = TRUSTED._replace(untranscribed=cost.tolist(), begins=sounds)
        return WordPath.best(*self._paths_of(some, there, _ELSE))

    def _paths_of(
        self, some: "_Some", departures: Departures, noise: float | None = None
    ) -> tuple[WordLattice, LatticePaths]:
        """Return the lattice of the words that were said, by their numbers, and its paths."""
        said, near = some
        built = self.wording.lattices([self.words[k] for k in said])(departures)
        known = None if near is None else built.beginning(near[said])
        paths = self.part.paths(self.wording.model, built.lattice, near=known, noise=noise)
        return replace(built, word=np.where(built.word < 0, -1, said[built.word])), paths


class _Some(NamedTuple):
    """The numbers of the words that were said; all begin `near` some times, if given."""

    said: IntArray
    near: Float64 | None


def path_scorer(wording: Wording, scorer: SecondScorer) -> PathScorer:
    """Return a second scorer that takes paths and words of the text."""

    def of_events(found: LatticeAlignment) -> Float64 | None:
        return scorer.of_events(found.alignment.labels, found.alignment.intervals)

    def of_words(words: Sequence[str], times: Float64) -> Float64:
        return scorer.of_words(wording.ways(words), times)

    return PathScorer(of_events, of_words, scorer.can_score_words)


def known_by(model: PhoneAligner, scorer: SecondScorer) -> EvidenceModel:
    """Return what is known of words that were not said; with second scores, if there are some."""
    known = model.unspoken_ or strictness_of(model).unspoken
    return known if known.size <= N_SOUNDS or scorer.can_score_words else DEFAULT


def _least(model: PhoneAligner, scorer: SecondScorer) -> float:
    """Return the probability from which on words are listed.

    Without second scores of words, those that were not said are known from English alone.
    """
    strictness = strictness_of(model)
    return strictness.probable if scorer.can_score_words else strictness.probable_in_noise


def _listed(
    about: Judged, stretches: Sequence[Mismatch] = ()
) -> tuple[list[Mismatch], list[IntArray], IntArray]:
    """Return all mismatches in order, the numbers of their words, and the words that are gone."""
    both = [
        *zip(about.mismatches, about.numbers, strict=True),
        *((m, NO_WORDS) for m in stretches),
    ]
    both.sort(key=lambda pair: pair[0].start)
    return [m for m, _ in both], [own for _, own in both], about.gone


def _of_more(found: LatticeAlignment, sure: LatticeAlignment) -> LatticeAlignment:
    """Return what was found of the whole text; what it warns of may be that more was said.

    `sure` is the path without what is not in the text: there the words may fit well.
    """
    whole, rest = found.alignment, sure.alignment
    if not whole.warnings or rest.warnings or rest.match is None or whole.match is None:
        return found
    text = (
        f"the recording seems to hold more than the transcript, or another text: match "
        f"{whole.match:.2f} of all of it, {rest.match:.2f} without what is not in the transcript."
    )
    return found._replace(alignment=replace(whole, warnings=(text,)))
