"""Phones, boundaries and transitions from the network: targets, disguises, pooling, states."""

import numpy as np
import pytest
from synthetic_speech import RATE, random_phones, recording

from align.errors import ModelError, ParameterError
from align.features import Feature, NetworkConfidence, Signal, TimedSignal
from align.features.networks.network import FrameNetwork, log_sigmoid, log_softmax
from align.features.sound.disguises import DISGUISES, PLAIN

CLASSES = {"sil": "silence", "s": "noise", "aa": "vowel", "iy": "vowel", "m": "nasal"}
HOP = 0.005


def timed(phones, seed=0, lead=0.0, tail=0.0, group=None):
    """A synthetic recording with its labels, and unlabelled noise before and after."""
    rng = np.random.default_rng(seed)
    samples, edges = recording(phones, rng)
    outside = [0.05 * rng.normal(size=round(RATE * s)) for s in (lead, tail)]
    samples = np.concatenate([outside[0], samples, outside[1]]).astype(np.float32)
    times = (edges + outside[0].size) / RATE
    signal = Signal(samples, RATE, HOP)
    onsets = np.rint(times[:-1] / HOP).astype(np.intp)
    return TimedSignal(signal, phones, onsets, times[:-1], round(times[-1] / HOP), group)


def tiny(**options):
    return NetworkConfidence(classes=CLASSES, **{"width": 8, "dilations": (1, 2), **options})


def corpus(n=4, seed=0):
    rng = np.random.default_rng(seed)
    return [timed(random_phones(rng, 9), seed=100 * seed + i) for i in range(n)]


@pytest.fixture(scope="module")
def fitted():
    return tiny(epochs=8).fit(corpus())


def prepared(feature, item):
    """Give an unfitted feature the symbols and classes that `_targets` needs."""
    feature.symbols_ = sorted(set(item.events))
    feature.classes_ = sorted({CLASSES.get(e, "other") for e in item.events})
    return feature


# Surroundings -----------------------------------------------------------------------------------


def noisy(item, seed):
    rng = np.random.default_rng(seed)
    samples = item.signal.samples
    noise = 0.7 * samples.std() * rng.standard_normal(samples.size)
    return Signal((samples + noise).astype(np.float32), RATE, HOP)


def test_training_elsewhere_helps_in_noise():
    def likelihood(feature):
        total = []
        for item in corpus(4, seed=5):
            label, *_ = feature._targets(item, item.signal.n_frames, PLAIN)
            found = feature.networks_[0].outputs(feature._inputs(noisy(item, 1)))[0]
            total.append(log_softmax(found)[np.arange(len(found)), label.label].mean())
        return np.mean(total)

    quiet, elsewhere = (
        tiny(epochs=15, surroundings=kind).fit(corpus()) for kind in (None, "noise")
    )
    assert likelihood(elsewhere) > likelihood(quiet) + 0.02


def test_what_is_heard_elsewhere_has_the_targets_of_its_time():
    """Each symbol has the share of the frames that it has in the recording, at any tempo."""
    items = corpus(2)
    feature = prepared(tiny(), items[0])
    feature._learn_symbols(items)
    make = feature._elsewhere(items, "room")
    rng = np.random.default_rng(0)

    def shares(phone):
        return np.bincount(phone.label, minlength=5) / len(phone.label)

    plain = [shares(feature._labelled(item, PLAIN)[1][0]) for item in items]
    for _ in range(20):
        x, (phone, boundary, _) = make(rng)
        assert np.isfinite(x).all()
        assert len(x) == len(phone.label) == len(boundary.strength)
        assert min(np.abs(shares(phone) - own).max() for own in plain) < 0.02


def test_surroundings_are_of_a_kind():
    with pytest.raises(ParameterError, match="surroundings='sea', must be one of noise, room"):
        NetworkConfidence(surroundings="sea")


# Targets ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("disguise", DISGUISES)
def test_targets_of_a_disguise_lie_where_its_sound_changes(disguise):
    """A track of loud and faint noise: each change must be where the boundary target peaks."""
    rng = np.random.default_rng(0)
    edges = np.cumsum(rng.integers(900, 2500, 30))  # samples, of no frame rate in particular
    loud = np.searchsorted(edges, np.arange(edges[-1] + 3000), side="right") % 2 == 0
    samples = (rng.normal(size=loud.size) * np.where(loud, 0.3, 0.003)).astype(np.float32)
    signal = Signal(samples, RATE, HOP)
    times = np.concatenate(([0], edges)) / RATE
    events = ["aa" if k % 2 == 0 else "sil" for k in range(len(times))]
    onsets = np.rint(times / HOP).astype(np.intp)
    item = TimedSignal(signal, events, onsets, times, signal.n_frames)
    feature = prepared(tiny(), item)
    x, (phone, boundary, transition) = feature._labelled(item, disguise)
    assert len(x) == phone.strength.size == boundary.strength.size == transition.label.size
    energy = x[:, 40:].mean(axis=1)  # of the short window
    change = np.abs(np.diff(energy, prepend=energy[:1]))
    peaks = 1 + np.flatnonzero(
        (boundary.strength[1:-1] >= boundary.strength[:-2])
        & (boundary.strength[1:-1] > boundary.strength[2:])
        & (boundary.strength[1:-1] > 0.9)
    )
    assert len(peaks) >= len(edges) - 1
    off = [
        int(change[max(p - 6, 0) : p + 7].argmax()) - min(p, 6) for p in peaks if p < len(x) - 7
    ]
    assert np.abs(off).max() <= 1
    assert abs(np.mean(off)) < 0.3  # no systematic delay
    is_loud = energy > (energy.max() + energy.min()) / 2
    symbols = np.array(feature.symbols_)[phone.label]
    away = boundary.strength < 0.5
    assert ((symbols == "aa") == is_loud)[away].mean() > 0.99


def test_strength_falls_as_a_gaussian_of_time_from_the_nearest_boundary():
    item = timed(["sil", "aa", "s", "iy"], seed=3)
    feature = prepared(tiny(boundary_width=0.01), item)
    phone, boundary, transition = feature._targets(item, item.signal.n_frames, PLAIN)
    begin = np.arange(item.signal.n_frames) * HOP
    inner = item.times[1:]  # the beginning of a recording is none to be found
    nearest = np.abs(begin[:, None] - inner).argmin(axis=1)
    expected = np.exp(-0.5 * ((begin - inner[nearest]) / 0.01) ** 2)
    np.testing.assert_allclose(boundary.strength, expected, atol=1e-6)
    np.testing.assert_array_equal(transition.strength, boundary.strength)
    kinds = [feature.classes_.index(CLASSES[e]) for e in item.events]
    pairs = [kinds[k] * len(feature.classes_) + kinds[k + 1] for k in range(3)]
    np.testing.assert_array_equal(transition.label, np.array(pairs)[nearest])
    inside = np.searchsorted(item.times, begin + HOP / 2, side="right") - 1
    np.testing.assert_array_equal(
        phone.label, [feature.symbols_.index(item.events[k]) for k in inside]
    )
    assert (phone.strength == 1.0).all()


@pytest.mark.parametrize("disguise", [PLAIN, *DISGUISES])
def test_frames_without_labels_are_not_learned_from(disguise):
    item = timed(["s", "aa", "m"], seed=1, lead=0.3, tail=0.4)
    feature = prepared(tiny(), item)
    x, targets = feature._labelled(item, disguise)
    hop = HOP * disguise[1]
    labelled = item.end * HOP - item.times[0]
    assert len(x) == pytest.approx(labelled / hop, abs=2)
    assert all(target.strength.size == len(x) for target in targets)
    whole = feature._inputs(item.signal, disguise)
    first = round((item.times[0] - disguise[0] * HOP) / hop)
    assert any(np.array_equal(x, whole[f : f + len(x)]) for f in (first - 1, first, first + 1))


def test_a_recording_of_one_event_has_no_boundary():
    item = timed(["aa"])
    _, boundary, transition = prepared(tiny(), item)._targets(item, 20, PLAIN)
    assert not boundary.strength.any()
    assert not transition.strength.any()
    tiny(epochs=1).fit([item])


# Scores -----------------------------------------------------------------------------------------


def test_base_functions_tell_the_truth_from_other_timings(fitted):
    item = timed(random_phones(np.random.default_rng(9), 8), seed=77)
    terms = fitted.terms(item.signal, item.events)
    assert list(terms) == ["network.phone", "network.boundary", "network.transition"]
    wrong = item.onsets + np.array([0, *[9] * 7])
    for term in terms.values():
        assert term.value(item.onsets, item.signal.n_frames) > term.value(
            wrong, item.signal.n_frames
        )


def test_scores_are_log_probabilities(fitted):
    item = timed(["sil", "aa", "s", "aa"], seed=5)
    terms = fitted.terms(item.signal, item.events)
    (output,) = [network.outputs(fitted._inputs(item.signal)) for network in fitted.networks_]
    log_phone = log_softmax(output[0])
    n_frames = item.signal.n_frames
    column = {symbol: i for i, symbol in enumerate(fitted.symbols_)}
    y = [*item.onsets, n_frames]
    expected = sum(
        log_phone[y[k] : y[k + 1], column[event]].sum(dtype=float)
        for k, event in enumerate(item.events)
    )
    assert terms["network.phone"].value(item.onsets, n_frames) == pytest.approx(expected, rel=1e-5)
    expected = log_sigmoid(output[1])[item.onsets[1:], 0].sum(dtype=float)
    assert terms["network.boundary"].value(item.onsets, n_frames) == pytest.approx(expected)
    kinds = [fitted.classes_.index(CLASSES[e]) for e in item.events]
    columns = [kinds[k] * len(fitted.classes_) + kinds[k + 1] for k in range(3)]
    expected = log_softmax(output[2])[item.onsets[1:], columns].sum(dtype=float)
    assert terms["network.transition"].value(item.onsets, n_frames) == pytest.approx(expected)


def _phone_scores(feature, signal, events):
    """Frame scores of each event [shape=(K, T)]."""
    term = feature.terms(signal, events)["network.phone"]
    return np.diff(term.prefix, axis=1)[term.rows]


@pytest.mark.parametrize("longest", [0, 2000])
def test_what_an_event_scores_at_the_ends_is_what_it_scores_there(fitted, longest, monkeypatch):
    """Of a long recording, too, of which nothing else is computed."""
    monkeypatch.setattr("align.features.phones.network_confidence._LONG", longest)
    signal = corpus(1, seed=7)[0].signal
    n_outputs = []
    outputs = FrameNetwork.outputs
    monkeypatch.setattr(
        FrameNetwork, "outputs", lambda own, x: n_outputs.append(len(x)) or outputs(own, x)
    )
    found = fitted.at_ends(signal, "sil", 3)
    assert max(n_outputs) < 20 if longest == 0 else n_outputs == [signal.n_frames]
    np.testing.assert_allclose(found, Feature.at_ends(fitted, signal, "sil", 3), atol=1e-4)


def test_unknown_symbols_score_as_their_class_and_unknown_classes_as_anything(fitted):
    signal = timed(["sil", "aa", "s", "iy"], seed=6).signal
    known = np.exp(_phone_scores(fitted, signal, fitted.symbols_))
    assert fitted.symbols_ == ["aa", "iy", "m", "s", "sil"]
    fitted.classes = {**CLASSES, "uw": "vowel", "x": "click"}
    try:
        found = np.exp(_phone_scores(fitted, signal, ["aa", "uw", "x", "never", "uw"]))
        transition = fitted.terms(signal, ["aa", "x", "uw", "s"])["network.transition"]
    finally:
        fitted.classes = CLASSES
    np.testing.assert_allclose(found[1], (known[0] + known[1]) / 2, rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(found[2], known.mean(axis=0), rtol=1e-4, atol=1e-7)
    np.testing.assert_array_equal(found[2], found[3])
    np.testing.assert_array_equal(found[1], found[4])
    np.testing.assert_array_equal(transition.rows < 0, [True, True, True, False])


def test_labels_go_through_the_map():
    items = corpus(2)
    renamed = tiny(symbols={"aa": "A"}, epochs=1).fit(items)
    assert "A" in renamed.symbols_
    assert "aa" not in renamed.symbols_
    scores = _phone_scores(renamed, items[0].signal, ["aa", "A"])
    np.testing.assert_array_equal(scores[0], scores[1])


def test_without_classes_there_is_one():
    feature = NetworkConfidence(width=8, dilations=(1,), epochs=1).fit(corpus(1))
    assert feature.classes_ == ["other"]


# Pooling ----------------------------------------------------------------------------------------


def test_pooled_copies_are_averaged_whatever_symbols_they_know():
    first = tiny(epochs=1).fit([timed(["sil", "aa", "s"]), timed(["s", "aa"], seed=1)])
    second = tiny(epochs=1, random_state=5).fit([timed(["m", "aa", "sil"], seed=2)])
    pooled = tiny().pool([first, second])
    assert pooled.symbols_ == ["aa", "m", "s", "sil"]
    assert pooled.classes_ == ["nasal", "noise", "silence", "vowel"]
    signal = timed(["sil", "m", "aa", "s"], seed=8).signal
    outputs = [c.networks_[0].outputs(c._inputs(signal)) for c in (first, second)]

    def logits(copy, output, symbol):
        if symbol not in copy.symbols_:
            return np.full(signal.n_frames, -10.0)  # as good as impossible
        return output[0][:, copy.symbols_.index(symbol)]

    mean = np.stack(
        [
            (logits(first, outputs[0], s) + logits(second, outputs[1], s)) / 2
            for s in pooled.symbols_
        ],
        axis=1,
    )
    found = _phone_scores(pooled, signal, pooled.symbols_)
    np.testing.assert_allclose(found, log_softmax(mean).T, atol=1e-3)
    boundary = pooled.terms(signal, ["sil", "aa"])["network.boundary"].table[0]
    mean = (outputs[0][1] + outputs[1][1])[:, 0] / 2
    np.testing.assert_allclose(boundary, log_sigmoid(mean), atol=1e-4)
    # vowel -> silence was seen by the second, and could have been by the first: both know both.
    transition = pooled.terms(signal, ["aa", "sil"])["network.transition"]

    def raw(copy, output):
        size = len(copy.classes_)
        row = copy.classes_.index("vowel") * size + copy.classes_.index("silence")
        return output[2][:, row] - output[2][:, -1]

    mean = (raw(first, outputs[0]) + raw(second, outputs[1])) / 2
    none = pooled.networks_[0].heads[2] - 1
    everything = np.mean([n.outputs(pooled._inputs(signal))[2] for n in pooled.networks_], axis=0)
    np.testing.assert_allclose(
        transition.table[transition.rows[1]] - log_softmax(everything)[:, none], mean, atol=1e-3
    )


def test_pooling_equal_copies_changes_nothing(fitted):
    pooled = tiny().pool([fitted, fitted])
    item = timed(["sil", "aa", "s"], seed=4)
    expected = fitted.terms(item.signal, item.events)
    for name, term in pooled.terms(item.signal, item.events).items():
        assert term.value(item.onsets, item.signal.n_frames) == pytest.approx(
            expected[name].value(item.onsets, item.signal.n_frames), rel=1e-5
        )


# Training ---------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_networks():
    def weights(**options):
        feature = tiny(epochs=1, **options).fit(corpus(2))
        return [w for network in feature.networks_ for w in network.weights]

    for a, b in zip(weights(), weights(), strict=True):
        np.testing.assert_array_equal(a, b)
    assert not np.array_equal(weights()[0], weights(random_state=1)[0])
    two = weights(n_networks=2)
    assert len(two) == 2 * len(weights())
    assert not np.array_equal(two[0], two[len(two) // 2])


def test_loudness_does_not_matter(fitted):
    item = timed(["sil", "aa", "s"], seed=4)
    faint = Signal(item.signal.samples * np.float32(0.1), RATE, HOP)
    for name, term in fitted.terms(faint, item.events).items():
        expected = fitted.terms(item.signal, item.events)[name]
        assert term.value(item.onsets, faint.n_frames) == pytest.approx(
            expected.value(item.onsets, faint.n_frames), rel=1e-3
        )


@pytest.mark.parametrize("rate", [8000, 22050])
def test_other_rates(rate):
    rng = np.random.default_rng(0)
    samples, edges = recording(["sil", "aa", "s", "m"], rng, rate)
    signal = Signal(samples.astype(np.float32), rate, HOP)
    onsets = np.rint(edges[:-1] / rate / HOP).astype(np.intp)
    item = TimedSignal(signal, ["sil", "aa", "s", "m"], onsets, edges[:-1] / rate, signal.n_frames)
    terms = (
        NetworkConfidence(width=8, dilations=(1,), epochs=1).fit([item]).terms(signal, item.events)
    )
    assert all(np.isfinite(term.value(onsets, signal.n_frames)) for term in terms.values())


# States and errors ------------------------------------------------------------------------------


def test_states_round_trip(fitted):
    params, arrays = fitted.get_state()
    again = NetworkConfidence().set_state(params, arrays)
    item = timed(["sil", "aa", "never", "s"], seed=4)
    expected = fitted.terms(item.signal, item.events)
    for name, term in again.terms(item.signal, item.events).items():
        assert term.value(item.onsets, 40) == expected[name].value(item.onsets, 40)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"networks": []}, "holds no network"),
        ({"known_symbols": ["a", "b"]}, "the network's heads are"),
        ({"n_mels": 20}, "the network reads 80 numbers a frame"),
    ],
)
def test_wrong_states_are_refused(fitted, change, message):
    params, arrays = fitted.get_state()
    with pytest.raises(ModelError, match=message):
        NetworkConfidence().set_state({**params, **change}, arrays)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"windows": ()}, r"windows=\(\), must be one or more positive lengths"),
        ({"windows": (0.0,)}, "must be one or more positive lengths"),
        ({"boundary_width": 0.0}, "boundary_width=0.0, must be positive"),
        ({"epochs": -1}, "epochs=-1, must be positive"),
        ({"n_networks": 0}, "n_networks=0, must be at least 1"),
        ({"most_steps": 0}, "most_steps=0, must be at least 1"),
    ],
)
def test_wrong_parameters(options, message):
    with pytest.raises(ParameterError, match=message):
        NetworkConfidence(**options)


def test_use_before_training():
    with pytest.raises(ModelError, match="feature 'network' is not fitted"):
        NetworkConfidence().terms(timed(["aa"]).signal, ["aa"])
    with pytest.raises(ParameterError, match="must hold at least one recording"):
        NetworkConfidence().fit([])
