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
                [14.57, 0, 0, 0.55, 1.09, 0.94, 2.76, 0, 0, 0, 0, 1.83, 1.19],
                [13.40, 0, 0, 0.46, 1.07, 0.85, 2.54, 0, 0, 0, 0, 1.50, 1.10],
            ]
        ),
        np.array([2.132, 0.309, 0.273, 0.411]),
        -1.774,
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
                [8.87, 0, 0, 0.37, 1.09, 0.05, 2.60, 3.16, 0.01, -4.03, -0.13, 1.30, 0.66],
                [5.11, 0, 0, 0.59, 0.28, 0.18, 2.48, 3.69, 0.16, 5.12, -0.76, 1.73, 1.35],
            ]
        ),
        np.array([1.525, 0.203, 0.154, 0.322]),
        -2.51,
        0.49,
        1.004,
        12.0,
        orders_by_both_scorers=True,
    ),
    "universal, text, in rooms": MatchModel(
        np.array(
            [
                [7.71, 0, 0, 0.81, 1.38, 0, 2.92, 4.23, 0.69, 1.27, -0.94, 7.28, 0.94],
                [5.61, 0, 0, 1.19, 1.24, 0, 4.33, 7.30, 0.34, 13.40, -2.23, 7.57, 1.40],
            ]
        ),
        np.array([1.384, 0.225, 0.14, 0.431]),
        -2.974,
        0.55,
        0.579,
        3.104,
        orders_by_both_scorers=True,
    ),
}
"""For models that were trained before there was a match, by their set of features.

Fitted as `fitted_match` does: the first on the sample of TIMIT, by two models that were not
trained on the speakers; the others on two speakers of EmoDB by ``speech-any`` of 28 November
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
