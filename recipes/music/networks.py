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
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np

import align
from align.features import NoteNetwork, TimedNotes
from align.features.notes.fine_onsets import FineOnsets
from align.features.notes.note_network import updates_for
from align.files.atomic import atomic_write
from align.music.performances.pieces import read_piece

BATCH = 32
"""Stretches in an update, as the bundled models have learned; half of them serve as well."""

MADE_WEIGHT = 0.3
"""How much a made recording counts, where a real one counts 1."""

REAL_STEPS, REAL_RATE = 1500, 1e-3
"""Updates and learning rate after the others, on the real recordings alone."""

FURTHER_RATE = 2e-3
"""Learning rate of a network that has learned from other recordings already; 3e-3 at first."""


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
        super().__init__(**{"batch": BATCH, **settings})  # type: ignore[arg-type]
        self.folder, self.made = Path(folder), made
        self.settings = settings

    def brief(self) -> Self:
        """Return the network itself: another fold or model asks for the same, to use it."""
        return self

    def fit(
        self,
        examples: Sequence[TimedNotes],
        progress: Callable[[int, int], None] | None = None,
    ) -> Self:
        """Train the network, or read it where it has been trained."""
        made = self.made.of(examples) if self.made is not None else []
        path = self.folder / f"{key_of(self.settings, [*examples, *made])}.npz"
        if path.exists():
            return _read(self, path)
        super().fit([*examples, *made], progress)
        if made:
            self.adapt(examples, steps=REAL_STEPS, learning_rate=REAL_RATE)
        _write(self, path)
        return self


class FurtherNetwork(NoteNetwork):
    """A network that learns from some recordings first, and then, as often as told, from all.

    Parameters
    ----------
    folder : path
        Where networks are kept, those of the first recordings as `KeptNetwork` keeps them.
    first : mapping of bytes to float
        What recordings to learn from first, by their `music_of`, and how much each counts there.
    further : int
        Updates from all recordings.
    **settings
        Those of `NoteNetwork`, for the first.
    """

    def __init__(
        self, folder: str | Path, first: Mapping[bytes, float], further: int, **settings: object
    ) -> None:
        super().__init__(**settings)  # type: ignore[arg-type]
        self.folder, self.first, self.further = Path(folder), first, further
        self.settings = settings

    def fit(
        self,
        examples: Sequence[TimedNotes],
        progress: Callable[[int, int], None] | None = None,
    ) -> Self:
        """Train the network, or read it where it has been trained."""
        own = [
            replace(item, weight=self.first[music_of(item)])
            for item in examples
            if music_of(item) in self.first
        ]
        settings = {**self.settings, "further steps": self.further}
        path = self.folder / f"{key_of(settings, examples)}.npz"
        if path.exists():
            return _read(self, path)
        self.__dict__.update(KeptNetwork(self.folder, **self.settings).fit(own).__dict__)
        self.adapt(examples, steps=self.further, learning_rate=FURTHER_RATE)
        fine = FineOnsets(steps=updates_for(examples) // 2, random_state=self.random_state)
        self.fine_ = fine.fit(examples)
        _write(self, path)
        return self


def key_of(settings: Mapping[str, object], examples: Sequence[TimedNotes]) -> str:
    """Return a name for what some examples would make of a network."""
    whole = hashlib.sha256(json.dumps(settings, sort_keys=True).encode())
    for digest in sorted(_digest(example) for example in examples):
        whole.update(digest)
    return whole.hexdigest()[:24]


def music_of(example: TimedNotes) -> bytes:
    """Return a name for the notes of a recording, whatever its weight."""
    return _digest(replace(example, weight=1.0))


def _digest(example: TimedNotes) -> bytes:
    own = hashlib.sha256(example.pitches.astype("<i8").tobytes())
    own.update(np.round(example.onsets, 6).astype("<f8").tobytes())
    own.update(np.array([example.weight, example.signal.samples.size], dtype="<f8").tobytes())
    return own.digest()


def read_network(path: str | Path) -> NoteNetwork:
    """Return a network that was kept in a file."""
    network: NoteNetwork = _read(NoteNetwork(), Path(path))
    return network


def _read(network: NoteNetwork, path: Path) -> Any:
    """Return a network with the state that is kept in a file."""
    with np.load(path, allow_pickle=False) as kept:
        arrays = dict(kept)
    params = json.loads(str(arrays.pop("params")))
    return network.set_state(params, arrays)


def _write(network: NoteNetwork, path: Path) -> None:
    params, arrays = network.get_state()
    path.parent.mkdir(parents=True, exist_ok=True)
    stream = io.BytesIO()
    np.savez(stream, params=np.array(json.dumps(params)), **arrays)
    atomic_write(path, stream.getvalue(), overwrite=True)
