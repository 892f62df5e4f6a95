"""Between a fitted aligner and the content of its model file.

Only numbers and text are kept. The features of a named set are made anew from the constructor's
parameters; a user's own are code, which a model file never holds, and are given at loading.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from align.errors import AlignError, ModelError
from align.features import Feature
from align.formats.phone_map import PHONE_MAPS
from align.sequence.correction import OnsetCorrection
from align.sequence.placement import WINDOW, Placement

if TYPE_CHECKING:
    from align.sequence.aligner import SequenceAligner

__all__ = ["aligner_state", "restored"]

Arrays = Mapping[str, npt.NDArray[Any]]
_Aligner = TypeVar("_Aligner", bound="SequenceAligner")

_LABEL_MAPS = {"label_map", "classes", "symbols"}
_LONGEST = 1e6  # seconds that any event lasts
_WIDEST = 1.0  # second, of the window that smooths the posterior
_DAMAGED = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, AlignError)
"""What a description that is not as `aligner_state` made it leads to."""


def aligner_state(
    aligner: "SequenceAligner", licence: str
) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return the header and the arrays of a fitted aligner's model file."""
    arrays: dict[str, npt.NDArray[Any]] = {"scale": aligner.scale_, "coef": aligner.coef_}
    states = []
    for i, feature in enumerate(aligner.features_):
        params, own = feature.get_state()
        states.append({"name": feature.name, "params": params})
        arrays.update({f"feature{i}.{key}": value for key, value in own.items()})
    correction = None
    if aligner.correction_ is not None:
        correction, own = aligner.correction_.get_state()
        arrays.update({f"correction.{key}": value for key, value in own.items()})
    header = {
        "params": aligner._saved_params(),
        "labels": aligner.labels_,
        "base_functions": aligner.base_functions_,
        "features": states,
        "hop": aligner.hop_,
        "offset": aligner.placement_.offset,
        "temperature": aligner.placement_.temperature,
        "window": aligner.placement_.window,
        "correction": correction,
        "longest": aligner.longest_,
        "starts_at_zero": aligner.starts_at_zero_,
        "ends_with_recording": aligner.ends_with_recording_,
        "training": aligner.training_,
        "licence": licence,
    }
    return header, arrays


def restored(
    cls: type[_Aligner],
    header: Mapping[str, Any],
    arrays: Arrays,
    path: str,
    features: Sequence[Feature],
) -> _Aligner:
    """Rebuild an aligner from the content of its model file.

    Parameters
    ----------
    cls : type
        The class of the aligner.
    header, arrays
        What `aligner_state` returned.
    path : str
        What messages call the file.
    features : sequence of Feature
        The user's own features among those the model was trained with.

    Raises
    ------
    ModelError
        Where something is missing, of a wrong type or shape, or not finite.
    """
    try:
        _check_params(header["params"])
        self = cls._with_features(header["params"], features)
        self.scale_, self.coef_ = arrays["scale"], arrays["coef"]
        self.base_functions_ = [str(name) for name in header["base_functions"]]
        self.labels_ = [str(label) for label in header["labels"]]
        self.hop_ = float(header["hop"])
        hop = round(self._frame_length() * self.rate) / self.rate  # as `Signal` rounds it
        self.placement_ = Placement(
            self.refine,
            self.hop_,
            float(header["temperature"]),
            float(header["offset"]),
            float(header.get("window", WINDOW)),  # models of before have none
        )
        self.correction_ = None
        if header.get("correction") is not None:  # models of before have none
            prefix = "correction."
            own = {k.removeprefix(prefix): v for k, v in arrays.items() if k.startswith(prefix)}
            self.correction_ = OnsetCorrection.from_state(header["correction"], own, self.hop_)
        self.longest_ = float(header["longest"])
        self.starts_at_zero_ = bool(header["starts_at_zero"])
        self.ends_with_recording_ = bool(header["ends_with_recording"])
        self.training_ = dict(header["training"])
        self.licence_ = str(header["licence"])
        states = [(str(state["name"]), state["params"]) for state in header["features"]]
        made = {feature.name: feature for feature in self._make_features()}
    except _DAMAGED as error:
        reason = str(error).rstrip(".") if isinstance(error, AlignError) else repr(error)
        raise ModelError(
            f"{path}: the model's description is incomplete or damaged ({reason}); "
            "train or download it again."
        ) from error
    missing = [name for name, _ in states if name not in made]
    if missing:
        raise ModelError(
            f"{path}: the model was trained with feature objects called {missing}, which a file "
            "does not hold; pass the same ones, load(path, features=[...])."
        )
    n = len(self.base_functions_)
    if self.coef_.shape != (n,) or self.scale_.shape != (n,):
        raise ModelError(f"{path}: {self.coef_.shape} weights for {n} base functions.")
    if not (np.isfinite(self.coef_).all() and np.isfinite(self.scale_).all()):
        raise ModelError(f"{path}: its weights are not finite; train it again.")
    placed = (self.placement_.temperature, self.placement_.window, self.longest_, *self.scale_)
    if not (
        min(placed) > 0
        and self.longest_ <= _LONGEST
        and self.placement_.window <= _WIDEST
        and np.isfinite([*placed, self.placement_.offset]).all()
    ):
        raise ModelError(
            f"{path}: a scale, temperature, window or length is not above 0, or too large; "
            "train it again."
        )
    if self.hop_ != hop:
        raise ModelError(f"{path}: its frames last {self.hop_} s, and {hop} s by its parameters.")
    self.features_ = [made[name] for name, _ in states]
    for i, (feature, (name, params)) in enumerate(zip(self.features_, states, strict=True)):
        prefix = f"feature{i}."
        own = {k.removeprefix(prefix): v for k, v in arrays.items() if k.startswith(prefix)}
        try:
            for key in _LABEL_MAPS & set(params):
                if not all(isinstance(to, str) for to in (params[key] or {}).values()):
                    raise ModelError(f"{key} must map labels to labels.")
            feature.set_state(params, own)
        except _DAMAGED as error:
            raise ModelError(f"{path}: feature {name!r} is damaged: {error}") from error
    self.problems_ = []
    return self


def _check_params(params: Mapping[str, Any]) -> None:
    """Check the parameters that aligning uses; they come from a file, so from anyone."""
    limits = {
        "rate": (1_000, 1_000_000),
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
    phones = params.get("phone_map")
    if isinstance(phones, str) and phones not in PHONE_MAPS:  # else a model could read any file
        raise ModelError(f"phone_map is {phones!r}, must be one of {', '.join(PHONE_MAPS)}.")
    if isinstance(phones, Mapping) and not all(isinstance(to, str) for to in phones.values()):
        raise ModelError("phone_map must map labels to phones.")
    if not isinstance(params.get("features", []), list):
        raise ModelError("features must be a list of names.")
