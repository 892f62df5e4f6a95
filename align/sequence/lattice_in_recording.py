"""A lattice in a recording: the search of its paths, and the alignment of one that is found."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from align._blas import one_thread
from align.errors import DataError, ParameterError
from align.features import Signal
from align.results.alignment import Alignment
from align.sequence.anchors import Held
from align.sequence.extended import Extended
from align.sequence.feature_terms import terms_of
from align.sequence.fit import fields_of, fits_of
from align.sequence.lattice.lattice_search import FoundPath, LatticeSearch
from align.sequence.lattice.lattices import ExpandedLattice, LatticeAlignment
from align.sequence.stretches import MOST_OF_STRETCH
from align.sequence.times.placement import sureness_of
from align.types import Event, IntArray

__all__ = ["LatticePaths"]


class LatticePaths(LatticeSearch):
    """The paths of a lattice through a recording; see `SequenceAligner.lattice_paths`.

    Parameters
    ----------
    aligner : SequenceAligner
        A fitted one.
    given : tuple of Event
        Event of each node of the lattice as it was given.
    expanded : ExpandedLattice
        The lattice as it is decoded.
    signal : Signal
        The recording.
    held : Held or None
        Nodes whose times are known.
    name : str
        What messages call the recording.
    audio : str or None
        Its file, if it is one.
    abrupt, near, weights, pauses, noise, at_once
        As in `SequenceAligner.lattice_paths`.
    """

    def __init__(
        self,
        aligner: Any,
        given: tuple[Event, ...],
        expanded: ExpandedLattice,
        signal: Signal,
        held: Held | None,
        name: str,
        audio: str | None,
        *,
        abrupt: bool,
        near: Mapping[int, float],
        weights: Mapping[str, float],
        pauses: float,
        noise: float | None,
        at_once: bool,
    ) -> None:
        self._aligner, self._suited = aligner, aligner._suited(signal)
        self._given, self._expanded, self._held_nodes = given, expanded, held
        self._name, self._audio, self._abrupt = name, audio, abrupt
        extended = Extended(signal, signal)
        if held is None:
            extended = self._suited._with_outer_pauses(signal)
        self._extended, suited = extended, self._suited
        features, learned = suited.features_, suited.coef_ / suited.scale_
        if pauses != 1.0:
            features = [feature.weighing_pauses(pauses) for feature in features]
        if noise is not None:
            features = [feature.with_spoken_noise(noise) for feature in features]
        own = dict(zip(suited.base_functions_, learned, strict=True))
        own |= {name: weight for name, weight in weights.items() if name in own}
        if abrupt:
            own |= extended.weight(suited.placement_.temperature)

        def terms(sequence: tuple[Event, ...]) -> dict[str, Any]:
            edge = extended.edge(sequence) if abrupt else {}
            return {**terms_of(features, extended.signal, sequence), **edge}

        def in_order(sequence: tuple[Event, ...]) -> IntArray:
            # no method: with a reference to itself, a search would keep its tables until the
            # garbage is collected, and an hour of speech has hundreds
            whole = terms_of(suited.features_, extended.signal, sequence)
            path = suited._best_path(extended.signal, sequence, whole, None, MOST_OF_STRETCH)[1]
            onsets: IntArray = path.onsets
            return onsets

        windows, at_start = extended.windows(expanded.lattice), False
        if held is not None:
            windows = held.windows
            at_start = bool(np.isin(expanded.lattice.starts, held.at).any())
        added = extended.before * signal.hop
        super().__init__(
            expanded,
            terms,
            own,
            suited._unbounded,
            suited._room(extended.signal),
            draws_out=suited._draws_out,
            is_drawn_out=suited._is_drawn_out,
            pinned=suited._pins_start(expanded.events) and not at_start,
            onsets_of=in_order,
            windows=windows,
            near={node: time + added for node, time in near.items()},
            at_once=at_once,
        )

    @one_thread()
    def best(self, drop: IntArray | None = None) -> FoundPath:
        """Return the best path that passes none of some nodes; DataError where there is none."""
        try:
            return super().best(drop)
        except ParameterError as error:
            raise DataError(str(error), path=self._name) from error

    @one_thread()
    def placed(self, path: FoundPath) -> LatticeAlignment:
        """Return the alignment of the events on a path, and the node of each."""
        found, aligner, extended = self.along(path), self._suited, self._extended
        own = None if self._held_nodes is None else self._held_nodes.along(found.nodes)
        decoded = tuple(self._expanded.events[v] for v in found.nodes)
        terms = terms_of(aligner.features_, extended.signal, decoded)
        potentials = found.averaged().potentials if aligner.normalise else found.potentials
        fits = fits_of(terms, found.path.onsets, extended.signal.n_frames)
        slopes = aligner._slopes(decoded)
        placed = aligner.placement_.times(potentials, found.path.onsets, fits, slopes)
        if placed.confidence is not None:
            sure = self._aligner._sure_of_chosen(placed.confidence)
            placed = placed._replace(confidence=sure)
        times = aligner._placed(placed.times, terms, decoded, extended.signal, own)
        fit = aligner._match(extended, decoded, terms, found.path.onsets, chosen=True)
        at = self._expanded.given[found.nodes]
        silent = aligner._free(decoded) & (self._abrupt | (at == -2))
        times, inside = extended.within(times, silent)
        asked = (at >= 0) & inside
        hidden = at[-1] == -2 and inside[-1]  # what follows the last event given
        alignment = Alignment(
            events=tuple(self._given[v] for v in at[asked]),
            onsets=times[asked],
            end=float(times[-1]) if hidden else extended.own.duration,
            duration=extended.own.duration,
            **sureness_of(placed, times, np.flatnonzero(asked)),
            score=found.path.score,
            audio=self._audio,
            rate=extended.own.own_rate,
            **fields_of(fit, np.append(np.flatnonzero(at != -1), len(at)), asked),
        )
        return LatticeAlignment(self._aligner._with_new_labels(alignment), at[asked])
