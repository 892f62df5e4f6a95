"""Model files of a stranger who knows the checksums: whole and signed, but with wrong content.

Bytes are read as a list of edits to one of the golden models; numbers, texts and arrays of its
header are replaced, removed or reshaped, and the file is signed anew.
"""

import functools
import hashlib
import io
import json
import struct
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from align.errors import AlignError

__all__ = ["GOLDEN", "edited", "feed_signed", "signed"]

GOLDEN = Path(__file__).resolve().parents[2] / "golden_models"
_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 3, 1 << 31, 1 << 62, 1 << 80, -(1 << 70), 0.5, -0.5),
    *(1e-320, 1e308, -1e308, 1e15, "", "a", "default", "thesis", "best", "\0", "../../x"),
    *("log_mel", [], [1], [[]], ["a"], [[1, 2]], {}, {"a": 1}, {"name": "x", "params": {}}),
    *([None], [0.1, 0.9]),
)
_DTYPES = ("<f8", "<f4", "<i8", "|b1", "|u1", "<f2", ">f8")


@functools.cache
def models() -> tuple[tuple[str, str, str], ...]:
    """Name, kind and header (as JSON text) of the golden models."""
    from align.files.model_file import read_model

    out = []
    for path in sorted(GOLDEN.rglob("*.align")):
        kind, header, _ = read_model(path)
        out.append((str(path), kind, json.dumps(header)))
    return tuple(out)


@functools.cache
def _arrays(path: str) -> dict[str, Any]:
    from align.files.model_file import read_model

    return read_model(path)[2]


def signed(path: str, kind: Any, header: Any, arrays: dict[str, Any]) -> None:
    """Write a model file without any of the checks of `align.files.model_file.write_model`."""
    listing, members = {}, {}
    for name, array in arrays.items():
        stream = io.BytesIO()
        np.lib.format.write_array(stream, array, allow_pickle=False)
        members[f"{name}.npy"] = stream.getvalue()
        listing[name] = {
            "shape": list(array.shape),
            "dtype": array.dtype.str,
            "sha256": hashlib.sha256(stream.getvalue()).hexdigest(),
        }
    content = {"format_version": 1, "kind": kind, "header": header, "arrays": listing}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    content["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("model.json", json.dumps(content))
        for name, data in members.items():
            archive.writestr(name, data)


def _places(node: Any, found: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Every (container, key) of a tree of JSON, but of long lists only the first few."""
    if isinstance(node, dict):
        for key in list(node):
            found.append((node, key))
            _places(node[key], found)
    elif isinstance(node, list):
        for k in range(min(len(node), 4)):
            found.append((node, k))
            _places(node[k], found)
    return found


def edited(data: bytes) -> tuple[str, str, Any, dict[str, Any]]:
    """Return path, kind, header and arrays of the model that some bytes describe."""
    choice = models()
    path, kind, text = choice[data[0] % len(choice)] if data else choice[0]
    header, arrays = json.loads(text), dict(_arrays(path))
    for at in range(1, min(len(data), 40) - 3, 4):
        what, where, which = struct.unpack_from("<BHB", data, at)
        if what % 3 == 0:
            name = sorted(arrays)[where % len(arrays)] if arrays else None
            if name is not None:
                _edit_array(arrays, name, which)
            continue
        places = _places(header, [])
        if not places:
            break
        node, key = places[where % len(places)]
        if what % 3 == 1 and isinstance(node, dict) and which % 4 == 0:
            del node[key]
        else:
            node[key] = json.loads(json.dumps(_VALUES[which % len(_VALUES)]))
    return path, kind, header, arrays


def _edit_array(arrays: dict[str, Any], name: str, which: int) -> None:
    array = arrays[name]
    kind, amount = which % 8, which // 8
    if kind == 0:
        del arrays[name]
    elif kind == 1:
        arrays[name] = array.astype(_DTYPES[amount % len(_DTYPES)])
    elif kind == 2:
        arrays[name] = array.reshape(-1)[: amount % 8]
    elif kind == 3:
        arrays[name] = array[None]
    elif kind == 4:
        special = (np.nan, np.inf, -np.inf, 0.0, -1.0, 1e308, 1e-320, 1e30)[amount % 8]
        with np.errstate(all="ignore"):
            arrays[name] = np.full(array.shape, special).astype(array.dtype)
    elif kind == 5:
        arrays[name] = array.T
    elif kind == 6:
        arrays[name] = np.concatenate([array.reshape(-1)] * 2)
    else:
        arrays[name] = np.zeros((0, *array.shape[1:]), array.dtype)


def feed_signed(path: str, data: bytes, *, align: bool = True) -> None:
    """Load such a model and, where it loads, align with it; may raise `AlignError` only."""
    import make

    from align.models.loading import load

    name, kind, header, arrays = edited(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of NumPy, where numbers are cast
        signed(path, kind, header, arrays)
    stem = Path(name).stem
    try:
        model = load(path, features=make.sequence_features() if stem == "sequence" else ())
        if align:
            make.align_with(stem, model)
    except AlignError as error:
        str(error)
