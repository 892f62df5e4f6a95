"""The structured learner: weights of base functions, learned one example at a time.

It knows nothing of what is predicted. A problem offers ``phi(x, y)``, the argmax of
``<w, phi(x, .)>`` and a cost ``rho(y, y')``; each round decodes an example, and where that went
wrong moves w so that the truth scores higher than what was found, by a margin of the cost.

A round has a direction ``a = phi(x, y) - phi(x, y')``, a target ``b = rho(y, y')`` and the hinge
loss ``[b - <w, a>]_+``. With the *prediction-based* loss y' is the prediction; with the *maximal*
loss it is the worst violation, ``argmax rho(y, y') + <w, phi(x, y')>``. Either is at least the
cost of the prediction. How far w moves is the business of the *update*: see
`align.learners.parts.updates`.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, section 5.3.3,
Fig. 5.4, Theorem 7, and chapter 9.
"""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from types import SimpleNamespace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from align._blas import one_thread
from align.errors import ParameterError
from align.learners.parts import (
    Average,
    Best,
    Conversion,
    Last,
    RandomStop,
    block_ends,
    make_update,
)
from align.learners.parts.parameters import (
    check_choice,
    check_whole,
    generator,
    read_weights,
    weighed,
)
from align.learners.parts.saved import Saved, keep, restore
from align.learners.structured._run_reader import RunReader
from align.learners.structured.ascent import DualAscent
from align.learners.structured.problems import (
    StructuredProblem,
    check_cost,
    check_feature,
    check_loss,
    check_pairs,
    difference,
    mean_cost,
    signs_of,
)
from align.learners.theory import Round
from align.progress import Progress
from align.types import Float64

_CHECKPOINT = "learner"
_LOSSES = ("prediction", "maximal")
_CONVERSIONS = ("last", "random", "average", "validation", "best")


@dataclass(eq=False, repr=False)
class StructuredLearner(Saved, RunReader):
    """Learn the weights of a structured predictor online.

    Source: Shalev-Shwartz 2007, section 5.3.3, Figure 5.4 and Theorem 7.

    Parameters
    ----------
    update : {"pa1", "pa", "pa2", "perceptron", "self-tuned"}
        How the weights move; see `align.learners.parts.updates`.
    loss : {"prediction", "maximal"}
        Against which hypothesis; "maximal" needs a problem with ``loss_augmented_decode``.
    C : float, default 1
        Aggressiveness of "pa1" (its largest step) and "pa2"; positive.
    U : float, default 1
        For "self-tuned": the competitors hoped for have ``||u||**2 <= 2 U``; positive.
    epochs : int, default 1
        Passes of `fit` over the examples.
    conversion : {"average", "last", "random", "validation", "best"}
        Which hypothesis `coef_` is: the mean of all, the last, a random one, the best on held-out
        data among `n_candidates` along the run and their mean, or the best on the training set
        after any epoch.
    n_candidates : int, default 10
        For "validation": the run is cut into this many blocks, a candidate at the end of each.
    shuffle : bool, default True
        Whether `fit` draws a new order for each epoch.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the orders and of the random hypothesis.
    record_directions : bool, default False
        Keep the direction of each round in the trace, T x J numbers, so that the loss of any
        competitor can be evaluated afterwards.
    callback : callable, optional
        ``callback(learner, round)`` after each round.

    Attributes
    ----------
    coef_ : np.ndarray [shape=(J,)]
        The hypothesis that the conversion chose.
    n_rounds_ : int
        T.
    n_mistakes_ : int
        Rounds whose prediction had a positive cost.
    n_updates_ : int
        Rounds that moved the weights.
    n_null_ : int
        Mistakes that no step could correct, because truth and prediction have the same phi.
    cumulative_cost_, cumulative_loss_ : float
        Sums over the rounds of the cost of the prediction and of the hinge loss.
    dual_objective_ : float
        Dual objective: never above ``c f(u) + sum of the losses of u``, for every u. For "pa" only
        a u without loss counts, for "pa2" the losses are ``C`` times their squares.
    radius_ : float
        X, the largest norm of a direction (of "self-tuned": on mistakes).
    c_ : float
        Weight of complexity in the last round.
    trace_ : Trace
        All of this, round by round.
    candidate_costs_ : list of float
        For "validation" and "best": the mean cost of each candidate.

    Notes
    -----
    Where a problem has ``non_negative``, each update ends with a projection: see
    `align.learners.structured.ascent`, also for why the bounds stay. They hold for competitors
    that keep these signs, too.

    The hypothesis of a round is ``w_t = v_t / c`` with the c of the round before. "self-tuned"
    computes c from the direction of the very round, which is allowed because the prediction does
    not depend on the scale of v; with the maximal loss the worst violation does, and is sought
    again whenever it raises X.

    With the maximal loss, a cost that does not decompose makes the loss-augmented decoder
    approximate. Where the prediction violates its own constraint more than what that decoder
    found, the prediction is used: the loss is never below the cost.

    Examples
    --------
    Multiclass classification, the simplest structure:

    >>> class Classes:
    ...     def joint_feature(self, x, y):
    ...         return np.kron(np.eye(3)[y], x)
    ...     def decode(self, w, x):
    ...         return int(np.argmax(w.reshape(3, -1) @ x))
    ...     def cost(self, y, y_hat):
    ...         return float(y != y_hat)
    >>> xs = [np.array(x) for x in ([1.0, 0.0], [0.0, 1.0], [-1.0, -1.0])]
    >>> learner = StructuredLearner(update="pa", epochs=5, conversion="last")
    >>> learner.fit(Classes(), xs, [0, 1, 2]).predict(Classes(), xs)
    [0, 1, 2]
    """

    update: str = "pa1"
    _: KW_ONLY
    loss: str = "prediction"
    C: float = 1.0
    U: float = 1.0
    epochs: int = 1
    conversion: str = "average"
    n_candidates: int = 10
    shuffle: bool = True
    random_state: Any = 0
    record_directions: bool = False
    callback: Callable[["StructuredLearner", Round], object] | None = None

    # Running ---------------------------------------------------------------------------------

    @one_thread()
    def fit(
        self,
        problem: StructuredProblem,
        xs: Sequence[Any],
        ys: Sequence[Any],
        *,
        validation: tuple[Sequence[Any], Sequence[Any]] | None = None,
        progress: Progress | None = None,
        checkpoint: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """Learn from examples, afresh.

        Parameters
        ----------
        problem : StructuredProblem
            What is learned.
        xs, ys : sequence, length n
            Inputs and true outputs.
        validation : (xs, ys), optional
            Held-out examples, for ``conversion="validation"``.
        progress : callable, optional
            Called with a stage, how many rounds are done, and how many there are.
        checkpoint : object, optional
            Has ``load(name)`` and ``save(name, header, arrays)``, such as
            `align.sequence.learning.checkpoint.Checkpoint`. The state is saved after each epoch;
            where there is one, training goes on from it, with the same result as without
            interruption. It must be of the same problem, examples and parameters.
        sample_weight : array_like [shape=(n,)], optional
            As in `partial_fit`; an example of weight 0 is as if it had not been given.

        Returns
        -------
        self

        Raises
        ------
        ParameterError
            A wrong parameter; the maximal loss without ``loss_augmented_decode``; values of the
            problem that are not finite.
        """
        self._reset(problem)
        n, epochs = check_pairs(xs, ys, "xs", "ys"), self._epochs()
        weights, kept = weighed(sample_weight, np.arange(n))
        if len(kept) < n:
            n, xs, ys = len(kept), [xs[i] for i in kept], [ys[i] for i in kept]
        held_out = self._check_validation(validation)
        n_rounds = n * epochs
        ends = set(block_ends(n_rounds, int(self.n_candidates))) if held_out else set()
        begun = self._resume(checkpoint)
        for epoch in range(begun, epochs):
            order = self._rng.permutation(n) if self.shuffle else np.arange(n)
            for place, i in enumerate(order):
                self._round(problem, xs[i], ys[i], weights[i] if len(weights) else 1.0)
                done = epoch * n + place + 1
                if held_out and done in ends:
                    self._offer(problem, held_out, with_average=done == n_rounds)
                if progress is not None:
                    progress("learning weights", done, n_rounds)
            if self.conversion == "best":
                self._offer(problem, (xs, ys, weights) if len(weights) else (xs, ys))
            kept = (epoch + 1, self._run, self._conversion, self._average)
            keep(checkpoint, _CHECKPOINT, self._rng, kept)
        self._finish()
        return self

    def partial_fit(
        self,
        problem: StructuredProblem,
        xs: Sequence[Any],
        ys: Sequence[Any],
        *,
        validation: tuple[Sequence[Any], Sequence[Any]] | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> Self:
        """Continue with examples in the order given, once.

        Cutting a sequence into calls changes nothing, but for ``conversion="validation"`` and
        ``"best"``, where each call ends a block and offers a candidate.

        Parameters
        ----------
        problem, xs, ys, validation
            As in `fit`.
        sample_weight : array_like [shape=(n,)], optional
            Multiplies the loss of an example, and with it the largest step; 0 leaves it out. It
            has no effect on hard constraints ("pa").

        Returns
        -------
        self
        """
        if not hasattr(self, "_run"):
            self._reset(problem)
        check_loss(problem, self._began.loss)
        check_pairs(xs, ys, "xs", "ys")
        held_out = self._check_validation(validation)
        weights, kept = read_weights(sample_weight, np.empty(len(xs)))
        for i in kept:
            self._round(problem, xs[i], ys[i], weights[i] if len(weights) else 1.0)
        if held_out:
            self._offer(problem, held_out, with_average=True)
        elif self._began.conversion == "best":
            self._offer(problem, (xs, ys))
        self._finish()
        return self

    def step(self, problem: StructuredProblem, x: Any, y: Any) -> Round:
        """Play one round.

        Parameters
        ----------
        problem : StructuredProblem
            What is learned.
        x, y : object
            An input and its true output.

        Returns
        -------
        Round
        """
        if not hasattr(self, "_run"):
            self._reset(problem)
        entry = self._round(problem, x, y)
        self._finish()
        return entry

    def _reset(self, problem: StructuredProblem) -> None:
        """Check the parameters and forget whatever was learned."""
        self._update = make_update(self.update, C=self.C, U=self.U)
        check_choice(self.loss, "loss", _LOSSES)
        check_choice(self.conversion, "conversion", _CONVERSIONS)
        check_whole(self.n_candidates, "n_candidates")
        check_loss(problem, self.loss)
        self._began = SimpleNamespace(loss=self.loss, conversion=self.conversion)
        self._rng = generator(self.random_state)
        self._average = Average()
        self._conversion = self._make_conversion()
        self._run: DualAscent | None = None

    def _resume(self, checkpoint: Any) -> int:
        """Restore the state after the last whole epoch; return how many are done."""
        found = restore(checkpoint, _CHECKPOINT, self._rng)
        if found is None:
            return 0
        epochs, self._run, self._conversion, self._average = found
        self._publish(self._fitted())
        return int(epochs)

    def _make_conversion(self) -> Conversion:
        if self.conversion == "average":
            return self._average
        if self.conversion == "random":
            return RandomStop(np.random.default_rng(self._rng.integers(2**63)))
        return Last() if self.conversion == "last" else Best()

    def _epochs(self) -> int:
        check_whole(self.epochs, "epochs")
        return int(self.epochs)

    def _check_validation(
        self, validation: tuple[Sequence[Any], Sequence[Any]] | None
    ) -> tuple[Sequence[Any], Sequence[Any]] | None:
        if self._began.conversion != "validation":
            return None
        if validation is None:
            raise ParameterError(
                "conversion='validation' needs validation=(xs, ys), examples to choose with."
            )
        check_pairs(*validation, "validation xs", "validation ys")
        return validation

    def _start(self, problem: StructuredProblem, n_features: int) -> DualAscent:
        conversions: list[Conversion] = [self._conversion]
        if self._began.conversion == "validation":
            conversions.append(self._average)  # one of the candidates
        return DualAscent(
            self._update,
            n_features,
            conversions,
            record_directions=self.record_directions,
            non_negative=signs_of(problem, n_features),
        )

    def _round(self, problem: StructuredProblem, x: Any, y: Any, weight: float = 1.0) -> Round:
        """Predict, suffer, move."""
        truth = check_feature(problem.joint_feature(x, y))
        run = self._run
        if run is None:
            run = self._run = self._start(problem, truth.size)
        elif truth.shape != run.v.shape:
            raise ParameterError(
                f"joint_feature returned shape {truth.shape}, must be (J,)={run.v.shape}."
            )
        run.begin_round()
        y_hat = problem.decode(run.weights(), x)
        cost = check_cost(problem.cost(y, y_hat))
        direction, target, radius = difference(problem, truth, x, y_hat), cost, 0.0
        if self._began.loss == "maximal":
            direction, target, radius = self._worst(problem, run, x, y, truth, direction, cost)
        entry = run.end_round(
            y_hat, direction, target=target, cost=cost, radius=radius, weight=weight
        )
        self._publish(run)
        if self.callback is not None:
            self.callback(self, entry)
        return entry

    def _worst(
        self,
        problem: Any,
        run: DualAscent,
        x: Any,
        y: Any,
        truth: Float64,
        predicted: Float64,
        cost: float,
    ) -> tuple[Float64, float, float]:
        """Return direction and target of the worst violation, and the largest norm on the way."""
        radius = 0.0
        while True:
            scale = run.scale_of(radius, cost)
            worst = problem.loss_augmented_decode(scale * run.v, x, y)
            direction = difference(problem, truth, x, worst)
            target = check_cost(problem.cost(y, worst))
            if target - scale * (direction @ run.v) < cost - scale * (predicted @ run.v):
                direction, target = predicted, cost
            norm = run.complexity.dual_norm(direction)
            if run.scale_of(max(radius, norm), cost) == scale:
                return direction, target, radius
            radius = norm  # what is worst depends on c, and c on this: seek again, it only grows

    def _offer(
        self,
        problem: StructuredProblem,
        examples: tuple[Sequence[Any], ...],
        *,
        with_average: bool = False,
    ) -> None:
        """Offer the current hypothesis, and the mean of all, to the conversion."""
        assert isinstance(self._conversion, Best)
        self._conversion.offer(self.hypothesis_, mean_cost(problem, self.hypothesis_, *examples))
        if with_average:
            run = self._fitted()
            mean = run.chosen(self._average)
            self._conversion.offer(mean, mean_cost(problem, mean, *examples))

    def _finish(self) -> None:
        """Let the conversion choose `coef_`."""
        run = self._fitted()
        self.coef_ = run.chosen(self._conversion)
        if isinstance(self._conversion, Best):
            self.candidate_costs_ = list(self._conversion.costs)
