"""Networks that are trained once and kept in a folder, whoever asks for them again.

A network may learn from made recordings as well (`made.py`): first from all, then from the real
ones alone. What was made of a piece is left out wherever the piece is.

In the protocol of `run.py` many aligners need the network that was trained without the pieces of
two folds; each is trained once. What is kept are arrays and JSON, found by the settings and by the
notes, times and weights of the training pieces, in any order.
"""

import hashlib
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Self

import numpy as np

import align
from align.features import NoteNetwork, TimedNotes
from align.files.atomic import atomic_write
from align.music.pieces import read_piece

MADE_WEIGHT = 0.3
"""How much a made recording counts, where a real one counts 1."""

REAL_STEPS, REAL_RATE = 1500, 1e-3
"""Updates and learning rate after the others, on the real recordings alone."""


class Made:
    """Recordings that `made.py` made of pieces; a copy is the same object."""

    def __init__(self, folder: str | Path, pieces: Mapping[str, TimedNotes]) -> None:
        """Read those in a folder; `pieces` are, by name, what they may have been made of."""
        self.notes: list[tuple[bytes | None, TimedNotes]] = []
        for example in align.read_corpus(folder, kind="music"):
            piece = read_piece(example, example.name, MADE_WEIGHT, 22050)
            source = pieces.get(Path(example.name).parent.name.rpartition("-")[0])
            self.notes.append((None if source is None else _digest(source), piece.notes))

    def __deepcopy__(self, memo: object) -> "Made":
        return self

    def of(self, pieces: Sequence[TimedNotes]) -> list[TimedNotes]:
        """Return what was made of some pieces, or of other scores."""
        known = {None, *map(_digest, pieces)}
        return [notes for source, notes in self.notes if source in known]


class KeptNetwork(NoteNetwork):
    """A `NoteNetwork` whose training is looked up in a folder first.

    Parameters
    ----------
    folder : path
        Created where it does not exist.
    made : Made, optional
        Made recordings to learn from as well.
    **settings
        Those of `NoteNetwork`.
    """

    def __init__(self, folder: str | Path, made: Made | None = None, **settings: object) -> None:
        super().__init__(**settings)  # type: ignore[arg-type]
        self.folder, self.made = Path(folder), made
        self.settings = settings

    def fit(
        self,
        examples: Sequence[TimedNotes],
        progress: Callable[[int, int], None] | None = None,
    ) -> Self:
        """Train the network, or read it where it has been trained."""
        made = self.made.of(examples) if self.made is not None else []
        path = self.folder / f"{self.key([*examples, *made])}.npz"
        if path.exists():
            with np.load(path, allow_pickle=False) as kept:
                arrays = dict(kept)
            params = json.loads(str(arrays.pop("params")))
            return self.set_state(params, arrays)
        super().fit([*examples, *made], progress)
        if made:
            self.adapt(examples, steps=REAL_STEPS, learning_rate=REAL_RATE)
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
