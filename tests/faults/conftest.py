import pytest
from corpus_tools import write_recordings


@pytest.fixture
def recordings(tmp_path):
    """Four recordings of two speakers."""
    return write_recordings(tmp_path / "in", {"ann": 2, "bob": 2})
