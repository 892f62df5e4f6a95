"""Training that survives interruption: what is done is kept, and the next run goes on from there.

A checkpoint is a folder of *parts*: one for each fitted copy of a feature, which takes the time,
and one for the learner after its last whole epoch. Each is a file of the same form as a model,
numbers and text with checksums, written whole or not at all. It carries a digest of the corpus
and of all parameters; a part of another training is as good as none. Training from a checkpoint
gives the same model, bit for bit, as training without interruption.
"""

import hashlib
import json
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from types import CellType, ModuleType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from align.errors import AlignError, DataError, ModelError
from align.features import TimedSignal
from align.files.atomic import remove_stale
from align.files.lock import FolderLock
from align.files.model_file import read_model, write_model

Arrays = Mapping[str, npt.NDArray[Any]]

_KIND = "checkpoint"
_SUFFIX = ".part"
_LOCK = "lock"
_DEEPEST = 12


class CheckpointWarning(UserWarning):
    """What has been trained cannot be kept for an interruption, or can no longer be read."""


class Checkpoint:
    """Parts of one training, in a folder.

    Parameters
    ----------
    folder : path
        Made where it is not there; its folder must be. Used by one training at a time.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Checkpoint(folder + "/partial") as parts:
    ...     parts.bind("the corpus and the parameters")
    ...     parts.save("learner", {"epoch": 1}, {"v": np.zeros(2)})
    ...     parts.load("learner")
    ...     parts.remove()
    ({'epoch': 1}, {'v': array([0., 0.])})
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = os.fspath(folder)
        self._digest = ""
        self._lock: FolderLock | None = None
        self._warned = False

    def __enter__(self) -> Self:
        try:
            os.makedirs(self.folder, exist_ok=True)
        except OSError as error:
            raise DataError(
                f"cannot be made: {error.strerror or error}.", path=self.folder
            ) from error
        self._lock = FolderLock(self.folder, os.path.join(self.folder, _LOCK)).__enter__()
        remove_stale([self.folder])
        return self

    def __exit__(self, *exception: Any) -> None:
        lock, self._lock = self._lock, None
        if lock is not None:
            lock.__exit__(*exception)
            with suppress(OSError):  # it is gone where training succeeded
                if not any(name.endswith(_SUFFIX) for name in os.listdir(self.folder)):
                    self.remove()

    def bind(self, digest: str) -> None:
        """Say which training this is; parts of another one do not count."""
        self._digest = digest

    def _path(self, name: str) -> str:
        return os.path.join(self.folder, name + _SUFFIX)

    def load(self, name: str) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]] | None:
        """Return a part of this training, or None.

        Parameters
        ----------
        name : str
            What it was saved as.
        """
        path = self._path(name)
        if not os.path.exists(path):
            return None
        try:
            kind, header, arrays = read_model(path)
        except ModelError as error:
            warnings.warn(f"{error} That part is trained again.", CheckpointWarning, stacklevel=2)
            return None
        if kind != _KIND or header.get("training") != self._digest:
            return None
        return dict(header.get("state", {})), arrays

    def save(self, name: str, header: Mapping[str, Any], arrays: Arrays) -> None:
        """Keep a part; where that fails, a warning, and training goes on.

        Parameters
        ----------
        name : str
            Letters, digits and hyphens.
        header : mapping
            What JSON can hold.
        arrays : mapping of str to np.ndarray
            Numbers.
        """
        try:
            write_model(
                self._path(name), _KIND, {"training": self._digest, "state": header}, arrays
            )
        except AlignError as error:
            if not self._warned:
                self._warned = True
                warnings.warn(
                    f"no checkpoint can be kept, an interrupted training begins anew: {error}",
                    CheckpointWarning,
                    stacklevel=2,
                )

    def remove(self) -> None:
        """Remove the parts, and the folder if nothing else is in it."""
        with suppress(OSError):  # what cannot be removed can do no harm
            for name in os.listdir(self.folder):
                if name.endswith(_SUFFIX):
                    os.unlink(os.path.join(self.folder, name))
            os.unlink(os.path.join(self.folder, _LOCK))
            os.rmdir(self.folder)


@contextmanager
def checkpoint_of(
    given: str | os.PathLike[str] | Checkpoint | None,
) -> Iterator[Checkpoint | None]:
    """Open what a ``checkpoint`` argument gives.

    Parameters
    ----------
    given : path, Checkpoint or None
        A folder, which is removed when training succeeds; a `Checkpoint` that is open, whose
        owner removes it.
    """
    if given is None or isinstance(given, Checkpoint):
        yield given
        return
    with Checkpoint(given) as opened:
        yield opened
        opened.remove()


def digest_of_training(estimator: Any, parts: Sequence[Any], recordings: Sequence[Any]) -> str:
    """Return a digest of all that a training depends on, as hexadecimal digits.

    The parameters of the estimator count, but for `n_jobs`; `parts` are unfitted features and
    learners, `recordings` what is taken from each: numbers, text, arrays, see `describe_timed`. It
    is the digest of this version of Align and NumPy; others round otherwise.
    """
    from align import __version__

    digest = hashlib.sha256()
    params = {k: v for k, v in estimator.get_params(deep=False).items() if k != "n_jobs"}
    described = [__version__, np.__version__, type(estimator).__qualname__]
    # A phone map that is a file counts by what it says, where the estimator knows it.
    saved = estimator._saved_params() if hasattr(estimator, "_saved_params") else {}
    described += [_describe(params), _describe({**saved, "n_jobs": None})]
    described += [_describe(list(parts))]
    digest.update(json.dumps(described, sort_keys=True).encode())
    for recording in recordings:
        digest.update(json.dumps(_describe(recording)).encode())
    return digest.hexdigest()


def describe_timed(item: TimedSignal) -> list[Any]:
    """Return what training takes from a recording; all else follows from it."""
    signal = item.signal
    about = [signal.rate, signal.hop, item.events, item.end, item.group]
    text = [] if item.text is None else [item.text]
    return [*about, signal.samples, item.onsets, item.times, *text]


def _describe(value: Any, depth: int = 0) -> Any:
    """Describe a parameter as JSON that is the same in another process; code by what it is."""
    if depth > _DEEPEST:
        return type(value).__qualname__
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject:
            return [_describe(v, depth + 1) for v in value.ravel().tolist()]
        content = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        return ["array", list(value.shape), value.dtype.str, content]
    if isinstance(value, np.generic):
        return repr(value.item())
    if isinstance(value, bytes):
        return ["bytes", hashlib.sha256(value).hexdigest()]
    if isinstance(value, Mapping):
        items = [[_describe(k, depth + 1), _describe(v, depth + 1)] for k, v in value.items()]
        return ["mapping", *sorted(items, key=json.dumps)]
    if isinstance(value, set | frozenset):
        return ["set", *sorted((_describe(v, depth + 1) for v in value), key=json.dumps)]
    if isinstance(value, list | tuple):
        return ["sequence", *(_describe(v, depth + 1) for v in value)]
    if isinstance(value, os.PathLike):
        return ["path", os.fspath(value)]
    if isinstance(value, np.random.Generator):
        return ["generator", _describe(value.bit_generator.state, depth + 1)]
    if isinstance(value, type):
        return ["type", value.__module__, value.__qualname__]
    if isinstance(value, ModuleType):
        return ["module", value.__name__]
    if isinstance(value, partial):
        given = [value.func, value.args, value.keywords]
        return ["partial", *(_describe(v, depth + 1) for v in given)]
    function = getattr(value, "py_func", value)
    if (code := getattr(function, "__code__", None)) is not None:
        cells = [cell for cell in function.__closure__ or () if cell != CellType()]  # not yet set
        taken = [cell.cell_contents for cell in cells]
        given = [function.__defaults__, function.__kwdefaults__, taken]
        given.append(getattr(function, "__self__", None))
        return [*_describe_code(code, depth), *(_describe(v, depth + 1) for v in given)]
    slots = [name for name in getattr(value, "__slots__", ()) if hasattr(value, name)]
    fields = getattr(value, "__dict__", None) or {name: getattr(value, name) for name in slots}
    return ["object", type(value).__qualname__, _describe(dict(fields), depth + 1)]


def _describe_code(code: Any, depth: int) -> Any:
    constants = [
        _describe_code(c, depth + 1) if hasattr(c, "co_code") else _describe(c, depth + 1)
        for c in code.co_consts
    ]
    body = hashlib.sha256(code.co_code).hexdigest()
    return ["code", code.co_qualname, body, list(code.co_names), constants]
