"""How long events last: psi_6 of the thesis, and a log-normal law that fits better.

``psi(d) = ln p(d; e)`` for the length d of an event labelled e, in frames. The laws are

* ``"normal"``, the thesis's: mean and standard deviation of the label's lengths in training, the
  deviation at least half a frame; a label never seen has those of all events together.
* ``"lognormal"``: the logarithm of the length is normal. Lengths are skewed and positive, and a
  pause ten times the usual is unlikely, not impossible: the score falls with the square of the
  logarithm, not of the length.
* ``"gamma"``: matched to the same means and deviations as the normal law.

Under ``shrinkage`` b > 0 the statistics of rare labels are drawn towards those of their class
(vowels, stops, ...; of all labels, where no class is known). With N events of S labels, total
variance V, W the variance within labels and B that between their means, a label seen n times
with mean m and variance v has::

    mean      (n m + a M) / (n + a),                  a = W / B, the best linear estimate
    variance  (n v + b W) / (n + b)  +  W / (n + a)

The last summand is the uncertainty of the mean. W is ``(sum n v + b V) / (N - S + b)`` and B the
analysis-of-variance estimate, at least 0; V of a class is itself drawn towards V of all. A label
never seen has the mean and variance of its class, or of all.

Statistics are kept in seconds, and turned to frames of the signal at hand: a model holds at any
hop. No score is infinite: each law is evaluated at no less than half a frame, and `floor` bounds
what one absurdly long event may cost.

References
----------
Shalev-Shwartz, "Online Learning", 2007, section 9.5.1.
"""

import copy
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from align.errors import ModelError, ParameterError
from align.features.base import Feature, TimedSignal, restoring, rows_of
from align.features.sound.signal import Signal
from align.terms import DurationTerm, Term
from align.types import SPOKEN_NOISE, Event, Float64, IntArray

DISTRIBUTIONS = ("normal", "lognormal", "gamma")

_SAVED = ("distribution", "shrinkage", "classes", "floor", "last", "pause")  # in model files
_PRIOR = 10.0  # events of a label at most, for which known lengths count beside new ones
_SMALLEST = 0.5  # frames: floor of deviations, and of lengths under a logarithm
_FINAL = " |"  # marks the label of an event in front of a pause
_SMALLEST_LOG = 0.1  # floor of deviations of logarithms, about 10 % of a length


@dataclass(frozen=True)
class LengthStatistics:
    """Mean and variance of the lengths of events, label by label.

    Attributes
    ----------
    labels : sequence of str, length S
        The labels seen, sorted.
    count : np.ndarray [shape=(S,)]
        How often each was seen.
    mean, variance : np.ndarray [shape=(S,)]
        Of seconds, or of their natural logarithm; the variance is that of the sample itself
        (divided by n).
    """

    labels: tuple[str, ...]
    count: Float64
    mean: Float64
    variance: Float64

    @classmethod
    def of(
        cls,
        examples: Sequence[TimedSignal],
        *,
        log: bool,
        last: bool,
        named: Callable[[Sequence[Event]], list[str]] | None = None,
    ) -> Self:
        """Collect them from timed recordings with at least one event.

        With `log`, of the natural logarithm of the lengths; with `last`, also of the last event of
        each recording. `named` returns which label the length of each event counts for, if it is
        not its own.
        """
        labels: list[str] = []
        seconds: list[Float64] = [np.empty(0)]
        for example in examples:
            n = len(example.events) - (not last)
            own = [str(event) for event in example.events]
            labels += (own if named is None else named(example.events))[: max(n, 0)]
            lengths = example.lengths[: max(n, 0)].astype(np.float64)
            seconds.append(lengths * example.signal.hop)
        if not labels:
            raise ParameterError("there are no events to take lengths from.")
        values = np.log(np.concatenate(seconds)) if log else np.concatenate(seconds)
        names, row = np.unique(np.array(labels), return_inverse=True)
        count = np.bincount(row).astype(np.float64)
        mean = np.bincount(row, values) / count
        variance = np.bincount(row, (values - mean[row]) ** 2) / count
        return cls(tuple(str(name) for name in names), count, mean, variance)

    def law(
        self, label: str, shrinkage: float = 0.0, peers: Collection[str] = ()
    ) -> tuple[float, float]:
        """Return mean and variance for a label, seen or not.

        `shrinkage` is b of the module's text; with 0, statistics of labels that were seen are
        their own. `peers` are the labels of its class; where none of them was seen, all labels
        are.
        """
        row = self.labels.index(label) if label in self.labels else -1
        if row >= 0 and not shrinkage:
            return float(self.mean[row]), float(self.variance[row])
        whole = self._pool(np.arange(len(self.labels)), shrinkage)
        pool = whole
        rows = [i for i, seen in enumerate(self.labels) if seen in peers]
        if rows:
            pool = self._pool(np.array(rows), shrinkage, whole.total)
        if row < 0:
            return pool.mean, pool.total
        n, m, v = self.count[row], self.mean[row], self.variance[row]
        variance = (n * v + shrinkage * pool.within) / (n + shrinkage)
        if pool.between <= 0.0:  # nothing says that the labels differ
            return pool.mean, float(variance)
        a = pool.within / pool.between
        return float((n * m + a * pool.mean) / (n + a)), float(variance + pool.within / (n + a))

    def _pool(self, rows: IntArray, shrinkage: float, prior: float | None = None) -> "_Pool":
        n, m = self.count[rows], self.mean[rows]
        size, spare = n.sum(), n.sum() - len(rows)
        centre = float(n @ m / size)
        inside, among = float(n @ self.variance[rows]), float(n @ (m - centre) ** 2)
        total = (inside + among) / size
        if prior is not None:
            total = (inside + among + shrinkage * prior) / (size + shrinkage)
        within = (
            total
            if spare + shrinkage == 0
            else ((inside + shrinkage * total) / (spare + shrinkage))
        )
        free = size - n @ n / size  # 0 for a single label
        between = (among - within * (len(rows) - 1)) / free if len(rows) > 1 else 0.0
        return _Pool(centre, float(total), float(within), max(float(between), 0.0))

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays a model file must hold."""
        return {"count": self.count, "mean": self.mean, "variance": self.variance}

    @classmethod
    def restored(cls, labels: Any, arrays: Mapping[str, npt.NDArray[Any]], feature: str) -> Self:
        """Rebuild them from a model file; ModelError where something is missing or wrong."""
        if not isinstance(labels, list) or not all(isinstance(x, str) for x in labels):
            raise ModelError(f"the labels of feature {feature!r} are not a list of names.")
        if len(set(labels)) != len(labels) or not labels:
            raise ModelError(f"the labels of feature {feature!r} are empty or not distinct.")
        columns = []
        for key in ("count", "mean", "variance"):
            if key not in arrays:
                raise ModelError(f"feature {feature!r} lacks its array {key!r}.")
            array = np.asarray(arrays[key])
            if array.shape != (len(labels),) or array.dtype.kind != "f":
                raise ModelError(
                    f"array {key!r} of feature {feature!r} is {array.dtype} of shape "
                    f"{array.shape}, must be float of shape ({len(labels)},)."
                )
            if not np.isfinite(array).all() or (key != "mean" and (array < 0).any()):
                raise ModelError(f"array {key!r} of feature {feature!r} has impossible values.")
            columns.append(array.astype(np.float64))
        if (columns[0] <= 0).any():
            raise ModelError(f"array 'count' of feature {feature!r} has impossible values.")
        return cls(tuple(labels), *columns)

    def mixed(self, new: "LengthStatistics") -> "LengthStatistics":
        """Return these lengths and those of other recordings; a label here counts for `_PRIOR`."""
        labels = sorted({*self.labels, *new.labels})
        rows = np.zeros((2, 3, len(labels)))
        for source, (part, most) in enumerate(((self, _PRIOR), (new, np.inf))):
            at = [labels.index(label) for label in part.labels]
            rows[source][:, at] = np.minimum(part.count, most), part.mean, part.variance
        count, mean, variance = rows.transpose(1, 0, 2)
        total = count.sum(axis=0)
        share = count / total
        centre = (share * mean).sum(axis=0)
        spread = (share * (variance + (mean - centre) ** 2)).sum(axis=0)
        return LengthStatistics(tuple(labels), total, centre, spread)


class _Pool(NamedTuple):
    """Mean, variance, variance within labels and between their means, of several labels."""

    mean: float
    total: float
    within: float
    between: float


class DurationFeature(Feature):
    """Logarithm of the density of an event's length, in frames.

    Parameters
    ----------
    distribution : {"lognormal", "normal", "gamma"}
        The law; see the module's text.
    shrinkage : float, optional
        How strongly rare labels are drawn towards all, as a number of events; by default 5, and 0
        for "normal", as the thesis has it.
    classes : mapping of str to str, optional
        From labels to classes of labels that last alike; labels it lacks are compared with all.
    floor : float, optional
        Lowest score; None for none.
    last : bool
        Whether the last event of a recording is fitted and scored. Where recordings are cut off
        in it, its length means nothing.
    pause : str, optional
        A class of pauses: an event in front of one of these has a law of its own, since what
        comes last in a phrase is drawn out. By default it has the law of its label.
    name : str
        Name of the base function.

    Examples
    --------
    >>> import numpy as np
    >>> signal = Signal(np.zeros(3200, dtype=np.float32), rate=16000, hop=0.01)
    >>> onsets = np.array([0, 4, 12])
    >>> seen = TimedSignal(signal, ["a", "b", "a"], onsets, onsets * 0.01, end=20)
    >>> feature = DurationFeature("normal").fit([seen])
    >>> feature.terms(signal, ["a"])["duration"].table[0, 6].round(4)  # mean 6, deviation 2
    np.float64(-1.6121)
    """

    def __init__(
        self,
        distribution: str = "lognormal",
        shrinkage: float | None = None,
        classes: Mapping[str, str] | None = None,
        floor: float | None = None,
        last: bool = True,
        pause: str | None = None,
        name: str = "duration",
    ) -> None:
        if distribution not in DISTRIBUTIONS:
            known = ", ".join(map(repr, DISTRIBUTIONS))
            raise ParameterError(f"distribution={distribution!r}, must be one of {known}.")
        if shrinkage is not None and not (math.isfinite(shrinkage) and shrinkage >= 0):
            raise ParameterError(f"shrinkage={shrinkage}, must be 0 or more.")
        if floor is not None and not math.isfinite(floor):
            raise ParameterError(f"floor={floor}, must be finite, or None for none.")
        self.distribution = distribution
        self.shrinkage = shrinkage
        self.classes = dict(classes or {})
        self.floor = floor
        self.last = last
        self.pause = pause
        self.name = name
        self.statistics_: LengthStatistics | None = None
        self._laws: tuple[Any, dict[str, tuple[float, float]]] = (None, {})

    def fit(self, examples: Sequence[TimedSignal]) -> Self:
        """Estimate means and variances of the labels' lengths."""
        log = self.distribution == "lognormal"
        self.statistics_ = LengthStatistics.of(
            examples, log=log, last=self.last, named=self._names
        )
        return self

    def draws_out(self, event: Event) -> bool:
        """Whether events in front of this one have laws of their own."""
        return self.pause is not None and self.classes.get(str(event)) == self.pause

    def is_drawn_out(self, event: Event) -> bool:
        """Whether an event has a law of its own in front of a pause: one that is none."""
        return self.pause is not None and not self.draws_out(event)

    def _names(self, events: Sequence[Event]) -> list[str]:
        """Return the label that each event has among the lengths: marked in front of a pause."""
        labels = [str(event) for event in events]
        if self.pause is None:
            return labels
        pauses = [self.classes.get(label) == self.pause for label in labels]
        return [
            label + _FINAL if after and not own else label
            for label, own, after in zip(labels, pauses, [*pauses[1:], False], strict=True)
        ]

    def adapt(
        self, examples: Sequence[TimedSignal], *, steps: int = 0, learning_rate: float = 0.0
    ) -> Self:
        """Mix the lengths of a few recordings with those known; see `LengthStatistics.mixed`."""
        if self.statistics_ is not None:
            known = self.statistics_
            new = copy.copy(self).fit(examples).statistics_
            assert new is not None
            self.statistics_ = known.mixed(new)
        return self

    def usual(self, labels: Sequence[str]) -> Float64:
        """Return the mean length of an event of each label, in seconds [shape=(K,)].

        Of a log-normal law that is the median.
        """
        if self.statistics_ is None:
            raise ModelError(f"feature {self.name!r} is not fitted; call fit first.")
        means = np.array([self._law(label, self.statistics_)[0] for label in labels])
        return np.exp(means) if self.distribution == "lognormal" else means

    def slower(self, times: float) -> Self:
        """Return a copy for events that last so many times as long as those it was fitted to.

        Examples
        --------
        >>> feature = DurationFeature()
        >>> one = np.ones(1)
        >>> feature.statistics_ = LengthStatistics(("a",), one, np.log([0.1]), one)
        >>> feature.slower(2.0).usual(["a"]).round(3), feature.usual(["a"]).round(3)
        (array([0.2]), array([0.1]))
        """
        own, known = copy.copy(self), self.statistics_
        if known is not None and self.distribution == "lognormal":
            own.statistics_ = replace(known, mean=known.mean + math.log(times))
        elif known is not None:
            mean, variance = known.mean * times, known.variance * times**2
            own.statistics_ = replace(known, mean=mean, variance=variance)
        return own

    def log_density(self, label: str, lengths: npt.ArrayLike, hop: float) -> Float64:
        """Return the log density of lengths of a label.

        Parameters
        ----------
        label : str
            The label, seen in training or not.
        lengths : array_like [shape=(n,)]
            Lengths in frames.
        hop : float
            Length of a frame in seconds.

        Returns
        -------
        np.ndarray [shape=(n,)]
            Natural logarithm of the density per frame.
        """
        scores: Float64 = self._log_densities([label], np.asarray(lengths, np.float64), hop)[0]
        return scores

    def _log_densities(self, labels: Sequence[str], d: Float64, hop: float) -> Float64:
        """Return the log densities of lengths `d`, in frames; a row for each label."""
        if self.statistics_ is None:
            raise ModelError(f"feature {self.name!r} is not fitted; call fit first.")
        laws = np.array([self._law(label, self.statistics_) for label in labels]).reshape(-1, 2)
        mean, variance = laws.T[..., np.newaxis]
        if self.distribution == "lognormal":
            log_d = np.log(np.maximum(d, _SMALLEST))
            deviation = np.maximum(np.sqrt(variance), _SMALLEST_LOG)
            scores = _log_normal(log_d, mean - math.log(hop), deviation)
            scores -= log_d
        else:
            mean, deviation = mean / hop, np.maximum(np.sqrt(variance) / hop, _SMALLEST)
            if self.distribution == "normal":
                scores = _log_normal(d, mean, deviation)
            else:
                scale = deviation**2 / mean
                shape = mean / scale
                d = np.maximum(d, _SMALLEST)
                scores = (shape - 1) * np.log(d / scale) - d / scale
                own = zip(shape[:, 0].tolist(), scale[:, 0].tolist(), strict=True)
                scores -= np.array([[math.lgamma(a) + math.log(b)] for a, b in own])
        return scores if self.floor is None else np.maximum(scores, self.floor)

    def _law(self, label: str, statistics: LengthStatistics) -> tuple[float, float]:
        """Return mean and variance of a label; they are kept as long as the statistics are."""
        if self._laws[0] is not statistics:
            self._laws = (statistics, {})
        laws = self._laws[1]
        if label not in laws:
            peers, b = self._peers(label), self.shrinkage
            if b is None:
                b = 0.0 if self.distribution == "normal" else 5.0
            if label.endswith(_FINAL) and not peers.intersection(statistics.labels):
                laws[label] = self._law(label.removesuffix(_FINAL), statistics)
            else:
                laws[label] = statistics.law(label, b, peers)
        return laws[label]

    def non_negative(self) -> tuple[str, ...]:
        """Return its name: it is a log density."""
        return (self.name,)

    def terms(self, signal: Signal, events: Sequence[Event]) -> dict[str, Term]:
        """Return the duration term, for lengths 0 .. T."""
        symbols, rows = rows_of(self._names(events))
        lengths = np.arange(signal.n_frames + 1.0)
        table = self._log_densities([str(symbol) for symbol in symbols], lengths, signal.hop)
        if not self.last:
            rows[-1:] = -1
        rows[[str(event) == SPOKEN_NOISE for event in events]] = -1  # of any length
        return {self.name: DurationTerm(table, rows)}

    def get_state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return what a model file must hold."""
        params = {name: getattr(self, name) for name in _SAVED}
        if self.statistics_ is None:
            return {**params, "labels": None}, {}
        return {**params, "labels": list(self.statistics_.labels)}, self.statistics_.arrays()

    def set_state(self, params: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """Restore what `get_state` returned."""
        with restoring(f"feature {self.name!r}"):
            known = {"pause": None, **params}  # models of before have none
            checked = DurationFeature(**{name: known[name] for name in _SAVED})
            labels = params["labels"]
        statistics = None
        if labels is not None:
            statistics = LengthStatistics.restored(labels, arrays, self.name)
        for name in _SAVED:
            setattr(self, name, getattr(checked, name))
        self.statistics_ = statistics
        return self

    def _peers(self, label: str) -> frozenset[str]:
        """Labels of the class of a label, in front of pauses if it is; none without a class."""
        plain = label.removesuffix(_FINAL)
        if plain not in self.classes:
            return frozenset()
        own, mark = self.classes[plain], label[len(plain) :]
        return frozenset(
            other + mark for other, of_other in self.classes.items() if of_other == own
        )


def _log_normal(x: Float64, mean: Float64, deviation: Float64) -> Float64:
    """Natural logarithm of normal densities; means and deviations have a row each."""
    root = math.sqrt(2.0 * math.pi)
    constant = np.array([[math.log(own * root)] for own in deviation[:, 0].tolist()])
    scores = x - mean
    scores *= scores
    scores /= 2.0 * deviation**2
    density: Float64 = np.subtract(-constant, scores, out=scores)
    return density
