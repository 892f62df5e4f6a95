"""How well the network of a model finds notes where they are said to be.

The match of an alignment is the mean, over its notes, of the highest probability within 40 ms of
the chord of each (`align.music.placing.placement`). Here another model than the one that aligned
is asked for the same at the same places, which takes a fraction of aligning.
"""

import numpy as np

from align.features.notes.note_context import note_context
from align.features.notes.note_levels import PITCHES
from align.features.notes.note_network import NoteNetwork
from align.features.sound.signal import Signal
from align.progress import Progress, of_stage
from align.results.music import MusicAlignment

_BESIDE = 0.040  # seconds


def match_at(
    network: NoteNetwork,
    signal: Signal,
    alignment: MusicAlignment,
    progress: Progress | None = None,
) -> float | None:
    """Return how well a network finds the notes of an alignment, in [0, 1].

    Parameters
    ----------
    network : NoteNetwork
        Fitted.
    signal : Signal
        The recording, in frames of 10 ms.
    alignment : MusicAlignment
        When its notes are played. Those whose confidence is 0 are not asked for, as they lie in
        parts of the score that the recording does not hold.
    progress : callable, optional
        Called with the notes done and their number.

    Returns
    -------
    float or None
        None where no note is left.
    """
    held = np.ones(len(alignment), dtype=bool)
    if alignment.confidence is not None:
        held = alignment.confidence > 0
    if not held.any():
        return None
    pitches = np.clip(alignment.pitches + alignment.transposition, *PITCHES)
    written = alignment.score_onsets
    context = note_context(pitches, written, written + alignment.durations)
    chords = alignment.chord_onsets[alignment.chord_of]
    beside = round(_BESIDE / signal.hop)
    first = np.rint(chords / signal.hop).astype(np.intp) - beside
    report = of_stage(progress, "asking another model")
    logit = network.logits(
        signal, pitches[held], first[held], 2 * beside + 1, context[held], report
    )
    return float((1.0 / (1.0 + np.exp(-logit.max(axis=1)))).mean())
