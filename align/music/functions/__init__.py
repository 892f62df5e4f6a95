"""Base functions of chords: what speaks for an onset, in windows about where it is expected.

===================  =====================================================================
module               what
===================  =====================================================================
`chord_functions`    what a feature of chords is, and all of an aligner together
`default`            the default set, with the network of notes
`thesis`             the ten of the thesis
`own`                features of a user's own, of signals and notes, as features of chords
`chosen`             those that an aligner is asked for
===================  =====================================================================

Of the other folders it imports `performances`.
"""
