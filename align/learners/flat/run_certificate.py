"""What the theory promises of a flat learner on given data, in one table.

A fresh copy of the learner goes through the examples once, in their order. Its mistakes and losses
stand beside the bounds that hold of it, each with the best fixed competitor that was found, and
beside what follows for new examples of the same kind.

==================  ===========================================================================
row                 what
==================  ===========================================================================
mistakes            M of T rounds; the bound is named as in `align.learners.theory.certificates`,
                    with the competitor's losses of all rounds, not of the mistaken ones only
loss, regret        sum of losses, and how much less the competitor had; bounded by Lemma 2
generalisation      error on a new example: Theorem 13 of the source with its constants as
                    printed, and Hoeffding's inequality for martingales,
                    ``M / T + sqrt(ln(1 / delta) / (2 T))``
==================  ===========================================================================

A bound that says nothing is called vacuous: mistakes no fewer than rounds, a rate of 1 or more.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, Lemmas 1 and 2,
Theorem 13, and appendix B.4 for votes.
"""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from align.errors import ParameterError
from align.learners.flat import _round as core
from align.learners.flat._competitors import (
    MISTAKE_BOUNDS,
    SQUARED_BOUNDS,
    Constraints,
    best_certificate,
    competitors,
    constraints_of,
    evaluate,
)
from align.learners.parts import Plan
from align.learners.theory import Certificate, Trace
from align.learners.theory.certified import RunCertificate, within_twice
from align.types import Float64, IntArray

_POINTS = 40  # of the curves


INSTEAD = {
    "AdaBoost": "it bounds its error on the training set itself, by loss_bound()",
    "DictStream": "it prints its bound as it learns, by progressive(..., certify=True)",
    "InstanceRanker": "its bound is about weights to compare with, regret_bound(u)",
    "KernelPAUniclass": "its bound is about a centre to compare with, and PA-I has none",
    "MixedClassifier": "its rounds have no one order, which bounds on a run are about",
    "MultiplicativePAUniclass": "its bound is about a centre without loss, squared_loss_bound(u)",
    "OnlineToBatch": "its rounds are those of its estimator, which may have certify",
    "ParameterMixing": "its rounds have no one order, which bounds on a run are about",
    "PassiveAggressiveUniclass": "its bound is about a centre, squared_loss_bound(u, X)",
    "StructuredLearner": "its bound is about weights to compare with, regret_bound(u)",
    "ThresholdWinnow": "its bound asks how far apart the classes are, threshold_winnow_bound",
}
"""Why a learner has no `certify`, by its name, and what says something in its place."""


def certify_run(model: Any, X: Any, y: Any, *, delta: float = 0.05) -> RunCertificate:
    """Return what the theory promises of a learner on given data, as a table that prints.

    Parameters
    ----------
    model : learner
        One that has `certify`: flat classifiers and regressors, kernel learners of scores,
        ellipsoids and `LabelRanker`. Its parameters count; what it has learned does not, and it
        does not change.
    X : array_like or CSR matrix [shape=(T, d)]
        Examples, in the order of the rounds.
    y : array_like [shape=(T,)]
        Classes or numbers; of ellipsoids and label rankers also the relevant labels
        [shape=(T, K)].
    delta : float, default 0.05
        Between 0 and 1: probability with which the bounds on risk may fail.

    Returns
    -------
    RunCertificate

    Raises
    ------
    ParameterError
        For a delta out of range, or a learner that no theorem here is about.

    Notes
    -----
    The bounds on mistakes and regret hold for these very data, whatever they are. Those on risk
    ask for examples that are independent draws of one source, and for their order not to have been
    chosen. The competitor is found by dual coordinate ascent: a better one may exist, and would
    only make the bounds better.

    Examples
    --------
    >>> from align.learners import CELLIP, PassiveAggressiveClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2))
    >>> X[:, 0] += np.where(X[:, 0] > 0, 1.0, -1.0)
    >>> certificate = certify_run(PassiveAggressiveClassifier("pa"), X, X[:, 0] > 0)
    >>> certificate.bound.holds, certificate.vacuous
    (True, False)
    >>> certify_run(CELLIP(gamma=0.2, a=0.9), X, X[:, 0] > 0).bound.bound
    'Thm 3, sharper'
    """
    if hasattr(model, "certify"):
        found: RunCertificate = model.certify(X, y, delta=delta)
        return found
    name = type(model).__name__
    reason = f"; {INSTEAD[name]}" if name in INSTEAD else ""
    raise ParameterError(
        f"model is a {name}, must be a flat classifier or regressor, a kernel learner of scores, "
        f"an ellipsoid or a LabelRanker, whose bounds ask for no more than X and y{reason}."
    )


def certify_plan(model: Any, X: Any, y: Any, *, delta: float) -> RunCertificate:
    """Return what the theory promises of a flat learner; see `certify_run`."""
    if np.ndim(y) == 2:
        raise ParameterError("y has sets of labels, must have one class or number an example.")
    copy, trace, constraints = _recorded(model, X, y)
    among = competitors(constraints, copy._current)
    regression, margin = copy._current.regression, copy._current.margin
    names = SQUARED_BOUNDS if regression else MISTAKE_BOUNDS + SQUARED_BOUNDS
    best = best_certificate(trace, names, among)
    most = math.inf if best is None or regression else as_mistakes(best[0], margin)
    return certificate_of(
        trace,
        best[0] if best else None,
        most,
        conversion=model.conversion,
        margin=margin,
        delta=delta,
        regret=regret_of(trace, among),
        curve=_curve(trace, constraints, best, margin, regression),
    )


def certificate_of(
    trace: Trace,
    bound: Certificate | None,
    mistake_bound: float,
    *,
    conversion: str,
    margin: float,
    delta: float,
    regret: tuple[float, float, float] = (math.nan, math.nan, math.nan),
    no_regret: str = "Lemma 2 is about losses, not hard constraints",
    curve: dict[str, Float64] | None = None,
) -> RunCertificate:
    """Return the certificate of a run whose bound is known.

    `regret` is that of `regret_of`, and `no_regret` says why there is none. Without a curve the
    bound is drawn as the same after each round.
    """
    plan = trace.plan
    regression = plan is not None and plan.regression
    wrong = (trace.loss if regression else trace.cost) > 0.0
    if curve is None:
        ends = _ends(len(trace))
        curve = {
            "rounds": ends.astype(float),
            "mistakes": np.cumsum(wrong)[ends - 1].astype(float),
            "bound": np.full(len(ends), mistake_bound),
        }
    found = RunCertificate(
        rounds=len(trace),
        mistakes=int(wrong.sum()),
        loss=float(trace.loss.sum()),
        bound=bound,
        mistake_bound=mistake_bound,
        competitor_loss=regret[0],
        regret=regret[1],
        regret_bound=regret[2],
        delta=delta,
        risk_bounds=_risk_bounds(conversion, trace, margin, delta, regression),
        lines=[],
        curve=curve,
    )
    conservative = plan is not None and plan.update.conservative
    return replace(found, lines=_lines(found, conversion, regression, conservative, no_regret))


def _recorded(model: Any, X: Any, y: Any) -> tuple[Any, Trace, Constraints]:
    """Run a copy of the learner; return it with the rounds, without a copy of each direction."""
    copy: Any = clone(model).set_params(conversion="last", record=False)
    chunk = copy._stream_chunk(X, y)
    classes = getattr(copy, "classes_", (0, 1))
    if len(classes) < 2:
        raise ParameterError(f"y has 1 class, {list(classes)}, must have 2 classes or more.")
    plan = copy._current
    if plan.multiplicative:  # its bound asks for the directions themselves
        copy = clone(copy).set_params(record=True)
        chunk = copy._stream_chunk(X, y)
    log = np.empty((len(chunk.order), core.LOG_WIDTH))
    copy._play(chunk, log)
    rows = copy._run.rows
    constraints = constraints_of(chunk.X, log, rows, copy._began.fit_intercept, plan.doubled)
    if plan.multiplicative:
        return copy, copy.trace_, constraints
    trace = Trace(plan, constraints, rows=rows)
    trace.extend(columns_of(log), ())
    return copy, trace, constraints


def columns_of(log: Float64) -> dict[str, Float64]:
    """Return the columns of a trace from rows of the log."""
    return {
        "cost": log[:, core.LOG_COST],
        "loss": log[:, core.LOG_LOSS],
        "tau": log[:, core.LOG_ALPHA] * log[:, core.LOG_SCALE],
        "alpha": log[:, core.LOG_ALPHA],
        "c": log[:, core.LOG_C],
        "norm": log[:, core.LOG_NORM],
        "target": log[:, core.LOG_TARGET],
        "dual": log[:, core.LOG_DUAL],
    }


def as_mistakes(certificate: Certificate, margin: float) -> float:
    """Return the right side of a bound as a number of mistakes; each loses at least the margin."""
    if certificate.bound == "Eq 5.2":
        return certificate.right / margin
    return certificate.right / (margin**2 if certificate.bound in SQUARED_BOUNDS else 1.0)


def competitor_loss(trace: Trace, plan: Plan, u: npt.ArrayLike) -> float:
    """Return the sum of the losses of a fixed u that Lemma 2 compares a run with.

    Of a squared slack they are squared, and of a conservative learner those of mistaken rounds.
    """
    losses = trace.losses_of(u)
    curvature = plan.update.slack.curvature
    if curvature > 0.0:
        losses = losses**2 / (2.0 * curvature)
    if plan.update.conservative:
        losses = losses[trace.cost > 0.0]
    return float(losses.sum())


def regret_of(trace: Trace, among: list[Float64]) -> tuple[float, float, float]:
    """Return loss of the competitor best for Lemma 2, the regret against it, and its bound."""
    best = best_certificate(trace, ("Lemma 2",), among)
    plan = trace.plan
    if best is None or plan is None:
        return math.nan, math.nan, math.nan
    other = competitor_loss(trace, plan, best[1])
    return other, best[0].left - other, best[0].right - other


def _risk_bounds(
    conversion: str, trace: Trace, margin: float, delta: float, regression: bool
) -> dict[str, float]:
    """Return bounds on the risk of what a conversion gives; see the table of `_words_of_risk`."""
    n = len(trace)
    if conversion not in ("random", "vote", "average") or n == 0:
        return {}
    factor = 2.0 if conversion == "vote" else 1.0
    if conversion == "average" or regression:
        # The loss is convex, so the mean has no more of it than its members on average. Divided
        # by the largest, it lies in [0, 1]; and a mistake has a loss of at least the margin.
        largest = float(trace.loss.max(initial=0.0)) or 1.0
        mean = float(trace.loss.mean()) / largest
        factor = largest if regression else largest / margin
    else:
        mean = float((trace.cost > 0.0).mean())
    term = math.log((n + 3) / delta) / n
    return {
        "Thm 13": factor * (mean + 3.0 * term + 2.0 * math.sqrt(mean * term)),
        "Hoeffding": factor * (mean + math.sqrt(math.log(1.0 / delta) / (2.0 * n))),
    }


def _curve(
    trace: Trace, constraints: Constraints, best: Any, margin: float, regression: bool
) -> dict[str, Float64]:
    """Return mistakes and their bound after some of the rounds, with the competitor of the end."""
    ends = _ends(len(trace))
    wrong = np.cumsum((trace.loss if regression else trace.cost) > 0.0)
    bounds = np.full(len(ends), np.nan)
    if best is not None and not regression and trace.plan is not None:
        columns = trace.as_dict()
        directions = trace.directions
        for i, end in enumerate(ends):
            part = Trace(trace.plan, constraints.part(slice(0, int(end))), rows=constraints.rows)
            part.extend({name: v[:end] for name, v in columns.items()}, directions[:end])
            bounds[i] = as_mistakes(evaluate(part, best[0].bound, best[1]), margin)
    return {
        "rounds": ends.astype(float),
        "mistakes": wrong[ends - 1].astype(float),
        "bound": bounds,
    }


def _ends(n: int) -> IntArray:
    """Return the rounds that are drawn, of n."""
    return np.unique(np.linspace(1, n, min(n, _POINTS)).astype(np.intp))


# The table -----------------------------------------------------------------------------------


def _lines(
    found: RunCertificate, conversion: str, regression: bool, conservative: bool, no_regret: str
) -> list[tuple[str, str, str]]:
    """Return the rows of the table, each with a word on whether it says anything."""
    n, wrong, bound = found.rounds, found.mistakes, found.bound
    lines = [("rounds", f"{n}", "")]
    share = f"{wrong / max(n, 1):.2%} of the rounds"
    lines.append(("rounds with a loss" if regression else "mistakes", f"{wrong}", share))
    if bound is None:
        lines.append(("bound on mistakes", "none", "no theorem of the sources bounds them"))
    elif regression:
        words = "no competitor without loss was found" if math.isinf(bound.right) else ""
        lines.append(("squared losses", f"{bound.left:.6g}", ""))
        lines.append((f"  at most ({bound.bound})", f"{bound.right:.6g}", words))
    else:
        most = found.mistake_bound
        lines.append((f"  at most ({bound.bound})", f"{most:.6g}", _strength(most, wrong, n)))
    lines.append(("sum of losses", f"{found.loss:.6g}", ""))
    if math.isnan(found.regret):
        lines.append(("regret", "none", no_regret))
    else:
        lines.append(("  of the competitor", f"{found.competitor_loss:.6g}", "as Lemma 2 has it"))
        words = "in the mistaken rounds, where it learns" if conservative else ""
        lines.append(("regret", f"{found.regret:.6g}", words))
        most = found.regret_bound
        lines.append(("  at most (Lemma 2)", f"{most:.6g}", _strength(most, found.regret)))
    return lines + _risk_lines(found, conversion, regression)


def _risk_lines(
    found: RunCertificate, conversion: str, regression: bool
) -> list[tuple[str, str, str]]:
    what = {
        "random": "of the hypothesis drawn, on average over the draw",
        "vote": "of the vote: at most twice that of its members",
        "average": "of the mean, if no example can lose more than the worst seen",
    }
    if not found.risk_bounds:
        words = (
            f"conversion={conversion!r} has no guarantee here; 'random', 'vote' and 'average' do"
        )
        return [("error on new examples", "none", words)]
    kind = "loss" if regression else "error"
    lines = [(f"{kind} on new examples", "", f"{what.get(conversion, '')}; delta={found.delta}")]
    for name, value in found.risk_bounds.items():
        words = "vacuous: no rate is above 1" if value >= 1.0 and not regression else ""
        lines.append((f"  at most ({name})", f"{value:.4f}", words))
    return lines


def _strength(bound: float, value: float, rounds: float = math.inf) -> str:
    """Say in words how much a bound says."""
    if math.isinf(bound):
        return "vacuous: no competitor was found that it holds a finite number for"
    if bound >= rounds:
        return "vacuous: there were no more rounds than that"
    return "bites: within twice the value" if within_twice(bound, value) else "holds, loosely"
