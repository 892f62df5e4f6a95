"""The one aligner: cross-fitting, learning, search, placement, correction, state.

======================  =======================================================================
place                   what lies there
======================  =======================================================================
`base`                  `Aligner`: the one fit, evaluate, save and load; what a task fills in
`timed`                 what aligners of recordings in time have in common
`aligner`               `SequenceAligner`; `recent`: what was computed of the last recordings
`learning`              examples, cross-fitting, the structured problem, checkpoints
`search`                the best timing, in `stretches` where the recording is long
`lattice`               the same where several events may follow
`lattice_paths`         its paths in a recording, and the alignment of one
`times`                 from frames to seconds, with confidence; corrections of onsets
`anchors`               onsets that are known: windows for the decoder, exact times after it
`rough`                 about where events are, in recordings of minutes to hours
`feature_terms`         the base functions of all features together
`fit`, `evidence`       how well events fit; probabilities from a few numbers
`frames`, `extended`    seconds to frames and back; recordings made longer at their ends
`adapt`, `online`       from a fitted aligner towards new recordings; from one correction on
`state`                 what all model files hold
======================  =======================================================================

`base` imports `learning` and `state`, `aligner` what finds and places events, `adapt` and `online`
import `base`. The three folders import modules from beside them, but none another.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
