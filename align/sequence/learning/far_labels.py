"""Labels that lie far from where a recording has its events: of another one, or in other units.

They are learned from like all others, and nothing else shows it: what is learned from the other
recordings is the only witness. Training has it at hand, since each recording is scored by parts
that did not see it.
"""

import warnings
from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from align.sequence.learning.problem import AlignmentProblem, Truth
from align.terms import BaseFunctions
from align.types import Float64

_FAR = 0.1  # seconds, beyond which a recording is named,
_TIMES = 10.0  # if it is so many times farther off than the recordings usually are
_TOLD = 3  # recordings by name


class LabelsWarning(UserWarning):
    """Labels seem to be of another recording, or in another unit."""


def warn_of_labels(
    problem: AlignmentProblem,
    w: Float64,
    names: Iterable[str],
    xs: Sequence[BaseFunctions],
    ys: Sequence[Truth],
    hop: float,
) -> None:
    """Warn of recordings whose labels lie far from what weights find there.

    `names` are those of recordings, which may come in parts; `xs` and `ys` base functions, by
    features that did not see them, and labels; `hop` is in seconds.
    """
    errors: dict[str, list[Float64]] = defaultdict(list)
    for name, x, y in zip(names, xs, ys, strict=True):
        errors[name].append(hop * np.abs(problem.decode(w, x) - y.frames)[y.known])
    usual = {name: float(np.median(np.concatenate(own))) for name, own in errors.items()}
    doubtful = far_off(usual)
    for name in doubtful[:_TOLD]:
        warnings.warn(
            f"{name}: half of its labels lie {usual[name]:.2f} s or more from where the events "
            "are found; check that they are of this recording, and their unit.",
            LabelsWarning,
            stacklevel=4,
        )
    if more := doubtful[_TOLD:]:
        warnings.warn(
            f"and {len(more)} more recordings like these: {', '.join(more)}.",
            LabelsWarning,
            stacklevel=4,
        )


def far_off(errors: dict[str, float]) -> list[str]:
    """Return the names of recordings that are far off, the farthest first.

    `errors` are in seconds, one of each recording. Where all are far off it is the features that
    know little.

    Examples
    --------
    >>> far_off({"a": 0.004, "b": 0.7, "c": 0.006}), far_off({"a": 0.5, "b": 0.7, "c": 0.3})
    (['b'], [])
    """
    least = max(_FAR, _TIMES * float(np.median(list(errors.values()))))
    far = [name for name, error in errors.items() if error > least]
    return sorted(far, key=errors.__getitem__, reverse=True)
