"""From base functions and weights to a time for each note, and how sure it is.

==============  ========================================================================
module          what
==============  ========================================================================
`decoding`      a frame for each chord, in `windows`
`placement`     seconds for each note, with the evidence of how well all fits
`notes`         when the notes of a chord are played, since players are not simultaneous
`confidence`    the probability that a note is within 50 ms of its time
`unplayed`      the probability that a note was not played
`ends`          when notes end, from `end_evidence`
==============  ========================================================================

Of the other folders it imports `performances` and `functions`.
"""
