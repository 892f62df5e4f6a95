"""Speech: labels, default features, text.

`aligner`   `SpeechAligner`
`text`      from words to phones and back
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
