"""Model files, ``*.align``: a zip of ``model.json`` and arrays, read without executing anything.

``model.json`` holds the format version, the kind of model, a header (parameters, labels, training
summary, licence) and for each array its shape, dtype and SHA-256; a checksum covers the rest of
``model.json`` itself. Array ``name`` is the member ``name.npy``. Members are stored, never
compressed, so that no file can ask for more memory than its own size, and carry no times, so that
equal models are equal files.
"""

import hashlib
import io
import json
import math
import os
import re
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from align.errors import ModelError, ParameterError
from align.files.atomic import atomic_write, remove_stale
from align.files.names import StrPath
from align.files.regular import open_regular

FORMAT_VERSION = 1
"""Version of the layout this module writes, and the only one it reads."""

MODEL_KINDS = frozenset({"music", "sequence", "speech"})
"""Kinds of models of aligners, all of whose numbers are finite."""

_HEADER = "model.json"
_MAX_BYTES = 1 << 31
_MAX_HEADER = 1 << 24
_MAX_ARRAYS = 10_000
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-]*(/[A-Za-z0-9_][A-Za-z0-9_.\-]*)*")
_DTYPE_KINDS = "biuf"
_HIGHEST = 1e100  # a number beyond would overflow where it is squared, and no model learns it

Array = npt.NDArray[Any]


def nested(prefix: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Return the arrays of a part of a model, whose prefix their names begin with."""
    return {f"{prefix}{name}": array for name, array in arrays.items()}


def arrays_of(prefix: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Return the arrays of the part that `nested` gave this prefix."""
    return {k.removeprefix(prefix): v for k, v in arrays.items() if k.startswith(prefix)}


def write_model(
    path: StrPath,
    kind: str,
    header: Mapping[str, Any],
    arrays: Mapping[str, Array],
    *,
    overwrite: bool = True,
) -> None:
    """Write a model file, whole or not at all.

    Parameters
    ----------
    path : path
        The output, by custom ``*.align``.
    kind : str
        Which estimator the model is of: ``music``, ``speech`` or ``sequence``.
    header : mapping
        What JSON can hold, with text for keys and finite numbers only. NumPy scalars become
        numbers, tuples lists.
    arrays : mapping of str to np.ndarray
        Arrays of numbers or booleans of any shape; in a model, finite and at most 1e100. Names are
        letters, digits and ``_ . -``, with ``/`` between parts.
    overwrite : bool
        Replace a file that exists; only once the new one is whole.

    Raises
    ------
    ParameterError
        If a value or array cannot be stored.
    DataError
        If the file exists or cannot be written.
    """
    members: dict[str, bytes] = {}
    listing: dict[str, dict[str, Any]] = {}
    for name in sorted(arrays):
        if not _NAME.fullmatch(name):
            raise ParameterError(f"array name {name!r}, must be letters, digits and _ . - only.")
        array = np.asarray(arrays[name], order="C")
        if array.dtype.kind not in _DTYPE_KINDS:
            raise ParameterError(f"array {name!r} has dtype {array.dtype}, must be numbers.")
        if kind in MODEL_KINDS and not _usable(array):
            raise ParameterError(
                f"array {name!r} has numbers that are not finite or are beyond {_HIGHEST:g}, so "
                "this is no model; look for such numbers in the training data and the features."
            )
        array = array.astype(array.dtype.newbyteorder("<"), copy=False)
        stream = io.BytesIO()
        np.lib.format.write_array(stream, array, allow_pickle=False)
        members[f"{name}.npy"] = stream.getvalue()
        listing[name] = {
            "shape": list(array.shape),
            "dtype": array.dtype.str,
            "sha256": hashlib.sha256(stream.getvalue()).hexdigest(),
        }
    content = {
        "format_version": FORMAT_VERSION,
        "kind": kind,
        "header": dict(header),
        "arrays": listing,
    }
    try:
        _check_keys(header)
        content["sha256"] = hashlib.sha256(_canonical(content)).hexdigest()
        text = json.dumps(
            content, default=_plain, allow_nan=False, ensure_ascii=False, indent=1, sort_keys=True
        )
    except (TypeError, ValueError, RecursionError) as error:
        raise ParameterError(
            f"the header of the model cannot be written as JSON: {error}."
        ) from None
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name, data in [(_HEADER, text.encode()), *members.items()]:
            info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            info.create_system, info.external_attr = 3, 0o644 << 16
            archive.writestr(info, data)
    remove_stale([os.path.dirname(path) or "."])  # what a killed training had begun to write
    atomic_write(path, stream.getvalue(), overwrite=overwrite)


def _usable(array: Array) -> bool:
    """Whether all numbers are finite, and far from overflow."""
    if array.dtype.kind != "f" or not array.size:
        return True
    return float(np.abs(array).max()) <= _HIGHEST  # false for NaN


def _plain_numbers(node: Any) -> bool:
    """Whether all numbers of a header are so, too."""
    if isinstance(node, dict):
        return all(map(_plain_numbers, node.values()))
    if isinstance(node, list):
        return all(map(_plain_numbers, node))
    return not isinstance(node, int | float) or abs(node) <= _HIGHEST


def _check_keys(node: Any) -> None:
    """Raise TypeError for a key that would come back as text, in another order."""
    if isinstance(node, Mapping):
        for key, value in node.items():
            if not isinstance(key, str):
                raise TypeError(f"key {key!r} is no text; write str(key), and turn it back")
            _check_keys(value)
    elif isinstance(node, list | tuple):
        for value in node:
            _check_keys(value)


def _canonical(content: Mapping[str, Any]) -> bytes:
    text = json.dumps(
        content, default=_plain, allow_nan=False, sort_keys=True, separators=(",", ":")
    )
    return text.encode()


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} is of type {type(value).__name__}")


def read_model(path: StrPath) -> tuple[str, dict[str, Any], dict[str, Array]]:
    """Read a model file.

    Parameters
    ----------
    path : path
        The file, of at most 2 GiB.

    Returns
    -------
    kind : str
        Which estimator the model is of.
    header : dict
        What `write_model` was given.
    arrays : dict of str to np.ndarray
        The arrays.

    Raises
    ------
    ModelError
        If the file is missing, no model, of another version, truncated or tampered with.
    """
    name = os.fspath(path)
    try:
        size = os.path.getsize(name)
        if os.path.isdir(name):
            raise ModelError(f"{name}: is a folder, not a model file.")
        if size > _MAX_BYTES:
            raise ModelError(f"{name}: is larger than 2 GiB, which no model of Align is.")
        with open_regular(name) as stream, zipfile.ZipFile(stream) as archive:
            members = _members(archive, size, name)
            content = _read_header(archive, members, name)
            arrays = {
                key: _read_array(archive, members[f"{key}.npy"], key, entry, name)
                for key, entry in content["arrays"].items()
            }
            for key, array in arrays.items():
                if content["kind"] in MODEL_KINDS and not _usable(array):
                    raise ModelError(
                        f"{name}: array {key!r} has numbers that are not finite or are beyond "
                        f"{_HIGHEST:g}; train the model again."
                    )
    except FileNotFoundError:
        raise ModelError(f"{name}: does not exist; check the name.") from None
    except zipfile.BadZipFile as error:
        raise ModelError(
            f"{name}: is not a whole model file ({error}); get or train it again."
        ) from None
    except OSError as error:
        raise ModelError(
            f"{name}: cannot be read ({error.strerror or error}); get or train it again."
        ) from None
    except (EOFError, NotImplementedError, RuntimeError, UnicodeError) as error:
        raise ModelError(f"{name}: cannot be read ({error}); get or train it again.") from None
    return content["kind"], content["header"], arrays


def _members(archive: zipfile.ZipFile, size: int, path: str) -> dict[str, zipfile.ZipInfo]:
    """List the members, after checks that bound what reading them can cost."""
    infos = archive.infolist()
    members = {info.filename: info for info in infos}
    if len(members) != len(infos):
        raise ModelError(f"{path}: has two members of the same name, so it was tampered with.")
    if len(infos) > _MAX_ARRAYS + 1:
        raise ModelError(f"{path}: has {len(infos)} members, more than any model of Align.")
    for info in infos:
        if info.compress_type != zipfile.ZIP_STORED or info.flag_bits & 1:
            raise ModelError(
                f"{path}: member {info.filename!r} is compressed or encrypted, which Align never "
                "does; get or train the model again."
            )
    # Both sizes: reading a stored member takes as much as the compressed size declares.
    if sum(max(info.file_size, info.compress_size) for info in infos) > size:
        raise ModelError(f"{path}: declares more data than it holds, so it was tampered with.")
    if _HEADER not in members:
        raise ModelError(f"{path}: is a zip file but no model: it has no {_HEADER}.")
    return members


def _read_header(
    archive: zipfile.ZipFile, members: Mapping[str, zipfile.ZipInfo], path: str
) -> dict[str, Any]:
    if members[_HEADER].file_size > _MAX_HEADER:
        raise ModelError(f"{path}: its {_HEADER} is larger than 16 MiB.")
    try:
        content = json.loads(archive.read(_HEADER).decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{path}: its {_HEADER} is damaged ({error}).") from None
    version = content.get("format_version") if isinstance(content, dict) else None
    if version != FORMAT_VERSION or isinstance(version, bool):
        raise ModelError(
            f"{path}: is of format version {version!r}, and this Align reads version "
            f"{FORMAT_VERSION}; use the Align that wrote it or train the model again."
        )
    checksum = content.pop("sha256", None)
    try:
        whole = hashlib.sha256(_canonical(content)).hexdigest() == checksum
    except (ValueError, RecursionError):
        whole = False
    if not whole:
        raise ModelError(f"{path}: the checksum of its {_HEADER} is wrong; it was changed.")
    listing = content.get("arrays")
    if not (
        isinstance(content.get("kind"), str)
        and isinstance(content.get("header"), dict)
        and isinstance(listing, dict)
        and all(isinstance(entry, dict) for entry in listing.values())
    ):
        raise ModelError(f"{path}: its {_HEADER} lacks the kind, the header or the arrays.")
    if content["kind"] in MODEL_KINDS and not _plain_numbers(content["header"]):
        raise ModelError(
            f"{path}: its {_HEADER} has a number beyond {_HIGHEST:g}; train the model again."
        )
    expected = {_HEADER, *(f"{name}.npy" for name in listing)}
    for name in sorted(expected - members.keys()):
        raise ModelError(f"{path}: array {name.removesuffix('.npy')!r} is missing.")
    for name in sorted(members.keys() - expected):
        raise ModelError(f"{path}: member {name!r} does not belong in a model.")
    return dict(content)


def _read_array(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, entry: Mapping[str, Any], path: str
) -> Array:
    data = archive.read(info)
    if hashlib.sha256(data).hexdigest() != entry.get("sha256"):
        raise ModelError(f"{path}: the checksum of array {name!r} is wrong; it was changed.")
    try:
        stream = io.BytesIO(data)
        version = np.lib.format.read_magic(stream)
        read = {(1, 0): np.lib.format.read_array_header_1_0}.get(
            version, np.lib.format.read_array_header_2_0
        )
        shape, by_columns, dtype = read(stream)
        declared = math.prod(shape) * dtype.itemsize
        if dtype.kind not in _DTYPE_KINDS or declared != len(data) - stream.tell():
            raise ValueError(f"{shape} of {dtype} in {len(data)} bytes")
        # What numpy's reader does, which would parse the header a second time.
        flat = np.frombuffer(data, dtype, offset=stream.tell())
        array: Array = flat.reshape(shape, order="F" if by_columns else "C").copy(order="K")
    except (
        ValueError,
        TypeError,
        SyntaxError,
        ArithmeticError,
        RecursionError,
        MemoryError,
    ) as error:
        raise ModelError(f"{path}: array {name!r} is damaged ({error}).") from None
    if list(array.shape) != entry.get("shape") or array.dtype.str != entry.get("dtype"):
        raise ModelError(
            f"{path}: array {name!r} is {list(array.shape)} of {array.dtype.str}, must be "
            f"{entry.get('shape')} of {entry.get('dtype')}."
        )
    return array
