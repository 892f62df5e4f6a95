"""The slow twins of the decoders, for the tests of this folder."""

from pathlib import Path
from types import ModuleType

import pytest
from scripts import script


@pytest.fixture(scope="session")
def naive() -> ModuleType:
    return script(Path(__file__).with_name("naive.py"))
