"""Signals, features and base functions.

The names that ``__init__.pyi`` lists are loaded on first use.

===================  ==========================================================================
place                what lies there
===================  ==========================================================================
`sound`              recordings, frames, spectra; recordings changed on purpose
`base`               what a feature is: a signal and its events in, base functions out
`networks`           a small network over frames
`phones`             how well frames suit phones
`notes`              how well frames suit notes and chords
`duration`           how long events last; `speaking_rate`: how that changes
`spectral_distance`  how much the spectrum changes at an onset
===================  ==========================================================================

`sound` imports none of the others, `base` imports `sound`, and `phones` and `notes` import all but
each other.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
