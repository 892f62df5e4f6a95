from .alignment import Alignment
from .music import MusicAlignment

__all__ = [
    "Alignment",
    "MusicAlignment",
]
