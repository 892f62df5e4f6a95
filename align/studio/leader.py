"""Which of several models is shown: the one that has made the fewest mistakes so far, or nearly.

Each recording is first aligned by all models, none of which has seen it, and judged. The model
that is shown stays until another one leads it by more than `LEAD` mistakes in all.

That bounds what is paid, whatever comes. Let A be the most mistakes in one recording, and k how
often another model was shown. At a change the old model is behind the new one by at most LEAD + A,
since before that recording it was not yet behind by more than LEAD; and in the end the shown model
is behind the best one by no more than that. The mistakes paid between changes telescope::

    paid  <=  best + (k + 1) (LEAD + A)

with k, which is counted, small where one model is better than the others.
"""

from collections.abc import Mapping

LEAD = 3
"""Mistakes."""


def leader(shown: str, mistakes: Mapping[str, int]) -> str:
    """Return the model to show next, given the one that is shown, and the mistakes of each in all.

    Of several that have the fewest, the first is best.

    Examples
    --------
    >>> leader("half", {"half": 7, "habits": 5, "networks": 9})
    'half'
    >>> leader("half", {"half": 9, "habits": 5, "networks": 9})
    'habits'
    """
    best = min(mistakes, key=lambda name: mistakes[name])
    return best if mistakes[best] + LEAD < mistakes[shown] else shown
