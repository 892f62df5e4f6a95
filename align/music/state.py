"""What the model file of an aligner of music holds beside weights and parameters."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from align.errors import ModelError
from align.files.model_file import arrays_of, nested
from align.music.functions.own import OwnFeature
from align.music.placing.end_evidence import N_END_EVIDENCE
from align.music.placing.unplayed import N_UNPLAYED
from align.sequence.evidence import EvidenceModel
from align.sequence.state import feature_states, restore_features

_NETWORK = "network."
_EVIDENCE = {True: 3, False: 2}  # numbers that the confidence is made of, with a network or not


def state_of(
    aligner: Any,
) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return what a model file holds beside weights: for JSON, and arrays."""
    named = [f for f in aligner.features_ if not isinstance(f, OwnFeature)]
    header: dict[str, Any] = {
        "network": None,
        "offset": aligner.offset_,
        "match_range": aligner.match_range_,
    }
    arrays = {"confidence": aligner.confidence_.weights}
    if aligner.unplayed_ is not None:
        arrays["unplayed"] = aligner.unplayed_.weights
    if aligner.ends_ is not None:
        arrays["ends"] = aligner.ends_.weights
    if named and named[0].has_state:
        header["network"], own = named[0].get_state()
        arrays |= nested(_NETWORK, own)
    if len(named) < len(aligner.features_):
        header["features"], own = feature_states(aligner.features_[len(named) :])
        arrays.update(own)
    return header, arrays


def set_state(
    aligner: Any,
    header: Mapping[str, Any],
    arrays: Mapping[str, npt.NDArray[Any]],
    features: list[Any],
) -> None:
    """Restore what `state_of` returned, or raise ModelError; `features` are unfitted."""
    aligner.offset_ = float(header["offset"])
    if not np.isfinite(aligner.offset_):
        raise ModelError("its offset is not finite.")
    aligner.match_range_ = None
    if header["match_range"] is not None:
        low, high = (float(value) for value in header["match_range"])
        if not 0 <= low < high <= 1:
            raise ModelError("its range of matches is not within 0 and 1.")
        aligner.match_range_ = low, high
    named = [f for f in features if not isinstance(f, OwnFeature)]
    known = [name for f in named for name in f.names]
    if [name for name in aligner.base_functions_ if name in known] != known:
        raise ModelError("its base functions are not those of its parameters.")
    for feature in named:
        if feature.has_state:
            feature.set_state(header["network"], arrays_of(_NETWORK, arrays))
            if not hasattr(feature.network, "network_"):
                raise ModelError("the note network is missing.")
    own = restore_features(features[len(named) :], header.get("features", []), arrays)
    aligner.features_ = [*named, *own]
    size = _EVIDENCE[any(f.has_state for f in named)]
    aligner.confidence_ = EvidenceModel.from_array(arrays["confidence"], "confidence", size)
    aligner.unplayed_ = None
    if "unplayed" in arrays:
        aligner.unplayed_ = EvidenceModel.from_array(
            arrays["unplayed"], "unplayed", size + N_UNPLAYED
        )
    aligner.ends_ = None
    if "ends" in arrays:
        aligner.ends_ = EvidenceModel.from_array(arrays["ends"], "ends", N_END_EVIDENCE)
