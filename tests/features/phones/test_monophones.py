"""Gaussians of English phones: the compiled sums against plain ones, and what was said."""

from pathlib import Path

import numpy as np
import pytest
import soundfile
from kiwi_text import KIWI
from scipy.stats import norm

from align.errors import DataError
from align.features.phones.monophones import HOP, _table, monophone, monophone_scores
from align.features.sound.cepstra import mfcc
from align.features.sound.signal import Signal
from align.formats.files import read_tiers
from align.formats.phone_map import read_phone_map


def speech() -> Signal:
    samples, rate = soundfile.read(KIWI, dtype="float32")
    return Signal(samples, rate)


def test_scores_are_those_of_the_best_states() -> None:
    signal = speech()
    level = np.sqrt(np.mean(np.square(signal.samples, dtype=np.float64)))
    x = mfcc(
        signal.samples * (0.05 / level),
        signal.rate,
        HOP,
        window=0.025625,
        n_mels=25,
        fmin=130.0,
        fmax=6800.0,
        floor=1e-7,
        derivatives=0,
    )
    t = 60
    streams = (
        x[t],
        x[t + 2] - x[t - 2],
        (x[t + 3] - x[t - 1]) - (x[t + 1] - x[t - 3]),
    )
    table = _table().gaussians
    for phone in (3, 17, 40):
        states = np.zeros(3)
        for s, numbers in enumerate(streams):
            own = slice(phone, None, 42)
            half, linear = np.split(table.slopes[s][:, own].astype(float), 2)
            deviation = np.sqrt(-0.5 / half)
            mean = linear * deviation**2
            density = norm.logpdf(numbers[:, None], mean, deviation).sum(axis=0)
            density += 0.5 * len(numbers) * np.log(2 * np.pi)  # a constant that is left out
            states += (density + table.weights[s, :, :, phone]).max(axis=1)
        assert monophone_scores(signal)[t, phone] == pytest.approx(0.4 * states.max(), rel=1e-3)


def test_what_was_said_scores_more_than_other_phones() -> None:
    scores = monophone_scores(speech())
    (phones,) = read_tiers(Path(KIWI).with_suffix(".TextGrid"))
    ipa = {"ah": "ə", **read_phone_map("timit_ipa")}
    spoken = [
        (monophone(ipa[label]), times[0])
        for label, times in zip(phones.labels, phones.times, strict=True)
        if label != "sil"
    ]
    assert len(spoken) > 30
    own = [scores[round(t / HOP) + 2, column] for column, t in spoken]
    others = [np.median(scores[round(t / HOP) + 2]) for _, t in spoken]
    assert np.mean(np.array(own) > others) > 0.9


def test_a_symbol_is_the_phone_that_the_nearest_known_one_sounds_like() -> None:
    phones = _table().phones
    pairs = {"s": "S", "ʂ": "SH", "m": "M", "ɱ": "M", "i": "IY", "t͡ʃʰ": "CH", "ɸ": "F"}
    assert {symbol: phones[monophone(symbol)] for symbol in pairs} == pairs
    with pytest.raises(DataError, match="IPA"):
        monophone("42")


@pytest.mark.parametrize("samples", [np.zeros(5000), np.ones(1), np.zeros(200_000)])
def test_silence_and_the_shortest_recordings_have_scores(samples: np.ndarray) -> None:
    for rate in (8000, 16000, 44100):
        scores = monophone_scores(Signal(samples.astype(np.float32), rate))
        assert np.isfinite(scores).all()
        assert scores.shape == (-(-samples.size // round(HOP * rate)), 42)
