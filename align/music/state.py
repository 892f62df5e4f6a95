"""Between a fitted music aligner and the content of its model file; numbers and text only."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from align.errors import AlignError, ModelError
from align.features.note_network import NoteNetwork
from align.music.confidence import ConfidenceModel
from align.music.functions import DefaultFunctions

if TYPE_CHECKING:
    from align.music.aligner import MusicAligner

__all__ = ["music_state", "restored_music"]

Arrays = Mapping[str, npt.NDArray[Any]]
_Aligner = TypeVar("_Aligner", bound="MusicAligner")

_NETWORK = "network."
_EVIDENCE = {True: 3, False: 2}  # numbers that the confidence is made of, with a network or not


def music_state(
    aligner: "MusicAligner", licence: str
) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return the header and the arrays of a fitted aligner's model file."""
    arrays: dict[str, npt.NDArray[Any]] = {
        "scale": aligner.scale_,
        "coef": aligner.coef_,
        "confidence": aligner.confidence_.weights,
    }
    network = None
    if isinstance(aligner.functions_, DefaultFunctions):
        network, own = aligner.functions_.network.get_state()
        arrays.update({f"{_NETWORK}{name}": array for name, array in own.items()})
    header = {
        "params": _saved_params(aligner),
        "base_functions": aligner.base_functions_,
        "network": network,
        "offset": aligner.offset_,
        "match_range": aligner.match_range_,
        "training": aligner.training_,
        "licence": licence,
    }
    return header, arrays


def _saved_params(aligner: "MusicAligner") -> dict[str, Any]:
    """Return the constructor's parameters that JSON can carry: all that aligning needs."""
    plain = (str, int, float, bool, type(None))
    params = {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in aligner.get_params(deep=False).items()
    }
    saved: dict[str, Any] = {k: value for k, value in params.items() if isinstance(value, plain)}
    saved.pop("network", None)  # its settings are its own state
    if not isinstance(aligner.features, str):
        saved["features"] = list(aligner.features)
    return saved


def restored_music(
    cls: type[_Aligner],
    header: Mapping[str, Any],
    arrays: Arrays,
    path: str,
    features: Sequence[Any],
) -> _Aligner:
    """Rebuild an aligner from the content of its model file.

    Parameters
    ----------
    cls : type
        The class of the aligner.
    header, arrays
        What `music_state` returned.
    path : str
        What messages call the file.
    features : sequence
        Must be empty: a music aligner has no features of the user's own.

    Raises
    ------
    ModelError
        Where something is missing, of a wrong type or shape, or not finite.
    """
    if features:
        raise ModelError(f"{path}: is a model of music, which takes no features of your own.")
    try:
        self = cls(**header["params"])
        self._check_params()
        self.scale_, self.coef_ = arrays["scale"], arrays["coef"]
        self.confidence_ = ConfidenceModel(arrays["confidence"])
        self.base_functions_ = [str(name) for name in header["base_functions"]]
        self.offset_ = float(header["offset"])
        self.match_range_ = None
        if header["match_range"] is not None:
            low, high = (float(value) for value in header["match_range"])
            if not 0 <= low < high <= 1:
                raise ModelError("its range of matches is not within 0 and 1.")
            self.match_range_ = low, high
        self.training_ = dict(header["training"])
        self.licence_ = str(header["licence"])
        network = None
        if self._names():
            own = {
                name.removeprefix(_NETWORK): array
                for name, array in arrays.items()
                if name.startswith(_NETWORK)
            }
            network = NoteNetwork().set_state(header["network"], own)
            if not hasattr(network, "network_"):
                raise ModelError("the note network is missing.")
        self.functions_ = self._make_functions(network)
    except (
        *(LookupError, TypeError, ValueError, AttributeError, ArithmeticError),
        AlignError,
    ) as error:
        reason = str(error).rstrip(".") if isinstance(error, AlignError) else repr(error)
        raise ModelError(
            f"{path}: the model's description is incomplete or damaged ({reason}); "
            "train or download it again."
        ) from error
    n = len(self.functions_.names)
    wanted = {
        "coef": (self.coef_, n),
        "scale": (self.scale_, n),
        "confidence": (self.confidence_.weights, _EVIDENCE[network is not None] + 1),
    }
    if tuple(self.base_functions_) != self.functions_.names:
        raise ModelError(f"{path}: its base functions are not those of its parameters.")
    for name, (array, size) in wanted.items():
        if array.shape != (size,) or array.dtype.kind != "f" or not np.isfinite(array).all():
            raise ModelError(
                f"{path}: array {name!r} is {array.dtype} of shape {array.shape}, must be "
                f"({size},) and finite; train it again."
            )
    if not (self.scale_ > 0).all() or not np.isfinite(self.offset_):
        raise ModelError(f"{path}: a scale is not above 0, or the offset not finite.")
    self.problems_ = []
    return self
