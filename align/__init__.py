"""Align: learning to align a signal with the events in it.

The names that ``__init__.pyi`` lists are loaded on first use: ``import align`` is immediate.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
