"""What a `FrameNetwork` should answer, frame by frame, where the times of events are known.

The head of the boundaries learns a bump a few milliseconds wide around each true time, so that
frames that are off by a little are only a little wrong; that of the transitions learns, in the
same bump, between which two classes the boundary lies.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from align.features.base import TimedSignal
from align.types import Float32, Float64, IntArray


@dataclass(frozen=True)
class Target:
    """What one head should say of each frame of a sequence.

    For a head of one number, `strength` [shape=(T,), dtype=float32] is the probability, and there
    is no label. For a softmax, it is how much of the probability goes to `label` [shape=(T,)], the
    class of each frame; the rest goes to the head's last class.
    """

    strength: Float32
    label: IntArray | None = None

    def of(self, frames: slice) -> "Target":
        """Return that of some of the frames."""
        return Target(self.strength[frames], None if self.label is None else self.label[frames])

    def padded(self, before: int, after: int) -> "Target":
        """Return that of a longer sequence, in which frames before and after have zeros."""
        label = None if self.label is None else np.pad(self.label, (before, after))
        return Target(np.pad(self.strength, (before, after)), label)


class Lesson(NamedTuple):
    """Inputs of a sequence [shape=(T, n_inputs)], and the target of each head."""

    x: Float32
    targets: Sequence[Target]

    def of(self, frames: slice) -> "Lesson":
        """Return that of some of the frames."""
        return Lesson(self.x[frames], [target.of(frames) for target in self.targets])

    @classmethod
    def end_to_end(cls, lessons: Sequence["Lesson"]) -> "Lesson":
        """Return that of sequences that are laid end to end."""
        joined = []
        for parts in zip(*(lesson.targets for lesson in lessons), strict=True):
            labels = [part.label for part in parts if part.label is not None]
            strength = np.concatenate([part.strength for part in parts])
            joined.append(Target(strength, np.concatenate(labels) if labels else None))
        return cls(np.concatenate([lesson.x for lesson in lessons]), joined)


def labelled_frames(item: TimedSignal, begin: Float64, hop: float) -> slice:
    """Return the frames that have labels; `begin` and `hop` are seconds, as of all below."""
    # The end is known to half a frame: what begins at it may belong to the last event.
    last = max(1, int(np.searchsorted(begin, item.end * item.signal.hop, side="right")))
    return slice(min(int(np.searchsorted(begin + hop / 2, item.times[0])), last - 1), last)


def frame_targets(
    item: TimedSignal, begin: Float64, hop: float, symbols: IntArray, pairs: IntArray, width: float
) -> list[Target]:
    """Return the targets of phone, boundary and transition of every frame.

    The T frames begin at `begin`, in seconds, and last `hop`. `symbols` [shape=(K,)] are the
    outputs that stand for the events of the item, `pairs` [shape=(K - 1,)] those that stand for
    the boundaries between two of them; `width` is the standard deviation of the bump around each.
    """
    n_frames = len(begin)
    of_frame = np.searchsorted(item.times, begin + hop / 2, side="right") - 1
    of_frame = np.clip(of_frame, 0, len(item.events) - 1)
    phone = Target(np.ones(n_frames, dtype=np.float32), symbols[of_frame])
    if len(item.events) < 2:
        none = np.zeros(n_frames, dtype=np.float32)
        return [phone, Target(none), Target(none, np.zeros(n_frames, dtype=np.intp))]
    between = (item.times[1:-1] + item.times[2:]) / 2
    nearest = 1 + np.searchsorted(between, begin)
    distance = begin - item.times[nearest]
    strength = np.exp(-0.5 * (distance / width) ** 2).astype(np.float32)
    return [phone, Target(strength), Target(strength, pairs[nearest - 1])]
