"""Long pauses in which something sounds as loud as the words: music, or other speech.

A network that has learned from speech takes music for a pause. It is known by its level: that of
the pause is near that of the words, and well above what is quiet within the words, the closures of
stops, which are as loud as the noise behind all of the recording. What has no voice in it, such as
applause or a car that passes, is no reason to look at the text.
"""

from collections.abc import Sequence

import numpy as np

from align.features.sound.voicing import voiceless
from align.speech.text.rows import Rows
from align.types import Float32, Mismatch

_FRAME = 0.05  # seconds
_SHORTEST = 2.0  # seconds of a pause that is asked, and of what sounds in it
_GAP = 1.0  # seconds of quiet within what sounds
_BELOW_WORDS, _ABOVE_QUIET = 10.0, 6.0  # dB from the median of the words, and from their quietest
_QUIETEST = 10.0  # percent
_SURE = 0.9  # probability


def with_loud_pauses(
    mismatches: Sequence[Mismatch],
    rows: Rows,
    samples: Float32,
    rate: int,
    begin: float,
) -> list[Mismatch]:
    """Return mismatches in order, with the pauses in which something sounds.

    What lies within such a pause is one mismatch. `samples` [shape=(n,)] begin at `begin` seconds
    and are all that `rows` are of, which say where there is no word.
    """
    end = begin + len(samples) / rate
    starts = np.array([begin, *(row.start for row in rows), end])
    silent = np.array([True, *(row.word < 0 for row in rows)])
    first = np.flatnonzero(silent & ~np.append(False, silent[:-1]))
    last = np.flatnonzero(silent & ~np.append(silent[1:], False))
    pauses = np.stack([starts[first], starts[last + 1]], axis=1)
    pauses = pauses[pauses[:, 1] - pauses[:, 0] >= _SHORTEST]
    if not len(pauses) or silent.all():
        return list(mismatches)
    size = round(_FRAME * rate)
    frames = samples[: len(samples) // size * size].reshape(-1, size)
    power = np.einsum("ij,ij->i", frames, frames, dtype=np.float64) / size
    level = 10.0 * np.log10(np.maximum(power, 1e-12))
    at = np.searchsorted(starts, begin + (np.arange(len(level)) + 0.5) * _FRAME, side="right") - 1
    words = level[~silent[np.minimum(at, len(silent) - 1)]]
    if not words.size:
        return list(mismatches)
    quiet, usual = np.percentile(words, [_QUIETEST, 50.0])
    loud = np.flatnonzero(level > max(usual - _BELOW_WORDS, quiet + _ABOVE_QUIET))
    times = begin + loud * _FRAME
    found = list(mismatches)
    runs: list[tuple[float, float]] = []
    for low, high in pauses:
        own = times[(times >= low) & (times + _FRAME <= high)]
        for run in np.split(own, np.flatnonzero(np.diff(own) > _GAP) + 1):
            if not run.size or run[-1] + _FRAME - run[0] < _SHORTEST:
                continue
            if 2 * run.size * _FRAME < run[-1] + _FRAME - run[0]:
                continue
            runs.append((float(run[0]), float(run[-1]) + _FRAME))
    if not runs:
        return found
    said = (np.stack([starts[:-1], starts[1:]], axis=1) - begin)[~silent]
    quiet = voiceless(samples, rate, np.array(runs) - begin, said, tones=False)  # music is listed
    for (start, stop), is_quiet in zip(runs, quiet, strict=True):
        found = found if is_quiet else _one(found, start, stop)
    return sorted(found, key=lambda mismatch: mismatch.start)


def _one(mismatches: Sequence[Mismatch], start: float, end: float) -> list[Mismatch]:
    """Return mismatches in which one takes the place of all that is untranscribed within it."""
    inside = [m for m in mismatches if not m.words and m.start < end and m.end > start]
    one = Mismatch(
        "untranscribed",
        min([start, *(m.start for m in inside)]),
        max([end, *(m.end for m in inside)]),
        (),
        max([_SURE, *(m.probability for m in inside)]),
    )
    return [*(m for m in mismatches if m not in inside), one]
