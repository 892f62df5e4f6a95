"""Speech: labels, default features, text.

`aligner`   `SpeechAligner`
`text`      from words to phones and back
"""

from typing import TYPE_CHECKING

from align._lazy import lazy_names

if TYPE_CHECKING:
    from align.speech.aligner import SpeechAligner

__all__ = [
    "SpeechAligner",
]

__getattr__, __dir__ = lazy_names(__name__, {"align.speech.aligner": "SpeechAligner"})
