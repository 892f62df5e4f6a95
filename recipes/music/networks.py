"""Networks that are trained once and kept in a folder, whoever asks for them again.

In the protocol of `run.py` many aligners need the network that was trained without the pieces of
two folds; each is trained once. What is kept are arrays and JSON, found by the settings and by the
notes, times and weights of the training pieces, in any order.
"""

import hashlib
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

import numpy as np

from align.features import NoteNetwork, TimedNotes
from align.files.atomic import atomic_write


class KeptNetwork(NoteNetwork):
    """A `NoteNetwork` whose training is looked up in a folder first.

    Parameters
    ----------
    folder : path
        Made where it does not exist.
    **settings
        Those of `NoteNetwork`.
    """

    def __init__(self, folder: str | Path, **settings: object) -> None:
        super().__init__(**settings)  # type: ignore[arg-type]
        self.folder = Path(folder)
        self.settings = settings

    def fit(
        self,
        examples: Sequence[TimedNotes],
        progress: Callable[[int, int], None] | None = None,
    ) -> Self:
        """Train the network, or read it where it has been trained."""
        path = self.folder / f"{self.key(examples)}.npz"
        if path.exists():
            with np.load(path, allow_pickle=False) as kept:
                arrays = dict(kept)
            params = json.loads(str(arrays.pop("params")))
            return self.set_state(params, arrays)
        super().fit(examples, progress)
        params, arrays = self.get_state()
        self.folder.mkdir(parents=True, exist_ok=True)
        stream = io.BytesIO()
        np.savez(stream, params=np.array(json.dumps(params)), **arrays)
        atomic_write(path, stream.getvalue(), overwrite=True)
        return self

    def key(self, examples: Sequence[TimedNotes]) -> str:
        """Return a name for what these examples would make of the settings."""
        whole = hashlib.sha256(json.dumps(self.settings, sort_keys=True).encode())
        for digest in sorted(_digest(example) for example in examples):
            whole.update(digest)
        return whole.hexdigest()[:24]


def _digest(example: TimedNotes) -> bytes:
    own = hashlib.sha256(example.pitches.astype("<i8").tobytes())
    own.update(np.round(example.onsets, 6).astype("<f8").tobytes())
    own.update(np.array([example.weight, example.signal.samples.size], dtype="<f8").tobytes())
    return own.digest()
