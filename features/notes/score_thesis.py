"""The ten base functions of music alignment: psi_1 .. psi_10 of the thesis.

An event is a `Note`, or a chord: a tuple of notes that begin together. Onsets increase strictly
from one event to the next, so simultaneous notes must be grouped. Since phi is a sum over notes,
an onset function of a chord is the sum over its notes.

With ``E_h(t)`` the energy of frame t a quarter tone each side of harmonic h of the note's pitch
(`align.features.sound.pitch.band_energies`)::

    psi_1 .. psi_3   E_h(y), h = 1, 2, 3
    psi_4 .. psi_6   first derivative of E_h at y
    psi_7 .. psi_9   second derivative of E_h at y
    psi_10           (r_i - r_{i-1})**2,  r_i = (y_{i+1} - y_i) / (s_{i+1} - s_i)

Derivatives are those of a parabola fitted to the frames about y. ``r_i`` is the tempo of event i:
its length in the recording over that in the score, both in seconds. psi_10 counts where the score
lengths of event i and of the one before it both exceed 60 ms, and not at the first event or the
last, which have no neighbour. Its weight is expected to be negative.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, section 9.6.1.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.features.base import Feature, restoring
from align.features.sound.derivatives import polynomial_derivatives
from align.features.sound.pitch import band_energies
from align.features.sound.signal import Signal
from align.terms import OnsetTerm, RatioTerm, Term
from align.types import Event, Float32, Note

ScoreEvent: TypeAlias = Event | tuple[Note, ...]


class PitchEnergy(Feature):
    """Energies at the harmonics of the notes that begin, and their derivatives.

    Parameters
    ----------
    n_harmonics : int
        Number of harmonics; the thesis has 3.
    reach : int
        Frames on each side of the onset that the parabola is fitted to, at least 1. The source
        does not say.
    window : float
        Length of the analysis window in seconds; see `band_energies`.
    log : bool
        Take the logarithm of ``1e-10 + E``, instead of E as the thesis has it.
    name : str
        Prefix of the names of the base functions: ``<name>_energy_<h>``, ``<name>_slope_<h>``
        and ``<name>_curvature_<h>``.

    Examples
    --------
    >>> import numpy as np
    >>> tone = np.sin(2 * np.pi * 440 * np.arange(16000) / 16000).astype(np.float32)
    >>> signal = Signal(tone, rate=16000, hop=0.02)
    >>> terms = PitchEnergy().terms(signal, [Note(69, 0.0), (Note(57, 1.0), Note(60, 1.0))])
    >>> list(terms)[:4]
    ['pitch_energy_1', 'pitch_energy_2', 'pitch_energy_3', 'pitch_slope_1']
    >>> terms["pitch_energy_1"].table.shape
    (2, 50)
    """

    def __init__(
        self,
        n_harmonics: int = 3,
        reach: int = 2,
        window: float = 0.100,
        log: bool = False,
        name: str = "pitch",
    ) -> None:
        if n_harmonics < 1 or reach < 1:
            raise ParameterError(
                f"n_harmonics={n_harmonics} and reach={reach}, must be at least 1."
            )
        if not 0 < window < np.inf:
            raise ParameterError(f"window={window} s, must be positive.")
        self.n_harmonics = n_harmonics
        self.reach = reach
        self.window = window
        self.log = log
        self.name = name

    def terms(self, signal: Signal, events: Sequence[ScoreEvent]) -> dict[str, Term]:
        """Return psi_1 .. psi_9 (for 3 harmonics): energies, then slopes, then curvatures.

        Raises
        ------
        ParameterError
            For an event that is not a note or a chord, or onsets that do not increase.
        """
        chords = checked_chords(events)
        row_of: dict[tuple[int, ...], int] = {}
        pitches = [tuple(sorted(note.pitch for note in chord)) for chord in chords]
        rows = np.array([row_of.setdefault(p, len(row_of)) for p in pitches], dtype=np.intp)
        tables = self.tables(signal, list(row_of))
        return {
            f"{self.name}_{kind}_{h + 1}": OnsetTerm(np.ascontiguousarray(table[:, h]), rows)
            for kind, table in zip(("energy", "slope", "curvature"), tables, strict=True)
            for h in range(self.n_harmonics)
        }

    def tables(self, signal: Signal, chords: Sequence[tuple[int, ...]]) -> list[Float32]:
        """Return energies, slopes and curvatures of chords at every frame.

        Parameters
        ----------
        signal : Signal
            The recording.
        chords : sequence of tuple of int, length S
            Pitches of each chord.

        Returns
        -------
        list of np.ndarray [shape=(S, n_harmonics, T), dtype=float32], length 3
            E, its first and its second derivative.
        """
        pitches = sorted({p for chord in chords for p in chord})
        column = {p: i for i, p in enumerate(pitches)}
        energy = signal.cached(
            ("band_energies", tuple(pitches), self.n_harmonics, self.window),
            lambda: band_energies(
                signal.samples,
                signal.rate,
                signal.hop,
                pitches=pitches,
                n_harmonics=self.n_harmonics,
                window=self.window,
            ),
        )
        if self.log:
            energy = np.log(np.float32(1e-10) + energy)
        slope, curvature = polynomial_derivatives(energy, 2 * self.reach + 1, axis=2)
        of_notes = (energy, slope.astype(np.float32), curvature.astype(np.float32))
        shape = (len(chords), self.n_harmonics, signal.n_frames)
        out = [np.zeros(shape, dtype=np.float32) for _ in of_notes]
        for table, notes in zip(out, of_notes, strict=True):
            for row, chord in zip(table, chords, strict=True):
                for p in chord:
                    row += notes[column[p]]
        return out

    def get_state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return what a model file must hold."""
        names = ("n_harmonics", "reach", "window", "log")
        return {name: getattr(self, name) for name in names}, {}

    def set_state(self, params: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """Restore what `get_state` returned."""
        with restoring(f"feature {self.name!r}"):
            checked = PitchEnergy(
                int(params["n_harmonics"]),
                int(params["reach"]),
                float(params["window"]),
                bool(params["log"]),
                self.name,
            )
        self.__dict__.update(checked.__dict__)
        return self


class ScoreTempo(Feature):
    """Squared change of tempo from one event to the next.

    Parameters
    ----------
    shortest : float
        Score lengths of at most so many seconds have no tempo; tau of the thesis.
    name : str
        Name of the base function.

    Examples
    --------
    >>> import numpy as np
    >>> signal = Signal(np.zeros(16000, dtype=np.float32), rate=16000, hop=0.02)
    >>> term = ScoreTempo().terms(signal, [Note(60, 0.0), Note(62, 0.2), Note(64, 0.6)])["tempo"]
    >>> term.scale[:2], term.gate
    (array([10., 20.]), array([False,  True, False]))
    """

    def __init__(self, shortest: float = 0.060, name: str = "tempo") -> None:
        if not 0 <= shortest < np.inf:
            raise ParameterError(f"shortest={shortest} s, must not be negative.")
        self.shortest = shortest
        self.name = name

    def terms(self, signal: Signal, events: Sequence[ScoreEvent]) -> dict[str, Term]:
        """Return psi_10.

        Raises
        ------
        ParameterError
            For an event that is not a note or a chord, or onsets that do not increase.
        """
        chords = checked_chords(events)
        onsets = np.array([chord[0].onset for chord in chords], dtype=np.float64)
        lengths = np.diff(onsets)
        scale = np.ones(len(chords))
        scale[:-1] = lengths / signal.hop
        gate = np.zeros(len(chords), dtype=bool)
        gate[1:-1] = (lengths[1:] > self.shortest) & (lengths[:-1] > self.shortest)
        return {self.name: RatioTerm(scale, gate)}

    def get_state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return what a model file must hold."""
        return {"shortest": self.shortest}, {}

    def set_state(self, params: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """Restore what `get_state` returned."""
        with restoring(f"feature {self.name!r}"):
            self.shortest = ScoreTempo(float(params["shortest"])).shortest
        return self


def checked_chords(events: Sequence[ScoreEvent]) -> list[tuple[Note, ...]]:
    """Return each event as a tuple of notes, the earliest first; onsets increase strictly."""
    chords: list[tuple[Note, ...]] = []
    for k, event in enumerate(events):
        notes = (event,) if isinstance(event, Note) else event
        if not isinstance(notes, tuple) or not notes or any(type(n) is not Note for n in notes):
            raise ParameterError(
                f"event {k + 1} is {event!r}, must be a Note or a tuple of Notes."
            )
        chord = tuple(sorted(notes, key=lambda note: note.onset))
        if chords and not chord[0].onset > chords[-1][-1].onset:
            raise ParameterError(
                f"event {k + 1} begins at {chord[0].onset:g} s of the score, not after the one "
                "before it; group simultaneous notes into chords."
            )
        chords.append(chord)
    return chords
