r"""Learners whose regret grows with the logarithm of time, for strongly convex losses.

Where ``g_t - sigma f`` is convex, as in ``g_t = sigma f + convex``, the step

    w_{t+1} = argmin over S of  eta_t <w, lambda_t> + B_f(w || w_t),    eta_t = 1 / (sigma t),

has the regret ``(L / sigma) (1 + ln T)``, with ``N*(lambda_t)^2 / 2 <= L`` (Theorem 5).

* Euclidean: ``w - eta lambda``, projected on S. With the regularised hinge loss this is Pegasos.
* Entropic, on the simplex with every entry at least a floor: ``w_j exp(-eta lambda_j)``, projected
  entropically. The floor keeps the slope of the entropy, and so L, finite.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, chapter 4.
"""

import math

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.learners.parts import Euclidean, EuclideanBall, FlooredEntropy
from align.learners.parts.parameters import positive
from align.types import Float64


class _Descent:
    """What both share: the rate, and what the bound is made of."""

    def __init__(self, w: Float64, sigma: float) -> None:
        positive(sigma, "sigma")
        self.w = w
        self.sigma = float(sigma)
        self.n_rounds = 0
        self.largest = 0.0
        self.average = np.zeros_like(w)

    def regret_bound(self) -> float:
        """Return ``(L / sigma) (1 + ln T)`` for the subgradients seen so far; 0 before any."""
        if self.n_rounds == 0:
            return 0.0
        return self.largest / self.sigma * (1.0 + math.log(self.n_rounds))

    def _open(self, subgradient: npt.ArrayLike) -> tuple[Float64, float]:
        slope = np.asarray(subgradient, dtype=np.float64)
        if slope.shape != self.w.shape:
            raise ParameterError(
                f"subgradient.shape={slope.shape}, must be that of w, {self.w.shape}."
            )
        if not np.isfinite(slope).all():
            raise ParameterError("subgradient must be finite.")
        self.n_rounds += 1
        self.average += (self.w - self.average) / self.n_rounds
        return slope, 1.0 / (self.sigma * self.n_rounds)


class EuclideanDescent(_Descent):
    """Gradient descent with rate ``1 / (sigma t)``, and projection.

    Source: Shalev-Shwartz 2007, Figure 4.1 and Theorem 5.

    Parameters
    ----------
    n : int
        Number of weights.
    sigma : float
        Each loss minus ``sigma |w|^2 / 2`` is convex; positive.
    complexity : Euclidean, EuclideanBall or EuclideanSet, optional
        Its set S is projected on; by default nothing is.

    Attributes
    ----------
    w : np.ndarray [shape=(n,)]
        The hypothesis; 0, or the nearest point of S, at first.
    average : np.ndarray [shape=(n,)]
        Mean of the hypotheses of the rounds so far.
    n_rounds : int
    largest : float
        L, the largest ``|lambda|^2 / 2``.

    Examples
    --------
    >>> learner = EuclideanDescent(2, sigma=0.5)
    >>> learner.step([1.0, 0.0])
    array([-2.,  0.])
    """

    def __init__(self, n: int, sigma: float, complexity: Euclidean | None = None) -> None:
        self.complexity = Euclidean() if complexity is None else complexity
        if not isinstance(self.complexity, Euclidean):
            raise ParameterError(f"complexity={complexity}, must be a Euclidean one.")
        super().__init__(self.complexity.start(n), sigma)

    @property
    def radius(self) -> float:
        """Radius of the ball that is projected on; infinite where there is none."""
        f = self.complexity
        return f.rho if isinstance(f, EuclideanBall) else math.inf

    def step(self, subgradient: npt.ArrayLike) -> Float64:
        """Take the step of a round.

        Parameters
        ----------
        subgradient : array_like [shape=(n,)]
            lambda_t, of the loss of the round at `w`.

        Returns
        -------
        np.ndarray [shape=(n,)]
            The next hypothesis.

        Raises
        ------
        ParameterError
            For a wrong shape, or values that are not finite.
        """
        slope, rate = self._open(subgradient)
        self.largest = max(self.largest, float(slope @ slope) / 2.0)
        self.w = self.complexity.link(self.w - rate * slope)
        return self.w


class EntropicDescent(_Descent):
    """Exponentiated gradient with rate ``1 / (sigma t)``, on the simplex with a floor.

    Source: Shalev-Shwartz 2007, chapter 4, Example 2, and Theorem 5.

    Parameters
    ----------
    n : int
        Number of weights.
    sigma : float
        Each loss minus ``sigma sum w ln w`` is convex; positive.
    floor : float
        Least weight, in (0, 1/n].

    Attributes
    ----------
    w : np.ndarray [shape=(n,)]
        The hypothesis; uniform at first.
    average, n_rounds
        As in `EuclideanDescent`.
    largest : float
        L, the largest ``max_j |lambda_j|^2 / 2`` once lambda is centred, which changes no step.

    Examples
    --------
    >>> learner = EntropicDescent(2, sigma=1.0, floor=0.1)
    >>> learner.step([0.0, 100.0])
    array([0.9, 0.1])
    """

    def __init__(self, n: int, sigma: float, floor: float) -> None:
        if not 0.0 < floor <= (1.0 + 1e-12) / n:
            raise ParameterError(f"floor={floor}, must lie in (0, 1/n]=(0, {1.0 / n:g}].")
        self.floor = min(float(floor), 1.0 / n)
        self._complexity = FlooredEntropy(self.floor)
        super().__init__(np.full(n, 1.0 / n), sigma)

    def step(self, subgradient: npt.ArrayLike) -> Float64:
        """Take the step of a round; see `EuclideanDescent.step`."""
        slope, rate = self._open(subgradient)
        slope = slope - (slope.max() + slope.min()) / 2.0
        self.largest = max(self.largest, float(np.abs(slope).max()) ** 2 / 2.0)
        self.w = self._complexity.link(np.log(self.w) - rate * slope)
        return self.w
