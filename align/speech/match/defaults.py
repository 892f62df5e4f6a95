"""The matches of models that were trained before there was a match."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from align.speech.match.model import MatchModel

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
                [14.41, 0, 0.08, 0.55, 0.88, 1.00, 4.98, 0, 0, 0, 0, 0.73, 1.02],
                [13.46, 0, 0.17, 0.47, 0.89, 0.93, 4.45, 0, 0, 0, 0, 0.66, 0.91],
            ]
        ),
        np.array([2.097, 0.327, 0.269, 0.382]),
        -1.809,
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
                [6.42, 0, 0, 0.33, 1.25, 0.02, 1.02, 1.74, 0.32, -1.88, -1.03, 1.21, 0.59],
                [-0.97, 0, 0, 0.67, 0.07, 0, 0.85, 3.00, 0.39, 11.91, -2.14, 1.43, 1.11],
            ]
        ),
        np.array([1.495, 0.238, 0.162, 0.061]),
        -2.434,
        0.51,
        1.118,
        12.0,
        orders_by_both_scorers=True,
    ),
    "universal, text, in rooms": MatchModel(
        np.array(
            [
                [2.26, 0.53, 0, 0.96, 0.42, 0, 1.46, 3.95, 0.83, 2.16, -1.83, 3.57, 0.73],
                [0.06, 0, 0, 1.48, 0.72, 0, 1.55, 4.69, 0.91, 22.14, -3.22, 4.18, 1.47],
            ]
        ),
        np.array([1.375, 0.244, 0.167, 0.083]),
        -2.97,
        0.39,
        0.667,
        3.983,
        orders_by_both_scorers=True,
    ),
}
"""For models that were trained before there was a match, by their set of features.

Fitted as `fitted_match` does: the first on the sample of TIMIT, by two models that were not
trained on the speakers; the others on two speakers of EmoDB by ``speech-any`` of 29 November
2026, which was not trained on German, with the transcribers' phones and with texts that espeak-ng
reads, the latter whole and in pieces, in three draws (``recipes/mismatch/default.py``). How far
borders fall for few sounds is that of the model before. That of texts of a model
that has no aligner for rooms is learned from recordings half of which are moved elsewhere; where
there is one, that of the first aligner from recordings half of which are in noise, and that
of the one for rooms from recordings in rooms, without their echo, as it always gets them. How far
the border of the first aligner falls, of phones and of texts, was set on single words of many
languages, that of texts so that as many right ones are doubted as before; the border
in rooms was set on these two speakers, in other rooms, in the same way (the README of the recipe
has the tables). A model that is trained now learns its own.
"""
