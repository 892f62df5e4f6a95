"""Fixtures every test may use."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("align", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("align")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of the real recordings; the test is skipped where it is absent.

    ``ALIGN_DATA`` names it; by default ``shared/data`` beside the checkout.
    """
    root = Path(__file__).resolve().parents[1]
    folder = Path(os.environ.get("ALIGN_DATA", root.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"real recordings are not here ({folder}); set ALIGN_DATA to their folder")
    return folder


@pytest.fixture(scope="session")
def timit_sample(shared_data: Path) -> Path:
    """Twelve speakers of TIMIT, eight utterances each."""
    return shared_data / "speech" / "timit_sample"
