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
                [15.49, 0.76, 0.52, 0.24, 1.32, 0.82, 4.68, 0, 0, 0, 0, 1.06, 0.81],
                [14.23, 0.48, 0.66, 0.22, 1.18, 0.70, 4.25, 0, 0, 0, 0, 0.94, 0.89],
            ]
        ),
        np.array([2.078, 0.346, 0.274, 0.349]),
        -1.877,
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
                [5.78, 0, 0, 0.42, 1.15, 0.13, 0.86, 2.14, 0.28, -2.28, -1.05, 1.67, 0.44],
                [-1.20, 0, 0, 0.85, 0.03, 0, 0.88, 3.24, 0.37, 10.39, -2.26, 2.11, 0.83],
            ]
        ),
        np.array([1.491, 0.259, 0.168, 0.054]),
        -2.544,
        0.514,
        1.09,
        12.0,
        orders_by_both_scorers=True,
    ),
    "universal, text, in rooms": MatchModel(
        np.array(
            [
                [2.70, 0.87, 0, 1.19, 0, 0, 1.48, 3.19, 0.97, 3.43, -1.31, 2.68, 0.83],
                [1.42, 0, 0, 1.82, 0.65, 0, 1.22, 2.80, 1.13, 21.47, -2.53, 3.11, 1.44],
            ]
        ),
        np.array([1.333, 0.26, 0.149, 0.083]),
        -3.005,
        0.414,
        0.658,
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
