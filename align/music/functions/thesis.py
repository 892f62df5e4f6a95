"""The ten base functions of the thesis, in frames of 20 ms.

psi_1 .. psi_9 are energies, slopes and curvatures at three harmonics (``pitch_energy_1`` ...),
psi_10 (``tempo``) the change of tempo.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, section 9.6.1.
"""

from typing import ClassVar

import numpy as np

from align.features.notes.chord_scores import sum_over_chords
from align.features.notes.score_thesis import PitchEnergy
from align.features.sound.signal import Signal
from align.music.functions.chord_functions import ChordFeature, WindowTerm, tempo_term
from align.music.performances.performance import Performance
from align.music.performances.tempo import Tempo
from align.terms import Term
from align.types import IntArray

THESIS_NAMES = (
    *(f"pitch_{kind}_{h}" for kind in ("energy", "slope", "curvature") for h in (1, 2, 3)),
    "tempo",
)


class ThesisFunctions(ChordFeature):
    """The ten base functions of the thesis, in windows; nothing is fitted."""

    name = "thesis"
    hop: float | None = 0.020
    names: tuple[str, ...] = THESIS_NAMES
    energy: ClassVar[PitchEnergy] = PitchEnergy()

    def onset_terms(
        self,
        performance: Performance,
        signal: Signal,
        windows: IntArray,
        before: object = None,
    ) -> tuple[dict[str, Term], None]:
        """Return psi_1 .. psi_9."""
        notes = performance.notes
        group = performance.chords.group
        start, width = windows[:, 0], int((windows[:, 1] - windows[:, 0]).max())
        pitches, row = np.unique(notes.pitches, return_inverse=True)
        tables = self.energy.tables(signal, [(int(p),) for p in pitches])
        frames = np.minimum(start[:, None] + np.arange(width), signal.n_frames - 1)
        root = np.sqrt(performance.chords.sizes)[:, None]  # phi is a plain sum over notes
        terms: dict[str, Term] = {}
        for kind, table in zip(("energy", "slope", "curvature"), tables, strict=True):
            for h in range(3):
                own = table[row[:, None], h, frames[group]]
                terms[f"pitch_{kind}_{h + 1}"] = WindowTerm(
                    sum_over_chords(own, group) * root, start
                )
        return terms, None

    def tempo_terms(
        self, performance: Performance, signal: Signal, windows: IntArray, tempo: Tempo
    ) -> dict[str, Term]:
        """Return psi_10."""
        return tempo_term(performance, signal)
