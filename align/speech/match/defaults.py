"""The matches of models that were trained before there was a match."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from align.speech.match.model import MatchModel

__all__ = ["DEFAULTS", "in_room"]

_LEAST_IN_ROOM = 0.7  # set on two speakers of EmoDB, by a match learned for all surroundings


def in_room(match: MatchModel) -> MatchModel:
    """Return the match of an aligner that knows rooms, of texts whose match this is.

    It finds phones there that fit, of wrong texts as well, so the border is higher. With the
    default one another was learned, in rooms.
    """
    if match.get_state() == DEFAULTS["universal, text, not in rooms"].get_state():
        return DEFAULTS["universal, text, in rooms"]
    return replace(match, border=max(match.border, _LEAST_IN_ROOM))


DEFAULTS: Mapping[str, MatchModel] = {
    "default": MatchModel(
        np.array([7.04, 0.444, 1.319, 0.711, 0.314, 0.070, 1.963]),
        np.array([2.04, 0.628, 0.209, 0.382]),
        -2.28,
        0.3,
    ),
    "universal": MatchModel(
        np.array(
            [
                [18.63, 0.90, 0.25, 0.30, 0.39, 1.64, 3.94, 0, 0, 0, 0, 1.95, 1.85],
                [18.09, 0.05, 0.49, 0.24, 0.95, 1.27, 4.59, 0, 0, 0, 0, 1.56, 1.92],
            ]
        ),
        np.array([2.043, 0.341, 0.227, 0.404]),
        -1.89,
        0.3,
        for_few=10.0,
    ),
    "universal, text": MatchModel(
        np.array([0.507, 0, 0, 0.926, 0.455, 0, 1.507, 2.887, 0.676, -1.631, -2.74]),
        np.array([1.283, 0.177, 0.139, 0.097]),
        -2.803,
        0.396,
        0.936,
        12.0,
    ),
    "universal, text, not in rooms": MatchModel(
        np.array(
            [
                [7.10, 0, 0, 0.13, 1.13, 0.29, 1.59, 3.73, 0.24, -2.63, -1.33, 1.54, 1.10],
                [-0.01, 0, 0, 0.50, 0, 0.28, 1.61, 6.13, 0.25, 11.08, -3.00, 1.81, 2.10],
            ]
        ),
        np.array([1.283, 0.178, 0.145, 0.084]),
        -2.691,
        0.40,
        1.015,
        12.0,
        orders_by_both_scorers=True,
    ),
    "universal, text, in rooms": MatchModel(
        np.array(
            [
                [4.77, 0, 0, 0.66, 1.37, 0, 2.22, 6.07, 0.67, 1.14, -2.35, 11.46, 1.10],
                [0.02, 0, 0, 1.25, 1.28, 0, 2.76, 9.37, 0.82, 24.35, -5.36, 11.80, 2.50],
            ]
        ),
        np.array([1.219, 0.169, 0.163, 0.108]),
        -3.116,
        0.55,
        0.62,
        3.104,
        orders_by_both_scorers=True,
    ),
}
"""For models that were trained before there was a match, by their set of features.

Fitted as `fitted_match` does: the first on the sample of TIMIT, by two models that were not
trained on the speakers; the others on two speakers of EmoDB by ``speech-any``, which was not
trained on German, with the transcribers' phones and with texts that espeak-ng reads, the latter
whole and in pieces, in three draws (``recipes/mismatch/default.py``). That of texts of a model
that has no aligner for rooms is learned from recordings half of which are moved elsewhere; where
there is one, that of the first aligner from recordings half of which are in noise, and that
of the one for rooms from recordings in rooms, without their echo, as it always gets them. How far
the border of the first aligner falls, of phones and of texts, was set on single words of many
languages, that of texts so that as many right ones are doubted as before; the border
in rooms was set on these two speakers, in other rooms, in the same way (the README of the recipe
has the tables). A model that is trained now learns its own.
"""
