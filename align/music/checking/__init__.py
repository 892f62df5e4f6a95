"""Whether a recording is of its score, and of how much of it.

==============  ================================================================
module          what
==============  ================================================================
`passages`      which passages of the score are played, in which order and key
`parts`         those passages as a score of their own, and what is said of them
`rushed`        chords that follow too fast: bars that were left out
`silent`        chords in silence: sound that was lost
`backwards`     whether the score is that of the recording at all
`missing`       recordings of a top line or a hand: much of the score is not played
`unwritten`     how much of what begins in a recording is not in the score
`mismatches`    notes that were not played, and music that is not written
==============  ================================================================

Of the other folders it imports `performances`; it neither decodes nor places notes.
"""
