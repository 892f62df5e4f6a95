"""The state of a learner as JSON and arrays, and back: numbers and text, nothing that runs.

A value becomes a plain JSON value, or a list whose first entry is a tag:

===========  ==================================================================================
tag          value
===========  ==================================================================================
"float"      a float that JSON has no number for: "nan", "inf", "-inf"
"number"     dtype and value of a NumPy scalar
"list" ...   the entries of a list, "tuple", "set" or "frozenset"; "map" the pairs of a dict
"array"      name of an array of numbers; "text" dtype, shape and entries of one of strings
"stack"      name of an array whose rows are the entries of a list of equal arrays
"columns"    the entries of a list of equally long tuples, column by column
"buffer"     type and name of an array that was a growing buffer
"generator"  kind and state of a source of random numbers
"object"     class, one of `CLASSES`, and its attributes
"same"       number of an array or object met before: what was shared stays shared
===========  ==================================================================================
"""

from array import array
from collections.abc import Callable
from importlib import import_module
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from align.errors import ModelError, ParameterError

Arrays: TypeAlias = dict[str, npt.NDArray[Any]]

_FOLDERS: dict[str, str] = {
    "boosting.adaboost": "AdaBoost",
    "boosting.stumps": "Stump",
    "compat": "PassiveAggressiveClassifier PassiveAggressiveRegressor Perceptron",
    "flat._general": "GeneralRun _WholeBall",
    "flat._linear": "LinearRun",
    "flat._link_run": "LinkRun",
    "flat._link_state": "Kept State",
    "flat._runs": "Chunk",
    "flat.dict_stream": "DictStream",
    "flat.ellipsoid": "CELLIP IELLIP",
    "flat.mixed_classifier": "MixedClassifier",
    "flat.multiplicative": "MultiplicativePA MultiplicativePARegressor MultiplicativePAUniclass",
    "flat.online": "OnlineClassifier OnlineRegressor",
    "flat.online_to_batch": "OnlineToBatch",
    "flat.passive_aggressive": "PassiveAggressiveClassifier PassiveAggressiveRegressor",
    "flat.quasi_additive": "PNormPerceptron Perceptron SelfTunedWinnow Winnow",
    "flat.uniclass": "PassiveAggressiveUniclass",
    "flat.winnow": "ThresholdWinnow",
    "kernels._centre": "Centre",
    "kernels._supports": "SupportSet",
    "kernels.kernel_pa": "KernelPA",
    "kernels.kernel_regressor": "KernelPARegressor",
    "kernels.kernel_uniclass": "KernelPAUniclass",
    "parts.blocks": "Blocks",
    "parts.conversion": "Average Best Last RandomStop",
    "parts.entropies": "BinaryEntropy Entropy FlooredEntropy",
    "parts.norms": "Euclidean EuclideanBall QNorm",
    "parts.plans": "Plan Revisit",
    "parts.shards": "MixedEpoch",
    "parts.steps": "Slack",
    "parts.tuning": "FixedTuning LossTuning MistakeTuning RunningTuning SelfTuning SqrtTuning "
    "_Weighted",
    "parts.updates": "Update",
    "ranking._kept_rounds": "KeptLabels KeptQueries",
    "ranking._label_ranking": "Rows State",
    "ranking._label_run": "LabelRun",
    "ranking.instance_ranking": "InstanceRanker",
    "ranking.label_ranking": "LabelRanker",
    "structured.ascent": "DualAscent",
    "structured.learner": "StructuredLearner",
    "structured.mixing": "ParameterMixing",
    "theory.rounds": "Round Rounds",
    "theory.trace": "Trace",
}
CLASSES = frozenset(
    f"{module}:{name}" for module, names in _FOLDERS.items() for name in names.split()
)
"""Classes that a file may name, as module under ``align.learners`` and class."""

_PREFIX = "align.learners."
_SEQUENCES: dict[type, str] = {list: "list", tuple: "tuple", set: "set", frozenset: "frozenset"}
_STACKED = 4  # arrays of a list that become one
_DEPTH = 100
_CODES = "bBhHiIlLqQfd"  # of the growing buffers of Python


class _Encoder:
    """Turns values into JSON, and puts their numbers aside as named arrays."""

    def __init__(self, arrays: Arrays, owner: str) -> None:
        self.arrays, self.owner = arrays, owner
        self.seen: dict[int, int] = {}
        self.kept: list[Any] = []  # so that no id is used twice

    def value(self, value: Any, place: str) -> Any:
        if value is None or (isinstance(value, bool | str) and type(value) in (bool, str)):
            return value
        if type(value) is int:
            return value
        if type(value) is float:
            return value if np.isfinite(value) else ["float", repr(value)]
        if isinstance(value, np.generic):
            return self.scalar(value, place)
        if type(value) in _SEQUENCES:
            return self.sequence(value, place)
        if type(value) is dict:
            pairs = [
                [self.value(k, place), self.value(v, f"{place}.{k}")] for k, v in value.items()
            ]
            return ["map", pairs]
        if id(value) in self.seen:
            return ["same", self.seen[id(value)]]
        self.seen[id(value)] = len(self.seen)
        self.kept.append(value)
        if isinstance(value, np.ndarray):
            return self.numbers(value, place)
        return self.thing(value, place)

    def scalar(self, value: Any, place: str) -> Any:
        if value.dtype.kind not in "biufU":
            raise self.refused(value, place)
        plain = value.item()
        return ["number", value.dtype.str, plain if value.dtype.kind == "U" else repr(plain)]

    def sequence(self, value: Any, place: str) -> Any:
        entries = list(value)
        if type(value) is list and len(entries) >= _STACKED:
            first = entries[0]
            if (
                type(first) is tuple
                and first
                and all(type(e) is tuple and len(e) == len(first) for e in entries)
            ):
                columns = [list(column) for column in zip(*entries, strict=True)]
                return ["columns", [self.value(c, place) for c in columns]]
            if (
                isinstance(first, np.ndarray)
                and first.dtype.kind in "biuf"
                and all(
                    isinstance(e, np.ndarray) and (e.shape, e.dtype) == (first.shape, first.dtype)
                    for e in entries
                )
            ):
                return ["stack", self.store(np.stack(entries))]
        return [_SEQUENCES[type(value)], [self.value(entry, place) for entry in entries]]

    def numbers(self, value: npt.NDArray[Any], place: str) -> Any:
        if value.dtype.kind in "biuf":
            columns = value.ndim > 1 and value.flags.f_contiguous and not value.flags.c_contiguous
            return ["array", self.store(value.T if columns else value), columns]
        if value.dtype.kind not in "UO":
            raise self.refused(value, place)
        entries = [self.value(entry, place) for entry in value.ravel().tolist()]
        return ["text", value.dtype.str, list(value.shape), entries]

    def store(self, value: npt.NDArray[Any]) -> str:
        name = f"a{len(self.arrays)}"
        self.arrays[name] = np.array(value, order="C")
        return name

    def thing(self, value: Any, place: str) -> Any:
        if isinstance(value, array) and value.typecode in _CODES:
            return ["buffer", value.typecode, self.store(np.array(value))]
        if isinstance(value, np.random.Generator):
            return ["generator", "Generator", self.value(value.bit_generator.state, place)]
        if isinstance(value, np.random.RandomState):
            return ["generator", "RandomState", self.value(value.get_state(legacy=False), place)]
        cls = type(value)
        name = f"{cls.__module__.removeprefix(_PREFIX)}:{cls.__name__}"
        if cls is SimpleNamespace:
            name, state = "", vars(value)
        elif name not in CLASSES or not cls.__module__.startswith(_PREFIX):
            raise self.refused(value, place)
        elif isinstance(value, tuple):
            state = value._asdict()  # type: ignore[attr-defined]  # the tuples here have names
        else:
            found = value.__getstate__()
            state = {} if found is None else found
        # Which metadata scikit-learn routes is of a pipeline, not of what was learned.
        own = {k: v for k, v in state.items() if k != "_metadata_request"}
        # Pairs, not a JSON object, whose order a file does not keep.
        pairs = [[k, self.value(v, f"{place}.{k}")] for k, v in own.items()]
        return ["object", name, pairs]

    def refused(self, value: Any, place: str) -> ParameterError:
        if isinstance(value, np.ndarray):
            return ParameterError(
                f"{self.owner}{place} is an array of {value.dtype}, which no model file can hold: "
                "it has numbers and text only. Give labels as numbers or text, or use pickle."
            )
        return ParameterError(
            f"{self.owner}{place} is a {type(value).__name__}, which no model file can hold: it "
            "has numbers and text only. Replace it by one of align.learners, or use pickle."
        )


class _Decoder:
    """Makes values of JSON and arrays: a method for each tag, given what follows the tag."""

    def __init__(self, arrays: Arrays) -> None:
        self.arrays = arrays
        self.known: list[Any] = []

    def value(self, node: Any, depth: int = 0) -> Any:
        if depth > _DEPTH:
            raise ModelError("the state of the learner is nested too deeply.")
        if not isinstance(node, list):
            return node
        tag, *rest = node
        return _TAGS[tag](self, depth + 1, *rest)

    def values(self, nodes: Any, depth: int) -> list[Any]:
        return [self.value(node, depth) for node in nodes]

    def map(self, depth: int, pairs: Any) -> Any:
        return {self.value(k, depth): self.value(v, depth) for k, v in pairs}

    def columns(self, depth: int, columns: Any) -> Any:
        return list(zip(*self.values(columns, depth), strict=True))

    def number(self, depth: int, dtype: str, text: str) -> Any:
        kind = np.dtype(dtype)
        if kind.kind == "b":
            return np.bool_(text == "True")
        return kind.type(text if kind.kind in "Uf" else int(text))

    def numbers(self, depth: int, name: str, by_columns: bool) -> Any:
        found = self.arrays[name]
        self.known.append(found := found.T if by_columns else found)
        return found

    def text(self, depth: int, dtype: str, shape: Any, entries: Any) -> Any:
        if np.dtype(dtype).kind not in "UO":
            raise ModelError(f"an array of strings is of dtype {dtype!r}.")
        place = len(self.known)
        self.known.append(None)
        found = np.empty(len(entries), dtype=dtype)
        found[:] = self.values(entries, depth)
        self.known[place] = found = found.reshape(shape)
        return found

    def stack(self, depth: int, name: str) -> Any:
        return [np.array(row) for row in self.arrays[name]]

    def buffer(self, depth: int, code: str, name: str) -> Any:
        if code not in _CODES:
            raise ModelError(f"it has a buffer of kind {code!r}.")
        self.known.append(found := array(code, self.arrays[name].astype(code).tobytes()))
        return found

    def generator(self, depth: int, kind: str, state: Any) -> Any:
        place = len(self.known)
        self.known.append(None)
        found: Any
        plain = self.value(state, depth)
        if kind == "RandomState":
            found = np.random.RandomState()
            found.set_state(plain)
        else:
            kinds = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")
            if plain["bit_generator"] not in kinds:
                raise ModelError(f"its random numbers are of kind {plain['bit_generator']!r}.")
            bits = getattr(np.random, plain["bit_generator"])()
            bits.state = plain
            found = np.random.Generator(bits)
        self.known[place] = found
        return found

    def object(self, depth: int, name: str, pairs: Any) -> Any:
        place = len(self.known)
        self.known.append(None)
        if name and name not in CLASSES:
            raise ModelError(f"it names the class {name!r}, which is no part of a learner.")
        cls: Any = SimpleNamespace
        if name:
            module, _, name = name.partition(":")
            cls = getattr(import_module(_PREFIX + module), name)
        if issubclass(cls, tuple):
            found = cls(**{k: self.value(v, depth) for k, v in pairs})
            self.known[place] = found
            return self.checked(found)
        found = SimpleNamespace() if cls is SimpleNamespace else object.__new__(cls)
        self.known[place] = found  # before its attributes, which may point back
        state = {k: self.value(v, depth) for k, v in pairs}
        if hasattr(cls, "__setstate__"):
            found.__setstate__(state)
        else:
            vars(found).update(state)
        return self.checked(found)

    def checked(self, found: Any) -> Any:
        """Let an object look at its arrays, where kernels trust them."""
        if hasattr(found, "check_shapes"):
            found.check_shapes()
        return found


_TAGS: dict[str, Callable[..., Any]] = {
    "float": lambda self, depth, text: float(text),
    "number": _Decoder.number,
    "list": lambda self, depth, nodes: self.values(nodes, depth),
    "tuple": lambda self, depth, nodes: tuple(self.values(nodes, depth)),
    "set": lambda self, depth, nodes: set(self.values(nodes, depth)),
    "frozenset": lambda self, depth, nodes: frozenset(self.values(nodes, depth)),
    "map": _Decoder.map,
    "columns": _Decoder.columns,
    "array": _Decoder.numbers,
    "text": _Decoder.text,
    "stack": _Decoder.stack,
    "buffer": _Decoder.buffer,
    "generator": _Decoder.generator,
    "object": _Decoder.object,
    "same": lambda self, depth, place: self.known[place],
}


def encode(learner: Any) -> tuple[Any, Arrays]:
    """Return the state of a learner as JSON and arrays.

    Raises
    ------
    ParameterError
        Where it holds what is neither numbers nor text, such as a user's function.
    """
    arrays: Arrays = {}
    return _Encoder(arrays, type(learner).__name__).value(learner, ""), arrays


def decode(node: Any, arrays: Arrays) -> Any:
    """Return the learner whose state `encode` returned.

    Raises
    ------
    ModelError
        Where it is none.
    """
    try:
        return _Decoder(arrays).value(node)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise ModelError(
            f"the state of the learner is damaged ({type(error).__name__}: {error}); save it "
            "again."
        ) from None
