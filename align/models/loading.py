"""Models and learners from their files, which are found by path or by name."""

import os
from collections.abc import Iterable
from hashlib import sha256
from importlib import import_module
from importlib.resources import files
from typing import Any

from align.errors import ModelError, ParameterError
from align.files.atomic import captured_writes
from align.files.model_file import read_model, write_model
from align.files.names import StrPath

__all__ = ["bundled_models", "digest_of", "load", "model_path", "read_model", "write_model"]

_ALIGNERS = {
    "music": "align.music.aligner:MusicAligner",
    "speech": "align.speech.aligner:SpeechAligner",
    "sequence": "align.sequence.aligner:SequenceAligner",
}


def bundled_models() -> list[str]:
    """Return the names of the models that come with Align, for `load`."""
    names = (entry.name for entry in files("align.data").iterdir())
    return sorted(name.removesuffix(".align") for name in names if name.endswith(".align"))


def model_path(path_or_name: StrPath) -> str:
    """Return the file of a model, given its path or the name of a bundled one.

    Raises
    ------
    ModelError
        If there is no such model.
    """
    if not isinstance(path_or_name, str | os.PathLike):
        kind = type(path_or_name).__name__
        raise ParameterError(f"the model is a {kind}, must be a path or a name.")
    path = os.fspath(path_or_name)
    if os.path.exists(path):
        return path
    bundled = bundled_models()
    if path not in bundled:
        raise ModelError(
            f"no model {path!r}: it is not a file, and the models that come with Align are: "
            f"{', '.join(bundled) or 'none'}."
        )
    return str(files("align.data") / f"{path}.align")


def digest_of(model: Any) -> str:
    """Return what distinguishes a model from others: the SHA-256 of its file."""
    with captured_writes() as files:
        model.save("model.align")
    return sha256(files["model.align"]).hexdigest()


def load(path_or_name: StrPath, features: Iterable[Any] = ()) -> Any:
    """Load a trained aligner, or a learner that was saved.

    Parameters
    ----------
    path_or_name : path or str
        A ``*.align`` file, or the name of a model that comes with Align.
    features : iterable of Feature
        The user's own features that the model was trained with. A model file holds no code, so
        they must be given again.

    Returns
    -------
    SpeechAligner, MusicAligner, SequenceAligner, or a learner of `align.learners`
        Ready to align, or to learn on; nothing in the file is executed.

    Raises
    ------
    ModelError
        If there is no such model, or the file cannot be used.
    """
    path = model_path(path_or_name)
    kind, header, arrays = read_model(path)
    if kind == "learner":
        from align.learners.parts.saved import Saved

        return Saved.load(path)
    if kind not in _ALIGNERS:
        raise ModelError(
            f"{path}: is a model of kind {kind!r}, and this Align knows {', '.join(_ALIGNERS)}."
        )
    module, name = _ALIGNERS[kind].split(":")
    cls = getattr(import_module(module), name)
    return cls._from_model(header, arrays, path, features)
