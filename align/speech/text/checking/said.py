"""Which words of a text were said in a part of a recording, and where anything else was.

Three searches follow each other: the best path that may depart from the text says which words were
not said; one of the other words, with anything between them, where second scores ask for it, says
where that was; a last one lets it begin with the sound that fits best.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from align.features.sound.voicing import voiceless
from align.results.alignment import Alignment
from align.sequence.evidence import EvidenceModel
from align.speech.text.checking.departing import NO_WORDS, DepartingPaths
from align.speech.text.checking.mismatch import (
    Gaps,
    Judged,
    Listed,
    found_first,
    is_another_text,
    judged,
    placed_again,
    untranscribed,
)
from align.speech.text.checking.repeated import said_again
from align.speech.text.checking.strictness import strictness_of
from align.speech.text.checking.unspoken import DEFAULT, N_SOUNDS
from align.speech.text.lattice import TRUSTED, Departures
from align.speech.text.model import distinct_sounds
from align.speech.text.parts import Part
from align.speech.text.paths import WordPath
from align.speech.text.text_part import TextPart
from align.speech.word_scores import Again
from align.types import Float64, IntArray, Mismatch

_ELSE = 1.5  # that a frame of what is not in the text scores less than phones, where it begins
_CUT = 0.01  # seconds of a recording behind what is a part of it


class Found(NamedTuple):
    """The path that counts, and the alignment of the whole text, whose match does.

    Words of mismatches that are `listed` may be surely `gone`.
    """

    path: WordPath
    whole: Alignment
    listed: Sequence[Listed] = ()
    gone: IntArray = NO_WORDS


@dataclass(frozen=True, eq=False)
class SaidWords:
    """Words that may be left out of a part of a recording, with others between them.

    Passages are left out of the text in front of the words with the numbers `gaps`; words with
    those of `unsaid` are known not to have been said.
    """

    text: TextPart
    gaps: Collection[int]
    unsaid: IntArray

    @cached_property
    def paths(self) -> DepartingPaths:
        """The best path that may depart from the text, and that of the whole text."""
        return DepartingPaths.of(self.text, self.unsaid)

    @cached_property
    def about(self) -> Judged:
        """What is known of each word."""
        part = self.text.part
        return judged(self.paths, known_by(part), self.gaps, _least(part))

    def again(self) -> Again | None:
        """Return the words that seem to be said twice: then all is to be asked with these."""
        with self.text.part.named():
            return said_again(self.text, self.about.times, self.paths.path)

    def found(self) -> Found:
        """Return the path that counts.

        Where no departure pays, it is that of the whole text. Else the match is still that of the
        whole text; where it is low and the text seems to be another one, no part of it is distinct
        from the rest.
        """
        with self.text.part.named():
            about, path, whole = self.about, self.paths.path, self.paths.whole
            n_words, temperature = len(self.text.words), self.text.temperature
            fit = whole.found.alignment
            # of a stretch of a long text it is known that the rest of the text was said
            if (
                self.text.near is None
                and fit.warnings
                and is_another_text(about.listed, n_words, path)
            ):
                return Found(whole, fit)
            said = np.setdiff1d(np.arange(n_words), about.gone)
            if not len(said):
                stretches = untranscribed(path, Gaps.at(temperature, None)).listed
                return Found(whole, fit, _with_others(about, stretches), about.gone)
            times = None if about.times is None else about.times[said]
            between = self._gaps(said, times)
            departs = np.isin(path.passed(), path.built.departures()).any()
            if not len(about.gone) and not departs and not between.might_pay(temperature):
                return Found(whole, fit, _with_others(about), about.gone)
            sure, stretches = self._followed(said, between)
            voices = self._with_voice(stretches, sure.times()[said])
            listed = _with_others(about, voices)
            if not len(about.gone) and not sure.has_noise():
                return Found(whole, fit, listed, about.gone)
            if stretches and not listed:  # what is heard beside the text is no speech
                return Found(sure, sure.found.alignment)
            unspoken = sum(len(one.words) for one in about.listed)
            # what few words of a text fit says nothing for all of it
            more = fit if 2 * unspoken >= n_words else _of_more(fit, sure.found.alignment)
            return Found(sure, more, listed, about.gone)

    def _with_voice(self, stretches: list[Mismatch], words: Float64) -> list[Mismatch]:
        """Return the stretches in which somebody may speak, beside words at some times."""
        if not stretches:
            return []
        part, spans = self.text.part, np.array([(m.start, m.end) for m in stretches])
        quiet = voiceless(part.samples, part.recording.rate, spans, words)
        return [m for m, is_quiet in zip(stretches, quiet, strict=True) if not is_quiet]

    def _gaps(self, said: IntArray, times: Float64 | None, known: Collection[int] = ()) -> Gaps:
        """Return what it costs that something else is said in the gaps between some words.

        They lie at `times` in seconds [shape=(W, 2)]; None where they have no second scores. In
        some it is `known` to be said.
        """
        part = self.text.part
        if times is None:
            return Gaps.at(self.text.temperature, None)
        better = part.second_scorer.of_gaps(self.text.of(said).ways, times, known)
        # where a part is cut out of a recording, what comes before it may reach into it
        cut = np.array([part.begin > 0.0, part.end < part.recording.duration - _CUT])
        better[[0, -1]] = np.where(cut, np.minimum(better[[0, -1]], 0.0), better[[0, -1]])
        return Gaps.at(self.text.temperature, better)

    def _followed(self, said: IntArray, gaps: Gaps) -> tuple[WordPath, list[Mismatch]]:
        """Return the path of the words that were said, and where something else may be said.

        The path has what of it is probable enough.
        """
        path, gaps = self._said_between(said, gaps)
        stretches = untranscribed(path, gaps)
        # others may have been said instead of a word; it is known by the last one that was said
        gone = np.setdiff1d(np.arange(len(self.text.words)), said)
        before = np.append(-1, said)[np.searchsorted(said, gone)]
        instead = np.isin(path.built.words_before(), before)
        dropped = np.setdiff1d(np.flatnonzero(path.built.noise() & ~instead), stretches.followed)
        if np.isin(path.passed(), dropped).any():
            path = path.paths.best(dropped)
        begun = self._with_first_sounds(said, path)
        return begun, stretches.listed if begun is path else placed_again(stretches, begun)

    def _said_between(self, said: IntArray, gaps: Gaps) -> tuple[WordPath, Gaps]:
        """Return the path of the words that were said and of something else between them.

        And the gaps in which that may be: where there are second scores, one after another of
        those that are near each other.
        """

        def best(gaps: Gaps) -> WordPath:
            return self._best_of(said, TRUSTED._replace(untranscribed=gaps.cost))

        if isinstance(gaps.cost, float):
            return best(gaps), gaps
        known = dict[int, float]()
        while True:
            path = best(gaps.with_known(known, others=True))
            if not path.has_noise() and len(said) == len(self.text.words):  # all that is asked
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
            gaps = self._gaps(said, path.times()[said], known)
            if not left and not gaps.might_pay(self.text.temperature):
                return path, here

    def _with_first_sounds(self, said: IntArray, path: WordPath) -> WordPath:
        """Return a path on which what is not in the text begins with the sound that fits best.

        So a word ends where one of the model's sounds may follow, and not where it fits as badly
        as anything else does.
        """
        if not path.has_noise() or not (sounds := distinct_sounds(self.text.part.model)):
            return path
        before = path.built.words_before()[path.found.nodes[path.others]]
        cost = np.full(len(said) + 1, math.inf)
        cost[np.searchsorted(said, before, side="right")] = 0.0
        there = TRUSTED._replace(untranscribed=cost.tolist(), begins=sounds)
        return self._best_of(said, there, noise=_ELSE)

    def _best_of(self, said: IntArray, departures: Departures, **options: Any) -> WordPath:
        """Return the best path of the words that were said, which keep their numbers."""
        some = self.paths.text.of(said)
        return some.paths(departures, near=some.near, **options).numbered(said).best()


def known_by(part: Part) -> EvidenceModel:
    """Return what is known of words that were not said; with second scores, if there are some."""
    known = part.model.unspoken_ or strictness_of(part.model).unspoken
    return known if known.size <= N_SOUNDS or part.second_scorer.can_score_words else DEFAULT


def _least(part: Part) -> float:
    """Return the probability from which on words are listed.

    Without second scores of words, those that were not said are known from English alone.
    """
    strictness, can_score = strictness_of(part.model), part.second_scorer.can_score_words
    return strictness.probable if can_score else strictness.probable_in_noise


def _with_others(about: Judged, stretches: Sequence[Mismatch] = ()) -> list[Listed]:
    """Return all mismatches in order, those of words and of something else."""
    both = [*about.listed, *(Listed(m, NO_WORDS) for m in stretches)]
    return sorted(both, key=lambda one: one.mismatch.start)


def _of_more(whole: Alignment, rest: Alignment) -> Alignment:
    """Return the alignment of the whole text; what it warns of may be that more was said.

    `rest` is that without what is not in the text: there the words may fit well.
    """
    if not whole.warnings or rest.warnings or rest.match is None or whole.match is None:
        return whole
    text = (
        f"the recording seems to hold more than the transcript, or another text: match "
        f"{whole.match:.2f} of all of it, {rest.match:.2f} without what is not in the transcript."
    )
    return replace(whole, warnings=(text,))
