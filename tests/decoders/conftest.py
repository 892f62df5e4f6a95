"""The slow twins of the decoders, for the tests of this folder."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def naive() -> ModuleType:
    path = Path(__file__).with_name("naive.py")
    spec = importlib.util.spec_from_file_location("naive_decoders", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
