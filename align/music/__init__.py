"""Music: from a recording and its score to the time of every note.

==============  ======================================================================
folder          what
==============  ======================================================================
`performances`  a recording and its score, brought together: chords, the coarse pass
`functions`     base functions of chords, with the network of notes
`placing`       chords decoded; a time for each note, and how sure it is
`checking`      which part of the score is played, in which key, and what is not
==============  ======================================================================

Each imports those above it only (`checking` not `functions` and `placing`). Over them lie:

=============  ==========================================================================
module         what
=============  ==========================================================================
`aligner`      `MusicAligner`; `state` is what its model file holds
`calibration`  offset, confidence and match, fitted to pieces
`finding`      one recording aligned: which way through the score, which part
`result`       what is told of it: times, how sure they are, mismatches, warnings
`learned`      what a model knows of its own results; `finding` and `result` ask it
`matching`     how well another model finds the same notes at the same places
`choosing`     which bundled model, where none is named
`following`    a performance while it is played, by `tracking` it
=============  ==========================================================================
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
