"""The network of articulations: phones never met, both edges, pooling, adapting, states."""

import copy

import numpy as np
import pytest
from synthetic_speech import RATE, random_phones, recording

from align.errors import DataError, ModelError
from align.features import ArticulatoryConfidence, ArticulatoryDuration, Signal, TimedSignal
from align.features.phones.articulatory import BROAD_CLASSES, FEATURES
from align.features.phones.network_articulatory import _LONG
from align.features.sound.disguises import PLAIN

HOP = 0.005
IPA = {"sil": "sil", "s": "s", "aa": "ɑ", "iy": "i", "m": "m"}


def timed(phones, seed=0, lead=0.0):
    rng = np.random.default_rng(seed)
    samples, edges = recording(phones, rng)
    silence = 0.001 * rng.normal(size=round(lead * RATE))
    samples = np.concatenate([silence, samples]).astype(np.float32)
    times = (edges[:-1] + (np.arange(len(phones)) > 0) * silence.size) / RATE
    signal = Signal(samples, RATE, HOP)
    onsets = np.rint(times / HOP).astype(np.intp)
    events = [IPA.get(phone, phone) for phone in phones]
    return TimedSignal(signal, events, onsets, times, signal.n_frames)


def tiny(**options):
    return ArticulatoryConfidence(**{"width": 8, "dilations": (1, 2), "epochs": 11, **options})


@pytest.fixture(scope="module")
def corpus():
    rng = np.random.default_rng(0)
    return [timed(random_phones(rng, 9), seed=i) for i in range(4)]


@pytest.fixture(scope="module")
def fitted(corpus):
    return tiny().fit(corpus)


def test_it_knows_phones_and_their_boundaries(fitted):
    item = timed(random_phones(np.random.default_rng(5), 9), seed=77)
    terms = fitted.terms(item.signal, item.events)
    assert list(terms) == ["network.phone", "network.boundary", "network.transition"]
    phone = terms["network.phone"]
    scores = np.diff(phone.prefix, axis=1)[phone.rows]  # of each event, frame by frame
    owner = np.searchsorted(item.onsets, np.arange(item.signal.n_frames), side="right") - 1
    best = [item.events[k] for k in scores.argmax(axis=0)]
    assert np.mean([best[t] == item.events[owner[t]] for t in range(len(best))]) > 0.8
    boundary = terms["network.boundary"]
    at = boundary.table[0, item.onsets[1:]]
    assert at.mean() > boundary.table[0].mean() + 1


def test_a_phone_never_met_scores_as_its_kin(fitted):
    item = timed(["sil", "aa", "s", "aa", "sil"], seed=9)
    events = ["sil", "ɑ", "ʃ", "a", "sil"]  # neither ʃ nor a was ever seen
    phone = fitted.terms(item.signal, events)["network.phone"]
    scores = np.diff(phone.prefix, axis=1)[phone.rows]
    hiss = slice(item.onsets[2] + 2, item.onsets[3] - 2)
    vowel = slice(item.onsets[3] + 2, item.onsets[4] - 2)
    assert scores[2, hiss].mean() > scores[3, hiss].mean() + 1
    assert scores[3, vowel].mean() > scores[2, vowel].mean() + 1


def test_transitions_look_at_both_edges(fitted):
    opening, closing = fitted._sides(["sil", "t͡ʃ", "a"])
    assert BROAD_CLASSES[opening[1]] == "voiceless stop"
    assert BROAD_CLASSES[closing[1]] == "voiceless fricative"


def test_heads_do_not_depend_on_the_symbols(fitted):
    assert fitted._heads() == (len(FEATURES), 1, len(BROAD_CLASSES) ** 2 + 1)
    assert fitted.symbols_ == sorted(IPA.values())


def test_short_recordings_are_laid_end_to_end(corpus):
    feature = tiny()
    feature._learn_symbols(corpus)
    lessons = feature._training_set(corpus)
    assert all(len(x) >= _LONG for x, _ in lessons[:-1])
    assert all(len(x) == head.strength.size for x, targets in lessons for head in targets)


def test_long_silence_is_cut_off_for_training():
    item = timed(["sil", "aa", "s", "sil"], lead=2.0)
    feature = tiny()
    feature._learn_symbols([item])
    x, targets = feature._labelled(item, PLAIN)
    spoken = item.onsets[3] - item.onsets[1]
    assert spoken < len(x) <= spoken + 2 * 40 + 1
    assert targets[1].strength.max() > 0.9  # boundaries are still where they were


def test_pooled_copies_answer_with_the_mean(corpus, fitted):
    other = tiny(random_state=3, epochs=1).fit(corpus[:2])
    both = tiny().pool([fitted, other])
    item = corpus[0]
    x = both._inputs(item.signal)
    mean = np.mean([f.networks_[0].outputs(x)[1] for f in (fitted, other)], axis=0)
    table = both.terms(item.signal, item.events)["network.boundary"].table[0]
    np.testing.assert_allclose(table, -np.logaddexp(0, -mean[:, 0]), atol=1e-5)


def test_its_state_restores_it_exactly_in_half_the_space(fitted):
    params, arrays = fitted.get_state()
    assert arrays["network0.weight00"].dtype == np.float16
    again = tiny().set_state(params, arrays)
    item = timed(["sil", "aa", "m", "sil"], seed=4)
    for name, term in fitted.terms(item.signal, item.events).items():
        other = again.terms(item.signal, item.events)[name]
        mine = getattr(term, "table", None)
        if mine is not None:
            np.testing.assert_array_equal(mine, other.table)
    with pytest.raises(ModelError, match="other articulatory features"):
        tiny().set_state({**params, "features": list(FEATURES[1:])}, arrays)


def test_adapting_teaches_a_new_sound(fitted):
    rng = np.random.default_rng(1)
    phones = ["sil", "b", "aa", "b", "s", "b", "iy", "sil"]  # the b is a tone of its own
    new = [timed(list(phones), seed=int(rng.integers(1000))) for _ in range(4)]
    adapted = copy.deepcopy(fitted).adapt(new, steps=60, learning_rate=2e-3)
    assert "b" in adapted.symbols_
    assert "b" not in fitted.symbols_
    test = timed(list(phones), seed=2000)

    def score(feature):
        phone = feature.terms(test.signal, test.events)["network.phone"]
        frames = np.diff(phone.prefix, axis=1)
        return np.mean(
            [frames[phone.rows[k], test.onsets[k] : test.onsets[k + 1]].mean() for k in (1, 3, 5)]
        )

    assert score(adapted) > score(fitted) + 0.3


def test_a_label_that_is_not_ipa_is_refused(corpus):
    item = corpus[0]
    with pytest.raises(DataError, match="is no letter of the IPA"):
        tiny().fit(
            [TimedSignal(item.signal, ["Ж"] * len(item.events), item.onsets, item.times, item.end)]
        )


def test_durations_of_phones_never_met_are_those_of_their_kind():
    rng = np.random.default_rng(0)
    signal = Signal(np.zeros(32000, dtype=np.float32), RATE, HOP)
    events = ["t", "a", "k", "aː"] * 5
    lengths = np.array([8, 16, 10, 40] * 5) + rng.integers(-2, 3, 20)
    onsets = np.concatenate(([0], np.cumsum(lengths)[:-1]))
    item = TimedSignal(signal, events, onsets, onsets * HOP, int(lengths.sum()))
    feature = ArticulatoryDuration(last=True).fit([item])
    best = {
        label: int(np.argmax(feature.log_density(label, np.arange(1, 80), HOP))) + 1
        for label in ("p", "o", "oː", "t", "a", "aː")
    }
    assert abs(best["p"] - 9) <= 2
    assert abs(best["o"] - 16) <= 4
    assert best["oː"] > 30
    params, arrays = feature.get_state()
    again = ArticulatoryDuration().set_state(params, arrays)
    np.testing.assert_array_equal(
        again.log_density("o", [3, 9], HOP), feature.log_density("o", [3, 9], HOP)
    )
