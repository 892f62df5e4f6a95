"""The features of an aligner together: different names, and all their base functions."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from align.errors import ModelError, ParameterError
from align.features import Feature, Signal
from align.features.base import checked_terms
from align.terms import BaseFunctions
from align.types import Event, IntArray


def listed(features: Any) -> list[Any]:
    """Return the parameter `features` as a list, of which a name may be given alone."""
    if isinstance(features, str):
        return [features]
    try:
        return list(features)
    except TypeError:
        raise ParameterError(
            f"features={features!r}, must be a list of features; put it in brackets, [...]."
        ) from None


def distinct(features: list[Feature]) -> list[Feature]:
    """Return the features, after a check of their types and that their names differ."""
    for feature in features:
        if not isinstance(feature, Feature):
            raise ParameterError(
                f"features has {feature!r}, must hold Feature objects; make one of a function "
                "with a decorator of align.features."
            )
    names = [feature.name for feature in features]
    if len(set(names)) < len(names):
        raise ParameterError(f"features must have different names, not {names}.")
    return features


def terms_of(
    features: Sequence[Feature], signal: Signal, events: tuple[Event, ...]
) -> dict[str, Any]:
    """Return the base functions of all features, by name."""
    merged: dict[str, Any] = {}
    for feature in features:
        own = checked_terms(feature, signal, events)
        for name in own:
            if name in merged:
                raise ParameterError(f"two features give a base function called {name!r}.")
        merged.update(own)
    return merged


def base_functions_of(
    terms: Mapping[str, Any],
    names: Sequence[str],
    events: tuple[Event, ...],
    n_frames: int,
    limits: IntArray,
    *,
    pinned: bool,
    windows: IntArray | None = None,
) -> BaseFunctions:
    """Return the base functions called `names`; ModelError where one is missing.

    `limits` [shape=(K,)] are the longest lengths of the events, in frames. With `pinned` the first
    event begins at frame 0; otherwise every onset may lie anywhere in its window, of `windows`
    [shape=(K, 2)], or in the recording.
    """
    missing = [name for name in names if name not in terms]
    if missing:
        raise ModelError(f"the features do not give the base functions {missing}.")
    if windows is None:
        windows = np.tile(np.array([0, n_frames], dtype=np.intp), (len(events), 1))
    if pinned:
        windows = np.concatenate(([[0, 1]], windows[1:]))
    return BaseFunctions(
        [terms[name] for name in names],
        names,
        len(events),
        n_frames,
        max_length=limits,
        windows=windows,
        labels=tuple(str(event) for event in events),
    )
