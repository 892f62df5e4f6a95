"""Learners in files: `save` and `load` of every learner, in the checked format of the models.

A file holds numbers and text only, with checksums and versions; reading it executes nothing in it.
What is saved is the whole state, so that a stream goes on after `load` as if nothing had happened,
bit for bit. `_saved_state` says how a state becomes JSON and arrays. Training that may be
interrupted keeps its state in the same form, by `keep` and `restore`.
"""

import os
from types import SimpleNamespace
from typing import Any, Literal, Self

import numpy as np

from align.errors import ModelError
from align.files.model_file import read_model, write_model
from align.learners.parts._saved_state import decode, encode

_KIND = "learner"
_VERSION = 1


class Saved:
    """Give a learner `save` and `load`."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over a state; arrays that joblib only maps for reading are copied on writing."""
        known: dict[int, Any] = {}
        own = {name: _writable(value, known) for name, value in state.items()}
        before = super()
        if hasattr(before, "__setstate__"):
            before.__setstate__(own)
        else:
            vars(self).update(own)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = True) -> None:
        """Write the learner to a file, whole or not at all.

        Parameters
        ----------
        path : path
            The file to write, usually ``*.align``.
        overwrite : bool, default True
            Replace a file that exists.

        Raises
        ------
        ParameterError
            Where it holds what is neither numbers nor text: a user's kernel, tuning or estimator.
        DataError
            If the file cannot be written.
        """
        state, arrays = encode(self)
        header = {"learner": type(self).__name__, "learner_version": _VERSION, "state": state}
        write_model(path, _KIND, header, arrays, overwrite=overwrite)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Return the learner of a file that `save` wrote.

        Parameters
        ----------
        path : path

        Returns
        -------
        learner
            Of this class; `align.load` returns one of any class.

        Raises
        ------
        ModelError
            If the file is missing, damaged, of another version, or of another class.

        Notes
        -----
        Nothing in the file is executed. Checksums find damage; they do not prove who wrote it.
        """
        kind, header, arrays = read_model(path)
        name, version = header.get("learner"), header.get("learner_version")
        if kind != _KIND:
            raise ModelError(f"{path}: is a model of kind {kind!r}, no learner; use align.load.")
        if version != _VERSION or isinstance(version, bool):
            raise ModelError(
                f"{path}: is a learner of version {version!r}, and this Align reads version "
                f"{_VERSION}; use the Align that wrote it."
            )
        try:
            found: Any = decode(header.get("state"), arrays)
        except ModelError as error:
            raise ModelError(f"{path}: {error}") from None
        if not isinstance(found, cls):
            raise ModelError(f"{path}: is a {name}, must be a {cls.__name__}.")
        return found


def keep(checkpoint: Any, name: str, rng: np.random.Generator, state: Any) -> None:
    """Save a state and a generator under a name, where there is a checkpoint."""
    if checkpoint is not None:
        node, arrays = encode((rng, state))
        checkpoint.save(name, {"state": node}, arrays)


def restore(checkpoint: Any, name: str, rng: np.random.Generator) -> Any:
    """Return the state that was saved, and set the generator to what it was; or None."""
    found = None if checkpoint is None else checkpoint.load(name)
    if found is None:
        return None
    header, arrays = found
    kept, state = decode(header.get("state"), arrays)
    rng.bit_generator.state = kept.bit_generator.state
    return state


def _writable(value: Any, known: dict[int, Any]) -> Any:
    """Return a value whose arrays share memory with others until something is written into them.

    What stands twice stands twice in the result: `known` has what was met, by its identity.
    """
    if id(value) in known:
        return known[id(value)]
    found = known[id(value)] = value
    if isinstance(value, np.memmap) and not value.flags.writeable and value.filename is not None:
        order: Literal["C", "F"] = "C" if value.flags.c_contiguous else "F"
        found = np.memmap(value.filename, value.dtype, "c", value.offset, value.shape, order)
    elif isinstance(value, tuple):
        items = [_writable(item, known) for item in value]
        if any(new is not item for new, item in zip(items, value, strict=True)):
            found = type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    elif isinstance(value, SimpleNamespace) or type(value).__module__.startswith("align."):
        for name, item in vars(value).items() if hasattr(value, "__dict__") else ():
            object.__setattr__(value, name, _writable(item, known))
    known[id(value)] = found
    return found
