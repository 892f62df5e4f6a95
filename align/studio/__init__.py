"""Correcting alignments while the model learns from every correction.

`Session` is the whole, for Python; `align studio` puts a page on it. See ``docs/studio.md``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
