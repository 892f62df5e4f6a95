"""The base functions that the parameter `features` of an aligner of music asks for.

Two sets of them have names:

``"default"``
    A small convolutional network that all pitches share scores the beginnings of notes; rises of
    energy at the harmonics with collisions discounted; the level after the onset; the coarse
    pass; lengths against the local tempo. Frames of 10 ms. See `align.music.functions.default`.
``"thesis"``
    The ten of the thesis, section 9.6.1: energies at three harmonics and their derivatives, and
    the change of tempo. Frames of 20 ms. See `align.music.functions.thesis`.
"""

import copy
from collections.abc import Sequence

from align.errors import ParameterError
from align.features import Feature
from align.features.notes.note_network import NoteNetwork
from align.music.functions.chord_functions import ChordFeature, frame_length
from align.music.functions.default import DEFAULT_NAMES, DefaultFunctions
from align.music.functions.own import OwnFeature
from align.music.functions.thesis import ThesisFunctions
from align.sequence.feature_terms import listed


def chosen_functions(
    features: str | Sequence[str | Feature], network: NoteNetwork
) -> list[ChordFeature]:
    """Return unfitted features of chords, the user's own behind those that have names.

    `features` is a named set, or a list of names and `Feature` objects; see `align.MusicAligner`.
    Copies of them and of the `network` are returned, never themselves. Raises ParameterError where
    a name is not known or given twice.
    """
    chosen = listed(features)
    names = tuple(item for item in chosen if isinstance(item, str))
    own = [item for item in chosen if not isinstance(item, str)]
    made = _named(features, names, network) if names or not own else []
    hop = frame_length(made)
    for feature in own:
        if not isinstance(feature, Feature):
            raise ParameterError(
                f"features has {feature!r}, must hold names and Feature objects; make one of "
                "a function with a decorator of align.features."
            )
        made.append(OwnFeature(copy.deepcopy(feature), hop))
    titles = [feature.name for feature in made]
    if len(set(titles)) < len(titles):
        raise ParameterError(f"features must have different names, not {titles}.")
    return made


def _named(
    features: str | Sequence[str | Feature], names: tuple[str, ...], network: NoteNetwork
) -> list[ChordFeature]:
    """Return what names say: a set, or some base functions of the default one."""
    if names == ("thesis",):
        return [ThesisFunctions()]
    if names == ("default",):
        names = DEFAULT_NAMES[:-1]
    unknown = [name for name in names if name not in DEFAULT_NAMES]
    if unknown or "notes" not in names or len(set(names)) < len(names):
        raise ParameterError(
            f"features={features!r}, must be one of ['default', 'thesis'], or a list of "
            f"different names among {list(DEFAULT_NAMES)} with 'notes' in it."
        )
    return [DefaultFunctions(copy.deepcopy(network), names)]
