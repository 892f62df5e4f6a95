"""A recording and its score, brought together before anything is learned or decoded.

===============  ===================================================================
module           what
===============  ===================================================================
`performance`    both made ready: signal, notes, chords, collisions, the coarse pass
`coarse`         about when each chord is played, by dynamic time warping
`repeats`        which repeats of a score were played
`keys`           other keys and tunings than the score is written in
`evened`         fades and quiet stretches made as loud as the rest
`tempo`          local tempo, and the lengths it lets expect
`pieces`         performances whose note times are known
===============  ===================================================================

It imports no other folder of `align.music`.
"""
