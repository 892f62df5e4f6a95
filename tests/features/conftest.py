"""Fixtures of the tests of features."""

import warnings
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def librosa_feature() -> ModuleType:
    """`librosa.feature`, to compare with, without the kernels that librosa compiles on import.

    They take 15 s where nothing is cached yet, and none of the functions we compare with uses one.
    """
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")  # what librosa's own imports deprecate is not ours
        for name in ("vectorize", "guvectorize"):
            patch.setattr(f"numba.{name}", lambda *types, **options: lambda function: function)
        import librosa.feature

        librosa.feature.mfcc, librosa.feature.melspectrogram, librosa.feature.delta  # noqa: B018
    return librosa.feature
