"""What the package of features promises as a whole."""

import subprocess
import sys

import pytest

import align.features


def test_every_name_is_there():
    for name in align.features.__all__:
        assert getattr(align.features, name) is not None
    assert sorted(align.features.__all__) == align.features.__all__
    assert set(dir(align.features)) == set(align.features.__all__)


def test_no_module_hides_a_name():
    """A submodule called like a function would replace it once imported."""
    for name in align.features.__all__:
        assert type(getattr(align.features, name)).__name__ != "module"


def test_unknown_name():
    with pytest.raises(AttributeError, match=r"No align\.features attribute plp"):
        align.features.plp  # noqa: B018


def test_features_do_not_load_what_is_slow():
    code = (
        "import sys, numpy as np, align.features as f; "
        "f.read_audio(np.arange(9.0), source_rate=16000); "
        "f.Signal(np.ones(1600, np.float32), 16000).mfcc(); "
        "f.SpectralDistance; f.PhoneConfidence; f.DurationFeature; f.SpeakingRate; "
        "slow = {'numba', 'scipy', 'sklearn', 'librosa', 'soundfile', 'soxr'}; "
        "print(sorted(slow & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
