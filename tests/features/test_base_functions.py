"""The seven base functions of the thesis by hand, their fitting, and their states."""

import copy
import json
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from align.errors import ModelError, ParameterError
from align.features import (
    DurationFeature,
    PhoneConfidence,
    Signal,
    SpeakingRate,
    SpectralDistance,
    TimedSignal,
)
from align.features.duration import LengthStatistics
from align.terms import BaseFunctions

HOP = 0.01


def blank(n_frames: int, hop: float = HOP) -> Signal:
    return Signal(np.zeros(round(n_frames * hop * 16000), np.float32), 16000, hop)


def timed(events, lengths, group=None, lead_in=0, tail=0) -> TimedSignal:
    """A recording whose events have these lengths in frames."""
    onsets = lead_in + np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.intp)
    end = lead_in + int(sum(lengths))
    return TimedSignal(blank(end + tail), list(events), onsets, onsets * HOP, end, group)


def restored(feature, fresh):
    """Carry a feature's state as a model file does, into a fresh object."""
    params, arrays = feature.get_state()
    return fresh.set_state(json.loads(json.dumps(params)), copy.deepcopy(arrays))


def with_frames(frames, name="mfcc") -> Signal:
    """A signal whose representation is known."""
    signal = blank(len(frames))
    signal.cached((name,), lambda: np.asarray(frames, dtype=np.float32))
    return signal


# psi_1 .. psi_4 ---------------------------------------------------------------------------------


def test_spectral_distance_by_hand():
    signal = with_frames([[0, 0], [3, 4], [0, 0], [1, 0], [1, 7]])
    terms = SpectralDistance().terms(signal, ["a", "b", "a"])
    assert list(terms) == [f"spectral_distance_{j}" for j in (1, 2, 3, 4)]
    tables = [term.table[0] for term in terms.values()]
    # frames t - 1 and t + 1, at the ends 0 and 1, 3 and 4
    np.testing.assert_allclose(tables[0], [5, 0, math.hypot(2, 4), math.hypot(1, 7), 7])
    # frames t - 2 and t + 2: 0,2  0,3  0,4  1,4  2,4
    np.testing.assert_allclose(
        tables[1], [0, 1, math.hypot(1, 7), math.hypot(2, 3), math.hypot(1, 7)], rtol=1e-6
    )
    np.testing.assert_allclose(tables[3], np.hypot(*signal.mfcc()[[4, 4, 4, 4, 4]].T))
    # the sum over onsets is the sum of the table at them, for every event alike
    assert terms["spectral_distance_1"].value(np.array([0, 2, 3]), 5) == pytest.approx(
        5 + math.hypot(2, 4) + math.hypot(1, 7)
    )


@given(n=st.integers(1, 15), j=st.integers(1, 6), seed=st.integers(0, 9))
def test_spectral_distance_one_based_as_the_thesis_has_it(n, j, seed):
    x = np.random.default_rng(seed).normal(size=(n, 4))
    term = SpectralDistance([j]).terms(with_frames(x), ["a"])[f"spectral_distance_{j}"]
    for y in range(1, n + 1):  # frames 1..T, clamped to [1, T]
        before, after = x[max(y - j, 1) - 1], x[min(y + j, n) - 1]
        assert term.table[0, y - 1] == pytest.approx(np.linalg.norm(before - after), abs=1e-6)


def test_spectral_distance_state():
    feature = SpectralDistance((2, 5), "log_mel", {"n_mels": 20}, name="jump")
    again = restored(feature, SpectralDistance(name="jump"))
    signal = Signal(np.random.default_rng(0).normal(size=1600).astype(np.float32), 16000, HOP)
    for name, term in feature.terms(signal, ["a"]).items():
        np.testing.assert_array_equal(term.table, again.terms(signal, ["a"])[name].table)
    assert list(again.terms(signal, ["a"])) == ["jump_2", "jump_5"]


@pytest.mark.parametrize("scales", [(), (0, 1), (1, 1)])
def test_spectral_distance_wrong_scales(scales):
    with pytest.raises(ParameterError, match=r"scales=.*must be distinct numbers of frames"):
        SpectralDistance(scales)
    params = {"scales": scales, "representation": "mfcc", "options": {}}
    with pytest.raises(ModelError, match="state of feature 'spectral_distance' is wrong"):
        SpectralDistance().set_state(params, {})


# psi_6 ------------------------------------------------------------------------------------------


def test_golden_value_y15():
    """d=8, mu=6, sigma=2 frames: -2.11208571."""
    feature = DurationFeature("normal").fit([timed("aab", [4, 8, 30])])
    assert feature.log_density("a", [8], HOP)[0] == pytest.approx(-2.11208571, abs=1e-8)
    term = feature.terms(blank(30), ["a"])["duration"]
    assert term.table.shape == (1, 31)
    assert term.table[0, 8] == pytest.approx(-2.11208571, abs=1e-8)


def test_normal_floors_the_deviation_and_pools_for_the_unseen():
    feature = DurationFeature("normal").fit([timed("abb", [5, 7, 9])])
    d = np.arange(12.0)
    np.testing.assert_allclose(
        feature.log_density("a", d, HOP), scipy.stats.norm.logpdf(d, 5, 0.5), rtol=1e-9
    )
    pooled = scipy.stats.norm.logpdf(d, 7, np.std([5, 7, 9]))
    np.testing.assert_allclose(feature.log_density("z", d, HOP), pooled, rtol=1e-9)


def test_sum_runs_over_all_events_to_the_end():
    feature = DurationFeature("normal").fit([timed("abab", [4, 10, 8, 14])])
    term = feature.terms(blank(20), list("ba"))["duration"]
    expected = scipy.stats.norm.logpdf(9, 12, 2) + scipy.stats.norm.logpdf(11, 6, 2)
    assert term.value(np.array([0, 9]), 20) == pytest.approx(expected)


def test_statistics_are_in_seconds():
    feature = DurationFeature("normal").fit([timed("aab", [4, 8, 30])])
    half = feature.log_density("a", [16], HOP / 2)[0]  # 80 ms again; the density is per frame
    assert half == pytest.approx(-2.11208571 - math.log(2))


def test_lognormal_without_shrinkage_is_scipys():
    lengths = np.array([4, 8, 9, 20])
    feature = DurationFeature("lognormal", shrinkage=0).fit([timed("aaaa", lengths)])
    d = np.arange(1.0, 60.0)
    logs = np.log(lengths)
    expected = scipy.stats.lognorm.logpdf(d, s=logs.std(), scale=np.exp(logs.mean()))
    np.testing.assert_allclose(feature.log_density("a", d, HOP), expected, rtol=1e-9)


def test_gamma_without_shrinkage_is_scipys():
    lengths = np.array([4, 8, 9, 20])
    feature = DurationFeature("gamma", shrinkage=0).fit([timed("aaaa", lengths)])
    d = np.arange(1.0, 60.0)
    scale = lengths.var() / lengths.mean()
    expected = scipy.stats.gamma.logpdf(d, lengths.mean() / scale, scale=scale)
    np.testing.assert_allclose(feature.log_density("a", d, HOP), expected, rtol=1e-9)


@pytest.mark.parametrize("distribution", ["normal", "lognormal", "gamma"])
def test_densities_integrate_to_one(distribution):
    feature = DurationFeature(distribution).fit([timed("aaaabbbb", [24, 28, 29, 40, 9, 8, 9, 7])])
    fine = HOP / 20
    # the normal law of an unseen label, whose deviation is large, has some mass below length 0
    for label in "ab" if distribution == "normal" else "abz":
        d = np.arange(1, 40_000)
        total = np.exp(feature.log_density(label, d, fine)).sum()
        assert total == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("distribution", ["normal", "lognormal", "gamma"])
def test_extremes_are_finite(distribution):
    """Lengths from 0 to an hour, labels seen once, a recording of one event."""
    feature = DurationFeature(distribution).fit([timed("a", [1])])
    scores = feature.log_density("a", [0, 1, 2, 360_000], HOP)
    assert np.isfinite(scores).all()
    assert np.isfinite(feature.log_density("z", [0, 360_000], HOP)).all()
    floored = DurationFeature(distribution, floor=-50.0).fit([timed("a", [1])])
    assert floored.log_density("a", [360_000], HOP)[0] >= -50


def test_lognormal_forgives_long_pauses():
    examples = [timed(["sil", "a"] * 4, [20, 9, 30, 10, 25, 8, 40, 9])]
    normal = DurationFeature("normal").fit(examples).log_density("sil", [300], HOP)[0]
    better = DurationFeature("lognormal").fit(examples).log_density("sil", [300], HOP)[0]
    assert normal < -500
    assert better > -25


def test_shrinkage_draws_rare_labels_and_leaves_common_ones():
    rng = np.random.default_rng(0)
    lengths = np.concatenate([rng.integers(5, 12, 200), rng.integers(20, 30, 200), [60]])
    labels = ["a"] * 200 + ["b"] * 200 + ["rare"]
    statistics = LengthStatistics.of([timed(labels, lengths)], log=True, last=True)
    own = {label: statistics.law(label) for label in ("a", "b", "rare")}
    drawn = {label: statistics.law(label, 5.0) for label in ("a", "b", "rare")}
    for label in "ab":
        np.testing.assert_allclose(drawn[label], own[label], rtol=0.1)
    assert own["rare"][1] == pytest.approx(0, abs=1e-12)
    assert 0.02 < drawn["rare"][1] < 1.0
    centre = np.log(lengths * HOP).mean()
    assert centre < drawn["rare"][0] < own["rare"][0]


def test_shrinkage_by_hand():
    """Lengths 1 and 3 of label a, 7 and 9 of label b, with b = 2 in the module's formulas."""
    statistics = LengthStatistics(
        ("a", "b"), np.array([2.0, 2.0]), np.array([2.0, 8.0]), np.array([1.0, 1.0])
    )
    total = 1 + 9
    within = (4 + 2 * total) / (4 - 2 + 2)
    between = (36 - within * 1) / (4 - 8 / 4)
    a = within / between
    mean, variance = statistics.law("a", 2.0)
    assert mean == pytest.approx((2 * 2 + a * 5) / (2 + a))
    assert variance == pytest.approx((2 * 1 + 2 * within) / 4 + within / (2 + a))
    assert statistics.law("z", 2.0) == pytest.approx((5, total))


def test_classes_say_who_the_peers_are():
    examples = [timed("aeiptk" * 3, [20, 22, 18, 5, 6, 4] * 3), timed("E", [21])]
    classes = dict.fromkeys("aeiEO", "vowel") | dict.fromkeys("ptkb", "stop")
    feature = DurationFeature(classes=classes).fit(examples)
    d = np.arange(1, 60)

    def mode(label):
        return d[feature.log_density(label, d, HOP).argmax()]

    assert 16 <= mode("O") <= 22
    assert 3 <= mode("b") <= 6
    assert feature.log_density("b", [21], HOP)[0] < feature.log_density("O", [21], HOP)[0] - 3
    assert mode("?") == DurationFeature().fit(examples).log_density("?", d, HOP).argmax() + 1


def test_labels_that_do_not_differ_share_their_law():
    examples = [timed("abab", [4, 4, 12, 12])]
    statistics = LengthStatistics.of(examples, log=False, last=True)
    assert statistics.law("a", 5.0) == pytest.approx(statistics.law("b", 5.0))


def test_last_event_may_be_left_out():
    feature = DurationFeature("normal", last=False).fit([timed("aaa", [4, 8, 90])])
    assert feature.log_density("a", [8], HOP)[0] == pytest.approx(-2.11208571, abs=1e-8)
    term = feature.terms(blank(30), ["a", "a"])["duration"]
    np.testing.assert_array_equal(term.rows, [0, -1])
    assert term.value(np.array([0, 8]), 30) == pytest.approx(-2.11208571, abs=1e-8)


def test_laws_follow_what_was_learned_last():
    feature = DurationFeature("normal").fit([timed("ab", [4, 6])])
    before = feature.log_density("a", [4], HOP)
    feature.adapt([timed("ab", [9, 6])])
    anew = DurationFeature("normal")
    anew.statistics_ = feature.statistics_
    assert feature.log_density("a", [4], HOP) == anew.log_density("a", [4], HOP) != before
    feature.fit([timed("ab", [4, 6])])
    assert feature.log_density("a", [4], HOP) == before
    state = DurationFeature("normal").fit([timed("ab", [9, 6])]).get_state()
    assert feature.set_state(*state).log_density("a", [4], HOP) != before


def test_what_comes_before_a_pause_has_a_law_of_its_own():
    classes = {"a": "vowel", "e": "vowel", "o": "vowel", "n": "nasal", "_": "silence"}
    feature = DurationFeature("normal", classes=classes, pause="silence").fit(
        [timed("aa_ae_n", [4, 20, 30, 8, 24, 30, 5]), timed("_ae_", [30, 6, 28, 30])]
    )
    assert feature.draws_out("_")
    assert not feature.is_drawn_out("_")
    assert not feature.draws_out("a")
    assert not DurationFeature(classes=classes).draws_out("_")

    def modes(events):
        term = feature.terms(blank(60), events)["duration"]
        return term.table[term.rows, 1:].argmax(axis=1) + 1

    np.testing.assert_array_equal(modes("aa_a"), [6, 20, 30, 6])  # at the end there is no pause
    np.testing.assert_array_equal(modes("oe_o"), [6, 26, 30, 6])
    np.testing.assert_array_equal(modes("o_"), [24, 30])  # never seen: as its class, there too
    np.testing.assert_array_equal(modes("n_"), [5, 30])  # nor was its class: the law of its label


@pytest.mark.parametrize("distribution", ["normal", "lognormal", "gamma"])
def test_duration_state(distribution):
    feature = DurationFeature(
        distribution,
        shrinkage=3.0,
        classes={"a": "v", "z": "v", "b": "s"},
        floor=-9.0,
        last=False,
        pause="s",
    ).fit([timed("abab", [4, 10, 8, 14])])
    again = restored(feature, DurationFeature())
    assert again.draws_out("b")
    for label in "abz":
        np.testing.assert_array_equal(
            feature.log_density(label, range(40), HOP), again.log_density(label, range(40), HOP)
        )
    assert not again.last


def test_duration_before_fit():
    with pytest.raises(ModelError, match="feature 'duration' is not fitted; call fit first"):
        DurationFeature().terms(blank(5), ["a"])
    again = restored(DurationFeature(), DurationFeature())
    assert again.statistics_ is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"distribution": "weibull"}, "distribution='weibull', must be one of 'normal'"),
        ({"shrinkage": -1.0}, r"shrinkage=-1\.0, must be 0 or more"),
        ({"floor": -math.inf}, "floor=-inf, must be finite"),
    ],
)
def test_wrong_duration_parameter(options, message):
    with pytest.raises(ParameterError, match=message):
        DurationFeature(**options)


def test_nothing_to_fit():
    with pytest.raises(ParameterError, match="no events to take lengths from"):
        DurationFeature(last=False).fit([timed("a", [4])])


def tampered(params, arrays, change):
    params, arrays = copy.deepcopy((params, arrays))
    change(params, arrays)
    return params, arrays


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p, a: a.pop("mean"), "lacks its array 'mean'"),
        (lambda p, a: a.update(mean=np.ones(3)), r"array 'mean' .* must be float of shape \(2,\)"),
        (lambda p, a: a.update(mean=np.array(["1", "2"])), "array 'mean' .* is <U1"),
        (lambda p, a: a.update(variance=np.array([1.0, -1.0])), "'variance' .* impossible values"),
        (lambda p, a: a.update(mean=np.array([1.0, np.nan])), "'mean' .* impossible values"),
        (lambda p, a: a.update(count=np.array([0.0, 1.0])), "'count' .* impossible values"),
        (lambda p, a: p.update(labels="ab"), "labels of feature 'duration' are not a list"),
        (lambda p, a: p.update(labels=["a", "a"]), "empty or not distinct"),
        (lambda p, a: p.update(distribution="weibull"), "state of feature 'duration' is wrong"),
        (lambda p, a: p.pop("floor"), "state of feature 'duration' is wrong"),
    ],
)
def test_wrong_duration_state(change, message):
    feature = DurationFeature().fit([timed("abab", [4, 10, 8, 14])])
    with pytest.raises(ModelError, match=message):
        DurationFeature().set_state(*tampered(*feature.get_state(), change))


# psi_7 ------------------------------------------------------------------------------------------


def test_speaking_rate_by_hand():
    feature = SpeakingRate().fit([timed("aabb", [4, 8, 10, 10])])  # means 6 and 10
    term = feature.terms(blank(40), list("abz"))["speaking_rate"]
    np.testing.assert_allclose(term.scale, [6, 10, 8])  # unseen: the mean of all
    np.testing.assert_array_equal(term.gate, [False, True, True])
    r = np.array([12 / 6, 5 / 10, 23 / 8])
    expected = (r[1] - r[0]) ** 2 + (r[2] - r[1]) ** 2
    assert term.value(np.array([0, 12, 17]), 40) == pytest.approx(expected)


def test_speaking_rate_does_not_depend_on_the_hop():
    feature = SpeakingRate().fit([timed("aabb", [4, 8, 10, 10])])
    coarse = feature.terms(blank(40), ["a", "b"])["speaking_rate"].value(np.array([0, 12]), 40)
    fine = feature.terms(blank(80, HOP / 2), ["a", "b"])["speaking_rate"]
    assert fine.value(np.array([0, 24]), 80) == pytest.approx(coarse)


def test_speaking_rate_skips_silence():
    feature = SpeakingRate(exclude=["sil"]).fit([timed(["sil", "a", "b"], [50, 8, 10])])
    term = feature.terms(blank(90), ["a", "sil", "a", "b", "sil"])["speaking_rate"]
    np.testing.assert_array_equal(term.gate, [False, False, False, True, False])


def test_speaking_rate_state():
    feature = SpeakingRate(exclude=["sil"]).fit([timed("aabb", [4, 8, 10, 10])])
    again = restored(feature, SpeakingRate())
    assert again.exclude == ("sil",)
    for name in ("scale", "gate"):
        np.testing.assert_array_equal(
            getattr(feature.terms(blank(9), "abz")["speaking_rate"], name),
            getattr(again.terms(blank(9), "abz")["speaking_rate"], name),
        )
    with pytest.raises(ModelError, match="feature 'speaking_rate' is not fitted"):
        SpeakingRate().terms(blank(9), ["a"])
    params, arrays = feature.get_state()
    with pytest.raises(ModelError, match="'mean' of feature 'speaking_rate' has impossible"):
        SpeakingRate().set_state(params, {**arrays, "mean": np.array([0.0, 1.0])})
    with pytest.raises(ModelError, match="state of feature 'speaking_rate' is wrong"):
        SpeakingRate().set_state({"exclude": "sil"}, {})
    with pytest.raises(ParameterError, match="exclude='sil', must be a sequence of labels"):
        SpeakingRate(exclude="sil")


# psi_5 ------------------------------------------------------------------------------------------


class Centroids:
    """Score a class by minus half the squared distance to the mean of its frames."""

    def fit(self, X, y, groups=None):
        assert X.dtype == np.float32
        assert X.flags.c_contiguous
        self.seen = X, y, groups
        self.classes_ = sorted({str(label) for label in y})
        self.centres = np.array([X[y == label].mean(axis=0) for label in self.classes_])
        return self

    def scores(self, X):
        return -0.5 * ((X[:, None, :] - self.centres) ** 2).sum(axis=2)

    def get_state(self):
        return {"classes": self.classes_}, {"centres": self.centres}

    def set_state(self, params, arrays):
        self.classes_, self.centres = params["classes"], arrays["centres"]
        return self


def toy(events, lengths, group=None, seed=0, **edges) -> TimedSignal:
    """A recording whose frames lie around a point of their event; 99 where there is none."""
    example = timed(events, lengths, group, **edges)
    points = {"a": [0, 0], "b": [4, 0], "c": [0, 6], "A": [0, 0]}
    frames = np.full((example.signal.n_frames, 2), 99.0)
    rng = np.random.default_rng(seed)
    for event, start, length in zip(events, example.onsets, lengths, strict=True):
        frames[start : start + length] = points[event] + 0.1 * rng.normal(size=(length, 2))
    example.signal.cached(("mfcc",), lambda: frames.astype(np.float32))
    return example


def test_confidence_is_the_sum_of_the_frames_scores():
    train = [toy("abc", [5, 5, 5], "x"), toy("cba", [4, 6, 5], "y", seed=1)]
    feature = PhoneConfidence(Centroids(), standardise=False).fit(train)
    test = toy("ab", [6, 4], seed=2)
    scores = feature.frame_scores(test.signal)
    term = feature.terms(test.signal, ["a", "b"])["phone_confidence"]
    for y in ([0, 6], [0, 3], [2, 9]):
        expected = scores[y[0] : y[1], 0].sum() + scores[y[1] :, 1].sum()
        assert term.value(np.array(y), 10) == pytest.approx(expected)
    values = [term.value(np.array([0, y]), 10) for y in range(1, 10)]
    assert np.argmax(values) + 1 == 6
    base = BaseFunctions([term], ["phone_confidence"], 2, 10)
    assert base.potentials(np.ones(1)).score([0, 6]) == pytest.approx(values[5])


def test_confidence_trains_on_labelled_frames_only():
    train = [
        toy("ab", [4, 6], "x", lead_in=3, tail=5),
        toy("ca", [7, 3], "y", seed=1),
    ]
    feature = PhoneConfidence(Centroids(), standardise=False).fit(train)
    X, y, groups = feature.classifier.seen
    assert "".join(y) == "aaaabbbbbb" + "cccccccaaa"
    assert list(groups) == ["x"] * 10 + ["y"] * 10
    assert X.max() < 90
    assert PhoneConfidence(Centroids()).fit([toy("ab", [4, 6])]).classifier.seen[2] is None


def test_confidence_strides_stacks_and_maps():
    train = [toy("aAb", [4, 4, 6], "x", tail=4)]
    feature = PhoneConfidence(
        Centroids(), context=(-1, 0, 1), stride=3, label_map={"A": "a"}, standardise=False
    ).fit(train)
    X, y, _ = feature.classifier.seen
    frames = train[0].signal.mfcc()
    expected = [frames[[max(t - 1, 0), t, t + 1]].ravel() for t in (0, 3, 6, 9, 12)]
    np.testing.assert_array_equal(X, expected)
    assert "".join(y) == "aaabb"
    term = feature.terms(train[0].signal, ["A", "a", "b"])["phone_confidence"]
    np.testing.assert_array_equal(term.prefix[0], term.prefix[1])
    assert feature.frame_scores(train[0].signal).shape == (18, 2)


def test_confidence_standardises_over_training_frames():
    train = [toy("abc", [5, 9, 5], "x", tail=3), toy("cba", [4, 6, 5], "y", seed=1)]
    feature = PhoneConfidence(Centroids()).fit(train)
    X = feature.classifier.seen[0].astype(np.float64)
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-5)
    np.testing.assert_allclose(X.std(axis=0), 1, atol=1e-5)


def test_confidence_in_an_unseen_label_neither_wins_nor_loses():
    train = [toy("abc", [30, 30, 30], "x")]
    feature = PhoneConfidence(Centroids(), standardise=False).fit(train)
    signal = train[0].signal
    scores = feature.frame_scores(signal)
    right = np.concatenate([scores[:30, 0], scores[30:60, 1], scores[60:, 2]])
    term = feature.terms(signal, ["z"])["phone_confidence"]
    assert term.value(np.array([0]), 90) == pytest.approx(right.sum(), rel=1e-5)
    undecided = with_frames([[2, 0], [0, 0]])  # midway between a and b; on a
    prefix = feature.terms(undecided, ["z"])["phone_confidence"].prefix[0]
    expected = feature.frame_scores(undecided).mean(axis=1) + feature.unseen_offset_
    np.testing.assert_allclose(np.diff(prefix), expected, rtol=1e-5)


def test_confidence_state():
    train = [toy("abc", [5, 5, 5], "x")]
    feature = PhoneConfidence(
        Centroids(), context=(-2, 0), stride=2, label_map={"A": "a"}, options={}
    ).fit(train)
    again = restored(feature, PhoneConfidence(Centroids()))
    test = toy("Abc", [6, 4, 4], seed=2)
    np.testing.assert_array_equal(
        feature.terms(test.signal, ["A", "z"])["phone_confidence"].prefix,
        again.terms(test.signal, ["A", "z"])["phone_confidence"].prefix,
    )
    assert (again.context, again.stride, again.label_map) == ((-2, 0), 2, {"A": "a"})
    assert all(isinstance(a, np.ndarray) for a in feature.get_state()[1].values())
    unfitted = restored(PhoneConfidence(Centroids()), PhoneConfidence(Centroids()))
    with pytest.raises(ModelError, match="feature 'phone_confidence' is not fitted"):
        unfitted.terms(test.signal, ["a"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p, a: a.pop("mean"), "lacks its array 'mean'"),
        (lambda p, a: a.update(scale=np.ones((2, 1))), r"array 'scale' .* must be a vector"),
        (lambda p, a: a.update(scale=np.zeros(2)), "scaling .* impossible values"),
        (lambda p, a: a.update(mean=np.zeros(3)), "scaling .* impossible values"),
        (lambda p, a: p.pop("classifier"), "state of feature 'phone_confidence' is wrong"),
        (lambda p, a: p.update(stride=0), "state of feature 'phone_confidence' is wrong"),
        (lambda p, a: p.update(context=[]), "state of feature 'phone_confidence' is wrong"),
    ],
)
def test_wrong_confidence_state(change, message):
    feature = PhoneConfidence(Centroids()).fit([toy("abc", [5, 5, 5], "x")])
    with pytest.raises(ModelError, match=message):
        PhoneConfidence(Centroids()).set_state(*tampered(*feature.get_state(), change))


def test_wrong_confidence_use():
    feature = PhoneConfidence(Centroids()).fit([toy("abc", [5, 5, 5], "x")])
    with pytest.raises(ModelError, match="fitted to 2 dimensions, its representation has 39"):
        feature.terms(blank(5), ["a"])
    with pytest.raises(ParameterError, match="no frames to fit the classifier to"):
        PhoneConfidence(Centroids()).fit([])
    with pytest.raises(ParameterError, match="stride=0, must be at least 1"):
        PhoneConfidence(Centroids(), stride=0)
    with pytest.raises(ParameterError, match=r"context=\(\), must name at least one frame"):
        PhoneConfidence(Centroids(), context=())


# The package ------------------------------------------------------------------------------------


def test_the_seven_of_the_thesis_on_speech(timit_sample):
    """Fitted to real labels, every base function is finite and prefers the truth to a shift."""
    examples = []
    for path in sorted((timit_sample / "dr4-falr0").glob("*.phn")):
        rows = [line.split() for line in path.read_text().splitlines()]
        signal = Signal.read(path.with_suffix(".wav"), hop=HOP)
        onsets = np.round(np.array([int(r[0]) for r in rows]) / 160).astype(np.intp)
        if (np.diff(onsets) > 0).all():
            end = min(round(int(rows[-1][1]) / 160), signal.n_frames)
            labels = [r[2] for r in rows]
            examples.append(TimedSignal(signal, labels, onsets, onsets * HOP, end))
    assert len(examples) >= 6
    features = [
        SpectralDistance(),
        PhoneConfidence(Centroids()),
        DurationFeature("normal"),
        SpeakingRate(),
    ]
    true, shifted = np.zeros(7), np.zeros(7)
    for feature in features:
        feature.fit(examples)
    for example in examples:
        terms = {}
        for feature in features:
            terms |= feature.terms(example.signal, example.events)
        base = BaseFunctions(
            list(terms.values()), list(terms), len(example.events), example.signal.n_frames
        )
        true += base.phi(example.onsets)
        rng = np.random.default_rng(0)
        random = np.sort(rng.choice(example.signal.n_frames, len(example.onsets), replace=False))
        shifted += base.phi(random)
    assert list(terms) == [
        *(f"spectral_distance_{j}" for j in (1, 2, 3, 4)),
        "phone_confidence",
        "duration",
        "speaking_rate",
    ]
    assert np.isfinite(true).all()
    assert (true[:6] > shifted[:6]).all()
    assert true[6] < shifted[6]
