"""The general aligner on artificial sounds: learning, aligning, files, and what can go wrong."""

import pickle
from dataclasses import replace
from functools import partial
from importlib.resources import files

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from synthetic_speech import RATE, random_phones, recording

import align
from align import Example, ParameterError, SequenceAligner
from align.decoders import Lattice
from align.errors import DataError, ModelError
from align.features import (
    DurationFeature,
    Signal,
    SpeakingRate,
    SpectralDistance,
    duration_feature,
    onset_feature,
    segment_feature,
)
from align.features.base import Feature
from align.learners.structured.learner import StructuredLearner
from align.sequence.adapt import passive_aggressive
from align.terms import OnsetTerm, SegmentTerm

BANDS = {"sil": (0, 100), "m": (220, 280), "iy": (280, 340), "aa": (650, 750), "s": (4000, 7000)}


@segment_feature
def suits(signal, event):
    """Share of the power that lies where the sound of the phone lies."""
    power = signal.power_spectrum(window=0.020)
    low, high = (round(f * 2 * (power.shape[1] - 1) / signal.rate) for f in BANDS[str(event)])
    loud = power.sum(axis=1) > 1e-3
    share = power[:, low : high + 1].sum(axis=1) / (power.sum(axis=1) + 1e-9)
    return np.where(loud, share, float(event == "sil"))


@onset_feature
def change(signal, event):
    """How much the spectrum changes, whatever the event."""
    mel = signal.log_mel(n_mels=20)
    return np.abs(np.diff(mel, axis=0, prepend=mel[:1])).mean(axis=1)


@duration_feature
def brevity(event, seconds):
    return -np.abs(np.log(seconds / 0.1))


FEATURES = (suits, change, brevity)


def example(seed, n=9, phones=None, lead=0.0, tail=0.0, group=None, **options):
    rng = np.random.default_rng(seed)
    phones = phones or random_phones(rng, n)
    samples, edges = recording(phones, rng)
    before, after = (0.001 * rng.normal(size=round(RATE * s)) for s in (lead, tail))
    samples = np.concatenate([before, samples, after]).astype(np.float32)
    times = (edges + before.size) / RATE
    options = {"end": times[-1], "rate": RATE, "name": f"r{seed}", **options}
    return Example(samples, phones, times[:-1], group=group, **options)


@pytest.fixture(scope="module")
def corpus():
    return [example(i) for i in range(6)]


@pytest.fixture(scope="module")
def fitted(corpus):
    learner = StructuredLearner(loss="maximal", C=0.05, epochs=5)
    return SequenceAligner(FEATURES, learner=learner, cost="ramp").fit(corpus)


@pytest.fixture(scope="module")
def test_set():
    return [example(100 + i) for i in range(4)]


# Learning ---------------------------------------------------------------------------------------


def test_it_learns_to_align(fitted, test_set):
    report = fitted.evaluate(test_set)
    assert report.overall.boundaries == 4 * 9  # what is no speech is scored whole
    assert report.overall.within_ms["20"] > 80
    assert report.overall.within_ms["40"] > 90
    assert abs(report.overall.bias_ms) < 5
    assert fitted.base_functions_ == ["suits", "change", "brevity"]
    assert (fitted.scale_ > 0).all()
    assert fitted.coef_.shape == (3,)
    assert fitted.labels_ == sorted(BANDS)
    assert fitted.starts_at_zero_
    assert fitted.problems_ == []
    assert fitted.training_["recordings"] == 6
    assert fitted.training_["events"] == 54
    assert fitted.learner_.n_rounds_ == 30


def test_by_default_it_learns_from_a_few_recordings(corpus, test_set):
    fitted = SequenceAligner([change, brevity]).fit(corpus)
    assert (fitted.coef_ > 0).all()
    assert fitted.evaluate(test_set).within_ms["20"] > 90  # 28 by the mean of one epoch


def test_its_score_is_the_share_within_20_ms(fitted, test_set):
    share = fitted.evaluate(test_set).within_ms["20"] / 100
    assert fitted.score(test_set) == pytest.approx(share)
    lost = replace(test_set[0], audio="no such file.wav", name="lost")
    with pytest.warns(UserWarning, match="1 of 5 recordings could not be aligned.*lost"):
        assert fitted.score([*test_set, lost]) == pytest.approx(share * 4 / 5)
    with pytest.raises(DataError, match="no such file"):
        fitted.score([lost])


def test_a_score_needs_a_boundary():
    alone = Example(str(files("align.data") / "kiwi.flac"), ("sil",), np.zeros(1))
    with pytest.raises(DataError, match="no recording has a boundary to judge"):
        align.load("speech-en").score([alone])


def test_scikit_learn_selects_among_aligners(corpus):
    learner = StructuredLearner(loss="maximal", C=0.05, epochs=1)
    grid = GridSearchCV(
        SequenceAligner([brevity], learner=learner, cost="ramp"),
        {"features": [[brevity], FEATURES]},
        cv=2,
        error_score="raise",
    ).fit(corpus)
    assert grid.best_params_ == {"features": FEATURES}
    assert grid.score(corpus) > 0.5


def test_an_example_is_shown_in_a_line(corpus):
    assert repr(corpus[0]) == "Example('r0', 9 events with onsets)"


def test_learned_weights_beat_opposite_ones(fitted, test_set):
    opposite = SequenceAligner(FEATURES).fit([example(0)])
    opposite.__dict__.update({**fitted.__dict__, "coef_": -fitted.coef_})
    good, bad = (a.evaluate(test_set).overall.within_ms["20"] for a in (fitted, opposite))
    assert good > bad + 50


@pytest.mark.parametrize("signed", [False, True])
def test_weights_of_scores_do_not_fall_below_zero(corpus, signed):
    class Misfit(Feature):
        """Scores that are wrong: less of them would be better."""

        name = "misfit"

        def non_negative(self):
            return ("misfit",) if signed else ()

        def terms(self, signal, events):
            right = suits.terms(signal, events)["suits"]
            return {"misfit": SegmentTerm(-right.prefix, right.rows)}

    features = [Misfit(), change, brevity]
    aligner = SequenceAligner(features, learner=StructuredLearner(epochs=3)).fit(corpus[:3])
    assert (aligner.coef_[0] == 0.0) == signed
    assert (aligner.coef_[0] < 0.0) != signed
    problem = aligner._structured(aligner._make_cost())
    x, y = aligner._problem(aligner._read_example(corpus[4], "r4"), aligner.features_)
    moved = passive_aggressive(problem, np.zeros(3), x, y, 1.0)
    assert (moved[0] < 0.0) != signed


def test_an_alignment(fitted):
    item = example(7)
    found = fitted.align(item.audio, item.events, rate=RATE)
    assert found.labels == item.events
    assert found.onsets[0] == 0.0
    assert found.duration == found.end == len(item.audio) / RATE
    assert (np.diff(found.onsets) > 0).all()
    assert found.confidence.shape == (9,)
    assert found.confidence[0] == pytest.approx(1.0)  # pinned
    assert np.isfinite(found.score)


def test_files_and_samples_align_alike(fitted, tmp_path):
    import soundfile

    item = example(7)
    soundfile.write(tmp_path / "a.wav", item.audio, RATE, subtype="FLOAT")
    from_file = fitted.align(tmp_path / "a.wav", item.events)
    np.testing.assert_array_equal(
        from_file.onsets, fitted.align(item.audio, item.events, rate=RATE).onsets
    )
    assert from_file.audio == str(tmp_path / "a.wav")


def test_the_same_seed_gives_the_same_model(corpus):
    def fit(**options):
        return SequenceAligner(FEATURES, **options).fit(corpus)

    first, again, other = fit(), fit(), fit(random_state=3)
    np.testing.assert_array_equal(first.coef_, again.coef_)
    assert first.placement_ == again.placement_
    assert not np.array_equal(first.coef_, other.coef_)


def test_progress_and_validation(corpus, test_set):
    stages = {}

    def progress(stage, done, total):
        assert 0 <= done <= total
        stages.setdefault(stage, []).append((done, total))

    learner = StructuredLearner(epochs=2, conversion="validation", n_candidates=3)
    aligner = SequenceAligner(FEATURES, learner=learner)
    aligner.fit(corpus, validation=test_set, progress=progress)
    assert stages["reading recordings"] == [(i, 6) for i in range(1, 7)] + [
        (i, 4) for i in range(1, 5)
    ]
    assert stages["learning weights"][-1] == (12, 12)
    assert len(aligner.learner_.candidate_costs_) == 4  # three, and the average
    assert not hasattr(learner, "coef_")  # a copy was fitted
    stages.clear()
    aligner.evaluate(test_set, progress=progress)
    assert stages == {"aligning": [(i, 4) for i in range(1, 5)]}


def test_normalised_by_the_number_of_events(corpus, test_set):
    aligner = SequenceAligner(FEATURES, normalise=True, learner=StructuredLearner(epochs=5))
    assert aligner.fit(corpus).evaluate(test_set).overall.within_ms["20"] > 80


@pytest.mark.parametrize("refine", ["parabola", "none"])
def test_other_refinements(corpus, test_set, refine):
    aligner = SequenceAligner(FEATURES, refine=refine, calibrate=False).fit(corpus)
    found = aligner.align(test_set[0].audio, test_set[0].events, rate=RATE)
    assert found.confidence is None
    on_frames = np.allclose(found.onsets / 0.005, np.rint(found.onsets / 0.005))
    assert on_frames == (refine == "none")


def test_second_order_features_and_the_maximal_loss(corpus, test_set):
    features = [*FEATURES, SpectralDistance(scales=(2,)), DurationFeature(), SpeakingRate()]
    learner = StructuredLearner(loss="maximal", C=0.05, epochs=3)
    aligner = SequenceAligner(features, learner=learner, cost="absolute").fit(corpus)
    assert aligner.base_functions_[-1] == "speaking_rate"
    assert aligner.evaluate(test_set).overall.within_ms["20"] > 85


def test_a_cost_of_ones_own(corpus):
    calls = []

    def cost(true, predicted):
        calls.append(len(true))
        return float(np.abs(true - predicted).max())

    SequenceAligner(FEATURES, cost=cost).fit(corpus)
    assert set(calls) == {9}


def test_hop_and_rate_are_those_asked_for(corpus, test_set):
    aligner = SequenceAligner(
        [change, DurationFeature()], hop=0.0071, rate=8000, learner=StructuredLearner(epochs=3)
    ).fit(corpus)
    assert aligner.hop_ == 57 / 8000
    assert aligner.align(test_set[0].audio, test_set[0].events, rate=RATE).rate == RATE  # its own


# Events that are where one does not expect them -------------------------------------------------


def test_signals_that_are_no_sound(tmp_path):
    @segment_feature
    def level(signal, event):
        return -np.abs(signal.samples - float(event))

    def steps(seed):  # of an accelerometer of 50 Hz
        rng = np.random.default_rng(seed)
        lengths, events = rng.integers(10, 40, 7), (0, 1, 0, -1, 0, 1, 0)
        samples = np.repeat(events, lengths) + 0.1 * rng.normal(size=lengths.sum())
        return Example(samples, events, (np.cumsum(lengths) - lengths) / 50, rate=50)

    examples = [steps(seed) for seed in range(4)]
    learner = StructuredLearner(epochs=2)
    fitted = SequenceAligner([level], rate=50, hop=0.02, learner=learner).fit(examples[:3])
    assert fitted.evaluate(examples[3:]).mean_abs_ms < 5
    fitted.save(tmp_path / "a.align")
    loaded = align.load(tmp_path / "a.align", features=[level])
    assert loaded.timing(examples[3]) == fitted.timing(examples[3])
    with pytest.raises(ParameterError, match="audio is a list, must be a path or an array"):
        fitted.align([0.0, 1.0], [0, 1], rate=50)
    with pytest.raises(ParameterError, match=r"examples=Example.*, must be a list of Example"):
        fitted.fit(examples[0])


def test_first_events_that_do_not_begin_with_the_recording():
    train = [example(i, lead=0.1 + 0.05 * i) for i in range(5)]
    aligner = SequenceAligner(FEATURES, learner=StructuredLearner(epochs=5)).fit(train)
    assert not aligner.starts_at_zero_
    item = example(50, phones=["s", "aa", "m", "iy"], lead=0.4)
    found = aligner.align(item.audio, item.events, rate=RATE)
    np.testing.assert_allclose(found.onsets[1:], item.onsets[1:], atol=0.02)


def test_labels_that_end_long_before_the_recording_does():
    """The last event may last as long as it must, or nothing could be aligned there."""
    phones = ["sil", "aa", "s", "iy", "sil"]
    train = [example(i, phones=phones, tail=3.0) for i in range(5)]
    aligner = SequenceAligner(FEATURES, learner=StructuredLearner(epochs=5, C=0.05)).fit(train)
    assert aligner.longest_ < 0.2
    assert not aligner.ends_with_recording_
    item = example(50, phones=phones, tail=3.0)
    found = aligner.align(item.audio, item.events, rate=RATE)
    np.testing.assert_allclose(found.onsets, item.onsets, atol=0.04)


def test_one_event_and_one_frame(fitted):
    item = example(3, phones=["aa"])
    assert SequenceAligner(FEATURES).fit([item, item]).coef_.shape == (3,)
    found = fitted.align(item.audio, ["aa"], rate=RATE)
    assert found.onsets.tolist() == [0.0]
    one_frame = fitted.align(item.audio[:60], ["aa"], rate=RATE)
    assert one_frame.onsets.tolist() == [0.0]
    assert one_frame.duration == 60 / RATE


def test_as_many_events_as_frames(fitted):
    item = example(3, phones=["aa", "s"])
    found = fitted.align(item.audio[:800], ["aa", "s"] * 5, rate=RATE)
    # Every onset has one frame to be in; the calibration may still move it a little.
    np.testing.assert_allclose(found.onsets, np.arange(10) * 0.005, atol=0.004)
    assert (np.diff(found.onsets) > 0).all()
    with pytest.raises(DataError, match=r"11 events do not fit into 0.050 s .* \(10 frames of 5"):
        fitted.align(item.audio[:800], ["aa"] * 11, rate=RATE)


def test_recordings_much_slower_than_training(fitted):
    """Where the longest events of training do not fill the recording, limits give way."""
    item = example(8, phones=["sil", "aa", "s", "aa", "sil"])
    slow = np.repeat(item.audio, 6)
    found = fitted.align(slow, item.events, rate=RATE)
    assert found.duration > 5 * fitted.longest_ * fitted.max_length_factor
    assert len(found) == 5


# Recordings that cannot be used -----------------------------------------------------------------


def broken(kind):
    good = example(20)
    times = good.onsets.copy()
    if kind == "silence":
        return Example(np.zeros(RATE, np.float32), ["aa"], [0.0], rate=RATE, name="bad")
    if kind == "missing":
        return Example("no-such-file.wav", ["aa"], [0.0], name="bad")
    if kind == "unlabelled":
        return Example(good.audio, good.events, rate=RATE, name="bad")
    if kind == "empty":
        return Example(good.audio, [], [], rate=RATE, name="bad")
    if kind == "rate":
        return Example(good.audio, good.events, times, name="bad")
    end = None
    if kind == "order":
        times[3] = times[2]
    elif kind == "nan":
        times[3] = np.nan
    elif kind == "late":
        times[-1] = 100.0
    elif kind == "crowded":
        times = np.linspace(0.0, 0.001, 9)
        return Example(good.audio[:400], good.events, times, rate=RATE, name="bad")
    elif kind == "end":
        end = np.nan
    return Example(good.audio, good.events, times, end=end, rate=RATE, name="bad")


KINDS = {
    "silence": "digital silence",
    "missing": "no-such-file.wav",
    "unlabelled": "it has no labelled events to learn from",
    "empty": "it has no labelled events to learn from",
    "rate": "source_rate=None",
    "order": "its onsets must be finite and increasing",
    "nan": "its onsets must be finite and increasing",
    "late": "its last event begins at 100.000 s, after the end",
    "crowded": "its 9 events do not fit into 5 frames of 5 ms; use a shorter hop",
    "end": "its last event begins at .* after the end at nan s",
}


@pytest.mark.parametrize("kind", KINDS)
def test_training_goes_on_without_what_cannot_be_used(kind, corpus):
    import re

    aligner = SequenceAligner([change]).fit([corpus[0], broken(kind), corpus[1]])
    assert aligner.training_["recordings"] == 2
    ((name, reason),) = aligner.problems_
    assert name == "bad"
    assert re.search(KINDS[kind], reason)
    without = SequenceAligner([change]).fit([corpus[0], corpus[1]])
    np.testing.assert_array_equal(aligner.coef_, without.coef_)


def test_evaluation_goes_on_without_what_cannot_be_aligned(fitted, test_set):
    nameless = Example(np.zeros(RATE, np.float32), ["aa"], [0.0], rate=RATE)
    report = fitted.evaluate([test_set[0], broken("unlabelled"), nameless])
    assert list(report.per_file) == ["r100"]
    assert [name for name, _ in report.failed] == ["bad", "recording 3"]
    assert report.failed[0][1] == "it has no true onsets to compare with."
    assert report.failed[1][1].startswith("it is digital silence")


def test_nothing_to_learn_from(corpus):
    with pytest.raises(DataError, match=r"no recording can be learned from \(none was given\)"):
        SequenceAligner(FEATURES).fit([])
    with pytest.raises(DataError, match=r"learned from \(bad: it has no labelled events"):
        SequenceAligner(FEATURES).fit([broken("empty")])
    learner = StructuredLearner(conversion="validation")
    with pytest.raises(DataError, match="no recording of the validation set can be used"):
        SequenceAligner(FEATURES, learner=learner).fit(corpus, validation=[broken("empty")])


# Wrong use --------------------------------------------------------------------------------------


class Nan(Feature):
    name = "nan"

    def terms(self, signal, events):
        table = np.full((1, signal.n_frames), np.nan)
        return {"nan": OnsetTerm(table, np.zeros(len(events), dtype=np.intp))}


class Short(Feature):
    name = "short"

    def terms(self, signal, events):
        table = np.zeros((1, signal.n_frames - 1))
        return {"short": OnsetTerm(table, np.zeros(len(events), dtype=np.intp))}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"features": []}, r"features=\[\] gives no base function"),
        ({"features": [len]}, "must hold Feature objects; make one of a function"),
        ({"features": change}, r"features=<feature 'change'>, must be a list of features"),
        ({"features": "thesis"}, "features has 'thesis', must hold Feature objects"),
        ({"features": [change, change]}, "features must have different names, not"),
        ({"features": [Nan()]}, "base function 'nan' is not finite"),
        ({"features": [Short()]}, r"base function 'short': table.shape=\(1, .*must be \(S, T\)"),
        ({"refine": "best"}, "refine='best', must be one of"),
        ({"cost": "price"}, "cost='price', must be"),
        ({"n_folds": 0}, "n_folds=0, must be at least 1"),
        ({"hop": 0.0}, "hop=0.0, rate=16000, must be a positive"),
        ({"max_length_factor": 0.0}, "max_length_factor=0.0, must be positive"),
        ({"learner": StructuredLearner(update="pa3")}, "update='pa3', must be one of"),
        ({"learner": StructuredLearner(C=0.0)}, "C=0.0, must be positive"),
        ({"learner": StructuredLearner}, "must be an object such as StructuredLearner"),
        ({"cost": lambda a, b: None}, "cost returned None, must be a number"),
        ({"learner": StructuredLearner(conversion="validation")}, "pass validation="),
        (
            {"learner": StructuredLearner(loss="maximal"), "cost": lambda a, b: 0.0},
            "loss='maximal' needs a cost that is a sum over the onsets",
        ),
    ],
)
def test_wrong_parameters(corpus, options, message):
    with pytest.raises(ParameterError, match=message):
        SequenceAligner(**{"features": FEATURES, **options}).fit(corpus)


def test_wrong_parameters_are_found_before_any_work(corpus):
    stages = []
    with pytest.raises(ParameterError, match="refine="):
        SequenceAligner(FEATURES, refine="best").fit(corpus, progress=lambda *a: stages.append(a))
    assert stages == []


def test_use_before_training(tmp_path):
    from sklearn.exceptions import NotFittedError

    aligner = SequenceAligner(FEATURES)
    for use in (
        lambda: aligner.align(np.ones(800), ["aa"], rate=RATE),
        lambda: aligner.evaluate([]),
        lambda: aligner.save(tmp_path / "a.align"),
    ):
        with pytest.raises(NotFittedError, match="this SequenceAligner is not fitted yet"):
            use()
    assert not (tmp_path / "a.align").exists()


def test_wrong_events(fitted):
    audio = example(0).audio
    for find in (
        fitted.align,
        fitted.rough_onsets,
        partial(fitted.cell_scores, name="any", cell=0.1),
    ):
        with pytest.raises(DataError, match="there are no events to align"):
            find(audio, [], rate=RATE)
    with pytest.raises(ParameterError, match="events='sil aa', must be a sequence; split"):
        fitted.align(audio, "sil aa", rate=RATE)


def test_parameters_follow_scikit_learn(corpus):
    aligner = SequenceAligner([change], tolerance=0.02, n_jobs=1)
    copy = clone(aligner)
    assert copy is not aligner
    assert copy.get_params()["tolerance"] == 0.02
    assert [feature.name for feature in copy.features] == ["change"]
    assert copy.set_params(hop=0.01, calibrate=False) is copy
    assert (copy.hop, copy.calibrate) == (0.01, False)
    with pytest.raises(ParameterError, match="no parameter 'hopp'"):
        copy.set_params(hopp=1)
    nested = SequenceAligner([change], learner=StructuredLearner()).set_params(learner__C=0.5)
    assert nested.learner.C == 0.5
    fitted = make_pipeline(nested).fit(corpus[:2])[-1]
    assert not hasattr(clone(fitted), "coef_")
    assert fitted.features[0] is change  # fitting used a copy, and stored what it was given


class Loudness(Feature):
    """A feature with something learned, and whatever a test makes of it."""

    name = "loudness"
    cross_fit = True

    def fit(self, examples):  # returns nothing, as people forget
        self.mean_ = float(np.mean([one.signal.log_energy.mean() for one in examples]))

    def terms(self, signal, events):
        level = signal.log_energy - self.mean_
        return {"loudness": OnsetTerm(level[None], np.zeros(len(events), dtype=int))}


@pytest.mark.parametrize(
    ("terms", "error", "message", "notes"),
    [
        (
            lambda self, signal, events: {}["gone"],
            KeyError,
            "gone",
            ["This was feature 'loudness', of the recording 'r0'."],
        ),
        (
            lambda self, signal, events: [1],
            ParameterError,
            r"the terms of feature 'loudness' are \[1\], must be a dict of names and terms",
            ["This was feature 'loudness', of the recording 'r0'."],
        ),
        (Feature.terms, NotImplementedError, r"Odd has no terms\(signal, events\)", None),
        (lambda self, signal, events: {}, ParameterError, "give no base function", []),
        (
            lambda self, signal, events: {
                f"at {signal.name}": OnsetTerm(signal.log_energy[None], [0] * len(events))
            },
            ParameterError,
            r"the base functions \['at r0'\] for one recording and \['at r1'\] for another",
            [],
        ),
    ],
)
def test_features_that_go_wrong_are_named(corpus, terms, error, message, notes):
    odd = type("Odd", (Loudness,), {"terms": terms})()
    with pytest.raises(error, match=message) as found:
        SequenceAligner([odd]).fit(corpus[:2])
    assert notes is None or getattr(found.value, "__notes__", []) == notes


def test_functions_that_go_wrong_are_named(corpus):
    @onset_feature
    def odd(signal, event):
        return signal.no_such_thing

    with pytest.raises(AttributeError, match="no_such_thing") as found:
        SequenceAligner([odd]).fit(corpus[:2])
    event, feature = found.value.__notes__
    assert event == f"This was for the event {corpus[0].events[0]!r}."
    assert feature == "This was feature 'odd', of the recording 'r0'."


def test_a_fit_that_goes_wrong_is_named(corpus):
    class Odd(Loudness):
        def fit(self, examples):
            raise RuntimeError("too few")

    with pytest.raises(RuntimeError) as found:
        SequenceAligner([Odd()]).fit(corpus[:2])
    assert found.value.__notes__[0].startswith("This was the fit of feature 'loudness', to ")


# Model files ------------------------------------------------------------------------------------


def test_what_a_feature_learned_is_not_lost_in_silence(corpus, tmp_path):
    fitted = SequenceAligner([Loudness(), change]).fit(corpus[:3])  # whose fit returned nothing
    with pytest.raises(ParameterError, match="feature 'loudness' has a fit, but no get_state"):
        fitted.save(tmp_path / "a.align")

    class Kept(Loudness):
        def get_state(self):
            return {"mean": self.mean_}, {}

        def set_state(self, params, arrays):
            self.mean_ = params["mean"]

    fitted = SequenceAligner([Kept(), change]).fit(corpus[:3])
    fitted.save(tmp_path / "a.align")
    loaded, item = align.load(tmp_path / "a.align", features=[Kept(), change]), corpus[0]
    assert loaded.align(item.audio, item.events, rate=RATE) == fitted.align(
        item.audio, item.events, rate=RATE
    )
    Kept.get_state = lambda self: self.mean_
    with pytest.raises(
        ParameterError, match=r"get_state of feature 'loudness' returns .* two dicts"
    ):
        fitted.save(tmp_path / "b.align")


def test_saved_models_align_bit_for_bit(fitted, tmp_path, test_set):
    fitted.save(tmp_path / "a.align", licence="CC0")
    loaded = align.load(tmp_path / "a.align", features=FEATURES)
    assert isinstance(loaded, SequenceAligner)
    assert loaded.licence_ == "CC0"
    assert loaded.learner_ is None
    numbers = ("longest_", "starts_at_zero_", "ends_with_recording_", "placement_", "hop_")
    for name in ("labels_", "training_", *numbers):
        assert getattr(loaded, name) == getattr(fitted, name)
    for item in test_set:
        expected = fitted.align(item.audio, item.events, rate=RATE)
        assert loaded.align(item.audio, item.events, rate=RATE) == expected
    loaded.save(tmp_path / "b.align")  # keeps the licence
    align.load(tmp_path / "b.align", features=FEATURES).save(tmp_path / "c.align")
    assert align.load(tmp_path / "c.align", features=FEATURES).licence_ == "CC0"
    assert (tmp_path / "b.align").read_bytes() == (tmp_path / "c.align").read_bytes()


def test_features_with_state_are_restored(corpus, tmp_path):
    features = [change, SpectralDistance(scales=(1, 3)), DurationFeature("gamma")]
    fitted = SequenceAligner(features, hop=np.float32(0.01)).fit(corpus)
    fitted.save(tmp_path / "a.align")
    fresh = [DurationFeature(), SpectralDistance(), change]  # in any order, with any options
    loaded = align.load(tmp_path / "a.align", features=fresh)
    assert isinstance(loaded.hop, float)
    item = example(60)
    assert loaded.align(item.audio, item.events, rate=RATE) == fitted.align(
        item.audio, item.events, rate=RATE
    )
    assert fresh[0].statistics_ is None  # copies were restored
    assert loaded.align(item.audio, item.events, rate=RATE).warnings == ()
    (told,) = loaded.align(item.audio, ["sil", "ring", "aa", "hum"], rate=RATE).warnings
    assert "no recording of the training set has 'ring', 'hum': what was learned knows" in told
    (same,) = loaded.align(
        item.audio, Lattice.chain(3, labels=["sil", "ring", "hum"]), rate=RATE
    ).warnings
    assert same == told


def test_training_anew_forgets_the_licence(fitted, corpus, tmp_path):
    fitted.save(tmp_path / "a.align", licence="CC0")
    loaded = align.load(tmp_path / "a.align", features=FEATURES)
    assert loaded.fit(corpus[:2]).licence_ == ""


def test_loading_without_the_features_says_which(fitted, tmp_path):
    fitted.save(tmp_path / "a.align")
    with pytest.raises(ModelError, match=r"feature objects called \['suits', 'change', 'brevity'"):
        align.load(tmp_path / "a.align")
    with pytest.raises(ModelError, match=r"called \['brevity'\], which a file does not hold"):
        align.load(tmp_path / "a.align", features=[suits, change])


def test_loading_with_a_feature_that_has_no_weight(fitted, tmp_path):
    @onset_feature
    def idle(signal, event):
        return signal.log_energy

    fitted.save(tmp_path / "a.align")
    with pytest.raises(ModelError, match=r"a.align: .* not trained with the features"):
        align.load(tmp_path / "a.align", features=[*FEATURES, idle])
    with pytest.raises(ModelError, match=r"train one with them, SpeechAligner\("):
        align.load("speech-en", features=[idle])


def test_a_function_instead_of_a_feature_is_no_damage_of_the_file(fitted, tmp_path):
    fitted.save(tmp_path / "a.align")
    with pytest.raises(ParameterError, match="must hold Feature objects; make one of a function"):
        align.load(tmp_path / "a.align", features=[len])
    with pytest.raises(ParameterError, match="must be a list of features; put it in brackets"):
        align.load(tmp_path / "a.align", features=suits)
    with pytest.raises(ParameterError, match=r"features has \['thesis'\]; a file knows"):
        align.load(tmp_path / "a.align", features=["thesis", suits])
    assert repr(suits) == "<feature 'suits'>"


@pytest.mark.parametrize(
    ("change_header", "change_arrays", "message"),
    [
        ({"temperature": None}, {}, "incomplete or damaged"),
        ({"temperature": 0.0}, {}, "not above 0"),
        ({"window": 0.0}, {}, "not above 0"),
        ({"window": 1e9}, {}, "too large"),
        ({"hop": 0.01}, {}, "its frames last 0.01 s, and 0.005 s by its parameters"),
        ({"base_functions": ["suits"]}, {}, r"array 'coef' is .*, must be \(1,\) and finite"),
        ({"params": {"hopp": 1}}, {}, "incomplete or damaged"),
        ({}, {"scale": np.zeros(3)}, "not above 0"),
        ({}, {"coef": None}, "incomplete or damaged"),
    ],
)
def test_models_with_impossible_content(fitted, tmp_path, change_header, change_arrays, message):
    from align.files.model_file import write_model
    from align.sequence.state import aligner_state

    header, arrays = aligner_state(fitted, "")
    header = {k: v for k, v in {**header, **change_header}.items() if v is not None}
    arrays = {k: v for k, v in {**arrays, **change_arrays}.items() if v is not None}
    write_model(tmp_path / "a.align", "sequence", header, arrays)
    with pytest.raises(ModelError, match=message):
        align.load(tmp_path / "a.align", features=FEATURES)


def test_weights_that_are_not_finite_are_neither_written_nor_restored(fitted, tmp_path):
    from align.files.model_file import write_model
    from align.sequence.state import aligner_state, restored

    header, arrays = aligner_state(fitted, "")
    arrays["coef"] = np.full(3, np.nan)
    with pytest.raises(ParameterError, match="array 'coef' has numbers that are not finite"):
        write_model(tmp_path / "a.align", "sequence", header, arrays)
    assert not (tmp_path / "a.align").exists()
    with pytest.raises(ModelError, match=r"array 'coef' is .* must be .* and finite"):
        restored(SequenceAligner, header, arrays, "a.align", FEATURES)


def test_a_state_that_a_feature_refuses(corpus, tmp_path):
    from align.files.model_file import write_model
    from align.sequence.state import aligner_state

    fitted = SequenceAligner([change, DurationFeature()]).fit(corpus[:2])
    header, arrays = aligner_state(fitted, "")
    del arrays["feature1.mean"]
    write_model(tmp_path / "a.align", "sequence", header, arrays)
    with pytest.raises(ModelError, match=r"feature 'duration' is damaged: .* lacks its array"):
        align.load(tmp_path / "a.align", features=[change, DurationFeature()])


def test_a_feature_that_fails_on_a_new_recording_is_named_with_it(corpus):
    @onset_feature
    def fragile(signal, event):
        return change(signal, event) if event in BANDS else np.zeros(3)

    fitted = SequenceAligner([fragile]).fit(corpus[:2])
    with pytest.raises(DataError, match=r"^recording: feature 'fragile' returned shape \(3,\)"):
        fitted.align(corpus[0].audio, ["aa", "zz"], rate=RATE)


def test_base_functions_that_are_gone(fitted, tmp_path):
    class Renamed(Feature):
        name = "brevity"

        def terms(self, signal, events):
            return {"other": brevity.terms(signal, events)["brevity"]}

    fitted.save(tmp_path / "a.align")
    loaded = align.load(tmp_path / "a.align", features=[suits, change, Renamed()])
    with pytest.raises(ModelError, match=r"do not give the base functions \['brevity'\]"):
        loaded.align(example(0).audio, ["aa"], rate=RATE)


def test_signals_travel_without_what_they_computed():
    signal = Signal(example(0).audio, RATE, 0.005)
    signal.log_mel()
    assert len(pickle.dumps(signal)) < 1.1 * signal.samples.nbytes + 2000


@pytest.mark.parametrize("features", ["first order", "second order"])
def test_long_recordings_are_decoded_in_windows(fitted, corpus, monkeypatch, features):
    aligner = fitted
    if features == "second order":
        learner = StructuredLearner(loss="maximal", C=0.05, epochs=2)
        aligner = SequenceAligner(
            [*FEATURES, DurationFeature(), SpeakingRate()], learner=learner, cost="absolute"
        ).fit(corpus)
    item = example(3, n=80)
    expected = aligner.align(item.audio, item.events, rate=RATE)
    monkeypatch.setattr("align.sequence.search.MOST_CELLS", 1000)
    monkeypatch.setattr("align.sequence.search.REACH", 0.4)
    found = aligner.align(item.audio, item.events, rate=RATE)
    np.testing.assert_allclose(found.onsets, expected.onsets, atol=1e-9)
    assert found.score == pytest.approx(expected.score)
    if features == "first order":
        np.testing.assert_allclose(found.confidence, expected.confidence, atol=1e-9)
