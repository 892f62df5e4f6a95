"""What a learner keeps of its run: the rounds, and the bounds that hold of them."""

import numpy.typing as npt

from align.learners.theory.certificates import Certificate, certify
from align.learners.theory.rounds import Rounds


class Trace(Rounds):
    """The rounds of a run, as `Rounds`, with the bounds that the theory proves of them.

    Source: Shalev-Shwartz 2007, sections 2.1 to 2.3, online convex programming and regret.

    Examples
    --------
    >>> import numpy as np
    >>> from align.learners import Perceptron
    >>> X = np.array([[1.0, 0.5], [-0.5, -1.0], [0.5, 1.0], [-1.0, 0.0]])
    >>> model = Perceptron(fit_intercept=False, record=True).partial_fit(X, [1, -1, 1, -1])
    >>> model.trace_.certify("Cor 5", u=[2.0, 2.0]).holds
    True
    """

    def certify(self, bound: str, *, u: npt.ArrayLike) -> Certificate:
        """Evaluate both sides of a named bound on this run.

        Parameters
        ----------
        bound : str
            One of `align.learners.theory.certificates.BOUNDS`.
        u : array_like
            The competitor.

        Returns
        -------
        Certificate
            ``left <= right`` is what the theorem claims; `holds` says whether it is so.

        Raises
        ------
        ParameterError
            Where the theorem is about another learner, or asks something of u that is not so.
        """
        return certify(self, bound, u)
