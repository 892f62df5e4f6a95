"""Framing, spectra and cepstra, against a slow twin and against librosa."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.errors import ParameterError
from align.features import Signal, log_mel, mfcc
from align.features.sound.mel import checked_filters
from align.features.sound.spectra import log_energy, power_spectrum

RATE = 16000
RNG = np.random.default_rng(5)
SPEECHLIKE = (
    np.convolve(RNG.normal(size=8000), np.exp(-np.arange(60) / 9), "same")
    * (1.2 + np.sin(np.arange(8000) / 700))
    * 0.05
).astype(np.float32)


def mirrored(x, i):
    """x continued by its mirror image, the sample at the end repeated."""
    period = 2 * len(x)
    i = i % period
    return x[i] if i < len(x) else x[period - 1 - i]


def slow_power(x, hop, length, n_fft):
    """Windows placed sample by sample around the middle of each frame."""
    rows = []
    for t in range(-(-len(x) // hop)):
        start = t * hop + (hop - length) // 2
        frame = np.array([mirrored(x, start + i) for i in range(length)])
        window = np.array([0.5 - 0.5 * np.cos(2 * np.pi * i / length) for i in range(length)])
        if length == 1:
            window[:] = 1
        padded = np.concatenate([frame * window, np.zeros(n_fft - length)])
        rows.append(np.abs(np.fft.rfft(padded)) ** 2)
    return np.array(rows)


# Framing ----------------------------------------------------------------------------------------


@given(
    n=st.integers(1, 400),
    hop=st.integers(1, 60),
    length=st.integers(1, 200),
    seed=st.integers(0, 9),
)
def test_power_spectrum_equals_slow_twin(n, hop, length, seed):
    x = np.random.default_rng(seed).normal(size=n).astype(np.float32)
    n_fft = 256
    fast = power_spectrum(x, 1000, hop / 1000, window=length / 1000, n_fft=n_fft)
    slow = slow_power(x, hop, length, n_fft)
    assert fast.dtype == np.float32
    np.testing.assert_allclose(fast, slow, rtol=1e-3, atol=1e-4 * max(1.0, slow.max()))


def test_blocks_join_without_a_seam():
    x = RNG.normal(size=20_000).astype(np.float32)
    whole = power_spectrum(x, RATE, 0.005, window=0.02)
    part = power_spectrum(x[80 * 60 :], RATE, 0.005, window=0.02)
    np.testing.assert_allclose(part[5:], whole[65:], rtol=1e-4, atol=1e-5)


def test_a_click_is_seen_where_it_is():
    """A click in the middle of frame 20 is centred there for every window length."""
    x = np.zeros(4000, dtype=np.float32)
    x[20 * 80 + 40] = 1
    for window in (0.004, 0.008, 0.025, 0.05):
        energy = log_energy(x, RATE, 0.005, window=window)
        assert energy.argmax() == 20
        np.testing.assert_allclose(energy[15:20], energy[25:20:-1], atol=1e-4)


def test_last_frame_may_be_partial():
    assert power_spectrum(np.ones(161), RATE, 0.01).shape[0] == 2
    assert power_spectrum(np.ones(160), RATE, 0.01).shape[0] == 1


def test_parseval():
    """The mean square of white noise is what its spectrum holds."""
    x = RNG.normal(size=16000).astype(np.float32)
    power = power_spectrum(x, RATE, 0.01, window=0.032)
    total = power[:, 0] + power[:, -1] + 2 * power[:, 1:-1].sum(axis=1)
    window_energy = 0.375 * 512
    assert abs(total.mean() / 512 / window_energy - 1) < 0.03


# Mel filters, log mel ---------------------------------------------------------------------------


@pytest.mark.parametrize("scale", ["htk", "slaney"])
@pytest.mark.parametrize("norm", [None, "slaney"])
def test_filters_are_librosas(scale, norm, librosa_feature):
    import librosa

    ours = checked_filters(RATE, 512, 26, 60.0, 7000.0, scale, norm).T
    theirs = librosa.filters.mel(
        sr=RATE, n_fft=512, n_mels=26, fmin=60, fmax=7000, htk=scale == "htk", norm=norm
    )
    np.testing.assert_allclose(ours, theirs, atol=1e-6 * theirs.max())


def test_triangles_sum_to_one_between_the_outer_centres():
    filters = checked_filters(RATE, 4096, 20, 0.0, RATE / 2, "htk", None).T
    peaks = filters.argmax(axis=1)
    np.testing.assert_allclose(filters.sum(axis=0)[peaks[0] + 1 : peaks[-1]], 1, atol=1e-5)


def as_librosa_frames(x, hop, length, n_fft):
    """Samples such that librosa's frame t (center=False) is ours.

    librosa puts the window in the middle of n_fft samples that begin at ``t * hop``.
    """
    left = (n_fft - length) // 2 - (hop - length) // 2
    return np.pad(x, (left, n_fft), mode="symmetric")


@pytest.mark.parametrize(
    ("hop", "window", "scale", "norm"),
    [(0.01, 0.025, "slaney", "slaney"), (0.005, 0.02, "htk", None)],
)
def test_mfcc_is_librosas(librosa_feature, hop, window, scale, norm):
    h, length, n_fft, n_mels = round(hop * RATE), round(window * RATE), 512, 40
    emphasised = np.append(SPEECHLIKE[0] * 0.03, SPEECHLIKE[1:] - 0.97 * SPEECHLIKE[:-1])
    power = librosa_feature.melspectrogram(
        y=as_librosa_frames(emphasised, h, length, n_fft),
        sr=RATE,
        n_fft=n_fft,
        hop_length=h,
        win_length=length,
        center=False,
        n_mels=n_mels,
        htk=scale == "htk",
        norm=norm,
        power=2.0,
    )
    n_frames = -(-len(SPEECHLIKE) // h)
    logs = np.log(power[:, :n_frames] + 1e-10)
    options = {"window": window, "mel_scale": scale, "mel_norm": norm, "floor": 1e-10}
    ours = log_mel(
        SPEECHLIKE,
        RATE,
        hop,
        n_mels=n_mels,
        n_fft=n_fft,
        preemphasis=0.97,
        **options,
    )
    np.testing.assert_allclose(ours, logs.T, atol=1e-5)

    static = librosa_feature.mfcc(S=logs, n_mfcc=13, dct_type=2, norm="ortho")
    reach = 0.02
    width = 2 * round(reach / hop) + 1
    first = librosa_feature.delta(static, width=width, order=1, mode="nearest")
    second = librosa_feature.delta(static, width=width, order=2, mode="nearest")
    expected = np.concatenate([static, first, second]).T
    ours = mfcc(
        SPEECHLIKE,
        RATE,
        hop,
        derivative_reach=reach,
        normalise_mean=False,
        **options,
    )
    np.testing.assert_allclose(ours, expected, atol=5e-5)


def test_silence_is_finite():
    for samples in (np.zeros(1), np.zeros(5000)):
        for values in (
            log_mel(samples, RATE),
            mfcc(samples, RATE, normalise_variance=True),
            log_energy(samples, RATE),
        ):
            assert np.isfinite(values).all()


def test_normalisation():
    mel = log_mel(SPEECHLIKE, RATE, normalise_mean=True, normalise_variance=True)
    np.testing.assert_allclose(mel.mean(axis=0), 0, atol=1e-5)
    np.testing.assert_allclose(mel.std(axis=0), 1, atol=1e-4)
    scaled = mfcc(SPEECHLIKE, RATE, normalise_variance=True)
    np.testing.assert_allclose(scaled.std(axis=0), 1, atol=1e-4)
    np.testing.assert_allclose(scaled[:, :13].mean(axis=0), 0, atol=1e-5)


def test_mean_normalisation_removes_the_gain():
    quiet = mfcc(SPEECHLIKE * 0.1, RATE, floor=1e-20)
    np.testing.assert_allclose(quiet, mfcc(SPEECHLIKE, RATE, floor=1e-20), atol=1e-3)


def test_shapes_and_parameters():
    assert mfcc(SPEECHLIKE, RATE, 0.005).shape == (100, 39)
    assert mfcc(SPEECHLIKE, RATE, n_mfcc=20, derivatives=0).shape == (50, 20)
    assert mfcc(SPEECHLIKE, RATE, n_mfcc=5, n_mels=23, derivatives=3).shape == (50, 20)
    assert mfcc(SPEECHLIKE[:100], RATE).shape == (1, 39)


def test_narrow_bands_lengthen_the_transform():
    """64 bands of an 8 ms window need finer frequencies than 128 points give; none is empty."""
    mel = log_mel(RNG.normal(size=8000), RATE, window=0.008, n_mels=64)
    assert mel.min() > -10


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hop": 0.0}, r"hop=0\.0 s, must be at least one sample at 16000 Hz"),
        ({"window": -1.0}, r"window=-1\.0 s, must be at least one sample"),
        ({"n_mels": 0}, "n_mels=0, must be at least 1"),
        ({"n_mels": 128, "n_fft": 512}, r"n_mels=128 is too many for n_fft=512 .* band \d+"),
        ({"n_fft": 256}, "n_fft=256, must be at least the window, 400 samples"),
        ({"fmin": 4000.0, "fmax": 300.0}, "must be 0 <= fmin < fmax"),
        ({"fmax": 9000.0}, r"fmax=9000\.0, must be .* half the rate, 8000\.0 Hz"),
        ({"mel_scale": "bark"}, "mel_scale='bark', must be 'htk' or 'slaney'"),
        ({"mel_norm": "area"}, "mel_norm='area', must be None or 'slaney'"),
        ({"preemphasis": 1.5}, r"preemphasis=1\.5, must be in \[0, 1\]"),
        ({"floor": 0.0}, r"floor=0\.0, must be positive"),
        ({"n_mfcc": 41}, "n_mfcc=41, must be in 1..n_mels=40"),
        ({"derivatives": -1}, "derivatives=-1, must not be negative"),
    ],
)
def test_wrong_parameter(options, message):
    with pytest.raises(ParameterError, match=message):
        mfcc(SPEECHLIKE, RATE, **options)


def test_wrong_transform():
    with pytest.raises(ParameterError, match="n_fft=256, must be at least the window, 400"):
        power_spectrum(SPEECHLIKE, RATE, n_fft=256)
    with pytest.raises(ParameterError, match="n_fft=1, must be at least 2"):
        checked_filters(RATE, 1, 40, 0.0, RATE / 2, "htk", None)


def test_bands_that_no_transform_resolves():
    with pytest.raises(ParameterError, match=r"band 1 holds no frequency"):
        log_mel(SPEECHLIKE, RATE, window=0.002, n_mels=40, fmin=100, fmax=101)


@pytest.mark.parametrize("samples", [np.zeros(0), np.zeros((10, 2))])
def test_wrong_samples(samples):
    with pytest.raises(ParameterError, match=r"must be \(n,\), n > 0"):
        log_mel(samples, RATE)


# Signal -----------------------------------------------------------------------------------------


@pytest.fixture
def signal():
    return Signal(SPEECHLIKE, RATE, hop=0.005, name="noise")


def test_signal_methods_are_the_functions(signal):
    np.testing.assert_array_equal(
        signal.log_mel(window=0.01, n_mels=20),
        log_mel(SPEECHLIKE, RATE, 0.005, window=0.01, n_mels=20),
    )
    np.testing.assert_array_equal(signal.mfcc(), mfcc(SPEECHLIKE, RATE, 0.005))
    options = {"window": 0.02, "n_mfcc": 12, "preemphasis": 0.9, "normalise_variance": True}
    np.testing.assert_array_equal(
        signal.mfcc(**options, n_mels=30), mfcc(SPEECHLIKE, RATE, 0.005, **options, n_mels=30)
    )
    np.testing.assert_array_equal(
        signal.power_spectrum(n_fft=1024), power_spectrum(SPEECHLIKE, RATE, 0.005, n_fft=1024)
    )
    np.testing.assert_array_equal(signal.log_energy, log_energy(SPEECHLIKE, RATE, 0.005))
    assert signal.log_energy.shape == (signal.n_frames,)


def test_signal_rounds_the_hop_to_samples():
    signal = Signal(SPEECHLIKE, 11025, hop=0.005)
    assert signal.hop_length == 55
    assert signal.hop == pytest.approx(55 / 11025)
    assert signal.mfcc().shape[0] == signal.n_frames == -(-8000 // 55)


def test_wrong_signal():
    with pytest.raises(ParameterError, match=r"samples\.shape=\(0,\), must be \(n,\), n > 0"):
        Signal(SPEECHLIKE[:0], RATE)
    with pytest.raises(ParameterError, match=r"hop=1e-05 s is less than one sample at 16000 Hz"):
        Signal(SPEECHLIKE, RATE, hop=1e-5)


def test_signal_computes_once_and_protects_it(signal):
    assert signal.mfcc(n_mfcc=12, window=0.02) is signal.mfcc(window=0.02, n_mfcc=12)
    assert signal.mfcc() is signal.representation("mfcc")
    assert signal.log_energy is signal.log_energy
    with pytest.raises(ValueError, match="read-only"):
        signal.log_mel()[0] = 0


def test_signal_travels_without_what_it_computed(signal):
    before = signal.mfcc()
    for other in (copy.deepcopy(signal), pickle.loads(pickle.dumps(signal))):
        assert other.n_frames == signal.n_frames
        assert other.mfcc() is not before
        np.testing.assert_array_equal(other.mfcc(), before)


def test_representation_names_what_is_wrong(signal):
    with pytest.raises(ParameterError, match="representation='plp', must be one of 'log_mel'"):
        signal.representation("plp")
    with pytest.raises(ParameterError, match=r"options=.*'tapers'.* do not suit 'mfcc'"):
        signal.representation("mfcc", tapers=3)
