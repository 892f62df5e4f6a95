"""From found chords to notes: times in seconds, confidence, and how well all fits."""

from dataclasses import dataclass

import numpy as np

from align.music.functions.chord_functions import ChordFunctions
from align.music.functions.default import PAD, NoteProbabilities
from align.music.performances.performance import Performance
from align.music.placing.confidence import network_evidence, shape_evidence
from align.music.placing.decoding import FoundChords
from align.music.placing.notes import note_spread, note_times
from align.music.placing.unplayed import evidence_alone, other_pitches, unplayed_evidence
from align.progress import of_stage
from align.sequence.frames import in_order
from align.sequence.times.refine import refine_onsets
from align.types import Float32, Float64, IntArray

_REACH = 0.5  # seconds from its chord within which a note is looked for
_BESIDE = 0.040  # seconds from its chord within which the network's probability of a note counts


@dataclass(frozen=True, eq=False)
class PlacedNotes:
    """When notes are played.

    `notes` [shape=(M,)] are seconds of each merged note, which may be out of order; `chords`
    [shape=(G,)] of each chord, strictly increasing. The confidence is made of `evidence`
    [shape=(M, F)]. `probability` [shape=(M,)] is the network's highest within 40 ms of the chord,
    and `unplayed` [shape=(M, F + N_UNPLAYED)] the evidence that a note was not played, `alone` the
    same as if none doubled another an octave away.
    """

    notes: Float64
    chords: Float64
    evidence: Float64
    probability: Float64 | None
    unplayed: Float64 | None = None
    alone: Float64 | None = None

    @property
    def match(self) -> float | None:
        """Mean of `probability`: how well recording and score fit."""
        return None if self.probability is None else float(self.probability.mean())


def match_of(
    performance: Performance, functions: ChordFunctions, found: FoundChords
) -> float | None:
    """Return the match of what `place_notes` returns, without placing the notes."""
    network = _network_of(found)
    if network is None:
        return None
    column = (found.frames - found.windows[:, 0])[performance.chords.group] + PAD
    hop = functions.signal(performance).hop
    return float(_beside(network.probability, column, hop).mean())


def place_notes(
    performance: Performance, functions: ChordFunctions, found: FoundChords
) -> PlacedNotes:
    """Return the times of the notes of each chord that `find_chords` found.

    They are one time for all notes of a chord where the set has no network.
    """
    hop = functions.signal(performance).hop
    group = performance.chords.group
    exact = refine_onsets(found.potentials, found.frames)
    chords = in_order(exact * hop, performance.signal.duration)
    column = found.frames - found.windows[:, 0]
    network = _network_of(found)
    if network is None:
        evidence = shape_evidence(found.potentials.onset, column, group)
        return PlacedNotes(chords[group], chords, evidence, None)
    at, frames = column[group] + PAD, found.frames[group]
    wide = _about(network.probability, at, round(_REACH / hop))
    after = (exact - found.frames)[group]
    spread = note_spread(wide, after, group, hop)
    keys = performance.notes.pitches
    times = note_times(wide, after, spread, hop, frames=frames, keys=keys)
    seconds = np.clip((frames + times) * hop, 0.0, performance.signal.duration)
    moved = np.rint(times).astype(np.intp)
    own = _about(network.probability, at + moved, PAD)
    evidence = network_evidence(own, times - moved, hop, group)
    near = _about(network.probability, at, PAD)
    sure = _beside(network.probability, at, hop)
    places = np.rint(seconds / hop).astype(np.intp)
    other = other_pitches(performance, network.network, places, sure)
    missing = unplayed_evidence(
        performance.signal, performance.notes.pitches, places, near, sure, evidence[:, 1], other
    )
    unplayed = np.concatenate([evidence, missing], axis=1)
    alone = evidence_alone(performance, network.network, places, unplayed)
    if network.network.fine_ is not None:
        closer = network.network.fine_.moved(
            performance.signal, keys, seconds, of_stage(performance.progress, "placing notes")
        )
        seconds = np.clip(closer, 0.0, performance.signal.duration)
    return PlacedNotes(seconds, chords, evidence, sure, unplayed, alone)


def _network_of(found: FoundChords) -> NoteProbabilities | None:
    """Return what the network of the set has found, where it has one."""
    return next((one for one in found.kept if isinstance(one, NoteProbabilities)), None)


def _beside(probability: Float32, column: IntArray, hop: float) -> Float64:
    """Return the highest probability of each note within 40 ms of its chord [shape=(M,)]."""
    near = _about(probability, column, round(_BESIDE / hop))
    highest: Float64 = near.max(axis=1).astype(np.float64)
    return highest


def _about(probability: Float32, column: IntArray, reach: int) -> Float32:
    """Return columns about one of each row [shape=(M, 2 * reach + 1)], 0 beyond the table."""
    columns = column[:, None] + np.arange(-reach, reach + 1)
    inside = (columns >= 0) & (columns < probability.shape[1])
    rows = np.arange(len(column))[:, None]
    return np.where(inside, probability[rows, np.clip(columns, 0, probability.shape[1] - 1)], 0.0)
