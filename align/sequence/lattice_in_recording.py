"""A lattice in a recording: the search of its paths, and the alignment of one that is found."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from align.results.alignment import Alignment
from align.sequence.anchors import Held
from align.sequence.extended import Extended
from align.sequence.feature_terms import terms_of
from align.sequence.fit import fields_of, fits_of
from align.sequence.lattice.lattice_search import FoundNodes, LatticeSearch
from align.sequence.lattice.lattices import ExpandedLattice, LatticeAlignment
from align.sequence.stretches import MOST_OF_STRETCH
from align.sequence.times.placement import sureness_of
from align.types import Event, Float64, IntArray

__all__ = ["LatticeInRecording"]


@dataclass(frozen=True)
class LatticeInRecording:
    """A lattice, and the recording that one of its paths is in.

    Parameters
    ----------
    aligner : SequenceAligner
        A fitted one, that suits the recording.
    given : tuple of Event
        Event of each node of the lattice as it was given.
    expanded : ExpandedLattice
        The lattice as it is decoded.
    extended : Extended
        The recording, with the pauses that are put at its ends.
    held : Held or None
        Nodes whose times are known.
    abrupt : bool
        Whether speech may begin or end in the middle; see `SequenceAligner.align_lattice`.
    sure_of_chosen : callable
        From how sure onsets would be, had the events been given, to how sure they are.
    """

    aligner: Any
    given: tuple[Event, ...]
    expanded: ExpandedLattice
    extended: Extended
    held: Held | None
    abrupt: bool
    sure_of_chosen: Callable[[Float64], Float64]

    def search(
        self,
        *,
        near: Mapping[int, float],
        weights: Mapping[str, float],
        pauses: float,
        noise: float | None,
        at_once: bool,
    ) -> LatticeSearch:
        """Return what finds paths; the arguments are those of `SequenceAligner.lattice_paths`."""
        aligner, signal, lattice = self.aligner, self.extended.signal, self.expanded.lattice
        features, learned = aligner.features_, aligner.coef_ / aligner.scale_
        if pauses != 1.0:
            features = [feature.weighing_pauses(pauses) for feature in features]
        if noise is not None:
            features = [feature.with_spoken_noise(noise) for feature in features]
        own = dict(zip(aligner.base_functions_, learned, strict=True))
        own |= {name: weight for name, weight in weights.items() if name in own}
        if self.abrupt:
            own |= self.extended.weight(aligner.placement_.temperature)

        def terms(sequence: tuple[Event, ...]) -> dict[str, Any]:
            edge = self.extended.edge(sequence) if self.abrupt else {}
            return {**terms_of(features, signal, sequence), **edge}

        windows, at_start = self.extended.windows(lattice), False
        if self.held is not None:
            windows = self.held.windows
            at_start = bool(np.isin(lattice.starts, self.held.at).any())
        added = self.extended.before * signal.hop
        return LatticeSearch(
            self.expanded,
            terms,
            own,
            aligner._unbounded,
            aligner._room(signal),
            draws_out=aligner._draws_out,
            is_drawn_out=aligner._is_drawn_out,
            pinned=aligner._pins_start(self.expanded.events) and not at_start,
            onsets_of=self._onsets_of,
            windows=windows,
            near={node: time + added for node, time in near.items()},
            at_once=at_once,
        )

    def _onsets_of(self, sequence: tuple[Event, ...]) -> IntArray:
        signal = self.extended.signal
        terms = terms_of(self.aligner.features_, signal, sequence)
        path = self.aligner._best_path(signal, sequence, terms, None, MOST_OF_STRETCH)[1]
        onsets: IntArray = path.onsets
        return onsets

    def alignment(self, found: FoundNodes, audio: str | None) -> LatticeAlignment:
        """Return the alignment of the events on a path, and the node of each."""
        aligner, signal, whole = self.aligner, self.extended.signal, self.extended.own
        own = None if self.held is None else self.held.along(found.nodes)
        decoded = tuple(self.expanded.events[v] for v in found.nodes)
        terms = terms_of(aligner.features_, signal, decoded)
        potentials = found.averaged().potentials if aligner.normalise else found.potentials
        fits = fits_of(terms, found.path.onsets, signal.n_frames)
        slopes = aligner._slopes(decoded)
        placed = aligner.placement_.times(potentials, found.path.onsets, fits, slopes)
        if placed.confidence is not None:
            placed = placed._replace(confidence=self.sure_of_chosen(placed.confidence))
        times = aligner._placed(placed.times, terms, decoded, signal, own)
        fit = aligner._match(self.extended, decoded, terms, found.path.onsets, chosen=True)
        at = self.expanded.given[found.nodes]
        silent = aligner._free(decoded) & (self.abrupt | (at == -2))
        times, inside = self.extended.within(times, silent)
        asked = (at >= 0) & inside
        hidden = at[-1] == -2 and inside[-1]  # what follows the last event given
        alignment = Alignment(
            events=tuple(self.given[v] for v in at[asked]),
            onsets=times[asked],
            end=float(times[-1]) if hidden else whole.duration,
            duration=whole.duration,
            **sureness_of(placed, times, np.flatnonzero(asked)),
            score=found.path.score,
            audio=audio,
            rate=whole.own_rate,
            **fields_of(fit, np.append(np.flatnonzero(at != -1), len(at)), asked),
        )
        return LatticeAlignment(alignment, at[asked])
