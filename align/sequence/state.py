"""Between a fitted aligner and the content of its model file: numbers and text only.

What all aligners have stands here: parameters, weights, features, training, licence. What is
of the task alone is in its `_get_state` and `_set_state`. Features of a named set are made anew
from the constructor's parameters; a user's own are code, which a model file never holds, and are
given at loading.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from align.errors import AlignError, ModelError, ParameterError
from align.files.model_file import arrays_of, nested
from align.sequence.feature_terms import distinct, listed

if TYPE_CHECKING:
    from align._params import ParamsMixin

Arrays = Mapping[str, npt.NDArray[Any]]
_T = TypeVar("_T")
_Aligner = TypeVar("_Aligner", bound="ParamsMixin")

_LABEL_MAPS = {"label_map", "classes", "symbols"}
_DAMAGED = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, AlignError)
"""What a description that is not as `aligner_state` made it leads to."""


def aligner_state(aligner: Any, licence: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the header and the arrays of a fitted aligner's model file."""
    own, arrays = aligner._get_state()
    header = {
        "params": aligner._saved_params(),
        "base_functions": aligner.base_functions_,
        "training": aligner.training_,
        "licence": licence,
    }
    return {**header, **own}, {"scale": aligner.scale_, "coef": aligner.coef_, **arrays}


def feature_states(features: Sequence[Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return names and parameters of features, and their arrays under ``feature0.`` and so on."""
    states: list[dict[str, Any]] = []
    arrays: dict[str, Any] = {}
    for i, feature in enumerate(features):
        if feature.loses_state:
            raise ParameterError(
                f"feature {feature.name!r} has a fit, but no get_state and set_state: the file "
                "would not hold what it learned. Give it both."
            )
        match feature.get_state():
            case dict() as params, dict() as own:
                states.append({"name": feature.name, "params": params})
                arrays |= nested(f"feature{i}.", own)
            case other:
                raise ParameterError(
                    f"get_state of feature {feature.name!r} returns {repr(other)[:60]}, must "
                    "return two dicts: values that JSON can carry, and arrays."
                )
    return states, arrays


def kept(header: Mapping[str, Any], name: str, make: Callable[[Any], _T]) -> _T | None:
    """Return what is made of a value of a header; None where it has none, as models of before."""
    return None if header.get(name) is None else make(header[name])


def restore_features(
    made: Sequence[Any], states: Sequence[Mapping[str, Any]], arrays: Arrays
) -> list[Any]:
    """Return the features that `feature_states` described, found by their names and restored.

    Raises ModelError where one is missing, or its state is damaged.
    """
    by_name = {feature.name: feature for feature in made}
    named = [(str(state["name"]), state["params"]) for state in states]
    missing = [name for name, _ in named if name not in by_name]
    if missing:
        raise _Features(
            f"the model was trained with feature objects called {missing}, which a file does not "
            "hold; pass the same ones in Python, model = align.load(path, features=[...]). "
            "Commands cannot; for a folder there is align.align_corpus(IN, OUT, model=model)."
        )
    for i, (name, params) in enumerate(named):
        try:
            for key in _LABEL_MAPS & set(params):
                if not all(isinstance(to, str) for to in (params[key] or {}).values()):
                    raise ModelError(f"{key} must map labels to labels.")
            by_name[name].set_state(params, arrays_of(f"feature{i}.", arrays))
        except _DAMAGED as error:
            raise _Features(f"feature {name!r} is damaged: {error}") from error
    return [by_name[name] for name, _ in named]


class _Features(ModelError):
    """What is wrong with the features of a model, in a sentence that needs no more."""


def restored(
    cls: type[_Aligner],
    header: Mapping[str, Any],
    arrays: Arrays,
    path: str,
    features: Sequence[Any],
) -> _Aligner:
    """Rebuild an aligner from the content of its model file, which `aligner_state` returned.

    `features` are the user's own among those the model was trained with. Raises ModelError, naming
    the `path`, where something is missing, of a wrong type or shape, or not finite; ParameterError
    where one of `features` is none.
    """
    features = listed(features)
    named = [feature for feature in features if isinstance(feature, str)]
    if named:
        raise ParameterError(f"features has {named}; a file knows its named sets: leave them out.")
    distinct(features)
    try:
        _check_params(header["params"])
        self: Any = cls._with_features(header["params"], features)  # type: ignore[attr-defined]
        self.scale_, self.coef_ = arrays["scale"], arrays["coef"]
        self.base_functions_ = [str(name) for name in header["base_functions"]]
        self.training_ = dict(header["training"])
        self.licence_ = str(header["licence"])
        _check_own(cls, features, header.get("features", ()))
        self._set_state(header, arrays, self._make_features())
    except _Features as error:
        raise ModelError(f"{path}: {error}") from error
    except _DAMAGED as error:
        reason = str(error).rstrip(".") if isinstance(error, AlignError) else repr(error)
        raise ModelError(
            f"{path}: the model's description is incomplete or damaged ({reason}); "
            "train or download it again."
        ) from error
    n = len(self.base_functions_)
    for name, array in (("coef", self.coef_), ("scale", self.scale_)):
        if array.shape != (n,) or array.dtype.kind != "f" or not np.isfinite(array).all():
            raise ModelError(
                f"{path}: array {name!r} is {array.dtype} of shape {array.shape}, must be "
                f"({n},) and finite; train it again."
            )
    if not (self.scale_ > 0).all():
        raise ModelError(f"{path}: a scale is not above 0; train it again.")
    self.problems_ = []
    loaded: _Aligner = self
    return loaded


def _check_own(
    cls: type[Any], features: Sequence[Any], states: Sequence[Mapping[str, Any]]
) -> None:
    """Check that the user's features are among those the model was trained with."""
    trained = {state["name"] for state in states}
    unknown = [feature.name for feature in features if feature.name not in trained]
    if unknown:
        raise _Features(
            f"the model was not trained with the features {unknown}, so it has no weights for "
            f"them; leave them out, or train one with them, {cls.__name__}(features=[...])."
        )


def _check_params(params: Mapping[str, Any]) -> None:
    """Check the parameters that aligning uses; they come from a file, so from anyone."""
    limits = {
        "rate": (1, 1_000_000),
        "hop": (1e-4, 1.0),
        "max_length_factor": (1e-3, 1e6),
    }
    for name, (low, high) in limits.items():
        value = params.get(name, low)
        if value is None and name == "hop":
            continue
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ModelError(f"{name} is {value!r}, must be a number.")
        if not low <= value <= high:
            raise ModelError(f"{name} is {value}, must be in {low:g}..{high:g}.")
