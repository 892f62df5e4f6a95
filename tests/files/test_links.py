"""A link that leads nowhere is told as such, and is not "disappeared" or a wrong name."""

from pathlib import Path

import pytest

from align.errors import DataError
from align.features.sound.audio import read_audio
from align.files.text import read_text


@pytest.mark.parametrize("read", [read_text, read_audio])
def test_a_link_to_nothing(read, tmp_path: Path) -> None:
    link = tmp_path / "kiwi.wav"
    link.symlink_to(tmp_path / "moved" / "kiwi.wav")
    with pytest.raises(
        DataError, match=r"kiwi.wav: is a link to .*moved.kiwi.wav, which does not"
    ):
        read(link)
    with pytest.raises(DataError, match=r"there is no such file|does not exist"):
        read(tmp_path / "other.wav")
