"""The cheapest exact decoder for given potentials."""

from align.decoders._windows import has_ratio
from align.decoders.monotone import decode_monotone
from align.decoders.semi_markov import decode_semi_markov
from align.errors import ParameterError
from align.potentials import Path, Potentials


def decode(potentials: Potentials, *, max_memory: int | None = None) -> Path:
    """Find the onsets of highest score, by the cheapest decoder that is exact.

    ================================  ==================  =======================
    scores present                    decoder             time
    ================================  ==================  =======================
    onset                             monotone            O(K T)
    onset, duration                   semi-Markov         O(K T L)
    onset, duration, ratio            second order        O(K T L)
    anything                          general             O(K T L**2)
    ================================  ==================  =======================

    Windows replace T by the frames each onset can take.

    Parameters
    ----------
    potentials : Potentials
        Scores, windows and lengths.
    max_memory : int, optional
        Most bytes of arrays to allocate beside the potentials; see the decoders for what it costs
        and for the default. General functions cannot be decoded within a bound.

    Returns
    -------
    Path
        Onsets [shape=(K,), dtype=intp] in frames, increasing, and their score. Of the onsets that
        share the best score it is those whose last onset is earliest, then the one before it, and
        so on. All decoders keep this rule, up to the rounding of scores.

    Raises
    ------
    ParameterError
        A score is NaN or +inf; no timing meets the windows and the lengths (the first event at
        fault is named); no timing has a finite score; or `max_memory` is not enough, or given for
        general functions.

    Examples
    --------
    >>> import numpy as np
    >>> onset = np.array([[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 2.0]])
    >>> decode(Potentials(onset, n_frames=4))
    Path(onsets=array([1, 3]), score=3.0)
    """
    if not isinstance(potentials, Potentials):
        raise ParameterError(
            f"potentials is of type {type(potentials).__name__}, must be Potentials, which "
            "align.potentials has: tables of scores, and the number of frames."
        )
    if potentials.general:
        if max_memory is not None:
            raise ParameterError(
                f"max_memory={max_memory}, must be None for general functions: their decoder "
                "stores all back-pointers; narrow the windows instead."
            )
        from align.decoders.general import decode_general

        return decode_general(potentials)
    if has_ratio(potentials):
        from align.decoders.second_order import decode_second_order

        return decode_second_order(potentials, max_memory=max_memory)
    if potentials.duration is not None:
        return decode_semi_markov(potentials, max_memory=max_memory)
    return decode_monotone(potentials, max_memory=max_memory)
