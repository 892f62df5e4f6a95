"""The supports of a kernel learner: a sum of kernels that grows round by round.

Class r has the score ``F_r(x) = sum_j coef_jr K(x_j, x)``. A round is that of PA with classes (C6)
in the space of the kernel (C7): its direction is ``K(x, .)`` in the row of the worst relevant
class and ``-K(x, .)`` in that of its rival, with a squared norm of ``2 K(x, x)``. Of numbers there
is one score, and the direction is ``K(x, .)`` or minus that, with a squared norm of ``K(x, x)``.

Rounds are played in blocks: the scores of a block come from two products of matrices, and are
corrected, inside the block, for the supports that its own rounds store. The result is that of one
round after the other, to rounding.

With a budget, what happens when it is used up is the *removal*:

``"project"``
    The supports stay as they are from then on. What a round would store is projected on their
    span, in the space of the kernel, so that nothing is forgotten and the average remains the
    mean over all rounds. Costs O(S^2) for each example, in products of matrices.
``"smallest"``, ``"oldest"``
    The sixteenth of the supports that contributes least, or is oldest, goes at once. Cheap, and
    for streams that drift; on noisy data too much is forgotten.

References
----------
Orabona, Keshet, Caputo, "Bounded Kernel-Based Online Learning", 2009 (projection).
Wang, Vucetic, "Online Passive-Aggressive Algorithms on a Budget", 2010.
"""

from typing import NamedTuple

import numpy as np

from align._blas import one_thread
from align.errors import ParameterError
from align.learners.kernels._rounds import Rule, Targets, play_block
from align.learners.kernels.functions import Kernel
from align.learners.parts.shapes import check_array, check_stored
from align.types import Float64, IntArray

BLOCK = 256  # examples whose scores are computed together
REMOVALS = ("project", "smallest", "oldest")

_JITTER = 1e-6  # of the mean K(x, x), added to the diagonal: supports may be nearly equal


class Played(NamedTuple):
    """How many rounds, mistakes and updates there were, and the sum of the losses."""

    rounds: int
    mistakes: int
    updates: int
    loss: float


class SupportSet:
    """Stored examples [shape=(S, d)] and their coefficients [shape=(S, k)], oldest first.

    `n_rounds` were played since; `removed` says whether any support was removed, so that `average`
    is no longer a mean.
    """

    def __init__(self, vectors: Float64, coef: Float64) -> None:
        self._n = len(vectors)
        self._vectors, self._coef = vectors.copy(), coef.copy()
        self._late = np.zeros_like(coef)  # steps, weighted with the rounds up to and with theirs
        self.n_rounds = 0
        self.removed = False
        # Once the supports are final, L with K = L L', and coef, late are kept as L' coef and
        # L' late: the coordinates of the hypothesis in an orthonormal basis of the span.
        self._factor: Float64 | None = None

    def check_shapes(self) -> None:
        """Raise `ModelError` unless the arrays are as long as kernels take them to be."""
        check_array("vectors", self._vectors, (None, None))
        rows = len(self._vectors) if self._factor is None else self._n
        check_array("coef", self._coef, (rows, None))
        check_array("late", self._late, self._coef.shape)
        check_stored(0 <= self._n <= len(self._vectors), f"{self._n} supports of {rows}")

    @property
    def vectors(self) -> Float64:
        """The supports [shape=(S, d)], a view."""
        return self._vectors[: self._n]

    def last(self) -> Float64:
        """Return the coefficients of the last hypothesis [shape=(S, k)]."""
        return self._from_basis(self._coef[: self._n])

    def average(self) -> Float64:
        """Return the mean coefficients of the hypotheses before each round [shape=(S, k)]."""
        # A step in round t is part of T - t of the T hypotheses.
        late = self._late[: self._n] / max(1, self.n_rounds)
        return self._from_basis(self._coef[: self._n] - late)

    @one_thread()
    def compact(self) -> None:
        """Release the memory that only further rounds would need; they would rebuild it."""
        n = self._n
        self._vectors = self._vectors[:n].copy()
        self._coef = self._from_basis(self._coef[:n])
        self._late = self._from_basis(self._late[:n])
        self._factor = None

    def _from_basis(self, values: Float64) -> Float64:
        """Turn coordinates in the basis into coefficients of the supports; a new array."""
        if self._factor is None:
            return values.copy()
        return _solve(self._factor, values, transposed=True)

    def add_classes(self, n_classes: int, columns: IntArray) -> None:
        """Make room for new classes; the old ones move to `columns`."""
        for name in ("_coef", "_late"):
            old = getattr(self, name)
            new = np.zeros((len(old), n_classes))
            new[:, columns] = old
            setattr(self, name, new)

    def play(
        self,
        kernel: Kernel,
        X: Float64,
        targets: Targets,
        order: IntArray,
        slot: IntArray,
        *,
        rule: Rule,
        budget: int | None = None,
        removal: str = "project",
        log: Float64,
    ) -> Played:
        """Play one round for each example of `order`, none of which comes twice.

        `slot` has the place of each among the supports, or -1, and is kept up to date. `budget` is
        the most supports. `log` has a row for each round, or none.
        """
        n_rounds = n_mistakes = n_updates = 0
        loss = 0.0
        limit = len(order) + self._n if budget is None else budget
        for begin in range(0, len(order), BLOCK):
            rows = order[begin : begin + BLOCK]
            # A block ends early where the budget is used up; what is left of it goes on with
            # other supports, or with steps that are projected on those there are.
            while rows.size:
                block = (kernel, X[rows], targets.of(rows), rule, log[n_rounds:])
                if self._n >= limit and removal == "project":
                    played = self._play_projected(*block)
                else:
                    played = self._play_storing(*block, rows, slot, limit)
                n_rounds += played.rounds
                n_mistakes += played.mistakes
                n_updates += played.updates
                loss += played.loss
                rows = rows[played.rounds :]
                if rows.size and removal != "project":  # no room for another support
                    self._remove(kernel, slot, removal)
        return Played(n_rounds, n_mistakes, n_updates, loss)

    def _play_storing(
        self,
        kernel: Kernel,
        x: Float64,
        targets: Targets,
        rule: Rule,
        log: Float64,
        rows: IntArray,
        slot: IntArray,
        limit: int,
    ) -> Played:
        """Play the rounds of a block until it ends, or there is no room for another support."""
        n = self._n
        self._vectors, self._coef, self._late = (
            with_room(array, n, n + len(rows)) for array in (self._vectors, self._coef, self._late)
        )
        if n:
            scores = kernel(x, self._vectors[:n]) @ self._coef[:n]
        else:
            scores = np.zeros((len(x), self._coef.shape[1]))
        stored = np.empty(len(rows), dtype=np.intp)
        gram = kernel(x, x)
        n_stored, done, mistakes, updates, loss = play_block(
            scores, gram, *targets, slot[rows], self._coef, self._late, stored, n, limit,
            self.n_rounds, rule, np.diagonal(gram).copy(), log,
        )  # fmt: skip
        new = stored[:n_stored]
        self._vectors[n : n + n_stored] = x[new]
        slot[rows[new]] = np.arange(n, n + n_stored)
        self._n += n_stored
        self.n_rounds += done
        return Played(done, mistakes, updates, loss)

    def _play_projected(
        self, kernel: Kernel, x: Float64, targets: Targets, rule: Rule, log: Float64
    ) -> Played:
        """Play the rounds of a block, whose steps are projected on the span of the supports."""
        n = self._n
        if self._factor is None:
            self._factor = _cholesky(kernel(self._vectors[:n], self._vectors[:n]))
            self._coef = self._factor.T @ self._coef[:n]
            self._late = self._factor.T @ self._late[:n]
        # With K = L L', column i is L^-1 K(supports, x_i): the coordinates of the projection of
        # K(x_i, .) in the orthonormal basis. So inner products are plain ones, and what a round
        # adds is a multiple of its column, whose own coefficients `steps` are all that is wanted.
        basis = _solve(self._factor, kernel(self._vectors[:n], x))
        steps = np.zeros((len(x), self._coef.shape[1]))
        late = np.zeros_like(steps)
        # Every example is its own row of steps, and already has its place there.
        places, none = np.arange(len(x)), np.empty(0, dtype=np.intp)
        _, done, mistakes, updates, loss = play_block(
            basis.T @ self._coef, basis.T @ basis, *targets, places, steps, late, none, len(x),
            len(x), self.n_rounds, rule, diagonal_of(kernel, x), log,
        )  # fmt: skip
        self._coef += basis @ steps
        self._late += basis @ late
        self.n_rounds += done
        return Played(done, mistakes, updates, loss)

    def _remove(self, kernel: Kernel, slot: IntArray, removal: str) -> None:
        """Remove the least important sixteenth of the supports, at least one."""
        n = self._n
        n_removed = max(1, n // 16)
        self.removed = True
        vectors, coef, late = self._vectors[:n], self._coef[:n], self._late[:n]
        if removal == "oldest":
            removed = np.arange(n_removed)
        else:
            size = np.einsum("ij,ij->i", coef, coef) * diagonal_of(kernel, vectors)
            removed = np.sort(np.argsort(size, kind="stable")[:n_removed])
        kept = np.setdiff1d(np.arange(n), removed, assume_unique=True)
        for array in (vectors, coef, late):
            array[: len(kept)] = array[kept]
            array[len(kept) :] = 0.0
        place = np.full(n + 1, -1, dtype=np.intp)  # the last entry is for examples not stored
        place[kept] = np.arange(len(kept))
        slot[:] = place[slot]
        self._n = len(kept)


def with_room(old: Float64, used: int, n: int) -> Float64:
    """Return an array of at least n rows that begins with the `used` first ones of another."""
    if n <= len(old):
        return old
    new = np.zeros((max(n, 2 * len(old)), *old.shape[1:]))
    new[:used] = old[:used]
    return new


def diagonal_of(kernel: Kernel, X: Float64) -> Float64:
    """Return K(x, x) [shape=(n,)]."""
    parts = [np.diagonal(kernel(X[i : i + 64], X[i : i + 64])) for i in range(0, len(X), 64)]
    return np.concatenate(parts)


def _cholesky(gram: Float64) -> Float64:
    """Return L with ``L L' = gram``, but for a little on the diagonal [shape=(S, S)]."""
    gram[np.diag_indices_from(gram)] += _JITTER * max(float(np.trace(gram)) / len(gram), 1e-300)
    try:
        factor: Float64 = np.asarray(np.linalg.cholesky(gram), dtype=np.float64)
    except np.linalg.LinAlgError as error:
        raise ParameterError(
            "the kernel is not positive definite on the supports; use a Mercer kernel, or "
            "removal='smallest'."
        ) from error
    return factor


def _solve(factor: Float64, values: Float64, transposed: bool = False) -> Float64:
    """Return ``L^-1 values``, or ``L'^-1 values``."""
    from scipy.linalg import solve_triangular  # only budgeted learners need scipy

    solved: Float64 = solve_triangular(
        factor, values, lower=True, trans=1 if transposed else 0, check_finite=False
    )
    return solved
