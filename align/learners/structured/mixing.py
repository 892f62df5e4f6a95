r"""Iterative parameter mixing: structured learning on shards, in parallel.

The examples are dealt into S shards. In epoch n each shard is gone through once, by a learner of
its own that begins with the mixed weights of the epoch before; then the results are mixed,

    w^{(i,n)} = one epoch of shard i from w^{(n-1)},     w^{(n)} = sum_i mu_{i,n} w^{(i,n)},

with mixing weights that sum to 1: "uniform", ``1 / S``, or "updates", the share of shard i in the
updates of the epoch. Shards never speak during an epoch, so they run wherever joblib puts them:
threads, processes, or the workers of a Dask cluster.

Of the perceptron, where a u of norm 1 separates every wrong output from the right one by a margin
g, and no direction is longer than R (Theorem 3),

    sum_n sum_i mu_{i,n} k_{i,n}  <=  R^2 / g^2,

k being the updates: the bound of the serial perceptron, for the *mean* shard. S shards may make S
times as many updates, and learn in one epoch what one of them could; what parallel training saves
is the time of an epoch, not the number of epochs.

Mixing needs an update whose c does not depend on the run, since the runs end with different ones:
"pa1", "pa", "pa2" and "perceptron".

References
----------
McDonald, Hall and Mann, "Distributed training strategies for the structured perceptron", NAACL
2010, Fig. 3 and Theorem 3.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np

from align._blas import one_thread
from align._params import ParamsMixin, not_fitted_error
from align.errors import ParameterError
from align.learners.parts import FixedTuning, MixedEpoch, check_mixing, make_update
from align.learners.parts.parameters import generator
from align.learners.parts.saved import Saved, keep, restore
from align.learners.parts.shards import deal, mix_shards, shard_orders
from align.learners.structured.learner import StructuredLearner
from align.learners.structured.problems import StructuredProblem, check_feature, check_pairs
from align.progress import Progress
from align.types import Float64, IntArray

_CHECKPOINT = "mixing"
_TOTALS = ("n_rounds_", "n_mistakes_", "n_updates_", "n_null_")
_SUMS = ("cumulative_cost_", "cumulative_loss_", "radius_", "mixed_updates_")
_KEPT = (*_TOTALS, *_SUMS, "_mixed", "_total", "epochs_")  # by a checkpoint


@dataclass(eq=False, repr=False)
class ParameterMixing(Saved, ParamsMixin):
    """Learn the weights of a structured predictor on several shards at once.

    A drop-in for the learner it wraps, also as ``SequenceAligner(learner=...)``.

    Parameters
    ----------
    learner : StructuredLearner, optional
        Update, loss, C, epochs, conversion ("average" or "last"), shuffling and seed; by default
        ``StructuredLearner("pa1", epochs=5)``.
    n_shards : int, default 4
        S. It decides on the result, and so does the seed; how many run at once does not.
    mix : {"uniform", "updates"}
        How the weights of the shards are mixed.
    n_jobs : int, optional
        How many shards run at once, as joblib has it: by default what a surrounding
        ``joblib.parallel_config`` says, else 1. That also chooses threads, processes or Dask.

    Attributes
    ----------
    coef_ : np.ndarray [shape=(J,)]
        The mixed weights after the last epoch; or, of "average", the mean of all hypotheses that
        any shard has predicted with.
    n_rounds_, n_mistakes_, n_updates_, n_null_ : int
        Sums over shards and epochs; see `StructuredLearner`.
    cumulative_cost_, cumulative_loss_ : float
        Likewise.
    radius_ : float
        The largest norm of a direction.
    mixed_updates_ : float
        Left side of Theorem 3: sum over epochs and shards of mixing weight times updates.
    epochs_ : list of MixedEpoch
        Epoch by epoch.

    Notes
    -----
    The problem and the shards go to the workers anew for each epoch. Threads
    (``joblib.parallel_config(backend="threading")``) need no copies, and run beside each other
    where decoding is compiled and gives up Python's lock, as Align's decoders do.

    Examples
    --------
    >>> class Classes:
    ...     def joint_feature(self, x, y):
    ...         return np.kron(np.eye(3)[y], x)
    ...     def decode(self, w, x):
    ...         return int(np.argmax(w.reshape(3, -1) @ x))
    ...     def cost(self, y, y_hat):
    ...         return float(y != y_hat)
    >>> xs = [np.array(x) for x in ([1.0, 0.0], [0.0, 1.0], [-1.0, -1.0], [2.0, 0.1])]
    >>> serial = StructuredLearner("perceptron", epochs=5, conversion="last")
    >>> mixed = ParameterMixing(serial, n_shards=2).fit(Classes(), xs, [0, 1, 2, 0])
    >>> mixed.predict(Classes(), xs)
    [0, 1, 2, 0]
    >>> len(mixed.epochs_), mixed.mixed_updates_ == mixed.n_updates_ / 2
    (5, True)
    """

    cumulative_cost_: float = field(init=False)
    cumulative_loss_: float = field(init=False)
    radius_: float = field(init=False)
    mixed_updates_: float = field(init=False)

    learner: StructuredLearner | None = None
    n_shards: int = 4
    _: KW_ONLY
    mix: str = "uniform"
    n_jobs: int | None = None

    def __getattr__(self, name: str) -> Any:
        # What an aligner asks of a learner is the business of the one that is wrapped.
        if name in ("update", "loss", "C", "U", "epochs", "conversion", "random_state"):
            return getattr(self._learner(), name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _learner(self) -> StructuredLearner:
        return StructuredLearner("pa1", epochs=5) if self.learner is None else self.learner

    def fit(
        self,
        problem: StructuredProblem,
        xs: Sequence[Any],
        ys: Sequence[Any],
        *,
        validation: tuple[Sequence[Any], Sequence[Any]] | None = None,
        progress: Progress | None = None,
        checkpoint: Any = None,
    ) -> Self:
        """Learn from examples, afresh.

        Parameters
        ----------
        problem : StructuredProblem
            What is learned; it goes to the workers, so it must survive pickling.
        xs, ys : sequence, length n
            Inputs and true outputs. Fewer than shards make fewer shards.
        validation : ignored
            As no conversion here chooses with held-out examples.
        progress : callable, optional
            Called with a stage, how many rounds are done, and how many there are, after each
            epoch.
        checkpoint : object, optional
            As for `StructuredLearner.fit`.

        Returns
        -------
        self

        Raises
        ------
        ParameterError
            A wrong parameter, or one that cannot be mixed; values of the problem that are not
            finite.
        """
        from joblib import Parallel, delayed

        learner = self._check()
        n, n_epochs = check_pairs(xs, ys, "xs", "ys"), learner._epochs()
        rng = generator(learner.random_state)
        parts = deal(n, int(self.n_shards), rng, learner.shuffle)
        shards = [([xs[i] for i in part], [ys[i] for i in part]) for part in parts]
        self._mixed = np.zeros(check_feature(problem.joint_feature(xs[0], ys[0])).size)
        self._total = np.zeros_like(self._mixed)
        for name in (*_TOTALS, *_SUMS):
            setattr(self, name, 0 if name in _TOTALS else 0.0)
        self.epochs_: list[MixedEpoch] = []
        vars(self).update(restore(checkpoint, _CHECKPOINT, rng) or {})
        for epoch in range(len(self.epochs_), n_epochs):
            orders = shard_orders(parts, rng, learner.shuffle)
            done = Parallel(n_jobs=self.n_jobs)(
                delayed(_epoch)(learner.get_params(), problem, shard, order, self._mixed)
                for shard, order in zip(shards, orders, strict=True)
            )
            self._mix(done)
            if progress is not None:
                progress("learning weights", (epoch + 1) * n, n_epochs * n)
            keep(checkpoint, _CHECKPOINT, rng, {name: vars(self)[name] for name in _KEPT})
        self.coef_ = self._mixed.copy()
        if learner.conversion == "average":
            self.coef_ = self._total / self.n_rounds_
        return self

    def _check(self) -> StructuredLearner:
        check_mixing(self.n_shards, self.mix)
        learner = self._learner()
        if not isinstance(learner, StructuredLearner):
            raise ParameterError(
                f"learner is of type {type(learner).__name__}, must be a StructuredLearner."
            )
        update = make_update(learner.update, C=learner.C, U=learner.U)
        if not isinstance(update.tuning, FixedTuning):
            raise ParameterError(
                f"update={learner.update!r} cannot be mixed, since its c depends on the run; use "
                "pa1, pa, pa2 or perceptron."
            )
        if learner.conversion not in ("average", "last"):
            raise ParameterError(
                f"conversion={learner.conversion!r} cannot be mixed; use average or last."
            )
        if learner.record_directions or learner.callback is not None:
            raise ParameterError(
                "record_directions and callback follow single rounds, which happen elsewhere; "
                "leave them out."
            )
        return learner

    def _mix(self, done: "Sequence[_Done]") -> None:
        """Mix the weights of an epoch, and count what happened in it."""
        self._mixed, hypotheses, epoch = mix_shards(done, self.mix)
        self._total += hypotheses
        for i, name in enumerate(_TOTALS):
            setattr(self, name, getattr(self, name) + sum(shard.counts[i] for shard in done))
        self.cumulative_cost_ += sum(shard.cost for shard in done)
        self.cumulative_loss_ += sum(shard.loss for shard in done)
        self.radius_ = max(self.radius_, *(shard.radius for shard in done))
        self.mixed_updates_ += float(epoch.weights @ epoch.updates)
        self.epochs_.append(epoch)

    def predict(self, problem: StructuredProblem, xs: Sequence[Any]) -> list[Any]:
        """Decode inputs with `coef_`."""
        if "coef_" not in self.__dict__:
            raise not_fitted_error(self)
        return [problem.decode(self.coef_, x) for x in xs]


class _Done(NamedTuple):
    """What an epoch of a shard gives."""

    weights: Float64
    mean: Float64
    counts: tuple[int, int, int, int]
    cost: float
    loss: float
    radius: float


@one_thread()
def _epoch(
    params: dict[str, Any],
    problem: StructuredProblem,
    shard: tuple[Sequence[Any], Sequence[Any]],
    order: IntArray,
    weights: Float64,
) -> _Done:
    """Go through a shard once, from given weights."""
    learner = StructuredLearner(**(params | {"conversion": "average", "random_state": 0}))
    learner._reset(problem)
    run = learner._run = learner._start(problem, weights.size)
    run.v[:] = run.c * weights
    xs, ys = shard
    for i in order:
        learner._round(problem, xs[i], ys[i])
    return _Done(
        run.weights(),
        run.chosen(learner._average),
        (run.n_rounds, run.n_mistakes, run.n_updates, run.n_null),
        run.cost,
        run.loss,
        run.radius,
    )
