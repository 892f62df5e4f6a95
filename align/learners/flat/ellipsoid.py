r"""Ellipsoid learners: CELLIP and IELLIP, for two classes, many, or many labels at once.

The learner keeps an ellipsoid ``E = {z : (z - w)' P^-1 (z - w) <= 1}`` of weights and predicts
with its centre. A round gives z, the instance signed so that ``<u, z>`` should be positive; on
``<w, z> <= 0``, and only then,

    s = sqrt(z' P z),   g = z / s,   alpha = (target - <w, z>) / s,
    w += step P g,      P = scale (P - shrink P g g' P).

==========  ===============  ==============  =======================  =========================
learner     target           step            scale                    shrink
==========  ===============  ==============  =======================  =========================
CELLIP      a gamma          alpha           ``1 - alpha^2``          ``2 alpha / (1 + alpha)``
the same,   a gamma          alpha + tau     ``n^2 (1 - alpha^2)      ``1 - (1-alpha-tau)^2
deep cut                                     / (n^2 - 1)``            / scale``
IELLIP      gamma            alpha           ``1 / (1 - c_t)``        ``c_t = c b^t``
==========  ===============  ==============  =======================  =========================

with ``tau = (1 - alpha) / (n + 1)``. With two classes z is ``y x``; with more, z is x in the block
of the worst relevant label and -x in that of the best other one. P is kept as ``kappa (p I - sum
q_j q_j')`` (low rank) or as a matrix (dense), with log kappa apart, for P shrinks exponentially.

References
----------
Yang, Jin and Ye, "Online Learning by Ellipsoid Method", 2009. Printed there without the square:
``P_1 = (1 + (1 - a) gamma)^2 I``. Its Theorems 3 and 4 hold in the corrected forms of
`cellip_bound` and `iellip_bound`, the second only for ``c <= 2 gamma / (1 + gamma)``; c matters,
the scale of P_1 does not.
"""

import math
import warnings
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

from align.errors import ParameterError
from align.learners.flat._ellipsoid import EllipsoidLearner, check_gamma
from align.learners.flat._ellipsoid_pass import (
    CLIPPED,
    DEEP,
    IMPROVED,
    NEGLIGIBLE,
    S3,
    cut_factors,
)
from align.learners.parts.parameters import check_choice, positive
from align.learners.theory import Certificate
from align.types import Float64

_DENSE_LIMIT = 1024  # n up to which CELLIP keeps a matrix by default: 8 MB


def cut_ellipsoid(
    center: npt.ArrayLike,
    shape: npt.ArrayLike,
    normal: npt.ArrayLike,
    target: float,
    *,
    cut: str = "s3",
) -> tuple[Float64, Float64]:
    """Cover the part of an ellipsoid on the far side of a plane by another ellipsoid.

    Source: Yang, Jin and Ye 2009, Theorem 1 and Corollary 2.

    Parameters
    ----------
    center : array_like [shape=(n,)]
        w.
    shape : array_like [shape=(n, n)]
        P, symmetric and positive definite.
    normal : array_like [shape=(n,)]
        h, not zero.
    target : float
        The part kept is ``<h, z> >= target``; it must not reach the centre nor be empty:
        ``0 <= target - <h, w> < sqrt(h' P h)``.
    cut : {"s3", "deep"}
        Which cover: that of Yang et al., or the smallest one, for which n must be at least 2.

    Returns
    -------
    center : np.ndarray [shape=(n,)]
    shape : np.ndarray [shape=(n, n)]

    Raises
    ------
    ParameterError
        If the cut misses the half of the ellipsoid that it should go through.

    Notes
    -----
    Both are members of the family ``w + (alpha + tau) P g``, ``mu^2 P + ((1 - alpha - tau)^2 -
    mu^2) P g g' P`` with ``tau^2 / (1 - alpha - tau)^2 + (1 - alpha^2) / mu^2 <= 1`` and
    ``mu >= 1 - alpha - tau``, a condition the source leaves out.

    Examples
    --------
    >>> w, P = cut_ellipsoid([0.0, 0.0], np.eye(2), [1.0, 0.0], 0.5)
    >>> w, P.round(12)
    (array([0.5, 0. ]), array([[0.25, 0.  ],
           [0.  , 0.75]]))
    """
    w, P = np.array(center, dtype=np.float64), np.asarray(shape, dtype=np.float64)
    h = np.asarray(normal, dtype=np.float64)
    if w.ndim != 1 or P.shape != (w.size, w.size) or h.shape != w.shape:
        raise ParameterError(
            f"shapes {w.shape}, {P.shape}, {h.shape}, must be (n,), (n, n), (n,)."
        )
    if cut not in ("s3", "deep") or (cut == "deep" and w.size < 2):
        raise ParameterError(f"cut={cut!r} in {w.size} dimensions, must be 's3', or 'deep' in 2.")
    size = float(np.sqrt(h @ P @ h))
    alpha = (target - float(h @ w)) / size if size > 0.0 else np.inf
    if not 0.0 <= alpha < 1.0:
        raise ParameterError(
            f"the cut lies at depth {alpha}, must be in [0, 1): 0 is the centre, 1 the far end."
        )
    step, scale, shrink = cut_factors(S3 if cut == "s3" else DEEP, alpha, w.size)
    move = P @ h / size
    return w + step * move, scale * (P - shrink * np.outer(move, move))


def cellip_bound(gamma: float, a: float = 0.5, *, sharp: bool = False) -> float:
    """Bound the mistakes of CELLIP on data that a unit vector separates with margin gamma.

    Parameters
    ----------
    gamma : float
        Margin, in (0, 1], of instances of norm at most 1.
    a : float
        In (0, 1).
    sharp : bool, default False
        Return the sharper bound of the Notes, which is about ``cut="s3"`` only.

    Returns
    -------
    float
        ``2 (ln((1-a) gamma) - ln r) / ln(1 - a^2 gamma^2 / r^2)``, ``r = 1 + (1-a) gamma``; or,
        where `sharp`, ``(1 + 2 (1-a) gamma) / (a gamma)^2``.

    Raises
    ------
    ParameterError
        For gamma or a out of range.

    Notes
    -----
    The source takes every depth for at least ``beta = a gamma / r``. But depths grow as the
    ellipsoid shrinks: ``alpha_t^2 >= beta^2 / q_t``, q_t the product of the ``1 - alpha_i^2``
    before. So ``q_{t+1} = q_t (1 - alpha_t^2) <= q_t - beta^2``, and after M mistakes
    ``q <= 1 - M beta^2``. No half-axis is longer than ``r sqrt(q)``, and none is shorter than
    ``(1-a) gamma``, the radius of the ball around u. That gives the sharper bound, which is never
    larger, since ``1 - M beta^2 <= (1 - beta^2)^M``. As a nears 1 it nears ``1 / gamma^2``.

    Examples
    --------
    >>> round(cellip_bound(0.5), 3), cellip_bound(0.5, sharp=True)
    (78.852, 24.0)
    """
    check_gamma(gamma)
    _check_a(a)
    r = 1.0 + (1.0 - a) * gamma
    if sharp:
        return (1.0 + 2.0 * (1.0 - a) * gamma) / (a * gamma) ** 2
    return float(2.0 * (np.log((1.0 - a) * gamma) - np.log(r)) / np.log1p(-((a * gamma / r) ** 2)))


def iellip_bound(
    gamma: float,
    b: float,
    c: float,
    losses: npt.ArrayLike = (),
    squared_norms: npt.ArrayLike = 1.0,
) -> float:
    """Bound the mistakes of IELLIP against any unit vector u, in the corrected form.

    Parameters
    ----------
    gamma, b, c : float
        Parameters of `IELLIP`; the bound needs ``c <= 2 gamma / (1 + gamma)`` and ``b + c < 1``.
    losses : array_like
        ``[gamma - <u, z>]_+`` on the mistaken rounds.
    squared_norms : array_like, default 1
        ``|z|^2`` on those rounds, at most 1.

    Returns
    -------
    float
        ``1/gamma^2 + (1/gamma^2) (1-b)/(1-b-c) sum (2 gamma l + [l - gamma]_+^2) / |z|^2``.

    Raises
    ------
    ParameterError
        Where c is too large for any such bound to hold.

    Examples
    --------
    >>> round(iellip_bound(0.5, 0.3, 0.2), 9)
    4.0
    """
    check_gamma(gamma)
    _check_decay(b, c)
    if c > 2.0 * gamma / (1.0 + gamma):
        raise ParameterError(
            f"c={c}, must be at most 2 gamma / (1 + gamma)={2.0 * gamma / (1.0 + gamma)}: beyond, "
            "no bound holds, separable data or not."
        )
    lost = np.asarray(losses, dtype=np.float64)
    excess = (2.0 * gamma * lost + np.maximum(lost - gamma, 0.0) ** 2) / np.asarray(squared_norms)
    return float((1.0 + (1.0 - b) / (1.0 - b - c) * excess.sum()) / gamma**2)


def _check_a(a: float) -> None:
    if not 0.0 < a < 1.0:
        raise ParameterError(f"a={a}, must lie in (0, 1): at 0 nothing would ever move.")


def _check_decay(b: float, c: float) -> None:
    if not (0.0 <= b < 1.0 and 0.0 <= c < 1.0 and b + c < 1.0):
        raise ParameterError(f"b={b}, c={c}, must lie in [0, 1) with b + c < 1.")


@dataclass(eq=False, repr=False)
class CELLIP(EllipsoidLearner):
    """Classical ellipsoid learner: for data that some unit vector separates with a margin.

    Source: Yang, Jin and Ye 2009, Algorithm 1 and Theorem 3; more classes: section 2.4.

    Parameters
    ----------
    gamma : float, default 0.1
        The margin promised, in (0, 1], for instances of norm at most 1.
    a : float, default 0.5
        Share of the margin that a cut asks for, in (0, 1).
    cut : {"s3", "deep"}
        The cover of Yang et al., or the smallest one.
    average : bool, default True
        Predict with the mean of the hypotheses of all rounds, rather than with the last one,
        which changes much from mistake to mistake.
    normalize : {"unit", "max", None}
        Scale each instance to norm 1; or by the largest norm so far; or not at all, where norms
        are at most 1 already. With more than two classes the norm in question is that of z.
    fit_intercept : bool, default True
        Add a constant feature 1, which counts in the norm.
    representation : {"auto", "dense", "low-rank"}
        How P is kept: as a matrix, or as one vector for each update, so that memory grows with
        the updates and time with their square. Where the vectors have become as many as there are
        weights n, a matrix is no larger, and takes their place. By default dense up to 1024 n.
    max_memory : float, default 2e9
        Most bytes that P may take: ``8 n^2`` dense, ``8 n`` for each update in low rank.
    epochs, shuffle, record, random_state
        As in `PassiveAggressiveClassifier`.

    Attributes
    ----------
    classes_ : np.ndarray [shape=(K,)]
    coef_, intercept_ : np.ndarray [shape=(1 or K, d)], [shape=(1 or K,)]
        What predicts, the centre of the ellipsoid or the mean of all centres. It does not matter
        to a prediction how the instance is scaled.
    center_ : np.ndarray [shape=(1 or K, d or d + 1)]
        The centre of the ellipsoid, with the intercepts as last column.
    shape_matrix_ : np.ndarray
        P.
    n_rounds_, n_mistakes_, n_updates_ : int
    cumulative_loss_ : float
    n_clipped_ : int
        Mistakes that no point of the ellipsoid explains: the data has no such margin. The step is
        then cut to the ellipsoid's edge, P is left as it is, and a warning is given.
    trace_ : Trace
        The rounds so far, where `record` is set; alpha is the depth of the cut. There is no dual
        objective, for an ellipsoid has another measure of complexity after each cut.
    n_features_in_ : int

    Examples
    --------
    >>> X = np.array([[2.0, 1.0], [1.0, 2.0], [-1.0, -2.0], [-2.0, -1.0]])
    >>> CELLIP(random_state=0).fit(X, [1, 1, 0, 0]).predict(X).tolist()
    [1, 1, 0, 0]
    """

    gamma: float = 0.1
    a: float = 0.5
    _: KW_ONLY
    cut: str = "s3"

    @property
    def n_clipped_(self) -> int:
        """Mistakes that no point of the ellipsoid explains."""
        return int(self._counts[CLIPPED])

    def mistake_bound(self) -> float:
        """Bound the mistakes where the promise holds; see `cellip_bound`.

        The sharper bound, ``(1 + 2 (1-a) gamma) / (a gamma)^2``, of ``cut="s3"``; of ``"deep"``
        the printed one. After learning it is about the parameters with which that began.
        """
        used: Any = getattr(self, "_began", self)
        return cellip_bound(used.gamma, used.a, sharp=used.cut == "s3")

    def _certificate(self, losses: list[Float64], norms2: Float64) -> Certificate:
        # All but rounding: a loss against the margin gamma says that a vector does not have it.
        kept = any(lost.max(initial=0.0) < 1e-9 for lost in losses)
        right, mistakes = self.mistake_bound() if kept else math.inf, self.n_mistakes_
        name = "Thm 3, sharper" if self.cut == "s3" else "Thm 3"
        return Certificate(name, mistakes, right, mistakes <= right)

    def _warn(self) -> None:
        if self.n_clipped_:
            warnings.warn(
                f"{self.n_clipped_} mistakes contradict a margin of gamma={self._began.gamma}: "
                "the data is not separable that widely. Lower gamma, or use IELLIP.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _check_parameters(self) -> None:
        super()._check_parameters()
        _check_a(self.a)
        check_choice(self.cut, "cut", ("s3", "deep"))

    def _place(self, classes: npt.NDArray[Any]) -> None:
        super()._place(classes)
        if self._began.cut == "deep" and self._W.size < 2:
            raise ParameterError("cut='deep' needs at least 2 weights, the intercept included.")

    def _is_low_rank_smaller(self, n: int) -> bool:
        return n > _DENSE_LIMIT

    def _first_scale(self) -> float:
        return float((1.0 + (1.0 - self._began.a) * self._began.gamma) ** 2)

    def _target(self) -> float:
        return float(self._began.a * self._began.gamma)

    def _kernel_parameters(self) -> tuple[int, float, float, bool]:
        return (S3 if self._began.cut == "s3" else DEEP), 0.0, 0.0, False


@dataclass(eq=False, repr=False)
class IELLIP(EllipsoidLearner):
    """Improved ellipsoid learner: for data that need not be separable.

    Source: Yang, Jin and Ye 2009, Algorithm 2 and Theorem 4; more classes: section 2.4.

    Parameters
    ----------
    gamma : float, default 0.1
        Margin that a mistaken instance is given, in (0, 1].
    b : float, default 0.3
        Decay of the influence of updates on P, in [0, 1).
    c : float, default 0.1
        Influence of the first update, in [0, 1), with ``b + c < 1``. 0 leaves P a multiple of the
        identity: passive-aggressive steps on mistakes only. The bound needs
        ``c <= 2 gamma / (1 + gamma)``.
    scale : float, default 1
        p of ``P_1 = p I``, positive. Nothing that is learned depends on it.
    decay : {"updates", "rounds"}
        What ``c_t = c b^t`` counts.
    average, normalize, fit_intercept, representation, max_memory, epochs, shuffle, record, \
random_state
        As in `CELLIP`. By default P is kept in whichever form is smaller: updates fade, so that
        low rank ends at ``log(1e-17 / c) / log b`` vectors.

    Attributes
    ----------
    classes_, coef_, intercept_, center_, shape_matrix_, n_rounds_, n_mistakes_, n_updates_, \
cumulative_loss_, trace_, n_features_in_
        As in `CELLIP`.

    Notes
    -----
    With b = 0.3, c_t is below 1e-16 after about 31 updates: P is frozen early.

    Examples
    --------
    >>> X = np.array([[2.0, 1.0], [1.0, 2.0], [-1.0, -2.0], [-2.0, -1.0]])
    >>> IELLIP(random_state=0).fit(X, [1, 1, 0, 0]).predict(X).tolist()
    [1, 1, 0, 0]
    """

    gamma: float = 0.1
    b: float = 0.3
    c: float = 0.1
    _: KW_ONLY
    scale: float = 1.0
    decay: str = "updates"

    def mistake_bound(
        self, losses: npt.ArrayLike = (), squared_norms: npt.ArrayLike = 1.0
    ) -> float:
        """Bound the mistakes from the losses of any u; see `iellip_bound`.

        After learning it is about the parameters with which that began.
        """
        used: Any = getattr(self, "_began", self)
        return iellip_bound(used.gamma, used.b, used.c, losses, squared_norms)

    def _certificate(self, losses: list[Float64], norms2: Float64) -> Certificate | None:
        if not losses or self.c > 2.0 * self.gamma / (1.0 + self.gamma):
            return None  # beyond, no bound holds
        # The losses of all rounds, not of the mistaken ones only; a row of zeros has no margin.
        rights = [
            self.mistake_bound(lost[lost > 0.0], norms2[lost > 0.0])
            for lost in losses
            if norms2[lost > 0.0].all()
        ]
        right, mistakes = min(rights, default=math.inf), self.n_mistakes_
        return Certificate("Thm 4, corrected", mistakes, right, mistakes <= right)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        _check_decay(self.b, self.c)
        positive(self.scale, "scale")
        check_choice(self.decay, "decay", ("updates", "rounds"))

    def _is_low_rank_smaller(self, n: int) -> bool:
        if self._began.c == 0.0 or self._began.b == 0.0:
            return True
        return bool(np.log(NEGLIGIBLE / self._began.c) / np.log(self._began.b) < n)

    def _first_scale(self) -> float:
        return float(self._began.scale)

    def _target(self) -> float:
        return float(self._began.gamma)

    def _kernel_parameters(self) -> tuple[int, float, float, bool]:
        return IMPROVED, float(self._began.c), float(self._began.b), self._began.decay == "rounds"
