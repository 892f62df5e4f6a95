"""What learning from recordings asks for, in whatever task.

=============  ===========================================================================
module         what
=============  ===========================================================================
`recordings`   examples with known onsets, in frames; `parts` of long ones
`crossfit`     features that never saw what they score
`problem`      what the structured learner sees: base functions, their scale, truth, cost
`far_labels`   labels that are of another recording
`checkpoint`   training that goes on after an interruption
=============  ===========================================================================

Imports no other folder.
"""
