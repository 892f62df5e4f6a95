"""Learners in files: `save` and `load` of every learner, in the checked format of the models.

A file holds numbers and text only, with checksums and versions; reading it executes nothing in it.
What is saved is the whole state, so that a stream goes on after `load` as if nothing had happened,
bit for bit. `_saved_state` says how a state becomes JSON and arrays.
"""

import os
from typing import Any, Self

from align.errors import ModelError
from align.learners.parts._saved_state import decode, encode

__all__ = ["Saved"]

_KIND = "learner"
_VERSION = 1


class Saved:
    """Give a learner `save` and `load`."""

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = True) -> None:
        """Write the learner to a file, whole or not at all.

        Parameters
        ----------
        path : path
            The output, by custom ``*.align``.
        overwrite : bool, default True
            Replace a file that exists.

        Raises
        ------
        ParameterError
            Where it holds what is neither numbers nor text: a user's kernel, tuning or estimator.
        DataError
            If the file cannot be written.
        """
        from align.models.file import write_model

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
        from align.models.file import read_model

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
