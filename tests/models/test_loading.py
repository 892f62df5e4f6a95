"""Models are found by path or by name, and made what their files say they are."""

import sys
import types

import numpy as np
import pytest

from align.errors import ModelError, ParameterError
from align.files.model_file import MODEL_KINDS, write_model
from align.models import loading
from align.models.loading import bundled_models, load

HEADER = {"labels": ["sil", "ŋ"]}
ARRAYS = {"w": np.arange(6, dtype=np.float32).reshape(2, 3)}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "m.align"
    write_model(path, "speech", HEADER, ARRAYS)
    return path


def test_every_kind_of_model_has_an_aligner() -> None:
    assert loading._ALIGNERS.keys() == MODEL_KINDS


@pytest.fixture
def registered(monkeypatch):
    """A stand-in for the estimator a model is of."""

    class Stub:
        @classmethod
        def _from_model(cls, header, arrays, path, features):
            return header, arrays, path, features

    module = types.ModuleType("stub_aligner")
    module.Stub = Stub
    monkeypatch.setitem(sys.modules, "stub_aligner", module)
    monkeypatch.setitem(loading._ALIGNERS, "speech", "stub_aligner:Stub")


def test_load(path, registered):
    header, arrays, where, features = load(path, features=["mine"])
    assert header == HEADER
    assert set(arrays) == set(ARRAYS)
    assert where == str(path)
    assert features == ["mine"]


def test_load_a_bundled_model(path, registered, monkeypatch):
    monkeypatch.setattr(loading, "files", lambda package: path.parent)
    assert bundled_models() == ["m"]
    assert load("m")[2] == str(path)
    with pytest.raises(ModelError, match=r"no model 'n': it is not a file, .* are: m"):
        load("n")
    with pytest.raises(ParameterError, match="the model is a NoneType, must be a path or a name"):
        load(None)


def test_load_no_model(tmp_path):
    with pytest.raises(ModelError, match=r"no model 'no-such': it is not a file, and the models"):
        load("no-such")


def test_load_a_model_of_an_unknown_kind(tmp_path):
    write_model(tmp_path / "m.align", "dance", {}, {})
    with pytest.raises(
        ModelError, match="is a model of kind 'dance', and this Align knows music, speech"
    ):
        load(tmp_path / "m.align")
